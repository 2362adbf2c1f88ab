"""An answer or a conversation as a file: Markdown with footnotes, a page of HTML, JSON, or BibTeX of its sources.

In Markdown, what papers and models wrote is escaped: nothing in it is a link, an image, HTML or a footnote.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from conspectus.core.disk import user_path
from conspectus.core.errors import UsageError, describe_os_error
from conspectus.core.output import Output, writing_to
from conspectus.core.text import json_text
from conspectus.core.text import line as one_line
from conspectus.export.formats import ANSWER_FORMATS, CITED_AS
from conspectus.export.write import pieces
from conspectus.models.languages.model_titles import model_title
from conspectus.records import Answer, Cell, CitedFigure, Paper, Statement
from conspectus.records.answer import SavedConversation
from conspectus.records.notes import BACKGROUND, Drawn, Note, NotedStatement, Notes, PagePicture
from conspectus.records.paper import label_papers
from conspectus.wire import encode

Draw = Callable[[Sequence[Answer]], Drawn]
"""Has the pages behind notes drawn, and figures."""


def write(answer: Answer, to: str, output: Output, draw: Draw | None = None) -> None:
    """Write an answer in one of `ANSWER_FORMATS`, or the papers that it cites (`CITED_AS`).

    With `draw`, pages stand behind the notes of Markdown and HTML, and figures with the answers that rest on them.

    Those of Markdown become files in a folder beside the file, `NAME-pages`; where it goes elsewhere than to a file,
    there are none.

    Raises:
        UsageError: there is no such format, or the file cannot be written.
    """
    if to == "json":
        _write(json_text({"schema": "conspectus.ask/1", **encode.body(answer)}, indent=1) + "\n", output)
    else:
        _write_document("An answer", answer.question, [answer], to, output, draw)


def write_conversation(saved: SavedConversation, to: str, output: Output, draw: Draw | None = None) -> None:
    """Write a conversation, as `write` does an answer."""
    if to == "json":
        body = {"schema": "conspectus.answers.conversations/1", "conversation": encode.body(saved)}
        _write(json_text(body, indent=1) + "\n", output)
    else:
        _write_document("A conversation", saved.conversation.title, relabelled(saved.answers), to, output, draw)


def cited(answers: Sequence[Answer]) -> tuple[Paper, ...]:
    """The papers that answers cite, each once."""
    statements = (item for answer in answers for item in answer.statements)
    return tuple({citation.paper.id: citation.paper for item in statements for citation in item.citations}.values())


def _write_document(
    what: str, title: str, answers: Sequence[Answer], to: str, output: Output, draw: Draw | None
) -> None:
    if to in CITED_AS:
        _write("".join(text for _, text in pieces(CITED_AS[to], lambda: cited(answers))), output)
    elif to == "html":
        from conspectus.wire.html import page

        _write(page(title, answers, draw(answers) if draw else Drawn()), output)
    elif to == "md":
        folder = _picture_folder(output)
        drawn = draw(answers) if draw and folder else Drawn()
        with writing_to(output) as stream:
            stream.write(markdown(title, answers, quote(folder.name) if folder else "", drawn))
            if folder and draw:  # within, so that neither is there without the other
                _write_pictures(folder, pictures(drawn))
    else:
        raise UsageError(
            f"{what} is not written as {to}.", f"It is as {', '.join(dict.fromkeys((*ANSWER_FORMATS, *CITED_AS)))}."
        )


def _picture_folder(output: Output) -> Path | None:
    """The folder for pictures beside a file; None for what is none."""
    if not isinstance(output, str | os.PathLike):
        return None
    path = user_path(output)
    special = path.exists() and not path.is_file()
    return None if special or not path.name else path.with_name(f"{path.stem}-pages")


def _write_pictures(folder: Path, pictures: Mapping[str, bytes]) -> None:
    """The pictures, in place of those of what was exported there before; links, which may lead anywhere, are none."""

    try:
        if folder.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        if pictures:
            folder.mkdir(exist_ok=True)
        for path in (path for names in PICTURES for path in folder.glob(names)):
            path.unlink()
        for name, png in pictures.items():
            with (folder / name).open("xb") as file:
                file.write(png)
    except OSError as error:
        raise UsageError(
            f"The pictures cannot be written to '{folder}': {describe_os_error(error)}.",
            "Choose another file, or leave them out: `pictures=False`.",
        ) from error


def _write(text: str, output: Output) -> None:
    with writing_to(output) as stream:
        stream.write(text)


def relabelled(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers with labels that mean the same paper in all of them, and never two.

    Letters go first to the papers that statements cite, in their order.
    """
    labels = label_papers([*_cited(answers), *_other_papers(answers)])
    return tuple(_with(answer, labels) for answer in answers)


