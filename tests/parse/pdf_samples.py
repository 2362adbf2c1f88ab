"""Small real PDF files, drawn with reportlab, in the layouts that papers have."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
LEADING = 12.0
TITLE = "Tidal heating of small moons around ringed planets"
AUTHORS = "Ada B. Lindqvist, Marco di Renzo and Wei-Lin Chen"
ABSTRACT = (
    "We measure how much heat the tides leave in small moons. The moons that share a resonance are warmer than the "
    "others by a factor of three. We conclude that the rings were formed late and that the inner moons are younger "
    "than the planet, which agrees with the counts of their craters."
)
FIRST = (
    "The tides of a planet bend its moons at every turn. The work that is done against friction becomes heat, and the "
    "heat must leave through the ice. A moon on a round orbit is bent always in the same way and stays cold. Only "
    "where a neighbour keeps the orbit eccentric does the bending go on for billions of years."
)
SECOND = (
    "Observers have looked for this heat with three instruments since the flight of the probes. The oldest of them saw "
    "only the largest plumes. Its successor found a warm band near the southern pole that nobody had expected. The "
    "youngest measures temperatures to within a tenth of a degree on the night side."
)
THIRD = (
    "Our model solves the equation of heat for a shell of ice over an ocean. The thickness of the shell is free and "
    "the viscosity follows from the temperature. All other numbers are taken from the literature without change. "
    "The grid has forty layers and the step in time is one century."
)
FOURTH = (
    "The fit is good for the five inner moons and poor for the sixth. We see no way to warm the sixth moon by tides "
    "alone. A recent impact may have done so, and the fresh crater on its leading side speaks for that. More images "
    "of this side would decide the question within a few years."
)
PARAGRAPHS = (FIRST, SECOND, THIRD, FOURTH)


@dataclass
class Sheet:
    """A page to be drawn: texts with x, baseline from the top, font and size."""

    texts: list[tuple[float, float, str, str, float]] = field(default_factory=list)

    def put(self, x: float, y: float, text: str, font: str = "Times-Roman", size: float = 10.0) -> None:
        self.texts.append((x, y, text, font, size))

    def paragraph(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        *,
        indent: float = 0.0,
        font: str = "Times-Roman",
        size: float = 10.0,
    ) -> float:
        """Puts `text` as lines and returns the baseline of the next line."""
        for line, first in wrap_lines(text, width, indent, font, size):
            self.put(x + (indent if first else 0.0), y, line, font, size)
            y += LEADING * size / 10.0
        return y


def wrap_lines(text: str, width: float, indent: float, font: str, size: float) -> list[tuple[str, bool]]:
    """Lines no wider than `width`, and whether each is the first. A soft hyphen may break a word."""
    lines: list[tuple[str, bool]] = []
    current = ""
    for word in text.split():
        room = width - (0.0 if lines else indent)
        longer = f"{current} {word}".strip()
        if stringWidth(longer.replace("\u00ad", ""), font, size) <= room:
            current = longer
            continue
        head, soft, tail = word.partition("\u00ad")
        if soft and stringWidth(f"{current} {head}-", font, size) <= room:
            lines.append((f"{current} {head}-", not lines))
            current = tail
        else:
            lines.append((current, not lines))
            current = word
    lines.append((current, not lines))
    return [(line.replace("\u00ad", ""), first) for line, first in lines]


def save(
    path: Path,
    sheets: list[Sheet],
    *,
    title: str = "",
    author: str = "",
    crop: tuple[float, float, float, float] | None = None,
    password: str = "",
) -> Path:
    """Draws the sheets in the order of their texts. `crop` is left, bottom, right, top in PDF user space."""
    encrypt = StandardEncryption(password) if password else None
    canvas = Canvas(str(path), pagesize=A4, encrypt=encrypt, invariant=1)
    if title:
        canvas.setTitle(title)
    if author:
        canvas.setAuthor(author)
    for sheet in sheets:
        if crop:
            canvas.setCropBox(crop)
        for x, y, text, font, size in sheet.texts:
            canvas.setFont(font, size)
            canvas.drawString(x, HEIGHT - y, text)
        canvas.showPage()
    canvas.save()
    return path


def one_column() -> list[Sheet]:
    """A plain paper: title, authors, abstract, two numbered sections, a caption, references, on two pages."""
    first, second = Sheet(), Sheet()
    first.put(72, 90, TITLE, "Times-Bold", 17)
    first.put(72, 120, AUTHORS, "Times-Roman", 11)
    first.put(72, 136, "Institute of Moons, University of Nowhere", "Times-Italic", 9)
    first.put(72, 165, "Abstract", "Times-Bold", 10)
    y = first.paragraph(72, 180, 450, ABSTRACT, size=9)
    first.put(72, y + 14, "1 Introduction", "Times-Bold", 12)
    y = first.paragraph(72, y + 34, 450, FIRST)
    y = first.paragraph(72, y, 450, SECOND, indent=15)
    first.put(72, y + 14, "2 Methods", "Times-Bold", 12)
    y = first.paragraph(72, y + 34, 450, THIRD)
    second.paragraph(72, 90, 450, "Figure 1. Heat flow of the six moons. The line is the model.", size=9)
    second.put(72, 130, "2.1 The fit", "Times-Bold", 11)
    y = second.paragraph(72, 146, 450, FOURTH)
    second.put(72, y + 14, "References", "Times-Bold", 12)
    y = second.paragraph(72, y + 32, 450, "[1] A. Lindqvist. Tides of moons. Journal of Ice, 3, 14-18, 2011.")
    second.paragraph(72, y, 450, "[2] M. di Renzo and W. Chen. Heat in shells. Annals of Snow, 9, 1-7, 2014.")
    return [first, second]


def two_columns() -> list[Sheet]:
    """A two-column page below a full-width title, stored column by column."""
    sheet, gap = Sheet(), 20.0
    width = (WIDTH - 100 - gap) / 2
    sheet.put(120, 80, TITLE, "Times-Bold", 16)
    sheet.put(160, 110, AUTHORS, "Times-Roman", 11)
    left, right = Sheet(), Sheet()
    y = left.paragraph(50, 180, width, "Abstract. " + ABSTRACT, size=9)
    left.put(50, 300, "1. Introduction", "Times-Bold", 11)
    y = left.paragraph(50, 324, width, FIRST, indent=10)
    left.paragraph(50, y, width, SECOND, indent=10)
    x = 50 + width + gap
    right.put(x, 180, "2. Methods", "Times-Bold", 11)
    y = right.paragraph(x, 204, width, THIRD, indent=10)
    y = right.paragraph(x, y, width, FOURTH, indent=10)
    sheet.texts += left.texts + right.texts
    return [sheet]


def split_over_columns() -> list[Sheet]:
    """Two columns and two pages, a paragraph torn by each break, with a running head and page numbers."""
    sheets = []
    width = 235.0
    lines = [line for text in PARAGRAPHS for line in wrap_lines(text, width, 10, "Times-Roman", 10)]
    per_column = 9
    chunks = [lines[i : i + per_column] for i in range(0, len(lines), per_column)]
    for number in range(0, len(chunks), 2):
        sheet = Sheet()
        sheet.put(50, 40, "Lindqvist et al.: Tidal heating of small moons", "Times-Italic", 9)
        sheet.put(300, 800, str(number // 2 + 211), "Times-Roman", 9)
        for column, chunk in enumerate(chunks[number : number + 2]):
            for i, (line, first) in enumerate(chunk):
                sheet.put(50 + column * 260 + (10 if first else 0), 90 + i * LEADING, line)
        sheets.append(sheet)
    return sheets


def put_raised(
    sheet: Sheet, x: float, y: float, parts: list[str], font: str = "Times-Roman", size: float = 11.0
) -> None:
    """Puts `parts` one after the other, every second one as a superscript."""
    for i, part in enumerate(parts):
        raised = i % 2 == 1
        of_size = size * 0.65 if raised else size
        sheet.put(x, y - (size * 0.35 if raised else 0.0), part, font, of_size)
        x += stringWidth(part, font, of_size)


def publisher_page() -> list[Sheet]:
    """A page as a publisher sets it: a banner larger than the title, an article-info column beside the abstract."""
    sheet = Sheet()
    sheet.put(190, 45, "Computers & Snow 112 (2014) 100-114", "Times-Roman", 8)
    sheet.put(205, 75, "Contents lists available at ScienceDirect", "Times-Roman", 8)
    sheet.put(205, 105, "Computers & Snow", "Times-Roman", 19)
    sheet.put(205, 130, "journal homepage: www.example.org/locate/snow", "Times-Roman", 8)
    sheet.put(50, 180, "Tidal heating of small moons around", "Times-Roman", 14)
    sheet.put(50, 197, "ringed planets", "Times-Roman", 14)
    put_raised(sheet, 50, 225, ["Ada B. Lindqvist", "a,*", ", Marco di Renzo", "b", ", Wei-Lin Chen", "a,b"])
    put_raised(sheet, 50, 243, ["", "a", "Department of Ice, University of Nowhere, Oslo, Norway"], size=8)
    put_raised(sheet, 50, 254, ["", "b", "Institute of Moons, Technical University of Elsewhere, Italy"], size=8)
    sheet.put(50, 285, "a r t i c l e   i n f o", "Times-Roman", 9)
    sheet.put(50, 305, "Article history:", "Times-Italic", 7)
    sheet.put(50, 314, "Received 4 May 2013", "Times-Roman", 7)
    sheet.put(50, 323, "Accepted 11 December 2013", "Times-Roman", 7)
    sheet.put(50, 332, "Available online 8 January 2014", "Times-Roman", 7)
    sheet.put(50, 350, "Keywords:", "Times-Italic", 7)
    sheet.put(50, 359, "Tides", "Times-Roman", 7)
    sheet.put(50, 368, "Moons", "Times-Roman", 7)
    sheet.put(210, 285, "a b s t r a c t", "Times-Roman", 9)
    sheet.paragraph(210, 305, 330, ABSTRACT, size=8)
    sheet.put(50, 430, "1. Introduction", "Times-Bold", 9.5)
    y = sheet.paragraph(50, 455, 235, FIRST, indent=10)
    sheet.paragraph(50, y, 235, SECOND, indent=10)
    y = sheet.paragraph(305, 430, 235, THIRD, indent=10)
    sheet.put(305, y + 12, "2. The fit", "Times-Bold", 9.5)
    sheet.paragraph(305, y + 36, 235, FOURTH, indent=10)
    put_raised(sheet, 62, 740, ["", "*", " Corresponding author."], size=8)
    sheet.put(50, 752, "E-mail address: ada@example.org (A.B. Lindqvist).", "Times-Roman", 8)
    sheet.put(50, 775, "http://dx.doi.org/10.5555/j.snow.2013.12.007", "Times-Roman", 8)
    return [sheet]


def conference_page() -> list[Sheet]:
    """A page as engineers' societies set it: a bold abstract with a dash, a drop cap, centred headings in capitals."""
    sheet = Sheet()
    sheet.put(50, 40, "ANNALS OF SNOW ENGINEERING, VOL. 12, NO. 3, MARCH 2016", "Times-Roman", 7)
    sheet.put(530, 40, "211", "Times-Roman", 7)
    sheet.put(110, 80, "Tidal Heating of Small Moons", "Times-Roman", 24)
    sheet.put(130, 108, "around Ringed Planets", "Times-Roman", 24)
    sheet.put(
        110, 135, "Ada B. Lindqvist, Member, IEEE, Marco di Renzo, and Wei-Lin Chen, Fellow, IEEE", "Times-Roman", 11
    )
    y = sheet.paragraph(50, 180, 240, "Abstract\u2014" + ABSTRACT, font="Times-Bold", size=9, indent=10)
    sheet.paragraph(50, y + 8, 240, "Index Terms\u2014Ice, moons, tides.", font="Times-Bold", size=9, indent=10)
    sheet.put(130, 310, "I. INTRODUCTION", "Times-Roman", 10)
    sheet.put(50, 340, "T", "Times-Roman", 28)
    sheet.put(
        70, 330, FIRST.split(" bend", maxsplit=1)[0].upper()[1:] + " bend its moons at every turn.", "Times-Roman", 10
    )
    rest = FIRST.split("turn. ")[1]
    sheet.put(70, 342, "The work that is done against friction becomes", "Times-Roman", 10)
    y = sheet.paragraph(50, 354, 240, rest.split("becomes ", 1)[1])
    sheet.paragraph(50, y, 240, SECOND, indent=10)
    sheet.put(400, 180, "II. METHODS", "Times-Roman", 10)
    y = sheet.paragraph(310, 200, 240, THIRD, indent=10)
    sheet.put(310, y + 10, "A. The Fit", "Times-Italic", 10)
    sheet.paragraph(310, y + 26, 240, FOURTH, indent=10)
    return [sheet]
