"""Typeset papers whose figures stand where we put them: the truth that reading them is measured against."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

Rect = tuple[float, float, float, float]

WIDTH, HEIGHT = letter
TOP, FOOT, SIDE, GUTTER = 80.0, 720.0, 60.0, 22.0
BODY, LEADING = 10.0, 12.0
WORDS = """
the of and in we that a for with is by this neurons response light galaxy sample measured model data results show
cells spectrum between under analysis field strong weak density observed signal each stimulus energy rate effect which
from these values over time large small surface magnetic structure function found two after before during higher lower
""".split()


@dataclass
class KnownFigure:
    """One figure or table as it was set: its label, page and box (points, top-left origin), and a table's cells."""

    label: str
    page: int
    box: Rect
    cells: tuple[tuple[str, ...], ...] = ()


@dataclass
class Sample:
    """A typeset paper: the file, its figures, all its sentences, and words that stand inside figures only."""

    path: Path
    figures: list[KnownFigure] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)


class Setter:
    """Sets running text into columns from the top, with floats where the caller puts them."""

    def __init__(self, path: Path, columns: int, seed: int, size: tuple[float, float] = (WIDTH, HEIGHT)) -> None:
        self.sample = Sample(path)
        self.width, self.height = size
        self.canvas = Canvas(str(path), pagesize=size)
        self.random = random.Random(seed)
        self.columns = columns
        self.page = 1
        self.column = 0
        self.y = TOP
        self.tops = [TOP] * columns
        self.decorate: Callable[[Setter], None] | None = None
        self._count = 0

    @property
    def column_width(self) -> float:
        return (self.width - 2 * SIDE - (self.columns - 1) * GUTTER) / self.columns

    @property
    def x(self) -> float:
        return SIDE + self.column * (self.column_width + GUTTER)

    def start(self) -> None:
        """The furniture of a page."""
        self.canvas.setFont("Times-Roman", 8)
        self.text(SIDE, 50, f"Journal of Typeset Samples 12 (2026) {self.page}", 8)
        self.canvas.setLineWidth(0.5)
        self.rule(SIDE, 56, self.width - SIDE)
        self.text(self.width / 2, 760, str(self.page), 8)
        if self.decorate:
            self.decorate(self)

    def text(self, x: float, y: float, words: str, size: float = BODY, font: str = "Times-Roman") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.height - y, words)

    def rule(self, x0: float, y: float, x1: float) -> None:
        self.canvas.line(x0, self.height - y, x1, self.height - y)

    def box(self, x0: float, y0: float, x1: float, y1: float, fill: int = 0, stroke: int = 1) -> None:
        self.canvas.rect(x0, self.height - y1, x1 - x0, y1 - y0, fill=fill, stroke=stroke)

    def sentence(self) -> str:
        """A sentence that is in the paper once."""
        self._count += 1
        words = self.random.choices(WORDS, k=self.random.randint(9, 22))
        return f"{words[0].capitalize()} {' '.join(words[1:])} case {_letters(self._count)}."

    def paragraph(self, lines: int, begin: str = "") -> None:
        """A justified paragraph of about so many lines, going on in the next column or page where one ends."""
        text = begin
        while stringWidth(text, "Times-Roman", BODY) < lines * self.column_width - 60:
            sentence = self.sentence()
            self.sample.sentences.append(sentence)
            text = f"{text} {sentence}".strip()
        self._lines(text)

    def _lines(self, text: str) -> None:
        rows = wrap(text, self.column_width, "Times-Roman", BODY)
        for i, row in enumerate(rows):
            if self.y + LEADING > FOOT:
                self.next_column()
            self.y += LEADING
            gaps = row.count(" ")
            spare = self.column_width - stringWidth(row, "Times-Roman", BODY)
            self.canvas.setFont("Times-Roman", BODY)
            item = self.canvas.beginText(self.x, self.height - self.y)
            item.setWordSpace(spare / gaps if gaps and i + 1 < len(rows) else 0)
            item.textOut(row)
            self.canvas.drawText(item)
        self.y += 4

    def heading(self, words: str) -> None:
        self.y += 22
        self.text(self.x, self.y, words, 12, "Times-Bold")
        self.y += 6

    def next_column(self) -> None:
        if self.column + 1 < self.columns:
            self.column += 1
        else:
            self.next_page()
        self.y = self.tops[self.column]

    def next_page(self) -> None:
        self.canvas.showPage()
        self.page += 1
        self.column, self.tops = 0, [TOP] * self.columns
        self.y = TOP
        self.start()

    def title(self, words: str) -> None:
        """Title and author on the first page."""
        self.start()
        self.text(SIDE, TOP + 20, words, 17, "Times-Bold")
        self.text(SIDE, TOP + 42, "Ada Setter and Ben Printer", 11)
        self.y = TOP + 66
        self.tops = [self.y] * self.columns

    def caption(self, words: str, x: float, y: float, width: float, bold: bool = True) -> float:
        """Sets a caption from height `y` on; returns where it ends. The label before the first point is bold."""
        for i, row in enumerate(wrap(words, width, "Times-Roman", 9)):
            y += 10.5
            if not i and bold:
                label, _, rest = row.partition(".")
                self.text(x, y, label + ".", 9, "Times-Bold")
                self.text(x + stringWidth(label + ".", "Times-Bold", 9), y, rest, 9)
            else:
                self.text(x, y, row, 9)
        return y + 3

    def float(
        self, label: str, draw: Draw, size: tuple[float, float], *, above: bool = False, wide: bool = False
    ) -> None:
        """A figure or table with its caption, here: in the column, or at the top of the page over both."""
        width = self.width - 2 * SIDE if wide else self.column_width
        w, h = min(size[0], width), size[1]
        words = f"{label}. {self.sentence()} {self.sentence()}"
        if self.y + h + 90 > FOOT and not wide:
            self.next_column()
        x = SIDE if wide else self.x
        y = self.y + 12
        if above:
            y = self.caption(words, x, y, width) + 8
        box = (x + (width - w) / 2, y, x + (width + w) / 2, y + h)
        self.place(label, draw, box)
        y += h
        if not above:
            y = self.caption(words, x, y + 6, width)
        self.y = y + 14
        if wide:
            self.tops = [self.y] * self.columns

    def place(self, label: str, draw: Draw, box: Rect) -> None:
        """Draws a figure into `box` and notes it."""
        cells = draw(self, box)
        self.sample.figures.append(KnownFigure(label, self.page, box, cells))

    def word(self) -> str:
        """A word that stands in a figure and nowhere else."""
        self._count += 1
        word = f"axis{_letters(self._count)}"
        self.sample.inside.append(word)
        return word

    def save(self) -> Sample:
        self.canvas.save()
        return self.sample


