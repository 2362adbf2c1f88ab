"""Printed references told apart: what is read wrongly here leads to the wrong paper, or to none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.references.entries import parse_reference, split_label
from growth import Steep, repeat_text

TITLE = "Slow waves in the sleeping cortex"
STYLES = {
    "apa": f"Green, A. B., & van der Berg, C. (2011). {TITLE}. Journal of Waves, 12(3), 34–45. https://doi.org/10.1000/w.1",
    "vancouver": f"Green AB, van der Berg C. {TITLE}. J Waves. 2011;12(3):34-45.",
    "plos": f"Green AB, van der Berg C (2011) {TITLE}. J Waves 12: 34–45. doi:10.1000/w.1",
    "ieee": f"A. B. Green and C. van der Berg, “{TITLE},” J. Waves, vol. 12, no. 3, pp. 34–45, 2011.",
    "nature": f"Green, A. B. & van der Berg, C. {TITLE}. J. Waves 12, 34–45 (2011).",
    "acs": f"Green, A. B.; van der Berg, C. {TITLE}. J. Phys. Chem. 2011, 12, 34–45.",
    "plain": f"Anna B. Green and Carl van der Berg. {TITLE}. Journal of Waves, 12(3):34–45, 2011.",
    "biblatex": f"Anna B. Green and Carl van der Berg. “{TITLE}”. In: Journal of Waves 12.3 (2011), pp. 34–45.",
    "elsevier": f"A.B. Green, C. van der Berg, {TITLE}, J. Waves 12 (2011) 34–45.",
    "harvard": f"Green, A.B. and van der Berg, C. (2011) ‘{TITLE}’, Journal of Waves, 12(3), pp. 34–45.",
    "chicago": f"Green, Anna B., and Carl van der Berg. 2011. “{TITLE}.” Journal of Waves 12 (3): 34–45.",
    "springer": f"Green, A.B., van der Berg, C.: {TITLE}. J. Waves 12(3), 34–45 (2011)",
    "german": f"Green, A. B. u. van der Berg, C. (2011): {TITLE}. In: J. Waves 12 (3), S. 34–45.",
    "agu": f"Green, A. B., and C. van der Berg (2011), {TITLE}, J. Waves, 12, 34–45.",
}
UNTITLED = {
    "physics": "A. B. Green and C. van der Berg, Phys. Rev. Lett. 12, 34 (2011).",
    "acs": "Green, A. B.; van der Berg, C. J. Am. Chem. Soc. 2011, 12, 34.",
    "mnras": "Green A. B., van der Berg C., 2011, MNRAS, 12, 34",
    "apj": "Green, A. B., & van der Berg, C. 2011, ApJ, 12, 34",
}


@pytest.mark.parametrize("style", STYLES)
def test_every_style_gives_title_authors_year_and_place(style: str) -> None:
    """The lists of whole fields would stay unread."""
    found = parse_reference(STYLES[style], "b1")
    assert (found.title.rstrip(",."), found.year) == (TITLE, 2011)
    assert [author.family for author in found.authors] == ["Green", "van der Berg"]
    assert (found.volume, found.pages) == ("12", "34–45")
    assert found.venue.replace(".", "") in ("Journal of Waves", "J Waves", "J Phys Chem")
    assert found.doi == ("10.1000/w.1" if "10.1000" in STYLES[style] else "")


@pytest.mark.parametrize("style", UNTITLED)
def test_a_style_without_titles_gives_none(style: str) -> None:
    """The journal would be taken for the title, and papers of that name be linked."""
    found = parse_reference(UNTITLED[style], "b1")
    assert (found.title, found.year, found.volume, found.pages) == ("", 2011, "12", "34")
    assert [author.family for author in found.authors] == ["Green", "van der Berg"]
    assert found.venue


@pytest.mark.parametrize(
    ("text", "title", "year", "names"),
    [
        ("Rock, A. (1999). Stones of the sea (2nd ed.). Hill Press.", "Stones of the sea", 1999, ["A. Rock"]),
        ("Rock A. Stones of the sea. 2nd ed. London: Hill Press; 1999.", "Stones of the sea", 1999, ["A Rock"]),
        (
            "Rock A, Sand B. On shores. In: Clay C, editor. Stones. London: Hill Press; 1999. p. 12–20.",
            "On shores",
            1999,
            ["A Rock", "B Sand"],
        ),
        ("Rock, A. On shores. PhD thesis, University of Hills, 1999.", "On shores", 1999, ["A. Rock"]),
        (
            "A. Rock, On shores. arXiv preprint arXiv:2001.01234 (2020).",
            "On shores",
            2020,
            ["A. Rock"],
        ),
        (
            "World Health Organization. (2012). Report on leprosy. https://who.example/report. Accessed 3 May 2013.",
            "Report on leprosy",
            2012,
            ["World Health Organization"],
        ),
        (
            "The pandas development team. (2024). Pandas: a toolkit (Version 2.1) [Computer software]. Zenodo.",
            "Pandas: a toolkit",
            2024,
            ["The pandas development team"],
        ),
        ("The smallest black hole. (2008). In Science News. Press.", "The smallest black hole", 2008, []),
        (
            "Rock, A., Sand, B., …, & Clay, C. (2020a). Is it so? A study of E. coli in vivo. Cell, 3, e12.",
            "Is it so? A study of E. coli in vivo",
            2020,
            ["A. Rock", "B. Sand", "C. Clay"],
        ),
    ],
)
def test_books_theses_software_and_groups(text: str, title: str, year: int, names: list[str]) -> None:
    """What is no article would get half sentences as titles."""
    found = parse_reference(text, "b1")
    assert (found.title, found.year, [author.name for author in found.authors]) == (title, year, names)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("[12] A. Rock, Stones, 1999.", "[12]"),
        ("12. A. Rock, Stones, 1999.", "12."),
        ("(12) A. Rock, Stones, 1999.", "(12)"),
        ("¹²A. Rock, Stones, 1999.", "¹²"),
        ("[Roc99] A. Rock, Stones, 1999.", "[Roc99]"),
        ("[Rock, Sand, and Clay1999] A. Rock, Stones, 1999.", "[Rock, Sand, and Clay1999]"),
        ("A. Rock, Stones, 1999.", ""),
        ("3D Rock and its uses. Stones, 1999.", ""),
    ],
)
def test_labels_are_kept_as_printed_and_out_of_the_text(text: str, label: str) -> None:
    """Marks in the text would not find their entry, or the entry would begin with its number."""
    assert split_label(text) == (label, text[len(label) :].lstrip())
    assert parse_reference(text, "b1").text == text[len(label) :].lstrip()


def test_the_letter_of_a_year_is_in_the_label() -> None:
    """`Rock 1999a` and `Rock 1999b` could not be told apart."""
    assert parse_reference("Rock, A. (1999b). Stones of the sea. Cell, 3, 12.", "b1").label == "Rock 1999b"


def test_identifiers_torn_at_line_ends_are_whole() -> None:
    """The surest link to a paper of the library would be lost."""
    text = "Rock, A. (1999). Stones of the sea. Zenodo. https://doi.org/10. 5281/zenodo.77"
    text += " PMID: 12345678. arXiv:2001.01234"
    found = parse_reference(text, "b1")
    assert (found.doi, found.pmid, found.arxiv_id) == ("10.5281/zenodo.77", "12345678", "2001.01234")
    assert parse_reference("Rock A. Stones. https://stone.example/a", "b1").url == "https://stone.example/a"


@given(st.text(max_size=300))
def test_no_text_is_too_odd(text: str) -> None:
    """One entry would cost the whole file."""
    found = parse_reference(text, "b1")
    assert found.key == "b1"
    assert found.year is None or 1500 <= found.year < 2100


@pytest.mark.parametrize(
    "part", ["A. ", "A-", "(", "Smith, J., ", "X X ", "Group of the ", "“a", "1, ", "10.1/", "“", "de la "]
)
def test_repetition_takes_no_time(part: str, steep: Steep) -> None:
    """A hostile list would keep the reader busy until its time is up."""
    assert not steep(lambda length: parse_reference(repeat_text(part, length), "b1"), 2_000)


@pytest.mark.parametrize(
    ("text", "title", "venue"),
    [
        ("Lind A, Roe M. {}. J Ice. 2010;5(2):12-18.", "Ed. by chance: the work of Dr. Snow", "J Ice"),
        ("Lind A. {}. J Ice. 2010;5:12-18.", "Ed Stone and the ice of Vol. 2", "J Ice"),
        ("Lind A. {}. J Ice. 2010;5:12-18.", "Med. Ed. in the Arctic", "J Ice"),
        ("Lind A. {}. J Ice. 2010;5:12-18.", "Dr. Jekyll in the lab: no. 5 of a series", "J Ice"),
        ("Lind, A., 2010. {}. J. Ice 5, 12-18.", "Growth of E. coli vs. S. aureus in St. Louis", "J. Ice"),
        ("Lind A. {}. Nowhere: Ice Press; 2010.", "Handbook of Ice, Vol. 2: Tides", "Nowhere: Ice Press"),
        ("Stone, J.; Roe, B. Eds. {}; Ice Press: Nowhere, 2010; Vol. 2.", "Handbook of Ice", "Ice Press: Nowhere"),
        ("Stone, J. Ed. {}; Ice Press: Nowhere, 2010.", "Handbook of Ice", "Ice Press: Nowhere"),
        ("Lind, A. (2010). {} (2nd ed.). Nowhere Press.", "Tides of moons", "Nowhere Press"),
        ("Lind, A. (2010). {}. Journal of Ice, 5, 12-18.", "Special Ed. and Phys. Ed. classes", "Journal of Ice"),
    ],
)
def test_abbreviations_end_no_title(text: str, title: str, venue: str) -> None:
    """The title would end, or begin, at `Ed.`, and no paper be found by it."""
    found = parse_reference(text.format(title), "b1")
    assert (found.title, found.venue, found.year) == (title, venue, 2010)


def test_family_names_in_capitals_are_written_as_elsewhere() -> None:
    """`LINDQVIST A.` would be another author than `Lindqvist, A.`."""
    found = parse_reference("LINDQVIST A., O'BRIEN M. (2010). Tides of moons. J. Ice 5: 12-18.", "b1")
    assert [author.family for author in found.authors] == ["Lindqvist", "O'Brien"]
