"""The author's own environments: `\\newenvironment`."""

from __future__ import annotations

from dataclasses import dataclass, field

from conspectus.parse.tex.scan import Macro, Scanner, filled


@dataclass(slots=True)
class Environments:
    """What stands at the beginning and at the end of each, by its name."""

    known: dict[str, tuple[Macro, str]] = field(default_factory=dict)

    def define(self, source: Scanner) -> None:
        """`\\newenvironment{name}[2][default]{beginning}{end}`."""
        name = source.argument().strip()
        count, default = source.optional(), source.optional()
        number = int(count) if count and count.strip().isdecimal() and len(count) < 3 else 0
        macro = Macro(min(number, 9), default, source.argument())
        self.known[name] = macro, source.argument()

    def expand(self, source: Scanner, name: str) -> None:
        """Puts the content of one, which was just begun, between its beginning and its end."""
        macro, end = self.known[name]
        given = source.given(macro)
        content = source.environment(name)
        source.push(f"{filled(macro.body, given)} {content}{filled(end, given)}\\end{{{name}}}")
