"""How databases and reference managers name the fields of a record: one table for CSV, tab-delimited and tagged files.

A `Dialect` lists the columns or tags that hold each of our fields, the best first, the order of names, and the
separators of keywords. Column names are compared without case, spaces and punctuation, so Zotero's CSV
(`Abstract Note`) and its JSON (`abstractNote`) are one dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from conspectus.parse.people.authors import NameOrder


def column_key(name: str) -> str:
    """Normalize a column's name for comparison: lower-case letters and digits; a tag of signs stays as it is."""
    return re.sub(r"[\W_]+", "", name.casefold()) or name.strip()


_SHARED = {
    **{"title": "Title", "abstract": "Abstract", "authors": "Authors", "venue": "Journal", "year": "Year"},
    **{"volume": "Volume", "number": "Issue", "pages": "Pages", "doi": "DOI", "url": "URL", "language": "Language"},
    **{"publisher": "Publisher", "issn": "ISSN", "isbn": "ISBN", "keywords": "Keywords", "editor": "Editors"},
    **{"pmcid": "PMCID", "pmid": "PMID"},
}
"""Columns that many sources share, so they do not identify a source."""


@dataclass(frozen=True)
class Dialect:
    """The fields of one source.

    Attributes:
        columns: by our field, the columns or tags that may hold it, separated by ` | `, the best first. Further fields:
            `first_page`, `last_page`, `month`, `day`, `kind` (the type of the work), `groups` (organisations as
            authors), `links` (files), `citation` (journal, volume and pages in one text).
        order: how it writes names.
        quoted: whether cells may be quoted, as in CSV.
        keywords: the possible separators of keywords; the first that a text contains is used.
        list_end: the text that it appends to a list of names.
        shared: whether it also uses the columns that many sources share.
    """

    name: str
    columns: Mapping[str, str]
    order: NameOrder = NameOrder.COMMA
    keywords: str = ";"
    list_end: str = ""
    quoted: bool = True
    shared: bool = True

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The keys of the columns that may hold each field, the best first."""
        shared = _SHARED if self.shared else {}
        columns = {
            field: [*self.columns.get(field, "").split(" | "), shared.get(field, "")]
            for field in {**shared, **self.columns}
        }
        return {
            field: tuple(dict.fromkeys(column_key(name) for name in names if name)) for field, names in columns.items()
        }

    @cached_property
    def column_keys(self) -> frozenset[str]:
        """The keys of all its columns."""
        return frozenset(key for keys in self.fields.values() for key in keys)

    @cached_property
    def own_keys(self) -> frozenset[str]:
        """The keys of the columns by which it is recognised."""
        return self.column_keys - SHARED_KEYS


SHARED_KEYS = frozenset(column_key(name) for name in _SHARED.values())


ZOTERO = Dialect(
    "Zotero",
    {
        "id": "Citation Key | Key",
        "kind": "Item Type",
        "title": "Title | Case Name | Subject | Name of Act",
        "authors": "Author",
        "venue": "Publication Title | Proceedings Title | Book Title | Encyclopedia Title | Dictionary Title"
        " | Website Title | Blog Title | Forum Title",
        "abstract": "Abstract Note",
        "date": "Date",
        "year": "Publication Year",
        "keywords": "Manual Tags | Automatic Tags | Tags",
        "journal_abbreviation": "Journal Abbreviation",
        "publisher": "Publisher | University | Institution | Company",
        "address": "Place",
        "series": "Series | Series Title",
        "number": "Issue | Number | Report Number | Patent Number",
        "editor": "Editor",
        "translator": "Translator",
        "links": "File Attachments",
        "note": "Extra",
    },
)
SCOPUS = Dialect(
    "Scopus",
    {
        "id": "EID",
        "authors": "Author full names | Authors",
        "venue": "Source title",
        "citation_count": "Cited by",
        "keywords": "Author Keywords | Index Keywords",
        "kind": "Document Type",
        "first_page": "Page start",
        "last_page": "Page end",
        "article_number": "Art. No.",
        "references": "References",
        "pmid": "PubMed ID",
        "url": "Link",
        "language": "Language of Original Document",
        "journal_abbreviation": "Abbreviated Source Title",
        "author_ids": "Author(s) ID | Authors ID",
    },
    NameOrder.INITIALS,
)
_WEB_OF_SCIENCE = {
    "id": "UT",
    "kind": "PT",
    "publication_types": "DT",
    "title": "TI",
    "authors": "AF | AU",
    "groups": "CA",
    "editor": "BE | ED",
    "venue": "SO | JI | J9",
    "abstract": "AB",
    "year": "PY | EY",
    "date": "PD | EA",
    "keywords": "DE | ID",
    "references": "CR",
    "citation_count": "TC | Z9",
    "doi": "DI | D2",
    "pmid": "PM",
    "volume": "VL",
    "number": "IS",
    "first_page": "BP",
    "last_page": "EP",
    "article_number": "AR",
    "publisher": "PU",
    "address": "PI",
    "issn": "SN | EI",
    "isbn": "BN",
    "language": "LA",
    "series": "SE",
}
WEB_OF_SCIENCE = Dialect("Web of Science", _WEB_OF_SCIENCE, NameOrder.INITIALS, quoted=False, shared=False)
WEB_OF_SCIENCE_EXCEL = Dialect(
    "Web of Science (Excel)",
    {
        "id": "UT (Unique WOS ID) | UT (Unique ID)",
        "kind": "Publication Type",
        "publication_types": "Document Type",
        "title": "Article Title",
        "authors": "Author Full Names | Book Author Full Names | Authors | Book Authors",
        "groups": "Group Authors | Book Group Authors",
        "editor": "Book Editors",
        "venue": "Source Title",
        "year": "Publication Year",
        "date": "Publication Date | Early Access Date",
        "keywords": "Author Keywords | Keywords Plus",
        "references": "Cited References",
        "citation_count": "Times Cited, WoS Core | Times Cited, All Databases",
        "pmid": "Pubmed Id",
        "first_page": "Start Page",
        "last_page": "End Page",
        "article_number": "Article Number",
        "address": "Publisher City",
        "series": "Book Series Title",
        "journal_abbreviation": "Journal ISO Abbreviation | Journal Abbreviation",
    },
    NameOrder.INITIALS,
)
IEEE = Dialect(
    "IEEE Xplore",
    {
        "title": "Document Title",
        "venue": "Publication Title",
        "year": "Publication Year | Publication_Year",
        "date": "Issue Date | Online Date",
        "first_page": "Start Page",
        "last_page": "End Page",
        "keywords": "Author Keywords | IEEE Terms | INSPEC Controlled Terms",
        "citation_count": "Article Citation Count",
        "isbn": "ISBNs",
        "url": "PDF Link",
        "kind": "Document Identifier",
        "added": "Date Added To Xplore",
        "mesh": "Mesh_Terms",
    },
    NameOrder.READING,
)
EMBASE = Dialect(
    "Embase",
    {
        "id": "PUI",
        "title": "Title | Original Title",
        "authors": "Author Names",
        "groups": "Author Group Names",
        "venue": "Source title",
        "citation": "Source",
        "year": "Publication Year",
        "date": "Date of Publication",
        "kind": "Publication Type",
        "first_page": "First Page",
        "last_page": "Last Page",
        "pmid": "Medline PMID",
        "publisher": "Book Publisher",
        "keywords": "Author Keywords",
        "language": "Article Language | Language of Article",
        "url": "Full Text Link | Embase Link",
        "addresses": "Author Addresses",
        "emtree": "Emtree Medical Index Terms",
    },
    NameOrder.INITIALS,
    keywords=";,",
)
PUBMED = Dialect(
    "PubMed",
    {
        "id": "PMID",
        "venue": "Journal/Book",
        "year": "Publication Year",
        "citation": "Citation",
        "first_author": "First Author",
        "created": "Create Date",
        "nihms": "NIHMS ID",
    },
    NameOrder.INITIALS,
    list_end=".",
)
LENS = Dialect(
    "Lens",
    {
        "id": "Lens ID",
        "authors": "Author/s",
        "date": "Date Published",
        "year": "Publication Year",
        "kind": "Publication Type",
        "venue": "Source Title",
        "number": "Issue Number",
        "first_page": "Start Page",
        "last_page": "End Page",
        "keywords": "Keywords | Fields of Study",
        "mesh": "MeSH Terms",
        "issn": "ISSNs",
        "references": "References",
        "citation_count": "Citing Works Count",
        "url": "External URL | Source URLs",
        "country": "Source Country",
    },
    NameOrder.READING,
)
DIMENSIONS = Dialect(
    "Dimensions",
    {
        "id": "Publication ID",
        "venue": "Source title | Source title/Anthology title | Anthology title",
        "mesh": "MeSH terms",
        "date": "Publication Date | Publication Date (online) | Publication Date (print)",
        "year": "PubYear",
        "pages": "Pagination",
        "kind": "Publication Type | Document Type",
        "citation_count": "Times cited",
        "editor": "Book editors",
        "url": "Dimensions URL | Source Linkout",
        "references": "Cited references",
        "rank": "Rank",
    },
)
COVIDENCE = Dialect(
    "Covidence",
    {
        "id": "Covidence #",
        "year": "Published Year",
        "month": "Published Month",
        "accession_number": "Accession Number",
        "study": "Study",
        "tags": "Tags",
    },
)
RAYYAN = Dialect(
    "Rayyan",
    {
        "id": "key",
        "month": "month",
        "day": "day",
        "address": "location",
        "note": "notes",
        "pmid": "pubmed_id",
        "pmcid": "pmc_id",
    },
)

EBSCO = Dialect(
    "EBSCO",
    {
        "id": "Accession Number | AN",
        "title": "Article Title",
        "authors": "Author",
        "venue": "Journal Title",
        "date": "Publication Date",
        "first_page": "First Page",
        "kind": "Doctype",
        "keywords": "Keywords | Subjects",
        "url": "PLink",
    },
)
SPRINGER = Dialect(
    "SpringerLink",
    {
        "title": "Item Title",
        "venue": "Publication Title",
        "series": "Book Series Title",
        "volume": "Journal Volume",
        "number": "Journal Issue",
        "doi": "Item DOI",
        "year": "Publication Year",
        "kind": "Content Type",
    },
    NameOrder.READING,
)
PUBLISH_OR_PERISH = Dialect(
    "Publish or Perish",
    {
        "citation_count": "Cites",
        "venue": "Source",
        "url": "ArticleURL",
        "first_page": "StartPage",
        "last_page": "EndPage",
        "rank": "GSRank",
        "kind": "Type",
    },
    NameOrder.READING,
)
GOOGLE_SCHOLAR = Dialect(
    "Google Scholar", {"authors": "Authors", "venue": "Publication", "number": "Number", "pages": "Pages"}
)
OPENALEX = Dialect(
    "OpenAlex",
    {
        "id": "id",
        "title": "title | display_name",
        "authors": "authorships.author.display_name | authorships.raw_author_name | author_names | authors",
        "venue": "primary_location.source.display_name | host_venue.display_name | source_name",
        "year": "publication_year",
        "date": "publication_date",
        "kind": "type",
        "citation_count": "cited_by_count",
        "keywords": "keywords.display_name | topics.display_name | concepts.display_name",
        "volume": "biblio.volume",
        "number": "biblio.issue",
        "first_page": "biblio.first_page",
        "last_page": "biblio.last_page",
        "pmid": "ids.pmid",
        "url": "primary_location.landing_page_url",
        "language": "language",
    },
    NameOrder.READING,
    keywords="|;",
)
PROQUEST = Dialect(
    "ProQuest",
    {
        "id": "StoreId",
        "venue": "pubtitle",
        "date": "pubdate",
        "kind": "documentType | ArticleType",
        "doi": "digitalObjectIdentifier",
        "url": "DocumentURL",
        "keywords": "subjects | subjectTerms | identifierKeywords",
        "address": "placeOfPublication",
        "first_page": "startPage",
        "added": "entryDate",
    },
)

REFER = Dialect(
    "Refer",
    {
        **{"kind": "0", "title": "T", "authors": "A", "groups": "?", "venue": "J | B", "year": "D", "date": "8"},
        **{"volume": "V", "number": "N", "pages": "P", "abstract": "X", "keywords": "K", "doi": "R", "url": "U"},
        **{"editor": "E", "publisher": "I", "address": "C", "series": "S", "issn": "@", "language": "G"},
        **{"label": "F", "id": "M", "note": "Z", "edition": "7", "translator": "H", "links": ">"},
    },
    keywords="\n;,",
    shared=False,
)
REFWORKS = Dialect(
    "RefWorks",
    {
        **{"kind": "RT", "id": "ID", "title": "T1 | TI", "authors": "A1 | AU", "editor": "A2"},
        **{"venue": "JF | JO | T2", "year": "YR", "date": "FD", "volume": "VO", "number": "IS", "first_page": "SP"},
        **{
            "last_page": "OP",
            "keywords": "K1 | KW",
            "abstract": "AB",
            "note": "NO",
            "publisher": "PB",
            "address": "PP",
        },
        **{"issn": "SN", "language": "LA", "doi": "DO | DI", "url": "UL | LK", "edition": "ED", "series": "T3"},
        **{
            "medium": "SR",
            "access_date": "RD",
            "database": "DS | DB",
            "accession_number": "AN",
            "address_of_author": "AD",
        },
        **{"alternate_title": "OT | ST", "user": "U1 | U2 | U3 | U4 | U5", "call_number": "CL", "classification": "CN"},
    },
    keywords="\n;",
    shared=False,
)
OVID = Dialect(
    "Ovid",
    {
        "id": "UI | Unique Identifier | AN | Accession Number",
        "title": "TI | Title | Title Comments",
        "authors": "FA | AU | Author | Authors | Authors Full Name",
        "groups": "Corporate Author | CA",
        "venue": "JN | JT | Journal Name | Publication Name | Journal Title",
        "citation": "Source | SO",
        "abstract": "AB | Abstract",
        "year": "YR | Year of Publication | Publication Year | YP",
        "date": "DP | Date of Publication | Publication Date",
        "volume": "VO | VL | Volume",
        "number": "IP | Issue | Issue/Part",
        "pages": "PG | Pages | Page Range",
        "doi": "DO | DOI | Digital Object Identifier",
        "pmid": "PM | PMID",
        "keywords": "KW | Keywords | Keyword Heading | Keyword | MH | MeSH Subject Headings | Subject Headings",
        "kind": "PT | Publication Type",
        "language": "LG | Language",
        "publisher": "PB | Publisher",
        "issn": "IS | ISSN",
        "url": "URL | Link to the Ovid Full Text or citation",
        "institution": "IN | Institution",
    },
    NameOrder.INITIALS,
    list_end=".",
    keywords="\n;",
    shared=False,
)
COCHRANE = Dialect(
    "Cochrane",
    {
        **{"id": "ID", "title": "TI", "authors": "AU", "venue": "SO", "year": "YR", "volume": "VL", "number": "NO"},
        **{"pages": "PG", "pmid": "PM", "doi": "DOI", "abstract": "AB", "keywords": "KY", "url": "US", "kind": "PT"},
        **{"issn": "SN", "publisher": "PB", "address": "CY", "database": "DB", "accession": "XR"},
    },
    NameOrder.INITIALS,
    keywords=";,",
    shared=False,
)


TABLES = (
    *(ZOTERO, SCOPUS, WEB_OF_SCIENCE, WEB_OF_SCIENCE_EXCEL, IEEE, EMBASE, PUBMED, LENS, DIMENSIONS, COVIDENCE, RAYYAN),
    *(EBSCO, SPRINGER, PUBLISH_OR_PERISH, GOOGLE_SCHOLAR, OPENALEX, PROQUEST),
    OVID,
)
"""The dialects of tables."""


def dialect_of(columns: Iterable[str]) -> Dialect | None:
    """The dialect that shares most of these columns; None if the table is not an export."""
    keys = {column_key(column) for column in columns}
    dialect = max(TABLES, key=lambda dialect: (len(keys & dialect.own_keys), len(keys & dialect.column_keys)))
    is_described = any(keys.intersection(dialect.fields.get(name, ())) for name in ("title", "abstract"))
    return dialect if keys & dialect.own_keys and is_described else None
