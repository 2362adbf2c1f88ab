"""Lines to the rows and cells of a table: by its rules where it has some, else by the space between columns.

A cell may be wrapped over several lines. Three things show it: lines of one row stand closer than rows do; the first
word would not have fitted on the line above; and a cell that goes on stands right below what it goes on with.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.lines import Edges
from conspectus.parse.pdf.page_text import Graphic, PdfLine, Word, around
from conspectus.parse.pdf.thresholds import ALIKE, LINES, TABLES
from conspectus.records import Rect

_MOST_ROWS, _MOST_COLUMNS = 400, 60
_VALUE = re.compile(r"[<>≤≥~≈±+\-−‐–—]*\s*[.·]?\d[\d.,·%\s]*")
"""A number that is whole: the number below it is another one."""
_MOST_HEADS = 4
"""More lines above the first rule are no head."""
_LEAST_CELLS = 2
"""Some row of a table has at least so many cells that are not empty."""
_BESIDE = ("(", "[", "±")
"""What a value's uncertainty or share begins with, which may be set below it."""
Cells = Sequence[Sequence[Word]]


def find_cells(lines: list[PdfLine], edges: dict[PdfLine, Edges]) -> set[PdfLine]:
    """The lines that share their row with another line of the same column, as the cells of a table do."""
    return {line for row in _rows(lines, edges).values() if len(row) > 1 for line in row}


def column_heads(lines: list[PdfLine], edges: dict[PdfLine, Edges]) -> set[PdfLine]:
    """The lines of rows whose every phrase is aligned with one in the next row of the same column of the page.

    The phrases stand further apart than the sentences of a justified line, which are aligned at both ends too.
    """
    rows = sorted(_rows(lines, edges).items(), key=lambda item: (item[0][0].left, item[0][1]))
    head_lines: set[PdfLine] = set()
    for ((column, _), row), ((other, _), following) in pairwise(rows):
        heads = split_phrases((word for line in row for word in line.words), LINES.gap) if column == other else []
        if len(heads) > 1:
            below = split_phrases(word for line in following for word in line.words)
            if len(heads) <= len(below) and all(any(are_aligned(head, cell) for cell in below) for head in heads):
                head_lines.update(row)
    return head_lines


def _rows(lines: list[PdfLine], edges: dict[PdfLine, Edges]) -> dict[tuple[Edges, int], list[PdfLine]]:
    """The lines by their row and their column of the page, without notes in the margin."""
    rows: dict[tuple[Edges, int], list[PdfLine]] = defaultdict(list)
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


def table_cells(
    box: Rect, lines: Sequence[PdfLine], graphics: Sequence[Graphic]
) -> tuple[tuple[tuple[str, ...], ...], tuple[Rect, ...]]:
    """The rows of the table in `box`, all of one length, and where each stands; empty where columns cannot be told."""
    words = [word for line in lines for word in line.words]
    if not words:
        return (), ()
    rules = [g.box for g in graphics if g.kind == "rule"]
    upright, across = _upright_rules(box, rules), _inner_rules(box, rules)
    printed = _without_subscripts(_by_base(words))
    ruled = _ruled_rows(printed, across, bool(upright))
    bounds = upright or _gaps(box, ruled or printed)
    if not 1 <= len(bounds) < _MOST_COLUMNS or not 2 <= len(ruled or printed) <= _MOST_ROWS:
        return (), ()
    rows = ruled or [
        [word for i in row for word in printed[i]]
        for row in split_rows([_split(line, bounds, bool(upright)) for line in printed], across)
    ]
    cells = tuple(tuple(_text(cell) for cell in _split(row, bounds, bool(upright))) for row in rows)
    return cells, tuple(around(word.box for word in row) for row in rows)


def _inner_rules(box: Rect, rules: Sequence[Rect]) -> list[float]:
    """The heights of rules that run through the whole table."""
    width = box[2] - box[0]
    heights: list[float] = []
    for rule in sorted(rules, key=lambda r: r[1]):
        if rule[2] - rule[0] > TABLES.across * width and (not heights or rule[1] - heights[-1] > 4):
            heights.append(rule[1])
    return heights


def _ruled_rows(lines: Sequence[list[Word]], heights: list[float], grid: bool) -> list[list[Word]]:
    """The words between rules, where every row has its rule; none where not.

    In a `grid` with upright rules too, few rules across suffice to say so.
    """
    if len(heights) - 1 < (3 if grid else max(4, TABLES.ruled * len(lines))):
        return []
    ruled: dict[int, list[Word]] = {}
    for line in lines:
        for word in sorted(line, key=lambda w: w.x0):
            middle = (word.top + word.bottom) / 2
            ruled.setdefault(sum(height < middle for height in heights), []).append(word)
    return [ruled[key] for key in sorted(ruled)]


