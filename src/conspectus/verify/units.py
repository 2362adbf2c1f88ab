"""Units of measurement: what stands behind a number, as a dimension and a factor."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import pi

from conspectus.lexicon import words

Dimension = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: `value * factor + offset` is the value in the base units of its dimension."""

    dimension: Dimension
    factor: float
    offset: float = 0.0


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


_FIRST = re.compile(
    r"[ ]?[- ]?(°[ ]?[CFcf]?\b|degrees?[ ][CF]\b|(?:wt|at|mol|vol)\.?[ ]?%|"
    r"solar[ ](?:mass(?:es)?|luminosit(?:y|ies)|radi(?:us|i))|[%‰°Å]|[A-Za-zμΩÅ⊙]{1,16}%?⊙?)"
)
_POWER = re.compile(r"\^?([+-]?\d)(?!\d|[.,]\d)")
_NEXT = re.compile(r"([ ]?/[ ]?|[ ]per[ ]|[ ]?[·*×.][ ]?|[ ])([A-Za-zμΩÅ⊙%]{1,16}⊙?)(?![A-Za-zμ])")


def lookup(word: str) -> Unit | None:
    """The unit that one symbol or name stands for."""
    table = _table()
    found = table.get(word)
    if found is None and len(word) > 3:
        found = table.get(word.lower())  # names: 'Weeks', 'MONTHS'
    return found


def read_unit(text: str, start: int) -> tuple[Unit | None, int]:
    """The unit that stands in `text` from `start` (right behind a number) on, and where it ends."""
    found = _FIRST.match(text, start)
    if found is None:
        return None, start
    word = found[1].replace(" ", "").replace(".", "").replace("degreesC", "°C").replace("degreeC", "°C")
    word = word.replace("degreesF", "°F").replace("degreeF", "°F").replace("°c", "°C").replace("°f", "°F")
    unit, end = lookup(word), found.end()
    if word == "degrees" and (named := re.compile(r"[ ](Celsius|Fahrenheit|centigrade)\b", re.I).match(text, end)):
        unit, end = lookup("°F" if named[1][0] in "Ff" else "°C"), named.end()
    if unit is None or (text[end : end + 1].isalpha() and not word.startswith("°")):
        return None, start
    return _factors(text, unit, end)


def _factors(text: str, unit: Unit, end: int) -> tuple[Unit, int]:
    power, end = _power(text, end)
    powers, factor = Counter({name: value * power for name, value in unit.dimension}), unit.factor**power
    offset = unit.offset if power == 1 else 0.0
    below = False
    for _ in range(4):
        found = _NEXT.match(text, end)
        further = lookup(found[2]) if found else None
        if found is None or further is None:
            break
        sign, after = _power(text, found.end())
        divides = found[1].strip() in {"/", "per"}
        if not divides and not (sign < 0 or (below and found[1].strip() == "·")) and found[1].strip() != "·":
            break  # two units that follow each other without a sign are one only with a raised number: 'mg L^-1'
        below = divides
        step = -abs(sign) if divides else sign
        for name, value in further.dimension:
            powers[name] += value * step
        factor, end, offset = factor * further.factor**step, after, 0.0
    return Unit(tuple(sorted((name, value) for name, value in powers.items() if value)), factor, offset), end


def _power(text: str, end: int) -> tuple[int, int]:
    found = _POWER.match(text, end)
    if found is None or (found[0][0].isdigit() and int(found[1]) not in {2, 3}) or not -6 <= int(found[1]) <= 6:
        return 1, end
    return int(found[1]) or 1, found.end()
