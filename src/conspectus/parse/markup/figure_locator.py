"""Where the picture of a figure is: on a page, in the file that the figure was read from, or beside that file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from conspectus.parse.wire import Drawing
from conspectus.records.parsed import FIGURE_SCALE, Figure

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
    return _beside(source, href)


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


def beside(href: str) -> str:
    """`href` as the path of a file: publishers call what they send along info:doi/10.1371/journal.pone.0012345.g001."""
    return href.rpartition("/")[2] if href.startswith("info:") else href


def is_address(href: str) -> bool:
    """Whether it leads somewhere else than to a file beside, as an address with a scheme or a server does."""
    return ":" in href.partition("/")[0] or href.startswith("//")


def _beside(source: Path, href: str) -> Path | None:
    """The picture below the folder of `source`; names that are no file's, or lead elsewhere, are none."""
    href = beside(href)
    if is_address(href) or href.startswith("/") or len(href.encode(errors="replace")) > _MOST_BYTES:
        return None
    try:
        folder = source.parent.resolve()
        paths = ((folder / name).resolve() for name in names_of(href))
        found = (path for path in paths if path.suffix.lower() in SUFFIXES and path.is_file())
        return next((path for path in found if path.is_relative_to(folder)), None)
    except (OSError, ValueError, RuntimeError):  # no name that a file can have; links in a circle
        return None
