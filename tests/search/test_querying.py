"""A library searched in its language: what is found, listed and counted, and what is said when nothing is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from conspectus import Filters, Library, SearchResult
from conspectus.core.errors import UsageError
from conspectus.index import generations
from conspectus.ingest.derivations.registry import lacking
from conspectus.store.connection import writing
from conspectus.store.facets import facet_terms
from helpers import HashEmbedder, InlinePool, open_library, write, write_jsonl

RECORDS: list[dict[str, Any]] = [
    {"id": "mouse", "title": "Grid cells of the mouse", "abstract": "Grid cells were recorded while it ran.",
     "year": 2010, "authors": ["Moser, May"], "venue": "Nature", "doi": "10.1234/mouse"},
    {"id": "rat", "title": "Maps of the rat", "abstract": "A grid of cells covers the floor. The mouse has one too.",
     "year": 2012, "authors": ["Hafting, Tor"], "venue": "Science", "keywords": ["maps"]},
    {"id": "bat", "title": "Flight of the bat", "abstract": "Grid cells of bats need no theta waves.", "year": 2015,
     "authors": ["Yartsev, Mi", "Moser, May"], "venue": "Nature"},
    {"id": "steel", "title": "Steel", "abstract": "It is hard and brittle if quenched.", "authors": ["Li, An"]},
    {"id": "bare", "title": "Theta waves in man", "year": 2015, "venue": "Science"},
]  # fmt: skip
ARTICLE = """---
title: The entorhinal cortex drawn
year: 2001
venue: Atlas
---

## Results

Grid cells of the mouse are drawn here with care.

## Discussion

The bat is drawn beside it on another page, above a floor.

A lattice of dots stands for it.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("querying")
    with pytest.MonkeyPatch.context() as patch, open_library(folder / "lib") as library:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        library.add([write_jsonl(folder / "refs.jsonl", RECORDS), write(folder / "atlas.md", ARTICLE)])
    return folder / "lib"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as library:
        yield library


def ids(result: SearchResult) -> list[str]:
    return [hit.paper.external_id for hit in result.hits]


FOUND = [
    ('"grid cells"', {"mouse", "bat", "atlas.md"}),
    ('grid "theta wave"', {"bat", "bare"}),
    ("grid cells -mouse", {"bat", "steel", "bare", "atlas.md"}),
    ("grid cells -title:mouse", {"rat", "bat", "steel", "bare", "atlas.md"}),
    ("grid author:moser", {"mouse", "bat"}),
    ("grid author:moser -venue:nature", set()),
    ("cells author:hafting OR venue:Atlas", {"rat", "atlas.md"}),
    ("cells (author:hafting OR year:2015..) AND -has:abstract", {"bare"}),
    ("mouse AND floor", {"rat"}),
    ("brittle OR theta waves", {"steel", "bat", "bare"}),
    ("cells year:..2010", {"mouse", "atlas.md"}),
    ("grid keyword:maps", {"rat"}),
    ("grid has:doi", {"mouse"}),
    ("floor kind:body", {"atlas.md"}),
]


@pytest.mark.parametrize(("query", "found"), FOUND, ids=[query for query, _ in FOUND])
def test_what_is_found_meets_the_conditions(library: Library, query: str, found: set[str]) -> None:
    """The thing itself; by words and by vectors, which would find every paper here."""
    result = library.search(query, k=20)
    assert set(ids(result)) == found
    assert result.query == query and result.words and result.conditions


def test_the_passage_shown_meets_the_conditions(library: Library) -> None:
    """A paper would be found by a passage that passes, and shown with another."""
    (hit,) = library.search("mouse drawn with care venue:Atlas -mouse").hits
    assert hit.passage.text.startswith("The bat") and hit.more == ()


def test_conditions_do_not_change_how_words_rank(library: Library) -> None:
    """A field's name or value would be searched for as a word."""
    plain, asked = library.search("grid cells", k=9), library.search("grid cells year:1900..", k=9)
    bm25 = {hit.paper.id: hit.factors["bm25"] for hit in plain.hits}
    assert asked.words == "grid cells" and len(asked.hits) == 5
    for hit in asked.hits:
        assert hit.factors["bm25"] == pytest.approx(bm25[hit.paper.id])


@pytest.mark.parametrize("query", ["cells: a (grid) of mouse/rat and so on", "-5 grid", "do they NOT see bats?"])
def test_a_plain_query_is_searched_as_before(library: Library, query: str) -> None:
    """Questions with such signs would be answered otherwise, or with an error."""
    found, plain = library.search(query, k=9), library.search(query, k=9, plain=True)
    assert found.hits == plain.hits and len(found.hits) == 6
    assert (found.words, found.conditions) == (query, "")


