"""Listings of programs: lines in a font whose characters are equally wide, or whose letters are spaced out so.

Their blocks keep the lines with their indents, as those of rows of words that are no sentences do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from conspectus.parse.blocks import listing_sentences
from conspectus.parse.pdf.groups import Group, Role, merged
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Frame, Line, PageText, Word, in_rows
from conspectus.parse.pdf.text import Piece, places_of
from conspectus.parse.pdf.thresholds import ALIKE, TABLES
from conspectus.parse.sentences import stripped
from conspectus.records import Block, BlockKind, Sentence

_SAMPLES, _LEAST_SAMPLES, _LEAST_LETTERS = 80, 4, 8
"""Fonts are told by so many words at most, at least, and so many letters of the alphabet among them."""

_ADDRESS = re.compile(r"://|www\.|@|doi\.org|10\.\d{4,}/")
_SIGNS = re.compile(r"[(){}\[\]=;<>_/#$|\\*]|--|\.\w+\(")
_LEAST_SPACED = 8
"""Letters that are spaced out are so many."""

_WHOLE = 3
"""So many lines of such a font are a listing wherever they stand; fewer must be set apart."""
_WIDEST = 200
"""No more columns of white space are kept."""

_Row = list[tuple[Line, Word]]


def find_listings(pages: Sequence[PageText], body: Usual, edges: dict[Line, Edges]) -> set[Line]:
    """The lines that are of listings."""
    fonts = monospaced(pages) - {body.font}
    found: set[Line] = set()
    for page in pages:
        rows = in_rows(page.lines, lambda line: ALIKE.row * line.size)
        kinds = [all(_is_code(line, fonts) for line in row) for row in rows]
        at = 0
        for is_code, run in groupby(kinds):
            count = len(list(run))
            if is_code and _is_listing(rows, at, count, body, edges):
                found.update(line for row in rows[at : at + count] for line in row)
            at += count
    return found


def monospaced(pages: Sequence[PageText]) -> set[str]:
    """The names of the fonts whose characters are equally wide, as their words show."""
    samples: dict[str, list[Word]] = {}
    known: set[str] = set()
    for page in pages:
        for line in page.lines:
            for word in line.words:
                font = word.style.font
                if font not in known and len(word.text) > 2 and word.text.isascii() and not word.raised:
                    own = samples.setdefault(font, [])
                    own.append(word)
                    if len(own) == _SAMPLES:
                        known.add(font)
    return {font for font, words in samples.items() if _is_even(words)}


def _is_even(words: Sequence[Word]) -> bool:
    widths = sorted((word.x1 - word.x0) / (len(word.text) * word.style.size) for word in words)
    letters = {char for word in words for char in word.text if char.isalpha()}
    if len(words) < _LEAST_SAMPLES or len(letters) < _LEAST_LETTERS:
        return False
    low, high = widths[len(widths) // 10], widths[-1 - len(widths) // 10]
    return high - low < TABLES.same * high


def _is_code(line: Line, fonts: set[str]) -> bool:
    """Whether most of the line is in one of the fonts, and not the address of a page or a person."""
    if _is_spaced_out(line):
        return True
    if not fonts:
        return False
    own = [word.text for word in line.words if word.style.font in fonts]
    if not own:
        return False
    letters = sum(len(text) for text in own if not _ADDRESS.search(text))
    return letters >= TABLES.code * sum(len(word.text) for word in line.words)


def _is_spaced_out(line: Line) -> bool:
    """Whether nearly all words are single letters, as where a program's letters are set in columns."""
    words = line.words
    if len(words) < _LEAST_SPACED or sum([len(word.text) == 1 for word in words]) < TABLES.spaced * len(words):
        return False
    middles = [(word.x0 + word.x1) / 2 for word in words]
    steps = sorted(b - a for a, b in pairwise(middles))
    cell = steps[len(steps) // 4] or 1.0
    even = sum(abs(step / cell - round(step / cell)) < TABLES.uneven for step in steps)
    return even > TABLES.even * len(steps) and line.text.isascii() and not line.text.isupper()


def _is_listing(rows: Sequence[list[Line]], at: int, count: int, body: Usual, edges: dict[Line, Edges]) -> bool:
    """Whether rows in such a font are a listing, rather than words of a paragraph that fill its lines."""
    own = rows[at : at + count]
    text = " ".join(line.text for row in own for line in row)
    if any(_is_spaced_out(line) for row in own for line in row):
        return count > 1 and _SIGNS.search(text) is not None
    if count >= _WHOLE:
        return True
    first, last = own[0][0], own[-1][-1]
    above = rows[at - 1][-1] if at else None
    below = rows[at + count][0] if at + count < len(rows) else None
    apart = ALIKE.leading * body.leading
    over = above is None or above.text.endswith(":") or not 0 < first.base - above.base < apart
    under = below is None or not 0 < below.base - last.base < apart
    inset = first.x0 > edges[first].left + body.size
    return len(text.split()) > 1 and over and (under or inset)


def join_listings(groups: Sequence[Group]) -> list[Group]:
    """`groups` with listings made one that go on at the head of the next column or page."""
    return merged(groups, lambda last, group: last.role == group.role == Role.CODE)


def listing_block(lines: Sequence[Line], frames: dict[int, Frame]) -> Block:
    """The listing with its line ends, indents and blank lines; short ones are one sentence."""
    rows = _rows(lines)
    cell = _cell(rows)
    lefts: dict[int, float] = {}
    for row in rows:
        page = row[0][0].page
        lefts[page] = min(lefts.get(page, row[0][1].x0), row[0][1].x0)
    usual = _median([step for above, row in pairwise(rows) if (step := _step(above, row)) > 0] or [1000])
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


def _block(
    kind: BlockKind, text: str, spans: Sequence[tuple[int, int]], pieces: Sequence[Piece], frames: dict[int, Frame]
) -> Block:
    sentences = []
    for start, end in spans:
        inside = [piece for piece in pieces if start <= piece.start < end]
        sentences.append(Sentence(*stripped(text, start, end), places_of(inside, frames)))
    return Block(kind, text, tuple(sentences))
