"""Cross-encoders in a folder: an ONNX graph and its tokenizer, run by onnxruntime on the processor.

One pair at a time, in parallel threads. A batch is no faster here (6 layers of 384, 8 bits, pairs of 330 tokens: 13.8
pairs a CPU-second so, 11.4 in batches of 8 of like length, 5.9 in batches of 32), and where activations are quantised a
pair's score would depend on its neighbours (by 0.005 of a logit).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from conspectus.disk import read_text
from conspectus.errors import ModelDamagedError, ModelMissingError
from conspectus.models.fingerprint import fingerprint
from conspectus.models.minilm import open_session
from conspectus.models.protocol import FloatArray

GRAPHS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
"""Where the graph is looked for, in this order; else the only other `.onnx` file in these places."""
INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
USUAL_TOKENS = 512
"""What a model reads where its folder does not say."""
LEAST_TOKENS, MOST_TOKENS = 16, 100_000
"""Limits beyond these are no limits: some tokenizers say 10^30."""
SHIFTED = ("roberta", "camembert", "mpnet", "longformer")
"""Kinds of model whose positions begin behind that of the padding."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a cross-encoder; of `config` and `tokenizer_config`, None where there is none."""

    graph: Path
    tokenizer: Path
    config: Path | None
    tokenizer_config: Path | None

    def all(self) -> list[Path]:
        """Those that decide a score; weights may lie in files of their own beside the graph."""
        others = (self.tokenizer, self.config, self.tokenizer_config)
        weights = sorted(path for path in self.graph.parent.glob(f"{self.graph.name}*") if path.is_file())
        return [*weights, *filter(None, others)]


class OnnxReranker:
    """See `Reranker`. Scores are logits: of one output as it is, of two the second less the first.

    Args:
        path: the folder, or the graph in it where there are several.
        threads: that compute; 0: as many as there are processors.

    Raises:
        ModelMissingError: the folder, the graph or the tokenizer is not there.
    """

    def __init__(self, path: Path, threads: int = 0) -> None:
        try:
            self._files = find(path)
            digest = fingerprint(self._files.all())
        except OSError as error:
            raise missing(f"The reranker '{path}' cannot be read: {error.strerror or error}.") from error
        self._threads = threads or os.cpu_count() or 1
        self._lock = threading.Lock()
        self.id = f"onnx:{self._files.tokenizer.parent.resolve().name}/{digest}"

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:  # noqa: ARG002
        """See `Reranker`."""
        if not texts:
            return np.empty(0, np.float32)
        encoder = self._encoder
        question = encoder.fitting(whole(query))

        def one(text: str) -> float:
            return encoder.score(question, whole(text))

        if len(texts) == 1 or self._threads == 1:
            return np.array([one(text) for text in texts], np.float32)
        with ThreadPoolExecutor(self._threads, "rerank") as pool:
            return np.array(list(pool.map(one, texts)), np.float32)

    @cached_property
    def _encoder(self) -> _Encoder:
        with self._lock:
            return _Encoder.load(self._files)


class _Encoder:
    """The graph and the tokenizer, loaded.

    Attributes:
        limit: tokens that a pair may have.
    """

    def __init__(self, files: Files, session: Any, tokenizer: Any, limit: int) -> None:
        self.limit = limit
        self._files = files
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = _inputs(session, files.graph)
        outputs = [output.name for output in session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]

    @classmethod
    def load(cls, files: Files) -> _Encoder:
        """Load them; raises ModelDamagedError."""
        try:
            session = open_session(files.graph)
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise damaged(files.graph, "cannot be loaded by onnxruntime", error) from error
        tokenizer = _tokenizer(files.tokenizer)
        limit = limit_of(_read(files.config), _read(files.tokenizer_config))
        tokenizer.enable_truncation(limit, strategy="only_second")
        return cls(files, session, tokenizer, limit)

    def fitting(self, query: str) -> str:
        """The query, cut to half of what the model reads: the other half is the text's."""
        most = self.limit // 2
        if len(query.encode()) <= most:  # a token has a byte at least
            return query
        found = _tokenizer(self._files.tokenizer).encode(query, add_special_tokens=False)
        return query[: found.offsets[most - 1][1]] if len(found.ids) > most else query

    def score(self, query: str, text: str) -> float:
        """How much the text bears on the query."""
        graph = self._files.graph
        try:
            pair = self._tokenizer.encode(query, text)
            given = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
            feeds = {name: np.array([given[name]], kind) for name, kind in self._inputs.items()}
            (logits,) = self._session.run([self._output], feeds)
        except Exception as error:
            raise damaged(graph, "cannot be run", error) from error
        values = np.asarray(logits, np.float64).reshape(-1)
        if len(values) not in (1, 2):
            raise damaged(graph, f"gives {len(values)} numbers for a pair, where a reranker gives one or two")
        score = float(values[0] if len(values) == 1 else values[1] - values[0])
        if not np.isfinite(score):
            raise damaged(graph, f"gives {score} for a pair")
        return score


