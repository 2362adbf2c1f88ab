"""PMC: searched and read by NCBI's E-utilities (`sources.pubmed.url`), with files in a bucket (`sources.pmc.url`)."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.open_copies import licence_id
from conspectus.parse.process.sanitizer import sanitize
from conspectus.records import ParsedPaper
from conspectus.services import eutils
from conspectus.services.answers import page_of, read_place
from conspectus.services.protocol import Identifier, Service, WorkPage, WorkQuery
from conspectus.services.pubmed import PubMed
from conspectus.services.query_words import chunks, plain_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conspectus.parse.markup.xml_tree import Element
    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

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
    limits = eutils.LIMITS
    keyed_limits = eutils.KEYED_LIMITS

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`: all articles, those too whose full text is not open."""
        start, _ = read_place(client, at)
        with _eutils(client) as other:
            term = eutils.search_term(other, query, "pmclivedate")
            options = {"sort": "relevance"}
            total, ids, known = eutils.esearch(other, "pmc", term, start, min(size, self.page), options)
            if query.mesh and not known:  # the descriptor would be left out of the search
                return WorkPage((), 0)
            works = tuple(_fetch(client, other, ids).values())
        left_out = len(ids) - len(works)
        return page_of(client, works, min(size, self.page), total, start, "start", left_out=left_out)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`."""
        ids = dict.fromkeys(match[1] for wanted in identifiers if (match := _PMCID.fullmatch(wanted.value)))
        terms = (
            f"{plain_phrase(wanted.value)}[{wanted.scheme}]"
            for wanted in identifiers
            if wanted.scheme in ("pmid", "doi")
        )
        found: dict[Identifier, Metadata] = {}
        with _eutils(client) as other:
            for term in chunks(terms, eutils.LONGEST):
                ids |= dict.fromkeys(eutils.find_ids(other, "pmc", term))
            for work in _fetch(client, other, list(ids), known=False).values():
                for name, value in (("pmcid", work.extra.get("pmcid", "")), ("pmid", work.pmid), ("doi", work.doi)):
                    found.setdefault(Identifier(name, value), work)  # type: ignore[arg-type]
        return {wanted: found[wanted] for wanted in identifiers if wanted in found}


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


def _fetch(
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
    found: dict[str, Metadata] = {}
    refused: set[str] = set()
    for first in range(0, len(ids), PMC.batch):
        some = ids[first : first + PMC.batch]
        root = _tree(other, eutils.efetch(other, "pmc", some))
        for article in root.iter("article"):
            work = _work(client, article)
            found[work.extra.get("pmcid", "").removeprefix("PMC")] = work
        refused |= {reply.get("id", reply.get("Id", "")).removeprefix("PMC") for reply in root.iter("Reply")}
        missing = [number for number in some if number not in found and number not in refused]
        if missing and not known:
            existing = eutils.find_ids(other, "pmc", " OR ".join(f"{number}[uid]" for number in missing))
            missing = [number for number in missing if number in existing]
        if missing:
            raise other.away(f"answered without {len(missing)} of {len(some)} articles (PMC{missing[0]})")
    return {number: found[number] for number in ids if number in found}


def _tree(client: ServiceClient, answer: bytes) -> Element:
    from conspectus.parse.markup.xml_tree import tree_of

    try:
        return tree_of(answer, "the answer")
    except InputError as error:
        raise client.away(f"answered with XML that cannot be read ({error.message})") from error


def _work(client: ServiceClient, article: Element) -> Metadata:
    """The record of an article in JATS."""
    from conspectus.parse.markup.document import DocumentBuilder
    from conspectus.parse.markup.jats_metadata import JatsText, metadata_of
    from conspectus.parse.markup.jats_terms import cited_ids, licence_of, notices_in

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
    kept = {name: value for name, value in extra.items() if value not in ("", [])}
    return replace(work, references=tuple(cited_ids(article)), external_id=extra.get("pmcid", ""), extra=kept)


def _copies(client: ServiceClient, article: Element, licence: str) -> Iterator[dict[str, Any]]:
    """Yield the copies in the bucket of an article that is open, or a manuscript, and says its version."""
    from conspectus.parse.markup.jats_terms import pmc_properties

    ids = article.iterfind("front/article-meta/article-id")
    name = next((one.text or "" for one in ids if one.get("pub-id-type") == "pmcid-ver"), "").strip()
    said = pmc_properties(article)
    is_open, is_manuscript = (said.get(f"pmc-prop-{what}") == "yes" for what in ("open-access", "manuscript"))
    if _VERSIONED.fullmatch(name) and (is_open or is_manuscript) and article.find("body") is not None:
        version = "accepted" if is_manuscript else "published"
        forms = [("xml", "jats"), ("pdf", "pdf")] if said.get("pmc-prop-has-pdf") == "yes" else [("xml", "jats")]
        for ending, form in forms if is_open else forms[:1]:
            url = f"{client.address}/{name}/{name}.{ending}"
            yield {"url": url, "format": form, "licence": licence, "version": version}
