"""A table's lines of text to rows of cells: by its rules where it has some, else by the space between columns."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.core.grouped import split_runs
from conspectus.parse.pdf.boxes import around
from conspectus.parse.pdf.model import Graphic, Line, Word
from conspectus.parse.pdf.rows import split_phrases
from conspectus.parse.pdf.thresholds import ALIKE, TABLES
from conspectus.parse.pdf.wraps import rows_of
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
    upright, across = _upright_rules(box, rules), _inner_rules(box, rules)
    printed = _without_subscripts(_by_base(words))
    ruled = _ruled_rows(printed, across, bool(upright))
    bounds = upright or _gaps(box, ruled or printed)
    if not 1 <= len(bounds) < _MOST_COLUMNS or not 2 <= len(ruled or printed) <= _MOST_ROWS:
        return (), ()
    rows = ruled or _wrapped_rows(printed, bounds, across, bool(upright))
    cells = tuple(tuple(_text(cell) for cell in _split(row, bounds, bool(upright))) for row in rows)
    return cells, tuple(around(word.box for word in row) for row in rows)


def _wrapped_rows(
    lines: Sequence[list[Word]], bounds: Sequence[float], across: Sequence[float], upright: bool
) -> list[list[Word]]:
    """The rows that the lines make; none where they cannot be told from lines of wrapped cells."""
    rows = rows_of([_split(line, bounds, upright) for line in lines], across)
    return [[word for i in row for word in lines[i]] for row in rows]


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
    found = split_runs(upright, lambda group, rule: rule[0] - group[0][0] < 3)
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