def find(path: Path) -> Files:
    """The files of the cross-encoder in a folder, or of which `path` is the graph.

    Raises:
        ModelMissingError: one of them is not there; the message says which, and what is.
    """
    if path.suffix == ".onnx" and path.is_file():
        graph, folder = path, path.parent
        if not (folder / "tokenizer.json").is_file() and folder.name == "onnx":
            folder = folder.parent
    elif path.is_dir():
        graph, folder = _graph(path), path
    else:
        raise missing(f"There is no reranker at '{path}'.")
    places = list(dict.fromkeys((folder, graph.parent)))
    tokenizer = _first(places, "tokenizer.json")
    if tokenizer is None:
        raise missing(f"The reranker in '{folder}' has no tokenizer.json.")
    return Files(graph, tokenizer, _first(places, "config.json"), _first(places, "tokenizer_config.json"))


def limit_of(config: dict[str, Any], tokenizer_config: dict[str, Any]) -> int:
    """Tokens that a pair may have: what both files allow, 512 where they say nothing."""
    limits = [tokenizer_config.get("model_max_length"), _positions(config)]
    known = [int(one) for one in limits if isinstance(one, int | float) and LEAST_TOKENS <= one <= MOST_TOKENS]
    return min(known, default=USUAL_TOKENS)


def whole(text: str) -> str:
    """A text without halves of characters, which no tokenizer and no service takes."""
    return text.encode(errors="replace").decode()


def missing(what: str) -> ModelMissingError:
    """A folder without what a reranker needs."""
    return ModelMissingError(
        what,
        "It is `onnx:FOLDER`, with model.onnx (or onnx/model.onnx, or model_quantized.onnx) and tokenizer.json as "
        "model hubs have them.",
    )


def damaged(path: Path, what: str, error: Exception | None = None) -> ModelDamagedError:
    """A file that is not what it should be."""
    why = f" ({' '.join(str(error).split())[:200]})" if error else ""
    return ModelDamagedError(
        f"The reranker '{path}' {what}{why}.",
        "Take a cross-encoder for text pairs, exported whole for sequence classification, or fetch it again.",
    )


def _graph(folder: Path) -> Path:
    for name in GRAPHS:
        if (folder / name).is_file():
            return folder / name
    others = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(others) == 1:
        return others[0]
    if others:
        names = ", ".join(path.relative_to(folder).as_posix() for path in others[:5])
        raise ModelMissingError(
            f"The reranker in '{folder}' has several graphs and none is called model.onnx: {names}.",
            f"Name the one to be used: onnx:{others[0]}",
        )
    there = sorted(path.name for path in folder.iterdir())[:5]
    raise missing(f"There is no model.onnx in '{folder}', which has {', '.join(there) or 'nothing'}.")


def _first(places: Sequence[Path], name: str) -> Path | None:
    return next((place / name for place in places if (place / name).is_file()), None)


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # the package raises nothing narrower
        raise damaged(path, "is no tokenizer", error) from error
    return tokenizer


def _inputs(session: Any, graph: Path) -> dict[str, type[Any]]:
    """The inputs of the graph with their types."""
    found = {item.name: TYPES.get(item.type) for item in session.get_inputs()}
    if unknown := sorted(found.keys() - INPUTS):
        raise damaged(graph, f"asks for '{unknown[0]}', which a cross-encoder for text pairs does not")
    kinds = {name: kind for name, kind in found.items() if kind}
    if "input_ids" not in kinds or len(kinds) < len(found):
        raise damaged(graph, "does not take tokens as whole numbers in 'input_ids'")
    return kinds


def _read(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, "is no JSON", error) from error
    return found if isinstance(found, dict) else {}


def _positions(config: dict[str, Any]) -> int | None:
    """How many positions the model knows for tokens."""
    most, kind, padding = (config.get(name) for name in ("max_position_embeddings", "model_type", "pad_token_id"))
    if not isinstance(most, int):
        return None
    shifted = isinstance(kind, str) and any(name in kind for name in SHIFTED)
    return most - (padding if isinstance(padding, int) else 1) - 1 if shifted else most
