"""Words, phrases, names and years of a query in the syntax of services, with nothing in them that is syntax."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from conspectus.core.errors import ServiceError
from conspectus.lexicon import STOP_WORDS
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.text.key_phrases import key_phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conspectus.services.client import ServiceClient


_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_SYNTAX = re.compile(r"[^\w'’.+-]+")
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_MOST_TERMS = 60
_LONGEST_PHRASE = 300


def search_terms(words: str) -> list[str]:
    """Words and phrases (with spaces in them) without anything that is syntax to a service.

    Operators go, and function words where there are others.
    """
    terms: list[str] = []
    for phrase, word in _TERM.findall(words):
        parts = [part for piece in _SYNTAX.sub(" ", phrase or word).split() if (part := piece.strip("'’.+-"))]
        terms += [" ".join(parts)] if phrase and len(parts) > 1 else parts
    terms = [term for term in dict.fromkeys(terms) if term.upper() not in _OPERATORS]
    return ([term for term in terms if term.lower() not in STOP_WORDS] or terms)[:_MOST_TERMS]


def join_words(terms: Sequence[str], *, any_word: bool) -> list[str]:
    """Terms as parts of a query of which each has to hold; `any_word`: as one part of which some term has to."""
    return [f"({' OR '.join(terms)})"] if any_word and len(terms) > 1 else list(terms)


def plain_words(words: str, signs: str) -> list[str]:
    """Words and quoted phrases without `signs`, which mean something to a service; AND, OR and NOT in small letters."""
    drop = str.maketrans(dict.fromkeys(signs + '"', " "))
    terms = []
    for phrase, word in _TERM.findall(words):
        clean = " ".join((phrase or word).translate(drop).split())
        if phrase and " " in clean:
            terms.append(f'"{clean}"')
        else:
            terms += [piece.lower() if piece in _OPERATORS else piece for piece in clean.split()]
    return terms


def plain_phrase(text: str, syntax: str = "") -> str:
    """A name or an identifier in quotation marks, without others in it and without `syntax`."""
    drop = str.maketrans(dict.fromkeys('"\\' + syntax, " "))
    return '"' + " ".join(text.translate(drop).split())[:_LONGEST_PHRASE].strip() + '"'


def quote_phrase(text: str) -> str:
    """A text as a phrase in the syntax of Lucene, as ADS and DataCite search."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def lucene_words(words: str) -> str:
    """Words and phrases, all of which are searched, in the syntax of Lucene."""
    return " AND ".join(piece if piece.startswith('"') else quote_phrase(piece) for piece in plain_words(words, "\\"))


def lucene_years(first: int | None, last: int | None) -> str:
    """A range of years, both included: `[2005 TO *]`."""
    return f"[{'*' if first is None else first} TO {'*' if last is None else last}]"


def comma_name(name: str) -> str:
    """A person's name as `Family, Given`; one that has no parts as it is."""
    author = author_of_name(name)
    given = author.given or author.name.removesuffix(author.surname).strip()
    return f"{author.surname}, {given}" if given else author.name


def require_terms(client: ServiceClient, search: str) -> str:
    """The query in a service's syntax; raises a ServiceError if it is empty."""
    if not search:
        raise ServiceError(f"There is nothing in the query that {client.label} can search for.", "Give words.")
    return search


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


_PHRASES = (2, 1)
"""Key phrases of the sets behind the question. Chosen on half of a benchmark (`benchmarks/online_search.py`)."""


def keywords_of(question: str) -> tuple[str, ...]:
    """One to three sets of keywords, each a query: the whole question, its two best key phrases, and the best one.

    Services that want every word of a query find papers by the short ones; others find the best by the question.
    """
    plain_question = " ".join(question.split())
    phrases = [phrase.text.split() for phrase in key_phrases(plain_question, "", max(_PHRASES))]
    shorter = (" ".join(dict.fromkeys(chain(*phrases[:count]))) for count in _PHRASES if count <= len(phrases))
    return tuple(dict.fromkeys((plain_question, *shorter)))
