"""`conspectus serve` as a program: its first line, its end, and what it refuses before it begins."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.server.access import Access
from conspectus.server.serving import address, bound

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix does")


@contextmanager
def program(folder: Path, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "conspectus", "--library", str(folder), "serve", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_where_it_is_and_ends_when_told(library: Library, number: int) -> None:
    """A script could not know where to ask; a server could only be killed."""
    library.close()
    with program(library.folder, "--port", "0", "--token", "auto") as process:
        assert process.stdout
        place = process.stdout.readline().strip()
        assert place.startswith("http://127.0.0.1:") and len(place.partition("?token=")[2]) >= 32
        root, _, token = place.partition("?token=")
        asked = urllib.request.Request(f"{root}api/v1/papers", headers={"authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answered:
            assert len(json.load(answered)["papers"]) == 3
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not out and "Traceback" not in errors


def test_a_token_of_the_environment_counts(library: Library) -> None:
    """On the command line everybody on the machine would see it."""
    library.close()
    with program(library.folder, "--port", "0", "--json", CONSPECTUS_SERVER_TOKEN="from-outside") as process:
        assert process.stdout
        assert json.loads(process.stdout.readline())["address"].endswith("?token=from-outside")


def test_without_a_token_others_are_not_served(library: Library) -> None:
    """The café would read along."""
    library.close()
    with program(library.folder, "--host", "0.0.0.0") as process:
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and not out and "--token auto" in errors


def test_a_port_that_is_taken() -> None:
    """A traceback would stand where a remedy should."""
    with bound(Access(port=0)) as taken, pytest.raises(UsageError, match=r"cannot be listened on.*--port"):
        bound(Access(port=taken.getsockname()[1]))


def test_addresses_can_be_opened() -> None:
    """The link printed would lead nowhere."""
    assert address(Access("::1", 80)) == "http://[::1]:80/"
    assert address(Access("0.0.0.0", 80, "t")) == f"http://{socket.gethostname()}:80/?token=t"
