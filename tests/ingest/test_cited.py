"""Reference lists lead to the papers of the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.ingest.linked_files import cited_works
from conspectus.records import Block, Mark, Metadata, ParsedPaper, Reference, Sentence
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

KNOWN = [
    {"title": "Halos of galaxies at rest", "doi": "10.1000/Halo.7", "year": 2020},
    {"title": "Sleep of the cat", "arxiv_id": "2001.00001", "year": 2001},
    {"title": "Tides of the sea", "doi": "10.1000/t1", "year": 1990},
    {"title": "Tides of the sea", "doi": "10.1000/t2", "year": 2005},
    {"title": "Introduction", "year": 2000},
]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add(write_jsonl(tmp_path / "refs.jsonl", KNOWN))
        yield made


@pytest.mark.parametrize(
    ("known", "title", "by"),
    [
        ({"doi": "10.1000/halo.7", "title": "Misprinted"}, "Halos of galaxies at rest", "doi"),
        ({"arxiv_id": "2001.00001"}, "Sleep of the cat", "arxiv_id"),
        ({"title": "HALOS of Galaxies, at rest.", "year": 2019}, "Halos of galaxies at rest", "title"),
        ({"title": "Sleep of the cat"}, "Sleep of the cat", "title"),
        ({"title": "Sleep of the cat", "year": 1990}, "", ""),
        ({"title": "Tides of the sea"}, "", ""),
        ({"title": "Introduction", "year": 2000}, "", ""),
        ({"doi": "10.1000/other"}, "", ""),
        ({}, "", ""),
    ],
)
def test_a_reference_is_the_paper_that_it_names(
    library: Library, known: dict[str, object], title: str, by: str
) -> None:
    """A reader would be led to another paper, or not to the one that is there."""
    reference = Reference("b1", "as printed", **known)  # type: ignore[arg-type]
    (found,) = cited_works(library.session.catalog, [reference])
    assert (found.reference, found.by) == (reference, by)
    assert (library.paper(found.paper_id).title if found.paper_id else "") == title


def test_the_sentences_that_mention_something() -> None:
    """Nobody could say what a figure is there for, or what is said of a cited work."""
    text = "As seen in Fig. 1 and Fig. 1. Not here. Both (Fig. 1, Fig. 2)."
    sentences = (Sentence(0, 29), Sentence(30, 39), Sentence(40, len(text)))
    places = [index for index in range(len(text)) if text.startswith("Fig.", index)]
    targets = ["f1", "f1", "f1", "f2"]
    marks = tuple(Mark(at, at + 6, "figure", (key,)) for at, key in zip(places, targets, strict=True))
    paper = ParsedPaper(Metadata(), (Block("paragraph", text, sentences, marks=marks),))
    assert [sentence.start for _, sentence in paper.mentions("f1")] == [0, 40]
    assert [sentence.start for _, sentence in paper.mentions("f2")] == [40]
    assert not list(paper.mentions("f3"))
