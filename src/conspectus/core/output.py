"""Where written text goes: to a file that appears whole, or to anything that takes text; rows of CSV."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
        with replacing(path) as part, _opened(part) as stream:
            yield stream


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