Draw = Callable[[Setter, Rect], tuple[tuple[str, ...], ...]]


def _letters(number: int) -> str:
    text = ""
    while number:
        number, rest = divmod(number, 26)
        text = chr(97 + rest) + text
    return "q" + text


def wrap(text: str, width: float, font: str, size: float) -> list[str]:
    """The text in lines no wider than `width`."""
    rows: list[str] = []
    row = ""
    for word in text.split():
        longer = f"{row} {word}".strip()
        if row and stringWidth(longer, font, size) > width:
            rows.append(row)
            row = word
        else:
            row = longer
    return [*rows, row]


def photo(setter: Setter, box: Rect) -> tuple[()]:
    """A raster picture."""
    x0, y0, x1, y1 = box
    setter.canvas.drawImage(_noise(), x0, setter.height - y1, x1 - x0, y1 - y0)
    return ()


@lru_cache(maxsize=1)
def _noise() -> ImageReader:
    image = Image.effect_noise((160, 120), 60).convert("RGB")
    ImageDraw.Draw(image).ellipse((40, 20, 120, 100), outline="red", width=4)
    data = io.BytesIO()
    image.save(data, "PNG")
    return ImageReader(data)


def photos(setter: Setter, box: Rect) -> tuple[()]:
    """Four raster pictures with letters, for one caption."""
    for i, part in enumerate(_quarters(box)):
        photo(setter, part)
        setter.text(part[0] + 2, part[1] + 10, "abcd"[i], 9, "Helvetica-Bold")
    return ()


