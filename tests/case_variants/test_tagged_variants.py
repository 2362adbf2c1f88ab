"""Tagged records: Refer, Web of Science, RefWorks, Ovid, Cochrane, ERIC, RIS and PubMed, under any ending."""

from __future__ import annotations

from pathlib import Path

import pytest

from case_reading import is_refused, names, prose, read_papers
from conspectus.records import ParsedPaper

FIRST, SECOND = "Lichens on granite walls", "Mosses of old roofs"
ABSTRACT = "Lichens grow slowly on granite. We measured their edges for ten years."

REFER = f"""%0 Journal Article
%T {FIRST}
%A Ferreira, Inês
%A Novák, Jan
%J Wall Botany
%V 7
%N 2
%P 101-118
%D 2016
%R 10.5555/wb.2016.7
%K lichens
granite
%X Lichens grow slowly on granite.
We measured their edges for ten years.
%U https://wb.example/7

%0 Book Section
%T {SECOND}
%A Haddad, Lina
%E Editor, One
%B Handbook of roofs
%I Roof Press
%D 2018
"""
WOS = f"""FN Thomson Reuters Web of Science\u2122
VR 1.0
PT J
AU Ferreira, I
   Novak, J
AF Ferreira, Ines
   Novak, Jan
TI {FIRST[:11]}
   {FIRST[11:].strip()}
SO WALL BOTANY
LA English
DT Article
DE lichens; granite
ID GROWTH; AGE
AB Lichens grow slowly on granite.
   We measured their edges for ten years.
C1 [Ferreira, Ines] Univ Porto, Porto, Portugal.
CR Abel T, 2001, WALL BOT, V3, P1
   Bo L, 2003, ROOFS, V9, P12
NR 2
TC 5
PD FEB
PY 2016
VL 7
DI 10.5555/wb.2016.7
UT WOS:000370000000001
ER

PT J
AU Haddad, L
TI {SECOND}
SO ROOFS
PY 2018
UT WOS:000370000000002
ER
"""
REFWORKS = f"""RT Journal Article
SR Electronic
ID 1
A1 Ferreira,Inês
A1 Novák,Jan
T1 {FIRST}
JF Wall Botany
YR 2016
VO 7
IS 2
SP 101
OP 118
K1 lichens
K1 granite
AB {ABSTRACT}
DO 10.5555/wb.2016.7
LA English

RT Book, Section
SR Print
ID 2
A1 Haddad,Lina
T1 {SECOND}
T2 Handbook of roofs
YR 2018
"""
OVID_TAGS = f"""VN  - Ovid Technologies
DB  - Ovid MEDLINE(R) <1996 to November 2026>
AN  - 26800001
UI  - 26800001
TI  - {FIRST}.
SO  - Wall Botany. 7(2):101-118, 2016 Feb.
VI  - 1
AU  - Ferreira I
AU  - Novak J
FA  - Ferreira, Ines
FA  - Novak, Jan
AB  - Lichens grow slowly on granite.
      We measured their edges for ten years.
DO  - https://dx.doi.org/10.5555/wb.2016.7
YR  - 2016

VN  - Ovid Technologies
DB  - Ovid MEDLINE(R) <1996 to November 2026>
AN  - 26800002
UI  - 26800002
TI  - {SECOND}.
SO  - Roofs. 1(1):1-9, 2018.
AU  - Haddad L
YR  - 2018
"""
OVID_FIELDS = f"""<1>
Unique Identifier
  26800001
Title
  {FIRST}.
Source
  Wall Botany. 7(2):101-118, 2016 Feb.
Author
  Ferreira I; Novak J.
Abstract
  Lichens grow slowly on granite. We measured their edges for ten years.
DOI
  10.5555/wb.2016.7
Year of Publication
  2016

<2>
Unique Identifier
  26800002
Title
  {SECOND}.
Source
  Roofs. 1(1):1-9, 2018.
Author
  Haddad L.
Year of Publication
  2018
"""
COCHRANE = f"""Record #1 of 2
ID: CN-01140001
AU: Ferreira I
AU: Novak J
TI: {FIRST}
SO: Wall Botany
YR: 2016
VL: 7
NO: 2
PG: 101-118
AB: {ABSTRACT}
DOI: 10.5555/wb.2016.7

Record #2 of 2
ID: CN-01140002
AU: Haddad L
TI: {SECOND}
SO: Roofs
YR: 2018
"""
ERIC = f"""
OWN - ERIC
TI  - {FIRST}
AU  - Ferreira, Inês
AU  - Novák, Jan
OID - EJ1100001
AB  - Lichens grow slowly on granite.
      We measured their edges for ten years.
DP  - 2016
JT  - Wall Botany
OT  - lichens

OWN - ERIC
TI  - {SECOND}
AU  - Haddad, Lina
OID - ED580001
DP  - 2018-05
PT  - Reports
"""
TAGGED = {
    "refer.enw": REFER,
    "refer, any text.txt": REFER,
    "refer, carriage returns.enw": REFER.replace("\n", "\r\n"),
    "refer, a mark of the encoding.txt": "\ufeff" + REFER,
    "refer, as a citation manager.ris": REFER,
    "savedrecs.ciw": WOS,
    "savedrecs.txt": WOS,
    "savedrecs, a mark of the encoding.txt": "\ufeff" + WOS + "\nEF",
    "savedrecs, no head.isi": WOS.split("\n", 2)[2],
    "refworks.txt": REFWORKS,
    "refworks, a line in front.txt": "Exported by RefWorks\n\n" + REFWORKS,
    "ovid tags.txt": OVID_TAGS,
    "ovid fields.txt": OVID_FIELDS,
    "eric.nbib": ERIC,
    "eric, as text.txt": ERIC,
    "eric, carriage returns.nbib": ERIC.replace("\n", "\r\n"),
}
"""File name -> its text. The endings are those with which the services offer them."""


