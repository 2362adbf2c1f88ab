"""An entry in the system's menu that starts `conspectus app`, and the window in which its page opens."""

from __future__ import annotations

import html
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import click

from conspectus.core.disk import explain_write_errors, replacing
from conspectus.core.errors import ConspectusError, UnavailableError, UsageError

NAME = "Conspectus"
_WINDOWED = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge", "brave-browser")
"""Browsers that show a page in a window without tabs and address (`--app=URL`)."""
_MAC = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_WINDOWS = (r"Microsoft\Edge\Application\msedge.exe", r"Google\Chrome\Application\chrome.exe")
_SHORTCUT = (
    "$s = (New-Object -ComObject WScript.Shell).CreateShortcut($env:CONSPECTUS_LINK); "
    "$s.TargetPath = $env:CONSPECTUS_PROGRAM; $s.Arguments = $env:CONSPECTUS_ARGUMENTS; $s.Save()"
)
_FAILURE = "<!doctype html><meta charset=utf-8><title>Conspectus</title><h1>Conspectus could not start</h1><p>{}</p>"


def open_window(address: str) -> None:
    """Show a page in a window of its own, or in the browser where none can."""
    if program := _windowed():
        with suppress(OSError):
            subprocess.Popen(  # noqa: S603 - a program of the system's, and our own address
                [program, f"--app={address}"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            return
    click.launch(address)


def _windowed() -> str | None:
    places: list[Path] = []
    if sys.platform == "darwin":
        places = [Path(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in _MAC]
    if sys.platform == "win32":
        roots = [Path(os.environ[name]) for name in ("ProgramFiles", "ProgramFiles(x86)") if name in os.environ]
        places = [root / name for name in _WINDOWS for root in roots]
    programs = (str(place) for place in places if place.is_file())
    return next(programs, None) or next(filter(None, map(shutil.which, _WINDOWED)), None)


def show_failure(error: ConspectusError) -> None:
    """Show why it could not start, where there is no terminal to say it in."""
    with tempfile.NamedTemporaryFile("w", prefix="conspectus-", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(_FAILURE.format("<br>".join(html.escape(part) for part in (error.message, error.hint) if part)))
    click.launch(file.name)


def install(library: Path) -> Path:
    """Put an entry that opens this library into the menu, the dock's folder or the start menu; where it is.

    Raises:
        UsageError: the folder's name has control characters.
        LibraryError: it cannot be written.
        UnavailableError: Windows did not make the shortcut.
    """
    if not str(library).isprintable():
        raise UsageError(
            f"The menu cannot have the folder {str(library)!r}.", "Give it a name without control characters."
        )
    # -P: no file of the folder in which the menu starts it takes the place of one of the program's
    words = [sys.executable, "-P", "-m", "conspectus", "--library", str(library), "app"]
    place = entry()
    with explain_write_errors(place.parent, "Give this user the right to write there."):
        place.parent.mkdir(parents=True, exist_ok=True)
        if sys.platform == "win32":
            _make_shortcut(place, words)
        elif sys.platform == "darwin":
            _write(place, f"#!/bin/sh\nexec {shlex.join(words)}\n", 0o755)
        else:
            _write(place, _desktop_entry(words), 0o644)
    return place


def uninstall() -> Path | None:
    """Remove the entry; where it was, None if there was none."""
    place = entry()
    if not place.exists():
        return None
    with explain_write_errors(place.parent, "Give this user the right to write there."):
        place.unlink()
    return place


def entry() -> Path:
    """The file of the entry."""
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA") or str(Path.home() / "AppData" / "Roaming")
        return Path(roaming) / "Microsoft" / "Windows" / "Start Menu" / "Programs" / f"{NAME}.lnk"
    if sys.platform == "darwin":
        return Path.home() / "Applications" / f"{NAME}.command"
    data_folder = Path(os.environ.get("XDG_DATA_HOME", ""))
    return (
        (data_folder if data_folder.is_absolute() else Path.home() / ".local" / "share")
        / "applications"
        / "conspectus.desktop"
    )


def _desktop_entry(words: list[str]) -> str:
    """An entry as the Desktop Entry Specification 1.5 has it."""
    icon = Path(__file__).parents[1] / "web_static" / "icon.svg"
    rows = {
        "Type": "Application",
        "Name": NAME,
        "Comment": "Ask, survey and map your papers",
        "Comment[de]": "Arbeiten befragen, überblicken und kartieren",
        "Exec": " ".join(map(_quoted, words)),
        "Icon": str(icon) if icon.exists() else "accessories-dictionary",
        "Terminal": "false",
        "Categories": "Education;Science;Literature;",
        "Actions": "quit;",  # in the menu of the icon
    }
    quits = {"Name": f"Quit {NAME}", "Name[de]": f"{NAME} beenden", "Exec": " ".join(map(_quoted, [*words, "--quit"]))}
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name}={value}\n" for name, value in lines.items())
        for group, lines in (("Desktop Entry", rows), ("Desktop Action quit", quits))
    )


def _quoted(word: str) -> str:
    """A word of `Exec`: within quotation marks some signs are escaped, then backslashes as in every string."""
    text = "".join(f"\\{sign}" if sign in '"`$\\' else sign for sign in word).replace("\\", "\\\\")
    return '"' + text.replace("%", "%%") + '"'


def _write(place: Path, text: str, mode: int) -> None:
    with replacing(place) as part:
        part.write_text(text, "utf-8")
        part.chmod(mode)


def _make_shortcut(place: Path, words: list[str]) -> None:
    program = Path(words[0]).with_name("pythonw.exe")  # opens no console
    variables = {
        "CONSPECTUS_LINK": str(place),
        "CONSPECTUS_PROGRAM": str(program if program.exists() else words[0]),
        "CONSPECTUS_ARGUMENTS": subprocess.list2cmdline(words[1:]),
    }
    command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", _SHORTCUT]
    process = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)  # noqa: S603
    if process.returncode:
        raise UnavailableError(
            f"Windows did not make the shortcut: {process.stderr.strip()[:300]}", "Start `app` in a terminal."
        )
