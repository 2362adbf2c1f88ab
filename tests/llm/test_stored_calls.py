"""Calls of models: kept by what was asked, beside whoever writes, and what they took."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.core.errors import LibraryReadOnlyError
from conspectus.llm import sql as llm_sql
from conspectus.llm.sql import Spent
from conspectus.models.language import ModelReply, Tokens, ToolCall
from conspectus.records.usage import Totals
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.lock import writer_lock
from helpers import assert_consistent, catalog_flags, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
READ_ONLY = "?options=-cdefault_transaction_read_only%3Don"
REPLY = ModelReply("Yes.", (ToolCall("1", "search", "{}"),), "tools", Tokens(10, 4, 2), 0.5, 1.25)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        made.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides"}, {"title": "Dunes"}]))
        yield made


def test_a_reply_comes_back_as_it_was(library: Library) -> None:
    """Else what is asked again costs again, or another thing is answered from the cache than from the model."""
    catalog, change = library.session.catalog, library.session.catalog.change()
    paper = library.paper("Tides").id
    odd = ModelReply("half \ud83d a pair, a \0 and “quotes”")
    llm_sql.keep_calls(catalog.engine, [("a" * 64, REPLY, [paper, paper]), ("b", odd, [])])
    llm_sql.keep_calls(catalog.engine, [("c", REPLY, ())])
    found = llm_sql.read_replies(catalog, ["c", "a" * 64, "b", "never"])
    assert found == {"a" * 64: REPLY, "c": REPLY, "b": ModelReply("half \ufffd a pair, a \0 and “quotes”")}
    assert len(table_rows(library)["call_papers"]) == 1
    assert llm_sql.read_replies(catalog, []) == {} and catalog.change() == change, (
        "the index would be made anew for nothing"
    )
    llm_sql.keep_calls(catalog.engine)
    assert_consistent(library)


def test_the_newest_reply_is_kept(library: Library) -> None:
    """Else one that cannot be used is asked for again, and paid for, for ever; or outlives the paper it was made of."""
    catalog, first, second = library.session.catalog, library.paper("Tides").id, library.paper("Dunes").id
    llm_sql.keep_calls(catalog.engine, [("a", ModelReply("useless"), [first]), ("b", REPLY, [second])])
    llm_sql.keep_calls(catalog.engine, [("a", REPLY, [first, second])])
    assert llm_sql.read_replies(catalog, ["a", "b"]) == {"a": REPLY, "b": REPLY}
    rows = table_rows(library)
    assert (len(rows["calls"]), len(rows["call_papers"])) == (2, 3)
    library.remove(second)
    assert llm_sql.read_replies(catalog, ["a", "b"]) == {}
    assert_consistent(library)


def test_a_reply_of_another_version_is_asked_for_again(library: Library) -> None:
    """Else a change of the program's own records makes the whole library useless."""
    llm_sql.keep_calls(library.session.catalog.engine, [("a", REPLY, []), ("b", REPLY, [])])
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE calls SET reply = :raw WHERE digest = 'a'"), {"raw": b"\x81\xa1x"})
    assert set(llm_sql.read_replies(library.session.catalog, ["a", "b"])) == {"b"}


def test_nothing_is_kept_of_a_paper_that_is_gone(library: Library) -> None:
    """Else an answer that was on its way when its paper was removed brings the paper's words back."""
    gone, left = library.paper("Tides").id, library.paper("Dunes").id
    library.remove(gone)
    llm_sql.keep_calls(library.session.catalog.engine, [("a", REPLY, [gone, left]), ("b", REPLY, [left])])
    assert set(llm_sql.read_replies(library.session.catalog, ["a", "b"])) == {"b"}


