"""JSON of reference managers and services, streamed."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.bibliography.json import read
from conspectus.parse.protocol import BadRecord, Item
from conspectus.records import Author, Metadata, ParsedPaper


def items(tmp_path: Path, document: Any, name: str = "x.json") -> list[Item]:
    path = tmp_path / name
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return list(read(path))


def only(tmp_path: Path, document: Any) -> Metadata:
    (item,) = items(tmp_path, document)
    assert isinstance(item, ParsedPaper), item
    return item.metadata


CSL = {
    "id": "rubin1980",
    "type": "article-journal",
    "title": "Rotation of <i>galaxies</i> &amp; stars",
    "author": [
        {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
        {"family": "Ford", "given": "W. Kent", "suffix": "Jr.", "ORCID": "https://orcid.org/0000-0001-2345-678X"},
        {"literal": "NASA Team, The"},
    ],
    "container-title": "The Astrophysical Journal",
    "issued": {"date-parts": [["1980", 6, 5]]},
    "DOI": "10.1086/158003",
    "page": "471-487",
    "volume": 238,
    "issue": "2",
    "note": "PMID: 123\narXiv: 2101.00001\nread it",
    "editor": [{"family": "Smith", "given": "A."}],
}


def test_csl(tmp_path: Path) -> None:
    """Lost otherwise: the export of Zotero, and of everything that cites by CSL."""
    data = only(tmp_path, [CSL])
    assert data.title == "Rotation of galaxies & stars"
    assert data.authors == (
        Author("Jan van der Berg", "van der Berg", "Jan"),
        Author("W. Kent Ford Jr.", "Ford", "W. Kent", "0000-0001-2345-678X"),
        Author("NASA Team, The", "NASA Team, The"),
    )
    assert (data.external_id, data.venue, data.date) == ("rubin1980", "The Astrophysical Journal", "1980-06-05")
    assert (data.doi, data.pmid, data.arxiv_id) == ("10.1086/158003", "123", "2101.00001")
    assert data.extra == {
        **{"type": "article-journal", "volume": "238", "number": "2", "pages": "471-487", "editor": ["A. Smith"]},
        "note": "PMID: 123\narXiv: 2101.00001\nread it",
    }
    assert only(tmp_path, CSL) == data
    assert only(tmp_path, CSL | {"issued": {"raw": "June 1980"}, "type": "book"}).date == "1980-06"
    assert only(tmp_path, CSL | {"issued": {"raw": "1980-06"}}).date == "1980-06"
    assert only(tmp_path, CSL | {"issued": {"date-parts": [[1980]]}}).year == 1980


def test_crossref(tmp_path: Path) -> None:
    """Lost otherwise: works as Crossref describes them."""
    work = {
        "DOI": "10.1000/X",
        "title": ["A title"],
        "container-title": ["J"],
        "author": [{"family": "Lee", "given": "Ann", "affiliation": [{"name": "Univ"}]}, {"name": "A Group"}],
        "published-print": {"date-parts": [[2015, 12]]},
        "abstract": "<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>",
        "is-referenced-by-count": 10,
        "type": "journal-article",
        "reference": [{"DOI": "10.1021/NN5"}, {"unstructured": "Someone 1970"}, {"key": "x", "volume-title": "Book"}],
    }
    data = only(tmp_path, {"status": "ok", "message-type": "work", "message": work})
    assert (data.title, data.abstract, data.date, data.citation_count) == ("A title", "One.\n\nTwo.", "2015-12", 10)
    assert data.authors == (Author("Ann Lee", "Lee", "Ann", affiliations=("Univ",)), Author("A Group", "A Group"))
    assert data.references == ("10.1021/nn5", "Someone 1970", "Book")
    page = {"status": "ok", "message": {"total-results": 2, "items": [work, {"member": 1}], "query": {}}}
    first, second = items(tmp_path, page)
    assert isinstance(first, ParsedPaper)
    assert isinstance(second, BadRecord)
    assert first.metadata == data


def test_openalex(tmp_path: Path) -> None:
    """Lost otherwise: works of OpenAlex, and their abstracts, which come as an index of words."""
    work = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1000/x",
        "title": "A title",
        "publication_year": 2001,
        "publication_date": "2001-02-03",
        "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"},
        "authorships": [{"author": {"display_name": "A. Lee", "orcid": "https://orcid.org/0000-0001-2345-678X"}}],
        "abstract_inverted_index": {"sleep.": [1, 3], "Cats": [0], "Dogs": [2]},
        "primary_location": {"source": {"display_name": "J"}, "landing_page_url": "https://arxiv.org/abs/2101.00001"},
        "biblio": {"volume": "2", "first_page": "1", "last_page": "9"},
        "keywords": [{"display_name": "sleep"}],
        "cited_by_count": 7,
        "referenced_works": ["https://openalex.org/W2"],
        "type": "article",
    }
    data = only(tmp_path, {"meta": {"count": 1}, "results": [work], "group_by": []})
    assert (data.abstract, data.venue, data.citation_count) == ("Cats sleep. Dogs sleep.", "J", 7)
    assert (data.external_id, data.pmid, data.arxiv_id, data.references) == ("W1", "123", "2101.00001", ("W2",))
    assert data.authors == (Author("A. Lee", orcid="0000-0001-2345-678X"),)
    assert data.extra == {"openalex": "W1", "type": "article-journal", "volume": "2", "pages": "1-9"}


def test_what_is_no_object_costs_itself(tmp_path: Path) -> None:
    """Lost otherwise: a paper, for one of its authors or places that a service does not write as it says."""
    work = {"title": "Moss", "authorships": [1, None, {"author": {"display_name": "Ada Lindqvist"}}], "biblio": []}
    assert only(tmp_path, work | {"ids": "W1", "locations": [2], "keywords": ["x"]}).authors == (
        Author("Ada Lindqvist"),
    )
    paper = {
        "paperId": "1",
        "title": "Moss",
        "authors": ["x", {"name": "Ada Lindqvist"}],
        "references": [3],
        "journal": 4,
    }
    assert only(tmp_path, paper | {"externalIds": [], "tldr": "x", "journal": 4}).authors == (Author("Ada Lindqvist"),)


def test_semantic_scholar(tmp_path: Path) -> None:
    """Lost otherwise: papers of Semantic Scholar, in lists of citations too."""
    paper = {
        "paperId": "abc",
        "externalIds": {"DOI": "10.1000/x", "ArXiv": "2101.00001", "PubMed": "123"},
        "title": "A title",
        "year": 2001,
        "authors": [{"authorId": "1", "name": "Ann Lee"}],
        "citationCount": 0,
        "journal": {"name": "J", "pages": "1 - 9", "volume": "2"},
        "references": [{"title": "Cited"}, {"externalIds": {"DOI": "10.1000/y"}, "title": "Other"}],
    }
    data = only(tmp_path, {"offset": 0, "data": [{"citingPaper": paper}]})
    assert (data.doi, data.arxiv_id, data.pmid, data.citation_count) == ("10.1000/x", "2101.00001", "123", 0)
    assert (data.references, data.extra) == (("Cited", "10.1000/y"), {"s2": "abc", "volume": "2", "pages": "1-9"})
    assert only(tmp_path, paper) == data
    unknown, known = items(tmp_path, [None, paper])
    assert isinstance(unknown, BadRecord)
    assert isinstance(known, ParsedPaper)


def test_ads(tmp_path: Path) -> None:
    """Lost otherwise: what astronomers search."""
    document = {
        "bibcode": "1980ApJ...238..471R",
        "title": ["A title"],
        "author": ["Rubin, Vera C.", "NASA Team"],
        "aff": ["Carnegie; Georgetown", "-"],
        "pubdate": "1980-06-00",
        "year": "1980",
        "pub": "ApJ",
        "doi": ["10.1086/158003"],
        "identifier": ["arXiv:2101.00001"],
        "abstract": "One <P />Two",
        "citation_count": 3,
        "reference": ["1970ApJ...159..379R"],
    }
    data = only(tmp_path, {"responseHeader": {"status": 0}, "response": {"numFound": 1, "docs": [document]}})
    assert data.authors == (
        Author("Vera C. Rubin", "Rubin", "Vera C.", affiliations=("Carnegie", "Georgetown")),
        Author("NASA Team", "NASA Team"),
    )
    assert (data.bibcode, data.date, data.arxiv_id) == ("1980ApJ...238..471R", "1980-06", "2101.00001")
    assert (data.citation_count, data.references) == (3, ("1970ApJ...159..379R",))


def test_our_own_fields(tmp_path: Path) -> None:
    """Lost otherwise: lists that people wrote themselves, and `conspectus list --json`."""
    first, wrong, second = items(tmp_path, [{"title": "A", "journal": "J"}, 5, {"title": "B"}], "x.json.gz")
    assert isinstance(first, ParsedPaper)
    assert isinstance(second, ParsedPaper)
    assert first.metadata == Metadata(title="A", venue="J")
    assert wrong == BadRecord("record 2", "It is not a JSON object.")
    listed = {"schema": "conspectus.list/1", "papers": [{"id": "x", "title": "A", "authors": [{"name": "Ann Lee"}]}]}
    assert only(tmp_path, listed).authors == (Author("Ann Lee"),)
    assert only(tmp_path, {"title": "A", "references": [{"title": "B"}], "data": []}).references == ("B",)


@pytest.mark.parametrize(
    "text",
    ['[{"title": "A"}, {"title"', '[{"title": "A"} {}]', '[{"title": "A"},]', '[{"title": "A"}, ' + "[" * 100_000],
)
def test_what_stood_before_the_damage_is_kept(tmp_path: Path, text: str) -> None:
    """Lost otherwise: a whole export, for its last byte; and where to look."""
    path = tmp_path / "x.json"
    path.write_text(text)
    stream = read(path)
    first = next(stream)
    assert isinstance(first, ParsedPaper)
    with pytest.raises(InputError, match=r"not valid JSON.*character"):
        list(stream)


@pytest.mark.parametrize("text", ["", "   ", "[]", '{"results": []}'])
def test_nothing_in_it_is_told(tmp_path: Path, text: str) -> None:
    """Lost otherwise: the difference between no results and none read."""
    with pytest.raises(EmptyTextError):
        items(tmp_path, text)


@pytest.mark.parametrize("text", ["5", '"x"', "nonsense", "\xff\xfe"])
def test_no_document_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"x.json"):
        list(read(path))


def test_one_record_of_200_mb_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: gigabytes of memory, for one line made to take them."""
    path = tmp_path / "x.json"
    with path.open("w") as file:
        file.write('[{"title": "')
        for _ in range(200):
            file.write("x" * 2**20)
        file.write('"}]')
    tracemalloc.start()
    with pytest.raises(LimitError, match="32 MB"):
        list(read(path))
    assert tracemalloc.get_traced_memory()[1] < 400 * 2**20
    tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.usefixtures("collected")
def test_a_long_list_on_one_line_streams(tmp_path: Path) -> None:
    """Lost otherwise: memory for the whole of a large export."""
    path = tmp_path / "x.json"
    with path.open("w") as file:
        file.write("[")
        for number in range(5000):
            file.write(f'{"," if number else ""}{{"title": "Paper {number}", "abstract": "{"words " * 400}"}}')
        file.write("]")
    tracemalloc.start()
    assert sum(isinstance(item, ParsedPaper) for item in read(path)) == 5000
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()
