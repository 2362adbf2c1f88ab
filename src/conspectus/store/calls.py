"""What models answered, kept by the content of what they were asked; what all calls took; what hangs on papers.

Calls are written beside whoever holds the library's writer lock, and change nothing that the index follows. Where the
library can only be read they raise `LibraryReadOnlyError`, and the caller goes on without keeping. What models were
told of papers, and said of them, goes with these: it may repeat their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, Engine, case, delete, func, insert, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite

from conspectus.models.language import Reply
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader, aside, insert_rows, rows_in, split_chunks, transact, utc_now
from conspectus.store.schema import (
    answer_papers,
    answers,
    call_papers,
    calls,
    edits,
    evidence,
    notes,
    papers,
    set_papers,
    spending,
)
from conspectus.store.stored_records import Spent, Totals

NO_TRACE = pack([])


def lock_papers(connection: Connection, paper_ids: Iterable[str]) -> dict[str, int]:
    """The keys of those of the papers that are there, by their ids; none of them can go before the transaction ends."""
    query = select(papers.c.id, papers.c.key).order_by(papers.c.key).with_for_update(read=True, key_share=True)
    return {row.id: row.key for row in rows_in(connection, query, papers.c.id, sorted(set(paper_ids)))}


def forget_calls(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Delete what models said when they had words of these papers before them; answers stay, without their traces."""
    _lock_keys(connection, paper_keys)
    for chunk in split_chunks(paper_keys):
        called = select(call_papers.c.call_key).where(call_papers.c.paper_key.in_(chunk))
        connection.execute(delete(calls).where(calls.c.key.in_(called)))
        made_of = select(answer_papers.c.answer_key).where(answer_papers.c.paper_key.in_(chunk))
        connection.execute(update(answers).where(answers.c.key.in_(made_of)).values(trace=NO_TRACE))
        connection.execute(delete(evidence).where(evidence.c.paper_key.in_(chunk)))


def move_user_data(connection: Connection, old: int, new: int) -> None:
    """Let what is kept about a paper belong to the one that takes it up; what that has of it already stays."""
    _lock_keys(connection, (old, new))
    for table in (call_papers, set_papers, edits):
        own = [column for column in table.columns if column.name != "paper_key"]
        key = next(column for column in own if column.primary_key)
        known = select(key).where(table.c.paper_key == new)
        moved = select(literal(new), *own).where(table.c.paper_key == old, key.not_in(known))
        connection.execute(insert(table).from_select(["paper_key", *(column.name for column in own)], moved))
    for table in (answer_papers, evidence, notes):
        connection.execute(update(table).where(table.c.paper_key == old).values(paper_key=new))


