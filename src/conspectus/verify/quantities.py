"""The numbers of a text with their units: digits, powers of ten, words, fractions, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from conspectus.verify.normalised import Folded
from conspectus.verify.units import Unit, read_unit

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen "
        "eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = {
    word: 10 * place for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_SCALES = {"hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_ORDINALS = {
    word: place
    for place, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}
_FOLDS = {
    "twice": 2.0, "double": 2.0, "doubled": 2.0, "doubling": 2.0, "doubles": 2.0, "twofold": 2.0, "threefold": 3.0,
          "fourfold": 4.0, "fivefold": 5.0, "sixfold": 6.0, "tenfold": 10.0, "triple": 3.0, "tripled": 3.0,
          "thrice": 3.0, "dozen": 12.0}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
          "fifths": 5, "tenth": 10, "tenths": 10}  # fmt: skip

_DIGITS = re.compile(
    r"""(?P<sign>(?<![\w)\].%°])[-+±][ ]?)?
    (?P<body>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d{1,3}(?:[ ]\d{3}){1,4}(?![\d.,]\d|\d)|
        \d{1,6},\d{1,2}(?![\d,]|\.\d)|\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})
    (?P<power>[eE][-+]?\d{1,3}(?![\w.])|[ ]?(?:[×*·]|x(?=[ ]?10))[ ]?10[ ]?\^?[ ]?\(?[-+]?\d{1,3}\)?)?""",
    re.VERBOSE,
)
_TEN = re.compile(r"\^[ ]?\(?([-+]?\d{1,3})\)?")
_SCALE = re.compile(r"[ -]?(hundred|thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_BETWEEN = re.compile(
    r"(?:[ ]?+(?:,|/|–|-|~|to|and|or|±|\+/-|\+-|vs\.?|versus|through|;)[ ]?+){1,4}(?:and[ ]|or[ ]|±[ ]?)?", re.I
)
_SINGLE = re.compile(r"\b(?:one|an?)\b(?=( (?:to|or) \w)|[ -]\w)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:~|≈|about|around|approximately|approx\.?|roughly|nearly|almost|some|over|under|more than|less than|close to|"
    r"up to|at least|at most|[<>≤≥]|circa|ca\.)[ ]?(?:an?[ ]|the[ ])?$",
    re.IGNORECASE,
)
_P_VALUE = re.compile(
    r"\bp(?:[- ]?values?)?[ ]?(?:of|was|were|is|=|<|>|≤|≥|less than|below|under|[ ]){1,4}$", re.IGNORECASE
)
_CODE_BEFORE = re.compile(r"(?:[A-Za-zα-ω]|[A-Za-zα-ω]{2}[-_/])$")
_FRACTION = re.compile(r"[ ]?/[ ]?(\d{1,6})(?![\d.])")
_ENDING = re.compile(r"(?:st|nd|rd|th|s|x|fold|k)\b")
_BOUND = 24


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands in a folded text.

    Attributes:
        value: without its unit; a percentage has the unit `%`.
        step: what one more in its last digit would be; 0 for a whole number written in words.
        unit: None where no unit that is known follows; `borrowed` where it follows only the next number of a list.
        about: a word such as 'nearly' or a sign such as `<` stands before it.
        p_value: it is compared with a probability, as `p < 0.05`.
        others: what it may also mean ('1.000', '1/3').
        ordinal: 'third'.
        parts: the numbers that it may be two of: '12 345', '3,5'.
    """

    value: float
    step: float
    start: int
    end: int
    unit: Unit | None = None
    unit_end: int = 0
    about: bool = False
    p_value: bool = False
    borrowed: bool = False
    others: tuple[float, ...] = ()
    ordinal: bool = False
    parts: tuple[float, ...] = ()

    @property
    def stop(self) -> int:
        """Where the number with its unit ends."""
        return max(self.end, self.unit_end)


