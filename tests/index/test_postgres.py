"""The engine `postgres`: what every engine does, and what it does in the catalog's database."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from conspectus.index.postgres_engine import PostgresIndex
from conspectus.store.catalog import Catalog
from conspectus.testing.index import IndexConformance
from postgres_server import Server

pytestmark = pytest.mark.postgres

_SCHEMAS = count(1)


@pytest.fixture
def catalog(vector_server: Server, tmp_path: Path) -> Iterator[Catalog]:
    with Catalog(tmp_path / "none", vector_server.url(), f"engine_{next(_SCHEMAS)}") as catalog:
        yield catalog


class TestPostgresIndex(IndexConformance):
    @pytest.fixture
    def make_index(self, catalog: Catalog) -> Callable[[], PostgresIndex]:
        return lambda: PostgresIndex(catalog)
