"""The values of a query's fields: `year:2005..2015`, `author:smith`, `has:figure`."""

from __future__ import annotations

from typing import Any, get_args

from conspectus.core.errors import ConspectusError, UsageError
from conspectus.records import Filters, PassageKind, facet_forms
from conspectus.records.conditions import THINGS, Condition, Has, Passes, Stands, Thing
from conspectus.records.filters import years_of
from conspectus.search.query_lexer import PLAIN, Sign, has_words, wrong

_KINDS: dict[str, PassageKind] = {kind: kind for kind in get_args(PassageKind)}
_THINGS: dict[str, Thing] = {
    **{thing: thing for thing in THINGS},
    **{
        "figures": "figure",
        "tables": "table",
        "full-text": "fulltext",
        "full_text": "fulltext",
        "reference": "references",
    },
}


def condition_of(text: str, sign: Sign) -> Condition:
    """What a field asks for.

    Raises:
        UsageError: it cannot have this value.
    """
    name, value = sign.name, sign.value
    if value.startswith("("):
        hint = f"Put the name before each value: ({name}:a OR {name}:b). {PLAIN}"
        raise wrong(text, sign, f"{name}: cannot have parentheses behind it.", hint)
    if name == "year":
        try:
            return Passes(Filters(year=years_of(value)))
        except UsageError as error:
            raise wrong(text, sign, error.message, f"{error.hint} {PLAIN}") from None
    if name == "kind":
        kind = _KINDS.get(value.lower())
        if kind is None:
            raise _unknown(text, sign, get_args(PassageKind))
        return Passes(Filters(kind=(kind,)))
    if name == "has":
        if value.lower() not in _THINGS:
            raise _unknown(text, sign, THINGS)
        return Has(_THINGS[value.lower()])
    if name == "title":
        if not has_words(value):
            raise wrong(text, sign, f"title: needs words that can be looked for, not '{value}'.", PLAIN)
        return Stands(value, "title")
    if not facet_forms(name, value)[0]:
        raise wrong(text, sign, f"{name}: needs a name, not '{value}'.", PLAIN)
    named: dict[str, Any] = {name: (value,)}
    return Passes(Filters(**named))


def _unknown(text: str, sign: Sign, known: tuple[str, ...]) -> ConspectusError:
    hint = f"There are: {', '.join(f'{sign.name}:{one}' for one in known)}. {PLAIN}"
    return wrong(text, sign, f"{sign.name}: cannot be '{sign.value}'.", hint)
