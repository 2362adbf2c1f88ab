"""Papers far from the others found: the formula, what is kept of it, and who is never called an outlier."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.errors import SettingsError
from conspectus.records import Outlying
from conspectus.search import outliers as module
from conspectus.search.outliers import distances_from_others, find_outliers, typical_distance
from conspectus.store.connection import put_meta
from conspectus.store.vectors import first_vectors
from helpers import markdown, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

FIELDS = {
    "galaxy": "halo star disc bar bulge spiral redshift dust gas rotation cluster merger".split(),
    "neuron": "axon spike synapse dendrite cortex potential membrane channel glia reflex memory rat".split(),
    "steel": "alloy carbon temper quench grain martensite furnace hardness crack fatigue weld rust".split(),
}


TIGHT = -0.4
"""The gamma for these papers: those of a field are far more alike than abstracts are."""


def records(count: int, seed: int = 0) -> list[dict[str, str]]:
    draw = random.Random(seed)
    found = []
    for number in range(count):
        field, words = list(FIELDS.items())[number % 3]
        said = " ".join(draw.choices([field, *words], k=60))
        found.append({"id": f"{field}-{seed}-{number}", "title": f"{field} {number}", "abstract": f"{said}."})
    return found


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    module._known.clear()
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", records(150)))
        yield library


def keys(library: Library, field: str, count: int, start: int = 0) -> list[int]:
    names = [paper.id for paper in library.papers() if paper.external_id.startswith(field)]
    return [library.session.catalog.paper_key(name) for name in names[start : start + count]]


def judged(library: Library, papers: list[int], **changes: Any) -> list[Outlying]:
    settings = replace(library.settings.search, **changes)
    return find_outliers(library.session.catalog, library.session.index, library.session.embedder.id, papers, settings)


def vectors(library: Library, papers: list[int]) -> dict[int, Any]:
    return first_vectors(library.session.catalog, papers, library.session.embedder.id)


def test_a_paper_of_another_field_is_an_outlier(library: Library) -> None:
    """Else a paper that has nothing to do with the others stands among them unmarked."""
    for place in (0, 4, 9):
        papers = keys(library, "galaxy", 9)
        papers.insert(place, keys(library, "steel", 1)[0])
        found = judged(library, papers, outlier_gamma=TIGHT)
        assert [number for number, one in enumerate(found) if one.outlier] == [place]
        assert all(one.cut == found[0].cut and one.distance is not None for one in found)
        assert {one.outlier for one in judged(library, keys(library, "galaxy", 10), outlier_gamma=TIGHT)} == {False}


def test_the_distance_and_the_cut_are_those_of_the_paper(library: Library) -> None:
    """D(P, C_-P) and D95(k) - gamma (section 3.2.6), reckoned here by hand over all papers."""
    papers = keys(library, "galaxy", 4)
    found = judged(library, papers, outlier_gamma=0.25, outlier_cut="published")
    known = vectors(library, papers)
    for key, one in zip(papers, found, strict=True):
        centroid = np.mean([known[other] for other in papers if other != key], axis=0)
        assert one.distance == pytest.approx(np.linalg.norm(known[key] - centroid), abs=1e-6)
    every = [library.session.catalog.paper_key(paper.id) for paper in library.papers()]
    table = np.stack(list(vectors(library, every).values())).astype(float)
    apart = np.sort(np.linalg.norm(table[:, None] - table[None], axis=2), axis=1)[:, 1:5]
    d95 = typical_distance(library.session.catalog, library.session.index, library.session.embedder.id, 4)
    assert d95 == pytest.approx(np.percentile(apart, 95), abs=0.005), "all papers are drawn: there are but 150"
    assert found[0].cut == pytest.approx(d95 - 0.25)
    midway = judged(library, papers, outlier_gamma=0.25)
    assert midway[0].cut == pytest.approx((d95 - 0.25 + np.median([one.distance for one in found])) / 2)
    assert [one.distance for one in midway] == [one.distance for one in found]


def test_from_others_of_known_points() -> None:
    """A mistake of one in k would not be seen elsewhere."""
    square = np.array([[0, 0], [0, 2], [2, 0], [2, 2]], np.float32)
    assert distances_from_others(square) == pytest.approx([np.hypot(4 / 3, 4 / 3)] * 4)
    assert distances_from_others(np.array([[0, 0], [3, 4]], np.float32)) == pytest.approx([5, 5])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_of_few_papers_nobody_is_an_outlier(library: Library, count: int) -> None:
    """Of two papers each is as far from the other: whoever is called an outlier is so by chance."""
    papers = [keys(library, field, 1)[0] for field in ("galaxy", "steel")][:count]
    assert judged(library, papers, outlier_gamma=2.0) == [Outlying(None, None, False)] * count


def test_a_library_too_small_to_say(tmp_path: Path) -> None:
    """Where all papers are found, none is farther than papers usually are; nor may it be an error."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", records(6)))
        papers = [library.session.catalog.paper_key(paper.id) for paper in library.papers()]
        found = judged(library, papers)
        assert [one.cut for one in found] == [None] * 6 and not any(one.outlier for one in found)
        assert all(one.distance is not None for one in found)
        gone = judged(library, [*papers[:3], 999_999])
        assert gone[3].distance is None and not gone[3].outlier and gone[0].distance is not None
    with open_library(tmp_path / "none") as library:
        assert judged(library, []) == []


