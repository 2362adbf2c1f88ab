"""RIS, MEDLINE, and the XML of PubMed, arXiv and EndNote."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.registry import get_reader, reader_for
from conspectus.records import Author, ParsedPaper


def items(tmp_path: Path, name: str, text: str) -> list[Item]:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return list(reader_for(path).read(path))


def only(tmp_path: Path, name: str, text: str) -> ParsedPaper:
    (item,) = items(tmp_path, name, text)
    assert isinstance(item, ParsedPaper), item
    return item


RIS = """TY  - JOUR
AU  - Rubin, Vera C.
AU  - Ford, W. Kent, Jr.
A1  - The NASA Team
TI  - Rotational properties
  of galaxies
T2  - The Astrophysical Journal
PY  - 1980/06/01/
VL  - 238
IS  - 2
SP  - 471
EP  - 487
DO  - https://doi.org/10.1086/158003
SN  - 0004-637X
KW  - galaxies
KW  - rotation
AB  - One line.

Another line.
N1  - arXiv:2101.00001
AN  - PMID: 123
UR  - https://x.example/a
L1  - file:///home/u/a%20b.pdf
L1  - internal-pdf://1/c.pdf
ID  - rubin1980
ER  -

TY  - CONF
ER  -
AU  - Nobody
ER  -
TY  - BOOK
BT  - A Book
Y1  - 1999///
"""


def test_ris(tmp_path: Path) -> None:
    """Lost otherwise: what Zotero, EndNote and every publisher export."""
    first, empty, stray, book = items(tmp_path, "r.ris", RIS.replace("\n", "\r\n"))
    assert isinstance(first, ParsedPaper)
    data = first.metadata
    assert data.title == "Rotational properties of galaxies"
    assert data.authors == (
        Author("Vera C. Rubin", "Rubin", "Vera C."),
        Author("W. Kent Ford Jr.", "Ford", "W. Kent"),
        Author("The NASA Team", "NASA Team"),
    )
    assert (data.year, data.date, data.venue) == (1980, "1980-06-01", "The Astrophysical Journal")
    assert (data.doi, data.arxiv_id, data.pmid) == ("10.1086/158003", "2101.00001", "123")
    assert (data.keywords, data.external_id, data.url) == (("galaxies", "rotation"), "rubin1980", "https://x.example/a")
    assert data.abstract == "One line.\n\nAnother line."
    assert first.files == ("/home/u/a b.pdf", "1/c.pdf")
    assert data.extra == {
        **{"type": "article-journal", "volume": "238", "number": "2", "pages": "471-487", "issn": "0004-637X"},
        "note": "arXiv:2101.00001",
    }
    assert isinstance(empty, BadRecord)
    assert isinstance(stray, BadRecord)
    assert (empty.where, stray.where, stray.reason) == ("line 28", "line 30", "The record has neither TY nor a title.")
    assert isinstance(book, ParsedPaper)
    assert (book.metadata.title, book.metadata.year, book.metadata.extra) == ("A Book", 1999, {"type": "book"})


MEDLINE = """
PMID- 123
TI  - Rotation of
      galaxies.
AB  - BACKGROUND: Stars turn. METHODS: We looked.
FAU - Rubin, Vera C
AU  - Rubin VC
AUID- ORCID: 0000-0001-2345-678X
AD  - Dept A,
      Town.
CN  - The NASA Team
DP  - 1980 Jun 5
JT  - Journal of Galaxies
TA  - J Gal
VI  - 238
IP  - 2
PG  - 471-87
AID - S0000 [pii]
AID - 10.1086/158003 [doi]
MH  - *Galaxies/physiology
OT  - rotation
PT  - Journal Article

PMID- 124
TI  - Second.
"""


@pytest.mark.parametrize("name", ["r.nbib", "pubmed-set.txt", "r.nbib.gz"])
def test_medline(tmp_path: Path, name: str) -> None:
    """Lost otherwise: the file that PubMed's own button gives."""
    first, second = items(tmp_path, name, MEDLINE)
    assert isinstance(first, ParsedPaper)
    assert isinstance(second, ParsedPaper)
    data = first.metadata
    assert (data.title, second.metadata.title) == ("Rotation of galaxies", "Second")
    assert data.authors == (
        Author("Vera C Rubin", "Rubin", "Vera C", "0000-0001-2345-678X", ("Dept A, Town.",)),
        Author("The NASA Team", "NASA Team"),
    )
    assert data.abstract == "BACKGROUND: Stars turn.\n\nMETHODS: We looked."
    assert (data.date, data.venue, data.doi, data.pmid) == (
        "1980-06-05",
        "Journal of Galaxies",
        "10.1086/158003",
        "123",
    )
    assert data.keywords == ("rotation",)
    assert data.extra["mesh"] == ["Galaxies"]


