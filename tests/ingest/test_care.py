"""Looking after a library: what is stale or half is told, and mended where nothing can be lost by it."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.core.errors import BusyError, InputError, LibraryDamagedError, ModelDamagedError, NotFoundError
from conspectus.ingest import index_sync
from conspectus.ingest.files import changes, drive_of, is_network
from conspectus.models.store import ModelSpec, ModelStore
from conspectus.records import Finding
from conspectus.records.events import Progress
from conspectus.store.connection import writing
from conspectus.store.lock import folder_lock
from helpers import assert_consistent, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

RECORDS = [{"id": f"p{number}", "title": f"Paper {number}", "abstract": f"It is of {number}."} for number in range(5)]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        library.add(write_jsonl(tmp_path / "papers.jsonl", RECORDS))
        yield library


def finding(library: Library, check: str, *, fix: bool = False) -> Finding:
    return next(found for found in library.doctor(fix=fix).findings if found.check == check)


def test_rows_without_their_parent_and_papers_of_no_file_are_mended(library: Library) -> None:
    """What another program did to the catalog would be found in answers for ever."""
    with library.session.catalog.engine.connect() as connection:
        connection.exec_driver_sql("ROLLBACK")
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("DELETE FROM documents WHERE paper_key = (SELECT min(key) FROM papers)")
        connection.exec_driver_sql("DELETE FROM papers WHERE key = (SELECT max(key) FROM papers)")
        connection.exec_driver_sql("PRAGMA foreign_keys=ON")
        connection.exec_driver_sql("BEGIN")
    found = finding(library, "papers whole")
    assert not found.ok and "1 papers of no file" in found.detail and "fix=True" in found.remedy
    mended = finding(library, "papers whole", fix=True)
    assert mended.ok and "mended" in mended.detail
    assert {paper.external_id for paper in library.papers()} == {"p1", "p2", "p3"}
    assert finding(library, "index").ok
    assert {hit.paper.external_id for hit in library.search("paper", k=9).hits} == {"p1", "p2", "p3"}
    assert library.add(library.folder.parent / "papers.jsonl").failed == ()


@pytest.mark.parametrize("harm", ["damaged", "behind"])
def test_an_index_that_is_not_well_is_built_anew(library: Library, harm: str) -> None:
    """The remedy would have to be typed, though nothing speaks against it."""
    index = library.folder / "index"
    if harm == "damaged":
        library.session.index.close()
        for path in index.rglob("codes"):
            path.write_bytes(b"nothing")
    else:
        with writing(library.session.catalog.engine) as connection:
            for table in ("vectors", "token_vectors"):
                connection.execute(text(f"DELETE FROM {table} WHERE passage_key = (SELECT min(key) FROM passages)"))
    assert not all(found.ok for found in library.doctor().findings if found.check in ("index", "vectors"))
    assert all(found.ok for found in library.doctor(fix=True).findings if found.check in ("index", "vectors"))
    assert library.search("paper 3").hits
    assert_consistent(library)


def test_an_index_that_was_never_made_is_no_trouble(library: Library) -> None:
    """The first `add`, stopped before its end, would look like damage."""
    shutil.rmtree(library.folder / "index")
    found = finding(library, "index")
    assert found.ok and "not made yet" in found.detail and "next search" in found.detail
    assert library.search("paper 3").hits
    assert_consistent(library)


def test_what_killed_runs_leave_is_cleaned(library: Library) -> None:
    """The folder would grow with every run that is killed."""
    left = [library.folder / "index" / "tmp-00000099", library.folder / ".catalog.sqlite.abc"]
    for path in left:
        path.mkdir()
    assert "2 of runs" in finding(library, "leftovers").detail
    assert finding(library, "leftovers", fix=True).ok
    assert not any(path.exists() for path in left)
    assert library.search("paper").hits


def test_what_cannot_be_mended_is_told_and_the_rest_is_examined(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody knows why `--fix` fixed nothing; or one mend that fails hides what the other checks find."""
    library.session.index.close()
    for path in (library.folder / "index").rglob("codes"):
        path.write_bytes(b"nothing")
    before = finding(library, "index")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("conspectus.index.vectors.RowFiles.add", full)
        found = {one.check: one for one in library.doctor(fix=True).findings}
    index = found["index"]
    assert not index.ok and index.detail.startswith(before.detail.rstrip("."))
    assert "; mending failed: The disk of '" in index.detail and index.remedy.startswith("Make room")
    assert found.keys() >= {"files there", "leftovers", "disk"}
    assert finding(library, "index", fix=True).ok


