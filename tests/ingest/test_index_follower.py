"""The engine `postgres` is written in the passages' own transactions."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.index import postgres_writer
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.postgres_engine import PostgresIndex
from conspectus.ingest import index_sync
from conspectus.ingest.index_sync import is_synced
from conspectus.records import Filters
from conspectus.store.connection import writing
from conspectus.testing.index_writes import DIMENSIONS, MODEL, WORDS, row, write_rows
from helpers import HashEmbedder, assert_consistent, open_library, summarise, write_jsonl
from postgres_server import Server

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("quick_pool")]

OpenLibrary = Callable[..., Library]


@pytest.fixture
def opened(vector_server: Server, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OpenLibrary]:
    """Opens the test's library, as from another machine for another name."""
    schema = request.node.name[:50].replace("[", "_").rstrip("]")

    def open_as(name: str = "one", **more: Any) -> Library:
        flags = {"catalog__url": vector_server.url(), "catalog__schema": schema, "index__engine": "postgres"}
        return open_library(tmp_path / name, **flags | more)

    yield open_as
    with vector_server.owned() as run:
        run(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed before its sync: whoever would have to write anything in it fails."""

    def fail(*_: object) -> None:
        raise AssertionError("something was to be synced")

    monkeypatch.setattr(index_sync, "_sync", fail)


def records(folder: Path, names: str, **more: Any) -> Path:
    made = [{"id": name, "title": f"Paper {name}", "abstract": f"An eel of {name} swims. {name}."} for name in names]
    return write_jsonl(folder / f"{names}.jsonl", [one | more for one in made])


def found(library: Library, words: str) -> list[str]:
    return sorted(hit.paper.external_id for hit in library.search(words, k=100).hits)


def in_step(library: Library) -> bool:
    catalog, index = library.session.catalog, library.session.index
    return is_synced(catalog, index, library.session.embedder.id) and np.array_equal(
        index.keys(), catalog.passage_keys()
    )


def test_nothing_is_to_be_synced(opened: OpenLibrary, tmp_path: Path, no_sync: None) -> None:
    """Else a killed `add`, `remove` or edit leaves the index behind the catalog, and machines that search write."""
    with opened() as one, opened("two") as two:
        one.add(records(tmp_path, "abcdef"))
        assert in_step(one) and found(two, "eel swims") == list("abcdef")
        two.add(records(tmp_path, "gh"))
        assert in_step(one) and found(one, "eel swims") == list("abcdefgh")
        paper = one.paper("b")
        one.edit(paper.id, set={"title": "Lampreys of b"})
        assert in_step(two) and two.search("lampreys").hits[0].paper.external_id == "b"
        one.remove(paper.id)
        assert in_step(two) and found(two, "eel swims") == list("acdefgh") and not found(two, '"lampreys"')
        one.undo_remove()
        assert in_step(two) and found(two, '"lampreys"') == ["b"]
        assert_consistent(one)


def test_summaries_of_models_follow_too(opened: OpenLibrary, tmp_path: Path, no_sync: None) -> None:
    """Else what a model wrote is found only after the next `add`, or is found after its paper was removed."""
    with opened() as library:
        library.add(records(tmp_path, "ab"))
        ids = [paper.id for paper in library.papers()]
        for paper_id in ids:
            summarise(library, paper_id)
        beside = library.session.index.beside("summaries")
        assert is_synced(library.session.catalog, library.session.index, "hash/1")
        assert (library.session.index.stats().rows, beside.stats().rows) == (2, 2)
        library.remove(ids[0])
        assert (library.session.index.stats().rows, beside.stats().rows) == (1, 1)
        assert beside.stats().change == library.session.catalog.change()


def test_an_index_that_was_behind_is_left_to_the_next_sync(opened: OpenLibrary, tmp_path: Path) -> None:
    """Else the index of a library that had another engine before says that it has all, and has the newest only."""
    with opened(index__engine="embedded") as before:
        before.add(records(tmp_path, "abc"))
    with opened() as library, library.session.writing():
        seen = library.session.index.stats().rows
    assert not seen
    with opened() as library:
        library.add(records(tmp_path, "de"))
        assert in_step(library) and found(library, "eel swims") == list("abcde")


def test_vectors_of_another_model_make_another_index(opened: OpenLibrary, tmp_path: Path) -> None:
    """Else vectors that cannot be compared stand in one index, or the old ones stay."""
    with opened() as library:
        library.add(records(tmp_path, "abc"))
    with opened(embedder=HashEmbedder("hash/2", 48)) as library:
        library.reindex()
        assert in_step(library) and library.session.index.stats().model == "hash/2"
        library.add(records(tmp_path, "de"))
        assert in_step(library) and found(library, "eel swims") == list("abcde")


def test_what_is_rolled_back_is_in_neither(opened: OpenLibrary, tmp_path: Path) -> None:
    """Else an index has rows of passages that are not there."""
    with opened() as library:
        library.add(records(tmp_path, "ab"))
        keys, session = library.session.catalog.passage_keys(), library.session
        with session.writing(), pytest.raises(ZeroDivisionError), writing(session.catalog.engine) as connection:
            from conspectus.store.removal import drop_papers

            drop_papers(connection, [1])
            raise ZeroDivisionError
        assert in_step(library) and np.array_equal(session.index.keys(), keys)


def test_postings_of_many_commits_score_as_those_of_one(
    opened: OpenLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else who adds paper by paper finds others than who adds all at once."""
    monkeypatch.setattr(postgres_writer, "PARTS", 4)
    draw = np.random.default_rng(1)
    rows = [row(key * 900, " ".join(draw.choice(WORDS, int(draw.integers(1, 40))))) for key in range(1, 60)]
    embedded = EmbeddedIndex(tmp_path / "index")
    write_rows(embedded, [one for one in rows if one.key != 900 * 3])
    with opened() as library:
        catalog = library.session.catalog
        index = PostgresIndex(catalog)
        for number, start in enumerate(range(0, len(rows), 6), 1):
            with writing(catalog.engine) as connection:
                assert index.within(connection).rows == start - (number > 6)
                with index.following(connection, MODEL, DIMENSIONS) as writer:
                    assert list(writer.keys_of([rows[0].paper])) == ([] if number == 1 else [900])
                    writer.delete(np.array([900 * 3] if number == 6 else [], np.int64))
                    writer.add(rows[start : start + 6])
                    writer.commit(number)
        index.settle()
        for words in WORDS:
            want = {hit.key: hit.score for hit in embedded.search_text(words, 100, Filters())}
            have = {hit.key: hit.score for hit in index.search_text(words, 100, Filters())}
            assert have == pytest.approx(want, rel=1e-5)
