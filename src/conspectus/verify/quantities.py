"""The numbers of a text with their units: digits, powers of ten, words, fractions, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from conspectus.core.text import ENGLISH, words_in
from conspectus.lexicon import words
from conspectus.verify.folded_text import Folded
from conspectus.verify.number_words import (
    HALF_STEP,
    SCALE_WORDS,
    SpeltNumber,
    read_foreign_number_words,
    read_number_words,
)
from conspectus.verify.units import YEAR, Unit, lookup, read_unit

ROUGHLY = 0.05
"""How far 'nearly 50 %' may be from what it rounds, as a part of it."""
SPOKEN = 1000
"""From here on, zeros at the end say that a number is rounded."""

_DIGITS = re.compile(
    r"""(?P<sign>(?<![\w)\].%°])[-+±][ ]?)?
    (?:(?P<point>[1-9]\d{0,2}(?:\.\d{3})+,\d{1,8}|[1-9]\d{0,2}(?:\.\d{3}){2,4}(?![\d.])|
        0,\d{1,8}(?![\d,]|\.\d)|\d{1,6},(?:\d{1,2}|\d{4,8})(?![\d,]|\.\d)|
        [1-9]\d{0,2}(?:[ ]\d{3}){1,4},\d{1,6}(?![\d,]|\.\d))|
    (?P<exact>\d{1,6}\.\d{1,12})\((?P<last>\d{1,4})\)|
    (?P<body>[1-9]\d?(?:,\d\d){1,4},\d{3}(?:\.\d+)?(?![\d,])|
        \d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d{1,3}(?:[ ]\d{3}){1,4}(?:\.\d{1,6})?(?![\d.,]\d|\d)|
        \d{1,30}+(?:\.\d{1,30}+)?+(?!\.\d)|(?<![\w.])\.\d{1,30})|
    (?P<chain>\d{1,30}(?:\.\d{1,30}){2,9}))
    (?P<power>[eE][-+]?\d{1,3}(?!\w|\.\d)|[ ]?(?:[×*·]|x(?=[ ]?10))[ ]?10
        (?:[ ]?\^[ ]?\(?[-+]?\d{1,3}\)?|\([-+]\d{1,3}\)|[ ]?[-+]?\d{1,3}))?""",
    re.VERBOSE,
)
"""`point`: with a decimal comma; `exact`: with how far its last digits may be off, as '1.40(5)'; `body`: others, also
'12,00,000' as in India; `chain`: '1.10.2', a version or a date, which is no number."""
_ARC = re.compile(r"(\d{1,3})°[ ]?(\d{1,2}(?:\.\d{1,4})?)'(?:[ ]?(\d{1,2}(?:\.\d{1,4})?)(?:\"|''))?")
"""'47°30'', '12°30'15"'."""
_TEN = re.compile(r"\^[ ]?\(?([-+]?\d{1,3}(?:\.\d{1,3}(?!\d))?)\)?")
_LOG_STEP = 0.01
"""How exact a power with decimals is: 10^9.4 is 2.5 billion."""
_LOST_POWER = re.compile(r"-(\d{1,2})(?![\d.,])")
"""'10-3', whose raised digits were lost."""
_SPACED_SCALES = "|".join(word for word in SCALE_WORDS if len(word) > 1)
_SCALE = re.compile(
    rf"[ -]?(?:({_SPACED_SCALES})(?:s?(?!\w)|\.)|([{''.join(word for word in SCALE_WORDS if len(word) == 1)}]))",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"(?=.)(?:[ ]?(?:[,/–~±×;-]|\+/?-)){0,2}[ ]?(?:[^\W\d_A-Z]{1,7}\.?[ ])?(?:±[ ]?)?")
"""What stands between the numbers of a list or a range: signs, and at most one short word, in whatever language."""
_SINGLE = re.compile(r"\b(?:one|an?)\b(?=( (?:to|or) \w)|[ -]\w)", re.IGNORECASE)
_MARGIN = re.compile(r"(?:±|\+/?-)[ ]?$")
_P_VALUE = re.compile(
    r"\bp(?:[- ]?values?)?[ ]?(?:of|was|were|is|=|<|>|≤|≥|less than|below|under|[ ]){1,4}$", re.IGNORECASE
)
_CODE_BEFORE = re.compile(r"(?:[^\W\d_]|[^\W\d_][-_]|[A-Z]/)$")
"""'p53', 'IL-6', 'C57BL/6'."""
_NO_NUMBER_BEFORE = re.compile(r"\^$|\w·$")
"""A raised number, and one in a formula: 'CuSO4·5H2O'."""
_OF_WHOLE = re.compile(r"(?:[ ]?/[ ]?|(?:[ ][^\W\d_A-Z]{2,4}){1,2}[ ])(\d{1,6})(?![\d.])")
"""The whole of '2/3', '81 of 395', '81 of the 395'."""
_ENDING = re.compile(r"(?:st|nd|rd|th|s|x|fold|k)\b")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?=[ ])")
_IN_BRACKETS = re.compile(r"[ ]?\((?=[^()%]{0,29}\d)[^()%]{1,30}\)(?=[ ][^\W\d_]{2})")
_LAST_DIGITS = re.compile(r"\.\d{1,12}\((\d{1,4})\)")
_FOLD = re.compile(r"(?:[ -]?folds?|x|[ ]?×|[ ]times(?![ ]per))\b", re.IGNORECASE)
_JOINED = re.compile(r",?[ ](?:[^\W\d_A-Z]{1,3}[ ])?")
_AND_HALF = re.compile(
    rf"[ ][^\W\d_A-Z]{{1,3}}[ ](?:an?[ ]half|{'|'.join(words('numbers')['half']['words'].split())})\b(?![ ]of\b)"
)
"""'a year and a half', 'deux ans et demi'."""
_DECADE = re.compile(r"'?s\b")
_WORD_BEFORE = re.compile(r"([^\W\d_]{3,8})[ ]$")
_PER_TIME = (("T", -1),)
_MINUTE = Unit((("T", 1),), 60.0)
_FACTOR = re.compile(r"\bfa[ck]t(?:or|eur)[ ](?:[^\W\d_]{2,3}[ ])?(?:[~≈][ ]?)?$", re.IGNORECASE)
"""'a factor of 2.5', 'um den Faktor 2,5', 'un facteur de 2,5'."""
_ARTICLE = re.compile(r"[ ](?:(?:of[ ])?an?|de|di)(?=[ ])", re.IGNORECASE)
"""'half an hour', 'un quart de siècle'."""
_BOUND = 24


_BOUNDS = {
    name: "|".join(re.escape(phrase.strip()) for phrase in listed.split(","))
    for name, listed in words("numbers")["bounds"].items()
}
_ABOUT = re.compile(rf"(?:(?<!\w)(?:{_BOUNDS['about']})|[~≈])[ ]?(?:[^\W\d_]{{1,3}}[ ])?$", re.IGNORECASE)
_ABOVE = re.compile(rf"(?:(?<!\w)(?:{_BOUNDS['above']})|[>≥])[ ]?(?:[^\W\d_]{{1,3}}[ ])?$", re.IGNORECASE)
_BELOW = re.compile(rf"(?:(?<!\w)(?:{_BOUNDS['below']})|[<≤])[ ]?(?:[^\W\d_]{{1,3}}[ ])?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands in a folded text.

    Attributes:
        value: without its unit; a percentage has the unit `%`.
        step: what one more in its last digit would be; 0 for a whole number written in words.
        unit: None where no unit that is known follows; `borrowed` where it follows only the next number of a list.
        about: a word such as 'nearly' or a sign such as `~` stands before it.
        bound: 1 after 'more than', -1 after 'less than', 0 else.
        p_value: it is compared with a probability, as `p < 0.05`.
        others: what it may also mean ('1.000', '1/3').
        kind: `digits`, or how it is spelt: see `SpeltNumber`. `fold` also for '2-fold'.
        parts: the numbers that it may be two of: '12 345', '3,5'.
        is_margin: it is how far the number before it may be off: the second of '12.3 ± 2.1'.
    """

    value: float
    step: float
    start: int
    end: int
    unit: Unit | None = None
    unit_end: int = 0
    about: bool = False
    bound: int = 0
    p_value: bool = False
    borrowed: bool = False
    others: tuple[float, ...] = ()
    kind: str = "digits"
    parts: tuple[float, ...] = ()
    is_margin: bool = False

    @property
    def stop(self) -> int:
        """Where the number with its unit ends."""
        return max(self.end, self.unit_end)

    @property
    def reach(self) -> float:
        """How far a more exact number may be from this one."""
        size = abs(self.value)
        if self.about:
            return max(self.step, ROUGHLY * size)
        if size >= SPOKEN and size % 100 == 0:  # '12,000' of 12,345
            step = 10.0 ** (len(f"{size:.0f}") - len(f"{size:.0f}".rstrip("0")))
            return min(step / 2, ROUGHLY * size)
        if self.unit and size >= 100 and size % 10 == 0:  # '200 m' of 201 m
            return max(self.step / 2, size / 100)
        return self.step / 2


