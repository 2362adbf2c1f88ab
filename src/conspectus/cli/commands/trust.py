"""`trust`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conspectus.cli.app import Verb
from conspectus.cli.printer import Printer, brief
from conspectus.cli.state import State

if TYPE_CHECKING:
    from conspectus.settings.standing import Standing


@click.command("trust", cls=Verb)
@click.option("--show", is_flag=True, help="List what that allows, and change nothing.")
@click.option("--revoke", "--remove", is_flag=True, help="Trust it no more.")
@click.pass_obj
def trust_verb(state: State, show: bool, revoke: bool) -> None:
    """Let count what a library from elsewhere says of addresses, stores and prompts.

    A library that you made on this machine is trusted. Of another one, what its folder says of where questions, texts
    and keys go, of what is loaded, of limits and of prompts counts only after this; and only then `retry` reads the
    files that its ledger names. It is kept for you, this folder and this content: what is changed later, or copied, has
    to be trusted again.
    """
    from conspectus.settings.standing import shown, trust

    found = shown(state.folder) if show else trust(state.folder, revoke=revoke)
    same = ("trusted", "made_here", "moved", "whole")
    known = {"library": str(found.folder), **{name: getattr(found, name) for name in same}}
    state.tell(lambda: {**known, "claims": brief(found.claims)}, lambda out: _shown(out, found))


def _shown(out: Printer, found: Standing) -> None:
    from conspectus.settings.standing import origin

    how = "made here, so trusted" if found.made_here else "trusted" if found.trusted else "not trusted"
    out.line((f"{found.folder}", "title"), f": {how}.")
    if found.moved:
        as_it_was = "It says what it said here" if found.trusted else "It says something else than it last said here"
        out.line(f"It {origin(found.folder)}. {as_it_was}.", indent=4)
        out.line("`conspectus trust` takes it back: then it is made here as before.", indent=4)
    for claim in found.claims:
        out.line(f"{claim.name:<21} {claim.value or claim.origin}", indent=4)
    if not found.claims:
        out.line("It says nothing of addresses, stores, limits and prompts.", indent=4)
    if not found.made_here:
        verb = "reads" if found.whole else "would read"
        out.line(f"`retry` {verb} the files that its ledger names.", indent=4)
