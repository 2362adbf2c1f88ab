"""PMC: half an answer would be taken for all that there is, and a copy that is not open for an open one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError
from conspectus.records import Author
from conspectus.services.protocol import Identifier, RateLimit, WorkQuery
from conspectus.services.pubmed import PMC, PubMed
from scripted_service import ScriptedService, esearch_reply, scripted_service

BY = '<license xlink:href="https://creativecommons.org/licenses/by/4.0/"><license-p>Open.</license-p></license>'


def jats(number: int, *, more: str = "", licence: str = BY, body: str = "<body><p>x</p></body>", **said: str) -> str:
    """An article as efetch gives it; `said` is what PMC adds about it (`prop_open_access="yes"`)."""
    pairs = ((name.replace("_", "-"), value) for name, value in said.items())
    properties = "".join(
        f"<custom-meta><meta-name>pmc-{name}</meta-name><meta-value>{value}</meta-value></custom-meta>"
        for name, value in pairs
    )
    return f"""<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article"><front><journal-meta>
    <journal-title-group><journal-title>Shore Biology</journal-title></journal-title-group></journal-meta><article-meta>
    <article-id pub-id-type="pmcid">PMC{number}</article-id>
    <article-id pub-id-type="pmcid-ver">PMC{number}.2</article-id>
    <article-id pub-id-type="pmid">3{number}</article-id><article-id pub-id-type="doi">10.1000/S.{number}</article-id>
    <title-group><article-title>Clocks of <italic>crabs</italic></article-title></title-group>
    <contrib-group><contrib contrib-type="author"><name><surname>Papas</surname><given-names>Nikos</given-names></name>
    </contrib></contrib-group><pub-date pub-type="epub"><day>7</day><month>3</month><year>2019</year></pub-date>
    <volume>12</volume><issue>3</issue><fpage>11</fpage><lpage>19</lpage>{more}
    <permissions>{licence}</permissions><abstract><p>Crabs keep time.</p></abstract>
    <kwd-group><kwd>crab</kwd></kwd-group><custom-meta-group>{properties}</custom-meta-group></article-meta></front>
    {body}<back><ref-list>
    <ref id="r1"><element-citation><pub-id pub-id-type="doi">10.1000/r.1</pub-id></element-citation></ref>
    <ref id="r2"><mixed-citation>x <pub-id pub-id-type="pmid">77</pub-id></mixed-citation></ref>
    </ref-list></back></article>"""


def articles(*parts: str) -> str:
    head = '<?xml version="1.0"?><!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" "https://x/y.dtd">'
    return f"{head}<pmc-articleset>{''.join(parts)}</pmc-articleset>"


OPEN = {"prop_open_access": "yes", "prop_has_pdf": "yes"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedService]:
    for name in ("limits", "keyed_limits"):
        monkeypatch.setattr(PubMed, name, RateLimit(requests=10_000, at_once=100))
    with scripted_service() as running:
        yield running


def test_each_field_of_an_article(server: ScriptedService) -> None:
    """A field in the wrong place would be in every paper that is found."""
    retraction = (
        '<related-article related-article-type="retraction-forward" ext-link-type="doi" xlink:href="10.1000/Gone.1"/>'
        '<related-article related-article-type="corrected-article" ext-link-type="doi" xlink:href="10.1000/other"/>'
    )
    page = server.find(
        PMC(), WorkQuery(mesh="Brachyura"), esearch_reply(107), articles(jats(107, more=retraction, **OPEN))
    )
    (work,) = page.works
    assert (page.total, page.next) == (1, "")
    assert (work.title, work.abstract, work.venue) == ("Clocks of crabs", "Crabs keep time.", "Shore Biology")
    assert work.authors == (Author("Nikos Papas", "Papas", "Nikos"),)
    assert (work.year, work.date, work.keywords) == (2019, "2019-03-07", ("crab",))
    assert (work.doi, work.pmid, work.external_id) == ("10.1000/s.107", "3107", "PMC107")
    assert work.references == ("10.1000/r.1", "PMID:77")
    copy = {"licence": "cc-by-4.0", "version": "published"}
    assert work.extra.pop("checked")
    assert work.extra == {
        "pmcid": "PMC107",
        "volume": "12",
        "issue": "3",
        "pages": "11–19",
        "licence": "cc-by-4.0",
        "notices": [{"kind": "retraction", "service": "pmc", "doi": "10.1000/gone.1", "date": ""}],
        "full_text": [
            {"url": f"{server.url}/bucket/PMC107.2/PMC107.2.xml", "format": "jats", **copy},
            {"url": f"{server.url}/bucket/PMC107.2/PMC107.2.pdf", "format": "pdf", **copy},
        ],
    }
    (path, query), (fetch, wanted) = server.asked
    assert (path, query["db"], query["term"]) == ("/esearch.fcgi", "pmc", '"Brachyura"[MeSH Terms]')
    assert (fetch, wanted["db"], wanted["id"]) == ("/efetch.fcgi", "pmc", "107")


@pytest.mark.parametrize(
    ("changes", "licence", "forms"),
    [
        (OPEN, "cc-by-4.0", ["jats published", "pdf published"]),
        ({"prop_open_access": "yes"}, "cc-by-4.0", ["jats published"]),
        ({"prop_open_access": "no", "prop_has_pdf": "yes"}, "cc-by-4.0", []),
        ({**OPEN, "body": ""}, "cc-by-4.0", []),
        ({**OPEN, "prop_manuscript": "yes", "prop_open_access": "no", "licence": ""}, "", ["jats accepted"]),
        ({**OPEN, "licence": "", "license_ref": "CC BY-NC"}, "cc-by-nc", ["jats published", "pdf published"]),
        ({**OPEN, "licence": "<license><license-p>x</license-p></license>"}, "", ["jats published", "pdf published"]),
        ({"licence": BY.replace("licenses/by/4.0", "publicdomain/zero/1.0")}, "cc0-1.0", []),
    ],
)
def test_copies_that_are_open(server: ScriptedService, changes: dict[str, str], licence: str, forms: list[str]) -> None:
    """A copy that is closed would be fetched, or an open one never."""
    (work,) = server.find(PMC(), WorkQuery(words="x"), esearch_reply(107), articles(jats(107, **changes))).works
    assert [f"{copy['format']} {copy['version']}" for copy in work.extra.get("full_text", ())] == forms
    assert work.extra.get("licence", "") == licence and work.abstract


def test_pages_follow_each_other(server: ScriptedService) -> None:
    """A category would be found in part."""

    def answer(path: str, query: dict[str, str]) -> str:
        if path == "/efetch.fcgi":
            return articles(*(jats(int(number)) for number in query["id"].split(",")))
        start, size = int(query["retstart"]), int(query["retmax"])
        return esearch_reply(*range(101, 221)[start : start + size], count=120)

    server.answer = answer
    found = server.walk(PMC(), WorkQuery(mesh="Hippocampus"), 1000)
    assert [work.external_id for work in found] == [f"PMC{number}" for number in range(101, 221)]
    assert len(server.asked) == 6


def test_look_up_of_mixed_identifiers(server: ScriptedService) -> None:
    """A hundred identifiers would take a hundred requests, or an article that is left out be taken for unknown."""
    wanted = [
        Identifier("pmcid", "PMC101"),
        Identifier("doi", "10.1000/s.102"),
        Identifier("pmid", "3103"),
        Identifier("pmcid", "PMC109"),
        Identifier("pmcid", "109 OR x"),
        Identifier("pmcid", "PMC108"),
    ]
    reply = '<Reply Id="108" error="The following PMCID is not available: 108"/>'
    found = server.look_up(
        PMC(), wanted, esearch_reply(102, 103), articles(jats(101), reply, jats(102), jats(103)), esearch_reply()
    )
    assert [(str(key), work.external_id) for key, work in found.items()] == [
        ("pmcid:PMC101", "PMC101"),
        ("doi:10.1000/s.102", "PMC102"),
        ("pmid:3103", "PMC103"),
    ]
    queries = [query.get("term", query.get("id")) for _, query in server.asked]
    assert queries == ['"10.1000/s.102"[doi] OR "3103"[pmid]', "101,109,108,102,103", "109[uid]"]
    with pytest.raises(ServiceAwayError, match="without 1 of 2"):
        server.look_up(PMC(), [wanted[0], wanted[3]], articles(jats(101)), esearch_reply(109))


RECORDS: dict[str, Any] = {
    "fewer": articles(jats(101)),
    "none": articles(),
    "cut": articles(jats(101), jats(102))[:-60],
    "an error": "<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>",
    "nothing": b"\n",
    "deep": b"<article>" * 500,
}


@pytest.mark.parametrize("name", RECORDS)
def test_articles_that_are_not_all_there_are_an_error(server: ScriptedService, name: str) -> None:
    """Papers that were found would be lost on the way."""
    with pytest.raises(ServiceAwayError):
        server.find(PMC(), WorkQuery(words="x"), esearch_reply(101, 102), RECORDS[name])
