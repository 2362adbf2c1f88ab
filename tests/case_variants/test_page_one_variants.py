"""First pages in many languages and layouts: all prose is read, and the title is a title."""

from pathlib import Path

import pytest
from variant_pdfs import (
    BOLD,
    CHINESE,
    JAPANESE,
    KOREAN,
    SANS,
    SERIF,
    WIDTH,
    Drawing,
    assert_holds,
    plain,
    shape_arabic,
    wrap,
)

from case_reading import names, prose, searchable_text

FRENCH = [
    "Les haies anciennes abritent plus d'oiseaux que les haies jeunes. Nous avons compté les nids de douze espèces "
    "pendant six printemps dans trois vallées. Le nombre des nids croît avec la hauteur des arbustes.",
    "Les haies bordent les champs depuis le Moyen Âge. Beaucoup d'entre elles ont été arrachées après la guerre, "
    "lorsque les parcelles furent réunies. On en replante aujourd'hui quelques kilomètres chaque année.",
    "Nous avons choisi quarante haies de longueur égale. Chaque haie fut visitée cinq fois entre mars et juin par "
    "deux observateurs. Les nids abandonnés n'ont pas été comptés.",
    "La hauteur moyenne des haies était de trois mètres. Les plus hautes portaient deux fois plus de nids que les "
    "plus basses. Aucune différence ne fut trouvée entre les trois vallées.",
]
GERMAN = [
    "Mit Freude habe ich den Beitrag über die alten Brunnen unserer Stadt gelesen. Leider fehlt darin der Brunnen am "
    "Nordtor, der älter ist als alle übrigen. Er wird schon in einer Rechnung des Jahres 1412 erwähnt.",
    "Das Wasser dieses Brunnens kam aus einer Quelle am Hang und floss durch Röhren aus Lärchenholz. Reste der Röhren "
    "wurden beim Bau der Bahn gefunden und liegen heute im Museum. Eine Untersuchung der Jahresringe steht noch aus.",
    "Ich möchte anregen, die Röhren endlich zu datieren. Die Kosten wären gering, und wir wüssten dann, ob die "
    "Rechnung von diesem oder von einem älteren Brunnen spricht.",
]
SPANISH = [
    "El pastoreo de cabras reduce el riesgo de incendios en los montes secos. Medimos la altura del matorral en "
    "treinta parcelas durante cuatro años. Las parcelas con cabras tuvieron la mitad de matorral que las demás.",
    "Los incendios de verano son cada vez más frecuentes en el sur. El abandono de los pueblos ha dejado los montes "
    "sin rebaños y sin leñadores. Por eso el matorral crece hasta las puertas de las casas.",
    "Elegimos treinta parcelas de una hectárea en dos sierras. En quince de ellas pastaron veinte cabras de abril a "
    "junio. La altura del matorral se midió en cien puntos de cada parcela.",
]
POLISH = [
    "Badano wzrost świerków na torfowiskach północnej Polski. Drzewa rosły wolniej tam, gdzie poziom wody był wyższy. "
    "Wyniki wskazują, że osuszanie zmieniło skład lasu w ciągu jednego pokolenia.",
    "Torfowiska pokrywają niewielką część kraju, lecz gromadzą dużo węgla. Od stu lat są osuszane rowami. Niewiele "
    "wiadomo o tym, jak szybko zmieniają się rosnące na nich lasy.",
    "Próby pobrano z sześćdziesięciu drzew na pięciu torfowiskach. Szerokość słojów mierzono z dokładnością do jednej "
    "setnej milimetra. Poziom wody odczytywano co miesiąc przez trzy lata.",
]
RUSSIAN = [
    "Изучено влияние снежного покрова на промерзание почвы в степной зоне. Глубина промерзания измерялась в течение "
    "восьми зим на двенадцати участках. Показано, что тонкий снег удваивает глубину промерзания.",
    "Снежный покров защищает почву от мороза. В последние годы снег выпадает позже и тает раньше, поэтому почва "
    "остаётся открытой. Данных о промерзании в степи собрано мало.",
    "Участки выбирались на ровных местах без деревьев. Толщина снега измерялась рейкой каждые пять дней. "
    "Температура почвы записывалась на шести глубинах.",
]
GREEK = [
    "Μελετήθηκε η ανάπτυξη των ελαιόδεντρων σε αναβαθμίδες του νησιού. Οι παλιές αναβαθμίδες κρατούν περισσότερο νερό "
    "από τις νέες. Η παραγωγή ήταν διπλάσια στα χωράφια με πέτρινους τοίχους.",
    "Οι αναβαθμίδες χτίστηκαν πριν από αιώνες με πέτρα χωρίς λάσπη. Σήμερα πολλές έχουν εγκαταλειφθεί και οι τοίχοι "
    "πέφτουν. Το χώμα χάνεται με τις πρώτες βροχές του φθινοπώρου.",
    "Διαλέξαμε είκοσι χωράφια σε δύο πλαγιές. Μετρήσαμε την υγρασία του εδάφους κάθε εβδομάδα για τρία χρόνια.",
]
JAPANESE_TEXT = [
    "本研究では山地の渓流に住む魚の移動を調べた。三年間に五百匹の魚に標識を付けた。魚は秋に上流へ移り、春に下流へ戻った。",
    "渓流の魚は短い距離しか動かないと考えられてきた。しかし標識の電池が小さくなり、長い期間の観察ができるようになった。",
    "調査は北部の二つの川で行った。川の長さはそれぞれ十二キロメートルである。受信機を五百メートルごとに置いた。",
]
CHINESE_TEXT = [
    "本文研究了高原湖泊的冰期变化。我们使用了三十年的卫星图像和九个气象站的记录。结果表明冰期每十年缩短四天。",
    "高原湖泊对气候变化十分敏感。湖冰的形成和消融影响着鱼类和候鸟的生活。然而地面观测的记录很少。",
    "我们选取了二十五个面积大于十平方公里的湖泊。每个湖泊的冰期由反射率的变化确定。误差约为两天。",
]
KOREAN_TEXT = [
    "이 연구는 갯벌에 사는 조개의 성장을 조사하였다. "
    "여섯 곳의 갯벌에서 네 해 동안 조개의 길이를 재었다. 모래가 많은 곳에서 조개는 더 빨리 자랐다.",
    "갯벌은 많은 생물이 사는 곳이다. 그러나 간척으로 넓은 갯벌이 사라졌다. 남은 갯벌의 상태는 잘 알려져 있지 않다.",
]
ARABIC = [
    "ندرس في هذا البحث نمو النخيل في الواحات القديمة. "
    "قسنا ارتفاع الأشجار خلال عشر سنوات. كانت الأشجار القريبة من العيون أطول.",
    "تعتمد الواحات على مياه العيون منذ قرون. وقد انخفض مستوى الماء في السنوات الأخيرة. لا توجد قياسات كثيرة عن ذلك.",
]
ENGLISH = [
    "Swifts sleep on the wing, or so it has been believed for a century. We fitted nineteen birds with recorders of "
    "their heartbeat and their height. The birds rose to two thousand metres at dusk and sank slowly until dawn.",
    "The recorders weighed less than a gram and were taken off after one year. Eleven of the nineteen birds came back "
    "to the tower in which they had been caught. Their weight was that of birds without a recorder.",
    "Sleep of one half of the brain at a time would explain the slow descent. It would also explain why the birds "
    "never collide. A direct proof needs recordings from both halves, which are still too heavy.",
    "Many more birds will have to be followed before we know how the young ones learn to do it. The nests in the tower "
    "make that possible, because the young return to it in their third summer.",
]