def _cited(answers: Iterable[Answer]) -> Iterator[Paper]:
    return (citation.paper for answer in answers for item in answer.statements for citation in item.citations)


def _other_papers(answers: Iterable[Answer]) -> Iterator[Paper]:
    for answer in answers:
        yield from (
            citation.paper for draft in answer.drafts for item in draft.statements for citation in item.citations
        )
        yield from (item.paper for item in answer.evidence)


def _with(answer: Answer, labels: Mapping[str, str]) -> Answer:
    return replace(
        answer,
        statements=_statements(answer.statements, labels),
        drafts=tuple(replace(draft, statements=_statements(draft.statements, labels)) for draft in answer.drafts),
        evidence=tuple(replace(item, label=labels[item.paper.id]) for item in answer.evidence),
    )


def _statements(statements: Iterable[Statement], labels: Mapping[str, str]) -> tuple[Statement, ...]:
    return tuple(
        replace(
            item, citations=tuple(replace(citation, label=labels[citation.paper.id]) for citation in item.citations)
        )
        for item in statements
    )


_SIGNS = re.compile(r"([\\`*_\[\]<>|~$&@^])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)([.:])")
_NOTHING = Drawn()
_BEGINS = re.compile(r"^(\d*)([-+=#:.)])")


def escaped(text: str) -> str:
    """`text` on one line so that Markdown shows just that."""
    line = _SIGNS.sub(r"\\\1", one_line(text))
    return _ADDRESS.sub(r"\1\\\2", _BEGINS.sub(r"\1\\\2", line))


def markdown(title: str, answers: Sequence[Answer], folder: str = "", drawn: Drawn = _NOTHING) -> str:
    """Answers as a document, with the notes and the sources of all at the end.

    Args:
        title: of the document; where it is the only answer's question, that is not repeated.
        answers: a label must mean the same paper in all of them; see `export.labelling`.
        folder: where the pictures of `drawn` lie, as a link from the document; see `pictures`.
        drawn: the pages behind the notes, which are numbered through, and figures.
    """
    notes = Notes()
    alone = len(answers) == 1 and answers[0].question == title
    turns = []
    for answer in answers:
        head = "" if alone else f"## {escaped(answer.question)}"
        turns += [head, *_parts(answer, notes, "##" if alone else "###")]
        turns += [*_figures(answer.figures, notes, folder, drawn), *_origin_lines(answer)]
    behind = "\n".join(_note(note, folder, drawn.pages.get(note.number, ())) for note in notes)
    return "\n\n".join(part for part in (f"# {escaped(title)}", *turns, *_sources(notes), behind) if part) + "\n"


PICTURES = ("note-[0-9]*-page-[0-9]*.png", "figure-*.f*.png")
"""The names of pictures' files, as patterns."""


def pictures(drawn: Drawn) -> dict[str, bytes]:
    """The names of pictures' files, and what is in them (PNG)."""
    pages = {
        _page_name(number, picture.page): picture.png
        for number, page_pictures in drawn.pages.items()
        for picture in page_pictures
    }
    every = pages | {_figure_name(name): picture.png for name, picture in drawn.figures.items()}
    return {name: png for name, png in every.items() if png}


def _page_name(number: int, page: int) -> str:
    return f"note-{number}-page-{page}.png"


def _figure_name(figure_id: str) -> str:
    return f"figure-{figure_id}.png"


