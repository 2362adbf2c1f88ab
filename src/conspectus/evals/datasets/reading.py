"""Lines of JSON and tables, as sets have them; what is wrong is told with file and line."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from conspectus.core.disk import open_file
from conspectus.core.errors import InputError

T = TypeVar("T")

Name = str | int
"""An id as files have it; texts are made of it by `str`."""


def rows(path: Path, kind: type[T]) -> Iterator[T]:
    """The objects of a JSON Lines file (plain, `.gz` or `.zst`) as records of a type.

    Raises:
        InputError: it is not there, or a line is not such an object.
    """
    return (row for _, row in numbered(path, kind))


def numbered(path: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """`rows` with the numbers of their lines, from 1; empty lines are passed over."""
    decoder = msgspec.json.Decoder(kind, strict=False)  # years are texts here, numbers there
    for number, line in lines(path):
        try:
            yield number, decoder.decode(line)
        except msgspec.DecodeError as error:
            raise InputError(f"'{path}', line {number}: {error}.", "Mend the line, or leave the set out.") from error


def judgements(path: Path) -> dict[str, dict[str, int]]:
    """Question -> paper -> grade, of a table `question, paper, grade` with tabs and a header line.

    Raises:
        InputError: it is not there, or a line is not such a row.
    """
    found: dict[str, dict[str, int]] = {}
    for number, line in lines(path):
        cells = line.rstrip("\r\n").split("\t")
        if number == 1 and not cells[-1].strip().lstrip("-").isdigit():
            continue
        try:
            question, paper, grade = cells[0], cells[1], int(cells[2])
        except (IndexError, ValueError) as error:
            raise InputError(
                f"'{path}', line {number}: not a question, a paper and a grade (a whole number) with tabs between.",
                "Mend the line.",
            ) from error
        found.setdefault(question, {})[paper] = grade
    return found


def asked(text: str, path: Path, number: int) -> str:
    """The words of a question, which has to have some.

    Raises:
        InputError: it has none.
    """
    if words := text.strip():
        return words
    raise InputError(f"'{path}', line {number}: the question is empty.", "Write it, or take the line out.")


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    try:
        with open_file(path) as packed, _unpacked(packed, path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"'{path}' cannot be read: {error}.", "Look whether it is there and whole.") from error


def _unpacked(packed: io.BufferedReader, path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(packed, "rt", encoding="utf-8")
    if path.suffix == ".zst":
        try:
            import zstandard
        except ModuleNotFoundError as error:
            raise InputError(
                f"'{path}' is compressed by Zstandard, and zstandard is not installed.", "pip install zstandard"
            ) from error
        return io.TextIOWrapper(zstandard.open(packed, "rb"), encoding="utf-8")
    return io.TextIOWrapper(packed, encoding="utf-8")
