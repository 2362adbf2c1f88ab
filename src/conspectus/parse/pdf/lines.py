"""Words to lines in reading order: lines, the columns that they stand in, and what is usual in a document."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from conspectus.parse.pdf.page_text import PdfLine, PdfPageText, Word
from conspectus.parse.pdf.thresholds import ALIKE, AROUND, LINES

_NUMBERING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z](?:\.\d+)*\.?|[•▪◦·–—*-]|\(?[a-z0-9ivx]{1,3}[.)]|\[\d{1,3}\])"
)
_LEAST_LINES = 6
"""Fewer lines than this on either side are no column."""
_LABEL = re.compile(r"[\[(]?\d{1,3}[.\])]?")
_FEW_PAGES = 4
"""With so few pages, the columns of one of them are the document's."""
_THIRDS = ((24, 43), (57, 76))
"""Where the gutters of three columns may be, in hundredths of the text's width."""


@dataclass(frozen=True, slots=True)
class Usual:
    """The main text's font size, the distance of its baselines, whether it is bold, and its font."""

    size: float
    leading: float
    font: str
    bold: bool


def measure_usual(pages: list[PdfPageText]) -> Usual:
    """What most characters of `pages` have in common."""
    styles = Counter[tuple[str, float, bool]]()
    for line in (line for page in pages for line in page.lines):
        if line.wordlike >= 3:
            styles[(line.style.font, line.size, line.style.bold)] += len(line.text)
    sizes = Counter[float]()
    for (_, size, _), count in styles.items():
        sizes[size] += count
    if not sizes:
        return Usual(10, 12, "", False)
    size = sizes.most_common(1)[0][0]
    font, _, bold = max((s for s in styles if s[1] == size), key=lambda s: styles[s])
    return Usual(size, _leading(pages, size), font, bold)


def _leading(pages: list[PdfPageText], size: float) -> float:
    steps = Counter[float]()
    for page in pages:
        for above, below in pairwise(page.lines):
            step = below.base - above.base
            if (
                abs(above.size - size) < ALIKE.size
                and abs(below.size - size) < ALIKE.size
                and LINES.least_step * size < step < LINES.most_step * size
            ):
                steps[round(step * 2) / 2] += 1
    return steps.most_common(1)[0][0] if steps else LINES.usual_step * size


class Edges(NamedTuple):
    """The left and right edge of the column that a line stands in."""

    left: float
    right: float

    @property
    def width(self) -> float:
        """The column's width."""
        return self.right - self.left


def column_edges(pages: list[PdfPageText], body: Usual) -> dict[PdfLine, Edges]:
    """For every line the edges of its column: the commonest edges among the page's lines on its side."""
    edges: dict[PdfLine, Edges] = {}
    document_edges = _side_edges([line for page in pages if not page.gutters for line in page.lines], body)
    for page in pages:
        if not page.gutters:
            page_edges = _side_edges(page.lines, body) or document_edges
            edges |= {line: page_edges or Edges(line.x0, line.x1) for line in page.lines}
            continue
        within = [line for line in page.lines if not crosses(line, page.gutters)]
        across = [line for line in page.lines if crosses(line, page.gutters)]
        for side in (*_columns(within, page.gutters), across):
            side_edges = _side_edges(side, body)
            edges |= {line: side_edges or Edges(line.x0, line.x1) for line in side}
    return edges


def _side_edges(lines: list[PdfLine], body: Usual) -> Edges | None:
    """The commonest left edge, and of the lines that begin near it the commonest right edge."""
    text = [line for line in lines if line.wordlike >= 4 and abs(line.size - body.size) < LINES.near * body.size]
    if len(text) < 4:
        text = [line for line in lines if line.wordlike >= 3]
    if not text:
        return None
    left = _commonest([line.x0 for line in text])
    widest = max(line.width for line in text)
    ends = [line.x1 for line in text if line.x1 > left + 0.5 * widest]
    right = _commonest(ends or [line.x1 for line in text])
    return Edges(left, right)


