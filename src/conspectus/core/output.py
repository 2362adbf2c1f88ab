"""Where written text goes: to a file that appears whole, or to anything that takes text; rows of CSV."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Protocol, TextIO

from conspectus.core.disk import explain_write_errors, replacing, user_path
from conspectus.core.errors import UsageError

_FORMULA = re.compile(r"'*+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")


class Writable(Protocol):
    """Takes texts: an open file, standard output."""

    def write(self, text: str, /) -> object:
        """Takes one text."""
        ...


Output = str | os.PathLike[str] | Writable


@contextmanager
def writing_to(output: Output) -> Iterator[Writable]:
    """A stream for the text: the one given, or one to a file that appears, whole, when all is written.

    What a link leads to is written, and the link stays; into a pipe or a device it goes as it comes.
    """
    if not isinstance(output, str | os.PathLike):
        yield output
        return
    path = user_path(output)
    if not path.name:
        raise UsageError(f"'{output}' is not a file name.", "Choose another file.")
    with explain_write_errors(output):
        if path.exists() and not path.is_file() and not path.is_dir():
            with _opened(path) as stream:
                yield stream
            return
        path = _resolve_link(path)
        refuse_library_file(path)
        with replacing(path) as part, _opened(part) as stream:
            yield stream


LIBRARY_FILES = ("catalog.sqlite*", "index*", "online*", "write.*")
"""What the program writes in a library's folder."""


def refuse_library_file(path: Path) -> None:
    """Refuse to write over what a library consists of.

    Raises:
        UsageError: the file is the library's own.
    """
    full_path = path.absolute()
    for part, folder in zip((full_path, *full_path.parents), full_path.parents, strict=False):
        if any(fnmatch(part.name, name) for name in LIBRARY_FILES) and (folder / "catalog.sqlite").exists():
            raise UsageError(f"'{path}' belongs to the library in '{folder}'.", "Choose another file.")


def format_by_ending(output: object, formats: Collection[str], usual: str = "") -> str:
    """The format that a file's ending names; `usual` where there is no file.

    Raises:
        UsageError: the ending names none.
    """
    if not isinstance(output, str | os.PathLike) or not os.fspath(output):
        return usual
    ending = Path(output).suffix[1:].lower()
    if ending not in formats:
        raise UsageError(f"The ending of '{os.fspath(output)}' names no format.", f"There are: {', '.join(formats)}.")
    return ending


def _resolve_link(path: Path) -> Path:
    """What a name leads to, through links; OSError where they lead to themselves."""
    try:
        return path.resolve()
    except RuntimeError as error:  # so Python tells it before 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def _opened(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", errors="replace", newline="")


def csv_line(values: Sequence[Any]) -> str:
    """A row of CSV; lists are joined by `;`, and a `'` goes before what a spreadsheet would compute."""
    out = io.StringIO()
    csv.writer(out).writerow([_cell(value) for value in values])
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value))
    text = "" if value is None else str(value)
    return f"'{text}" if _FORMULA.match(text) else text
