"""`config`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from conspectus.cli.app import verb
from conspectus.cli.state import State
from conspectus.faces.printer import Printer

if TYPE_CHECKING:
    from conspectus.settings import Settings


@verb("config")
@click.argument("key", required=False, metavar="[GROUP.NAME]")
def config_verb(state: State, key: str | None) -> None:
    """Show the settings and where each was set.

    A setting comes from `conspectus.toml` in the library's folder, your configuration, the environment
    (CONSPECTUS_GROUP_NAME) or --set; later ones win. Addresses, keys, programs, paths and larger limits are never taken
    from the library's folder: such a setting is shown as ignored. With GROUP.NAME only the value of that setting is
    shown. Secrets, and users and passwords in addresses, are not shown.
    """
    from conspectus.settings.layers import find_setting

    name = key and find_setting(key, "flag")
    rows = [row for row in _rows(state.settings()) if name in (None, row["name"])]
    state.tell(
        lambda: {"settings": rows},
        lambda out: _print_settings(out, rows) if name is None else out.line(_text(rows[0]["value"])),
    )


def _print_settings(out: Printer, rows: Sequence[dict[str, Any]]) -> None:
    from conspectus.settings.user_folders import config_file

    out.line((f"Your configuration: {config_file()}", "dim"))
    for row in rows:
        value = _text(row["value"]) if row["value"] != "" else '""'
        out.line((f"{row['name']:<21} ", "title"), f"{value:<10}", (f"  {row['origin']}", "dim"))
        if file := row.get("ignored"):
            out.line(f"ignored: what '{file}' sets", indent=4)
        out.fold(f"{row['doc']} ({row['type']})", indent=4)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from conspectus.library.library_folder import rows
    from conspectus.wire.encode import plain

    names = ("name", "value", "origin", "default", "type", "doc")
    ignored = {name: {"ignored": file} for name, file in settings.ignored.items()}
    return [{name: row[name] for name in names} | ignored.get(row["name"], {}) for row in plain(rows(settings))]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
