"""A library that is served, asked as a browser and a program would."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from conspectus import Library
from helpers import ToneEncoder, open_library, write_jsonl
from serving import make_client

RECORDS = [
    {
        "id": f"p{n}",
        "title": title,
        "abstract": text,
        "year": 2000 + n,
        "authors": ["Moser, May-Britt"],
        "doi": f"10.1000/p.{n}",
    }
    for n, (title, text) in enumerate(
        [
            ("Grid cells", "Grid cells fire on a hexagonal lattice while rats run. They depend on theta."),
            ("Place cells", "Place cells fire in one place of the arena. They remap in another room."),
            ("Purring of cats", "Cats purr at 25 hertz when they rest. Nobody knows why."),
        ]
    )
]


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib", encoder=ToneEncoder()) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", RECORDS))
        yield library


@pytest.fixture
def client(library: Library) -> Iterator[TestClient]:
    with make_client(library) as client:
        yield client
