"""`export --to library`: everything that the catalog holds, a line each."""

import base64
import io
import json
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Filters, Library
from conspectus.core.errors import UsageError
from conspectus.core.job_context import Notice, listen
from conspectus.store.vectors import vectors_of
from helpers import HashEmbedder, markdown, open_library, snapshot, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

Lines = dict[str, list[dict[str, Any]]]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    records = [
        {"title": f"Record {number}", "doi": f"10.1000/{number}", "abstract": "It says something. It says more.",
         "authors": "Ågren, Ann; The Team", "year": 2000 + number, "schema": "mine", "references": ["10.1000/9"]}
        for number in range(4)
    ]  # fmt: skip
    body = "Cats purr [1]. Fig. 1 shows it."
    text = markdown("Record 0", body, doi="10.1000/0", authors="Ågren, Ann", keywords="cats, purring")
    write(tmp_path / "cats.md", text + "\nFigure 1: A cat.\n\n## References\n\n[1] Ann Ågren, On cats, 1999.\n")
    write(tmp_path / "empty.md", "")
    with open_library(tmp_path / "lib") as made:
        made.add([write_jsonl(tmp_path / "refs.jsonl", records), tmp_path / "cats.md", tmp_path / "empty.md"])
        yield made


def exported(library: Library, *names: str, filters: Filters | None = None, vectors: bool = False) -> Lines:
    out = io.StringIO()
    count = library.export("library", out, names, filters, vectors=vectors)
    found: Lines = defaultdict(list)
    for line in out.getvalue().splitlines():
        thing = json.loads(line)
        found[thing.pop("schema").removeprefix("conspectus.").removesuffix("/1")].append(thing)
    assert count == len(found["paper"])
    return found


def test_every_row_of_the_catalog_is_there(library: Library) -> None:
    """Else somebody who leaves, or looks for a mistake, finds that a part of the library stays behind."""
    rows, found = table_rows(library), exported(library, vectors=True)
    names = {"files": "file", "papers": "paper", "documents": "reading", "passages": "passage", "vectors": "vector"}
    for table, kind in names.items():
        assert len(found[kind]) == len(rows[table]) > 0, table
    assert sum(len(paper["known_as"]) for paper in found["paper"]) == len(rows["identifiers"])
    assert [vector["words"] is not None for vector in found["vector"]].count(True) == len(rows["token_vectors"])
    (head,) = found["library"]
    assert head["whole"] and head["vectors"]
    assert [(model["id"], model["dimensions"]) for model in head["models"]] == [row[1:] for row in rows["models"]]
    assert head["counts"]["papers"] == 4 and head["passages"] == {"chars": 1400, "overlap": 280}


def test_every_field_is_what_it_was(library: Library) -> None:
    """Else what is exported cannot be relied on."""
    found = exported(library, vectors=True)
    passages = {passage["passage"]: passage for passage in found["passage"]}
    for paper, said in snapshot(library).values():
        (line,) = [line for line in found["paper"] if line["paper"] == paper.id]
        assert line["record"]["title"] == paper.title and line["full_text"] == paper.has_full_text
        assert {file["path"] for file in line["files"]} == {file.path for file in paper.files}
        assert tuple(phrase["text"] for phrase in line["key_phrases"]) == paper.key_phrases
        assert all(0 < phrase["score"] < 1 for phrase in line["key_phrases"])
        for passage in said:
            written = passages.pop(passage.id)
            assert (written["text"], written["section"], written["kind"]) == (
                passage.text,
                passage.section,
                passage.kind,
            )
            assert [(span["id"], passage.text[span["start"] : span["end"]]) for span in written["spans"]] == [
                (span.id, span.text) for span in passage.spans
            ]
    assert not passages and any(line["key_phrases"] for line in found["paper"])
    vectors = {line["passage"]: line for line in found["vector"]}
    for key, stored in library.session.catalog.passages_by_key(library.session.catalog.passage_keys().tolist()).items():
        raw = np.frombuffer(base64.b64decode(vectors[stored.passage.id]["vector"]), "<f4")
        assert np.array_equal(raw, vectors_of(library.session.catalog, [key], HashEmbedder().id)[key])
    (cats,) = [line for line in found["reading"] if line["file"].endswith("cats.md")]
    assert cats["number"] == 0 and cats["references"] and cats["blocks"][0]["sentences"]
    (empty,) = [line for line in found["file"] if line["path"].endswith("empty.md")]
    assert empty["state"] == "failed" and empty["reason"]


def test_its_papers_can_be_added(library: Library, tmp_path: Path) -> None:
    """Else the one file that holds everything is the one that nobody can read again."""
    library.export("library", tmp_path / "all.jsonl", vectors=True)
    with open_library(tmp_path / "other", parse__linked=False) as other:
        report = other.add(tmp_path / "all.jsonl")
        assert [(row.papers, row.reason) for row in report.added] == [(4, "")]
        before = {paper.id: paper for paper in library.papers()}
        for paper in other.papers():
            known = before.pop(paper.id)
            assert (paper.title, paper.authors, paper.extra, paper.references, paper.year) == (
                known.title,
                known.authors,
                known.extra,
                known.references,
                known.year,
            )
        assert not before
    write(tmp_path / "odd.jsonl", '{"schema": "conspectus.paper/2", "title": "x"}\n{"title": "A record"}\n')
    (row,) = library.add(tmp_path / "odd.jsonl").added
    assert "conspectus.paper/2" in row.notes[0] and row.papers == 1


