"""Whatever was done to a library, it is what a library built from the files that are left is: row by row, word by word.

Long runs: `EXACT_EXAMPLES=2000 pytest -n 0 tests/ingest/test_exact.py` tries other sequences than CI does.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import pytest
import sqlalchemy
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from conspectus import Library
from conspectus.ingest.derivations.summaries import Condensed, SummaryOrigin, SummarySentenceRow, as_summaries, store
from conspectus.store.summaries import digest_of, summarised
from conspectus.summaries.summary_run import follow_now
from helpers import HashEmbedder, InlinePool, assert_consistent, markdown, open_library
from natural import dump_library, paper_names

pytestmark = pytest.mark.usefixtures("both_catalogs")
EXAMPLES = int(os.environ.get("EXACT_EXAMPLES", "6"))

RECORDS = ("a.jsonl", "b.jsonl", "deep/c.jsonl")
TEXTS = ("d.md", "deep/e.md")
PATHS = (*RECORDS, *TEXTS)
MODELS = ("hash/1", "hash/2")
CHARS = (1400, 200)
WORDS = ("work", "says", "more", "looked", *(f"only{work}v{version}" for work in range(7) for version in range(3)))

Item = tuple[int, int]
"""(which work, in which version)."""


def title_of(item: Item) -> str:
    return f"Work {item[0]} (as of {item[1]})"


def record(item: Item) -> dict[str, Any]:
    """Works 0 to 2 have a DOI, 3 and 4 are known by their content, 5 may turn out to be two, 6 names a file."""
    work, version = item
    known: dict[str, Any] = {"title": title_of(item), "venue": ["", "Nature", "Cell"][version], "year": 2000 + version}
    known["abstract"] = f"Work {work} says only{work}v{version}. It says more."
    if work < 3:
        known["doi"] = f"10.1000/{work}"
    if work == 2 and version == 1:
        known["text"] = "# Methods\n\nWe looked. We saw it.\n\n# Results\n\nIt was there. It was large."
    if work == 5:
        known |= [{"pmid": "55"}, {"pmid": "55", "arxiv_id": "2001.00005"}, {"arxiv_id": "2001.00005"}][version]
    if work == 6:
        known["files"] = ["d.md", "deep/e.md"][:version]
    return known


def named_by(path: str, items: tuple[Item, ...]) -> list[str]:
    """The texts that records in the file `path` name."""
    found = [str(PurePath(path).parent / name) for item in items for name in record(item).get("files", ())]
    return [name for name in found if name in TEXTS]


def text_of(path: str, items: tuple[Item, ...]) -> str:
    """What a file of these works says; broken, or empty, where there are none."""
    if path in RECORDS:
        return "".join(json.dumps(record(item)) + "\n" for item in items) or '{"broken\n'
    if not items:
        return ""
    work, version = items[0]
    doi = {"doi": f"10.1000/{work}"} if work < 3 else {}
    said = [f"Work {work} says only{work}v{version}. We looked at it. {'It says more. ' * 30}", "It was there."]
    return markdown(title_of(items[0]), *said, **doi)


@dataclass
class Held:
    """What the library has of a file: the text that it read, when that was written, and the works that are left."""

    text: str
    mtime: int
    items: tuple[Item, ...]
    whole: bool = True
    failed: bool = False
    seen: str = ""


class Killed(BaseException):
    """The process is no more."""


@dataclass
class World:
    """A folder of files, a library of them, and what that library ought to hold."""

    base: Path
    disk: dict[str, tuple[tuple[Item, ...], int]] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    unfinished: set[str] = field(default_factory=set)
    leaving: tuple[str, set[tuple[str, str]]] | None = None
    model: str = MODELS[0]
    chars: int = CHARS[0]
    clock: int = 10**18

    def __post_init__(self) -> None:
        (self.base / "files" / "deep").mkdir(parents=True)

    @contextmanager
    def library(self, name: str = "grown") -> Iterator[Library]:
        overlap = self.chars // 5
        with open_library(
            self.base / name, HashEmbedder(self.model), passages__chars=self.chars, passages__overlap=overlap
        ) as library:
            yield library

    def place(self, path: str) -> Path:
        return self.base / "files" / path

    # what happens to files

    def put(self, path: str, text: str, mtime: int) -> None:
        self.place(path).write_text(text, "utf-8")
        os.utime(self.place(path), ns=(mtime, mtime))

    def write(self, path: str, items: tuple[Item, ...]) -> None:
        self.clock += 10**9
        self.disk[path] = items, self.clock
        self.put(path, text_of(path, items), self.clock)

    def vanish(self, path: str) -> None:
        if self.disk.pop(path, None):
            self.place(path).unlink()

    def move(self, path: str, to: str) -> bool:
        if path not in self.disk or to in self.disk or Path(path).suffix != Path(to).suffix:
            return False
        self.place(path).rename(self.place(to))
        self.disk[to] = self.disk.pop(path)
        return True

    # what the library ought to make of them

    def note_added(self, paths: list[str]) -> None:
        """What an `add` of these paths does: records first, then texts with those that the records name."""
        for path in [path for path in paths if path in RECORDS]:
            self._note_read(path)
        named = [found for path in paths if path in RECORDS for found in self._named(path) if found in self.disk]
        for path in dict.fromkeys([path for path in paths if path in TEXTS] + named):
            self._note_read(path)

    def _named(self, path: str) -> list[str]:
        had = self.held.get(path)
        return named_by(path, had.items) if had else []

    def _note_read(self, path: str) -> None:
        items, mtime = self.disk[path]
        text, known = text_of(path, items), self.held.get(path)
        if known and not known.failed and path not in self.unfinished and text == known.seen:
            known.mtime = mtime
            return
        self.unfinished.discard(path)
        if items:
            unique = tuple(dict.fromkeys(items))
            self.held[path] = Held(text, mtime, unique, seen=text)
        elif known:
            known.failed = True
            if path in RECORDS:  # of a text the bytes that were read stay known, for its pages
                known.seen = text
            return
        else:
            return
        for other in [name for name, had in self.held.items() if name != path and had.seen == text]:
            if other not in self.disk:
                del self.held[other]

    def note_finished(self, library: Library) -> None:
        """What a killed run was through with."""
        rows = {os.path.relpath(row.path, self.base / "files"): row for row in library.session.catalog.file_rows()}
        for path in sorted(self.unfinished & set(self.disk) & set(rows)):
            text = text_of(path, self.disk[path][0])
            if rows[path].sha256 == hashlib.sha256(text.encode()).hexdigest() and rows[path].state in (
                "stored",
                "indexed",
            ):
                self._note_read(path)

    def note_removed(self, gone: set[tuple[str, str]]) -> None:
        for path, title in gone:
            had = self.held.get(path)
            if had is None:
                continue
            left = tuple(item for item in had.items if title_of(item) != title)
            if left == had.items:
                continue
            had.items, had.whole = left, False
            if not left:
                del self.held[path]


Step = Callable[[World, Library], None]


def run_add(world: World, library: Library, paths: list[str]) -> None:
    """An `add`; what it may have begun with counts as unfinished until it is through."""
    named = [found for path in paths if path in RECORDS for found in named_by(path, world.disk[path][0])]
    named = [path for path in named if path in world.disk]
    before = set(world.unfinished)
    world.unfinished |= {*paths, *named}
    library.add([world.place(path) for path in paths])
    world.unfinished = before
    world.note_added(paths)


def apply(world: World, library: Library, step: tuple[Any, ...]) -> None:
    """One step that works on the library; files were dealt with before."""
    what = step[0]
    if what in ("write", "break", "move"):
        run_add(world, library, [step[-1] if what == "move" else step[1]])
    elif what == "add":
        run_add(world, library, sorted(world.disk))
    elif what == "retry":
        rows = library.session.catalog.file_rows()
        paths = [os.path.relpath(row.path, world.base / "files") for row in rows if row.state in ("failed", "queued")]
        before = set(world.unfinished)
        world.unfinished |= set(paths)
        library.retry(everything=True)
        world.unfinished = before
        for path in paths:
            if path not in world.disk and path in world.held:
                world.held[path].failed = True
        world.note_added([path for path in paths if path in world.disk])
    elif what == "remove":
        world.leaving = world.leaving or choose(world, library, step[1])
        if world.leaving:
            name, gone = world.leaving
            if library.session.catalog.has_paper(name):  # else it went before the process was killed
                library.remove(name)
            world.note_removed(gone)
            world.leaving = None
    elif what == "reindex":
        library.reindex()
    elif what == "summarise":
        summarise(library, [paper.id for paper in library.papers()])


def summarise(library: Library, papers: list[str]) -> None:
    """Give papers summaries that rest on all that they say, as `Library.summarise` does with what a model wrote."""
    for name in papers:
        own = list(library.passages(name))
        ids = dict.fromkeys(span.id for passage in own for span in passage.spans)
        short = Condensed(own[-1].section, (SummarySentenceRow(f"In short: {own[0].text[:60]}", tuple(ids)),))
        by = SummaryOrigin("model/1", "summarise/1", "2026", digest_of(own))
        made = as_summaries(name, [short], by, library.settings.passages.chars, len(own))
        with library.session.writing():
            assert store(library.session.catalog, library.session.embedder, library.paper(name), made)
    follow_now(library.session)


def choose(world: World, library: Library, number: int) -> tuple[str, set[tuple[str, str]]] | None:
    """A paper's id, and (file, title) of all that is said of it."""
    papers = sorted(library.papers(), key=lambda paper: (paper.title, paper.id))
    if not papers:
        return None
    paper = papers[number % len(papers)]
    said = library.session.documents(paper)
    return paper.id, {(os.path.relpath(one.path, world.base / "files"), one.parsed.metadata.title) for one in said}


