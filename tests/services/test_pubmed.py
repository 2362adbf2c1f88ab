"""PubMed: half an answer, or an error in one, would be taken for all that there is."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.records import Author, Metadata
from conspectus.services import pubmed
from conspectus.services.protocol import Identifier, WorkQuery
from conspectus.services.pubmed import PubMed
from conspectus.settings.secret import Secret
from scripted_service import ScriptedService, esearch_reply

DOCTYPE = '<?xml version="1.0" ?><!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "https://x/y.dtd">'


def article(pmid: str, more: str = "", types: str = "Journal Article", doi: str = "") -> str:
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID><Article>
    <Journal><ISSN IssnType="Print">0000-0019</ISSN><JournalIssue><Volume>12</Volume><Issue>3</Issue><PubDate>
    <Year>2019</Year><Month>Mar</Month></PubDate></JournalIssue><Title>Shore biology</Title>
    <ISOAbbreviation>Shore Biol</ISOAbbreviation></Journal><ArticleTitle>Clocks of <i>crabs</i> {pmid}.</ArticleTitle>
    <Pagination><MedlinePgn>11-9</MedlinePgn></Pagination>
    <ELocationID EIdType="doi" ValidYN="Y">{doi or f"10.1000/c.{pmid}"}</ELocationID>
    <Abstract><AbstractText Label="AIM">Crabs keep time.</AbstractText></Abstract>
    <AuthorList><Author><LastName>Papas</LastName><ForeName>Nikos</ForeName>
    <Identifier Source="ORCID">0000-0002-1825-0097</Identifier></Author></AuthorList><Language>eng</Language>
    <PublicationTypeList><PublicationType>{types}</PublicationType></PublicationTypeList></Article>{more}
    <MeshHeadingList><MeshHeading><DescriptorName>Brachyura</DescriptorName></MeshHeading></MeshHeadingList>
    </MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>
    <ArticleId IdType="pmc">PMC7{pmid}</ArticleId></ArticleIdList></PubmedData></PubmedArticle>"""


def articles(*parts: str) -> str:
    return f"{DOCTYPE}<PubmedArticleSet>{''.join(parts)}</PubmedArticleSet>"


def only(server: ScriptedService, said: str) -> Metadata:
    """The only work of an answer."""
    (work,) = server.find(PubMed(), WorkQuery(words="x"), esearch_reply("5"), articles(said)).works
    return work


def relation(kind: str, source: str) -> str:
    inner = f"<RefSource>{source}</RefSource><PMID>9</PMID></CommentsCorrections>"
    return f'<CommentsCorrectionsList><CommentsCorrections RefType="{kind}">{inner}</CommentsCorrectionsList>'


def test_each_field_of_an_article(server: ScriptedService) -> None:
    """A field in the wrong place would be in every paper that is found."""
    work = only(server, article("5", relation("Cites", "Cell. 2001;1:2")))
    assert (work.title, work.abstract) == ("Clocks of crabs 5", "AIM: Crabs keep time.")
    assert work.authors == (Author("Nikos Papas", "Papas", "Nikos", "0000-0002-1825-0097"),)
    assert (work.year, work.date, work.venue, work.doi) == (2019, "2019-03", "Shore biology", "10.1000/c.5")
    assert (work.pmid, work.keywords, work.references) == ("5", ("Brachyura",), ("PMID:9",))
    assert work.extra.pop("checked") == f"{date.today()}"
    assert work.extra == {
        "type": "article-journal",
        "volume": "12",
        "number": "3",
        "pages": "11-9",
        "issn": "0000-0019",
        "language": "eng",
        "journal_abbreviation": "Shore Biol",
        "mesh": ["Brachyura"],
        "publication_types": ["Journal Article"],
        "pmcid": "PMC75",
    }


ARTICLE = "Journal Article"
LANCET = "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4"


