"""Models in a folder that read two texts at once: an ONNX graph and its tokenizer, run by onnxruntime.

Rerankers read a question and a text so, models of entailment a text and a statement. One pair at a time: if activations
are quantised, a pair's numbers would depend on its neighbours in a batch. A batch is no faster either (6 layers of 384,
8 bits, pairs of 330 tokens: 13.8 pairs a CPU-second so, 11.4 in batches of 8 of like length, 5.9 in batches of 32).
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import read_text
from conspectus.core.errors import ModelDamagedError, ModelMissingError, describe_os_error
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
            raise damaged_error(noun, files.graph, "cannot be loaded by onnxruntime", error) from error
        tokenizer = _tokenizer(files.tokenizer, noun)
        limit = limit_of(read_json(files.config, noun), read_json(files.tokenizer_config, noun))
        tokenizer.enable_truncation(limit, strategy="only_second")
        return cls(files, session, tokenizer, limit, noun)

    def cut_query(self, query: str) -> str:
        """The query, cut to half of what the model reads: the other half is the text's."""
        most = self.limit // 2
        if len(query.encode()) <= most:  # a token has a byte at least
            return query
        encoding = self._plain.encode(query, add_special_tokens=False)
        return query[: encoding.offsets[most - 1][1]] if len(encoding.ids) > most else query

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
            features = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
            feeds = {name: np.array([features[name]], kind) for name, kind in self._inputs.items()}
            (logits,) = self._session.run([self.output], feeds)
        except Exception as error:
            raise damaged_error(self._noun, graph, "cannot be run", error) from error
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
            self._files = find_files(path, self.noun)
            digest = fingerprint(self._files.all())
        except OSError as error:
            raise missing_error(
                self.noun, f"The {self.noun} '{path}' cannot be read: {describe_os_error(error)}."
            ) from error
        self._lock = threading.Lock()
        self.id = f"onnx:{self._files.tokenizer.parent.resolve().name}/{digest}"

    @cached_property
    def _encoder(self) -> PairEncoder:
        with self._lock:
            return PairEncoder.load(self._files, self.noun)

    def _make_damaged_error(self, what: str) -> ModelDamagedError:
        return damaged_error(self.noun, self._files.graph, what)


def find_files(path: Path, noun: Noun) -> Files:
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
        raise missing_error(noun, f"There is no {noun} at '{path}'.")
    places = list(dict.fromkeys((folder, graph.parent)))
    tokenizer = _find_existing(places, "tokenizer.json")
    if tokenizer is None:
        raise missing_error(noun, f"The {noun} in '{folder}' has no tokenizer.json.")
    return Files(
        graph, tokenizer, _find_existing(places, "config.json"), _find_existing(places, "tokenizer_config.json")
    )


def limit_of(config: dict[str, Any], tokenizer_config: dict[str, Any]) -> int:
    """Tokens that a pair may have: what both files allow, 512 where they say nothing."""
    limits = [tokenizer_config.get("model_max_length"), _positions(config)]
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and LEAST_TOKENS <= limit <= MOST_TOKENS]
    return min(known, default=USUAL_TOKENS)


def replace_surrogates(text: str) -> str:
    """A text without halves of characters, which no tokenizer and no service takes."""
    return text.encode(errors="replace").decode()


def missing_error(noun: Noun, what: str) -> ModelMissingError:
    """A folder without what such a model needs."""
    return ModelMissingError(
        what,
        f"A {noun} is `onnx:FOLDER`, with model.onnx (or onnx/model.onnx, or model_quantized.onnx) and tokenizer.json "
        "as model hubs have them.",
    )


def damaged_error(noun: Noun, path: Path, what: str, error: Exception | None = None) -> ModelDamagedError:
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
    raise missing_error(noun, f"There is no model.onnx in '{folder}', which has {', '.join(there) or 'nothing'}.")


def _find_existing(places: Sequence[Path], name: str) -> Path | None:
    return next((place / name for place in places if (place / name).is_file()), None)


def _tokenizer(path: Path, noun: Noun) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.no_truncation()
    except Exception as error:  # the package raises nothing narrower
        raise damaged_error(noun, path, "is no tokenizer", error) from error
    return tokenizer


def _inputs(session: Any, graph: Path, noun: Noun) -> dict[str, type[Any]]:
    """The inputs of the graph with their types."""
    kind_by_name = {item.name: TYPES.get(item.type) for item in session.get_inputs()}
    if unknown := sorted(kind_by_name.keys() - INPUTS):
        raise damaged_error(noun, graph, f"asks for '{unknown[0]}', which a {_KINDS[noun]} for text pairs does not")
    kinds = {name: kind for name, kind in kind_by_name.items() if kind}
    if "input_ids" not in kinds or len(kinds) < len(kind_by_name):
        raise damaged_error(noun, graph, "does not take tokens as whole numbers in 'input_ids'")
    return kinds


def read_json(path: Path | None, noun: Noun) -> dict[str, Any]:
    """The object in a file; an empty one where there is no file, or something else in it."""
    if path is None:
        return {}
    try:
        content = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged_error(noun, path, "is no JSON", error) from error
    return content if isinstance(content, dict) else {}


def _positions(config: dict[str, Any]) -> int | None:
    """How many positions the model knows for tokens."""
    most, kind, padding = (config.get(name) for name in ("max_position_embeddings", "model_type", "pad_token_id"))
    if not isinstance(most, int):
        return None
    shifted = isinstance(kind, str) and any(name in kind for name in SHIFTED)
    return most - (padding if isinstance(padding, int) else 1) - 1 if shifted else most


