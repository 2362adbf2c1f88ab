"""Names of people and organisations as bibliographies write them, and lists of these names.

A name becomes the fields of an author: `literal` (the whole name in reading order), `family` and `given`. The family
name of an organisation is its whole name, so that no list, search or export takes it apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Any

from conspectus.parse.blocks import clean_line
from conspectus.parse.name_words import family_of
from conspectus.parse.organisations import is_organisation
from conspectus.parse.people import SUFFIX, is_abbreviated, is_initials

_SUFFIX = re.compile(r"(?:[JS]r|I{2,3}|IV|2nd|[34](?:rd|th))\.?", re.I)
_IDENTIFIER = re.compile(r" ?\((?:\d+|[\dA-Z]{4}-\d{4}-[\w-]*)\)$")
_NO_NAME = re.compile(r"\[[^\]]*\]|others|et al\.?|anon(?:ymous)?\.?|n/a|-+", re.I)
_STOP = re.compile(r"(?<=\w)\.\s{1,9}+(?=\w)")
"""Ends a name in lists without other separators: `Smith J.  Jones AB.`"""
_AND = re.compile(r"(?<!\s)\s++(?:and|&)\s", re.I)


class NameOrder(Enum):
    """How a source writes the names of people."""

    COMMA = "Family, Given"
    INITIALS = "Family AB"
    READING = "Given Family"


def person(given: str, family: str, suffix: str = "") -> dict[str, Any]:
    """A person. A suffix at the end of the given names (`Martin L Jr`) goes behind the family name."""
    if not suffix:
        given, suffix = _without_suffix(given)
    if not (given and family):
        return {"literal": given or " ".join(filter(None, (family, suffix)))}
    return {"literal": " ".join(filter(None, (given, family, suffix))), "family": family, "given": given}


def _without_suffix(name: str) -> tuple[str, str]:
    """(the name, the suffix at its end or "")."""
    words = name.rsplit(None, 1)
    return (words[0].rstrip(", "), words[1]) if len(words) > 1 and _SUFFIX.fullmatch(words[1]) else (name, "")


def organisation(name: str) -> dict[str, Any]:
    """An organisation, or a person of one name."""
    name = clean_line(name).rstrip(",;")
    return {"literal": name, "family": name.removeprefix("The ")} if " " in name else {"literal": name}


def comma_name(text: str) -> dict[str, Any]:
    """`Family, Given` or `Family, Given, Suffix`. A name without a comma is an organisation or in reading order.

    As EndNote writes them, `World Health Organization,` is an organisation, and so is `Roof,, Slate & Sons`.
    """
    parts = [part for part in (clean_line(part) for part in text.split(",")) if part]
    if len(parts) == 2 and SUFFIX.fullmatch(parts[1]):
        return {"literal": " ".join(parts)}
    if len(parts) > 1 and ",," not in text:
        return person(parts[1], parts[0], " ".join(parts[2:]))
    name = clean_line(text).replace(",,", ",").rstrip(", ")
    if "," in text or is_organisation(name):
        return organisation(name)
    return initials_name(name) if is_abbreviated(name) else {"literal": name}


def comma_names(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Names as `comma_name` reads them. Among names with a comma, one without it is an organisation."""
    names = [name for text in texts for part in text.split(";") if (name := part.strip())]
    has_people = any("," in name.rstrip(",") for name in names)
    return [organisation(name) if has_people and "," not in name else comma_name(name) for name in names]


def initials_name(text: str) -> dict[str, Any]:
    """`van der Meer PM Jr`, with or without full stops or a comma. A name without initials is an organisation."""
    if "," in text:
        return comma_name(text)
    name, suffix = _without_suffix(clean_line(text))
    family, _, given = name.rpartition(" ")
    if is_abbreviated(name):
        return person(given, family, suffix)
    return organisation(clean_line(text).rstrip("."))


