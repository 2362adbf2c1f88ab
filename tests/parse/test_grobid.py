"""The GROBID client, against a server that answers as GROBID does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from conspectus.core.errors import EmptyTextError, InputError, LimitError, ServiceAwayError, ServiceError, SettingsError
from conspectus.parse.files import grobid
from conspectus.parse.files.grobid import Grobid
from conspectus.parse.registry import GrobidReader, get_reader
from conspectus.records import ParsedPaper
from grobid_server import GrobidServer, address_of_nobody, grobid_server
from helpers import HANG
from xml_samples import assert_sound


@pytest.fixture
def server() -> Iterator[GrobidServer]:
    with grobid_server() as known:
        yield known


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "cats.pdf"
    path.write_bytes(b"%PDF-1.7 these bytes are for the server")
    return path


def client(server: GrobidServer, waits: list[float] | None = None, **options: float) -> Grobid:
    return Grobid(server.url, **options, sleep=(waits if waits is not None else []).append)


def test_a_pdf_becomes_a_paper_with_places(server: GrobidServer, pdf: Path) -> None:
    """Lost otherwise: the whole of it."""
    paper = client(server).read(pdf)
    assert_sound(paper)
    assert (paper.metadata.title, paper.pages) == ("Why cats purr", 2)
    assert any(sentence.places for block in paper.blocks for sentence in block.sentences)
    (form,) = server.asked
    assert form.pop("input") == ["%PDF-1.7 these bytes are for the server"]
    assert set(form.pop("teiCoordinates")) >= {"s", "figure", "biblStruct", "formula", "head", "p", "ref"}
    assert form == {
        "consolidateHeader": ["0"],  # the server must not ask others about the user's papers
        "consolidateCitations": ["0"],
        "includeRawCitations": ["1"],
        "includeRawAffiliations": ["1"],
        "segmentSentences": ["1"],
    }


def test_the_reader_reads_by_its_order(server: GrobidServer, pdf: Path) -> None:
    """Lost otherwise: the server's address, on its way to the process that asks it."""
    reader = GrobidReader(server.url + "/", 5.0, 1.0)
    assert get_reader(reader.order) == reader
    (paper,) = get_reader(reader.order).read(pdf)
    assert isinstance(paper, ParsedPaper) and paper.metadata.title == "Why cats purr"


def test_a_busy_server_is_waited_for(server: GrobidServer, pdf: Path) -> None:
    """Lost otherwise: most files of a folder, for GROBID takes only so many at a time."""
    waits: list[float] = []
    server.say(503)
    server.say(503, "", Retry_After="7")
    server.say(429, "", Retry_After=format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True))
    server.say(503, "", Retry_After="soon")
    assert client(server, waits).read(pdf).metadata.title == "Why cats purr"
    assert waits[:2] == [1.0, 7.0] and 15 < waits[2] <= 20 and waits[3:] == [8.0]


def test_patience_ends(server: GrobidServer, pdf: Path) -> None:
    """Lost otherwise: the run, to a server that is busy for ever; but the file may be tried again."""
    waits: list[float] = []
    for _ in range(50):
        server.say(503)
    with pytest.raises(ServiceAwayError, match="busy") as caught:
        client(server, waits, patience=40.0).read(pdf)
    assert caught.value.retry and sum(waits) <= 40.0 and len(waits) == 5


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (
            500,
            "[BAD_INPUT_DATA] PDF to XML conversion failed",
            InputError,
            "'cats.pdf': HTTP 500, '.BAD_INPUT_DATA. PDF",
        ),
        (400, "no file", InputError, "HTTP 400, 'no file'"),
        (500, "x" * 5000, InputError, "x{300}'"),
        (204, "", EmptyTextError, "found no text in 'cats.pdf'"),
        (200, "", EmptyTextError, "found no text in 'cats.pdf'"),
        (200, "<TEI/>", EmptyTextError, "found no text in 'cats.pdf'"),
        (200, "<html>Welcome to nginx", InputError, "answer cannot be read: 'cats.pdf' is not well-formed"),
        (200, "<html/>", InputError, "answer cannot be read: 'cats.pdf' is XML, but not in TEI"),
        (200, b"\x00\xff", InputError, "answer cannot be read"),
        (404, "", ServiceError, "refused: HTTP 404"),
        (302, "", ServiceError, "refused: HTTP 302"),
        (502, "", ServiceAwayError, "did not answer"),
    ],
)
def test_what_the_server_says_is_told(
    server: GrobidServer, pdf: Path, status: int, body: str | bytes, kind: type[Exception], words: str
) -> None:
    """Lost otherwise: why a file failed, and whether trying again can help."""
    waits: list[float] = []
    server.say(status, body)
    with pytest.raises(kind, match=words) as caught:
        client(server, waits).read(pdf)
    assert type(caught.value) is kind and not waits
    assert getattr(caught.value, "retry") is (kind is ServiceAwayError)  # noqa: B009 - of an Exception


def test_a_slow_server_is_given_up(server: GrobidServer, pdf: Path) -> None:
    """Lost otherwise: the run, to one file that the server never finishes."""
    server.delay = HANG
    with pytest.raises(ServiceAwayError, match=r"did not answer on 'cats.pdf'"):
        client(server, seconds=0.2).read(pdf)
    assert server.now == 1, "it is at it still"


def test_an_answer_without_end_is_cut(server: GrobidServer, pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: all memory."""
    monkeypatch.setattr(grobid, "MAX_ANSWER", 1000)
    with pytest.raises(LimitError, match=r"'cats\.pdf'"):
        client(server).read(pdf)


def test_nobody_there(pdf: Path) -> None:
    """Lost otherwise: that this is no fault of the file."""
    nobody = Grobid(address_of_nobody().replace("http://", "http://user:secret@"), sleep=lambda _: None)
    assert not nobody.alive()
    with pytest.raises(ServiceAwayError) as caught:
        nobody.read(pdf)
    assert "secret" not in str(caught.value)
    assert not Grobid("http://192.0.2.1:8070".replace("192.0.2.1", "127.0.0.1:1/x")).alive()


def test_it_waits_until_the_server_is_there(server: GrobidServer) -> None:
    """Lost otherwise: a run that was started together with its server."""
    waits: list[float] = []
    server.alive = False

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        server.alive = len(waits) == 3

    assert Grobid(server.url, sleep=sleep).wait()
    assert waits == [1.0, 2.0, 4.0]
    server.alive, waits[:] = False, []
    assert not Grobid(server.url, patience=10.0, sleep=waits.append).wait()
    assert waits == [1.0, 2.0, 4.0, 3.0]


@pytest.mark.parametrize("url", ["localhost:8070", "ftp://x", "http://x:port", "http://"])
def test_what_is_no_address_is_a_wrong_setting(url: str) -> None:
    """Lost otherwise: a slip of the keyboard, told as a server that is away."""
    with pytest.raises(SettingsError, match=r"parse\.grobid_url") as caught:
        Grobid(url).alive()
    assert ".." not in caught.value.message


def test_a_file_that_vanished(server: GrobidServer, tmp_path: Path) -> None:
    """Lost otherwise: which file it was."""
    with pytest.raises(InputError, match=r"'gone\.pdf' cannot be opened"):
        client(server).read(tmp_path / "gone.pdf")