def _figures(cited: Sequence[CitedFigure], notes: Notes, folder: str, drawn: Drawn) -> Iterator[str]:
    if cited:
        yield "**Figures**"
    for cited_figure in cited:
        figure, leading = cited_figure.figure, notes.leading(cited_figure)
        picture = drawn.figures.get(figure.id)
        if picture and picture.png:
            yield f"![{escaped(figure.title)}](<{folder}/{_figure_name(figure.id)}>)"
        why = f" {escaped(f'No picture: {picture.why}')}" if picture and picture.why else ""
        marks, where = "".join(map(_mark, leading)), notes.whereabouts(cited_figure)
        caption = f" {escaped(figure.caption)}" if figure.caption else ""
        yield f"- {escaped(figure.title)}{marks} ({escaped(where)}):{caption} `{figure.id}`{why}"
        if read := cited_figure.reading:
            values = "".join(f"\n  - {escaped(value)}" for value in read.values)
            yield f"  *{escaped(read.label)}* {escaped(read.display_text)}{values}"


def _parts(answer: Answer, notes: Notes, mark: str) -> Iterator[str]:
    if answer.standalone and answer.standalone != answer.question:
        yield f"Asked as: {escaped(answer.standalone)}"
    if not answer.answered:
        yield escaped(answer.reason)
    if answer.closest:
        yield f"{escaped(f'The closest sentence, from {answer.closest.where}:')}\n\n> {escaped(answer.closest.quote)}"
    yield "\n".join(f"- {escaped(service)}: {escaped(query)}" for service, query in answer.queries.items())
    yield from _prose(answer.statements, notes)
    if answer.background:
        yield f"**{BACKGROUND}**\n\n> {escaped(answer.background)}"
    if answer.opinion:
        yield escaped(answer.opinion.sentence)
    for draft in answer.drafts:
        yield f"{mark} {escaped(draft.name.capitalize())}"
        yield from _prose(draft.statements, notes) if draft.statements else (escaped(draft.text),)


def _sources(notes: Notes) -> Iterator[str]:
    if papers := notes.papers():
        yield "## Sources"
        yield "\n".join(f"- {_source(label, paper)}" for label, paper in papers.values())


def _source(label: str, paper: Paper) -> str:
    link = f" [{escaped(paper.link)}](<{paper.link}>)" if paper.link else ""
    return f"\\[{escaped(label)}\\] {escaped(paper.reference)}{link}"


def _origin_lines(answer: Answer) -> Iterator[str]:
    if answer.note:
        yield f"*{escaped(answer.note)}*"
    names = ", ".join(part for part in (*map(model_title, answer.models), answer.made[:10]) if part)
    yield f"*{escaped(f'{answer.took} · {names}')}*"


def _prose(statements: Sequence[Statement], notes: Notes) -> Iterator[str]:
    for paragraph in notes.prose(statements):
        label = f"{escaped(paragraph.label)}: " if paragraph.label else ""
        yield label + " ".join(map(_format_statement, paragraph.statements))


def _format_statement(statement: NotedStatement) -> str:
    marks = "".join(map(_mark, statement.notes))
    verdict = f" *({statement.verdict}{_mark(statement.why) if statement.why else ''})*" if statement.verdict else ""
    return f"{escaped(statement.text)}{marks}{verdict}"


def _mark(note: Note) -> str:
    return f"[^{note.number}]"


def _note(note: Note, folder: str, pages: Iterable[PagePicture]) -> str:
    if note.citation is None:
        return f"[^{note.number}]: {escaped(note.against)}"
    words = f" “{escaped(note.words)}”" if note.words and not note.is_quoted else ""
    ids = escaped(", ".join(span.id for span in note.citation.spans))
    links = "".join(f" · {_link(note.number, folder, picture)}" for picture in pages)
    tables = "".join(f"\n\n{_table(row)}" for row in note.rows)
    return f"[^{note.number}]: {escaped(note.citation.where)}{words} {ids}{links}{tables}"


def _link(number: int, folder: str, picture: PagePicture) -> str:
    if picture.why:
        return escaped(f"no picture of page {picture.page}: {picture.why}")
    return f"[page {picture.page}](<{folder}/{_page_name(number, picture.page)}>)"


def _table(row: Sequence[Cell]) -> str:
    """The row of a table, indented so that it belongs to its note."""
    names, values = ([escaped(cell[at]) for cell in row] for at in (0, 1))
    rule = ["---"] * len(row)
    return "\n".join(f"    | {' | '.join(cells)} |" for cells in (names, rule, values)) + "\n"
