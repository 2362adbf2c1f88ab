"""A Dask scheduler and workers on loopback, as programs of their own; and what workers in tests do otherwise.

As the preload of a worker it goes by the names of files: `far…` is not seen by workers, `poison…` ends the worker,
`once…` ends the first that reads it, `slow…` takes long (while no file `hurry` is next to its folder), `liar…` is
answered with nonsense.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HOST, MACHINE = "127.0.0.1", "elsewhere"
VERSION, WITHOUT = "DASK_TEST_VERSION", "DASK_TEST_WITHOUT"
"""Variables of a worker: another version of Conspectus; none at all."""
_TESTS = Path(__file__).parent


class DaskServer:
    """A scheduler, and the workers that were started for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def start(self) -> None:
        """Start the scheduler; each task gets a second worker and no third."""
        places = self._folder / "scheduler.json"
        self._run("scheduler", "--port", "0", "--scheduler-file", str(places))
        while not self.address:
            time.sleep(0.05)
            with suppress(OSError, ValueError):  # it is being written
                self.address = json.loads(places.read_text())["address"]

    def add_workers(self, count: int, *options: str, **environment: str) -> None:
        """Start workers of one thread, which begin again when they die."""
        self._run(
            *("worker", self.address, "--nworkers", str(count), "--nthreads", "1", "--preload", __file__, *options),
            **environment,
        )

    def close(self) -> None:
        """End all."""
        for program in reversed(self._programs):
            program.terminate()
        for program in reversed(self._programs):
            with suppress(subprocess.TimeoutExpired):
                program.wait(10)
            program.kill()
            program.wait()

    def kill(self, number: int) -> None:
        """End the scheduler (0), or workers (1, 2, … as they were added), which do not begin again."""
        self._programs[number].terminate()
        self._programs[number].wait()

    def _run(self, kind: str, *options: str, **environment: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", HOST, "--no-dashboard", *options]
        known = {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            "DASK_TEMPORARY_DIRECTORY": str(self._folder),
            "PYTHONPATH": os.pathsep.join([str(_TESTS.parent / "src"), str(_TESTS)]),
        }
        with (self._folder / "log").open("ab") as log:
            self._programs.append(
                subprocess.Popen(command, env=os.environ | known | environment, stdout=log, stderr=log)
            )


@contextmanager
def dask_server(folder: Path, workers: int = 0, **environment: str) -> Iterator[DaskServer]:
    """A cluster that has its workers."""
    server = DaskServer(folder)
    try:
        server.start()
        if workers:
            server.add_workers(workers, **environment)
            wait_for_workers(server.address, workers)
        yield server
    finally:
        server.close()


def wait_for_workers(address: str, count: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(count, timeout=60)


def dask_setup(worker: object) -> None:
    """What Dask calls in each worker that has this as its preload."""
    if os.environ.get(WITHOUT):
        sys.modules["conspectus"] = None  # type: ignore[assignment]
        return
    from conspectus.core import version

    version.__version__ = os.environ.get(VERSION, version.__version__)
    import socket

    from conspectus.ingest import cluster_tasks
    from conspectus.models import registry

    socket.gethostname = lambda: MACHINE
    registry.BUILT_IN_EMBEDDERS["hash"] = "dask_cluster:make_hash"
    is_same, read, bounded = cluster_tasks._is_same, cluster_tasks._read, cluster_tasks._bounded

    def read_oddly(path: Path, order: cluster_tasks.FileOrder) -> tuple[cluster_tasks.Report, ...]:
        if path.name.startswith("poison") or (path.name.startswith("once") and _is_first(path)):
            os._exit(1)
        if path.name.startswith("slow"):
            end = time.monotonic() + 20
            while time.monotonic() < end and not (path.parents[1] / "hurry").exists():
                time.sleep(0.05)
        return read(path, order)

    cluster_tasks._is_same = lambda path, order: not path.name.startswith("far") and is_same(path, order)
    cluster_tasks._read = read_oddly
    cluster_tasks._bounded = lambda reply, name: b"\xc1" if name.startswith("liar") else bounded(reply, name)


def _is_first(path: Path) -> bool:
    with suppress(FileExistsError):
        (path.parent / f".{path.name}-begun").touch(exist_ok=False)
        return True
    return False


def make_hash(settings: object) -> object:
    """The embedder `hash`, for tests and their workers."""
    from helpers import HashEmbedder

    return HashEmbedder()
