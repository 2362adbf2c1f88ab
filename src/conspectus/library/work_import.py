"""Import conversations, answers and reviews of another library from its export, with their sentences found again.

An export names papers, passages and sentences by ids that begin with the paper's id. They are renamed if the paper has
another id here; the rest of such an id is a digest of the words, so sentences with the same words are found. Sentences
that this library did not read are left out when an answer or a review is shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, insert, select

from conspectus.answer.sql import put_feedback
from conspectus.answer.stored_answers import StoredBody, StoredCitation, StoredDraft, StoredStatement
from conspectus.core.errors import ConspectusError, InputError, NotFoundError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.core.text import pluralize
from conspectus.curation import sql as curation_sql
from conspectus.curation.highlights import SentenceText, import_highlight
from conspectus.curation.sql import StoredHighlight
from conspectus.curation.verbs import checked_note, keep_all, write_aside
from conspectus.graph.vocabularies.loader import import_name_rules
from conspectus.map.import_maps import import_maps
from conspectus.parse.bibliography.record_lines import (
    ANSWER_LINE,
    CONVERSATION_LINE,
    PAPER_LINE,
    REVIEW_LINE,
    ExportLines,
)
from conspectus.parse.files.streams import MAX_LINE, Source, byte_lines
from conspectus.records import AskOptions, Filters, LedgerRow, Opinion, Step, Usage
from conspectus.records.answer import AnswerKind
from conspectus.records.curation import Anchor, HighlightColor, SetKind, checked_name
from conspectus.records.paper import label_papers
from conspectus.records.review import Review, ReviewEntry, ReviewKind
from conspectus.review.sql import merge_review
from conspectus.review.stored_forms import check_stored
from conspectus.session.session import Session
from conspectus.store.codec import pack
from conspectus.store.connection import insert_rows
from conspectus.store.removal import NO_TRACE, lock_papers
from conspectus.store.schema import answer_papers, answers, conversations, evidence


class _Citation(msgspec.Struct):
    passage: str
    spans: list[str]

    def to_stored(self) -> StoredCitation:
        return StoredCitation(self.passage, tuple(self.spans))


class _Statement(msgspec.Struct):
    text: str
    status: str
    citations: list[_Citation] = []
    score: float = 0.0
    why: str = ""
    evidence: list[str] = []

    def to_stored(self) -> StoredStatement:
        text = "" if self.status == "quoted" else self.text
        cited = tuple(citation.to_stored() for citation in self.citations)
        return StoredStatement(text, self.status, cited, self.score, self.why, tuple(self.evidence))


class _Evidence(_Citation):
    id: str
    summary: str
    score: int
    retrieval: float


class _Draft(msgspec.Struct):
    name: str
    text: str
    statements: list[_Statement]


class _Feedback(msgspec.Struct):
    statement: int
    verdict: str
    comment: str
    made: str


class _Conversation(msgspec.Struct, tag_field="schema", tag=CONVERSATION_LINE):
    conversation: str
    title: str
    made: str
    updated: str


class _Answer(msgspec.Struct, tag_field="schema", tag=ANSWER_LINE):
    answer: str
    made: str
    question: str
    method: str
    kind: AnswerKind
    answered: bool
    options: AskOptions
    statements: list[_Statement]
    evidence: list[_Evidence]
    standalone: str = ""
    reason: str = ""
    background: str = ""
    queries: dict[str, str] = {}
    conversation: str = ""
    turn: int = 0
    drafts: list[_Draft] = []
    opinion: Opinion | None = None
    models: tuple[str, ...] = ()
    usage: Usage = msgspec.field(default_factory=Usage)
    note: str = ""
    trace: list[Step] = []
    feedback: list[_Feedback] = []
    filters: Filters = msgspec.field(default_factory=Filters)
    probability: float | None = None
    closest: _Citation | None = None
    unread: tuple[str, ...] = ()


class _Entry(msgspec.Struct):
    paper: str
    other: str
    field: str
    by: str
    value: dict[str, Any]
    made: str


class _Review(msgspec.Struct, tag_field="schema", tag=REVIEW_LINE):
    review: str
    kind: ReviewKind
    name: str
    spec: dict[str, Any]
    papers: list[str]
    entries: list[_Entry]
    made: str
    updated: str

    def review_record(self) -> Review:
        return Review(self.review, self.kind, self.name, self.spec, len(self.papers), self.made, self.updated)

    def review_entries(self) -> list[ReviewEntry]:
        return [
            ReviewEntry(entry.paper, entry.field, entry.by, entry.value, entry.other, entry.made)
            for entry in self.entries
        ]


_Line = _Conversation | _Answer | _Review
_MOST_NAMED = 100
"""Damaged reviews that are named one by one."""


def import_work(session: Session, path: str, ids: Mapping[str, str]) -> None:
    """Import conversations, answers and reviews of a library's export, and say how many.

    What the library has already, by its id, stays; a review takes up what the export's says in addition.

    Args:
        path: of the export.
        ids: id of a paper in the export -> its id here.
    """

    def decode(line: bytes) -> _Line:
        return msgspec.convert(_rename(msgspec.json.decode(line), ids), _Line)  # type: ignore[no-any-return]

    own_ids = set(ids.values())
    counts = {"conversation": 0, "answer": 0, "review": 0}
    missing: set[str] = set()
    refusals: list[str] = []
    lines = ExportLines(path, (CONVERSATION_LINE, ANSWER_LINE, REVIEW_LINE), decode)
    for line in lines:
        match line:
            case _Conversation():
                counts["conversation"] += write_aside(session, lambda at, line=line: _store_conversation(at, line))  # type: ignore[misc]
            case _Answer():
                missing |= {
                    name for citation in _cited(line) if (name := citation.passage.partition(".")[0]) not in own_ids
                }
                body = _body(session, line)
                counts["answer"] += write_aside(session, lambda at, line=line, body=body: _store_answer(at, line, body))  # type: ignore[misc]
            case _Review():
                review, entries = line.review_record(), line.review_entries()
                try:
                    check_stored(review, entries)
                    counts["review"] += merge_review(session, review, line.papers, entries)
                    missing |= {*line.papers} - own_ids
                except InputError as error:
                    refusals.append(error.message)
    lines.emit("answers and reviews")
    for message in refusals[:_MOST_NAMED]:
        emit(Notice(f"{message} It was left out. Export it again, if you trust '{path}'."))
    if len(refusals) > _MOST_NAMED:
        emit(Notice(f"{len(refusals) - _MOST_NAMED:,} further reviews of '{path}' are damaged and were left out."))
    if any(counts.values()):
        summary = ", ".join(pluralize(number, noun) for noun, number in counts.items() if number)
        left = f" {pluralize(len(missing), 'paper')} that they name could not be found here." if missing else ""
        emit(Notice(f"Imported {summary} from '{path}'.{left}"))


def _rename(value: Any, ids: Mapping[str, str]) -> Any:
    """JSON with the ids of papers, and those of their passages and sentences, as they are here."""
    if isinstance(value, dict):
        return {_rename(name, ids): _rename(part, ids) for name, part in value.items()}
    if isinstance(value, list):
        return [_rename(part, ids) for part in value]
    if not isinstance(value, str):
        return value
    paper, dot, rest = value.partition(".")
    return f"{ids[paper]}{dot}{rest}" if paper in ids else value


def _store_conversation(connection: Connection, line: _Conversation) -> bool:
    """Whether it is new."""
    if connection.scalar(select(conversations.c.key).where(conversations.c.id == line.conversation)) is not None:
        return False
    values = {"id": line.conversation, "title": line.title, "made": line.made, "updated": line.updated}
    connection.execute(insert(conversations).values(values))
    return True


def _store_answer(connection: Connection, line: _Answer, body: StoredBody) -> bool:
    """Whether it is new."""
    if connection.scalar(select(answers.c.key).where(answers.c.id == line.answer)) is not None:
        return False
    steps = [name for step in line.trace for name in step.papers]
    paper_ids = {*(citation.passage.partition(".")[0] for citation in _cited(line)), *steps}
    key_by_paper = lock_papers(connection, paper_ids)
    conversation = select(conversations.c.key).where(conversations.c.id == line.conversation)
    same = {name: getattr(line, name) for name in ("made", "question", "standalone", "method", "kind", "answered")}
    values = {
        **same,
        "id": line.answer,
        "conversation_key": connection.scalar(conversation) if line.conversation else None,
        "ordinal": line.turn,
        "body": pack(body),
        "trace": pack(line.trace) if key_by_paper.keys() >= paper_ids else NO_TRACE,
    }
    result = connection.execute(insert(answers).values(values))
    assert result.inserted_primary_key is not None
    key = int(result.inserted_primary_key[0])
    rows: Sequence[Mapping[str, Any]] = [
        {"answer_key": key, "named": name, "paper_key": paper} for name, paper in sorted(key_by_paper.items())
    ]
    insert_rows(connection, answer_papers, rows)
    rows = [
        {
            **{
                "answer_key": key,
                "paper_key": key_by_paper[paper],
                "passage_id": piece.passage,
                "span_ids": pack(piece.spans),
            },
            **{"id": piece.id, "summary": piece.summary, "score": piece.score, "retrieval": piece.retrieval},
        }
        for piece in line.evidence
        if (paper := piece.passage.partition(".")[0]) in key_by_paper
    ]
    insert_rows(connection, evidence, rows)
    for feedback in line.feedback:
        put_feedback(
            connection,
            line.answer,
            feedback.statement,
            feedback.made,
            verdict=feedback.verdict,
            comment=feedback.comment,
        )
    return True


def _cited(line: _Answer) -> list[_Citation]:
    statements = [*line.statements, *(statement for draft in line.drafts for statement in draft.statements)]
    cited = [citation for statement in statements for citation in statement.citations]
    return [*cited, *line.evidence, *([line.closest] if line.closest else [])]


def _body(session: Session, line: _Answer) -> StoredBody:
    keys = session.catalog.keys_of(list(dict.fromkeys(citation.passage.partition(".")[0] for citation in _cited(line))))
    papers = {paper.id: paper for paper in session.catalog.papers_by_key(sorted(keys.values())).values()}
    letters = {name: label.removeprefix(papers[name].label) for name, label in label_papers(papers.values()).items()}
    return StoredBody(
        statements=tuple(statement.to_stored() for statement in line.statements),
        letters={name: letter for name, letter in letters.items() if len(letter) == 1},
        drafts=tuple(
            StoredDraft(
                draft.name,
                "" if draft.statements else draft.text,
                tuple(statement.to_stored() for statement in draft.statements),
            )
            for draft in line.drafts
        ),
        closest=line.closest.to_stored() if line.closest else None,
        **{name: getattr(line, name) for name in _SAME},
    )


_SAME = (
    *("reason", "background", "queries", "opinion", "models", "usage", "note", "options", "filters"),
    *("probability", "unread"),
)


_CALLED = ("id", "doi", "arxiv_id", "pmid", "bibcode", "title")
_AGAIN = "They come when its papers are removed and it is added again."
_MARK = b'"conspectus'


class _Note(msgspec.Struct):
    text: str


class _Highlight(msgspec.Struct):
    color: HighlightColor
    quote: str
    anchor: Anchor
    note: str = ""
    made: str = ""
    updated: str = ""


class _UserData(msgspec.Struct):
    tags: list[str] = []
    collections: list[str] = []
    notes: list[_Note] = []
    highlights: list[Any] = []


def take_over(session: Session, rows: Iterable[LedgerRow]) -> None:
    """Give papers what files that are new say that users kept of them; how many is told, and what could not be."""
    for path in (row.path for row in rows if row.reader.startswith("jsonl")):
        try:
            ids = _of_file(session, path)
            import_work(session, path, ids)
            import_name_rules(session, path)
            import_maps(session, path)
        except BaseException:
            what = f"Tags, notes, highlights, answers, reviews, vocabularies and maps in '{path}' were not imported."
            emit(Notice(f"{what} {_AGAIN}"))
            raise


def _of_file(session: Session, path: str) -> dict[str, str]:
    """All that one file says of papers, at once; returns the id of each of its papers in the export -> its id here."""
    ids: dict[str, str] = {}
    sets, texts = defaultdict[tuple[SetKind, str], list[str]](list), list[tuple[str, str]]()
    papers, failures, marks = set[str](), list[str](), _Marks(session)
    for export_id, record, raw in _read_user_data(Path(path)):
        name = next(iter(_names(record)), "")
        try:
            user_data, paper = msgspec.convert(raw, _UserData), _paper(session, record)
            ids |= {export_id: paper} if export_id else {}
        except (ConspectusError, msgspec.ValidationError) as error:
            failures.append(f"'{name}': {error}")
            continue
        before = {note.text for note in curation_sql.list_notes(session.catalog, paper)} if user_data.notes else set()
        kinds: dict[SetKind | Literal["note"], list[str]] = {
            "tag": user_data.tags,
            "collection": user_data.collections,
            "note": [note.text for note in user_data.notes],
        }
        for kind, text in ((kind, text) for kind, group in kinds.items() for text in group):
            try:
                if kind == "note":
                    texts += [(paper, checked_note(text))] if text.strip() not in before else []
                else:
                    sets[kind, checked_name(text, kind)].append(paper)
                papers.add(paper)
            except UsageError as error:
                failures.append(f"'{name}': {error}")
        for highlight in user_data.highlights:
            try:
                marks.take(paper, msgspec.convert(highlight, _Highlight))
                papers.add(paper)
            except (UsageError, msgspec.ValidationError) as error:
                failures.append(f"'{name}': {error}")
    keep_all(session, sets, texts, [*marks.highlights.values()])
    if papers or failures:
        left = f" {len(failures)} could not be imported, such as: {failures[0]}" if failures else ""
        emit(
            Notice(
                f"Imported tags, collections, highlights, notes and edits of {len(papers)} papers from '{path}'.{left}"
            )
        )
    return ids


class _Marks:
    """Highlights that a file brings.

    Attributes:
        highlights: what is to be stored, by ids: new ones, and those of the library that were edited in another.
    """

    def __init__(self, session: Session) -> None:
        self.highlights: dict[str, StoredHighlight] = {}
        self._session = session
        self._known: dict[str, dict[tuple[Any, ...], StoredHighlight]] = {}
        self._text = "", SentenceText(())

    def take(self, paper: str, highlight: _Highlight) -> None:
        """Take one more. Of the same one the newer colour and note are kept; words are marked once.

        Raises:
            UsageError: there are no words, or too many; or the words have another note already.
        """
        new = import_highlight(self._session, StoredHighlight("", paper, **msgspec.structs.asdict(highlight)))
        place = self._place(new)
        if paper not in self._known:
            highlights = curation_sql.list_highlights(self._session.catalog, paper)
            self._known[paper] = {self._place(other): other for other in highlights}
        known = self._known[paper]
        old = known.get(place)
        if old is None:
            known[place] = self.highlights[new.id] = new
        elif (new.updated > old.updated) if new.made == old.made else (new.note and not old.note):
            known[place] = self.highlights[old.id] = replace(new, id=old.id, made=old.made)
        elif new.made != old.made and new.note not in ("", old.note):
            raise UsageError(f"The words '{new.quote[:60]}' have another note already.", "Edit it.")

    def _place(self, highlight: StoredHighlight) -> tuple[Any, ...]:
        """Where its words are in the paper as it was read last; where they are not, the words."""
        if self._text[0] != highlight.paper:
            self._text = highlight.paper, SentenceText(self._session.catalog.passages(highlight.paper))
        return self._text[1].find(highlight.anchor, highlight.quote) or (highlight.quote, highlight.anchor.before)


def _read_user_data(path: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """The paper's id in an export of a library, else ""; its record; and what the file says that users kept of it."""
    for line in byte_lines(Source(path), MAX_LINE):
        if line and _MARK in line:
            try:
                entry = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue  # `add` has told of it
            if isinstance(entry, dict) and entry.get("schema") == PAPER_LINE and isinstance(entry.get("record"), dict):
                own_id = entry.get("paper")
                user_data = {name: entry.get(name) or [] for name in _UserData.__struct_fields__}
                yield own_id if isinstance(own_id, str) else "", entry["record"], user_data
            elif isinstance(entry, dict) and entry.get("conspectus"):
                yield "", entry, entry["conspectus"]


def _names(record: Mapping[str, Any]) -> list[str]:
    """What a record may be called by."""
    return [str(record[name]) for name in _CALLED if record.get(name)]


def _paper(session: Session, record: dict[str, Any]) -> str:
    """The id of the paper that a record has become."""
    names = _names(record)
    for name in names:
        try:
            return session.paper(name, suggest=False).id
        except NotFoundError:  # it may be another's too
            continue
    raise NotFoundError(f"No one paper is called '{names[0] if names else ''}'.")