def prepare(world: World, step: tuple[Any, ...]) -> bool:
    """Do to the files what the step says; whether there is something to do."""
    what = step[0]
    if what in ("write", "edit"):
        world.write(step[1], step[2] if step[1] in RECORDS else step[2][:1])
    elif what == "vanish":
        world.vanish(step[1])
    elif what == "break":
        world.write(step[1], ())
    elif what == "move":
        return world.move(step[1], step[2])
    return True


@contextmanager
def killing(library: Library, after: int, *, dead: bool) -> Iterator[None]:
    """Raise `Killed` at the statement number `after` to the catalog; where `dead`, at each that comes later too."""
    left = after

    def count(_: Any, cursor: Any, *__: Any) -> None:
        nonlocal left
        left -= 1
        if left == 0 or (dead and left < 0):
            cursor.close()  # a server's cursor, which nobody else knows of yet, is told of when it is not closed
            raise Killed

    sqlalchemy.event.listen(library.session.catalog.engine, "before_cursor_execute", count)
    try:
        yield
    finally:
        sqlalchemy.event.remove(library.session.catalog.engine, "before_cursor_execute", count)


def settle(world: World, paths: set[str]) -> None:
    """Finish what a killed run has begun."""
    if todo := sorted(paths & set(world.disk)):
        with world.library() as library:
            run_add(world, library, todo)
            world.unfinished -= set(todo)


