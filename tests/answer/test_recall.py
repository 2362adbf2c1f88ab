"""What `Library` does with answers afterwards: lists, asks again, adds up; on both kinds of catalog."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from conspectus import Filters, Library
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.job_context import listen
from conspectus.records.events import Done, Event, Text
from helpers import markdown, open_library, write
from language_server import Say, serve_script
from oracle import evidence, reader

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
QUESTION = "When do cats purr?"
PURR = "Cats purr at 25 hertz when they are warm."
SLEEP = "Cats purr at 30 hertz in their sleep."


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add([write(tmp_path / "cats.md", markdown("Cats", PURR, authors="Katz, Ada", year="2001"))])
        yield made


def test_a_grown_library_answers_anew_and_says_what_is_new(library: Library, tmp_path: Path) -> None:
    """Who asks again after adding papers would have to compare the two answers by eye."""
    told: list[Event] = []
    with serve_script(reader("purr")) as server:
        first = library.ask(QUESTION, Filters(year=(2000, 2005)), model=server.url, kind="single")
        assert not library.answers.rerun(first.id[:8]).changed
        library.add([write(tmp_path / "more.md", markdown("Sleep", SLEEP, authors="Li, Bo", year="2003"))])
        library.add([write(tmp_path / "late.md", markdown("Late", SLEEP + " Now.", authors="Li, Bo", year="2020"))])
        with listen(told.append, *get_args(Event)):
            found = library.answers.rerun(first.id)
        assert [one.text for one in found.new] == [SLEEP] and not found.gone and found.changed
        assert [paper.title for paper in found.new_sources] == ["Sleep"], "the filters of then hold"
        assert found.after.kind == "single" and found.after.answered
        other = library.answers.rerun(first.id, model="none")
        assert other.after.method == "extractive"
    assert isinstance(told[-1], Done)
    assert [row.question for row in library.answers.list()] == [QUESTION] * 4
    assert len(library.answers.list(limit=1)) == 1 and library.answers.list()[0].id == other.after.id


def test_an_answer_of_a_conversation_is_asked_again_outside_of_it(library: Library) -> None:
    """Asking again would add turns to a conversation, or ask "and why?" of nothing."""
    from conspectus.answer.sql import begin_conversation
    from conspectus.store.connection import aside, transact

    transact(library.session.catalog.engine, lambda link: begin_conversation(link, "con-1", "Cats"), aside)
    with serve_script(reader("purr")) as server:
        first = library.ask(QUESTION, model=server.url, conversation="con-1")
        again = library.answers.rerun(first.id).after
    assert [row.id for row in library.answers.list(conversation="con-1")] == [first.id]
    assert library.answers.show(again.id).conversation == ""
    with pytest.raises(NotFoundError):
        library.answers.list(conversation="con-2")


def test_an_answer_asked_without_the_cache_is_asked_again_with_it(library: Library) -> None:
    """Each time it is asked again it would be paid for again."""
    with serve_script(reader("purr")) as server:
        first = library.ask(QUESTION, model=server.url, cache=False)
        library.ask(QUESTION, model=server.url)
        calls = len(server.requests)
        again = library.answers.rerun(first.id).after
        assert len(server.requests) == calls and again.usage.from_cache == again.usage.calls > 0
        assert library.answers.show(again.id).options.cache
        library.answers.rerun(first.id, cache=False)
        assert len(server.requests) > calls


def test_usage_is_added_up(library: Library) -> None:
    """What a month has cost could not be told, nor which answer was the dear one."""
    with serve_script(reader("purr")) as server:
        first = library.ask(QUESTION, model=server.url)
        library.ask(QUESTION, model=server.url)
        calls = len(server.requests)
    for by in ("day", "model", "role", "prompt", "answer"):
        rows = library.usage(by=by).rows  # type: ignore[arg-type]
        assert sum(row.calls for row in rows) == sum(row.from_cache for row in rows) == calls
    assert [row.name for row in library.usage(by="answer", answer=first.id).rows] == [first.id]
    day = library.usage().rows[0].name
    since_day, since_moment = library.usage(since=day), library.usage(since=f"{day}T00:00+00:00")
    assert since_day.rows == since_moment.rows == library.usage().rows
    assert library.usage(since="2999-01-01").rows == ()
    for wrong in ({"since": "last week"}, {"by": "hour"}):
        with pytest.raises(UsageError):
            library.usage(**wrong)  # type: ignore[arg-type]


def test_a_removed_answer_is_gone_and_what_it_took_is_not(library: Library) -> None:
    """A user could not take a question out, or would lose the account of it."""
    with serve_script(reader("purr")) as server:
        first = library.ask(QUESTION, model=server.url)
    before = library.usage()
    assert library.answers.remove(first.id).question == QUESTION
    assert library.answers.list() == () and library.usage() == before
    with pytest.raises(NotFoundError):
        library.answers.show(first.id)


def test_papers_are_counted_exactly(library: Library, tmp_path: Path) -> None:
    """A count would be a guess, or would forget the filters."""
    records = [markdown(f"Dogs {n}", "Dogs bark. " * (n + 1), year=str(2000 + n)) for n in range(5)]
    library.add([write(tmp_path / f"d{n}.md", text) for n, text in enumerate(records)])
    assert library.count("dog barks").papers == 5
    assert library.count("dog barks", Filters(year=(2001, 2003))).papers == 3
    assert library.count(filters=Filters(year=(2001, None))).papers == 5
    assert library.count().papers == 6
    assert library.count("unicorn").papers == 0
    assert "No paper has the author 'Nobody'" in library.count("dogs", Filters(author=("Nobody",))).note


def test_a_better_text_takes_the_place_of_the_first(library: Library) -> None:
    """Two texts of a nuanced answer would run into each other on the screen."""

    def better(body: dict[str, object]) -> Say:
        claims = [{"text": "Cats purr when warm.", "evidence": list(evidence(body))[:1]}]
        return Say(object={"answerable": True, "statements": claims, "missing": ""})

    async def pieces() -> list[Text]:
        stream = library.stream(QUESTION, model=server.url, kind="nuanced")
        return [event async for event in stream if isinstance(event, Text)]

    with serve_script(reader("purr", better=better)) as server:
        told = asyncio.run(pieces())
    fresh = [number for number, event in enumerate(told) if event.fresh]
    assert len(fresh) == 2 and fresh[0] == 0
    assert "".join(event.text for event in told[fresh[1] :]) == "Cats purr when warm."
