"""Kept searches: what is looked for again, and which works each has found."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records.sources import KeptSearch
from conspectus.store.connection import CatalogReader, insert_rows, utc_now
from conspectus.store.schema import kept_finds, kept_searches


def list_searches(catalog: CatalogReader) -> tuple[KeptSearch, ...]:
    """The kept searches, the oldest first."""
    counted = (
        select(func.count()).where(kept_finds.c.search_key == kept_searches.c.key).scalar_subquery().label("known")
    )
    return tuple(map(_search, catalog.rows(select(kept_searches, counted).order_by(kept_searches.c.key))))


def query_of(catalog: CatalogReader, name: str) -> tuple[int, dict[str, Any], tuple[str, ...]]:
    """The key, the query and the services of a kept search.

    Raises:
        NotFoundError: there is none of this name.
    """
    for row in catalog.rows(select(kept_searches).where(kept_searches.c.term == name_term(name))):
        return row.key, json.loads(row.query), tuple(json.loads(row.services))
    raise NotFoundError(f"There is no kept search '{name}'.", "`sources followed` lists them.")


def check_free(catalog: CatalogReader, name: str) -> None:
    """See that no kept search has a name.

    Raises:
        UsageError: one has.
    """
    if catalog.scalar(select(kept_searches.c.key).where(kept_searches.c.term == name_term(name))) is not None:
        raise _name_taken(name)


def _name_taken(name: str) -> UsageError:
    return UsageError(f"There is a kept search '{name}' already.", "Give this one another name (`name=NAME`).")


def add_search(
    connection: Connection, name: str, query: dict[str, Any], services: Sequence[str], finds: Collection[str]
) -> None:
    """Keep a search, with what it finds now.

    Raises:
        UsageError: another one has the name.
    """
    if connection.scalar(select(kept_searches.c.key).where(kept_searches.c.term == name_term(name))) is not None:
        raise _name_taken(name)
    now = utc_now()
    values = {"name": name, "term": name_term(name), "query": json.dumps(query), "services": json.dumps(list(services))}
    made = connection.execute(insert(kept_searches).values(**values, made=now, asked=now))
    assert made.inserted_primary_key is not None
    _add_finds(connection, made.inserted_primary_key[0], finds)


def known_finds(catalog: CatalogReader, search_key: int) -> set[str]:
    """The digests of what a search has found."""
    return {
        row.digest for row in catalog.rows(select(kept_finds.c.digest).where(kept_finds.c.search_key == search_key))
    }


def note_news(connection: Connection, search_key: int, finds: Iterable[str]) -> None:
    """What a search found now, and that it was asked."""
    connection.execute(update(kept_searches).where(kept_searches.c.key == search_key).values(asked=utc_now()))
    known = set(connection.scalars(select(kept_finds.c.digest).where(kept_finds.c.search_key == search_key)))
    _add_finds(connection, search_key, set(finds) - known)


def drop_search(connection: Connection, search_key: int) -> None:
    """Forget a search."""
    connection.execute(delete(kept_searches).where(kept_searches.c.key == search_key))


def _add_finds(connection: Connection, search_key: int, finds: Iterable[str]) -> None:
    insert_rows(connection, kept_finds, [{"search_key": search_key, "digest": digest} for digest in sorted(finds)])


def name_term(name: str) -> str:
    """A kept search's name, for comparing."""
    return " ".join(name.casefold().split())


def _search(row: Row[Any]) -> KeptSearch:
    from conspectus.sources.queries import describe_query, query_of_fields

    words = describe_query(query_of_fields(json.loads(row.query)))
    return KeptSearch(row.name, words, tuple(json.loads(row.services)), row.made, row.asked, row.known)
