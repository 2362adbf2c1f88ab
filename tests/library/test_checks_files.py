"""What `doctor` says of files."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from conspectus.library.checks.catalog import letters
from conspectus.records import LACKING
from conspectus.store import writer
from conspectus.store.connection import transact
from helpers import markdown, open_library, write, write_jsonl


def test_files_that_lack_letters_are_one_sentence(tmp_path: Path) -> None:
    """One would read where one file's pages end and the next file begins as a misprint."""
    with open_library(tmp_path / "lib") as library:
        library.add([write(tmp_path / f"{name}.md", markdown(name)) for name in ("Cats", "Dogs")])
        for row in library.session.catalog.file_rows():
            noted = replace(row, notes=(f"{LACKING}: page 3: 11 % in Table 1.",))
            transact(library.session.catalog.engine, lambda connection, row=noted: writer.put_file(connection, row))
        found = letters(library.session)
    assert found is not None
    one, other = (f"'{tmp_path / name}.md': page 3: 11 % in Table 1" for name in ("Cats", "Dogs"))
    assert found.detail.endswith(f": {one}; {other}")


def test_rows_without_their_parent_are_found_and_removed(tmp_path: Path) -> None:
    """What a damaged disk leaves of a paper would stay for ever, or ask for a backup."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"id": "p0", "title": "Grid cells", "abstract": "They fire."}]))
        with closing(sqlite3.connect(tmp_path / "lib" / "catalog.sqlite")) as raw:
            raw.execute("PRAGMA foreign_keys = OFF")
            raw.execute("DELETE FROM papers")
            raw.commit()
        findings = {one.check: one for one in library.doctor().findings}
        assert findings["catalog"].ok
        assert not findings["papers whole"].ok and "doctor fix=True" in findings["papers whole"].remedy
        mended = {one.check: one for one in library.doctor(fix=True).findings}
        assert mended["papers whole"].ok and "without their parent" in mended["papers whole"].detail