def two_columns(
    page: Drawing, top: float, left: list[str], right: list[str], font: str = SERIF, size: float = 9
) -> None:
    width = (WIDTH - 120) / 2
    for x, parts in ((50, left), (70 + width, right)):
        y = top
        for part in parts:
            y = page.paragraph(x, y, width, part, size=size, font=font, indent=10) + 2


def test_french_with_two_columns_and_a_summary_of_its_own(tmp_path: Path) -> None:
    """A reader of French journals would find nothing that stands on a first page."""
    page = Drawing(tmp_path / "fr.pdf")
    page.text(50, 40, "Revue des haies, 2011, 12 (3), p. 45-58", 8, SANS)
    page.centre(90, "Les oiseaux des haies anciennes", 18, BOLD)
    page.centre(120, "Hélène Dubois et Rémi Lefèvre", 11)
    page.text(50, 150, "Résumé", 10, BOLD)
    page.paragraph(50, 165, WIDTH - 100, FRENCH[0], size=9)
    page.text(50, 230, "Mots clés : haies, oiseaux, nids", 9)
    page.text(50, 260, "1. Introduction", 11, BOLD)
    two_columns(page, 280, [FRENCH[1], FRENCH[2]], [FRENCH[3]])
    page.page()
    two_columns(page, 80, [FRENCH[2]], [FRENCH[1]])
    paper = page.read()
    assert paper.metadata.title == "Les oiseaux des haies anciennes"
    assert names(paper) == ["Hélène Dubois", "Rémi Lefèvre"]
    assert_holds(paper, FRENCH)


