"""An identifier makes two documents one paper only where their titles, and authors or years, agree as well."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus import Library
from conspectus.ingest.paper_groups import MOST, group
from conspectus.ingest.paper_merge import agree
from conspectus.parse.text.blocks import text_block
from conspectus.records import Author, Metadata, ParsedPaper
from conspectus.store.rows import StoredDocument
from helpers import assert_consistent, markdown, open_library, write, write_jsonl

DOI = "10.1000/halo.7"
TITLE = "Dark halos of spiral galaxies: a survey of ten years"
BODY = "The rotation curve stays flat far beyond the visible disc."


def document(
    title: str = TITLE, *authors: str, year: int | None = None, text: str = BODY, number: int = 1, **known: Any
) -> StoredDocument:
    """A full text; with `text=""` a record."""
    metadata = Metadata(title=title, authors=tuple(map(Author, authors)), year=year, **{"doi": DOI, **known})
    blocks = (text_block("paragraph", text),) if text else ()
    return StoredDocument(
        number, f"{number}.x", str(number), 0 if text else 1, str(number).encode(), ParsedPaper(metadata, blocks)
    )


RUBIN = document(TITLE, "Vera Rubin", year=1980)


@pytest.mark.parametrize(
    "other",
    [
        document(TITLE.upper(), "Rubin, V.", number=2),
        document("Dark Halos of Spiral Galaxies", "V. C. Rubin", year=1979, number=2),
        document(r"Dark halos of {Spiral} Galaxies: A survey of ten years.", "Rubin, Vera", text="", number=2),
        document("Dark halos of spiral galaxies (preprint)", "RUBIN V", number=2),
        document("Dark halos of spiral galaxies - a survey of ten years", "Someone Else", year=1981, number=2),
        document("Dark halos", text="", number=2),
        document("", "Vera Rubin", number=2),
        document("", text="", abstract="Halos.", number=2),
        document("", text=f"Letters. {TITLE} V. Rubin. We look.", number=2),
        document("Тёмные гало спиральных галактик", "Вера Рубин", year=1980, number=2),
    ],
)
def test_one_work(other: StoredDocument) -> None:
    """A paper would be found twice for the way in which its title is written or its fields are missing."""
    for documents in ((RUBIN, other), (other, RUBIN)):
        assert len(group(documents).groups) == 1


@pytest.mark.parametrize(
    "other",
    [
        document("Cold disks of elliptical galaxies", "Vera Rubin", year=1980, number=2),
        document(TITLE, "Kent Ford", year=1999, number=2),
        document(TITLE.replace("spiral", "elliptical"), "Vera Rubin", year=1980, number=2),
        document(f"Comment on ‘{TITLE}’", "Vera Rubin", year=1980, number=2),
        document(f"Correction to: {TITLE}", "Vera Rubin", year=1980, text="", number=2),
        document(f"{TITLE} II", "Vera Rubin", year=1980, number=2),
        document("", "Kent Ford", number=2),
        document("", number=2),
        document("Sleep of the cat", "Vera Rubin", year=1980, text="", number=2),
    ],
)
def test_two_works_with_one_identifier(other: StoredDocument) -> None:
    """The journal's, a template's or a data set's DOI, printed in each, would make all papers of a journal one."""
    for documents in ((RUBIN, other), (other, RUBIN)):
        found = group(documents)
        assert len(found.groups) == 2 and found.contests


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Müller", "Mueller", True),
        ("Møller", "Moller", True),
        ("Goethe", "Gothe", True),
        ("van der Berg", "Berg", True),
        ("Li", "Lu", False),
        ("Smith", "Smyth", True),
    ],
)
def test_surnames(one: str, other: str, same: bool) -> None:
    """Two spellings of an author would make two papers."""
    first, second = document(TITLE, f"Ann {one}"), document(TITLE, f"A. {other}", number=2)
    assert (agree(first, second) is not False) == same


def test_who_says_too_little_is_put_with_nobody_where_two_claim_the_identifier() -> None:
    """An abstract would be given to one of two papers by chance."""
    other = document("Cold disks of elliptical galaxies", "Kent Ford", year=1999, number=2)
    bare = document("", text="", abstract="Halos are dark.", number=3)
    assert len(group([RUBIN, bare]).groups) == 1
    for order in permutations((RUBIN, other, bare)):
        assert len(group(order).groups) == 3


WORDS = ["dark", "halos", "disks", "survey", "of", "ten", "II", ":", "(preprint)", "Comment on"]
documents = st.builds(
    lambda words, author, year, text, doi, arxiv: (" ".join(words), author, year, text, doi, arxiv),
    st.lists(st.sampled_from(WORDS), max_size=5),
    st.sampled_from(["", "Vera Rubin", "Kent Ford", "Rubin, V."]),
    st.sampled_from([None, 1980, 1981, 1999]),
    st.sampled_from(["", BODY]),
    st.sampled_from(["", DOI, "10.1000/b"]),
    st.sampled_from(["", "2001.00001"]),
)