PUBMED = """<?xml version="1.0"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://dtd.example/pubmed.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation>
<PMID Version="1">123</PMID>
<Article><Journal><ISSN>0004-637X</ISSN><JournalIssue><Volume>238</Volume><Issue>2</Issue>
<PubDate><MedlineDate>1980 Jun-Jul</MedlineDate></PubDate></JournalIssue><Title>Journal of Galaxies</Title></Journal>
<ArticleTitle>Rotation of H<sub>2</sub>O in <i>galaxies</i>.</ArticleTitle>
<Pagination><MedlinePgn>471-87</MedlinePgn></Pagination><ELocationID EIdType="doi">10.1086/158003</ELocationID>
<Abstract><AbstractText Label="AIM">Stars <b>turn</b>.</AbstractText><AbstractText>We looked.</AbstractText></Abstract>
<AuthorList><Author><LastName>Rubin</LastName><ForeName>Vera C</ForeName><Suffix>Jr</Suffix>
<Identifier Source="ORCID">https://orcid.org/0000-0001-2345-678X</Identifier>
<AffiliationInfo><Affiliation>Dept A</Affiliation></AffiliationInfo></Author>
<Author><CollectiveName>The NASA Team</CollectiveName></Author></AuthorList></Article>
<KeywordList><Keyword>rotation</Keyword></KeywordList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pmc">PMC1</ArticleId></ArticleIdList>
<ReferenceList><Reference><Citation>Someone 1970</Citation><ArticleIdList><ArticleId IdType="doi">10.1/x</ArticleId>
</ArticleIdList></Reference><Reference><Citation>Other 1971</Citation></Reference></ReferenceList></PubmedData>
</PubmedArticle><PubmedArticle><MedlineCitation><PMID>9</PMID></MedlineCitation></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID>7</PMID><Book><BookTitle>A Book</BookTitle></Book></BookDocument>
</PubmedBookArticle>
</PubmedArticleSet>"""


@pytest.mark.parametrize("name", ["p.xml", "p.xml.gz"])
def test_pubmed(tmp_path: Path, name: str) -> None:
    """Lost otherwise: what the E-utilities and the yearly baseline give."""
    first, bad, book = items(tmp_path, name, PUBMED)
    assert isinstance(first, ParsedPaper)
    data = first.metadata
    assert data.title == "Rotation of H2O in galaxies"
    assert data.authors == (
        Author("Vera C Rubin Jr", "Rubin", "Vera C", "0000-0001-2345-678X", ("Dept A",)),
        Author("The NASA Team", "NASA Team"),
    )
    assert data.abstract == "AIM: Stars turn.\n\nWe looked."
    assert (data.date, data.doi, data.pmid, data.keywords) == ("1980-06", "10.1086/158003", "123", ("rotation",))
    assert (data.references, data.extra["pmcid"]) == (("10.1/x", "Other 1971"), "PMC1")
    assert isinstance(bad, BadRecord)
    assert bad.where == "line 18"
    assert isinstance(book, ParsedPaper)
    assert (book.metadata.title, book.metadata.pmid, book.metadata.extra) == ("A Book", "7", {"type": "book"})


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
<title>arXiv Query</title><entry><id>http://arxiv.org/abs/2101.00001v2</id><title>On
 cats</title><summary>  Cats sleep. </summary><published>2021-01-02T00:00:00Z</published>
