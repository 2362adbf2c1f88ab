"""The files of a LaTeX document: which is the main one, and what it inputs, from its own folder or archive only."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from conspectus.core.disk import open_file
from conspectus.core.errors import InputError, LimitError
from conspectus.parse.archive import MAX_FILE, Limited, inside, most_unfolded, tar_files
from conspectus.parse.tex.cleaning import Branches, clean
from conspectus.parse.text import decode, read_text

ENDINGS = (".tex", ".ltx", ".latex", ".bbl", ".bib")
_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.M)
_BEGIN = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.M)
_INPUT = re.compile(
    r"\\(?:input|include|subfile|InputIfFileExists)(?![A-Za-z])\s*+(?:\{\s*+\"?([^{}\"]{1,300}?)\"?\s*+\}|([^\s{}\\%]{1,300}))"
)
_FAVOURED = re.compile(r"(?:^|/)(?:main|ms|paper|article|manuscript|arxiv)\.tex$", re.I)
_MAX_INPUTS = 500
_MAX_DEPTH = 20
_MAX_JOINED = 30_000_000
"""Characters of a document with all that it inputs."""


@dataclass(slots=True)
class Document:
    """A document put together: its text without comments, and the bibliography files beside it."""

    text: str
    bbl: str = ""
    bib: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


Look = Callable[[str], str | None]
"""The text of a file by its name from the main file's folder, or None."""


@dataclass(slots=True)
class Joiner:
    """Puts what a document inputs in its place, within limits; `name` is that of the file that was added."""

    name: str
    look: Look
    missing: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    count: int = 0
    size: int = 0
    branches: Branches = field(default_factory=Branches)

    def joined(self, text: str, depth: int = 0) -> str:
        """The text with all that it inputs, to any depth, and one branch of each conditional.

        Raises:
            LimitError: It inputs too much, or itself.
        """

        def put_in(name: str) -> str:
            self.count += 1
            if depth >= _MAX_DEPTH or self.count > _MAX_INPUTS:
                raise LimitError(f"'{self.name}' inputs very many files, or itself.", "Look at its \\input lines.")
            found = self.look(name) if name.endswith(ENDINGS) else self.look(f"{name}.tex") or self.look(name)
            if found is None:
                if not inside(name):
                    self.outside.append(name)
                elif not name.endswith((".sty", ".cls", ".cfg", ".def", ".clo", ".aux", ".toc")):
                    self.missing.append(name)
                return " "
            self._count(found)
            return self.joined(clean(found), depth + 1)

        return self.branches.settled(text, put_in)

    def _count(self, text: str) -> None:
        self.size += len(text)
        if self.size > _MAX_JOINED:
            raise LimitError(
                f"'{self.name}' has more than {_MAX_JOINED // 10**6} million characters with all that it inputs.",
                "Is it really a paper?",
            )


def from_file(path: Path) -> Document:
    """The document whose main file is `path`.

    Raises:
        InputError: It is no main file, or cannot be read.
    """
    folder = path.parent.resolve()
    text = _file(path)
    if not (_CLASS.search(text) or _BEGIN.search(text)):
        raise InputError(
            f"'{path.name}' is only a part of a LaTeX document: it has no \\documentclass.",
            "Add the main file instead.",
        )

    def look(name: str) -> str | None:
        try:
            target = (folder / name).resolve()
            if not target.is_relative_to(folder) or not target.is_file():
                return None
        except (OSError, ValueError, RuntimeError):  # no name that a file can have; links in a circle
            return None
        return _file(target)

    return _document(Joiner(path.name, look), text, path.stem, [found.name for found in folder.glob("*.bbl")])


def _file(path: Path) -> str:
    return read_text(path, MAX_FILE)[0]


def from_archive(path: Path) -> Document:
    """The document in a tar archive, plain or gzipped, or in a single gzipped file.

    Raises:
        InputError: It is damaged, or there is no LaTeX document in it (also LimitError: it unfolds to too much).
    """
    try:
        with open_file(path) as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            stream = cast(IO[bytes], io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file)
            size = path.stat().st_size
            if packed and not _is_tar(stream):
                data = Limited(stream, min(MAX_FILE, most_unfolded(size)), path.name).read()
                files: dict[str, bytes | None] = {"main.tex": data}
            else:
                files = tar_files(stream, path.name, ENDINGS, size)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"'{path.name}' is damaged: it cannot be unpacked.", "Fetch it again.") from error
    texts: dict[str, str] = {}
    for name, data_or_none in files.items():
        if data_or_none is not None and b"\x00" not in data_or_none:
            texts[name] = decode(data_or_none, name)[0]
    main = _main(texts)
    if not main:
        raise InputError(
            f"'{path.name}' has no LaTeX document in it: no file has a \\documentclass.",
            "If it holds other papers, unpack it and add those.",
        )
    folder = main.rpartition("/")[0]

    def look(name: str) -> str | None:
        return texts.get(inside(f"{folder}/{name}" if folder else name)) or texts.get(inside(name))

    stem = main.rpartition("/")[2].rpartition(".")[0]
    bbl_names = [name for name in texts if name.endswith(".bbl")]
    return _document(Joiner(path.name, look), texts[main], stem, bbl_names)


def _is_tar(stream: IO[bytes]) -> bool:
    """Whether a tar archive of any format begins here; nothing is passed."""
    head = stream.read(tarfile.BLOCKSIZE)
    stream.seek(0)
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _main(texts: dict[str, str]) -> str:
    """The name of the main file: of those with a class and a beginning the best named, else the longest."""
    whole = [name for name, text in texts.items() if _BEGIN.search(text) and _CLASS.search(text)]
    named = {match[1] or match[2] for text in texts.values() for match in _INPUT.finditer(text)}
    free = [name for name in whole if name.removesuffix(".tex") not in named and name not in named] or whole
    old = [name for name, text in texts.items() if not whole and (_BEGIN.search(text) or "\\title" in text)]
    return max(
        free or old,
        key=lambda name: ("\\title" in texts[name], bool(_FAVOURED.search(name)), -name.count("/"), len(texts[name])),
        default="",
    )


def _document(joiner: Joiner, text: str, stem: str, bbl_names: list[str]) -> Document:
    whole, look = joiner.joined(clean(text)), joiner.look
    document = Document(whole)
    bbl = look(f"{stem}.bbl") or next((found for name in bbl_names if (found := look(name))), None)
    document.bbl = clean(bbl or "")
    for match in re.finditer(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]*\])?\{([^{}]{1,500})\}", whole):
        for name in match[1].split(","):
            found = look(name.strip()) if name.strip().endswith(".bib") else look(f"{name.strip()}.bib")
            if found:
                document.bib.append(found)
    for names, what in ((joiner.missing, "is not there"), (joiner.outside, "lies outside its folder")):
        if names:
            told = ", ".join(f"'{name[:60]}'" for name in names[:3]) + (" …" if len(names) > 3 else "")
            document.warnings.append(f"The document inputs what {what} and was left out: {told}.")
    return document
