"""A cross-encoder: question and sentence read together by MiniLM, of which three layers were trained further.

The adapter is in `data/pair_reader.npz` (`benchmarks/pair_reader.py` makes it): matrices of low rank that are added to
the weights of the fetched model, and a head. The head sees the first token, the mean of the sentence's tokens, and how
near each token of the question comes to one of the sentence's, all read together. Pairs are read one at a time, so that
a score does not depend on the others.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import replacing
from conspectus.models.minilm import MODEL_FILE, read_tokenizer, to_unit
from conspectus.models.store import MANIFEST

QUESTION, PAIR = 28, 96
"""Tokens of a question, and of a pair, that are read at most."""
STRENGTH = 2.0
"""What the product of two matrices of the adapter is multiplied by."""
LEVELS = 64
"""Steps of a quantised weight on each side of zero: 7 bits, as in `minilm.quantise`."""
QUESTION_TOKEN, SENTENCE_TOKEN = 2, 3
"""In the marks of a pair; 1: the tokens around both."""
Adapter = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class PairReader:
    """A session of the adapted model, its tokenizer, the adapter with the head, and the weights that it uses."""

    session: Any
    tokenizer: Any
    adapter: Adapter
    held: dict[str, Any]

    def score(self, question: str, sentences: Sequence[str]) -> FloatArray:
        """Log odds that each sentence answers the question, as seen from these two alone."""
        question_ids = self._ids(question)[:QUESTION]
        return np.array(
            [self._score(*mark_pair(question_ids, self._ids(sentence))) for sentence in sentences], np.float32
        )

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text.encode(errors="replace").decode(), add_special_tokens=False).ids
        return ids

    def _score(self, ids: Sequence[int], marks: Sequence[int]) -> float:
        states = self.session.run(None, {"input_ids": np.array([ids], np.int64)})[0][0]
        return score_states(states, np.array(marks), self.adapter)


def mark_pair(question: Sequence[int], sentence: Sequence[int]) -> tuple[list[int], list[int]]:
    """The tokens of a pair, and what each is."""
    sentence_ids = sentence[: PAIR - 3 - len(question)]
    ids = [101, *question, 102, *sentence_ids, 102]
    return ids, [1, *[QUESTION_TOKEN] * len(question), 1, *[SENTENCE_TOKEN] * len(sentence_ids), 1]


def score_states(states: FloatArray, marks: npt.NDArray[Any], adapter: Adapter) -> float:
    """What the head makes of the states of a pair's tokens, float32 [tokens, hidden]."""
    sentence_states = states[marks == SENTENCE_TOKEN]
    question_states = states[marks == QUESTION_TOKEN]
    if not len(sentence_states) or not len(question_states):
        return float(adapter["bias"])
    near = float((to_unit(question_states) @ to_unit(sentence_states).T).max(axis=1).mean())
    seen = np.concatenate([states[0], sentence_states.mean(axis=0)])
    return float(seen @ adapter["head"] + adapter["bias"] + adapter["near"] * near)


@lru_cache(maxsize=1)
def read_adapter() -> Adapter:
    """The one that comes with the program."""
    with np.load(io.BytesIO(_adapter_bytes()), allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32) for name in archive.files}


def _adapter_bytes() -> bytes:
    return files("conspectus.models").joinpath("data/pair_reader.npz").read_bytes()


@lru_cache(maxsize=1)
def open_pair_reader(folder: Path) -> PairReader:
    """The reader made from the files of `minilm` in a folder of the model store; a process keeps it."""
    import onnxruntime

    adapter = read_adapter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    initializers = {
        name: onnxruntime.OrtValue.ortvalue_from_numpy(value) for name, value in _read_weights(folder, adapter).items()
    }
    for name, value in initializers.items():
        options.add_initializer(name, value)
    session = onnxruntime.InferenceSession(
        folder / MODEL_FILE, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )
    tokenizer = read_tokenizer(folder)
    tokenizer.no_truncation()
    return PairReader(session, tokenizer, adapter, initializers)


def _read_weights(folder: Path, adapter: Adapter) -> Mapping[str, npt.NDArray[Any]]:
    """The adapted weights, from a file in the model store where an earlier process has put them (5 MB).

    Making them takes 0.6 s of processor time, reading them 0.01 s. A store that cannot be written costs only this.
    """
    model = (folder / MANIFEST).read_bytes()  # with the hashes of its files
    made_of = b"".join((_adapter_bytes(), model, f"{STRENGTH} {LEVELS}".encode()))
    cache = folder.parent / f"pair-reader-{hashlib.blake2b(made_of, digest_size=6).hexdigest()}.npz"
    if (weights := _load_weights(cache, adapter)) is None:
        weights = dict(adapt_weights(folder / MODEL_FILE, adapter))
        with suppress(OSError), replacing(cache) as path, path.open("wb") as file:
            np.savez(file, **weights)  # type: ignore[arg-type]
    return weights


def _load_weights(cache: Path, adapter: Adapter) -> dict[str, npt.NDArray[Any]] | None:
    """What the file has; None where it is not there or is not what was written."""
    try:
        with np.load(io.BytesIO(cache.read_bytes()), allow_pickle=False) as archive:
            weights = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    kinds: dict[str, tuple[tuple[int, ...], type]] = {}
    for name in (key.removesuffix(".down") for key in adapter if key.endswith(".down")):
        rows, columns = len(adapter[f"{name}.down"]), adapter[f"{name}.up"].shape[1]
        kinds[f"{name}.weight.T_quantized"] = (rows, columns), np.int8
        kinds[f"{name}.weight.T_scale"] = (columns,), np.float32
    is_whole = {name: (value.shape, value.dtype.type) for name, value in weights.items()} == kinds
    return weights if is_whole else None


def adapt_weights(path: Path, adapter: Adapter) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    """The constants of the quantised model at `path` that the adapter changes, each with its new value."""
    import onnx
    from onnx import numpy_helper

    constants = {constant.name: constant for constant in onnx.load(path).graph.initializer}
    for name in sorted(key.removesuffix(".down") for key in adapter if key.endswith(".down")):
        quantised, scale = (
            numpy_helper.to_array(constants[f"{name}.weight.T_{part}"]) for part in ("quantized", "scale")
        )
        weight = (STRENGTH * adapter[f"{name}.down"]) @ adapter[f"{name}.up"]
        weight += quantised * scale  # weights are quantised around zero
        step = np.maximum(np.maximum(weight.max(axis=0), -weight.min(axis=0)) / LEVELS, 1e-12).astype(np.float32)
        weight /= step
        yield f"{name}.weight.T_quantized", np.rint(weight, out=weight).astype(np.int8)
        yield f"{name}.weight.T_scale", step
