"""Backups: what comes back is what was there, and what is no good is refused before anything is touched."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core import disk
from conspectus.core.errors import (
    ConspectusError,
    EncryptedError,
    InputError,
    LibraryDamagedError,
    LibraryError,
    LibraryTooNewError,
    NotFoundError,
    SettingsError,
    UsageError,
)
from conspectus.ingest import index_sync
from conspectus.library import backup
from conspectus.records.events import Progress
from conspectus.settings import load_settings
from helpers import assert_consistent, open_library, snapshot, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

EELS = {"id": "eels", "title": "Eels at night", "abstract": "Eels swim at night. They swim far."}
MOSS = {"id": "moss", "title": "Moss on walls", "abstract": "Moss grows on walls. It is green."}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        library.add(write_jsonl(tmp_path / "papers.jsonl", [EELS]))
        yield library


def known(library: Library) -> list[tuple[str, tuple[str, ...]]]:
    """All papers with the texts of their passages."""
    return [(paper.external_id, tuple(p.text for p in library.passages(paper.id))) for paper in library.papers()]


def changed(path: Path, target: Path, name: str, data: bytes) -> Path:
    """The backup at `path` with one of its files replaced."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for item in old.namelist():
            new.writestr(item, data if item == name else old.read(item))
    return target


def test_what_was_backed_up_comes_back(tmp_path: Path, library: Library) -> None:
    """A backup that cannot be searched again is none."""
    (library.folder / "conspectus.toml").write_text("[search]\nk = 3\n")
    made = library.backup(tmp_path / "backup.zip")
    assert (made.counts["papers"], Path(made.path)) == (1, tmp_path / "backup.zip")
    with open_library(tmp_path / "other") as other:
        assert other.restore(tmp_path / "backup.zip").counts == made.counts
        assert known(other) == known(library)
        assert other.search("eels").hits[0].paper.external_id == "eels"
        assert next(other.papers()).key_phrases == next(library.papers()).key_phrases != ()
        assert all(finding.ok for finding in other.doctor().findings if finding.check in ("catalog", "index"))
    with open_library(tmp_path / "other") as again:
        assert again.settings.search.k == 3


def test_a_library_moves_to_a_server_and_back(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that outgrows a laptop would have to begin anew."""
    library.backup(tmp_path / "backup.zip")
    monkeypatch.delenv("TEST_CATALOG_URL", raising=False)
    with open_library(tmp_path / "laptop") as laptop:
        laptop.restore(tmp_path / "backup.zip")
        laptop.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))
        assert {name for name, _ in known(laptop)} == {"eels", "moss"}
        laptop.backup(tmp_path / "more.zip")
    library.restore(tmp_path / "more.zip", replace=True)
    library.add(write_jsonl(tmp_path / "new.jsonl", [{**EELS, "id": "new", "title": "New"}]))
    assert {name for name, _ in known(library)} == {"eels", "moss", "new"}
    assert_consistent(library)


def test_a_backup_holds_one_moment(tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper added meanwhile would be in it by half."""
    monkeypatch.setattr("conspectus.store.snapshot._PAGES", 16)
    monkeypatch.setattr("conspectus.store.snapshot._ROWS", 20)
    added: list[Path] = []

    def add_meanwhile(progress: Progress) -> None:
        if progress.stage == "copying" and not added:
            assert progress.done < (progress.total or 0)
            added.append(write_jsonl(tmp_path / "more.jsonl", [MOSS]))
            with open_library(library.folder) as writer:
                writer.add(added)

    library.add(write_jsonl(tmp_path / "many.jsonl", [{**EELS, "id": str(n), "title": f"{n}"} for n in range(100)]))
    library.backup(tmp_path / "backup.zip", progress=add_meanwhile)
    assert added
    with open_library(tmp_path / "other") as other:
        other.restore(tmp_path / "backup.zip")
        assert other.status().counts["papers"] == 101
        assert "moss" not in dict(known(other))
    assert "moss" in dict(known(library))


def test_backups_that_are_no_good_change_nothing(tmp_path: Path, library: Library) -> None:
    """A library would be lost to a damaged copy of it."""
    good = Path(library.backup(tmp_path / "good.zip").path)
    manifest = json.loads(zipfile.ZipFile(good).read("manifest.json"))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(good.read_bytes()[:-100])
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("letter.txt", "Dear …")
    catalog = zipfile.ZipFile(good).read("catalog.sqlite")
    flipped = changed(good, tmp_path / "flipped.zip", "catalog.sqlite", catalog[:5000] + b"\x01" + catalog[5001:])
    later = changed(good, tmp_path / "later.zip", "manifest.json", json.dumps({**manifest, "format": 9}).encode())
    with open_library(tmp_path / "kept") as kept:
        kept.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))
        for path in (cut, other, flipped, later, tmp_path / "papers.jsonl"):
            with pytest.raises(InputError, match=path.name):
                kept.restore(path, replace=True)
        assert [name for name, _ in known(kept)] == ["moss"]
        assert not list(kept.folder.glob("*restore*"))


