"""Units of measurement: what stands behind a number, as a dimension and a factor.

A table of our own: SI with its prefixes, and what papers of medicine, biology, chemistry, physics and astronomy use.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import pi

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


_PREFIXES = {
    "Y": 1e24, "Z": 1e21, "E": 1e18, "P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "da": 1e1, "d": 1e-1,
    "c": 1e-2, "m": 1e-3, "μ": 1e-6, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15, "a": 1e-18,
}  # fmt: skip
_PREFIX_NAMES = {
    "tera": 1e12, "giga": 1e9, "mega": 1e6, "kilo": 1e3, "hecto": 1e2, "deci": 1e-1, "centi": 1e-2, "milli": 1e-3,
    "micro": 1e-6, "nano": 1e-9, "pico": 1e-12, "femto": 1e-15, "atto": 1e-18,
}  # fmt: skip

# symbols (that take prefixes) | names (that take prefix names) | dimension | factor
_PREFIXED = """
m | meter metre | L | 1
g | gram gramme | M | 1e-3
s sec | second | T | 1
A | ampere amp | I | 1
K | kelvin | H | 1
mol | mole | N | 1
Hz | hertz | T^-1 | 1
N | newton | M L T^-2 | 1
Pa | pascal | M L^-1 T^-2 | 1
J | joule | M L^2 T^-2 | 1
W | watt | M L^2 T^-3 | 1
C | coulomb | I T | 1
V | volt | M L^2 T^-3 I^-1 | 1
F | farad | M^-1 L^-2 T^4 I^2 | 1
Ω ohm | ohm | M L^2 T^-3 I^-2 | 1
S | siemens | M^-1 L^-2 T^3 I^2 | 1
T | tesla | M T^-2 I^-1 | 1
Wb | weber | M L^2 T^-2 I^-1 | 1
H | henry | M L^2 T^-2 I^-2 | 1
G | gauss | M T^-2 I^-1 | 1e-4
Oe | oersted | oersted | 1
Bq | becquerel | T^-1 | 1
Ci | curie | T^-1 | 3.7e10
Gy | gray | dose | 1
Sv | sievert | equivalent | 1
cd | candela | J | 1
lm | lumen | lumen | 1
lx | lux | lux | 1
L l | liter litre | L^3 | 1e-3
M | molar | N L^-3 | 1e3
eV | electronvolt | M L^2 T^-2 | 1.602176634e-19
cal | calorie | M L^2 T^-2 | 4.184
erg | erg | M L^2 T^-2 | 1e-7
bar | bar | M L^-1 T^-2 | 1e5
pc | parsec | L | 3.0856775814913673e16
Jy | jansky | flux | 1
Da | dalton | M | 1.66053907e-27
yr a | year | T | 31557600
bp | basepair | base | 1
b | bit | bit | 1
B | byte | bit | 8
U IU | unit | activity | 1
Eq eq | equivalent | equivalents | 1
Osm osm | osmole | osmole | 1
rad | radian | angle | 1
as | - | angle | 4.84813681109536e-6
dyn | dyne | M L T^-2 | 1e-5
P | poise | M L^-1 T^-1 | 0.1
wt | - | weight | 1
"""
# symbols and names as they are, in any number | dimension | factor
_PLAIN = """
% pct percentage | | 0.01
‰ permil | | 0.001
ppm | | 1e-6
ppb | | 1e-9
ppt | | 1e-12
wt% | weightpercent | 1
at% | atompercent | 1
mol% | molpercent | 1
vol% | volumepercent | 1
min mins minute minutes | T | 60
h hr hrs hour hours | T | 3600
d day days | T | 86400
wk wks week weeks | T | 604800
mo month months | T | 2629800
yr yrs y year years | T | 31557600
decade decades | T | 315576000
century centuries | T | 3155760000
Å angstrom angstroms Angstrom Angstroms | L | 1e-10
micron microns | L | 1e-6
inch inches | L | 0.0254
ft foot feet | L | 0.3048
mile miles | L | 1609.344
AU au | L | 1.495978707e11
ly lightyear lightyears | L | 9.4607304725808e15
ha hectare hectares | L^2 | 1e4
acre acres | L^2 | 4046.8564224
cc | L^3 | 1e-6
lb lbs pound pounds | M | 0.45359237
oz ounce ounces | M | 0.028349523125
t ton tons tonne tonnes | M | 1e3
Msun M⊙ Msol Msolar solarmass solarmasses | solarmass | 1
Lsun L⊙ Lsol solarluminosity solarluminosities | solarluminosity | 1
Rsun R⊙ solarradius solarradii | solarradius | 1
mmHg torr Torr | M L^-1 T^-2 | 133.322387415
atm atmosphere atmospheres | M L^-1 T^-2 | 101325
psi | M L^-1 T^-2 | 6894.757
rpm | T^-1 | 0.016666666666666666
bpm | T^-1 | 0.016666666666666666
dB decibel decibels | decibel | 1
mag magnitude magnitudes | magnitude | 1
dex | dex | 1
deg degree degrees ° | angle | 0.017453292519943295
arcmin arcmins arcminute arcminutes | angle | 2.908882086657216e-4
arcsec arcsecs arcsecond arcseconds | angle | 4.84813681109536e-6
kb kbp | base | 1e3
Mb Mbp | base | 1e6
Gb Gbp | base | 1e9
nt nucleotide nucleotides | base | 1
aa | residue | 1
cfu CFU | colony | 1
pfu PFU | plaque | 1
cM centimorgan | morgan | 1
sr steradian | solidangle | 1
dpi DPI | inchdots | 1
knots | L T^-1 | 0.514444
"""
_CELSIUS, _FAHRENHEIT = ("°C", "degC", "Celsius", "celsius"), ("°F", "degF", "Fahrenheit", "fahrenheit")
_NEVER = frozenset(
    "a as am at an us pm in ha hm dam dag da pa Pas Ms PA hA fA PT ET mo das has dots mas- ham map".split()
)
"""Words that would be read as units but nearly always are something else."""


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for line in _PREFIXED.strip().splitlines():
        symbols, names, dimension, factor = (part.strip() for part in line.split("|"))
        unit = Unit(_dimension(dimension), float(factor))
        for symbol in symbols.split():
            table[symbol] = unit
            table.update({p + symbol: Unit(unit.dimension, unit.factor * f) for p, f in _PREFIXES.items()})
        for name in names.replace("-", "").split():
            for prefix, power in {"": 1.0, **_PREFIX_NAMES}.items():
                table[prefix + name] = table[prefix + name + "s"] = Unit(unit.dimension, unit.factor * power)
    for line in _PLAIN.strip().splitlines():
        names, dimension, factor = (part.strip() for part in line.split("|"))
        table.update({name: Unit(_dimension(dimension), float(factor)) for name in names.split()})
    table.update(dict.fromkeys(_CELSIUS, Unit(_dimension("H"), 1.0, 273.15)))
    table.update(dict.fromkeys(_FAHRENHEIT, Unit(_dimension("H"), 5 / 9, 459.67 * 5 / 9)))
    for word in ("mas", "μas", "uas"):
        table[word] = Unit(_dimension("angle"), pi / 180 / 3600 * (1e-3 if word == "mas" else 1e-6))
    for word in _NEVER:
        table.pop(word, None)
    table["C"] = table["°C"]  # 'at 37 C' is much more usual than a charge
    table["Pa"] = Unit(_dimension("M L^-1 T^-2"), 1.0)
    table["ha"] = Unit(_dimension("L^2"), 1e4)
    return table


@lru_cache(maxsize=1)
def _units() -> dict[str, Unit]:
    return _table()


_FIRST = re.compile(
    r"[ ]?[- ]?(°[ ]?[CFcf]?\b|degrees?[ ][CF]\b|(?:wt|at|mol|vol)\.?[ ]?%|"
    r"solar[ ](?:mass(?:es)?|luminosit(?:y|ies)|radi(?:us|i))|[%‰°Å]|[A-Za-zμΩÅ⊙]{1,16}%?⊙?)"
)
_POWER = re.compile(r"\^?([+-]?\d)(?!\d|[.,]\d)")
_NEXT = re.compile(r"([ ]?/[ ]?|[ ]per[ ]|[ ]?[·*×.][ ]?|[ ])([A-Za-zμΩÅ⊙%]{1,16}⊙?)(?![A-Za-zμ])")


def lookup(word: str) -> Unit | None:
    """The unit that one symbol or name stands for."""
    table = _units()
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
