"""How likely a paper is a review that says that it reviews: many only begin with one.

Two logistic regressions over hashed words. `reviews.npz` (`benchmarks/review_model.py`), from papers of journals of
reviews and of articles, is for abstracts that say that they review. `syntheses.npz` (`benchmarks/synthesis_model.py`),
from papers that a reader judged, is for those that name a meta-analysis or a systematic review: it accepts those that
are one, and not those on the method, nor those that only cite one.
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

SIZE, SYNTHESIS_SIZE = 1 << 13, 1 << 12
"""Weights; a feature has the one at the number that its CRC-32 gives."""
_REVIEWS, _SYNTHESES = "reviews.npz", "syntheses.npz"
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
    weights, bias = _weights(_REVIEWS)
    return float(weights[review_features(title, abstract)].sum() + bias)


_SYNTHESIS = re.compile(
    r"meta-?\s?analy\w*|pooled\sanalysis"
    r"|(?:systematic|scoping|umbrella|literature|critical)(?:ally)?(?:\s[a-z]+)?\sreview\w*",
    re.IGNORECASE,
)
_MARK = "synthesisx"
_FIRST = 3
"""Words before a synthesis in a title among which a colon shows that it is the kind of the paper."""


def names_synthesis(text: str) -> bool:
    """Whether a text names a meta-analysis or a systematic review, be it its own or another's."""
    return bool(_SYNTHESIS.search(text))


def synthesis_features(title: str, abstract: str) -> list[int]:
    """Numbers of the features of a paper that names a synthesis: its words, and those around the name."""
    names = set(_synthesis_features(_mark(title), _mark(abstract)))
    return sorted({crc32(name.encode()) % SYNTHESIS_SIZE for name in names})


def _mark(text: str) -> list[str]:
    return _TOKEN.findall(_SYNTHESIS.sub(f" {_MARK} ", text).lower())


def _synthesis_features(title: list[str], abstract: list[str]) -> Iterator[str]:
    yield from (f"w{word}" for word in title)
    yield from (f"b{word}" for word in abstract)
    yield from (f"tt{_MARK in title:d}", f"n{min(abstract.count(_MARK), 4)}")
    for at in (place for place, word in enumerate(title) if word == _MARK):
        yield "tlast" if at == len(title) - 1 else "tnotlast"
        yield from (f"tcolon{':' in title[max(0, at - _FIRST) : at]:d}", f"tfirst{at == 0:d}")
        yield from _around("t", title, at)
        yield from (f"tp {word}" for word in title[max(0, at - 1) : at])
        yield from (f"tn {word}" for word in title[at + 1 : at + 2])
    places = [place for place, word in enumerate(abstract) if word == _MARK]
    for at in places:
        yield from _around("a", abstract, at)
        yield f"pair {' '.join(abstract[max(0, at - 2) : at])}"
    yield from (f"at{4 * at // len(abstract)}" for at in places[:1])


def _around(kind: str, words: list[str], at: int) -> Iterator[str]:
    yield from (f"{kind}-{word}" for word in words[max(0, at - _AROUND) : at])
    yield from (f"{kind}+{word}" for word in words[at + 1 : at + _AROUND + 1])


def synthesis_log_odds(title: str, abstract: str) -> float:
    """The logarithm of the odds that a paper that names a meta-analysis or systematic review is one."""
    weights, bias = _weights(_SYNTHESES)
    return float(weights[synthesis_features(title, abstract)].sum() + bias)


@cache
def _weights(name: str) -> tuple[npt.NDArray[np.float64], float]:
    with np.load(Path(__file__).with_name(name)) as stored:
        return stored["weights"].astype(np.float64), float(stored["bias"])
