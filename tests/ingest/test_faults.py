"""One statement or one write that fails, at moments drawn by chance: a clear error, nothing lost, and it can go on.

`benchmarks/faults.py` does this for every call, those of SQLite, tantivy and faiss too.
"""

from __future__ import annotations

import errno
import random
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError, NotFoundError
from faulty import POSTGRES_WAYS, SQLITE_WAYS, Calls, failing_files, failing_sql
from helpers import assert_consistent, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

FIRST = [{"id": f"p{number}", "title": f"Eels {number}", "abstract": "They swim at night."} for number in range(3)]
SECOND = [{"id": f"p{number}", "title": f"Eels {number}", "abstract": "They sleep by day."} for number in range(1, 4)]

FAULTS = 2

Holdings = dict[str, list[str]]
OPERATIONS: dict[str, Callable[[Library, Path], object]] = {
    "add": lambda library, home: library.add(write_jsonl(home / "new.jsonl", SECOND[2:])),
    "edit": lambda library, home: library.add(home / "papers.jsonl"),
    "remove": lambda library, _: library.remove("p1"),
    "reindex": lambda library, _: library.reindex(),
    "backup": lambda library, home: library.backup(home / "made.zip"),
    "restore": lambda library, home: library.restore(home / "backup.zip", replace=True),
}


def prepared(home: Path, operation: str) -> Library:
    """A library of three papers, and what the operation needs."""
    home.mkdir()
    library = open_library(home / "library")
    library.add(write_jsonl(home / "papers.jsonl", FIRST))
    if operation == "edit":
        write_jsonl(home / "papers.jsonl", SECOND)
    if operation == "restore":
        library.backup(home / "backup.zip")
        library.remove("p2")
    return library


def holdings(library: Library) -> Holdings:
    return {paper.external_id: [passage.text for passage in library.passages(paper.id)] for paper in library.papers()}


def attempt(operation: str, home: Path, calls: AbstractContextManager[Calls]) -> tuple[Calls, ConspectusError | None]:
    """The operation in a library that is opened for it; what was counted, and the error."""
    with calls as counted:
        try:
            with open_library(home / "library") as library:
                OPERATIONS[operation](library, home)
        except ConspectusError as error:
            return counted, error
    return counted, None


def outcome(operation: str, home: Path, failed: ConspectusError | None, before: Holdings) -> Holdings:
    """What the library holds when the operation was done again, where it had failed."""
    with open_library(home / "library") as library:
        if failed:
            assert failed.hint and "'" in failed.message, failed
            untouched = operation not in ("edit", "remove", "restore")
            assert not untouched or before.items() <= holdings(library).items()
            try:
                OPERATIONS[operation](library, home)
            except NotFoundError:
                assert operation == "remove"  # it was done before the fault
        assert_consistent(library)
        assert {hit.paper.external_id for hit in library.search("eels swim sleep", k=9).hits} == set(holdings(library))
        assert not [row for row in library.status().files if row.state not in ("indexed", "stale")]
        return holdings(library)


def check(
    operation: str,
    tmp_path: Path,
    failing: Callable[[Path, int, str], AbstractContextManager[Calls]],
    ways: tuple[str, ...],
) -> None:
    draw = random.Random(operation)
    with prepared(tmp_path / "whole", operation) as library:
        before = holdings(library)
    counted, failed = attempt(operation, tmp_path / "whole", failing(tmp_path / "whole", 0, ways[0]))
    assert failed is None and counted.seen > 5
    wanted = outcome(operation, tmp_path / "whole", None, before)
    for number, way in zip(
        sorted(draw.sample(range(1, counted.seen + 1), FAULTS)), draw.choices(ways, k=FAULTS), strict=True
    ):
        home = tmp_path / str(number)
        prepared(home, operation).close()
        calls, failed = attempt(operation, home, failing(home, number, way))
        assert calls.fired
        assert outcome(operation, home, failed, before) == wanted, (number, way, calls.fired)
        shutil.rmtree(home)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_statement_that_fails(tmp_path: Path, both_catalogs: str, operation: str) -> None:
    """Else a full disk or a lost connection in the wrong moment costs papers, or ends in a traceback."""
    ways = SQLITE_WAYS if both_catalogs == "sqlite" else POSTGRES_WAYS
    check(operation, tmp_path, lambda _, number, way: failing_sql(number, way), ways)


def test_a_lock_that_was_not_quite_taken_is_free(tmp_path: Path, both_catalogs: str) -> None:
    """Else all who write wait for a connection that nobody uses."""
    ways = SQLITE_WAYS if both_catalogs == "sqlite" else POSTGRES_WAYS
    folder = tmp_path / "library"
    with open_library(folder) as library, open_library(folder, catalog__wait=0.5) as other:
        for number in range(1, 9):
            for way in ways:
                with failing_sql(number, way), suppress(ConspectusError), library.session.writing():
                    pass
                with other.session.writing():
                    pass


@pytest.mark.again_on_postgres  # files are written by the same code
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_write_that_fails(tmp_path: Path, both_catalogs: str, operation: str) -> None:
    """Else a file that cannot be made, replaced or kept leaves half an index or half a backup."""
    errors = {"full": errno.ENOSPC, "broken": errno.EIO, "quota": errno.EDQUOT}
    check(operation, tmp_path, lambda home, number, way: failing_files(home, number, errors[way]), tuple(errors))
