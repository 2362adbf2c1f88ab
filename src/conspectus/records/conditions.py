"""Conditions on passages beyond `Filters`: words that stand there or do not, joined by and, or and not.

Each writes itself (`str`) in the language in which it can be asked for, see `search.syntax`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from conspectus.records.filters import NAMED, Filters
from conspectus.records.parsed import ParsedPaper

Thing = Literal["figure", "table", "fulltext", "abstract", "doi", "references"]
THINGS: tuple[Thing, ...] = get_args(Thing)
HAS = "has"
"""The name under which catalog and index keep what a paper has, beside `FACETS`."""

Where = Literal["text", "title"]


@dataclass(frozen=True, slots=True)
class Stands:
    """The words stand one behind the other, in any of their forms, in the passage or its paper's title (or only there).

    Words that nearly every text has stand for any word; where there is no other, nothing passes.
    """

    words: str
    where: Where = "text"

    def __str__(self) -> str:
        return ("title:" if self.where == "title" else "") + _quoted(self.words)


@dataclass(frozen=True, slots=True)
class Passes:
    """The filters pass it; of these one is set."""

    filters: Filters

    def __str__(self) -> str:
        filters = self.filters
        said = [f"{name}:{_quoted(value)}" for name in NAMED for value in getattr(filters, name)]
        said += [f"kind:{kind}" for kind in filters.kind]
        if filters.year:
            low, high = filters.year
            ends = ["" if end is None else str(end) for end in (low, high)]
            said.append("year:" + (ends[0] if low == high else "..".join(ends)))
        return " OR ".join(said)


@dataclass(frozen=True, slots=True)
class Has:
    """The paper has this."""

    thing: Thing

    def __str__(self) -> str:
        return f"has:{self.thing}"


@dataclass(frozen=True, slots=True)
class Among:
    """The passage is one of these, by their keys: what is asked of an index instead of what only the catalog knows."""

    keys: tuple[int, ...]

    def __str__(self) -> str:
        return f"{len(self.keys)} passages"


@dataclass(frozen=True, slots=True)
class Not:
    """What `part` does not hold for."""

    part: Condition

    def __str__(self) -> str:
        return f"-{_within(self.part)}"


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of the parts hold; see `all_of`."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " AND ".join(map(_within, self.parts))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the parts holds, or several; see `any_of`."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " OR ".join(map(_within, self.parts))


Condition = Stands | Passes | Has | Among | Not | AllOf | AnyOf


def all_of(parts: Iterable[Condition | None]) -> Condition | None:
    """The condition that all `parts` hold, without those that are None; None where there is no other."""
    flat = [one for part in parts if part for one in (part.parts if isinstance(part, AllOf) else (part,))]
    found = tuple(dict.fromkeys(flat))
    return AllOf(found) if len(found) > 1 else found[0] if found else None


def any_of(parts: Iterable[Condition]) -> Condition:
    """The condition that one of `parts`, of which there is at least one, holds."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, AnyOf) else (part,))]
    found = tuple(dict.fromkeys(flat))
    return AnyOf(found) if len(found) > 1 else found[0]


def things(parsed: ParsedPaper) -> tuple[Thing, ...]:
    """What a paper has, of `THINGS`."""
    metadata = parsed.metadata
    has: dict[Thing, bool] = {
        "figure": any(figure.kind == "figure" for figure in parsed.figures),
        "table": any(figure.kind == "table" for figure in parsed.figures),
        "fulltext": parsed.has_full_text,
        "abstract": bool(metadata.abstract),
        "doi": bool(metadata.doi),
        "references": bool(parsed.references or metadata.references),
    }
    return tuple(thing for thing, there in has.items() if there)


def _quoted(words: str) -> str:
    return '"' + words.replace('"', " ") + '"'


def _within(part: Condition) -> str:
    return f"({part})" if isinstance(part, AllOf | AnyOf) else str(part)