def test_every_way_to_be_damaged_has_its_words(tmp_path: Path, library: Library) -> None:
    """Else what a failing disk or a broken copy did to a backup ends in a traceback."""
    good = Path(library.backup(tmp_path / "good.zip").path)
    whole = good.read_bytes()
    manifest = json.loads(zipfile.ZipFile(good).read("manifest.json"))
    begin = zipfile.ZipFile(good).getinfo("catalog.sqlite").header_offset + 60
    unpackable, locked = bytearray(whole), bytearray(whole)
    unpackable[begin : begin + 200] = b"\xff" * 200
    at = whole.index(b"PK\x01\x02")
    locked[at + 8] |= 1
    (tmp_path / "unpackable.zip").write_bytes(unpackable)
    (tmp_path / "locked.zip").write_bytes(locked)
    harmed = [tmp_path / "unpackable.zip"]
    for name, said in {
        "list": [],
        "files": {**manifest, "files": {}},
        "size": {**manifest, "files": {"catalog.sqlite": {"sha256": "0", "bytes": -1}}},
        "counts": {**manifest, "counts": {}},
        "long": {**manifest, "made": " " * 2**21},
        "lacks": {**manifest, "files": manifest["files"] | {"conspectus.toml": {"sha256": "0", "bytes": 1}}},
    }.items():
        harmed.append(changed(good, tmp_path / f"{name}.zip", "manifest.json", json.dumps(said).encode()))
    with open_library(tmp_path / "other") as other:
        for path in harmed:
            with pytest.raises(InputError, match=rf"{path.name}' is damaged, or no backup") as caught:
                other.restore(path)
            assert "Copy it again" in caught.value.hint
        with pytest.raises(EncryptedError, match=r"locked.zip' is protected with a password"):
            other.restore(tmp_path / "locked.zip")
        with pytest.raises(InputError, match="cannot be read: its name is too long"):
            other.restore(tmp_path / ("long" * 100))
        other.restore(good)


@pytest.mark.parametrize(("version", "error"), [(9999, LibraryTooNewError), (0, InputError)], ids=["newer", "unknown"])
def test_a_backup_of_another_schema_is_refused(
    tmp_path: Path, library: Library, version: int, error: type[ConspectusError]
) -> None:
    """This program would misread it."""
    good = Path(library.backup(tmp_path / "good.zip").path)
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(zipfile.ZipFile(good).read("catalog.sqlite"))
    with contextlib.closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE conspectus_schema SET version = ?", (version,))
    manifest = json.loads(zipfile.ZipFile(good).read("manifest.json"))
    import hashlib

    data = copy.read_bytes()
    manifest["files"]["catalog.sqlite"] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    newer = changed(good, tmp_path / "half.zip", "catalog.sqlite", data)
    newer = changed(newer, tmp_path / "newer.zip", "manifest.json", json.dumps(manifest).encode())
    with open_library(tmp_path / "other") as other, pytest.raises(error, match=f"schema {version}"):
        other.restore(newer)


