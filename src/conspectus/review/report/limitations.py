"""Sentences in which papers say what limits their study, or what remains open.

A linear model over hashed words, learnt from what stands under headings on limitations. The weights are in
`limitations.npz` beside this module; `benchmarks/limitation_sentences.py` makes them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

import numpy as np

from conspectus.answer.sentence_model import is_dangling
from conspectus.core.arrays import FloatArray
from conspectus.lexicon.word_lists import is_back_matter
from conspectus.records import Passage, Span

LEAST_ODDS = 2.0
"""Logarithm of the odds from which on a paper's surest sentence is quoted. Of 58 such sentences, of papers the model
had not learnt from, one reader took 48 for limitations or open questions."""
BUCKETS = 1 << 16
MOST_WORDS = 60
"""Of a sentence, that are looked at."""
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")


def hash_words(sentence: str) -> list[int]:
    """The hashed words, pairs of words and first words of a sentence, each once."""
    tokens = ["0" if token.isdigit() else token for token in _TOKEN.findall(sentence.lower())[:MOST_WORDS]]
    names = [*tokens, *(f"{first} {second}" for first, second in pairwise(tokens))]
    names += [f"^{' '.join(tokens[:count])}" for count in (1, 2, 3)]
    return sorted({crc32(name.encode()) % BUCKETS for name in names})


def limitation_odds(sentences: Sequence[str]) -> FloatArray:
    """How surely each sentence is about what limits a study, as the logarithm of the odds, float32 [sentences]."""
    weights, intercept = _load()
    return np.array([weights[hash_words(sentence)].sum() + intercept for sentence in sentences], np.float32)


def surest_limitation(passages: Sequence[Passage]) -> tuple[Passage, Span] | None:
    """The sentence of a paper's text that says most surely what limits it, and its passage; None: none does surely."""
    places = [
        (passage, span)
        for passage in passages
        if passage.kind in ("abstract", "body") and not is_back_matter(passage.section)
        for span in passage.spans
        if not is_dangling(span.text)
    ]
    odds = limitation_odds([span.text for _, span in places])
    best = int(odds.argmax()) if places else -1
    return places[best] if places and odds[best] >= LEAST_ODDS else None


@lru_cache(maxsize=1)
def _load() -> tuple[FloatArray, float]:
    with np.load(io.BytesIO(files("conspectus.review.report").joinpath("limitations.npz").read_bytes())) as arrays:
        return arrays["weights"].astype(np.float32) * float(arrays["scale"]), float(arrays["intercept"])
