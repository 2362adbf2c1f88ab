"""Rewrites a PDF so that its text is stored row by row across the columns, looking the same.

For files as pdfTeX writes them: every shown string follows a move (`Td`) or a matrix (`Tm`). Run
`python scramble.py IN.pdf OUT.pdf`. Needs pypdf.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, ContentStream, FloatObject

Matrix = tuple[float, float, float, float, float, float]
UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_STATE = (b"Tf", b"Tc", b"Tw", b"Tz", b"Ts", b"Tr")
_ROW = 4.6
"""What is no further apart than this many points is on one row."""
_COLOUR = (b"g", b"rg", b"k", b"sc", b"scn", b"cs")


@dataclass
class _Chunk:
    """Strings shown one after the other without a move, with all that they need, in page space."""

    matrix: Matrix
    state: list[tuple[Any, bytes]]
    shown: list[tuple[Any, bytes]]


def times(one: Matrix, two: Matrix) -> Matrix:
    """`one` applied before `two`."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = two
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def scramble(source: Path, target: Path) -> None:
    """Writes `target`: what `source` shows, its upright text from top to bottom and in each row from left to right."""
    reader = PdfReader(source)
    writer = PdfWriter()
    writer.append(reader)
    for page in writer.pages:
        stream = ContentStream(page.get_contents(), writer)
        rest, chunks = _taken_apart(stream.operations)
        stream.operations = rest + [operation for chunk in _by_rows(chunks) for operation in _operations(chunk)]
        page.replace_contents(stream)
    writer.write(target)


def _by_rows(chunks: list[_Chunk]) -> list[_Chunk]:
    """From top to bottom and left to right; superscripts are on the row of their line."""
    rows: list[list[_Chunk]] = []
    for chunk in sorted(chunks, key=lambda chunk: -chunk.matrix[5]):
        if not rows or rows[-1][0].matrix[5] - chunk.matrix[5] > _ROW:
            rows.append([])
        rows[-1].append(chunk)
    return [chunk for row in rows for chunk in sorted(row, key=lambda chunk: chunk.matrix[4])]


def _taken_apart(operations: list[tuple[Any, bytes]]) -> tuple[list[tuple[Any, bytes]], list[_Chunk]]:
    """What is no text, as it stands, and the shown strings. Turned text stays with the rest."""
    rest: list[tuple[Any, bytes]] = []
    chunks: list[_Chunk] = []
    ctm, stack, line, moved = UNIT, [], UNIT, True
    state: dict[bytes, tuple[Any, bytes]] = {}
    text: list[tuple[Any, bytes]] = []
    own: list[_Chunk] = []
    for operands, operator in operations:
        if operator == b"BT":
            line, text, own = UNIT, [], []
        text.append((operands, operator))
        if operator in _STATE or operator in _COLOUR:
            state[operator if operator in _STATE else b"colour"] = (operands, operator)
        if operator == b"q":
            stack.append((ctm, dict(state)))
        elif operator == b"Q" and stack:
            ctm, state = stack.pop()
        elif operator == b"cm":
            ctm = times(_matrix(operands), ctm)
        elif operator in (b"Td", b"TD"):
            line = times((1.0, 0.0, 0.0, 1.0, float(operands[0]), float(operands[1])), line)
        elif operator == b"Tm":
            line = _matrix(operands)
        elif operator in (b"TJ", b"Tj"):
            if moved or not own:
                own.append(_Chunk(times(line, ctm), list(state.values()), []))
            own[-1].shown.append((operands, operator))
            moved = False
        moved = moved or operator in (b"Td", b"TD", b"Tm", b"BT")
        if operator == b"ET":
            upright = all(abs(chunk.matrix[1]) < 1e-3 for chunk in own)
            if upright:
                chunks += own
                rest += [each for each in text if each[1] in _COLOUR or each[1] in (b"Tf",)]
            else:
                rest += text
            text = []
        elif not text or text[0][1] != b"BT":
            rest += text
            text = []
    return rest + text, chunks


def _matrix(operands: Any) -> Matrix:
    a, b, c, d, e, f = map(float, operands)
    return a, b, c, d, e, f


def _operations(chunk: _Chunk) -> list[tuple[Any, bytes]]:
    matrix = ArrayObject([FloatObject(round(value, 5)) for value in chunk.matrix])
    nothing = ArrayObject()
    return [
        (nothing, b"q"),
        (nothing, b"BT"),
        *chunk.state,
        (matrix, b"Tm"),
        *chunk.shown,
        (nothing, b"ET"),
        (nothing, b"Q"),
    ]


if __name__ == "__main__":
    scramble(Path(sys.argv[1]), Path(sys.argv[2]))