def _quarters(box: Rect, gap: float = 14.0) -> list[Rect]:
    x0, y0, x1, y1 = box
    w, h = (x1 - x0 - gap) / 2, (y1 - y0 - gap) / 2
    return [
        (x0 + i * (w + gap), y0 + j * (h + gap), x0 + i * (w + gap) + w, y0 + j * (h + gap) + h)
        for j in (0, 1)
        for i in (0, 1)
    ]


def plot(setter: Setter, box: Rect) -> tuple[()]:
    """A plot of paths: axes with numbers and names, the upright one turned, a curve that its clip cuts, points."""
    x0, y0, x1, y1 = box
    left, foot, height = x0 + 32, y1 - 28, setter.height
    canvas = setter.canvas
    canvas.setLineWidth(0.8)
    setter.box(left, y0 + 1, x1 - 1, foot)
    for i in range(5):
        x, y = left + (x1 - left) * (i + 0.5) / 5, foot - (foot - y0) * (i + 0.5) / 5
        canvas.line(x, height - foot, x, height - foot + 3)
        setter.text(x - 4, foot + 10, str(i * 10), 7, "Helvetica")
        setter.text(left - 16, y + 2, f"{i / 5:.1f}", 7, "Helvetica")
    setter.text((left + x1) / 2 - 20, y1 - 3, f"{setter.word()} (s)", 8, "Helvetica")
    canvas.saveState()
    canvas.translate(x0 + 8, height - (y0 + foot) / 2)
    canvas.rotate(90)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(-20, 0, setter.word())
    canvas.restoreState()
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(left, height - foot, x1 - left, foot - y0)
    canvas.clipPath(clip, stroke=0)
    curve = canvas.beginPath()
    curve.moveTo(left - 60, height - foot - 80)
    for i in range(30):
        curve.lineTo(left + (x1 - left) * i / 25, height - foot + (foot - y0) * setter.random.random() * 1.6)
    canvas.drawPath(curve)
    canvas.restoreState()
    for _ in range(20):
        canvas.circle(setter.random.uniform(left, x1 - 2), height - setter.random.uniform(y0 + 2, foot), 1.2)
    return ()


def plots(setter: Setter, box: Rect) -> tuple[()]:
    """Four plots with letters."""
    for i, part in enumerate(_quarters(box)):
        plot(setter, part)
        setter.text(part[0], part[1] + 8, "ABCD"[i], 9, "Helvetica-Bold")
    return ()


def chart(setter: Setter, box: Rect) -> tuple[()]:
    """A flow chart: boxes with words, and arrows."""
    x0, y0, x1, y1 = box
    w, h = (x1 - x0) / 4, (y1 - y0) / 5
    middle = (x0 + x1) / 2
    spots = [(middle, y0), (x0 + w / 2, y0 + 2 * h), (x1 - w / 2, y0 + 2 * h), (middle, y1 - h)]
    for x, y in spots:
        setter.box(x - w / 2, y, x + w / 2, y + h)
        setter.text(x - w / 2 + 4, y + h / 2 + 3, setter.word(), 8, "Helvetica")
    for (xa, ya), (xb, yb) in itertools.pairwise(spots):
        setter.canvas.line(xa, setter.height - ya - h, xb, setter.height - yb)
    return ()