@pytest.mark.parametrize(
    ("kind", "source", "types", "notices", "versions"),
    [
        ("RetractionIn", LANCET, ARTICLE, [("retraction", "10.1016/s0140-6736(10)60175-4", "2010-02-06")], {}),
        ("RetractionOf", LANCET, "Retraction of Publication", [], {}),
        ("", "", "Retracted Publication", [("retraction", "", "")], {}),
        ("ErratumIn", "Proc 2000. 1999 Nov-Dec;4(2):3", ARTICLE, [("correction", "", "1999-11")], {}),
        ("ErratumFor", LANCET, "Published Erratum", [], {}),
        ("ExpressionOfConcernIn", "Cell. 2018;3:2", ARTICLE, [("concern", "", "2018")], {}),
        ("UpdateIn", "Cell. 2021 Mar 1. doi: 10.1000/p.1", "Preprint", [], {"published": "10.1000/p.1"}),
        ("UpdateOf", "bioRxiv. 2020 May 1. doi: 10.1101/q.1", ARTICLE, [], {"preprint": "10.1101/q.1"}),
        ("UpdateOf", "Cochrane Database Syst Rev. 2008. doi: 10.1002/c", "Review", [], {}),
    ],
)
def test_notices_and_versions(
    server: ScriptedService, kind: str, source: str, types: str, notices: list[Any], versions: dict[str, str]
) -> None:
    """A retracted paper would look sound, and the notice of it retracted."""
    work = only(server, article("5", relation(kind, source), types))
    found = [(notice["kind"], notice["doi"], notice["date"]) for notice in work.extra.get("notices", ())]
    assert (found, work.extra.get("versions", {})) == (notices, versions)
    assert work.extra["type"] == ("preprint" if types == "Preprint" else "article-journal")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (WorkQuery(words="lace plant"), "(lace plant)"),
        (WorkQuery(words='"cell death" of the lace-plant'), '("cell death" lace-plant)'),
        (WorkQuery(words='x[au]) OR (#1 AND y* NOT "z'), "(x au 1 y z)"),
        (WorkQuery(mesh='Hippocampus"[Majr] OR "x', words="x"), '(x) AND "Hippocampus Majr OR x"[MeSH Terms]'),
        (WorkQuery(mesh="Receptors, Serotonin, 5-HT1 (x)"), '"Receptors, Serotonin, 5-HT1 (x)"[MeSH Terms]'),
        (WorkQuery(author='Papas N"[au] OR x'), "Papas N au OR x[Author]"),
        (WorkQuery(author="0000-0002-1825-0097"), "orcid 0000-0002-1825-0097[auid]"),
        (WorkQuery(venue="Shore biology"), '"Shore biology"[Journal]'),
        (WorkQuery(words="x", first_year=2005, last_year=2015), "(x) AND 2005:2015[pdat]"),
        (WorkQuery(words="x", first_year=2005), "(x) AND 2005:3000[pdat]"),
    ],
)
def test_queries_stay_words(server: ScriptedService, query: WorkQuery, sent: str) -> None:
    """A question with brackets in it would search for something else, or for everything."""
    found = server.find(PubMed(), query, esearch_reply())
    assert (found.works, found.total, found.next) == ((), 0, "")
    assert server.asked[0][1]["term"] == sent


def test_who_asks_is_told(server: ScriptedService) -> None:
    """NCBI blocks programs that do not say who they are; a key permits ten requests a second."""
    service = PubMed()
    server.answers = [esearch_reply()]
    client = server.client(service, mailto="a@b.example", pubmed_key=Secret("s3cret"))
    service.find(client, WorkQuery(words="x"), 10)
    ((path, query),) = server.asked
    assert path == "/esearch.fcgi" and query["db"] == "pubmed"
    assert (query["api_key"], query["email"], query["tool"]) == ("s3cret", "a@b.example", "conspectus")
    assert PubMed.keyed_limits.requests == 10 and PubMed.limits.requests == 3


def test_an_unknown_descriptor_finds_nothing(server: ScriptedService) -> None:
    """PubMed leaves what it does not know out of a search: a wrong descriptor would find everything else."""
    unknown = "<ErrorList><PhraseNotFound>Hippocampos[MeSH Terms]</PhraseNotFound></ErrorList>"
    assert (
        server.find(PubMed(), WorkQuery(mesh="Hippocampos"), esearch_reply(*range(10), count=4000, more=unknown)).total
        == 0
    )


