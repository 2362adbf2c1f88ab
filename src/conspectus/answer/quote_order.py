"""The order of quotes: the best sentences are read once more, each together with the question.

The weights are in `quote_order.json` beside this module; `benchmarks/bearing.py` makes them. The network has the
measures of `sentence_model` and two more: what `models.pair_reader` says of a sentence, and how far that is behind the
best. What it says of the best is also part of how probable an answer is (`answerable`).
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from conspectus.answer.sentence_model import MEASURES
from conspectus.answer.sentences import QuotableSentence
from conspectus.answer.small_network import SmallNetwork
from conspectus.core.arrays import FloatArray
from conspectus.models.pair_reader import open_pair_reader
from conspectus.search.retriever import Retriever

READ_TOGETHER = 24
"""Sentences that are read with the question; a further one is never quoted."""
OF_PAIRS = ("read together", "read together behind best")
NAMES = (*MEASURES, *OF_PAIRS)


def order_quotes(
    retriever: Retriever,
    question: str,
    sentences: Sequence[QuotableSentence],
    scores: MutableMapping[str, float] | None = None,
) -> list[QuotableSentence]:
    """The best of `sentences`, best first. With another embedder than `minilm` they stay as they are.

    Args:
        scores: what the reader said of sentences, by their ids; those missing are read, and added.
    """
    read, folder = sentences[:READ_TOGETHER], getattr(retriever.embedder, "folder", None)
    rows = [sentence.measures for sentence in read if sentence.measures is not None]
    if folder is None or not read or len(rows) < len(read):
        return list(sentences)
    model = load_quote_model()
    if not retriever.embedder.id.startswith(model.embedder):
        return list(sentences)
    known = {} if scores is None else scores
    unread = [sentence for sentence in read if sentence.span.id not in known]
    new_scores = open_pair_reader(folder).score(question, [_format_quote(sentence) for sentence in unread])
    known.update(zip((sentence.span.id for sentence in unread), new_scores.tolist(), strict=True))
    read_scores = np.array([known[sentence.span.id] for sentence in read], np.float32)
    likely = model.probabilities(add_scores(np.array(rows), read_scores))
    scored_sentences = [replace(sentence, bears=float(bears)) for sentence, bears in zip(read, likely, strict=True)]
    return sorted(scored_sentences, key=lambda sentence: (-sentence.rank, sentence.span.id))


def _format_quote(sentence: QuotableSentence) -> str:
    """A sentence as it is quoted: with the one before where it leans on that."""
    return " ".join(span.text for span in sentence.passage.spans[sentence.begin : sentence.position + 1])


def add_scores(rows: FloatArray, scores: FloatArray) -> FloatArray:
    """Measures of a question's sentences with those of `OF_PAIRS`."""
    return np.column_stack([rows, scores, scores - scores.max(initial=-30.0)]).astype(np.float32)


@lru_cache(maxsize=1)
def load_quote_model() -> SmallNetwork:
    """The one that comes with the program."""
    return msgspec.json.decode(files("conspectus.answer").joinpath("quote_order.json").read_bytes(), type=SmallNetwork)