def table(style: str, columns: int = 4) -> Draw:
    """A table: `lines` above, below and under the head; `grid` around every cell; `pieces`: so, of short rules; `bare`;
    `zebra` with grey rows."""

    def draw(setter: Setter, box: Rect) -> tuple[tuple[str, ...], ...]:
        x0, y0, x1, y1 = box
        rows = int((y1 - y0) / 13)
        step, width = (y1 - y0) / rows, (x1 - x0) / columns
        cells = []
        setter.canvas.setLineWidth(0.6)
        for i in range(rows):
            top = y0 + i * step
            if style == "zebra" and i % 2:
                setter.canvas.setFillGray(0.9)
                setter.box(x0, top, x1, top + step, fill=1, stroke=0)
                setter.canvas.setFillGray(0)
            row = tuple(
                setter.word() if not i or not j else f"{setter.random.uniform(0, 99):.2f}" for j in range(columns)
            )
            for j, cell in enumerate(row):
                setter.text(x0 + j * width + 3, top + step - 3.5, cell, 8.5)
            cells.append(row)
            if style == "grid":
                for j in range(columns):
                    setter.box(x0 + j * width, top, x0 + (j + 1) * width, top + step)
        if style in ("lines", "zebra"):
            for y in (y0, y0 + step, y1):
                setter.rule(x0, y, x1)
        for i, j in itertools.product(range(rows + 1), range(columns)) if style == "pieces" else ():
            setter.rule(x0 + j * width + 0.5, y0 + i * step, x0 + (j + 1) * width - 0.5)
        return tuple(cells)

    return draw


def one_column(path: Path) -> Sample:
    """One column, captions below figures and above tables."""
    s = Setter(path, 1, 1)
    s.title("A Paper in One Column with Pictures and Plots")
    s.paragraph(12)
    s.float("Figure 1", photo, (260, 170))
    s.paragraph(10)
    s.float("Figure 2", plot, (300, 180))
    s.paragraph(30)
    s.heading("2 Results")
    s.paragraph(9)
    s.float("Table 1", table("lines"), (330, 91), above=True)
    s.paragraph(14)
    s.float("Figure 3", chart, (380, 150))
    s.paragraph(20)
    s.float("Table 2", table("bare", 5), (400, 104), above=True)
    s.paragraph(25)
    return s.save()


def two_columns(path: Path) -> Sample:
    """Two columns, figures in a column and over both."""
    s = Setter(path, 2, 2)
    s.title("A Paper in Two Columns with Figures over Both")
    s.paragraph(14)
    s.float("Figure 1", plot, (225, 150))
    s.paragraph(20)
    s.paragraph(18)
    s.float("Table 1", table("lines", 3), (200, 78), above=True)
    s.paragraph(16)
    s.next_page()
    s.float("Figure 2", plots, (470, 250), wide=True)
    s.paragraph(20)
    s.float("Figure 3", photo, (200, 140))
    s.paragraph(24)
    s.paragraph(20)
    s.next_page()
    s.float("Table 2", table("lines", 7), (480, 104), above=True, wide=True)
    s.paragraph(22)
    s.float("Table 3", table("grid", 3), (210, 91), above=True)
    s.paragraph(30)
    s.float("Figure 4", photos, (220, 180))
    s.paragraph(12)
    return s.save()


def captions_above(path: Path) -> Sample:
    """Two columns, all captions above, tables without rules or in grey and white."""
    s = Setter(path, 2, 3)
    s.title("Captions above Everything and Hardly a Rule")
    s.paragraph(10)
    s.float("Fig. 1", photo, (210, 140), above=True)
    s.paragraph(14)
    s.float("Table 1", table("bare", 3), (190, 91), above=True)
    s.paragraph(30)
    s.next_page()
    s.paragraph(9)
    s.float("Fig. 2", plot, (220, 150), above=True)
    s.paragraph(12)
    s.float("Table 2", table("zebra", 3), (220, 117), above=True)
    s.paragraph(26)
    s.float("Fig. 3", chart, (220, 140), above=True)
    s.paragraph(16)
    return s.save()


def side_by_side(path: Path) -> Sample:
    """Figures beside each other with a caption each, a caption beside its figure, captions below tables, a logo."""
    s = Setter(path, 1, 4)
    s.decorate = lambda setter: photo(setter, (SIDE, 16, SIDE + 60, 40))  # type: ignore[assignment,return-value]
    s.title("Figures beside Each Other and Captions beside Figures")
    s.paragraph(9)
    y = s.y + 10
    for i, x in enumerate((SIDE, SIDE + 260)):
        s.place(f"Figure {i + 1}", (plot, photo)[i], (x, y, x + 220, y + 140))
        s.caption(f"Figure {i + 1}. {s.sentence()}", x, y + 146, 220)
    s.y = y + 195
    s.paragraph(8, "As one can see in")
    s.paragraph(6)
    s.next_page()
    s.paragraph(8)
    y = s.y + 12
    s.place("Figure 3", photo, (SIDE, y, SIDE + 270, y + 190))
    s.caption(f"Figure 3. {s.sentence()} {s.sentence()} {s.sentence()}", SIDE + 285, y + 20, 200)
    s.y = y + 205
    s.paragraph(12)
    s.float("Table 1", table("grid"), (300, 91))
    s.paragraph(10)
    s.float("Table 2", table("lines"), (300, 78))
    s.paragraph(4)
    return s.save()


