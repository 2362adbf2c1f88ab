"""Cross-encoders and CLIP models of the package sentence-transformers, from the hub or a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import possible_path
from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.pairs import replace_surrogates

if TYPE_CHECKING:
    from PIL.Image import Image

PAIR_BATCH = 32
REMEDY = "Install it: pip install 'conspectus[sentence-transformers]'"


class SentenceTransformersReranker:
    """See `Reranker`. Scores are as the model gives them, 0..1 or logits; of two the second less the first.

    Args:
        name: of a model on the hub, or its folder. It is loaded, and fetched where it is not there, at first use.

    Raises:
        ModelMissingError: the package is not installed.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        check_installed()

    @property
    def id(self) -> str:
        """The name, and the revision that the hub gave where it is known."""
        with self._lock:
            config = getattr(getattr(self._model, "model", None), "config", None)
        revision = getattr(config, "_commit_hash", None)
        return f"sentence-transformers:{self._name}" + (f"@{revision[:12]}" if isinstance(revision, str) else "")

    def scores(self, query: str, texts: Sequence[str], papers: Sequence[str] = ()) -> FloatArray:  # noqa: ARG002
        """See `Reranker`. The package cuts long texts and puts texts of like length together."""
        if not texts:
            return np.empty(0, np.float32)
        question = replace_surrogates(query)
        pairs = [(question, replace_surrogates(text)) for text in texts]
        with self._lock:  # one model, and torch has its own threads
            model = self._model
            try:
                raw = model.predict(pairs, batch_size=PAIR_BATCH, show_progress_bar=False, convert_to_numpy=True)
            except Exception as error:  # torch's, transformers' and its tokenizers'
                raise self._make_damaged_error(f"cannot be run ({_describe_error(error)})") from error
        scores = np.asarray(raw, np.float32)
        if scores.ndim == 2 and scores.shape[1] in (1, 2):
            scores = scores[:, -1] - (scores[:, 0] if scores.shape[1] == 2 else 0)
        if scores.shape != (len(texts),) or not np.isfinite(scores).all():
            raise self._make_damaged_error(
                f"gives numbers of shape {scores.shape} for {len(texts)} pairs, or some that are none"
            )
        return np.asarray(scores, np.float32)

    @cached_property
    def _model(self) -> Any:
        check_installed()
        from sentence_transformers import CrossEncoder

        folder = possible_path(self._name)
        try:
            return CrossEncoder(str(folder) if folder.is_dir() else self._name)
        except Exception as error:  # a name that is not there, no network, a folder of another kind
            raise ModelMissingError(
                f"The reranker 'sentence-transformers:{self._name}' cannot be loaded ({_describe_error(error)}).",
                "Check its name, which is one of the hub or a folder, and the network.",
            ) from error

    def _make_damaged_error(self, what: str) -> ModelDamagedError:
        return ModelDamagedError(
            f"The reranker 'sentence-transformers:{self._name}' {what}.",
            "Take a cross-encoder that is made for re-ranking, with one score for a pair.",
        )


def check_installed() -> None:
    """Does nothing where the package is there.

    Raises:
        ModelMissingError: it is not.
    """
    import importlib.util

    if importlib.util.find_spec("sentence_transformers") is None:
        raise ModelMissingError(
            "Cross-encoders by name need sentence-transformers, which is not installed.",
            f"{REMEDY}. Without it: onnx:FOLDER.",
        )


PICTURE_BATCH = 16


class SentenceTransformersEncoder:
    """See `Encoder`: pictures and texts, such as `clip-ViT-B-32`.

    Args:
        name: of a model on the hub, or its folder. It is loaded, and fetched where it is not there, at first use.

    Raises:
        ModelMissingError: the package is not installed; when it is used: there is no such model.
        ModelDamagedError: when it is used: the model takes no pictures.
    """

    takes: frozenset[Literal["image", "text"]] = frozenset({"image", "text"})

    def __init__(self, name: str) -> None:
        self._name, self._lock = name, threading.Lock()
        check_installed()
        self.id = f"sentence-transformers:{name}"

    @cached_property
    def dimensions(self) -> int:
        """See `Encoder.dimensions`."""
        return len(self.text("a picture"))

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """See `Encoder.images`."""
        waiting = iter(pictures)
        while batch := [picture.convert("RGB") for picture in islice(waiting, PICTURE_BATCH)]:
            yield from self._encode_inputs(batch)

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`."""
        vector: FloatArray = self._encode_inputs([replace_surrogates(words)])[0]
        return vector

    def _encode_inputs(self, what: list[Any]) -> FloatArray:
        with self._lock:  # one model, and torch has its own threads
            model = self._model
            try:
                vectors = np.asarray(model.encode(what, show_progress_bar=False, convert_to_numpy=True), np.float32)
            except Exception as error:  # torch's, transformers' and its processors'
                raise self._make_damaged_error(f"cannot be run ({_describe_error(error)})") from error
        if vectors.ndim != 2 or len(vectors) != len(what) or not np.isfinite(vectors).all():
            raise self._make_damaged_error(
                f"gives numbers of shape {vectors.shape} for {len(what)}, or some that are none"
            )
        return vectors

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        folder = possible_path(self._name)
        try:
            return SentenceTransformer(str(folder) if folder.is_dir() else self._name)
        except Exception as error:  # a name that is not there, no network, a folder of another kind
            raise ModelMissingError(
                f"The image encoder '{self.id}' cannot be loaded ({_describe_error(error)}).",
                "Check its name, which is one of the hub or a folder, and the network.",
            ) from error

    def _make_damaged_error(self, what: str) -> ModelDamagedError:
        return ModelDamagedError(f"The image encoder '{self.id}' {what}.", "Take a CLIP model.")


def _describe_error(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
