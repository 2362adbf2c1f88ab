"""Archives opened safely: names that stay inside, and limits on how many files there are and what they unfold to."""

from __future__ import annotations

import posixpath
import stat
import tarfile
import zipfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from conspectus.core.errors import EncryptedError, InputError, LimitError
from conspectus.core.zips import FAULTS, is_encrypted
from conspectus.parse.streams import cannot_open

MAX_FILES = 20_000
MAX_TOTAL = 512 * 2**20
MAX_FILE = 64 * 2**20
MAX_RATIO = 300
"""A file may unfold to this many times its packed size once it is larger than 1 MB."""
_FREE = 2**20
_UNREADABLE: tuple[type[Exception], ...] = (OSError, *FAULTS)


def most_unfolded(packed: int) -> int:
    """The bytes that an archive of `packed` bytes may unfold to."""
    return min(MAX_TOTAL, max(_FREE, MAX_RATIO * max(1, packed)))


def inside(name: str) -> str:
    """The name as a plain path within the archive, or "" if it leads out of it or nowhere."""
    name = name.replace("\\", "/")
    if "\x00" in name or name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return ""
    path = posixpath.normpath(name)
    return "" if path in (".", "..") or path.startswith("../") else path


class Zip:
    """The files of a zip archive by name; nothing is ever written to disk.

    Attributes:
        links: names of links, which are never followed.

    Raises:
        InputError: It is no archive, or damaged.
        LimitError: It has too many files or unfolds to too much.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._left = MAX_TOTAL
        try:
            self._zip = zipfile.ZipFile(path)
            infos = self._zip.infolist()
        except OSError as error:
            raise cannot_open(path.name, error) from error
        except FAULTS as error:
            raise InputError(
                f"'{path.name}' is damaged: it is not a complete archive.", "Save or fetch it again."
            ) from error
        if len(infos) > MAX_FILES:
            self.close()
            raise LimitError(f"'{path.name}' has more than {MAX_FILES:,} files in it.", "Is it really one document?")
        files = [info for info in infos if not stat.S_ISLNK(info.external_attr >> 16)]
        self._infos = {plain: info for info in files if (plain := inside(info.filename))}
        self.links = tuple(info.filename for info in infos if stat.S_ISLNK(info.external_attr >> 16))

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def close(self) -> None:
        """Closes the archive."""
        self._zip.close()

    def names(self) -> list[str]:
        """All names that stay inside the archive."""
        return list(self._infos)

    def read(self, name: str) -> bytes:
        """The bytes of one file, b"" if there is none of that name; raises as the class."""
        info = self._infos.get(name)
        if info is None:
            return b""
        if is_encrypted(info):
            raise EncryptedError(f"'{self.name}' is protected with a password.", "Save it without one and add that.")
        limit = min(MAX_FILE, self._left, max(_FREE, MAX_RATIO * max(1, info.compress_size)))
        try:
            with self._zip.open(info) as file:
                data = file.read(limit + 1)
        except _UNREADABLE as error:
            raise InputError(
                f"'{self.name}' is damaged: '{info.filename[:80]}' in it cannot be read.",
                "Fetch or export the file anew.",
            ) from error
        if len(data) > limit:
            raise LimitError(
                f"'{self.name}' unfolds to far more than a document has.",
                "It may be made to fill the memory; do not trust it.",
            )
        self._left -= len(data)
        return data

    def xml(self, name: str) -> Any | None:
        """The root of an XML file, entities not expanded; None where there is none."""
        data = self.read(name)
        if not data:
            return None
        from conspectus.parse.markup.xml_tree import safe_root

        try:
            return safe_root(data)
        except (SyntaxError, ValueError) as error:  # lxml's is a SyntaxError
            raise InputError(
                f"'{self.name}' is damaged: '{name}' in it is not XML.", "Fetch or export the file anew."
            ) from error


def opened(path: Path) -> closing[Zip]:
    """The archive, to be used in a `with` statement, at whose end it is closed."""
    return closing(Zip(path))


class Limited:
    """A stream that gives no more than `limit` bytes.

    Raises:
        LimitError: There is more (while reading).
    """

    def __init__(self, stream: IO[bytes], limit: int, name: str) -> None:
        self._stream = stream
        self._left = limit
        self._name = name

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most what is left and one more."""
        data = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise LimitError(
                f"'{self._name}' unfolds to far more than a paper has.",
                "It may be made to fill the memory; do not trust it.",
            )
        return data


def tar_files(
    stream: IO[bytes], name: str, endings: tuple[str, ...], packed: int, links: list[str] | None = None
) -> dict[str, bytes | None]:
    """The plain files of a tar stream by name: their bytes where the ending is one of `endings`, else None.

    `packed` is the size of the file on disk. Links and names that lead out of the archive are passed over; the names of
    links are added to `links`.

    Raises:
        InputError: It is damaged.
        LimitError: It has too many files or unfolds to too much.
    """
    found: dict[str, bytes | None] = {}
    limited: Any = Limited(stream, most_unfolded(packed), name)
    try:
        with tarfile.open(fileobj=limited, mode="r|") as tar:
            for count, member in enumerate(tar):
                if count >= MAX_FILES:
                    raise LimitError(f"'{name}' has more than {MAX_FILES:,} files in it.", "Is it really one paper?")
                path = inside(member.name)
                if links is not None and (member.issym() or member.islnk()):
                    links.append(member.name)
                if not member.isreg() or not path:
                    continue
                wanted = path.lower().endswith(endings)
                if wanted and member.size > MAX_FILE:
                    raise LimitError(
                        f"'{name}' has a text of more than {MAX_FILE // 2**20} MB in it.", "Is it really a paper?"
                    )
                file = tar.extractfile(member) if wanted else None
                found[path] = file.read(MAX_FILE) if file else None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"'{name}' is damaged: it is not a complete archive.", "Fetch it again.") from error
    return found
