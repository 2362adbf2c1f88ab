"""Pictures that are files, or lie in files, decoded. For child processes: what is decoded here is hostile."""

from __future__ import annotations

import base64
import gzip
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from conspectus.core.errors import InputError, NotFoundError
from conspectus.parse.archive import opened, tar_files
from conspectus.parse.images import decoded
from conspectus.parse.markup.figure_locator import SUFFIXES, data_name, names_of
from conspectus.parse.streams import read_whole
from conspectus.records.parsed import FIGURE_SCALE

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 256 * 2**20
_SHOWN = 40_000_000
"""Pixels of what is drawn, as of pages."""


def picture(path: Path, name: str, scale: float) -> Image:
    """A picture as an RGB image: the file at `path`, or with a `name` what it has of that name.

    Its own pixels count as 200 to the inch: a smaller scale makes it smaller, and none makes it larger. What is
    transparent is white, what counts light becomes 8 bits as `images.normalised` says, of several it is the first.

    Raises:
        NotFoundError: nothing is called so.
        InputError: it is no picture that can be drawn, or damaged.
        LimitError: it has too many bytes or pixels.
    """
    data = _inside(path, name) if name else read_whole(path, MOST_BYTES, "a picture")
    called = path.name if not name or name.startswith("data:") else f"{path.name}/{name}"
    if b"%PDF-" in data[:1024]:
        return _page(data, called, scale)
    return decoded(io.BytesIO(data), called, scale / FIGURE_SCALE, _SHOWN)


def _inside(path: Path, name: str) -> bytes:
    if name.startswith("data:"):
        return _data(path, name)
    ending = path.name.lower()
    if ending.endswith((".tar", ".gz", ".tgz")):
        return _of_tar(path, name)
    with opened(path) as archive:
        return archive.read(_named(archive.names(), name, path))


def _named(names: Iterable[str], wanted: str, path: Path) -> str:
    """Which of the names in an archive is meant: the whole path, else the only one that ends so."""
    held = {name.casefold(): name for name in reversed(list(names))}
    for whole in (True, False):
        for name in names_of(wanted.casefold()):
            ends = [own for own in held if own == name or (not whole and own.endswith(f"/{name.rpartition('/')[2]}"))]
            if len(ends) == 1 and (ends[0].endswith(SUFFIXES) or "." not in ends[0]):
                return held[ends[0]]
    raise NotFoundError(
        f"'{path.name}' has no picture '{wanted[:200]}' that can be drawn.", f"Can be: {', '.join(SUFFIXES)}."
    )


def _of_tar(path: Path, name: str) -> bytes:
    endings = tuple(one.rpartition("/")[2].lower() for one in names_of(name))
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=file) if packed else file)
        found = tar_files(stream, path.name, endings, path.stat().st_size)
    held = {one: data for one, data in found.items() if data}
    return held[_named(held, name, path)]


def _data(path: Path, name: str) -> bytes:
    """The picture of a web page, or of a page of a book, that stands there as data."""
    from conspectus.parse.markup.page_tree import elements, page_tree

    for page in _pages(path):
        for image in elements(page_tree(page, path.name)[0], "img", "source", "embed", "object"):
            for address in (image.get("data-src"), image.get("src"), image.get("data")):
                if address and address.startswith("data:") and data_name(address) == name:
                    kind, _, data = address.partition(",")
                    return base64.b64decode(data) if kind.endswith(";base64") else data.encode()
    raise NotFoundError(f"'{path.name}' has not that picture any more.", "Add it again.")


def _pages(path: Path) -> Iterator[bytes]:
    if path.suffix.lower() != ".epub":
        yield read_whole(path, MOST_BYTES, "a web page")
        return
    with opened(path) as archive:
        yield from (
            archive.read(name) for name in archive.names() if name.lower().endswith((".xhtml", ".html", ".htm"))
        )


def _page(data: bytes, name: str, scale: float) -> Image:
    """The first page of a picture that is a PDF."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
        page = document[0]
        width, height = page.get_size()
        fitting = min(scale, (_SHOWN / max(width * height, 1.0)) ** 0.5)
        image: Image = page.render(scale=fitting).to_pil().convert("RGB")
    except pypdfium2.PdfiumError as error:
        raise InputError(
            f"'{name}' cannot be read as a picture: {error}.", "The file may be damaged: fetch it anew."
        ) from error
    return image
