"""Indexes that a catalog goes without while many papers are added."""

import json
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.ingest import adder
from conspectus.store import late_indexes
from conspectus.store.late_indexes import missing_indexes, set_indexes_aside
from helpers import HashEmbedder


def write(path: Path, count: int) -> Path:
    records = (
        {"id": f"r{n}", "title": f"Paper number {n}", "abstract": f"Cells of kind {n} fire."} for n in range(count)
    )
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return path


def test_a_large_add_ends_with_all_indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All questions by words of a large library would read whole tables, ever after."""
    monkeypatch.setattr(adder, "MANY", 10)
    aside = []
    monkeypatch.setattr(adder, "set_indexes_aside", lambda catalog: aside.append(set_indexes_aside(catalog)))
    with Library(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add(write(tmp_path / "many.jsonl", 200))
        assert len(aside) == 1
        assert missing_indexes(library.session.catalog) == []
        library.add(write(tmp_path / "few.jsonl", 5))
        assert len(aside) == 1


def test_a_search_makes_what_a_killed_add_left_missing(tmp_path: Path) -> None:
    """A run that was killed would leave the library slow until the next add."""
    with Library(tmp_path / "library", embedder=HashEmbedder()) as library:
        library.add(write(tmp_path / "some.jsonl", 5))
        catalog = library.session.catalog
        set_indexes_aside(catalog)
        assert len(missing_indexes(catalog)) == len(late_indexes.LATE) == 3
        with library.session.index.writing(
            library.session.embedder.id, library.session.embedder.dimensions, fresh=True
        ) as index:
            index.commit(-1)  # as if the run had been killed before it
        assert library.search("cells").hits
        assert missing_indexes(catalog) == []
