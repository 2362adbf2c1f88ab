"""`backup` and `restore`."""

from __future__ import annotations

from pathlib import Path

import click

from conspectus.cli.app import verb
from conspectus.cli.describe import holdings
from conspectus.cli.showing import showing
from conspectus.cli.state import State
from conspectus.core.errors import UsageError
from conspectus.records import Backup
from conspectus.wire import encode


@verb("backup")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--remove", metavar="NAME", help="Delete a backup that restore --replace made; status lists them.")
def backup_verb(state: State, file: Path | None, remove: str | None) -> None:
    """Write the library to one file with checksums.

    FILE: a new name; by default one with the time in it, in the current folder. You can go on using the library
    meanwhile. Papers' own files and the index, which can be rebuilt, are not copied.
    """
    from conspectus.library.backup import free_name

    if remove is not None:
        if file is not None:
            raise UsageError("A backup is either written or deleted.", "Give a FILE or --remove, not both.")
        with state.library() as library:
            name = library.remove_backup(remove)
        state.tell(lambda: {"removed": name}, [f"Deleted {name}."])
        return
    with showing(state), state.library() as library:
        made = library.backup(file or free_name(Path.cwd()))
    told = f"{made.path}: {holdings(dict(made.counts))}, {made.megabytes:.1f} MB."
    _say(state, made, told, "Not in it, for it sets what a library's file may not")


@verb("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Also where the library has papers; they are backed up beside it first.")
def restore_verb(state: State, file: Path, replace: bool) -> None:
    """Make the library what a backup holds: all of it, or, if that fails, nothing.

    The backup's settings are taken where the library has none of its own. Triggers and views in its catalog, which none
    of ours has, never are.
    """
    with showing(state), state.library(create=True) as library:
        made = library.restore(file, replace=replace)
    _say(state, made, f"The library is that of {made.made} again: {holdings(dict(made.counts))}.", "Left out")


def _say(state: State, made: Backup, told: str, why: str) -> None:
    lines = [told, *([f"{why}: {', '.join(made.left_out)}."] if made.left_out else [])]
    state.tell(lambda: encode.plain(made), lines)
