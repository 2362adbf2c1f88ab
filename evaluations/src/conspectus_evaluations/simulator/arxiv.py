"""arXiv, in the shapes of its answers, and the files that links of other services lead to."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from lxml import etree

from conspectus_evaluations.simulator.collection import (
    NOT_FOUND,
    SimulatedAnswer,
    SimulatedRequest,
    WorkCollection,
    xml_answer,
)
from conspectus_evaluations.simulator.jats import element
from conspectus_evaluations.simulator.queries import QueryLanguage
from conspectus_evaluations.simulator.works import SimulatedWork

ARXIV = QueryLanguage(
    {
        **{"ti": "title", "abs": "abstract", "au": "author", "cat": "category", "jr": "venue", "all": "any"},
        **{"id": "name", "submitteddate": "created", "lastupdateddate": "date"},
    }
)
_ARXIV_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_ATOM, _ARXIV = "http://www.w3.org/2005/Atom", "http://arxiv.org/schemas/atom"
_SEARCH = "http://a9.com/-/spec/opensearch/1.1/"
_NAMESPACES: Any = {None: _ATOM, "arxiv": _ARXIV, "opensearch": _SEARCH}


def answer_arxiv(works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage) -> SimulatedAnswer:
    """`/api/query` as Atom, `/pdf/ID` and `/e-print/ID`."""
    parts = asked.path.strip("/").split("/", 1)
    if parts[0] in ("pdf", "e-print") and parts[1:]:
        return _file(works.find("arxiv:" + re.sub(r"(v\d+)?(\.pdf)?$", "", parts[1])))
    if parts != ["api", "query"]:
        return NOT_FOUND
    start, size = asked.number("start", 0, 10**9), asked.number("max_results", 10, 2000)
    if start + size > 30_000:
        return _arxiv_error("start + max_results must be at most 30000")
    ids = [one.strip() for one in asked.params.get("id_list", "").split(",") if one.strip()]
    if bad := [one for one in ids if not _ARXIV_ID.fullmatch(one)]:
        return _arxiv_error(f"incorrect id format for {bad[0]}")
    found = _find_arxiv(works, asked, language, ids)
    entries = [_arxiv_entry(work) for work in asked.page(found, start, size)]
    return _arxiv_feed(urlencode(asked.params), entries, asked.total(len(found)), start, size)


def _find_arxiv(
    works: WorkCollection, asked: SimulatedRequest, language: QueryLanguage, ids: list[str]
) -> list[SimulatedWork]:
    query = asked.params.get("search_query", "").replace("+", " ")
    listed = [work for one in ids if (work := works.find("arxiv:" + re.sub(r"v\d+$", "", one)))]
    if ids and not query:
        return listed
    if not query:
        return []
    is_dated = asked.params.get("sortBy") in ("submittedDate", "lastUpdatedDate")
    sort = ("-date" if asked.params.get("sortOrder") == "ascending" else "date") if is_dated else "relevance"
    found = works.search(language, query, sort=sort)
    return [work for work in found if work.data.arxiv_id and (not ids or work in listed)]


def _arxiv_entry(work: SimulatedWork) -> etree._Element:
    data, when = work.data, f"{work.date}T00:00:00Z"
    address = f"arxiv.org/abs/{data.arxiv_id}v1"
    kinds = work.categories or ("q-bio.NC",)
    entry = element(
        f"{{{_ATOM}}}entry",
        _atom("id", f"http://{address}"),
        _atom("title", data.title),
        _atom("updated", when),
        element(f"{{{_ATOM}}}link", href=f"https://{address}", rel="alternate", type="text/html"),
        element(
            f"{{{_ATOM}}}link",
            href=f"https://arxiv.org/pdf/{data.arxiv_id}v1",
            rel="related",
            type="application/pdf",
            title="pdf",
        ),
        _atom("summary", data.abstract),
        *(element(f"{{{_ATOM}}}category", term=kind, scheme=_ARXIV) for kind in kinds),
        _atom("published", when),
        element(f"{{{_ARXIV}}}primary_category", term=kinds[0]),
        *(element(f"{{{_ATOM}}}author", _atom("name", author.name)) for author in data.authors),
    )
    known = {"doi": data.doi, "journal_ref": data.venue}
    entry.extend(element(f"{{{_ARXIV}}}{name}", value) for name, value in known.items() if value)
    return entry


def _atom(name: str, text: str) -> etree._Element:
    return element(f"{{{_ATOM}}}{name}", text)


def _arxiv_feed(title: str, entries: list[etree._Element], total: int, start: int, size: int) -> SimulatedAnswer:
    numbers = {"itemsPerPage": size, "totalResults": total, "startIndex": start}
    feed = etree.Element(f"{{{_ATOM}}}feed", nsmap=_NAMESPACES)
    feed.extend([_atom("id", "https://arxiv.org/api/x"), _atom("title", f"arXiv Query: {title}")])
    feed.extend(element(f"{{{_SEARCH}}}{name}", number) for name, number in numbers.items())
    feed.extend(entries)
    return xml_answer(feed, kind="application/atom+xml; charset=utf-8")


def _arxiv_error(what: str) -> SimulatedAnswer:
    address = f"https://arxiv.org/api/errors#{what.replace(' ', '_')}"
    entry = element(f"{{{_ATOM}}}entry", _atom("id", address), _atom("title", "Error"), _atom("summary", what))
    feed = _arxiv_feed("error", [entry], 1, 0, 1)
    return SimulatedAnswer(400, feed.body, feed.kind)


def _file(work: SimulatedWork | None) -> SimulatedAnswer:
    if work is None or work.pdf is None:
        return NOT_FOUND
    return SimulatedAnswer(200, work.pdf.read_bytes(), "application/pdf")


def answer_files(works: WorkCollection, asked: SimulatedRequest, _: QueryLanguage) -> SimulatedAnswer:
    """`/NUMBER.pdf`: where links to full text lead."""
    name = asked.path.strip("/").removesuffix(".pdf")
    is_work = name.isdigit() and 0 < int(name) <= len(works.works)
    return _file(works.works[int(name) - 1] if is_work else None)
