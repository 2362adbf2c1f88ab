"""Full texts: which copies are open, which is tried first, and why one was not read."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from conspectus.parse.registry import reader_for
from conspectus.records import Metadata
from conspectus.services.full_text import fetch_full_text, full_text_links, is_open_licence, service_of
from conspectus.services.protocol import FullTextLink
from conspectus.settings.groups import SourcesSettings
from file_server import JATS, MAIN, PAGE, PDF, FileServer, archive, file_server

SETTINGS = SourcesSettings()
DETAILS = {"format": "pdf", "licence": "", "version": ""}


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as found:
        yield found


def here(server: FileServer) -> SourcesSettings:
    """Settings whose services are all on this machine."""
    return SourcesSettings(
        arxiv_url=server.url,
        europepmc_url=f"{server.url}/europepmc",
        pubmed_url=f"{server.url}/eutils",
        pmc_url=f"{server.url}/pmc",
        max_file=4,
    )


def record(service: str, *links: FullTextLink, licence: str = "", **fields: Any) -> Metadata:
    extra = {"service": service, "licence": licence, "full_text": [asdict(link) for link in links]}
    return Metadata(extra=extra | fields.pop("extra", {}), **fields)


def test_identifiers_lead_to_open_copies() -> None:
    """A paper of arXiv or PMC would be read by its abstract alone."""
    found = full_text_links([Metadata(arxiv_id="2101.00001", extra={"pmcid": "PMC3257301"})], SETTINGS)
    assert [(link.url, link.format) for link in found] == [
        ("https://www.ebi.ac.uk/europepmc/webservices/rest/PMC3257301/fullTextXML", "jats"),
        ("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi?db=pmc&id=3257301&retmode=xml", "jats"),
        ("https://export.arxiv.org/e-print/2101.00001", "latex"),
        ("https://export.arxiv.org/pdf/2101.00001", "pdf"),
    ]


def test_the_best_copy_comes_first() -> None:
    """A PDF of a preprint would be read where the published text is there in JATS."""
    kinds = [
        ("jats", "submitted", ""),
        ("tei", "", ""),
        ("latex", "submitted", ""),
        ("pdf", "published", "cc-by"),
        ("pdf", "published", ""),
        ("pdf", "accepted", "cc-by"),
        ("pdf", "submitted", ""),
    ]
    links = [FullTextLink(f"https://example.org/{n}", *(kind[0], kind[2], kind[1])) for n, kind in enumerate(kinds)]
    assert full_text_links([record("unpaywall", *reversed(links))], SETTINGS) == tuple(links)
    assert not full_text_links([record("unpaywall", replace(links[0], format="html"))], SETTINGS)


@pytest.mark.parametrize(
    ("service", "licence", "is_open"),
    [
        ("unpaywall", "", True),
        ("openalex", "", True),
        ("crossref", "", False),
        ("crossref", "https://www.elsevier.com/tdm/userlicense/1.0/", False),
        ("crossref", "https://creativecommons.org/licenses/by/4.0/", True),
        ("datacite", "cc-by-4.0", True),
        ("", "", False),
    ],
)
def test_only_open_copies(service: str, licence: str, is_open: bool) -> None:
    """Copies would be fetched that may not be, in the user's name."""
    link = FullTextLink("https://example.org/a.pdf", "pdf")
    assert bool(full_text_links([record(service, link, licence=licence)], SETTINGS)) is is_open


@pytest.mark.parametrize("licence", ["cc-by", "CC BY-NC 4.0", "cc0", "public-domain", "pd", "CC-BY-4.0"])
def test_open_licences(licence: str) -> None:
    """A copy that all may read would not be fetched."""
    assert is_open_licence(licence) and not is_open_licence(f"not {licence}")


@pytest.mark.parametrize("licence", ["", "publisher-specific", "ccc", "pdf", "implied-oa", "accepted"])
def test_other_licences(licence: str) -> None:
    """A licence that is not known would be taken for an open one."""
    assert not is_open_licence(licence)


def test_arxiv_and_pmc_are_asked_where_programs_may() -> None:
    """arXiv and PMC block whoever fetches from their pages."""
    pages = [
        FullTextLink("https://arxiv.org/pdf/2101.00001v2.pdf", "pdf"),
        FullTextLink("http://www.arxiv.org/abs/hep-th/9901001", "html"),
        FullTextLink("https://www.ncbi.nlm.nih.gov/pmc/articles/12008803", "html"),
        FullTextLink("https://arxiv.org.evil.example/pdf/2101.00001", "pdf"),
        FullTextLink("https://arxiv.org/pdf/../../etc", "pdf"),
    ]
    found = {link.url for link in full_text_links([record("unpaywall", *pages)], SETTINGS)}
    assert {
        "https://export.arxiv.org/pdf/2101.00001v2",
        "https://export.arxiv.org/pdf/hep-th/9901001",
        "https://www.ebi.ac.uk/europepmc/webservices/rest/PMC12008803/fullTextXML",
        "https://arxiv.org.evil.example/pdf/2101.00001",
        "https://arxiv.org/pdf/../../etc",
    } < found


