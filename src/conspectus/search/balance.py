"""How much vectors, full text, exact words and late interaction weigh, by what a query is like.

A question is weighed as the settings say. The more a query is words typed into a search box for something known, the
more it counts that a passage, with what its paper is called, holds all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from conspectus.lexicon import STOP_WORDS

if TYPE_CHECKING:
    from conspectus.settings import SearchSettings


@dataclass(frozen=True, slots=True)
class Balance:
    """Weights, as the settings of these names have them."""

    dense_weight: float
    rerank_weight: float
    exact_weight: float


# Chosen on the development part of `benchmarks/known_items.py`, so that questions lose nothing (SciFact, Cranfield).
TYPED = Balance(dense_weight=0.5, rerank_weight=0.2, exact_weight=0.85)
"""The weights of what is surely typed for something known."""
MOST_FUNCTION_WORDS = 0.2
"""With such a part of function words, it is surely a question, or a sentence."""
FEW, MANY = 4, 7
"""Of so few words, one passage need not hold all for them to be surely typed; of so many it has to."""
HALF, MOST, WHOLE = 0.45, 0.6, 0.86
"""Which part of the words the best passage holds: from here on it counts; enough of few words; what a text can hold."""
ORDERS = frozenset("compare define describe discuss explain list name outline summarise summarize tell".split())
"""With these at its beginning it is a question, too."""
WEIGHED = tuple(field.name for field in fields(Balance))
"""Settings that a user who sets one has weighed."""
_WORD = re.compile(r"\w+")


def shape(query: str) -> tuple[float, float]:
    """How much a query looks typed, not asked, and how much of one it has few words; each 0..1."""
    words = _WORD.findall(query.lower())
    if not words or "?" in query or words[0] in ORDERS:
        return 0.0, 0.0
    content = sum(word not in STOP_WORDS for word in words)
    looks = max(0.0, 1 - (1 - content / len(words)) / MOST_FUNCTION_WORDS)
    return looks, _between(MANY - content, 0, MANY - FEW)


def typed(query: str, best: float) -> float:
    """How surely a query is typed for something known, 0..1.

    `best` is which part of its words the passage holds that holds most of them (`SearchIndex.search_exact`).
    """
    looks, short = shape(query)
    return looks * _between(best, HALF, WHOLE + short * (MOST - WHOLE))


def balanced(own: SearchSettings, words: str, coverage: Callable[[], float]) -> SearchSettings:
    """The settings with the weights that suit a query; with their own where they are set.

    Args:
        own: the settings.
        words: the query (`Asked.words`).
        coverage: tells which part of the words the passage holds that holds most of them; asked where it counts.
    """
    if not own.by_query:
        return own
    looks, _ = shape(words)
    return weighed(own, typed(words, coverage()) if looks else 0.0)


def weighed(own: SearchSettings, surely: float) -> SearchSettings:
    """Settings with the weights between their own (a question: 0) and `TYPED` (1), in hundredths."""
    mixed: dict[str, Any] = {}
    for name in WEIGHED:
        asked = getattr(own, name)
        mixed[name] = round(asked + surely * (getattr(TYPED, name) - asked), 2)
    return replace(own, by_query=False, **mixed)


def _between(value: float, low: float, high: float) -> float:
    """0 at `low` and below, 1 at `high` and above."""
    return min(1.0, max(0.0, (value - low) / (high - low)))