def quantities(folded: Folded, *, source: bool = False) -> list[Quantity]:
    """All numbers of a text, in their order; digits inside names (`p53`) are none.

    `source`: with 'one' and 'an' before a unit, which a paper's text may mean as 1 and a statement seldom does.
    """
    text = folded.text
    singles = _singles(text) if source else ()
    found = sorted([*_in_digits(text), *_in_words(text), *singles], key=lambda item: (item.start, -item.end))
    kept: list[Quantity] = []
    for item in found:
        if not kept or item.start >= kept[-1].stop:
            kept.append(item)
    return _borrow(text, kept)


def _in_digits(text: str) -> Iterator[Quantity]:
    for found in _DIGITS.finditer(text):
        start = found.start("body")
        before = text[max(0, start - _BOUND) : start]
        sign = found["sign"] or ""
        if (not sign or sign == "-") and _CODE_BEFORE.search(before[: len(before) - len(sign)] + sign):
            continue  # 'p53', 'IL-6', 'COVID-19'
        if before.endswith("^"):
            continue
        item = _number(text, found, start, sign.strip())
        if item is not None:
            yield item


def _number(text: str, found: re.Match[str], start: int, sign: str) -> Quantity | None:
    body, power = found["body"], found["power"] or ""
    exponent, end = _exponent(power), found.end()
    if exponent is None:
        return None
    digits = body.replace(" ", "")
    digits = digits.replace(",", "") if re.search(r",\d{3}", digits) else digits.replace(",", ".")
    value, step = float(digits), 10.0 ** -len(digits.partition(".")[2])
    ten = _TEN.match(text, end)
    if digits == "10" and not power and ten and int(ten[1]):
        value, step, exponent, end = 1.0, 0.1, int(ten[1]), ten.end()
    if abs(exponent) > 250 or len(digits) > 40:
        return None
    scale = _SCALE.match(text, end)
    times = 10.0**exponent * (_SCALES[scale[1].lower()] if scale else 1.0)
    end = scale.end() if scale else end
    before = text[max(0, start - _BOUND) : start]
    value = -value if sign == "-" else value
    item = Quantity(
        value * times,
        step * times,
        start - (1 if sign == "-" else 0),
        end,
        about=bool(_ABOUT.search(before)),
        p_value=bool(_P_VALUE.search(before)),
        others=tuple(_other_readings(body, -1 if sign == "-" else 1)) if not power else (),
        parts=tuple(_parts(body)) if not power else (),
    )
    item = _fraction(text, item)
    unit, stop = _unit_behind(text, item)
    if unit is None and item.end == found.end() and text[end : end + 1].isalpha() and not _ENDING.match(text, end):
        return None  # '3T3', '10E8': a name
    return replace(item, unit=unit, unit_end=stop)


def _exponent(power: str) -> int | None:
    if not power:
        return 0
    if power[0] in "eE":
        return int(power[1:])
    digits = re.sub(r"^.*?10[ ]?\^?[ ]?", "", power).strip("() ")
    return int(digits) if digits and digits not in "+-" else None


def _fraction(text: str, item: Quantity) -> Quantity:
    found = _FRACTION.match(text, item.end)
    if found and item.value == int(item.value) and 0 < item.value < int(found[1]) <= 12:
        return replace(item, others=(*item.others, item.value / int(found[1])))
    return item


def _other_readings(body: str, sign: int) -> Iterator[float]:
    if body.count(",") == 1 and "." not in body and len(body.partition(",")[2]) == 3:
        yield sign * float(body.replace(",", "."))  # a comma before decimals
    if body.count(".") == 1 and len(body.partition(".")[2]) == 3 and body[0] not in "0.":
        yield sign * float(body.replace(".", ""))  # a full stop between thousands


def _parts(body: str) -> Iterator[float]:
    if " " in body or re.fullmatch(r"\d+,\d{1,2}", body):
        yield from (float(part) for part in re.split("[ ,]", body) if part.strip("0"))


def _unit_behind(text: str, item: Quantity) -> tuple[Unit | None, int]:
    if 1000 <= item.value < 2100 and text[item.end : item.end + 1] == "s":
        return None, item.end + 1  # the 1990s
    return read_unit(text, item.end)


