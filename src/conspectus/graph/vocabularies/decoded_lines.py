"""Lines of a text file of a vocabulary, in whatever encoding it is."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO

from conspectus.graph.vocabularies.gathering import Gathered

LONGEST = 1_000_000
"""Characters of a line: a definition has 5,000."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_lines(stream: BinaryIO, name: str, found: Gathered) -> Iterator[tuple[int, str]]:
    r"""Yield `(number, line)` for each line, from 1, with `\n` at its end; close the stream.

    A line that is too long is left out. One that is not UTF-8 is read as Windows-1252. Both are reported to `found`.
    """
    head = stream.peek(2)[:2] if isinstance(stream, io.BufferedReader) else b""
    encoding, errors = ("utf-16", "replace") if head in _UTF_16 else ("utf-8-sig", "surrogateescape")
    with io.TextIOWrapper(stream, encoding, errors) as text:
        number = 0
        while line := text.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith("\n"):
                found.leave_out(name, number, f"longer than {LONGEST:,} characters", line)
                while line and not line.endswith("\n"):
                    line = text.readline(LONGEST)
            else:
                yield number, _decoded(line, name, number, found)


def _decoded(line: str, name: str, number: int, found: Gathered) -> str:
    """Return the line with the bytes that are not UTF-8 as Windows-1252 has them."""
    try:
        line.encode()
    except UnicodeEncodeError:
        found.report(f"line {number} of '{name}' is not UTF-8 and was read as Windows-1252")
        return line.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return line
