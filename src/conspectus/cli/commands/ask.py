"""`ask`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli import encode
from conspectus.cli.app import Verb
from conspectus.cli.describe import counted, reference
from conspectus.cli.options import filter_options, filters_of, use_option
from conspectus.cli.printer import Printer
from conspectus.cli.state import State
from conspectus.records import Answer, Statement, Use


@click.command("ask", cls=Verb)
@click.argument("question", nargs=-1, required=True, metavar="QUESTION…")
@filter_options()
@use_option
@click.pass_obj
def ask_verb(state: State, /, question: tuple[str, ...], use: Use | None, **chosen: Any) -> None:
    """Answer a question with quoted sentences, each cited, or say why not.

    Under each sentence stands the id with which `conspectus open` shows it on its page.
    """
    with state.library() as library:
        answer = library.ask(" ".join(question), filters_of(chosen), use=use or "")
        if state.json:
            state.out.json("ask", encode.answer(answer))
        else:
            _say(state.out, answer)


def _say(out: Printer, answer: Answer) -> None:
    if not answer.answered:
        out.fold(answer.reason)
    for statement in answer.statements:
        _statement(out, statement)
    sources = {citation.paper.id: citation for item in answer.statements for citation in item.citations}
    if sources:
        out.line(("Sources", "title"))
    for citation in sources.values():
        out.fold(f"[{citation.label}] {reference(citation.paper)}", indent=2)
        out.line((citation.paper.id, "dim"), indent=4)
    if answer.note:
        out.fold(answer.note)
    took = f"{answer.usage.seconds:.2f} s"
    out.line((f"{answer.method} · {counted(answer.usage.passages, 'passage')} read · {took}", "dim"))


def _statement(out: Printer, statement: Statement) -> None:
    """A quote with its marker; a statement in other words also with its status and the quotes it rests on."""
    markers = " ".join(citation.marker for citation in statement.citations)
    quoted = statement.status == "quoted"
    out.fold(f"“{statement.text}” {markers}" if quoted else f"{statement.text} {markers} ({statement.status})")
    for citation in statement.citations:
        if not quoted:
            out.fold(f"“{citation.quote}”", indent=2)
        for span in citation.spans:
            out.line((span.id, "dim"), indent=4)
    out.line()