def facing(path: Path) -> Sample:
    """A figure and a table that fill the foot of a page, their captions on the next; two stacked figures."""
    s = Setter(path, 1, 5)
    s.title("What Does Not Fit on One Page")
    s.paragraph(15)
    s.place("Figure 1", plots, (SIDE + 20, s.y + 20, SIDE + 440, FOOT - 10))
    s.next_page()
    s.y = s.caption(f"Figure 1. {s.sentence()} {s.sentence()}", SIDE, s.y, 480) + 14
    s.paragraph(10)
    s.float("Figure 2", photo, (280, 150))
    s.float("Figure 3", plot, (280, 150))
    s.paragraph(5)
    s.next_page()
    s.paragraph(40)
    s.float("Table 1", table("lines", 5), (420, 78), above=True)
    s.paragraph(4)
    return s.save()


def false_captions(path: Path) -> Sample:
    """Text that speaks of figures at the beginning of lines and paragraphs, on a coloured page with boxes and notes."""
    s = Setter(path, 1, 6)

    def ground(setter: Setter) -> None:
        setter.canvas.setFillColorRGB(0.97, 0.97, 0.92)
        setter.box(0, 0, setter.width, setter.height, fill=1, stroke=0)
        setter.canvas.setFillGray(0)
        setter.text(SIDE, 50, "Coloured Ground", 8)

    s.decorate = ground
    s.title("Sentences that Begin with a Figure")
    for words in ("Fig. 2 shows the same as before.", "Figure 1 is small.", "Table 3 and Fig. 4 agree."):
        s.paragraph(5, words)
    s.paragraph(5, "These values are given in the lower panel of")
    s.float("Figure 1", plot, (260, 150))
    s.paragraph(7)
    s.canvas.setFillColorRGB(0.9, 0.93, 1)
    s.box(SIDE - 6, s.y, SIDE + 498, s.y + 80, fill=1)
    s.canvas.setFillGray(0)
    s.paragraph(6)
    s.y += 20
    s.paragraph(6)
    s.next_page()
    s.paragraph(10)
    s.float("Figure 2", chart, (300, 140))
    s.paragraph(10, "Figure 2 again.")
    return s.save()


def program(setter: Setter, box: Rect) -> tuple[()]:
    """A program, which stays text, at the left, and at the right what it draws."""
    x0, y0, x1, y1 = box
    middle = (y0 + y1) / 2
    for i in range(5):
        setter.text(x0, middle - 18 + 11 * i, f"node{i} -- edge{i};", 8, "Courier")
    chart(setter, (x1 - 130, y0, x1, y1))
    return ()


def titled(setter: Setter, box: Rect) -> tuple[()]:
    """Two plots side by side, each with a large bold title."""
    for i, x in enumerate((box[0], (box[0] + box[2]) / 2 + 10)):
        part = (x, box[1] + 26, x + (box[2] - box[0]) / 2 - 10, box[3])
        setter.text(part[0] + 60, box[1] + 20, f"{setter.word()} {'AB'[i]}", 14, "Helvetica-Bold")
        plot(setter, part)
    return ()


