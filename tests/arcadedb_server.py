"""ArcadeDB (Apache-2.0) on loopback, a database that speaks Bolt and runs openCypher: `with arcadedb() as server:`.

It runs in a process of its own, which ends with its standard input: no test that dies leaves it behind.
"""

import importlib.util
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

USER = "root"
PASSWORD = "se cret/%@:"  # as awkward as a password can be
DATABASE = "graph"


@dataclass(frozen=True)
class ArcadeDB:
    """A running one, with an empty database called `DATABASE`."""

    port: int

    @property
    def url(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"


def installed() -> bool:
    return importlib.util.find_spec("arcadedb") is not None


@contextmanager
def arcadedb() -> Iterator[ArcadeDB]:
    """A server, until the end of the block."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="conspectus-arcadedb-"))
        # Both are held at once, so that they differ.
        free = [stack.enter_context(socket.socket()) for _ in range(2)]
        for one in free:
            one.bind(("127.0.0.1", 0))
        ports = [str(one.getsockname()[1]) for one in free]
        for one in free:
            one.close()
        command = [sys.executable, __file__, folder, *ports]
        log = stack.enter_context(tempfile.TemporaryFile("w+"))  # it tells much
        pipe = subprocess.PIPE
        child = stack.enter_context(subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=log))
        assert child.stdin and child.stdout
        if not any(line.strip() == b"ready" for line in child.stdout):
            log.seek(0)
            raise RuntimeError(f"ArcadeDB did not start: {log.read()}")
        try:
            yield ArcadeDB(int(ports[0]))
        finally:
            child.stdin.close()
            child.wait()


def serve(folder: str, bolt_port: str, http_port: str) -> None:
    import arcadedb

    config = {
        "host": "127.0.0.1",
        "http_port": int(http_port),
        "bolt_port": int(bolt_port),
        "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
    }
    with arcadedb.create_server(root_path=folder, root_password=PASSWORD, config=config) as server:
        server.create_database(DATABASE)
        print("\nready", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    serve(*sys.argv[1:])