<author><name>Ann Lee</name><arxiv:affiliation>Univ A</arxiv:affiliation></author>
<arxiv:doi>10.1000/x</arxiv:doi><arxiv:journal_ref>J. Cats 1</arxiv:journal_ref>
<arxiv:primary_category term="q-bio.NC"/>
<category term="q-bio.NC"/><link href="https://arxiv.org/abs/2101.00001v2" rel="alternate"/></entry>
<entry><id>http://arxiv.org/api/errors#incorrect</id><title>Error</title>
<summary>incorrect id</summary></entry></feed>"""


def test_atom(tmp_path: Path) -> None:
    """Lost otherwise: what arXiv answers."""
    paper, error = items(tmp_path, "a.xml", ATOM)
    assert isinstance(paper, ParsedPaper)
    data = paper.metadata
    assert (data.title, data.abstract, data.date) == ("On cats", "Cats sleep.", "2021-01-02")
    assert (data.arxiv_id, data.doi, data.external_id) == ("2101.00001", "10.1000/x", "2101.00001")
    assert (data.authors, data.venue) == ((Author("Ann Lee", affiliations=("Univ A",)),), "J. Cats 1")
    assert (data.keywords, data.url) == (("q-bio.NC",), "https://arxiv.org/abs/2101.00001v2")
    assert isinstance(error, BadRecord)
    assert "incorrect id" in error.reason


ENDNOTE = """<?xml version="1.0" encoding="UTF-8" ?><xml><records><record><rec-number>5</rec-number>
<ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">Rubin, Vera C.</style></author></authors>
<secondary-authors><author>Smith, A.</author></secondary-authors></contributors>
<titles><title><style face="normal">Rotation of </style><style face="italic">galaxies</style></title>
<secondary-title>J Gal</secondary-title></titles>
<periodical><full-title>Journal of Galaxies</full-title></periodical><pages>471–487</pages><volume>238</volume>
<keywords><keyword>rotation</keyword></keywords>
<dates><year>1980</year><pub-dates><date>Jun 5</date></pub-dates></dates>
<isbn>0004-637X</isbn><electronic-resource-num>10.1086/158003</electronic-resource-num><abstract>Stars turn.</abstract>
<urls><related-urls><url>https://x.example</url></related-urls><pdf-urls><url>internal-pdf://12/a.pdf</url></pdf-urls></urls>
</record></records></xml>"""


def test_endnote(tmp_path: Path) -> None:
    """Lost otherwise: EndNote's own export with its PDFs."""
    paper = only(tmp_path, "e.xml", ENDNOTE)
    data = paper.metadata
    assert (data.title, data.venue, data.date, data.doi) == (
        "Rotation of galaxies",
        "Journal of Galaxies",
        "1980-06-05",
        "10.1086/158003",
    )
    assert data.authors == (Author("Vera C. Rubin", "Rubin", "Vera C."),)
    assert (data.url, paper.files, data.external_id) == ("https://x.example", ("12/a.pdf",), "5")
    assert data.extra == {
        **{"type": "article-journal", "volume": "238", "pages": "471-487", "issn": "0004-637X"},
        "editor": ["A. Smith"],
    }


BOMB = """<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<feed><entry><title>&b;</title></entry></feed>"""
OUTSIDE = """<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed><entry><title>&x;</title></entry></feed>"""


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, BOMB.replace("<!ENTITY a", "<!ENTITY % a")])
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    """Lost otherwise: all memory, or the files of whoever reads."""
    path = tmp_path / "x.atom"
    path.write_text(text)
    with pytest.raises(InputError, match="declares XML entities"):
        list(get_reader("atom").read(path))


def test_depth_size_and_damage_are_told(tmp_path: Path) -> None:
    """Lost otherwise: memory for a file made to take it, or the reason why a download is incomplete."""
    path = tmp_path / "x.atom"
    path.write_text("<feed>" + "<a>" * 5000)
    with pytest.raises(LimitError, match="deep"):
        list(get_reader("atom").read(path))
    path.write_text("<feed><entry><title>" + "x" * (2**24 + 10) + "</title></entry></feed>")
    with pytest.raises(LimitError, match="16 MB"):
        list(get_reader("atom").read(path))
    path.write_text("<feed><x/></feed>")
    with pytest.raises(EmptyTextError):
        list(get_reader("atom").read(path))
    path.write_text("<feed><entry><title>Good</title></entry><entry><ti")
    stream = get_reader("atom").read(path)
    assert isinstance(next(stream), ParsedPaper)
    with pytest.raises(InputError, match="not well-formed XML"):
        next(stream)
