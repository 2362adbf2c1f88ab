"""`config`."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import Verb
from conspectus.cli.state import State
from conspectus.core.errors import SettingsError

if TYPE_CHECKING:
    from conspectus.settings import Settings


@click.command("config", cls=Verb)
@click.argument("key", required=False, metavar="[GROUP.NAME]")
@click.pass_obj
def config_verb(state: State, key: str | None) -> None:
    """Show the settings and where each was set.

    A setting comes from `conspectus.toml` in the library's folder, from the environment (CONSPECTUS_GROUP_NAME) or
    from --set, the later before the earlier. What the file says and does not count, because the library was made
    elsewhere and is not trusted (`conspectus trust`), is shown as left out. With GROUP.NAME only that one's value.
    Secrets, and users and passwords in addresses, are not shown.
    """
    from conspectus.settings import KEYS

    if key is not None and key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else "`conspectus config` lists the settings."
        raise SettingsError(f"There is no setting '{key}'.", hint)
    rows = [row for row in _rows(state.settings()) if key in (None, row["name"])]
    if state.json:
        state.out.json("config", {"settings": rows})
    elif key is not None:
        state.out.line(_text(rows[0]["value"]))
    else:
        for row in rows:
            value = _text(row["value"]) if row["value"] != "" else '""'
            state.out.line((f"{row['name']:<21} ", "title"), f"{value:<10}", (f"  {row['origin']}", "dim"))
            if left := row.get("left_out"):
                state.out.line(f"left out: {left['value']} of {left['origin']}; not trusted", indent=4)
            state.out.fold(f"{row['doc']} ({row['type']})", indent=4)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from conspectus.settings import KEYS, describe

    left = {one.name: {"left_out": {"value": one.value, "origin": one.origin}} for one in settings.left_out}
    return [
        {
            "name": name,
            "value": _shown(value),
            "origin": origin,
            "default": _shown(KEYS[name].default),
            "type": describe(KEYS[name].type),
            "doc": KEYS[name].doc,
            **left.get(name, {}),
        }
        for name, value, origin in settings.rows()
    ]


def _shown(value: Any) -> Any:
    from conspectus.settings import Secret, without_user

    if isinstance(value, Secret):
        return "***" if value.reveal() else ""
    return without_user(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
