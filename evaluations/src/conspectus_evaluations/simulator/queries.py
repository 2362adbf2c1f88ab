"""The languages of queries: `field:word`, `field:[a TO b]`, `word[field]`, AND, OR, NOT and parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from conspectus_evaluations.simulator.search import Match, WorkIndex, exclude, has_subject, intersect, unite


class QueryError(ValueError):
    """A query that cannot be read."""


class _Token(NamedTuple):
    """`kind` is `(`, `)`, `AND`, `OR`, `NOT`, `words`, `phrase`, `range` or, before a parenthesis, `field`."""

    kind: str
    text: str = ""
    field: str = ""
    high: str = ""


class QueryLanguage(NamedTuple):
    """How a service reads queries.

    Attributes:
        fields: name of a field in small letters -> what is searched, a name of `CONDITIONS`.
        tagged: whether fields are behind their words: `hippocampus[mh]`.
        every: whether words without an operator must all be there, as at PubMed and Europe PMC; else any will do.
    """

    fields: Mapping[str, str]
    tagged: bool = False
    every: bool = False

    def search(self, index: WorkIndex, query: str) -> Match:
        """The works that a query finds.

        Raises:
            QueryError: parentheses do not match, an operator has nothing to work on, or a tag is not known.
        """
        tokens = list(self._tagged(query) if self.tagged else self._prefixed(query))
        return _Parser(tokens, self, index).parse()

    def _prefixed(self, query: str) -> Iterator[_Token]:
        for match in _PREFIXED.finditer(query):
            sign, operator, name, low, high, phrase, word = match.groups()
            field = self.fields.get(name.lower(), "") if name else ""
            if sign or operator:
                yield from _operator(sign or operator)
            elif low is not None:
                yield _Token("range", low.strip(), field, high.strip())
            elif phrase is not None:
                yield _Token("phrase", phrase, field)
            elif word:  # a colon of a sentence is no field
                yield _Token("words", word if field or not name else f"{name} {word}", field)
            elif field:
                yield _Token("field", field=field)

    def _tagged(self, query: str) -> Iterator[_Token]:
        waiting: list[_Token] = []
        for match in _TAGGED.finditer(query):
            sign, operator, tag, phrase, word = match.groups()
            if tag is None and (phrase is not None or word):
                waiting.append(_Token("words", word) if phrase is None else _Token("phrase", phrase))
                continue
            if tag is not None:
                yield self._with_tag(waiting, tag)
            else:
                yield from waiting
                yield from _operator(sign or operator)
            waiting = []
        yield from waiting

    def _with_tag(self, waiting: list[_Token], tag: str) -> _Token:
        field = self.fields.get(tag.lower().partition(":")[0].strip())
        if field is None or not waiting:
            raise QueryError(f"unknown field [{tag}]")
        text = " ".join(token.text for token in waiting)
        low, colon, high = text.partition(":")
        if field in ("date", "created"):
            return _Token("range", low.strip(), field, high.strip() if colon else low.strip())
        return _Token(waiting[0].kind if len(waiting) == 1 else "words", text, field)


_PREFIXED = re.compile(
    r"([()])|\b(AND|OR|NOT|ANDNOT)\b(?!:)|(?:([A-Za-z_]+(?:-[a-z]+)?):\s*)?"
    r"(?:[\[{]([^\[\]{}]*?) TO ([^\[\]{}]*?)[\]}]|\"([^\"]*)\"|([^\s()\":]+(?::[^\s()\":]+)*|(?=\()))"
)
_TAGGED = re.compile(r"([()])|\b(AND|OR|NOT)\b|\[([^\]]*)\]|\"([^\"]*)\"|([^\s()\"\[\]]+)")


def _operator(text: str) -> Iterator[_Token]:
    if text == "ANDNOT":
        yield _Token("AND")
        yield _Token("NOT")
    else:
        yield _Token(text)


class _Parser:
    """Reads `a OR b AND NOT (c d)`: NOT before AND before OR; what is side by side is joined as the language says."""

    def __init__(self, tokens: list[_Token], language: QueryLanguage, index: WorkIndex) -> None:
        self._tokens = tokens
        self._language = language
        self._index = index
        self._at = 0

    def parse(self) -> Match:
        if not self._tokens:
            return self._index.everything()
        found = self._either("")
        if self._at < len(self._tokens):
            raise QueryError("a parenthesis is closed that was not opened")
        return found

    @property
    def _kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def _take(self, kind: str) -> bool:
        self._at += (taken := self._kind == kind)
        return taken

    def _either(self, field: str) -> Match:
        matches = [self._both(field)]
        while self._take("OR"):
            matches.append(self._both(field))
        return unite(matches) if len(matches) > 1 else matches[0]

    def _both(self, field: str) -> Match:
        matches = [self._side_by_side(field)]
        while self._take("AND"):
            matches.append(self._side_by_side(field))
        return intersect(matches) if len(matches) > 1 else matches[0]

    def _side_by_side(self, field: str) -> Match:
        loose: list[Match] = []
        firm: list[Match] = []
        start = self._at
        while self._kind not in ("", ")", "AND", "OR"):
            token = self._tokens[self._at]
            if token.kind == "words" and not token.field and not has_subject(token.text):
                self._at += 1
                continue
            is_loose = token.kind == "words" and not token.field and not self._language.every
            (loose if is_loose else firm).append(self._condition(field))
        if self._at == start:
            raise QueryError("an operator has nothing to work on")
        return intersect([*firm, *([unite(loose)] if loose else [])]) if firm or loose else self._index.everything()

    def _condition(self, field: str) -> Match:
        if self._take("NOT"):
            return exclude(self._condition(field))
        if self._kind == "field":
            field = self._tokens[self._at].field
            self._at += 1
        if self._take("("):
            found = self._either(field)
            if not self._take(")"):
                raise QueryError("a parenthesis is not closed")
            return found
        if self._kind in ("", ")", "AND", "OR"):
            raise QueryError("an operator has nothing to work on")
        token = self._tokens[self._at]
        self._at += 1
        return find_condition(self._index, token.field or field, token, self._language.every)


def find_condition(index: WorkIndex, field: str, token: _Token, every: bool) -> Match:
    """Works that fit one word, phrase or range."""
    if token.kind == "range":
        return (index.created if field == "created" else index.dated)(token.text, token.high)
    if field == "date":
        return index.dated(token.text, token.text)
    if field in ("", "any"):
        return index.phrase(token.text) if token.kind == "phrase" else index.words(token.text, every)
    if field in ("title", "abstract"):
        if token.kind == "phrase":
            return index.phrase(token.text, field)
        return index.part(token.text, field, every=True)
    return CONDITIONS[field](index, token.text)


def _by_name(index: WorkIndex, text: str) -> Match:
    wanted = text.lower()
    return index.where(lambda work: wanted in work.names() or f"pmc{wanted}" == work.pmcid.lower())


def _with_category(index: WorkIndex, text: str) -> Match:
    start = text.lower().removesuffix("*")
    if text.endswith("*"):
        return index.where(lambda work: any(name.lower().startswith(start) for name in work.categories))
    return index.where(lambda work: any(name.lower() == start for name in work.categories))


def _with_keyword(index: WorkIndex, text: str) -> Match:
    wanted = text.lower()
    mesh = index.mesh(text)
    return unite([mesh, index.where(lambda work: any(wanted == word.lower() for word in work.data.keywords))])


def _is_open(index: WorkIndex, text: str) -> Match:
    wanted = text.lower() in ("y", "true")
    return index.where(lambda work: work.is_open == wanted)


def _citing(index: WorkIndex, text: str) -> Match:
    """Works that cite one, named as `123_MED`."""
    cited = _numbers_of(index, text)
    return index.where(lambda work: work.cites & cited)


def _cited_by(index: WorkIndex, text: str) -> Match:
    numbers = _numbers_of(index, text)
    cited = {number for work in index.works if work.number in numbers for number in work.cites}
    return index.where(lambda work: work.number in cited)


def _numbers_of(index: WorkIndex, text: str) -> set[int]:
    name = text.lower().partition("_")[0]
    return {work.number for work in index.works if name in work.names()}


CONDITIONS: dict[str, Callable[[WorkIndex, str], Match]] = {
    "author": WorkIndex.author,
    "orcid": WorkIndex.orcid,
    "venue": WorkIndex.venue,
    "mesh": WorkIndex.mesh,
    "keyword": _with_keyword,
    "category": _with_category,
    "name": _by_name,
    "open": _is_open,
    "citing": _citing,
    "cited_by": _cited_by,
    "always": lambda index, _: index.everything(),
}
"""What a field searches, besides words and dates."""
