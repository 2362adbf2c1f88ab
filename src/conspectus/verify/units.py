"""Units of measurement: what stands behind a number, as a dimension and a factor."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isclose, pi

from conspectus.lexicon import words

Dimension = tuple[tuple[str, int], ...]
YEAR = 365.25 * 86400
"""In seconds, the base unit of time."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: `value * factor + offset` is the value in the base units of its dimension.

    Attributes:
        head: of a unit of several ('mg/kg/day') the first, which stands also where the others are said in other words.
        factors: how many it is made of.
    """

    dimension: Dimension
    factor: float
    offset: float = 0.0
    head: Unit | None = None
    factors: int = 1

    def agrees(self, other: Unit) -> bool:
        """Whether a number with this unit is the same number with the other: 'mg/kg' also is 'mg/kg/day'."""
        if self.factors != other.factors and self.dimension != other.dimension:
            return (self.head or self).agrees(other.head or other)
        return (
            self.dimension == other.dimension
            and isclose(self.factor, other.factor, rel_tol=1e-3)
            and isclose(self.offset, other.offset, rel_tol=1e-3, abs_tol=1e-9)
        )


def _dimension(text: str) -> Dimension:
    powers: Counter[str] = Counter()
    for part in text.split():
        name, _, power = part.partition("^")
        powers[name] += int(power or 1)
    return tuple(sorted(powers.items()))


_CELSIUS, _FAHRENHEIT = ("°C", "degC", "Celsius", "celsius"), ("°F", "degF", "Fahrenheit", "fahrenheit")


@lru_cache(maxsize=1)
def _table() -> dict[str, Unit]:
    known, table = words("units"), dict[str, Unit]()
    for line in known["prefixed"].strip().splitlines():
        symbols, names, dimension, factor = (part.strip() for part in line.split("|"))
        unit = Unit(_dimension(dimension), float(factor))
        for symbol in symbols.split():
            table[symbol] = unit
            table.update({p + symbol: Unit(unit.dimension, unit.factor * f) for p, f in known["prefixes"].items()})
            table["micro" + symbol] = table["μ" + symbol]  # as MEDLINE writes 'microg'
        for name in names.replace("-", "").split():
            for prefix, power in {"": 1.0, **known["prefix_names"]}.items():
                table[prefix + name] = table[prefix + name + "s"] = Unit(unit.dimension, unit.factor * power)
    for line in known["plain"].strip().splitlines():
        names, dimension, factor = (part.strip() for part in line.split("|"))
        table.update({name: Unit(_dimension(dimension), float(factor)) for name in names.split()})
    table.update(dict.fromkeys(_CELSIUS, Unit(_dimension("H"), 1.0, 273.15)))
    table.update(dict.fromkeys(_FAHRENHEIT, Unit(_dimension("H"), 5 / 9, 459.67 * 5 / 9)))
    for word in ("mas", "μas", "uas"):
        table[word] = Unit(_dimension("angle"), pi / 180 / 3600 * (1e-3 if word == "mas" else 1e-6))
    for word in known["never"].split():
        table.pop(word, None)
    table["C"] = table["°C"]  # 'at 37 C' is much more usual than a charge
    table["Pa"] = Unit(_dimension("M L^-1 T^-2"), 1.0)
    table["ha"] = Unit(_dimension("L^2"), 1e4)
    return table


_WORD = re.compile(r"(?:(?<=per )|(?<=[/\d] )|(?<=[/\d]))[^\W\d_]|[^\W\d_](?=/)|[^\W\d_]{2,16}")


def missing_bases(unit: Unit, other: Unit) -> frozenset[str]:
    """The base dimensions in which two units differ."""
    return frozenset(name for name, _ in set(unit.dimension) ^ set(other.dimension))


def read_bases(text: str) -> frozenset[str]:
    """The base dimensions that the words of a text name: time for 'daily', mass for 'kg' or 'body weight'."""
    in_words = {word: base for base, listed in words("units")["in_words"].items() for word in listed.split()}
    bases = set()
    for match in _WORD.finditer(text):
        if base := in_words.get(match[0].casefold()):
            bases.add(base)
        elif (unit := lookup(match[0])) and len(unit.dimension) == 1:
            bases.add(unit.dimension[0][0])
    return frozenset(bases)


_FIRST = re.compile(r"[ ]?[- ]?(°[ ]?[CFcf]?\b|degrees?[ ][CF]\b|(?:wt|at|mol|vol)\.?[ ]?%|[%‰°Å]|[^\W\d_]{1,16}%?⊙?)")
_PAIR = re.compile(r"[ ]?[- ]?([^\W\d_]{2,12})[- ]([^\W\d_]{2,12})(?![^\W\d_])")
"""'light-years', 'mm Hg', 'solar masses'."""
_SPACED = re.compile(r"[ ][^\W\d_]+-[^\W\d_]")
"""The word behind a space that a hyphen joins to another is no unit ('years-person'); '5-year-old' is one."""
_DEGREES = re.compile(r"[ ][^\W\d_]{4,7}[ ](Celsius|Fahrenheit|centigrade)\b", re.IGNORECASE)
_PER_WORDS = words("units")["per"].replace(" ", "|")
_PER = re.compile(
    rf"(?:[ ][^\W\d_]{{3,12}})?(?=[ ](?:{_PER_WORDS})[ ]|[ ]?/[ ]?[A-Za-zμ]|[ ][^\W\d_]{{1,6}}\^?-[1-3](?!\d))"
)
"""What is counted before the unit that it is counted by: '40 times per second', '72 beats/min', '310 mAh g-1'."""
_POWER = re.compile(r"\^?([+-]?\d)(?!\d|[.,]\d)")
_NEXT = re.compile(rf"([ ]?/[ ]?\(?|[ ](?:{_PER_WORDS})[ ]|[ ]?[·*×.][ ]?|[ ])([^\W\d_]{{1,16}}⊙?|[⊙%])(?![^\W\d_])")
_LAST = re.compile(r"[ ]?\)")


def lookup(word: str) -> Unit | None:
    """The unit that one symbol or name stands for."""
    table = _table()
    unit = table.get(word)
    if unit is None and word.startswith("K"):
        unit = table.get("k" + word[1:])  # 'KHz', 'Kg'
    if unit is None and len(word) > 3:
        unit = table.get(word.lower())  # names: 'Weeks', 'MONTHS'
    return unit


def read_unit(text: str, start: int) -> tuple[Unit | None, int]:
    """The unit that stands in `text` from `start` (right behind a number) on, and where it ends."""
    if text.startswith(" d'", start):  # 'six millions d'années'
        start += len(" d'")
    if degrees := _DEGREES.match(text, start):
        return lookup("°F" if degrees[1][0] in "Ff" else "°C"), degrees.end()
    if (pair := _PAIR.match(text, start)) and (unit := lookup(pair[1] + pair[2])):
        return _read_factors(text, unit, *_read_power(text, pair.end()))
    match = None if _SPACED.match(text, start) else _FIRST.match(text, start)
    if match is not None:
        word = match[1].replace(" ", "").replace(".", "").replace("degrees", "degree").replace("degreeC", "°C")
        word = word.replace("degreeF", "°F").replace("°c", "°C").replace("°f", "°F")
        unit, end = lookup(word), match.end()
        if unit is not None and (
            not (text[end : end + 1].isalpha() or text[end : end + 1] == "'") or word.startswith("°")
        ):
            return _read_factors(text, unit, *_read_power(text, end))
    if counted := _PER.match(text, start):
        unit, end = _read_factors(text, _ONE, 1, counted.end())
        if unit != _ONE:
            return Unit(unit.dimension, unit.factor), end
    return None, start


_ONE = Unit((), 1.0)


def _read_factors(text: str, first: Unit, power: int, end: int) -> tuple[Unit, int]:
    """The unit that begins with a power of `first`, with the further ones from `end` on."""
    powers, factor = Counter({name: value * power for name, value in first.dimension}), first.factor**power
    head = Unit(tuple(sorted(powers.items())), factor, first.offset if power == 1 else 0.0)
    below, in_brackets, count = False, False, 1
    for _ in range(4):
        match = _NEXT.match(text, end)
        further = lookup(match[2]) if match else None
        if match is None or further is None:
            break
        sign, after = _read_power(text, match.end())
        in_brackets = in_brackets or match[1].endswith("(")  # 'W/(m K)'
        divides = in_brackets or match[1].strip() == "/" or match[1].strip().isalpha()
        if divides and match[2] == "mK" and count == 1:
            further = replace(further, dimension=_dimension("L H"), factor=1.0)  # 'W/mK' is never said of millikelvin
        if not divides and not (sign < 0 or (below and match[1].strip() == "·")) and match[1].strip() != "·":
            break  # two units that follow each other without a sign are one only with a raised number: 'mg L^-1'
        below = divides
        step = -abs(sign) if divides else sign
        for name, value in further.dimension:
            powers[name] += value * step
        factor, end, count = factor * further.factor**step, after, count + 1
        if in_brackets and (closing := _LAST.match(text, end)):
            end, in_brackets = closing.end(), False
    if count == 1:
        return head, end
    dimension = tuple(sorted((name, value) for name, value in powers.items() if value))
    return Unit(dimension, factor, head=head, factors=count), end


def _read_power(text: str, end: int) -> tuple[int, int]:
    match = _POWER.match(text, end)
    if match is None or (match[0][0].isdigit() and int(match[1]) not in {2, 3}) or not -6 <= int(match[1]) <= 6:
        return 1, end
    return int(match[1]) or 1, match.end()
