"""What is kept of a map, and what goes: with papers, with a process that is killed, into backups and exports."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, update

from conspectus import Library
from conspectus.errors import BusyError, LibraryReadOnlyError, NotFoundError, StoppedError, UsageError
from conspectus.records import Finding
from conspectus.records.atlas import Atlas
from conspectus.records.events import Progress
from conspectus.session.jobs import Job
from conspectus.store.connection import aside, transact
from conspectus.store.map_tables import maps, positions, regions
from helpers import HANG, HashEmbedder, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
SUBJECTS = ("quokkas hop at night", "dwarf stars cool slowly", "sourdough rises in warmth")
WORDS = tuple(f"{first}{second}in" for first in ("zir", "vul", "mox", "kep") for second in ("ba", "do", "fe"))


def papers(texts: Sequence[str], *, year: int | None = 2000) -> list[dict[str, Any]]:
    years = [{} if year is None else {"year": year + number} for number in range(len(texts))]
    return [
        {"id": f"p{number}", "title": f"Study {number}", "abstract": text, **years[number]}
        for number, text in enumerate(texts)
    ]


def subjects(each: int = 8) -> list[str]:
    return [f"{text}, as number {number} shows." for text in SUBJECTS for number in range(each)]


def library_of(folder: Path, records: list[dict[str, Any]], **chosen: Any) -> Library:
    library = open_library(folder, atlas__method="pca", **chosen)
    library.add(write_jsonl(folder.parent / f"{folder.name}.jsonl", records))
    return library


def spots(found: Atlas) -> dict[str, tuple[float, float]]:
    return {paper: tuple(place) for paper, place in zip(found.papers, found.positions.tolist(), strict=True)}


def of_map(library: Library) -> str:
    """All that is kept of maps."""
    rows = table_rows(library)
    return repr([sorted(rows[table.name]) for table in (maps, regions, positions)])


PAIRS = [(word, part) for word in WORDS for part in ("first", "second")]


@pytest.fixture(scope="module")
def worded(both_catalogs: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Papers of which two have a word of their own, so that small regions are called by such words."""
    texts = [f"{word} {word} lattices, {word} {part}." for word, part in PAIRS]
    with library_of(tmp_path_factory.mktemp("worded") / "lib", papers(texts)) as library:
        library.map.build()
        library.map.build(of="passages")
        yield library


