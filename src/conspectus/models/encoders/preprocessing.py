"""What is done to a picture before a model sees it, as `preprocessor_config.json` of model hubs says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray

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
    def of(cls, said: dict[str, Any]) -> Preprocessing:
        """As a file says; what it does not say is as usual.

        Raises:
            ValueError, TypeError, LookupError: it says what cannot be.
        """
        size = said.get("size", _USUAL)
        shortest = isinstance(size, dict) and "shortest_edge" in size
        crop = _sides(said.get("crop_size", _USUAL)) if said.get("do_center_crop", "crop_size" in said) else None
        scale = float(said.get("rescale_factor", 1 / 255)) if said.get("do_rescale", True) else 1.0
        normalised = said.get("do_normalize", True)
        mean = np.array(said.get("image_mean", [0.5] * 3) if normalised else [0.0] * 3, np.float32)
        deviation = np.array(said.get("image_std", [0.5] * 3) if normalised else [1.0] * 3, np.float32)
        if mean.shape != (3,) or deviation.shape != (3,) or not (deviation > 0).all() or not np.isfinite(mean).all():
            raise ValueError("image_mean and image_std are three numbers each")
        resample = int(said.get("resample", _BICUBIC))
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
