"""`add` with a GROBID server: which files it gets, and what becomes of them when it is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import SettingsError
from conspectus.parse.files import grobid
from grobid_server import GrobidServer, address_of_nobody, grobid_server
from helpers import markdown, open_library, write
from xml_samples import TEI

PDF = "action-potential.pdf"


@pytest.fixture
def server() -> Iterator[GrobidServer]:
    with grobid_server() as known:
        yield known


@pytest.fixture
def papers(tmp_path: Path, examples: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.pdf").write_bytes((examples / "papers" / PDF).read_bytes())
    write(folder / "notes.md", markdown("Notes", "Dogs bark when they hear a stranger come."))
    return folder


def library(tmp_path: Path, url: str, away: str = "fail", **settings: object) -> Library:
    flags = {"parse__grobid_url": url, "parse__grobid_away": away, "parse__timeout": 20.0, "parse__grobid_wait": 3.0}
    return open_library(tmp_path / "lib", **{**flags, **settings})


def readers(opened: Library) -> dict[str, str]:
    return {Path(row.path).name: row.reader.split(".")[0] for row in opened.status().files}


def titles(opened: Library) -> list[str]:
    return sorted(paper.title for paper in opened.papers())


def test_pdfs_go_to_the_server_and_other_files_do_not(server: GrobidServer, papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: that the setting does what it says; and papers would be sent that need not be."""
    with library(tmp_path, server.url) as opened:
        report = opened.add(papers)
        assert len(report.added) == 2 and not report.failed
        assert titles(opened) == ["Notes", "Why cats purr"]
        assert readers(opened) == {"a.pdf": "grobid/2", "notes.md": "markdown/6"}
        assert len(server.asked) == 1
        assert len(opened.add(papers).unchanged) == 2 and len(server.asked) == 1
        paper = next(paper for paper in opened.papers() if paper.title.startswith("Why"))
        assert any(span.places for passage in opened.passages(paper.id) for span in passage.spans)


def test_another_setting_reads_anew(server: GrobidServer, papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: the better reading, for files that were added before the server was set up."""
    with library(tmp_path, "") as opened:
        opened.add(papers)
        assert readers(opened)["a.pdf"].startswith("pdf/") and not server.asked
        title = [title for title in titles(opened) if title != "Notes"]
    with library(tmp_path, server.url) as opened:
        report = opened.add(papers)
        assert [Path(row.path).name for row in report.updated] == ["a.pdf"] and len(report.unchanged) == 1
        assert titles(opened) == ["Notes", "Why cats purr"]
    with library(tmp_path, "") as opened:
        assert len(opened.add(papers).updated) == 1
        assert titles(opened) == sorted(["Notes", *title])


def test_what_the_server_cannot_read_fails_with_its_words(server: GrobidServer, papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: the difference between a bad file and a server that is away."""
    server.say(500, "[NO_BLOCKS] PDF parsing resulted in empty content")
    with library(tmp_path, server.url, "embedded") as opened:
        (failed,) = opened.add(papers).failed
        assert "[NO_BLOCKS]" in failed.reason and not failed.retry
        assert titles(opened) == ["Notes"]


def test_fail(papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: that nothing was read by a reader that was not asked for; and trying again helps."""
    with library(tmp_path, address_of_nobody()) as opened:
        (failed,) = opened.add(papers).failed
        assert failed.retry and "did not answer" in failed.reason
        assert titles(opened) == ["Notes"]
    with grobid_server() as server, library(tmp_path, server.url) as opened:
        assert [Path(row.path).name for row in opened.add(papers).added] == ["a.pdf"]


def test_embedded(papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: that a substitute is told, and is replaced when the server is back."""
    with library(tmp_path, address_of_nobody(), "embedded") as opened:
        report = opened.add(papers)
        assert len(report.added) == 2 and not report.failed
        (row,) = [row for row in report.added if row.path.endswith(".pdf")]
        assert "did not answer; this file was read by the embedded reader." in row.notes[0]
        assert readers(opened)["a.pdf"].startswith("pdf/")
    with grobid_server() as server, library(tmp_path, server.url, "embedded") as opened:
        assert len(opened.add(papers).updated) == 1
        assert titles(opened) == ["Notes", "Why cats purr"]


def test_wait(server: GrobidServer, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: a night's run, to a server that is restarted in the midst of it."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        server.alive = len(waits) > 1

    monkeypatch.setattr(grobid.Grobid, "__init__", _with_sleep(sleep))
    server.alive = False
    with library(tmp_path, server.url, "wait") as opened:
        assert len(opened.add(papers).added) == 2
        assert waits == [1.0, 2.0]
        assert titles(opened) == ["Notes", "Why cats purr"]


def test_wait_has_an_end(papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: the run itself."""
    waits: list[float] = []
    monkeypatch.setattr(grobid.Grobid, "__init__", _with_sleep(waits.append))
    with library(tmp_path, address_of_nobody(), "wait") as opened:
        (failed,) = opened.add(papers).failed
        assert failed.retry and waits == [1.0, 2.0]


def _with_sleep(sleep: object) -> object:
    def made(self: grobid.Grobid, url: str, seconds: float, patience: float) -> None:
        for name, value in {"url": url, "seconds": seconds, "patience": patience, "sleep": sleep}.items():
            object.__setattr__(self, name, value)

    return made


@pytest.mark.parametrize("away", ["fail", "embedded"])
def test_gone_in_the_midst(
    server: GrobidServer, papers: Path, tmp_path: Path, away: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lost otherwise: hours, if each of a thousand files asks again a server that is gone; what was read stays."""
    pdf = (papers / "a.pdf").read_bytes()
    for name in "bcdefg":
        (papers / f"{name}.pdf").write_bytes(pdf + f"\n% {name}".encode())
    server.say(200, TEI.replace("Why cats purr", "First").replace("10.1000/CATS.7", "10.1000/first"))
    server.say(502)
    monkeypatch.setattr(grobid.Grobid, "alive", lambda _: len(server.asked) < 2)
    with library(tmp_path, server.url, away) as opened:
        report = opened.add(papers)
        assert not server.answers and len(server.asked) <= 4  # those under way when it went
        assert "First" in titles(opened)
        if away == "fail":
            assert len(report.failed) >= 4 and all(row.retry for row in report.failed)
        else:
            assert not report.failed and len(report.added) + len(report.duplicates) == 8


def test_no_more_at_once_than_workers(server: GrobidServer, papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: the server, to a library of thousands."""
    pdf = (papers / "a.pdf").read_bytes()
    for name in "bcdefg":
        (papers / f"{name}.pdf").write_bytes(pdf + f"\n% {name}".encode())
    server.delay = 0.1
    with library(tmp_path, server.url, parse__workers=2) as opened:
        assert not opened.add(papers).failed
    assert len(server.asked) == 7 and server.most == 2


def test_a_wrong_address_is_told_at_once(papers: Path, tmp_path: Path) -> None:
    """Lost otherwise: a slip of the keyboard, told once for each file."""
    with pytest.raises(SettingsError, match=r"parse\.grobid_url"), library(tmp_path, "localhost:8070") as opened:
        opened.add(papers)
