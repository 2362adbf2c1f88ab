"""Sets of keywords by which a question is looked up at services, made without a model."""

from __future__ import annotations

from itertools import chain

from conspectus.parse.text.key_phrases import key_phrases

_PHRASES = (2, 1)
"""Key phrases of the sets behind the question. Chosen on half of a benchmark (`benchmarks/online_search.py`)."""


def keywords_of(question: str) -> tuple[str, ...]:
    """One to three sets of keywords, each a query: the whole question, its two best key phrases, and the best one.

    Services that want every word of a query find papers by the short ones; others find the best by the question.
    """
    whole = " ".join(question.split())
    phrases = [phrase.text.split() for phrase in key_phrases(whole, "", max(_PHRASES))]
    shorter = (" ".join(dict.fromkeys(chain(*phrases[:count]))) for count in _PHRASES if count <= len(phrases))
    return tuple(dict.fromkeys((whole, *shorter)))
