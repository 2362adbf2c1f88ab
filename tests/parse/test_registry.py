"""Which reader reads which file."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from conspectus.core.errors import InputError
from conspectus.parse.protocol import Reader
from conspectus.parse.registry import get_reader, reader_for, readers, supported
from conspectus.testing.readers import ReaderConformance


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
        ("a.BIB", "bibtex"),
        ("a.ris", "ris"),
        ("a.nbib", "medline"),
        ("a.atom", "atom"),
    ],
)
def test_the_ending_chooses_the_reader(name: str, reader: str) -> None:
    """Lost otherwise: files of a kind that could be read."""
    assert supported(Path(name))
    assert reader_for(Path(name)).name == reader
    assert get_reader(reader).name == reader


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
        get_reader("word")


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("a.xml", "<article/>", "jats"),
        ("a.nxml", "<!DOCTYPE article PUBLIC 'x' 'y.dtd'>\n<article xml:lang='en'>", "jats"),
        ("a.XML", "<?xml version='1.0'?><!-- a > b --><pmc-articleset><article>", "jats-set"),
        ("a.tei.xml", "\ufeff<?xml version='1.0'?>\n<TEI xmlns='http://www.tei-c.org/ns/1.0'>", "tei"),
        ("a.tei", "<tei:TEI xmlns:tei='http://www.tei-c.org/ns/1.0'>", "tei"),
        ("a.xml", "<!DOCTYPE article [<!ENTITY a '>'> ]><article>", "jats"),
        ("a.xml.gz", "<article/>", "jats"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_first_element_chooses_among_xml(tmp_path: Path, name: str, text: str, reader: str, encoding: str) -> None:
    """Lost otherwise: articles, for all of XML has the same ending."""
    path = tmp_path / name
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert supported(path) and reader_for(path).name == reader


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", "its first element is <svg>"),
        ("", "is not XML"),
        ("<!DOCTYPE", "is not XML"),
        ("<!-- without end", "is not XML"),
        ("article", "is not XML"),
    ],
)
def test_xml_of_other_kinds_is_passed_over_and_named(tmp_path: Path, text: str, words: str) -> None:
    """Lost otherwise: why a file was not read; in a folder, configuration files must not count as failures."""
    path = tmp_path / "a.xml"
    path.write_text(text, "utf-8")
    assert not supported(path)
    with pytest.raises(InputError, match=words):
        reader_for(path)
    (tmp_path / "b.xml.gz").write_bytes(b"no gzip")
    assert not supported(tmp_path / "b.xml.gz") and not supported(tmp_path / "missing.xml")


def test_every_reader_says_what_the_ledger_needs() -> None:
    """Lost otherwise: that files are read anew after a reader has learnt something."""
    assert len({reader.name for reader in readers()}) == len(readers())
    assert all(reader.version >= 1 and reader.suffixes for reader in readers())
    suffixes = [suffix for reader in readers() for suffix in reader.suffixes]
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in suffixes)
    for suffix in set(suffixes):
        sharing = [reader for reader in readers() if suffix in reader.suffixes]
        assert all(hasattr(reader, "accepts") for reader in sharing[:-1]), "only the last may take what is left"


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("a.txt", "TY  - JOUR\nTI  - T\nER  - \n", "ris"),
        ("a.txt", "\nPMID- 123\nTI  - T\n", "medline"),
        ("a.txt", "PMIDs are numbers.", "text"),
        ("a.json", '[{"title": "T"}]', "json"),
        ("a.json", '{"meta": {"count": 1}, "results": [{"id": "W1", "doi": null}]}', "json"),
        ("a.json", '[null, {"paperId": "1"}]', "json"),
        ("a.json", '{"name": "left-pad", "version": "1.0.0"}', ""),
        ("a.xml", '<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//N" "u">\n<PubmedArticleSet>', "pubmed"),
        ("a.xml", '<feed xmlns="http://www.w3.org/2005/Atom">', "atom"),
        ("a.xml", '<?xml version="1.0" encoding="UTF-8" ?><xml><records><record>', "endnote"),
        ("a.xml", "<note>hello</note>", ""),
    ],
)
def test_what_an_ending_does_not_tell_the_first_bytes_do(tmp_path: Path, name: str, text: str, reader: str) -> None:
    """Lost otherwise: a bibliography read as one text, or every settings file of a folder reported as broken."""
    path = tmp_path / name
    path.write_text(text)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for found in [path] if name.endswith(".txt") else [path, packed]:
        assert supported(found) == bool(reader)
        if reader:
            assert reader_for(found).name == reader


def test_many_comments_before_the_first_element_take_no_long_time(tmp_path: Path) -> None:
    """Lost otherwise: hours, to an XML file of some hundred bytes that begins with twenty comments."""
    path = tmp_path / "a.xml"
    for comment in ("<!---->", "<!-- a -->\n", "<?xml ?>", "<!--"):
        path.write_text('<?xml version="1.0"?>\n' + comment * 3000 + "<note/>")
        assert not supported(path)
    path.write_text('<?xml version="1.0"?>\n' + "<!-- a -->\n" * 3000 + "<PubmedArticleSet>")
    assert reader_for(path).name == "pubmed"


def test_importing_the_registry_is_cheap() -> None:
    """Lost otherwise: a second for each process that reads."""
    heavy = ["lxml", "httpx2", "numpy", "markdown_it", "pypdfium2", "PIL", "sqlalchemy", "asyncio", "subprocess"]
    modules = "sys, conspectus.parse.process.worker, conspectus.parse.registry"
    code = f"import {modules}; print({{*{heavy}}} & {{*sys.modules}})"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "set()\n"


class _Sampled(ReaderConformance):
    """A reader of our own, held against the suite that others get."""

    text = "# On replay\n\nIt replays. It does so in sleep.\n\n## Why\n\nNobody knows.\n"

    @pytest.fixture
    def sample(self, tmp_path: Path, reader: Reader) -> Path:
        path = tmp_path / f"one{reader.suffixes[0]}"
        path.write_text(self.text)
        return path


class TestMarkdown(_Sampled):
    @pytest.fixture
    def reader(self) -> Reader:
        return get_reader("markdown")


class TestRecords(_Sampled):
    text = '{"title": "On replay", "abstract": "It replays. It does so in sleep."}\n{"title": "Another"}\n'

    @pytest.fixture
    def reader(self) -> Reader:
        return get_reader("jsonl")
