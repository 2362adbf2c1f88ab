"""Image encoders in a folder as model hubs have them: CLIP and SigLIP, which take texts too, DINO and others.

`preprocessor_config.json` says how a picture is prepared. The vector is the first of the graph's outputs that exists:
`image_embeds`, `pooler_output`, the first token of `last_hidden_state`, the only output.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ModelDamagedError, ModelMissingError
from conspectus.models.minilm import open_session
from conspectus.models.pairs import TYPES, limit_of, read_json, replace_surrogates
from conspectus.models.store import fingerprint

if TYPE_CHECKING:
    from PIL.Image import Image

_USUAL = 224
_MOST = 4096
_BICUBIC = 3


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """How a picture becomes numbers.

    Attributes:
        size: height and width to which it is brought; the same twice with `shortest`: its shorter side.
        shortest: whether its shape is kept.
        crop: height and width of what is cut from its middle; None: nothing is cut.
        resample: Pillow's number of the way to make it smaller.
        scale: by what each of its numbers, 0..255, is multiplied.
        mean: of each colour, which is taken away.
        deviation: of each colour, by which is divided.
    """

    size: tuple[int, int]
    shortest: bool
    crop: tuple[int, int] | None
    resample: int
    scale: float
    mean: npt.NDArray[np.float32]
    deviation: npt.NDArray[np.float32]

    @classmethod
    def of(cls, config: dict[str, Any]) -> Preprocessing:
        """As a file says; what it does not say is as usual.

        Raises:
            ValueError, TypeError, LookupError: it says what cannot be.
        """
        size = config.get("size", _USUAL)
        shortest = isinstance(size, dict) and "shortest_edge" in size
        crop = _sides(config.get("crop_size", _USUAL)) if config.get("do_center_crop", "crop_size" in config) else None
        scale = float(config.get("rescale_factor", 1 / 255)) if config.get("do_rescale", True) else 1.0
        normalised = config.get("do_normalize", True)
        mean = np.array(config.get("image_mean", [0.5] * 3) if normalised else [0.0] * 3, np.float32)
        deviation = np.array(config.get("image_std", [0.5] * 3) if normalised else [1.0] * 3, np.float32)
        if mean.shape != (3,) or deviation.shape != (3,) or not (deviation > 0).all() or not np.isfinite(mean).all():
            raise ValueError("image_mean and image_std are three numbers each")
        resample = int(config.get("resample", _BICUBIC))
        return cls(
            _sides(size),
            shortest or (isinstance(size, int) and crop is not None),
            crop,
            resample,
            scale,
            mean,
            deviation,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of what the model sees."""
        return self.crop or self.size

    def pixels(self, picture: Image) -> FloatArray:
        """The numbers of a picture, float32 [3, height, width]."""
        from PIL.Image import Resampling

        image = picture.convert("RGB")
        high, wide = self.size
        if self.shortest:
            factor = high / min(image.size)
            wide, high = (max(high, min(round(side * factor), _MOST)) for side in image.size)
        image = image.resize((wide, high), Resampling(self.resample), reducing_gap=3.0)
        if self.crop:
            left, top = (wide - self.crop[1]) // 2, (high - self.crop[0]) // 2
            image = image.crop((left, top, left + self.crop[1], top + self.crop[0]))
        numbers = (np.asarray(image, np.float32) * np.float32(self.scale) - self.mean) / self.deviation
        return np.asarray(numbers.transpose(2, 0, 1), np.float32)