def _by_base(words: Sequence[Word]) -> list[list[Word]]:
    return split_runs(
        sorted(words, key=lambda w: w.base),
        lambda line, word: word.base - line[0].base < TABLES.row * max(word.style.size, line[0].style.size),
    )


def _without_subscripts(lines: list[list[Word]]) -> list[list[Word]]:
    """The same with rows of nothing but subscripts put into the rows above them."""
    rows: list[list[Word]] = []
    for line in lines:
        above = rows[-1] if rows else []
        small = above and max(w.style.size for w in line) < ALIKE.small * max(w.style.size for w in above)
        if small and line[0].base - above[0].base < TABLES.below * above[0].style.size:
            above += line
        else:
            rows.append(line)
    return rows


def _upright_rules(box: Rect, rules: Sequence[Rect]) -> list[float]:
    """The x of upright rules inside the table that together run through most of its height."""
    height = box[3] - box[1]
    upright = sorted((r for r in rules if r[3] - r[1] > r[2] - r[0]), key=lambda r: r[0])
    rule_groups = split_runs(upright, lambda group, rule: rule[0] - group[0][0] < 3)
    return [
        group[0][0]
        for group in rule_groups
        if sum(r[3] - r[1] for r in group) > TABLES.upright * height and box[0] + 5 < group[0][0] < box[2] - 5
    ]