def test_german_letter_on_one_page(tmp_path: Path) -> None:
    """A letter without headings would have no text at all."""
    page = Drawing(tmp_path / "de.pdf")
    page.text(70, 50, "Zeitschrift für Stadtgeschichte 7 (1998)", 8)
    page.right(WIDTH - 70, 50, "S. 311", 8)
    page.text(70, 90, "Leserbrief: Der Brunnen am Nordtor", 15, BOLD)
    y = 130.0
    for part in GERMAN:
        y = page.paragraph(70, y, WIDTH - 140, part, size=10, indent=12)
    page.right(WIDTH - 70, y + 20, "Dr. Jörg Weiß, Nürnberg", 10)
    paper = page.read()
    assert "Der Brunnen am Nordtor" in paper.metadata.title and len(paper.metadata.title) < 50
    assert_holds(paper, GERMAN)


def test_german_report_that_begins_with_a_picture(tmp_path: Path) -> None:
    """Text under a picture of the first page would be taken for what is printed about the paper."""
    page = Drawing(tmp_path / "bericht.pdf")
    page.text(70, 80, "Alte Brunnen der Stadt", 20, BOLD)
    page.text(70, 105, "Bericht des Geschichtsvereins, Sommer 1999", 10)
    page.canvas.setFillGray(0.7)
    page.canvas.rect(70, 480, WIDTH - 140, 220, fill=1)
    page.canvas.setFillGray(0)
    two_columns(page, 400, [GERMAN[0], GERMAN[2]], [GERMAN[1]])
    paper = page.read()
    assert paper.metadata.title == "Alte Brunnen der Stadt"
    assert_holds(paper, [GERMAN[0], GERMAN[2], GERMAN[1]])


def test_spanish_with_two_summaries(tmp_path: Path) -> None:
    """Between an English summary and the second page a whole introduction would be lost."""
    page = Drawing(tmp_path / "es.pdf")
    page.centre(80, "Cabras contra incendios", 18, BOLD)
    page.centre(102, "Goats against fires", 12)
    page.centre(124, "José Ibáñez, Lucía Peña y Marta Ríos", 11)
    page.text(60, 150, "Resumen", 10, BOLD)
    y = page.paragraph(60, 164, WIDTH - 120, SPANISH[0], size=9)
    page.text(60, y + 2, "Palabras clave: cabras; fuego; matorral.", 9)
    page.text(60, y + 26, "Abstract", 10, BOLD)
    english = "Goats reduce the risk of fires in dry hills. We measured the height of the scrub for four years."
    y = page.paragraph(60, y + 40, WIDTH - 120, english, size=9)
    page.text(60, y + 2, "Keywords: goats; fire; scrub.", 9)
    page.text(60, y + 30, "Introducción", 12, BOLD)
    y = page.paragraph(60, y + 48, WIDTH - 120, SPANISH[1])
    page.text(60, y + 16, "Métodos", 12, BOLD)
    page.paragraph(60, y + 34, WIDTH - 120, SPANISH[2])
    paper = page.read()
    assert paper.metadata.title.startswith("Cabras contra incendios")
    assert names(paper) == ["José Ibáñez", "Lucía Peña", "Marta Ríos"]
    assert_holds(paper, SPANISH)
    assert plain(english) in plain(searchable_text(paper))
    assert {"Introducción", "Métodos"} <= {block.text for block in paper.blocks if block.kind == "heading"}


def test_polish_with_a_summary_in_its_first_line(tmp_path: Path) -> None:
    """A summary whose heading is a word of its first line would be lost."""
    page = Drawing(tmp_path / "pl.pdf")
    page.text(70, 60, "JAN KOWALSKI, ŁUCJA WIŚNIEWSKA", 10)
    page.text(70, 90, "Wzrost świerków na torfowiskach", 16, BOLD)
    y = page.paragraph(90, 120, WIDTH - 180, "Streszczenie. " + POLISH[0], size=9)
    page.text(70, y + 20, "Wstęp", 12, BOLD)
    y = page.paragraph(70, y + 38, WIDTH - 140, POLISH[1], indent=12)
    page.text(70, y + 14, "Materiał i metody", 12, BOLD)
    page.paragraph(70, y + 32, WIDTH - 140, POLISH[2], indent=12)
    paper = page.read()
    assert paper.metadata.title == "Wzrost świerków na torfowiskach"
    assert_holds(paper, POLISH)


