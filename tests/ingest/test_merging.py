"""One paper that several files speak of is one paper, whichever of them came first."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library, Paper, Passage
from conspectus.ingest.adder import Adder
from conspectus.ingest.executor import LocalExecutor
from conspectus.ingest.paper_merge import merge
from conspectus.parse.text.blocks import text_block
from conspectus.records import Metadata, ParsedPaper
from conspectus.store.rows import StoredDocument
from helpers import HashEmbedder, assert_consistent, markdown, open_library, snapshot, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

DOI, ARXIV, PMID, BIBCODE = "10.1000/halo.7", "2001.01234", "31337", "2020MNRAS.491.1234S"
BODY = "The rotation curve stays flat far beyond the visible disc. A dark halo explains this best."
RECORD = {
    "title": "Halos of Galaxies",
    "authors": "Rubin, Vera; Ford, Kent",
    "year": 1980,
    "venue": "ApJ",
    "citation_count": 99,
}


def full_text(**front: str) -> str:
    return markdown("halos of galaxies (preprint)", BODY, **{"authors": "V. Rubin", "keywords": "dark matter", **front})


def only(library: Library) -> tuple[Paper, tuple[Passage, ...]]:
    found = list(snapshot(library).values())
    assert len(found) == 1, [paper.title for paper, _ in found]
    return found[0]


def without_id(library: Library) -> list[tuple[dict[str, Any], list[Any]]]:
    """Papers and passages, but for what their ids begin with."""
    found = []
    for paper, passages in snapshot(library).values():
        fields = {name: getattr(paper, name) for name in paper.__dataclass_fields__ if name != "id"}
        rows = [
            (
                p.id.removeprefix(paper.id),
                p.kind,
                p.section,
                p.text,
                p.ordinal,
                [s.id.removeprefix(paper.id) for s in p.spans],
            )
            for p in passages
        ]
        found.append((fields, rows))
    return sorted(found, key=lambda item: str(item[0]["title"]))


@pytest.mark.parametrize(
    ("front", "record"),
    [
        ({"doi": f"https://doi.org/{DOI.upper()}"}, {"doi": DOI}),
        ({"arxiv_id": f"arXiv:{ARXIV}v2"}, {"arxiv_id": ARXIV}),
        ({"pmid": PMID}, {"pmid": int(PMID)}),
        ({"bibcode": BIBCODE}, {"bibcode": BIBCODE}),
    ],
    ids=["doi", "arxiv", "pmid", "bibcode"],
)
@pytest.mark.parametrize("record_first", [True, False])
def test_a_full_text_and_its_record_are_one(
    tmp_path: Path, front: Mapping[str, str], record: Mapping[str, Any], record_first: bool
) -> None:
    """Else every paper that is also in the bibliography is found twice."""
    text = write(tmp_path / "paper.md", full_text(**front))
    records = write_jsonl(tmp_path / "refs.jsonl", [{**RECORD, **record}])
    with open_library(tmp_path / "lib") as library:
        for path in (records, text) if record_first else (text, records):
            library.add(path)
        paper, passages = only(library)
        assert paper.has_full_text
        assert paper.title == "Halos of Galaxies", "what was entered goes before what was read off a page"
        assert (paper.year, paper.venue, paper.citation_count) == (1980, "ApJ", 99)
        assert [author.surname for author in paper.authors] == ["Rubin", "Ford"]
        assert paper.keywords == ("dark matter",), "what only the full text says is kept"
        assert [file.path for file in paper.files] == [str(text), str(records)]
        assert any(BODY.split(". ", maxsplit=1)[0] in passage.text for passage in passages)
        assert_consistent(library)


def test_the_same_record_in_two_files_is_one_by_its_content(tmp_path: Path) -> None:
    """Else two exports of one search double every paper without an identifier."""
    plain = {"title": "No Name", "abstract": "It has no identifier at all, only words."}
    write_jsonl(tmp_path / "a.jsonl", [plain])
    write_jsonl(tmp_path / "b.jsonl", [{**plain, "title": "NO  name ", "citation_count": 3}])
    with open_library(tmp_path / "lib") as library:
        library.add([tmp_path / "a.jsonl"])
        library.add([tmp_path / "b.jsonl"])
        paper, _ = only(library)
        assert (paper.title, paper.citation_count, len(paper.files)) == ("No Name", 3, 2)


def test_other_identifiers_are_other_papers(tmp_path: Path) -> None:
    """Else two papers with the same title, such as 'Erratum', become one."""
    records = [{"title": "Erratum", "doi": "10.1000/1"}, {"title": "Erratum", "doi": "10.1000/2"}]
    write_jsonl(tmp_path / "a.jsonl", [{**records[0], "abstract": "One."}, {**records[1], "abstract": "Two."}])
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path / "a.jsonl")
        assert sorted(paper.doi for paper in library.papers()) == ["10.1000/1", "10.1000/2"]


def files_of_three(folder: Path, *, linked: bool) -> list[Path]:
    """A full text and two records; `linked`: two of them have nothing in common but the third."""
    front = {"pmid": PMID} if linked else {"doi": DOI, "pmid": PMID}
    second = {
        "doi": DOI,
        "arxiv_id": ARXIV,
        "venue": "Other",
        "abstract": "Halos are dark.",
        "url": "https://a.example/1",
    }
    third = {"doi": DOI, "pmid": PMID, "references": ["10.1000/x"]}
    return [
        write(folder / "b-text.md", full_text(**front)),
        write_jsonl(folder / "c-records.jsonl", [{**RECORD, **second, "id": "c-17"}]),
        write_jsonl(folder / "a-records.jsonl", [{**third, "title": "Halos", "year": 1981, "id": ""}]),
    ]


@pytest.mark.parametrize("linked", [False, True])
def test_the_order_makes_no_difference(tmp_path: Path, linked: bool) -> None:
    """Else the same files give other papers in another library, and nobody can say which is right."""
    files = files_of_three(tmp_path, linked=linked)
    seen = []
    for number, order in enumerate([*permutations(files), tuple(files)]):
        with open_library(tmp_path / f"lib{number}") as library:
            steps = [list(order)] if number == 6 else [[path] for path in order]
            for paths in steps:
                Adder(
                    library.session.catalog, LocalExecutor(HashEmbedder()), library.settings, nullcontext, lambda: None
                ).run(paths)
            paper, _ = only(library)
            assert (paper.doi, paper.pmid, paper.arxiv_id, paper.external_id) == (DOI, PMID, ARXIV, "c-17")
            seen.append(snapshot(library) if not linked else without_id(library))
    assert all(each == seen[0] for each in seen)


def test_an_id_stays_when_more_becomes_known(tmp_path: Path) -> None:
    """Else a citation in somebody's notes leads nowhere after the next `add`."""
    text, second, third = files_of_three(tmp_path, linked=True)
    with open_library(tmp_path / "lib") as library:
        library.add(text)
        before, passages = only(library)
        library.add([second, third])
        after, _ = only(library)
        assert before.id == after.id
        span = passages[-1].spans[0]
        paper, _, found = library.citation(span.id)
        assert (paper.id, found.text) == (before.id, span.text)


