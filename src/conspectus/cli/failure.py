"""Errors become a line and a remedy (or a JSON object) on standard error, and an exit code."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable
from typing import Any

import click

from conspectus.cli import interrupts
from conspectus.cli.interrupts import INTERRUPTED, KEPT, TERMINATED
from conspectus.cli.overview import VERBS
from conspectus.cli.state import State
from conspectus.core.errors import ConspectusError, describe_os_error
from conspectus.core.text import json_text
from conspectus.faces import index
from conspectus.faces.index import NO_GROUP
from conspectus.faces.printer import PipeClosed, clean, mute_stdout

_MARKED = re.compile(r"`([^`\n]+)`")
_OPTION = re.compile(r"(?<![\w.])([a-z][a-z_.]*)=(\S+)")
_CALLED = {
    "count": "search --count",
}
"""Verbs that are none of their own here."""
_NAMED = {"everything": "all"}
"""Options that are called otherwise here."""


def typed(text: str) -> str:
    """The text with what is in backticks as it is typed: `doctor` is `conspectus doctor`, `k=5` is `--k 5`."""
    return _MARKED.sub(lambda match: f"`{_command(match[1])}`", text)


def _command(words: str) -> str:
    first, _, rest = words.partition(" ")
    verb, _, after = rest.partition(" ")
    if first in index.groups() and verb in index.groups()[first].verbs:
        return f"conspectus {first} {verb} {_OPTION.sub(_option, after)}".strip()
    if first in index.groups().get("", NO_GROUP).verbs or first in VERBS or first in _CALLED:
        return f"conspectus {_CALLED.get(first, first)} {_OPTION.sub(_option, rest)}".strip()
    return _option(alone) if (alone := _OPTION.fullmatch(words)) else words


def _option(match: re.Match[str]) -> str:
    name, value = match.groups()
    if "." in name:
        return f"--set {name}={value}"
    option = _NAMED.get(name, name).replace("_", "-")
    return {"True": f"--{option}", "False": f"--no-{option}"}.get(value, f"--{option} {value}")


READ = "What the model has read is kept: asked again, the same question goes on from there."
_ASKING = ("ask", "consensus", "answers rerun")
_CONTINUING = ("add", "reindex", "models fetch")


def guarded(state: State, act: Callable[[], Any]) -> int:
    """Run `act`, report what goes wrong, and return the exit code: the one `act` returned, 0, or the error's."""
    try:
        code = act()
    except PipeClosed:  # the reader has seen enough, as `head` has
        mute_stdout()
        return 0
    except (KeyboardInterrupt, click.Abort):
        hint = KEPT if state.verb in _CONTINUING else READ if state.verb in _ASKING else ""
        return _report(
            state, "Interrupted", "Stopped.", hint, TERMINATED if interrupts.is_terminated() else INTERRUPTED
        )
    except click.ClickException as error:
        return _usage(state, error)
    except ConspectusError as error:
        return _report(state, type(error).__name__, error.message, error.hint, error.exit_code)
    except Exception as error:  # noqa: BLE001 - the last resort: a line instead of a traceback
        return _unexpected(state, error)
    return code if isinstance(code, int) else 0


def report_error(state: State, error: ConspectusError) -> None:
    """Report an error after which the program goes on."""
    _report(state, type(error).__name__, error.message, error.hint, error.exit_code)


def _usage(state: State, error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "conspectus"
    if type(error).__name__ == "NoArgsIsHelpError" and not state.json:
        error.show()
        return error.exit_code
    message = "No verb was given." if type(error).__name__ == "NoArgsIsHelpError" else error.format_message()
    code = error.exit_code if isinstance(error, click.UsageError) else 2
    return _report(state, "UsageError", message, f"Run `{path} --help` for help.", code)


def _unexpected(state: State, error: Exception) -> int:
    if isinstance(error, OSError) and error.strerror:
        where = f"'{error.filename}': " if error.filename else ""
        return _report(state, type(error).__name__, f"{where}{describe_os_error(error)}.", "", 1)
    if isinstance(error, MemoryError):
        hint = "What is committed is kept. End other programs, or give this one more memory (ulimit -v)."
        return _report(state, "MemoryError", "There is not enough memory.", hint, 1)
    message = f"Something went wrong that should not have: {type(error).__name__}: {error}"
    hint = "Please report it, with what --debug shows." if not state.debug else "Please report it."
    return _report(state, type(error).__name__, message, hint, 1)


def _report(state: State, kind: str, message: str, hint: str, code: int) -> int:
    """Called while the error is being handled: --debug shows its traceback first."""
    hint = typed(hint)
    try:
        if state.debug:
            sys.stderr.write(clean(traceback.format_exc()))
        if state.json:
            body = {"error": {"type": kind, "message": message, "hint": hint}}
            sys.stderr.write(json_text(body) + "\n")
        else:
            sys.stderr.write(f"error: {clean(message)}\n" + (f"{clean(hint)}\n" if hint else ""))
        sys.stderr.flush()
    except OSError:  # nobody reads standard error: the exit code still tells
        pass
    return code
