"""CLIP models of the package sentence-transformers, from the hub or a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import possible_path
from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.pairs import whole
from conspectus.models.rerankers.sentence_transformers import check_installed

if TYPE_CHECKING:
    from PIL.Image import Image

BATCH = 16


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
        while batch := [one.convert("RGB") for one in islice(waiting, BATCH)]:
            yield from self._encoded(batch)

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`."""
        found: FloatArray = self._encoded([whole(words)])[0]
        return found

    def _encoded(self, what: list[Any]) -> FloatArray:
        with self._lock:  # one model, and torch has its own threads
            model = self._model
            try:
                found = np.asarray(model.encode(what, show_progress_bar=False, convert_to_numpy=True), np.float32)
            except Exception as error:  # torch's, transformers' and its processors'
                raise self._damaged(f"cannot be run ({_said(error)})") from error
        if found.ndim != 2 or len(found) != len(what) or not np.isfinite(found).all():
            raise self._damaged(f"gives numbers of shape {found.shape} for {len(what)}, or some that are none")
        return found

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SentenceTransformer

        folder = possible_path(self._name)
        try:
            return SentenceTransformer(str(folder) if folder.is_dir() else self._name)
        except Exception as error:  # a name that is not there, no network, a folder of another kind
            raise ModelMissingError(
                f"The image encoder '{self.id}' cannot be loaded ({_said(error)}).",
                "Check its name, which is one of the hub or a folder, and the network.",
            ) from error

    def _damaged(self, what: str) -> ModelDamagedError:
        return ModelDamagedError(f"The image encoder '{self.id}' {what}.", "Take a CLIP model.")


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
