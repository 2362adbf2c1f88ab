"""First pages in languages other than English, drawn with reportlab from sentences of our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib import get_data_path
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
_LEFT, _TEXT = 72.0, 450.0


@dataclass(frozen=True)
class Language:
    """Words of a language, and how they are set: with a font that reportlab knows, without spaces, from the right."""

    title: str
    names: str
    address: str
    abstract: str
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    font: str = ""
    unspaced: bool = False
    leftward: bool = False

    def paragraph(self, first: int) -> str:
        """The sentences from number `first` on, each of them once."""
        at = first % len(self.sentences)
        return ("" if self.unspaced else " ").join(self.sentences[at:] + self.sentences[:at])


LANGUAGES = {
    "German": Language(
        "Gezeitenwärme kleiner Monde in fernen Ringen",
        "Jürgen Müller und Anna Groß",
        "Institut für Monde, Universität Nirgendwo, Deutschland",
        "Zusammenfassung",
        ("Einleitung", "Verfahren"),
        (
            "Die Gezeiten eines Planeten biegen seine Monde bei jeder Umdrehung.",
            "Die Arbeit gegen die Reibung wird zu Wärme, und die Wärme muss durch das Eis entweichen.",
            "Ein Mond auf einer runden Bahn bleibt kalt, weil er immer gleich gebogen wird.",
        ),
    ),
    "Russian": Language(
        "Приливное тепло малых лун в далёких кольцах",
        "Иван Петров, Анна Сидорова",
        "Институт лун, Москва, Россия",
        "Аннотация",
        ("Введение", "Методы"),
        (
            "Приливы планеты изгибают её луны при каждом их обороте.",
            "Работа против трения становится теплом, и тепло должно уйти через лёд.",
            "Луна на круглой орбите остаётся холодной, потому что её изгибает всегда одинаково.",
        ),
    ),
    "Chinese": Language(
        "遥远光环中小卫星的潮汐热",
        "王伟，李娜",
        "卫星研究所，青岛，中国",
        "摘要",
        ("引言", "方法"),
        (
            "行星的潮汐在每次公转时都会弯曲它的卫星。",
            "克服摩擦所做的功变成热量，热量必须通过冰层散发出去。",
            "处于圆形轨道上的卫星总是以同样的方式弯曲，因此保持寒冷。",
        ),
        font="STSong-Light",
        unspaced=True,
    ),
    "Arabic": Language(
        "حرارة المد في الأقمار الصغيرة بين الحلقات",
        "محمد أحمد، فاطمة علي",
        "معهد الأقمار، جامعة القاهرة، مصر",
        "ملخص",
        ("مقدمة", "الطرق"),
        (
            "يثني مد الكوكب أقماره في كل دورة تدورها حوله.",
            "يتحول الشغل ضد الاحتكاك إلى حرارة، ويجب أن تخرج الحرارة عبر الجليد.",
            "يبقى القمر على مدار مستدير باردا لأنه ينثني دائما بالطريقة نفسها.",
        ),
        leftward=True,
    ),
    "Hebrew": Language(
        "חום גאות של ירחים קטנים בטבעות רחוקות",
        "דוד כהן, רחל לוי",
        "המכון לירחים, חיפה, ישראל",
        "תקציר",
        ("מבוא", "שיטות"),
        (
            "הגאות של כוכב לכת מכופפת את ירחיו בכל סיבוב שלהם.",
            "העבודה נגד החיכוך הופכת לחום, והחום חייב לצאת דרך הקרח.",
            "ירח במסלול עגול נשאר קר כי הוא מתכופף תמיד באותה צורה.",
        ),
        leftward=True,
    ),
}


@dataclass
class Drawn:
    """What stands on the pages of a file."""

    path: Path
    abstract: str = ""
    headings: list[str] = field(default_factory=list)
    paragraphs: list[str] = field(default_factory=list)


def draw(
    path: Path,
    language: Language,
    *,
    pages: int = 2,
    numbered: bool = True,
    abstract: str = "own line",
    bare: bool = False,
    shaped: bool = True,
) -> Drawn:
    """A paper of two sections a page.

    Args:
        path: Where it is written.
        language: What it says.
        pages: Of text.
        numbered: Whether its headings have numbers.
        abstract: Where the abstract's heading stands: on its `own line`, in front of the text (`run in`), or "".
        bare: Nothing but the title and one paragraph.
        shaped: Whether text that runs leftward is drawn so; else its letters stand from left to right.
    """
    plain, bold = _fonts(language)
    drawn, canvas = Drawn(path), Canvas(str(path), pagesize=A4, invariant=1)
    y = 90.0

    def put(text: str, font: str = plain, size: float = 10.0, *, centred: bool = False) -> None:
        nonlocal y
        canvas.setFont(font, size)
        for line in _wrapped(text, font, size, language):
            shown = line[::-1] if language.leftward and shaped else line
            if centred:
                canvas.drawCentredString(WIDTH / 2, HEIGHT - y, shown)
            elif language.leftward:
                canvas.drawRightString(_LEFT + _TEXT, HEIGHT - y, shown)
            else:
                canvas.drawString(_LEFT, HEIGHT - y, shown)
            y += 1.3 * size
        y += 6

    put(language.title, bold, 17, centred=True)
    if bare:
        drawn.paragraphs.append(language.paragraph(0))
        put(drawn.paragraphs[0])
        canvas.save()
        return drawn
    put(language.names, size=11, centred=True)
    put(language.address, size=9, centred=True)
    if abstract:
        drawn.abstract, label = language.paragraph(0), language.abstract
        if abstract == "own line":
            put(label, bold)
            put(drawn.abstract, size=9)
        else:
            put(f"{label}{'：' if language.unspaced else ': '}{drawn.abstract}", size=9)
    for number in range(2 * pages):
        if number and number % 2 == 0:
            canvas.showPage()
            y = 90.0
        name = language.headings[number % 2]
        drawn.headings.append(f"{number + 1} {name}" if numbered else name)
        y += 8
        put(drawn.headings[-1], bold, 12)
        for first in (number + 1, number + 2):
            drawn.paragraphs.append(language.paragraph(first))
            put(drawn.paragraphs[-1])
    canvas.save()
    return drawn


def _fonts(language: Language) -> tuple[str, str]:
    if language.font:
        pdfmetrics.registerFont(UnicodeCIDFont(language.font))
        return language.font, language.font
    folder = Path(get_data_path()) / "fonts" / "ttf"
    for name in ("DejaVuSans", "DejaVuSans-Bold"):
        pdfmetrics.registerFont(TTFont(name, folder / f"{name}.ttf"))
    return "DejaVuSans", "DejaVuSans-Bold"


def _wrapped(text: str, font: str, size: float, language: Language) -> Iterator[str]:
    """The lines of `text`; none begins with a full stop or a comma."""
    space = "" if language.unspaced else " "
    line = ""
    for word in text if language.unspaced else text.split():
        longer = f"{line}{space if line else ''}{word}"
        if pdfmetrics.stringWidth(longer, font, size) > _TEXT and word not in "。，、":
            yield line
            longer = word
        line = longer
    yield line
