"""A retracted paper is marked wherever it is shown, written or cited, also in answers that were made before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.wire.encode import body
from helpers import catalog_flags, looked_at, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

NOTICE = {"kind": "retraction", "service": "crossref", "doi": "10.5555/r.1", "date": "2013-05-01"}
EELS: dict[str, Any] = {
    "title": "The travels of eels",
    "doi": "10.5555/eels",
    "authors": ["Ann Ågren"],
    "year": 2001,
    "abstract": "Eels travel at night along the coast of the Sargasso Sea.",
}
CATS = {"title": "The sleep of cats", "doi": "10.5555/cats", "abstract": "Cats sleep by day.", "checked": "2026-01-01"}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def add(library: Library, folder: Path, **extra: Any) -> str:
    library.add(write_jsonl(folder / "works.jsonl", [EELS | extra, CATS]))
    return library.paper(EELS["doi"]).id


def test_in_results_and_lists(library: Library, tmp_path: Path) -> None:
    """A user would read on without knowing."""
    paper = add(library, tmp_path, notices=[NOTICE])
    result = library.search("eels travel at night")
    hit = result.hits[0]
    assert body(result)["hits"][0]["paper"]["publication_status"] == "retracted"
    assert (hit.paper.id, hit.paper.publication_status) == (paper, "retracted")
    listed = {one.title: body(one)["publication_status"] for one in library.papers()}
    assert listed == {"The travels of eels": "retracted", "The sleep of cats": ""}
    flags = catalog_flags(library.folder)
    assert "RETRACTED: The travels of eels" in result._repr_html_()
    for words in (["list"], ["show", paper]):
        done = CliRunner().invoke(app, ["--library", str(library.folder), *words], env=flags)
        assert "RETRACTED: The travels of eels" in done.output, done.output
    assert "retracted 2013-05-01 (crossref, 10.5555/r.1)" in done.output


def test_by_a_condition(library: Library, tmp_path: Path) -> None:
    """Retracted papers could not be left out of a search, or be listed."""
    paper = add(library, tmp_path, notices=[NOTICE])
    assert [hit.paper.id for hit in library.search("has:retraction").hits] == [paper]
    assert paper not in [hit.paper.id for hit in library.search("sleep OR travel -has:retraction").hits]
    add(library, tmp_path)
    assert library.search("has:retraction").hits == ()


def test_in_answers_kept_and_new(library: Library, tmp_path: Path) -> None:
    """An answer would go on citing a paper that was retracted since."""
    add(library, tmp_path)
    answer = library.ask("When do eels travel along the coast of the Sargasso Sea?")
    assert answer.answered and "retracted" not in answer.text
    add(library, tmp_path, notices=[NOTICE])
    kept = library.answers.show(answer.id).answer
    assert ", retracted]" in kept.statements[0].citations[0].marker
    assert "RETRACTED: The travels of eels" in str(kept)
    again = json.dumps(body(library.ask(answer.question)))
    assert ", retracted]" in again and '"publication_status": "retracted"' in again


@pytest.mark.parametrize(
    ("notice", "said"),
    [
        (NOTICE | {"date": "2999-05-01"}, "Retracted since this answer was made: Ågren 2001 (2999-05-01)."),
        (NOTICE | {"date": ""}, "Retracted since this answer was made: Ågren 2001."),
        (NOTICE, "Retracted, which was not known when this answer was made: Ågren 2001 (2013-05-01)."),
        (NOTICE | {"kind": "concern", "date": "2999"}, "Under an expression of concern since this answer was made: "
         "Ågren 2001 (2999)."),
        (NOTICE | {"kind": "correction"}, ""),
    ],
)  # fmt: skip
def test_a_kept_answer_says_what_was_retracted_since(
    library: Library, tmp_path: Path, notice: dict[str, str], said: str
) -> None:
    """Who reads an old answer would not learn that its source fell after it was made; a new one says nothing of it."""
    add(library, tmp_path)
    answer = library.ask("When do eels travel along the coast of the Sargasso Sea?")
    assert library.answers.show(answer.id).answer.note == answer.note
    add(library, tmp_path, notices=[notice])
    assert library.answers.show(answer.id).answer.note == f"{answer.note} {said}".strip()
    new = library.ask(answer.question, model="none")
    assert library.answers.show(new.id).answer.note == new.note


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("bibtex", "note = {Retracted 2013-05-01 (crossref, 10.5555/r.1). Old}"),
        ("ris", "N1  - Retracted 2013-05-01 (crossref, 10.5555/r.1). Old"),
        ("csl", '"status":"retracted 2013-05-01 (crossref, 10.5555/r.1)"'),
        ("csv", ",retracted\r\n"),
    ],
)
def test_in_exports(library: Library, tmp_path: Path, to: str, said: str) -> None:
    """A manuscript would cite a retracted paper as a sound one."""
    add(library, tmp_path, notices=[NOTICE], note="Old")
    path = tmp_path / "out.txt"
    library.export(to, path)
    text = path.read_bytes().decode()
    assert said.replace(" ", "") in text.replace(" ", "") and text.count("etracted") == 1 + text.count(":retracted")


def test_doctor(library: Library, tmp_path: Path) -> None:
    """Nobody would learn of retracted papers of a large library, or that none was ever looked for."""
    paper = add(library, tmp_path)
    (found,) = (one for one in looked_at(library) if one.check == "retractions")
    assert found.detail == "1 paper not checked for retractions"
    add(library, tmp_path, notices=[NOTICE])
    (found,) = (one for one in looked_at(library) if one.check == "retractions")
    assert (found.ok, found.detail) == (True, f"1 retracted: Ågren 2001 ({paper})")
