"""Filters: which papers and which kinds of text a question is asked of, and conditions on passages beyond these.

They have one meaning for catalog and index alike. Each field of `Filters` is an option of every face, with the text
declared here; those of `NAMED` are also fields of the query language and conditions of catalog and indexes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, get_args

from conspectus.core.errors import UsageError
from conspectus.core.text import line
from conspectus.faces.declare import Option
from conspectus.records.paper import Author, Metadata
from conspectus.records.parsed_paper import ParsedPaper
from conspectus.records.passage import PassageKind

OWN_FACETS = ("venue", "author", "keyword")
"""What a paper's own record says that filters compare."""
FACTS = ("language",)
"""What else was derived of a paper, of each at most one."""
FACETS = (*OWN_FACETS, *FACTS)
"""All of papers' own that filters compare by name."""
SETS = ("tag", "collection")
"""Sets of papers that users name; filters ask for these by name, too."""
NAMED = (*FACETS, *SETS)
"""All that filters ask for by name."""
MOST_NAMES = 1_000
"""Names in one filter: each is compared with the papers' own."""
MOST_PAPERS = 5_000
"""Papers that are named one by one: a database takes so many times a few values at once."""
MOST_LETTERS = 1_000
"""Letters of one name: messages repeat it."""
_NOT_WORD = re.compile(r"[^\w]+")
_SHORT = 300
"""Characters of a text that is taken for a name."""
_YEARS = re.compile(r"(\d{1,4})?(?:(\.\.|-|–)(\d{1,4})?)?")


def years_of(text: str) -> tuple[int | None, int | None]:
    """The first and the last of the years in `2010`, `2005..2015`, `2005-2015`, `2005..` or `..2015`; None: open.

    Raises:
        UsageError: it is no year and no range of years, or the range ends before it begins.
    """
    match = _YEARS.fullmatch(text.strip())
    first, between, last = match.groups() if match else (None, None, None)
    if not (first or last) or (between in ("-", "–") and not (first and last)):
        raise UsageError(f"'{text}' is not a year or a range of years.", "Write 2010, 2005..2015, 2005.. or ..2015.")
    low, high = (int(end) if end else None for end in (first, last if between else first))
    if low is not None and high is not None and low > high:
        raise UsageError(f"'{text}' ends before it begins.", f"Did you mean {high}..{low}?")
    return low, high


def parse_years(text: str) -> tuple[int | None, int | None] | None:
    """`years_of` what is asked for; None where nothing is."""
    return years_of(text) if text else None


YearRange = Annotated[
    tuple[int | None, int | None] | None,
    Option(
        "Years: 2005..2015, 2010, 2005.. or ..2015.", read=parse_years, metavar="YEARS", max_length=20, example="2005.."
    ),
]
"""First and last year; either may be None."""


def _names(help: str, metavar: str = "NAME", most: int = MOST_NAMES) -> Option:
    return Option(help, metavar=metavar, max_length=MOST_LETTERS, max_items=most)


