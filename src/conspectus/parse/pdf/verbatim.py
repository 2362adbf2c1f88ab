"""Blocks whose lines are kept: listings of programs with their indents, and rows of words that are no sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from conspectus.parse.blocks import listing_sentences
from conspectus.parse.pdf.model import Frame, Line, Word
from conspectus.parse.pdf.text import Piece, places_of
from conspectus.parse.pdf.thresholds import ALIKE, TABLES
from conspectus.parse.sentences import stripped
from conspectus.records import Block, BlockKind, Sentence

_WIDEST = 200
"""No more columns of white space are kept."""

_Row = list[tuple[Line, Word]]


def listing_block(lines: Sequence[Line], frames: dict[int, Frame]) -> Block:
    """The listing with its line ends, indents and blank lines; short ones are one sentence."""
    rows = _rows(lines)
    cell = _cell(rows)
    lefts: dict[int, float] = {}
    for row in rows:
        page = row[0][0].page
        lefts[page] = min(lefts.get(page, row[0][1].x0), row[0][1].x0)
    usual = _usual_step(rows)
    text, pieces = "", list[Piece]()
    for number, row in enumerate(rows):
        if number:
            text += "\n\n" if _step(rows[number - 1], row) > TABLES.blank * usual else "\n"
        begin = len(text)
        for line, word in row:
            column = min(round((word.x0 - lefts[line.page] + _slack(word, cell)) / cell), len(text) - begin + _WIDEST)
            glued = word.glued and len(text) > begin
            text += " " * max(column - (len(text) - begin), 0 if glued or len(text) == begin else 1)
            pieces.append(Piece(len(text), len(text) + len(word.text), word, line))
            text += word.text
    return _block("code", text, listing_sentences(text), pieces, frames)


def rows_block(lines: Sequence[Line], frames: dict[int, Frame]) -> Block:
    """A paragraph whose rows are its sentences; those without a word belong to the row before."""
    text, starts, pieces = "", list[int](), list[Piece]()
    for number, row in enumerate(_rows(lines)):
        text += "\n" if number else ""
        if not number or any(line.wordlike for line, _ in row):
            starts.append(len(text))
        for i, (line, word) in enumerate(row):
            text += " " if i and not word.glued else ""
            pieces.append(Piece(len(text), len(text) + len(word.text), word, line))
            text += word.text
    return _block("paragraph", text, list(zip(starts, [*starts[1:], len(text)], strict=True)), pieces, frames)


def _rows(lines: Sequence[Line]) -> list[_Row]:
    """The words of lines on one baseline, from left to right."""
    rows: list[_Row] = []
    for line in lines:
        last = rows[-1][-1][0] if rows else None
        if last is None or last.page != line.page or abs(last.base - line.base) > ALIKE.row * line.size:
            rows.append([])
        rows[-1] += [(line, word) for word in line.words]
    return [sorted(row, key=lambda placed: placed[1].x0) for row in rows]


def _cell(rows: Sequence[_Row]) -> float:
    """The width of a character: of fonts with one width, or of letters that are spaced out as if they had one."""
    words = [word for row in rows for _, word in row]
    if sum(len(word.text) == 1 for word in words) > TABLES.single * len(words):
        steps = [b.x0 + b.x1 - a.x0 - a.x1 for row in rows for (_, a), (_, b) in pairwise(row)]
        near = sorted(step / 2 for step in steps if step > 0.5)
        return near[len(near) // 4] if near else 5
    return _median([(word.x1 - word.x0) / len(word.text) for word in words]) or 5


def _slack(word: Word, cell: float) -> float:
    """How much further left the cell of the first character begins than the word, with a sign: narrow ones stand in
    the middle of their cells."""
    return ((word.x1 - word.x0) / len(word.text) - cell) / 2


def _step(above: _Row, row: _Row) -> float:
    """How far a row stands below another; 0 on another page."""
    one, two = above[0][0], row[0][0]
    return two.base - one.base if one.page == two.page else 0.0


def _median(values: list[float]) -> float:
    """As `statistics` has it, whose import takes longer than a page."""
    values.sort()
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _usual_step(rows: Sequence[_Row]) -> float:
    return _median([step for above, row in pairwise(rows) if (step := _step(above, row)) > 0] or [1000])


def _block(
    kind: BlockKind, text: str, spans: Sequence[tuple[int, int]], pieces: Sequence[Piece], frames: dict[int, Frame]
) -> Block:
    sentences = []
    for start, end in spans:
        inside = [piece for piece in pieces if start <= piece.start < end]
        sentences.append(Sentence(*stripped(text, start, end), places_of(inside, frames)))
    return Block(kind, text, tuple(sentences))
