"""Words, lines, groups and pages, which the steps of the PDF reader hand to each other, and the geometry of boxes.

Coordinates are points in the page's *layout frame*: y grows downwards and the page's main text runs from left to right,
whatever the page's rotation. `PageFrame` leads from there back to the page as displayed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Literal, NamedTuple, TypeVar, overload

from conspectus.core.groups import split_runs
from conspectus.core.text import EAST_ASIAN
from conspectus.parse.pdf.thresholds import LINES
from conspectus.records import Fate, HiddenReason, Rect

ASCENT, DESCENT = 0.76, 0.24
"""How far a line's box reaches above and below its baseline, in font sizes: together one size, as in most fonts."""
_T = TypeVar("_T")
FRONT_MATTER, LINE_NUMBERS, STAMPS = "title and front matter", "line numbers", "stamps"


def around(boxes: Iterable[Rect]) -> Rect:
    """The smallest rectangle that holds all boxes."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def area(box: Rect) -> float:
    """The box's area in square points."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def overlap(first: Rect, second: Rect) -> float:
    """The area that two boxes have in common."""
    return max(min(first[2], second[2]) - max(first[0], second[0]), 0.0) * max(
        min(first[3], second[3]) - max(first[1], second[1]), 0.0
    )


def holds(box: Rect, x: float, y: float, slack: float = 0.0) -> bool:
    """Whether the point lies in the box."""
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def centred_in(inner: Rect, outer: Rect, slack: float = 0.0) -> bool:
    """Whether the middle of one box lies in another."""
    return holds(outer, (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2, slack)


def turn(point: tuple[float, float], middle: tuple[float, float], angle: float) -> tuple[float, float]:
    """The point turned clockwise (y grows downwards) about `middle`."""
    x, y = point[0] - middle[0], point[1] - middle[1]
    cos, sin = math.cos(angle), math.sin(angle)
    return middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos


def tilted(rect: Rect, middle: tuple[float, float], angle: float) -> Rect:
    """The box around a rectangle that is turned clockwise about `middle`."""
    x0, y0, x1, y1 = rect
    corners = [turn(corner, middle, angle) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def split_rows_by_base(lines: Iterable[PdfLine], tolerance: Callable[[PdfLine], float]) -> list[list[PdfLine]]:
    """Lines that follow each other on one baseline; those `tolerance` points from it or more are on another."""
    return split_runs(
        lines, lambda row, line: abs(row[-1].base - line.base) < tolerance(line) and line.x0 > row[-1].x1 - 1
    )


class computed_once(Generic[_T]):
    """A property that is computed when it is first asked for. Unlike `functools.cached_property` it takes no lock."""

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self._compute, self._name = compute, compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> computed_once[_T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> _T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> computed_once[_T] | _T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


@dataclass(frozen=True, slots=True)
class PaintedStyle:
    """The look of a word. `font` is the PostScript name without its subset prefix; `size` is in points on the page."""

    font: str
    size: float
    bold: bool
    italic: bool


@dataclass(eq=False, slots=True)
class Word:
    """Glyphs without white space between them, all of one style.

    `glued` words follow the one before without white space; `raised` ones are superscripts. `fate` is what became of it
    and why; None until some step has taken it up.
    """

    text: str
    x0: float
    x1: float
    base: float
    style: PaintedStyle
    glued: bool = False
    raised: bool = False
    fate: tuple[Fate, str] | None = None

    @property
    def top(self) -> float:
        """The upper edge of the word's box."""
        return self.base - ASCENT * self.style.size

    @property
    def bottom(self) -> float:
        """The lower edge of the word's box."""
        return self.base + DESCENT * self.style.size

    @property
    def box(self) -> Rect:
        """The word's box."""
        return self.x0, self.top, self.x1, self.bottom


@dataclass(eq=False)
class PdfLine:
    """Words of one baseline that stand side by side, in the order of the content stream. Never empty."""

    page: int
    words: list[Word] = field(default_factory=list)

    @computed_once
    def text(self) -> str:
        """The words, with a space where there is white space."""
        return "".join(("" if w.glued or not i else " ") + w.text for i, w in enumerate(self.words))

    @computed_once
    def style(self) -> PaintedStyle:
        """The style of most of the line's characters."""
        first = self.words[0].style
        if all(word.style is first for word in self.words):
            return first
        weights: dict[PaintedStyle, int] = {}
        for word in self.words:
            weights[word.style] = weights.get(word.style, 0) + len(word.text)
        return max(weights, key=lambda style: weights[style])

    @computed_once
    def base(self) -> float:
        """The baseline: that of the first word in the line's main style."""
        style = self.style
        return next(w.base for w in self.words if w.style is style or w.style == style)

    @computed_once
    def x0(self) -> float:
        """The left edge."""
        return min(w.x0 for w in self.words)

    @computed_once
    def x1(self) -> float:
        """The right edge."""
        return max(w.x1 for w in self.words)

    @computed_once
    def box(self) -> Rect:
        """From the highest to the lowest of its words."""
        return self.x0, min(w.top for w in self.words), self.x1, max(w.bottom for w in self.words)

    def cut(self, count: int) -> PdfLine:
        """Leaves the line its first `count` words; returns the others as a line of their own."""
        rest = PdfLine(self.page, self.words[count:])
        rest.words[0].glued = False
        state = {"page": self.page, "words": self.words[:count]}
        self.__dict__.clear()  # what was computed of the whole line
        self.__dict__.update(state)
        return rest

    @computed_once
    def size(self) -> float:
        """The font size of most of the line."""
        return self.style.size

    @property
    def width(self) -> float:
        """From the left to the right edge."""
        return self.x1 - self.x0

    @computed_once
    def bold(self) -> bool:
        """Whether all words that have letters are bold."""
        return all(w.style.bold for w in self.words if _LETTERS.search(w.text)) and self.style.bold

    @computed_once
    def italic(self) -> bool:
        """Whether all words that have letters are italic."""
        return all(w.style.italic for w in self.words if _LETTERS.search(w.text)) and self.style.italic

    @computed_once
    def small_caps(self) -> bool:
        """Whether the line is in small capitals: capitals of two sizes, the smaller ones more."""
        text = self.text
        if not text.isupper() or sum(map(str.isalpha, text)) < 4:
            return False
        sizes = {word.style.size for word in self.words if word.text.isalpha() and not word.raised}
        return (
            len(sizes) == 2
            and LINES.least_capital < min(sizes) / max(sizes) < LINES.most_capital
            and self.style.size == min(sizes)
        )

    @computed_once
    def wordlike(self) -> int:
        """How many of the words are at least three letters, as in running text rather than in formulas and axes."""
        words = len(_WORDLIKE.findall(self.text))
        return words if self.text.isascii() else words + len(EAST_ASIAN.findall(self.text)) // 2

    @computed_once
    def word_letters(self) -> int:
        """How many letters these words have together; of scripts whose words are short, all letters count."""
        letters = sum(map(len, _WORDLIKE.findall(self.text)))
        return letters if self.text.isascii() else letters + sum(map(len, _SHORT_EAST_ASIAN.findall(self.text)))


_LETTERS = re.compile(r"[^\W\d_]")
_WORDLIKE = re.compile(r"(?<![^\W_])[^\W\d_]{3,}")
_SHORT_EAST_ASIAN = re.compile(rf"(?<!\w){EAST_ASIAN.pattern}{{1,2}}(?!\w)")


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The layout frame of one page: `box` (left, bottom, right, top in PDF user space) after `turns` quarter turns.

    `display_turns` is the number of clockwise quarter turns with which the page is displayed. Text that runs down by
    `skew` (radians), as on a scan that lies askew, is level in this frame. A `mirrored` frame has left and right
    exchanged.
    """

    box: Rect
    turns: int
    display_turns: int
    skew: float = 0.0
    mirrored: bool = False

    @property
    def width(self) -> float:
        """The page's width in this frame."""
        left, bottom, right, top = self.box
        return top - bottom if self.turns % 2 else right - left

    @property
    def height(self) -> float:
        """The page's height in this frame."""
        left, bottom, right, top = self.box
        return right - left if self.turns % 2 else top - bottom

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of PDF user space in this frame."""
        left, bottom, right, top = self.box
        if self.turns == 0:
            return x - left, top - y
        if self.turns == 1:
            return y - bottom, x - left
        if self.turns == 2:
            return right - x, y - bottom
        return top - y, right - x

    def rect(self, box: Rect) -> Rect:
        """A box of PDF user space (left, bottom, right, top) as a rectangle of this frame."""
        left, bottom, right, top = box
        if self.turns % 2:
            bottom, top = top, bottom
        x0, y0 = self.point(left, top)
        x1, y1 = self.point(right, bottom)
        return (x0, y0, x1, y1) if self.turns < 2 else (x1, y1, x0, y0)

    def move_rect(self, rect: Rect, other: PageFrame) -> Rect:
        """A rectangle of this frame in another one of the same page."""
        (xa, ya), (xb, yb) = (other.point(*self._user_point(x, y)) for x, y in (rect[:2], rect[2:]))
        return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)

    def _user_point(self, x: float, y: float) -> tuple[float, float]:
        """A point of this frame in PDF user space."""
        left, bottom, right, top = self.box
        return ((left + x, top - y), (left + y, bottom + x), (right - x, bottom + y), (right - y, top - x))[self.turns]

    def on_page(self, rect: Rect) -> Rect:
        """The same as `displayed`, to hundredths of a point."""
        x0, y0, x1, y1 = self.to_display(rect)
        return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)

    def to_display(self, rect: Rect) -> Rect:
        """A rectangle of this frame on the page as displayed."""
        turns = (self.display_turns - self.turns) % 4
        width, height = self.width, self.height
        x0, y0, x1, y1 = tilted(rect, (width / 2, height / 2), self.skew) if self.skew else rect
        if self.mirrored:
            x0, x1 = width - x1, width - x0
        if turns == 1:
            return height - y1, x0, height - y0, x1
        if turns == 2:
            return width - x1, height - y1, width - x0, height - y0
        if turns == 3:
            return y0, width - x1, y1, width - x0
        return x0, y0, x1, y1


class Graphic(NamedTuple):
    """A picture, a path (or shading), a rule, which is thin, or text that runs in another direction than the page's.

    (A tuple: plots have thousands.)
    """

    kind: Literal["image", "path", "rule", "turned"]
    box: Rect


@dataclass(frozen=True, slots=True)
class HiddenWord:
    """A word that the page holds and does not show, in the page's layout frame as all words."""

    word: Word
    reason: HiddenReason


@dataclass(slots=True)
class Turned:
    """A line that runs in another direction than the page's text, such as arXiv's stamp or the name of an upright axis.

    `box` is in the page's layout frame; `words` are in `frame`, where they are level. Text that runs along no edge of
    the page has neither.
    """

    text: str
    box: Rect
    words: list[Word] = field(default_factory=list)
    frame: PageFrame | None = None
    fate: tuple[Fate, str] | None = None


@dataclass
class PdfPageText:
    """One page: its lines in reading order, made of `words`. `stamps` are texts that run in another direction.

    `gutters` are the x of the spaces between columns, from left to right, where the page has more than one. `scanned`
    pages are pictures without text, or with what was stamped on them only; with `recognised` their text was read from
    the picture. `graphics` are what is drawn. `hidden` words were taken out: nobody sees them. `unread` are the places
    of characters that the text layer has and that cannot be read.
    """

    number: int
    frame: PageFrame
    lines: list[PdfLine] = field(default_factory=list)
    stamps: list[Turned] = field(default_factory=list)
    gutters: tuple[float, ...] = ()
    scanned: bool = False
    recognised: bool = False
    graphics: list[Graphic] = field(default_factory=list)
    hidden: list[HiddenWord] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    unread: list[Rect] = field(default_factory=list)


class Role(StrEnum):
    """What a group of lines is. Most are kinds of blocks too; of the others a paper has no such block.

    `formula`: displayed, and not yet told whether it is one of the text's equations. `float`: nothing to read, such as
    axes and cells. `rest`: rows of words that no step wanted. `front`: title, names, dates and rights.
    """

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ABSTRACT = "abstract"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    REFERENCE = "reference"
    EQUATION = "equation"
    CODE = "code"
    FORMULA = "formula"
    FLOAT = "float"
    REST = "rest"
    FRONT = "front"


@dataclass(eq=False)
class LineGroup:
    """Lines that belong together. `gap` is the white space above in font sizes; `role` is given later.

    `run_in` headings stand at the beginning of a paragraph.
    """

    lines: list[PdfLine] = field(default_factory=list)
    gap: float = 0.0
    role: Role | None = None
    level: int = 0
    run_in: bool = False

    @property
    def first(self) -> PdfLine:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> PdfLine:
        """The last line."""
        return self.lines[-1]

    @property
    def text(self) -> str:
        """The lines' texts, as they stand."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The font size of most of the group."""
        weights: dict[float, int] = {}
        for line in self.lines:
            weights[line.size] = weights.get(line.size, 0) + len(line.text)
        return max(weights, key=lambda size: weights[size])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)


def merge_groups(groups: Iterable[LineGroup], goes_on: Callable[[LineGroup, LineGroup], bool]) -> list[LineGroup]:
    """The groups, those that go on with the one before with their lines put to it."""
    merged_groups: list[LineGroup] = []
    for group in groups:
        if merged_groups and goes_on(merged_groups[-1], group):
            merged_groups[-1].lines += group.lines
        else:
            merged_groups.append(group)
    return merged_groups


def settle(lines: Iterable[PdfLine], fate: Fate, reason: str = "") -> None:
    """Says what became of all words of `lines`."""
    settle_words((word for line in lines for word in line.words), fate, reason)


def settle_words(words: Iterable[Word | Turned], fate: Fate, reason: str = "") -> None:
    """Says what became of `words`."""
    what = fate, reason
    for word in words:
        word.fate = what