def _lock_keys(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Let nobody keep more of these papers until the transaction ends (SQLite has one writer anyway)."""
    if connection.dialect.name != "sqlite":
        for chunk in split_chunks(sorted(paper_keys)):
            query = select(papers.c.key).where(papers.c.key.in_(chunk)).order_by(papers.c.key)
            connection.execute(query.with_for_update())


Call = tuple[str, Reply, Iterable[str]]
"""A digest of what was asked (at most 64 characters), what came back, and the ids of the papers whose words were in
what was asked: also in earlier turns of a conversation."""

_reply = msgspec.msgpack.Decoder(Reply)


def read_replies(catalog: CatalogReader, digests: Sequence[str]) -> dict[str, Reply]:
    """Digest -> reply, of those that are kept."""
    found: dict[str, Reply] = {}
    for row in catalog.rows_where(select(calls.c.digest, calls.c.reply), calls.c.digest, dict.fromkeys(digests)):
        with suppress(msgspec.DecodeError):  # of another version's shape: asked again
            found[row.digest] = _reply.decode(row.reply)
    return found


def keep_calls(engine: Engine, made: Sequence[Call] = (), spent: Sequence[Spent] = ()) -> None:
    """Keep calls, and what calls took, in one transaction; a reply takes the place of one that is kept.

    It was asked for again because the other could not be used, or was not to be. Whose words were in what was asked is
    added to what is known of that.

    A call is left out if one of its papers has been removed since: no trace of it may come back.

    Raises:
        LibraryReadOnlyError: the library cannot be written.
        BusyError: somebody else has been writing to it for too long.
    """
    if made or spent:
        transact(engine, lambda connection: _keep_calls(connection, made, spent), aside)


def _keep_calls(connection: Connection, made: Sequence[Call], spent: Sequence[Spent]) -> None:
    insert_rows(connection, spending, [asdict(row) for row in spent])
    named = {digest: (reply, tuple(dict.fromkeys(papers))) for digest, reply, papers in made}
    there = lock_papers(connection, (paper for _, papers in named.values() for paper in papers))
    whole = {
        digest: (reply, [there[paper] for paper in papers])
        for digest, (reply, papers) in sorted(named.items())  # in one order, or two processes wait for each other
        if there.keys() >= set(papers)
    }
    if not whole:
        return
    now = utc_now()
    rows = [{"digest": digest, "made": now, "reply": pack(reply)} for digest, (reply, _) in whole.items()]
    dialect: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
    new = dialect.insert(calls)
    newest = {"reply": new.excluded.reply, "made": new.excluded.made}
    connection.execute(new.on_conflict_do_update(index_elements=["digest"], set_=newest), rows)
    query = select(calls.c.digest, calls.c.key).order_by(calls.c.digest).with_for_update(read=True, key_share=True)
    links = [
        {"call_key": row.key, "paper_key": paper}
        for row in rows_in(connection, query, calls.c.digest, whole)
        for paper in whole[row.digest][1]
    ]
    if links:
        connection.execute(dialect.insert(call_papers).on_conflict_do_nothing(), links)


By = Literal["day", "model", "role", "prompt", "answer"]
_GROUPS = {
    "day": func.substr(spending.c.at, 1, 10),
    "model": spending.c.model,
    "role": spending.c.role,
    "prompt": spending.c.prompt,
    "answer": spending.c.answer_id,
}


def sum_spending(
    catalog: CatalogReader, since: str = "", by: By = "day", answer: str | None = None
) -> tuple[Totals, ...]:
    """What calls took, one `Totals` a group, in the order of their names.

    Args:
        since: ISO 8601, UTC, a day or a moment: what came before is left out; "": from the first on.
        by: what is added up together; a day is one of UTC.
        answer: the id of the answer that the calls were made for, of all where None.
    """
    group = _GROUPS[by]
    asked, cached = case((spending.c.from_cache, 0), else_=1), case((spending.c.from_cache, 1), else_=0)
    sums = {
        "calls": func.sum(asked),
        "from_cache": func.sum(cached),
        "failed": func.sum(case((spending.c.failed, 1), else_=0)),
        "prompt_tokens": func.sum(spending.c.prompt_tokens * asked),
        "cached_tokens": func.sum(spending.c.cached_tokens * asked),
        "completion_tokens": func.sum(spending.c.completion_tokens * asked),
        "unpriced": func.sum(case((spending.c.cost.is_(None) & ~spending.c.from_cache, 1), else_=0)),
        "cost": func.sum(func.coalesce(spending.c.cost, 0.0) * asked),
        "saved": func.sum(func.coalesce(spending.c.cost, 0.0) * cached),
        "seconds": func.sum(spending.c.seconds * asked),
    }
    query = select(group.label("name"), *(total.label(name) for name, total in sums.items())).where(
        spending.c.at >= since
    )
    if answer is not None:
        query = query.where(spending.c.answer_id == answer)
    rows = catalog.rows(query.group_by(group).order_by(group))
    # a server adds whole numbers up to decimal ones
    whole = Totals.__dataclass_fields__.keys() - {"name", "cost", "saved", "seconds"}
    values: list[dict[str, Any]] = [
        {name: int(value) if name in whole else value for name, value in row._mapping.items()} for row in rows
    ]
    return tuple(Totals(**one) for one in values)