def take(world: World, step: tuple[Any, ...]) -> None:
    """Take one step: on the files, then on the library, killed once where the step says so, and then mostly again."""
    what, kill, step = step[0], step[-1], step[:-1]
    if what in ("vanish", "edit", "write", "break", "move"):
        settle(world, world.unfinished & {*step[1:3]})
    if what in ("model", "cut"):
        settle(world, set(world.unfinished))
        world.model, world.chars = (MODELS[step[1]], world.chars) if what == "model" else (world.model, CHARS[step[1]])
        step = ("reindex",)
    if not prepare(world, step) or what in ("vanish", "edit"):
        return
    again = what in ("model", "cut", "remove")
    if not kill or (killed(world, step, *kill[:2]) and (kill[2] or again)):
        with world.library() as library:
            apply(world, library, step)


def killed(world: World, step: tuple[Any, ...], after: int, dead: bool) -> bool:
    """Take a step in a process that is killed; whether it was before it was through."""
    with world.library() as library:
        try:
            with killing(library, after, dead=dead):
                apply(world, library, step)
        except Killed:
            pass
        else:
            return False
    with world.library() as library:
        world.note_finished(library)
    return True


def compare(world: World, *, scores: bool = True) -> None:
    """Hold the library against one that is built from what is left; with the `scores` of its full text."""
    settle(world, set(world.unfinished))
    for path in PATHS:
        world.place(path).unlink(missing_ok=True)
    for path, had in world.held.items():
        world.put(path, had.text if had.whole else text_of(path, had.items), had.mtime)
    with world.library() as grown, world.library("built") as built:
        report = built.add([world.place(path) for path in sorted(world.held)])
        assert not report.failed
        grown.add([])
        kept = {paper_names(grown)[name] for name in summarised(grown.session.catalog)}
        summarise(built, [name for name, known in paper_names(built).items() if known in kept])
        left, right = (dump_library(library, WORDS, scores=scores) for library in (grown, built))
        for name in right:
            assert left[name] == right[name], name
        assert ledger(grown, world) == ledger(built, world)
        assert_consistent(grown)


