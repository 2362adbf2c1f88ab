"""The map of a library: what stands on it, what moves, what is kept."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.errors import NotFoundError, UsageError
from conspectus.models.protocol import Embedding
from conspectus.records.atlas import LEVELS, Atlas, Mapped
from conspectus.store.map_tables import positions
from helpers import HashEmbedder, catalog_flags, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
SUBJECTS = {
    "marsupials": "quokkas hop at night and wombats dig burrows",
    "stars": "dwarf stars cool slowly and giant stars swell",
    "bread": "sourdough rises while the oven warms the flour",
}
EACH = 20


def records(each: int = EACH, first: int = 0) -> list[dict[str, Any]]:
    """Papers of three subjects, which share words within each."""
    return [
        {
            "title": f"{subject} study {number}",
            "abstract": f"{text}, as {subject} number {number} shows.",
            "year": 2000 + number,
        }
        for subject, text in SUBJECTS.items()
        for number in range(first, first + each)
    ]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib", atlas__method="pca") as opened:
        opened.add(write_jsonl(tmp_path / "a.jsonl", records()))
        yield opened


class Same(HashEmbedder):
    """Every text is the same to it."""

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        return (Embedding(np.eye(1, self.dimensions, dtype=np.float32)[0], None) for _ in texts)


def spots(found: Atlas) -> dict[str, tuple[float, float]]:
    """Where each paper stands."""
    return {paper: tuple(place) for paper, place in zip(found.papers, found.positions.tolist(), strict=True)}


def test_papers_of_one_subject_stand_together(library: Library) -> None:
    found = library.map.build()
    assert len(found) == 3 * EACH == len(set(found.papers)) and found.left_out == 0 and found.moved is None
    by = {subject: np.array([title.startswith(subject) for title in found.titles]) for subject in SUBJECTS}
    middles = {subject: found.positions[own].mean(axis=0) for subject, own in by.items()}
    for subject, own in by.items():
        far = {other: np.linalg.norm(found.positions[own] - middle, axis=1) for other, middle in middles.items()}
        for other in by.keys() - {subject}:
            assert (far[subject] < far[other]).mean() > 0.9
    assert found.years.min() == 2000 and set(found.citations.tolist()) == {-1}


def test_regions_lie_within_each_other_and_hold_every_paper(library: Library) -> None:
    found = library.map.build()
    parents = {one.id: one.parent for one in found.regions}
    for level in range(LEVELS):
        regions = found.at(level)
        assert sum(one.size for one in regions) == len(found)
        assert len({one.name for one in regions}) == len(regions)
        if level:
            above = found.region_ids[:, [level, level - 1]]
            assert all(parents[small] == large for small, large in above.tolist())
    assert {one.parent for one in found.at(0)} == {None}


def test_nothing_moves_when_papers_come_and_go(library: Library, tmp_path: Path) -> None:
    before = spots(library.map.build())
    library.add(write_jsonl(tmp_path / "b.jsonl", records(2, EACH)))
    grown = library.map.build()
    assert len(grown) == len(before) + 6 and grown.fitted == len(before)
    assert {paper: place for paper, place in spots(grown).items() if paper in before} == before
    new = {
        title: place for title, place in zip(grown.titles, grown.positions, strict=True) if title.endswith(f" {EACH}")
    }
    for subject in SUBJECTS:
        own = np.array([place for title, place in zip(grown.titles, grown.positions, strict=True) if subject in title])
        assert (
            np.linalg.norm(new[f"{subject} study {EACH}"] - own.mean(axis=0))
            < np.ptp(grown.positions, axis=0).max() / 2
        )
    gone = grown.papers[0]
    library.remove(gone)
    left = spots(library.map.build())
    assert left == {paper: place for paper, place in spots(grown).items() if paper != gone}
    assert len(table_rows(library)[positions.name]) == len(left)


def test_a_paper_that_says_otherwise_is_placed_anew(library: Library, tmp_path: Path) -> None:
    before = library.map.build()
    said = records()
    said[0]["abstract"] = SUBJECTS["bread"] + ", after all."
    library.add(write_jsonl(tmp_path / "a.jsonl", said))
    after = library.map.build()
    moved = {title for title, one, other in _both(before, after) if one != other}
    assert moved == {said[0]["title"]} and len(after) == len(before)


def _both(before: Atlas, after: Atlas) -> Iterator[tuple[str, Any, Any]]:
    here = dict(zip(before.titles, before.positions.tolist(), strict=True))
    return ((title, here[title], place) for title, place in zip(after.titles, after.positions.tolist(), strict=True))


def test_regions_keep_numbers_and_names_when_it_is_fitted_again(library: Library, tmp_path: Path) -> None:
    first = library.map.build().at(1)[0]
    named = library.map.name(first.id, "the first of all")
    assert (named.name, named.named_by) == ("the first of all", "user")
    library.add(write_jsonl(tmp_path / "b.jsonl", records(3, EACH)))
    again = library.map.build(refit=True)
    assert again.fitted == len(again) and again.moved is not None and again.moved < 0.2
    same = next(one for one in again.regions if one.id == first.id)
    assert (same.name, same.level) == ("the first of all", 1)
    assert library.map.name(first.id, "").named_by == "phrases"
    with pytest.raises(NotFoundError):
        library.map.name(9999, "nothing")


def test_the_same_library_has_the_same_map(library: Library, tmp_path: Path) -> None:
    with open_library(tmp_path / "other", atlas__method="pca") as other:
        other.add(write_jsonl(tmp_path / "a2.jsonl", records()))
        assert spots(other.map.build()) == spots(library.map.build())


def test_neighbours_by_t_sne(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records()))
        found = library.map.build()
        assert found.method == "tsne" and np.isfinite(found.positions).all()
        far = np.linalg.norm(found.positions[:, None] - found.positions[None], axis=-1)
        np.fill_diagonal(far, np.inf)
        nearest = [found.titles[row] for row in far.argmin(axis=1)]
        same = [one.split()[0] == other.split()[0] for one, other in zip(found.titles, nearest, strict=True)]
        assert np.mean(same) > 0.95
        assert spots(library.map.build(refit=True)).keys() == spots(found).keys()


@pytest.mark.parametrize("many", [1, 2, 3, 9])
def test_tiny_libraries(tmp_path: Path, many: int) -> None:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records()[:many]))
        found = library.map.build()
        assert len(found) == many and np.isfinite(found.positions).all() and len(found.at(0)) == 1


def test_papers_that_all_say_the_same(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib", embedder=Same()) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records()[:30]))
        found = library.map.build()
        assert len({tuple(place) for place in found.positions.tolist()}) == 30


def test_an_empty_library_has_no_map(tmp_path: Path) -> None:
    with open_library(tmp_path / "lib") as library:
        with pytest.raises(UsageError, match="nothing to map"):
            library.map.build()
        with pytest.raises(NotFoundError, match="no map"):
            library.map.show(update=False)


def test_passages_stand_on_a_map_of_their_own(library: Library) -> None:
    papers = library.map.build()
    found = library.map.build(of="passages")
    assert set(found.units) == {passage.id for paper in set(papers.papers) for passage in library.passages(paper)}
    assert spots(library.map.build()) == spots(papers)


@pytest.mark.parametrize("of", ["papers", "passages"])
def test_more_texts_than_it_is_fitted_to(tmp_path: Path, of: Mapped) -> None:
    """Nobody could map a large library, nor add to it, or what is added would stand anywhere."""
    with open_library(tmp_path / "lib", atlas__method="pca", atlas__sample=100) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records(60)))
        found = library.map.build(of=of)
        assert len(found) == 180 and 70 < found.fitted < 130
        assert not found.notes, "a sample is what was asked for"
        before = dict(zip(found.papers, found.positions.tolist(), strict=True))
        library.add(write_jsonl(tmp_path / "b.jsonl", records(20, first=60)))
        grown = library.map.build(of=of)
        assert len(grown) == 240 and grown.fitted == found.fitted
        middles, subjects = {}, np.array([title.split()[0] for title in grown.titles])
        for subject in SUBJECTS:
            middles[subject] = np.median(grown.positions[subjects == subject], axis=0)
        for paper, place, subject in zip(grown.papers, grown.positions.tolist(), subjects, strict=True):
            assert paper not in before or before[paper] == place
            assert min(middles, key=lambda one: float(np.linalg.norm(place - middles[one]))) == subject
        again = library.map.build(of=of, refit=True)
        assert len(again) == 240 and again.moved is not None and again.moved < 0.1


def test_the_published_regions(library: Library) -> None:
    found = library.map.build(regions="published")
    assert found.regions_by == "published" and sum(one.size for one in found.at(1)) == len(found)
    assert library.map.build().regions_by == "published", "as the map is"


def test_how_far_it_is_is_told_until_the_end(library: Library) -> None:
    """Of many papers regions and names take as long as the projection, and who waits would think that it hangs."""
    stages: list[str] = []
    library.map.build(progress=lambda event: stages.append(event.stage))
    assert list(dict.fromkeys(stages)) == ["reading vectors", "making regions", "naming regions", "placing"]


def test_topics(library: Library) -> None:
    told = library.map.topics(level=0)
    assert sum(one.papers for one in told) == 3 * EACH
    for one in told:
        assert sum(one.years.values()) == one.papers and one.growth is not None
        assert [paper.year for paper in one.newest] == sorted((paper.year for paper in one.newest), reverse=True)
    within = library.map.topics(told[0].region.id)
    assert within[0].region.id == told[0].region.id and {one.region.parent for one in within[1:]} == {told[0].region.id}
    with pytest.raises(NotFoundError):
        library.map.topics(9999)


def test_on_the_command_line(library: Library, tmp_path: Path) -> None:
    flags = [f"--set={name}={value}" for name, value in catalog_flags(library.folder).items()]
    library.map.build()
    library.close()

    def run(*words: str) -> Mapping[str, Any]:
        result = CliRunner().invoke(app, [*flags, "--library", str(library.folder), *words, "--json"])
        assert result.exit_code == 0, result.output
        told: Mapping[str, Any] = json.loads(result.stdout)
        return told

    told = run("map", "show", "--to", str(tmp_path / "map.json"))
    assert told["schema"] == "conspectus.map.show/1" and told["texts"] == 3 * EACH and "points" not in told
    written = json.loads((tmp_path / "map.json").read_text("utf-8"))
    assert len({point["paper"] for point in written["points"]}) == len(written["points"]) == 3 * EACH
    region = run("map", "topics")["topics"][0]["region"]["id"]
    assert run("map", "name", str(region), "mine")["region"]["name"] == "mine"
