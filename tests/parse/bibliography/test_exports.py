"""Exports of databases and reference managers: whoever comes with one gets all its records, whole and apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from export_record import Record
from other_samples import BIBTEX, OTHERS, PROSE
from table_samples import TABLES
from tagged_samples import RIS, TAGGED

from conspectus.parse.registry import reader_for
from conspectus.records import Metadata, ParsedPaper

SAMPLES = TABLES | TAGGED | RIS | BIBTEX | OTHERS


def papers_of(path: Path) -> list[Metadata]:
    """The metadata of all papers in the file; fails where a record cannot be read."""
    items = list(reader_for(path).read(path))
    assert all(isinstance(item, ParsedPaper) for item in items), items
    return [item.metadata for item in items if isinstance(item, ParsedPaper)]


def summary_of(paper: Metadata, expected: Record) -> Record:
    """What the paper says of the fields that `expected` names."""
    names = "; ".join(author.name for author in paper.authors)
    said = {
        name: getattr(paper, name, None) if hasattr(paper, name) else paper.extra.get(name) for name in expected.fields
    }
    return Record(paper.title, names, paper.year, said)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_every_record_is_read_whole(tmp_path: Path, name: str, encoding: str) -> None:
    """Otherwise titles, authors and years of an export are lost, run together or mixed, and nobody says so."""
    text, expected = SAMPLES[name]
    if encoding == "utf-16" and name in OTHERS | BIBTEX:
        pytest.skip("not written in UTF-16 by any program")
    path = tmp_path / name
    path.write_text(text.removeprefix("\ufeff") if encoding == "utf-16" else text, encoding, newline="")
    papers = papers_of(path)
    assert [summary_of(paper, record) for paper, record in zip(papers, expected, strict=False)] == expected
    assert len(papers) == len(expected)


@pytest.mark.parametrize("name", PROSE)
def test_prose_is_no_list_of_records(tmp_path: Path, name: str) -> None:
    """Otherwise somebody's notes are cut into papers that nobody wrote."""
    path = tmp_path / name
    path.write_text(PROSE[name], "utf-8")
    assert reader_for(path).name == "text"
