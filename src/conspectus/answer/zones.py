"""What a sentence does in its paper: background, aim, method, result, conclusion, or a notice of the publisher.

A linear model over hashed words and the sentence's place. The weights are in `zones.npz` beside this module;
`benchmarks/sentence_zones.py` makes them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.records import Passage

ZONES = ("background", "aim", "method", "result", "conclusion", "notice")
BUCKETS, OF_LABELS = 1 << 16, 1 << 12
"""Of hashed features; the last are of labels, whose weights would drown the words that share a bucket with them."""
MOST_WORDS = 60
"""Of a sentence, that are looked at."""
_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[%=<>©±]|\\\w+")
_LABEL = re.compile(
    r"#*\s*(?:(?P<shout>[A-Z]{4,}(?:[ &/]+(?:AND )?[A-Z]{4,}){0,3})(?=:| [A-Z]|$)"
    r"|(?P<word>[A-Z][a-z]{2,}(?:\s(?:and\s)?[A-Za-z]+){0,2})[:.](?=\s|$))"
)
"""What may be the label of a part of an abstract: "RESULTS", "Results:"."""


@dataclass(frozen=True, slots=True)
class ZoneModel:
    """A multinomial logistic regression.

    Attributes:
        weights: int8 [BUCKETS, zones], times `scale`.
        intercepts: float32 [zones].
    """

    weights: npt.NDArray[np.int8]
    scale: float
    intercepts: FloatArray

    def probabilities(self, rows: Sequence[Sequence[int]]) -> FloatArray:
        """float32 [rows, zones]: of each row of hashed features."""
        odds = np.array([self.weights[list(row)].sum(axis=0, dtype=np.int32) for row in rows], np.float32)
        odds = odds.reshape(len(rows), len(ZONES)) * self.scale + self.intercepts
        raised = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


@lru_cache(maxsize=1)
def load_zone_model() -> ZoneModel:
    """The one that comes with the program."""
    with np.load(io.BytesIO(files("conspectus.answer").joinpath("zones.npz").read_bytes())) as stored:
        return ZoneModel(stored["weights"], float(stored["scale"]), stored["intercepts"])


def find_zones(passage: Passage) -> FloatArray:
    """Of each sentence of a passage the probability of each of `ZONES`, float32 [sentences, zones]."""
    section = "" if passage.kind == "abstract" else passage.section
    return load_zone_model().probabilities(
        list(hash_features([span.text for span in passage.spans], abstract=passage.kind == "abstract", section=section))
    )


def hash_features(sentences: Sequence[str], *, abstract: bool, section: str = "") -> Iterator[list[int]]:
    """Of each sentence the hashed features. The place counts in an abstract, elsewhere the section's heading."""
    label = ""
    for place, sentence in enumerate(sentences):
        match = _LABEL.match(sentence)
        if match:
            label = (match["shout"] or match["word"]).lower()
        text = sentence[match.end() :] if match else sentence
        words = [word if not word.isdigit() else "0" for word in _TOKEN.findall(text.lower())[:MOST_WORDS]]
        names = [*words, *(f"{first} {second}" for first, second in pairwise(words))]
        names += [f"^{' '.join(words[:count])}" for count in (1, 2, 3)]
        if abstract:
            after = len(sentences) - 1 - place
            names += [f"@{min(place, 3)}", f"@-{min(after, 3)}", f"@{5 * place // len(sentences)}/5"]
        else:
            names += [f"S {word}" for word in _TOKEN.findall(section.lower())] or ["S"]
        hashes = [crc32(name.encode()) % (BUCKETS - OF_LABELS) for name in dict.fromkeys(names)]
        yield [*hashes, BUCKETS - 1 - crc32(label.encode()) % OF_LABELS] if label else hashes
