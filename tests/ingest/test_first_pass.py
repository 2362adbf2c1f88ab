"""Static vectors first: a new library is searched at once, never by two kinds of vectors; the model's come after."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ServiceError, UnavailableError
from conspectus.core.job_context import Notice, listen
from conspectus.faces.printer import Printer
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.library import model_vectors, views
from conspectus.models import registry
from conspectus.models.protocol import Embedding
from conspectus.models.static import STATIC
from helpers import HANG, HashEmbedder, assert_consistent, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("engine", "quick_pool", "static")
COUNT, BATCH = 75, 32
"""Records, and how many get vectors at a time: more than two batches."""


@pytest.fixture(params=["embedded", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with an index in files, and with one in the database of a catalog on a server."""
    monkeypatch.setenv("CONSPECTUS_INDEX_ENGINE", request.param)
    if request.param == "postgres":
        monkeypatch.setenv("TEST_CATALOG_URL", request.getfixturevalue("vector_server").url())


@pytest.fixture
def static(monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedder that needs no model in the place of the static one; and small batches."""
    monkeypatch.setattr(registry, "make_static", lambda _: HashEmbedder(STATIC, 24, words=False))
    monkeypatch.setattr(Vectors, "batch", BATCH)
    monkeypatch.setattr(model_vectors, "FEW", BATCH)


@pytest.fixture
def refs(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "refs.jsonl", [{"title": f"Record {number}"} for number in range(COUNT)])


def counts(library: Library) -> dict[str, int]:
    return library.session.catalog.model_counts()


class Watching(HashEmbedder):
    """Does something when it has embedded so many texts."""

    def __init__(self, at: int, act: Any) -> None:
        super().__init__()
        self.left, self.act = at, act

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        for embedding in super().embed(texts):
            self.left -= 1
            if not self.left:
                self.act()
            yield embedding


def test_a_library_is_searched_at_once_and_by_the_model_in_the_end(tmp_path: Path, refs: Path) -> None:
    """Who adds a large collection would wait a day before the first search, or never get the better vectors."""
    seen: list[tuple[str, ...]] = []

    def look() -> None:
        with open_library(tmp_path / "lib") as other:
            found = other.search("record 7")
            status = other.status()
            seen.append((*found.models, found.hits[0].paper.title, str(status.counts["waiting"])))
            assert set(counts(other)) == {STATIC, "hash/1"} and "waiting" not in status.embedder

    with open_library(tmp_path / "lib", Watching(50, look), models__vectors="after") as library:
        library.add(refs)
        assert seen == [(STATIC, "Record 7", str(COUNT - BATCH))]
        assert counts(library) == {"hash/1": COUNT} and library.status().counts["waiting"] == 0
        assert library.search("record 7").models == ("hash/1",)
        assert library.search("record 7").hits[0].paper.title == "Record 7"
        assert_consistent(library)


def test_later_leaves_the_model_to_reindex(tmp_path: Path, refs: Path) -> None:
    """A library that was added in the evening could not be searched by static vectors until somebody has the time."""
    with open_library(tmp_path / "lib", models__vectors="later") as library:
        library.add(refs)
        assert counts(library) == {STATIC: COUNT} and library.status().counts["waiting"] == COUNT
        views.status(Printer(out := io.StringIO()), library.status())
        assert f"0 of {COUNT} passages have the model's vectors, {COUNT} wait" in " ".join(out.getvalue().split())
        assert library.session.embedder.id == library.session.index.stats().model == STATIC
        assert all(finding.ok for finding in library.doctor().findings if finding.check != "model")
        library.remove("Record 7")
        assert library.search("record 8").hits[0].paper.title == "Record 8"
        assert library.session.index.stats().rows == COUNT - 1
        more = write_jsonl(tmp_path / "more.jsonl", [{"title": "A quokka"}])
        library.add(more)
        assert library.search("quokka").hits[0].paper.title == "A quokka"
        assert counts(library) == {STATIC: COUNT}
        copy = library.backup(tmp_path / "lib.backup")
        assert library.reindex().embedded == COUNT
        assert counts(library) == {"hash/1": COUNT} and library.search("quokka").models == ("hash/1",)
        assert_consistent(library)
    with open_library(tmp_path / "copy") as library:
        library.restore(Path(copy.path))
        assert library.search("quokka").models == (STATIC,) and library.status().counts["waiting"] == COUNT
        library.add(more)
        assert counts(library) == {"hash/1": COUNT}, "the next `add` continues"
        assert_consistent(library)


def test_a_library_with_the_models_vectors_keeps_them(tmp_path: Path, refs: Path) -> None:
    """A few new papers would have a whole library searched worse, and its index made twice."""
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
    with open_library(tmp_path / "lib", models__vectors="after") as library:
        library.add(write_jsonl(tmp_path / "more.jsonl", [{"title": "A quokka"}]))
        assert counts(library) == {"hash/1": COUNT + 1}


def test_a_service_that_fails_leaves_what_can_be_searched(tmp_path: Path, refs: Path) -> None:
    """The report of what was added would be lost, and the user told that all of it failed."""

    def fail() -> None:
        raise ServiceError("It is away.", "Wait.")

    notices: list[Notice] = []
    with open_library(tmp_path / "lib", Watching(40, fail), models__vectors="after") as library:
        with listen(notices.append, Notice):
            assert library.add(refs).new_papers == COUNT
        assert "It is away." in notices[-1].text and "library reindex" in notices[-1].text
        assert counts(library) == {STATIC: COUNT, "hash/1": BATCH}
        assert library.search("record 7").models == (STATIC,)
    with open_library(tmp_path / "lib") as library:
        assert library.reindex().embedded == COUNT - BATCH, "what was computed is kept"
        assert_consistent(library)


def test_an_embedder_that_gives_no_vector_takes_none_away(tmp_path: Path, refs: Path) -> None:
    """A broken plug-in would leave a library in which nothing is found."""

    class Broken(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
            raise TypeError("unexpected shape")

    with open_library(tmp_path / "lib", models__vectors="later") as library:
        library.add(refs)
    with open_library(tmp_path / "lib", Broken()) as library:
        with pytest.raises(UnavailableError, match="keeps the vectors"):
            library.reindex()
        assert counts(library) == {STATIC: COUNT} and library.search("record 7").hits


def test_papers_are_added_while_the_model_computes(tmp_path: Path, refs: Path) -> None:
    """A colleague could not add a paper for a day, or the paper would be lost when the library is switched over."""
    more = write_jsonl(tmp_path / "more.jsonl", [{"title": f"Quokka {number}"} for number in range(5)])

    def add() -> None:
        with open_library(tmp_path / "lib", models__vectors="later") as other:
            other.add(more)
            assert other.search("quokka 3").hits[0].paper.title == "Quokka 3"

    with open_library(tmp_path / "lib", Watching(40, add), models__vectors="after") as library:
        library.add(refs)
        assert counts(library) == {"hash/1": COUNT + 5}
        assert library.search("quokka 3").hits[0].paper.title == "Quokka 3"
        assert_consistent(library)


def test_a_run_that_ends_after_the_switch_loses_nothing(tmp_path: Path, refs: Path) -> None:
    """What it added with static vectors would be in the catalog, and never be found."""
    more = write_jsonl(tmp_path / "more.jsonl", [{"title": f"Quokka {number}"} for number in range(5)])
    with open_library(tmp_path / "lib", models__vectors="later") as library:
        library.add(refs)
        slow = library.session.static_embedder
        embed = slow.embed

        def reindexing(texts: Sequence[str]) -> Iterator[Embedding]:
            with open_library(tmp_path / "lib") as other:
                other.reindex()
            slow.embed = embed  # type: ignore[method-assign]
            yield from embed(texts)

        slow.embed = reindexing  # type: ignore[method-assign]
        library.add(more)
        assert counts(library) == {"hash/1": COUNT + 5}
        assert library.search("quokka 3").hits[0].paper.title == "Quokka 3"
        assert_consistent(library)


def test_another_embedder_leaves_the_old_index_in_use(tmp_path: Path, refs: Path) -> None:
    """While a better model computes for a day nobody could search or add; and a killed run would leave it so."""
    more = write_jsonl(tmp_path / "more.jsonl", [{"title": f"Quokka {number}"} for number in range(5)])

    def use() -> None:
        with open_library(tmp_path / "lib") as other:
            assert other.search("record 7").hits[0].paper.title == "Record 7"
            other.add(more)
            assert other.search("quokka 3").hits[0].paper.title == "Quokka 3"

    new = Watching(40, use)
    new.id = "new/2"
    with open_library(tmp_path / "lib") as library:
        library.add(refs)
    with open_library(tmp_path / "lib", new) as library:
        assert library.reindex().embedded == COUNT + 5
        assert counts(library) == {"new/2": COUNT + 5}
        assert library.search("quokka 3").models == ("new/2",)
        assert_consistent(library)


RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.library import model_vectors
from conspectus.models import registry
from conspectus.models.static import STATIC
from helpers import HashEmbedder, open_library
Vectors.batch = model_vectors.FEW = 32
registry.make_static = lambda _: HashEmbedder(STATIC, 24, words=False)
class Slow(HashEmbedder):
    def embed(self, texts):
        for number, embedding in enumerate(super().embed(texts)):
            if number == 25:
                print(len(self.embedded), flush=True)
            yield embedding
with open_library(sys.argv[2], Slow(), models__vectors="after") as library:
    library.add(sys.argv[3:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_continues(tmp_path: Path, refs: Path) -> None:
    """A power cut in the night would cost the vectors of the day, or leave a library that is not searched."""
    command = [sys.executable, "-c", RUN, str(Path(__file__).parents[1]), str(tmp_path / "lib"), str(refs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        process.stdout.readline()  # of the first batch
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait(HANG)
    with open_library(tmp_path / "lib") as library:
        assert library.search("record 7").models == (STATIC,)
        assert library.search("record 7").hits[0].paper.title == "Record 7"
        assert counts(library) == {STATIC: COUNT, "hash/1": BATCH}
        library.add(refs)
        assert counts(library) == {"hash/1": COUNT} and library.search("record 7").models == ("hash/1",)
        assert_consistent(library)
