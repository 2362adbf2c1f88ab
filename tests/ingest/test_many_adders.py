"""Several runs of `add` at one time: none waits for another's end, and together they make what one run would."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import SettingsError
from conspectus.models.protocol import Embedding
from conspectus.records import AddReport
from conspectus.records.events import Progress
from helpers import HANG, HashEmbedder, assert_consistent, markdown, open_library, until, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

DOI = "10.1000/slow"
SLOW = "slowly"


class GatedEmbedder(HashEmbedder):
    """Waits at texts with the word `SLOW` until the gate is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        for text in texts:
            assert SLOW not in text or self.gate.wait(HANG)
            yield from super().embed([text])


@pytest.fixture
def gate() -> Iterator[GatedEmbedder]:
    made = GatedEmbedder()
    yield made
    made.gate.set()


Run = Callable[[Library, Any], "Future[AddReport]"]


@pytest.fixture
def begin() -> Iterator[Run]:
    """Begins to add in another thread."""
    with ThreadPoolExecutor(2) as pool:
        yield lambda library, paths: pool.submit(library.add, paths)


@pytest.fixture
def user(both_catalogs: str, tmp_path: Path) -> Callable[..., Library]:
    """Opens the library as another user: on the same machine or, on a server, from another one."""

    def opened(name: str, *given: Any, **settings: Any) -> Library:
        if both_catalogs == "sqlite":
            return open_library(tmp_path / "library", *given, **settings)
        return open_library(tmp_path / name, *given, catalog__schema=f"t_{abs(hash(tmp_path)):x}", **settings)

    return opened


@pytest.fixture
def pair(user: Callable[..., Library], gate: GatedEmbedder) -> Iterator[tuple[Library, Library]]:
    """Two users of a library; the first waits at texts that are slow."""
    with user("one", gate) as one, user("two") as two:
        yield one, two


def titles(library: Library) -> list[str]:
    return sorted(paper.title for paper in library.papers())