def test_russian_with_a_number_of_the_subject(tmp_path: Path) -> None:
    """A journal that prints a subject number above the title would have its first page lost."""
    page = Drawing(tmp_path / "ru.pdf")
    page.text(70, 50, "УДК 551.345", 9)
    page.centre(90, "СНЕГ И ПРОМЕРЗАНИЕ ПОЧВЫ В СТЕПИ", 14, BOLD)
    page.centre(115, "И. П. Смирнов, О. В. Кузнецова", 11)
    page.centre(130, "Степной институт, Оренбург, Россия", 9)
    y = page.paragraph(90, 155, WIDTH - 180, RUSSIAN[0], size=9)
    page.text(90, y + 4, "Ключевые слова: снег, почва, степь", 9)
    page.text(70, y + 34, "ВВЕДЕНИЕ", 11, BOLD)
    y = page.paragraph(70, y + 52, WIDTH - 140, RUSSIAN[1], indent=12)
    page.text(70, y + 16, "МЕТОДЫ", 11, BOLD)
    page.paragraph(70, y + 34, WIDTH - 140, RUSSIAN[2], indent=12)
    paper = page.read()
    assert paper.metadata.title.lower() == "снег и промерзание почвы в степи"
    assert_holds(paper, RUSSIAN)


def test_greek_without_any_heading(tmp_path: Path) -> None:
    """Three paragraphs below a title would all be front matter."""
    page = Drawing(tmp_path / "el.pdf")
    page.centre(80, "Ελιές και αναβαθμίδες", 18, BOLD)
    page.centre(104, "Νίκος Παπάς, Ελένη Βλάχου", 11)
    y = 140.0
    for part in GREEK:
        y = page.paragraph(70, y, WIDTH - 140, part, indent=14) + 4
    paper = page.read()
    assert paper.metadata.title == "Ελιές και αναβαθμίδες"
    assert_holds(paper, GREEK)


EAST = {
    "japanese": (JAPANESE, "渓流魚の移動", "佐藤健、鈴木花子", "要旨", "1. はじめに", JAPANESE_TEXT),
    "chinese": (CHINESE, "高原湖泊冰期的变化", "张敏，刘洋", "", "1 引言", CHINESE_TEXT),
    "korean": (KOREAN, "갯벌 조개의 성장", "김민준, 이서연", "요약", "1. 서론", KOREAN_TEXT),
}


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("language", EAST)
def test_east_asian_pages(tmp_path: Path, language: str, columns: int) -> None:
    """The whole text of a page would be its title, or its columns would be read across."""
    font, title, people, summary, heading, parts = EAST[language]
    page = Drawing(tmp_path / "east.pdf")
    page.centre(80, title, 18, font)
    page.centre(108, people, 11, font)
    page.text(70, 140, summary, 11, font)
    y = page.paragraph(70, 158, WIDTH - 140, parts[0], size=10, font=font, leading=15)
    page.text(70, y + 16, heading, 13, font)
    if columns == 1:
        for part in parts[1:]:
            y = page.paragraph(70, y + 36, WIDTH - 140, part, size=10, font=font, leading=15) - 10
    else:
        for x, part in zip((70, 310), parts[1:], strict=False):
            page.paragraph(x, y + 36, 215, part, size=10, font=font, leading=15)
    paper = page.read()
    assert plain(paper.metadata.title) == plain(title)
    assert_holds(paper, parts)
    assert len(prose(paper)) >= len(parts)


@pytest.mark.parametrize("order", ["drawn from the left", "drawn letter by letter", "without joined forms"])
def test_arabic_pages(tmp_path: Path, order: str) -> None:
    """Words would be read from their last letter to the first."""
    page = Drawing(tmp_path / "ar.pdf")
    title = "نمو النخيل في الواحات"
    letters = (lambda text: text[::-1]) if order == "without joined forms" else shape_arabic

    def draw(y: float, text: str, size: float) -> None:
        for line in wrap(text, WIDTH - 140, SANS, size):
            drawn = letters(line)
            if order != "drawn letter by letter":
                page.right(WIDTH - 70, y, drawn, size, SANS)
            else:
                x = WIDTH - 70.0
                for letter in reversed(drawn):
                    page.right(x, y, letter, size, SANS)
                    x -= page.canvas.stringWidth(letter, SANS, size)
            y += size * 1.5

    draw(90, title, 18)
    draw(150, ARABIC[0], 11)
    draw(260, ARABIC[1], 11)
    paper = page.read()
    assert plain(paper.metadata.title) == plain(title)
    assert_holds(paper, ARABIC)


