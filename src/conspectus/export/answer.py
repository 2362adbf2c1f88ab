"""An answer or a conversation as a file: Markdown with footnotes, a page of HTML, JSON, or BibTeX of what it cites."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from conspectus.answer.stored_answers import SavedConversation
from conspectus.core.characters import json_text
from conspectus.core.disk import user_path
from conspectus.core.errors import UsageError
from conspectus.core.output import Output, writing_to
from conspectus.export.formats import ANSWER_FORMATS, CITED_AS
from conspectus.export.write import pieces
from conspectus.records import Answer, Paper, Statement
from conspectus.records.notes import Drawn
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
    return tuple({one.paper.id: one.paper for item in statements for one in item.citations}.values())


def _write_document(
    what: str, title: str, answers: Sequence[Answer], to: str, output: Output, draw: Draw | None
) -> None:
    if to in CITED_AS:
        _write("".join(text for _, text in pieces(CITED_AS[to], lambda: cited(answers))), output)
    elif to == "html":
        from conspectus.wire.html import page

        _write(page(title, answers, draw(answers) if draw else Drawn()), output)
    elif to == "md":
        from conspectus.export.answer_markdown import markdown, pictures

        folder = _beside(output)
        drawn = draw(answers) if draw and folder else Drawn()
        with writing_to(output) as stream:
            stream.write(markdown(title, answers, quote(folder.name) if folder else "", drawn))
            if folder and draw:  # within, so that neither is there without the other
                _write_pictures(folder, pictures(drawn))
    else:
        raise UsageError(
            f"{what} is not written as {to}.", f"It is as {', '.join(dict.fromkeys((*ANSWER_FORMATS, *CITED_AS)))}."
        )


def _beside(output: Output) -> Path | None:
    """The folder for pictures beside a file; None for what is none."""
    if not isinstance(output, str | os.PathLike):
        return None
    path = user_path(output)
    special = path.exists() and not path.is_file()
    return None if special or not path.name else path.with_name(f"{path.stem}-pages")


def _write_pictures(folder: Path, pictures: Mapping[str, bytes]) -> None:
    """The pictures, in place of those of what was exported there before; links, which may lead anywhere, are none."""
    from conspectus.export.answer_markdown import PICTURES

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
            f"The pictures cannot be written to '{folder}': {error.strerror or error}.",
            "Choose another file, or leave them out: `pictures=False`.",
        ) from error


def _write(text: str, output: Output) -> None:
    with writing_to(output) as stream:
        stream.write(text)


def relabelled(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers with labels that mean the same paper in all of them, and never two.

    Letters go first to the papers that statements cite, in their order.
    """
    named = label_papers([*_cited(answers), *_others(answers)])
    return tuple(_with(answer, named) for answer in answers)


def _cited(answers: Iterable[Answer]) -> Iterator[Paper]:
    return (one.paper for answer in answers for item in answer.statements for one in item.citations)


def _others(answers: Iterable[Answer]) -> Iterator[Paper]:
    for answer in answers:
        yield from (one.paper for draft in answer.drafts for item in draft.statements for one in item.citations)
        yield from (item.paper for item in answer.evidence)


def _with(answer: Answer, named: Mapping[str, str]) -> Answer:
    return replace(
        answer,
        statements=_statements(answer.statements, named),
        drafts=tuple(replace(draft, statements=_statements(draft.statements, named)) for draft in answer.drafts),
        evidence=tuple(replace(item, label=named[item.paper.id]) for item in answer.evidence),
    )


def _statements(statements: Iterable[Statement], named: Mapping[str, str]) -> tuple[Statement, ...]:
    return tuple(
        replace(item, citations=tuple(replace(one, label=named[one.paper.id]) for one in item.citations))
        for item in statements
    )