@dataclass(frozen=True, slots=True)
class Filters:
    """All given conditions hold at once; within one of them any of the values will do.

    `year` is inclusive, either end may be None; papers without a year never pass it. Names are compared without case,
    accents and punctuation: a venue and a keyword whole, an author by family name, initial and family name, or in full.
    A keyword is one that the paper's sources give or one of its key phrases, in the singular or the plural. A language
    is an ISO 639-1 code (`en`); papers of which it cannot be told never pass it. A tag and a collection
    (by its name or id) are what users have put papers in, whole, without case. `among` names papers by ids, DOIs and
    other identifiers, or files.

    Raises:
        UsageError: an unknown kind of text, years that are no numbers, more than `MOST_NAMES` names of one kind or
            `MOST_PAPERS` papers, or a name of more than `MOST_LETTERS` letters.
    """

    year: YearRange = None
    venue: Annotated[tuple[str, ...], _names("Journal or conference, or any of several.")] = ()
    author: Annotated[tuple[str, ...], _names("Author, by family name or full name, or any of several.")] = ()
    keyword: Annotated[tuple[str, ...], _names("Keyword or key phrase, or any of several.", "WORD")] = ()
    language: Annotated[tuple[str, ...], _names("Language of the paper (ISO 639-1), or any of several.", "CODE")] = ()
    kind: Annotated[tuple[PassageKind, ...], Option("Kind of passage.", max_items=MOST_NAMES)] = ()
    full_text: Annotated[
        bool | None, Option("Only papers with full text, or only those without.", off="abstract-only")
    ] = None
    tag: Annotated[tuple[str, ...], _names("Tag of the paper, or any of several.")] = ()
    collection: Annotated[tuple[str, ...], _names("Collection, by name or id, or any of several.")] = ()
    among: Annotated[
        tuple[str, ...], _names("Only these papers: ids, DOIs, arXiv ids, PMIDs or files.", "PAPER", MOST_PAPERS)
    ] = ()

    def __post_init__(self) -> None:
        for name in (*NAMED, "kind", "among"):
            value = getattr(self, name)
            names = (value,) if isinstance(value, str) else tuple(value)  # one name, where several may stand
            most = MOST_PAPERS if name == "among" else MOST_NAMES
            if len(names) > most:
                raise UsageError(
                    f"The filter `{name}` has {len(names):,} names; {most:,} are the most.",
                    "Put the papers into a collection and filter by that.",
                )
            if long := next((len(text) for text in names if len(text) > MOST_LETTERS), 0):
                raise UsageError(
                    f"The filter `{name}` has a name of {long:,} letters; {MOST_LETTERS:,} are the most.",
                    "Give names as `list` shows them.",
                )
            object.__setattr__(self, name, names)
        if isinstance(self.year, int):
            object.__setattr__(self, "year", (self.year, self.year))
        kinds = get_args(PassageKind)
        if wrong := [kind for kind in self.kind if kind not in kinds]:
            raise UsageError(f"There is no kind of text '{wrong[0]}'.", f"The kinds are: {', '.join(kinds)}.")
        if self.year is not None and not _is_range(self.year):
            hint = "Give (first, last), the earlier year first; either may be None."
            raise UsageError(f"The years cannot be {self.year!r}.", hint)

    def terms(self, facet: str) -> tuple[str, ...]:
        """What is looked for of one of `NAMED`, normalised as what papers have is: any will do."""
        return tuple(dict.fromkeys(form for value in getattr(self, facet) for form in facet_forms(facet, value)))

    def __bool__(self) -> bool:
        return self != Filters()


def _is_range(year: object) -> bool:
    ends = year if isinstance(year, tuple | list) else ()
    numbers = [end for end in ends if isinstance(end, int)]
    return len(ends) == 2 and len(numbers) + list(ends).count(None) == 2 and numbers == sorted(numbers)


def normal_name(text: str) -> str:
    """`text` for comparing: no case, accents, punctuation or leading "the"."""
    return _short_name(text) if len(text) <= _SHORT else _normalized(text)


@lru_cache(maxsize=10_000)
def _short_name(text: str) -> str:
    """Names and titles come again and again, when a paper is grouped, stored and indexed; long texts do not."""
    return _normalized(text)


def _normalized(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        for mark in filter(unicodedata.combining, set(text)):
            text = text.replace(mark, "")
    return " ".join(_NOT_WORD.sub(" ", text.casefold()).split()).removeprefix("the ")


def facet_forms(facet: str, value: str) -> tuple[str, ...]:
    """What is looked for where `value` is asked for of one of `NAMED`, the plain form first."""
    if facet in SETS:
        return (set_term(value),)
    if facet == "keyword":
        return keyword_forms(value)
    return (_normal_author(value) if facet == "author" else normal_name(value),)


def set_term(name: str) -> str:
    """The name of a tag or a collection, for comparing: without what nobody sees, and without case."""
    return unicodedata.normalize("NFKC", line(name)).casefold()


def keyword_forms(text: str) -> tuple[str, ...]:
    """A keyword as `normal_name` has it, and in the singular and the plural: what it is compared by."""
    term = normal_name(text)
    if len(term) < 3:
        return (term,)
    if term.endswith("y") and term[-2] not in "aeou":
        return term, f"{term[:-1]}ies"
    if term.endswith("ies"):
        return term, f"{term[:-3]}y"
    if term.endswith("s"):
        return (term, f"{term}es", term[:-1], *((term[:-2],) if term.endswith("es") else ()))
    return term, f"{term}s", f"{term}es"


def facet_terms(paper: Metadata) -> dict[str, tuple[str, ...]]:
    """The normalised values by which `paper` is found, for each of `OWN_FACETS`."""
    return {
        "venue": _unique([normal_name(paper.venue)]),
        "author": _unique([term for author in paper.authors for term in _author_terms(author)]),
        "keyword": _unique([normal_name(keyword) for keyword in paper.keywords]),
    }


def _author_terms(author: Author) -> list[str]:
    family = normal_name(author.surname)
    full_name = _normal_author(author.name)
    forenames = full_name.removesuffix(family).strip()
    return [family, full_name, f"{forenames[:1]} {family}" if forenames else family]


def _normal_author(name: str) -> str:
    family, comma, forenames = name.partition(",")
    return normal_name(f"{forenames} {family}" if comma else name)


def _unique(terms: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term for term in terms if term))


