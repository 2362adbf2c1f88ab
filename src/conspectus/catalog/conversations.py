"""Conversations: questions that build on each other, in their order (see `catalog.answers` for the turns)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from conspectus.catalog.answers import LAST, key_of, new_id, now
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.schema import answers, conversations
from conspectus.catalog.stored_records import Conversation
from conspectus.core.errors import NotFoundError

PREFIX = "con-"


def new_conversation_id(catalog: Catalog) -> str:
    """An id that no conversation has."""
    return new_id(catalog, conversations, PREFIX)


def begin(connection: Connection, conversation_id: str, title: str) -> None:
    """Begin a conversation; `connection` is from `engine.aside`.

    Raises:
        LibraryReadOnlyError: the library cannot be written.
    """
    began = now()
    connection.execute(insert(conversations).values(id=conversation_id, title=title, made=began, updated=began))


def rename(connection: Connection, conversation_id: str, title: str) -> None:
    """Give a conversation another title."""
    connection.execute(update(conversations).where(conversations.c.id == conversation_id).values(title=title))


def remove(connection: Connection, conversation_id: str) -> None:
    """Delete a conversation with all its answers."""
    connection.execute(delete(conversations).where(conversations.c.id == conversation_id))


def listed(catalog: Catalog, limit: int | None = None) -> tuple[Conversation, ...]:
    """Conversations, those first that went on last."""
    newest = (conversations.c.updated.desc(), conversations.c.key.desc())
    return _read(catalog, _query().order_by(*newest).limit(limit))


def find(catalog: Catalog, name: str) -> Conversation:
    """The conversation called `name`: its id, the beginning of it, or `last` (the one that went on last).

    Raises:
        NotFoundError: none, or more than one.
    """
    if name == LAST:
        if not (found := listed(catalog, 1)):
            raise NotFoundError("There are no conversations in the library yet.", "`chat` begins one.")
        return found[0]
    key = key_of(catalog, conversations, "conversation", PREFIX, name)
    return _read(catalog, _query().where(conversations.c.key == key))[0]


def _query() -> Select[Any]:
    turns = select(func.count()).where(answers.c.conversation_key == conversations.c.key).scalar_subquery()
    return select(conversations, turns.label("turns"))


def _read(catalog: Catalog, query: Select[Any]) -> tuple[Conversation, ...]:
    return tuple(Conversation(row.id, row.title, row.made, row.updated, row.turns) for row in catalog.rows(query))
