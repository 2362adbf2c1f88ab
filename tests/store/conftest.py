"""Fixtures of tests with a PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.store.catalog import Catalog
from helpers import open_library
from postgres_server import Server


@pytest.fixture(scope="module")
def admin(server: Server) -> Iterator[Callable[..., Any]]:
    """Runs a statement as the server's owner."""
    with server.owned() as run:
        yield run


@pytest.fixture
def schema(request: pytest.FixtureRequest) -> str:
    return f"s{abs(hash(request.node.name)):x}"


@pytest.fixture
def shared(server: Server, schema: str, tmp_path: Path) -> Iterator[Callable[..., Library]]:
    """Libraries in folders of their own, as on several machines, with one catalog."""
    made: list[Library] = []

    def make(name: str = "lib", **settings: Any) -> Library:
        flags = {"catalog__url": server.url(), "catalog__schema": schema}
        made.append(open_library(tmp_path / name, **(flags | settings)))
        return made[-1]

    yield make
    for library in made:
        library.close()


@pytest.fixture
def catalogs(server: Server, schema: str, tmp_path: Path) -> Iterator[list[Catalog]]:
    made = [Catalog(tmp_path / "catalog.sqlite", server.url(), schema) for _ in range(2)]
    yield made
    for catalog in made:
        catalog.close()
