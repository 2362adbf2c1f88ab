"""Crossref's works (https://api.crossref.org), or those of a service that answers as it does.

What it says is checked like any other input: sizes, types, and nothing in it is followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.http import NoAnswerError, exchange, user_agent
from conspectus.core.retry import RETRY
from conspectus.records import Author, Metadata

MAX_ANSWER = 8 * 2**20
_LONGEST_QUERY = 1000
_LONGEST_TEXT = 2000
_MOST_AUTHORS = 5000
_FIELDS = "DOI,title,subtitle,author,editor,issued,published-print,published-online,container-title,volume,page,type"
_TAG = re.compile(r"</?(?:\w+:)?[a-zA-Z]\w*(?:\s[^<>]{0,300})?/?>")

Texts = list[str | None] | str | None
T = TypeVar("T")


class _Person(msgspec.Struct):
    given: str | None = None
    family: str | None = None
    name: str | None = None
    literal: str | None = None


class _Date(msgspec.Struct):
    parts: list[list[int | None]] | None = msgspec.field(default=None, name="date-parts")


class _Work(msgspec.Struct):
    doi: str = msgspec.field(default="", name="DOI")
    title: Texts = None
    subtitle: Texts = None
    author: list[_Person] | None = None
    editor: list[_Person] | None = None
    issued: _Date | None = None
    printed: _Date | None = msgspec.field(default=None, name="published-print")
    online: _Date | None = msgspec.field(default=None, name="published-online")
    venue: Texts = msgspec.field(default=None, name="container-title")
    volume: str | None = None
    page: str | None = None


class _Items(msgspec.Struct):
    items: list[_Work]


class _Agency(msgspec.Struct):
    id: str = ""
    label: str | None = None


class _Registered(msgspec.Struct):
    agency: _Agency


class _Answer(msgspec.Struct, Generic[T]):
    message: T


class Crossref:
    """A client of the service at `url`.

    Args:
        url: the service's address, from the settings.
        mailto: an e-mail address that is told to it; "": none.
        timeout: seconds to wait for an answer.
    """

    def __init__(self, url: str, *, mailto: str = "", timeout: float = 30.0) -> None:
        self._url = url.rstrip("/")
        self._mailto = mailto.strip()
        self._timeout = timeout

    @property
    def shown(self) -> str:
        """The address without a password in it."""
        scheme, _, rest = self._url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    def work(self, doi: str) -> Metadata | None:
        """What the service has under a DOI; None where it has nothing. `extra["years"]` has all years that it gives.

        Raises:
            ServiceAwayError: it does not answer now.
            ServiceError: it refused, or its answer cannot be read.
        """
        found = self._get(f"/works/{quote(doi, safe='')}", {}, _Answer[_Work])
        return _metadata(found) if found else None

    def works(self, words: str, rows: int = 5) -> tuple[Metadata, ...]:
        """The works that fit a title, or a whole reference, best: at most `rows`. Errors as `work`."""
        asked = {"query.bibliographic": words[:_LONGEST_QUERY], "rows": str(rows), "select": _FIELDS}
        found = self._get("/works", asked, _Answer[_Items])
        return tuple(map(_metadata, found.items[:rows])) if found else ()

    def agency(self, doi: str) -> str:
        """Who registered a DOI (`Crossref`, `DataCite`); "" where nobody did. Errors as `work`."""
        found = self._get(f"/works/{quote(doi, safe='')}/agency", {}, _Answer[_Registered])
        return _line(found.agency.label or found.agency.id)[:60] if found else ""

    def _get(self, path: str, params: Mapping[str, str], kind: type[_Answer[T]]) -> T | None:
        """What the answer says, decoded; None where there is no such thing."""
        query = {**params, **({"mailto": self._mailto} if self._mailto else {})}
        headers = {"User-Agent": user_agent(self._mailto), "Accept": "application/json"}
        try:
            reply = exchange(
                "GET", self._url + path, timeout=self._timeout, headers=headers, params=query, most=MAX_ANSWER
            )
        except NoAnswerError as error:
            raise self._failed(f"did not answer ({error})", retry=error.retry) from error
        if reply.status in (404, 410):
            return None
        if not reply.ok:
            raise self._failed(f"refused: HTTP {reply.status}, {reply.words()!r}", retry=RETRY.may_pass(reply.status))
        try:
            return msgspec.json.decode(reply.body, type=kind).message
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._failed(f"answered with something that is no record of a work ({error})", retry=False) from error

    def _failed(self, what: str, *, retry: bool) -> ServiceError:
        message = f"The bibliographic service at {self.shown} {what}."
        if retry:
            return ServiceAwayError(message, "Try again later, or check that it can be reached.")
        return ServiceError(message, "Check sources.crossref.url and sources.mailto.")


def _metadata(work: _Work) -> Metadata:
    title, subtitle = _first(work.title), _first(work.subtitle)
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}" if title else subtitle
    years = tuple(sorted({year for date in (work.issued, work.printed, work.online) for year in _years(date)}))
    issued = next(_years(work.issued), None)
    extra: dict[str, Any] = {"years": years, "volume": _line(work.volume or ""), "pages": _line(work.page or "")}
    people = (work.author or work.editor or [])[:_MOST_AUTHORS]
    return Metadata(
        title=title,
        authors=tuple(author for person in people if (author := _author(person)).name),
        year=issued or (years[0] if years else None),
        doi=_line(work.doi).lower()[:300],
        venue=_first(work.venue),
        extra=extra,
    )


def _author(person: _Person) -> Author:
    family, given = _line(person.family or ""), _line(person.given or "")
    name = " ".join(part for part in (given, family) if part) or _line(person.name or person.literal or "")
    return Author(name, family, given) if family and given else Author(name)


def _years(date: _Date | None) -> Iterator[int]:
    for parts in (date.parts or [])[:1] if date else ():
        if parts and parts[0] and 1000 <= parts[0] <= 3000:
            yield parts[0]


def _first(texts: Texts) -> str:
    """The first text of a list that has one."""
    parts = [texts] if isinstance(texts, str) else texts or []
    return next((line for part in parts if (line := _line(part or ""))), "")


def _line(text: str) -> str:
    """One line without markup."""
    text = text[:_LONGEST_TEXT]
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join((unescape(text) if "&" in text else text).replace("\x00", " ").split())
