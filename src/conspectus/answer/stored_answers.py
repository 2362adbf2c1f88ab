"""Answers and conversations as the catalog keeps them, and how an answer is put together again from its row.

An answer is stored with the names of the sentences that it cites, and read with the sentences as they are now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import msgspec
from sqlalchemy import Row, select

from conspectus.core.groups import grouped
from conspectus.records import (
    Answer,
    AskOptions,
    Citation,
    Draft,
    Evidence,
    Filters,
    Opinion,
    Paper,
    Passage,
    Statement,
    Step,
    Usage,
)
from conspectus.records.answer import SavedAnswer
from conspectus.records.paper import PublicationStatus, status_date
from conspectus.store.catalog import Catalog
from conspectus.store.schema import answer_papers, evidence, passages

TITLE_CHARS = 70
DOUBTFUL = ("retracted", "concern")


def make_title(question: str) -> str:
    """The title of a conversation that begins with this question."""
    line = " ".join(question.split())
    if len(line) <= TITLE_CHARS:
        return line
    return f"{line[:TITLE_CHARS].rpartition(' ')[0] or line[:TITLE_CHARS]} …"


# What follows lies packed in a column. No word of a paper is in it: sentences are named, and copied when it is read.


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation by names: `passage_id` begins with the paper's id, as it was then."""

    passage_id: str
    span_ids: tuple[str, ...]

    @property
    def paper_id(self) -> str:
        """The paper's id, as it was then."""
        return self.passage_id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """See `records.Statement`; the text of a quote is empty."""

    text: str
    status: str
    citations: tuple[StoredCitation, ...] = ()
    score: float = 0.0
    why: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredDraft:
    """See `records.Draft`; the text is empty where it is made of statements."""

    name: str
    text: str = ""
    statements: tuple[StoredStatement, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredBody:
    """What an answer's row says besides its columns. `letters`: paper id -> what its label ends with.

    `readings`: figure id -> the model that was shown it, and the digest of what it said, which lies with the calls.
    `doubts`: paper id -> its publication status then, of cited papers that were retracted or under doubt.
    """

    reason: str = ""
    statements: tuple[StoredStatement, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    drafts: tuple[StoredDraft, ...] = ()
    background: str = ""
    queries: Mapping[str, str] = field(default_factory=dict)
    opinion: Opinion | None = None
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    options: AskOptions = field(default_factory=AskOptions)
    filters: Filters = field(default_factory=Filters)
    probability: float | None = None
    readings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    closest: StoredCitation | None = None
    doubts: Mapping[str, PublicationStatus] = field(default_factory=dict)
    unread: tuple[str, ...] = ()


ROW_FIELDS = ("question", "answered", "method", "id", "made", "kind", "standalone")


BODY_FIELDS = ("reason", "models", "usage", "note", "background", "queries", "opinion", "probability", "unread")
"""Fields of an answer that lie in its row, and in the row's body, as they are."""


Render = Callable[[Sequence[Statement]], str]
"""Writes statements as prose with citation markers."""


BODY_DECODER = msgspec.msgpack.Decoder(StoredBody)


TRACE_DECODER = msgspec.msgpack.Decoder(list[Step])


SPAN_DECODER = msgspec.msgpack.Decoder(tuple[str, ...])


def cited_items(answer: Answer) -> list[Citation | Evidence]:
    """All that names a paper: citations, those of drafts too, and evidence."""
    statements = [*answer.statements, *(statement for draft in answer.drafts for statement in draft.statements)]
    cited = [citation for statement in statements for citation in statement.citations]
    return [*cited, *([answer.closest] if answer.closest else []), *answer.evidence]


def make_body(answer: Answer, options: AskOptions, filters: Filters) -> StoredBody:
    """What is kept of an answer beside its row's columns: names of sentences instead of their words."""
    labels = {item.paper.id: (item.paper, item.label) for item in cited_items(answer) if item.label}
    letters = {name: label.removeprefix(paper.label) for name, (paper, label) in labels.items()}
    same = {name: getattr(answer, name) for name in BODY_FIELDS} | {"queries": dict(answer.queries)}
    return StoredBody(
        statements=_statements(answer.statements),
        letters={name: letter for name, letter in letters.items() if len(letter) == 1},
        drafts=tuple(
            StoredDraft(draft.name, "" if draft.statements else draft.text, _statements(draft.statements))
            for draft in answer.drafts
        ),
        options=options,
        filters=filters,
        closest=_name_sentences(answer.closest) if answer.closest else None,
        readings={figure.figure.id: (read.model, read.digest) for figure in answer.figures if (read := figure.reading)},
        doubts={
            source.paper.id: status
            for source in cited_items(answer)
            if (status := source.paper.publication_status) in DOUBTFUL
        },
        **same,
    )


def _statements(statements: Iterable[Statement]) -> tuple[StoredStatement, ...]:
    return tuple(
        StoredStatement(
            text="" if statement.status == "quoted" else statement.text,
            status=statement.status,
            citations=tuple(map(_name_sentences, statement.citations)),
            score=statement.score,
            why=statement.why,
            evidence=statement.evidence,
        )
        for statement in statements
    )


def _name_sentences(cited: Citation) -> StoredCitation:
    return StoredCitation(cited.passage_id, tuple(span.id for span in cited.spans))


class AnswerLoader:
    """An answer made of its row and of what the library has now."""

    def __init__(self, catalog: Catalog, row: Row[Any], body: StoredBody) -> None:
        self._row = row
        self._body = body
        query = select(answer_papers.c.named, answer_papers.c.paper_key).where(answer_papers.c.answer_key == row.key)
        evidence_rows = catalog.rows(select(evidence).where(evidence.c.answer_key == row.key).order_by(evidence.c.key))
        self._evidence = [
            (evidence_row, StoredCitation(evidence_row.passage_id, SPAN_DECODER.decode(evidence_row.span_ids)))
            for evidence_row in evidence_rows
        ]
        statements = [*body.statements, *(statement for draft in body.drafts for statement in draft.statements)]
        cited = [cited for statement in statements for cited in statement.citations] + [
            cited for _, cited in self._evidence
        ]
        cited += [body.closest] if body.closest else []
        papers = {paper_row.named: paper_row.paper_key for paper_row in catalog.rows(query)}
        self._sources = CitedSources(catalog, papers, cited, body.letters)

    def load(self, trace: tuple[Step, ...], render: Render) -> SavedAnswer:
        """Put the answer together; `trace` are the steps that made it."""
        row, body = self._row, self._body
        pieces = tuple(
            piece for evidence_row, cited in self._evidence if (piece := self._load_evidence(evidence_row, cited))
        )
        ids = {piece.id for piece in pieces}
        statements = tuple(self._load_statement(statement, ids) for statement in body.statements)
        drafts = tuple(self._load_draft(draft, ids, render) for draft in body.drafts)
        same = {name: getattr(row, name) for name in ROW_FIELDS} | {name: getattr(body, name) for name in BODY_FIELDS}
        closest = self._sources.find(body.closest) if body.closest else ()
        same["note"] = " ".join(filter(None, (body.note, *self._doubts_since())))
        answer = Answer(
            text=render(statements),
            statements=statements,
            evidence=pieces,
            drafts=drafts,
            trace=trace,
            closest=next(iter(closest), None),
            **same,
        )
        return SavedAnswer(answer, body.options, row.conversation or "", row.ordinal, body.filters)

    def _doubts_since(self) -> Iterator[str]:
        """A sentence for each cited paper that was retracted, or came under doubt, since the answer was made."""
        cited = [cited.paper_id for statement in self._body.statements for cited in statement.citations]
        for name in dict.fromkeys(cited):
            paper = self._sources.paper(name)
            status = paper.publication_status if paper else ""
            if not paper or status not in DOUBTFUL or self._body.doubts.get(name) == status:
                continue
            words = "Retracted" if status == "retracted" else "Under an expression of concern"
            date = status_date(paper.title, paper.extra)
            before = date < self._row.made[: len(date)]
            when = ", which was not known when this answer was made" if before else " since this answer was made"
            yield f"{words}{when}: {self._sources.label(name)}{f' ({date})' if date else ''}."

    def _load_evidence(self, row: Row[Any], cited: StoredCitation) -> Evidence | None:
        """The evidence, if its sentences are there."""
        sources = self._sources.find(cited)
        if not sources:
            return None
        first, spans = sources[0], tuple(span for source in sources for span in source.spans)
        return Evidence(
            row.id, first.paper, first.passage_id, spans, row.summary, row.score, row.retrieval, first.label
        )

    def _load_draft(self, draft: StoredDraft, ids: set[str], render: Render) -> Draft:
        statements = tuple(self._load_statement(statement, ids) for statement in draft.statements)
        return Draft(cast(Any, draft.name), render(statements) if statements else draft.text, statements)

    def _load_statement(self, stored: StoredStatement, ids: set[str]) -> Statement:
        sources = [(cited.paper_id, self._sources.find(cited)) for cited in stored.citations]
        citations = tuple(citation for _, source_citations in sources for citation in source_citations)
        status, why = stored.status, stored.why
        if gone := sorted({paper_id for paper_id, source_citations in sources if not source_citations}):
            status = status if status == "unsupported" else "unchecked"
            why = " ".join((why, _missing_sources(gone, self._sources))).strip()
        text = " … ".join(citation.quote for citation in citations) if stored.status == "quoted" else stored.text
        evidence_ids = tuple(evidence_id for evidence_id in stored.evidence if evidence_id.partition(".")[0] in ids)
        return Statement(text, cast(Any, status), citations, stored.score, why, evidence_ids)


def _missing_sources(paper_ids: Sequence[str], sources: CitedSources) -> str:
    """Which sources are no longer there: the paper, or only the sentence."""
    descriptions = [f"a sentence of '{name}'" if sources.paper(name) else f"'{name}'" for name in paper_ids]
    return f"Its source ({', '.join(descriptions)}) is no longer in the library."


class CitedSources:
    """The papers of an answer, and their passages.

    Args:
        named: id by which the answer calls a paper -> the key of the paper that it is now.
        cited: all that will be asked for.
        letters: what the labels of papers end with, by the ids that the answer calls them by.
    """

    def __init__(
        self,
        catalog: Catalog,
        paper_keys: Mapping[str, int],
        cited: Iterable[StoredCitation],
        letters: Mapping[str, str],
    ) -> None:
        self._catalog = catalog
        self._paper_keys = paper_keys
        self._letters = letters
        self._papers: dict[str, Paper] = {}
        by_key = catalog.papers_by_key(sorted(set(paper_keys.values())))
        for name, key in paper_keys.items():
            if key in by_key:
                self._papers[name] = by_key[key]
        passage_ids = {now for citation in cited if (now := self._current_id(citation.paper_id, citation.passage_id))}
        stored = catalog.passages_where(passages.c.id, sorted(passage_ids)).values()
        self._passages = {stored_passage.passage.id: stored_passage.passage for stored_passage in stored}

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
        span_ids = [self._current_id(cited.paper_id, span_id) for span_id in cited.span_ids]
        citations: list[Citation] = []
        for passage in self._candidates(cited, paper):
            there = {span.id: span for span in passage.spans}
            spans = tuple(there[name] for name in span_ids if name in there)
            if spans:
                quote = " … ".join(span.text for span in spans)
                citations.append(Citation(paper, passage.id, spans, quote, self.label(cited.paper_id)))
                span_ids = [name for name in span_ids if name not in there]
            if not span_ids:
                return tuple(citations)
        return ()

    def _candidates(self, cited: StoredCitation, paper: Paper) -> Iterator[Passage]:
        cited_passage = self._passages.get(self._current_id(cited.paper_id, cited.passage_id))
        if cited_passage is not None:
            yield cited_passage
        yield from self._all.get(paper.id, ())

    @cached_property
    def _all(self) -> dict[str, list[Passage]]:
        """All passages of the papers, for those that were cut anew since; in reading order."""
        stored = self._catalog.passages_of(sorted(set(self._paper_keys.values()))).values()
        ordered_passages = sorted(
            (stored_passage.passage for stored_passage in stored), key=lambda passage: passage.ordinal
        )
        return grouped((passage.paper_id, passage) for passage in ordered_passages)

    def _current_id(self, paper_id: str, name: str) -> str:
        """The id of a passage or span now: it begins with its paper's, and ends with a digest of its words."""
        paper = self.paper(paper_id)
        return f"{paper.id}.{name.partition('.')[2]}" if paper else ""