def read_name(text: str, order: NameOrder) -> dict[str, Any]:
    """One name in the order that its source uses."""
    if order is NameOrder.INITIALS:
        return initials_name(text)
    if order is NameOrder.COMMA or "," in text:
        return comma_name(text)
    name = clean_line(text)
    family, given = family_of(name.split())
    if given:
        return person(given, family)
    return organisation(name) if is_organisation(name) else {"literal": name}


def read_names(texts: Iterable[str], order: NameOrder) -> list[dict[str, Any]]:
    """The names in texts that have one name each, or several apart by `;`, by lines, by `and`, or by commas.

    What stands for unknown authors (`[No author name available]`, `et al.`) is left out.
    """
    listed = (name.strip(" \t\r;") for text in texts for name in split_names(text, order))
    names = [
        _IDENTIFIER.sub("", clean_line(name)) for name in listed if name.strip(",") and not _NO_NAME.fullmatch(name)
    ]
    found = comma_names(names) if order is NameOrder.COMMA else [read_name(name, order) for name in names]
    return [name for name in found if name["literal"]]


def split_names(text: str, order: NameOrder) -> Iterable[str]:
    """The single names of a list that is written as one text."""
    if ";" in text or "\n" in text:
        *names, last = re.split(r"[;\n]", text.rstrip("; \t\r\n"))
        parts = _AND.split(last)
        return [*names, *(parts if _are_inverted(parts) else [last])]
    if order is NameOrder.INITIALS and len(names := _STOP.split(text)) > 1 and _are_inverted(names):
        return names
    if _AND.search(text) and _is_list_of_people(text):
        return [name for part in _AND.split(text) for name in _names_in_part(part)]
    text = _IDENTIFIER.sub("", text.strip())
    return _between_commas(text, [part for part in (part.strip() for part in text.split(",")) if part], order)


def _names_in_part(text: str) -> list[str]:
    """The names of a part of a list beside `and`: one, or several between commas (`Smith J, Jones A`)."""
    parts = [part for part in (part.strip() for part in text.split(",")) if part]
    return _between_commas(text, parts, NameOrder.COMMA)


def _between_commas(text: str, parts: list[str], order: NameOrder) -> list[str]:
    """The names of a text of which these are the parts between commas: each a name, or two and two of them."""
    has_initials = len(parts) > 1 and all(map(is_abbreviated, parts))
    if has_initials or order is NameOrder.READING or (len(parts) > 2 and all(" " in part for part in parts)):
        return _with_suffixes(parts)
    pairs = [", ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    if len(parts) > 1 and all(map(is_initials, parts[1::2])):
        return pairs
    if order is NameOrder.INITIALS and not _is_full_name(parts):
        return _with_suffixes(parts)
    is_one = len(parts) < 4 or len(parts) % 2 or any(map(SUFFIX.fullmatch, parts)) or ",," in text
    return [text] if is_one else pairs


def _is_full_name(parts: Iterable[str]) -> bool:
    """Whether the parts between commas are one person's: `Lund, Ada` or `King, Martin, Jr.`."""
    names = [part for part in parts if not SUFFIX.fullmatch(part)]
    return len(names) == 2 and not any(map(is_abbreviated, names)) and not any(map(is_organisation, names))


def _with_suffixes(parts: Iterable[str]) -> list[str]:
    """The names between commas, each with the suffix that a further comma parts from it."""
    names: list[str] = []
    for part in parts:
        if names and SUFFIX.fullmatch(part):
            names[-1] += f" {part}"
        else:
            names.append(part)
    return names


def _is_list_of_people(text: str) -> bool:
    """Whether `and` in a text stands between people (`Lund, Ada and Roth, Eva`), not in an organisation's name."""
    names = _AND.split(text)
    return len(names) > 1 and (_are_inverted(names) or not any(map(is_organisation, [text, *names])))


def _are_inverted(names: Iterable[str]) -> bool:
    """Whether each name has its family name first: `Lund, Ada` or `Lund A`."""
    return all("," in name or is_abbreviated(name.strip()) for name in names)