def quantities(folded: Folded, *, source: bool = False) -> list[Quantity]:
    """All numbers of a text, in their order; digits inside names (`p53`) are none.

    `source`: with 'one' and 'an' before a unit, which a paper's text may mean as 1 and a statement seldom does, and
    with all number words of other languages.
    """
    text = folded.text
    spelt = [_with_unit(text, number) for number in read_number_words(text)]
    if source or not words_in(text) & ENGLISH:
        foreign = ((word, _with_unit(text, word)) for word in read_foreign_number_words(text))
        spelt += [item for word, item in foreign if source or word.is_certain or (item.unit and item.kind != "fold")]
    singles = _read_singles(text) if source else ()
    items = [*_read_digits(text), *spelt, *singles]
    disjoint: list[Quantity] = []
    for item in sorted(items, key=lambda item: (item.start, -item.end)):
        if not disjoint or item.start >= disjoint[-1].stop:
            disjoint.append(item)
        elif item.start == disjoint[-1].start and item.end == disjoint[-1].end:  # a word of several languages
            disjoint[-1] = replace(disjoint[-1], others=(*disjoint[-1].others, item.value))
    with_units = _borrow_units(text, disjoint)
    return [*with_units, *join_compounds(text, with_units), *_read_margins(text, with_units)] if source else with_units


