"""What is known of words, to tell those of specialists from everyday English."""

from __future__ import annotations

from pathlib import Path

from conspectus.index.protocol import SearchIndex
from conspectus.models.store import ModelStore
from conspectus.models.vocabulary import plain_words
from conspectus.search.flags import WordKnowledge


def word_knowledge(store: Path | str | None, index: SearchIndex) -> WordKnowledge:
    """Everyday English where the model store in `store` (None or "": the usual one) has it, else how frequent each word
    is in the library."""
    plain = everyday(store)
    if plain:
        return WordKnowledge(plain)
    return WordKnowledge(None, index.frequencies, index.stats().rows)


def everyday(store: Path | str | None) -> frozenset[str]:
    """The words of everyday English, in small letters; none where the model store does not have them."""
    return plain_words(ModelStore(store or None)) or frozenset()
