"""Headings of sections, by what stands under them."""

from __future__ import annotations

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
