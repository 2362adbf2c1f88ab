"""Where `faults.py` runs the program: in a fork with all imported, in libraries that are made ready once."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from helpers import HashEmbedder, InlinePool
from postgres_server import PASSWORD, USER, Server

SECONDS = 90
"""After so long a command counts as hung."""


class World:
    """A place for libraries: a folder, and where there is a server, a database for each of them."""

    def __init__(self, home: Path, server: Server | None) -> None:
        self.home, self._server = home, server
        self.trial = home / "trial"
        self.out = home / "said"

    @property
    def library(self) -> Path:
        """The folder of the trial's library."""
        return self.trial / "library"

    def use(self, database: str) -> None:
        """Let the program's catalog be in this database, where there is a server."""
        if self._server:
            os.environ["CONSPECTUS_CATALOG_URL"] = self._server.url(database)

    def database(self, name: str, template: str = "template0") -> None:
        """Make a database anew."""
        if self._server:
            import psycopg

            place: dict[str, Any] = {"host": "127.0.0.1", "port": self._server.port, "dbname": "template1"}
            with psycopg.connect(**place, user=USER, password=PASSWORD, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
                connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())

    def keep(self, name: str) -> None:
        """Let the trial's library as it is now be a beginning for others."""
        shutil.copytree(self.trial, self.home / name)
        self.database(f"b_{name}", "trial")

    def fresh(self, name: str) -> None:
        """Let the trial's library be as it was kept under this name; "": there is none."""
        shutil.rmtree(self.trial, ignore_errors=True)
        if name:
            shutil.copytree(self.home / name, self.trial, symlinks=True)
        else:
            self.library.mkdir(parents=True)
        self.database("trial", f"b_{name}" if name else "template0")
        self.use("trial")


def run_forked(act: Callable[[], int], out: Path) -> tuple[int, str, str]:
    """Run something in a fork, its output in files; exit code (negative: the signal that ended it) and output."""
    pid = os.fork()
    if not pid:
        signal.alarm(SECONDS)
        for stream, number in (("out", 1), ("err", 2)):
            os.dup2(os.open(f"{out}.{stream}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        code = 99
        try:
            code = act()
        except BaseException:  # noqa: BLE001 - it is what is looked for
            traceback.print_exc()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    said = [Path(f"{out}.{stream}").read_text("utf-8", "replace") for stream in ("out", "err")]
    return status, said[0], said[1]


def program(library: Path, *words: str) -> int:
    """The program, in this process."""
    from conspectus.cli.app import app

    return app.run(["--library", str(library), "--quiet", "--json", *words])


def run_program(library: Path, *words: str) -> tuple[int, str, str]:
    """The program, in this process; what it said."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        contextlib.redirect_stdout(io.TextIOWrapper(out, "utf-8", write_through=True)) as first,
        contextlib.redirect_stderr(io.TextIOWrapper(err, "utf-8", write_through=True)) as second,
    ):
        code = program(library, *words)
    said = out.getvalue().decode(), err.getvalue().decode()
    first.detach()
    second.detach()
    return code, *said


def free_pages(folder: Path) -> int:
    """Pages of 4 kB that are free on a disk."""
    return shutil.disk_usage(folder).free // 4096


@contextlib.contextmanager
def fill_disk(folder: Path, left: int) -> Iterator[None]:
    """Within, the disk of a folder has so many pages left."""
    ballast = folder.parent / "ballast"
    with ballast.open("wb") as file:
        file.write(bytes(4096 * (free_pages(folder) - left)))
    try:
        yield
    finally:
        ballast.unlink()


@contextlib.contextmanager
def small_disk(world: World) -> Iterator[None]:
    """Within, trials lie on a disk in memory, which only the superuser may make."""
    place = world.home / "disk"
    place.mkdir(exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(place)], check=False)
    if done.returncode:
        sys.exit("A small disk in memory cannot be mounted here; leave out --faults room.")
    before, world.trial = world.trial, place / "trial"
    try:
        yield
    finally:
        world.trial = before
        subprocess.run(["umount", str(place)], check=True)


def prepare() -> None:
    """Let forks begin with all imported, a quick embedder, and no child processes."""
    import faiss
    import tantivy  # noqa: F401

    import conspectus.cli.app
    import conspectus.index.embedded_engine
    import conspectus.ingest.adder
    import conspectus.library.checks.models
    import conspectus.models.registry

    faiss.omp_set_num_threads(1)
    embedder = HashEmbedder()
    conspectus.models.registry.make_embedder = lambda _: embedder  # type: ignore[attr-defined, assignment]
    conspectus.library.checks.models.specs = dict  # type: ignore[attr-defined]
    conspectus.ingest.executor.ParsePool = InlinePool  # type: ignore[attr-defined, assignment]