def _read_margins(text: str, items: Sequence[Quantity]) -> Iterator[Quantity]:
    """How far numbers may be off by the digits in brackets behind them: 0.05 of '1.40(5)', or 5."""
    for item in items:
        last = _LAST_DIGITS.search(text, item.start, item.end)
        if last:
            step = item.step * float(last[1])
            yield replace(item, value=step, others=(float(last[1]),), parts=(), is_margin=True)


def join_compounds(text: str, items: Sequence[Quantity]) -> list[Quantity]:
    """The measures that are said in two parts: '5 years and 8 months', '1 h 30', 'deux ans et demi', as one number."""
    halves = ((item, _AND_HALF.match(text, item.stop)) for item in items if item.unit and item.unit.dimension)
    joined = [
        replace(item, value=item.value + 0.5, step=HALF_STEP, unit_end=half.end()) for item, half in halves if half
    ]
    for first, second in pairwise(items):
        larger, smaller = first.unit, second.unit or (_MINUTE if second.value < 60 else None)
        if (
            second.kind == "fraction"
            or larger is None
            or smaller is None
            or larger.dimension != smaller.dimension
            or larger.factors > 1
        ):
            continue
        scale = smaller.factor / larger.factor
        if second.unit is None and scale != 1 / 60:  # '6 h 45'
            continue
        if 0 < second.value * scale < 1 and scale < 1 and _JOINED.fullmatch(text[first.stop : second.start]):
            value, step = first.value + second.value * scale, max(second.step, 1.0) * scale
            joined.append(replace(first, value=value, step=step, end=second.end, unit_end=second.unit_end, about=True))
    return joined