@pytest.mark.parametrize(
    "hostile",
    [
        None,
        7,
        "https://example.org",
        {"url": "https://example.org"},
        [None, 7, {}, {"url": 1, "format": "pdf"}, {"url": "https://example.org/" + "a" * 9000, **DETAILS}],
        [{"url": "file:///etc/passwd", **DETAILS}, {"url": "https://[", **DETAILS}, {"url": "https://a b/", **DETAILS}],
        [{"url": "https://example.org/a", "format": "exe"}, object()],
    ],
)
def test_odd_records_give_no_links(hostile: Any) -> None:
    """One answer of a service that is wrong would end a run over thousands of papers."""
    odd = Metadata(arxiv_id="../../x", extra={"service": "openalex", "full_text": hostile, "pmcid": ["x"]})
    assert full_text_links([odd], SETTINGS) == ()


def test_the_first_that_works_is_taken_and_the_others_say_why(server: FileServer, tmp_path: Path) -> None:
    """A paper without a text would be told without a reason."""
    server.files |= {"/page": PAGE, "/a.pdf": PDF}
    links = [
        FullTextLink("https://www.researchgate.net/a.pdf", "pdf"),
        FullTextLink(f"{server.url}/missing.pdf", "pdf"),
        FullTextLink(f"{server.url}/page", "pdf"),
        FullTextLink(f"{server.url}/a.pdf", "pdf"),
        FullTextLink(f"{server.url}/never", "pdf"),
    ]
    found = fetch_full_text(links, tmp_path, here(server))
    assert found.file and found.file.path.read_bytes() == PDF and found.link == links[3]
    assert [words in reason for words, reason in zip(("forbids", "404", "page"), found.reasons, strict=True)] == [
        True
    ] * 3
    assert "/never" not in [path for path, _ in server.asked]
    none = fetch_full_text(links[:3], tmp_path / "other", here(server))
    assert none.file is None and len(none.reasons) == 3
    assert fetch_full_text([], tmp_path, here(server)).reasons == ()


def test_private_hosts_in_records_are_refused(server: FileServer, tmp_path: Path) -> None:
    """A record of a service would have the user's machine asked."""
    server.files["/a.pdf"] = PDF
    links = full_text_links([record("openalex", FullTextLink(f"{server.url}/a.pdf", "pdf"))], SETTINGS)
    found = fetch_full_text(links, tmp_path, SETTINGS)
    assert not server.asked and "not a public address" in found.reasons[0]


def test_latex_is_taken_if_it_can_be_read(server: FileServer, tmp_path: Path) -> None:
    """The main file of a source would not be found, and nothing be read of the paper."""
    server.files["/e-print/2101.00001"] = archive(readme__txt="x", parts__tex="Cells.", paper__tex=MAIN)
    links = full_text_links([Metadata(arxiv_id="2101.00001")], here(server))
    found = fetch_full_text(links, tmp_path, here(server))
    assert found.file and found.file.format == "latex" and not found.reasons
    (paper,) = reader_for(found.file.path).read(found.file.path)
    assert paper.metadata.title == "Lace plants"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "source",
    [
        archive(notes__tex="Only a part."),
        archive(a__tex=r"\documentclass{article}\begin{document}\end{document}"),
        PAGE,
        b"\x1f\x8b damaged",
    ],
)
def test_the_pdf_is_taken_where_latex_cannot_be_read(server: FileServer, tmp_path: Path, source: bytes) -> None:
    """A paper whose source is damaged, or is not there, would not be read at all."""
    server.files |= {"/e-print/2101.00001": source, "/pdf/2101.00001": PDF}
    links = full_text_links([Metadata(arxiv_id="2101.00001")], here(server))
    found = fetch_full_text(links, tmp_path, here(server))
    assert found.file and found.file.format == "pdf" and len(found.reasons) == 1
    assert [path for path in tmp_path.iterdir() if path.is_file()] == [found.file.path]


def test_a_source_that_is_a_pdf_is_one(server: FileServer, tmp_path: Path) -> None:
    """arXiv has no source of some papers, and sends the PDF as that."""
    server.files["/e-print/2101.00001"] = PDF
    links = full_text_links([Metadata(arxiv_id="2101.00001")], here(server))
    found = fetch_full_text(links, tmp_path, here(server))
    assert found.file and found.file.format == "pdf" and not found.reasons


def test_services_are_asked_behind_their_gate(server: FileServer, tmp_path: Path) -> None:
    """A run over many papers would go over arXiv's limit, and the user would be blocked."""
    asked: list[str] = []

    def gate(name: str) -> AbstractContextManager[object]:
        asked.append(name)
        return nullcontext()

    server.files["/europepmc/PMC1/fullTextXML"] = JATS
    settings = replace(here(server), europepmc_url=server.url.replace("127.0.0.1", "localhost") + "/europepmc")
    links = full_text_links([Metadata(arxiv_id="2101.00001", extra={"pmcid": "PMC1"})], settings)
    found = fetch_full_text(links, tmp_path, settings, gate=gate)
    assert found.file and found.file.format == "jats" and asked == ["europepmc"]
    assert service_of("https://export.arxiv.org/pdf/2101.00001", SETTINGS) == "arxiv"
    assert service_of("https://example.org/", SETTINGS) == ""
