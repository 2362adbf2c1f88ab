"""Works in the documented shape of each service, with all that a service may say, against tables checked by hand."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import ServiceError
from conspectus.records import Author, Metadata
from conspectus.services import ads, crossref, datacite, openalex, semanticscholar
from conspectus.services.answers import WorkReader
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import service
from conspectus.settings.groups import SourcesSettings

READERS = {
    module.__name__.rpartition(".")[2]: module._READER
    for module in (ads, crossref, datacite, openalex, semanticscholar)
} | {"unpaywall": openalex._COPY_READER}
MOSS = "Moss on roofs"
CROSSREF: dict[str, Any] = {
    "DOI": "10.1000/Moss.2",
    "content-domain": {"domain": []},
    "title": ["Moss on <i>roofs</i> &amp; walls"],
    "subtitle": ["A survey"],
    "author": [
        {"given": "Ada", "family": "Lindqvist", "ORCID": "https://orcid.org/0000-0002-1825-0097", "affiliation": []},
        {"name": "The Moss Group"},
    ],
    "editor": [{"given": "Max", "family": "Birk"}],
    "issued": {"date-parts": [[2019, 12, 30]]},
    "published-print": {"date-parts": [[2020, 2]]},
    "container-title": ["Journal of Roofs"],
    "volume": "3",
    "issue": "4",
    "page": "5-9",
    "type": "journal-article",
    "publisher": "Roof Press",
    "is-referenced-by-count": 7,
    "abstract": "<jats:title>Abstract</jats:title><jats:p>It grows.</jats:p>",
    "reference": [{"DOI": "10.1000/Cited"}, {"unstructured": "Birk M. Slate. 1970."}],
    "license": [
        {"URL": "https://creativecommons.org/licenses/by-nc/4.0/", "content-version": "tdm"},
        {"URL": "http://creativecommons.org/licenses/by/4.0/", "content-version": "vor"},
    ],
    "link": [
        {"URL": "https://example.org/moss.pdf", "content-type": "application/pdf", "content-version": "vor"},
        {"URL": "https://example.org/moss.pdf", "content-type": "application/pdf", "content-version": "am"},
        {"URL": "https://example.org/moss.xml", "content-type": "text/xml", "content-version": "vor"},
        {"URL": "https://example.org/moss", "content-type": "text/html", "content-version": "am"},
    ],
    "relation": {
        "has-preprint": [{"id-type": "doi", "id": "10.1101/2019.MOSS", "asserted-by": "subject"}],
        "has-review": [{"id-type": "doi", "id": "10.1000/review"}],
    },
    "updated-by": [
        {
            "DOI": "10.1000/Retracted",
            "type": "retraction",
            "label": "Retraction",
            "source": "retraction-watch",
            "updated": {"date-parts": [[2021, 7, 26]]},
            "record-id": "1",
        },
        {"DOI": "10.1000/e", "type": "erratum", "source": "publisher", "updated": {"date-parts": [[2020, 5]]}},
        {"DOI": "10.1000/new", "type": "new_version", "source": "publisher"},
        {"DOI": "10.1000/doubt", "type": "expression_of_concern", "source": "publisher"},
    ],
}
OPENALEX: dict[str, Any] = {
    "id": "https://openalex.org/W10",
    "doi": "https://doi.org/10.1000/moss",
    "title": MOSS,
    "publication_year": 2020,
    "publication_date": "2020-03-04",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"},
    "authorships": [{"raw_author_name": "Ada Lindqvist", "author": {"orcid": "https://orcid.org/0000-0002-1825-0097"}}],
    "abstract_inverted_index": {"It": [0], "grows.": [1]},
    "cited_by_count": 2,
    "is_retracted": True,
    "type": "article",
    "referenced_works": ["https://openalex.org/W11"],
    "primary_location": {
        "source": {"display_name": "Journal of Roofs"},
        "landing_page_url": "https://doi.org/10.1000/moss",
    },
    "best_oa_location": {
        "is_oa": True,
        "pdf_url": "https://example.org/a.pdf",
        "license": "cc-by",
        "version": "acceptedVersion",
    },
    "locations": [
        {
            "is_oa": False,
            "pdf_url": "https://example.org/closed.pdf",
            "license": "cc-by-nc",
            "version": "publishedVersion",
        },
        {"is_oa": True, "pdf_url": "https://example.org/a.pdf", "license": "cc-by", "version": "acceptedVersion"},
        {"is_oa": True, "landing_page_url": "https://www.ncbi.nlm.nih.gov/pmc/articles/777", "license": None},
        {"is_oa": True, "landing_page_url": "https://doi.org/10.1101/2019.moss", "version": "submittedVersion"},
        {"pdf_url": "https://example.org/unsaid.pdf"},
    ],
}
SEMANTIC: dict[str, Any] = {
    "paperId": "ab12",
    "externalIds": {
        "DOI": "10.1000/MOSS",
        "ArXiv": "2001.00001",
        "PubMed": "123",
        "PubMedCentral": "777",
        "CorpusId": 5,
    },
    "title": MOSS,
    "authors": [{"authorId": "1", "name": "Ada Lindqvist", "externalIds": {"ORCID": "0000-0002-1825-0097"}}],
    "abstract": "It grows.",
    "year": 2020,
    "publicationDate": "2020-03-04",
    "journal": {"name": "Journal of Roofs", "volume": " 3 ", "pages": "\n 5-9 "},
    "venue": "J. Roofs",
    "citationCount": 0,
    "publicationTypes": ["JournalArticle"],
    "openAccessPdf": {"url": "https://example.org/a.pdf", "status": "GREEN", "license": "CCBYNC"},
    "references": [{"externalIds": {"DOI": "10.1000/Cited"}}, {"externalIds": None, "title": "Slate"}],
}
ADS: dict[str, Any] = {
    "bibcode": "2020ApJ...880....1L",
    "title": ["Moss on roofs"],
    "author": ["Lindqvist, Ada", "Moss Team"],
    "aff": ["Roof University", "-"],
    "orcid_pub": ["0000-0002-1825-0097", "-"],
    "pubdate": "2020-03-00",
    "year": "2020",
    "pub": "The Astrophysical Journal",
    "doi": ["10.1000/Moss"],
    "identifier": ["2020arXiv200100001L", "arXiv:2001.00001", "10.1000/Moss"],
    "abstract": "It grows.",
    "citation_count": 4,
    "reference": ["1970ApJ...159..379R"],
    "doctype": "article",
    "volume": "880",
    "page": ["1"],
}
UNPAYWALL: dict[str, Any] = {
    "doi": "10.1000/Moss",
    "doi_url": "https://doi.org/10.1000/Moss",
    "title": MOSS,
    "genre": "journal-article",
    "published_date": "2020-03-04",
    "year": 2020,
    "journal_name": "Journal of Roofs",
    "journal_issn_l": "1234-5678",
    "publisher": "Roof Press",
    "is_oa": True,
    "z_authors": [{"raw_author_name": "Ada Lindqvist"}, {"given": "Max", "family": "Birk"}],
    "best_oa_location": {"url_for_pdf": "https://example.org/a.pdf", "license": "cc-by", "version": "publishedVersion"},
    "oa_locations": [
        {"url_for_pdf": "https://example.org/a.pdf", "license": "cc-by", "version": "publishedVersion"},
        {
            "url_for_pdf": None,
            "url_for_landing_page": "https://example.org/b",
            "license": None,
            "version": "submittedVersion",
        },
    ],
}
DATACITE: dict[str, Any] = {
    "id": "10.48550/arxiv.2001.00001",
    "type": "dois",
    "attributes": {
        "doi": "10.48550/arxiv.2001.00001",
        "creators": [
            {
                "name": "Lindqvist, Ada",
                "nameType": "Personal",
                "givenName": "Ada",
                "familyName": "Lindqvist",
                "affiliation": [{"name": "Roof University"}, "Slate Institute"],
                "nameIdentifiers": [
                    {"nameIdentifier": "https://orcid.org/0000-0002-1825-0097", "nameIdentifierScheme": "ORCID"}
                ],
            },
            {"name": "Moss Team", "nameType": "Organizational"},
            {"name": "Birk, Max"},
        ],
        "titles": [
            {"title": MOSS},
            {"title": "A survey", "titleType": "Subtitle"},
            {"title": "M", "titleType": "Other"},
        ],
        "publisher": {"name": "arXiv"},
        "publicationYear": 2020,
        "subjects": [{"subject": "Roofs"}],
        "dates": [{"date": "2020-01-02T00:00:00Z", "dateType": "Issued"}, {"date": "2021", "dateType": "Updated"}],
        "types": {"resourceTypeGeneral": "Preprint", "citeproc": "article"},
        "descriptions": [
            {"description": "3 pages", "descriptionType": "Other"},
            {"description": "It grows.", "descriptionType": "Abstract"},
        ],
        "rightsList": [{"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/legalcode"}],
        "relatedIdentifiers": [
            {"relationType": "IsVersionOf", "relatedIdentifier": "10.1000/Moss", "relatedIdentifierType": "DOI"},
            {"relationType": "References", "relatedIdentifier": "10.1000/Cited", "relatedIdentifierType": "DOI"},
        ],
        "url": "https://arxiv.org/abs/2001.00001",
        "citationCount": 1,
    },
}
ADA = Author("Ada Lindqvist", orcid="0000-0002-1825-0097")
ADA_PARTS = Author("Ada Lindqvist", "Lindqvist", "Ada", "0000-0002-1825-0097")
PAPER = Metadata(
    title=MOSS,
    authors=(ADA,),
    abstract="It grows.",
    year=2020,
    date="2020-03-04",
    doi="10.1000/moss",
    venue="Journal of Roofs",
)
TODAY = "today"


def copy(url: str, form: str, licence: str = "", version: str = "") -> dict[str, str]:
    return {"url": url, "format": form, "licence": licence, "version": version}


TABLE: list[tuple[str, dict[str, Any], Metadata]] = [
    (
        "crossref",
        CROSSREF,
        Metadata(
            title="Moss on roofs & walls: A survey",
            authors=(ADA_PARTS, Author("The Moss Group", "Moss Group")),
            abstract="It grows.",
            year=2019,
            date="2019-12-30",
            doi="10.1000/moss.2",
            venue="Journal of Roofs",
            citation_count=7,
            references=("10.1000/cited", "Birk M. Slate. 1970."),
            extra={
                "type": "article-journal",
                "volume": "3",
                "number": "4",
                "pages": "5-9",
                "publisher": "Roof Press",
                "editor": ["Max Birk"],
                "licence": "cc-by-4.0",
                "full_text": [
                    copy("https://example.org/moss.pdf", "pdf", "cc-by-4.0", "published"),
                    copy("https://example.org/moss", "html", "cc-by-4.0", "accepted"),
                ],
                "notices": [
                    {
                        "kind": "retraction",
                        "service": "retraction-watch",
                        "doi": "10.1000/retracted",
                        "date": "2021-07-26",
                    },
                    {"kind": "correction", "service": "crossref", "doi": "10.1000/e", "date": "2020-05"},
                    {"kind": "concern", "service": "crossref", "doi": "10.1000/doubt", "date": ""},
                ],
                "versions": {"preprint": "10.1101/2019.moss"},
                "years": [2019, 2020],
                "checked": TODAY,
                "counted": TODAY,
            },
        ),
    ),
    (
        "openalex",
        OPENALEX,
        replace(
            PAPER,
            pmid="123",
            citation_count=2,
            references=("W11",),
            url="https://doi.org/10.1000/moss",
            external_id="W10",
            extra={
                "pmcid": "PMC777",
                "openalex": "W10",
                "licence": "cc-by-nc",
                "full_text": [
                    copy("https://example.org/a.pdf", "pdf", "cc-by", "accepted"),
                    copy("https://www.ncbi.nlm.nih.gov/pmc/articles/777", "html"),
                    copy("https://doi.org/10.1101/2019.moss", "html", version="submitted"),
                ],
                "notices": [{"kind": "retraction", "service": "openalex"}],
                "versions": {"preprint": "10.1101/2019.moss"},
                "type": "article-journal",
                "retracted": True,
                "checked": TODAY,
                "counted": TODAY,
            },
        ),
    ),
    (
        "semanticscholar",
        SEMANTIC,
        replace(
            PAPER,
            arxiv_id="2001.00001",
            pmid="123",
            citation_count=0,
            references=("10.1000/cited", "Slate"),
            external_id="ab12",
            extra={
                "pmcid": "PMC777",
                "s2": "ab12",
                "full_text": [copy("https://example.org/a.pdf", "pdf", "cc-by-nc")],
                "type": "article-journal",
                "volume": "3",
                "pages": "5-9",
                "publication_types": ["JournalArticle"],
                "open_access_url": "https://example.org/a.pdf",
                "counted": TODAY,
            },
        ),
    ),
    (
        "ads",
        ADS,
        Metadata(
            title=MOSS,
            authors=(
                Author("Ada Lindqvist", "Lindqvist", "Ada", "0000-0002-1825-0097", ("Roof University",)),
                Author("Moss Team", "Moss Team"),
            ),
            abstract="It grows.",
            year=2020,
            date="2020-03",
            doi="10.1000/moss",
            arxiv_id="2001.00001",
            bibcode="2020ApJ...880....1L",
            venue="The Astrophysical Journal",
            citation_count=4,
            references=("1970ApJ...159..379R",),
            external_id="2020ApJ...880....1L",
            extra={"type": "article-journal", "volume": "880", "pages": "1", "counted": TODAY},
        ),
    ),
    (
        "unpaywall",
        UNPAYWALL,
        Metadata(
            title=MOSS,
            authors=(Author("Ada Lindqvist"), Author("Max Birk", "Birk", "Max")),
            year=2020,
            date="2020-03-04",
            doi="10.1000/moss",
            venue="Journal of Roofs",
            extra={
                "type": "article-journal",
                "publisher": "Roof Press",
                "issn": "1234-5678",
                "licence": "cc-by",
                "full_text": [
                    copy("https://example.org/a.pdf", "pdf", "cc-by", "published"),
                    copy("https://example.org/b", "html", "", "submitted"),
                ],
            },
        ),
    ),
    (
        "datacite",
        DATACITE,
        Metadata(
            title="Moss on roofs: A survey",
            authors=(
                Author(
                    "Ada Lindqvist", "Lindqvist", "Ada", "0000-0002-1825-0097", ("Roof University", "Slate Institute")
                ),
                Author("Moss Team", "Moss Team"),
                Author("Max Birk", "Birk", "Max"),
            ),
            abstract="It grows.",
            year=2020,
            date="2020-01-02",
            doi="10.48550/arxiv.2001.00001",
            arxiv_id="2001.00001",
            keywords=("Roofs",),
            citation_count=1,
            references=("10.1000/cited",),
            url="https://arxiv.org/abs/2001.00001",
            extra={
                "type": "preprint",
                "publisher": "arXiv",
                "licence": "cc-by-4.0",
                "versions": {"published": "10.1000/moss"},
                "counted": TODAY,
            },
        ),
    ),
]


def read(name: str, raw: dict[str, Any]) -> Metadata:
    return READERS[name].work(ServiceClient(service(name), SourcesSettings()), raw)


@pytest.mark.parametrize(("name", "raw", "right"), TABLE, ids=[name for name, _, _ in TABLE])
def test_each_field(name: str, raw: dict[str, Any], right: Metadata) -> None:
    """A licence, a retraction or an open copy that a service knows would be lost, or one be made up."""
    today = datetime.now(UTC).date().isoformat()
    found = read(name, raw)
    extra = {key: today if value is TODAY else value for key, value in right.extra.items()}
    for field in Metadata.__dataclass_fields__:
        if field != "extra":
            assert getattr(found, field) == getattr(right, field), field
    assert found.extra == extra


KINDS = [
    ({"update-to": [{"DOI": "10.1000/other", "type": "retraction"}]}, [], {}),
    ({"update-to": [{"DOI": "10.1000/MOSS.2", "type": "Retraction"}]}, ["retraction"], {}),
    ({"updated-by": [{"DOI": "10.1000/r", "type": "reinstatement"}]}, ["reinstatement"], {}),
    ({"updated-by": [{"DOI": "10.1000/r", "type": "withdrawal"}]}, ["retraction"], {}),
    ({"updated-by": [{"DOI": "10.1000/r", "type": "crossmark_policy"}, 5, None]}, [], {}),
    ({"updated-by": "10.1000/r"}, [], {}),
    ({"relation": {"is-preprint-of": [{"id-type": "doi", "id": "10.1000/P"}]}}, [], {"published": "10.1000/p"}),
    ({"relation": {"is-version-of": [{"id": "https://doi.org/10.1000/v1"}]}}, [], {"version": "10.1000/v1"}),
    ({"relation": {"has-preprint": [{"id-type": "arxiv", "id": "arXiv:2001.00001"}]}}, [], {"preprint": "2001.00001"}),
    ({"relation": [1]}, [], {}),
]


@pytest.mark.parametrize(("more", "kinds", "versions"), KINDS)
def test_notices_and_versions_of_crossref(more: dict[str, Any], kinds: list[str], versions: dict[str, str]) -> None:
    """The notice would be called retracted rather than the paper, or the paper not."""
    found = read("crossref", {"DOI": "10.1000/moss.2", "content-domain": {}, "title": [MOSS], **more})
    assert [notice["kind"] for notice in found.extra.get("notices", ())] == kinds
    assert found.extra.get("versions", {}) == versions and found.extra["checked"]


@pytest.mark.parametrize(
    "licence", ["http://www.elsevier.com/open-access/userlicense/1.0/", "https://www.springer.com/tdm", ""]
)
def test_links_to_what_is_not_open_are_no_copies(licence: str) -> None:
    """A file would be fetched that nobody may fetch."""
    raw = CROSSREF | {"license": [{"URL": licence, "content-version": "vor"}] if licence else []}
    found = read("crossref", raw)
    assert "full_text" not in found.extra and found.extra.get("licence", "") == licence


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["title", "name", "DOI", "x"]), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(("name", "raw"), [(name, raw) for name, raw, _ in TABLE])
@given(data=st.data())
def test_a_field_of_any_kind_is_read_or_an_error(name: str, raw: dict[str, Any], data: st.DataObject) -> None:
    """A service that changes what it writes would end a run with a traceback."""
    inner = raw.get("attributes", raw)
    changed = inner | {data.draw(st.sampled_from(sorted(inner))): data.draw(JSON) for _ in range(3)}
    try:
        found = read(name, raw | {"attributes": changed} if "attributes" in raw else changed)
    except ServiceError:
        return
    assert isinstance(found, Metadata) and "\x00" not in str(found) and len(found.title) <= 2_000


def test_a_work_without_a_name_is_an_error() -> None:
    """An object that means something else would become a paper without a title."""
    for name, reader in READERS.items():
        assert isinstance(reader, WorkReader)
        for raw in ({}, {"status": "ok"}, [], None, "x"):
            with pytest.raises(ServiceError):
                reader.work(ServiceClient(service(name), SourcesSettings()), raw)
