"""A disk that is full while the server is asked to keep something."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from starlette.testclient import TestClient

from conspectus import Library
from helpers import open_library
from serving import make_client

API = "/api/v1"
SPOOLED = b"word " * 400_000
"""More than a server keeps of an upload in memory."""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        yield library


@pytest.fixture
def client(library: Library) -> Iterator[TestClient]:
    with make_client(library) as client:
        yield client


def refuse(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def assert_full(response: Any) -> None:
    problem = response.json()
    assert response.status_code == problem["status"] == 507, problem
    assert problem["type"] == "DiskFullError"
    assert "is full" in problem["detail"] and "Make room" in problem["hint"]


@pytest.mark.parametrize(("path", "name"), [("/files", "owls.md"), ("/vocabularies", "owls.csv")])
def test_an_upload_says_that_the_disk_is_full_and_leaves_nothing(
    library: Library, client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str, name: str
) -> None:
    """Else a user is told that something went wrong that should not, and sends the file again and again."""
    monkeypatch.setattr("os.fsync", refuse)
    assert_full(client.post(f"{API}{path}", files={"file": (name, b"id,name\nO:1,owl\n")}))
    monkeypatch.undo()
    left = [file for folder in ("files", "vocabularies") for file in (library.folder / folder).rglob("*")]
    assert not [file for file in left if file.is_file()]


def test_an_upload_that_cannot_be_spooled_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a user reads that the request cannot be parsed, and looks for a fault in the file."""
    monkeypatch.setattr("starlette.datastructures.UploadFile.write", refuse)
    assert_full(client.post(f"{API}/files", files={"file": ("owls.md", SPOOLED)}))


def test_settings_say_that_the_disk_is_full(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a user is told to ask for rights that they have."""
    monkeypatch.setattr("pathlib.Path.write_text", refuse)
    assert_full(client.patch(f"{API}/settings", json={"settings": {"search.k": 7}}))
