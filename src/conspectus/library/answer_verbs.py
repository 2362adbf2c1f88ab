"""What users do with answers and conversations that the library keeps: list, show, ask again, judge, remove."""

from __future__ import annotations

import io
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal, cast

from conspectus.answer import sql as answer_sql
from conspectus.answer.conversation import open_conversations
from conspectus.core.errors import ForbiddenError, NotFoundError, UsageError
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget
from conspectus.library.history import saved_answer, saved_conversation, usage
from conspectus.library.library_folder import is_configured
from conspectus.library.questions import AskKeywords, job, used_models
from conspectus.records import AnswerKind, AskOptions, Depth, Rerun, Use
from conspectus.records.answer import AnswerRow, Conversation, Preferred, SavedAnswer, SavedConversation, Weighting
from conspectus.records.curation import (
    LONGEST_NOTE,
    Feedback,
    FeedbackExport,
    Judgement,
    checked_text,
    checked_verdict,
)
from conspectus.records.events import Done
from conspectus.session.session import Session
from conspectus.settings import without_user
from conspectus.store.connection import aside, transact, utc_now

AnswerName = Annotated[
    str, Option("Id of an answer, the beginning of it, or last.", metavar="ANSWER", max_length=200, example="last")
]
ConversationName = Annotated[
    str,
    Option("Id of a conversation, the beginning of it, or last.", metavar="CONVERSATION", max_length=200),
]
Title = Annotated[str, Option("Title.", metavar="TITLE", max_length=500, example="Grid cells")]
AtMost = Annotated[int | None, Option("Maximum number of results (default: all).", ge=1, metavar="N")]
Model = Annotated[
    str | None, Option("Language model to ask; none for quotes without a model.", metavar="MODEL", max_length=200)
]
Switch = bool | None


