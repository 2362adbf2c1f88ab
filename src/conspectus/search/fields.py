"""The values of a query's fields: `year:2005..2015`, `author:smith`, `has:figure`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import get_args

from conspectus.errors import ConspectusError
from conspectus.records import Filters, PassageKind, normal_name
from conspectus.records.conditions import THINGS, Condition, Has, Passes, Stands, Thing
from conspectus.search.signs import PLAIN, Sign, has_words, wrong

_YEARS = re.compile(r"(\d{1,4})?(?:(\.\.|-|–)(\d{1,4})?)?")
_NAMED: dict[str, Callable[[tuple[str, ...]], Filters]] = {
    "author": lambda names: Filters(author=names),
    "venue": lambda names: Filters(venue=names),
    "keyword": lambda names: Filters(keyword=names),
}
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
        return Passes(Filters(year=_years(text, sign)))
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
    if not normal_name(value):
        raise wrong(text, sign, f"{name}: needs a name, not '{value}'.", PLAIN)
    return Passes(_NAMED[name]((value,)))


def _years(text: str, sign: Sign) -> tuple[int | None, int | None]:
    match = _YEARS.fullmatch(sign.value.strip())
    first, between, last = match.groups() if match else (None, None, None)
    if not (first or last) or (between in ("-", "–") and not (first and last)):
        message = f"'{sign.value}' is not a year or a range of years."
        raise wrong(text, sign, message, f"Write year:2010, year:2005..2015, year:2005.. or year:..2015. {PLAIN}")
    low, high = (int(end) if end else None for end in (first, last if between else first))
    if low is not None and high is not None and low > high:
        raise wrong(text, sign, f"'{sign.value}' ends before it begins.", f"Did you mean year:{high}..{low}?")
    return low, high


def _unknown(text: str, sign: Sign, known: tuple[str, ...]) -> ConspectusError:
    hint = f"There are: {', '.join(f'{sign.name}:{one}' for one in known)}. {PLAIN}"
    return wrong(text, sign, f"{sign.name}: cannot be '{sign.value}'.", hint)