def test_english_letter_without_a_heading_in_two_columns(tmp_path: Path) -> None:
    """A short report whose first paragraph is in bold has no word 'Abstract'."""
    page = Drawing(tmp_path / "letter.pdf")
    page.text(50, 40, "LETTERS", 9, SANS)
    page.text(50, 80, "Swifts rise at dusk", 24, BOLD)
    page.text(50, 105, "Ida Berg1, Wei Li2 & Ana Novak1", 10, BOLD)
    y = page.paragraph(50, 140, (WIDTH - 120) / 2, ENGLISH[0], size=9, font=BOLD)
    y = page.paragraph(50, y + 4, (WIDTH - 120) / 2, ENGLISH[1], size=9, indent=10)
    x = 70 + (WIDTH - 120) / 2
    y = page.paragraph(x, 140, (WIDTH - 120) / 2, ENGLISH[2], size=9, indent=10)
    page.paragraph(x, y, (WIDTH - 120) / 2, ENGLISH[3], size=9, indent=10)
    page.paragraph(50, 770, WIDTH - 100, "1Tower Institute, Basel, Switzerland. 2Wing Lab, Nanjing, China.", size=7)
    paper = page.read()
    assert paper.metadata.title == "Swifts rise at dusk" and names(paper) == ["Ida Berg", "Wei Li", "Ana Novak"]
    assert_holds(paper, ENGLISH)


def test_english_letter_to_an_editor(tmp_path: Path) -> None:
    """Correspondence begins with 'Sir' below its title, and ends with a name."""
    page = Drawing(tmp_path / "sir.pdf")
    page.text(70, 60, "Correspondence", 9, SANS)
    page.text(70, 90, "Do swifts sleep?", 13, BOLD)
    y = page.paragraph(70, 115, 300, "SIR, — " + ENGLISH[0])
    y = page.paragraph(70, y, 300, ENGLISH[2], indent=10)
    page.text(250, y + 12, "IDA BERG", 9)
    paper = page.read()
    assert paper.metadata.title == "Do swifts sleep?"
    assert_holds(paper, [ENGLISH[0], ENGLISH[2]])


def test_english_editorial_in_three_columns(tmp_path: Path) -> None:
    """A page in three columns would be read across, or be a title alone."""
    page = Drawing(tmp_path / "editorial.pdf")
    page.text(40, 70, "Towers for swifts", 22, BOLD)
    page.text(40, 92, "Every town should keep its holes in the wall, says Ida Berg.", 12, SANS)
    for x, part in zip((40, 215, 390), (ENGLISH[0], ENGLISH[1], ENGLISH[2]), strict=True):
        page.paragraph(x, 130, 160, part, size=9)
    paper = page.read()
    assert paper.metadata.title == "Towers for swifts"
    assert_holds(paper, ENGLISH[:3])


def test_a_page_that_begins_with_text(tmp_path: Path) -> None:
    """An extract, or a part of a report, has no title: its first paragraph is text all the same."""
    page = Drawing(tmp_path / "extract.pdf")
    y = 80.0
    for part in ENGLISH:
        y = page.paragraph(70, y, WIDTH - 140, part, size=11) + 8
    paper = page.read()
    assert_holds(paper, ENGLISH)
    assert len(paper.metadata.title) < 120


LINES = {
    "russian": ("Глубокие колодцы", ["Колодцы в долине глубокие. В июне они высыхают.", "Дождь наполняет их снова."]),
    "greek": ("Βαθιά πηγάδια", ["Τα πηγάδια είναι βαθιά. Ξεραίνονται τον Ιούνιο.", "Η βροχή τα γεμίζει πάλι."]),
    "persian": ("چاه های عمیق", ["چاه های دره بسیار عمیق هستند. آنها خشک می شوند.", "باران آنها را دوباره پر می کند."]),
    "arabic": ("الآبار العميقة", ["الآبار في الوادي عميقة جدا. وهي تجف في يونيو.", "يملؤها المطر مرة أخرى كل عام."]),
}


@pytest.mark.parametrize("language", LINES)
def test_sentences_of_one_line_are_no_names(tmp_path: Path, language: str) -> None:
    """A short note's sentences would be its authors, and would not be searched."""
    title, parts = LINES[language]
    page = Drawing(tmp_path / "lines.pdf")
    for row, text in enumerate([title, *parts]):
        y, size = 90 + (60 + 30 * (row - 1) if row else 0), 11 if row else 18
        if language in ("persian", "arabic"):
            page.right(WIDTH - 70, y, shape_arabic(text), size, SANS)
        else:
            page.text(70, y, text, size, SANS)
    paper = page.read()
    assert names(paper) == []
    assert_holds(paper, parts)
