"""What models were told of papers, and said of them, goes with the papers: it may repeat their words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, exists, insert, literal, select, update

from conspectus.catalog.codec import pack
from conspectus.catalog.connected import chunks
from conspectus.catalog.schema import answer_papers, answers, call_papers, calls, evidence, papers

NO_TRACE = pack([])


def hold(connection: Connection, paper_ids: Iterable[str]) -> dict[str, int]:
    """The keys of those of the papers that are there, by their ids; none of them can go before the transaction ends."""
    found: dict[str, int] = {}
    for chunk in chunks(sorted(set(paper_ids))):
        query = select(papers.c.id, papers.c.key).where(papers.c.id.in_(chunk)).order_by(papers.c.key)
        rows = connection.execute(query.with_for_update(read=True, key_share=True))
        found.update((row.id, row.key) for row in rows)
    return found


def forget(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Delete what models said when they had words of these papers before them; answers stay, without their traces."""
    _lock(connection, paper_keys)
    for chunk in chunks(paper_keys):
        called = select(call_papers.c.call_key).where(call_papers.c.paper_key.in_(chunk))
        connection.execute(delete(calls).where(calls.c.key.in_(called)))
        made_of = select(answer_papers.c.answer_key).where(answer_papers.c.paper_key.in_(chunk))
        connection.execute(update(answers).where(answers.c.key.in_(made_of)).values(trace=NO_TRACE))
        connection.execute(delete(evidence).where(evidence.c.paper_key.in_(chunk)))


def follow(connection: Connection, old: int, new: int) -> None:
    """Let what was said of a paper belong to the one that takes it up."""
    _lock(connection, (old, new))
    other = call_papers.alias()
    known = exists().where(other.c.call_key == call_papers.c.call_key, other.c.paper_key == new)
    moved = select(call_papers.c.call_key, literal(new)).where(call_papers.c.paper_key == old, ~known)
    connection.execute(insert(call_papers).from_select(["call_key", "paper_key"], moved))
    for table in (answer_papers, evidence):
        connection.execute(update(table).where(table.c.paper_key == old).values(paper_key=new))


def _lock(connection: Connection, paper_keys: Sequence[int]) -> None:
    """Let nobody keep more of these papers until the transaction ends (SQLite has one writer anyway)."""
    if connection.dialect.name != "sqlite":
        for chunk in chunks(sorted(paper_keys)):
            query = select(papers.c.key).where(papers.c.key.in_(chunk)).order_by(papers.c.key)
            connection.execute(query.with_for_update())
