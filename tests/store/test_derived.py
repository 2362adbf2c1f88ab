"""Key phrases, dates and citation counts: kept with the papers, read for many at once, and filtered by."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Filters, Library
from conspectus.ingest.derivations.facts import MOST_CITED
from conspectus.parse.text import key_phrases
from conspectus.records import normal_name
from conspectus.store import facets
from conspectus.store.connection import CHUNK
from helpers import assert_consistent, markdown, open_library, statements, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

EELS = {
    "title": "Migration of freshwater eels", "doi": "10.1000/eels", "keywords": ["fisheries"], "date": "2019-03-07",
    "abstract": "Freshwater eels migrate to the Sargasso Sea. Sargasso Sea spawning is unseen. Eels swim at night.",
    "citation_count": 41,
}  # fmt: skip
MOSS = {"title": "Peat moss on walls", "abstract": "Peat mosses grow on stone walls in the shade.", "year": 2001}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add(write_jsonl(tmp_path / "refs.jsonl", [EELS, MOSS]))
        yield made


def keys(library: Library) -> dict[str, int]:
    return {paper.title: library.session.catalog.paper_key(paper.id) for paper in library.papers()}


def titles(library: Library, *keywords: str) -> list[str]:
    return [paper.title for paper in library.papers(Filters(keyword=keywords))]


def test_a_paper_has_its_key_phrases(library: Library) -> None:
    """In order, as written, and as terms for comparing."""
    eels, moss = library.papers()
    made = key_phrases.key_phrases(eels.title, eels.abstract)
    assert eels.key_phrases == tuple(phrase.text for phrase in made) and "Sargasso Sea" in eels.key_phrases
    key = keys(library)[eels.title]
    everything = list(keys(library).values())
    assert facets.key_phrase_terms(library.session.catalog, everything)[key] == tuple(
        normal_name(phrase.text) for phrase in made
    )
    assert facets.scored_key_phrases(library.session.catalog, everything)[key] == made
    assert {"Peat moss", "stone walls"} < set(moss.key_phrases)
    assert library.search("eels").hits[0].paper == eels, "the same wherever a paper is shown"


def test_many_papers_at_once(tmp_path: Path) -> None:
    """A search weighs more candidates than a statement takes; unknown keys are no trouble."""
    names = [f"w{number}x" for number in range(CHUNK + 20)]
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": f"Quaggas {name}", "year": 2000} for name in names]))
        asked = [*keys(library).values(), 10**6]
        random.Random(1).shuffle(asked)
        assert (
            facets.key_phrase_terms(library.session.catalog, [])
            == {}
            == facets.paper_standings(library.session.catalog, [])
        )
        with statements(library) as said:
            terms, standings = (
                facets.key_phrase_terms(library.session.catalog, asked),
                facets.paper_standings(library.session.catalog, asked),
            )
        assert len(said) < 8
        assert len(terms) == len(standings) == len(names)
        for title, key in keys(library).items():
            assert f"quaggas {title.split()[1]}" in terms[key] and standings[key] == (2000.5, None)


def test_dates_and_citations_are_numbers(library: Library, tmp_path: Path) -> None:
    """Weights by them would decode every candidate's metadata."""
    more: list[dict[str, Any]] = [
        {"title": "In May", "date": "2020-05", "citation_count": 0},
        {"title": "Some day"},
        {"title": "Much cited", "year": 1999, "citation_count": 10**11},
    ]
    library.add(write_jsonl(tmp_path / "more.jsonl", more))
    known = keys(library)
    found = facets.paper_standings(library.session.catalog, list(known.values()))
    day = found[known["Migration of freshwater eels"]]
    assert day.cited_by == 41 and day.published == pytest.approx(2019 + (31 + 28 + 6.5) / 365)
    month = found[known["In May"]]
    assert month.cited_by == 0 and month.published == pytest.approx(2020 + (31 + 29 + 31 + 30 + 15.5) / 366)
    assert found[known["Some day"]] == (None, None)
    assert found[known["Peat moss on walls"]] == (2001.5, None)
    assert found[known["Much cited"]] == (1999.5, MOST_CITED)


@pytest.mark.parametrize(
    "asked", ["Sargasso Sea", "sargasso-sea", "freshwater eel", "fisheries", "fishery", "FISHERIES"]
)
def test_a_keyword_is_the_authors_or_a_key_phrase(library: Library, asked: str) -> None:
    """In the catalog and in the index alike; singular or plural."""
    title = "Migration of freshwater eels"
    assert titles(library, asked) == [title]
    hits = library.search("grow or swim", filters=Filters(keyword=(asked,))).hits
    assert [hit.paper.title for hit in hits] == [title]
    assert not library.search("grow or swim", filters=Filters(keyword=("sargasso",))).hits, "a keyword is whole"


def test_any_of_several_keywords_will_do(library: Library) -> None:
    assert len(titles(library, "peat moss", "fisheries")) == 2
    assert len(library.search("grow or swim", filters=Filters(keyword=("peat mosses", "fisheries"))).hits) == 2


def test_a_keyword_that_no_paper_has_is_told_with_what_is_near(library: Library) -> None:
    """Else who mistypes it believes that there is no such paper."""
    note = library.search("eels", filters=Filters(keyword=("sargaso sea",))).note
    assert "No paper has the keyword 'sargaso sea'. Near it: sargasso sea" in note
    assert "No paper has" not in library.search("eels", filters=Filters(keyword=("eels",), year=(1900, 1901))).note


def test_they_change_and_go_with_the_paper(library: Library, tmp_path: Path) -> None:
    """Else a paper is found by words that it no longer has, or that had to be removed."""
    other = {**EELS, "abstract": "Glass eels climb weirs. Glass eels are small.", "date": "2020", "citation_count": 50}
    library.add(write_jsonl(tmp_path / "refs.jsonl", [other, MOSS]))
    assert not titles(library, "Sargasso Sea") and titles(library, "glass eel")
    assert library.search("climb", filters=Filters(keyword=("glass eels",))).hits
    key = keys(library)["Migration of freshwater eels"]
    assert facets.paper_standings(library.session.catalog, [key])[key] == (2020.5, 50)
    library.remove("10.1000/eels")
    rows = table_rows(library)["key_phrases"]
    assert rows and key not in {row[0] for row in rows} and not titles(library, "glass eel")
    assert_consistent(library)


def test_without_an_abstract_the_text_begins(tmp_path: Path) -> None:
    """A PDF whose abstract was not found is about something too."""
    body = "Marsupial moles are blind. " * 3 + "\n\n## Later\n\n" + "It is so. " * 900 + "Koalas sleep."
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "moles.md", markdown("On digging", body)))
        (paper,) = library.papers()
        assert not paper.abstract and "Marsupial moles" in paper.key_phrases and "Koalas" not in paper.key_phrases
