"""Tables that databases and reference managers export, with their own columns, separators and encodings."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from case_reading import is_refused, names, read_paper, read_papers, searched
from conspectus.records import Metadata

TITLE = "Sediment transport in braided rivers"
ABSTRACT = "Braided rivers move most of their sediment in a few floods. We traced gravel with magnets for nine years."
DOI = "10.5555/braid.2014.7"


@dataclass(frozen=True)
class Export:
    """An export: its columns in their order (empty where the record says nothing), and what is expected of it."""

    cells: Mapping[str, str]
    fields: Mapping[str, object] = field(default_factory=dict)
    surnames: Sequence[str] = ("Okafor", "Lindgren")
    before: str = ""
    separator: str = ","
    encoding: str = "utf-8-sig"
    quoting: int = csv.QUOTE_MINIMAL
    file: str = "export.csv"


def columns(listed: str, **values: str) -> dict[str, str]:
    """The columns of a header line, `values` by their names with `_` for what no name of Python may have."""
    named = {name: values.pop("".join(c if c.isalnum() else "_" for c in name), "") for name in listed.split("|")}
    assert not values, values
    return named


def write(path: Path, export: Export, *, rows: int = 1) -> Path:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=export.separator, quoting=export.quoting)
    writer.writerow(export.cells)
    for _ in range(rows):
        writer.writerow(export.cells.values())
    path.write_bytes((export.before + text.getvalue()).encode(export.encoding))
    return path


FULL = {"title": TITLE, "abstract": ABSTRACT, "doi": DOI, "year": 2014, "venue": "River Studies"}
BARE = {name: value for name, value in FULL.items() if name != "abstract"}
EXPORTS = {
    "scopus, names with commas": Export(
        columns(
            "Authors|Title|Year|Source title|Volume|Issue|Art. No.|Page start|Page end|Page count|Cited by|DOI|Link|"
            "Affiliations|Authors with affiliations|Abstract|Author Keywords|Index Keywords|Document Type|"
            "Publication Stage|Access Type|Source|EID",
            Authors="Okafor, C.N., Lindgren, A.", Title=TITLE, Year="2014", Source_title="River Studies", Volume="12",
            Page_start="33", Page_end="51", Cited_by="21", DOI=DOI, Abstract=ABSTRACT,
            Link="https://www.scopus.example/inward/record.uri?eid=2-s2.0-849", Author_Keywords="gravel; floods",
            Index_Keywords="geomorphology; gravel bed", Document_Type="Article", Source="Scopus",
            Affiliations="University of Lagos; Uppsala University", EID="2-s2.0-849",
        ),
        FULL | {"citation_count": 21},
    ),
    "web of science, sheet": Export(
        columns(
            "Publication Type|Authors|Book Authors|Book Editors|Author Full Names|Group Authors|Article Title|"
            "Source Title|Book Series Title|Language|Document Type|Conference Title|Author Keywords|Keywords Plus|"
            "Abstract|Addresses|Affiliations|Cited References|Cited Reference Count|Times Cited, WoS Core|"
            "Times Cited, All Databases|180 Day Usage Count|Publisher|ISSN|Journal Abbreviation|Publication Date|"
            "Publication Year|Volume|Issue|Start Page|End Page|DOI|DOI Link|Pubmed Id|UT (Unique WOS ID)",
            Publication_Type="J", Authors="Okafor, CN; Lindgren, A", Article_Title=TITLE, Abstract=ABSTRACT, DOI=DOI,
            Author_Full_Names="Okafor, Chidi N.; Lindgren, Astrid", Source_Title="RIVER STUDIES", Pubmed_Id="24681357",
            Publication_Date="MAR 15", Publication_Year="2014", Times_Cited__WoS_Core="18", Language="English",
            Times_Cited__All_Databases="20", Cited_Reference_Count="44", Author_Keywords="gravel; floods",
        ),
        {**FULL, "venue": "RIVER STUDIES", "keywords": ("gravel", "floods"), "pmid": "24681357", "citation_count": 18},
    ),
    "web of science, savedrecs.txt": Export(
        columns(
            "PT|AU|BA|BE|GP|AF|BF|CA|TI|SO|SE|BS|LA|DT|CT|CY|CL|SP|HO|DE|ID|AB|C1|C3|RP|EM|RI|OI|FU|FP|FX|CR|NR|TC|Z9|"
            "U1|U2|PU|PI|PA|SN|EI|BN|J9|JI|PD|PY|VL|IS|PN|SU|SI|MA|BP|EP|AR|DI|DL|D2|EA|PG|WC|WE|SC|GA|PM|OA|HC|HP|DA|UT",
            PT="J", AU="Okafor, CN; Lindgren, A", AF="Okafor, Chidi N.; Lindgren, Astrid", TI=TITLE, AB=ABSTRACT,
            SO="RIVER STUDIES", LA="English", DE="gravel; floods", TC="18", PY="2014", VL="12", DI=DOI, PM="24681357",
            CR="Abel T, 2001, RIVER STUD, V3, P1; Bo L, 2003, GRAVEL, V9, P12", NR="2", UT="WOS:000333",
        ),
        {**FULL, "venue": "RIVER STUDIES", "keywords": ("gravel", "floods"), "pmid": "24681357", "citation_count": 18},
        separator="\t", encoding="utf-16", file="savedrecs.txt",
    ),
    "ieee, the search in front": Export(
        columns(
            "Document Title|Authors|Author Affiliations|Publication Title|Date Added To Xplore|Publication Year|Volume|"
            "Issue|Start Page|End Page|Abstract|ISSN|ISBNs|DOI|PDF Link|Author Keywords|IEEE Terms|INSPEC Controlled "
            "Terms|Article Citation Count|Reference Count|Publisher|Document Identifier",
            Document_Title=TITLE, Authors="C. N. Okafor; A. Lindgren", Publication_Title="River Studies",
            Publication_Year="2014", Abstract=ABSTRACT, DOI=DOI, Author_Keywords="gravel;floods", IEEE_Terms="Rivers",
            Article_Citation_Count="21", Date_Added_To_Xplore="01 Jan 2015", Document_Identifier="IEEE Journals",
        ),
        FULL | {"keywords": ("gravel", "floods"), "citation_count": 21},
        before='"https://ieeexplore.ieee.example/search/searchresult.jsp?bulkSetSize=2000&queryText=braided%20rivers"\r\n',
        quoting=csv.QUOTE_ALL,
    ),
    "embase": Export(
        columns(
            "Title|Original title|Author names|Author addresses|Correspondence address|Editors|AiP/IP entry date|Full "
            "record entry date|Source|Source title|Publication year|Volume|Issue|First page|Last page|Date of "
            "publication|Publication type|ISSN|Book publisher|Abstract|Original non-English abstract|Author keywords|"
            "Emtree drug index terms (major focus)|Emtree medical index terms|Language of article|PUI|DOI|"
            "Medline PMID|Full text link|Embase link|Copyright",
            Title=TITLE, Author_names="Okafor C.N., Lindgren A.", Source_title="River Studies", Publication_year="2014",
            Source="River Studies (2014) 12:1 (33-51). Date of Publication: March 2014", Abstract=ABSTRACT, DOI=DOI,
            Medline_PMID="24681357", Author_keywords="gravel, floods", Publication_type="Article", PUI="L600",
        ),
        FULL | {"pmid": "24681357"},
        quoting=csv.QUOTE_ALL,
    ),
    "pubmed": Export(
        columns(
            "PMID|Title|Authors|Citation|First Author|Journal/Book|Publication Year|Create Date|PMCID|NIHMS ID|DOI",
            PMID="24681357", Title=TITLE + ".", Authors="Okafor CN, Lindgren A.", Journal_Book="River Stud",
            Citation=f"River Stud. 2014 Mar;12(1):33-51. doi: {DOI}.", First_Author="Okafor CN", DOI=DOI,
            Publication_Year="2014", Create_Date="2014/03/15", PMCID="PMC4012345",
        ),
        {**BARE, "venue": "River Stud", "pmid": "24681357"},
    ),
    "lens": Export(
        columns(
            "Lens ID|Title|Date Published|Publication Year|Publication Type|Source Title|ISSNs|Publisher|Source "
            "Country|Author/s|Abstract|Volume|Issue Number|Start Page|End Page|Fields of Study|Keywords|MeSH Terms|"
            "Chemicals|Funding|Source URLs|External URL|PMID|DOI|Microsoft Academic ID|PMCID|Citing Patents Count|"
            "References|Citing Works Count|Is Open Access|Open Access License|Open Access Colour",
            Lens_ID="000-111-222-333-44X", Title=TITLE, Date_Published="2014-03-15", Publication_Year="2014",
            Source_Title="River Studies", Author_s="Chidi N Okafor; Astrid Lindgren", Abstract=ABSTRACT, DOI=DOI,
            Keywords="gravel; floods", PMID="24681357", Citing_Patents_Count="0", Citing_Works_Count="21",
            Source_URLs="https://river.example/braid https://lib.example/1", Fields_of_Study="Geology; Hydrology",
        ),
        FULL | {"date": "2014-03-15", "keywords": ("gravel", "floods"), "pmid": "24681357", "citation_count": 21},
    ),
    "dimensions, a note in front": Export(
        columns(
            "Rank|Publication ID|DOI|PMID|PMCID|ISBN|Title|Abstract|Acknowledgements|Funding|Source title|Anthology "
            "title|Book editors|Publisher|ISSN|MeSH terms|Publication date|PubYear|Publication date (online)|"
            "Publication date (print)|Volume|Issue|Pagination|Open Access|Publication Type|Authors|Authors (Raw "
            "Affiliation)|Corresponding Authors|Authors Affiliations|Times cited|Recent citations|RCR|FCR|Altmetric|"
            "Source Linkout|Dimensions URL|Fields of Research (ANZSRC 2020)",
            Rank="1", Publication_ID="pub.1012345678", DOI=DOI, PMID="24681357", Title=TITLE, Abstract=ABSTRACT,
            Source_title="River Studies", PubYear="2014", Publication_date="2014-03-15", Times_cited="21",
            Authors="Okafor, Chidi N.; Lindgren, Astrid", Recent_citations="3",
            Acknowledgements="We thank the ferrymen.",
            Authors__Raw_Affiliation_="Okafor, Chidi N. (Lagos); Lindgren, Astrid (Uppsala)",
        ),
        FULL | {"pmid": "24681357", "citation_count": 21},
        before='"About the data: Exported on Nov 26, 2026. Criteria: \'braided rivers\' in full data. © 2026 Some '
        'Company, Inc. All rights reserved. Not to be redistributed."\r\n',
    ),
    "rayyan": Export(
        columns(
            "key|title|year|month|day|journal|issn|volume|issue|pages|authors|url|language|publisher|location|abstract|"
            "notes|doi|keywords|pubmed_id|pmc_id",
            key="rayyan-1001", title=TITLE, year="2014", month="3", day="15", journal="River Studies", doi=DOI,
            authors="Okafor, Chidi N. and Lindgren, Astrid", abstract=ABSTRACT, pubmed_id="24681357",
            notes='RAYYAN-INCLUSION: {"Ana"=>"Included"}', issue="1",
        ),
        FULL | {"pmid": "24681357"},
    ),
    "ebsco": Export(
        columns(
            "Article Title|Author|Journal Title|ISSN|ISBN|Publication Date|Volume|Issue|First Page|Page Count|"
            "Accession Number|DOI|Publisher|Doctype|Subjects|Keywords|Abstract|PLink",
            Article_Title=TITLE, Author="Okafor, Chidi N.; Lindgren, Astrid", Journal_Title="River Studies",
            Publication_Date="20140315", DOI=DOI, Abstract=ABSTRACT, Accession_Number="95123456", Doctype="Article",
            Keywords="gravel; floods", PLink="https://search.example/login.aspx?db=a9h&AN=95123456",
        ),
        FULL | {"keywords": ("gravel", "floods")},
    ),
    "proquest": Export(
        columns(
            "Title|Abstract|StoreId|ArticleType|AuthorAffiliation|Authors|companies|copyright|documentType|digitalObject"
            "Identifier|entryDate|issn|language|pages|placeOfPublication|pubdate|pubtitle|year|DocumentURL|startPage|"
            "subjects|volume|issue",
            Title=TITLE, Abstract=ABSTRACT, StoreId="1520", Authors="Okafor, Chidi N; Lindgren, Astrid",
            pubdate="Mar 2014", pubtitle="River Studies", year="2014", digitalObjectIdentifier=DOI,
            copyright="Copyright River Press Mar 2014", DocumentURL="https://search.proquest.example/docview/1520",
        ),
        FULL,
    ),
    "publish or perish": Export(
        columns(
            "Cites|Authors|Title|Year|Source|Publisher|ArticleURL|CitesURL|GSRank|QueryDate|Type|DOI|ISSN|CitationURL|"
            "Volume|Issue|StartPage|EndPage|ECC|CitesPerYear|CitesPerAuthor|AuthorCount|Age|Abstract|FullTextURL",
            Cites="21", Authors="CN Okafor, A Lindgren", Title=TITLE, Year="2014", Source="River Studies", DOI=DOI,
            GSRank="1", QueryDate="2026-11-26 22:11:03", AuthorCount="2", Abstract=ABSTRACT, ECC="21", Age="12",
        ),
        FULL | {"citation_count": 21},
    ),
    "covidence, initials": Export(
        columns(
            "Title|Authors|Abstract|Published Year|Published Month|Journal|Volume|Issue|Pages|Accession Number|DOI|Ref|"
            "Covidence #|Study|Notes|Tags",
            Title=TITLE, Authors="Okafor, C. N.; Lindgren, A.", Abstract=ABSTRACT, Published_Year="2014", DOI=DOI,
            Published_Month="March", Journal="River Studies", Covidence__="#77", Study="Okafor 2014", Tags="gravel",
        ),
        FULL,
    ),
    "zotero, all columns": Export(
        columns(
            "Key|Item Type|Publication Year|Author|Title|Publication Title|ISBN|ISSN|DOI|Url|Abstract Note|Date|Date "
            "Added|Date Modified|Access Date|Pages|Num Pages|Issue|Volume|Journal Abbreviation|Short Title|Language|"
            "Rights|Extra|Notes|File Attachments|Link Attachments|Manual Tags|Automatic Tags|Editor",
            Key="QWERTY23", Item_Type="journalArticle", Publication_Year="2014", Title=TITLE, DOI=DOI, Date="2014-03",
            Author="Okafor, Chidi N.; Lindgren, Astrid", Publication_Title="River Studies", Abstract_Note=ABSTRACT,
            Date_Added="2020-01-01 10:00:00", Date_Modified="2020-02-02 10:00:00", Access_Date="2020-01-01",
            Manual_Tags="gravel; floods", Automatic_Tags="Rivers", Short_Title="Sediment transport",
            Url="https://river.example/braid", Journal_Abbreviation="River Stud.", Editor="Bo, Li",
        ),
        FULL | {"date": "2014-03"},
        quoting=csv.QUOTE_ALL,
    ),
}  # fmt: skip


def assert_fields(found: Metadata, expected: Mapping[str, object]) -> None:
    read = {name: getattr(found, name) for name in expected}
    read["title"] = found.title.removesuffix(".")
    assert read == dict(expected)


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_an_export_is_read_by_its_columns(tmp_path: Path, export: Export) -> None:
    """The first thing a user does is to bring the result of a database search; half its fields would be lost."""
    paper = read_paper(write(tmp_path / export.file, export))
    assert_fields(paper.metadata, export.fields)
    assert [author.surname for author in paper.metadata.authors] == list(export.surnames)


TWO = "Braided rivers; flood by flood", "A second river"
PLAIN = (
    f'title;authors;year;abstract\r\n"{TWO[0]}";Okafor, C.;2014;"Gravel; moved."\r\n{TWO[1]};Lindgren, A.;2015;X.\r\n'
)
SHEETS: dict[str, bytes] = {
    "utf-16 with tabs, as a spreadsheet saves Unicode text": (
        PLAIN.replace('"', "").replace(";", "\t").replace("rivers\t", "rivers;").replace("Gravel\t", "Gravel;")
    ).encode("utf-16"),
    "utf-16, big end first": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "semicolons, Windows letters": PLAIN.replace("Lindgren", "Lindgrén").encode("cp1252"),
    "sep=; and a mark of the encoding": ("sep=;\r\n" + PLAIN).encode("utf-8-sig"),
    "sep in quotes": ('"sep=;"\n' + PLAIN).encode(),
    "a name and an empty line in front": ("Search of 26 November 2026\r\n\r\n" + PLAIN).encode(),
}


@pytest.mark.parametrize("content", SHEETS.values(), ids=SHEETS)
def test_spreadsheets_of_other_countries(tmp_path: Path, content: bytes) -> None:
    """A spreadsheet program writes what its country is used to; the user did not choose that."""
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    papers = read_papers(path)
    assert [paper.metadata.title for paper in papers] == list(TWO)
    assert [paper.metadata.year for paper in papers] == [2014, 2015]
    assert papers[0].metadata.abstract == "Gravel; moved." and names(papers[0]) == ["C. Okafor"]


def test_scopus_names_are_whole_and_without_numbers(tmp_path: Path) -> None:
    """The numbers of a database would become parts of names."""
    export = Export(
        columns(
            "Authors|Author full names|Author(s) ID|Title|Year|Source title|Abstract|References|EID",
            Authors="Okafor C.N.; Lindgren A.; de la Cruz M.", Author_s__ID="571;572;573", Title=TITLE, Year="2014",
            Author_full_names="Okafor, Chidi N. (57100001); Lindgren, Astrid (57100002); de la Cruz, María (57100003)",
            Source_title="River Studies", Abstract=ABSTRACT,
            References="Abel T., Gravel of old, River Studies, 3, 1, pp. 1-9, (2001); Bo L., Floods, (2003)",
        )
    )  # fmt: skip
    paper = read_paper(write(tmp_path / "scopus.csv", export))
    assert [author.surname for author in paper.metadata.authors] == ["Okafor", "Lindgren", "de la Cruz"]
    assert not any(character.isdigit() for name in names(paper) for character in name)
    assert len(paper.metadata.references) == 2


def test_rows_stay_apart(tmp_path: Path) -> None:
    """A paper would get the words of its neighbour."""
    first = {"Lens ID": "1", "Title": TITLE, "Author/s": "Chidi Okafor", "Publication Year": "2014", "Abstract": ""}
    path = tmp_path / "lens.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*first])
        writer.writeheader()
        writer.writerow(first)
        writer.writerow(first | {"Title": "Other", "Author/s": "", "Publication Year": "", "Abstract": "Line\nline."})
    one, other = read_papers(path)
    assert (one.metadata.title, names(one), one.metadata.abstract) == (TITLE, ["Chidi Okafor"], "")
    assert (other.metadata.title, names(other), other.metadata.year) == ("Other", [], None)
    assert "Line" in other.metadata.abstract


def test_a_table_of_fields_by_row_is_read_or_refused(tmp_path: Path) -> None:
    """Embase also writes one field a line; read as a table of papers it would be nonsense."""
    path = tmp_path / "rows.csv"
    path.write_text(
        f'"RECORD 1"\n"TITLE","{TITLE}"\n"AUTHOR NAMES","Okafor C.N.","Lindgren A."\n"PUBLICATION YEAR","2014"\n'
        f'"ABSTRACT","{ABSTRACT}"\n',
        "utf-8",
    )
    if not is_refused(path):
        paper = read_paper(path)
        assert paper.metadata.title == TITLE and ABSTRACT in searched(paper)