DEEPEST = 499
"""Works that the server below lists of a search, in place of PubMed's 9,999."""


class Entrez:
    """Works by number, each taken up on a day."""

    def __init__(self, days: dict[int, date]) -> None:
        self.days = days

    def __call__(self, path: str, query: dict[str, str]) -> str:
        if path == "/efetch.fcgi":
            return articles(*map(article, query["id"].split(",")))
        low, high = query.get("mindate", "1000/01/01"), query.get("maxdate", "3000/01/01")
        ids = [number for number, day in sorted(self.days.items()) if low <= f"{day:%Y/%m/%d}" <= high]
        start, size = int(query["retstart"]), int(query["retmax"])
        if start >= DEEPEST:
            fault = f"Search Backend failed: retstart cannot be larger than {DEEPEST - 1}"
            return f"<eSearchResult><ERROR>{fault}</ERROR></eSearchResult>"
        return esearch_reply(*ids[start : min(start + size, DEEPEST)], count=len(ids))


@pytest.fixture
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pubmed, "_DEEPEST", DEEPEST)


@pytest.mark.usefixtures("fewer")
def test_more_works_than_pubmed_lists(server: ScriptedService) -> None:
    """A category with 12,000 works would end at 9,999, and nobody would know."""
    days = {
        number: date(2000 + number % 20, 1 + number % 12, 1 + number % 28) if number > 300 else date(1975, 1, 1)
        for number in range(1, 1_201)
    }
    server.answer = Entrez(days)
    found = server.walk(PubMed(), WorkQuery(mesh="Hippocampus"), 200)
    assert sorted(int(work.pmid) for work in found) == sorted(days)
    assert sum(path == "/esearch.fcgi" for path, _ in server.asked) < 40


