"""Headings of sections, by what stands under them."""

from __future__ import annotations

import re
from functools import cache

from conspectus.lexicon import words

ENGLISH, OTHER = "en", "other"


def headings(*roles: str, languages: tuple[str, ...] = (ENGLISH,)) -> str:
    """The headings of some roles, as the inside of a regular expression's parentheses; they are in small letters.

    Args:
        roles: names of `words/sections.toml`; none: all.
        languages: its tables.
    """
    known = words("sections")
    found = (known[table].get(role, ()) for table in languages for role in (roles or known[table]))
    return "|".join(pattern for patterns in found for pattern in patterns)


_NUMBER = re.compile(r"^(?:section\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[ivx]+\.)\s+")
_MOST_PARTS = 3
"""A heading that names more things than so many is a section's own."""
_BACK = ("thanks", "support", "contributions", "interests", "supplements", "references")


def is_back_matter(section: str) -> bool:
    """Whether a path of headings ends in back matter: thanks, contributions, interests, lists of supplements.

    Such passages are searched, and are no evidence for what a paper found.
    """
    name = _NUMBER.sub("", section.rpartition(" > ")[2].casefold(), count=1).strip(" .:")
    parts = [part.strip() for part in re.split(r",|&|\band\b|/", name)]
    return bool(name) and len(parts) <= _MOST_PARTS and (_is_back(name) or all(map(_is_back, parts)))


def _is_back(name: str) -> bool:
    return _back_pattern().fullmatch(name) is not None


@cache
def _back_pattern() -> re.Pattern[str]:
    return re.compile(headings(*_BACK, languages=(ENGLISH, OTHER)))