class AnswerVerbs(VerbGroup, name="answers"):
    """Answers and conversations that the library keeps, and feedback on them."""

    @verb(http="GET /answers", key="answers")
    def list(
        self,
        *,
        limit: AtMost = None,
        conversation: Annotated[
            str, Option("Only answers of this conversation, in their order.", metavar="CONVERSATION", max_length=200)
        ] = "",
    ) -> tuple[AnswerRow, ...]:
        """List the answers that the library keeps, the newest first.

        Wherever an answer is asked for, `last` is the newest one, and the beginning of an id is enough.

        Raises:
            NotFoundError: there is no such conversation.
        """
        name = answer_sql.find_conversation(self.session.catalog, conversation).id if conversation else ""
        return answer_sql.list_answers(self.session.catalog, limit, name)

    @verb(http="GET /answers/{name}")
    def show(self, name: AnswerName = "last") -> SavedAnswer:
        """Show an answer with its evidence, drafts and steps, how it was asked for, and what each model took.

        Its quotes are copied from the library as it is now. A statement whose source was removed says so.

        Raises:
            NotFoundError: there is no such answer, or more than one.
        """
        saved = saved_answer(self.session, name)
        return replace(saved, models=usage(self.session, by="model", answer=saved.answer.id))

    @verb(http="DELETE /answers/{name}", key="removed", writes=True)
    def remove(self, name: AnswerName) -> AnswerRow:
        """Remove an answer with its evidence. What language models replied stays, and what it cost.

        Raises:
            NotFoundError: there is no such answer, or more than one.
            LibraryReadOnlyError: the library cannot be written to.
        """
        row = answer_sql.find_answer(self.session.catalog, name)
        transact(self.session.catalog.engine, lambda connection: answer_sql.remove_answer(connection, row.id), aside)
        return row

    @verb(http="POST /answers/{name}/rerun", job=True, writes=True, live=True)
    def rerun(
        self,
        name: AnswerName = "last",
        *,
        model: Model = None,
        kind: Annotated[AnswerKind | None, Option("Kind of answer.")] = None,
        level: Annotated[str | None, Option("Whom the answer is for.", metavar="WHOM", max_length=200)] = None,
        language: Annotated[
            str | None, Option("Language of the answer: es, Spanish.", metavar="NAME", max_length=200)
        ] = None,
        depth: Annotated[Depth | None, Option("How much to read.")] = None,
        agent: Annotated[Switch, Option("Let the model choose what to do next.")] = None,
        auto: Annotated[Switch, Option("Use the settings that suit the kind of question.")] = None,
        strict: Annotated[Switch, Option("Leave out unsupported statements.")] = None,
        background: Annotated[Switch, Option("Also add what the model itself knows, separately.")] = None,
        second_opinion: Annotated[
            str | None, Option("Second model, which may overrule the answer.", metavar="MODEL", max_length=200)
        ] = None,
        read_figures: Annotated[Switch, Option("Also add what a model reads in the figures, separately.")] = None,
        online: Annotated[Switch, Option("Search online first, and add what is found.", faces=("cli",))] = None,
        use: Annotated[Use | None, Option("Search papers' own passages, their summaries, or both.")] = None,
        weight: Annotated[
            tuple[Preferred, ...] | None, Option("Give papers a slight preference by this.", max_items=10)
        ] = None,
        weighting: Annotated[Weighting | None, Option("How weights are applied.")] = None,
        cache: Annotated[Switch, Option("Use what models have replied before.")] = None,
        budget: Budget = None,
    ) -> Rerun:
        """Ask a question again in the same way, and say what has changed.

        The library, the prompts and the models are those of now; options that you name replace those of then. A model
        is not asked again what it has replied before, nor are papers searched online, unless you say so. A question of
        a conversation is asked as it was understood, outside the conversation.

        Raises:
            NotFoundError: there is no such answer, or more than one.
            ForbiddenError: the answer was made with a language model that you have named neither in a question nor in
                your settings. Otherwise as `ask`.
        """
        from conspectus.answer.changes import compared

        overrides: dict[str, Any] = {
            **{"model": model, "kind": kind, "level": level, "language": language, "depth": depth, "agent": agent},
            **{"auto": auto, "strict": strict, "background": background, "second_opinion": second_opinion},
            **{"read_figures": read_figures, "online": online, "use": use, "cache": cache},
            **{"weight": weight, "weighting": weighting},
        }
        changed = {name: value for name, value in overrides.items() if value is not None}
        session = self.session.with_settings(budget or {})
        saved = saved_answer(session, name)
        before, options = saved.answer, replace(saved.options, conversation="")
        _check_models(session, options, changed)
        keywords = cast(AskKeywords, asdict(replace(options, cache=True, online=None)) | changed)
        for event in session.loop.events(job(session, before.standalone or before.question, saved.filters, keywords)):
            if isinstance(event, Done):
                return compared(before, event.answer)
        raise AssertionError("events end with `Done`, or with an error")

    @verb(http="GET /feedback", key="feedback")
    def feedback(
        self,
        answer: Annotated[
            str, Option("Only on this answer: its id, or last.", metavar="ANSWER", max_length=200, example="last")
        ] = "",
    ) -> tuple[Feedback, ...]:
        """List feedback on an answer, or on all answers.

        Raises:
            NotFoundError: there is no such answer, or more than one.
        """
        name = answer_sql.find_answer(self.session.catalog, answer).id if answer else ""
        return answer_sql.list_feedback(self.session.catalog, name)

    @verb(http="POST /answers/{name}/feedback", key="feedback", writes=True)
    def judge(
        self,
        name: AnswerName = "last",
        *,
        verdict: Annotated[Judgement | None, Option("Whether it is good.", example="up")] = None,
        comment: Annotated[
            str | None,
            Option(
                "Why, in at most 20,000 characters; an empty comment takes it back.",
                metavar="TEXT",
                max_length=10 * LONGEST_NOTE,
            ),
        ] = None,
        statement: Annotated[
            int, Option("Number of a statement, from 1; 0 is the whole answer.", ge=0, le=10**6, metavar="N")
        ] = 0,
        remove: Annotated[bool, Option("Take back the verdict and the comment.", faces=("cli",))] = False,
    ) -> tuple[Feedback, ...]:
        """Give feedback on an answer or on one of its statements. Returns all feedback on the answer.

        A verdict or a comment that you do not give stays as it was; an empty one is taken back.

        Raises:
            NotFoundError: there is no such answer, or more than one; or it has no such statement.
            UsageError: there is no such verdict, or the comment is too long; or nothing is said.
        """
        if remove and not (verdict is None and comment is None):
            raise UsageError("Feedback is either given or taken back.", "Leave out `remove=True`, or what is said.")
        saved = answer_sql.load_answer(self.session.catalog, name).answer
        if not 0 <= statement <= len(saved.statements):
            raise NotFoundError(
                f"The answer '{saved.id}' has no statement {statement}.",
                f"It has {len(saved.statements)}, numbered from 1; 0 is the answer itself.",
            )
        values = {
            "verdict": "" if remove else verdict if verdict is None else checked_verdict(verdict),
            "comment": "" if remove else comment if comment is None else checked_text(comment, "comment"),
        }
        transact(
            self.session.catalog.engine,
            lambda connection: answer_sql.put_feedback(connection, saved.id, statement, utc_now(), **values),
            aside,
        )
        return answer_sql.list_feedback(self.session.catalog, saved.id)

    @verb("export-feedback")
    def export_feedback(
        self,
        *,
        to: Annotated[Literal["csv", "jsonl"], Option("Format.")] = "csv",
        output: Annotated[str, Option("File to write, instead of standard output.", metavar="FILE", short="o")] = "",
    ) -> FeedbackExport:
        """Write all feedback, each entry with the words that it is about.

        Raises:
            UsageError: there is no such format, or the file cannot be written.
        """
        from conspectus.export.write import write

        text = io.StringIO(newline="")
        count = write(self.feedback(), lambda name: saved_answer(self.session, name).answer, to, output or text)
        return FeedbackExport(to, count, output, text.getvalue())

    @verb(http="GET /conversations", key="conversations")
    def conversations(self, *, limit: AtMost = None) -> tuple[Conversation, ...]:
        """List the conversations that the library keeps, the most recent first.

        `conspectus chat --resume ID` continues one, `conspectus export ID --to md` writes it to a file.
        """
        return answer_sql.list_conversations(self.session.catalog, limit)

    @verb("begin-conversation", http="POST /conversations", key="id", writes=True, status=201, command=False)
    def begin_conversation(self, title: Title = "", answer: AnswerName = "") -> str:
        """Begin a conversation, and return its id: a question that names it continues it.

        A conversation without a title gets that of its first question. It can begin with an answer; one that is in a
        conversation stays there, and the id of that is returned. If the library cannot be written to, the conversation
        is known until it is closed, and each answer's `note` says so.

        Raises:
            NotFoundError: there is no such answer, or more than one.
        """
        return open_conversations(self.session).begin(title, answer)

    @verb(http="GET /conversations/{name}", key="conversation")
    def conversation(self, name: ConversationName = "last") -> SavedConversation:
        """Show a conversation with its answers.

        Raises:
            NotFoundError: there is no such conversation, or more than one.
        """
        return saved_conversation(self.session, name)

    @verb("rename-conversation", http="PATCH /conversations/{name}", key="renamed", writes=True)
    def rename_conversation(self, name: ConversationName, title: Title) -> Conversation:
        """Give a conversation another title.

        Raises:
            NotFoundError: there is no such conversation, or more than one.
            LibraryReadOnlyError: the library cannot be written to.
        """
        return open_conversations(self.session).rename(name, title)

    @verb("remove-conversation", http="DELETE /conversations/{name}", key="removed", writes=True)
    def remove_conversation(self, name: ConversationName) -> Conversation:
        """Remove a conversation with all its answers. Returns it as it was.

        Raises:
            NotFoundError: there is no such conversation, or more than one.
            LibraryReadOnlyError: the library cannot be written to.
        """
        return open_conversations(self.session).remove(name)

    def keeps_conversation(self, conversation_id: str) -> bool:
        """Whether a conversation outlasts the closing of the library."""
        return open_conversations(self.session).keeps(conversation_id)


def _check_models(session: Session, options: AskOptions, changed: dict[str, Any]) -> None:
    """Refuse a model that only the catalog names: a stranger's catalog may name any address."""
    models = {"model": options.model, "second_opinion": options.second_opinion}
    for name, model in models.items():
        if name in changed or model in used_models(session) or is_configured(session, model):
            continue
        raise ForbiddenError(
            f"The answer was made with {name} '{without_user(model)}', which you have named neither in a "
            "question to this library, nor in your settings.",
            f"Name it yourself: `answers rerun {name}=MODEL`.",
        )
