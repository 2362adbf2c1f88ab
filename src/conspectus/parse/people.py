"""Authors as sources write them: texts, lists of texts, lists of objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conspectus.core.bounds import BOUNDS
from conspectus.parse.blocks import clean_line
from conspectus.parse.byline import read_byline
from conspectus.parse.organisations import is_organisation
from conspectus.records import Author

SUFFIX = re.compile(r"(?i:jr|sr|ph\.?d|m\.?d)\.?|I{2,3}|IV|VI{1,3}")
_CONTACT = re.compile(
    r"(?:(?<![\s*†‡§¶#∗✉,;(<\[])[\s*†‡§¶#∗✉,;(<\[]*+(?:\be-?mail\s*+:.*|[^\s@]{1,100}@[^\s@]+\.\w.*)"
    r"|(?<![*†‡§¶#∗✉,\s])[*†‡§¶#∗✉,\s]++)$",
    re.I,
)
_GLUED = re.compile(r"(?<=[^\W\d_])\d{1,2}(?:\s?,\s?(?:\d{1,2}|[*†‡§¶∗]))*$")
"""Numbers of affiliations, as copied from a page: `Ada Lindqvist1,2`."""
_LISTED = re.compile(r"\sand\s|&|[^\W\d_]\d{1,2}\b|[*†‡§¶¹²³⁴⁵⁶⁷⁸⁹]")
_FAMILY, _GIVEN = ("family", "surname", "family-names", "last-name"), ("given", "given-names", "first-name")
_ORCID = re.compile(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])/?$")


def authors_of(value: Any, error: type[Exception]) -> tuple[Author, ...]:
    """The authors in order: from a list of names or objects, or from a text separated by `;`.

    A text without `;` that is nothing but a list of names (three or more between commas, or with `and`, or with marks
    of affiliations) is taken for such a list as well.

    Raises:
        error: The value, or an element of the list, is of another type.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        value = _names(value)
    if not isinstance(value, list | tuple):
        raise error("the field 'authors' must be a list, or text separated by ';'")
    authors = (_author(part, error) for part in value if part)
    return tuple(author for author in authors if author.name)


def author_named(name: str) -> Author:
    """The author of that name, written `Given Family` or `Family, Given`; addresses and signs of notes go."""
    name = without_contact(clean_line(name[: BOUNDS.name.most + 1]))  # one more, so that the cut is told
    name = _GLUED.sub("", name) if " " in name else name
    family, comma, given = (part.strip() for part in name.partition(","))
    if not comma or not given or not family or SUFFIX.fullmatch(given):
        return Author(name.rstrip(", "))
    return Author(f"{given} {family}", family, given)


def without_contact(text: str) -> str:
    """The text of a name without an address of electronic mail and signs of notes at its end."""
    return _CONTACT.sub("", text)


def orcid_in(text: str) -> str:
    """The ORCID that `text` ends with (`0000-0002-1825-0097`), with or without its address, or ""."""
    found = _ORCID.search(text.strip())
    return found[1].upper() if found else ""


def _names(text: str) -> Sequence[str | Author]:
    if ";" in text:
        return text.split(";")
    parts = text.split(",")
    if len(parts) > 2 and all(len(part.split()) > 1 for part in parts):
        return parts
    if _LISTED.search(text):
        named, left_over = read_byline(clean_line(text))
        if len(named) > 1 and not left_over:
            return [one.author for one in named]
    return [text]


def _author(part: Any, error: type[Exception]) -> Author:
    if isinstance(part, Author):
        return part
    if isinstance(part, str):
        return _person_or_organisation(part)
    if not isinstance(part, Mapping):
        raise error("the field 'authors' must be a list of names or of objects with a name")
    fields = {str(name).lower().replace("_", "-"): value for name, value in part.items()}
    if isinstance(parts := fields.get("name"), Mapping):
        fields |= {"name": ""} | {str(name).lower().replace("_", "-"): value for name, value in parts.items()}
    family, given, name, whole = (
        next((line for key in keys if (line := _line(fields, key, error))), "")
        for keys in (_FAMILY, _GIVEN, ("name",), ("literal",))
    )
    particles = [_line(fields, key, error) for key in ("dropping-particle", "non-dropping-particle")]
    family = " ".join(part for part in (*particles, family) if part)
    whole = whole or (
        "" if name else " ".join(part for part in (given, family, _line(fields, "suffix", error)) if part)
    )
    known = Author(whole) if whole else author_named(name)  # a literal name is not to be taken apart
    return Author(
        known.name,
        family or known.family,
        given or known.given,
        orcid_in(_line(fields, "orcid", error)),
        _affiliations(fields.get("affiliations", fields.get("affiliation"))),
    )


def _person_or_organisation(name: str) -> Author:
    """The author of a name. An organisation's whole name is its family name; `Roof,, Slate & Sons` is one, too."""
    if ",," in name:
        whole = clean_line(name.replace(",,", ",", 1))
        return Author(whole, whole)
    author = author_named(name)
    is_person = author.family or not is_organisation(author.name)
    return author if is_person else replace(author, family=author.name.removeprefix("The "))


def _line(fields: Mapping[str, Any], key: str, error: type[Exception]) -> str:
    value = fields.get(key) or ""
    if not isinstance(value, str):
        raise error(f"the field 'authors' has an author whose '{key}' is not text")
    return clean_line(value)


def _affiliations(value: Any) -> tuple[str, ...]:
    parts = [value] if isinstance(value, str | Mapping) else value if isinstance(value, list | tuple) else []
    names = (part.get("name", "") if isinstance(part, Mapping) else part for part in parts)
    return tuple(line for name in names if isinstance(name, str) and (line := clean_line(name)))
