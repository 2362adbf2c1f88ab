"""How likely a paper is a review that says that it reviews: many only begin with one.

A logistic regression over hashed words and pairs of words of title and abstract, its length, and where it says so
(`benchmarks/review_model.py` makes `reviews.npz` from papers of journals of reviews and of articles).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

SIZE = 1 << 13
"""Weights; a feature has the one at the number that its CRC-32 gives."""
_FILE = Path(__file__).with_name("reviews.npz")
_TOKEN = re.compile(r"[a-z]+(?:-[a-z]+)*|[.?!;:]")
_REVIEW = re.compile(r"review\w*", re.IGNORECASE)
_AROUND = 4
"""Words before and after the first that says review."""


def review_features(title: str, abstract: str) -> list[int]:
    """Numbers of the features of a paper; its title counts without the word review."""
    names = set(_features(_TOKEN.findall(_REVIEW.sub("", title).lower()), _TOKEN.findall(abstract.lower())))
    return sorted({crc32(name.encode()) % SIZE for name in names})


def _features(title: list[str], abstract: list[str]) -> Iterator[str]:
    yield from (f"t{word}" for word in title)
    yield from (f"a{word}" for word in abstract)
    yield from (f"b{word} {after}" for word, after in pairwise(abstract))
    at = next((place for place, word in enumerate(abstract) if word.startswith("review")), -1)
    yield from (f"len{min(len(abstract) // 40, 7)}", f"at{-1 if at < 0 else min(4 * at // len(abstract), 3)}")
    yield from (f"we{min(abstract.count('we'), 6)}", f"tl{min(len(title) // 3, 5)}")
    yield f"s{min(sum(word in '.?!' for word in abstract), 9)}"
    if at >= 0:
        yield from (f"r{word}" for word in abstract[max(0, at - _AROUND) : at + _AROUND + 1])


def review_log_odds(title: str, abstract: str) -> float:
    """The logarithm of the odds that a paper is a review."""
    weights, bias = _weights()
    return float(weights[review_features(title, abstract)].sum() + bias)


@cache
def _weights() -> tuple[npt.NDArray[np.float64], float]:
    with np.load(_FILE) as stored:
        return stored["weights"].astype(np.float64), float(stored["bias"])
