"""How SQLite goes about what is asked for every batch of papers: by their keys, not through all papers there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from conspectus import Library
from conspectus.graph import sql as graph_sql
from conspectus.ingest.index_sync import index_rows
from conspectus.records import Filters
from conspectus.store import derivations
from helpers import open_library, write_jsonl
from vocabulary_files import OBO, write_file

pytestmark = pytest.mark.usefixtures("quick_pool")

RECORDS = [
    {"id": f"p{number}", "title": f"Eels {number}", "abstract": f"Eels swim {number}.", "doi": f"10.1000/{number}"}
    for number in range(40)
]


def plans(library: Library, asked: list[tuple[str, Any]]) -> list[str]:
    """What SQLite says that it does for each of some statements."""
    with library.session.catalog.engine.connect() as connection:
        return [
            f"{line[3]}: {statement}"
            for statement, values in asked
            for line in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        ]


@contextmanager
def noted(library: Library) -> Iterator[list[tuple[str, Any]]]:
    """The questions that are asked of the catalog meanwhile."""
    asked: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, values))

    engine = library.session.catalog.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_the_index_asks_for_its_papers_alone(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        catalog = library.session.catalog
        keys = catalog.passage_keys()[:10].tolist()
        with noted(library) as asked:
            rows = list(index_rows(catalog, keys, library.session.embedder.id))
        assert len(rows) == 10 and ("has", "doi") in rows[0].facets
        found = plans(library, asked)
        tables = ("passages", "papers", "vectors", "key_phrases", "facets")
        assert all(any(f"SEARCH {table} " in line for line in found) for table in tables)
        assert not [line for line in found if line.startswith("SCAN") and line.split(":")[0].split()[1] in tables]
        assert not [line for line in found if line.startswith("SEARCH facets") and "paper_key=?" not in line]


def test_where_all_papers_are_whole_none_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `add` asks which papers an earlier version has stored; as a rule there are none."""
    with open_library(tmp_path / "lib") as library:
        path = write_jsonl(tmp_path / "refs.jsonl", RECORDS)
        library.add(path)
        monkeypatch.setattr(derivations, "lacking", None)
        assert len(library.add(path).unchanged) == 1


def test_facets_look_for_the_few_papers_that_pass_once(tmp_path: Path) -> None:
    """Each of the seven questions would look through all papers for the few of an author."""
    with open_library(tmp_path / "lib") as library:
        library.add(
            write_jsonl(tmp_path / "refs.jsonl", [*RECORDS, {"title": "Owls", "authors": ["Moser, May-Britt"]}])
        )
        with noted(library) as asked:
            assert library.facets(filters=Filters(author=("Moser",))).papers == 1
        assert len([values for _, values in asked if "moser" in values]) == 1
        assert len(asked) > 5


def test_whether_names_have_changed_is_known_without_looking_at_each(tmp_path: Path) -> None:
    """It is asked for each paper: linking with 1,000,000 names took a tenth of a second for nothing, 2,000 times."""
    with open_library(tmp_path / "lib") as library:
        library.vocabularies.add([write_file(tmp_path / "cells.obo", OBO)])
        with noted(library) as asked:
            assert graph_sql.names_state(library.session.catalog)
        found = plans(library, asked)
        assert any("SEARCH concepts " in line for line in found)
        assert not [line for line in found if line.startswith("SCAN concepts")]
