"""Numbers written in words: `thirty-five`, `a third of`, `twice`, `one in five`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.lexicon import words

_ENGLISH = words("numbers")["en"]
_ONES = {word: value for value, word in enumerate(_ENGLISH["ones"].split())}
_TENS = {word: 10 * place for place, word in enumerate(_ENGLISH["tens"].split(), 2)}
_ORDINALS = {word: place for place, word in enumerate(_ENGLISH["ordinals"].split(), 1)}
_SCALES: dict[str, float] = _ENGLISH["scales"]
_FOLDS: dict[str, float] = _ENGLISH["folds"]
_PARTS: dict[str, int] = _ENGLISH["parts"]

SCALE_WORDS = _SCALES | {
    word: float(times) for times, listed in words("numbers")["scales"].items() for word in listed.split()
}
"""What multiplies a number in digits, in several languages: '3.2 million', '3,2 Mio.', '320万'."""
_ROUGH = 0.05
"""The step of a fraction in words: 'a third' is said of 31 % and of 35 %."""
_WORD = re.compile(r"[^\W\d_]+")
_ONE_IN = re.compile(r"[ ](?:in|out[ ]of)[ ](?:every[ ])?", re.IGNORECASE)
_MOST_OF_ONE_IN = 20


@dataclass(frozen=True, slots=True)
class SpeltNumber:
    """A number in words, from `start` to `end` of a text.

    Attributes:
        step: what one more in its last digit would be; 0 for a whole number.
        kind: `count`, `ordinal`, `fraction` (a part of a whole) or `fold` (so many times as much).
    """

    start: int
    end: int
    value: float
    step: float = 0.0
    kind: str = "count"


def read_number_words(text: str) -> Iterator[SpeltNumber]:
    """The numbers in English words of a folded text, in their order."""
    found = list(_WORD.finditer(text))
    place = 0
    while place < len(found):
        number, used = _number_at(found, place, text)
        if number is not None:
            yield number
        place += max(used, 1)


def read_foreign_number_words(text: str) -> Iterator[SpeltNumber]:
    """The numbers in single words of other languages ('zwei Drittel', 'moitié'); ambiguous words have all meanings."""
    last: dict[str, tuple[int, float, int]] = {}
    for match in _WORD.finditer(text):
        for language, value, kind in _FOREIGN.get(match[0].lower(), ()):
            if kind != "fraction":
                last[language] = (match.start(), value, match.end())
                yield SpeltNumber(match.start(), match.end(), value, kind=kind)
                continue
            start, times, end = last.get(language, (match.start(), 1.0, match.start()))
            if times >= 1 / value or match.start() - end > 1:
                start, times = match.start(), 1.0
            yield SpeltNumber(start, match.end(), times * value, _ROUGH, "fraction")


def _foreign_words() -> dict[str, list[tuple[str, float, str]]]:
    table: dict[str, list[tuple[str, float, str]]] = {}
    for language, known in words("numbers")["others"].items():
        for value, word in enumerate(known["ones"].split(), 2):
            table.setdefault(word, []).append((language, float(value), "count"))
        for key, kind in {"parts": "fraction", "folds": "fold", "mixed": "count"}.items():
            listed = known.get(key, "").split()
            for number, word in zip(listed[::2], listed[1::2], strict=True):
                value_of = 1 / int(number) if kind == "fraction" else float(number)
                table.setdefault(word, []).append((language, value_of, kind))
    return table


_FOREIGN = _foreign_words()
HALVES = sorted({word for word, meanings in _FOREIGN.items() if any(value == 0.5 for _, value, _ in meanings)})
"""What other languages call half: 'deux ans et demi'."""
HALF_STEP = 0.25
"""'Two and a half' is said of 2.4 and of 2.6."""
_AND_PART = re.compile(r"[ -]and[ -]an?[ -](half|third|quarter)\b(?![ ]of\b)", re.IGNORECASE)


def _number_at(found: Sequence[re.Match[str]], place: int, text: str) -> tuple[SpeltNumber | None, int]:
    """The number whose words begin at `place`, and how many words it has."""
    word, (start, end) = found[place][0].lower(), found[place].span()
    if word in _FOLDS:
        is_joined = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()  # 'double-blind'
        return (None if is_joined else SpeltNumber(start, end, _FOLDS[word], kind="fold")), 1
    fraction, used = _fraction_at(found, place, text)
    if fraction is not None:
        return fraction, used
    if word in _ORDINALS:
        return SpeltNumber(start, end, float(_ORDINALS[word]), kind="ordinal"), 1
    return _count_at(found, place, text)


def _count_at(found: Sequence[re.Match[str]], place: int, text: str) -> tuple[SpeltNumber | None, int]:
    """A whole number in words, or with that which it is a part of: 'one in five', 'nine out of ten'."""
    value, used = _cardinal_at(found, place, text)
    if not used:
        return None, 0
    start, end = found[place].start(), found[place + used - 1].end()
    below = _ONE_IN.match(text, end)
    whole_at = place + used + (len(below[0].split()) if below else 0)
    if below and whole_at < len(found) and found[whole_at].start() == below.end():
        whole, more = _cardinal_at(found, whole_at, text)
        if more and value < whole <= _MOST_OF_ONE_IN:
            end = found[whole_at + more - 1].end()
            return SpeltNumber(start, end, value / whole, _ROUGH, "fraction"), whole_at + more - place
    if part := _AND_PART.match(text, end):  # 'two and a half'
        below_one = 1 / _PARTS[part[1].lower()]
        return SpeltNumber(start, part.end(), value + below_one, HALF_STEP), used + 3
    if used == 1 and found[place][0].lower() in {"one", "zero"}:
        return None, 1  # 'one' is a pronoun more often than a number
    return SpeltNumber(start, end, value), used


def _fraction_at(found: Sequence[re.Match[str]], place: int, text: str) -> tuple[SpeltNumber | None, int]:
    """'half', 'a third of', 'two thirds', 'three quarters'."""
    word, start, end = found[place][0].lower(), found[place].start(), found[place].end()
    if _PARTS.get(word) == 2:
        hyphenated = text[end : end + 1] == "-"  # 'half-life'
        return (None, 0) if hyphenated else (SpeltNumber(start, end, 0.5, _ROUGH, "fraction"), 1)
    if place + 1 == len(found) or text[end : found[place + 1].start()] not in {" ", "-"}:
        return None, 0
    part, end = found[place + 1][0].lower(), found[place + 1].end()
    below = _PARTS.get(part, 0)
    if not below:
        return None, 0
    if word in {"a", "an"} and part not in {"quarter", "half"} and not re.match(r"[ ]of\b", text[end : end + 4]):
        return None, 0  # 'a third group'
    above = 1 if word in {"a", "an", "one"} else _ONES.get(word, 0) if part.endswith("s") else 0
    if not 0 < above < below:
        return None, 0
    return SpeltNumber(start, end, above / below, _ROUGH, "fraction"), 2


def _cardinal_at(found: Sequence[re.Match[str]], place: int, text: str) -> tuple[float, int]:
    """The value of a whole number in words, and how many words it has; 0 words where there is none."""
    total, current, used = 0.0, 0.0, 0
    while place + used < len(found):
        word = found[place + used][0].lower()
        joined = used == 0 or text[found[place + used - 1].end() : found[place + used].start()] in {" ", "-"}
        known = word in _ONES or word in _TENS or (used and (word in _SCALES or _is_and(found, place, used)))
        if not joined or not known:
            break
        if word in _SCALES:
            current = (current or 1.0) * _SCALES[word]
            total, current = (total + current, 0.0) if _SCALES[word] > 100 else (total, current)
        elif word in _ONES or word in _TENS:
            if used and not _continues(found[place + used - 1][0].lower(), word):
                break
            current += _ONES.get(word, 0) + _TENS.get(word, 0)
        used += 1
    return total + current, used


def _is_and(found: Sequence[re.Match[str]], place: int, used: int) -> bool:
    """'one hundred and four': an 'and' inside a number."""
    if not used or found[place + used][0].lower() != "and" or place + used + 1 >= len(found):
        return False
    after = found[place + used + 1][0].lower()
    return found[place + used - 1][0].lower() in _SCALES and (after in _ONES or after in _TENS)


def _continues(before: str, word: str) -> bool:
    return before in _SCALES or before == "and" or (before in _TENS and word in _ONES and 0 < _ONES[word] < 10)
