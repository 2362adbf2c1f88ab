"""One file never stops the others: what has no text, what is spoilt, and what this program does not foresee."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import (
    InterfaceError,
    OperationalError,
    PendingRollbackError,
    ProgrammingError,
    ResourceClosedError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from conspectus import Library
from conspectus.core.errors import LibraryError
from conspectus.ingest import paper_store
from conspectus.records import AddReport, LedgerRow
from helpers import assert_consistent, open_library
from poisons import KINDS, LITTLE, file, make_paper

pytestmark = pytest.mark.usefixtures("quick_pool")

ONE_EACH = list({kind.split()[0]: kind for kind in KINDS if not kind.endswith(".gz")}.values())
"""An ending of each reader; the others are read alike."""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        yield library


def put(home: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files; their paths in this order."""
    home.mkdir(exist_ok=True)
    for name, data in files.items():
        (home / name).write_bytes(data)
    return [home / name for name in files]


def rows(report: AddReport) -> dict[str, LedgerRow]:
    return {Path(row.path).name: row for row in report.rows}


def finds(library: Library, word: str) -> bool:
    return any(word in hit.passage.text for hit in library.search(f"{word} swim at night").hits)


@pytest.mark.parametrize("kind", ONE_EACH)
def test_the_smallest_files_of_every_kind_stop_nothing(kind: str, library: Library, tmp_path: Path) -> None:
    """A file of references alone ended every `add` with an IndexError, and the good files beside it were not stored."""
    suffix = KINDS[kind][0]
    little = [(name.replace(" ", "_"), file(kind, said)) for name, said in LITTLE.items()]
    turn = ONE_EACH.index(kind)  # each is before, between or behind the others, with each kind elsewhere
    places = {name: "024"[(number + turn) % 3] for number, (name, _) in enumerate(little)}
    files = {f"{places[name]}{name}{suffix}": data for name, data in little}
    files |= {"1eels.md": file("markdown .md", make_paper("eels"))}
    files |= {"3moss.jsonl": file("jsonl .jsonl", make_paper("moss"))}
    paths = put(tmp_path / "papers", dict(sorted(files.items())))
    for report in (library.add(paths), library.add(paths), library.add(list(reversed(paths)))):
        told = rows(report)
        assert told.keys() == files.keys()
        assert told["1eels.md"].state in ("indexed", "unchanged") and told["3moss.jsonl"].state != "failed"
        assert all(row.reason and "fault" not in row.reason for row in report.failed)
    library.retry(everything=True)
    assert finds(library, "eels") and finds(library, "moss")
    assert_consistent(library)


@pytest.mark.parametrize("kind", ["markdown .md", "tei .tei", "html .html", "pdf .pdf", "jats .xml", "docx .docx"])
def test_a_paper_without_text_is_kept_and_told_as_such(kind: str, library: Library, tmp_path: Path) -> None:
    """Else the user takes a paper for searchable in which nothing can ever be found."""
    said = LITTLE["references alone"]
    paths = put(tmp_path, {f"silent{KINDS[kind][0]}": file(kind, said)})
    (row,) = library.add(paths).added
    assert row.state == "indexed" and row.reason.startswith("no text")
    assert [found.reason for found in library.status().files] == [row.reason]
    (paper,) = library.papers()
    assert not list(library.passages(paper.id)) and library.parsed(paper.id)
    assert "has searchable text" in library.search("eels").note
    whole_finding = next(found for found in library.doctor().findings if found.check == "papers whole")
    assert whole_finding.ok and paper.id in whole_finding.detail
    library.remove(paper.id)
    assert not list(library.papers())


@pytest.mark.usefixtures("both_catalogs")
def test_one_without_text_is_like_no_other(library: Library, tmp_path: Path) -> None:
    """Else it would be compared with others by the vector of nothing."""
    silent = file("markdown .md", LITTLE["references alone"])
    library.add(put(tmp_path, {"a.md": silent, "b.md": file("markdown .md", make_paper("eels"))}))
    paper = next(paper for paper in library.papers() if not paper.title)
    with pytest.raises(Exception, match="has no text"):
        library.similar(paper.id)
    assert library.similar(paper.id, text="eels").hits


@pytest.mark.usefixtures("both_catalogs")
def test_order_makes_no_difference(library: Library, tmp_path: Path) -> None:
    """The first of a batch used to be looked at for the length of its vectors."""
    parts = ("references alone", "a heading alone")
    files = {f"{name[0]}.md": file("markdown .md", LITTLE[name]) for name in parts}
    files |= {f"{word}.md": file("markdown .md", make_paper(word)) for word in ("eels", "moss")}
    put(tmp_path, files)
    turned = [[*files][number:] + [*files][:number] for number in range(len(files))]
    for number, order in enumerate(
        itertools.chain(turned, map(reversed, turned))
    ):  # each is first, each is next to each
        with open_library(tmp_path / f"library{number}") as fresh:
            fresh.add([tmp_path / name for name in order])
            assert finds(fresh, "eels") and finds(fresh, "moss")
            assert fresh.status().counts["papers"] == 4


