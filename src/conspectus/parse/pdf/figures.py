"""Captions to the figures and tables they name: each gets the region that suits it, and all together fit best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.figure_canvas import Canvas, Caption, Sorter
from conspectus.parse.pdf.figure_regions import RegionCandidate, Side, find_candidate, find_lateral
from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import (
    Graphic,
    LineGroup,
    PageFrame,
    PdfLine,
    PdfPageText,
    Role,
    area,
    around,
    centred_in,
    overlap,
    settle,
    settle_words,
)
from conspectus.parse.pdf.patterns import reads_as_prose
from conspectus.parse.pdf.table_cells import are_aligned, split_phrases, table_cells
from conspectus.parse.pdf.thresholds import ALIKE, FIGURES, LINES, ROLES
from conspectus.records import Block, Figure, FigureKind, Place, Rect

_MOST_TOGETHER = 7
"""Up to so many captions of a page are placed together; more, one after the other."""
_FEW_LINES, _FEW_PATHS = 3, 2
"""So many lines on areas with so few edges are text with a ground."""
_NAME_WORDS = 3
"""The name of an axis has no more words."""
_MOST_HEAD_ROWS = 3
_FEW_LETTERS = 25
"""More letters stand in no figure that has no caption."""
_LEAST_LINES, _LEAST_WORDS = 3, 4
_STOP = re.compile(r"[a-z)\]]{2}[.?!](?:\s|$)")


@dataclass
class PlacedFigure:
    """A figure or table as found: its caption if it has one, and where it stands in the page's layout frame."""

    page: int
    frame: PageFrame
    table: bool
    caption: Caption | None = None
    box: Rect | None = None
    lines: list[PdfLine] = field(default_factory=list)
    graphics: list[Graphic] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What it is called, for people."""
        label = self.caption.label if self.caption else ""
        return label or f"a {'table' if self.table else 'figure'} without a label"


def take_figures(
    pages: Sequence[PdfPageText], groups: Sequence[list[LineGroup]], body: Usual, edges: dict[PdfLine, Edges]
) -> list[PlacedFigure]:
    """The document's figures and tables. Their lines are taken out of `groups`, and captions get their role."""
    canvases = Sorter(pages, body, edges).canvases(pages, groups)
    regions = _regions(canvases)
    for canvas in canvases:
        for caption in canvas.captions:
            caption.group.role = Role.CAPTION
    _keep_text(regions, groups)
    _settle(pages, regions)
    region_lines = {line for region in regions for line in region.lines}
    captions = {caption.group for canvas in canvases for caption in canvas.captions}
    for page in groups:
        _take(region_lines, page, captions)
    return regions


def boxes_by_page(regions: Sequence[PlacedFigure]) -> dict[int, list[Rect]]:
    """The boxes of figures and tables by the numbers of their pages."""
    boxes: dict[int, list[Rect]] = {}
    for region in regions:
        if region.box is not None:
            boxes.setdefault(region.page, []).append(region.box)
    return boxes


def _take(lines: set[PdfLine], groups: list[LineGroup], captions: set[LineGroup]) -> None:
    """Takes lines out of a page's groups but those of the captions."""
    for group in groups:
        if group not in captions:
            group.lines = [line for line in group.lines if line not in lines]
    groups[:] = [group for group in groups if group.lines]


def _keep_text(regions: Sequence[PlacedFigure], groups: Sequence[list[LineGroup]]) -> None:
    """Takes the words out of regions that their captions call listings, algorithms or boxes: they are text.

    Those of listings and algorithms become a listing behind the caption.
    """
    for region in regions:
        if region.caption is None or not region.caption.text_like or not region.lines:
            continue
        lines, region.lines = region.lines, []
        if region.caption.label.casefold().startswith("box"):
            continue
        caption = region.caption.group
        for page in groups:
            _take(set(lines), page, {caption})
            if caption in page:
                page.insert(page.index(caption) + 1, LineGroup(lines, 1.0, Role.CODE))