def surnames(paper: ParsedPaper) -> list[str]:
    return [author.surname.replace("á", "a") for author in paper.metadata.authors]


@pytest.mark.parametrize("file", TAGGED)
def test_tagged_records_are_known_by_their_content(tmp_path: Path, file: str) -> None:
    """A search result of a hundred papers would become one paper of prose, or be refused for its name."""
    path = tmp_path / file
    path.write_bytes(TAGGED[file].encode())
    one, other = read_papers(path)
    found = one.metadata
    assert [found.title.removesuffix("."), other.metadata.title.removesuffix(".")] == [FIRST, SECOND]
    assert (surnames(one), surnames(other)) == (["Ferreira", "Novak"], ["Haddad"])
    assert (found.year, other.metadata.year) == (2016, 2018)
    assert " ".join(found.abstract.split()) == ABSTRACT and prose(one) == [found.abstract]
    assert found.venue.lower().startswith("wall botany")
    assert "eric" in file or found.doi == "10.5555/wb.2016.7"


def test_records_of_a_further_service_are_no_prose(tmp_path: Path) -> None:
    """A trial register's export would become one paper whose text is tags."""
    path = tmp_path / "citation-export.txt"
    path.write_text(COCHRANE, "utf-8")
    if not is_refused(path):
        assert [paper.metadata.title for paper in read_papers(path)] == [FIRST, SECOND]


def test_keywords_of_tagged_records(tmp_path: Path) -> None:
    """A filter by keyword would not find papers of these sources."""
    for file in ("refer.enw", "savedrecs.ciw", "refworks.txt"):
        path = tmp_path / file
        path.write_text(TAGGED[file], "utf-8")
        assert read_papers(path)[0].metadata.keywords[:2] == ("lichens", "granite"), file