def test_papers_are_replaced_only_when_it_is_said(tmp_path: Path, library: Library) -> None:
    """Restoring into the wrong folder would lose what is there."""
    library.backup(tmp_path / "backup.zip")
    with open_library(tmp_path / "other") as other:
        other.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))
        with pytest.raises(UsageError, match="has papers"):
            other.restore(tmp_path / "backup.zip")
        other.restore(tmp_path / "backup.zip", replace=True)
        assert [name for name, _ in known(other)] == ["eels"]
        assert [hit.paper.external_id for hit in other.search("moss on walls").hits] == ["eels"]
        (before,) = other.folder.glob("before-restore-*.zip")
        other.restore(before, replace=True)
        assert [name for name, _ in known(other)] == ["moss"]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_restore_clears_what_a_killed_one_left_and_nobody_else_can_read_its_copy(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a whole copy of somebody's catalog stays in the folder, open to everybody where the folder is."""
    library.backup(tmp_path / "backup.zip")
    left = library.folder / ".catalog.sqlite.killed"
    left.mkdir()
    (left / "catalog.sqlite").write_text("a copy")
    modes, check = [], backup.snapshot.check

    def look(copy: Path) -> None:
        assert not left.exists()
        modes.append(copy.stat().st_mode & 0o777)
        check(copy)

    monkeypatch.setattr(backup.snapshot, "check", look)
    library.restore(tmp_path / "backup.zip", replace=True)
    assert modes == [0o600]


def test_backups_of_replaced_papers_are_listed_and_can_be_removed(tmp_path: Path, library: Library) -> None:
    """Else papers that were removed stay on the disk in a file that nobody knows of."""
    library.backup(tmp_path / "backup.zip")
    assert library.status().backups == {}
    library.restore(tmp_path / "backup.zip", replace=True)
    (name,) = library.status().backups
    for wrong in ("../papers.jsonl", "catalog.sqlite", "before-restore-1.zip"):
        with pytest.raises(NotFoundError, match="no backup"):
            library.remove_backup(wrong)
    assert library.remove_backup(name) == name
    assert library.status().backups == {}
    assert (tmp_path / "backup.zip").exists()


def test_an_index_that_did_not_follow_follows_later(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between catalog and index, a library would answer with papers that it no longer has."""
    library.backup(tmp_path / "backup.zip")
    with open_library(tmp_path / "other") as other:
        other.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))

        def killed(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(index_sync, "sync", killed)
            with pytest.raises(KeyboardInterrupt):
                other.restore(tmp_path / "backup.zip", replace=True)
        assert [hit.paper.external_id for hit in other.search("eels").hits] == ["eels"]


def test_files_are_never_overwritten_and_places_that_cannot_be_written_are_told(
    tmp_path: Path, library: Library
) -> None:
    """Yesterday's backup would be gone."""
    library.backup(tmp_path / "backup.zip")
    with pytest.raises(UsageError, match="there already"):
        library.backup(tmp_path / "backup.zip")
    with pytest.raises(LibraryError, match=r"nowhere' cannot be written: No such file.*Make its folder"):
        library.backup(tmp_path / "nowhere" / "backup.zip")
    assert {path.name for path in tmp_path.iterdir()} == {"library", "papers.jsonl", "backup.zip"}


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a backup would look like one."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(LibraryError, match="full"):
        library.backup(tmp_path / "backup.zip")
    assert {path.name for path in tmp_path.iterdir()} == {"library", "papers.jsonl"}


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems sync folders")
def test_the_name_of_a_backup_is_kept_too(tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a power cut takes a backup that was said to be done; or a second try finds the first in its way."""
    target = tmp_path / "far" / "backup.zip"
    target.parent.mkdir()
    real, synced = disk.sync, []

    def note(path: Path) -> None:
        synced.append((path.name, target.exists()))
        real(path)

    def fail(path: Path) -> None:
        if path.is_dir():
            raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch, pytest.raises(LibraryError, match="failing"):
        patch.setattr(disk, "sync", fail)
        library.backup(target)
    monkeypatch.setattr(disk, "sync", note)
    library.backup(target)
    assert synced == [("packed", False), ("far", True)]


def test_errors_have_remedies(tmp_path: Path, library: Library) -> None:
    """Who meets one would not know how to go on."""
    with pytest.raises(ConspectusError) as caught:
        library.restore(tmp_path / "papers.jsonl", replace=True)
    assert caught.value.hint


def test_where_the_catalog_is_does_not_travel(tmp_path: Path, library: Library) -> None:
    """A backup would hold the server's password, and a library restored elsewhere would write to that server."""
    (library.folder / "conspectus.toml").write_text('[catalog]\nurl = "postgresql://me:geheim@server/db"\n')
    path = Path(library.backup(tmp_path / "backup.zip").path)
    assert "conspectus.toml" not in zipfile.ZipFile(path).namelist()


@pytest.mark.parametrize("said", ["[language]\napi_key = 'geheim'\n", "[language\n"])
def test_a_backup_holds_no_key(tmp_path: Path, library: Library, said: str) -> None:
    """Backups are copied to where keys must not be; a key written into the file while the library is open, too."""
    (library.folder / "conspectus.toml").write_text(said)
    made = library.backup(tmp_path / "backup.zip")
    assert made.left_out == ("conspectus.toml",)
    assert b"geheim" not in b"".join(map(zipfile.ZipFile(made.path).read, zipfile.ZipFile(made.path).namelist()))


def with_settings(tmp_path: Path, library: Library, said: str) -> Path:
    """A backup whose settings say something else than the library's did."""
    (library.folder / "conspectus.toml").write_text("[search]\nk = 3\n")
    good = Path(library.backup(tmp_path / "good.zip").path)
    manifest = json.loads(zipfile.ZipFile(good).read("manifest.json"))
    manifest["files"]["conspectus.toml"] = {"sha256": hashlib.sha256(said.encode()).hexdigest(), "bytes": len(said)}
    half = changed(good, tmp_path / "half.zip", "conspectus.toml", said.encode())
    return changed(half, tmp_path / "evil.zip", "manifest.json", json.dumps(manifest).encode())


def test_settings_of_a_backup_lead_nowhere(tmp_path: Path, library: Library) -> None:
    """A backup from somebody else would send the next question, and the key, wherever it says."""
    evil = with_settings(tmp_path, library, '[language]\nmodel = "http://192.0.2.1/v1"\n[search]\nk = 3\n')
    with open_library(tmp_path / "other") as other:
        assert other.restore(evil).left_out == ()
        found = load_settings(other.folder, environ={})
        assert (found.search.k, found.language.model, list(found.ignored)) == (3, "", ["language.model"])
        assert other.restore(evil, replace=True).left_out == ("conspectus.toml",), "it has its own"


def test_settings_that_are_not_valid_are_not_taken(tmp_path: Path, library: Library) -> None:
    """The library could not be opened any more."""
    evil = with_settings(tmp_path, library, "[language\n")
    with open_library(tmp_path / "other") as other:
        with pytest.raises(SettingsError):
            other.restore(evil)
        assert not (other.folder / "conspectus.toml").exists() and not other.counts()["papers"]


def with_code(tmp_path: Path, library: Library, *statements: str) -> Path:
    """A backup whose catalog runs something of its own."""
    good = Path(library.backup(tmp_path / "good.zip").path)
    inner = tmp_path / "inner.sqlite"
    inner.write_bytes(zipfile.ZipFile(good).read("catalog.sqlite"))
    connection = sqlite3.connect(inner)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    manifest = json.loads(zipfile.ZipFile(good).read("manifest.json"))
    data = inner.read_bytes()
    manifest["files"]["catalog.sqlite"] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    half = changed(good, tmp_path / "half.zip", "catalog.sqlite", data)
    return changed(half, tmp_path / "evil.zip", "manifest.json", json.dumps(manifest).encode())


TRIGGERS = [
    "CREATE TRIGGER gone AFTER INSERT ON meta BEGIN DELETE FROM papers; END",
    'CREATE TRIGGER "o\'dd "" name" AFTER UPDATE ON files BEGIN UPDATE papers SET title = \'evil\'; END',
    "CREATE VIEW shown AS SELECT * FROM papers",
    "CREATE TRIGGER through INSTEAD OF INSERT ON shown BEGIN DELETE FROM papers; END",
]


def test_a_restore_takes_no_triggers_or_views(tmp_path: Path, library: Library) -> None:
    """What somebody else wrote would run in the user's library at each `add`, and take papers out of it."""
    evil = with_code(tmp_path, library, *TRIGGERS)
    with open_library(tmp_path / "other") as other:
        assert set(other.restore(evil).left_out) == {
            "trigger gone",
            "trigger through",
            "trigger o'dd \" name",
            "view shown",
        }
        assert {name for name, _ in known(other)} == {"eels"}
    with open_library(tmp_path / "other") as again:  # which refuses a catalog that has any
        assert again.counts()["papers"] == 1


def test_a_backup_with_a_virtual_table_is_refused(tmp_path: Path, library: Library) -> None:
    """Behind one stands code of SQLite's that reads whatever the file says."""
    evil = with_code(tmp_path, library, "CREATE VIRTUAL TABLE found USING fts5(words)")
    with open_library(tmp_path / "other") as other, pytest.raises(InputError, match="virtual table"):
        other.restore(evil)


@pytest.mark.parametrize("statement", [*TRIGGERS[:3], "CREATE VIRTUAL TABLE found USING fts5(words)"])
def test_a_catalog_with_code_in_it_is_not_opened(
    tmp_path: Path, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody else wrote would run as soon as his library is used."""
    monkeypatch.delenv("TEST_CATALOG_URL", raising=False)
    open_library(tmp_path / "theirs").close()
    connection = sqlite3.connect(tmp_path / "theirs" / "catalog.sqlite")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(LibraryDamagedError, match="no catalog of Conspectus has"):
        open_library(tmp_path / "theirs")


def test_a_file_that_is_not_there_is_named(tmp_path: Path, library: Library) -> None:
    """The message would speak of another file."""
    with pytest.raises(InputError, match=r"There is no file .*gone\.zip"):
        library.restore(tmp_path / "gone.zip", replace=True)


def test_a_restore_whose_index_could_not_be_made_goes_on(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The papers would be there, and the same command refuse to replace them."""
    library.backup(tmp_path / "backup.zip")
    wanted = snapshot(library)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with open_library(tmp_path / "other") as other:
        with monkeypatch.context() as patch, pytest.raises(LibraryError, match=r"index.* is full"):
            patch.setattr("conspectus.index.vectors.RowFiles.add", full)
            other.restore(tmp_path / "backup.zip")
        other.restore(tmp_path / "backup.zip")
        assert snapshot(other) == wanted
        assert_consistent(other)
        other.restore(tmp_path / "backup.zip")  # as where the very last step of the first had failed
        assert snapshot(other) == wanted
        other.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))
        with pytest.raises(UsageError, match="would be replaced"):
            other.restore(tmp_path / "backup.zip")