PLACES = ("texts_of", "plan", "cut", "embed", "write", "finish", "order", "sniff")
"""Where something may go wrong after reading that nobody thought of."""


def break_at(place: str, library: Library, patch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    """Let what `place` does fail for every document that speaks of mud, and for no other."""
    from conspectus.ingest import adder, batch_writer, paper_plan
    from conspectus.ingest.derivations.facts import KeyPhrases

    def broken(real: Any, *, about: Callable[..., str]) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            if "mud" in about(*given, **more):
                raise error("mud")
            return real(*given, **more)

        return call

    def said(*given: Any, **_: Any) -> str:
        return str(given)

    def named(_: object, key: int, *__: object) -> str:
        return "".join(row.path for row in library.session.catalog.file_rows() if row.key == key)

    if place == "texts_of":
        patch.setattr(batch_writer, "texts_of", broken(batch_writer.texts_of, about=said))
        patch.setattr(KeyPhrases, "make", broken(KeyPhrases.make, about=said))
    elif place == "plan":
        patch.setattr(paper_plan, "merge", broken(paper_plan.merge, about=said))
    elif place == "cut":
        patch.setattr(paper_store, "passages", broken(paper_store.passages, about=said))
    elif place == "embed":
        inner = library.session.embedder.inner
        patch.setattr(inner, "embed_query", broken(inner.embed_query, about=said))
    elif place == "write":
        patch.setattr(paper_store.PaperStore, "_put", broken(paper_store.PaperStore._put, about=said))
    elif place == "finish":
        patch.setattr(
            batch_writer.BatchWriter, "_forget_moved", broken(batch_writer.BatchWriter._forget_moved, about=said)
        )
    elif place == "order":
        patch.setattr(batch_writer, "put_in_order", broken(batch_writer.put_in_order, about=named))
    else:
        patch.setattr(adder, "reader_for", broken(adder.reader_for, about=said))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("error", [IndexError, RecursionError, MemoryError])
def test_what_nobody_foresaw_costs_its_file(
    place: str, error: type[Exception], library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One mistake of ours in one of 10,000 papers must not keep the other 9,999 out of the library."""
    words = {"0eels": "eels", "1mud": "mud", "2moss": "moss"}
    paths = put(tmp_path, {f"{name}.md": file("markdown .md", make_paper(word)) for name, word in words.items()})
    with monkeypatch.context() as patch:
        break_at(place, library, patch, error)
        for _ in range(2):
            report = library.add(paths)
            assert [Path(row.path).name for row in report.failed] == ["1mud.md"]
            reason = report.failed[0].reason
            assert "memory" in reason or ("fault of Conspectus" in reason and error.__name__ in reason)
            assert finds(library, "eels") and finds(library, "moss")
    again = library.retry(everything=True)
    assert [Path(row.path).name for row in again.added + again.updated] == ["1mud.md"]
    assert finds(library, "mud")
    assert_consistent(library)


@pytest.mark.parametrize("place", ["texts_of", "plan", "cut", "embed", "write"])
def test_of_a_file_of_records_it_costs_the_record(
    place: str, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bibliography of 60,000 records must not be lost for one of them."""
    lines = b"".join(file("jsonl .jsonl", make_paper(word)) for word in ("eels", "mud", "moss"))
    break_at(place, library, monkeypatch, ValueError)
    (row,) = library.add(put(tmp_path, {"all.jsonl": lines})).added
    assert row.reason == "1 of 3 records refused" and "record 2" in row.notes[0] and "ValueError" in row.notes[0]
    assert finds(library, "eels") and finds(library, "moss") and len(list(library.papers())) == 2
    assert_consistent(library)


EVERYBODYS = (
    OSError(28, "No space left on device"),
    LibraryError("The disk is full.", "Room."),
    OperationalError("insert", {}, Exception("server closed the connection")),
    InterfaceError("insert", {}, Exception("connection already closed")),
    ResourceClosedError("This Connection is closed"),
    PendingRollbackError("Can't reconnect until invalid transaction is rolled back."),
    PoolTimeoutError("QueuePool limit reached"),
    ProgrammingError("insert", {}, Exception("closed"), connection_invalidated=True),
)


@pytest.mark.parametrize("error", EVERYBODYS, ids=lambda error: type(error).__name__)
def test_what_is_everybodys_ends_the_run(
    error: Exception, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk told as ten thousand faulty files would send the user after the files."""

    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(paper_store, "transact", full)
    with pytest.raises(type(error)):
        library.add(put(tmp_path, {f"{word}.md": file("markdown .md", make_paper(word)) for word in ("eels", "moss")}))
    assert {row.state for row in library.status().files} == {"queued"}