def _settle(pages: Sequence[PdfPageText], regions: Sequence[PlacedFigure]) -> None:
    """Says of which figure the words in the regions are."""
    turned = {page.number: page.stamps for page in pages}
    for region in regions:
        settle(region.lines, "figure", region.name)
        if region.box is not None:
            inside = (stamp for stamp in turned[region.page] if _lies_in(stamp.box, region.box))
            settle_words(inside, "figure", region.name)


def _regions(canvases: Sequence[Canvas]) -> list[PlacedFigure]:
    """The regions of all captions, in the order of the captions; then drawings that have none."""
    sides: tuple[Side, Side] = ("up", "down")
    options = [
        [
            [candidate for side in sides if (candidate := find_candidate(canvas, caption, side))]
            for caption in canvas.captions
        ]
        for canvas in canvases
    ]
    picks = [_placed(canvas, page_options, {}) for canvas, page_options in zip(canvases, options, strict=True)]
    _facing(picks, canvases)
    habits = _habits(picks)
    picks = [_placed(canvas, page_options, habits) for canvas, page_options in zip(canvases, options, strict=True)]
    moved = _facing(picks, canvases)
    regions: list[PlacedFigure] = []
    claimed: dict[int, list[Rect]] = {canvas.number: [] for canvas in canvases}
    for canvas, page_picks in zip(canvases, picks, strict=True):
        for caption in canvas.captions:
            pick = page_picks.get(caption)
            if pick is None:
                regions.append(PlacedFigure(canvas.number, canvas.page.frame, caption.table, caption))
                continue
            home = moved.get(caption, canvas)
            claimed[home.number].append(pick.box)
            regions.append(_region(home, caption, pick.box))
    for canvas in canvases:
        regions += _uncaptioned(canvas, claimed[canvas.number])
    return regions


Picks = dict[Caption, RegionCandidate]
"""For a page's captions what was chosen; captions without a region are not in it."""


def _placed(canvas: Canvas, candidates: list[list[RegionCandidate]], habits: dict[tuple[bool, Side], float]) -> Picks:
    """The choice of regions for the page's captions that together score best and do not overlap."""
    weighed = [
        [replace(c, score=c.score + habits.get((c.caption.table, c.side), 0.0)) for c in rivals]
        for rivals in candidates
    ]
    options = [[c for c in rivals if c.score > FIGURES.score] for rivals in weighed]
    picks: Picks = {}
    for start in range(0, len(options), _MOST_TOGETHER):
        _, best = _best(options[start : start + _MOST_TOGETHER], list(picks.values()))
        picks |= {pick.caption: pick for pick in best}
    for caption in canvas.captions:
        if caption in picks or caption.table:
            continue
        other = find_lateral(canvas, caption)
        if other and not any(_collide(other.box, pick.box) for pick in picks.values()):
            picks[caption] = other
    return picks


def _best(
    options: Sequence[list[RegionCandidate]], chosen: list[RegionCandidate]
) -> tuple[float, list[RegionCandidate]]:
    """The best sum of scores, and the candidates that make it: one or none of each list."""
    if not options:
        return 0.0, []
    best = _best(options[1:], chosen)
    for candidate in options[0]:
        if any(_collide(candidate.box, other.box) for other in chosen):
            continue
        score, rest = _best(options[1:], [*chosen, candidate])
        if score + candidate.score > best[0]:
            best = score + candidate.score, [candidate, *rest]
    return best


def _collide(first: Rect, second: Rect) -> bool:
    return overlap(first, second) > FIGURES.collide * min(area(first), area(second))


def _habits(picks: Sequence[Picks]) -> dict[tuple[bool, Side], float]:
    """What speaks for a side: how much more often the document's figures (or tables) stand there."""
    counts = Counter(
        (p.caption.table, p.side) for page_picks in picks for p in page_picks.values() if p.side != "beside"
    )
    habits: dict[tuple[bool, Side], float] = {}
    for table in (False, True):
        up, down = counts[table, "up"], counts[table, "down"]
        lean = (up - down) / (up + down + 1)
        habits[table, "up"], habits[table, "down"] = FIGURES.lean * lean, -FIGURES.lean * lean
    return habits


