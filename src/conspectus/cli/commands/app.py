"""`app`: the page in a window of its own, without a terminal."""

from __future__ import annotations

import os
from contextlib import suppress
from time import monotonic

import click

from conspectus.cli import interrupts
from conspectus.cli.app import verb
from conspectus.cli.commands.serve import ENDING
from conspectus.cli.state import State
from conspectus.core.disk import explain_write_errors
from conspectus.core.errors import BusyError, ConspectusError, UsageError
from conspectus.settings import user_folders

IDLE = 300.0
"""Seconds after the last page was closed in which it may be opened again."""
UPLOAD = 500 * 2**20
_STARTING = 60.0
"""Seconds that another process may take to start."""
_KIND = "app"


@verb("app")
@click.option("--install", "installs", is_flag=True, help="Add an entry for this library to the system's menu.")
@click.option("--uninstall", "uninstalls", is_flag=True, help="Remove that entry.")
@click.option("--quit", "quits", is_flag=True, help="Quit the window's server, if it runs.")
def app_verb(state: State, installs: bool, uninstalls: bool, quits: bool) -> None:
    """Open the library in a window of its own, or in the browser.

    It needs no terminal: `app --install` adds it to the menu (Linux), to ~/Applications (macOS) or to the start menu
    (Windows). Start it twice, and the running one opens another window. To quit, choose "Quit Conspectus" on the page
    or use --quit; it also ends by itself five minutes after its last window was closed, unless a job is running.
    With the extra `tray` it stays in the tray instead, with an icon that opens the page or quits.
    """
    from conspectus.cli import launcher

    if installs + uninstalls + quits > 1:
        raise UsageError("--install, --uninstall and --quit exclude each other.", "Choose one.")
    if installs:
        place = launcher.install(state.folder.absolute())
        return state.tell(lambda: {"entry": str(place)}, [f"{launcher.NAME} is in the menu: {place}"])
    if uninstalls:
        removed_entry = launcher.uninstall()
        message = f"Removed {removed_entry}." if removed_entry else "There is no entry."
        return state.tell(lambda: {"entry": str(removed_entry or "")}, [message])
    if quits:
        was_running = _quit(os.path.realpath(state.folder))
        message = "Conspectus has quit." if was_running else "Conspectus was not running."
        return state.tell(lambda: {"quit": was_running}, [message])
    try:
        _open(state, os.path.realpath(state.folder))
    except ConspectusError as error:
        if not state.out.terminal:
            launcher.show_failure(error)
        raise
    return None


def _open(state: State, folder: str) -> None:
    """Show the page of the server that holds the library's lock, or be that server."""
    from filelock import FileLock, Timeout

    place = user_folders.lock_file(_KIND, folder)
    with explain_write_errors(place.parent, "Set another folder: CONSPECTUS_STATE=FOLDER"):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = FileLock(place, mode=0o600)  # let go by the system, however its holder ends
    until = monotonic() + _STARTING
    while True:
        try:
            lock.acquire(timeout=0.2)
        except Timeout:
            if isinstance(address := user_folders.recall(_KIND, folder).get("address"), str):
                return _show(state, address)
            if monotonic() > until:
                raise BusyError("Another window of this library does not start.", "Try again later.") from None
            continue
        try:
            user_folders.remember(_KIND, folder, {})
            return _serve(state, folder)
        finally:
            lock.release()


def _quit(folder: str) -> bool:
    """End the server of the library's window; whether there was one."""
    address = user_folders.recall(_KIND, folder).get("address")
    if not isinstance(address, str):
        return False
    from conspectus.cli.tray import quit_server

    return quit_server(address)


def _show(state: State, address: str) -> None:
    from conspectus.cli.launcher import open_window

    state.tell(lambda: {"address": address}, [address])
    open_window(address)


def _serve(state: State, folder: str) -> None:
    from conspectus.cli.tray import TrayIcon
    from conspectus.server.access import AUTO, Access
    from conspectus.server.lifecycle import serve

    icon = TrayIcon()

    def tell(address: str) -> None:
        user_folders.remember(_KIND, folder, {"address": address})
        icon.show(address)
        _show(state, address)

    interrupts.allow(ENDING)
    try:
        with state.library(create=True) as library, suppress(KeyboardInterrupt):
            access = Access("127.0.0.1", 0, AUTO, is_own=True)  # others who work on this machine are kept out
            serve(library, access, UPLOAD, tell, idle=IDLE, stays=icon.is_shown)
    finally:
        user_folders.remember(_KIND, folder, {})
        icon.close()
