"""`app`: the page in a window of its own, without a terminal."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import click

from conspectus.cli import interrupts
from conspectus.cli.app import verb
from conspectus.cli.commands.serve import ENDING
from conspectus.cli.state import State
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.settings import user_folders

IDLE = 300.0
"""Seconds after the last page was closed in which it may be opened again."""
UPLOAD = 500 * 2**20
_KIND = "app"


@verb("app")
@click.option("--install", "installs", is_flag=True, help="Add an entry for this library to the system's menu.")
@click.option("--uninstall", "uninstalls", is_flag=True, help="Remove that entry.")
def app_verb(state: State, installs: bool, uninstalls: bool) -> None:
    """Open the library in a window of its own, or in the browser.

    It needs no terminal: `app --install` adds it to the menu (Linux), to ~/Applications (macOS) or to the start menu
    (Windows). It ends by itself five minutes after its last window was closed, unless a job is running.
    """
    from conspectus.cli import launcher

    if installs and uninstalls:
        raise UsageError("--install and --uninstall exclude each other.", "Choose one.")
    folder = os.path.realpath(state.folder)
    if installs:
        place = launcher.install(state.folder.absolute())
        return state.tell(lambda: {"entry": str(place)}, [f"{launcher.NAME} is in the menu: {place}"])
    if uninstalls:
        gone = launcher.uninstall()
        said = f"Removed {gone}." if gone else "There is no entry."
        return state.tell(lambda: {"entry": str(gone or "")}, [said])
    if address := _running(folder):
        launcher.open_window(address)
        return state.tell(lambda: {"address": address}, [address])
    try:
        _serve(state, folder, launcher.open_window)
    except ConspectusError as error:
        if not state.out.terminal:
            launcher.show_failure(error)
        raise
    return None


def _serve(state: State, folder: str, open_window: Any) -> None:
    from conspectus.server.access import Access
    from conspectus.server.lifecycle import serve

    def tell(address: str) -> None:
        user_folders.remember(_KIND, folder, {"address": address})
        state.tell(lambda: {"address": address}, [address])
        open_window(address)

    interrupts.allow(ENDING)
    try:
        with state.library(create=True) as library, suppress(KeyboardInterrupt):
            serve(library, Access("127.0.0.1", 0, "", (), read_only=False), UPLOAD, tell, idle=IDLE)
    finally:
        user_folders.remember(_KIND, folder, {})


def _running(folder: str) -> str:
    """The address of the window's server, if there is one for this library already."""
    import httpx2

    address = user_folders.recall(_KIND, folder).get("address")
    if not isinstance(address, str) or not address.startswith("http://127.0.0.1:"):
        return ""
    with suppress(httpx2.HTTPError, ValueError):
        said = httpx2.get(f"{address}api/v1/health", timeout=2.0, trust_env=False).json()
        if isinstance(said, dict) and said.get("schema") == "conspectus.health/1":
            return address
    return ""