def test_many_keep_the_same_at_once(library: Library) -> None:
    """Else two who ask the same at the same time get an error, or wait for each other for ever."""
    paper, failed = library.paper("Tides").id, []
    made = [(f"d{number:02}", REPLY, [paper]) for number in range(30)]

    def keep(turn: int) -> None:
        try:
            for _ in range(4):
                llm_sql.keep_calls(
                    library.session.catalog.engine, made[::turn], [Spent(at="2026-01-01", role="write", model="m")]
                )
        except Exception as error:  # noqa: BLE001 - told by the test
            failed.append(error)

    threads = [threading.Thread(target=keep, args=[turn]) for turn in (1, -1, 1, -1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed and not any(thread.is_alive() for thread in threads)
    assert len(llm_sql.read_replies(library.session.catalog, [digest for digest, *_ in made])) == 30
    rows = table_rows(library)
    assert (len(rows["calls"]), len(rows["call_papers"]), len(rows["spending"])) == (30, 30, 16)


def test_it_waits_for_no_lock(library: Library) -> None:
    """Else nobody gets an answer while a night's `add` runs."""
    with writer_lock(library.session.catalog, library.folder, wait=0):
        llm_sql.keep_calls(
            library.session.catalog.engine, [("a", REPLY, [])]
        )  # who waits for the lock gets an error in the end
    assert set(llm_sql.read_replies(library.session.catalog, ["a"])) == {"a"}


def test_a_library_that_can_only_be_read_is_called_so(library: Library, both_catalogs: str, tmp_path: Path) -> None:
    """Else who may only read gets no answer at all, where only the keeping of it fails."""
    library.close()
    with pytest.MonkeyPatch.context() as patch:
        if both_catalogs == "postgres":
            flags = catalog_flags(tmp_path / "lib")
            reader = Catalog(tmp_path / "none", flags["catalog.url"] + READ_ONLY, flags["catalog.schema"])
        else:
            patch.setattr("conspectus.store.sqlite.os.access", lambda *_: False)  # the superuser may write everywhere
            reader = Catalog(tmp_path / "lib" / "catalog.sqlite")
    with reader:
        for act in (
            lambda: llm_sql.keep_calls(reader.engine, [("a", REPLY, [])]),
            lambda: llm_sql.keep_calls(reader.engine, spent=[Spent(at="2026-01-01", role="write", model="m")]),
        ):
            with pytest.raises(LibraryReadOnlyError) as caught:
                act()
            assert caught.value.exit_code == 4 and caught.value.hint
        assert llm_sql.read_replies(reader, ["a"]) == {} and llm_sql.sum_spending(reader) == ()


def test_what_calls_took_is_added_up(library: Library) -> None:
    """Else a user learns from the bill what the month has cost."""
    catalog = library.session.catalog
    numbers = {"prompt_tokens": 100, "cached_tokens": 40, "completion_tokens": 10, "seconds": 1.5}
    rows = [
        Spent(at="2026-01-01T23:59:59+00:00", role="write", model="big", answer_id="ans-1", cost=0.25, **numbers),
        Spent(at="2026-01-02T00:00:00+00:00", role="judge", model="big", answer_id="ans-1", cost=0.5, **numbers),
        Spent(at="2026-01-02T01:00:00+00:00", role="judge", model="own", failed=True, **numbers),
        Spent(at="2026-01-02T01:00:01+00:00", role="write", model="big", cost=0.25, from_cache=True, **numbers),
    ]
    llm_sql.keep_calls(catalog.engine, spent=rows)
    first, second = llm_sql.sum_spending(catalog)
    assert first == Totals("2026-01-01", 1, 0, 0, 100, 40, 10, 0, 0.25, 0.0, 1.5)
    assert second == Totals("2026-01-02", 2, 1, 1, 200, 80, 20, 1, 0.5, 0.25, 3.0)
    assert all(type(value) is int for value in (second.calls, second.prompt_tokens, second.unpriced))
    assert [(one.name, one.calls, one.cost) for one in llm_sql.sum_spending(catalog, by="model")] == [
        ("big", 2, 0.75),
        ("own", 1, 0.0),
    ]
    assert [one.name for one in llm_sql.sum_spending(catalog, since="2026-01-02", by="role")] == ["judge", "write"]
    (mine,) = llm_sql.sum_spending(catalog, by="answer", answer="ans-1")
    assert (mine.name, mine.calls, mine.cost) == ("ans-1", 2, 0.75)
    library.remove("Tides")
    assert llm_sql.sum_spending(catalog) == (first, second)
    assert llm_sql.sum_spending(catalog, since="2027") == ()
