"""Reference lists in other styles: all entries, each once, none of them prose; an empty DOI is none."""

from pathlib import Path

import pytest
from variant_pdfs import BOLD, SERIF, WIDTH, Drawing

from case_reading import read_paper, read_papers, searchable_text, texts
from conspectus.records import ParsedPaper

TITLE = "Wells of dry valleys"
TEXT = (
    "Wells in dry valleys were dug by hand. We looked at the stones of forty wells and asked the oldest people. Most "
    "wells are younger than their legends. Two are older than the town."
)
ENTRIES = [
    "Abel, T. (2001). Stones of old wells. Journal of Wells, 3(1), 1–9. https://doi.org/10.5555/wells.2001.1",
    "Bo, L., & Chen, W. (2003). Digging by hand in dry valleys and what it meant for those who lived there. Valley "
    "Studies, 9, 12–40.",
    "de la Cruz, M. (2005). Legends. In A. Diaz & B. Eriksen (Eds.), Handbook of towns (pp. 101–118). Town Press.",
    "European Water Council. (2010). Report on wells (No. 7). https://water.example/report-7.pdf",
    "van der Berg, I. (2012). Dating mortar. Mortar, 1, 5–8.",
    "Zhou, Q., Young, P., & Xavier, R. (n.d.). A well of one's own [Unpublished manuscript]. University of Nowhere.",
]


def first_page(page: Drawing) -> float:
    page.centre(90, TITLE, 17, BOLD)
    page.centre(114, "Ida Berg and Wei Li", 11)
    page.text(70, 145, "Abstract", 11, BOLD)
    y = page.paragraph(70, 160, WIDTH - 140, TEXT)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    y = page.paragraph(70, y + 34, WIDTH - 140, TEXT + " This was seen before (Abel, 2001; van der Berg, 2012).")
    page.text(70, y + 16, "2 Results", 12, BOLD)
    return page.paragraph(70, y + 34, WIDTH - 140, TEXT)


def hanging(page: Drawing, x: float, y: float, width: float, entries: list[str], size: float = 10.0) -> float:
    for entry in entries:
        lines = entry.split()
        current, first = "", True
        for word in [*lines, ""]:
            longer = f"{current} {word}".strip()
            if not word or page.canvas.stringWidth(longer, SERIF, size) > width - 18:
                page.text(x + (0 if first else 18), y, current, size)
                y, current, first = y + size * 1.25, word, False
            else:
                current = longer
        y += 2
    return y


def assert_all(paper: ParsedPaper, entries: list[str]) -> None:
    found = [" ".join(reference.text.split()) for reference in paper.references]
    assert [text[:25] for text in found] == [entry[:25] for entry in entries]
    assert all(
        entry[-12:].replace(" ", "") in text.replace(" ", "") for entry, text in zip(entries, found, strict=True)
    )
    assert "Mortar, 1, 5–8" not in searchable_text(paper)


HEADINGS = {
    "larger and bold": ("References", 14, BOLD),
    "as large as the text": ("References", 10, SERIF),
    "capitals as large as the text": ("REFERENCES", 10, SERIF),
    "small capitals, smaller": ("REFERENCES", 8, SERIF),
    "with a number": ("5. References", 12, BOLD),
    "literature cited": ("Literature Cited", 12, BOLD),
    "bibliography": ("Bibliography", 12, BOLD),
    "references and notes": ("References and Notes", 12, BOLD),
    "works cited": ("Works cited", 12, BOLD),
    "spanish": ("Bibliografía", 12, BOLD),
    "french": ("Références bibliographiques", 12, BOLD),
    "german": ("Quellen", 12, BOLD),
    "letters apart": ("R E F E R E N C E S", 9, SERIF),
    "in Helvetica": ("References", 12, "Helvetica-Bold"),
    "with a colon": ("References:", 12, BOLD),
    "in italics": ("References", 12, "Times-Italic"),
    "below another level": ("6.1.2 References", 9, "Times-Italic"),
    "none": ("", 12, BOLD),
}


@pytest.mark.parametrize(("heading", "size", "font"), HEADINGS.values(), ids=HEADINGS)
def test_lists_under_other_headings(tmp_path: Path, heading: str, size: float, font: str) -> None:
    """All references of a paper would be lost, and be searched as prose instead."""
    page = Drawing(tmp_path / "heading.pdf")
    first_page(page)
    page.page()
    y = page.paragraph(70, 80, WIDTH - 140, TEXT)
    page.text(70, y + 20, heading, size, font)
    hanging(page, 70, y + 40, WIDTH - 140, ENTRIES)
    assert_all(page.read(), ENTRIES)


