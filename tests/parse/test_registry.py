"""Which reader reads which file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conspectus.errors import InputError
from conspectus.parse.registry import READERS, reader_for, reader_named, supported


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("A.PDF", "pdf"),
        ("a.b.md", "markdown"),
        ("a.markdown", "markdown"),
        ("a.txt", "text"),
        ("a.jsonl", "jsonl"),
        ("a.JSONL.gz", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.csv", "table"),
        ("a.tsv.gz", "table"),
    ],
)
def test_the_ending_chooses_the_reader(name: str, reader: str) -> None:
    """Lost otherwise: files of a kind that could be read."""
    assert supported(Path(name))
    assert reader_for(Path(name)).name == reader
    assert reader_named(reader).name == reader


def test_a_pdf_without_ending_is_a_pdf(tmp_path: Path) -> None:
    """Lost otherwise: the files of reference managers that name them by a hash."""
    path = tmp_path / "0a1b2c"
    path.write_bytes(b"%PDF-1.7\n")
    assert reader_for(path).name == "pdf"


def test_what_no_reader_knows_is_refused_with_what_they_know(tmp_path: Path) -> None:
    """Lost otherwise: what one could do instead."""
    path = tmp_path / "a.pptx"
    path.write_bytes(b"PK\x03\x04")
    assert not supported(path)
    assert not supported(tmp_path / "missing")
    with pytest.raises(InputError, match=r"'a.pptx'.*\.pdf .*\.jsonl"):
        reader_for(path)
    with pytest.raises(InputError, match="no reader 'word'"):
        reader_named("word")


def test_every_reader_says_what_the_ledger_needs() -> None:
    """Lost otherwise: that files are read anew after a reader has learnt something."""
    assert len({reader.name for reader in READERS}) == len(READERS)
    assert all(reader.version >= 1 and reader.suffixes for reader in READERS)
    suffixes = [suffix for reader in READERS for suffix in reader.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)


def test_importing_the_registry_is_cheap() -> None:
    """Lost otherwise: a second for each process that reads."""
    heavy = ["numpy", "markdown_it", "pypdfium2", "PIL", "sqlalchemy", "asyncio", "subprocess"]
    modules = "sys, conspectus.parse.worker, conspectus.parse.registry"
    code = f"import {modules}; print({{*{heavy}}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "set()\n"
