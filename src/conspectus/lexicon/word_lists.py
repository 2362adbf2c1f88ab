"""Word lists that several rooms need: months, labels of figures, headings of sections, words without a subject; roots.

A root is how a word begins, by which it is recognised in other forms: `mitochond` in `mitochondrial`."""

from __future__ import annotations

import re
from functools import cache

from conspectus.lexicon import STOP_WORDS, words

_FORMS: list[list[str]] = words("calendar")["months"]
MONTHS: tuple[str, ...] = tuple(forms[0] for forms in _FORMS)
"""January to December."""
MONTH_FORMS: tuple[str, ...] = tuple(form for forms in _FORMS for form in forms)
"""All names of months, short ones too: `September`, `Sept`, `Sep`."""
SEASONS: tuple[str, ...] = tuple(words("calendar")["seasons"])
DAYS: tuple[str, ...] = tuple(words("calendar")["days"])
MONTH = "|".join(MONTH_FORMS)
"""A name of a month, as the inside of a regular expression's parentheses; the longer ones first."""
_OTHER: dict[str, int] = {
    form.casefold(): number
    for number, forms in enumerate(words("calendar")["other_months"], 1)
    for form in forms.split()
}
ANY_MONTH = "|".join([*sorted(_OTHER, key=len, reverse=True), MONTH])
"""The same with the names of other languages."""
_PARTS = re.compile(r"[^\W\d_]{3,}|\d+")


def month_number(text: str) -> int:
    """1 to 12 for `3`, `03`, `mar`, `March`, `Mar-Apr` or `März`, by the first word; 0 for all else, as for seasons."""
    for word in _PARTS.findall(text):
        if word.isdecimal():
            return int(word) if len(word) < 3 and int(word) <= 12 else 0
        if number := _OTHER.get(word.casefold()):
            return number
        for number, name in enumerate(MONTHS, 1):
            if word[:3].lower() == name[:3].lower():
                return number
        starts = {number for form, number in _OTHER.items() if form.startswith(word.casefold())}
        if len(starts) == 1:
            return starts.pop()
    return 0


def _forms(verb: str) -> set[str]:
    """A regular verb's forms."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return {verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"}
    if verb.endswith("e"):
        return {verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"}
    return {verb, verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s"), f"{verb}ed", f"{verb}ing"}


_KNOWN = words("key_phrases")
BREAKING = STOP_WORDS.union(_KNOWN["others"].split(), *map(_forms, _KNOWN["verbs"].split()))
"""No key phrase has one of these."""
GENERAL = frozenset(_KNOWN["general"].split())
"""These stand in key phrases beside other words ("control theory"), and seldom alone; in the singular."""
NOT_ADVERBS = frozenset(_KNOWN["not_adverbs"].split())
"""Words that end as adverbs do."""


CAPTIONED = "|".join(words("labels")["captioned"])
"""What has captions beside figures and tables, in small letters."""
FURTHER = "|".join(words("labels")["further"])
"""What stands before the label of what is not in the paper itself, in small letters."""
OTHER_FIGURES = "|".join(words("labels")["other"]["figures"])
"""What other languages call figures, in small letters, without the full stop of an abbreviation."""
OTHER_TABLES = "|".join(words("labels")["other"]["tables"])
"""What other languages call tables, in small letters, without the full stop of an abbreviation."""


ENGLISH, OTHER, PARTS = "en", "other", "parts"


def headings(*roles: str, languages: tuple[str, ...] = (ENGLISH,)) -> str:
    """The headings of some roles, as the inside of a regular expression's parentheses; they are in small letters.

    Args:
        roles: names of `words/sections.toml`; none: all.
        languages: its tables.
    """
    known = words("sections")
    pattern_lists = (known[table].get(role, ()) for table in languages for role in (roles or known[table]))
    return "|".join(pattern for patterns in pattern_lists for pattern in patterns)


_NUMBER = re.compile(r"^(?:section\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[ivx]+\.)\s+")
_MOST_PARTS = 3
"""A heading that names more things than so many is a section's own."""
_SUBSECTION = re.compile(r"^(?:section\s+)?\d{1,2}\.\d")
BACK_MATTER = ("thanks", "support", "contributions", "interests", "supplements", "declarations", "references")
"""Roles whose headings are explicit: they mean back matter wherever they are."""
_TOP_LEVEL = ("ambiguous", "lists")
"""Roles whose headings mean back matter only outside of the body."""


def is_back_matter(section: str) -> bool:
    """Whether a path of headings ends in back matter: acknowledgements, contributions, interests, supplements.

    Such passages are searched, but are no evidence of what a paper found. A heading such as "Contributions" or
    "Support" counts only as a top-level section or below other back matter, because it may also name a part of the
    introduction.
    """
    above, _, heading = section.rpartition(" > ")
    heading = heading.casefold()
    is_subsection = _SUBSECTION.match(heading) is not None or (bool(above) and not is_back_matter(above))
    pattern = _back_pattern(*(BACK_MATTER if is_subsection else (*BACK_MATTER, *_TOP_LEVEL)))
    name = _NUMBER.sub("", heading, count=1).strip(" .:")
    parts = [part.strip() for part in re.split(r",|&|\band\b|/", name)]
    if not name or len(parts) > _MOST_PARTS:
        return False
    return pattern.fullmatch(name) is not None or all(pattern.fullmatch(part) for part in parts)


@cache
def _back_pattern(*roles: str) -> re.Pattern[str]:
    return re.compile(headings(*roles, languages=(ENGLISH, OTHER)))


def is_on_methods(section: str) -> bool:
    """Whether a path of headings says that what is under it is about materials and methods."""
    return _methods_pattern().search(section.casefold()) is not None


@cache
def _methods_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{headings('methods', languages=(PARTS,))})\b")


WORD = re.compile(r"\w+")


def roots(query: str) -> tuple[str, ...]:
    """The beginnings by which the query's words are recognised, without stop words."""
    words = dict.fromkeys(WORD.findall(query.casefold()))
    return tuple(_root(word) for word in words if word not in STOP_WORDS)


def matches_root(word: str, word_roots: tuple[str, ...]) -> bool:
    """Whether a word begins with one of the roots."""
    folded = word.casefold()
    return any(folded == root or (len(root) > 2 and folded.startswith(root)) for root in word_roots)


def count_shared(text: str, word_roots: tuple[str, ...]) -> int:
    """How many of the roots a text has."""
    words = {word.casefold() for word in WORD.findall(text)}
    return sum(any(matches_root(word, (root,)) for word in words) for root in word_roots)


def _root(word: str) -> str:
    if len(word) >= 8:
        return word[:-3]
    if len(word) >= 6:
        return word[:-1].removesuffix("s")
    return word.removesuffix("s") if len(word) > 3 else word