def test_a_mend_waits_for_no_other_writer_in_vain(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else `doctor --fix` ends in an error while somebody adds, and tells nothing of what it found."""

    def busy(*_: object) -> None:
        raise BusyError("Another process is writing.", "Try again when it is done.")

    with library.session.catalog.engine.connect() as connection:
        connection.exec_driver_sql("DELETE FROM documents WHERE paper_key = (SELECT min(key) FROM papers)")
        connection.commit()
    monkeypatch.setattr("conspectus.session.session.writer_lock", busy)
    found = finding(library, "papers whole", fix=True)
    assert (found.ok, found.remedy) == (False, "Try again when it is done.")
    assert found.detail.endswith("1 papers of no file; mending failed: Another process is writing")


@pytest.mark.parametrize("place", ["", "index"])
def test_while_somebody_writes_nothing_is_said_of_leftovers(
    library: Library, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else `doctor` says that there are none, though it could not look."""
    left = library.folder / "index" / "tmp-00000099"
    left.mkdir()
    with folder_lock(library.folder / place):
        assert "leftovers" not in {found.check for found in library.doctor().findings}
        assert "leftovers" not in {found.check for found in library.doctor(fix=True).findings}
        assert left.exists()
    assert not finding(library, "leftovers").ok


def test_status_tells_what_is_stale_and_how_large_it_is(library: Library, tmp_path: Path) -> None:
    """Nobody would know that files were edited since they were read."""
    status = library.status()
    assert (status.counts["stale"], status.last_add["files"]) == (0, 1)
    assert status.space["catalog"] > 0 and status.space["free"] > 0
    path = write_jsonl(tmp_path / "papers.jsonl", RECORDS[:2])
    (row,) = library.status().files
    assert (row.path, row.state) == (str(path), "stale")
    library.add(path)
    assert library.status().counts["stale"] == 0
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE files SET reader = 'jsonl/0.1'"))
    assert library.status().counts["stale"] == 1


def test_retry_reads_what_can_be_read_now(library: Library, tmp_path: Path) -> None:
    """Each file that failed would have to be named again."""
    locked, broken = write(tmp_path / "a.md", "# Moss\n\nMoss is green."), tmp_path / "b.jsonl"
    broken.write_text("no json\n", "utf-8")
    library.add([locked, broken])
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE files SET state = 'failed', retry = 1 WHERE path LIKE '%a.md'"))
    report = library.retry()
    assert [Path(row.path).name for row in report.rows] == ["a.md"]
    write_jsonl(broken, [{"id": "b", "title": "Mended"}])
    assert library.retry().rows == ()
    assert [Path(row.path).name for row in library.retry(everything=True).added] == ["b.jsonl"]
    assert_consistent(library)


def test_one_file_is_read_again_alone(library: Library, tmp_path: Path) -> None:
    """After one of a hundred files was mended, all would be read again, or that one added anew by its name."""
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for one in files:
        one.write_text("no json\n", "utf-8")
    library.add(files)
    for one in files:
        write_jsonl(one, [{"id": one.stem, "title": "Mended"}])
    assert [Path(row.path).name for row in library.retry(paths=str(files[1])).added] == ["b.jsonl"]
    assert library.status().counts["failed"] == 1
    with pytest.raises(NotFoundError):
        library.retry(paths=[tmp_path / "none.md"])


def test_retry_reads_a_file_that_had_records_refused_when_it_has_changed(library: Library, tmp_path: Path) -> None:
    """`status --failed` lists it."""
    path = tmp_path / "c.jsonl"
    good = '{"id": "c", "title": "Good", "abstract": "It is good."}\n'
    path.write_text(good + "no json\n")
    assert "refused" in library.add(path).rows[0].reason
    assert library.retry(everything=True).rows == (), "nothing is new in it"
    path.write_text(good + '{"id": "d", "title": "Mended"}\n')
    (row,) = library.retry().rows
    assert (Path(row.path).name, row.reason) == ("c.jsonl", "")
    assert {"c", "d"} < {paper.external_id for paper in library.papers()}


def test_what_was_read_of_a_file_and_has_changed_is_told(library: Library) -> None:
    """A page of SQLite has no checksum: other bytes in it would be an error that nobody understands."""
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE documents SET parsed = zeroblob(length(parsed)) WHERE key = 3"))
        connection.execute(text("UPDATE papers SET metadata = zeroblob(length(metadata)) WHERE external_id = 'p4'"))
    assert finding(library, "catalog").ok
    found = finding(library, "documents")
    assert not found.ok and "2 papers" in found.detail and "backup" in found.remedy
    with pytest.raises(LibraryDamagedError, match="cannot be unpacked") as caught:
        library.export("library", io.StringIO())
    assert "doctor" in caught.value.hint


def test_an_index_with_other_bytes_is_built_anew(library: Library) -> None:
    """Results would be wrong, and nobody would know."""
    (path,) = library.folder.glob("index/gen-*/codes")
    path.write_bytes(b"\x07" * path.stat().st_size)
    found = finding(library, "index")
    assert not found.ok and "have changed" in found.detail and "reindex" in found.remedy
    assert finding(library, "index", fix=True).ok
    assert_consistent(library)


def test_what_changes_in_a_folder_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that fills by itself would have to be added by hand."""
    monkeypatch.setattr("conspectus.ingest.files.QUIET_MS", 100)
    folder = tmp_path / "papers"
    folder.mkdir()
    write(folder / "a.md", "# Moss\n\nMoss is green.")
    with open_library(folder / "library") as library:
        reports = library.watch(folder)
        assert len(next(reports).added) == 1
        later = threading.Timer(0.5, lambda: write(folder / "b.md", "# Eels\n\nEels swim at night."))
        later.start()
        assert [Path(row.path).name for row in next(reports).added] == ["b.md"]
        later.join()
        assert len(list(library.papers())) == 2


def test_what_comes_during_the_first_add_is_added_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a file that arrives while the folder is first read waits for a change that may never come."""
    monkeypatch.setattr("conspectus.ingest.files.QUIET_MS", 100)
    folder = tmp_path / "papers"
    folder.mkdir()
    write(folder / "a.md", "# Moss\n\nMoss is green.")

    def arrive(news: Progress) -> None:
        if news.stage == "adding" and not (folder / "b.md").exists():
            write(folder / "b.md", "# Eels\n\nEels swim at night.")

    with open_library(tmp_path / "library") as library:
        reports = library.watch(folder, arrive)
        assert [Path(row.path).name for row in next(reports).added] == ["a.md"]
        later = threading.Timer(20, lambda: write(folder / "c.md", "# Late\n\nIt would be told only now."))
        later.start()
        assert [Path(row.path).name for row in next(reports).added] == ["b.md"]
        later.cancel()


def test_doctor_names_files_that_are_gone(tmp_path: Path) -> None:
    """Else who has thousands of files does not know which to put back, or which name `forget` takes."""
    with open_library(tmp_path / "library") as library:
        library.add(write(tmp_path / "owls.md", "# Owls\n\nOwls hunt at night."))
        (tmp_path / "owls.md").unlink()
        assert finding(library, "files there").detail == f"1 no longer there: '{tmp_path / 'owls.md'}'"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links for administrators only")
@pytest.mark.parametrize("how", ["link to nowhere", "folder is a file", "folder that cannot be looked into"])
def test_status_and_doctor_say_the_same_of_a_file_that_cannot_be_seen(tmp_path: Path, how: str) -> None:
    """Else who is told that a paper vanished removes it, though its folder was only closed for a while."""
    folder = tmp_path / "papers"
    folder.mkdir()
    with open_library(tmp_path / "library") as library:
        library.add([write(folder / "owls.md", "# Owls\n\nOwls hunt at night."), write(tmp_path / "b.jsonl", "{}\n")])
        folder.rename(tmp_path / "kept")
        if how == "link to nowhere":
            folder.mkdir()
            (folder / "owls.md").symlink_to(tmp_path / "nowhere.md")
        elif how == "folder is a file":
            folder.write_text("")
        else:
            folder.symlink_to(folder)
        vanished = how != "folder that cannot be looked into"
        (row,) = (row for row in library.status().files if row.papers)
        assert row.state == ("missing" if vanished else "indexed")
        assert finding(library, "files there").ok is not vanished


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may look everywhere")
def test_doctor_looks_at_files_in_a_folder_without_rights(tmp_path: Path) -> None:
    """Else one folder that was closed is a traceback, and nothing else is checked."""
    folder = tmp_path / "closed"
    folder.mkdir()
    with open_library(tmp_path / "library") as library:
        library.add(write(folder / "owls.md", "# Owls\n\nOwls hunt at night."))
        folder.chmod(0)
        try:
            assert finding(library, "files there").ok
        finally:
            folder.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes links for administrators only")
def test_the_same_file_elsewhere_is_no_move_while_nobody_can_look(tmp_path: Path) -> None:
    """Else a copy that is added while the first folder is closed takes the first file out of the ledger."""
    folder = tmp_path / "papers"
    folder.mkdir()
    with open_library(tmp_path / "library") as library:
        library.add(write(folder / "owls.md", "# Owls\n\nOwls hunt at night."))
        folder.rename(tmp_path / "kept")
        folder.symlink_to(folder)
        library.add(tmp_path / "kept" / "owls.md")
        (paper,) = library.papers()
        wanted = {str(folder / "owls.md"), str(tmp_path / "kept" / "owls.md")}
        assert {file.path for file in paper.files} == wanted == {row.path for row in library.status().files}


def test_the_number_of_files_to_read_is_known_from_the_first(tmp_path: Path) -> None:
    """Else a folder seems to be done when its record files are, and the time left is told wrongly."""
    heard: list[Progress] = []
    files = [
        write_jsonl(tmp_path / "papers.jsonl", RECORDS),
        write(tmp_path / "owls.md", "# Owls\n\nOwls hunt at night."),
    ]
    with open_library(tmp_path / "library") as library:
        library.add(files, heard.append)
    assert {news.total for news in heard if news.stage == "adding"} == {sum(file.stat().st_size for file in files)}


def test_there_must_be_something_to_watch(tmp_path: Path) -> None:
    """A mistyped name would be watched for ever."""
    with pytest.raises(InputError, match="nothing to watch"):
        next(changes([tmp_path / "no" / "such" / "*.pdf"], tmp_path))


def test_drives_of_other_machines_are_known(tmp_path: Path) -> None:
    """SQLite on such a drive can lose a library; nobody would be warned."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        f"23 22 0:44 / {tmp_path} rw shared:1 - nfs4 server:/home rw\n"
        f"24 22 0:45 / {tmp_path}/a\\040b rw - btrfs /dev/sdb rw\nodd line\n"
    )
    (tmp_path / "a b").mkdir()
    assert (drive_of(tmp_path / "x", mounts), drive_of(tmp_path / "a b", mounts)) == ("nfs4", "btrfs")
    assert drive_of(Path(os.sep), mounts) == "ext4"
    assert drive_of(tmp_path, tmp_path / "nothing") == ""
    assert is_network("nfs4") and is_network("cifs") and is_network("fuse.sshfs") and not is_network("ext4")


def test_doctor_names_packages_that_do_not_fit(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an old package in a shared environment fails in the middle of the work, in words of its own."""
    said = finding(library, "versions")
    assert said.ok and "SQLite" in said.detail and "schema" in said.detail
    monkeypatch.setattr(
        "conspectus.core.packages.requires", lambda _: ["numpy<1", "no-such-package", 'pytest<1; extra == "x"']
    )
    said = finding(library, "versions")
    assert not said.ok
    assert said.detail.startswith("numpy is ") and said.detail.endswith("needed <1; no-such-package is missing")
    assert said.remedy


def spoil(path: Path) -> None:
    """Other bytes in every eighth page of a closed SQLite file, as a failing disk leaves them; it still opens."""
    with closing(sqlite3.connect(path)) as catalog:
        roots = {row[0] for row in catalog.execute("SELECT rootpage FROM sqlite_master")}
        schema = {row[0] for row in catalog.execute("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'")}
    raw = bytearray(path.read_bytes())
    for page in range(9, len(raw) // 4096 + 1, 8):
        if page not in roots | schema:
            raw[(page - 1) * 4096 : page * 4096] = b"\x07" * 4096
    path.write_bytes(raw)


def test_of_a_damaged_catalog_there_is_no_backup(tmp_path: Path) -> None:
    """Else it is noticed on the day when it is needed. The good one can still be restored over it."""
    folder = tmp_path / "damaged"
    records = [{**RECORDS[0], "id": f"eels-{number}", "title": f"Eels {number}"} for number in range(200)]
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "many.jsonl", records))
        library.backup(tmp_path / "good.zip")
    spoil(folder / "catalog.sqlite")
    with open_library(folder) as library:
        assert not next(finding for finding in library.doctor().findings if finding.check == "catalog").ok
        with pytest.raises(LibraryDamagedError, match="No backup of it was written"):
            library.backup(tmp_path / "bad.zip")
        assert not (tmp_path / "bad.zip").exists()
        library.restore(tmp_path / "good.zip", replace=True)
        assert library.counts()["papers"] == 200
        assert_consistent(library)


def test_the_first_search_waits_for_who_makes_the_index(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who searches while a colleague makes the index would be told that there is nothing."""
    library.close()
    shutil.rmtree(library.folder / "index")
    with open_library(library.folder) as again, ExitStack() as other:
        other.enter_context(folder_lock(again.folder))

        def lock(folder: Path, wait: float) -> AbstractContextManager[None]:
            if wait:
                other.close()  # the other one is done meanwhile
            return folder_lock(folder, wait)

        monkeypatch.setattr(index_sync, "folder_lock", lock)
        assert again.search("paper").hits


def test_doctor_looks_at_the_bytes_of_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of which a bad disk changed a few bytes gives slightly wrong vectors, and all would be called well."""

    def verify(self: ModelStore, spec: ModelSpec) -> None:
        raise ModelDamagedError(f"'{spec.name}' differs from what was fetched.", "Fetch it again.")

    monkeypatch.setattr(ModelStore, "verify", verify)
    with Library(tmp_path / "lib", {"models.store": str(tmp_path / "store")}) as library:
        found = finding(library, "model")
    assert not found.ok and "differs from what was fetched" in found.detail and found.remedy == "Fetch it again."