def odd_drawings(path: Path) -> Sample:
    """Titles of plots as large as headings, columns' figures beside each other, a program beside its drawing, and a
    table whose rules are drawn cell by cell."""
    s = Setter(path, 2, 11)
    s.title("Figures that Are Drawn in Odd Ways")
    s.paragraph(20)
    s.next_page()
    s.float("Figure 1", titled, (440, 170), wide=True)
    s.float("Figure 2", chart, (130, 110))
    s.paragraph(12)
    s.next_column()
    s.float("Figure 3", chart, (120, 118))
    s.paragraph(12)
    s.next_page()
    s.columns = 1
    s.tops = [TOP]
    s.float("Figure 4", program, (400, 120))
    s.paragraph(8)
    s.float("Table 1", table("pieces"), (400, 104))
    s.paragraph(8)
    return s.save()


def crowded(path: Path) -> Sample:
    """A column of nothing but figures; tables above their notes and captions; a figure that is text in a frame; a short
    figure beside a long one; two pictures of one width with text between."""
    s = Setter(path, 2, 17)
    s.title("Pages that Are Full of Figures and Tables")
    s.paragraph(110)
    s.next_page()
    s.paragraph(90)
    s.next_page()
    for number in (1, 2, 3):
        s.float(f"Figure {number}", plot, (225, 130))
    s.next_column()
    s.paragraph(9)
    s.next_page()
    for number, style in ((1, "pieces"), (2, "lines")):
        s.place(f"Table {number}", table(style, 3), (s.x + 20, s.y + 12, s.x + 200, s.y + 90))
        s.text(s.x + 20, s.y + 100, "Numbers are counted in the year that the sample was measured in.", 7)
        s.y = s.caption(f"Table {number}. {s.sentence()}", s.x, s.y + 104, s.column_width) + 14
    s.place("Figure 4", framed, (s.x, s.y + 12, s.x + 220, s.y + 90))
    s.y = s.caption(f"Figure 4. {s.sentence()}", s.x, s.y + 96, s.column_width)
    s.paragraph(12)
    s.next_column()
    s.paragraph(20)
    s.next_page()
    top = s.y
    s.float("Figure 5", chart, (200, 100))
    s.next_column()
    s.y = top
    s.float("Figure 6", program, (200, 200))
    s.next_page()
    s.columns = 1
    s.place("Figure 7", photo, (70.6, 100, 470.6, 300))
    s.y = s.caption(f"Figure 7. {s.sentence()}", SIDE, 304, s.column_width)
    s.paragraph(6)
    s.place("Figure 8", photo, (70.4, s.y + 20, 470.4, s.y + 220))
    s.y = s.caption(f"Figure 8. {s.sentence()}", SIDE, s.y + 224, s.column_width)
    s.paragraph(6)
    return s.save()


def framed(setter: Setter, box: Rect) -> tuple[()]:
    """A frame with lines of a text in it."""
    setter.box(*box)
    for i in range(5):
        setter.text(box[0] + 8 + 12 * (i % 3), box[1] + 16 + 13 * i, f"for each {setter.word()} do {setter.word()}", 9)
    return ()


def stroke(setter: Setter, box: Rect) -> tuple[()]:
    """A grey area that is one line, as thick as the area is high."""
    x0, y0, x1, y1 = box
    setter.canvas.saveState()
    setter.canvas.setStrokeGray(0.8)
    setter.canvas.setLineWidth(y1 - y0)
    setter.rule(x0, (y0 + y1) / 2, x1)
    setter.canvas.restoreState()
    return ()


def pictured(setter: Setter, box: Rect) -> tuple[()]:
    """A table between rules with a picture in its last column."""
    x0, y0, x1, y1 = box
    table("lines", 3)(setter, (x0, y0, x1 - 110, y1))
    photo(setter, (x1 - 100, y0 + 30, x1 - 10, y1 - 8))
    for y in (y0, y0 + 13, y1):
        setter.rule(x1 - 109, y, x1)
    return ()


def headed(setter: Setter, box: Rect) -> tuple[()]:
    """A table without rules, the cells of its bold head so close that they are one line."""
    x0, y0, x1, y1 = box
    setter.text(x0 + 3, y0 + 9.5, "Dataset Result", 11, "Times-Bold")
    setter.sample.inside += ["Dataset", "Result"]
    table("bare", 2)(setter, (x0, y0 + 13, x1, y1))
    return ()


