"""`route`."""

from __future__ import annotations

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.faces.printer import Printer, one_line
from conspectus.records import Routing, Suggestion
from conspectus.wire import encode


@verb("route")
@click.argument("question", nargs=-1, required=True, metavar="QUESTION…")
@click.option("--model", metavar="NAME", help="The language model that tells; `none`: a small one within, for English.")
@click.option("--no-cache", "cache", flag_value=False, default=True, help="Ask the model also what it has answered.")
def route_verb(state: State, /, question: tuple[str, ...], model: str | None, cache: bool) -> None:
    """Show what kind of question it is, and the settings that suit it.

    Kinds: single-paper, multi-paper, consensus, compositional (with its sub-questions), what-if, unclassified. With a
    language model (the setting language.ask or language.model, or --model) that one tells; without one a small model
    does that comes with the program and knows English only.
    """
    with state.library() as library:
        found = library.route(" ".join(question), model=model or "", cache=cache)
    state.tell(lambda: encode.plain(found), lambda out: _say(out, found))


def _say(out: Printer, found: Routing) -> None:
    out.line((found.kind, "title"), *(f" · {flag}" for flag in found.flags))
    for reason in found.reasons:
        out.fold(one_line(reason), 2)
    if found.suggested is None:
        out.line("Nothing is suggested: the settings stay as they are.")
    else:
        _suggestion(out, found.suggested)
    if found.parts:
        out.line("Sub-questions:")
    for part in found.parts:
        out.fold(f"- {one_line(part)}", 2)
    out.line((f"by {one_line(found.by)}", "dim"))
    if found.note:
        out.fold(one_line(typed(found.note)))


def _suggestion(out: Printer, found: Suggestion) -> None:
    low, high = found.k
    out.line(f"Suggested: {low} to {high} papers")
    for name, on in (
        ("keywords weigh", found.keywords),
        ("recent papers weigh more", found.recency),
        ("papers cited much weigh more", found.citations),
        ("search by a hypothetical answer, too", found.expand),
        ("rank again with a better model", found.rerank),
        ("let a model choose the steps", found.agent),
    ):
        out.line(f"{'on ' if on else 'off'}  {name}", indent=2)
