"""`library restore` where the catalog is so damaged that no library can be opened."""

from __future__ import annotations

from typing import Any

from conspectus.cli.state import State
from conspectus.cli.verb_commands import run_verb
from conspectus.core.errors import LibraryDamagedError
from conspectus.core.job_context import Notice
from conspectus.faces.declare import Verb


def run_restore(state: State, verb: Verb, values: dict[str, Any]) -> int:
    """Restore a backup; a catalog that cannot be opened makes way for it under another name."""
    from conspectus.library.backup import set_aside

    try:
        with state.library(create=True):
            pass
    except LibraryDamagedError as error:
        if not values["replace"] or state.settings().catalog.url:  # a server has backups of its own
            raise
        renamed = set_aside(state.folder)
        state.note(Notice(f"{error.message} It is now called '{renamed.name}'."))
    return run_verb(state, verb, values)
