"""Authors as sources write them: texts, lists of texts, lists of objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from conspectus.core.bounds import BOUNDS
from conspectus.parse.people.bylines import read_byline
from conspectus.parse.people.names import family_of, is_organisation
from conspectus.parse.text.blocks import clean_line
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
_INITIALS = re.compile(r"(?:[^\W\d_a-zß-öø-ÿ]\.?[-‐]?){1,5}")
_BETWEEN_NAMES = re.compile(r" ?[,;] ?(?:(?:and |&) ?)?| and | ?& ?")
_OTHERS = re.compile(r"[,; ]et al\.?$", re.I)
_FAMILY, _GIVEN = ("family", "surname", "family-names", "last-name"), ("given", "given-names", "first-name")
_ORCID = re.compile(r"(\d{4}-\d{4}-\d{4}-\d{3}[\dXx])/?$")


def authors_of(value: Any, error: type[Exception]) -> tuple[Author, ...]:
    """The authors in order: from a list of names or objects, or from a text separated by `;`.

    A text without `;` is read as a list as well if it is nothing but names: three or more between commas, some with
    `and` or with marks of affiliations, or abbreviated ones (`Lund A, Meer P`). What stands for unknown authors is left
    out.

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


def author_of_name(name: str) -> Author:
    """The author of that name, written `Given Family` or `Family, Given`; addresses and signs of notes go."""
    name = without_contact(clean_line(name[: BOUNDS.name.most + 1]))  # one more, so that the cut is told
    name = _GLUED.sub("", name) if " " in name else name
    family, comma, given_name = (part.strip() for part in name.partition(","))
    if not comma or not given_name or not family or SUFFIX.fullmatch(given_name):
        return Author(name.rstrip(", "))
    return Author(f"{given_name} {family}", family, given_name)


def without_contact(text: str) -> str:
    """The text of a name without an address of electronic mail and signs of notes at its end."""
    return _CONTACT.sub("", text)


def orcid_in(text: str) -> str:
    """The ORCID that `text` ends with (`0000-0002-1825-0097`), with or without its address, or ""."""
    match = _ORCID.search(text.strip())
    return match[1].upper() if match else ""


def is_initials(text: str) -> bool:
    """Whether a text is the initials of given names, such as `A`, `P.M.` or `K-J`."""
    return _INITIALS.fullmatch(text) is not None


def is_abbreviated(name: str) -> bool:
    """Whether a name is a family name with initials, such as `Lund A` or `van der Meer PM`."""
    family, _, given_name = name.rpartition(" ")
    return bool(family) and is_initials(given_name) and not is_initials(family.split()[0])


