"""`consensus`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.options import budget_options, budgeted, filter_options, filters_of, use_option
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.faces.printer import Printer
from conspectus.records import Consensus, Stance
from conspectus.wire import encode

_STYLES = {"supports": "good", "opposes": "bad", "mixed": "match", "not about it": "dim"}


@verb("consensus")
@click.argument("question", nargs=-1, required=True, metavar="QUESTION…")
@click.option(
    "-k", "--k", type=click.IntRange(min=1), metavar="N", help="How many papers (else the setting consensus.papers)."
)
@click.option("--claim", is_flag=True, help="QUESTION is the claim itself, and is not restated.")
@click.option("--model", default="", metavar="NAME", help="The language model.")
@use_option
@click.option("--no-cache", is_flag=True, help="Ask models also what they have answered before.")
@budget_options
@filter_options(kind_option="--passage-kind")
def consensus_verb(
    state: State,
    /,
    question: tuple[str, ...],
    k: int | None,
    claim: bool,
    model: str,
    use: str | None,
    no_cache: bool,
    **chosen: Any,
) -> int:
    """Show how far papers agree, each with the sentences that show its stance.

    The question is made a claim, and a language model (the settings language.ask and language.judge, or --model) says
    of each paper found whether it supports or opposes it. One of seven levels, from Strong Agreement to Strong
    Disagreement, follows from these stances by a rule, or none where too few papers are about it.

    The exit code is 1 where papers could not be judged, 3 without a model.
    """
    filters = filters_of(budgeted(state, chosen))
    text = " ".join(question)
    options: dict[str, Any] = {"model": model, "use": use or "", "cache": not no_cache, "claim": text if claim else ""}
    with showing(state, answer=True), state.library() as library:
        found = library.consensus(text, k, filters, **options)
    state.tell(lambda: encode.body(found), lambda out: _say(out, found))
    return int(bool(found.unjudged))


def _say(out: Printer, found: Consensus) -> None:
    if found.claim:
        out.fold(f"Claim: {found.claim}")
    if found.level:
        out.line((found.level, "title"), f"  relevance {found.relevance:.2f}")
    else:
        out.fold(typed(found.reason))
    if found.explanation:
        out.fold(found.explanation)
    out.line()
    for item in found.stances:
        if item.stance != "not about it":
            _stance(out, item)
    if others := [item for item in found.stances if item.stance == "not about it"]:
        out.line(("Not about it", "title"))
        for item in others:
            out.fold(f"{item.rank}. [{item.label}] {item.paper.heading}{_far(item)}", indent=2)
        out.line()
    for one in found.unjudged:
        out.line((f"{one.rank}. not judged", "bad"), f": [{one.label}]")
        out.fold(one.reason, indent=4)
    if found.note:
        out.fold(typed(found.note))
    out.line((found.took, "dim"))


def _stance(out: Printer, item: Stance) -> None:
    out.line(f"{item.rank}. ", (item.stance, _STYLES[item.stance]), f"  [{item.label}]{_far(item)}")
    out.fold(item.paper.heading, indent=4)
    if item.why:
        out.fold(item.why, 4, lambda line: [(line, "dim")])
    for citation in item.citations:
        out.fold(f"“{citation.quote}” {citation.marker}", indent=4)
        for span in citation.spans:
            out.line((span.id, "dim"), indent=6)
    out.line()


def _far(item: Stance) -> str:
    return f"  (far from the others found: {item.outlying.distance:.2f})" if item.outlying.outlier else ""
