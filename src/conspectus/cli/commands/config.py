"""`config` and `trust`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.faces.printer import Printer, brief

if TYPE_CHECKING:
    from conspectus.settings import Settings
    from conspectus.settings.standing import Standing


@verb("config")
@click.argument("key", required=False, metavar="[GROUP.NAME]")
def config_verb(state: State, key: str | None) -> None:
    """Show the settings and where each was set.

    A setting comes from `conspectus.toml` in the library's folder, from the environment (CONSPECTUS_GROUP_NAME) or
    from --set, the later before the earlier. What the file says and does not count, because the library was made
    elsewhere and is not trusted (`conspectus trust`), is shown as left out. With GROUP.NAME only that one's value.
    Secrets, and users and passwords in addresses, are not shown.
    """
    from conspectus.settings.names import known

    name = key and known(key, "flag")
    rows = [row for row in _rows(state.settings()) if name in (None, row["name"])]
    state.tell(
        lambda: {"settings": rows}, lambda out: _say(out, rows) if name is None else out.line(_text(rows[0]["value"]))
    )


def _say(out: Printer, rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        value = _text(row["value"]) if row["value"] != "" else '""'
        out.line((f"{row['name']:<21} ", "title"), f"{value:<10}", (f"  {row['origin']}", "dim"))
        if left := row.get("left_out"):
            out.line(f"left out: {left['value']} of {left['origin']}; not trusted", indent=4)
        out.fold(f"{row['doc']} ({row['type']})", indent=4)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from conspectus.library.configuring import rows, shown
    from conspectus.wire.encode import plain

    left = {one.name: {"left_out": {"value": shown(one.value), "origin": one.origin}} for one in settings.left_out}
    names = ("name", "value", "origin", "default", "type", "doc")
    return [{name: row[name] for name in names} | left.get(row["name"], {}) for row in plain(rows(settings))]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@verb("trust")
@click.option("--show", is_flag=True, help="List what that allows, and change nothing.")
@click.option("--revoke", "--remove", is_flag=True, help="Trust it no more.")
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
    state.tell(lambda: {**known, "claims": brief(found.claims)}, lambda out: _standing(out, found))


def _standing(out: Printer, found: Standing) -> None:
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
