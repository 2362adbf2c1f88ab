"""Where the picture of a figure is: on a page, in the file that the figure was read from, or beside that file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, cast

from conspectus.core.errors import InputError, NotFoundError
from conspectus.parse.files.streams import opened, read_limited, tar_files
from conspectus.parse.process.wire import Drawing
from conspectus.records.parsed_paper import FIGURE_SCALE, Figure

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".webp", ".bmp", ".pdf")
"""Of pictures that can be drawn, in the order in which they are looked for where a source names none of them."""
PACKAGES = (".docx", ".docm", ".epub", ".tar", ".tar.gz", ".tgz", ".tex.gz")
"""Files that have their pictures in them."""
_MOST_BYTES = 1000
"""Of a name; the system has no longer ones."""
_CHARS = 32
"""Of a hash that names a picture which stands in a page as data."""


def picture_of(source: Path, figure: Figure, scale: float = FIGURE_SCALE) -> tuple[Path, Drawing] | None:
    """The file, and what is to be drawn of it, for a figure that was read from `source`; None: it has no picture.

    A picture beside `source` stands below its folder, also when links are followed; addresses lead to none.
    """
    if figure.place is not None:
        return source, Drawing(figure.place.page, scale, part=figure.place)
    path = file_of(source, figure.href)
    return (path, Drawing(1, scale, picture=figure.href if path == source else "")) if path else None


def file_of(source: Path, href: str) -> Path | None:
    """The file that has the picture which `source` calls `href`: itself, or one beside it; None: there is none."""
    if not href:
        return None
    if href.startswith("data:") or source.name.lower().endswith(PACKAGES):
        return source
    return _file_below(source, href)


def names_of(href: str) -> Iterator[str]:
    """The names that a picture may have which a source calls `href`: as it is called, then with other endings."""
    name = PurePosixPath(href)
    known = name.suffix.lower() in (*SUFFIXES, ".eps", ".ps", ".svg", ".emf", ".wmf")
    yield href
    for suffix in SUFFIXES:
        yield str(name.with_suffix(suffix)) if known else f"{href}{suffix}"


def data_name(address: str) -> str:
    """What a picture is called that stands in a page as data: by its kind and a hash of it."""
    kind, _, data = address.partition(",")
    return f"{kind.partition(';')[0][:100]};sha256={hashlib.sha256(data.encode()).hexdigest()[:_CHARS]}"


def path_of_link(href: str) -> str:
    """`href` as the path of a file: publishers call what they send along info:doi/10.1371/journal.pone.0012345.g001."""
    return href.rpartition("/")[2] if href.startswith("info:") else href


def is_address(href: str) -> bool:
    """Whether it leads somewhere else than to a file beside, as an address with a scheme or a server does."""
    return ":" in href.partition("/")[0] or href.startswith("//")


def _file_below(source: Path, href: str) -> Path | None:
    """The picture below the folder of `source`; names that are no file's, or lead elsewhere, are none."""
    href = path_of_link(href)
    if is_address(href) or href.startswith("/") or len(href.encode(errors="replace")) > _MOST_BYTES:
        return None
    try:
        folder = source.parent.resolve()
        paths = ((folder / name).resolve() for name in names_of(href))
        files = (path for path in paths if path.suffix.lower() in SUFFIXES and path.is_file())
        return next((path for path in files if path.is_relative_to(folder)), None)
    except (OSError, ValueError, RuntimeError):  # no name that a file can have; links in a circle
        return None


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
    from conspectus.parse.process.images import decoded

    data = _inside(path, name) if name else read_limited(path, MOST_BYTES, "a picture")
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
        return archive.read(_find_name(archive.names(), name, path))


def _find_name(names: Iterable[str], picture_name: str, path: Path) -> str:
    """Which of the names in an archive is meant: the whole path, else the only one that ends so."""
    by_folded_name = {name.casefold(): name for name in reversed(list(names))}
    for exact in (True, False):
        for name in names_of(picture_name.casefold()):
            ends = [
                candidate
                for candidate in by_folded_name
                if candidate == name or (not exact and candidate.endswith(f"/{name.rpartition('/')[2]}"))
            ]
            if len(ends) == 1 and (ends[0].endswith(SUFFIXES) or "." not in ends[0]):
                return by_folded_name[ends[0]]
    raise NotFoundError(
        f"'{path.name}' has no picture '{picture_name[:200]}' that can be drawn.", f"Can be: {', '.join(SUFFIXES)}."
    )


def _of_tar(path: Path, name: str) -> bytes:
    endings = tuple(candidate.rpartition("/")[2].lower() for candidate in names_of(name))
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        stream = cast(IO[bytes], gzip.GzipFile(fileobj=file) if packed else file)
        files = tar_files(stream, path.name, endings, path.stat().st_size)
    contents = {member: data for member, data in files.items() if data}
    return contents[_find_name(contents, name, path)]


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
        yield read_limited(path, MOST_BYTES, "a web page")
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
            f"'{name}' cannot be read as a picture: {error}.", "The file may be damaged: download it again."
        ) from error
    return image