def test_a_list_on_the_first_page(tmp_path: Path) -> None:
    """In a paper of one page, entries with an address would be taken for what is printed about the paper."""
    page = Drawing(tmp_path / "one.pdf")
    y = first_page(page)
    page.text(70, y + 20, "References", 12, BOLD)
    hanging(page, 70, y + 40, WIDTH - 140, ENTRIES)
    assert_all(page.read(), ENTRIES)


def test_a_heading_at_the_foot_of_the_page_before(tmp_path: Path) -> None:
    """The list begins on a page of its own; its heading was left behind."""
    page = Drawing(tmp_path / "before.pdf")
    first_page(page)
    page.text(70, 760, "References", 12, BOLD)
    page.page()
    hanging(page, 70, 80, WIDTH - 140, ENTRIES)
    assert_all(page.read(), ENTRIES)


def test_a_list_over_two_pages(tmp_path: Path) -> None:
    """The entry that the page break cuts would be two, or lose its end."""
    page = Drawing(tmp_path / "pages.pdf")
    first_page(page)
    page.page()
    page.text(70, 600, "References", 12, BOLD)
    y = hanging(page, 70, 620, WIDTH - 140, ENTRIES[:1])
    page.text(70, y, ENTRIES[1][: ENTRIES[1].index("and what")])
    page.centre(800, "2", 9)
    page.page()
    page.text(88, 80, ENTRIES[1][ENTRIES[1].index("and what") :][:70])
    page.text(88, 92.5, ENTRIES[1][ENTRIES[1].index("and what") :][70:])
    hanging(page, 70, 107, WIDTH - 140, ENTRIES[2:])
    page.centre(800, "3", 9)
    assert_all(page.read(), ENTRIES)


def test_a_list_in_two_columns_with_an_appendix_behind(tmp_path: Path) -> None:
    """The text behind the list would become its last entry."""
    page = Drawing(tmp_path / "appendix.pdf")
    first_page(page)
    page.page()
    page.text(50, 80, "References", 12, BOLD)
    width = (WIDTH - 120) / 2
    hanging(page, 50, 100, width, ENTRIES[:3], 9)
    y = hanging(page, 70 + width, 80, width, ENTRIES[3:], 9)
    page.text(70 + width, y + 20, "Appendix A. The wells", 12, BOLD)
    appendix = "The forty wells lie on both sides of the river. Each was given a letter. Six have fallen in since."
    page.paragraph(70 + width, y + 38, width, appendix, size=9)
    paper = page.read()
    assert_all(paper, ENTRIES)
    assert appendix in searchable_text(paper)


@pytest.mark.parametrize("count", [2, 4, 6])
def test_a_list_without_a_heading_behind_thanks(tmp_path: Path, count: int) -> None:
    """Authors forget the heading, and their program prints the list behind the last section."""
    page = Drawing(tmp_path / "thanks.pdf")
    first_page(page)
    page.page()
    y = page.paragraph(70, 80, WIDTH - 140, TEXT)
    page.text(70, y + 20, "Acknowledgements", 12, BOLD)
    thanks = "We thank the people of the town for their patience and for their lamps."
    y = page.paragraph(70, y + 38, WIDTH - 140, thanks)
    hanging(page, 70, y + 6, WIDTH - 140, ENTRIES[:count])
    paper = page.read()
    assert [reference.text[:25] for reference in paper.references] == [entry[:25] for entry in ENTRIES[:count]]
    assert thanks in searchable_text(paper) and "Handbook of towns" not in searchable_text(paper)