def test_it_is_measured_once_and_kept(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every search of a large library takes seconds longer."""
    papers, count = keys(library, "galaxy", 5), []
    measured = module._measure_spread
    monkeypatch.setattr(module, "_measure_spread", lambda *a: count.append(1) or measured(*a))
    first = judged(library, papers)
    for k in (3, 5, 10, 20):
        judged(library, keys(library, "galaxy", k))
    assert len(count) == 1, "another k is not measured anew"
    module._known.clear()  # another process
    assert judged(library, papers) == first and len(count) == 1
    judged(library, keys(library, "galaxy", 25))
    assert len(count) == 2, "more papers than were looked for"


def test_it_is_measured_anew_when_the_library_has_changed(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the cut is that of another library; or every added paper costs seconds at the next search."""
    count: list[int] = []
    measured = module._measure_spread
    monkeypatch.setattr(module, "_measure_spread", lambda *a: count.append(1) or measured(*a))
    papers = keys(library, "galaxy", 5)
    judged(library, papers)
    library.add(write_jsonl(tmp_path / "few.jsonl", records(6, seed=1)))
    judged(library, papers)
    assert len(count) == 1, "6 of 150 papers are less than 5 %"
    library.add(write_jsonl(tmp_path / "more.jsonl", records(6, seed=2)))
    judged(library, papers)
    assert len(count) == 2
    for name in [paper.id for paper in library.papers() if paper.external_id.startswith("neuron")][:9]:
        library.remove(name)
    judged(library, papers)
    assert len(count) == 3, "what was removed counts too"
    module._known.clear()
    with open_library(library.folder) as again:
        assert judged(again, papers) and len(count) == 3


def test_a_long_paper_is_its_first_passage(library: Library, tmp_path: Path) -> None:
    """Else a full text is compared by whichever of its pages comes first, or its pages are each other's neighbours."""
    rng = random.Random(3)
    body = [" ".join(rng.choices(FIELDS["steel"], k=200)) + "." for _ in range(30)]
    text = markdown("A galaxy", " ".join(rng.choices(["galaxy", *FIELDS["galaxy"]], k=220)) + ".", *body)
    library.add(write(tmp_path / "long.md", text))
    (long,) = [paper for paper in library.papers() if paper.title == "A galaxy"]
    assert len(list(library.passages(long.id))) > 20
    key = library.session.catalog.paper_key(long.id)
    assert not any(one.outlier for one in judged(library, [key, *keys(library, "galaxy", 9)], outlier_gamma=TIGHT))
    assert judged(library, [key, *keys(library, "steel", 9)], outlier_gamma=TIGHT)[0].outlier
    near = module._nearest(
        library.session.catalog, library.session.index, library.session.embedder.id, vectors(library, [key]), 12
    )
    assert [len(found) for found in near] == [12]


def test_a_library_that_cannot_be_written(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a search of somebody else's library fails where it only wanted to note something."""
    from conspectus.core.errors import LibraryReadOnlyError

    def refuse(*_: object) -> None:
        raise LibraryReadOnlyError("It can only be read.")

    monkeypatch.setattr(module, "transact", refuse)
    papers = keys(library, "galaxy", 5)
    first = judged(library, papers)
    assert first[0].cut is not None and library.session.catalog.meta("spread") == ""
    monkeypatch.setattr(module, "_measure_spread", None)
    assert judged(library, papers) == first, "within the process it is remembered"


def test_what_is_kept_is_damaged(library: Library) -> None:
    """A value that cannot be read is as if it were not there."""
    papers = keys(library, "galaxy", 5)
    first = judged(library, papers)
    from conspectus.store.connection import aside, transact

    for bad in ("", "{", "[1]", '{"model": 3}'):
        transact(library.session.catalog.engine, partial(put_meta, name="spread", value=bad), aside)
        module._known.clear()
        assert judged(library, papers) == first


def test_a_backup_and_counts_do_not_mind(library: Library) -> None:
    """What is kept is no change of the library: the index stays in step with it."""
    before = library.session.catalog.change()
    judged(library, keys(library, "galaxy", 5))
    assert library.session.catalog.change() == before and library.session.catalog.meta("spread")
    assert all(found.ok for found in library.doctor().findings if found.check in ("catalog", "index"))


@pytest.mark.parametrize(("name", "value"), [("outlier_gamma", 3), ("outlier_cut", "wide")])
def test_settings_out_of_bounds(tmp_path: Path, name: str, value: object) -> None:
    """A gamma of 10 for 0.10 would mark everything."""
    with pytest.raises(SettingsError):
        open_library(tmp_path / "lib", **{f"search__{name}": value})
