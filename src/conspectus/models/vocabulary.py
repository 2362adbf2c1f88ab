"""The words of everyday English, as the vocabulary of the default embedder has them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from conspectus.core.disk import read_file
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
    from conspectus.models.minilm import SPEC

    return _read(store.path(SPEC) / FILE) if store.has(SPEC) else None


@lru_cache(maxsize=2)
def _read(path: Path) -> frozenset[str]:
    pieces = msgspec.json.decode(read_file(path), type=_Tokenizer).model.vocab
    return frozenset(piece for piece in pieces if len(piece) > 1 and piece.isalpha())
