"""Static vectors: each word has one vector, whatever stands next to it, so a text takes a tenth of a millisecond.

They are made of MiniLM as model2vec makes its own (Tulkens and van Dongen 2024): each token of the vocabulary is passed
through the model alone, and what all of them share is taken out. Rare tokens count more (by their rank, as Zipf's law
has it). That is done once, and kept in the model store.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import replacing
from conspectus.core.errors import ModelMissingError, describe_os_error
from conspectus.core.job_context import emit
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import Embedding
from conspectus.records.events import Progress

STATIC = "static/all-MiniLM-L6-v2/1"
"""The id of the embedder."""
DIMENSIONS = 384
SHARED = 8
"""So many principal directions of the tokens are taken out. Of SciFact's nDCG@10 by vectors alone they are 0.08 (4 and
16 are as good within 0.02), leaving out function words is 0.03."""
WORDS = 50_000
"""Vectors of so many words are in memory, 77 MB; then they are looked up again."""
_WORD = re.compile(r"[^\W_]+")
_SHOWN = 1000


class StaticEmbedder:
    """See `Embedder`. Loads at first use; safe to use from several threads.

    Args:
        folder: of MiniLM in the model store.
        cache: of the vectors of its tokens; made at first use, in about half a minute.
        threads: that make them.
    """

    id = STATIC
    dimensions = DIMENSIONS
    language = "English"

    def __init__(self, folder: Path, cache: Path, threads: int = 0) -> None:
        self._folder, self._cache, self._threads = folder, cache, threads
        self._lock = threading.Lock()
        self._rows: dict[str, int] = {}
        self._vectors = np.zeros((WORDS, DIMENSIONS), np.float32)

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The embeddings of `texts`, in their order."""
        return map(self.embed_query, texts)

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question; like any other text's."""
        words = [word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS][:WORDS]
        with self._lock:
            total = self._sum(words)
        norm = float(np.linalg.norm(total))
        if norm < 1e-6:  # of no word; a vector has a direction all the same
            total, norm = np.ones(DIMENSIONS, np.float32), DIMENSIONS**0.5
        return Embedding(np.asarray(total / norm, np.float32))

    def _sum(self, words: list[str]) -> FloatArray:
        if new := [word for word in words if word not in self._rows]:
            if len(self._rows) + len(words) > WORDS:
                self._rows, new = {}, words
            for word in dict.fromkeys(new):
                self._vectors[len(self._rows)] = self._vector(word)
                self._rows[word] = len(self._rows)
        return np.asarray(self._vectors[[self._rows[word] for word in words]].sum(axis=0), np.float32)

    def _vector(self, word: str) -> FloatArray:
        tokenizer, tokens = self._loaded
        pieces = tokenizer.encode(word.encode(errors="replace").decode(), add_special_tokens=False).ids
        return np.asarray(tokens[pieces].sum(axis=0), np.float32)

    @cached_property
    def _loaded(self) -> tuple[Any, FloatArray]:
        """The tokenizer, and the weighted vectors of its tokens, float32 [tokens, DIMENSIONS]."""
        from conspectus.models.minilm import read_tokenizer

        tokenizer = read_tokenizer(self._folder)
        tokenizer.no_truncation()
        return tokenizer, _read_tokens(self._folder, self._cache, tokenizer.get_vocab_size(), self._threads)


def _read_tokens(folder: Path, cache: Path, count: int, threads: int) -> FloatArray:
    """The weighted vectors of tokens; made where they are not kept, or what is kept cannot be used.

    Raises:
        ModelMissingError: they cannot be kept.
    """
    if (vectors := _load(cache, count)) is not None:
        return vectors
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(cache.with_name(f".{cache.name}.lock")):
            if (vectors := _load(cache, count)) is not None:  # another process has made them meanwhile
                return vectors
            new_vectors = distil(folder, count, threads).astype(np.float16)
            with replacing(cache) as path, path.open("wb") as file:
                np.save(file, new_vectors)
    except OSError as error:
        raise ModelMissingError(
            f"The model store '{cache.parent}' cannot be written: {describe_os_error(error)}.",
            "Set another folder: CONSPECTUS_MODELS_STORE=FOLDER",
        ) from error
    return new_vectors.astype(np.float32)


def _load(cache: Path, count: int) -> FloatArray | None:
    """What is kept; None where it cannot be used."""
    try:
        vectors = np.load(cache, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    if not isinstance(vectors, np.ndarray):
        return None
    is_whole = vectors.shape == (count, DIMENSIONS) and vectors.dtype == np.float16 and bool(np.isfinite(vectors).all())
    return vectors.astype(np.float32) if is_whole else None


def distil(folder: Path, count: int, threads: int = 0) -> FloatArray:
    """The weighted vectors of MiniLM's tokens, float32 [tokens, DIMENSIONS]."""
    from conspectus.models.minilm import MODEL_FILE, open_session, read_tokenizer

    session, tokenizer = open_session(folder / MODEL_FILE), read_tokenizer(folder)
    first, last = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))

    def state(token: int) -> FloatArray:
        states: FloatArray = session.run(None, {"input_ids": np.array([[first, token, last]], np.int64)})[0][0]
        return np.asarray(states.mean(axis=0), np.float32)

    vectors = np.empty((count, DIMENSIONS), np.float32)
    with ThreadPoolExecutor(threads or None, "distil") as pool:
        try:
            for token, vector in enumerate(pool.map(state, range(count))):
                vectors[token] = vector
                if not token % _SHOWN:
                    emit(Progress("making static vectors", token, count, "tokens"))
        except BaseException:  # whoever stops does not wait for all others
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return weigh(vectors)


def weigh(vectors: FloatArray) -> FloatArray:
    """Vectors of tokens, in the order of how frequent they are, without what most share, and weighed by their ranks."""
    centred = vectors - vectors.mean(axis=0)
    shared = np.linalg.eigh(centred.T @ centred)[1][:, -SHARED:]
    weights = np.log1p(np.arange(len(centred)))[:, None]
    return np.asarray((centred - (centred @ shared) @ shared.T) * weights, np.float32)