Thing = Literal["figure", "table", "fulltext", "abstract", "doi", "references", "retraction"]
THINGS: tuple[Thing, ...] = get_args(Thing)
HAS = "has"
"""The name under which catalog and index keep what a paper has, beside `FACETS`."""

Where = Literal["text", "title"]


@dataclass(frozen=True, slots=True)
class Stands:
    """The words stand one behind the other, in any of their forms, in the passage or its paper's title (or only there).

    Words that nearly every text has stand for any word; where there is no other, nothing passes.
    """

    words: str
    where: Where = "text"

    def __str__(self) -> str:
        return ("title:" if self.where == "title" else "") + _quoted(self.words)


@dataclass(frozen=True, slots=True)
class Passes:
    """The filters pass it; of these one is set."""

    filters: Filters

    def __str__(self) -> str:
        filters = self.filters
        parts = [f"{name}:{_quoted(value)}" for name in NAMED for value in getattr(filters, name)]
        parts += [f"kind:{kind}" for kind in filters.kind]
        parts += [f"{len(filters.among)} papers"] if filters.among else []
        if filters.year:
            low, high = filters.year
            ends = ["" if end is None else str(end) for end in (low, high)]
            parts.append("year:" + (ends[0] if low == high else "..".join(ends)))
        return " OR ".join(parts)


@dataclass(frozen=True, slots=True)
class Has:
    """The paper has this."""

    thing: Thing

    def __str__(self) -> str:
        return f"has:{self.thing}"


@dataclass(frozen=True, slots=True)
class Among:
    """The passage is one of these, by their keys: what is asked of an index instead of what only the catalog knows."""

    keys: tuple[int, ...]

    def __str__(self) -> str:
        return f"{len(self.keys)} passages"


@dataclass(frozen=True, slots=True)
class Not:
    """What `part` does not hold for."""

    part: Condition

    def __str__(self) -> str:
        return f"-{_is_within(self.part)}"


@dataclass(frozen=True, slots=True)
class AllOf:
    """All of the parts hold; see `all_of`."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " AND ".join(map(_is_within, self.parts))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One of the parts holds, or several; see `any_of`."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " OR ".join(map(_is_within, self.parts))


Condition = Stands | Passes | Has | Among | Not | AllOf | AnyOf


def all_of(parts: Iterable[Condition | None]) -> Condition | None:
    """The condition that all `parts` hold, without those that are None; None where there is no other."""
    flat = [condition for part in parts if part for condition in (part.parts if isinstance(part, AllOf) else (part,))]
    conditions = tuple(dict.fromkeys(flat))
    return AllOf(conditions) if len(conditions) > 1 else conditions[0] if conditions else None


def any_of(parts: Iterable[Condition]) -> Condition:
    """The condition that one of `parts`, of which there is at least one, holds."""
    flat = [condition for part in parts for condition in (part.parts if isinstance(part, AnyOf) else (part,))]
    conditions = tuple(dict.fromkeys(flat))
    return AnyOf(conditions) if len(conditions) > 1 else conditions[0]


def list_things(parsed: ParsedPaper) -> tuple[Thing, ...]:
    """What a paper has, of `THINGS`."""
    metadata = parsed.metadata
    has: dict[Thing, bool] = {
        "figure": any(figure.kind == "figure" for figure in parsed.figures),
        "table": any(figure.kind == "table" for figure in parsed.figures),
        "fulltext": parsed.has_full_text,
        "abstract": bool(metadata.abstract),
        "doi": bool(metadata.doi),
        "references": bool(parsed.references or metadata.references),
        "retraction": metadata.publication_status == "retracted",
    }
    return tuple(thing for thing, there in has.items() if there)


def _quoted(words: str) -> str:
    return '"' + words.replace('"', " ") + '"'


def _is_within(part: Condition) -> str:
    return f"({part})" if isinstance(part, AllOf | AnyOf) else str(part)
