"""Files that are pictures, read in the child: few RGB pixels of each, and what the file says of them.

What counts light as numbers (16 and 32 bits, whole or floating: micrographs, diffraction, telescopes) is brought to
8 bits by `normalised`. All else is taken as it is shown: upright, over white where it lets light through.
"""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt
from PIL import ExifTags, Image, ImageOps, TiffTags, UnidentifiedImageError

from conspectus.core.disk import open_file
from conspectus.core.errors import ConspectusError, InputError, LimitError, UsageError
from conspectus.core.text import line
from conspectus.parse.process.wire import Box, ImagePage, Order, PackedImage

if TYPE_CHECKING:
    from conspectus.parse.process.pool import Limits

FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")
SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".webp", ".bmp"})
READER = "image"
"""What the reader of pictures is called in an order."""
MOST_PIXELS = 100_000_000
MOST_BYTES = 2**30
"""Of a file that somebody brings to be looked for; collections take larger ones, page by page."""
MOST_PAGES = 1_000
AREA = 400 * 400
"""Pixels of what is given back, at most: more than encoders look at."""
_DETECTED = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")
_LOW, _HIGH = 0.1, 99.9
_STRETCH = 1000.0
_CROWDED = 0.02
_EXIF, _SUBFILE, _REDUCED = 0x8769, 254, 1
_TAGS, _CHARACTERS = 60, 300
_INNER = ("Offset", "Offsets", "ByteCounts", "IFD", "IFDs", "GPSInfo", "Tables")
_NOT_ONE = "PNG, JPEG, TIFF, GIF, WebP and BMP are read. Export it as one of these."
_ANEW = "The file may be damaged: download or export it again."


def read_image(path: Path, limits: Limits, crop: Box | None = None) -> ImagePage:
    """The first picture of a file, read in a child process; `crop`: of it, in its own pixels.

    Raises:
        InputError, LimitError: it cannot be read, with cause and remedy.
        UsageError: the crop lies outside it.
    """
    from conspectus.parse.process.pool import drawing_child

    if path.stat().st_size > MOST_BYTES:
        raise LimitError(
            f"'{line(path.name)}' has more than {MOST_BYTES >> 20:,} MB.", "Save it smaller, or a part of it."
        )
    with drawing_child(limits) as child:
        for report in child.answers(Order(os.fsencode(path.absolute()), READER, crop=crop)):
            if report.images:
                return report.images[0]
    raise InputError(f"'{path.name}' has no picture in it.", _ANEW)


def decode_picture(page: ImagePage) -> Image.Image:
    """What a child gave back, as an RGB image.

    Raises:
        InputError: its bytes are not those of such a picture.
    """
    picture = page.picture
    if min(picture.width, picture.height) < 1 or len(picture.data) != 3 * picture.width * picture.height:
        raise InputError("What was read of it is not whole.", "The file is not to be trusted.")
    return Image.frombytes("RGB", (picture.width, picture.height), picture.data)


