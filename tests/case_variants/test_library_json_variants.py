"""Zotero's own JSON, book records of PubMed, and the front matter of Markdown papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from case_reading import names, read_papers, searched
from conspectus.records import ParsedPaper

TITLE = "Clocks of tidal crabs"
ITEM = {
    "itemType": "journalArticle",
    "title": TITLE,
    "creators": [
        {"creatorType": "author", "firstName": "Marit", "lastName": "Solberg"},
        {"creatorType": "author", "name": "Crab Clock Consortium"},
        {"creatorType": "editor", "firstName": "Ed", "lastName": "Itor"},
    ],
    "abstractNote": "Crabs keep time with the tide.",
    "publicationTitle": "Shore Biology",
    "date": "March 5, 2017",
    "DOI": "10.5555/crab.17",
    "tags": [{"tag": "crabs", "type": 1}, {"tag": "clocks"}],
    "volume": "3",
    "pages": "1-9",
}
CHILDREN = [
    {"itemType": "attachment", "title": "Full Text PDF", "linkMode": "imported_url", "contentType": "application/pdf"},
    {"itemType": "note", "note": "<p>A note to myself.</p>"},
]


def as_api(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "key": f"KEY{number}",
            "version": 12,
            "library": {"type": "user", "id": 475425, "name": "Somebody"},
            "links": {"self": {"href": f"https://api.example/users/1/items/KEY{number}", "type": "application/json"}},
            "meta": {"creatorSummary": "Solberg et al.", "parsedDate": "2017-03-05", "numChildren": 2},
            "data": {"key": f"KEY{number}", "version": 12, **item},
        }
        for number, item in enumerate(items)
    ]


def as_better_bibtex(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "config": {"id": "36a3b0b5-bad0-4a04-b79b-441c7cef77db", "label": "BetterBibTeX JSON", "options": {}},
        "version": {"zotero": "7.0.1", "bbt": "7.0.2"},
        "collections": {},
        "items": [
            {"itemID": number, "itemKey": f"KEY{number}", "citationKey": f"crab{number}", **item, "attachments": []}
            for number, item in enumerate(items)
        ],
    }


BOOK_PART = {
    "itemType": "bookSection",
    "title": "A chapter on crabs",
    "bookTitle": "Handbook of shores",
    "creators": [{"creatorType": "author", "firstName": "Yusuf", "lastName": "Aydın"}],
    "date": "2015",
}
WRAPPERS = {
    "items of the interface": as_api([ITEM, *CHILDREN, BOOK_PART]),
    "bare items": [ITEM, *CHILDREN, BOOK_PART],
    "better bibtex": as_better_bibtex([ITEM, CHILDREN[1], BOOK_PART]),
}


@pytest.mark.parametrize("content", WRAPPERS.values(), ids=WRAPPERS)
def test_zotero_items_are_read_whole(tmp_path: Path, content: object) -> None:
    """A library exported from Zotero would come without authors, years and journals, and notes would be papers."""
    path = tmp_path / "zotero.json"
    path.write_text(json.dumps(content, indent=2), "utf-8")
    article, part = read_papers(path)
    found = article.metadata
    assert names(article) == ["Marit Solberg", "Crab Clock Consortium"]
    assert found.authors[1].surname == "Crab Clock Consortium"
    assert (found.title, found.year, found.venue, found.doi) == (TITLE, 2017, "Shore Biology", "10.5555/crab.17")
    assert found.abstract == ITEM["abstractNote"] and set(found.keywords) == {"crabs", "clocks"}
    assert found.date in ("2017-03-05", "2017-03", "2017")
    assert (names(part), part.metadata.year, part.metadata.venue) == (["Yusuf Aydın"], 2015, "Handbook of shores")


BOOK = """<PubmedBookArticle><BookDocument><PMID Version="1">{pmid}</PMID>
<ArticleIdList><ArticleId IdType="bookaccession">NBK{pmid}</ArticleId></ArticleIdList>
<Book><Publisher><PublisherName>Shore Press</PublisherName></Publisher>
<BookTitle book="crabs">Crab Reviews</BookTitle><PubDate><Year>{year}</Year></PubDate>
<AuthorList Type="editors"><Author><LastName>Itor</LastName><ForeName>Ed</ForeName></Author></AuthorList></Book>
{title}<AuthorList Type="authors"><Author><LastName>Solberg</LastName><ForeName>Marit</ForeName></Author>
<Author><CollectiveName>Crab Clock Consortium</CollectiveName></Author></AuthorList>
<Abstract><AbstractText Label="SUMMARY">Crabs keep time.</AbstractText></Abstract></BookDocument></PubmedBookArticle>"""
ARTICLE = """<PubmedArticle><MedlineCitation><PMID>9</PMID><Article><Journal><Title>Shore Biology</Title><JournalIssue>
<PubDate><Year>2012</Year></PubDate></JournalIssue></Journal><ArticleTitle>An article.</ArticleTitle></Article>
</MedlineCitation></PubmedArticle>"""
CHAPTER = BOOK.format(pmid=7, year=2011, title='<ArticleTitle book="crabs" part="a">Clocks</ArticleTitle>')
WHOLE = BOOK.format(pmid=8, year=2013, title="")
BOOKS = {
    "a set of two": (f"<PubmedBookArticleSet>{CHAPTER}{WHOLE}</PubmedBookArticleSet>", ["Clocks", "Crab Reviews"]),
    "among articles": (f"<PubmedArticleSet>{ARTICLE}{CHAPTER}</PubmedArticleSet>", ["An article", "Clocks"]),
    "alone": (CHAPTER, ["Clocks"]),
}


@pytest.mark.parametrize(("text", "titles"), BOOKS.values(), ids=BOOKS)
def test_books_of_pubmed(tmp_path: Path, text: str, titles: list[str]) -> None:
    """A search of PubMed with a book in it would lose the book, or be refused for it."""
    path = tmp_path / "books.xml"
    path.write_text('<?xml version="1.0" ?>\n' + text, "utf-8")
    papers = read_papers(path)
    assert [paper.metadata.title.removesuffix(".") for paper in papers] == titles
    for paper in papers:
        if paper.metadata.pmid != "9":
            assert names(paper) == ["Marit Solberg", "Crab Clock Consortium"]
            assert "Crabs keep time." in paper.metadata.abstract


TWO = ["Marit Solberg", "Yusuf Aydın"]
HEADS = {
    "given and surname": (
        "authors:\n  - given-names: Marit\n    surname: Solberg\n    orcid: 0000-0000-0000-0001\n    affiliation: 1\n"
        "  - given-names: Vincent\n    dropping-particle: van\n    surname: Gogh\n    affiliation: [1, 2]\n"
        "affiliations:\n  - index: 1\n    name: Shore Lab\ndate: 5 May 2020\n",
        ["Marit Solberg", "Vincent van Gogh"],
        "2020-05-05",
    ),
    "name, corresponding and equal": (
        "authors:\n  - name: Marit Solberg^[corresponding author]\n    equal-contrib: true\n    affiliation: '1'\n"
        '  - name: "Yusuf Aydın"\n    corresponding: true\ndate: August 13, 2017\n',
        ["Marit Solberg", "Yusuf Aydın"],
        "2017-08-13",
    ),
    "name in parts": (
        "author:\n  - name:\n      given: Marit\n      family: Solberg\n    affiliations:\n      - name: Shore Lab\n"
        "        city: Bergen\n  - name:\n      given: Yusuf\n      family: Aydın\ndate: 2020-05-05\n",
        ["Marit Solberg", "Yusuf Aydın"],
        "2020-05-05",
    ),
    "one line each": (
        "authors: [{name: Marit Solberg, affiliation: 1}, {name: Yusuf Aydın}]\ndate: 13 Aug 2017\n",
        ["Marit Solberg", "Yusuf Aydın"],
        "2017-08-13",
    ),
    "plain names": ("author:\n- Marit Solberg\n- Yusuf Aydın\ndate: May 2020\n", TWO, "2020-05"),
}  # fmt: skip


@pytest.mark.parametrize(("head", "people", "date"), HEADS.values(), ids=HEADS)
def test_authors_and_dates_of_markdown(tmp_path: Path, head: str, people: list[str], date: str) -> None:
    """A paper written for a journal of software would be by 'name: Marit Solberg'."""
    path = tmp_path / "paper.md"
    path.write_text(f"---\ntitle: '{TITLE}'\ntags:\n  - crabs\n{head}---\n\n# Summary\n\nCrabs keep time.\n", "utf-8")
    (paper,) = read_papers(path)
    assert_markdown(paper)
    assert (names(paper), paper.metadata.date) == (people, date)


def assert_markdown(paper: ParsedPaper) -> None:
    assert paper.metadata.title == TITLE and "Crabs keep time." in searched(paper)
