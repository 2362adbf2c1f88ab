"""A local server that answers as Crossref does, from the works that it is given, or as it is told to."""

import contextlib
import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from loopback import QuietHandler, serve_handler

Answer = tuple[int, bytes, dict[str, str]]


def work(title: str, doi: str, year: int, *authors: str, **more: Any) -> dict[str, Any]:
    """A record in Crossref's shape; authors as `Given Family`."""
    names = [dict(zip(("given", "family"), name.rsplit(" ", 1), strict=True)) for name in authors]
    return {
        "DOI": doi,
        "title": [title],
        "author": names,
        "issued": {"date-parts": [[year, 3]]},
        "container-title": ["Journal of Tests"],
        **more,
    }


class CrossrefServer:
    """The works that it knows, who registered other DOIs, what it was asked, and answers that it gives first."""

    def __init__(self, works: Iterable[Mapping[str, Any]] = (), agencies: Mapping[str, str] | None = None) -> None:
        self.url = ""
        self.agencies = dict(agencies or {})
        self.asked: list[tuple[str, dict[str, list[str]], dict[str, str]]] = []
        self.answers: list[Answer | None] = []
        self._works: dict[str, Mapping[str, Any]] = {}
        self._words: dict[str, list[str]] = {}
        for one in works:
            self.add(one)

    def add(self, one: Mapping[str, Any]) -> None:
        doi = one["DOI"].lower()
        self._works[doi] = one
        words = " ".join([*one.get("title", ()), *(name.get("family", "") for name in one.get("author", ()))])
        for word in set(_words(words)):
            self._words.setdefault(word, []).append(doi)

    def say(self, status: int, body: Any = b"", **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, raw, headers))

    def answer(self, path: str, query: dict[str, list[str]]) -> Answer:
        parts = unquote(path).removeprefix("/works").strip("/")
        if not parts:
            found = self._nearest(query["query.bibliographic"][0], int(query.get("rows", ["20"])[0]))
            return _ok({"items": found, "total-results": len(found)}, "work-list")
        if parts.endswith("/agency"):
            doi = parts.removesuffix("/agency").lower()
            agency = "Crossref" if doi in self._works else self.agencies.get(doi)
            return (
                _ok({"DOI": doi, "agency": {"id": agency.lower(), "label": agency}}, "work-agency") if agency else _NONE
            )
        found_one = self._works.get(parts.lower())
        return _ok(found_one, "work") if found_one else _NONE

    def _nearest(self, words: str, rows: int) -> list[Mapping[str, Any]]:
        """The works that share most words, rare ones counting more: always some, as Crossref has it."""
        score: Counter[str] = Counter()
        for word in set(_words(words)):
            dois = self._words.get(word, ())
            if len(dois) < 3000:
                for doi in dois:
                    score[doi] += 1 / (1 + len(dois)) ** 0.5
        return [self._works[doi] for doi, _ in score.most_common(rows)]


_NONE: Answer = (404, b"Resource not found.", {"content-type": "text/plain"})


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _ok(message: Any, kind: str) -> Answer:
    body = {"status": "ok", "message-type": kind, "message-version": "1.0.0", "message": message}
    return 200, json.dumps(body).encode(), {"content-type": "application/json"}


@contextlib.contextmanager
def crossref_server(
    works: Iterable[Mapping[str, Any]] = (), agencies: Mapping[str, str] | None = None
) -> Iterator[CrossrefServer]:
    known = CrossrefServer(works, agencies)
    lock = threading.Lock()

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            query = parse_qs(address.query)
            with lock:
                known.asked.append((address.path, query, {name.lower(): value for name, value in self.headers.items()}))
                told = known.answers.pop(0) if known.answers else None
            self.send(*(told or known.answer(address.path, query)))

    with serve_handler(Handler) as known.url:
        yield known
