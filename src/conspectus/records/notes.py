"""An answer as prose with numbered notes: what every way to show one has in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from conspectus.core.groups import split_runs

if TYPE_CHECKING:
    from conspectus.records.answer import Answer, Citation, CitedFigure, Statement
    from conspectus.records.paper import Paper
    from conspectus.records.passage import Cell, Place

BACKGROUND = "From the model, no source:"
"""Before what a model says of itself."""
_PARAGRAPH = 3
"""After so many statements a paragraph ends where the next one rests on other papers."""


class Note(NamedTuple):
    """What stands behind a number: the sentences that a statement rests on, or what speaks against it (`against`).

    `is_quoted`: the prose itself quotes the sentences.
    """

    number: int
    citation: Citation | None = None
    against: str = ""
    is_quoted: bool = False

    @property
    def words(self) -> str:
        """The sentences cited, without rows of tables."""
        spans = self.citation.spans if self.citation else ()
        return " … ".join(span.text for span in spans if not span.cells)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the sentences cited stand; empty where there are no pages."""
        spans = self.citation.spans if self.citation else ()
        return tuple(place for span in spans for place in span.places)

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows of tables that are cited: the names of columns, with what stands in them."""
        return tuple(span.cells for span in self.citation.spans if span.cells) if self.citation else ()


class PagePicture(NamedTuple):
    """A page with the sentences of a note lit up, or a figure of it, as PNG; or `why` there is no picture of it."""

    page: int
    png: bytes = b""
    why: str = ""


class Drawn(NamedTuple):
    """What was drawn for a document: the pages behind notes, by their numbers, and figures, by their ids."""

    pages: Mapping[int, tuple[PagePicture, ...]] = MappingProxyType({})
    figures: Mapping[str, PagePicture] = MappingProxyType({})


class NotedStatement(NamedTuple):
    """A statement in the prose: the notes that it rests on, and its verdict ("": nothing to be said) with its note."""

    statement: Statement
    notes: tuple[Note, ...]
    verdict: str = ""
    why: Note | None = None

    @property
    def text(self) -> str:
        """Its words; a sentence of a paper in quotation marks."""
        return f"“{self.statement.text}”" if self.statement.status == "quoted" else self.statement.text

    @property
    def stands(self) -> bool:
        """Whether it stands: no check has failed it."""
        return self.statement.status != "unsupported"


class Paragraph(NamedTuple):
    """Statements that belong together; `label` is the paper's whose sentences they are, "" where they were written."""

    label: str
    statements: tuple[NotedStatement, ...]


class Notes:
    """The notes of an answer, or of all answers of a document, numbered from 1 as they come.

    The same sentences have one number, and so has the same reason.
    """

    def __init__(self) -> None:
        self._notes: list[Note] = []
        self._known: dict[tuple[str, ...], Note] = {}
        self._reasons: dict[str, Note] = {}

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes)

    def of(self, citation: Citation, *, is_quoted: bool = False) -> Note:
        """The note of a citation; `is_quoted` as in `Note`, where it is a new one."""
        key = tuple(span.id for span in citation.spans) or (citation.passage_id,)
        if key not in self._known:
            self._known[key] = self._add(citation, is_quoted=is_quoted)
        return self._known[key]

    def prose(self, statements: Sequence[Statement]) -> list[Paragraph]:
        """The statements as paragraphs: quoted ones paper by paper, others as they go on about the same papers."""
        judged = any(statement.status in ("supported", "partly") for statement in statements)
        paragraphs = split_runs(statements, _goes_on)
        return [
            Paragraph(_label(group), tuple(self._note_statement(statement, judged) for statement in group))
            for group in paragraphs
        ]

    def papers(self) -> dict[str, tuple[str, Paper]]:
        """What the notes cite: id -> how the answer calls the paper, and the paper."""
        cited = [note.citation for note in self._notes if note.citation]
        return {citation.paper.id: (citation.label or citation.paper.label, citation.paper) for citation in cited}

    def leading(self, cited: CitedFigure) -> tuple[Note, ...]:
        """The notes that lead to a figure."""
        span_ids = set(cited.spans)
        return tuple(
            note
            for note in self._notes
            if note.citation and not span_ids.isdisjoint(span.id for span in note.citation.spans)
        )

    def whereabouts(self, cited: CitedFigure) -> str:
        """Where a figure stands: the paper as the answer calls it, with the page where that is known."""
        figure = cited.figure
        called = next((note.citation.label for note in self.leading(cited) if note.citation), "") or figure.paper.label
        return f"{called}, p. {figure.page}" if figure.page else called

    def _note_statement(self, statement: Statement, judged: bool) -> NotedStatement:
        """Where nobody judged the others, one that was not checked is like them, and the answer's own note says so."""
        is_quoted = statement.status == "quoted"
        cited_notes = (self.of(citation, is_quoted=is_quoted) for citation in statement.citations)
        notes = tuple(note for _, note in sorted({note.number: note for note in cited_notes}.items()))
        if statement.status == "unchecked" and not judged and not statement.why:
            return NotedStatement(statement, notes)
        return NotedStatement(
            statement, notes, statement.verdict, self._reason(statement.why) if statement.why else None
        )

    def _reason(self, why: str) -> Note:
        if why not in self._reasons:
            self._reasons[why] = self._add(against=why)
        return self._reasons[why]

    def _add(self, citation: Citation | None = None, against: str = "", *, is_quoted: bool = False) -> Note:
        self._notes.append(Note(len(self._notes) + 1, citation, against, is_quoted))
        return self._notes[-1]


def noted(answers: Iterable[Answer]) -> Notes:
    """The notes of all answers of a document."""
    notes = Notes()
    for answer in answers:
        notes.prose(answer.statements)
    return notes


def _label(group: Sequence[Statement]) -> str:
    first = group[0]
    return first.citations[0].label or first.citations[0].paper.label if _is_quoted(first) else ""


def _goes_on(group: Sequence[Statement], statement: Statement) -> bool:
    papers, before = _papers(statement), _papers(group[-1])
    if _is_quoted(statement) or _is_quoted(group[-1]):
        return _is_quoted(statement) == _is_quoted(group[-1]) and papers == before
    return len(group) < _PARAGRAPH or not papers.isdisjoint(before)


def _is_quoted(statement: Statement) -> bool:
    return statement.status == "quoted" and bool(statement.citations)


def _papers(statement: Statement) -> set[str]:
    return {citation.paper.id for citation in statement.citations}
