"""Answers that the library keeps, their conversations, and what users think of them.

They are written with the names of the sentences that they cite, and read with the sentences as they are now.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import msgspec
from sqlalchemy import Connection, Row, Select, Table, case, delete, func, insert, select, update

from conspectus.core.errors import LibraryDamagedError, NotFoundError
from conspectus.core.grouped import grouped
from conspectus.records import (
    Answer,
    AskOptions,
    Citation,
    Draft,
    Evidence,
    Filters,
    Paper,
    Passage,
    Statement,
    Step,
)
from conspectus.records.curation import Feedback
from conspectus.records.views import pick_fields
from conspectus.store.calls import NO_TRACE, lock_papers
from conspectus.store.catalog import Catalog
from conspectus.store.codec import pack
from conspectus.store.connection import CatalogReader, find_key, insert_rows, utc_now
from conspectus.store.schema import answer_papers, answers, conversations, evidence, feedback, passages
from conspectus.store.stored_records import (
    AnswerRow,
    Conversation,
    SavedAnswer,
    StoredBody,
    StoredCitation,
    StoredDraft,
    StoredStatement,
    titled,
)

LAST = "last"
_OF_ROW = ("question", "answered", "method", "id", "made", "kind", "standalone")
_OF_BODY = ("reason", "models", "usage", "note", "background", "queries", "opinion", "probability")
"""Fields of an answer that lie in its row, and in the row's body, as they are."""
Render = Callable[[Sequence[Statement]], str]
"""Writes statements as prose with citation markers."""

_body = msgspec.msgpack.Decoder(StoredBody)
_trace = msgspec.msgpack.Decoder(list[Step])
_span_ids = msgspec.msgpack.Decoder(tuple[str, ...])


