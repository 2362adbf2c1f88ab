"""What hangs on papers, and is not made of them: it follows a paper that another takes up.

What models were told of papers, and said of them, goes with them: it may repeat their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, literal, select, update

from conspectus.catalog.codec import pack
from conspectus.catalog.connection import rows_in, split_chunks
from conspectus.catalog.schema import (
    answer_papers,
    answers,
    call_papers,
    calls,
    edits,
    evidence,
    notes,
    papers,
    set_papers,
)

NO_TRACE = pack([])


def hold(connection: Connection, paper_ids: Iterable[str]) -> dict[str, int]:
    """The keys of those of the papers that are there, by their ids; none of them can go before the transaction ends."""
    query = select(papers.c.id, papers.c.key).order_by(papers.c.key).with_for_update(read=True, key_share=True)
    return {row.id: row.key for row in rows_in(connection, query, papers.c.id, sorted(set(paper_ids)))}


def forget(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Delete what models said when they had words of these papers before them; answers stay, without their traces."""
    _lock(connection, paper_keys)
    for chunk in split_chunks(paper_keys):
        called = select(call_papers.c.call_key).where(call_papers.c.paper_key.in_(chunk))
        connection.execute(delete(calls).where(calls.c.key.in_(called)))
        made_of = select(answer_papers.c.answer_key).where(answer_papers.c.paper_key.in_(chunk))
        connection.execute(update(answers).where(answers.c.key.in_(made_of)).values(trace=NO_TRACE))
        connection.execute(delete(evidence).where(evidence.c.paper_key.in_(chunk)))


def follow(connection: Connection, old: int, new: int) -> None:
    """Let what is kept about a paper belong to the one that takes it up; what that has of it already stays."""
    _lock(connection, (old, new))
    for table in (call_papers, set_papers, edits):
        own = [column for column in table.columns if column.name != "paper_key"]
        key = next(column for column in own if column.primary_key)
        known = select(key).where(table.c.paper_key == new)
        moved = select(literal(new), *own).where(table.c.paper_key == old, key.not_in(known))
        connection.execute(insert(table).from_select(["paper_key", *(column.name for column in own)], moved))
    for table in (answer_papers, evidence, notes):
        connection.execute(update(table).where(table.c.paper_key == old).values(paper_key=new))


def _lock(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Let nobody keep more of these papers until the transaction ends (SQLite has one writer anyway)."""
    if connection.dialect.name != "sqlite":
        for chunk in split_chunks(sorted(paper_keys)):
            query = select(papers.c.key).where(papers.c.key.in_(chunk)).order_by(papers.c.key)
            connection.execute(query.with_for_update())
