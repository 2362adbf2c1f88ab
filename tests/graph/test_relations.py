"""What a language model reads that sentences state of two entities: numbers only, counted, gone with the paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ServiceError, UnavailableError, UsageError
from graph.vocabularies import put_vocabulary
from helpers import markdown, open_library, table_rows, write
from language_server import LanguageServer, error, request_text, serve_script

pytestmark = pytest.mark.usefixtures("quick_pool")
RIGHT = {"relations": [{"first": 1, "second": 2, "spans": [1]}]}
TEXT = "Purring comes with warmth. Cats purr. A mouse is warm. Nobody knows why."


def answer(*relations: tuple[str, str, int]) -> Any:
    """A script that relates entities by their labels, with one sentence each."""

    def say(body: Mapping[str, Any]) -> dict[str, Any]:
        numbers = {
            name: int(number) for number, name in re.findall(r"^(\d+)\. (.+)$", request_text(body), re.MULTILINE)
        }
        said = ((numbers[one], numbers.get(two, 0), span) for one, two, span in relations if one in numbers)
        return {"relations": [{"first": one, "second": two, "spans": [span]} for one, two, span in said]}

    return say


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    made: list[Library] = []

    def opened(server: LanguageServer, **settings: Any) -> Library:
        library = open_library(tmp_path / "lib", language__model=server.url, **settings)
        made.append(library)
        library.add(write(tmp_path / "cats.md", markdown("Cats", TEXT)))
        put_vocabulary(library)
        library.graph.link()
        return library

    yield opened
    for library in made:
        library.close()


def test_what_is_stated_becomes_an_edge_with_the_papers_words(make: Any) -> None:
    with serve_script(answer(("purring", "warmth", 1), ("mouse", "", 3))) as server:
        library = make(server)
        report = library.graph.relate()
        assert (list(report.read.values()), report.relations, report.failed, report.left) == ([2], 2, {}, 0)
        (call,) = server.requests
        assert "[4] Nobody knows why." in request_text(call)
        assert library.graph.relate().usage.calls == 0, "it was read"
    edges = library.graph.show(["purring", "warmth"], depth=1).edges
    assert [(one.kind, one.examples[0].quote) for one in edges] == [
        ("stated", "Purring comes with warmth."),
        ("co-mention", "Purring comes with warmth."),
    ]


def test_sentences_that_speak_of_neither_carry_nothing(make: Any) -> None:
    with serve_script(answer(("purring", "warmth", 4))) as server:
        report = make(server).graph.relate()
    assert report.relations == 0 and "1 were left out" in report.notes[0]


def test_numbers_that_are_not_there_are_asked_for_again(make: Any) -> None:
    wrong = {"relations": [{"first": 1, "second": 2, "spans": [9]}]}
    with serve_script([wrong, RIGHT]) as server:
        library = make(server)
        assert library.graph.relate().relations == 1
        assert "no number 9" in request_text(server.requests[1])


def test_a_paper_that_cannot_be_read_is_told_and_tried_again(make: Any) -> None:
    with serve_script(
        [
            "no JSON",
            "none either",
            RIGHT,
        ]
    ) as server:
        library = make(server)
        report = library.graph.relate()
        assert list(report.failed) == [next(library.papers()).id] and not report.read
        assert library.graph.relate().relations == 1


def test_a_service_that_is_away_is_told(make: Any) -> None:
    with serve_script(lambda _: error(418)) as server:
        library = make(server)
        with pytest.raises(ServiceError):
            library.graph.relate()


def test_a_budget_ends_the_run_and_it_goes_on(make: Any, tmp_path: Path) -> None:
    with serve_script(lambda _: RIGHT) as server:
        library = make(server, language__concurrency=1, budget__tokens=480)
        library.add(write(tmp_path / "more.md", markdown("More cats", TEXT)))
        library.graph.link()
        report = library.graph.relate()
        assert (len(report.read), report.left) == (1, 1) and report.stopped
        again = library.graph.relate()
        assert (len(again.read), again.left, again.stopped) == (1, 0, "")


def test_nothing_is_paid_for_in_vain(make: Any, tmp_path: Path) -> None:
    with open_library(tmp_path / "other") as library:
        put_vocabulary(library)
        with pytest.raises(UsageError, match="No paper mentions"):
            library.graph.relate()
        library.add(write(tmp_path / "cats.md", markdown("Cats", TEXT)))
        library.graph.link()
        with pytest.raises(UnavailableError):
            library.graph.relate()


def test_what_changed_meanwhile_was_not_read(make: Any, tmp_path: Path) -> None:
    """It would count as read, and never be read as it is now."""

    def put(*more: str) -> None:
        library.add(write(tmp_path / "named.md", markdown("Named", TEXT, *more, doi="10.1000/182")))

    def meanwhile(body: Mapping[str, Any]) -> Any:
        if len(server.requests) == 1:
            put("Sleep brings warmth.")
        return {"relations": []}

    with serve_script(meanwhile) as server:
        library = make(server)
        library.remove(next(library.papers()).id)
        put()
        library.graph.link()
        report = library.graph.relate()
        assert (report.read, report.left) == ({}, 1) and "changed meanwhile" in report.notes[0]
        library.graph.link()
        assert list(library.graph.relate().read.values()) == [0]


def test_a_vocabulary_may_go_meanwhile(make: Any) -> None:
    def meanwhile(_: Mapping[str, Any]) -> Any:
        library.vocabularies.remove("Cats")
        return RIGHT

    with serve_script(meanwhile) as server:
        library = make(server)
        report = library.graph.relate()
    assert (report.read, report.relations, report.left) == ({}, 0, 1)
    assert not table_rows(library)["relations"]


def test_what_was_read_goes_with_its_paper(make: Any) -> None:
    with serve_script(answer(("purring", "warmth", 1))) as server:
        library = make(server)
        library.graph.relate()
        library.remove(next(library.papers()).id)
        assert not table_rows(library)["relations"]
