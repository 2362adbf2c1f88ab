"""The verbs of `Library` for conversations: questions that build on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.library.history import Recall

if TYPE_CHECKING:
    from conspectus.catalog.stored_records import Conversation, SavedConversation
    from conspectus.export.output import Output


class Conversing(Recall):
    """The part of `Library` that looks after conversations."""

    def converse(self, title: str = "") -> str:
        """Begin a conversation; returns its id, for `ask(question, conversation=id)`.

        Without a title it has that of its first question. Where the library can only be read, the conversation is
        known until it is closed, and each answer's `note` says so.
        """
        return self._conversations.begin(title)

    def conversations(self, limit: int | None = None) -> tuple[Conversation, ...]:
        """The conversations that the library keeps, those first that went on last."""
        from conspectus.catalog import conversations

        return conversations.listed(self._catalog, limit)

    def conversation(self, name: str = "last") -> SavedConversation:
        """The conversation called `name`: its id, the beginning of it, or `last`; with its answers, in their order.

        Raises:
            NotFoundError: no conversation, or more than one, is called so.
        """
        return self._conversations.saved(name)

    def keeps_conversation(self, conversation_id: str) -> bool:
        """Whether a conversation outlasts the closing of the library."""
        return self._conversations.keeps(conversation_id)

    def rename_conversation(self, name: str, title: str) -> Conversation:
        """Give a conversation another title; returns it.

        Raises:
            NotFoundError: as `conversation`.
            LibraryReadOnlyError: the library cannot be written.
        """
        return self._conversations.rename(name, title)

    def remove_conversation(self, name: str) -> Conversation:
        """Remove a conversation with all its answers; returns it as it was.

        Raises:
            NotFoundError: as `conversation`.
            LibraryReadOnlyError: the library cannot be written.
        """
        return self._conversations.remove(name)

    def export_conversation(self, name: str, to: str, output: Output, *, pictures: bool = True) -> SavedConversation:
        """Write a conversation, each answer with its sources and quotes; returns it.

        Args:
            name: as for `conversation`.
            to: `md` (with footnotes), `html` (a page that needs nothing else), `json`, or `bib` (the papers cited).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            pictures: as in `export_answer`.

        Raises:
            NotFoundError: as `conversation`.
            UsageError: no such format, or the file cannot be written.
        """
        from conspectus.export.answer import write_conversation

        found = self.conversation(name)
        write_conversation(found, to, output, self._drawn if pictures else None)
        return found