def new_id(catalog: Catalog, table: Table = answers, prefix: str = "ans-") -> str:
    """An id that no answer has: for the calls that are made for it before it is saved."""
    while True:
        found = prefix + secrets.token_hex(4)
        if catalog.scalar(select(table.c.key).where(table.c.id == found)) is None:
            return found


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
    named = {item.paper.id for item in _cited_items(answer)} | set(papers)
    there = lock_papers(connection, named)
    values: dict[str, Any] = {name: getattr(answer, name) for name in ("id", "question", "method", "kind", "answered")}
    values |= {
        "made": answer.made or utc_now(),
        "standalone": answer.standalone if answer.standalone != answer.question else "",
        "body": pack(_stored_body(answer, options, filters or Filters())),
        "trace": pack(answer.trace) if there.keys() >= named else NO_TRACE,
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
            body, trace = _body.decode(row.body), tuple(_trace.decode(row.trace))
        except msgspec.DecodeError as error:
            raise LibraryDamagedError(
                f"The answer '{row.id}' cannot be read: {error}.", "Restore the library from a backup, or ask again."
            ) from error
        return _Loader(at_once, row, body).loaded(trace, render)


def list_answers(catalog: Catalog, limit: int | None = None, conversation: str = "") -> tuple[AnswerRow, ...]:
    """Answers, the newest first; of one conversation, by its id, in the order of its turns."""
    query = _answer_query()
    if conversation:
        query = query.where(conversations.c.id == conversation).order_by(answers.c.ordinal)
    else:
        query = query.order_by(answers.c.key.desc())
    return tuple(answer_row(row) for row in catalog.rows(query.limit(limit)))


def remove_answer(connection: Connection, answer_id: str) -> None:
    """Delete an answer with its evidence; what it took stays known. Papers and cached calls stay."""
    connection.execute(delete(answers).where(answers.c.id == answer_id))


def figure_readings(catalog: Catalog, answer_id: str) -> Mapping[str, tuple[str, str]]:
    """Figure id -> the model that was shown it for an answer, and the digest of the call; of no answer none."""
    body = catalog.scalar(select(answers.c.body).where(answers.c.id == answer_id)) if answer_id else None
    return _body.decode(body).readings if body else {}


def find_answer(catalog: Catalog, name: str) -> AnswerRow:
    """The answer called `name`; see `load`."""
    return answer_row(catalog.rows(_find_query(catalog, name))[0])


def _find_query(catalog: Catalog, name: str) -> Select[Any]:
    """The question for the one answer that is called so."""
    if name == LAST:
        key = catalog.scalar(select(func.max(answers.c.key)))
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
    title = case((conversations.c.title == "", titled(question)), else_=conversations.c.title)
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


def _cited_items(answer: Answer) -> list[Citation | Evidence]:
    """All that names a paper: citations, those of drafts too, and evidence."""
    statements = [*answer.statements, *(one for draft in answer.drafts for one in draft.statements)]
    return [*(citation for statement in statements for citation in statement.citations), *answer.evidence]


def _stored_body(answer: Answer, options: AskOptions, filters: Filters) -> StoredBody:
    labels = {item.paper.id: (item.paper, item.label) for item in _cited_items(answer) if item.label}
    letters = {name: label.removeprefix(paper.label) for name, (paper, label) in labels.items()}
    same = {name: getattr(answer, name) for name in _OF_BODY} | {"queries": dict(answer.queries)}
    return StoredBody(
        statements=_statements(answer.statements),
        letters={name: letter for name, letter in letters.items() if len(letter) == 1},
        drafts=tuple(
            StoredDraft(draft.name, "" if draft.statements else draft.text, _statements(draft.statements))
            for draft in answer.drafts
        ),
        options=options,
        filters=filters,
        readings={one.figure.id: (read.model, read.digest) for one in answer.figures if (read := one.reading)},
        **same,
    )


def _statements(statements: Iterable[Statement]) -> tuple[StoredStatement, ...]:
    return tuple(
        StoredStatement(
            text="" if one.status == "quoted" else one.text,
            status=one.status,
            citations=tuple(
                StoredCitation(cited.passage_id, tuple(span.id for span in cited.spans)) for cited in one.citations
            ),
            score=one.score,
            why=one.why,
            evidence=one.evidence,
        )
        for one in statements
    )


# reading


class _Loader:
    """An answer made of its row and of what the library has now."""

    def __init__(self, catalog: Catalog, row: Row[Any], body: StoredBody) -> None:
        self._row = row
        self._body = body
        named = select(answer_papers.c.named, answer_papers.c.paper_key).where(answer_papers.c.answer_key == row.key)
        kept = catalog.rows(select(evidence).where(evidence.c.answer_key == row.key).order_by(evidence.c.key))
        self._evidence = [(one, StoredCitation(one.passage_id, _span_ids.decode(one.span_ids))) for one in kept]
        made = [*body.statements, *(one for draft in body.drafts for one in draft.statements)]
        cited = [cited for one in made for cited in one.citations] + [cited for _, cited in self._evidence]
        papers = {one.named: one.paper_key for one in catalog.rows(named)}
        self._sources = CitedSources(catalog, papers, cited, body.letters)

    def loaded(self, trace: tuple[Step, ...], render: Render) -> SavedAnswer:
        row, body = self._row, self._body
        found = tuple(one for kept, cited in self._evidence if (one := self._found(kept, cited)))
        ids = {one.id for one in found}
        statements = tuple(self._statement(one, ids) for one in body.statements)
        drafts = tuple(self._draft(one, ids, render) for one in body.drafts)
        same = {name: getattr(row, name) for name in _OF_ROW} | {name: getattr(body, name) for name in _OF_BODY}
        answer = Answer(
            text=render(statements), statements=statements, evidence=found, drafts=drafts, trace=trace, **same
        )
        return SavedAnswer(answer, body.options, row.conversation or "", row.ordinal, body.filters)

    def _found(self, kept: Row[Any], cited: StoredCitation) -> Evidence | None:
        """The evidence, if its sentences are there."""
        sources = self._sources.find(cited)
        if not sources:
            return None
        first, spans = sources[0], tuple(span for one in sources for span in one.spans)
        return Evidence(
            kept.id, first.paper, first.passage_id, spans, kept.summary, kept.score, kept.retrieval, first.label
        )

    def _draft(self, draft: StoredDraft, ids: set[str], render: Render) -> Draft:
        statements = tuple(self._statement(one, ids) for one in draft.statements)
        return Draft(cast(Any, draft.name), render(statements) if statements else draft.text, statements)

    def _statement(self, stored: StoredStatement, ids: set[str]) -> Statement:
        sources = [(cited.paper_id, self._sources.find(cited)) for cited in stored.citations]
        citations = tuple(citation for _, found in sources for citation in found)
        status, why = stored.status, stored.why
        if gone := sorted({paper_id for paper_id, found in sources if not found}):
            status = status if status == "unsupported" else "unchecked"
            why = " ".join((why, _missing_sources(gone, self._sources))).strip()
        text = " … ".join(one.quote for one in citations) if stored.status == "quoted" else stored.text
        evidence_ids = tuple(one for one in stored.evidence if one.partition(".")[0] in ids)
        return Statement(text, cast(Any, status), citations, stored.score, why, evidence_ids)


def _missing_sources(paper_ids: Sequence[str], sources: CitedSources) -> str:
    """Which sources are no longer there: the paper, or only the sentence."""
    said = [f"a sentence of '{name}'" if sources.paper(name) else f"'{name}'" for name in paper_ids]
    return f"Its source ({', '.join(said)}) is no longer in the library."


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
        if not (found := list_conversations(catalog, 1)):
            raise NotFoundError("There are no conversations in the library yet.", "`chat` begins one.")
        return found[0]
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
    return tuple(Feedback(one.id, one.question, one.statement, one.verdict, one.comment, one.made) for one in rows)


def put_feedback(connection: Connection, answer: str, statement: int, made: str, **said: str | None) -> None:
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
    now = {name: before.get(name, "") if value is None else value for name, value in said.items()}
    if any(now.values()):
        connection.execute(insert(feedback).values(answer_key=key, statement=statement, made=made, **now))


class CitedSources:
    """The papers of an answer, and their passages.

    Args:
        named: id by which the answer calls a paper -> the key of the paper that it is now.
        cited: all that will be asked for.
        letters: what the labels of papers end with, by the ids that the answer calls them by.
    """

    def __init__(
        self, catalog: Catalog, named: Mapping[str, int], cited: Iterable[StoredCitation], letters: Mapping[str, str]
    ) -> None:
        self._catalog = catalog
        self._named = named
        self._letters = letters
        self._papers: dict[str, Paper] = {}
        by_key = catalog.papers_by_key(sorted(set(named.values())))
        for name, key in named.items():
            if key in by_key:
                self._papers[name] = by_key[key]
        wanted = {now for one in cited if (now := self._now(one.paper_id, one.passage_id))}
        stored = catalog.passages_where(passages.c.id, sorted(wanted)).values()
        self._passages = {one.passage.id: one.passage for one in stored}

    def paper(self, name: str) -> Paper | None:
        """The paper that the answer calls so."""
        return self._papers.get(name)

    def label(self, name: str) -> str:
        """How the answer calls the paper in citations."""
        return self._papers[name].label + self._letters.get(name, "")

    def find(self, cited: StoredCitation) -> tuple[Citation, ...]:
        """The citation, in more than one where its sentences now stand in several passages; none if one is gone."""
        paper = self.paper(cited.paper_id)
        if paper is None:
            return ()
        wanted = [self._now(cited.paper_id, span_id) for span_id in cited.span_ids]
        found: list[Citation] = []
        for passage in self._candidates(cited, paper):
            there = {span.id: span for span in passage.spans}
            spans = tuple(there[name] for name in wanted if name in there)
            if spans:
                quote = " … ".join(span.text for span in spans)
                found.append(Citation(paper, passage.id, spans, quote, self.label(cited.paper_id)))
                wanted = [name for name in wanted if name not in there]
            if not wanted:
                return tuple(found)
        return ()

    def _candidates(self, cited: StoredCitation, paper: Paper) -> Iterator[Passage]:
        named = self._passages.get(self._now(cited.paper_id, cited.passage_id))
        if named is not None:
            yield named
        yield from self._all.get(paper.id, ())

    @cached_property
    def _all(self) -> dict[str, list[Passage]]:
        """All passages of the papers, for those that were cut anew since; in reading order."""
        stored = self._catalog.passages_of(sorted(set(self._named.values()))).values()
        found = sorted((one.passage for one in stored), key=lambda passage: passage.ordinal)
        return grouped((passage.paper_id, passage) for passage in found)

    def _now(self, paper_id: str, name: str) -> str:
        """The id of a passage or span now: it begins with its paper's, and ends with a digest of its words."""
        paper = self.paper(paper_id)
        return f"{paper.id}.{name.partition('.')[2]}" if paper else ""