@pytest.mark.parametrize("turned", [False, True])
def test_a_full_text_with_pages_goes_before_one_without(turned: bool) -> None:
    """Else the sentence cannot be shown on its page, though the PDF is there."""
    record = ParsedPaper(Metadata(title="Record", doi=DOI), (text_block("abstract", "Abstract of the record."),))
    plain = ParsedPaper(
        Metadata(title="Plain", doi=DOI, url="https://a.example"), (text_block("paragraph", "Plain text."),)
    )
    pages = ParsedPaper(Metadata(title="Pages", pmid=PMID), (text_block("paragraph", "Text on pages."),), pages=3)
    documents = [StoredDocument(n, f"{n}.x", "", 1, b"", parsed) for n, parsed in enumerate((record, plain, pages), 1)]
    merged = merge(documents[::-1] if turned else documents)
    assert merged.blocks == pages.blocks and merged.pages == 3
    assert (merged.metadata.title, merged.metadata.url, merged.metadata.pmid) == ("Record", "https://a.example", PMID)


def test_two_papers_that_turn_out_to_be_one(tmp_path: Path) -> None:
    """Else a third file that names both leaves two papers that say the same."""
    write_jsonl(tmp_path / "a.jsonl", [{"title": "Halos", "doi": DOI}])
    write_jsonl(tmp_path / "b.jsonl", [{"title": "Halos of galaxies", "arxiv_id": ARXIV}])
    write_jsonl(tmp_path / "c.jsonl", [{"title": "Halos!", "doi": DOI, "arxiv_id": ARXIV}])
    with open_library(tmp_path / "lib") as library:
        library.add([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
        first = [paper.id for paper in library.papers()]
        assert len(first) == 2
        library.add(tmp_path / "c.jsonl")
        paper, _ = only(library)
        assert paper.id == first[0], "the older one stays"
        assert len(paper.files) == 3
        assert library.paper(DOI).id == library.paper(ARXIV).id == paper.id
        assert_consistent(library)