def _read_digits(text: str) -> Iterator[Quantity]:
    for match in _DIGITS.finditer(text):
        start = match.end("sign") if match["sign"] else match.start()
        if match["chain"] or _NO_NUMBER_BEFORE.search(text, max(0, start - 2), start):
            continue
        before = text[max(0, start - _BOUND) : start]
        sign = match["sign"] or ""
        if (not sign or sign == "-") and _CODE_BEFORE.search(before[: len(before) - len(sign)] + sign):
            continue  # 'p53', 'IL-6', 'COVID-19'
        item = _number(text, match, start, sign.strip())
        if item is not None:
            yield item
    for arc in _ARC.finditer(text):
        degrees, minutes, seconds = (float(part or 0) for part in arc.groups())
        value, step = degrees + minutes / 60 + seconds / 3600, 1 / 3600 if arc[3] else 1 / 60
        yield Quantity(value, step, arc.start(), arc.end(), unit=lookup("°"), unit_end=arc.end())


def _number(text: str, match: re.Match[str], start: int, sign: str) -> Quantity | None:
    body, power, end = match["point"] or match["exact"] or match["body"], match["power"] or "", match.end()
    exponent = _exponent(power)
    digits = body.replace(" ", "")
    digits = digits.replace(".", "").replace(",", ".") if match["point"] else digits.replace(",", "")
    if exponent is None or len(digits) > 40:
        return None
    value, step = float(digits), 10.0 ** -len(digits.partition(".")[2])
    ten = _TEN.match(text, end)
    if digits == "10" and not power and ten and float(ten[1]):
        value, step, exponent, end = 1.0, _LOG_STEP if "." in ten[1] else 0.1, float(ten[1]), ten.end()
    if abs(exponent) > 250:
        return None
    scale = _SCALE.match(text, end)
    times = 10.0**exponent * (SCALE_WORDS[(scale[1] or scale[2]).lower()] if scale else 1.0)
    end = scale.end() if scale else end
    negative = -1 if sign == "-" else 1
    others = () if power else (*_other_readings(body, negative), *_ratio(text, value, end))
    if digits == "10" and (lost := _LOST_POWER.match(text, end)):
        others = (*others, 10.0 ** -int(lost[1]))
    item = Quantity(
        negative * value * times,
        step * times,
        start - (1 if negative < 0 else 0),
        end,
        p_value=bool(_P_VALUE.search(text[max(0, start - _BOUND) : start])),
        others=others,
        parts=tuple(_parts(body)) if not power else (),
        is_margin=_MARGIN.search(text, max(0, start - 4), start) is not None or sign == "±",
    )
    item = _bounded(text, start, item)
    if ten and "." in ten[1] and end == ten.end():
        item = replace(item, about=True)
    if decade := _read_decade(text, item):
        return decade
    unit, stop = read_unit(text, item.end)
    if unit is None and (inside := _IN_BRACKETS.match(text, item.end)):  # '45.2 (SD 12.1) years'
        unit, stop = read_unit(text, inside.end())
        return replace(item, unit=unit, borrowed=unit is not None)
    if unit is None and (ending := _ORDINAL.match(text, item.end)):  # 'every 3rd month'
        unit, stop = read_unit(text, ending.end())
    if unit is None and item.end == match.end() and text[end : end + 1].isalpha() and not _ENDING.match(text, end):
        return None  # '3T3', '10E8': a name
    is_fold = _FOLD.match(text, end) or _FACTOR.search(text[max(0, start - _BOUND) : start])
    return replace(item, unit=unit, unit_end=stop, kind="fold" if is_fold else "digits")


