"""A table's lines of text to rows of cells: by its rules where it has some, else by the space between columns."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.core.grouped import runs
from conspectus.parse.pdf.boxes import around
from conspectus.parse.pdf.model import Graphic, Line, Word
from conspectus.parse.pdf.thresholds import ALIKE, TABLES
from conspectus.records import Rect

_MOST_ROWS, _MOST_COLUMNS = 400, 60


def table_cells(
    box: Rect, lines: Sequence[Line], graphics: Sequence[Graphic]
) -> tuple[tuple[tuple[str, ...], ...], tuple[Rect, ...]]:
    """The rows of the table in `box`, all of one length, and where each stands; empty where columns cannot be told."""
    words = [word for line in lines for word in line.words]
    if not words:
        return (), ()
    rules = [g.box for g in graphics if g.kind == "rule"]
    upright = _upright_rules(box, rules)
    rows = _rows(words, _inner_rules(box, rules), bool(upright))
    if not 2 <= len(rows) <= _MOST_ROWS:
        return (), ()
    bounds = upright or _gaps(box, rows)
    if not 1 <= len(bounds) < _MOST_COLUMNS:
        return (), ()
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


def _rows(words: Sequence[Word], heights: list[float], grid: bool) -> list[list[Word]]:
    """Words by baseline; where every row has its rule, by rules, so that cells of several lines stay whole.

    In a `grid` with upright rules too, few rules across suffice to say so.
    """
    lines = _without_subscripts(_by_base(words))
    if len(heights) - 1 < (3 if grid else max(4, TABLES.ruled * len(lines))):
        return lines
    ruled: dict[int, list[Word]] = {}
    for line in lines:
        for word in sorted(line, key=lambda w: w.x0):
            middle = (word.top + word.bottom) / 2
            ruled.setdefault(sum(height < middle for height in heights), []).append(word)
    return [ruled[key] for key in sorted(ruled)]


def _by_base(words: Sequence[Word]) -> list[list[Word]]:
    return runs(
        sorted(words, key=lambda w: w.base),
        lambda line, word: word.base - line[0].base < TABLES.row * max(word.style.size, line[0].style.size),
    )


def _without_subscripts(lines: list[list[Word]]) -> list[list[Word]]:
    """The same with rows of nothing but subscripts put into the rows above them."""
    kept: list[list[Word]] = []
    for line in lines:
        above = kept[-1] if kept else []
        small = above and max(w.style.size for w in line) < ALIKE.small * max(w.style.size for w in above)
        if small and line[0].base - above[0].base < TABLES.below * above[0].style.size:
            above += line
        else:
            kept.append(line)
    return kept


def _upright_rules(box: Rect, rules: Sequence[Rect]) -> list[float]:
    """The x of upright rules inside the table that together run through most of its height."""
    height = box[3] - box[1]
    upright = sorted((r for r in rules if r[3] - r[1] > r[2] - r[0]), key=lambda r: r[0])
    found = runs(upright, lambda group, rule: rule[0] - group[0][0] < 3)
    return [
        group[0][0]
        for group in found
        if sum(r[3] - r[1] for r in group) > TABLES.upright * height and box[0] + 5 < group[0][0] < box[2] - 5
    ]


def _gaps(box: Rect, rows: Sequence[Sequence[Word]]) -> list[float]:
    """The middles of the white space that runs down the table; a few rows, such as heads over columns, may cross it."""
    start, width = int(box[0]) - 2, int(box[2] - box[0]) + 5
    covered = [0] * width
    for row in rows:
        own = bytearray(width)
        for word in row:
            reach = TABLES.reach * word.style.size
            first, last = max(int(word.x0) - start, 0), min(int(word.x1 + reach) - start, width - 1)
            for x in range(first, last + 1):
                own[x] = 1
        covered = [a + b for a, b in zip(covered, own, strict=True)]
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
    """The row's words by column. Without rules between columns, words a mere space apart stay together."""
    cells: list[list[Word]] = [[] for _ in range(len(bounds) + 1)]
    for phrase in ([word] for word in row) if ruled else _phrases(row):
        middle = (min(w.x0 for w in phrase) + max(w.x1 for w in phrase)) / 2
        cells[sum(bound < middle for bound in bounds)] += phrase
    return cells


def _phrases(row: Sequence[Word]) -> list[list[Word]]:
    ordered = sorted(row, key=lambda w: w.x0)
    return runs(ordered, lambda phrase, word: word.x0 - phrase[-1].x1 < TABLES.space * word.style.size)


def _text(words: Sequence[Word]) -> str:
    """The words as they stand: line by line, and from left to right."""
    text = ""
    for line in _by_base(words):
        before: Word | None = None
        for word in sorted(line, key=lambda w: w.x0):
            close = before is not None and word.x0 - before.x1 < TABLES.close * max(word.style.size, before.style.size)
            text += ("" if close or not text else " ") + word.text
            before = word
    return text