@settings(max_examples=settings.default.max_examples // 5)
@given(gone=st.sets(st.integers(0, len(PAIRS) - 1), min_size=1) | st.just(set(range(len(PAIRS)))))
def test_a_removed_paper_is_gone_from_the_map(worded: Library, gone: set[int]) -> None:
    """Else a region goes on speaking of what somebody wanted to be forgotten, or the map of others jumps."""
    before, kept = worded.map.show(update=False), of_map(worded)
    for number in sorted(gone):
        worded.remove(f"p{number}")
    left = of_map(worded)
    lost = {PAIRS[number][0] for number in gone} - {word for at, (word, _) in enumerate(PAIRS) if at not in gone}
    assert not [word for word in lost if word in left]
    if len(gone) < len(PAIRS):
        after = worded.map.show(update=False)
        places, ids = spots(before), {worded.paper(f"p{n}").id for n in range(len(PAIRS)) if n not in gone}
        assert spots(after) == {paper: place for paper, place in places.items() if paper in ids}
        assert {one.id for one in after.regions} == set(after.region_ids.reshape(-1).tolist())
        assert len({one.name for one in after.regions if one.level == 2}) == len(after.at(2))
    else:
        assert left == repr([[], [], []])
        with pytest.raises(NotFoundError, match="no map"):
            worded.map.show(update=False)
    for _ in gone:
        worded.undo_remove()
    assert of_map(worded) == kept and spots(worded.map.show(update=False)) == spots(before)


def test_words_of_papers_stand_in_what_is_kept(worded: Library) -> None:
    """Else the test above finds nothing to be gone."""
    assert sum(word in of_map(worded) for word in WORDS) > len(WORDS) / 3


def test_names_and_places_go_with_a_backup_and_an_export(tmp_path: Path) -> None:
    """Who moves to another computer would lose the names that he gave, and find everything elsewhere."""
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        region = library.map.build().at(1)[0]
        library.map.name(region.id, "mine")
        library.map.build(of="passages")
        before = library.map.build()
        library.backup(tmp_path / "b.zip")
        library.export("library", tmp_path / "all.jsonl")
    with open_library(tmp_path / "restored", atlas__method="pca") as other:
        other.restore(tmp_path / "b.zip")
        assert other.map.build().regions == before.regions and spots(other.map.build()) == spots(before)
    with open_library(tmp_path / "moved", atlas__method="pca") as moved:
        moved.add(tmp_path / "all.jsonl")
        after = moved.map.show(update=False)
        assert [(one.level, one.name, one.size, one.terms) for one in after.regions] == [
            (one.level, one.name, one.size, one.terms) for one in before.regions
        ]
        assert spots(after) == spots(before) and len(moved.map.show(of="passages", update=False)) == len(before)
        assert (same := moved.map.build()).fitted == before.fitted and spots(same) == spots(before), (
            "nothing is to be made"
        )
        assert "mine" in moved.map.build(refit=True).names.values()
        kept = moved.map.build()
        moved.remove("p0")
        moved.add(write_jsonl(tmp_path / "more.jsonl", papers(subjects())[:1]))
        assert len(moved.map.build()) == len(kept)


def test_what_a_strangers_export_says_of_a_map_is_checked(tmp_path: Path) -> None:
    """A file from elsewhere could put texts into regions that are not there, or names that no terminal can show."""
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        library.map.build()
        library.export("library", tmp_path / "all.jsonl")
    said = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()
    nowhere = [line.replace('"x":', '"x":1e999,"y":') for line in said]
    painted = [line.replace('"given":""', r'"given":"a\u001b[31m\u202eb"') for line in said]
    for number, texts in enumerate((nowhere, painted)):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(texts), encoding="utf-8")
        with open_library(tmp_path / f"other{number}", atlas__method="pca") as other:
            other.add(path)
            if number:
                assert {one.name.isprintable() for one in other.map.show(update=False).regions} == {True}
            else:
                with pytest.raises(NotFoundError):
                    other.map.show(update=False)
            assert len(other.map.build()) == len(subjects())


def looked(library: Library, *, fix: bool = False) -> Finding | None:
    return next((one for one in library.doctor(fix=fix).findings if one.check == "map"), None)


def test_doctor_looks_at_the_map(tmp_path: Path) -> None:
    """What is wrong with a map would show itself as papers that are missing on it."""
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        assert looked(library) is None
        library.map.build()
        library.add(write_jsonl(tmp_path / "b.jsonl", [{"id": "new", "title": "New", "abstract": "Quokkas sleep."}]))
        told = looked(library)
        assert told and told.ok and "24 placed, 1 not yet" in told.detail and "map build" in told.detail
        smallest = library.map.build().at(2)[0]
        engine = library.session.catalog.engine
        transact(engine, lambda to: to.execute(delete(regions).where(regions.c.key == smallest.id)), aside)
        told = looked(library)
        assert told and not told.ok and f"{smallest.size} paper" in told.detail
        assert len(library.map.build()) == 25, "it is shown all the same"
        looked(library, fix=True)
        assert (told := looked(library)) and told.ok and f"{smallest.size} not yet" in told.detail
        again = library.map.build()
        ids = {one.id for one in again.regions}
        assert len(again) == 25 and set(again.region_ids.reshape(-1).tolist()) == ids
        library.map.build(of="passages")
        transact(engine, lambda to: to.execute(delete(regions).where(regions.c.of == "papers")), aside)
        looked(library, fix=True)
        assert len(library.map.build()) == 25, "it is fitted anew, beside that of passages"
        transact(engine, lambda to: to.execute(update(maps).values(facts='{"method": 5}')), aside)
        assert (told := looked(library)) and not told.ok and "restore" in told.remedy
    with open_library(tmp_path / "lib", HashEmbedder("hash/2"), atlas__method="pca") as other:
        transact(other.session.catalog.engine, lambda to: to.execute(delete(maps)), aside)
        other.reindex()
        other.map.build()
    with open_library(tmp_path / "lib", HashEmbedder("hash/3"), atlas__method="pca") as other:
        other.reindex()
        assert (told := looked(other)) and not told.ok and "hash/2" in told.detail and "hash/3" in told.detail
        assert other.map.build().moved is not None and (told := looked(other)) and told.ok


