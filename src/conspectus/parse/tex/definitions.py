"""The author's own commands: `\\newcommand`, `\\def`, `\\let`, `\\DeclareMathOperator`."""

from __future__ import annotations

import re

from conspectus.parse.tex.citations import CITING
from conspectus.parse.tex.scan import Macro, Macros, Scanner

KEPT_NAMES: set[str] = set()
"""Commands that mean what they always mean, whatever the author says."""

_PARAMETERS = re.compile(r"(?:#[1-9])*")


def define_new(macros: Macros, source: Scanner, how: str) -> None:
    """`\\newcommand{\\name}[2][default]{body}`."""
    name = source.argument().strip().removeprefix("\\").strip()
    count, default = source.optional(), source.optional()
    body = source.argument()
    number = int(count) if count and count.strip().isdecimal() and len(count) < 3 else 0
    if how != "providecommand" or name not in macros.known:
        _keep(macros, name, Macro(min(number, 9), default, body))


def define(macros: Macros, source: Scanner, _: str) -> None:
    """`\\def\\name#1#2{body}`, simple parameters only."""
    name = source.argument().strip().removeprefix("\\")
    parameters = source.before_group()
    body = source.argument()
    if _PARAMETERS.fullmatch(parameters.strip()):
        _keep(macros, name, Macro(parameters.count("#"), None, body))


def let(macros: Macros, source: Scanner, _: str) -> None:
    """`\\let\\name=\\other`."""
    name = source.argument().strip().removeprefix("\\")
    other = source.argument().strip()
    if other == "=":
        other = source.argument().strip()
    if other.startswith("\\"):
        _keep(macros, name, Macro(0, None, other))


def operator(macros: Macros, source: Scanner, _: str) -> None:
    """`\\DeclareMathOperator{\\name}{body}`."""
    name = source.argument().strip().removeprefix("\\")
    _keep(macros, name, Macro(0, None, f"\\operatorname{{{source.argument()}}}"))


def _keep(macros: Macros, name: str, macro: Macro) -> None:
    own = re.search(rf"\\{re.escape(name)}(?![A-Za-z])", macro.body)
    if name.isalpha() and not own and name not in KEPT_NAMES and not CITING.fullmatch(name):
        macros.known[name] = macro
