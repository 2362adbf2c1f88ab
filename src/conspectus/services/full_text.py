"""Full texts of papers: where open copies are, in which order they are tried, and what came of it.

Only open copies are fetched: those that a service which lists open copies gives, those under an open licence, and those
of arXiv and PMC. The order is JATS, TEI, LaTeX, PDF; within these published, accepted, submitted; then what is known
to be under an open licence. Hosts that do not want programs are not asked (`CLOSED_HOSTS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec

from conspectus.core.errors import InputError, ServiceError
from conspectus.core.http import is_address
from conspectus.core.public_hosts import Resolver, resolve
from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob
from conspectus.parse.registry import reader_for
from conspectus.parse.text.identifiers import normal_arxiv_id, normal_pmcid
from conspectus.records import Metadata
from conspectus.services.download import DownloadedFile, download
from conspectus.services.identifiers import read_identifier
from conspectus.services.protocol import FullTextLink
from conspectus.settings.groups import SourcesSettings

ORDER = ("jats", "tei", "latex", "pdf")
VERSIONS = ("published", "", "accepted", "submitted")
"""In this order; where nothing is said it is more often the published one."""
_LISTS_OPEN = frozenset(
    {"arxiv", "europepmc", "pmc", "pubmed", "openalex", "semanticscholar", "unpaywall", "ads", "zotero"}
)
"""Services that give as full text what is open. Crossref and DataCite give whatever a publisher has."""
_PMC_REASON = "PMC's pages are closed to programs; its open files are asked for instead where there are any"
CLOSED_HOSTS = {
    "pmc.ncbi.nlm.nih.gov": _PMC_REASON,
    "www.ncbi.nlm.nih.gov": _PMC_REASON,
    "researchgate.net": "ResearchGate forbids programs",
    "academia.edu": "Academia.edu forbids programs",
    "ssrn.com": "SSRN forbids programs",
}
"""Hosts, with all below them, that are not asked, and why."""
_FROM = ("arxiv", "europepmc", "pubmed", "pmc")
"""Services that files come from."""
_OPEN_LICENCE = re.compile(
    r"cc[ -]?(?:by|0|zero)|cc-?pdm|public[ -]?domain|pd\b|creativecommons|https?://(?:www\.)?creativecommons\.org/",
    re.I,
)
_ARXIV_HOST = re.compile(r"(?:(?:www|export)\.)?arxiv\.org")
_ARXIV_PATH = re.compile(r"/(?P<kind>pdf|abs|e-print|src|html)/(?P<id>[\w./-]{5,40}?)(?:\.pdf)?/?")
_LONGEST_URL = 2000
_MOST_LINKS = 20
DOWNLOAD_SECONDS = 900.0
"""For one file."""

ServiceTurn = Callable[[str], AbstractContextManager[object]]
"""Entered while a service of this name (`arxiv`; "": any other host) is asked: it keeps the service's limits."""


@dataclass(frozen=True, slots=True)
class FullTextFetch:
    """The outcome of fetching a full text.

    Attributes:
        file: None where no link led to one.
        link: the one that led to it.
        reasons: for each link that was tried before, or not tried, a sentence why it led to none.
    """

    file: DownloadedFile | None = None
    link: FullTextLink | None = None
    reasons: tuple[str, ...] = ()


def full_text_links(records: Iterable[Metadata], settings: SourcesSettings) -> tuple[FullTextLink, ...]:
    """Open copies of a paper that these records of it give, by links and identifiers, best first; each address once."""
    links: dict[str, FullTextLink] = {}
    for record in records:
        for link in (*_links_by_identifiers(record, settings), *_open_links(record, settings)):
            known = links.get(link.url)
            if known is None or _rank(link) < _rank(known):
                links[link.url] = link
    return tuple(sorted(links.values(), key=_rank)[:_MOST_LINKS])


def fetch_full_text(
    links: Iterable[FullTextLink],
    folder: Path,
    settings: SourcesSettings,
    *,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    gate: ServiceTurn = lambda _: nullcontext(),
    resolver: Resolver = resolve,
) -> FullTextFetch:
    """Fetch the first of the links, in their order, that leads to a paper's text.

    Args:
        links: as `full_text_links` gives them.
        folder: of downloaded files.
        settings: addresses, and the size that a file may have.
        limits: for reading LaTeX, to see whether it can be read.
        gate: keeps the limits of services.
        resolver: finds the addresses of hosts.

    Raises:
        LibraryError: the folder cannot be written.
    """
    reasons: list[str] = []
    for link in links:
        try:
            _check_host(link)
            with gate(service_of(link.url, settings)):
                file = download(
                    link.url,
                    folder,
                    most_bytes=settings.max_file * 2**20,
                    timeout=DOWNLOAD_SECONDS,
                    trusted=[getattr(settings, f"{name}_url") for name in _FROM],
                    expect=("latex", "pdf") if link.format == "latex" else (link.format,),
                    resolver=resolver,
                )
            if file.format == "latex":
                _check_latex(file, limits)
        except (ServiceError, InputError) as error:
            reasons.append(error.message)
        else:
            return FullTextFetch(file, link, tuple(reasons))
    return FullTextFetch(reasons=tuple(reasons))