def _exponent(power: str) -> float | None:
    if not power:
        return 0
    if power[0] in "eE":
        return int(power[1:])
    digits = re.sub(r"^.*?10[ ]?\^?[ ]?", "", power).strip("() ")
    return int(digits) if digits and digits not in "+-" else None


def _bounded(text: str, start: int, item: Quantity) -> Quantity:
    """A number with what the words before it say: that it is rounded, or a bound."""
    before = text[max(0, start - _BOUND) : start]
    bound = 1 if _ABOVE.search(before) else -1 if _BELOW.search(before) else 0
    return replace(item, about=bool(_ABOUT.search(before)), bound=bound)


def _ratio(text: str, value: float, end: int) -> Iterator[float]:
    """The part of a whole that '81 of 395' says."""
    match = _OF_WHOLE.match(text, end)
    if match and value == int(value) and 0 < value < int(match[1]):
        yield value / int(match[1])


def _other_readings(body: str, sign: int) -> Iterator[float]:
    if body.count(",") == 1 and "." not in body and len(body.partition(",")[2]) == 3 and body[0] != "0":
        yield sign * float(body.replace(",", ".").replace(" ", ""))  # a comma before decimals
    if body.count(".") == 1 and len(body.partition(".")[2]) == 3 and body[0] not in "0." and "," not in body:
        yield sign * float(body.replace(".", "").replace(" ", ""))  # a full stop between thousands


def _parts(body: str) -> Iterator[float]:
    if (re.fullmatch(r"[\d ]+", body) and " " in body) or re.fullmatch(r"\d+,\d{1,2}|\d\d?(?:,\d\d)+,\d{3}", body):
        yield from (float(part) for part in re.split("[ ,]", body) if part.strip("0"))


def _read_decade(text: str, item: Quantity) -> Quantity | None:
    """'the 1990s', 'les années 1990': any of ten years."""
    if not 1000 <= item.value < 2100 or item.value % 10 or item.end - item.start != 4:
        return None
    sign, word = _DECADE.match(text, item.end), _WORD_BEFORE.search(text[max(0, item.start - _BOUND) : item.start])
    unit = lookup(word[1]) if word else None
    if not sign and (unit is None or unit.factor != YEAR or unit.dimension != (("T", 1),)):
        return None
    end = sign.end() if sign else item.end
    return replace(item, value=item.value + 4.5, step=9.0, unit_end=end, others=(item.value,))


def _with_unit(text: str, number: SpeltNumber) -> Quantity:
    article = _ARTICLE.match(text, number.end) if number.kind == "fraction" else None
    unit, stop = read_unit(text, article.end() if article else number.end)
    if unit and unit.dimension == _PER_TIME:  # 'twice a day' is said in many ways
        unit = None
    stop = stop if unit else number.end
    kind = "fold" if number.kind == "count" and _FOLD.match(text, number.end) else number.kind
    step = max(number.step, 1.0) if number.kind == "count" and unit and unit.dimension else number.step
    item = Quantity(number.value, step, number.start, number.end, unit=unit, unit_end=stop, kind=kind)
    return _bounded(text, number.start, item)


def _read_singles(text: str) -> Iterator[Quantity]:
    for match in _SINGLE.finditer(text):
        unit, stop = read_unit(text, match.end())
        if unit is not None or match[1]:
            yield Quantity(1.0, 0.0, match.start(), match.end(), unit=unit, unit_end=stop, kind="count")


def _borrow_units(text: str, items: Sequence[Quantity]) -> list[Quantity]:
    """Numbers of a list or a range take the unit of the last: '5, 10 and 20 mg', '8 to 12 mg', '12 ± 3 mg'."""
    done = list(items)
    for place in range(len(done) - 2, -1, -1):
        item, following = done[place], done[place + 1]
        gap = text[item.end : following.start]
        if (
            item.unit is None
            and item.kind not in {"ordinal", "fraction"}
            and following.unit is not None
            and len(gap) < 12
            and _BETWEEN.fullmatch(gap)
        ):
            done[place] = replace(item, unit=following.unit, borrowed=True)
    return done