def test_plain_takes_all_signs_for_text(library: Library) -> None:
    """A pasted abstract with quotation marks could not be searched for."""
    assert len(library.search('"grid cells" -mouse author:moser', k=9, plain=True).hits) == 6
    assert len(library.search('autor:smith "', k=9, plain=True).hits) == 6
    with pytest.raises(UsageError, match="autor"):
        library.search('autor:smith "')
    assert library.count('"grid cells"', plain=True).words == {'"grid': 4, 'cells"': 4}


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("author:moser", ["bat", "mouse"]),
        ("-mouse -author:moser", ["bare", "atlas.md", "steel"]),
        ("has:abstract", ["bat", "rat", "mouse", "steel"]),
        ("the year:2015", ["bat", "bare"]),
        ("venue:atlas", ["atlas.md"]),
    ],
)
def test_conditions_alone_list_the_newest_papers(library: Library, query: str, listed: list[str]) -> None:
    """Who asks for an author's papers would be told that the query is empty."""
    result = library.search(query, k=9)
    assert ids(result) == listed
    assert (result.words, result.models) == ("", ()) and "newest" in result.method
    assert [hit.rank for hit in result.hits] == list(range(1, len(listed) + 1))
    assert ids(library.search(query, k=1)) == listed[:1]


def test_figures_and_tables_of_papers(tmp_path: Path, quick_pool: None) -> None:
    """`has:figure` would find nothing, or a paper whose text only speaks of figures."""
    xml = """<article><front><article-meta><title-group><article-title>Leaves in section</article-title></title-group>
      </article-meta></front><body><sec><title>Results</title><p>The leaf is thin, see Fig. 1.</p>
      <fig id="f1"><label>Figure 1</label><caption><p>A leaf.</p></caption><graphic href="a.png"/></fig></sec></body>
      </article>"""
    plain = [{"id": "plain", "title": "Leaves", "abstract": "There is no figure here, as Fig. 1 shows."}]
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / "leaf.xml", xml), write_jsonl(tmp_path / "refs.jsonl", plain)])
        assert [hit.paper.title for hit in library.search("leaves has:figure").hits] == ["Leaves in section"]
        assert ids(library.search("leaves -has:figure")) == ["plain"]
        assert library.search("leaves has:table").note == "No passage passes has:table."
        assert len(library.search("has:fulltext").hits) == 1


def test_a_library_of_before_learns_what_its_papers_have(tmp_path: Path, quick_pool: None) -> None:
    """In an existing library `has:doi` would silently find nothing."""
    folder = tmp_path / "lib"
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        assert not any(lacking(library.session.catalog).values()), "what is stored brings it along"
        with writing(library.session.catalog.engine) as connection:
            connection.execute(sqlalchemy.text("DELETE FROM facets WHERE facet = 'has'"))
            connection.execute(sqlalchemy.text("DELETE FROM derived"))
        keys = next(library.session.catalog.paper_keys(10))
        assert facet_terms(library.session.catalog, "has", keys) == {}
    pointer = folder / "index" / "CURRENT"
    manifest = pointer.parent / pointer.read_text().strip() / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"format": {generations.FORMAT}', '"format": 99'))
    embedder = HashEmbedder()
    with open_library(folder, embedder) as library:
        assert ids(library.search("grid has:doi")) == ["mouse"]
        assert len(facet_terms(library.session.catalog, "has", keys)) == 4
        assert not lacking(library.session.catalog)["content flags"] and len(embedder.embedded) <= 1, (
            "nothing is embedded anew"
        )
        first = library.session.index.stats().generation
        library.search("grid")
        assert library.session.index.stats().generation == first


