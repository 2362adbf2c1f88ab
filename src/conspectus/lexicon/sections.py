"""Headings of sections, by what stands under them."""

from __future__ import annotations

import re
from functools import cache

from conspectus.lexicon import words

ENGLISH, OTHER, PARTS = "en", "other", "parts"


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
