"""The words of everyday English, as the vocabulary of the default embedder has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from conspectus.core.disk import read_file
from conspectus.models.minilm import SPEC
from conspectus.models.store import ModelStore

FILE = "tokenizer.json"


class _Pieces(msgspec.Struct):
    vocab: dict[str, int]


class _Tokenizer(msgspec.Struct):
    model: _Pieces


def plain_words(store: ModelStore) -> frozenset[str] | None:
    """The words, in small letters, that BERT's vocabulary (uncased) has in one piece; None where the store lacks it.

    They are the 20,000 or so that are most frequent in Wikipedia and novels. A word that is not among them, in none of
    its forms, is seldom met outside of its field.
    """
    return frozenset(_read(store.path(SPEC) / FILE)) if store.has(SPEC) else None


def plain_ranks(store: ModelStore) -> Mapping[str, int] | None:
    """The same words with their ranks there, 1 for the most frequent; None where the store lacks the vocabulary."""
    return _read(store.path(SPEC) / FILE) if store.has(SPEC) else None


@lru_cache(maxsize=2)
def _read(path: Path) -> Mapping[str, int]:
    pieces = msgspec.json.decode(read_file(path), type=_Tokenizer).model.vocab
    words = (piece for piece in sorted(pieces, key=pieces.__getitem__) if len(piece) > 1 and piece.isalpha())
    return MappingProxyType({word: rank for rank, word in enumerate(words, 1)})
