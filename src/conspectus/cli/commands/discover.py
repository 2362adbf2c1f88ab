"""`discover`."""

from __future__ import annotations

from typing import Any

import click

from conspectus.cli.app import verb
from conspectus.cli.describe import say_example
from conspectus.cli.options import filter_options, filters_of
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.core.plural import pluralize
from conspectus.records.graph import Discovery, Hypothesis, Later, Ranking
from conspectus.wire import encode


@verb("discover")
@click.argument("entity", metavar="ENTITY")
@click.option("--until", type=click.IntRange(1, 9999), metavar="YEAR", help="Only papers so far; later ones are told.")
@click.option("-k", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@click.option("--examples", type=click.IntRange(0, 100), default=1, show_default=True, help="Sentences of each hop.")
@click.option("--apart", is_flag=True, help="None that a paper speaks of beside ENTITY.")
@filter_options(kinds=False)
def discover_verb(
    state: State, entity: str, until: int | None, k: int, examples: int, *, apart: bool, **chosen: Any
) -> None:
    """Suggest what may be worth looking into: entities that only others join to one.

    No sentence speaks of ENTITY (a name, or an id) and of what is suggested; both are spoken of with the same others,
    in the sentences shown. They suggest looking, and state no finding.
    """
    with showing(state), state.library() as library:
        found = library.discover(entity, until=until, k=k, examples=examples, apart=apart, filters=filters_of(chosen))
    state.tell(lambda: encode.body(found), lambda out: _told(out, found))


def _told(out: Printer, found: Discovery) -> None:
    asked = found.entity
    spoken = f"{pluralize(asked.sentences, 'sentence')} of {pluralize(asked.papers, 'paper')}"
    out.line((one_line(asked.label), "title"), (f" · {one_line(f'{asked.id} · {spoken}')}", "dim"))
    out.line(found.note)
    if found.hypotheses:
        out.line((_ranked(found.ranking), "dim"))
    for one in found.hypotheses:
        _hypothesis(out, one)
        if found.until is not None:
            _later(out, one.later, found.until)


def _ranked(by: Ranking) -> str:
    weights = f"{by.worth:.2f} worth, {by.spoken:.2f} spoken, {by.product:.2f} product, {by.beside:.2f} beside"
    learnt = f"learnt of {by.learnt} pairs that the last years joined" if by.learnt else "not learnt here"
    return f"Ranked by {weights}: {learnt}."


def _hypothesis(out: Printer, one: Hypothesis) -> None:
    beside = f", {pluralize(one.papers, 'paper')} of both" if one.papers else ""
    told = f"{one.entity.id} · score {one.score:.2f} · {one.shared} shared{beside}"
    out.line()
    out.line((one_line(f"{one.rank}. {one.entity.label}"), "title"), (f"  {one_line(told)}", "dim"))
    for bridge in one.bridges:
        out.line(one_line(f"by {bridge.entity.label}"), indent=2)
        for example in (example for hop in bridge.hops for example in hop.examples):
            say_example(out, example)


def _later(out: Printer, later: Later | None, until: int) -> None:
    if later is None:
        out.line(f"No sentence after {until} speaks of both.", indent=2)
        return
    spoken = f"{pluralize(later.sentences, 'sentence')} of {pluralize(later.papers, 'paper')} after {until}"
    out.line(f"Both are spoken of in {spoken}, first in {later.year}:", indent=2)
    if later.first:
        say_example(out, later.first)
