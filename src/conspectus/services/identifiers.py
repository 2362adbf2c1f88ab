"""Identifiers and links to papers, as people type and paste them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import parse_qsl, unquote, urlsplit

from conspectus.parse.text.identifiers import normal_arxiv_id, normal_bibcode, normal_doi, normal_pmcid, normal_pmid
from conspectus.records import Metadata
from conspectus.services.protocol import Identifier, Scheme

_PREFIX = re.compile(r"(doi|arxiv|pmid|pmcid|bibcode|openalex|s2)\s*+:\s*+(.+)", re.I)
_LONGEST = 2000
_PREPRINT_PAGE = re.compile(r"v\d{1,2}(?:\.[a-z.-]+)?$", re.I)
"""What addresses of bioRxiv and medRxiv have behind the DOI."""
_PAGES: tuple[tuple[str, re.Pattern[str], Scheme, str], ...] = (
    ("pubmed.ncbi.nlm.nih.gov", re.compile(r"/(\d+)", re.I), "pmid", ""),
    ("ncbi.nlm.nih.gov", re.compile(r"/pubmed/(\d+)", re.I), "pmid", ""),
    ("ncbi.nlm.nih.gov", re.compile(r"/pmc/articles/(?:PMC)?(\d+)", re.I), "pmcid", "PMC"),
    ("pmc.ncbi.nlm.nih.gov", re.compile(r"/articles/(?:PMC)?(\d+)", re.I), "pmcid", "PMC"),
    ("europepmc.org", re.compile(r"/(?:article|abstract)/MED/(\d+)", re.I), "pmid", ""),
    ("europepmc.org", re.compile(r"/(?:article/PMC|articles|abstract/PMC)/(PMC\d+)", re.I), "pmcid", ""),
    ("ui.adsabs.harvard.edu", re.compile(r"/abs/([^/]+)", re.I), "bibcode", ""),
    ("scixplorer.org", re.compile(r"/abs/([^/]+)", re.I), "bibcode", ""),
    ("openalex.org", re.compile(r"/(?:works/)?(W\d+)", re.I), "openalex", ""),
    ("semanticscholar.org", re.compile(r"/paper/(?:[^/]*/)?([0-9a-f]{40})", re.I), "s2", ""),
    ("nature.com", re.compile(r"/articles/([\w.-]+?)(?:\.pdf)?/?$", re.I), "doi", "10.1038/"),
)
"""Hosts (without `www.`) with pages about papers, how their paths begin, and what goes before the part in brackets."""


def read_identifier(text: str) -> Identifier | None:
    """What a text names, if it is an identifier or a link to a paper: `doi:10.1000/x`, `PMC12`, `arxiv.org/abs/…`.

    A number alone is none, for it may be anything.
    """
    text = text.strip()[:_LONGEST]
    if "://" in text:
        return _of_link(text)
    prefix = _PREFIX.fullmatch(text)
    if prefix:
        name = prefix[1].lower()
        scheme: Scheme = "arxiv_id" if name == "arxiv" else name  # type: ignore[assignment]
        return _of_scheme(scheme, f"PMC{prefix[2]}" if name == "pmcid" and prefix[2][:1].isdigit() else prefix[2])
    return None if text.isdigit() else next(filter(None, (_of_scheme(scheme, text) for scheme in _BARE)), None)


def _of_scheme(scheme: Scheme, text: str) -> Identifier | None:
    value = _READERS[scheme](text.strip())
    arxiv = normal_arxiv_id(value) if value.startswith("10.48550/arxiv.") else ""  # a DOI that says no more
    return Identifier("arxiv_id", arxiv) if arxiv else Identifier(scheme, value) if value else None


def _single_doi(text: str) -> str:
    return normal_doi(text) if len(text.split()) == 1 else ""


def _marked_pmcid(text: str) -> str:
    return "" if text[:1].isdigit() else normal_pmcid(text)


def _openalex_id(text: str) -> str:
    return text.upper() if re.fullmatch(r"W\d{2,15}", text, re.I) else ""


def _s2_id(text: str) -> str:
    return text.lower() if re.fullmatch(r"[0-9a-f]{40}", text, re.I) else ""


_READERS: dict[Scheme, Callable[[str], str]] = {
    "doi": _single_doi,
    "arxiv_id": normal_arxiv_id,
    "pmid": normal_pmid,
    "pmcid": _marked_pmcid,
    "bibcode": normal_bibcode,
    "openalex": _openalex_id,
    "s2": _s2_id,
}
_BARE: tuple[Scheme, ...] = ("doi", "arxiv_id", "pmcid", "bibcode", "openalex", "s2")
"""Those that are known by their own look."""


def _of_link(text: str) -> Identifier | None:
    try:
        parts = urlsplit(text)
        host, path = (parts.hostname or "").lower().removeprefix("www."), unquote(parts.path)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    if arxiv := normal_arxiv_id(text.partition("?")[0].partition("#")[0]):
        return Identifier("arxiv_id", arxiv)
    for known, pattern, scheme, before in _PAGES:
        if host == known and (match := pattern.match(path)):
            return _of_scheme(scheme, before + match[1])
    for part in (path, *(value for _, value in parse_qsl(parts.query))):
        if match := re.search(r"10\.\d{4,9}/.*", part):
            return _of_scheme("doi", _PREPRINT_PAGE.sub("", match[0]))
    return None


def identifiers_of(record: Metadata) -> tuple[Identifier, ...]:
    """By what a record can be looked up, the surest first."""
    pairs: Iterable[tuple[Scheme, object]] = (
        ("doi", record.doi),
        ("pmid", record.pmid),
        ("pmcid", record.extra.get("pmcid")),
        ("arxiv_id", record.arxiv_id),
        ("bibcode", record.bibcode),
        ("openalex", record.extra.get("openalex")),
        ("s2", record.extra.get("s2")),
    )
    known = (_of_scheme(scheme, value) for scheme, value in pairs if isinstance(value, str) and value)
    return tuple(dict.fromkeys(filter(None, known)))
