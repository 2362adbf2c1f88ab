"""An answer as lines of text, for terminals and `print`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

from conspectus.core.text import line as one_line
from conspectus.records.notes import BACKGROUND, Note, NotedStatement, Notes, Paragraph

if TYPE_CHECKING:
    from conspectus.records import Answer, Citation, CitedFigure, Statement
    from conspectus.records.paper import Paper

_CAPTION = 240
"""Characters shown of a figure's caption."""
_NUMBERS = re.compile(r"(?<=[.!?]) (?:[^.!?()]|\.(?=\d))*\([^()]*answer\.\w+\)\.")
"""The sentence of a reason with the numbers that it rests on."""
Part = str | tuple[str, str]
"""Text, or text and how it is shown where that can be: `dim` or `title`."""


class TextParagraph(NamedTuple):
    """A paragraph of parts, to be folded, so many columns from the margin."""

    parts: tuple[Part, ...]
    indent: int = 0

    def __str__(self) -> str:
        words = (part if isinstance(part, str) else part[0] for part in self.parts)
        return " " * self.indent + one_line("".join(words))


Block = list[TextParagraph]
"""Lines without an empty one between them."""


def answer_text(answer: Answer) -> str:
    """The answer with its notes, sources and what is to be known of it."""
    parts = ["\n".join(map(str, block)) for block in blocks(answer)]
    return "\n\n".join([*parts, one_line(answer.note)] if answer.note else parts)


def blocks(answer: Answer, *, quotes: bool = False, ids: bool = True, opened: str = "") -> Iterator[Block]:
    """The answer, piece by piece: flowing prose with its notes behind, or with `quotes` each statement with its own.

    Args:
        ids: whether sentences, papers and figures are shown with their ids, and numbers behind a reason.
        opened: what stands before a figure's id to open it.
    """
    notes = Notes()
    yield from _head(answer, ids=ids)
    if quotes:
        yield from statements(answer.statements, notes, ids=ids)
    else:
        yield from ([_prose(paragraph)] for paragraph in notes.prose(answer.statements))
    if answer.background:
        yield [TextParagraph(((BACKGROUND, "title"),)), TextParagraph((answer.background,), 2)]
    if answer.opinion:
        yield [TextParagraph((answer.opinion.sentence,))]
    if not quotes and (behind := [line for note in notes for line in _note(note, ids=ids)]):
        yield [TextParagraph((("Notes", "title"),)), *behind]
    if answer.figures:
        lines = (line for figure in answer.figures for line in _figure(figure, notes, opened, ids=ids))
        yield [TextParagraph((("Figures", "title"),)), *lines]
    if papers := notes.papers():
        yield [
            TextParagraph((("Sources", "title"),)),
            *(line for source in papers.values() for line in _source(*source, ids=ids)),
        ]


def statements(
    answer_statements: Sequence[Statement], notes: Notes | None = None, *, ids: bool = True
) -> Iterator[Block]:
    """Each statement with the sentences that it rests on below it; of those quoted before, only where they stand.

    Args:
        notes: their numbers stand there, which are those of the prose.
        ids: whether a sentence quoted before is named by its id; else by its paper and page.
    """
    seen: set[str] = set()
    if notes:
        notes.prose(answer_statements)
    for statement in answer_statements:
        yield list(_statement(statement, notes, seen, ids=ids))


def _head(answer: Answer, *, ids: bool) -> Iterator[Block]:
    if answer.standalone and answer.standalone != answer.question:
        yield [TextParagraph((f"Asked as: {answer.standalone}",))]
    if not answer.answered:
        yield [TextParagraph((answer.reason if ids else _NUMBERS.sub("", answer.reason),))]
    if answer.closest:
        id_lines = [TextParagraph(((answer.closest.spans[0].id, "dim"),), 4)] if ids else []
        yield [
            TextParagraph((f"The closest sentence, from {answer.closest.where}:",)),
            TextParagraph(((f"“{answer.closest.quote}”", "dim"),), 4),
            *id_lines,
        ]
    if answer.queries:
        yield [TextParagraph(((f"{service}: ", "dim"), query)) for service, query in answer.queries.items()]