def _abbreviated_names(text: str) -> Sequence[Author]:
    """The authors of `Lund A, Meer P` or `Lund, A., Meer, P.`; empty if some name is written differently."""
    parts = [part for part in _BETWEEN_NAMES.split(_OTHERS.sub("", clean_line(text))) if part]
    if len(parts) > 1 and all(map(is_abbreviated, parts)):
        pairs = [part.rpartition(" ")[::2] for part in parts]
    elif len(parts) > 3 and [is_initials(part) for part in parts] == [False, True] * (len(parts) // 2):
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
    else:
        pairs = []
    return [Author(f"{given_name} {family}", family, given_name) for family, given_name in pairs]


def _names(text: str) -> Sequence[str | Author]:
    if abbreviated := _abbreviated_names(text):
        return abbreviated
    if ";" in text:
        return text.split(";")
    parts = text.split(",")
    if len(parts) > 2 and all(len(part.split()) > 1 for part in parts):
        return parts
    if _LISTED.search(text):
        names, left_over = read_byline(clean_line(text))
        if len(names) > 1 and not left_over:
            return [name.author for name in names]
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
    family, given_name, name, literal = (
        next((line for key in keys if (line := _line(fields, key, error))), "")
        for keys in (_FAMILY, _GIVEN, ("name",), ("literal",))
    )
    particles = [_line(fields, key, error) for key in ("dropping-particle", "non-dropping-particle")]
    family = " ".join(part for part in (*particles, family) if part)
    literal = literal or (
        "" if name else " ".join(part for part in (given_name, family, _line(fields, "suffix", error)) if part)
    )
    known = Author(literal) if literal else author_of_name(name)  # a literal name is not to be taken apart
    known = known if known.name else Author(name)  # nothing but signs, as somebody's own library has it
    return Author(
        known.name,
        family or known.family,
        given_name or known.given,
        orcid_in(_line(fields, "orcid", error)),
        _affiliations(fields.get("affiliations", fields.get("affiliation"))),
    )


def _person_or_organisation(name: str) -> Author:
    """The author of a name, without one where the text stands for unknown authors.

    An organisation's whole name is its family name; `Roof,, Slate & Sons` is one, too.
    """
    if _NO_NAME.fullmatch(clean_line(name)):
        return Author("")
    if ",," in name:
        full_name = clean_line(name.replace(",,", ",", 1))
        return Author(full_name, full_name)
    author = author_of_name(name)
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


_SUFFIX = re.compile(r"(?:[JS]r|I{2,3}|IV|2nd|[34](?:rd|th))\.?", re.I)
_IDENTIFIER = re.compile(r" ?\((?:\d+|[\dA-Z]{4}-\d{4}-[\w-]*)\)$")
_NO_NAME = re.compile(r"\[[^\]]*\]|others|et al\.?|anon(?:ymous)?\.?|n/a|-+|(?-i:nan(?:,? nan)?)", re.I)
"""`nan` is what programs write for a missing value; `Nan` is a family name."""
_STOP = re.compile(r"(?<=\w)\.\s{1,9}+(?=\w)")
"""Ends a name in lists without other separators: `Smith J.  Jones AB.`"""
_APART = re.compile(r"(?<=\w\.) (?=-\w\.)")
"""The space in 'Y. -C. Chen', as IEEE writes."""
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
    family, _, given_name = name.rpartition(" ")
    if is_abbreviated(name):
        return person(given_name, family, suffix)
    return organisation(clean_line(text).rstrip("."))


def read_name(text: str, order: NameOrder) -> dict[str, Any]:
    """One name in the order that its source uses."""
    if order is NameOrder.INITIALS:
        return initials_name(text)
    if order is NameOrder.COMMA or "," in text:
        return comma_name(text)
    name = clean_line(text)
    family, given_name = family_of(name.split())
    if given_name:
        return person(given_name, family)
    return organisation(name) if is_organisation(name) else {"literal": name}


def read_names(texts: Iterable[str], order: NameOrder) -> list[dict[str, Any]]:
    """The names in texts that have one name each, or several apart by `;`, by lines, by `and`, or by commas.

    What stands for unknown authors (`[No author name available]`, `et al.`) is left out.
    """
    listed = (name.strip(" \t\r;") for text in texts for name in split_names(text, order))
    names = [
        _IDENTIFIER.sub("", _APART.sub("", clean_line(name)))
        for name in listed
        if name.strip(",") and not _NO_NAME.fullmatch(name)
    ]
    people = comma_names(names) if order is NameOrder.COMMA else [read_name(name, order) for name in names]
    return [name for name in people if name["literal"]]


def split_names(text: str, order: NameOrder) -> Iterable[str]:
    """The single names of a list that is written as one text."""
    if any(sign in text for sign in ";|\n"):
        *names, last = re.split(r"[;|\n]", text.rstrip(";| \t\r\n"))
        parts = _AND.split(last)
        listed = [*names, *(parts if _are_inverted(parts) else [last])]
        return [person for name in listed for person in _initialed(name) or [name]]
    if order is NameOrder.INITIALS and len(names := _STOP.split(text)) > 1 and _are_inverted(names):
        return names
    if _AND.search(text) and _is_list_of_people(text):
        return [name for part in _AND.split(text) for name in _between_commas(part, NameOrder.COMMA)]
    return _between_commas(_IDENTIFIER.sub("", text.strip()), order)


def _initialed(text: str) -> list[str]:
    """The names between commas, if each is a family name with initials: `Lund A, Roth EM`."""
    parts = [part.strip() for part in text.split(",")]
    return parts if len(parts) > 1 and all(map(is_abbreviated, parts)) else []


def _between_commas(text: str, order: NameOrder) -> list[str]:
    """The names of a text: each part between commas a name, or two and two of them."""
    parts = [part for part in (part.strip() for part in text.split(",")) if part]
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
    return len(names) == 2 and not is_abbreviated(names[0]) and not any(map(is_organisation, names))


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