def _sides(size: Any) -> tuple[int, int]:
    """Height and width."""
    if isinstance(size, dict):
        size = [size[name] for name in ("height", "width")] if "height" in size else [size["shortest_edge"]] * 2
    high, wide = size if isinstance(size, list) else (size, size)
    if not (isinstance(high, int) and isinstance(wide, int) and 1 <= high <= _MOST and 1 <= wide <= _MOST):
        raise ValueError(f"{size} is no size")
    return high, wide


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
        self._vision = _find_first(folder, _VISION)
        self._preprocessor = _find_first(folder, ("preprocessor_config.json",))
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
        while batch := [self._preprocessing.pixels(picture) for picture in islice(waiting, graph.batch)]:
            yield from graph.vectors("image", {_PIXELS: np.stack(batch)})

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`."""
        encoding = self._tokenizer.encode(replace_surrogates(words))
        ids, mask = np.array([encoding.ids], np.int64), np.array([encoding.attention_mask], np.int64)
        feeds = {_TOKENS: ids, "attention_mask": mask}
        vector: FloatArray = self._graphs[self._text].vectors("text", feeds)[0]
        return vector

    @cached_property
    def _graphs(self) -> Mapping[Path, _Graph]:
        with self._lock:
            return {path: _Graph(path, self._preprocessing) for path in {self._vision, self._text}}

    @cached_property
    def _preprocessing(self) -> Preprocessing:
        config = read_json(self._preprocessor, "image encoder")
        try:
            return Preprocessing.of(config)
        except (TypeError, ValueError, LookupError) as error:
            raise _damaged_error(self._preprocessor, f"does not say how pictures are prepared ({error})") from error

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        config = read_json(_existing(self._folder / "config.json"), "image encoder")
        tokenizer_config = read_json(_existing(self._folder / "tokenizer_config.json"), "image encoder")
        text_config = config.get("text_config")
        try:
            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        except Exception as error:  # the package raises nothing narrower
            raise _damaged_error(self._folder / "tokenizer.json", "is no tokenizer") from error
        tokenizer.enable_truncation(
            limit_of(text_config if isinstance(text_config, dict) else config, tokenizer_config)
        )
        if str(config.get("model_type", "")).startswith("siglip"):
            tokenizer.enable_truncation(_SIGLIP)
            tokenizer.enable_padding(length=_SIGLIP, pad_id=1)
        return tokenizer


class _Graph:
    """A graph, loaded. `inputs`: name -> type and shape; `batch`: how many pictures it takes at once."""

    def __init__(self, path: Path, preprocessing: Preprocessing) -> None:
        self._path, self._preprocessing = path, preprocessing
        try:
            self._session = open_session(path)
        except Exception as error:  # onnxruntime has a class for each of its codes
            raise _damaged_error(path, "cannot be loaded by onnxruntime", error) from error
        self.inputs = {item.name: item for item in self._session.get_inputs()}
        self._outputs = [item.name for item in self._session.get_outputs()]
        if unknown := self.inputs.keys() - {_PIXELS, _TOKENS, "attention_mask", "position_ids", "token_type_ids"}:
            raise _damaged_error(path, f"asks for '{min(unknown)}', which an image encoder does not")
        first = self.inputs[_PIXELS].shape[0] if _PIXELS in self.inputs else 1
        self.batch = first if isinstance(first, int) and first > 0 else BATCH

    def vectors(self, kind: Kind, arrays: Mapping[str, npt.NDArray[Any]]) -> FloatArray:
        """What the graph gives for pictures or texts, float32 [n, dimensions]; what else it asks for means nothing."""
        ids = arrays.get(_TOKENS, np.ones((1, 1), np.int64))
        known: dict[str, npt.NDArray[Any]] = {
            _PIXELS: np.zeros((1, 3, *self._preprocessing.shape), np.float32),
            _TOKENS: ids,
            "attention_mask": np.ones_like(ids),
            "position_ids": np.arange(ids.shape[1])[None],
            "token_type_ids": np.zeros_like(ids),
            **arrays,
        }
        feeds = {name: known[name].astype(TYPES.get(item.type, np.float32)) for name, item in self.inputs.items()}
        name = next((output for output in _VECTORS[kind] if output in self._outputs), None)
        name = name or next((output for output in ("last_hidden_state",) if output in self._outputs), self._outputs[0])
        try:
            (vectors,) = self._session.run([name], feeds)
        except Exception as error:
            raise _damaged_error(self._path, "cannot be run", error) from error
        vectors = np.asarray(vectors, np.float32)
        vectors = vectors[:, 0] if vectors.ndim == 3 else vectors.reshape(len(vectors), -1)
        if not np.isfinite(vectors).all():
            raise _damaged_error(self._path, "gives what are no numbers")
        return np.asarray(vectors, np.float32)


def _existing(path: Path) -> Path | None:
    return path if path.is_file() else None


def _find_first(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissingError(
        f"The image encoder 'onnx:{folder}' has no {' and no '.join(names)}.",
        "It is a folder with preprocessor_config.json and vision_model.onnx or model.onnx, as model hubs have them.",
    )


def _damaged_error(path: Path, what: str, error: Exception | None = None) -> ModelDamagedError:
    why = f" ({' '.join(str(error).split())[:200]})" if error else ""
    return ModelDamagedError(
        f"The image encoder's '{path}' {what}{why}.", "Take one that was exported for pictures, or fetch it again."
    )