def image_pages(path: Path, crop: Box | None = None) -> Iterator[ImagePage]:
    """Each page of a TIFF, or else the picture, of an animation the first; in this process, which is the child."""
    with _translated_errors(path.name), open_file(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        with _opened(file, path.name) as image:
            for page, note in _frames(image):
                yield _page(image, page, note, digest, crop)


def decoded(file: BinaryIO, name: str, factor: float, most: int) -> Image.Image:
    """The picture of a file, or the first of several, as RGB; in this process, which is the child.

    Args:
        file: its bytes.
        name: what it is called in errors.
        factor: of its width and height, at most 1.
        most: pixels that it has then, at most.

    Raises:
        InputError, LimitError: it cannot be read.
    """
    with _translated_errors(name), _opened(file, name) as image:
        if image.width * image.height > MOST_PIXELS:
            raise Image.DecompressionBombError
        factor = min(factor, 1.0, math.sqrt(most / (image.width * image.height)))
        target_size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
        if image.format == "JPEG":
            image.draft(image.mode, target_size)
        size = target_size[::-1] if _is_turned(image) else target_size
        plain = _plain(_upright(image))
        return plain if plain.size == size else plain.resize(size, Image.Resampling.LANCZOS)


def cropped(image: Image.Image, crop: Box) -> Image.Image:
    """A part of a picture.

    Raises:
        UsageError: it does not lie in it.
    """
    x, y, width, height = crop
    if x < 0 or y < 0 or width < 1 or height < 1 or x + width > image.width or y + height > image.height:
        raise UsageError(
            f"The crop {x},{y},{width},{height} does not lie in the picture.",
            f"It has {image.width} × {image.height} pixels; a crop is x,y,width,height from the top left corner.",
        )
    return image.crop((x, y, x + width, y + height))


def normalised(counts: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Numbers of a detector as 8 bits, of the same shape.

    With a and b the 0.1st and 99.9th percentile of those that are finite, t = (x - a) / (b - a), clipped to 0…1. Where
    more than half of t lie below 0.02 the range is huge and most is dark: then t = log(1000 t + 1) / log(1001), the
    stretch of SAOImage DS9 and of astropy's LogStretch. The result is 255 t, rounded; 0 where there is no number.
    """
    values = counts.astype(np.float32)
    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(counts.shape, np.uint8)
    low, high = np.percentile(values[finite].astype(np.float64), [_LOW, _HIGH])
    scaled = np.where(finite, (values.astype(np.float64) - low) / ((high - low) or 1.0), 0.0).clip(0, 1)
    if np.median(scaled[finite]) < _CROWDED:
        scaled = np.log1p(_STRETCH * scaled) / math.log1p(_STRETCH)
    pixels: npt.NDArray[np.uint8] = np.rint(255 * scaled).astype(np.uint8)
    return pixels


@contextmanager
def _translated_errors(name: str) -> Iterator[None]:
    """Whatever Pillow raises, as one of our errors."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (ConspectusError, MemoryError):
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise LimitError(
            f"'{line(name)}' has more than {MOST_PIXELS:,} pixels.", "Save it smaller, or cut it into several."
        ) from error
    except Exception as error:  # its decoders raise what they please
        why = line(str(error))[:200] or type(error).__name__
        raise InputError(f"'{line(name)}' cannot be read as a picture: {why}.", _ANEW) from error


@contextmanager
def _opened(file: BinaryIO, name: str) -> Iterator[Image.Image]:
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        image = Image.open(file, formats=FORMATS)
    except UnidentifiedImageError as error:
        file.seek(0)
        raise InputError(f"'{line(name)}' {_describe(file.read(1024))}.", _NOT_ONE) from error
    with image:
        yield image


def _describe(head: bytes) -> str:
    """What a file is that is no picture."""
    if not head:
        return "is empty"
    if b"<svg" in head.lower():
        return "is SVG, a drawing that a program has to make, and no pixels"
    return "is no picture, or of a kind that is not read, whatever its name says"


def _frames(image: Image.Image) -> Iterator[tuple[int, str]]:
    """(number of the page, from 1, what to say of it), with `image` being that page."""
    if image.format != "TIFF":
        yield 1, "the first picture of an animation" if getattr(image, "is_animated", False) else ""
        return
    count = getattr(image, "n_frames", 1)
    for number in range(min(count, MOST_PAGES)):
        image.seek(number)
        if not (number and _tag(image, _SUBFILE) & _REDUCED):  # a smaller copy of the page before
            yield number + 1, f"the first {MOST_PAGES:,} of {count:,} pages are read" if count > MOST_PAGES else ""


def _tag(image: Any, number: int) -> int:
    value = image.tag_v2.get(number, 0)
    return value if isinstance(value, int) else 0


def _page(image: Image.Image, page: int, note: str, digest: str, crop: Box | None) -> ImagePage:
    width, height, mode = *image.size, image.mode
    if width * height > MOST_PIXELS:
        raise Image.DecompressionBombError
    facts = tuple(dict.fromkeys([("format", str(image.format)), ("mode", mode), *_facts(image)]))
    if image.format == "JPEG" and crop is None:
        image.draft(mode, (2 * math.isqrt(AREA), 2 * math.isqrt(AREA)))
    if _is_turned(image):
        width, height = height, width
    small_image = small(_upright(image), crop)
    return ImagePage(page, width, height, digest, PackedImage(*small_image.size, small_image.tobytes()), facts, note)


def _is_turned(image: Image.Image) -> bool:
    with suppress(Exception):  # EXIF that is broken says nothing
        return image.getexif().get(ExifTags.Base.Orientation) in (5, 6, 7, 8)
    return False


def _upright(image: Image.Image) -> Image.Image:
    with suppress(Exception):  # EXIF that is broken says nothing
        return ImageOps.exif_transpose(image)
    return image


def small(image: Image.Image, crop: Box | None = None) -> Image.Image:
    """A picture, or a part of it, as it is compared: at most `AREA` pixels of RGB.

    Raises:
        UsageError: the crop lies outside it.
    """
    if crop is not None:
        image = cropped(image, crop)
    image = _plain(image, math.isqrt(image.width * image.height // (4 * AREA)))
    scale = math.sqrt(AREA / (image.width * image.height))
    if scale >= 1:
        return image
    return image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))))


def _plain(image: Image.Image, factor: int = 1) -> Image.Image:
    """A picture as RGB, over white where it lets light through; `factor` times smaller, in whole pixels."""
    detected = image.mode in _DETECTED
    image = image.convert(_plain_mode(image))
    if factor > 1:
        image = image.reduce(factor)
    return _on_white(Image.fromarray(normalised(np.asarray(image))) if detected else image)


def _plain_mode(image: Image.Image) -> str:
    """The mode in which a picture can be made smaller without losing anything."""
    if image.mode in _DETECTED:
        return "F"
    if image.mode in ("LA", "La", "PA", "RGBa", "RGBA") or "transparency" in image.info:
        return "RGBA"
    return "L" if image.mode in ("1", "L") else "RGB"


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode != "RGBA":
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("RGB")


def _facts(image: Any) -> Iterator[tuple[str, str]]:
    """What the file's tags and notes say, as far as that is short text or a number."""
    facts: list[tuple[str, Any]] = []
    with suppress(Exception):  # EXIF that is broken says nothing
        exif = image.getexif()
        facts += _tag_values({**exif, **exif.get_ifd(_EXIF)}.items(), ExifTags.TAGS)
    with suppress(Exception):
        if image.format == "TIFF":
            facts += _tag_values(image.tag_v2.items(), {tag: TiffTags.lookup(tag).name for tag in image.tag_v2})
    facts += [(name, value) for name, value in image.info.items() if isinstance(value, str)]
    for name, value in dict(facts[: 2 * _TAGS]).items():
        if text := _short_text(value):
            yield line(str(name))[:60], text


def _tag_values(tags: Iterable[tuple[int, Any]], names: dict[int, str]) -> Iterator[tuple[str, Any]]:
    for _, (number, value) in zip(range(_TAGS), tags, strict=False):
        name = names.get(number, "unknown")
        if name != "unknown" and not name.endswith(_INNER):
            yield name, value


def _short_text(value: Any) -> str:
    """Text or a number as short text; "" for all else."""
    if isinstance(value, str):
        return line(value[: 4 * _CHARACTERS])[:_CHARACTERS]
    with suppress(Exception):  # a fraction over zero
        if not isinstance(value, bytes | tuple) and math.isfinite(float(value)):
            return f"{float(value):.6g}"
    return ""
