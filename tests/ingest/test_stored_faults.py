"""One stored paper that this program fails at: it is kept as it was and told, and `add` goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.ingest import index_sync, paper_store
from conspectus.ingest.derivations import facts
from helpers import open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

PAPERS = [{"id": f"p{n}", "title": f"Eels {n}", "abstract": f"They swim at night, says number {n}."} for n in range(4)]
NEW = [{"id": "new", "title": "Owls", "abstract": "They fly by day."}]


def spoiling(function: Any, says: str) -> Any:
    """The function, which fails at a paper that this is a word of."""

    def spoilt(*arguments: Any, **options: Any) -> Any:
        if any(says in str(argument) for argument in arguments):
            raise IndexError("nobody foresaw it")
        return function(*arguments, **options)

    return spoilt


def titles(library: Library, question: str) -> set[str]:
    return {hit.paper.title for hit in library.search(question, k=9).hits}


def checks(library: Library) -> dict[str, tuple[bool, str]]:
    return {found.check: (found.ok, found.detail) for found in library.doctor().findings}


def test_cutting_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a change of the settings every `add` would end, and nothing could be added any more."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", PAPERS))
    whole = paper_store.passages
    monkeypatch.setattr(paper_store, "passages", spoiling(whole, "Eels 2"))
    with open_library(tmp_path / "lib", passages__chars=400, passages__overlap=100) as library:
        assert len(library.add(write_jsonl(tmp_path / "new.jsonl", NEW)).added) == 1
        assert titles(library, "eels swim owls fly") == {"Owls", *(f"Eels {n}" for n in range(4))}
        well, detail = checks(library)["passages"]
        assert not well and "1 papers" in detail and "nobody foresaw it" in detail
        monkeypatch.setattr(paper_store, "passages", whole)
        library.add(tmp_path / "new.jsonl")
        assert "passages" not in checks(library)


def test_deriving_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library of an earlier version could not be added to."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", PAPERS))
        with library.session.catalog.engine.begin() as connection:
            connection.execute(text("DELETE FROM derived"))
        monkeypatch.setattr(facts, "key_phrases", spoiling(facts.key_phrases, "Eels 2"))
        assert len(library.add(write_jsonl(tmp_path / "new.jsonl", NEW)).added) == 1
        well, detail = checks(library)["key phrases"]
        assert not well and detail.startswith("1 papers")


def test_the_index_following(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is added would be found, for there would be no index."""
    monkeypatch.setattr(index_sync, "indexed_text", spoiling(index_sync.indexed_text, "Eels 2"))
    with open_library(tmp_path / "lib") as library:
        assert len(library.add(write_jsonl(tmp_path / "a.jsonl", PAPERS)).added) == 1
        assert titles(library, "eels swim") == {"Eels 0", "Eels 1", "Eels 3"}
        well, detail = checks(library)["index"]
        assert not well and "passages missing" in detail
