"""Which services of a run can be asked, and what the user reads where one cannot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from conspectus.core.errors import UsageError
from conspectus.core.job_context import Notice, listen
from conspectus.records import Metadata
from conspectus.services import pool as pool_module
from conspectus.services.client import ServiceClient
from conspectus.services.pool import DEFAULT_SEARCH, ServicePool, chosen_services
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery, service
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from conspectus.sources.service_states import list_services
from conspectus_evaluations.simulator import Simulator

SET = SourcesSettings(mailto="me@example.org", ads_key=Secret("key"))
WORDS = WorkQuery(words="moss")


@pytest.mark.parametrize(
    ("name", "settings", "query", "why"),
    [
        ("ads", SET, WORDS, ""),
        ("ads", SourcesSettings(), WORDS, "NASA ADS requires a key: set sources.ads.key."),
        ("unpaywall", SET, None, ""),
        ("unpaywall", SourcesSettings(), None, "Unpaywall requires an e-mail address: set sources.mailto."),
        ("unpaywall", SET, WORDS, "Unpaywall cannot be searched; it only looks up identifiers."),
        ("crossref", SET, WorkQuery(mesh="Moss"), "Crossref cannot be searched by MeSH heading."),
        ("arxiv", SET, WorkQuery(citing=Identifier("doi", "10.1000/a"), any_word=True), "arXiv cannot be searched for"),
    ],
)
def test_why_a_service_cannot_be_asked(
    name: str, settings: SourcesSettings, query: WorkQuery | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user would read that a service refuses, and not what is missing."""
    monkeypatch.delenv("ADS_API_TOKEN", raising=False)
    said = ServicePool(settings).cannot(name, query)
    assert said.startswith(why) and bool(said) == bool(why)


def test_the_cost_is_told_before_it_is_spent() -> None:
    """A user would learn what a thousand works cost when the day's money is gone."""
    nobody = {f"{name}_url": "http://127.0.0.1:9" for name in ("openalex", "crossref")}
    pool = ServicePool(SourcesSettings(**nobody))
    identifiers = [Identifier("doi", f"10.1000/{number}") for number in range(101)]
    told: list[str] = []
    with listen(lambda notice: told.append(notice.text), Notice):
        pool.find(["openalex", "crossref"], WORDS, 1000)
        pool.find(["openalex"], WorkQuery(citing=identifiers[0]), 10)
        pool.find(["openalex"], WorkQuery(words="moss", venue="Nature"), 10)
        pool.look_up_at("openalex", identifiers)
        pool.look_up_at("openalex", identifiers[:10])
    left = "$0.10 can still be spent today."
    assert [text for text in told if "can still" in text] == [
        f"OpenAlex: 10 requests for about $0.01; {left}",
        f"OpenAlex: 2 requests for about $0.0001; {left}",
        f"OpenAlex: 2 requests for about $0.002; {left}",
        f"OpenAlex: 3 requests for about $0.0002; {left}",
    ]


def test_services_by_their_names() -> None:
    """A slip in a name would search elsewhere, or nowhere."""
    assert chosen_services(["arxiv", "ads", "arxiv"]) == ("arxiv", "ads")
    assert chosen_services([]) == DEFAULT_SEARCH
    with pytest.raises(UsageError, match="'arxvi'"):
        chosen_services(["arxvi"])


SEARCHED = ("europepmc", "arxiv", "pubmed", "pmc", "crossref", "openalex", "semanticscholar")
COUNT = 1050
"""More than a page of each, and a multiple of none but PMC's."""


@pytest.fixture(scope="module")
def world() -> Iterator[Simulator]:
    works: list[Any] = [
        {
            "title": f"Moss of the site {number}",
            "abstract": "It grew.",
            "year": 2010,
            "doi": f"10.1000/moss.{number}",
            "arxiv_id": f"{1000 + number // 1000:04}.{number % 1000:05}",
            "pmid": str(5000 + number),
            "pmcid": f"PMC{9000 + number}",
            "jats": b"<article><front><article-meta><article-id pub-id-type='pmcid'>PMC%d</article-id>"
            b"<title-group><article-title>Moss</article-title></title-group></article-meta></front></article>"
            % (9000 + number),
        }
        for number in range(COUNT)
    ]
    with Simulator(works) as made:
        yield made


