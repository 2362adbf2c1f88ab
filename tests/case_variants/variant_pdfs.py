"""Draw papers as PDF files in many scripts and layouts, and compare what is read of them."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import matplotlib
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from case_reading import read_paper, searchable_text
from conspectus.records import ParsedPaper

WIDTH, HEIGHT = A4
SERIF, BOLD, SANS = "VariantSerif", "VariantSerif-Bold", "VariantSans"
JAPANESE, CHINESE, KOREAN = "HeiseiMin-W3", "STSong-Light", "HYSMyeongJo-Medium"
_FILES = {SERIF: "DejaVuSerif.ttf", BOLD: "DejaVuSerif-Bold.ttf", SANS: "DejaVuSans.ttf"}
_FORMS = {"isolated": 0, "initial": 1, "medial": 2, "final": 3}


def register_fonts() -> None:
    """Make the fonts known: DejaVu for Latin, Greek, Cyrillic and Arabic; fonts of the viewer for East Asia."""
    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    for name, file in _FILES.items():
        registerFont(TTFont(name, str(folder / file)))
    for name in (JAPANESE, CHINESE, KOREAN):
        registerFont(UnicodeCIDFont(name))


register_fonts()


class Drawing:
    """A PDF file under construction. Places are in points from the top left corner of the page."""

    def __init__(self, path: Path, size: tuple[float, float] = A4) -> None:
        self.path, self.height = path, size[1]
        self.canvas = Canvas(str(path), pagesize=size, invariant=1)

    def text(self, x: float, y: float, text: str, size: float = 10.0, font: str = SERIF) -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.height - y, text)

    def centre(self, y: float, text: str, size: float = 10.0, font: str = SERIF) -> None:
        self.text((WIDTH - stringWidth(text, font, size)) / 2, y, text, size, font)

    def right(self, x: float, y: float, text: str, size: float = 10.0, font: str = SERIF) -> None:
        self.text(x - stringWidth(text, font, size), y, text, size, font)

    def paragraph(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        *,
        size: float = 10.0,
        font: str = SERIF,
        indent: float = 0.0,
        leading: float = 0.0,
    ) -> float:
        """Draw the text as lines; return the baseline of the next line."""
        for number, line in enumerate(wrap(text, width, font, size, indent)):
            self.text(x + (0 if number else indent), y, line, size, font)
            y += leading or size * 1.25
        return y

    def page(self) -> None:
        self.canvas.showPage()

    def read(self) -> ParsedPaper:
        """Save the file and read it."""
        self.canvas.save()
        return read_paper(self.path)


def wrap(text: str, width: float, font: str = SERIF, size: float = 10.0, indent: float = 0.0) -> list[str]:
    """The lines of a text: broken at spaces, in Chinese and Japanese before any character but a closing sign."""
    spaced = " " in text
    pieces = text.split() if spaced else list(text)
    lines, current = [], ""
    for piece in pieces:
        longer = f"{current} {piece}".strip() if spaced else current + piece
        if current and piece not in "。，、" and stringWidth(longer, font, size) > width - (0 if lines else indent):
            lines.append(current)
            current = piece
        else:
            current = longer
    return [*lines, current]


def shape_arabic(text: str) -> str:
    """Arabic words with the joined forms of their letters, in the order in which they are drawn from the left."""
    table: dict[str, list[str]] = {}
    for code in range(0xFE80, 0xFEFD):
        kind, *letters = unicodedata.decomposition(chr(code)).split()
        if len(letters) == 1:
            table.setdefault(chr(int(letters[0], 16)), [""] * 4)[_FORMS[kind.strip("<>")]] = chr(code)
    drawn = []
    for place, letter in enumerate(text):
        forms = table.get(letter)
        if not forms:
            drawn.append(letter)
            continue
        before = table.get(text[place - 1], [""] * 4) if place else [""] * 4
        after = table.get(text[place + 1], [""] * 4) if place + 1 < len(text) else [""] * 4
        joined, joins = bool(before[1] and forms[3]), bool(forms[1] and after[3])
        form = (2 if joins else 3) if joined else (1 if joins else 0)
        drawn.append(forms[form] or letter)
    return "".join(drawn)[::-1]


def plain(text: str) -> str:
    """A text without white space and hyphens, in one form of its letters."""
    return "".join(unicodedata.normalize("NFKC", text).replace("-", "").split())


def assert_holds(paper: ParsedPaper, parts: Sequence[str]) -> None:
    """All parts are in the searched text, whole and in their order, and none of them is left out as front matter."""
    text, place = plain(searchable_text(paper)), 0
    for part in parts:
        found = text.find(plain(part), place)
        assert found >= 0, f"lost or out of order: {part}\n{searchable_text(paper)}"
        place = found
    left = plain(" ".join(words.text for words in paper.left_out))
    assert not any(plain(part) in left for part in parts)