def _in_words(text: str) -> Iterator[Quantity]:
    words = list(_WORD.finditer(text))
    place = 0
    while place < len(words):
        count, value, step = _spelt(words, place, text)
        if not count:
            place += 1
            continue
        start, end = words[place].start(), words[place + count - 1].end()
        before = text[max(0, start - _BOUND) : start]
        ordinal = words[place][0].lower() in _ORDINALS and count == 1
        item = Quantity(value, step, start, end, about=bool(_ABOUT.search(before)), ordinal=ordinal)
        unit, stop = read_unit(text, end)
        yield replace(item, unit=unit, unit_end=stop)
        place += count


def _singles(text: str) -> Iterator[Quantity]:
    for found in _SINGLE.finditer(text):
        unit, stop = read_unit(text, found.end())
        if unit is not None or found[1]:
            yield Quantity(1.0, 0.0, found.start(), found.end(), unit=unit, unit_end=stop)


def _spelt(words: Sequence[re.Match[str]], place: int, text: str) -> tuple[int, float, float]:
    """How many words from `place` on are one number, its value, and its step (fractions are never exact)."""
    word = words[place][0].lower()
    if word in _FOLDS:
        return 1, _FOLDS[word], 0.0
    part = _part_of(words, place, text)
    if part:
        return part
    if word in _ORDINALS:
        return 1, float(_ORDINALS[word]), 0.0
    total, current, used = 0.0, 0.0, 0
    while place + used < len(words):
        word = words[place + used][0].lower()
        joined = used == 0 or text[words[place + used - 1].end() : words[place + used].start()] in {" ", "-"}
        if not joined or not (word in _ONES or word in _TENS or (word in _SCALES and used) or _and(words, place, used)):
            break
        if word in _SCALES:
            current = (current or 1.0) * _SCALES[word]
            total, current = (total + current, 0.0) if _SCALES[word] > 100 else (total, current)
        elif word in _ONES or word in _TENS:
            if used and not _continues(words[place + used - 1][0].lower(), word):
                break
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
        used += 1
    if used == 1 and words[place][0].lower() in {"one", "zero"}:
        return 0, 0.0, 0.0  # 'one' is a pronoun more often than a number
    return used, total + current, 0.0


def _and(words: Sequence[re.Match[str]], place: int, used: int) -> bool:
    """'one hundred and four': an 'and' inside a number."""
    if not used or words[place + used][0].lower() != "and" or place + used + 1 >= len(words):
        return False
    after = words[place + used + 1][0].lower()
    return words[place + used - 1][0].lower() in _SCALES and (after in _ONES or after in _TENS)


def _continues(before: str, word: str) -> bool:
    return before in _SCALES or before == "and" or (before in _TENS and word in _ONES and 0 < _ONES[word] < 10)


def _part_of(words: Sequence[re.Match[str]], place: int, text: str) -> tuple[int, float, float] | None:
    word = words[place][0].lower()
    following = words[place + 1][0].lower() if place + 1 < len(words) else ""
    near = following and text[words[place].end() : words[place + 1].start()] in {" ", "-"}
    if (
        near
        and word in {"one", "a"}
        and following in _PARTS
        and following not in {"fifth", "tenth", "half", "third", "fourth"}
    ):
        return 2, 1 / _PARTS[following], 0.05
    if near and word == "one" and following in _PARTS:
        return 2, 1 / _PARTS[following], 0.05
    if near and word in {"two", "three", "four"} and following in _PARTS and following.endswith("s"):
        return 2, _ONES[word] / _PARTS[following], 0.05
    if word == "half":
        return 1, 0.5, 0.05
    return None


def _borrow(text: str, items: Sequence[Quantity]) -> list[Quantity]:
    """Numbers of a list or a range take the unit of the last: '5, 10 and 20 mg', '8 to 12 mg', '12 ± 3 mg'."""
    done = list(items)
    for place in range(len(done) - 2, -1, -1):
        item, following = done[place], done[place + 1]
        gap = text[item.end : following.start]
        if item.unit is None and following.unit is not None and len(gap) < 12 and _BETWEEN.fullmatch(gap):
            done[place] = replace(item, unit=following.unit, borrowed=True)
    return done
