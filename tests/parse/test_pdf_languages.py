"""Papers in other languages than English: what front matter is, is told by layout, and all prose is searched."""

from __future__ import annotations

import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_samples import LANGUAGES, Drawn, draw
from pdf_samples import Sheet, save

from conspectus.parse.pdf.patterns import reads_as_prose
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper


def squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def texts(paper: ParsedPaper, *kinds: str) -> list[str]:
    return [squeezed(block.text) for block in paper.blocks if block.kind in kinds]


def lost(paper: ParsedPaper, drawn: Drawn) -> list[str]:
    found = texts(paper, "paragraph", "abstract")
    return [text for text in [*filter(None, [drawn.abstract]), *drawn.paragraphs] if squeezed(text) not in found]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(
    "form", [{}, {"numbered": False}, {"abstract": "run in"}, {"abstract": "", "pages": 1}], ids=str
)
def test_a_first_page_is_read_in_any_language(tmp_path: Path, name: str, form: dict[str, object]) -> None:
    """Lost otherwise: all of the first page, of which no search and no warning said anything."""
    language = LANGUAGES[name]
    drawn = draw(tmp_path / "paper.pdf", language, **form)  # type: ignore[arg-type]
    paper = read_pdf(drawn.path)
    assert not lost(paper, drawn)
    headings = [block.text for block in paper.blocks if block.kind == "heading"]
    assert [heading for heading in headings if heading != language.abstract] == drawn.headings
    assert paper.metadata.title == language.title
    assert len(paper.metadata.authors) == 2
    assert squeezed(paper.metadata.abstract) == squeezed(drawn.abstract or paper.metadata.abstract)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Department of Physics and Astronomy, University of Nowhere, 12 Cold Road, Nowhere 3, Northland.", False),
        ("tidal heating, small moons, orbital resonance, shells of ice, craters, rings of planets", False),
        ("Received 12 March 2019; accepted 3 May 2019; published online 7 June 2019 by the Society.", False),
        ("moons that share a resonance are warmer than the others by a factor of three, and we do not know why the "
         "inner ones are younger than the planet on whose rings they feed", True),
        ("We measured the heat of nine moons (Roe, 2010; Doe et al., 2012), and found that it grows.", True),
    ],
)  # fmt: skip
def test_lists_and_addresses_are_no_prose(text: str, prose: bool) -> None:
    """Lost otherwise: text that begins within a sentence; or names and dates are quoted as findings."""
    assert reads_as_prose(text) is prose


def test_words_that_run_leftward_are_whole_and_where_they_are_shown(tmp_path: Path) -> None:
    """Lost otherwise: every Arabic and Hebrew word, in pieces of single letters; and highlights in the wrong place."""
    drawn = draw(tmp_path / "paper.pdf", LANGUAGES["Hebrew"], bare=True)
    (block,) = [block for block in read_pdf(drawn.path).blocks if block.kind == "paragraph"]
    assert block.text == drawn.paragraphs[0]
    first = block.sentences[0].places[0].rect
    assert first[2] == pytest.approx(72 + 450, abs=2), "the first sentence begins at the right edge"


@pytest.mark.parametrize("name", ["Arabic", "Hebrew"])
def test_words_that_were_drawn_rightward_are_not_reversed(tmp_path: Path, name: str) -> None:
    """Lost otherwise: every word of files whose program knew nothing of the script, spelt backwards."""
    drawn = draw(tmp_path / "paper.pdf", LANGUAGES[name], shaped=False)
    paper = read_pdf(drawn.path)
    assert not lost(paper, drawn)
    assert paper.metadata.title == LANGUAGES[name].title


def test_lines_of_chinese_join_without_a_space(tmp_path: Path) -> None:
    """Lost otherwise: words that a line end falls into, for every search."""
    drawn = draw(tmp_path / "paper.pdf", LANGUAGES["Chinese"], pages=1)
    blocks = [block.text for block in read_pdf(drawn.path).blocks if block.kind == "paragraph"]
    assert blocks
    assert not any(" " in text for text in blocks)


LATIN = [LANGUAGES["German"]]
PARAGRAPHS = st.tuples(
    st.sampled_from(LATIN), st.integers(0, 2), st.sampled_from([9.0, 10.0, 11.0]), st.sampled_from([8.0, 14.0, 30.0])
)


@settings(max_examples=40, deadline=None)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=6), st.booleans(), st.booleans(), st.booleans())
def test_no_paragraph_of_a_first_page_is_left_out(
    paragraphs: list[tuple[object, int, float, float]], titled: bool, named: bool, headed: bool
) -> None:
    """Lost otherwise: whatever paragraph stands where front matter may stand, in a layout that nobody thought of."""
    sheet, y, expected = Sheet(), 90.0, []
    if titled:
        sheet.put(100, y, LATIN[0].title, "Times-Bold", 16)
        y += 30
    if named:
        sheet.put(150, y, LATIN[0].names, "Times-Roman", 11)
        y += 24
    for number, (language, first, size, gap) in enumerate(paragraphs):
        if headed:
            sheet.put(72, y, f"{number + 1} {language.headings[0]}", "Times-Bold", 12)  # type: ignore[attr-defined]
            y += 18
        expected.append(language.paragraph(first))  # type: ignore[attr-defined]
        y = gap + sheet.paragraph(72, y, 450, expected[-1], size=size)
    with tempfile.TemporaryDirectory() as folder:
        paper = read_pdf(save(Path(folder) / "paper.pdf", [sheet]))
    searched = " ".join(block.text for block in paper.blocks)
    assert all(text in searched for text in expected)
