"""Lines beside each other: displayed formulas, and cells of a table."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter

from conspectus.core.grouped import split_runs
from conspectus.parse.pdf.measure import Edges
from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.patterns import FINISHED, KNOWN, LABEL_ONLY, NUMBERED, unglued
from conspectus.parse.pdf.thresholds import ALIKE, GROUPS, LINES, TABLES


def is_formula(line: Line) -> bool:
    """Whether the line is a formula or a piece of one rather than running text."""
    if line.wordlike > 3 or len(line.text) > 80 or KNOWN.fullmatch(unglued(line.text)) or is_headlike(line):
        return False
    return line.word_letters < GROUPS.formula * len(line.text.replace(" ", ""))


def _is_symbol(line: Line) -> bool:
    """Whether the line is one letter with an index, which together may look like a word: `n` with `ik` below."""
    first, *others = line.words
    if not others or len(line.text) > 6 or len(first.text) > 1 or " " in line.text:
        return False
    return all(
        GROUPS.index_least * first.style.size < word.style.size < ALIKE.index * first.style.size
        and abs(word.base - first.base) > GROUPS.index_off * first.style.size
        for word in others
    )


def _touches(piece: Line, other: Line) -> bool:
    """Whether two pieces of a formula stand next to each other, closer than cells of a table."""
    gap = max(piece.x0, other.x0) - min(piece.x1, other.x1)
    return gap < 0.5 * piece.words[0].style.size and abs(piece.base - other.base) < 2 * piece.words[0].style.size


def is_headlike(line: Line) -> bool:
    """Whether the line reads like a numbered heading."""
    return NUMBERED.fullmatch(line.text) is not None and line.wordlike >= 1 and len(line.text) < 80


def displayed_formulas(lines: list[Line], edges: dict[Line, Edges], leading: float) -> set[Line]:
    """The formula lines that share their row with no running text: they stand on rows of their own."""
    formulas = {line for line in lines if is_formula(line)}
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        beside = [other for other in (before, after) if other is not None and other in formulas]
        if _is_symbol(line) and any(_touches(line, other) for other in beside):
            formulas.add(line)
    prose = sorted((line for line in lines if line not in formulas), key=attrgetter("base"))
    bases = [line.base for line in prose]
    alone = set()
    for last, line in zip([None, *lines], lines, strict=False):
        if last is not None and _is_tail(last, line, edges, leading):
            continue
        near = prose[bisect_left(bases, line.base - GROUPS.reach) : bisect_right(bases, line.base + GROUPS.reach)]
        if LABEL_ONLY.fullmatch(line.text) or (line in formulas and not any(_same_row(line, other) for other in near)):
            alone.add(line)
    return alone


def _is_tail(last: Line, line: Line, edges: dict[Line, Edges], leading: float) -> bool:
    """Whether the line is the short end of a paragraph, such as the `1.` of `see Table 1.`, rather than a formula."""
    step = line.base - last.base
    near = 0 < step < max(ALIKE.step * line.size, ALIKE.leading * leading) and abs(line.x0 - edges[line].left) < 2
    if not near or last.wordlike < 3:
        return False
    # Below a line that is short itself, it must stand as close as text does and end like a sentence.
    begun = abs(last.x0 - edges[last].left) < 2 and abs(last.size - line.size) < ALIKE.size
    close = (
        begun
        and GROUPS.tail_least * leading < step < GROUPS.tail_most * leading
        and FINISHED.search(line.text) is not None
    )
    return close or last.x1 > edges[last].right - GROUPS.tail_full * edges[last].width


def _same_row(piece: Line, line: Line) -> bool:
    """Whether a piece of a formula stands within a line of text: at its height, and near."""
    reach = GROUPS.about * line.size
    overlaps = (
        piece.base - GROUPS.height * piece.size < line.base + reach
        and piece.base > line.base - GROUPS.height * line.size - reach
    )
    return overlaps and piece.x0 < line.x1 + 3 * line.size and piece.x1 > line.x0 - 3 * line.size


def cells(lines: list[Line], edges: dict[Line, Edges]) -> set[Line]:
    """The lines that share their row with another line of the same column, as the cells of a table do."""
    return {line for row in _rows(lines, edges).values() if len(row) > 1 for line in row}


def column_heads(lines: list[Line], edges: dict[Line, Edges]) -> set[Line]:
    """The lines of rows whose every phrase is aligned with one in the next row of the same column of the page.

    The phrases stand further apart than the sentences of a justified line, which are aligned at both ends too.
    """
    rows = sorted(_rows(lines, edges).items(), key=lambda item: (item[0][0].left, item[0][1]))
    found: set[Line] = set()
    for ((column, _), row), ((other, _), following) in pairwise(rows):
        heads = split_phrases((word for line in row for word in line.words), LINES.gap) if column == other else []
        if len(heads) > 1:
            below = split_phrases(word for line in following for word in line.words)
            if len(heads) <= len(below) and all(any(are_aligned(head, cell) for cell in below) for head in heads):
                found.update(row)
    return found


def _rows(lines: list[Line], edges: dict[Line, Edges]) -> dict[tuple[Edges, int], list[Line]]:
    """The lines by their row and their column of the page, without notes in the margin."""
    rows: dict[tuple[Edges, int], list[Line]] = defaultdict(list)
    for line in lines:
        column = edges[line]
        if line.x1 > column.left - 1:
            rows[column, round(line.base / 2)].append(line)
    return rows


def split_phrases(words: Iterable[Word], space: float = TABLES.space) -> list[list[Word]]:
    """The words of a row in phrases that are at least `space` (in font sizes) apart: by default the cells of a row."""
    ordered = sorted(words, key=attrgetter("x0"))
    return split_runs(ordered, lambda phrase, word: word.x0 - phrase[-1].x1 < space * word.style.size)


def are_aligned(above: Sequence[Word], below: Sequence[Word]) -> bool:
    """Whether two cells have their left edge, their right edge or their middle in common."""
    (x0, x1), (other_x0, other_x1) = ((min(w.x0 for w in cell), max(w.x1 for w in cell)) for cell in (above, below))
    return min(abs(x0 - other_x0), abs(x1 - other_x1), abs(x0 + x1 - other_x0 - other_x1) / 2) < TABLES.aligned