def test_some_of_the_papers_with_what_is_theirs(library: Library) -> None:
    """Else a part of a library cannot be handed on, or all of it is."""
    found = exported(library, "10.1000/2")
    assert [line["record"]["title"] for line in found["paper"]] == ["Record 2"]
    assert [Path(line["path"]).name for line in found["file"]] == ["refs.jsonl"]
    assert {line["paper"] for name in ("reading", "passage") for line in found[name]} == {found["paper"][0]["paper"]}
    assert not found["library"][0]["whole"] and not found["vector"]
    assert len(exported(library, filters=Filters(year=(2001, 2002)))["paper"]) == 2


def test_options_that_mean_nothing_are_refused(library: Library, tmp_path: Path) -> None:
    """Else somebody believes to have exported what is not there."""
    with pytest.raises(UsageError, match="always names the files"):
        library.export("library", tmp_path / "x.jsonl", files=False)
    with pytest.raises(UsageError, match="Vectors are not written as jsonl"):
        library.export("jsonl", tmp_path / "x.jsonl", vectors=True)
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.slow
@pytest.mark.again
@pytest.mark.usefixtures("collected")
def test_memory_does_not_grow_with_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the largest libraries are the ones that cannot be exported."""
    monkeypatch.setattr("conspectus.store.catalog.CHUNK", 50)  # papers are read so many at a time
    peaks = []
    for number in (100, 300):
        records = [{"title": f"Record {n}", "abstract": f"Abstract {n} says something. " * 9} for n in range(number)]
        with open_library(tmp_path / str(number)) as library:
            library.add(write_jsonl(tmp_path / f"{number}.jsonl", records))
            for _ in range(2):  # what is kept of the first time is not counted
                tracemalloc.start()
                assert library.export("library", tmp_path / "all.jsonl", vectors=True) == number
                peak = tracemalloc.get_traced_memory()[1]
                tracemalloc.stop()
            peaks.append(peak)
    assert peaks[1] < 1.3 * peaks[0], peaks  # of three times as many; the two differ a little from run to run
    assert (tmp_path / "all.jsonl").stat().st_size > 500_000


def test_vocabularies_and_what_was_said_of_names_come_along(library: Library, tmp_path: Path) -> None:
    """Whoever moves his library would say all of it again."""
    library.vocabularies.add(
        write(tmp_path / "cats.csv", "id,label,synonyms,broader\nC:1,purring,purr,\nC:2,joy,,C:1\n")
    )
    library.vocabularies.add(write(tmp_path / "moods.csv", "id,label\nM:1,delight\nM:2,9\n"))
    library.vocabularies.name("purr", "leave", concept="C:1")
    library.graph.merge("moods/M:1", "cats/C:2")
    library.export("library", tmp_path / "all.jsonl")
    found = exported(library)
    assert [(one["name"], one["languages"]) for one in found["vocabulary"]] == [("cats", ["en"]), ("moods", ["en"])]
    assert [one["id"] for one in found["concept"]] == ["C:1", "C:2", "M:1", "M:2"]
    assert found["entity-merge"][0]["into"] == "cats/C:2" and found["name-rule"][0]["verdict"] == "leave"
    assert not exported(library, next(library.papers()).id)["concept"], "a part has papers"
    with open_library(tmp_path / "other", parse__linked=False) as other:
        told: list[Notice] = []
        with listen(told.append, Notice):
            other.add(tmp_path / "all.jsonl")
        assert "2 vocabularies, 1 rules, 1 merges" in told[-1].text
        for name in ("C:1", "C:2", "M:2"):
            assert other.vocabularies.show(name) == library.vocabularies.show(name)
        assert [one.entity for one in other.graph.merges()] == ["M:1"]
        assert [(one.name, one.concept) for one in other.vocabularies.names()] == [("purr", "C:1")]
        other.graph.unmerge("M:1")
        other.add(tmp_path / "all.jsonl")
        assert not other.graph.merges(), "what is taken back stays so"
        assert [one.outcome for one in other.vocabularies.add(tmp_path / "cats.csv", name="cats").vocabularies] == [
            "updated"
        ]


def test_names_that_are_none_are_left_out_and_told_of(tmp_path: Path) -> None:
    """Who moves his library would miss a rule, and not know that it was lost on the way."""
    told: list[Notice] = []
    lines = [
        {"schema": "conspectus.vocabulary/1", "name": "x" * 101},
        {"schema": "conspectus.concept/1", "vocabulary": "nobody", "id": "A", "label": "a"},
        {"schema": "conspectus.name-rule/1", "name": "!!!", "verdict": "use"},
        {"schema": "conspectus.name-rule/1", "name": "a", "verdict": "perhaps"},
        {"schema": "conspectus.entity-merge/1", "entity": "A", "into": "B"},
    ]
    with open_library(tmp_path / "lib") as library:
        with listen(told.append, Notice):
            library.add(write_jsonl(tmp_path / "odd.jsonl", [*lines, {"title": "A record"}]))
        assert "2 lines of names" in told[-1].text and "such as line 1:" in told[-1].text
        assert not library.vocabularies.list() and not library.vocabularies.names() and not library.graph.merges()
