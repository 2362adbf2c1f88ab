"""An answer as a file: Markdown with footnotes, a page of HTML, JSON, or BibTeX of what it cites."""

from __future__ import annotations

import json

from conspectus.errors import UsageError
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


def _cited(answer: Answer) -> tuple[Paper, ...]:
    return tuple({one.paper.id: one.paper for item in answer.statements for one in item.citations}.values())


def _text(answer: Answer, to: str) -> str:
    if to == "md":
        from conspectus.export.answer_markdown import markdown

        return markdown(answer)
    if to == "html":
        from conspectus.records.answer_html import page

        return page(answer)
    if to == "json":
        from conspectus.records.answer_json import answer_body

        return json.dumps({"schema": "conspectus.ask/1", **answer_body(answer)}, ensure_ascii=False, indent=1) + "\n"
    if to == "bib":
        return "".join(text for _, text in pieces("bibtex", lambda: _cited(answer)))
    raise UsageError(f"An answer is not written as {to}.", f"It is as {', '.join(ANSWER_FORMATS)}.")