def parted(path: Path) -> Sample:
    """Rules between figures and captions; lines thick as areas; figures in frames with the text of both columns
    between; a label that is a letter, one on a line of its own; a table with a picture, one with nothing but a head."""
    s = Setter(path, 2, 23)
    s.title("Rules and Frames that Are No Table's")
    s.paragraph(20)
    for number, draw, size in ((1, chart, (110, 110)), (2, stroke, (150, 70))):
        box = (s.x + 30, s.y + 12, s.x + 30 + size[0], s.y + 12 + size[1])
        s.place(f"Figure {number}", draw, box)
        s.canvas.setLineWidth(0.5)
        s.rule(s.x, box[3] + 10, s.x + s.column_width)
        s.y = s.caption(f"Figure {number}. {s.sentence()} {s.sentence()}", s.x, box[3] + 12, s.column_width) + 14
        s.paragraph(8)
    s.next_column()
    s.paragraph(30)
    s.next_page()
    for number, y in ((3, TOP), (4, 520.0)):
        s.place(f"Figure {number}", photo, (200, y + 12, 420, y + 132))
        s.caption(f"Figure {number}. {s.sentence()}", SIDE + 10, y + 138, 460)
        s.canvas.setLineWidth(0.8)
        for row in (y, y + 180):
            s.rule(SIDE, row, s.width - SIDE)
        for x in (SIDE - 4, s.width - SIDE + 4):
            s.canvas.line(x, s.height - y - 4, x, s.height - y - 176)
    s.y = TOP + 190
    s.tops = [s.y] * 2
    s.paragraph(18)
    s.next_column()
    s.paragraph(18)
    s.next_page()
    s.columns, s.tops = 1, [TOP]
    s.paragraph(6)
    s.float("Table A", table("lines"), (330, 91), above=True)
    s.paragraph(6)
    s.float("Table 2", pictured, (430, 130), above=True)
    s.paragraph(6)
    s.float("Table 3", headed, (90, 78), above=True)
    s.paragraph(6)
    s.text(SIDE, s.y + 18, "Table 4", 9, "Times-Bold")
    s.text(SIDE, s.y + 28.5, f"{s.sentence()}", 9)
    s.place("Table 4", table("lines"), (SIDE, s.y + 38, SIDE + 300, s.y + 116))
    s.y += 130
    s.paragraph(5)
    return s.save()


def with_form(path: Path) -> Sample:
    """A plot by matplotlib, placed as a form with its own matrix, as LaTeX does."""
    import pypdfium2

    s = Setter(path.with_suffix(".tmp"), 2, 7)
    s.title("Plots Made by Matplotlib")
    s.paragraph(12)
    empty: Draw = lambda setter, box: ()  # noqa: E731
    s.float("Figure 1", empty, (216, 162))
    s.paragraph(20)
    s.paragraph(30)
    sample = s.save()
    with pypdfium2.PdfDocument(_matplotlib((3.0, 2.25))) as plotted, pypdfium2.PdfDocument(sample.path) as document:
        form = plotted.page_as_xobject(0, document).as_pageobject()
        known = sample.figures[0]
        form.set_matrix(pypdfium2.PdfMatrix().translate(known.box[0], HEIGHT - known.box[3]))
        page = document[0]
        page.insert_obj(form)
        page.gen_content()
        document.save(path)
    sample.path.unlink()
    sample.path = path
    return sample


def _matplotlib(inches: tuple[float, float]) -> bytes:
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.figure import Figure

    figure = Figure(inches, layout="constrained")
    axes = figure.subplots()
    axes.plot(range(50), [(i * 37) % 11 for i in range(50)], marker="o", linestyle="--")
    axes.set(xlabel="time (s)", ylabel="rate (Hz)", ylim=(2, 6))
    data = io.BytesIO()
    FigureCanvasPdf(figure).print_pdf(data)
    return data.getvalue()


SAMPLES: dict[str, Callable[[Path], Sample]] = {
    made.__name__: made
    for made in (
        one_column,
        two_columns,
        captions_above,
        side_by_side,
        facing,
        false_captions,
        with_form,
        odd_drawings,
        crowded,
        parted,
    )
}
