"""What the tests of search engines put into an index and ask of it, and what that means row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from conspectus.index.protocol import IndexRow, SearchIndex
from conspectus.records import Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

MakeIndex = Callable[[], SearchIndex]
"""Opens the index of the test's own place: twice called, twice the same index."""

HANG = 60.0
"""Seconds after which something that should have happened will not."""
MODEL = "test/1"
DIMENSIONS = 16
ALL = Filters()
WORDS = "galaxy neuron lattice enzyme orbit synapse phonon ribosome quasar cortex".split()
KINDS = ("abstract", "body", "caption")


def unit(*shape: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    found = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True), np.float32)


def row(key: int, text: str = "common", **known: Any) -> IndexRow:
    """A row with what the test does not care about filled in."""
    values: dict[str, Any] = {
        "paper": key,
        "kind": "body",
        "full_text": False,
        "year": 2000,
        "facets": (),
        "vector": unit(16, seed=key),
    }
    return IndexRow(key=key, text=text, **(values | known))


def many_rows(count: int = 120, seed: int = 5) -> list[IndexRow]:
    """Rows that differ in all that can be filtered by; each has the word `common`."""
    draw = np.random.default_rng(seed)
    found = []
    for key in range(1, count + 1):
        facets = [("venue", str(draw.choice(["nature", "cell", "astronomy astrophysics", "élan"])))]
        facets += [("author", name) for name in ("smith", "j smith", "li") if draw.random() < 0.3]
        facets += [("keyword", name) for name in ("dark matter", "venue") if draw.random() < 0.4]
        facets += [(HAS, name) for name in ("figure", "doi") if key % 7 < len(name) // 2]
        found.append(
            row(
                key,
                "common " + " ".join(draw.choice(WORDS, 6)),
                kind=str(draw.choice(KINDS)),
                full_text=bool(draw.random() < 0.5),
                year=None if draw.random() < 0.15 else int(draw.integers(1998, 2006)),
                facets=tuple(facets),
                title=" ".join(WORDS[(key * step) % len(WORDS)] for step in (1, 3)),
            )
        )
    return found


def passes(item: IndexRow, filters: Filters) -> bool:
    """What `Filters` says in words, row by row."""
    if filters.year is not None:
        low, high = filters.year
        if item.year is None or item.year < (low or -9999) or item.year > (high or 9999):
            return False
    if filters.kind and item.kind not in filters.kind:
        return False
    if filters.full_text is not None and item.full_text != filters.full_text:
        return False
    return all(
        not filters.terms(facet) or any((facet, term) in item.facets for term in filters.terms(facet))
        for facet in ("venue", "author", "keyword")
    )


def holds(item: IndexRow, condition: Condition) -> bool:
    """What a condition says in words, of a row of `many_rows`."""
    match condition:
        case Stands(words, "title"):
            return f" {words} " in f" {item.title} "
        case Stands(words):
            return any(f" {words} " in f" {text} " for text in (item.title, item.text))
        case Passes(filters):
            return passes(item, filters)
        case Has(thing):
            return (HAS, thing) in item.facets
        case Among(keys):
            return item.key in keys
        case Not(part):
            return not holds(item, part)
        case AllOf(parts):
            return all(holds(item, part) for part in parts)
        case AnyOf(parts):
            return any(holds(item, part) for part in parts)


def write_rows(index: SearchIndex, rows: Sequence[IndexRow], change: int = 1, *, delete: Sequence[int] = ()) -> None:
    """Commit rows (and deletions) as one change."""
    dimensions = len(rows[0].vector) if rows else DIMENSIONS
    with index.writing(MODEL, dimensions) as writer:
        if delete:
            writer.delete(np.array(delete, np.int64))
        writer.add(rows)
        writer.commit(change)


def by_text(
    index: SearchIndex, query: str, k: int = 1000, filters: Filters = ALL, where: Condition | None = None
) -> list[int]:
    return [found.key for found in index.search_text(query, k, filters, where)]


def by_vector(
    index: SearchIndex, vector: Any, k: int = 1000, filters: Filters = ALL, where: Condition | None = None
) -> list[int]:
    return [found.key for found in index.search_vector(vector, k, filters, where)]


ONE_EACH = [
    Filters(year=(2000, 2003)),
    Filters(year=(None, 2001)),
    Filters(year=(2003, None)),
    Filters(year=(None, None)),
    Filters(year=(2001, 2001)),
    Filters(year=(100_000, None)),
    Filters(year=(None, -100_000)),
    Filters(venue=("Nature",)),
    Filters(venue=("CELL", "nature")),
    Filters(venue=("Astronomy & Astrophysics",)),
    Filters(venue=("Elan",)),
    Filters(venue=("No Such Journal",)),
    Filters(venue=("!?",)),
    Filters(author=("Smith",)),
    Filters(author=("Smith, J.",)),
    Filters(keyword=("Dark-Matter",)),
    Filters(keyword=("venue",)),
    Filters(kind=("abstract",)),
    Filters(kind=("body", "caption")),
    Filters(full_text=True),
    Filters(full_text=False),
]


def combined() -> list[Filters]:
    """Every combination of some value, or none, for each condition but the language, of which no text is told."""
    choices = product(
        (None, (2000, 2003)),
        ((), ("Nature", "Cell")),
        ((), ("smith",)),
        ((), ("dark matter",)),
        ((),),
        ((), ("body", "abstract")),
        (None, True),
    )
    return [Filters(*choice) for choice in choices]  # type: ignore[arg-type]


SMITH, YEARS = Passes(Filters(author=("smith",))), Passes(Filters(year=(2000, 2003)))
WHERE: list[Condition] = [
    Stands("galaxy"),
    Stands("galaxy", "title"),
    Stands("orbit synapse"),
    Stands("galaxy enzyme", "title"),
    Stands("common quasar"),
    Stands("never there"),
    Not(Stands("galaxy")),
    Not(Stands("never there")),
    SMITH,
    YEARS,
    Passes(Filters(kind=("body",))),
    Has("figure"),
    Has("table"),
    Not(Has("doi")),
    Among(()),
    Among((7, 3, 10_000)),
    AllOf((Not(Among(tuple(range(1, 50)))), AnyOf((SMITH, Stands("galaxy"))))),
    AllOf((Stands("orbit"), Stands("cortex"), Not(Stands("galaxy")))),
    AllOf((Not(SMITH), Not(YEARS))),
    AnyOf((SMITH, Passes(Filters(venue=("Nature",))), Stands("orbit synapse"))),
    AnyOf((Not(SMITH), Not(Stands("cortex")))),
    Not(AnyOf((SMITH, AllOf((YEARS, Stands("quasar")))))),
    AllOf((AnyOf((Stands("galaxy"), Has("figure"))), AnyOf((YEARS, Not(Passes(Filters(kind=("caption",)))))))),
    Not(Not(Stands("enzyme"))),
]

HOSTILE = [
    "",
    "   ",
    "the of and",
    "!?.,;:",
    '"',
    '"""',
    'say "common',
    "'common'",
    'AND OR NOT ( ) : " *',
    "AND",
    "NOT common",
    "common AND (OR",
    "text:common^5~2",
    "[1 TO 5]",
    "+common -other",
    "\\",
    "common\\",
    "/re.*/",
    "*",
    "a" * 10_000,
    "common " * 1_500,
    " ".join(f"w{number}" for number in range(2_000)),
    "κοινός общий 共通 🌌 \u0301\u202e\ufeff",
    "\x00common\x00",
    "H₂O² x_y naïve don't",
    "\ud800",
]