def _prose(paragraph: Paragraph) -> TextParagraph:
    parts = [part for statement in paragraph.statements for part in (" ", *_statement_parts(statement))][1:]
    return TextParagraph((f"{paragraph.label}: ", *parts) if paragraph.label else tuple(parts))


def _statement_parts(statement: NotedStatement) -> Iterator[Part]:
    yield statement.text if statement.stands else (statement.text, "dim")
    if statement.notes:
        yield f"[{','.join(str(note.number) for note in statement.notes)}]"
    if statement.verdict:
        yield f" ({statement.verdict}{f'[{statement.why.number}]' if statement.why else ''})", "dim"


def _note(note: Note, *, ids: bool) -> Iterator[TextParagraph]:
    if note.citation is None:
        yield TextParagraph((f"[{note.number}] ", (note.against, "dim")), 2)
        return
    yield TextParagraph((f"[{note.number}] {note.citation.where}", *(_ids(note.citation) if ids else ())), 2)
    words = "" if note.is_quoted else note.words
    if words:
        yield TextParagraph(((f"“{words}”", "dim"),), 6)
    for row in note.rows:
        yield from (TextParagraph(((f"{name}: {value}" if name else value, "dim"),), 6) for name, value in row)


def _figure(cited: CitedFigure, notes: Notes, opened: str, *, ids: bool) -> Iterator[TextParagraph]:
    """Its caption, too, where that is not cited, and what a model reads in it."""
    figure, numbers = cited.figure, ",".join(str(note.number) for note in notes.leading(cited))
    id_part = ((f" · {opened}{figure.id}", "dim"),) if ids else ()
    yield TextParagraph((f"[{numbers}] {figure.title} · {notes.whereabouts(cited)}", *id_part), 2)
    if cited.by == "mention" and figure.caption:
        yield TextParagraph(((shorten(figure.caption, _CAPTION, placeholder=" …"), "dim"),), 6)
    if read := cited.reading:
        yield TextParagraph(((f"{read.label} ", "dim"), read.display_text), 6)
        yield from (TextParagraph(((f"- {value}", "dim"),), 8) for value in read.values)


def _ids(citation: Citation) -> Iterator[Part]:
    if citation.spans:
        yield f" · {', '.join(span.id for span in citation.spans)}", "dim"


def _source(label: str, paper: Paper, *, ids: bool) -> Iterator[TextParagraph]:
    yield TextParagraph((f"[{label}] {paper.reference}",), 2)
    if below := " · ".join(part for part in (paper.id if ids else "", paper.link) if part):
        yield TextParagraph(((below, "dim"),), 4)


def _statement(statement: Statement, notes: Notes | None, seen: set[str], *, ids: bool) -> Iterator[TextParagraph]:
    noted_statement = Notes().prose([statement])[0].statements[0]
    markers = " ".join(citation.marker for citation in statement.citations)
    yield TextParagraph(
        (f"{noted_statement.text} {markers}",)
        if noted_statement.stands
        else ((f"{noted_statement.text} {markers}", "dim"),)
    )
    if statement.doubt:
        yield TextParagraph(((f"({statement.doubt})", "dim"),), 2)
    for citation in statement.citations:
        number = f"{notes.of(citation).number}. " if notes else ""
        yield from _quoted(citation, number, statement.status == "quoted", seen, ids=ids)


def _quoted(citation: Citation, number: str, is_quoted: bool, seen: set[str], *, ids: bool) -> Iterator[TextParagraph]:
    fresh = "" if is_quoted else citation.quoting(seen)
    seen.update(span.id for span in citation.spans)
    if fresh:
        yield TextParagraph((f"{number}“{fresh}”",), 4)
    where = ", ".join(span.id for span in citation.spans) if ids else citation.where
    yield TextParagraph(((f"{'' if fresh else number}{where}", "dim"),), 4)