def _commonest(values: list[float]) -> float:
    """The middle of the commonest 2-point bin and its neighbours."""
    bins = Counter(round(v / 2) for v in values)
    best = max(bins, key=lambda b: bins[b] + 0.5 * (bins[b - 1] + bins[b + 1]))
    near = sorted(v for v in values if abs(v / 2 - best) <= 1)
    return near[len(near) // 2]


def build_lines(page: int, words: list[Word]) -> list[PdfLine]:
    """The words as lines; superscripts and subscripts belong to the line they stand on."""
    lines: list[PdfLine] = []
    for word in words:
        if lines and _continues(lines[-1].words, word):
            if lines[-1].words[-1].style is not word.style:
                _mark_raised(lines[-1].words, word)
            else:
                word.raised = lines[-1].words[-1].raised
            word.glued = word.glued or _after_drop_cap(lines[-1].words, word)
            lines[-1].words.append(word)
        else:
            word.glued = False
            lines.append(PdfLine(page, [word]))
    return lines


def _continues(words: list[Word], word: Word) -> bool:
    """Whether `word` stands on the same line as `words`, next to the last of them."""
    last = words[-1]
    if (
        last.style is word.style and abs(last.base - word.base) < LINES.level
    ):  # the common case first: it decides the speed
        return -LINES.overlap * word.style.size <= word.x0 - last.x1 <= LINES.gap * word.style.size
    size = max(last.style.size, word.style.size)
    if not -LINES.overlap * size <= word.x0 - last.x1 <= LINES.gap * size or word.x0 < words[0].x0 - 1:
        return False
    main = max(words[-6:], key=lambda w: w.style.size)
    overlap = min(main.bottom, word.bottom) - max(main.top, word.top)
    return overlap >= LINES.share * min(main.style.size, word.style.size)


def _after_drop_cap(words: list[Word], word: Word) -> bool:
    """Whether `word` goes on after a big first letter. `A` and `I` are taken for words of their own."""
    first = words[0]
    big = len(words) == 1 and first.style.size > ALIKE.drop_cap * word.style.size
    return big and len(first.text) == 1 and first.text.isupper() and first.text not in "AI"


def _mark_raised(words: list[Word], word: Word) -> None:
    """Sets `word.raised` where it is smaller than the words before it and stands higher."""
    main = max(words[-4:], key=lambda w: w.style.size)
    lifted = main.base - word.base
    word.raised = word.style.size < ALIKE.index * main.style.size and lifted > ALIKE.lifted * main.style.size


def with_small_pieces(lines: list[PdfLine]) -> list[PdfLine]:
    """`lines` with superscripts and subscripts that stand apart in the stream put into the lines they belong to."""
    hosts = [line for line in lines if line.wordlike]
    homes: dict[PdfLine, list[PdfLine]] = {}
    full_lines = []
    for line in lines:
        host = next((host for host in hosts if _hosts(host, line)), None) if len(line.text) < 8 else None
        if host is None:
            full_lines.append(line)
        else:
            homes.setdefault(host, []).append(line)
    return [_with_pieces(line, homes[line]) if line in homes else line for line in full_lines]


def _hosts(host: PdfLine, piece: PdfLine) -> bool:
    if host is piece or piece.size > ALIKE.index * host.size:
        return False
    inside = host.x0 < piece.x0 < host.x1 + 0.5 * host.size
    return inside and -LINES.hangs < (host.base - piece.base) / host.size < LINES.stands


def _with_pieces(line: PdfLine, pieces: list[PdfLine]) -> PdfLine:
    """The line with the words of `pieces` among its own, from left to right."""
    words = sorted([*line.words, *(word for piece in pieces for word in piece.words)], key=lambda word: word.x0)
    small = {word for piece in pieces for word in piece.words}
    for before, word in pairwise(words):
        if word in small or before in small:
            word.glued = word.x0 - before.x1 < LINES.touch * line.size
            word.raised = word in small and line.base - word.base > ALIKE.lifted * line.size
    return PdfLine(line.page, words)


def rejoin(lines: list[PdfLine], gutters: tuple[float, ...]) -> list[PdfLine]:
    """`lines` with those put together that stand side by side and were split by a wide space only."""
    merged: list[PdfLine] = []
    for line in lines:
        if merged and _same_row(merged[-1], line) and _only_a_space(merged[-1], line, gutters):
            _mark_raised(merged[-1].words, line.words[0])
            merged[-1] = PdfLine(line.page, merged[-1].words + line.words)
        elif merged and _is_label_above(merged[-1], line, merged[-2:-1]):
            merged[-1] = PdfLine(line.page, merged[-1].words + line.words)
        else:
            merged.append(line)
    return _join_justified(merged, gutters)


def _is_label_above(label: PdfLine, line: PdfLine, before: Sequence[PdfLine]) -> bool:
    """Whether a small number with nothing beside it stands left above a line, as labels do in some lists."""
    above = (line.base - label.base) / line.size
    is_number = label.text.isdecimal() and len(label.text) < 4 and label.size < ALIKE.index * line.size
    is_beside = any(abs(other.base - label.base) < LINES.stands * line.size for other in before)
    is_left = line.x0 - 2 * line.size < label.x1 <= line.x0 + 1
    return is_number and is_left and not is_beside and LINES.stands <= above < ALIKE.step


def _join_justified(lines: list[PdfLine], gutters: tuple[float, ...]) -> list[PdfLine]:
    """`lines` with the pieces of widely justified ones put together: narrow columns without hyphens have such."""
    joined: list[PdfLine] = []
    i = 0
    while i < len(lines):
        end = i + 1
        while end < len(lines) and _same_row(lines[end - 1], lines[end]):
            end += 1
        row = lines[i:end]
        near = [*joined[-1:], *lines[end : end + 1]]
        if len(row) > 1 and any(_is_justified(row, line, gutters) for line in near):
            joined.append(PdfLine(row[0].page, [word for line in row for word in line.words]))
        else:
            joined += row
        i = end
    return joined


def _is_justified(row: list[PdfLine], near: PdfLine, gutters: tuple[float, ...]) -> bool:
    """Whether the row fills the column as the line above or below it does, with equal spaces between its words."""
    size = near.size
    x0, x1 = row[0].x0, row[-1].x1
    if near.wordlike < 3 or abs(near.x1 - x1) > LINES.edge or abs(near.x0 - x0) > 3 * size:
        return False
    if not LINES.tight * size < abs(near.base - row[0].base) < ALIKE.far * size or any(
        abs(line.size - size) > ALIKE.size for line in row
    ):
        return False
    if any(x0 < gutter < x1 for gutter in gutters):
        return False
    words = [word for line in row for word in line.words]
    starts = {line.words[0] for line in row}
    gaps = [b.x0 - a.x1 for a, b in pairwise(words) if not b.glued or b in starts]
    return max(gaps) - min(gaps) < LINES.even * size


def _same_row(left: PdfLine, right: PdfLine) -> bool:
    follows = right.x0 >= left.x1 - 1
    raised = (
        right.size < ALIKE.index * left.size
        and len(right.words) <= 2
        and -LINES.sinks < (left.base - right.base) / left.size < LINES.stands
    )
    return follows and (raised or abs(left.base - right.base) < LINES.row_drift * right.size)


def _only_a_space(left: PdfLine, right: PdfLine, gutters: tuple[float, ...]) -> bool:
    gap = (right.x0 - left.x1) / max(left.size, right.size)
    if any(left.x1 - 2 <= gutter <= right.x0 + 2 for gutter in gutters):
        return False
    if _NUMBERING.fullmatch(left.text):
        return gap < LINES.numbered
    if right.size < ALIKE.index * left.size and left.wordlike and gap < LINES.spaced:
        return True
    return gap < LINES.wide and left.wordlike + right.wordlike >= (2 if gap < LINES.spaced else 4)


def find_gutters(lines: list[PdfLine], width: float) -> tuple[float, ...]:
    """The x between the columns of running text, from left to right: one for two columns, two for three.

    A gutter is the middle of the widest place that few lines cross and that both its sides end at.
    """
    text = list(_with_labels(lines))
    if len(text) < 2 * _LEAST_LINES:
        return ()
    left, right = min(line.x0 for line in text), max(line.x1 for line in text)
    if right - left < LINES.breadth * width:
        return ()
    thirds = [_least_crossed(text, left, right, where) for where in _THIRDS]
    gutters = tuple(x for x in thirds if x is not None)
    if len(gutters) == 2 and _are_columns(text, gutters, LINES.of_three * (right - left)):
        return gutters
    middle = _least_crossed(text, left, right, (35, 66))
    return (middle,) if middle is not None and _are_columns(text, (middle,), LINES.of_two * (right - left)) else ()


def _with_labels(lines: Sequence[PdfLine]) -> Iterator[PdfLine]:
    """The lines of running text; the number of an entry that begins right of it is of its line."""
    before: PdfLine | None = None
    for line in lines:
        if line.wordlike >= 2:
            label = before if before and not before.wordlike and _LABEL.fullmatch(before.text) else None
            row = label is not None and abs(label.base - line.base) < ALIKE.row * line.size
            if label and row and 0 < line.x0 - label.x1 < AROUND.hang:
                yield PdfLine(line.page, [*label.words, *line.words])
            else:
                yield line
        before = line


def borrow_gutters(pages: Sequence[PdfPageText]) -> None:
    """Gives pages without columns of their own, such as those full of figures, the columns that most others have."""
    common = Counter(tuple(round(x / LINES.mirrored) for x in page.gutters) for page in pages if page.gutters)
    shared = [key for key, count in common.most_common() if count > 1 or len(pages) <= _FEW_PAGES]
    known = {tuple(round(x / LINES.mirrored) for x in page.gutters): page.gutters for page in pages if page.gutters}
    for page in pages:
        text = [line for line in page.lines if line.wordlike >= 2]
        for gutters in () if page.gutters else (known[key] for key in shared):
            if sum(crosses(line, gutters) for line in text) <= LINES.borrowed * len(text):
                page.gutters = gutters
                break


def _least_crossed(text: list[PdfLine], left: float, right: float, where: tuple[int, int]) -> float | None:
    """The middle of the places between `where` that the fewest lines cross; None where too many do."""
    steps = [left + (right - left) * k / 100 for k in range(*where)]
    starts, ends = sorted(line.x0 for line in text), sorted(line.x1 for line in text)
    crossings = [bisect_left(starts, x) - bisect(ends, x) for x in steps]
    least = min(crossings)
    if least > LINES.crossed * len(text):
        return None
    few = groupby(zip(steps, crossings, strict=True), lambda step: step[1] <= least + 1)
    best = max(([x for x, _ in run] for is_few, run in few if is_few), key=len)
    return best[len(best) // 2]


def _are_columns(text: list[PdfLine], gutters: tuple[float, ...], least: float) -> bool:
    """Whether columns lie between the gutters: enough lines, wide enough, and beside each other."""
    columns = _columns([line for line in text if not crosses(line, gutters)], gutters)
    if min(map(len, columns)) < _LEAST_LINES:
        return False
    if any(sorted(line.width for line in column)[len(column) // 2] < least for column in columns):
        return False
    tops = [min(line.base for line in column) for column in columns]
    ends = [max(line.base for line in column) for column in columns]
    return all(min(ends[i : i + 2]) > max(tops[i : i + 2]) for i in range(len(gutters)))


def crosses(line: PdfLine, gutters: tuple[float, ...]) -> bool:
    """Whether the line runs over a gutter."""
    return any(line.x0 < x < line.x1 for x in gutters)


def _columns(lines: list[PdfLine], gutters: tuple[float, ...]) -> list[list[PdfLine]]:
    """The lines of each column, in the order given."""
    columns: list[list[PdfLine]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        columns[bisect(gutters, line.x0)].append(line)
    return columns


def reading_order(lines: list[PdfLine], gutters: tuple[float, ...]) -> list[PdfLine]:
    """`lines` as they are read; only where the stream runs to and fro over a gutter are they moved."""
    if not gutters or not is_row_by_row(lines, gutters):
        return lines
    parted = [part for line in lines for part in _parted(line, gutters)]
    ordered: list[PdfLine] = []
    band: list[PdfLine] = []
    for line in sorted(with_small_pieces(parted), key=lambda line: (line.base, line.x0)):
        if crosses(line, gutters):
            ordered += _by_column(band, gutters)
            ordered.append(line)
            band = []
        else:
            band.append(line)
    return ordered + _by_column(band, gutters)


def _parted(line: PdfLine, gutters: tuple[float, ...]) -> list[PdfLine]:
    """The line, in two where a wide space lies on a gutter: rows of two columns that stand close together."""
    if not crosses(line, gutters):
        return [line]
    for i, (left, right) in enumerate(pairwise(line.words)):
        wide = right.x0 - left.x1 > LINES.parted * min(left.style.size, right.style.size)
        if wide and any(left.x1 <= x <= right.x0 for x in gutters):
            right.glued = False
            return [PdfLine(line.page, line.words[: i + 1]), *_parted(PdfLine(line.page, line.words[i + 1 :]), gutters)]
    return [line]


def is_row_by_row(lines: list[PdfLine], gutters: tuple[float, ...]) -> bool:
    """Whether the stream changes columns about as often as there are rows."""
    columns = [bisect(gutters, line.x0) for line in lines if not crosses(line, gutters)]
    switches = sum(a != b for a, b in pairwise(columns))
    return switches > LINES.switches * sorted(columns.count(i) for i in range(len(gutters) + 1))[-2]


def _by_column(band: list[PdfLine], gutters: tuple[float, ...]) -> list[PdfLine]:
    return [line for column in _columns(band, gutters) for line in column]