@pytest.mark.parametrize("stage", ["reading vectors", "placing"])
def test_a_fit_that_is_ended_leaves_what_there_was(tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else half a map is taken for all of it."""
    monkeypatch.setattr("conspectus.store.text_vectors.BATCH", 5)
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        for make_one in (False, True):
            if make_one:
                library.map.build()
            before, jobs = of_map(library), Queue[Job[Atlas]]()

            def hear(event: Progress, jobs: Queue[Job[Atlas]] = jobs) -> None:
                if event.stage == stage and event.done < event.total:
                    jobs.get(timeout=HANG).cancel()

            job = library.begin(library.map.build, refit=True, progress=hear)
            jobs.put(job)
            with pytest.raises(StoppedError):
                job.result(HANG)
            assert of_map(library) == before
        assert library.map.build(refit=True).moved is not None


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conspectus.map import stored_map
from helpers import open_library
def stop(*_, **__):
    print("writing", flush=True)
    sys.stdin.read()
stored_map.map_sql.put_map_facts = stop
with open_library(Path(sys.argv[1]), atlas__method="pca") as library:
    library.map.build(refit=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_is_killed_and_one_beside_it(tmp_path: Path) -> None:
    """Else a power cut leaves a map without its papers, or two processes write one of both."""
    folder = tmp_path / "lib"
    with library_of(folder, papers(subjects())) as library:
        library.map.build()
        before = of_map(library)
    words = [sys.executable, "-c", KILLED, str(folder), str(Path(__file__).parents[1])]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "writing\n"
        with open_library(folder, atlas__method="pca", catalog__wait=0.1) as library:
            with pytest.raises(BusyError):
                library.map.build(refit=True)
            assert len(library.map.build()) == len(subjects()), "what there is can be read"
            process.send_signal(signal.SIGKILL)
            process.wait(HANG)
            assert of_map(library) == before
            assert library.map.build(refit=True).moved is not None


@pytest.mark.parametrize("both_catalogs", ["sqlite"], indirect=True)  # a server has rights of its own
def test_a_library_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shared library would have no map, or seem to be fitted again when it was not."""
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        library.map.build()
    with library_of(tmp_path / "bare", papers(subjects())):
        pass
    monkeypatch.setattr("conspectus.store.sqlite.os.access", lambda *_: False)  # the superuser may write everywhere
    with open_library(tmp_path / "bare", atlas__method="pca") as bare:
        for read in (bare.map.build, bare.map.gaps, bare.map.topics):
            with pytest.raises(LibraryReadOnlyError):
                read()
        assert bare.map.trends("quokkas").papers == 8
    with open_library(tmp_path / "lib", atlas__method="pca") as library:
        found = library.map.build()
        assert len(found) == len(subjects()) and library.map.gaps() and library.map.overlay("reviews")
        for change in (
            lambda: library.map.build(refit=True),
            lambda: library.map.build(regions="published"),
            lambda: library.map.name(found.regions[0].id, "mine"),
            lambda: library.map.names("phrases"),
        ):
            with pytest.raises(LibraryReadOnlyError):
                change()


def test_hostile_names(tmp_path: Path) -> None:
    """A name would run in the page, paint the terminal, or fill it."""
    with library_of(tmp_path / "lib", papers(subjects())) as library:
        region = library.map.build().at(1)[0].id
        for name in ("x" * 10_000, "\x00\x01", " \u200b "):
            with pytest.raises(UsageError, match="no name of a region"):
                library.map.name(region, name)
        named = library.map.name(region, "<script>alert(1)</script>\x1b[31m\u202e $x_1$")
        assert named.name.isprintable() and "<script>" not in library.map.build()._repr_html_()
        assert library.map.name(region, "").named_by == "phrases"