def service_of(url: str, settings: SourcesSettings) -> str:
    """The name of the service whose server an address is of; "" where it is another's."""
    here = urlsplit(url)
    for name in _FROM:
        there = urlsplit(getattr(settings, f"{name}_url"))
        if (here.scheme, here.netloc.lower()) == (there.scheme, there.netloc.lower()):
            return name
    return ""


def is_open_licence(licence: str) -> bool:
    """Whether a licence, as services name it (`cc-by`, `CC BY-NC 4.0`, an address), lets anybody copy the paper."""
    return _OPEN_LICENCE.match(licence.strip()) is not None


def _rank(link: FullTextLink) -> tuple[int, int, bool]:
    version = VERSIONS.index(link.version) if link.version in VERSIONS else 1
    return ORDER.index(link.format), version, not is_open_licence(link.licence)


def _open_links(record: Metadata, settings: SourcesSettings) -> Iterator[FullTextLink]:
    """The links of a record that lead to open copies in formats that are read."""
    licence = str(record.extra.get("licence") or "")
    lists_open = record.extra.get("service") in _LISTS_OPEN
    for listed in _read_links(record):
        link = _at_arxiv(listed, settings)
        if not link.licence and link.version in ("", "published"):
            link = replace(link, licence=licence)
        if link.format in ORDER and (lists_open or is_open_licence(link.licence)):
            yield link


def _read_links(record: Metadata) -> Iterator[FullTextLink]:
    """The links of a record; what else a service or a file has there is passed over."""
    parts = record.extra.get("full_text")
    for part in parts if isinstance(parts, list | tuple) else ():
        with suppress(msgspec.ValidationError, TypeError):
            link = msgspec.convert(msgspec.to_builtins(part), FullTextLink)
            if len(link.url) <= _LONGEST_URL and is_address(link.url):
                yield link


def _links_by_identifiers(record: Metadata, settings: SourcesSettings) -> Iterator[FullTextLink]:
    """Where arXiv and PMC have the text of a paper, if they have it."""
    if arxiv_id := normal_arxiv_id(record.arxiv_id):
        place, name = settings.arxiv_url.rstrip("/"), quote(arxiv_id)
        yield FullTextLink(f"{place}/e-print/{name}", "latex", version="submitted")
        yield FullTextLink(f"{place}/pdf/{name}", "pdf", version="submitted")
    pages = filter(None, (read_identifier(link.url) for link in _read_links(record)))
    pmcids = [page.value for page in pages if page.scheme == "pmcid"]
    for pmcid in filter(None, dict.fromkeys([normal_pmcid(str(record.extra.get("pmcid"))), *pmcids])):
        yield FullTextLink(f"{settings.europepmc_url.rstrip('/')}/{pmcid}/fullTextXML", "jats")
        place = settings.pubmed_url.rstrip("/")
        yield FullTextLink(f"{place}/efetch.fcgi?db=pmc&id={pmcid.removeprefix('PMC')}&retmode=xml", "jats")


def _at_arxiv(link: FullTextLink, settings: SourcesSettings) -> FullTextLink:
    """A link to arXiv as one to the server that it has for programs."""
    parts = urlsplit(link.url)
    match = _ARXIV_PATH.fullmatch(parts.path)
    if not match or not _ARXIV_HOST.fullmatch(parts.hostname or "") or not normal_arxiv_id(match["id"]):
        return link
    source = match["kind"] in ("e-print", "src")
    path = f"/{'e-print' if source else 'pdf'}/{match['id']}"
    return replace(link, url=settings.arxiv_url.rstrip("/") + path, format="latex" if source else "pdf")


def _check_host(link: FullTextLink) -> None:
    """Raise a ServiceError if the host of a link does not want programs."""
    host = (urlsplit(link.url).hostname or "").lower()
    for closed, why in CLOSED_HOSTS.items():
        if f".{host}".endswith(f".{closed}"):
            raise ServiceError(f"'{host}' was not asked: {why}.", "Open the address in a browser.")


def _check_latex(file: DownloadedFile, limits: Limits) -> None:
    """See whether a reader finds a main file and text in it; else the file is removed, so that nobody adds it.

    Archives stay packed: the reader unpacks them, with its limits, in a process of its own.

    Raises:
        InputError: it does not.
    """
    try:
        job = ReadingJob(str(file.path), reader_for(file.path).name)
        with ParsePool(1, limits) as pool:
            errors = [batch.error for batch in pool.run([job]) if batch.error is not None]
        if errors:
            raise errors[0]
    except InputError as error:
        file.path.unlink(missing_ok=True)
        raise InputError(
            f"The LaTeX source from '{urlsplit(file.url).hostname}' cannot be read: {error.message}"
        ) from error
