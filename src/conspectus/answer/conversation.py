"""The conversations of a library that is open: those that it keeps, and what it cannot keep, as long as it is open."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from conspectus.answer import sql
from conspectus.answer.prose import prose
from conspectus.answer.stored_answers import make_title
from conspectus.core.errors import LibraryReadOnlyError
from conspectus.records import Answer
from conspectus.records.answer import Conversation, SavedConversation
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside, transact, utc_now

if TYPE_CHECKING:
    from conspectus.session.session import Session

NOT_KEPT = "This turn of the conversation is not kept: it is known only until the library is closed."


class Conversations:
    """Conversations, by name; turns that could not be kept are remembered here, so that they can be gone on with."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._begun: dict[str, Conversation] = {}
        self._turns: dict[str, list[Answer]] = {}

    def begin(self, title: str = "", answer: str = "") -> str:
        """Begin a conversation, with an answer as its first turn where one is named; returns its id.

        An answer that is in a conversation stays there: then the id of that. Where the library can only be read, it is
        not kept (see `keeps`).
        """
        first = sql.find_answer(self._catalog, answer) if answer else None
        if first and first.conversation:
            return first.conversation
        conversation_id = sql.new_conversation_id(self._catalog)

        def begin(connection: Connection) -> None:
            sql.begin_conversation(connection, conversation_id=conversation_id, title=title)
            if first:
                sql.join_conversation(connection, first, conversation_id)

        try:
            transact(self._catalog.engine, begin, aside)
        except LibraryReadOnlyError:
            now = utc_now()
            self._begun[conversation_id] = Conversation(
                conversation_id, title or (make_title(first.question) if first else ""), now, now
            )
            if first:
                self._turns[conversation_id] = [sql.load_answer(self._catalog, first.id, prose).answer]
        return conversation_id

    def keeps(self, conversation_id: str) -> bool:
        """Whether the library keeps a conversation."""
        return conversation_id not in self._begun

    def find(self, name: str) -> Conversation:
        """The conversation called `name`; see `answers.find_conversation`."""
        return self._begun.get(name) or sql.find_conversation(self._catalog, name)

    def turns(self, conversation_id: str, last: int | None = None) -> tuple[Answer, ...]:
        """The answers of a conversation in their order, or the last ones of them."""
        unsaved_answers = self._turns.get(conversation_id, [])
        if not self.keeps(conversation_id):
            return tuple(unsaved_answers[-last:] if last else unsaved_answers)
        with self._catalog.snapshot() as at_once:
            rows = sql.list_answers(at_once, None, conversation_id)
            saved_answers = [sql.load_answer(at_once, row.id, prose).answer for row in (rows[-last:] if last else rows)]
        both = sorted([*saved_answers, *unsaved_answers], key=lambda answer: answer.made)
        return tuple(both[-last:] if last else both)

    def read(self, name: str) -> SavedConversation:
        """A conversation with its answers."""
        conversation = self.find(name)
        return SavedConversation(conversation, self.turns(conversation.id))

    def remember(self, conversation_id: str, answer: Answer) -> Answer:
        """Take note of a turn that the library does not keep; returns it with a note that says so."""
        noted_answer = replace(answer, note=f"{answer.note} {NOT_KEPT}".strip())
        self._turns.setdefault(conversation_id, []).append(noted_answer)
        if begun := self._begun.get(conversation_id):
            title = begun.title or make_title(answer.question)
            count = len(self._turns[conversation_id])
            self._begun[conversation_id] = replace(begun, title=title, updated=answer.made, turns=count)
        return noted_answer

    def rename(self, name: str, title: str) -> Conversation:
        """Give a conversation another title; returns it."""
        conversation = self.find(name)
        if conversation.id in self._begun:
            self._begun[conversation.id] = replace(conversation, title=title)
        else:
            transact(self._catalog.engine, lambda link: sql.rename_conversation(link, conversation.id, title), aside)
        return self.find(conversation.id)

    def remove(self, name: str) -> Conversation:
        """Remove a conversation with its answers; returns it as it was."""
        conversation = self.find(name)
        self._turns.pop(conversation.id, None)
        if self._begun.pop(conversation.id, None) is None:
            transact(self._catalog.engine, lambda link: sql.remove_conversation(link, conversation.id), aside)
        return conversation


def open_conversations(session: Session) -> Conversations:
    """The conversations of an open library, the same ones until it is closed."""
    return session.parts.of(partial(Conversations, session.catalog), "conversations")