LABELS = {
    "square brackets": "[{}]",
    "a stop": "{}.",
    "round brackets": "({})",
    "a bare number": "{}",
    "names": "[Abe{:02}]",
}


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("order", ["one column", "two columns"])
def test_labels_of_entries(tmp_path: Path, label: str, order: str) -> None:
    """The entry behind a long one would be lost, or a year at the beginning of a line would begin an entry."""
    entries = [*ENTRIES[:4], ENTRIES[1].replace("(2003)", "2003"), ENTRIES[4], ENTRIES[0], ENTRIES[5], *ENTRIES[2:4]]
    page = Drawing(tmp_path / "labels.pdf")
    first_page(page)
    page.page()
    page.text(50, 80, "References", 12, BOLD)
    width = WIDTH - 100 if order == "one column" else (WIDTH - 120) / 2
    x, y = 50.0, 100.0
    for number, entry in enumerate(entries, 1):
        if order == "two columns" and number == 6:
            x, y = 70 + width, 80.0
        page.text(x, y, label.format(number), 9)
        y = page.paragraph(x + 38, y, width - 38, entry, size=9) + 2
    paper = page.read()
    assert len(paper.references) == len(entries)
    assert all(entry[:20] in found.text for entry, found in zip(entries, paper.references, strict=True))


@pytest.mark.parametrize("above", [-3, 5, 8, 10])
@pytest.mark.parametrize("order", ["one column", "two columns"])
def test_small_labels_raised_or_on_lines_of_their_own(tmp_path: Path, above: float, order: str) -> None:
    """A list of a journal with small raised numbers would be one paragraph of text, or cut in wrong places."""
    entries = [*ENTRIES[:5], ENTRIES[0], ENTRIES[5], *ENTRIES[2:4]]
    page = Drawing(tmp_path / "raised.pdf")
    first_page(page)
    page.page()
    page.text(50, 80, "References", 12, BOLD)
    width = WIDTH - 100 if order == "one column" else (WIDTH - 120) / 2
    x, y = 50.0, 100.0
    for number, entry in enumerate(entries, 1):
        if order == "two columns" and number == 5:
            x, y = 70 + width, 80.0
        page.text(x, y + min(above, 0), str(number), 6)
        y = page.paragraph(x + 10, y + max(above, 0), width - 10, entry, size=9) + 2
    paper = page.read()
    assert len(paper.references) == len(entries)
    assert all(entry[:20] in found.text for entry, found in zip(entries, paper.references, strict=True))


def test_entries_without_hanging_lines(tmp_path: Path) -> None:
    """Paragraphs with a distance between them are entries too."""
    page = Drawing(tmp_path / "block.pdf")
    y = first_page(page)
    page.text(70, y + 20, "References", 12, BOLD)
    y += 40
    for entry in ENTRIES:
        y = page.paragraph(70, y, WIDTH - 140, entry) + 7
    assert_all(page.read(), ENTRIES)


def test_one_author_several_times(tmp_path: Path) -> None:
    """A dash in place of the name begins an entry; without it two papers would be one reference."""
    entries = [
        "Abel, Tove. 2001. “Stones of Old Wells.” Journal of Wells 3: 1–9.",
        "———. 2003. “More Stones of Old Wells.” Journal of Wells 5: 11–19.",
        "———. 2007. Wells. Oslo: Town Press.",
        "Bo, Li. 2003. “Digging by Hand in Dry Valleys and What It Meant for Those Who Lived There, Then and Later.” "
        "Valley Studies 9: 12–40.",
    ]
    page = Drawing(tmp_path / "dash.pdf")
    y = first_page(page)
    page.text(70, y + 20, "References", 12, BOLD)
    hanging(page, 70, y + 40, WIDTH - 140, entries)
    paper = page.read()
    assert len(paper.references) == 4
    assert paper.references[1].authors[0].surname == "Abel" or paper.references[1].text.startswith("———")


@pytest.mark.parametrize("ending", ["doi:", "https://doi.org/", "DOI: .", "https://doi.org/10.", "doi:10.5555/"])
def test_an_empty_doi_is_none(tmp_path: Path, ending: str) -> None:
    """Two references with the same empty DOI would be taken for the same paper."""
    entries = [f"{entry.split(' https')[0]} {ending}" for entry in ENTRIES[:3]]
    page = Drawing(tmp_path / "doi.pdf")
    y = first_page(page)
    page.text(70, y + 20, "References", 12, BOLD)
    hanging(page, 70, y + 40, WIDTH - 140, entries)
    paper = page.read()
    assert len(paper.references) == 3
    assert [reference.doi for reference in paper.references] == ["", "", ""]