class OnnxReranker(PairModel):
    """See `Reranker` and `PairModel`. Scores are logits: of one output as it is, of two the second less the first.

    Args:
        path: the folder, or the graph in it where there are several.
        threads: that compute; 0: as many as there are processors.
    """

    noun = "reranker"

    def __init__(self, path: Path, threads: int = 0) -> None:
        super().__init__(path)
        self._threads = threads or os.cpu_count() or 1

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:  # noqa: ARG002
        """See `Reranker`."""
        if not texts:
            return np.empty(0, np.float32)
        encoder = self._encoder
        question = encoder.cut_query(replace_surrogates(query))

        def score(text: str) -> float:
            return self._score(encoder, question, replace_surrogates(text))

        if len(texts) == 1 or self._threads == 1:
            return np.array([score(text) for text in texts], np.float32)
        with ThreadPoolExecutor(self._threads, "rerank") as pool:
            return np.array(list(pool.map(score, texts)), np.float32)

    def _score(self, encoder: PairEncoder, question: str, text: str) -> float:
        values = encoder.numbers(question, text)
        if len(values) not in (1, 2):
            raise self._make_damaged_error(f"gives {len(values)} numbers for a pair, where a reranker gives one or two")
        score = float(values[0] if len(values) == 1 else values[1] - values[0])
        if not np.isfinite(score):
            raise self._make_damaged_error(f"gives {score} for a pair")
        return score


_ENTAILS = ("entail", "support", "consistent")
_NOT = ("not", "non", "un", "in")
_CONTRADICTS = ("contradict", "refut")


@dataclass(frozen=True, slots=True)
class Entailed:
    """How probable it is that a text supports a statement, and that it contradicts it (0 where no kind says so)."""

    support: float
    contradiction: float = 0.0


class OnnxEntailment(PairModel):
    """See the module, and `PairModel`."""

    noun = "judge"

    def try_out(self) -> None:
        """Read one pair: what is wrong with the folder is told before anything else is paid for. Raises as `of`."""
        self.of("A test.", "A test.")

    def of(self, text: str, statement: str) -> Entailed:
        """Whether `text` supports `statement`.

        A long text is read in windows at its words, half over each other: the one that supports most decides, and of a
        contradiction the one that contradicts most.

        Raises:
            ModelDamagedError: the graph cannot be run, or is none of entailment.
        """
        encoder = self._encoder
        claim = encoder.cut_query(replace_surrogates(statement))
        entailments = [
            self._read(encoder.numbers(part, claim)) for part in self._windows(replace_surrogates(text), claim)
        ]
        return Entailed(
            max(entailment.support for entailment in entailments),
            max(entailment.contradiction for entailment in entailments),
        )

    def _windows(self, text: str, claim: str) -> list[str]:
        encoder = self._encoder
        room = encoder.limit - encoder.length(claim) - _SPECIAL
        if encoder.length(text) <= room:
            return [text]
        words = [word[at : at + room] for word in text.split() for at in range(0, len(word), room)]
        many = max(1, len(words) * room // (encoder.length(text) + 1))
        while many > 1 and any(encoder.length(part) > room for part in _cut(words, many)):
            many = many * 4 // 5
        return _cut(words, many)

    def _read(self, values: npt.NDArray[np.float64]) -> Entailed:
        if not len(values) or not np.isfinite(values).all():
            raise self._make_damaged_error(f"gives {values.tolist()} for a pair")
        entails, contradicts = self._places(len(values))
        if len(values) == 1:
            support = float(values[0]) if self._are_probabilities else 1 / (1 + np.exp(-np.clip(values[0], -500, 500)))
            return Entailed(float(support))
        shares = values if self._are_probabilities else np.exp(values - values.max())
        shares = shares / shares.sum()
        return Entailed(float(shares[entails]), float(shares[contradicts]) if contradicts is not None else 0.0)

    def _places(self, count: int) -> tuple[int, int | None]:
        """Which number means support, and which contradiction.

        Raises:
            ModelDamagedError: config.json does not say it, and the shape does not either.
        """
        if count == 1:
            return 0, None
        labels = self._labels
        support_places = [n for n, label in labels.items() if _means_support(label) and n < count]
        against = next((n for n, label in labels.items() if any(w in label for w in _CONTRADICTS) and n < count), None)
        if len(support_places) == 1:
            return support_places[0], against
        if count == 2 and not support_places:
            return 1, None
        raise self._make_damaged_error(f"gives {count} numbers, and id2label in config.json does not name entailment")

    @cached_property
    def _labels(self) -> Mapping[int, str]:
        label_table: Any = read_json(self._files.config, self.noun).get("id2label")
        if not isinstance(label_table, dict):
            return {}
        return {int(key): str(label).lower() for key, label in label_table.items() if str(key).isdecimal()}

    @property
    def _are_probabilities(self) -> bool:
        return "prob" in self._encoder.output.lower()


_SPECIAL = 4
"""Tokens that join two texts, at most."""


def _means_support(label: str) -> bool:
    """`entailment`, `supported`; not `not_entailment`, `unsupported`, `inconsistent`."""
    plain = label.replace("-", "_")
    for word in _ENTAILS:
        before, hit, _ = plain.partition(word)
        if hit and not before.rstrip("_").endswith(_NOT):
            return True
    return False


def _cut(words: list[str], many: int) -> list[str]:
    step = max(1, many // 2)
    last = max(len(words) - many, 0)
    starts = [*range(0, last, step), last]
    return [" ".join(words[start : start + many]) for start in starts]
