"""`entities`: what papers speak of most, what models found of it, and what is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.graph import MOST, spoken, write_lines
from conspectus.cli.describe import say_example
from conspectus.cli.options import filter_options, filters_of
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.core.plural import pluralize
from conspectus.records.entities import REVIEWED, EntityState, NewEntities, NewEntity
from conspectus.records.graph import Entity, EntityMerge
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

_STATES = click.Choice(list(REVIEWED.values()))


@verb("entities")
@click.argument("paper", default="", metavar="[PAPER]")
@click.option("--top", type=click.IntRange(1, MOST), metavar="N", help="Those that are most spoken of (50).")
@click.option("--rare", type=click.IntRange(1, MOST), metavar="N", help="Those that are least spoken of.")
@click.option("--general", is_flag=True, help="With --top: also everyday words of which all papers speak alike.")
@click.option("--vocabulary", default="", metavar="NAME", help="Only those of this vocabulary.")
@click.option(
    "--review",
    type=_STATES,
    is_flag=False,
    flag_value="new",
    help="Those that a model found and that wait (new), or were accepted or rejected.",
)
@click.option("--accept", multiple=True, metavar="ENTITY", help="Accept one of these.")
@click.option("--reject", multiple=True, metavar="ENTITY", help="Reject one: it goes, and does not come back.")
@click.option("--undo", multiple=True, metavar="ENTITY", help="Let it wait again.")
@click.option("--merge", nargs=2, metavar="ENTITY INTO", help="Take an entity for another one.")
@click.option("--unmerge", default="", metavar="ENTITY", help="Undo that.")
@click.option("--merges", is_flag=True, help="List what was merged.")
@filter_options(kinds=False)
def entities_verb(
    state: State,
    /,
    paper: str,
    top: int | None,
    rare: int | None,
    vocabulary: str,
    review: EntityState | None,
    **chosen: Any,
) -> None:
    """List the entities that are most, or least, spoken of, in all papers or in one.

    Two that are one are merged by --merge, which changes nothing that was found, and can be undone. What a language
    model found and no vocabulary has (`link --model`) waits for review.
    """
    said = {name: chosen.pop(name) for name in REVIEWED}
    merge, unmerge, merges = (chosen.pop(name) for name in ("merge", "unmerge", "merges"))
    if sum(map(bool, (top, rare, review, any(said.values()), merge, unmerge, merges))) > 1:
        raise click.UsageError("--top, --rare, --review, --merge … are different things: give one of them.")
    if merge or unmerge or merges:
        return _merges(state, merge, unmerge)
    if any(said.values()):
        return _review(state, said)
    if review:
        return _list(state, review, paper)
    with showing(state), state.library() as library:
        found = library.entities(
            paper,
            top=rare or top or 50,
            rare=bool(rare),
            general=chosen.pop("general"),
            vocabulary=vocabulary,
            filters=filters_of(chosen),
        )
    lines = [_line(one) for one in found] or ["No paper speaks of an entity: `conspectus link` finds them."]
    return state.tell(lambda: {"entities": encode.plain(found)}, lambda out: write_lines(out, lines))


def _merges(state: State, merge: tuple[str, str] | None, unmerge: str) -> None:
    with state.library() as library:
        said = (library.merge_entities(*merge),) if merge else (library.unmerge_entity(unmerge),) if unmerge else ()
        now = library.entity_merges()
    done = [f"{'Merged' if merge else 'No longer merged'}: {_merge(one)}" for one in said]
    lines = done or [_merge(one) for one in now] or ["Nothing was merged."]
    state.tell(lambda: {"merges": encode.plain(now)}, lambda out: write_lines(out, lines))


def _review(state: State, said: dict[str, tuple[str, ...]]) -> None:
    with state.library() as library:
        done = list(_reviewed(library, said))
    shown = encode.body(done)
    lines = [f"{one.state}: {_line(one)}" for one in done]
    state.tell(lambda: {"reviewed": shown}, lambda out: write_lines(out, lines))


def _reviewed(library: Library, said: dict[str, tuple[str, ...]]) -> Iterator[NewEntity]:
    for verdict, names in said.items():
        for name in names:
            yield library.review_entity(name, verdict)


def _list(state: State, review: EntityState, paper: str) -> None:
    if paper:
        raise click.UsageError("--review lists those of all papers.")
    with state.library() as library:
        found = library.new_entities(review, examples=3)
    state.tell(lambda: encode.body(found), lambda out: _listed(out, found, review))


def _listed(out: Printer, found: NewEntities, review: EntityState) -> None:
    for one in found.entities:
        out.line((one_line(one.label), "title"), (one_line(f"  {one.id} · {spoken(one)}"), "dim"))
        for example in one.examples:
            say_example(out, example)
    more = found.total - len(found.entities)
    what = "No entity waits for review." if review == "new" else f"No entity was {review}."
    out.line(f"{pluralize(more, 'more', 'more')}." if more else "" if found.entities else what)


def _merge(one: EntityMerge) -> str:
    return one_line(f"{one.label} ({one.entity}) into {one.into_label} ({one.into})")


def _line(one: Entity | NewEntity) -> str:
    return one_line(f"{one.label} · {one.id} · {spoken(one)}")
