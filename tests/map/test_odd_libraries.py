"""Libraries of which there is little to map: a map, or a clear word."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import ConspectusError
from conspectus.map import map_pictures
from conspectus.map.regions import distances_from_region, find_outlying
from conspectus.wire import encode, html
from helpers import catalog_flags, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
TOPIC = "Quokkas hop at night and wombats dig burrows"
KINDS: dict[str, list[dict[str, Any]]] = {
    "empty": [],
    "one paper": [{"title": "Quokkas", "abstract": TOPIC, "year": 2001}],
    "three papers": [{"title": f"Q{n}", "abstract": f"{TOPIC} {n}.", "year": 2000 + n} for n in range(3)],
    "one topic": [{"title": f"Q{n}", "abstract": f"{TOPIC}, in {n} nights.", "year": 2000 + n % 9} for n in range(40)],
    "all the same": [{"title": "Quokkas", "id": f"q{n}", "abstract": TOPIC, "year": 2001} for n in range(30)],
    "no years": [{"title": f"Q{n}", "abstract": f"{TOPIC}, in {n} nights."} for n in range(20)],
    "no words": [{"title": f"{n}", "abstract": f"{n} {n + 1} {n + 2}."} for n in range(20)],
}
OVERLAYS = (
    *("density", "year", "citations", "reviews", "outliers", "keyword:quokkas", "query:quokkas", "author:Nobody"),
    *("vocabulary:none", "entity:none", "answer:last"),
)
HOSTILE = (
    *("x" * 100_000, "keyword:" + "(" * 5_000, "keyword:\x00\x1b[31m", "query:\x00", "query:" + "a " * 20_000),
    *(
        "author:%' OR 1=1 --",
        "entity:'; DROP TABLE maps; --",
        "vocabulary:../../etc",
        "answer:../../x",
        "author:\ud800",
    ),
    *("keyword:NOT", 'keyword:"', "query:<script>", "keyword:title:", ":", "year:2000", "reviews:all"),
)


@pytest.fixture(scope="module", params=KINDS)
def odd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One of these libraries, with its map where it has one."""
    folder = tmp_path_factory.mktemp("odd")
    with open_library(folder / "lib") as library:
        if KINDS[request.param]:
            library.add(write_jsonl(folder / "a.jsonl", KINDS[request.param]))
        yield library


def tried(act: Callable[[], object]) -> str:
    """What is said, where it cannot be done; anything else but an error with a remedy fails the test."""
    try:
        act()
    except ConspectusError as error:
        assert error.message and error.hint, error
        return error.message
    return ""


def test_all_verbs_of_the_map(odd: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who begins with three papers would get a traceback."""
    monkeypatch.setattr(map_pictures, "DPI", 20)
    monkeypatch.setattr(map_pictures, "GRID", 120)
    is_empty = not list(odd.papers())
    for of in ("papers", "passages"):
        assert bool(tried(lambda of=of: odd.map.build(of=of))) is is_empty  # type: ignore[misc]
        if not is_empty:
            found = odd.map.build(of=of)  # type: ignore[arg-type]
            assert np.isfinite(found.positions).all() and len({tuple(one) for one in found.positions.tolist()}) > 0
            assert all(len(odd.map.topics(level=level, of=of)) == len(found.at(level)) for level in range(3))  # type: ignore[arg-type]
            assert encode.body(odd.map.show(of=of, points=True))["points"] and "svg" in html.atlas(found)  # type: ignore[arg-type]
        for name in OVERLAYS:
            for since in (None, 2004):
                said = tried(lambda of=of, name=name, since=since: odd.map.overlay(name, of=of, since=since))  # type: ignore[misc]
                if not said:
                    shown = odd.map.overlay(name, of=of, since=since)  # type: ignore[arg-type]
                    assert len(shown) == len(found) and encode.body(shown)["regions"]
    for level in range(3):
        assert bool(tried(lambda level=level: odd.map.gaps(level=level))) is is_empty  # type: ignore[misc]
    acts = (lambda: odd.map.trends("quokkas"), lambda: odd.map.trends(author="x"), lambda: odd.map.trends(topic=1))
    for act in (*acts, lambda: odd.map.impact("quokkas"), lambda: odd.map.names("vocabulary")):
        tried(act)
    assert odd.map.trends("nobody says this").years == ()
    for terrain in (False, True):
        for overlay in ("", "reviews", "query:quokkas"):
            file = {"terrain" if terrain else "to": tmp_path / "a.png"}
            assert bool(tried(lambda file=file, overlay=overlay: odd.map.show(**file, overlay=overlay))) is is_empty


def test_hostile_overlays(odd: Library) -> None:
    """A name from a link would end in a traceback, or hang."""
    for name in HOSTILE:
        for since in (None, -5, 10**12):
            tried(lambda name=name, since=since: odd.map.overlay(name, since=since))  # type: ignore[misc]


def test_on_the_command_line(odd: Library, tmp_path: Path) -> None:
    """The same, as it is typed: never a traceback, and no exit code but those that are told."""
    flags = [f"--set={name}={value}" for name, value in catalog_flags(odd.folder).items()]
    start = [*flags, "--set=atlas.method=pca", "--library", str(odd.folder)]
    for words in (
        *(
            ["map", "show"],
            ["map", "build"],
            ["map", "topics"],
            ["map", "topics", "99"],
            ["map", "name", "99", "x"],
            ["map", "name", "1"],
        ),
        *(
            ["map", "gaps"],
            ["map", "trends", "--topic", "1"],
            ["map", "trends", "--author", "x"],
            ["map", "overlay", "reviews"],
        ),
        *(["map", "show", "--of", "passages", "--overlay", "year", "--since", "2004"], ["map", "build", "--refit"]),
        *(
            ["map", "show", "--to", str(tmp_path / "m.html")],
            ["map", "show", "--overlay", "year", "--to", str(tmp_path / "m.json")],
        ),
    ):
        for ending in ([], ["--json"]):
            done = CliRunner().invoke(app, [*start, *words, *ending])
            assert done.exit_code in (0, 2, 3), (words, done.output, done.exception)


def test_what_is_far_from_its_region_is_an_outlier() -> None:
    """Another's paper, added by mistake, would be seen by nobody."""
    chance = np.random.default_rng(1)
    near = np.eye(1, 8, dtype=np.float32) + chance.normal(0, 0.05, (40, 8)).astype(np.float32)
    vectors = np.concatenate([near, np.eye(1, 8, 5, dtype=np.float32)])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    regions = np.zeros(41, np.int64)
    far = distances_from_region(
        lambda: [(rows := np.arange(0, 20), vectors[rows]), (rest := np.arange(20, 41), vectors[rest])], regions
    )
    by_hand = [np.linalg.norm(vectors[n] - np.delete(vectors, n, 0).mean(axis=0)) for n in range(41)]
    assert far == pytest.approx(by_hand, abs=1e-5)
    assert find_outlying(far, regions)[40] and find_outlying(far, regions).sum() <= 4
    assert not find_outlying(far[-5:], regions[-5:]).any(), "of few nobody is one"
    assert np.isnan(distances_from_region(lambda: [(np.arange(1), vectors[:1])], np.arange(2))).all()
