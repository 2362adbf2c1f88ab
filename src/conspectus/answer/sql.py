"""Answers that the library keeps, their conversations, and what users think of them.

They are written with the names of the sentences that they cite, and read with the sentences as they are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, case, delete, func, insert, select, update

from conspectus.answer.stored_answers import (
    BODY_DECODER,
    TRACE_DECODER,
    AnswerLoader,
    Render,
    cited_items,
    make_body,
    make_title,
)
from conspectus.core.errors import LibraryDamagedError, NotFoundError
from conspectus.records import (
    Answer,
    AskOptions,
    Filters,
)
from conspectus.records.answer import AnswerRow, Conversation, SavedAnswer
from conspectus.records.curation import Feedback
from conspectus.records.views import pick_fields
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader, find_key, insert_rows, new_id, utc_now
from conspectus.store.removal import NO_TRACE, lock_papers
from conspectus.store.schema import answer_papers, answers, conversations, evidence, feedback


def save_answer(
    connection: Connection,
    answer: Answer,
    options: AskOptions,
    papers: Iterable[str] = (),
    filters: Filters | None = None,
) -> None:
    """Keep an answer, which has an `id` (see `new_id`), in the conversation that `options` name, if any.

    Args:
        connection: from `connection.aside`; in `transact`, if the catalog may be on a server.
        answer: evidence from papers that were removed meanwhile is left out, and the trace with it.
        options: how it was asked for.
        papers: ids of further papers that the trace may have words of: all that any tool has shown.
        filters: of which papers and texts it was asked.

    Raises:
        NotFoundError: there is no such conversation any more.
        LibraryReadOnlyError: the library cannot be written.
    """
    paper_ids = {item.paper.id for item in cited_items(answer)} | set(papers)
    there = lock_papers(connection, paper_ids)
    values: dict[str, Any] = {name: getattr(answer, name) for name in ("id", "question", "method", "kind", "answered")}
    values |= {
        "made": answer.made or utc_now(),
        "standalone": answer.standalone if answer.standalone != answer.question else "",
        "body": pack(make_body(answer, options, filters or Filters())),
        "trace": pack(answer.trace) if there.keys() >= paper_ids else NO_TRACE,
    }
    values |= _place_in_conversation(connection, options.conversation, answer.question)
    result = connection.execute(insert(answers).values(values))
    assert result.inserted_primary_key is not None
    key = int(result.inserted_primary_key[0])
    rows = [{"answer_key": key, "named": name, "paper_key": paper} for name, paper in sorted(there.items())]
    insert_rows(connection, answer_papers, rows)
    rows = [
        {
            "answer_key": key,
            "paper_key": there[item.paper.id],
            "span_ids": pack([span.id for span in item.spans]),
            **pick_fields(item, "id", "passage_id", "summary", "score", "retrieval"),
        }
        for item in answer.evidence
        if item.paper.id in there
    ]
    insert_rows(connection, evidence, rows)


def load_answer(catalog: Catalog, name: str, render: Render = lambda _: "") -> SavedAnswer:
    """The answer called `name`: its id, the beginning of it, or `last`.

    Quotes are copied from the library as it is now. A statement with a source that is no longer there loses that
    citation and is `unchecked`, where it was not `unsupported`; evidence without its sentences is left out.

    Args:
        render: makes the texts of the answer and of drafts from their statements.

    Raises:
        NotFoundError: no answer, or more than one, is called so.
        LibraryDamagedError: it cannot be read.
    """
    with catalog.snapshot() as at_once:
        row = at_once.rows(_find_query(at_once, name))[0]
        try:
            body, trace = BODY_DECODER.decode(row.body), tuple(TRACE_DECODER.decode(row.trace))
        except msgspec.DecodeError as error:
            raise LibraryDamagedError(
                f"The answer '{row.id}' cannot be read: {error}.", "Restore the library from a backup, or ask again."
            ) from error
        return AnswerLoader(at_once, row, body).load(trace, render)


def list_answers(
    catalog: Catalog, limit: int | None = None, conversation: str = "", *, sections: bool = False
) -> tuple[AnswerRow, ...]:
    """Answers, the newest first; of one conversation, by its id, in the order of its turns.

    `sections`: with those that are sections of reports.
    """
    query = _answer_query() if sections else _answer_query().where(answers.c.method != SECTION)
    if conversation:
        query = query.where(conversations.c.id == conversation).order_by(answers.c.ordinal)
    else:
        query = query.order_by(answers.c.key.desc())
    return tuple(answer_row(row) for row in catalog.rows(query.limit(limit)))


def remove_answer(connection: Connection, answer_id: str) -> None:
    """Delete an answer with its evidence; what it took stays known. Papers and cached calls stay."""
    connection.execute(delete(answers).where(answers.c.id == answer_id))


def find_answer(catalog: Catalog, name: str) -> AnswerRow:
    """The answer called `name`; see `load`."""
    return answer_row(catalog.rows(_find_query(catalog, name))[0])


def _find_query(catalog: Catalog, name: str) -> Select[Any]:
    """The question for the one answer that is called so."""
    if name == LAST:
        key = catalog.scalar(select(func.max(answers.c.key)).where(answers.c.method != SECTION))
        if key is None:
            raise NotFoundError("There are no answers in the library yet.", "`ask QUESTION` makes one.")
        return _answer_query().where(answers.c.key == key)
    return _answer_query().where(answers.c.key == find_key(catalog, answers, "answer", "ans-", name))


def _answer_query() -> Select[Any]:
    joined = select(answers, conversations.c.id.label("conversation"))
    return joined.outerjoin(conversations, conversations.c.key == answers.c.conversation_key)


def answer_row(row: Row[Any]) -> AnswerRow:
    """A row of `listed`'s question."""
    known = {name: getattr(row, name) for name in ("id", "made", "question", "standalone", "method", "kind")}
    return AnswerRow(**known, answered=row.answered, conversation=row.conversation or "", turn=row.ordinal)


