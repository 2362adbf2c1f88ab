"""Reading, embedding and writing go on beside each other, and Ctrl-C leaves no half."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from conspectus.core.errors import ServiceError
from conspectus.ingest import batch_writer
from conspectus.ingest.adder import Interruption
from conspectus.ingest.batch_writer import EmbeddingQueue
from conspectus.models.protocol import Embedding
from conspectus.records.events import Progress
from helpers import HANG, HashEmbedder, open_library, write_jsonl

posix = pytest.mark.skipif(sys.platform == "win32", reason="no process can be sent Ctrl-C alone there")


class Gate(HashEmbedder):
    """An embedder that waits until it is let on."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        self.open.wait(HANG)
        return super().embed(texts)


def texts(*words: str) -> dict[bytes, str]:
    return {word.encode(): word for word in words}


def test_things_come_in_order_with_their_embeddings() -> None:
    """Else a paper gets the vectors of another, or what a file says last is overwritten by what it said first."""
    embedder = HashEmbedder()
    with EmbeddingQueue[str](embedder) as queue:
        queue.put("a", texts("x", "y"))
        queue.put("b", {})
        queue.put("c", texts("z"))
        found = [queue.take() for _ in queue.rest()]
    assert [thing for thing, _ in found] == ["a", "b", "c"]
    assert [sorted(made) for _, made in found] == [[b"x", b"y"], [], [b"z"]]
    assert (found[2][1][b"z"].vector == embedder.embed_query("z").vector).all()


def test_reading_does_not_wait_for_embedding() -> None:
    """Else processors stand idle while the other half of the work is done."""
    gate = Gate()
    with EmbeddingQueue[int](gate) as queue:
        for number in range(5):
            queue.put(number, texts(str(number)))
            assert list(queue.ready()) == []
        gate.open.set()
        assert [queue.take()[0] for _ in queue.rest()] == [0, 1, 2, 3, 4]


def test_no_more_waits_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else memory grows with the number of papers wherever reading is faster than embedding."""
    monkeypatch.setattr(batch_writer, "MOST_TEXTS", 10)
    gate = Gate()
    with EmbeddingQueue[int](gate) as queue:
        for number in range(3):
            queue.put(number, texts(*(f"{number} {word}" for word in "abcd")))
        threading.Timer(0.2, gate.open.set).start()
        next(queue.ready())  # 12 texts wait: this one is waited for
        assert gate.open.is_set() and queue.take()[0] == 0


def test_a_failure_of_the_embedder_is_told() -> None:
    """Else papers are stored without vectors, and nobody knows."""

    class Broken(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
            raise ServiceError("no")

    with pytest.raises(ServiceError, match="no"), EmbeddingQueue[int](Broken()) as queue:
        queue.put(1, texts("x"))
        next(queue.rest())
        queue.take()


def test_what_a_text_does_to_the_embedder_is_told_when_it_is_stored() -> None:
    """Else one text that no tokenizer takes ends the run, and nobody knows whose it was."""

    class Choking(HashEmbedder):
        def embed_query(self, text: str) -> Embedding:
            if text == "mud":
                raise RuntimeError("no")
            return super().embed_query(text)

    with EmbeddingQueue[int](Choking()) as queue:
        queue.put(1, texts("mud"))
        queue.put(2, texts("eels"))
        assert [(thing, len(made)) for _ in queue.rest() for thing, made in [queue.take()]] == [(1, 0), (2, 1)]


@posix
def test_ctrl_c_waits_for_what_is_held_and_comes_after_it() -> None:
    """Else a paper is written half, or the program cannot be stopped."""
    done = []
    with pytest.raises(KeyboardInterrupt), Interruption() as interruption:
        with interruption.hold():
            os.kill(os.getpid(), signal.SIGINT)
            done.append(1)
        done.append(2)
    assert done == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@posix
def test_a_second_ctrl_c_does_not_wait() -> None:
    """Else who is in a hurry has to kill the program."""
    done = []
    with pytest.raises(KeyboardInterrupt), Interruption() as interruption, interruption.hold():
        os.kill(os.getpid(), signal.SIGINT)
        done.append(1)
        os.kill(os.getpid(), signal.SIGINT)
        done.append(2)
    assert done == [1]


def test_in_other_threads_it_does_nothing() -> None:
    """Else adding from a server's thread fails: signals belong to the main thread."""
    caught: list[BaseException] = []

    def work() -> None:
        try:
            with Interruption() as interruption, interruption.hold():
                pass
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test is to see it
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert caught == []


@posix
@pytest.mark.usefixtures("both_catalogs")
def test_an_interrupted_add_keeps_what_was_in_hand_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else minutes of embedding are lost with each Ctrl-C, or papers are there twice after the next run."""
    monkeypatch.setattr("conspectus.ingest.adder.GRACE", 600)  # a busy machine takes longer to index what is there
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(12):
        records = [
            {"id": f"{number}-{n}", "title": f"Paper {number} {n}", "abstract": "Eels climb."} for n in range(40)
        ]
        write_jsonl(folder / f"{number:02}.jsonl", records)
    heard: list[str] = []

    def tell(news: Progress) -> None:
        heard.append(news.stage)
        if heard.count("adding") == 3 and "finishing what is in hand" not in heard:
            os.kill(os.getpid(), signal.SIGINT)

    with open_library(tmp_path / "lib") as library:
        with pytest.raises(KeyboardInterrupt):
            library.add(folder, tell)
        assert "finishing what is in hand" in heard
        kept = library.counts()["papers"]
        assert kept % 40 == 0 and 120 <= kept < 480
        assert len(library.search("eels", k=200).hits) == min(kept, 200)
        assert {row.state for row in library.status().files} <= {"indexed", "queued"}
        report = library.add(folder)
        assert len(report.rows) == 12 and library.counts()["papers"] == 480
        assert all(
            finding.ok for finding in library.doctor().findings if finding.check in ("catalog", "index", "papers whole")
        )


@pytest.mark.parametrize("moment", range(1, 9))
def test_ctrl_c_just_before_something_is_held_loses_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Else a file counts as read though some of its papers were dropped, and no later `add` brings them."""
    hold, calls = Interruption.hold, iter(range(1, 1000))

    def interrupted(self: Interruption) -> AbstractContextManager[None]:
        if next(calls) == moment:
            raise KeyboardInterrupt
        return hold(self)

    monkeypatch.setattr("conspectus.ingest.adder.GRACE", 600)  # a busy machine takes longer to index what is there
    records = [{"id": f"n{n}", "title": f"Paper {n}", "abstract": "Eels climb."} for n in range(250)]
    file = write_jsonl(tmp_path / "many.jsonl", records)
    with open_library(tmp_path / "lib") as library:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Interruption, "hold", interrupted)
            library.add(file)
        library.add(file)
        assert library.counts()["papers"] == 250
