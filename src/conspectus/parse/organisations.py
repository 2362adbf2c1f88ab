"""Distinguish organisations from people by name: a linear model over the letters of the words.

It is used where a source does not mark organisations. `benchmarks/organisations.py` fits its weights
(`organisations.json`) to authors, collaborations, institutions and funders, and evaluates them on held-out names.
"""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

import msgspec

BUCKETS = 4096
_LONGEST = 200
_MARGIN = 2.0
"""By how much a name of two words, as most people have, must look like an organisation's."""


class OrganisationModel(msgspec.Struct, frozen=True):
    """The model as it is stored: a weight a bucket, in units of `scale`, as signed bytes in base64."""

    bias: float
    scale: float
    weights: str


def is_organisation(name: str) -> bool:
    """Whether a name is an organisation's or a group's rather than a person's. Names of one word are neither."""
    words = len(name.split())
    if words < 2:
        return False
    bias, scale, weights = _model()
    score = bias + scale * sum(weights[bucket] for bucket in buckets(name))
    return score > (_MARGIN if words == 2 else 0)


def buckets(name: str) -> list[int]:
    """The features of a name: how many words it has, its words, and three and four letters of them, hashed."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in _features(name[:_LONGEST])})


def _features(name: str) -> Iterator[str]:
    words = name.split()
    yield f"#{min(len(words), 6)}"
    for word in words:
        low = word.casefold()
        yield ("l:" if word[:1].islower() else "w:") + low
        marked = f"^{low}$"
        yield from (marked[at : at + size] for size in (3, 4) for at in range(len(marked) - size + 1))


@lru_cache(maxsize=1)
def _model() -> tuple[float, float, array[int]]:
    stored = files("conspectus.parse").joinpath("organisations.json").read_bytes()
    model = msgspec.json.decode(stored, type=OrganisationModel)
    return model.bias, model.scale, array("b", base64.b64decode(model.weights))
