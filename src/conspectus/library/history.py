"""The verbs of `Library` that look after answers, prompts and what was spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Unpack, cast, get_args

from conspectus.errors import UntrustedError, UsageError
from conspectus.library.asking import Asking, AskKeywords
from conspectus.records import Answer, AskOptions, Rerun
from conspectus.settings import set_name, without_user
from conspectus.settings.standing import origin, remedy

if TYPE_CHECKING:
    from conspectus.catalog.calls import By
    from conspectus.catalog.stored_records import AnswerRow, SavedAnswer, Totals
    from conspectus.export.output import Output
    from conspectus.llm.prompting import Prompts
    from conspectus.records.events import Event
    from conspectus.records.notes import Notes, PagePicture


class Recall(Asking):
    """The part of `Library` that looks after what was asked."""

    def answers(self, limit: int | None = None, conversation: str = "") -> tuple[AnswerRow, ...]:
        """The answers that the library keeps, the newest first; of one conversation (any name of it), by its turns."""
        from conspectus.catalog import answers, conversations

        name = conversations.find(self._catalog, conversation).id if conversation else ""
        return answers.listed(self._catalog, limit, name)

    def answer(self, name: str = "last") -> Answer:
        """The answer called `name`: its id, the beginning of it, or `last`.

        Quotes are copied from the library as it is now; a statement whose source is gone says so.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
        """
        return self.saved_answer(name).answer

    def saved_answer(self, name: str = "last") -> SavedAnswer:
        """`answer`, with how it was asked for."""
        from conspectus.answer.rendering import prose
        from conspectus.catalog import answers

        return answers.load(self._catalog, name, prose)

    def remove_answer(self, name: str) -> AnswerRow:
        """Remove an answer with its evidence; returns its row. What models answered stays, and what it took.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            LibraryReadOnlyError: the library cannot be written.
        """
        from conspectus.catalog import answers
        from conspectus.catalog.engine import aside, transact

        row = answers.find(self._catalog, name)
        transact(self._catalog.engine, lambda connection: answers.remove(connection, row.id), aside)
        return row

    def rerun(
        self, name: str = "last", tell: Callable[[Event], None] | None = None, **changed: Unpack[AskKeywords]
    ) -> Rerun:
        """Ask again what was asked, with the same options and filters; says what has changed.

        A question of a conversation is asked as it was understood, outside the conversation. What models answered
        since is used, also where it was asked without that then (`cache=False`).

        Args:
            name: as for `answer`.
            tell: told the events as they come.
            changed: options that go before those of then.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            UntrustedError: the answer names a language model, and the library is neither made here nor trusted. Else as
                `ask`.
        """
        from conspectus.answer.changes import compared
        from conspectus.records.events import Done

        saved = self.saved_answer(name)
        before, options = saved.answer, replace(saved.options, conversation="")
        self._check_named(options, changed)
        again: AskKeywords = {**cast(AskKeywords, asdict(replace(options, cache=True))), **changed}
        for event in self.events(before.standalone or before.question, saved.filters, **again):
            if tell:
                tell(event)
            if isinstance(event, Done):
                return compared(before, event.answer)
        raise AssertionError("events end with `Done`, or with an error")

    def _check_named(self, options: AskOptions, changed: AskKeywords) -> None:
        """A catalog from elsewhere may name any address as the model that was asked."""
        named = {"model": options.model, "second_opinion": options.second_opinion}
        for name, model in named.items():
            if set_name(model) and name not in changed and not self._standing.whole:
                raise UntrustedError(
                    f"The answer was made with {name} '{without_user(model)}', and the library {origin(self.folder)}.",
                    f"Name a model yourself. {remedy(self.folder)}",
                )

    def export_answer(self, name: str, to: str, output: Output, *, pictures: bool = True) -> Answer:
        """Write an answer with its sources and quotes; returns it.

        Args:
            name: as for `answer`.
            to: `md` (with footnotes), `html` (a page that needs nothing else), `json` (as `ask --json`) or `bib` (the
                papers that it cites, as BibTeX).
            output: a file, which is replaced when all is written, or anything with `write(text)`.
            pictures: behind the notes of `html` and `md` stand pictures of the pages, the cited sentences lit up; those
                of `md` in a folder beside the file.

        Raises:
            NotFoundError: no answer, or more than one, is called so.
            UsageError: no such format, or the file cannot be written.
        """
        from conspectus.export.answer import write

        found = self.answer(name)
        write(found, to, output, self._drawn if pictures else None)
        return found

    def _drawn(self, notes: Notes) -> dict[int, tuple[PagePicture, ...]]:
        """The pages behind notes."""
        from conspectus.library import pictures

        return pictures.of_notes(notes, self._documents, self.settings.parse)

    def usage(self, since: str = "", by: By = "day", answer: str = "") -> tuple[Totals, ...]:
        """What language models took, added up.

        Args:
            since: a day or a moment, ISO 8601, UTC; "": from the first on.
            by: what is added up together: `day`, `model`, `role`, `prompt` or `answer`.
            answer: the calls made for one answer only, by any name of it; "": all.

        Raises:
            UsageError: `since` is no date, or `by` is none of these.
            NotFoundError: there is no such answer.
        """
        from conspectus.catalog import answers, calls

        if by not in get_args(calls.By):
            raise UsageError(f"Nothing is added up by '{by}'.", f"There are: {', '.join(get_args(calls.By))}.")
        named = answers.find(self._catalog, answer).id if answer else None
        return calls.spent(self._catalog, _moment(since), by, named)

    @property
    def prompts(self) -> Prompts:
        """What is asked of language models: an iterable of `Prompt`, with `get(name)` and `copy(name)`."""
        return self._prompts


def _moment(text: str) -> str:
    """A date as the catalog compares it.

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return ""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"'{text}' is not a date.", "Write 2026-01-31, or 2026-01-31T12:00.") from error
    if found.tzinfo is not None:
        found = found.astimezone(UTC)
    return found.replace(tzinfo=UTC).isoformat(timespec="seconds")