def _facing(picks: Sequence[Picks], canvases: Sequence[Canvas]) -> dict[Caption, Canvas]:
    """Gives captions that begin or end a page what ends or begins the page beside it; returns where those stand."""
    moved: dict[Caption, Canvas] = {}
    for i, canvas in enumerate(canvases):
        for caption in canvas.captions:
            if caption in picks[i]:
                continue
            others = [line.box for line in canvas.texts] + canvas.walls
            others += [c.box for c in canvas.captions if c is not caption]
            if i and all(box[1] > caption.box[1] for box in others):
                home, step, side = canvases[i - 1], i - 1, "up"
            elif i + 1 < len(canvases) and all(box[3] < caption.box[3] for box in others):
                home, step, side = canvases[i + 1], i + 1, "down"
            else:
                continue
            if candidate := _on_facing(home, caption, side, picks[step]):
                picks[i][caption] = candidate
                moved[caption] = home
    return moved


def _on_facing(home: Canvas, caption: Caption, side: str, picks: Picks) -> RegionCandidate | None:
    """What stands at the foot (`up`) or head of another page; a caption there may give it up for what else it has."""
    boxes = [line.box for line in home.texts] + home.walls
    boxes += [g.box for g in home.graphics] + [c.box for c in home.captions]
    if not boxes:
        return None
    hull = around(boxes)
    y = hull[3] + 4 if side == "up" else hull[1] - 4
    there = replace(caption, box=(caption.box[0], y, caption.box[2], y))
    candidate = find_candidate(home, there, "up" if side == "up" else "down")
    if candidate is None or candidate.score < 0.5:
        return None
    for key, pick in list(picks.items()):
        if not _collide(pick.box, candidate.box):
            continue
        rest = [p for k, p in picks.items() if k != key]
        other = find_candidate(home, pick.caption, "up" if pick.side == "down" else "down")
        if pick.side == side or other is None or other.score < 0.5:
            return None
        if any(_collide(other.box, p.box) for p in [*rest, candidate]):
            return None
        picks[key] = other
    return replace(candidate, caption=caption)


def _region(canvas: Canvas, caption: Caption | None, box: Rect) -> PlacedFigure:
    """The region with the lines of text and drawings that lie in it."""
    table = caption is not None and caption.table
    lines = [line for line in canvas.texts if _lies_in(line.box, box) and line not in canvas.listings]
    if not table:
        running = running_text(lines)
        lines = [line for line in lines if line not in running]
    elif caption is not None and (cells := [line for line in caption.group.lines[1:] if _lies_in(line.box, box)]):
        lines = [*cells, *lines]  # the first cell, close below the caption
        caption.group.lines = [line for line in caption.group.lines if line not in cells]
    elif caption is not None and (head := _head_above(canvas, caption, box, lines)):
        lines = [*head, *lines]
        caption.group.lines = [line for line in caption.group.lines if line not in head]
        box = around([box, *(line.box for line in head)])
    graphics = [graphic for graphic in canvas.graphics if _lies_in(graphic.box, box)]
    return PlacedFigure(canvas.number, canvas.page.frame, table, caption, box, lines, graphics)


