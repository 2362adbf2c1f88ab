"""Remedies as they are typed: the library, which has other faces too, names verbs and options, in backticks."""

from __future__ import annotations

import re

from conspectus.cli.verbs import VERBS
from conspectus.faces import index
from conspectus.faces.index import NO_GROUP

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
    return _MARKED.sub(lambda found: f"`{_command(found[1])}`", text)


def _command(words: str) -> str:
    first, _, rest = words.partition(" ")
    verb, _, after = rest.partition(" ")
    if first in index.groups() and verb in index.groups()[first].verbs:
        return f"conspectus {first} {verb} {_OPTION.sub(_option, after)}".strip()
    if first in index.groups().get("", NO_GROUP).verbs or first in VERBS or first in _CALLED:
        return f"conspectus {_CALLED.get(first, first)} {_OPTION.sub(_option, rest)}".strip()
    return _option(alone) if (alone := _OPTION.fullmatch(words)) else words


def _option(found: re.Match[str]) -> str:
    name, value = found.groups()
    if "." in name:
        return f"--set {name}={value}"
    shown = _NAMED.get(name, name).replace("_", "-")
    return {"True": f"--{shown}", "False": f"--no-{shown}"}.get(value, f"--{shown} {value}")