def test_what_a_paper_has_follows_its_file(tmp_path: Path, quick_pool: None) -> None:
    """A paper that lost its DOI would be found by it."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", [{"id": "a", "title": "Tides", "abstract": "The Moon."}]))
        assert ids(library.search("has:doi")) == []
        record = {"id": "a", "title": "Tides", "abstract": "The Moon.", "doi": "10.1234/a"}
        library.add(write_jsonl(tmp_path / "refs.jsonl", [record]))
        assert ids(library.search("has:doi")) == ["a"]
        assert ids(library.search("has:abstract")) == ["a"]


def test_nothing_found_says_what_is_in_the_way(library: Library) -> None:
    """An empty page would leave the user to take the query apart."""
    notes = {
        "grid author:mosr": "No paper has the author 'mosr'. Near it: moser",
        "grid venue:natur": "No paper has the venue 'natur'. Near it: nature",
        'grid "cells grid"': 'No passage passes "cells grid".',
        "grid has:table author:moser": "No passage passes has:table.",
        'steel "grid cells" author:li': 'No passage passes "grid cells" AND author:"li".',
    }
    for query, note in notes.items():
        assert note in library.search(query).note
    note = library.search('"grid cells" author:li', filters=Filters(year=(1999, None))).note
    assert note.startswith("No passage passes all of these filters and ")
    assert library.search("grid author:moser", filters=Filters(venue=("Science",))).hits == ()


def test_only_what_is_in_the_way_is_blamed(library: Library) -> None:
    """A name would be corrected that does no harm, and the year that does would stay."""
    notes = {
        "(author:zzz OR grid) year:1800": "No passage passes year:1800.",
        "(author:zzz OR grid) author:li": 'No passage passes (author:"zzz" OR "grid") AND author:"li".',
        "author:zzz OR venue:yyy": "No paper has the author 'zzz'. No paper has the venue 'yyy'.",
        '(author:zzz AND grid) OR "cells grid"': "No paper has the author 'zzz'. No passage passes \"cells grid\".",
        "-(author:zzz OR year:1900..) venue:nature": 'No passage passes -(author:"zzz" OR year:1900..)',
        "(-author:moser OR author:zzz) author:moser grid": 'No passage passes (-author:"moser" OR author:"zzz")',
    }
    for query, note in notes.items():
        found = library.search(query)
        assert not found.hits and found.note.startswith(note), query
    either = Filters(author=("zzz", "moser"), venue=("Science",))
    assert library.search("grid", filters=either).note == "No passage passes all of these filters."
    both = library.search("grid", filters=Filters(author=("zzz",), venue=("yyy",))).note  # mending one leaves the other
    assert both == "No paper has the venue 'yyy'. No paper has the author 'zzz'."
    neither = library.search("grid", filters=Filters(author=("zzz", "yyy"))).note
    assert neither == "No paper has the author 'zzz'. No paper has the author 'yyy'."


def test_a_thousand_unknown_names_are_compared_with_no_more_than_a_few(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is compared with every author of the library: one request keeps a server busy for minutes."""
    compared = []
    monkeypatch.setattr("conspectus.search.search.difflib.get_close_matches", lambda *args, **_: compared.append(args))
    names = [f"zzz{number}" for number in range(300)]
    of_filter = library.search("grid", filters=Filters(author=tuple(names))).note
    assert of_filter.endswith("No paper has the author 'zzz2'. No paper has any of the other names.")
    of_query = library.search("grid (" + " OR ".join(f"author:{name}" for name in names) + ")").note
    assert of_query == of_filter
    assert len(compared) == 6


def test_counting_understands_the_language(library: Library) -> None:
    """`search --count` would count papers with the word `author`."""
    found = library.count("grid cells -title:mouse author:moser")
    assert (found.words, found.papers, found.passages) == ({"grid": 1, "cells": 1}, 1, 1)
    assert found.conditions == '-title:"mouse" AND author:"moser"'
    assert library.count('"grid cells"').papers == 3
    assert library.count("mouse OR brittle").papers == 4
    assert library.count("author:moser OR author:li", Filters(year=(2012, None))).papers == 1
    assert "mosr" in library.count("author:mosr").note
    assert library.count("has:table").papers == 0
    with pytest.raises(UsageError, match="never closed"):
        library.count('author:moser "grid')


@pytest.mark.parametrize("words", ["the of", "?!", '"the"'])
def test_words_that_cannot_be_counted_are_no_zero(library: Library, words: str) -> None:
    """The user would write down that no paper has them."""
    for filters in (None, Filters(venue=("Nature",))):
        with pytest.raises(UsageError, match="no words that can be looked for") as raised:
            library.count(words, filters)
        assert words in raised.value.message and raised.value.hint
    assert library.count("the of mouse").words == {"mouse": 3}
    assert library.count("the author:moser").papers == 2
    assert library.count(" ").papers == 6


def test_questions_are_not_parsed(library: Library) -> None:
    """A question with a quoted word would be narrowed without a word about it."""
    assert library.ask('What do "grid cells" -mouse autor:smith OR (').question.startswith("What")
    assert len(library.similar(text='"grid cells" -mouse author:moser', k=9).hits) == 6


def test_how_many_papers_match(library: Library) -> None:
    """A list of the best ten could be taken for all that there is."""
    assert library.search("grid cells", 1).total == len(list(library.papers())) == 6
    assert library.search("grid cells", 1, Filters(year=(2012, 2015))).total == 3
    for query in ("venue:nature", "grid cells venue:nature", "year:2012.. -rat"):
        result = library.search(query, 20)
        assert result.total == len(result.hits), query
    assert library.similar("bat", k=1).total == 5
    assert library.similar("bat", k=1, filters=Filters(year=(2012, 2012))).total == 1