def test_text_about_tags_stays_text(tmp_path: Path) -> None:
    """A note on formats would be read as a bibliography."""
    path = tmp_path / "note.txt"
    path.write_text(
        "A note on formats\n\nRefer marks its fields with a sign of percent.\n%A is the author and %T the title, which "
        "all of us had to learn.\n\nTY and ER begin and end a record of RIS, as everybody knows by now.\n",
        "utf-8",
    )
    (paper,) = read_papers(path)
    assert any("begin and end a record" in text for text in prose(paper))


# RIS

RIS_END = "ER  - \n"
RIS = {
    "a provider's head": (
        "Provider: River Press\nDatabase: River Online\nContent:text/plain; charset=\"UTF-8\"\n\n\n"
        f"TY  - JOUR\nTI  - {FIRST}\nAU  - Ferreira, I.\nPY  - 2016\n{RIS_END}\n\n"
        f"TY  - JOUR\nTI  - {SECOND}\nAU  - Haddad, L.\nPY  - 2018\n{RIS_END}"
    ),
    "numbers between the records": (
        f"1.\nTY  - JOUR\nTI  - {FIRST}\nAU  - Ferreira, I.\nPY  - 2016\n{RIS_END}\n"
        f"2.\nTY  - JOUR\nTI  - {SECOND}\nAU  - Haddad, L.\nPY  - 2018\n{RIS_END}"
    ),
    "the database in front of each": (
        f"DB  - PsyBase\nAN  - 2016-1\nTY  - JOUR\nTI  - {FIRST}\nAU  - Ferreira, I.\nPY  - 2016\n{RIS_END}\n"
        f"DB  - PsyBase\nAN  - 2018-2\nTY  - CHAP\nTI  - {SECOND}\nAU  - Haddad, L.\nPY  - 2018\n{RIS_END}"
    ),
    "title and author in front of the type": (
        f"T1  - {FIRST}\nA1  - Ferreira, I.\nTY  - JOUR\nY1  - 2016///\n{RIS_END}"
        f"T1  - {SECOND}\nA1  - Haddad, L.\nTY  - JOUR\nY1  - 2018///\n{RIS_END}"
    ),
    "no end of the last record": (
        f"TY  - JOUR\nTI  - {FIRST}\nAU  - Ferreira, I.\nPY  - 2016\n{RIS_END}\n"
        f"TY  - JOUR\nTI  - {SECOND}\nAU  - Haddad, L.\nPY  - 2018\n"
    ),
    "a rule between the records": (
        f"TY  - JOUR\nTI  - {FIRST}\nAU  - Ferreira, I.\nPY  - 2016\n{RIS_END}\n-----\n\n"
        f"TY  - JOUR\nTI  - {SECOND}\nAU  - Haddad, L.\nPY  - 2018\n{RIS_END}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", RIS.values(), ids=RIS)
def test_records_of_ris_in_any_order(tmp_path: Path, text: str) -> None:
    """A record would be refused, or get the author of the one before."""
    path = tmp_path / "list.ris"
    path.write_text(text, "utf-8")
    one, other = read_papers(path)
    assert [one.metadata.title, other.metadata.title] == [FIRST, SECOND]
    assert (surnames(one), surnames(other)) == (["Ferreira"], ["Haddad"])
    assert (one.metadata.year, other.metadata.year) == (2016, 2018)


VENUES = {
    "blank T2, JF": ("JOUR", "T2  -    \nJF  - Wall Botany\n", "Wall Botany"),
    "JF empty, JO": ("JOUR", "JF  - \nJO  - Wall Bot.\n", "Wall Bot."),
    "T2 alone": ("JOUR", "T2  - Wall Botany\n", "Wall Botany"),
    "T2 is a title, JF": ("JOUR", "T2  - In three parts\nJF  - Wall Botany\nJA  - Wall Bot\n", "Wall Botany"),
    "the same in both": ("JOUR", "T2  - Wall Botany\nJO  - Wall Botany\n", "Wall Botany"),
    "a chapter": ("CHAP", "T2  - Handbook of roofs\nPB  - Roof Press\n", "Handbook of roofs"),
    "a chapter, BT": ("CHAP", "BT  - Handbook of roofs\nT3  - Roofs and walls\n", "Handbook of roofs"),
    "proceedings": ("CPAPER", "T2  - Meeting of wall botanists\n", "Meeting of wall botanists"),
    "a conference with a journal": ("CONF", "JO  - \nT2  - Walls 2016\nT3  - Series\n", "Walls 2016"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "tags", "venue"), VENUES.values(), ids=VENUES)
def test_the_venue_of_ris(tmp_path: Path, kind: str, tags: str, venue: str) -> None:
    """A citation would name no journal, or a subtitle as the journal."""
    path = tmp_path / "venue.ris"
    path.write_text(f"TY  - {kind}\nTI  - {FIRST}\n{tags}PY  - 2016\n{RIS_END}", "utf-8")
    assert read_papers(path)[0].metadata.venue == venue


DATES = {
    "the day of the same year": ("PY  - 2013\nDA  - 2013/05/28\n", {(2013, "2013-05-28")}),
    "an export's day": ("PY  - 2013\nDA  - 2021/01/01\n", {(2013, "2013"), (2013, ""), (2021, "2021-01-01")}),
    "the day of access": ("Y1  - 2011//\nY2  - 2021/5/1/\n", {(2011, "2011"), (2011, "")}),
    "an empty PY": ("PY  - \nY1  - 2011/03//\n", {(2011, "2011-03")}),
    "a month and a season": ("PY  - 2011/03//Spring\n", {(2011, "2011-03")}),
    "the year at the end": ("PY  - 2011\nDA  - 28 May 2011\n", {(2011, "2011-05-28"), (2011, "2011"), (2011, "")}),
}


@pytest.mark.parametrize(("tags", "right"), DATES.values(), ids=DATES)
def test_year_and_date_of_ris_agree(tmp_path: Path, tags: str, right: set[tuple[int, str]]) -> None:
    """A paper would be cited with one year and sorted by another."""
    path = tmp_path / "dates.ris"
    path.write_text(f"TY  - JOUR\nTI  - {FIRST}\n{tags}{RIS_END}", "utf-8")
    found = read_papers(path)[0].metadata
    assert (found.year, found.date) in right


# PubMed

SUFFIXES = {
    "Jr": ("FAU - King, Martin L Jr\nAU  - King ML Jr\n", "Martin L King Jr", "King"),
    "3rd": ("FAU - Whitfield, John B 3rd\nAU  - Whitfield JB 3rd\n", "John B Whitfield 3rd", "Whitfield"),
    "Sr": ("FAU - Davis, Sam Sr\nAU  - Davis S Sr\n", "Sam Davis Sr", "Davis"),
    "2nd": ("FAU - Van der Meer, Otto 2nd\nAU  - Van der Meer O 2nd\n", "Otto Van der Meer 2nd", "Van der Meer"),
    "none": ("FAU - Junior, Maria\nAU  - Junior M\n", "Maria Junior", "Junior"),
    "a name of two letters": ("FAU - Sr, Rita\nAU  - Sr R\n", "Rita Sr", "Sr"),
}  # fmt: skip


@pytest.mark.parametrize(("tags", "name", "surname"), SUFFIXES.values(), ids=SUFFIXES)
def test_suffixes_of_names_in_pubmed(tmp_path: Path, tags: str, name: str, surname: str) -> None:
    """An author would be called 'Martin L Jr King'."""
    path = tmp_path / "suffix.nbib"
    path.write_text(f"PMID- 30000001\nTI  - {FIRST}.\n{tags}DP  - 2010\n", "utf-8")
    (paper,) = read_papers(path)
    assert [found.replace(",", "") for found in names(paper)] == [name]
    assert paper.metadata.authors[0].surname == surname
