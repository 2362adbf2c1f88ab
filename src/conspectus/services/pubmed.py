"""PubMed and PMC, by NCBI's E-utilities (https://www.ncbi.nlm.nih.gov/books/NBK25501)."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.open_copies import licence_id
from conspectus.parse.bibliography.records import text_of, texts_of
from conspectus.parse.bibliography.xml_lists import describe_pubmed
from conspectus.parse.people.authors import orcid_in
from conspectus.parse.process.sanitizer import sanitize
from conspectus.parse.text.identifiers import normal_pmid
from conspectus.records import ParsedPaper
from conspectus.services.answers import WorkReader, elements_of, page_of, read_place, read_total, require_works
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.services.query_words import chunks, join_words, plain_phrase, require_terms, search_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from conspectus.parse.markup.xml_tree import Element
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient


LIMITS = RateLimit(requests=3, seconds=1.0, at_once=3)
KEYED_LIMITS = RateLimit(requests=10, seconds=1.0, at_once=3)
LONGEST = 1500
"""Characters of a query that are sent at once."""
_FAULT = re.compile(rb'<(?:ERROR|Error)>([^<]{0,400})|^\s*\{.{0,200}?"(?:error|ERROR)"\s*:\s*"([^"]{0,400})', re.S)
_PASSING = re.compile(r"backend|rate limit|time.?out|temporar|unavailable|try again|unable to obtain|busy", re.I)
_SYNTAX = "[]*#"
_SYNTAX_OF_NAMES = re.compile(r"[^\w.'’-]+")


def esearch(
    client: ServiceClient, db: str, term: str, start: int, size: int, options: Mapping[str, str] | None = None
) -> tuple[int, list[str], bool]:
    """(works in all, the ids of a page, of which some may be missing, whether all parts of the query are known).

    Raises:
        ServiceAwayError: the search failed.
        ServiceError: the query was refused.
    """
    params = {"db": db, "term": term, "retstart": str(start), "retmax": str(size), **(options or {})}
    names = {"Count", "IdList", "PhraseNotFound", "FieldNotFound", "TranslationStack"}
    elements = elements_of(client, request(client, "esearch", params), names)
    counts = [text_of(element) for element in elements if element.tag == "Count"]
    total = read_total(client, counts[0] if counts else "")
    ids = [number for element in elements if element.tag == "IdList" for number in texts_of(element, "Id")]
    if any(not number.isdigit() for number in ids):
        raise client.failure("answered with something that is no list of ids")
    return total, ids[:size], not any(element.tag.endswith("NotFound") for element in elements)


def find_ids(client: ServiceClient, db: str, term: str) -> list[str]:
    """The ids of all works that a search of single works, with ` OR ` between them, finds. Errors as `esearch`."""
    count = term.count(" OR ") + 1
    total, ids, _ = esearch(client, db, term, 0, 10 * count)
    if max(total, len(ids)) >= 10 * count:
        raise client.failure(f"finds {max(total, len(ids)):,} works where {count} were looked for")
    require_works(client, len(ids), total)
    return ids


def efetch(client: ServiceClient, db: str, ids: Iterable[str]) -> bytes:
    """The records with these ids, in XML. Errors as `esearch`."""
    return request(client, "efetch", {"db": db, "id": ",".join(ids)})


def request(client: ServiceClient, tool: str, params: Mapping[str, str]) -> bytes:
    """What a tool answers in XML; the errors that it hides in answers of the status 200 are raised."""
    usual = {"retmode": "xml", "tool": "conspectus", "email": client.mailto, "api_key": client.key.reveal()}
    answer = client.get(f"/{tool}.fcgi", {**params, **usual})
    if answer is None:
        raise client.failure("has nothing at its address")
    if fault := _FAULT.search(answer[:4096]):
        words = " ".join((fault[1] or fault[2] or b"").decode(errors="replace").split())
        raise (client.away if _PASSING.search(words) else client.failure)(f"refused: {words[:200]!r}")
    return answer


def search_term(client: ServiceClient, query: WorkQuery, date_field: str) -> str:
    """The query as E-utilities write it; `date_field` has the day on which a work was added.

    A ServiceError where there is nothing in it.
    """
    words = [plain_phrase(term) if " " in term else term for term in search_terms(query.words)]
    parts = join_words(words, any_word=True) if query.any_word else [f"({' '.join(words)})"] if words else []
    if orcid := orcid_in(query.author):
        parts.append(f"orcid {orcid}[auid]")
    elif query.author:
        parts.append(f"{_SYNTAX_OF_NAMES.sub(' ', query.author).strip()}[Author]")
    if query.venue:
        parts.append(f"{plain_phrase(query.venue, _SYNTAX)}[Journal]")
    if query.mesh:
        parts.append(f"{plain_phrase(query.mesh, _SYNTAX)}[MeSH Terms]")
    if query.first_year is not None or query.last_year is not None:
        parts.append(f"{query.first_year or 1000}:{query.last_year or 3000}[pdat]")
    if query.since:
        parts.append(f"{query.since.replace('-', '/')}:3000[{date_field}]")
    return require_terms(client, " AND ".join(parts))


_READER = WorkReader(describe_pubmed, notices=True)
_DEEPEST = 9_999
"""Works of one search that PubMed lists."""
_EARLIEST = date(1700, 1, 1).toordinal()
_SLICE = re.compile(r"(\d{1,9}) (\d{6}) (\d{6}) (\d{1,4})", re.ASCII)


class _Slice(NamedTuple):
    """Where a search with more than 9,999 works is: the days on which PubMed added works, from the last to the first.

    Attributes:
        total: works of the whole search.
        low, high: the days in hand, both included, as ordinals; later ones are done.
        start: works of these days that came before.
    """

    total: int
    low: int
    high: int
    start: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The days, as parameters of a search."""
        low, high = (date.fromordinal(day).strftime("%Y/%m/%d") for day in (self.low, self.high))
        return {"datetype": "edat", "mindate": low, "maxdate": high}

    def older(self, count: int) -> _Slice:
        """The days before these, which have `count` works; more days where that is few."""
        days = (self.high - self.low + 1) * (4 if count < _DEEPEST // 5 else 1)
        return _Slice(self.total, max(_EARLIEST, self.low - days), self.low - 1)


class PubMed(Service):
    """PubMed."""

    name = "pubmed"
    title = "PubMed"
    schemes = frozenset({"pmid", "doi"})
    queries = frozenset({"words", "any_word", "first_year", "last_year", "since", "author", "venue", "mesh"})
    batch = 200
    page = 200
    limits = LIMITS
    keyed_limits = KEYED_LIMITS

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`.

        PubMed lists 9,999 works of a search. Of one with more, those behind them come day by day. Without words there
        is no best first, so they come day by day from the start; with words, the first 9,999 come again among them.
        """
        term, size = search_term(client, query, "crdt"), min(size, self.page)
        if " " in at:
            return _sliced(client, term, size, _read_slice(client, at))
        start, _ = read_place(client, at)
        if start >= _DEEPEST:
            raise client.failure(f"lists no more than {_DEEPEST:,} works of a search")
        size = min(size, _DEEPEST - start)
        total, ids, known = esearch(client, "pubmed", term, start, size, {"sort": "relevance"})
        if query.mesh and not known:  # the descriptor would be left out of the search
            return WorkPage((), 0)
        slices = _Slice(total, _EARLIEST, datetime.now(UTC).toordinal() + 1)
        if total > _DEEPEST and not query.words:
            return _sliced(client, term, size, slices)
        page = page_of(client, tuple(_fetch(client, ids).values()), size, total, start, "start")
        seen = page.next.partition(" ")[0]
        return replace(page, next=_write_slice(slices) if seen and int(seen) >= _DEEPEST else seen)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`; a long list of DOIs takes several requests."""
        ids = dict.fromkeys(
            identifier.value
            for identifier in identifiers
            if identifier.scheme == "pmid" and normal_pmid(identifier.value) == identifier.value
        )
        dois = (f"{plain_phrase(identifier.value)}[doi]" for identifier in identifiers if identifier.scheme == "doi")
        for term in chunks(dois, LONGEST):
            ids |= dict.fromkeys(find_ids(client, "pubmed", term))
        works: dict[Identifier, Metadata] = {}
        for work in _fetch(client, ids, known=False).values():
            works[Identifier("pmid", work.pmid)] = work
            works.setdefault(Identifier("doi", work.doi), work)
        return {identifier: works[identifier] for identifier in identifiers if identifier in works}


def _sliced(client: ServiceClient, term: str, size: int, part: _Slice) -> WorkPage:
    """The next page of a search with more works than PubMed lists: fewer days until they are no more than that."""
    while True:
        count, ids, _ = esearch(client, "pubmed", term, part.start, size, part.options)
        if count > _DEEPEST:
            if part.low == part.high:
                raise client.failure(f"added {count:,} works on one day, and lists only {_DEEPEST:,} of them")
            part = _Slice(part.total, (part.low + part.high) // 2 + 1, part.high)
            continue
        works = tuple(_fetch(client, ids).values())
        more = page_of(client, works, size, count, part.start, "start").next
        following = part._replace(start=part.start + len(ids)) if more else part.older(count)
        done = not more and part.low == _EARLIEST
        if ids or done:
            return WorkPage(works, part.total, "" if done else _write_slice(following))
        part = following


def _write_slice(part: _Slice) -> str:
    return " ".join(map(str, part))


def _read_slice(client: ServiceClient, at: str) -> _Slice:
    match = _SLICE.fullmatch(at)
    part = _Slice(*map(int, match.groups())) if match else None
    if part is None or not _EARLIEST <= part.low <= part.high <= date.max.toordinal():
        raise client.failure(f"cannot continue at {at[:40]!r}, which is not a place in its list")
    return part


def _fetch(client: ServiceClient, ids: Iterable[str], *, known: bool = True) -> dict[str, Metadata]:
    """The records with these ids, in this order, at most 200 a request.

    Args:
        client: asks PubMed.
        ids: of works.
        known: whether PubMed has said that it has them; else those that it does not know are left out.

    Raises:
        ServiceAwayError: it gives fewer than it has.
    """
    numbers = list(ids)
    works: dict[str, Metadata] = {}
    for first in range(0, len(numbers), PubMed.batch):
        batch = numbers[first : first + PubMed.batch]
        articles = elements_of(client, efetch(client, "pubmed", batch), {"PubmedArticle", "PubmedBookArticle"})
        fetched = [_READER.work(client, article) for article in articles]
        works |= {work.pmid: work for work in fetched if work.pmid}
        missing = [number for number in batch if number not in works]
        if missing and not known:
            missing = _existing(client, missing)
        if missing:
            raise client.away(f"answered without {len(missing)} of {len(batch)} works (PMID {missing[0]})")
    return {number: works[number] for number in numbers if number in works}


def _existing(client: ServiceClient, ids: Sequence[str]) -> list[str]:
    """Those ids that PubMed knows."""
    return [
        number
        for term in chunks((f"{number}[uid]" for number in ids), LONGEST)
        for number in find_ids(client, "pubmed", term)
        if number in ids
    ]


_PMCID = re.compile(r"PMC(\d{1,10})", re.ASCII)
_VERSIONED = re.compile(r"PMC\d{1,10}\.\d{1,3}", re.ASCII)


class PMC(Service):
    """PMC. Each article is read as JATS; where this gives its version, its copies in the bucket are known."""

    name = "pmc"
    title = "PMC"
    schemes = frozenset({"pmcid", "pmid", "doi"})
    queries = frozenset({"words", "any_word", "first_year", "last_year", "since", "author", "venue", "mesh"})
    batch = 50
    page = 50
    limits = LIMITS
    keyed_limits = KEYED_LIMITS

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`: all articles, those too whose full text is not open."""
        start, _ = read_place(client, at)
        with _eutils(client) as other:
            term = search_term(other, query, "pmclivedate")
            options = {"sort": "relevance"}
            total, ids, known = esearch(other, "pmc", term, start, min(size, self.page), options)
            if query.mesh and not known:  # the descriptor would be left out of the search
                return WorkPage((), 0)
            works = tuple(_fetch_articles(client, other, ids).values())
        left_out = len(ids) - len(works)
        return page_of(client, works, min(size, self.page), total, start, "start", left_out=left_out)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        ids = dict.fromkeys(match[1] for identifier in identifiers if (match := _PMCID.fullmatch(identifier.value)))
        terms = (
            f"{plain_phrase(identifier.value)}[{identifier.scheme}]"
            for identifier in identifiers
            if identifier.scheme in ("pmid", "doi")
        )
        works: dict[Identifier, Metadata] = {}
        with _eutils(client) as other:
            for term in chunks(terms, LONGEST):
                ids |= dict.fromkeys(find_ids(other, "pmc", term))
            for work in _fetch_articles(client, other, list(ids), known=False).values():
                for name, value in (("pmcid", work.extra.get("pmcid", "")), ("pmid", work.pmid), ("doi", work.doi)):
                    works.setdefault(Identifier(name, value), work)  # type: ignore[arg-type]
        return {identifier: works[identifier] for identifier in identifiers if identifier in works}


class _Eutils(PubMed):
    """E-utilities: PubMed's address, key and limit, under PMC's name."""

    title = "PMC"


@contextmanager
def _eutils(client: ServiceClient) -> Iterator[ServiceClient]:
    """A client of E-utilities; what it sends counts as PMC's."""
    other = client.client_for(_Eutils())
    try:
        yield other
    finally:
        client.requests += other.requests


def _fetch_articles(
    client: ServiceClient, other: ServiceClient, ids: Sequence[str], *, known: bool = True
) -> dict[str, Metadata]:
    """The records of the articles with these numbers, in this order, at most 50 a request.

    Args:
        client: of PMC.
        other: of E-utilities.
        ids: numbers of articles.
        known: whether PMC has said that it has them; else those that it does not know are left out.

    Raises:
        ServiceAwayError: it gives fewer than it has.
    """
    works: dict[str, Metadata] = {}
    refused: set[str] = set()
    for first in range(0, len(ids), PMC.batch):
        batch = ids[first : first + PMC.batch]
        root = _tree(other, efetch(other, "pmc", batch))
        for article in root.iter("article"):
            work = _pmc_work(client, article)
            works[work.extra.get("pmcid", "").removeprefix("PMC")] = work
        refused |= {reply.get("id", reply.get("Id", "")).removeprefix("PMC") for reply in root.iter("Reply")}
        missing = [number for number in batch if number not in works and number not in refused]
        if missing and not known:
            existing = find_ids(other, "pmc", " OR ".join(f"{number}[uid]" for number in missing))
            missing = [number for number in missing if number in existing]
        if missing:
            raise other.away(f"answered without {len(missing)} of {len(batch)} articles (PMC{missing[0]})")
    return {number: works[number] for number in ids if number in works}


def _tree(client: ServiceClient, answer: bytes) -> Element:
    from conspectus.parse.markup.xml_tree import tree_of

    try:
        return tree_of(answer, "the answer")
    except InputError as error:
        raise client.away(f"answered with XML that cannot be read ({error.message})") from error


def _pmc_work(client: ServiceClient, article: Element) -> Metadata:
    """The record of an article in JATS."""
    from conspectus.parse.markup.document import DocumentBuilder
    from conspectus.parse.markup.jats_metadata import JatsText, cited_ids, licence_of, metadata_of, notices_in

    work, _ = metadata_of(article, JatsText(DocumentBuilder(marks_have_keys=True)))
    work = sanitize(ParsedPaper(work)).metadata
    licence = licence_id(licence_of(article))
    extra = {
        **work.extra,
        "licence": licence,
        "notices": notices_in(article, PMC.name),
        "full_text": list(_copies(client, article, licence)),
        "checked": datetime.now(UTC).date().isoformat(),
    }
    filled = {name: value for name, value in extra.items() if value not in ("", [])}
    return replace(work, references=tuple(cited_ids(article)), external_id=extra.get("pmcid", ""), extra=filled)


def _copies(client: ServiceClient, article: Element, licence: str) -> Iterator[dict[str, Any]]:
    """Yield the copies in the bucket of an article that is open, or a manuscript, and says its version."""
    from conspectus.parse.markup.jats_metadata import pmc_properties

    ids = article.iterfind("front/article-meta/article-id")
    name = next(
        (identifier.text or "" for identifier in ids if identifier.get("pub-id-type") == "pmcid-ver"), ""
    ).strip()
    properties = pmc_properties(article)
    is_open, is_manuscript = (properties.get(f"pmc-prop-{what}") == "yes" for what in ("open-access", "manuscript"))
    if _VERSIONED.fullmatch(name) and (is_open or is_manuscript) and article.find("body") is not None:
        version = "accepted" if is_manuscript else "published"
        forms = [("xml", "jats"), ("pdf", "pdf")] if properties.get("pmc-prop-has-pdf") == "yes" else [("xml", "jats")]
        for ending, form in forms if is_open else forms[:1]:
            url = f"{client.address}/{name}/{name}.{ending}"
            yield {"url": url, "format": form, "licence": licence, "version": version}