@settings(max_examples=4 * settings.default.max_examples)
@given(st.lists(documents, max_size=7), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order(made: list[tuple[Any, ...]], chance: Any) -> None:
    """The same files would make other papers in another library."""
    found = [
        document(title, *[author][: bool(author)], year=year, text=text, number=n, doi=doi, arxiv_id=arxiv)
        for n, (title, author, year, text, doi, arxiv) in enumerate(made)
    ]
    turned = chance.sample(found, len(found))
    assert partition(found) == partition(turned)


def partition(found: Sequence[StoredDocument]) -> set[frozenset[str]]:
    return {frozenset(found[number].path for number in members) for members in group(found).groups}


def test_an_identifier_of_very_many_is_compared_in_little_time() -> None:
    """A journal's DOI in each of its records would make adding quadratic; those of one title are still one."""
    many = [document(f"Work {n % 300} on {n % 300} eels", text="", number=n) for n in range(MOST * 12)]
    assert len(group(many).groups) == 300


# in a library


@pytest.fixture
def library(tmp_path: Path, both_catalogs: str, quick_pool: None) -> Any:
    with open_library(tmp_path / "lib") as made:
        yield made


def titles(library: Library) -> list[str]:
    return sorted(paper.title for paper in library.papers())


def papers_of_one_journal(folder: Path) -> list[Path]:
    """Texts and records that all name one DOI: two of one work, two of others, one that says nothing of itself."""
    return [
        write(folder / "halos.md", markdown(TITLE, BODY, doi=DOI, authors="Vera Rubin", year="1980")),
        write(folder / "sleep.md", markdown("Sleep of the cat", "Cats sleep.", doi=DOI, authors="Ann Ågren")),
        write_jsonl(folder / "refs.jsonl", [{"title": TITLE, "doi": DOI, "authors": "Rubin, V.", "venue": "ApJ"}]),
        write_jsonl(folder / "bare.jsonl", [{"abstract": "Nobody knows whose words these are.", "doi": DOI}]),
    ]


def test_two_papers_that_claim_one_identifier_are_both_kept_and_told(library: Library, tmp_path: Path) -> None:
    """One of them would be gone, its text never found, without a word."""
    halos, sleep, refs, _ = papers_of_one_journal(tmp_path)
    library.add([halos, refs])
    report = library.add(sleep)
    assert titles(library) == [TITLE, "Sleep of the cat"]
    (note,) = report.added[0].notes
    assert all(part in note for part in (DOI, TITLE, "Sleep of the cat", "sleep.md"))
    (found,) = [finding for finding in library.doctor().findings if finding.check == "identifiers"]
    assert DOI in found.detail and all(paper.id in found.detail for paper in library.papers())
    assert library.search("cats sleep").hits[0].paper.title == "Sleep of the cat"
    assert_consistent(library)


def test_what_two_papers_claim_names_neither_alone(library: Library, tmp_path: Path) -> None:
    """`show 10.1000/…` would show one of two by chance, and a reference would lead to it."""
    library.add(papers_of_one_journal(tmp_path)[:2])
    with pytest.raises(Exception, match="2 papers"):
        library.paper(DOI)


def test_any_order_of_adding_gives_the_same_papers(tmp_path: Path, both_catalogs: str, quick_pool: None) -> None:
    """Which papers there are would hang on which file came first."""
    files = papers_of_one_journal(tmp_path)
    seen = []
    for number, order in enumerate(permutations(files)):
        if number % 5:  # a fifth of the orders begins with each
            continue
        with open_library(tmp_path / f"lib{number}") as library:
            for path in order:
                library.add(path)
            seen.append(
                {(paper.title, paper.venue, tuple(file.path for file in paper.files)) for paper in library.papers()}
            )
            assert_consistent(library)
    assert all(each == seen[0] for each in seen) and len(seen[0]) == 3


def test_what_is_left_comes_together_when_the_other_goes(library: Library, tmp_path: Path) -> None:
    """A file that was wrong would keep others apart after it was mended."""
    halos, sleep, _, bare = papers_of_one_journal(tmp_path)
    library.add([halos, sleep, bare])
    assert len(titles(library)) == 3
    write(sleep, markdown("Sleep of the cat", "Cats sleep.", authors="Ann Ågren"))
    library.add(sleep)
    assert len(titles(library)) == 2
    (paper,) = [paper for paper in library.papers() if paper.doi == DOI]
    assert paper.abstract.startswith("Nobody knows")
    assert_consistent(library)
