"""An answer as Markdown: statements with footnotes, each footnote a source with its quote.

What papers and models wrote is escaped: in it, nothing is a link, an image, HTML or a footnote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from conspectus.characters import line as one_line
from conspectus.records import Answer, Citation, Draft, Paper, Statement

_SIGNS = re.compile(r"([\\`*_\[\]<>|~$&@^])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([.:])")
_BEGINS = re.compile(r"^(\d*)([-+=#:.)])")


def escaped(text: str) -> str:
    """`text` on one line so that Markdown shows just that."""
    line = _SIGNS.sub(r"\\\1", one_line(text))
    return _ADDRESS.sub(r"\1\\\2", _BEGINS.sub(r"\1\\\2", line))


def markdown(answer: Answer) -> str:
    """The answer as a document."""
    notes = _Notes()
    return _joined([*_parts(answer, notes, "#"), *_sources(notes), *_made(answer), notes.text()])


def conversation_markdown(title: str, answers: Sequence[Answer]) -> str:
    """A conversation as a document: a section for each answer, the sources of all at the end.

    A label must mean the same paper in all `answers`; see `export.labelling`.
    """
    notes = _Notes()
    turns = [part for answer in answers for part in (*_parts(answer, notes, "##"), *_made(answer))]
    return _joined([f"# {escaped(title)}", *turns, *_sources(notes), notes.text()])


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def _parts(answer: Answer, notes: _Notes, mark: str) -> Iterator[str]:
    yield f"{mark} {escaped(answer.question)}"
    if answer.standalone and answer.standalone != answer.question:
        yield f"Asked as: {escaped(answer.standalone)}"
    if not answer.answered:
        yield escaped(answer.reason)
    yield "\n".join(f"- {escaped(service)}: {escaped(query)}" for service, query in answer.queries.items())
    for statement in answer.statements:
        yield _statement(statement, notes)
    if answer.background:
        yield f"**From the model, no source:**\n\n> {escaped(answer.background)}"
    if answer.opinion:
        yield escaped(answer.opinion.said)
    for draft in answer.drafts:
        yield from _draft(draft, notes, f"#{mark}")


def _sources(notes: _Notes) -> Iterator[str]:
    if papers := notes.papers():
        yield "## Sources"
        yield "\n".join(f"- \\[{escaped(label)}\\] {escaped(paper.reference)}" for label, paper in papers)


def _made(answer: Answer) -> Iterator[str]:
    if answer.note:
        yield f"*{escaped(answer.note)}*"
    names = ", ".join(part for part in (*answer.models, answer.made[:10]) if part)
    yield f"*{escaped(f'{answer.took} · {names}')}*"


def _statement(statement: Statement, notes: _Notes) -> str:
    text = escaped(statement.text)
    text = {"unsupported": f"~~{text}~~", "quoted": f"“{text}”"}.get(statement.status, text)
    marks = "".join(notes.mark(citation) for citation in statement.citations)
    return f"{text}{marks}" + (f" *({escaped(statement.doubt)})*" if statement.doubt else "")


def _draft(draft: Draft, notes: _Notes, mark: str) -> Iterator[str]:
    yield f"{mark} {escaped(draft.name.capitalize())}"
    for statement in draft.statements:
        yield _statement(statement, notes)
    if not draft.statements:
        yield escaped(draft.text)


class _Notes:
    """Footnotes, one for each citation of a document; the same sentences have the same one."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, ...], tuple[int, Citation]] = {}

    def mark(self, citation: Citation) -> str:
        key = tuple(span.id for span in citation.spans) or (citation.passage_id,)
        number, _ = self._numbers.setdefault(key, (len(self._numbers) + 1, citation))
        return f"[^{number}]"

    def papers(self) -> list[tuple[str, Paper]]:
        return list({one.paper.id: (one.label or one.paper.label, one.paper) for one in self._citations()}.values())

    def text(self) -> str:
        return "\n".join(
            f"[^{number}]: {escaped(one.marker)} “{escaped(one.quote)}” {escaped(', '.join(s.id for s in one.spans))}"
            for number, one in self._numbers.values()
        )

    def _citations(self) -> Iterable[Citation]:
        return (citation for _, citation in self._numbers.values())