# writing


def _place_in_conversation(connection: Connection, conversation: str, question: str) -> dict[str, Any]:
    """Where in a conversation the answer stands; the conversation has gone on, and has a title from now on."""
    if not conversation:
        return {"conversation_key": None, "ordinal": 0}
    here = conversations.c.id == conversation
    key = connection.scalar(select(conversations.c.key).where(here).with_for_update())  # one turn at a time
    if key is None:
        raise NotFoundError(f"There is no conversation '{conversation}' any more.", "Begin another one.")
    title = case((conversations.c.title == "", make_title(question)), else_=conversations.c.title)
    connection.execute(update(conversations).where(here).values(updated=utc_now(), title=title))
    last = connection.scalar(select(func.max(answers.c.ordinal)).where(answers.c.conversation_key == key))
    return {"conversation_key": key, "ordinal": (last or 0) + 1}


def join_conversation(connection: Connection, answer: AnswerRow, conversation_id: str) -> None:
    """Put an answer that stands alone at the end of a conversation; `connection` is from `connection.aside`.

    Raises:
        NotFoundError: there is no such conversation any more.
        LibraryReadOnlyError: the library cannot be written.
    """
    place = _place_in_conversation(connection, conversation_id, answer.question)
    connection.execute(update(answers).where(answers.c.id == answer.id).values(place))


# reading


CONVERSATION_PREFIX = "con-"


def new_conversation_id(catalog: Catalog) -> str:
    """An id that no conversation has."""
    return new_id(catalog, conversations, CONVERSATION_PREFIX)


def begin_conversation(connection: Connection, conversation_id: str, title: str) -> None:
    """Begin a conversation; `connection` is from `connection.aside`.

    Raises:
        LibraryReadOnlyError: the library cannot be written.
    """
    began = utc_now()
    connection.execute(insert(conversations).values(id=conversation_id, title=title, made=began, updated=began))


def rename_conversation(connection: Connection, conversation_id: str, title: str) -> None:
    """Give a conversation another title."""
    connection.execute(update(conversations).where(conversations.c.id == conversation_id).values(title=title))


def remove_conversation(connection: Connection, conversation_id: str) -> None:
    """Delete a conversation with all its answers."""
    connection.execute(delete(conversations).where(conversations.c.id == conversation_id))


def list_conversations(catalog: Catalog, limit: int | None = None) -> tuple[Conversation, ...]:
    """Conversations, those first that went on last."""
    newest = (conversations.c.updated.desc(), conversations.c.key.desc())
    return _read_conversations(catalog, _conversation_query().order_by(*newest).limit(limit))


def find_conversation(catalog: Catalog, name: str) -> Conversation:
    """The conversation called `name`: its id, the beginning of it, or `last` (the one that went on last).

    Raises:
        NotFoundError: none, or more than one.
    """
    if name == LAST:
        if not (latest := list_conversations(catalog, 1)):
            raise NotFoundError("There are no conversations in the library yet.", "`chat` begins one.")
        return latest[0]
    key = find_key(catalog, conversations, "conversation", CONVERSATION_PREFIX, name)
    return _read_conversations(catalog, _conversation_query().where(conversations.c.key == key))[0]


def _conversation_query() -> Select[Any]:
    turns = select(func.count()).where(answers.c.conversation_key == conversations.c.key).scalar_subquery()
    return select(conversations, turns.label("turns"))


def _read_conversations(catalog: Catalog, query: Select[Any]) -> tuple[Conversation, ...]:
    return tuple(Conversation(row.id, row.title, row.made, row.updated, row.turns) for row in catalog.rows(query))


def list_feedback(catalog: CatalogReader, answer_id: str = "") -> tuple[Feedback, ...]:
    """What was said of an answer, or of all, in the order of the answers and of their statements."""
    query = select(feedback, answers.c.id, answers.c.question).join(answers, answers.c.key == feedback.c.answer_key)
    query = query.where(answers.c.id == answer_id) if answer_id else query
    rows = catalog.rows(query.order_by(feedback.c.answer_key, feedback.c.statement))
    return tuple(Feedback(row.id, row.question, row.statement, row.verdict, row.comment, row.made) for row in rows)


def put_feedback(connection: Connection, answer: str, statement: int, made: str, **judgement: str | None) -> None:
    """Keep a verdict and a comment; None: as it was said of the same before; where both are "" it is forgotten.

    Raises:
        NotFoundError: the answer was removed meanwhile.
    """
    key = connection.scalar(select(answers.c.key).where(answers.c.id == answer).with_for_update())
    if key is None:
        raise NotFoundError("The answer was removed meanwhile.", "`answers list` lists them.")
    same = (feedback.c.answer_key == key) & (feedback.c.statement == statement)
    row = connection.execute(select(feedback.c.verdict, feedback.c.comment).where(same)).mappings().first()
    before: Mapping[Any, str] = row or {}
    connection.execute(delete(feedback).where(same))
    now = {name: before.get(name, "") if value is None else value for name, value in judgement.items()}
    if any(now.values()):
        connection.execute(insert(feedback).values(answer_key=key, statement=statement, made=made, **now))


LAST = "last"
SECTION = "section"
"""The method of an answer that is a section of a report: it is listed with the report."""