@pytest.mark.usefixtures("fewer")
def test_a_search_by_words_begins_with_the_best(server: ScriptedService) -> None:
    """The best works would come last, mixed with the rest."""
    days = {number: date(2000 + number // 50, 3, 1) for number in range(1, 520)}
    server.answer = Entrez(days)
    found = [int(work.pmid) for work in server.walk(PubMed(), WorkQuery(words="x"), 200)]
    assert found[:DEEPEST] == list(range(1, DEEPEST + 1))
    assert set(found) == set(days)


@pytest.mark.usefixtures("fewer")
def test_a_day_with_too_many_works_is_an_error(server: ScriptedService) -> None:
    """What cannot be split would be lost in silence."""
    server.answer = Entrez(dict.fromkeys(range(1, 520), date(2001, 3, 1)))
    with pytest.raises(ServiceError, match="on one day"):
        server.walk(PubMed(), WorkQuery(mesh="Hippocampus"), 200)


def test_look_up_of_mixed_identifiers(server: ScriptedService) -> None:
    """A hundred identifiers would take a hundred requests, or a work that is left out be taken for unknown."""
    wanted = [
        Identifier("pmid", "5"),
        Identifier("doi", "10.1000/c.6"),
        Identifier("pmid", "7"),
        Identifier("pmid", "0x"),
    ]
    found = server.look_up(PubMed(), wanted, esearch_reply("6"), articles(article("5"), article("6")), esearch_reply())
    assert [(str(key), work.pmid) for key, work in found.items()] == [("pmid:5", "5"), ("doi:10.1000/c.6", "6")]
    queries = [query for _, query in server.asked]
    assert [query.get("term", query.get("id")) for query in queries] == ['"10.1000/c.6"[doi]', "5,7,6", "7[uid]"]
    with pytest.raises(ServiceAwayError, match="without 1 of 2"):
        server.look_up(PubMed(), [wanted[0], wanted[2]], articles(article("5")), esearch_reply("7"))


def test_a_thousand_numbers_take_five_requests(server: ScriptedService) -> None:
    """One request each would take five minutes at NCBI's limit."""
    server.answer = Entrez({})
    service = PubMed()
    client = server.client(service)
    wanted = [Identifier("pmid", str(number)) for number in range(1, 1001)]
    for first in range(0, 1000, service.batch):
        assert len(service.look_up(client, wanted[first : first + service.batch])) == service.batch
    assert len(server.asked) == 5


SEARCHES: dict[str, tuple[Any, type[ServiceError]]] = {
    "a failed search": ("<eSearchResult><ERROR>Search Backend failed: x</ERROR></eSearchResult>", ServiceAwayError),
    "a failed search in JSON": ('{"esearchresult":{"ERROR":"Search Backend failed: x"}}', ServiceAwayError),
    "a limit in JSON": ('{"error":"API rate limit exceeded","count":"11"}', ServiceAwayError),
    "a refusal": ("<eSearchResult><ERROR>Invalid db name specified: x</ERROR></eSearchResult>", ServiceError),
    "a refused key": ('{"error":"API key invalid"}', ServiceError),
    "an empty page of many": (esearch_reply(count=42), ServiceAwayError),
    "half a page": (esearch_reply(1, 2, count=42), ServiceAwayError),
    "cut": (esearch_reply(1, 2)[:-30], ServiceAwayError),
    "nothing": (b"", ServiceAwayError),
    "HTML": (b"<html>Please wait<br></html>", ServiceAwayError),
    "well-formed HTML": (b"<html>Please wait</html>", ServiceError),
    "no number": (esearch_reply(1).replace("<Count>1<", "<Count>x<"), ServiceError),
    "words for ids": (esearch_reply("../x"), ServiceError),
    "an entity": (
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><eSearchResult><Count>&a;</Count></eSearchResult>',
        ServiceAwayError,
    ),
    "gone": ((404, b"no"), ServiceError),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_without_a_whole_answer_is_an_error(server: ScriptedService, name: str) -> None:
    """A search would end with fewer papers than there are, and nobody would know."""
    answer, kind = SEARCHES[name]
    with pytest.raises(ServiceError) as caught:
        server.find(PubMed(), WorkQuery(words="tides"), answer, articles(article("1"), article("2")))
    is_away = isinstance(caught.value, ServiceAwayError)
    assert is_away == (kind is ServiceAwayError) and "PubMed" in caught.value.message


RECORDS: dict[str, Any] = {
    "fewer": articles(article("1")),
    "none": articles(),
    "cut": articles(article("1"), article("2"))[:-40],
    "another": articles(article("1"), article("3")),
    "an error": "<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>",
    "nothing": b"\n",
    "deep": b"<PubmedArticleSet>" + b"<PubmedArticle>" * 500,
}


@pytest.mark.parametrize("name", RECORDS)
def test_records_that_are_not_all_there_are_an_error(server: ScriptedService, name: str) -> None:
    """Papers that were found would be lost on the way."""
    with pytest.raises(ServiceAwayError):
        server.find(PubMed(), WorkQuery(words="tides"), esearch_reply(1, 2), RECORDS[name])


def test_a_place_that_is_none_is_refused(server: ScriptedService) -> None:
    """A damaged bookmark would begin the search again."""
    for at in ("x", "9999", "5 1 2", "5 700000 600000 0", "5 999999 999999 99999"):
        with pytest.raises(ServiceError):
            server.find(PubMed(), WorkQuery(words="x"), at=at)


RECORDED = {  # PMID: date, DOI, authors, references, descriptors, PMCID
    "12091962": ("1990", "", 1, 0, 19, ""),
    "9997": ("1976-09-28", "10.1016/0005-2795(76)90109-4", 1, 0, 13, ""),
    "11748933": ("2001-06", "10.1006/cryo.2001.2328", 8, 0, 11, ""),
    "11700088": ("2001-11", "10.1006/jmre.2001.2429", 6, 0, 0, ""),
    "28775130": ("2018-02", "10.1136/oemed-2017-104431", 12, 40, 0, "PMC5771820"),
    "30108519": ("2018", "10.3389/fphys.2018.01034", 2, 53, 0, "PMC6079548"),
    "20000000": ("2009", "", 2, 0, 7, ""),
}


@pytest.mark.data
def test_recorded_answers(server: ScriptedService, data: Path) -> None:
    """What PubMed really writes would be read wrong: every field of every recorded article."""
    service, count, known = PubMed(), 0, {}
    for path in sorted((data / "api_samples" / "pubmed_eutils").glob("*.xml")):
        body = path.read_bytes()
        if b"<PubmedArticleSet" not in body:
            continue
        if path.name == "pubmed-29768149.xml":  # cut off in its middle
            server.answers = [esearch_reply("29768149"), body]
            with pytest.raises(ServiceAwayError, match="unclosed token"):
                service.find(server.client(service), WorkQuery(words="x"), 200)
            continue
        elements = ET.fromstring(body).findall("PubmedArticle")
        ids = [element.findtext("MedlineCitation/PMID") for element in elements]
        server.answers = [esearch_reply(*ids), body]
        works = service.find(server.client(service), WorkQuery(words="x"), 200).works
        assert [work.pmid for work in works] == ids
        for work, element in zip(works, elements, strict=True):
            known[work.pmid] = work
            count += _check(work, element)
    for pmid, row in RECORDED.items():
        work, extra = known[pmid], known[pmid].extra
        counts = (len(work.authors), len(work.references), len(extra.get("mesh", ())))
        assert row == (work.date, work.doi, *counts, extra.get("pmcid", ""))
    assert (count, len(known)) == (18 * 7, 7)


def _check(work: Metadata, element: ET.Element) -> int:
    """Compare a record with what the article says, read in the plainest way; returns how many fields."""
    whole = "MedlineCitation/Article/"

    def said(path: str) -> str:
        found = element.find(path)
        return "" if found is None else " ".join("".join(found.itertext()).split())

    def all_of(path: str) -> list[str]:
        return [" ".join("".join(found.itertext()).split()) for found in element.findall(path)]

    def letters(text: str) -> str:
        return "".join(re.findall(r"\w", text))

    extra = work.extra
    doi = next(
        (id.text for id in element.findall("PubmedData/ArticleIdList/ArticleId") if id.get("IdType") == "doi"), ""
    )
    pmc = next(
        (id.text for id in element.findall("PubmedData/ArticleIdList/ArticleId") if id.get("IdType") == "pmc"), ""
    )
    mesh = all_of("MedlineCitation/MeshHeadingList/MeshHeading/DescriptorName")
    fields = [
        (letters(work.title), letters(said(f"{whole}ArticleTitle"))),
        (
            letters(re.sub(r"(?m)^[A-Z ]+:", "", work.abstract)),
            letters("".join(all_of(f"{whole}Abstract/AbstractText"))),
        ),
        ([author.family for author in work.authors], all_of(f"{whole}AuthorList/Author/LastName")),
        ([author.given for author in work.authors], all_of(f"{whole}AuthorList/Author/ForeName")),
        (
            [place for author in work.authors for place in author.affiliations],
            all_of(f"{whole}AuthorList/Author/AffiliationInfo/Affiliation"),
        ),
        (str(work.year), said(f"{whole}Journal/JournalIssue/PubDate/Year")),
        (work.date[:4], said(f"{whole}Journal/JournalIssue/PubDate/Year")),
        (work.doi, (doi or "").lower()),
        (work.venue, said(f"{whole}Journal/Title")),
        (extra.get("volume", ""), said(f"{whole}Journal/JournalIssue/Volume")),
        (extra.get("number", ""), said(f"{whole}Journal/JournalIssue/Issue")),
        (extra.get("pages", ""), said(f"{whole}Pagination/MedlinePgn")),
        (extra.get("issn", ""), said(f"{whole}Journal/ISSN")),
        (extra.get("mesh", []), mesh),
        (list(work.keywords), all_of("MedlineCitation/KeywordList/Keyword") or mesh),
        (extra.get("publication_types", []), all_of(f"{whole}PublicationTypeList/PublicationType")),
        (extra.get("pmcid", ""), pmc or ""),
        (extra.get("language", ""), said(f"{whole}Language")),
    ]
    for mapped, expected in fields:
        assert mapped == expected
    return len(fields)
