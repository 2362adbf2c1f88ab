"""Replies of models, by digests of what they were asked, and what all calls cost.

Calls are written beside whoever holds the library's writer lock, and change nothing that the index follows. In a
library that can only be read they raise `LibraryReadOnlyError`, and the caller goes on without keeping the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, case, func, select

from conspectus.models.language import ModelReply
from conspectus.records.usage import By, Totals
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader, aside, insert_rows, rows_in, transact, utc_now
from conspectus.store.removal import lock_papers
from conspectus.store.schema import (
    call_papers,
    calls,
    spending,
)

Call = tuple[str, ModelReply, Iterable[str]]
"""A digest of what was asked (at most 64 characters), what came back, and the ids of the papers whose words were in
what was asked: also in earlier turns of a conversation."""

_reply = msgspec.msgpack.Decoder(ModelReply)


def read_replies(catalog: CatalogReader, digests: Sequence[str]) -> dict[str, ModelReply]:
    """Digest -> reply, of those that are kept."""
    replies: dict[str, ModelReply] = {}
    for row in catalog.rows_where(select(calls.c.digest, calls.c.reply), calls.c.digest, dict.fromkeys(digests)):
        with suppress(msgspec.DecodeError):  # of another version's shape: asked again
            replies[row.digest] = _reply.decode(row.reply)
    return replies


def keep_calls(engine: Engine, new_calls: Sequence[Call] = (), spent: Sequence[Spent] = ()) -> None:
    """Keep calls, and what calls took, in one transaction; a reply takes the place of one that is kept.

    It was asked for again because the other could not be used, or was not to be. Whose words were in what was asked is
    added to what is known of that.

    A call is left out if one of its papers has been removed since: no trace of it may come back.

    Raises:
        LibraryReadOnlyError: the library cannot be written.
        BusyError: somebody else has been writing to it for too long.
    """
    if new_calls or spent:
        transact(engine, lambda connection: _keep_calls(connection, new_calls, spent), aside)


def _keep_calls(connection: Connection, new_calls: Sequence[Call], spent: Sequence[Spent]) -> None:
    insert_rows(connection, spending, [asdict(row) for row in spent])
    by_digest = {digest: (reply, tuple(dict.fromkeys(papers))) for digest, reply, papers in new_calls}
    there = lock_papers(connection, (paper for _, papers in by_digest.values() for paper in papers))
    storable = {
        digest: (reply, [there[paper] for paper in papers])
        for digest, (reply, papers) in sorted(by_digest.items())  # in one order, or two processes wait for each other
        if there.keys() >= set(papers)
    }
    if not storable:
        return
    now = utc_now()
    rows = [{"digest": digest, "made": now, "reply": pack(reply)} for digest, (reply, _) in storable.items()]
    dialect: Any = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    new = dialect.insert(calls)
    newest = {"reply": new.excluded.reply, "made": new.excluded.made}
    connection.execute(new.on_conflict_do_update(index_elements=["digest"], set_=newest), rows)
    query = select(calls.c.digest, calls.c.key).order_by(calls.c.digest).with_for_update(read=True, key_share=True)
    links = [
        {"call_key": row.key, "paper_key": paper}
        for row in rows_in(connection, query, calls.c.digest, storable)
        for paper in storable[row.digest][1]
    ]
    if links:
        connection.execute(dialect.insert(call_papers).on_conflict_do_nothing(), links)


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
    paid, cached = case((spending.c.from_cache, 0), else_=1), case((spending.c.from_cache, 1), else_=0)
    sums = {
        "calls": func.sum(paid),
        "from_cache": func.sum(cached),
        "failed": func.sum(case((spending.c.failed, 1), else_=0)),
        "prompt_tokens": func.sum(spending.c.prompt_tokens * paid),
        "cached_tokens": func.sum(spending.c.cached_tokens * paid),
        "completion_tokens": func.sum(spending.c.completion_tokens * paid),
        "unpriced": func.sum(case((spending.c.cost.is_(None) & ~spending.c.from_cache, 1), else_=0)),
        "cost": func.sum(func.coalesce(spending.c.cost, 0.0) * paid),
        "saved": func.sum(func.coalesce(spending.c.cost, 0.0) * cached),
        "seconds": func.sum(spending.c.seconds * paid),
    }
    query = select(group.label("name"), *(total.label(name) for name, total in sums.items())).where(
        spending.c.at >= since
    )
    if answer is not None:
        query = query.where(spending.c.answer_id == answer)
    rows = catalog.rows(query.group_by(group).order_by(group))
    # a server adds whole numbers up to decimal ones
    integers = Totals.__dataclass_fields__.keys() - {"name", "cost", "saved", "seconds"}
    values: list[dict[str, Any]] = [
        {name: int(value) if name in integers else value for name, value in row._mapping.items()} for row in rows
    ]
    return tuple(Totals(**totals) for totals in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one call took, made or answered from the cache (then: what it took when it was made).

    Attributes:
        at: ISO 8601, UTC.
        role: what the model was asked as: `write`, `judge` …
        model: the model's id.
        answer_id: of the answer that it was made for; "": none.
        prompt: the prompt's name and version; "": none.
        cost: in US dollars; None where the price is not known.
        seconds: what the server took.
        from_cache: whether the library had the reply.
        failed: whether it ended in an error.
    """

    at: str
    role: str
    model: str
    answer_id: str = ""
    prompt: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    from_cache: bool = False
    failed: bool = False
