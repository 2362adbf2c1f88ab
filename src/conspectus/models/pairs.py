"""Models in a folder that read two texts at once: an ONNX graph and its tokenizer, run by onnxruntime.

Rerankers read a question and a text so, judges of support a text and a statement. One pair at a time: where activations
are quantised a pair's numbers would depend on its neighbours in a batch.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.disk import read_text
from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.minilm import open_session
from conspectus.models.store import fingerprint

Noun = Literal["reranker", "judge", "image encoder"]
"""What a folder is to be, for messages."""
_KINDS: dict[Noun, str] = {"reranker": "cross-encoder", "judge": "model of entailment", "image encoder": "model"}
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
    """The files of such a model; of `config` and `tokenizer_config`, None where there is none."""

    graph: Path
    tokenizer: Path
    config: Path | None
    tokenizer_config: Path | None

    def all(self) -> list[Path]:
        """Those that decide a score; weights may lie in files of their own beside the graph."""
        others = (self.tokenizer, self.config, self.tokenizer_config)
        weights = sorted(path for path in self.graph.parent.glob(f"{self.graph.name}*") if path.is_file())
        return [*weights, *filter(None, others)]


class PairEncoder:
    """The graph and the tokenizer, loaded.

    Attributes:
        limit: tokens that a pair may have.
        output: the name of what the graph gives.
    """

    def __init__(self, files: Files, session: Any, tokenizer: Any, limit: int, noun: Noun) -> None:
        self.limit = limit
        self._noun = noun
        self._files = files
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = _inputs(session, files.graph, noun)
        outputs = [output.name for output in session.get_outputs()]
        self.output = "logits" if "logits" in outputs else outputs[0]

    @classmethod
    def load(cls, files: Files, noun: Noun) -> PairEncoder:
        """Load them; raises ModelDamagedError."""
        try:
            session = open_session(files.graph)
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise damaged(noun, files.graph, "cannot be loaded by onnxruntime", error) from error
        tokenizer = _tokenizer(files.tokenizer, noun)
        limit = limit_of(read_json(files.config, noun), read_json(files.tokenizer_config, noun))
        tokenizer.enable_truncation(limit, strategy="only_second")
        return cls(files, session, tokenizer, limit, noun)

    def fitting(self, query: str) -> str:
        """The query, cut to half of what the model reads: the other half is the text's."""
        most = self.limit // 2
        if len(query.encode()) <= most:  # a token has a byte at least
            return query
        found = self._plain.encode(query, add_special_tokens=False)
        return query[: found.offsets[most - 1][1]] if len(found.ids) > most else query

    def length(self, text: str) -> int:
        """How many tokens a text has by itself."""
        return len(self._plain.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _plain(self) -> Any:
        return _tokenizer(self._files.tokenizer, self._noun)

    def numbers(self, first: str, second: str) -> npt.NDArray[np.float64]:
        """What the graph gives for a pair; of the second text, what is too long is cut off."""
        graph = self._files.graph
        try:
            pair = self._tokenizer.encode(first, second)
            given = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
            feeds = {name: np.array([given[name]], kind) for name, kind in self._inputs.items()}
            (logits,) = self._session.run([self.output], feeds)
        except Exception as error:
            raise damaged(self._noun, graph, "cannot be run", error) from error
        return np.asarray(logits, np.float64).reshape(-1)


class PairModel:
    """A model in a folder that reads pairs; it is loaded at first use.

    Attributes:
        id: changes whenever what it says would.

    Raises:
        ModelMissingError: the folder, the graph or the tokenizer is not there.
    """

    noun: Noun

    def __init__(self, path: Path) -> None:
        try:
            self._files = find(path, self.noun)
            digest = fingerprint(self._files.all())
        except OSError as error:
            raise missing(self.noun, f"The {self.noun} '{path}' cannot be read: {error.strerror or error}.") from error
        self._lock = threading.Lock()
        self.id = f"onnx:{self._files.tokenizer.parent.resolve().name}/{digest}"

    @cached_property
    def _encoder(self) -> PairEncoder:
        with self._lock:
            return PairEncoder.load(self._files, self.noun)

    def _damaged(self, what: str) -> ModelDamagedError:
        return damaged(self.noun, self._files.graph, what)


def find(path: Path, noun: Noun) -> Files:
    """The files of the model in a folder, or of which `path` is the graph.

    Raises:
        ModelMissingError: one of them is not there; the message says which, and what is.
    """
    if path.suffix == ".onnx" and path.is_file():
        graph, folder = path, path.parent
        if not (folder / "tokenizer.json").is_file() and folder.name == "onnx":
            folder = folder.parent
    elif path.is_dir():
        graph, folder = _graph(path, noun), path
    else:
        raise missing(noun, f"There is no {noun} at '{path}'.")
    places = list(dict.fromkeys((folder, graph.parent)))
    tokenizer = _first(places, "tokenizer.json")
    if tokenizer is None:
        raise missing(noun, f"The {noun} in '{folder}' has no tokenizer.json.")
    return Files(graph, tokenizer, _first(places, "config.json"), _first(places, "tokenizer_config.json"))


def limit_of(config: dict[str, Any], tokenizer_config: dict[str, Any]) -> int:
    """Tokens that a pair may have: what both files allow, 512 where they say nothing."""
    limits = [tokenizer_config.get("model_max_length"), _positions(config)]
    known = [int(one) for one in limits if isinstance(one, int | float) and LEAST_TOKENS <= one <= MOST_TOKENS]
    return min(known, default=USUAL_TOKENS)


def whole(text: str) -> str:
    """A text without halves of characters, which no tokenizer and no service takes."""
    return text.encode(errors="replace").decode()


def missing(noun: Noun, what: str) -> ModelMissingError:
    """A folder without what such a model needs."""
    return ModelMissingError(
        what,
        f"A {noun} is `onnx:FOLDER`, with model.onnx (or onnx/model.onnx, or model_quantized.onnx) and tokenizer.json "
        "as model hubs have them.",
    )


def damaged(noun: Noun, path: Path, what: str, error: Exception | None = None) -> ModelDamagedError:
    """A file that is not what it should be."""
    why = f" ({' '.join(str(error).split())[:200]})" if error else ""
    return ModelDamagedError(
        f"The {noun} '{path}' {what}{why}.",
        f"Take a {_KINDS[noun]} for text pairs, exported whole for sequence classification, or fetch it again.",
    )


def _graph(folder: Path, noun: Noun) -> Path:
    for name in GRAPHS:
        if (folder / name).is_file():
            return folder / name
    others = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    if len(others) == 1:
        return others[0]
    if others:
        names = ", ".join(path.relative_to(folder).as_posix() for path in others[:5])
        raise ModelMissingError(
            f"The {noun} in '{folder}' has several graphs and none is called model.onnx: {names}.",
            f"Name the one to be used: onnx:{others[0]}",
        )
    there = sorted(path.name for path in folder.iterdir())[:5]
    raise missing(noun, f"There is no model.onnx in '{folder}', which has {', '.join(there) or 'nothing'}.")


def _first(places: Sequence[Path], name: str) -> Path | None:
    return next((place / name for place in places if (place / name).is_file()), None)


def _tokenizer(path: Path, noun: Noun) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # the package raises nothing narrower
        raise damaged(noun, path, "is no tokenizer", error) from error
    return tokenizer


def _inputs(session: Any, graph: Path, noun: Noun) -> dict[str, type[Any]]:
    """The inputs of the graph with their types."""
    found = {item.name: TYPES.get(item.type) for item in session.get_inputs()}
    if unknown := sorted(found.keys() - INPUTS):
        raise damaged(noun, graph, f"asks for '{unknown[0]}', which a {_KINDS[noun]} for text pairs does not")
    kinds = {name: kind for name, kind in found.items() if kind}
    if "input_ids" not in kinds or len(kinds) < len(found):
        raise damaged(noun, graph, "does not take tokens as whole numbers in 'input_ids'")
    return kinds


def read_json(path: Path | None, noun: Noun) -> dict[str, Any]:
    """The object in a file; an empty one where there is no file, or something else in it."""
    if path is None:
        return {}
    try:
        found = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(noun, path, "is no JSON", error) from error
    return found if isinstance(found, dict) else {}


def _positions(config: dict[str, Any]) -> int | None:
    """How many positions the model knows for tokens."""
    most, kind, padding = (config.get(name) for name in ("max_position_embeddings", "model_type", "pad_token_id"))
    if not isinstance(most, int):
        return None
    shifted = isinstance(kind, str) and any(name in kind for name in SHIFTED)
    return most - (padding if isinstance(padding, int) else 1) - 1 if shifted else most
