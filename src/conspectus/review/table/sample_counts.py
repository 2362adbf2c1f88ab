"""Numbers of a sentence that count what was studied: 'n = 24', '24 healthy participants took part'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conspectus.records.review import TableColumn
from conspectus.review.table.cell_values import LAST_DIGITS, text_of_unit
from conspectus.review.table.measures import counted_nouns, listed_words, written_nouns
from conspectus.verify.folded_text import Folded
from conspectus.verify.quantities import Quantity

_STUDIED = re.compile(rf"\b(?:{listed_words('studied')})\b", re.IGNORECASE)
_SUBSET = re.compile(
    r"\b(?:of (?:the|these|them|those|which|whom)|out of|among|(?:in )?each|per|excluded?|only|remaining|another"
    r"|(?:matched|compared) (?:with|to)|group (?!of\b))\b",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"[^.;,]{{0,60}}?(?<!-)\b(?:group\b|were (?!{listed_words('studying')})|(?:{listed_words('parting')})\b)",
    re.IGNORECASE,
)
"""Behind a count: it is a part of the sample, or more than it."""
_WHOLE = re.compile(
    r"\b(?:recruited|enrol(?:led|ed)|participated|(?:participants|subjects|patients|volunteers) were"
    r"|consisted of|comprised"
    r"|total|final sample|included in|we included|were included|we (?:recruited|scanned|studied|analy[sz]ed|tested))\b",
    re.IGNORECASE,
)
"""A sentence that says who was studied."""
_RANGE = re.compile(r" ?(?:to|[-–]) ?\d")
_SHARE = re.compile(r" ?(?:[^\W\d_]+ )?\((?:about |~|≈)?\d[\d.,]* ?(?:%|per ?cent)")
"""Behind a count: it is a part, with its share in brackets."""
_NUMBERED = re.compile(rf"\b(?:{listed_words('numbered')}) $", re.IGNORECASE)
"""Before a number that names and does not count: 'type 2'."""
_DEFINITE = re.compile(r"\b(?:the|by) $", re.IGNORECASE)
"""Before a count: it is of some that were spoken of, or that did something."""
_N = re.compile(r"(?<![\w.])[nN][ ]?=[ ]?$")
_TOTAL = re.compile(r"\btotal (?:number )?of $", re.IGNORECASE)
_LISTED = re.compile(r"\b(?:and|or|versus|vs\.?|with|to) $", re.IGNORECASE)
"""Between a count and a number before it, at most `_NEAR` characters away: it is the last of several groups."""
_NEAR = 60
_MOST_ADJECTIVES = 5
_BRACKETED = re.compile(r" ?\([^()]*\)")
_NO_NOUN = frozenset("of and or in to with the were was across from for by candidate potential per".split())


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """A number of a sentence that is bound to a column.

    Attributes:
        first: the number, `last` the last one of its list or range.
        strength: how closely it is bound, from 1 to 5.
    """

    first: Quantity
    last: Quantity
    strength: float
    folded: Folded

    @property
    def value(self) -> str:
        """The number or the range, as it is written, without markup."""
        return LAST_DIGITS.sub("", self.folded.text[self.first.start : self.last.end]).strip()

    @property
    def unit(self) -> str:
        """Its unit, as it is written, without markup."""
        return text_of_unit(self.last, self.folded)


class GroupCount(NamedTuple):
    """How many of something a sentence says: of all, or of a group.

    Attributes:
        noun: what is counted, in small letters; "" if it is not said.
        is_sure: it may be the sample; else it only shows that there are several groups.
        is_after_n: it stands behind `n =`.
    """

    match: NumberMatch
    noun: str
    is_sure: bool = True
    is_after_n: bool = False


def find_counts(column: TableColumn, folded: Folded, items: Sequence[Quantity]) -> Iterator[NumberMatch]:
    """The counts of a sentence, with how surely each is of the whole sample; none of groups without their sum.

    What is counted beside `n = 20` and `n = 16` is the whole, and so is what is the sum of the others.
    """
    counts = list(_find_counts(column, folded, items))
    written = written_nouns()
    yield from (count.match for count in counts if count.noun in written and count.is_sure)
    groups = [count for count in counts if count.noun not in written]
    if not groups:
        return
    whole = max(groups, key=lambda count: count.match.first.value)
    groups.remove(whole)
    match, before = whole.match, folded.text[: whole.match.first.start]
    is_sum = len(groups) > 1 and sum(group.match.first.value for group in groups) == match.first.value
    is_beside_n = not whole.is_after_n and all(group.is_after_n for group in groups)
    is_last = _LISTED.search(before) and any(0 < len(before) - item.end <= _NEAR for item in items)
    is_alone = not groups and not is_last
    if whole.is_sure and (is_sum or is_alone or _TOTAL.search(before) or (is_beside_n and not is_last)):
        yield match


def _find_counts(column: TableColumn, folded: Folded, items: Sequence[Quantity]) -> Iterator[GroupCount]:
    """All counts of what is studied, of groups, too."""
    text = folded.text
    nouns = _nouns(column)
    for item in items:
        if item.unit is not None or item.p_value or item.kind in ("ordinal", "fold", "fraction") or item.value < 2:
            continue
        if item.value != int(item.value) or item.bound or text[item.end : item.end + 1] == "-":
            continue
        is_year = item.end - item.start == 4 and 1900 <= item.value < 2100
        before, after = text[max(0, item.start - 60) : item.start], text[item.end : item.end + 90]
        if _SUBSET.search(before[-25:]) or _SUBSET.match(after.lstrip(" (")):
            continue
        if _NUMBERED.search(before) or _DEFINITE.search(before) or _SHARE.match(after) or _RANGE.match(after):
            continue
        is_whole = _WHOLE.search(before) is not None or _WHOLE.search(after[:50]) is not None
        strength = (2.0 if is_whole else 1.0) + 0.9 * _size_bonus(item)
        if nouns == counted_nouns() and _N.search(before):
            noun = next((word for word in reversed(re.findall(r"[^\W\d_]+", before.casefold())) if word in nouns), "")
            match = NumberMatch(item, item, strength + bool(noun), folded)
            yield GroupCount(match, noun, is_whole or bool(noun), is_after_n=True)
        elif (
            (noun := _find_counted(after, nouns, 1 if is_year else _MOST_ADJECTIVES))
            and not _PART.match(after)
            and (_STUDIED.search(before) or _STUDIED.search(after))
        ):
            is_sure = is_whole or noun not in written_nouns() or nouns != counted_nouns()
            yield GroupCount(NumberMatch(item, item, strength, folded), noun, is_sure)


def may_count(column: TableColumn, text: str, words: Collection[str]) -> bool:
    """Whether a sentence with these words, in small letters, may have a count: before its numbers are read."""
    return "=" in text or not _nouns(column).isdisjoint(words)


def _nouns(column: TableColumn) -> frozenset[str]:
    """What a column counts: 'studies' of 'number of studies'; of 'sample size' whatever is counted."""
    words = column.name.casefold().removesuffix(" count").split()
    counted_words = words[2:] if words[:2] in (["number", "of"], ["n", "of"], ["no", "of"], ["no.", "of"]) else words
    if len(counted_words) != 1 or counted_words[0] in ("sample", "samples", "n"):
        return counted_nouns()
    return frozenset({counted_words[0], f"{counted_words[0]}s"})


def _size_bonus(item: Quantity) -> float:
    """More for the whole than for a part: up to 1."""
    return min(1.0, len(f"{item.value:.0f}") / 10)


def _find_counted(after: str, nouns: frozenset[str], most: int) -> str:
    """Which of `nouns` follows a number, with at most so many words before it; "" if none does."""
    end = 0
    for number, word in enumerate(re.finditer(r"[ -]?([^\W\d_][\w-]*)", _BRACKETED.sub("", after))):
        if number > most or word.start() != end:
            return ""
        end = word.end()
        if word[1].casefold() in nouns:
            return word[1].casefold()
        if word[1].casefold() in _NO_NOUN:
            return ""
    return ""
