"""References found in texts of any form, as people and models write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import InputError
from conspectus.parse.process.pool import Limits
from conspectus.parse.references.files import references_of
from conspectus.parse.references.lists import references_of_text

MAP = "Microstructure of a spatial map in the entorhinal cortex"
LIMITS = Limits(60.0, 1000)


def told(text: str) -> list[tuple[str, int | None, str]]:
    return [(one.title, one.year, one.doi) for one in references_of_text(text).references]


@pytest.mark.parametrize(
    "text",
    [
        f"1. Hafting T, Fyhn M. {MAP}. Nature. 2005;436:801.\n2. Doe A. Sleep of the old cat. Science. 2001;2:3.",
        f"[1] T. Hafting, “{MAP},” Nature, vol. 436, 2005.\n[2] A. Doe, “Sleep of the old cat,” Science, vol. 2, 2001.",
        f"Hafting, T. (2005). {MAP}. Nature, 436, 801.\nDoe, A. (2001). Sleep of the old cat. Science, 2, 3–4.",
        "Hafting, T. (2005). Microstructure of a spatial map\n   in the entorhinal cortex. Nature, 436, 801.\n"
        "Doe, A. (2001). Sleep of the old cat.\n   Science, 2, 3–4.",
        f"- **Hafting, T. et al. (2005).** *{MAP}.* Nature 436, 801–806.\n- **Doe, A. (2001).** *Sleep of the old "
        "cat.* Science 2, 3–4.",
        f"1. **Title:** {MAP}\n   **Authors:** Hafting, T.\n   **Year:** 2005\n2. **Title:** Sleep of the old cat\n"
        "   **Year:** 2001",
        f'- "{MAP}" by Torkel Hafting (2005), Nature.\n- "Sleep of the old cat" by Anna Doe (2001), Science.',
        f"So it is.\n\n## References\n\nHafting, T. (2005). {MAP}. Nature, 436, 801.\n\nDoe, A. (2001). Sleep of the "
        "old cat. Science, 2, 3–4.",
    ],
)
def test_every_form_of_a_list(text: str) -> None:
    """A list would be audited as one reference, or as none."""
    assert [(title, year) for title, year, _ in told(text)] == [(MAP, 2005), ("Sleep of the old cat", 2001)]


def test_identifiers_alone() -> None:
    """Who has only DOIs would be told that there are no references."""
    found = references_of_text("10.1038/nature03721\nhttps://doi.org/10.1000/X\narXiv:1706.03762\nPMID: 15965463")
    ids = [(one.doi, one.arxiv_id, one.pmid) for one in found.references]
    assert ids == [("10.1038/nature03721", "", ""), ("10.1000/x", "", ""), ("", "1706.03762", ""), ("", "", "15965463")]


def test_titles_alone() -> None:
    """A list of titles would be joined, or passed over."""
    assert [title for title, *_ in told(f"{MAP}\nAttention is all you need")] == [MAP, "Attention is all you need"]


def test_an_answer_that_names_works() -> None:
    """The DOIs in a model's answer could not be checked."""
    text = (
        "Grid cells fire in hexagons (Hafting et al., 2005, doi:10.1038/nature03721), as others found "
        "(https://doi.org/10.1000/x). This is seen in 12 cells (p < 0.01)."
    )
    one, two = references_of_text(text).references
    assert (one.doi, one.year, one.authors[0].surname) == ("10.1038/nature03721", 2005, "Hafting")
    assert (two.doi, two.title, two.year) == ("10.1000/x", "", None)
    assert "hexagons" in one.text


def test_an_answer_with_a_list_names_each_work_once() -> None:
    """A work would be counted twice."""
    entry = f"1. Hafting T (2005) {MAP}. Nature 436: 801. doi:10.1038/nature03721"
    text = f"So it is (doi:10.1038/nature03721).\n\nReferences:\n{entry}"
    found = references_of_text(text)
    assert [(one.title, one.doi, one.key) for one in found.references] == [(MAP, "10.1038/nature03721", "b1")]