def test_a_second_run_does_not_wait_for_the_first_to_end(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """A colleague who adds ten thousand papers would keep everybody else from adding or removing one for an hour."""
    one, two = pair
    first = [
        write(tmp_path / "a.md", markdown("Ants", "Ants follow trails.")),
        write(tmp_path / "b.md", markdown("Bees", f"Bees dance {SLOW}.")),
    ]
    adding = begin(one, first)
    until(lambda: titles(two) == ["Ants"])
    news: list[Progress] = []
    report = two.add(write(tmp_path / "c.md", markdown("Cats", "Cats purr.")), news.append)
    assert report.new_papers == 1 and not [step for step in news if "waiting" in step.stage]
    assert [hit.paper.title for hit in two.search("cats purr").hits][:1] == ["Cats"]
    two.remove("Ants")
    assert not adding.done() and titles(two) == ["Cats"]
    gate.gate.set()
    assert adding.result(HANG).new_papers == 2
    assert titles(one) == ["Bees", "Cats"]
    assert {hit.paper.title for hit in one.search("cats and bees").hits} == {"Bees", "Cats"}
    assert_consistent(one)


def test_searches_leave_the_index_to_who_adds(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """Each search while somebody adds would make an index of all that there is, and hold up who adds."""
    one, two = pair
    two.add(write(tmp_path / "a.md", markdown("Ants", "Ants follow trails.")))
    adding = begin(
        one,
        [
            write(tmp_path / "b.md", markdown("Bats", "Bats hunt moths.")),
            write(tmp_path / "c.md", markdown("Bees", f"Bees dance {SLOW}.")),
        ],
    )
    until(lambda: titles(two) == ["Ants", "Bats"])
    found = two.search("bats and ants")
    assert [hit.paper.title for hit in found.hits] == ["Ants"] and "newest papers" in found.note
    gate.gate.set()
    adding.result(HANG)
    assert {hit.paper.title for hit in two.search("bats and ants").hits} >= {"Ants", "Bats"}


def test_a_paper_that_both_bring_is_one(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """Two users who add the same article at once would have it twice for ever."""
    one, two = pair
    adding = begin(one, write(tmp_path / "a.md", markdown("Slow waves", f"They move {SLOW}.", doi=DOI)))
    until(lambda: any(True for _ in two.session.catalog.file_rows()))
    assert two.add(write_jsonl(tmp_path / "b.jsonl", [{"title": "Slow waves", "doi": DOI, "id": "w"}])).new_papers == 1
    gate.gate.set()
    assert adding.result(HANG).new_papers == 0
    (paper,) = one.papers()
    assert (paper.doi, paper.external_id, paper.has_full_text) == (DOI, "w", True)
    assert_consistent(one)


def test_a_file_that_both_read_is_stored_once(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """Two users who add the shared bibliography at once would have each of its records twice, or errors."""
    one, two = pair
    records = [{"id": f"p{n}", "title": f"Paper {n}", "abstract": f"It is of {n}."} for n in range(150)]
    records[100]["abstract"] = f"It comes {SLOW}."
    path = write_jsonl(tmp_path / "papers.jsonl", records)
    adding = begin(one, path)
    until(lambda: len(titles(two)) == 64)
    assert two.add(path).new_papers == 150 - 64
    gate.gate.set()
    report = adding.result(HANG)
    assert not report.failed and report.new_papers == 64
    assert titles(one) == sorted(record["title"] for record in records)
    assert len(one.session.catalog.digests(next(iter(one.session.catalog.file_rows())).key)) == 150
    assert [row.state for row in one.status().files] == ["indexed"] and one.add(path).unchanged
    assert_consistent(one)


@pytest.mark.parametrize("how", ["forgotten", "read again"])
def test_a_file_that_another_changes_meanwhile_is_left_to_it(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path, how: str
) -> None:
    """What one user took out, or read in a newer state, would come back from a run that began before."""
    one, two = pair
    records = [{"id": f"p{n}", "title": f"Paper {n}", "abstract": f"It is of {n}."} for n in range(80)]
    records[70]["abstract"] = f"It comes {SLOW}."
    path = write_jsonl(tmp_path / "papers.jsonl", records)
    adding = begin(one, path)
    until(lambda: len(titles(two)) == 64)
    if how == "forgotten":
        two.forget(path, papers=True)
    else:
        two.add(write_jsonl(path, records[:5]))
    gate.gate.set()
    (failed,) = adding.result(HANG).failed
    assert "Another process removed it, or read it again" in failed.reason
    assert len(titles(one)) == (0 if how == "forgotten" else 5)
    assert [row.state for row in one.status().files] == ([] if how == "forgotten" else ["indexed"])
    assert_consistent(one)


def test_the_second_who_cuts_otherwise_ends_the_first(
    user: Callable[..., Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """Passages of two lengths would stay in the library side by side, without a word."""
    with user("one", gate) as one, user("two", passages__chars=300) as two:
        adding = begin(one, write(tmp_path / "a.md", markdown("Ants", f"Ants walk {SLOW}.")))
        until(lambda: any(True for _ in two.session.catalog.file_rows()))
        two.add(write(tmp_path / "b.md", markdown("Bees", "Bees dance.")))
        gate.gate.set()
        with pytest.raises(SettingsError, match="another length"):
            adding.result(HANG)
        assert titles(two) == ["Bees"]


def test_many_at_once_make_what_one_makes(
    pair: tuple[Library, Library], gate: GatedEmbedder, begin: Run, tmp_path: Path
) -> None:
    """What comes of a library would depend on who was quicker."""
    gate.gate.set()
    files = [
        write(tmp_path / f"{n}.md", markdown(f"Title {n % 6}", f"Fact {n % 6} of it.", doi=f"10.1000/{n % 6}"))
        for n in range(9)
    ]
    files += [
        write_jsonl(tmp_path / f"{n}.jsonl", [{"title": f"Title {m}", "doi": f"10.1000/{m}"} for m in range(n, n + 4)])
        for n in range(4)
    ]
    one, two = pair
    both = begin(one, files), begin(two, files[::-1])
    assert not [row for run in both for row in run.result(HANG).failed]
    with open_library(tmp_path / "alone") as alone:
        alone.add(files)
        said = [
            [(paper.title, paper.doi, [p.text for p in library.passages(paper.id)]) for paper in library.papers()]
            for library in (one, alone)
        ]
    assert sorted(said[0]) == sorted(said[1])
    assert sum(run.result().new_papers for run in both) == len(said[0])
    assert_consistent(one)
