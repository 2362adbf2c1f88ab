"""`add` with the workers of a Dask cluster: programs of their own on loopback, which die, lie and differ."""

from __future__ import annotations

import io
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from conspectus import Library
from conspectus.core.errors import InputError, ServiceAwayError, SettingsError, UnavailableError
from conspectus.ingest import cluster
from conspectus.ingest.cluster import ClusterEmbedder, DaskCluster
from conspectus.ingest.cluster_tasks import TextReply
from conspectus.models import registry
from conspectus.parse.process.pool import ReadingJob
from dask_cluster import MACHINE, VERSION, WITHOUT, DaskServer, dask_server, wait_for_workers
from grobid_server import address_of_nobody
from helpers import DIMENSIONS, HANG, HashEmbedder, markdown, open_library, write

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow
WITH_HASH = """
from conspectus.cli import main
from conspectus.models import registry
registry.BUILT_IN_EMBEDDERS["hash"] = "dask_cluster:make_hash"
main()
"""
"""The program, with an embedder that is loaded in a moment."""
ANIMALS = ("Cats", "Dogs", "Owls", "Bats", "Frogs")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskServer]:
    with dask_server(tmp_path_factory.mktemp("dask"), 2) as running:
        yield running


@pytest.fixture
def papers(tmp_path: Path, examples: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ANIMALS:
        write(folder / f"{name}.md", markdown(name, f"{name} sleep in trees.", f"{name} are awake at night."))
    (folder / "a.pdf").write_bytes((examples / "papers" / "action-potential.pdf").read_bytes())
    write(folder / "records.jsonl", '{"id": "x", "title": "Birds", "abstract": "Birds sing at dawn."}\n')
    return folder


def ids(library: Library) -> dict[str, list[str]]:
    return {
        paper.id: [span.id for passage in library.passages(paper.id) for span in passage.spans]
        for paper in library.papers()
    }


def scores(library: Library) -> list[tuple[str, float]]:
    return [(hit.paper.title, hit.score) for hit in library.search("which animals are awake at night").hits]


def machines(library: Library) -> dict[str, str]:
    return {Path(row.path).name: row.machine for row in library.status().files}


def paper(folder: Path, name: str) -> Path:
    return write(folder / f"{name}.md", markdown(f"About {name}", f"The {name} is rare."))


def test_the_library_is_the_same_as_without_the_cluster(server: DaskServer, papers: Path, tmp_path: Path) -> None:
    """Where a paper was read would decide by which ids it is cited; and nobody would know which machine read it."""
    with open_library(tmp_path / "here") as here, open_library(tmp_path / "l", parse__cluster=server.address) as there:
        assert len(here.add(papers).added) == len(there.add(papers).added) == 7
        assert ids(here) == ids(there)
        assert set(machines(here).values()) == {""}
        assert machines(there).pop("records.jsonl") == "" and machines(there)["a.pdf"] == MACHINE
        assert len(there.add(papers).unchanged) == 7
        assert scores(there) == scores(here)


def test_workers_embed_the_same_vectors(
    server: DaskServer, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster would read in a minute what this machine then embeds for an hour."""
    monkeypatch.setitem(registry.BUILT_IN_EMBEDDERS, "hash", "dask_cluster:make_hash")
    settings = {"models.embedder": "hash", "parse.cluster": server.address}
    with open_library(tmp_path / "other", HashEmbedder("other/1")) as other, open_library(tmp_path / "here") as here:
        here.add(papers)
        other.add(papers)
    for name in ("new", "other"):
        with Library(tmp_path / name, settings) as there, open_library(tmp_path / "here") as here:
            assert there.add(papers).added if name == "new" else there.reindex().embedded
            assert there.session.embedder.embedded == []  # type: ignore[attr-defined]
            assert scores(there) == scores(here)


def test_what_workers_do_not_see_is_sent(server: DaskServer, papers: Path, tmp_path: Path) -> None:
    """A cluster without a shared disk could read nothing."""
    names = [paper(papers, f"far-{number}").stem for number in range(3)]
    with open_library(tmp_path / "l", parse__cluster=server.address) as there:
        assert len(there.add(papers).added) == 10
        assert all(machines(there)[f"{name}.md"] == MACHINE for name in names)


def test_a_file_of_which_workers_die_costs_itself(server: DaskServer, papers: Path, tmp_path: Path) -> None:
    """One worker that is switched off would cost what it had in hand, or one file all workers of the group."""
    for name in ("poison", "once"):
        paper(papers, name)
    with open_library(tmp_path / "l", parse__cluster=server.address) as there:
        report = there.add(papers)
        assert [Path(row.path).name for row in report.failed] == ["poison.md"]
        assert "workers to which it was given died" in report.failed[0].reason
        assert len(report.added) == 8 and len(list(there.papers())) == 8
    wait_for_workers(server.address, 2)


def test_nonsense_costs_its_file(server: DaskServer, papers: Path, tmp_path: Path) -> None:
    """What took over a worker by a hostile file would take over the library's machine next."""
    paper(papers, "liar")
    with open_library(tmp_path / "l", parse__cluster=server.address) as there:
        report = there.add(papers)
    assert [Path(row.path).name for row in report.failed] == ["liar.md"] and len(report.added) == 7


class SayingCluster:
    """Workers that reply to every order with the same."""

    def __init__(self, reply: bytes) -> None:
        self._reply = reply

    slots = 1

    def begin(self, function: object, order: bytes) -> object:
        return lambda: self._reply

    def refuse(self, machine: str, refusal: str) -> None:
        assert not refusal


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode(TextReply("m", b"123", (None,))),
        msgspec.msgpack.encode(TextReply("m", bytes(4 * DIMENSIONS), ((b"\xff\xff\xff\xff", b"1"),))),
        msgspec.msgpack.encode(TextReply("m", bytes(4 * DIMENSIONS), ((b"\0\0\0\0\1\0\0\0", b"1"),))),
    ],
)
def test_vectors_that_cannot_be_are_refused(reply: bytes) -> None:
    """A word's place outside its text would crash every later search."""
    embedder = ClusterEmbedder(SayingCluster(reply), HashEmbedder(), "hash")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="makes no sense"):
        list(embedder.embed(["a"]))