EMPTY = {
    "empty.bib": "@article{a, title={Stones}, doi={}}\n@article{b, title={Wood}, doi={https://doi.org/}}\n",
    "words.ris": "TY  - JOUR\nTI  - Stones\nDO  - \nER  - \nTY  - JOUR\nTI  - Wood\nDO  - doi:\nER  - \n",
    "none.csv": "Title,Year,DOI\nStones,2001,N/A\nWood,2002,https://doi.org/\n",
    "csl.json": '[{"title": "Stones", "DOI": ""}, {"title": "Wood", "DOI": "10."}]',
}


@pytest.mark.parametrize("file", EMPTY)
def test_an_empty_doi_of_a_record_is_none(tmp_path: Path, file: str) -> None:
    """Two papers of a bibliography would be merged because both say nothing in this field."""
    path = tmp_path / file
    path.write_text(EMPTY[file], "utf-8")
    stones, wood = read_papers(path)
    assert (stones.metadata.doi, wood.metadata.doi) == ("", "")


def test_an_empty_doi_of_an_article_is_none(tmp_path: Path) -> None:
    """Publishers write the element also where there is nothing to put in."""
    refs = "".join(
        f"<ref id='r{n}'><mixed-citation>Abel T. Stones {n}. 2001. {doi}</mixed-citation></ref>"
        for n, doi in enumerate(
            [
                "<pub-id pub-id-type='doi'/>",
                "<pub-id pub-id-type='doi'> </pub-id>",
                "<ext-link xmlns:x='http://www.w3.org/1999/xlink' x:href='https://doi.org/'>doi</ext-link>",
            ]
        )
    )
    path = tmp_path / "article.xml"
    path.write_text(
        "<article><front><article-meta><article-id pub-id-type='doi'></article-id><title-group><article-title>Wells"
        "</article-title></title-group></article-meta></front><body><p>Wells are deep. They are old.</p></body>"
        f"<back><ref-list>{refs}</ref-list></back></article>",
        "utf-8",
    )
    paper = read_paper(path)
    assert paper.metadata.doi == "" and [reference.doi for reference in paper.references] == ["", "", ""]


def test_a_list_of_steps_is_no_list_of_references(tmp_path: Path) -> None:
    """A numbered list at the end of a report would vanish from the text."""
    page = Drawing(tmp_path / "steps.pdf")
    y = first_page(page)
    page.text(70, y + 20, "3 Advice", 12, BOLD)
    steps = [
        "1. Look for the stones at the rim of the well.",
        "2. Ask the oldest people of the town for its name.",
        "3. Take mortar from the third row of stones.",
        "4. Send the mortar to a laboratory before winter.",
    ]
    for row, step in enumerate(steps):
        page.text(70, y + 40 + 14 * row, step)
    paper = page.read()
    assert not paper.references and not texts(paper, "reference")
    assert all(step[3:] in searchable_text(paper) for step in steps)


DASHES = [
    "1. Bondar O. Snow and soil. – Kyiv : Nauka, 2001. – 212 p.",
    "2. Ivanov P. Soil frost in the steppe // Soil Science. – 2010. – Vol. 3. – P. 11–19.",
    "3. Koval S. Rivers. – Vol. 4. – Lviv, 1999. – 88 p.",
    "4. Lysenko M. Ice. – 2005. – 6. – P. 7–12.",
]


def test_numbers_before_dashes_begin_no_entry(tmp_path: Path) -> None:
    """In Slavic lists `Vol. 3. – P. 11` would become an entry of its own."""
    page = Drawing(tmp_path / "dashes.pdf")
    first_page(page)
    page.page()
    page.text(70, 80, "Список литературы", 12, BOLD)
    y = 100.0
    for entry in DASHES:
        y = page.paragraph(70, y, WIDTH - 140, entry)
    assert [reference.text for reference in page.read().references] == [entry[3:] for entry in DASHES]


def test_sections_of_a_list(tmp_path: Path) -> None:
    """`Software` would be a work that the paper cites, and the entries behind it could be lost."""
    page = Drawing(tmp_path / "sections.pdf")
    first_page(page)
    page.page()
    page.text(70, 80, "References", 12, BOLD)
    page.text(70, 100, "Primary sources", 11, BOLD)
    y = hanging(page, 70, 120, WIDTH - 140, ENTRIES[:4])
    page.text(70, y + 20, "Software", 11, BOLD)
    hanging(page, 70, y + 40, WIDTH - 140, ENTRIES[4:])
    assert_all(page.read(), ENTRIES)