def ledger(library: Library, world: World) -> dict[str, tuple[Any, ...]]:
    """The rows that papers rest on. Of a file that has papers removed, or that failed since, bytes and state differ."""
    found = {}
    for row in library.session.catalog.file_rows():
        path = os.path.relpath(row.path, world.base / "files")
        if row.papers:
            had = world.held[path]
            found[path] = row.reader, row.papers if had.whole else None
            if not had.failed:
                found[path] += (row.state,)
            if had.whole and not had.failed:
                found[path] += (row.size, row.sha256, row.mtime_ns)
    return found


ITEMS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)), min_size=1, max_size=4).map(tuple)
PATH = st.sampled_from(PATHS)
KILL = st.one_of(st.none(), st.tuples(st.integers(1, 90), st.booleans(), st.booleans()))
STEP = st.one_of(
    st.tuples(st.sampled_from(["write", "write", "edit"]), PATH, ITEMS, KILL),
    st.tuples(st.sampled_from(["break", "vanish"]), PATH, KILL),
    st.tuples(st.just("move"), PATH, PATH, KILL),
    st.tuples(st.sampled_from(["add", "retry", "reindex", "summarise", "summarise"]), KILL),
    st.tuples(st.just("remove"), st.integers(0, 9), KILL),
    st.tuples(st.sampled_from(["model", "cut"]), st.integers(0, 1), KILL),
)


@settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES < 50,
    phases=[Phase.explicit, Phase.generate] if EXAMPLES < 50 else list(Phase),  # shrinking takes many minutes
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
@example(
    steps=[
        ("write", "a.jsonl", ((0, 0), (1, 0), (3, 0)), None),
        ("write", "d.md", ((4, 0),), None),
        ("summarise", None),
        ("write", "a.jsonl", ((0, 1), (1, 0), (3, 0)), None),
        ("write", "b.jsonl", ((1, 0),), None),
        ("remove", 3, None),
        ("model", 1, None),
    ],
    large=False,
)
@given(steps=st.lists(STEP, min_size=3, max_size=9), large=st.booleans())
def test_deletion_is_exact(steps: list[tuple[Any, ...]], large: bool) -> None:
    """Else what was removed or edited away still weighs, is found, or lies somewhere; or what was kept is lost.

    The index of a large library is changed where that of a small one is built anew.
    """
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        if large:
            patch.setattr("conspectus.ingest.index_sync.SMALL", 0)
            patch.setattr("conspectus.ingest.index_sync.MOST_DEAD", 100.0)
        world = World(Path(name))
        for step in steps:
            take(world, step)
        compare(world, scores=not large)