@pytest.mark.parametrize("text", ["", "\n\n", "Rates rise in sleep. They fall at rest, and no one knows why."])
def test_nothing_is_nothing(text: str) -> None:
    """Prose would be audited as if it were references."""
    assert not references_of_text(text).references


def test_what_was_left_out_is_told() -> None:
    """A line that was not understood would be lost without a word."""
    found = references_of_text(
        f"These are my notes of today. They are long.\n\nHafting, T. (2005). {MAP}. Nature, 436, 801."
    )
    assert len(found.references) == 1 and "These are my notes" in found.notes[0]


BIBTEX = f"@article{{a, title={{{MAP}}}, author={{Hafting, Torkel}}, year=2005, doi={{10.1038/nature03721}}}}\n"
RIS = f"TY  - JOUR\nTI  - {MAP}\nAU  - Hafting, Torkel\nPY  - 2005\nDO  - 10.1038/nature03721\nER  - \n"
CSL = f"""[{{"id": "a", "type": "article-journal", "title": "{MAP}", "author": [{{"family": "Hafting", "given": "T"}}],
 "issued": {{"date-parts": [[2005]]}}, "DOI": "10.1038/nature03721"}}]"""


@pytest.mark.parametrize(("text", "suffix"), [(BIBTEX, ".bib"), (RIS, ".ris"), (CSL, ".json"), (BIBTEX, ".txt")])
def test_bibliographies_as_text_and_as_files(tmp_path: Path, text: str, suffix: str) -> None:
    """A bibliography on standard input would be read as lines."""
    path = tmp_path / f"list{suffix}"
    path.write_text(text, "utf-8")
    for source in (text, path, str(path)):
        (one,) = references_of(source, LIMITS).references
        assert (one.title, one.year, one.doi) == (MAP, 2005, "10.1038/nature03721")
        assert one.authors[0].surname == "Hafting"


def test_a_papers_own_list(tmp_path: Path) -> None:
    """A manuscript could not be checked before it is sent."""
    path = tmp_path / "paper.html"
    meta = '<meta name="citation_title" content="A paper on maps">'
    body = f"<h1>A paper on maps</h1><h2>Results</h2><p>{'Cells fire in maps. ' * 40}[1]</p><h2>References</h2>"
    path.write_text(
        f"<html><head>{meta}</head><body><article>{body}<ol><li>Hafting T. {MAP}. Nature. 2005;436:801-6."
        "</li></ol></article></body></html>",
        "utf-8",
    )
    assert [one.title for one in references_of(path, LIMITS).references] == [MAP]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """A wrong name would be audited as a title."""
    with pytest.raises(InputError, match=r"gone\.bib"):
        references_of(tmp_path / "gone.bib", LIMITS)
    with pytest.raises(InputError, match=r"gone\.txt"):
        references_of(tmp_path / "gone.txt", LIMITS)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """A text that nobody thought of would end the program with a traceback."""
    found = references_of_text(text)
    assert [one.key for one in found.references] == [f"b{number}" for number in range(1, len(found.references) + 1)]


@pytest.mark.parametrize("before", ["\x1b", "\x1b[2J", "\x00\x07", "\u202e", "\ufeff", "\x9b", "\x0c", "\u200b"])
def test_signs_that_are_not_seen_hide_no_entry(before: str) -> None:
    """An invented reference would pass unchecked as a part of the one before it."""
    lines = (
        f"[1] Hafting T. {MAP}. Nature. 2005;436:801.",
        "[2] Doe A. Sleep of the old cat. Science. 2001;2:3.",
        f"{before}[3] Roe B. Dreams of the young dog. Science. 2002;3:4.",
    )
    assert [title for title, *_ in told("\n".join(lines))] == [MAP, "Sleep of the old cat", "Dreams of the young dog"]
