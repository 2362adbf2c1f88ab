"""An answer or a conversation as a file: Markdown with footnotes, a page of HTML, JSON, or BibTeX of what it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conspectus.catalog.kept import SavedConversation
from conspectus.characters import json_text
from conspectus.errors import UsageError
from conspectus.export.labelling import relabelled
from conspectus.export.output import Output, writing_to
from conspectus.export.write import pieces
from conspectus.records import Answer, Paper

ANSWER_FORMATS = ("md", "html", "json", "bib")


def write(answer: Answer, to: str, output: Output) -> None:
    """Write an answer in one of `ANSWER_FORMATS`.

    Raises:
        UsageError: there is no such format, or the file cannot be written.
    """
    text = _text(answer, to)
    with writing_to(output) as stream:
        stream.write(text)


def write_conversation(saved: SavedConversation, to: str, output: Output) -> None:
    """Write a conversation in one of `ANSWER_FORMATS`.

    Raises:
        UsageError: there is no such format, or the file cannot be written.
    """
    text = _conversation(saved, to)
    with writing_to(output) as stream:
        stream.write(text)


def conversation_body(saved: SavedConversation) -> dict[str, Any]:
    """A conversation as JSON speaks of it."""
    from conspectus.records.answer_json import answer_body, plain

    return {**plain(saved.conversation), "answers": [answer_body(answer) for answer in saved.answers]}


def cited(answers: Sequence[Answer]) -> tuple[Paper, ...]:
    """The papers that answers cite, each once."""
    statements = (item for answer in answers for item in answer.statements)
    return tuple({one.paper.id: one.paper for item in statements for one in item.citations}.values())


def _conversation(saved: SavedConversation, to: str) -> str:
    if to == "md":
        from conspectus.export.answer_markdown import conversation_markdown

        return conversation_markdown(saved.conversation.title, relabelled(saved.answers))
    if to == "html":
        from conspectus.records.answer_html import conversation_page

        return conversation_page(saved.conversation.title, relabelled(saved.answers))
    if to == "json":
        body = {"schema": "conspectus.conversations/1", "conversation": conversation_body(saved)}
        return json_text(body, indent=1) + "\n"
    if to == "bib":
        return "".join(text for _, text in pieces("bibtex", lambda: cited(saved.answers)))
    raise _no_format("A conversation", to)


def _text(answer: Answer, to: str) -> str:
    if to == "md":
        from conspectus.export.answer_markdown import markdown

        return markdown(answer)
    if to == "html":
        from conspectus.records.answer_html import page

        return page(answer)
    if to == "json":
        from conspectus.records.answer_json import answer_body

        return json_text({"schema": "conspectus.ask/1", **answer_body(answer)}, indent=1) + "\n"
    if to == "bib":
        return "".join(text for _, text in pieces("bibtex", lambda: cited([answer])))
    raise _no_format("An answer", to)


def _no_format(what: str, to: str) -> UsageError:
    return UsageError(f"{what} is not written as {to}.", f"It is as {', '.join(ANSWER_FORMATS)}.")