def _gaps(box: Rect, rows: Sequence[Sequence[Word]]) -> list[float]:
    """The middles of the white space that runs down the table; a few rows, such as heads over columns, may cross it."""
    start, width = int(box[0]) - 2, int(box[2] - box[0]) + 5
    covered = [0] * width
    for row in rows:
        row_cover = bytearray(width)
        for word in row:
            reach = TABLES.reach * word.style.size
            first, last = max(int(word.x0) - start, 0), min(int(word.x1 + reach) - start, width - 1)
            for x in range(first, last + 1):
                row_cover[x] = 1
        covered = [a + b for a, b in zip(covered, row_cover, strict=True)]
    allowed = 0 if len(rows) < 4 else max(1, len(rows) // 8)
    bounds: list[float] = []
    begin: int | None = None
    for x, count in enumerate(covered):
        if count <= allowed:
            begin = x if begin is None else begin
            continue
        if begin is not None and x - begin >= TABLES.gap and begin > 0 and any(covered[:begin]):
            bounds.append(start + (begin + x) / 2)
        begin = None
    return bounds


def _split(row: Sequence[Word], bounds: Sequence[float], ruled: bool) -> list[list[Word]]:
    """The row's words by column: what is over several is in the first of them.

    Without rules between columns, words a mere space apart stay together.
    """
    cells: list[list[Word]] = [[] for _ in range(len(bounds) + 1)]
    for phrase in ([word] for word in row) if ruled else split_phrases(row):
        x0, x1 = min(w.x0 for w in phrase), max(w.x1 for w in phrase)
        reach = phrase[0].style.size
        over = next((i for i, bound in enumerate(bounds) if x0 + reach < bound < x1 - reach), None)
        cells[sum(bound < (x0 + x1) / 2 for bound in bounds) if over is None else over] += phrase
    return cells


def _text(words: Sequence[Word]) -> str:
    """The words as they stand: line by line, and from left to right. Words broken by a hyphen are mended."""
    text = ""
    for line in _by_base(words):
        before: Word | None = None
        if text.endswith("-") and text[-2:-1].isalpha() and min(line, key=lambda w: w.x0).text[0].islower():
            text = text[:-1]
            before = Word("", line[0].x0, min(w.x0 for w in line), line[0].base, line[0].style)
        for word in sorted(line, key=lambda w: w.x0):
            close = before is not None and word.x0 - before.x1 < TABLES.close * max(word.style.size, before.style.size)
            text += ("" if close or not text else " ") + word.text
            before = word
    return text


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table: its cells from left to right, empty ones too, and how far it is below the line above."""

    cells: Cells
    step: float

    @property
    def filled_columns(self) -> frozenset[int]:
        """The columns in which something stands."""
        return frozenset(i for i, cell in enumerate(self.cells) if cell)


def split_rows(lines: Sequence[Cells], breaks: Sequence[float]) -> list[list[int]]:
    """The numbers of the lines that make each row; empty if it is not clear which lines are rows.

    Args:
        lines: The cells of each line, from the top.
        breaks: The heights at which a rule runs through the table.
    """
    bases = [min(word.base for cell in line for word in cell) for line in lines]
    table = [
        TableLine(line, base - before) for line, base, before in zip(lines, bases, [bases[0], *bases], strict=False)
    ]
    parted = {i for i in range(1, len(lines)) if any(bases[i - 1] < height < bases[i] for height in breaks)}
    return _Rows(table, parted).rows()


class _Rows:
    """Decides line by line, by what is usual in the table."""

    def __init__(self, lines: Sequence[TableLine], parted: set[int]) -> None:
        self._lines, self._parted = lines, parted
        inner = [line.step for i, line in enumerate(lines) if i and i not in parted]
        self._close = min(inner, default=0.0) * TABLES.close_rows
        columns = range(len(lines[0].cells))
        self._widths = [max((_width(line.cells[c]) for line in lines), default=0.0) for c in columns]
        most = max(len(line.filled_columns) for line in lines)
        self._full = {i for i, line in enumerate(lines) if len(line.filled_columns) >= TABLES.full_line * most}
        head = min(parted, default=0)
        self._head = head if head <= _MOST_HEADS else 0
        self._lower = [self._begins_lower(c) for c in columns]
        self._spaced = self._is_spaced(inner)

    def rows(self) -> list[list[int]]:
        """The rows; none if lines that are neither rows nor parts of one are more than a few."""
        rows: list[list[int]] = []
        doubtful = 0
        if all(len(line.filled_columns) < _LEAST_CELLS for line in self._lines):
            return []
        for i in range(len(self._lines)):
            if rows and i not in self._parted and (self._goes_on(rows[-1], i) or self._names_on(rows[-1], i)):
                rows[-1].append(i)
            else:
                doubtful += i > self._head and i not in self._parted and self._is_rest(i)
                rows.append([i])
        return rows if doubtful <= TABLES.doubtful * len(self._lines) else []

    def _names_on(self, row: Sequence[int], i: int) -> bool:
        """Whether line `i` of the head goes on with names of columns that begin above it: they end at one height.

        A name that is over several columns is above the middle or the edge of none of them.
        """
        if i >= self._head:
            return False
        upper, lower = self._lines[row[-1]].cells, self._lines[i].cells
        pairs = [(above, cell) for above, cell in zip(upper, lower, strict=True) if above]
        return all(cell and are_aligned(above, cell) for above, cell in pairs)

    def _begins_lower(self, column: int) -> bool:
        """Whether the column's cells begin with small letters anyway."""
        cells = [self._lines[i].cells[column] for i in self._full]
        return 2 * sum(bool(cell) and cell[0].text[0].islower() for cell in cells) > len(cells)

    def _is_spaced(self, steps: Sequence[float]) -> bool:
        """Whether rows stand further apart than the lines of one: most full lines have a wider space above them."""
        wide = [step > self._close for step in steps]
        if not 0 < sum(wide) < len(wide):
            return False
        rows = [self._lines[i].step > self._close for i in self._full if i and i not in self._parted]
        return bool(rows) and sum(rows) >= TABLES.spaced_rows * len(rows)

    def _goes_on(self, row: Sequence[int], i: int) -> bool:
        """Whether line `i` is a part of the row that the lines before it make."""
        line, above = self._lines[i], self._lines[row[-1]]
        if line.step > self._close:
            return False
        if self._spaced and i not in self._full:
            return True
        if not line.filled_columns <= above.filled_columns:
            return False
        pairs = [(c, above.cells[c], line.cells[c]) for c in sorted(line.filled_columns)]
        if i in self._full and len(line.filled_columns) > 1:
            return all(self._reads_on(c, upper, lower) for c, upper, lower in pairs)
        return all(
            self._reads_on(c, upper, lower) or self._does_not_fit(c, upper, lower, alone=len(pairs) == 1)
            for c, upper, lower in pairs
        )

    def _reads_on(self, column: int, above: Sequence[Word], cell: Sequence[Word]) -> bool:
        """Whether a cell's line reads like the rest of the line above it: of a word, a sentence, or a value."""
        upper, lower = (" ".join(word.text for word in words) for words in (above, cell))
        if lower.startswith(_BESIDE) and (upper[-1].isdigit() or upper[-1] == "%"):
            return True
        return lower[0].islower() and (upper[-1] in "-‐" or not self._lower[column])

    def _does_not_fit(self, column: int, above: Sequence[Word], cell: Sequence[Word], *, alone: bool) -> bool:
        """Whether the line's first word had no room on the line above. One that is `alone` may be a heading of rows."""
        if _VALUE.fullmatch(" ".join(word.text for word in cell)):
            return False
        first = [word for i, word in enumerate(cell) if i == 0 or all(w.glued for w in cell[1 : i + 1])]
        needed = _width(above) + TABLES.space * cell[0].style.size + _width(first)
        widest = self._widths[column]
        return needed > widest and not (alone and _width(above) < TABLES.nearly_full * widest)

    def _is_rest(self, i: int) -> bool:
        """Whether a line has words only, and not in the first column: no row begins so."""
        line = self._lines[i]
        cells = [" ".join(word.text for word in line.cells[c]) for c in line.filled_columns]
        return 0 not in line.filled_columns and i not in self._full and not any(_VALUE.match(cell) for cell in cells)


def _width(words: Sequence[Word]) -> float:
    return max(word.x1 for word in words) - min(word.x0 for word in words) if words else 0.0
