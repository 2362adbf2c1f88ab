"""The author's own commands (`\\newcommand`, `\\def`, `\\let`, `\\DeclareMathOperator`) and environments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from conspectus.parse.tex.bibliography import CITING
from conspectus.parse.tex.scan import Macro, Macros, Scanner, filled

KEPT_NAMES: set[str] = set()
"""Commands that mean what they always mean, whatever the author says."""

_PARAMETERS = re.compile(r"(?:#[1-9])*")


def define_new(macros: Macros, source: Scanner, how: str) -> None:
    """`\\newcommand{\\name}[2][default]{body}`."""
    name = source.argument().strip().removeprefix("\\").strip()
    macro = _with_arguments(source)
    if how != "providecommand" or name not in macros.known:
        _keep(macros, name, macro)


def _with_arguments(source: Scanner) -> Macro:
    """`[2][default]{body}`."""
    count, default = source.optional(), source.optional()
    number = int(count) if count and count.strip().isdecimal() and len(count) < 3 else 0
    return Macro(min(number, 9), default, source.argument())


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


@dataclass(slots=True)
class Environments:
    """What stands at the beginning and at the end of each, by its name."""

    known: dict[str, tuple[Macro, str]] = field(default_factory=dict)

    def define(self, source: Scanner) -> None:
        """`\\newenvironment{name}[2][default]{beginning}{end}`."""
        name = source.argument().strip()
        macro = _with_arguments(source)
        self.known[name] = macro, source.argument()

    def expand(self, source: Scanner, name: str) -> None:
        """Puts the content of one, which was just begun, between its beginning and its end."""
        macro, end = self.known[name]
        given = source.given(macro)
        content = source.environment(name)
        source.push(f"{filled(macro.body, given)} {content}{filled(end, given)}\\end{{{name}}}")
