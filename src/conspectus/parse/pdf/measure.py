"""What is usual in a document: the size of its text, the distance of its lines, the edges of its columns."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from conspectus.parse.pdf.model import Line, PageText
from conspectus.parse.pdf.thresholds import ALIKE, LINES


@dataclass(frozen=True, slots=True)
class Usual:
    """The main text's font size, the distance of its baselines, whether it is bold, and its font."""

    size: float
    leading: float
    font: str
    bold: bool


def usual(pages: list[PageText]) -> Usual:
    """What most characters of `pages` have in common."""
    styles = Counter[tuple[str, float, bool]]()
    for line in _lines(pages):
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


def _leading(pages: list[PageText], size: float) -> float:
    steps = Counter[float]()
    for page in pages:
        for above, below in zip(page.lines, page.lines[1:], strict=False):
            step = below.base - above.base
            if (
                abs(above.size - size) < ALIKE.size
                and abs(below.size - size) < ALIKE.size
                and LINES.least_step * size < step < LINES.most_step * size
            ):
                steps[round(step * 2) / 2] += 1
    return steps.most_common(1)[0][0] if steps else LINES.usual_step * size


def _lines(pages: list[PageText]) -> Iterable[Line]:
    return (line for page in pages for line in page.lines)


class Edges(NamedTuple):
    """The left and right edge of the column that a line stands in."""

    left: float
    right: float

    @property
    def width(self) -> float:
        """The column's width."""
        return self.right - self.left


def column_edges(pages: list[PageText], body: Usual) -> dict[Line, Edges]:
    """For every line the edges of its column: the commonest edges among the page's lines on its side."""
    edges: dict[Line, Edges] = {}
    whole = _side_edges([line for page in pages if not page.gutters for line in page.lines], body)
    for page in pages:
        if not page.gutters:
            own = _side_edges(page.lines, body) or whole
            edges |= {line: own or Edges(line.x0, line.x1) for line in page.lines}
            continue
        for side in _sides(page):
            found = _side_edges(side, body)
            edges |= {line: found or Edges(line.x0, line.x1) for line in side}
    return edges


def _sides(page: PageText) -> list[list[Line]]:
    """The lines of each column, and at last those that run over a gutter."""
    sides: list[list[Line]] = [[] for _ in range(len(page.gutters) + 2)]
    for line in page.lines:
        crossing = any(line.x0 < x < line.x1 for x in page.gutters)
        sides[-1 if crossing else bisect(page.gutters, line.x0)].append(line)
    return sides


def _side_edges(lines: list[Line], body: Usual) -> Edges | None:
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
