"""Image encoders in a folder as model hubs have them: CLIP and SigLIP, which take texts too, DINO and others.

What is done to a picture says `preprocessor_config.json`; what is the vector the graph's outputs: `image_embeds`, else
`pooler_output`, else the first token of `last_hidden_state`, else the only output.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.encoders.preprocessing import Preprocessing
from conspectus.models.minilm import open_session
from conspectus.models.pairs import TYPES, limit_of, read_json, whole
from conspectus.models.store import fingerprint

if TYPE_CHECKING:
    from PIL.Image import Image

BATCH = 8
_VISION = ("vision_model.onnx", "onnx/vision_model.onnx", "model.onnx", "onnx/model.onnx")
_TEXT = ("text_model.onnx", "onnx/text_model.onnx")
_VECTORS = {"image": ("image_embeds", "pooler_output"), "text": ("text_embeds", "pooler_output")}
_PIXELS, _TOKENS, _SIGLIP = "pixel_values", "input_ids", 64
"""SigLIP was trained with texts of 64 tokens, filled up with others that mean nothing."""
Kind = Literal["image", "text"]


class OnnxEncoder:
    """See `Encoder`; it is loaded at first use, and safe to use from several threads.

    Args:
        folder: has `preprocessor_config.json`, and `vision_model.onnx` or `model.onnx`, there or in `onnx/`; for texts
            `tokenizer.json`, and `text_model.onnx` or a `model.onnx` that takes both.

    Raises:
        ModelMissingError: a file is not there.
        ModelDamagedError: when it is used: a file is not what it should be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._vision = _first(folder, _VISION)
        self._preprocessor = _first(folder, ("preprocessor_config.json",))
        self._text = next((folder / name for name in _TEXT if (folder / name).is_file()), self._vision)
        others = (folder / name for name in ("tokenizer.json", "config.json", "tokenizer_config.json"))
        files = [*dict.fromkeys((self._vision, self._text)), self._preprocessor, *filter(Path.is_file, others)]
        self.id = f"onnx:{folder.resolve().name}/{fingerprint(files)}"

    @cached_property
    def takes(self) -> frozenset[Kind]:
        """See `Encoder.takes`."""
        graph = self._graphs[self._text]
        both = _TOKENS in graph.inputs and (self._folder / "tokenizer.json").is_file()
        return frozenset({"image", "text"} if both else {"image"})

    @cached_property
    def dimensions(self) -> int:
        """See `Encoder.dimensions`."""
        from PIL import Image as pillow

        return len(next(self.images([pillow.new("RGB", (8, 8))])))

    def images(self, pictures: Iterable[Image]) -> Iterator[FloatArray]:
        """See `Encoder.images`."""
        graph, waiting = self._graphs[self._vision], iter(pictures)
        while batch := [self._preprocessing.pixels(one) for one in islice(waiting, graph.batch)]:
            yield from graph.vectors("image", {_PIXELS: np.stack(batch)})

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`."""
        encoding = self._tokenizer.encode(whole(words))
        ids, mask = np.array([encoding.ids], np.int64), np.array([encoding.attention_mask], np.int64)
        given = {_TOKENS: ids, "attention_mask": mask}
        found: FloatArray = self._graphs[self._text].vectors("text", given)[0]
        return found

    @cached_property
    def _graphs(self) -> Mapping[Path, _Graph]:
        with self._lock:
            return {path: _Graph(path, self._preprocessing) for path in {self._vision, self._text}}

    @cached_property
    def _preprocessing(self) -> Preprocessing:
        said = read_json(self._preprocessor, "image encoder")
        try:
            return Preprocessing.of(said)
        except (TypeError, ValueError, LookupError) as error:
            raise _damaged(self._preprocessor, f"does not say how pictures are prepared ({error})") from error

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        config = read_json(_there(self._folder / "config.json"), "image encoder")
        said = read_json(_there(self._folder / "tokenizer_config.json"), "image encoder")
        own = config.get("text_config")
        try:
            found = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        except Exception as error:  # the package raises nothing narrower
            raise _damaged(self._folder / "tokenizer.json", "is no tokenizer") from error
        found.enable_truncation(limit_of(own if isinstance(own, dict) else config, said))
        if str(config.get("model_type", "")).startswith("siglip"):
            found.enable_truncation(_SIGLIP)
            found.enable_padding(length=_SIGLIP, pad_id=1)
        return found


class _Graph:
    """A graph, loaded. `inputs`: name -> type and shape; `batch`: how many pictures it takes at once."""

    def __init__(self, path: Path, preprocessing: Preprocessing) -> None:
        self._path, self._preprocessing = path, preprocessing
        try:
            self._session = open_session(path)
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise _damaged(path, "cannot be loaded by onnxruntime", error) from error
        self.inputs = {item.name: item for item in self._session.get_inputs()}
        self._outputs = [item.name for item in self._session.get_outputs()]
        if unknown := self.inputs.keys() - {_PIXELS, _TOKENS, "attention_mask", "position_ids", "token_type_ids"}:
            raise _damaged(path, f"asks for '{min(unknown)}', which an image encoder does not")
        first = self.inputs[_PIXELS].shape[0] if _PIXELS in self.inputs else 1
        self.batch = first if isinstance(first, int) and first > 0 else BATCH

    def vectors(self, kind: Kind, given: Mapping[str, npt.NDArray[Any]]) -> FloatArray:
        """What the graph gives for pictures or texts, float32 [n, dimensions]; what else it asks for means nothing."""
        ids = given.get(_TOKENS, np.ones((1, 1), np.int64))
        known: dict[str, npt.NDArray[Any]] = {
            _PIXELS: np.zeros((1, 3, *self._preprocessing.shape), np.float32),
            _TOKENS: ids,
            "attention_mask": np.ones_like(ids),
            "position_ids": np.arange(ids.shape[1])[None],
            "token_type_ids": np.zeros_like(ids),
            **given,
        }
        feeds = {name: known[name].astype(TYPES.get(item.type, np.float32)) for name, item in self.inputs.items()}
        name = next((one for one in _VECTORS[kind] if one in self._outputs), None)
        name = name or next((one for one in ("last_hidden_state",) if one in self._outputs), self._outputs[0])
        try:
            (found,) = self._session.run([name], feeds)
        except Exception as error:
            raise _damaged(self._path, "cannot be run", error) from error
        found = np.asarray(found, np.float32)
        found = found[:, 0] if found.ndim == 3 else found.reshape(len(found), -1)
        if not np.isfinite(found).all():
            raise _damaged(self._path, "gives what are no numbers")
        return np.asarray(found, np.float32)


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _first(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissingError(
        f"The image encoder 'onnx:{folder}' has no {' and no '.join(names)}.",
        "It is a folder with preprocessor_config.json and vision_model.onnx or model.onnx, as model hubs have them.",
    )


def _damaged(path: Path, what: str, error: Exception | None = None) -> ModelDamagedError:
    why = f" ({' '.join(str(error).split())[:200]})" if error else ""
    return ModelDamagedError(
        f"The image encoder's '{path}' {what}{why}.", "Take one that was exported for pictures, or fetch it again."
    )