def test_reports_end_once() -> None:
    """A worker that never says that it is done would leave a file half read for ever, or end it twice."""
    job = ReadingJob("a.md", "markdown")
    from conspectus.ingest.cluster_tasks import FileReply
    from conspectus.parse.process.wire import Report

    open_end = list(cluster._batches(job, FileReply("m\n" * 90, (Report(),))))
    assert [batch.done for batch in open_end] == [False, True] and open_end[-1].error
    assert len(open_end[0].machine) <= 64 and "\n" not in open_end[0].machine
    twice = list(cluster._batches(job, FileReply("m", (Report(done=True), Report(done=True)))))
    assert [batch.done for batch in twice] == [True]


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (VERSION, "has Conspectus 9.9, and this is"),
        pytest.param(WITHOUT, "cannot run Conspectus: .*conspectus", marks=pytest.mark.again),  # another cluster
    ],
)
def test_another_version_on_a_worker_is_told(variable: str, said: str, papers: Path, tmp_path: Path) -> None:
    """Two versions would read two parts of one library, and nobody could tell which read what."""
    with (
        dask_server(tmp_path, 1, **{variable: "9.9"}) as server,
        open_library(tmp_path / "l", parse__cluster=server.address) as there,
    ):
        with pytest.raises(UnavailableError, match=rf"worker tcp://127\.0\.0\.1:\d+ .*{said}"):
            there.add(papers)
        assert not there.status().files


def test_without_workers_or_scheduler_it_says_what_to_start(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user would wait without end, and see a traceback of somebody else's program."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    idle = pytest.raises(UnavailableError, match=r"has no workers.*dask worker tcp://")
    with dask_server(tmp_path) as server, idle:
        DaskCluster(server.address)
    nobody = address_of_nobody().replace("http", "tcp")
    silent = pytest.raises(ServiceAwayError, match=r"No Dask scheduler answers at tcp:.*`dask scheduler`")
    with open_library(tmp_path / "l", parse__cluster=nobody) as there, silent:
        there.add(papers)
    with pytest.raises(SettingsError, match="like tcp://HOST:8786"):
        DaskCluster("nowhere://x")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnavailableError, match=r"pip install 'conspectus\[cluster\]'"):
        DaskCluster(nobody)


@pytest.mark.parametrize(
    ("program", "said"), [(0, "is gone"), pytest.param(1, "has had no workers for a while", marks=pytest.mark.again)]
)
def test_a_cluster_that_dies_ends_the_run_and_loses_nothing(
    program: int, said: str, papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run would hang, or what was read so far would be gone."""
    monkeypatch.setattr(cluster, "NO_WORKER_SECONDS", 1.0)
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 2.0)
    paper(papers, "slow")
    with dask_server(tmp_path, 2) as server, open_library(tmp_path / "l", parse__cluster=server.address) as there:
        job = there.begin(there.add, papers)
        until_papers(there, 1)
        server.kill(program)
        with pytest.raises(ServiceAwayError, match=f"{said}.*What was added is kept"):
            job.result(HANG)
        kept = ids(there)
        assert kept
    with open_library(tmp_path / "l") as here:
        here.add(papers)
        assert len(ids(here)) == 8 and kept.items() <= ids(here).items()


def until_papers(library: Library, count: int) -> None:
    end = time.monotonic() + HANG
    while library.counts()["papers"] < count:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_nothing_is_printed_by_the_thread_that_speaks_with_the_cluster(server: DaskServer) -> None:
    """A callback that Ctrl-C comes upon would print a traceback into the middle of what `add` says."""
    printed = io.StringIO()
    handler = logging.StreamHandler(printed)
    logger = logging.getLogger("tornado.application")
    connected = DaskCluster(server.address)
    logger.addHandler(handler)
    try:
        connected._client.loop.add_callback(lambda: int("no number"))
        assert connected._client.nthreads()  # asked after it, of the same thread
    finally:
        logger.removeHandler(handler)
        connected.close()
    assert not printed.getvalue()


def test_ctrl_c_cancels_what_waits_on_the_cluster(server: DaskServer, papers: Path, tmp_path: Path) -> None:
    """The group's machines would go on with what nobody waits for, and others would wait behind it."""
    from distributed import Client

    for number in range(9):
        paper(papers, f"slow-{number}")
    command = [sys.executable, "-c", WITH_HASH, "--library", str(tmp_path / "lib"), "add", str(papers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CONSPECTUS_MODELS_EMBEDDER": "hash"}
    process = subprocess.Popen([*command, "--cluster", server.address], env=environment, stderr=subprocess.PIPE)
    try:
        with Client(server.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            end = time.monotonic() + HANG
            while not any("read_file" in key for keys in client.processing().values() for key in keys):
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            (tmp_path / "hurry").touch()
            _, said = process.communicate(timeout=HANG)
            assert process.returncode == 130 and b"Traceback" not in said
            assert not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    finally:
        process.kill()
        process.communicate()
