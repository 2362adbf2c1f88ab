"""What a column of numbers measures: which units fit it, and which words of a paper name it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from conspectus.lexicon import STOP_WORDS, words
from conspectus.records.review import TableColumn
from conspectus.verify.folded_text import fold
from conspectus.verify.units import Dimension, Unit, read_unit

Shape = tuple[Dimension, Dimension]
"""The dimension of the first factor of a unit, and of all of it: 'mg/kg' is a mass and has none."""
_WORD = re.compile(r"[^\W\d_]+")
_STEM = 5
"""Letters of a word by which it is found again: 'annealing' is 'annealed'."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a column of numbers measures.

    Attributes:
        shapes: of the units that fit; empty: any unit fits, or none.
        has_unit: False where its numbers have none, such as a redshift; None: they may have one.
        cues: words, one of which names it in a paper, in small letters; with `-`: only behind the number.
        alone: shapes of units that mean this without any word.
        signs: symbols that stand for it before `=` or `<`, in papers with one of the cues or `context`.
        stems: the beginnings of further words of the column's name, which have to be near, too.
    """

    shapes: frozenset[Shape]
    has_unit: bool | None
    cues: frozenset[str]
    alone: frozenset[Shape] = frozenset()
    signs: tuple[str, ...] = ()
    context: frozenset[str] = frozenset()
    stems: tuple[str, ...] = ()

    def takes(self, unit: Unit | None) -> bool:
        """Whether a number with this unit may be of this measure."""
        if unit is None:
            return not self.has_unit
        return shape_of(unit) in self.shapes or (not self.shapes and self.has_unit is None)


def shape_of(unit: Unit) -> Shape:
    """The dimensions by which units are compared."""
    return (unit.head or unit).dimension, unit.dimension


def parse_unit(text: str) -> Unit | None:
    """The unit that a text is, as a whole; None: it is none."""
    folded = fold(f" {text.strip()}").text
    unit, end = read_unit(folded, 0)
    return unit if unit is not None and end == len(folded.rstrip()) and text.strip() else None


def is_count_name(name: str) -> bool:
    """Whether a column of this name counts what was studied: 'sample size', 'number of mice'."""
    plain = " ".join(name.casefold().split())
    return plain in _count_names() or re.match(r"(?:number|no\.?|n) of ", plain) is not None


@cache
def _count_names() -> frozenset[str]:
    return frozenset(name.strip() for name in words("measures")["counts"].split(";"))


@cache
def counted_nouns() -> frozenset[str]:
    """What papers count as their sample, in the plural."""
    return frozenset(words("measures")["counted"].split())


@cache
def written_nouns() -> frozenset[str]:
    """Those of them that somebody wrote: 'studies', 'articles'."""
    return frozenset(words("measures")["written"].split())


@lru_cache(maxsize=256)
def measure_of(column: TableColumn) -> Measure:
    """What a column of numbers measures, by its name and unit."""
    name = " ".join(_WORD.findall(column.name.casefold()))
    unit = parse_unit(column.unit)
    listed, known = next((pair for pair in _table() if _has_name(name, pair[0])), ("", None))
    rest = [word for word in _without(name, listed).split() if word not in STOP_WORDS] or [name]
    if known is None:
        known = Measure(frozenset(), None, frozenset({rest[-1], f"{rest[-1]}s"}))
        rest = rest[:-1]
    elif listed == name:
        rest = []
    return replace(
        known,
        shapes=frozenset({shape_of(unit)}) if unit else known.shapes,
        has_unit=known.has_unit or (True if unit else known.has_unit),
        alone=frozenset() if rest else known.alone,
        signs=() if rest else known.signs,
        stems=tuple(word[:_STEM] for word in rest),
    )


@cache
def listed_words(name: str) -> str:
    """A list of `words/measures.toml` as the inside of a regular expression's parentheses; `*` ends a beginning."""
    listed: str = words("measures")[name]
    return "|".join(re.escape(word).replace(r"\*", r"\w{0,12}") for word in listed.split())


def is_measure_name(name: str) -> bool:
    """Whether a column of this name measures something that is known here."""
    plain = " ".join(_WORD.findall(name.casefold()))
    return any(_has_name(plain, listed) for listed, _ in _table())


def _has_name(name: str, listed: str) -> bool:
    """Whether a name ends with a listed one, or begins with it and 'of': 'sintering temperature', 'age of onset'."""
    return f" {name}".endswith(f" {listed}") or name.startswith((f"{listed} of ", f"{listed} at "))


def _without(name: str, listed: str) -> str:
    return name.removesuffix(listed) if f" {name}".endswith(f" {listed}") else name.removeprefix(listed)


@cache
def _table() -> tuple[tuple[str, Measure], ...]:
    """The measures by their names, long names first."""
    pairs = []
    for line in words("measures")["measures"].strip().splitlines():
        names, units, cues, alone, signs, context = (part.strip() for part in line.split("|"))
        shapes, context_words = _shapes(units), frozenset(context.casefold().split())
        has_unit = None if "-" in units.split() else bool(shapes)
        measure = Measure(
            shapes, has_unit, frozenset(cues.split()), _shapes(alone), tuple(signs.split()), context_words
        )
        pairs += [(" ".join(_WORD.findall(name)), measure) for name in names.split(";")]
    return tuple(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])))


def _shapes(listed: str) -> frozenset[Shape]:
    return frozenset(shape_of(unit) for text in listed.split() if (unit := parse_unit(text)))
