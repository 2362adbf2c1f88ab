"""Whatever comes of a paper, in any order: its rows are those of one add, and unchanged sentences keep theirs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conspectus import Library
from conspectus.store import summaries
from conspectus.store.rows import local_name
from conspectus.store.summaries import digest_of
from helpers import (
    HashEmbedder,
    InlinePool,
    assert_consistent,
    markdown,
    open_library,
    summarise,
    table_rows,
    write,
    write_jsonl,
)
from natural import dump_library

pytestmark = pytest.mark.usefixtures("both_catalogs")
TITLE = "The hopping of quokkas at night"
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.integers(0, 2)),
        st.tuples(st.just("record"), st.integers(0, 2)),
        st.tuples(st.just("remove"), st.just(0)),
        st.tuples(st.just("model"), st.integers(0, 1)),
        st.tuples(st.just("summarise"), st.just(0)),
    ),
    min_size=2,
    max_size=6,
)


def text_of(version: int) -> str:
    said = [f"Quokkas hop in figure {number}. {'They rest by day. ' * 40}It is {number}." for number in range(3)]
    return markdown(TITLE, *said[: 3 - version], "They drink at dusk." if version else "They drink at dawn.")


def record_of(version: int) -> dict[str, Any]:
    more = [{}, {"doi": "10.1000/q", "venue": "Felis"}, {"doi": "10.1000/q", "year": 2001, "authors": ["Quill, Ann"]}]
    return {"title": TITLE, "files": ["quokka.md"], **more[version]}


def hanging(library: Library) -> dict[tuple[str, str], int]:
    """(paper, what a passage is called within it) -> the key of its row."""
    rows = library.session.catalog.passages_by_key(library.session.catalog.passage_keys().tolist())
    return {(one.passage.paper_id, local_name(one.passage.id)): key for key, one in rows.items()}


def take(folder: Path, library: Library, step: tuple[str, int]) -> None:
    what, number = step
    if what == "text":
        library.add(write(folder / "quokka.md", text_of(number)))
    elif what == "record":
        library.add(write_jsonl(folder / "refs.jsonl", [record_of(number)]))
    elif what == "remove":
        for paper in list(library.papers()):
            library.remove(paper.id)
    elif what == "summarise":
        for paper in list(library.papers()):
            summarise(library, paper.id)
        library.search("quokkas")  # which brings the index up


def said_of(library: Library) -> dict[tuple[str, ...], str]:
    """What a paper says -> its id."""
    return {tuple(one.text for one in library.passages(paper.id)): paper.id for paper in library.papers()}


@settings(
    max_examples=settings.default.max_examples // 5, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(steps=STEPS)
def test_any_order_gives_the_rows_of_one_add(steps: list[tuple[str, int]]) -> None:
    """Else what a user noted at a sentence goes when a BibTeX record arrives, or depends on which file came first."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        folder, model = Path(name), 0
        for step in steps:
            model = step[1] if step[0] == "model" else model
            with open_library(folder / "grown", HashEmbedder(f"hash/{model}")) as library:
                before = hanging(library)
                if step[0] == "model":
                    library.reindex()
                take(folder, library, step)
                after = hanging(library)
                assert {one: before[one] for one in before.keys() & after.keys()} == {
                    one: after[one] for one in before.keys() & after.keys()
                }
        with (
            open_library(folder / "grown", HashEmbedder(f"hash/{model}")) as grown,
            open_library(folder / "built", HashEmbedder(f"hash/{model}")) as built,
        ):
            built.add([Path(row.path) for row in grown.status().files])
            there = said_of(built)
            for said, paper_id in said_of(grown).items():
                if grown.summaries(paper_id):
                    summarise(built, there[said])
            built.search("quokkas")
            words = ("quokkas", "dusk", "dawn")
            left, right = (dump_library(one, words, dois=False) for one in (grown, built))
            for table in right:
                assert left[table] == right[table], table
            assert_consistent(grown)


@pytest.mark.usefixtures("quick_pool")
def test_what_hangs_on_a_paper_follows_it_into_another(tmp_path: Path) -> None:
    """Else a record that turns out to be of a file takes the summaries, and all that hangs on sentences, along."""
    with open_library(tmp_path / "lib") as library:
        record = {"title": TITLE, "doi": "10.1000/q"}
        refs = write_jsonl(tmp_path / "refs.jsonl", [record])
        text = write(tmp_path / "quokka.md", text_of(0).replace(TITLE, "Untitled"))
        library.add(refs)
        library.add(text)
        catalog = library.session.catalog
        (paper,) = (paper for paper in library.papers() if paper.has_full_text)
        own = list(library.passages(paper.id))
        summarise(library, paper.id)
        before = {name: key for (owner, name), key in hanging(library).items() if owner == paper.id}
        library.add(write_jsonl(refs, [{**record, "files": ["quokka.md"]}]))
        (whole,) = library.papers()
        assert whole.id != paper.id and whole.has_full_text
        after = {name: key for (_, name), key in hanging(library).items()}
        assert {name: after.get(name) for name in before} == before
        (short,) = library.summaries(whole.id)
        assert library.citation(short.sources[0])[2].text == own[0].spans[0].text
        assert short.digest == digest_of(library.passages(whole.id)) and summaries.summarised(catalog) == {whole.id}
        assert paper.id not in str(table_rows(library)["passages"])
        assert_consistent(library)
