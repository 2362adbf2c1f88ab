"""What services that answer in XML share: elements out of an answer, and words of a query without syntax."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

from conspectus.core.errors import InputError, ServiceError
from conspectus.lexicon import STOP_WORDS
from conspectus.parse.bibliography.records import elements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set
    from xml.etree.ElementTree import Element

    from conspectus.services.client import ServiceClient

_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_SYNTAX = re.compile(r"[^\w'’.+-]+")
_OPERATORS = frozenset({"and", "or", "not"})
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_MOST_TERMS = 60
_LONGEST_PHRASE = 300


def elements_of(client: ServiceClient, answer: bytes | None, names: Set[str]) -> list[Element]:
    """The outermost elements of these names in an answer; tags have no namespace.

    Raises:
        ServiceError: there is no answer, or it is too deep or too large.
        ServiceAwayError: it is cut off, or no XML.
    """
    if answer is None:
        raise client.failed("has nothing at its address")
    try:
        return [element for _, element in elements(BytesIO(answer), names, "the answer")]
    except InputError as error:
        raise client.away(f"answered with XML that cannot be read ({error.message})") from error


def require_works(client: ServiceClient, count: int, expected: int) -> None:
    """Raise a ServiceAwayError where fewer works came than there are."""
    if count < expected:
        raise client.away(f"answered with {count} works where {expected} were expected")


def read_number(client: ServiceClient, text: str, what: str) -> int:
    """A count in an answer, or a place in a list.

    Raises:
        ServiceError: it is none; the message says of `what`.
    """
    text = text.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 13):
        raise client.failed(f"gives no {what} but {text[:40]!r}")
    return int(text)


def search_terms(words: str) -> list[str]:
    """Words and phrases (with spaces in them) without anything that is syntax to a service.

    Operators go, and function words where there are others.
    """
    terms: list[str] = []
    for phrase, word in _TERM.findall(words):
        parts = [part for piece in _SYNTAX.sub(" ", phrase or word).split() if (part := piece.strip("'’.+-"))]
        terms += [" ".join(parts)] if phrase and len(parts) > 1 else parts
    terms = [term for term in dict.fromkeys(terms) if term.lower() not in _OPERATORS]
    return ([term for term in terms if term.lower() not in STOP_WORDS] or terms)[:_MOST_TERMS]


def joined_words(terms: Sequence[str], *, any_word: bool) -> list[str]:
    """Terms as parts of a query of which each has to hold; `any_word`: as one part of which some term has to."""
    return [f"({' OR '.join(terms)})"] if any_word and len(terms) > 1 else list(terms)


def something(client: ServiceClient, search: str) -> str:
    """The query as a service writes it; a ServiceError where there is nothing in it."""
    if not search:
        raise ServiceError(f"There is nothing in the query that {client.shown} can search for.", "Give words.")
    return search


def plain_phrase(text: str, syntax: str = "") -> str:
    """A name or an identifier in quotation marks, without others in it and without `syntax`."""
    drop = str.maketrans(dict.fromkeys('"\\' + syntax, " "))
    return '"' + " ".join(text.translate(drop).split())[:_LONGEST_PHRASE].strip() + '"'


def orcid_in(author: str) -> str:
    """The ORCID that an author is given by, alone or as an address; "" where it is a name."""
    match = re.fullmatch(rf"(?:https?://orcid\.org/)?({_ORCID.pattern})", author.strip(), re.I)
    return match[1].upper() if match else ""


def chunks(terms: Iterable[str], longest: int, between: str = " OR ") -> Iterator[str]:
    """Join terms to texts of at most `longest` characters; a longer term stands alone."""
    line = ""
    for term in terms:
        if line and len(line) + len(between) + len(term) > longest:
            yield line
            line = ""
        line = f"{line}{between}{term}" if line else term
    if line:
        yield line
