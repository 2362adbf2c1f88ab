"""How results look in words: by a function of the wing's `views`, else as a table."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from conspectus.faces.declare import Verb, keyword_values
from conspectus.faces.printer import Printer, one_line


def show_result(out: Printer, verb: Verb, result: Any, given: Mapping[str, Any]) -> None:
    """Print a result: by the function of the wing's `views` that has the verb's name, else as a table."""
    view = find_view(verb)
    if view is None:
        _show_table(out, result)
        return
    view(out, result, **keyword_values(view, given))


def find_view(verb: Verb) -> Callable[..., None] | None:
    """The function `NAME` of the module of views beside the verb's: `views` for `verbs`, `x_views` for `x_verbs`."""
    package, _, module = verb.function.__module__.rpartition(".")
    place = f"{package}.{module.removesuffix('verbs')}views"
    if find_spec(place) is None:
        return None
    view: Callable[..., None] | None = getattr(import_module(place), verb.function.__name__, None)
    return view


def _show_table(out: Printer, result: Any) -> None:
    """Records as rows of their plain fields; a single record as `name: value`."""
    if isinstance(result, list | tuple):
        for record in result:
            cells = [one_line(str(value)) for value in _plain_fields(record).values()]
            out.row(cells, "  ".join(cells))
        if not result and out.width is not None:
            out.line("None.")
        return
    for name, value in _plain_fields(result).items():
        out.line((f"{name.replace('_', ' ')}: ", "dim"), one_line(str(value)))


def _plain_fields(record: Any) -> dict[str, Any]:
    if not is_dataclass(record):
        return {"": record}
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: value for name, value in values.items() if isinstance(value, str | int | float | bool)}


def text_of(verb: Verb, result: Any, given: Mapping[str, Any]) -> str:
    """What is printed for a result where nobody looks at a terminal."""
    stream = io.StringIO()
    show_result(Printer(stream), verb, result, given)
    return stream.getvalue()
