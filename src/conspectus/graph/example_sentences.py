"""Which sentences show best what joins two entities: whole, short ones, not rows of tables and lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.records import Citation

_WORD = re.compile(r"[^\W\d_]{2,}")
_ODD = re.compile(r"[\d;:|=<>±()\[\]]")
SHORT, LONG = 60, 240
"""Letters from which a sentence says something, and up to which it is read quickly."""


def order_by_clarity(citations: Sequence[Citation]) -> list[Citation]:
    """The clearest sentence first, then the clearest one of each other paper; equals stay in their order."""
    order = sorted(citations, key=lambda citation: -rate_clarity(citation.quote))
    first = {citation.paper.id: citation for citation in reversed(order)}
    leading = [citation for citation in order if first[citation.paper.id] is citation]
    return leading + [citation for citation in order if first[citation.paper.id] is not citation]


def rate_clarity(text: str) -> float:
    """How well a sentence reads on its own, about -2 to 1."""
    words = len(_WORD.findall(text))
    ends = text[:1].isupper() and text.rstrip(")\"'”’ ")[-1:] == "."
    odd = len(_ODD.findall(text)) / max(words, 1)
    commas = text.count(",") / max(words, 1)
    length = min(len(text) / SHORT, 1.0) - max(len(text) - LONG, 0) / LONG
    return float(ends) + length - 2 * min(odd, 1) - 4 * max(commas - 0.1, 0)
