"""Zotero's own file, read where Zotero does not run."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import InputError, NotFoundError
from conspectus.zotero.database import data_folders

_SCHEMA = """
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT, description TEXT, version INT);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, dateAdded TEXT, dateModified TEXT, libraryID INT,
                    key TEXT, version INT);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT);
CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE itemTags (itemID INT, tagID INT, type INT);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT, path TEXT);
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT, type INT, authorName TEXT, text TEXT,
                              comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT, position TEXT);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT, parentCollectionID INT, libraryID INT,
                          key TEXT);
CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
INSERT INTO libraries VALUES (1, 'user'), (2, 'group');
INSERT INTO groups VALUES (77, 2, 'Lab', '', 1);
INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'note'), (3, 'attachment'), (4, 'annotation');
INSERT INTO fields VALUES (1, 'title'), (2, 'DOI'), (3, 'date'), (4, 'publicationTitle');
INSERT INTO creatorTypes VALUES (1, 'author');
INSERT INTO items VALUES (1, 1, '', '', 1, 'WORK0001', 5), (2, 2, '', '', 1, 'NOTE0001', 5),
    (3, 3, '', '', 1, 'ATTACH01', 5), (4, 4, '', '', 1, 'ANNOT001', 5), (5, 1, '', '', 1, 'TRASH001', 5),
    (6, 1, '', '', 2, 'GROUP001', 5), (7, 1, '', '', 1, '../KEY', 5);
INSERT INTO itemDataValues VALUES (1, 'Grid cells map space'), (2, '10.1000/grid'), (3, '2012-05-00 May 2012'),
    (4, 'Cell'), (5, 'In the trash'), (6, 'Of the group');
INSERT INTO itemData VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 4), (5, 1, 5), (6, 1, 6), (7, 1, 5);
INSERT INTO creators VALUES (1, 'Ada', 'Berg', 0), (2, '', 'The Collaboration', 1);
INSERT INTO itemCreators VALUES (1, 2, 1, 1), (1, 1, 1, 0);
INSERT INTO tags VALUES (1, 'to read');
INSERT INTO itemTags VALUES (1, 1, 0);
INSERT INTO itemNotes VALUES (2, 1, '<p>See <b>Fig. 2</b></p>', '');
INSERT INTO itemAttachments VALUES (3, 1, 0, 'application/pdf', 'storage:berg.pdf');
INSERT INTO itemAnnotations VALUES (4, 3, 1, '', 'marked', 'why', '#ff6666', '3', '0', '{"pageIndex":2,"rects":[]}');
INSERT INTO collections VALUES (1, 'Reading', NULL, 1, 'COLL0001'), (2, 'Grid', 1, 1, 'COLL0002');
INSERT INTO collectionItems VALUES (2, 1, 0);
INSERT INTO deletedItems VALUES (5);
"""


@pytest.fixture
def database(home: Path) -> Path:
    path = home / "Zotero" / "zotero.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_SCHEMA)
    return path


@pytest.mark.parametrize("named", [False, True])
def test_a_zotero_that_does_not_run_is_read(opened, database: Path, named: bool) -> None:
    """Papers, tags, collections, notes and annotations come without Zotero, and its file stays as it was."""
    before = _files(database.parent)
    library = opened()
    library.add(f"zotero:{database}" if named else "zotero:")
    [paper] = library.papers()
    assert (paper.title, paper.doi, paper.date, paper.venue) == (
        "Grid cells map space",
        "10.1000/grid",
        "2012-05",
        "Cell",
    )
    assert [author.name for author in paper.authors] == ["Ada Berg", "The Collaboration"]
    assert (paper.tags, paper.collections) == (("to read",), ("Reading/Grid",))
    texts = [note.text for note in library.collections.notes()]
    assert texts[0] == "See **Fig. 2**" and "> marked" in texts[1] and "red #ff6666" in texts[1]
    found = library.zotero.status()
    assert (found.reads, found.zotero, found.writes) == ("file", str(database), "none")
    assert [(one.path, one.items, one.group) for one in found.collections] == [
        ("Reading", 0, ""),
        ("Reading/Grid", 1, ""),
        ("group/Lab", None, "Lab"),
    ]
    assert not library.add("zotero:").updated
    assert len(library.collections.notes()) == 2
    assert _files(database.parent) == before


def test_a_group_is_read_from_the_file(opened, database: Path) -> None:
    """What a group has is there without Zotero, too."""
    library = opened()
    library.add("zotero:group/77")
    assert [(paper.title, paper.collections) for paper in library.papers()] == [("Of the group", ("Lab",))]


@contextmanager
def _half_written(path: Path, mode: str) -> Iterator[Any]:
    """A change that is in the journal beside the file when another looks."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE itemDataValues SET value = 'Grid cells, changed' WHERE valueID = 1")
        yield connection


def test_what_is_in_the_write_ahead_log_counts(opened, database: Path) -> None:
    """The newest changes of a Zotero that crashed are read, too."""
    with _half_written(database, "WAL"):
        library = opened()
        library.add("zotero:")
        assert [paper.title for paper in library.papers()] == ["Grid cells, changed"]


def test_a_change_that_was_not_finished_does_not_count(opened, database: Path) -> None:
    """Half a transaction is never read as a whole one."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("BEGIN")
        connection.execute("UPDATE itemDataValues SET value = 'Half' WHERE valueID = 1")
        for number in range(10, 3000):
            connection.execute("INSERT INTO itemDataValues VALUES (?, ?)", (number, "x" * 500))
        assert database.with_name("zotero.sqlite-journal").stat().st_size
        library = opened()
        library.add("zotero:")
        connection.execute("ROLLBACK")
    assert [paper.title for paper in library.papers()] == ["Grid cells map space"]


@pytest.mark.parametrize("data", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_told(opened, tmp_path: Path, data: bytes) -> None:
    """The user learns which file it is and what else to do."""
    path = tmp_path / "zotero.sqlite"
    path.write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as a database of Zotero") as error:
        opened().add(f"zotero:{path}")
    assert str(path) in str(error.value)
    with pytest.raises(NotFoundError):
        opened().add(f"zotero:{tmp_path / 'missing.sqlite'}")


def test_the_data_folder_of_the_preferences_is_found(
    home: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who has moved the data folder need not name it."""
    monkeypatch.setattr("sys.platform", "linux")
    moved = home / "moved"
    database.parent.rename(moved)
    profile = home / ".zotero" / "zotero" / "abc.default"
    profile.mkdir(parents=True)
    (profile / "prefs.js").write_text(f'user_pref("extensions.zotero.dataDir", "{moved}");\n')
    assert data_folders() == [moved]


def _files(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