LIES = ("half", "growing", "nothing", "twice", "falling")
LIED_ABOUT = [
    pytest.param(name, lie, marks=pytest.mark.again if number > 1 and lie not in LIES[:2] else ())
    for number, name in enumerate(SEARCHED)
    for lie in LIES
]


@pytest.mark.parametrize(("name", "lie"), LIED_ABOUT)
def test_a_wrong_total_loses_nothing_and_is_told(
    world: Simulator, name: str, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search would end with half of the works that there are, or with one page fewer, and nobody would know."""
    factors = {"half": [0.5], "nothing": [0.0], "twice": [2.0], "growing": [0.3, 1.0], "falling": [3.0, 1.0]}[lie]
    answer = world.answer

    def lying(*request: Any) -> Any:
        world.faults = replace(world.faults, total_factor=factors.pop(0) if len(factors) > 1 else factors[0])
        return answer(*request)

    known = service(name)
    for limits in ("limits", "keyed_limits"):
        monkeypatch.setattr(known, limits, replace(known.limits, requests=1000, seconds=0.01, at_once=4), raising=False)
    monkeypatch.setattr(world, "answer", lying)
    settings = SourcesSettings(max_age=0.0, **{f"{one}_url": f"{world.url}/{one}" for one in ("pubmed", name)})
    pool = ServicePool(settings)
    found = pool.find([name], WorkQuery(words="moss"), 2 * COUNT)[name]
    [report] = pool.reports()
    assert len(found) == len({work.doi or work.extra["pmcid"] for work in found}) == COUNT
    assert report.note and report.found == COUNT


class Repeating(Service):
    """Gives one page for ever."""

    name, title, schemes, batch, page = "crossref", "Crossref", frozenset(), 1, 10
    queries = frozenset({"words"})
    limits = RateLimit()

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        client.requests += 1
        return WorkPage(tuple(Metadata(title=f"Moss {number}") for number in range(size)), 500, f"{at}+")

    def look_up(self, *_: Any) -> dict[Identifier, Metadata]:
        return {}


def test_a_service_that_repeats_a_page_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten papers would come a hundred times, and be counted as a thousand."""
    monkeypatch.setattr(pool_module, "service", lambda _: Repeating())
    pool = ServicePool(SourcesSettings())
    assert len(pool.find(["crossref"], WORDS, 400)["crossref"]) == 10
    [report] = pool.reports()
    assert report.requests == 2 and "repeats works" in report.note


@pytest.mark.parametrize("total", [-5, 10**15, 1e3, "12", None, True])
@pytest.mark.parametrize("name", ["europepmc", "crossref", "openalex", "semanticscholar", "ads", "datacite"])
def test_a_total_that_is_no_number_of_works_is_refused(name: str, total: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A negative number would end a search, and a huge one make it endless."""
    answer = {
        "hitCount": total,
        "resultList": {"result": []},
        "message": {"items": [], "total-results": total, "next-cursor": "x"},
        "meta": {"count": total, "total": total, "next_cursor": "x"},
        **{"results": [], "data": [], "total": total, "responseHeader": {"status": 0}},
        "response": {"numFound": total, "start": 0, "docs": []},
    }
    if name != "crossref":  # there a message says what is wrong
        del answer["message"]
    monkeypatch.setattr(ServiceClient, "get_json", lambda *_, **__: answer)
    pool = ServicePool(SET)
    assert pool.find([name], WORDS, 20) == {name: []}
    assert "cannot be" in pool.reports()[0].note or "answered without" in pool.reports()[0].note


def test_what_a_service_lacks_is_said_in_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user would read that Unpaywall needs nothing, and wonder why it is never asked."""
    monkeypatch.delenv("ADS_API_TOKEN", raising=False)
    missing = {one.name: one.missing for one in list_services(SourcesSettings()) if one.missing}
    assert missing == {"unpaywall": "sources.mailto", "ads": "sources.ads.key"}
    assert not [one.name for one in list_services(SET) if one.missing]
