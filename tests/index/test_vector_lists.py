"""Lists of short codes: what they find, what they keep of a generation before, and that a killed build goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from conspectus.core.errors import LibraryDamagedError
from conspectus.index import vector_lists, vectors
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.protocol import IndexRow
from conspectus.records import Filters
from conspectus.testing.index import IndexConformance

pytestmark = pytest.mark.skipif(not vector_lists.can_list(), reason="faiss has no lists on disk here")

ROWS, DIMENSIONS = 1500, 64
UNITS = np.random.default_rng(0).standard_normal((2 * ROWS, DIMENSIONS)).astype(np.float32)
UNITS /= np.linalg.norm(UNITS, axis=1, keepdims=True)
MOST = 0.7
"""Vectors that are drawn evenly are the hardest; of real ones more is found (`benchmarks/vectors_at_scale.py`)."""


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists from few rows on, in several blocks, also for few rows that pass."""
    monkeypatch.setattr(vector_lists, "FROM_ROWS", 500)
    monkeypatch.setattr(vector_lists, "BLOCK", 400)
    monkeypatch.setattr(vectors, "EXACT_ROWS", 0)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[EmbeddedIndex]:
    made = EmbeddedIndex(tmp_path / "index")
    put(made, range(ROWS))
    yield made
    made.close()


def put(index: EmbeddedIndex, keys: Sequence[int], gone: Sequence[int] = ()) -> None:
    with index.writing("model", DIMENSIONS) as writer:
        writer.delete(np.array(gone, np.int64))
        facets = [(("author", f"a{key % 10}"),) for key in keys]
        rows = zip(keys, facets, strict=True)
        writer.add([IndexRow(key, key, "body", False, None, facet, "words", UNITS[key]) for key, facet in rows])
        writer.commit(1)


def lists(index: EmbeddedIndex) -> list[str]:
    return sorted(path.name for path in index.folder.glob("gen-*/lists/*"))


def recall(index: EmbeddedIndex, keys: Sequence[int], filters: Filters = Filters()) -> float:  # noqa: B008 - frozen
    """Of the ten nearest of the keys, which part is found, over some questions; nothing else may be found."""
    hits, every = 0, np.array(keys)
    for query in UNITS[:: 2 * ROWS // 40]:
        best = every[np.argsort(-(UNITS[every] @ query))[:10]]
        found = {one.key for one in index.search_vector(query, 10, filters)}
        assert found <= set(keys)
        hits += len(found & set(best.tolist()))
    return hits / 400


def test_lists_find_nearly_all_that_a_scan_finds(index: EmbeddedIndex) -> None:
    """A large library would be searched fast, and the best passages would be missed."""
    assert lists(index) == ["00000001"]
    assert recall(index, range(ROWS)) > MOST


def test_lists_stay_while_little_changes_and_are_made_again_then(index: EmbeddedIndex) -> None:
    """Each small add would take as long as the first, or new and removed passages would be searched wrongly."""
    put(index, range(ROWS, ROWS + 50), gone=range(100))
    assert lists(index) == ["00000001"]
    assert recall(index, range(100, ROWS + 50)) > MOST
    put(index, range(50), gone=range(120, 140))  # taken out and put in again, as a passage that is told anew
    assert recall(index, [*range(50), *range(100, 120), *range(140, ROWS + 50)]) > MOST
    assert index.damage() == []
    put(index, range(ROWS + 50, 2 * ROWS))
    assert lists(index) == ["00000004"]
    assert recall(index, [*range(50), *range(100, 120), *range(140, 2 * ROWS)]) > MOST


def test_what_filters_pass_is_exact(index: EmbeddedIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search within one author's papers would find others', or none where there are few."""
    passing = [key for key in range(ROWS) if key % 10 == 3]
    assert recall(index, passing, Filters(author=("a3",))) > MOST
    monkeypatch.setattr(vectors, "EXACT_ROWS", ROWS)
    assert recall(index, passing, Filters(author=("a3",))) > 0.95
    assert index.search_vector(UNITS[0], 10, Filters(author=("nobody",))) == []


def test_small_again_has_no_lists(index: EmbeddedIndex) -> None:
    """A library from which most was removed would go on with lists of what is gone."""
    put(index, [], gone=range(400, ROWS))
    assert lists(index) == []
    assert recall(index, range(400)) > 0.95


def test_a_killed_build_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large index would never be built on a machine that is switched off at night."""
    index, write, made = EmbeddedIndex(tmp_path / "index"), vector_lists._write_part, []

    def killed(path: Path, *rest: object) -> None:
        made.append(path.name)
        if len(made) == 3:
            raise KeyboardInterrupt
        write(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(vector_lists, "_write_part", killed)
    with pytest.raises(KeyboardInterrupt):
        put(index, range(ROWS))
    assert index.stats().rows == 0
    put(index, range(ROWS))
    assert len(made) == 3 + 2  # of four blocks two were there
    assert recall(index, range(ROWS)) > MOST
    assert [path.name for path in index.folder.glob("*-*") if path.is_dir()] == ["gen-00000001"]


def test_a_part_of_other_vectors_is_not_taken(tmp_path: Path) -> None:
    """What a killed run left would be taken for other passages' vectors."""
    files = vectors.RowFiles(tmp_path, DIMENSIONS)
    first, other = (files._codes.sa_encode(UNITS[start : start + 600]) for start in (0, 600))
    vector_lists.build_lists(first, files.decode, tmp_path / "work", tmp_path / "one")
    for path in (tmp_path / "work").glob("part-*"):
        path.write_bytes(path.read_bytes()[:100])  # cut, as a full disk leaves it
    vector_lists.build_lists(first, files.decode, tmp_path / "work", tmp_path / "same")
    vector_lists.build_lists(other, files.decode, tmp_path / "work", tmp_path / "two")
    data = {name: (tmp_path / name / "data").read_bytes() for name in ("one", "same", "two")}
    assert data["one"] == data["same"] != data["two"]


def test_damaged_lists_are_told(index: EmbeddedIndex) -> None:
    """A failing disk would have faiss read beyond its memory."""
    index.close()
    path = next(index.folder.glob("gen-*/lists/*/data"))
    path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(LibraryDamagedError, match="lists/"):
        index.search_vector(UNITS[0], 10, Filters())


class TestConformance(IndexConformance):
    """The suite of all engines, with lists from the first row on."""

    @pytest.fixture(autouse=True)
    def at_once(self, monkeypatch: pytest.MonkeyPatch, small: None) -> None:
        monkeypatch.setattr(vector_lists, "FROM_ROWS", 1)
        monkeypatch.setattr(vectors, "LEAST_AGAIN", 2000)  # its vectors are drawn evenly

    @pytest.fixture
    def make_index(self, tmp_path: Path) -> Callable[[], EmbeddedIndex]:
        return lambda: EmbeddedIndex(tmp_path / "index")