def _head_above(canvas: Canvas, caption: Caption, box: Rect, lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The names of columns between a table's caption and its first rule, which stand over the cells below."""
    top, (left, bottom, right, _) = caption.group.first.box[3], box
    between = [
        line
        for line in canvas.page.lines
        if top - 1 <= line.box[1] and line.box[3] <= bottom + 2 and left - 2 <= line.x0 and line.x1 <= right + 2
    ]
    first = min((line.base for line in lines), default=0.0)
    below = split_phrases(word for line in lines if line.base - first < 3 for word in line.words)
    head: list[PdfLine] = []
    most = 0
    rows = split_runs(sorted(between, key=_base), lambda row, line: line.base - row[-1].base < ALIKE.row * line.size)
    for row in reversed(rows[-_MOST_HEAD_ROWS:]):
        names = split_phrases(word for line in row for word in line.words)
        if not all(any(are_aligned(name, cell) for cell in below) for name in names):
            break
        head, most = [*row, *head], max(most, len(names))
    return head if 1 < most <= len(below) else []


def _base(line: PdfLine) -> float:
    return line.base


def _lies_in(inner: Rect, outer: Rect) -> bool:
    return centred_in(inner, outer, 2)


def _uncaptioned(canvas: Canvas, claimed: list[Rect]) -> list[PlacedFigure]:
    """Large pictures and drawings that no caption names."""
    frame = canvas.page.frame
    free = [
        graphic
        for graphic in canvas.graphics
        if graphic.kind != "rule"
        and not any(overlap(graphic.box, box) or _lies_in(graphic.box, box) for box in claimed)
    ]
    regions = []
    blocked = [*canvas.walls, *(caption.box for caption in canvas.captions), *claimed]
    for box in _panels_together(_clusters([graphic.box for graphic in free]), blocked):
        if area(box) < FIGURES.share * frame.width * frame.height or min(box[2] - box[0], box[3] - box[1]) < 50:
            continue
        full_box = _with_axes(canvas, box)
        region = _region(canvas, None, full_box)
        ground = _is_ground(region, canvas.page) or _is_listing(canvas, full_box)
        if not ground and not any(overlap(full_box, wall) > FIGURES.blocked * area(wall) for wall in blocked):
            regions.append(region)
    return regions


def _with_axes(canvas: Canvas, box: Rect) -> Rect:
    """A drawing with the text in it and about it: numbers at its axes, and their names beyond these."""
    near = (box[0] - 14, box[1] - 14, box[2] + 14, box[3] + 14)
    lines = [b for line in canvas.texts if overlap(b := line.box, near) > FIGURES.own_text * area(b)]
    box = around([box, *lines])
    below = (box[0], box[3], box[2], box[3] + 14)
    names = [line.box for line in canvas.texts if line.wordlike <= _NAME_WORDS]
    return around([box, *(b for b in names if box[0] < b[0] and b[2] < box[2] and overlap(b, below) > 0.5 * area(b))])


def _panels_together(hulls: list[Rect], blocked: Sequence[Rect]) -> list[Rect]:
    """The drawings of a page, those as one that stand side by side or above each other with nothing but themselves, and
    the names of their axes, between them: they are panels of one figure."""
    for first in hulls:
        for second in hulls:
            both = around((first, second))
            distance = max(*(max(first[n], second[n]) - min(first[n + 2], second[n + 2]) for n in (0, 1)), 0.0)
            aligned = any(
                min(first[n + 2], second[n + 2]) - max(first[n], second[n])
                > 0.5 * min(first[n + 2] - first[n], second[n + 2] - second[n])
                for n in (0, 1)
            )
            if (
                first is second
                or distance > FIGURES.next_gap
                or not aligned
                or any(overlap(both, wall) for wall in blocked)
            ):
                continue
            return _panels_together([both, *(hull for hull in hulls if hull not in (first, second))], blocked)
    return hulls


def _is_listing(canvas: Canvas, box: Rect) -> bool:
    """Whether most of the lines in the box are of a program: it is the program's frame."""
    inside = [line for line in canvas.texts if _lies_in(line.box, box)]
    return 2 * sum(line in canvas.listings for line in inside) > len(inside)


def _is_ground(region: PlacedFigure, page: PdfPageText) -> bool:
    """Whether much of the page's words stand in the region: what is drawn is their ground and no figure."""
    paths = [graphic for graphic in region.graphics if graphic.kind == "path"]
    sides = {(round(path.box[0]), round(path.box[2])) for path in paths}
    over = [line for line in region.lines if any(centred_in(line.box, path.box) for path in paths)]
    if len(over) >= _FEW_LINES and len(paths) == len(region.graphics) and len(sides) <= _FEW_PATHS:
        return True  # a box drawn behind lines of text, or a stripe behind each
    inside = sum(line.word_letters for line in region.lines)
    return inside > max(FIGURES.ground * sum(line.word_letters for line in page.lines), _FEW_LETTERS)


def _clusters(boxes: list[Rect], reach: float = FIGURES.cluster) -> list[Rect]:
    """The hulls of boxes that stand near each other."""
    hulls: list[Rect] = []
    for box in sorted(boxes, key=area, reverse=True)[:2000]:
        wide = (box[0] - reach, box[1] - reach, box[2] + reach, box[3] + reach)
        near = [hull for hull in hulls if all(wide[n] <= hull[n + 2] and hull[n] <= wide[n + 2] for n in (0, 1))]
        hulls = [hull for hull in hulls if hull not in near] + [around([box, *near])]
    return hulls


def name_figures(
    regions: Sequence[PlacedFigure], groups: Sequence[LineGroup], blocks: Sequence[Block]
) -> tuple[list[Block], list[Figure]]:
    """`blocks` with the labels of captions, and the figures in the order of their captions.

    `groups` are what the blocks were made of, one for one.
    """
    numbers = {group: i for i, group in enumerate(groups) if group.role == Role.CAPTION}
    labelled = list(blocks)
    rows: list[tuple[float, PlacedFigure, int | None]] = []
    last = 0.0
    for region in regions:
        number = numbers.get(region.caption.group) if region.caption else None
        if region.caption and number is None:
            continue
        rows.append((last if number is None else float(number), region, number))
    for number, group in ((n, groups[n]) for n in numbers.values()):
        caption = next((r.caption for r in regions if r.caption and r.caption.group is group), None)
        if caption:
            labelled[number] = replace(labelled[number], label=caption.label)
    figures: list[Figure] = []
    counts = Counter[FigureKind]()
    for _, region, number in sorted(rows, key=lambda row: (row[2] is None, row[0])):
        kind: FigureKind = "table" if region.table else "figure"
        counts[kind] += 1
        figures.append(_figure(region, f"{kind[0]}{counts[kind]}", kind, number))
    return labelled, figures


def _figure(region: PlacedFigure, key: str, kind: FigureKind, number: int | None) -> Figure:
    place = None
    cells: tuple[tuple[str, ...], ...] = ()
    rows: tuple[Rect, ...] = ()
    if region.box is not None:
        place = Place(region.page, region.frame.on_page(region.box))
        if region.table:
            cells, boxes = table_cells(region.box, region.lines, region.graphics)
            rows = tuple(map(region.frame.on_page, boxes))
    return Figure(key, kind, region.caption.label if region.caption else "", number, place, cells=cells, rows=rows)


def running_text(lines: Sequence[PdfLine]) -> set[PdfLine]:
    """Those of `lines` that are of running text.

    Three lines or more that begin at one edge, follow each other closely in one font, and have several words each are,
    where they read as prose and a sentence ends in them.
    """
    text_lines: set[PdfLine] = set()
    run: list[PdfLine] = []
    for line in lines:
        if run and not _follows(run[-1], line):
            text_lines |= _ids(run)
            run = []
        run.append(line)
    return text_lines | _ids(run)


def _follows(above: PdfLine, line: PdfLine) -> bool:
    step = line.base - above.base
    same = above.style.font == line.style.font and abs(above.size - line.size) < ALIKE.size
    return (
        same and LINES.least_step * line.size < step < ALIKE.far * line.size and abs(above.x0 - line.x0) < 2 * line.size
    )


def _ids(run: Sequence[PdfLine]) -> set[PdfLine]:
    text = " ".join(line.text for line in run)
    wordy = sum(line.wordlike >= _LEAST_WORDS for line in run)
    if wordy < max(_LEAST_LINES, ROLES.prose_most * len(run)) or not _STOP.search(text) or not reads_as_prose(text):
        return set()
    return set(run)
