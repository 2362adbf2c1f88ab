"""A library that is served, asked as a browser on this machine and as a program would."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.server.lifecycle import Server, bound, configured
from helpers import HANG, until


@dataclass(frozen=True)
class Notice:
    """A server-sent event."""

    id: str
    event: str
    data: Any


def make_client(library: Library, access: Access | None = None, **options: int) -> TestClient:
    """What a library that is served is asked with."""
    app = create_app(library, access or Access(port=80), **options)
    return TestClient(app, "http://localhost", raise_server_exceptions=False)


@contextmanager
def run_server(app: FastAPI) -> Iterator[int]:
    """A server in a thread; its port."""
    with bound(Access(port=0)) as place:
        server = Server(configured(app), app.state.streams)
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        until(lambda: server.started)
        try:
            yield place.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(HANG)
            assert not thread.is_alive()


def body(client: TestClient, path: str, **query: Any) -> dict[str, Any]:
    """What is answered where all is well."""
    answered = client.get(f"/api/v1{path}", params=query)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


def collect_notices(client: TestClient, job: str) -> list[Notice]:
    """All that a job tells until it ends."""
    return events_of(client.get(f"/api/v1/jobs/{job}/events").text)


def events_of(text: str) -> list[Notice]:
    """A stream of server-sent events, read."""
    found = []
    for part in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.split("\n") if not line.startswith(":"))
        if "data" in fields:
            found.append(Notice(fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return found


@contextmanager
def program(folder: Path, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """`conspectus serve` in a process of its own."""
    command = [sys.executable, "-m", "conspectus", "--library", str(folder), "serve", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    ) as process:
        try:
            yield process
        finally:
            process.kill()
