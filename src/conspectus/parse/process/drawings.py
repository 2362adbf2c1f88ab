"""Pages of PDF files, and picture files, drawn in a child process with limits on time and memory, as files are read."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.errors import ConspectusError, InputError
from conspectus.parse.process.wire import Drawing, Order, PackedImage
from conspectus.records import FigureWord

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.parse.process.pool import Limits

Drawn = tuple["Image", tuple[FigureWord, ...]]
"""A picture, and the words that are seen in it."""
_DAMAGED = "The file may be damaged: download or export it again."


def draw(path: Path, drawing: Drawing, limits: Limits) -> Image:
    """What `drawing` says of the file at `path`, as an RGB image.

    Raises:
        NotFoundError: The document has no such page or picture, or the place lies outside it.
        UsageError: The scale is not possible.
        InputError: The file is missing, damaged or crashes whoever draws it.
        LimitError: Drawing took longer or more memory than `limits` say, or the picture would be too large.
    """
    (image,) = draw_each(path, [drawing], limits)
    if isinstance(image, ConspectusError):
        raise image
    return image


def draw_each(
    path: Path, drawings: Iterable[Drawing], limits: Limits
) -> Generator[Image | ConspectusError, None, None]:
    """The same for several drawings of one PDF, in one child: of each its image, or why there is none."""
    with closing(draw_files(((path, drawing) for drawing in drawings), limits)) as each:
        for result in each:
            yield result if isinstance(result, ConspectusError) else result[0]


def draw_files(
    drawings: Iterable[tuple[Path, Drawing]], limits: Limits
) -> Generator[Drawn | ConspectusError, None, None]:
    """The same for drawings of several files, each with the words that are seen in it, where its drawing asks for them.

    A file that cannot be drawn costs itself alone.
    """
    from conspectus.parse.process.pool import drawing_child

    with drawing_child(limits) as child:
        for path, drawing in drawings:
            result: Drawn | ConspectusError | None = None
            for report, error in child.read(Order(os.fsencode(path.absolute()), "", drawing)):
                result = error or (_image(report.picture, path) if report.picture else result)
            yield result or InputError(f"No picture came of '{path.name}'.", _DAMAGED)


def page_sizes(path: Path, limits: Limits) -> tuple[tuple[float, float], ...]:
    """Width and height of each page of the PDF at `path` as it is shown, in points.

    Raises:
        InputError: The file is missing, damaged or crashes whoever reads it.
        LimitError: That took longer or more memory than `limits` say.
    """
    from conspectus.parse.process.pool import drawing_child

    with drawing_child(limits) as child:
        for report in child.answers(Order(os.fsencode(path.absolute()), "", measured=True)):
            if report.sizes:
                return report.sizes
    raise InputError(f"'{path.name}' has no pages.", _DAMAGED)


def _image(picture: PackedImage, path: Path) -> Drawn | ConspectusError:
    from PIL import Image

    if min(picture.width, picture.height) < 1:
        return InputError(f"No picture came of '{path.name}'.", _DAMAGED)
    if len(picture.data) != 3 * picture.width * picture.height:
        return InputError(f"The picture of '{path.name}' is not whole.", "The file is not to be trusted.")
    return Image.frombytes("RGB", (picture.width, picture.height), picture.data), picture.words
