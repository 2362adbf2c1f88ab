"""The simulator of services: what it finds, in which shape, and what goes wrong on request."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from lxml import etree

from conspectus.records import Author, Metadata
from conspectus.settings import load_settings
from conspectus_evaluations.simulator import SERVICES, Faults, Simulator, read_corpus, server
from shared_data import data_folder

JATS = b"<article><front><article-meta/></front><body><p>Cells fire.</p></body></article>"
RECORDS: list[Any] = [
    {
        "title": "Place cells in the hippocampus of rats",
        "abstract": "Place cells fire at a place. Sleep replays them.",
        "authors": ["O'Keefe, John", "Nadel, Lynn"],
        "year": 1978,
        "doi": "10.1000/place",
        "pmid": "11",
        "pmcid": "PMC101",
        "venue": "Journal of Maps",
        "mesh": ["CA1 Region, Hippocampal"],
        "jats": JATS,
    },
    {
        "title": "Grid cells",
        "abstract": "Grid cells of the entorhinal cortex tile space; the hippocampus reads them.",
        "authors": ["Edvard Moser"],
        "date": "2005-08-11",
        "doi": "10.1000/grid",
        "arxiv_id": "0508.00001",
        "categories": ["q-bio.NC"],
        "references": ["doi:10.1000/place"],
        "retracted": True,
    },
    Metadata(
        title="Sleep and memory",
        abstract="Memory needs sleep.",
        authors=(Author("Ada Moser", "Moser", "Ada", "0000-0002-1825-0097"),),
        year=2010,
        arxiv_id="1001.00002",
        references=("10.1000/grid", "10.1000/unknown"),
    ),
    {"title": "Lace plants", "abstract": "Leaves of the lace plant have holes.", "year": 2010},
]


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    narrower = {"hippocampus": frozenset({"hippocampus", "ca1 region, hippocampal"})}
    with Simulator(RECORDS, narrower=narrower) as made:
        yield made


def send(request: str | Request) -> bytes:
    try:
        with urlopen(request) as reply:
            return reply.read()
    except HTTPError as error:
        error.close()
        raise


def ask(simulator: Simulator, path: str, **params: str | int) -> bytes:
    return send(f"{simulator.url}/{path}?{urlencode(params)}")


def ask_json(simulator: Simulator, path: str, **params: str | int) -> Any:
    return json.loads(ask(simulator, path, **params))


def post(simulator: Simulator, path: str, body: bytes) -> bytes:
    return send(Request(f"{simulator.url}/{path}", body))


def titles_of(simulator: Simulator, query: str) -> list[str]:
    rows = ask_json(simulator, "europepmc/search", query=query, format="json")["resultList"]["result"]
    return [row["title"].split()[0] for row in rows]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("hippocampus place", ["Place", "Grid"]),  # any of the words, the better one first
        ("hippocampus AND place", ["Place"]),
        ("(sleep OR leaves) AND PUB_YEAR:[2010 TO 2015]", ["Lace", "Sleep"]),
        ("sleep NOT memory", ["Place"]),
        ('"place cells"', ["Place"]),
        ('"cells place"', []),
        ('AUTH:"Moser A"', ["Sleep"]),
        ('AUTHORID:"0000-0002-1825-0097"', ["Sleep"]),
        ('MESH:"Hippocampus"', ["Place"]),
        ('JOURNAL:"Journal of Maps"', ["Place"]),
        ("TITLE:(grid AND cells)", ["Grid"]),
        ("EXT_ID:11 OR DOI:10.1000/grid", ["Place", "Grid"]),
        ("OPEN_ACCESS:y", ["Place"]),
        ("CITES:11_MED", ["Grid"]),
        ("Why is there sleep: a question?", ["Sleep", "Place"]),
        ("of the", ["Place", "Grid", "Sleep", "Lace"]),
        ("nothing-like-it", []),
    ],
)
def test_queries_of_europe_pmc(simulator: Simulator, query: str, titles: list[str]) -> None:
    """A search that works here would find something else at the real service."""
    found = titles_of(simulator, query)
    assert found == titles


@pytest.mark.parametrize("query", ["(sleep", "sleep)", "AND sleep", "sleep OR"])
def test_a_query_that_cannot_be_read_is_refused(simulator: Simulator, query: str) -> None:
    """A wrongly quoted question would look like one without results."""
    with pytest.raises(HTTPError) as caught:
        titles_of(simulator, query)
    assert caught.value.code == 400


def test_every_word_where_services_want_it() -> None:
    """Whole questions would be measured as if Europe PMC answered them with the nearest papers."""
    with Simulator(RECORDS, every_word=True) as simulator:
        assert titles_of(simulator, "the hippocampus of rats") == ["Place"]
        assert titles_of(simulator, "hippocampus leaves") == []
        assert sorted(titles_of(simulator, "hippocampus OR leaves")) == ["Grid", "Lace", "Place"]


def test_cursors_of_europe_pmc_bring_every_work_once(simulator: Simulator) -> None:
    """A pager tested here could lose works, or never end."""
    mark, found = "*", []
    while True:
        params = {"query": "SRC:MED", "pageSize": 3, "cursorMark": mark, "resultType": "core"}
        page = ask_json(simulator, "europepmc/search", **params)
        found += [row["title"] for row in page["resultList"]["result"]]
        if not page["resultList"]["result"]:
            break
        mark = page["nextCursorMark"]
    assert page["hitCount"] == 4
    assert sorted(found) == sorted(work.data.title for work in simulator.works)


@pytest.mark.parametrize(
    ("term", "count"),
    [
        ('"Hippocampus"[mh]', 1),
        ("hippocampus AND 1970:1980[dp]", 1),
        ("O'Keefe J[au]", 1),
        ('"place cells"[tiab] NOT sleep', 0),
        ("holes leaves", 1),
    ],
)
def test_terms_of_pubmed(simulator: Simulator, term: str, count: int) -> None:
    """A term that works here would be another one at PubMed. Only works with a PMID are there."""
    answer = ask_json(simulator, "pubmed/esearch.fcgi", db="pubmed", term=term, retmode="json")
    assert answer["esearchresult"]["count"] == str(count)
    listed = etree.fromstring(ask(simulator, "pubmed/esearch.fcgi", db="pubmed", term=term))
    assert listed.findtext("Count") == str(count)


def test_records_of_pubmed_and_pmc(simulator: Simulator) -> None:
    """Mappings would be tested against a shape that PubMed does not have."""
    form = urlencode({"db": "pubmed", "id": "11,999", "retmode": "xml"}).encode()
    articles = etree.fromstring(post(simulator, "pubmed/efetch.fcgi", form)).findall("PubmedArticle")
    assert [one.findtext("MedlineCitation/Article/ArticleTitle") for one in articles] == [RECORDS[0]["title"]]
    assert articles[0].findtext(".//ArticleId[@IdType='pmc']") == "PMC101"
    history = etree.fromstring(ask(simulator, "pubmed/esearch.fcgi", db="pmc", term="", usehistory="y"))
    web = history.findtext("WebEnv") or ""
    full = etree.fromstring(ask(simulator, "pubmed/efetch.fcgi", db="pmc", query_key=1, WebEnv=web))
    assert [one.tag for one in full] == ["article"]
    listed = etree.fromstring(ask(simulator, "pmc/", **{"list-type": 2, "prefix": "PMC101."}))
    key = listed.findtext("{*}Contents/{*}Key") or ""
    assert ask(simulator, f"pmc/{key}") == ask(simulator, "europepmc/PMC101/fullTextXML") == JATS


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        ({"search_query": "au:moser"}, ["Grid cells", "Sleep and memory"]),
        ({"search_query": "all:sleep AND submittedDate:[200901010000 TO 201012312359]"}, ["Sleep and memory"]),
        ({"search_query": "cat:q-bio*"}, ["Grid cells"]),
        ({"search_query": 'ti:"grid cells" ANDNOT abs:memory'}, ["Grid cells"]),
        ({"search_query": "cells OR sleep", "sortBy": "submittedDate"}, ["Sleep and memory", "Grid cells"]),
        ({"id_list": "1001.00002v1,0508.00001", "max_results": 1}, ["Sleep and memory"]),
        ({"search_query": "all:leaves"}, []),  # it is not on arXiv
    ],
)
def test_queries_of_arxiv(simulator: Simulator, params: dict[str, Any], titles: list[str]) -> None:
    """A search that works here would find something else at arXiv."""
    feed = etree.fromstring(ask(simulator, "arxiv/api/query", **params))
    assert [entry.findtext("{*}title") for entry in feed.findall("{*}entry")] == titles


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        ({"search": "sleep"}, ["Sleep and memory", RECORDS[0]["title"]]),
        ({"filter": "doi:10.1000/grid|https://doi.org/10.1000/place"}, [RECORDS[0]["title"], "Grid cells"]),
        ({"filter": "cites:W4000000001,publication_year:2000-2009"}, ["Grid cells"]),
        ({"filter": "is_retracted:true"}, ["Grid cells"]),
        (
            {"filter": "from_publication_date:2010-01-01", "sort": "publication_date:desc"},
            ["Sleep and memory", "Lace plants"],
        ),
    ],
)
def test_filters_of_openalex(simulator: Simulator, params: dict[str, Any], titles: list[str]) -> None:
    """A filter that works here would not at OpenAlex."""
    answer = ask_json(simulator, "openalex/works", **params)
    assert [row["title"] for row in answer["results"]] == titles
    assert answer["meta"]["count"] == len(titles)


def test_a_filter_that_openalex_does_not_have_is_refused(simulator: Simulator) -> None:
    """A slip in the name of a filter would look like a search without results."""
    with pytest.raises(HTTPError) as caught:
        ask(simulator, "openalex/works", filter="years:2010")
    assert caught.value.code == 403


def test_look_ups_by_doi(simulator: Simulator) -> None:
    """Retractions and citations would be tested against something that no service says."""
    work = ask_json(simulator, "openalex/works/doi:10.1000/grid")
    assert work["referenced_works"] == ["https://openalex.org/W4000000001"]
    known = ask_json(simulator, "crossref/works/10.1000%2Fgrid")["message"]
    assert known["title"] == ["Grid cells"]
    assert [notice["type"] for notice in known["updated-by"]] == ["retraction"]
    listed = ask_json(simulator, "crossref/works", filter="doi:10.1000/grid,doi:10.1000/no")["message"]
    assert [item["DOI"] for item in listed["items"]] == ["10.1000/grid"]
    body = json.dumps({"ids": ["DOI:10.1000/grid", "DOI:10.1000/no", "ARXIV:1001.00002"]}).encode()
    papers = json.loads(post(simulator, "semanticscholar/paper/batch?fields=title,citationCount", body))
    assert [paper and (paper["title"], paper["citationCount"]) for paper in papers] == [
        ("Grid cells", 1),
        None,
        ("Sleep and memory", 0),
    ]


def test_settings_name_no_other_address(simulator: Simulator) -> None:
    """A test with these settings would ask a real service."""
    sources = load_settings(None, simulator.settings, environ={}).sources
    asked = {name: getattr(sources, f"{name}_url") for name in SERVICES if name != "files"}
    assert all(url == f"{simulator.url}/{name}" for name, url in asked.items())
    assert sources.online


def test_works_added_and_changed_while_it_runs(simulator: Simulator) -> None:
    """What is new, and what was retracted since, could not be tested."""
    assert titles_of(simulator, "dreams") == []
    simulator.add({"title": "Dreams", "doi": "10.1000/dream", "references": ["10.1000/grid"]})
    simulator.find("10.1000/dream").retracted = True
    assert titles_of(simulator, "dreams") == ["Dreams"]
    work = ask_json(simulator, "openalex/works/doi:10.1000/dream")
    assert (work["is_retracted"], work["referenced_works"]) == (True, ["https://openalex.org/W4000000002"])


@pytest.mark.parametrize(
    ("faults", "outcome"),
    [
        (Faults(error_share=1), 503),
        (Faults(busy_share=1, retry_after="7"), 429),
        (Faults(malformed_share=1), "malformed"),
        (Faults(cut_share=1), "cut"),
        (Faults(half_share=1), (2, 4)),
        (Faults(total_factor=2.5), (4, 10)),
        (Faults(error_share=1, services=("arxiv",)), (4, 4)),
    ],
)
def test_faults(simulator: Simulator, faults: Faults, outcome: object) -> None:
    """A client would pass tests without meeting the fault that it is tested with."""
    simulator.faults = faults
    found: object
    try:
        answer = ask_json(simulator, "europepmc/search", query="SRC:MED")
        found = (len(answer["resultList"]["result"]), answer["hitCount"])
    except HTTPError as error:
        found = error.code
        assert error.headers["Retry-After"] == ("7" if error.code == 429 else None)
    except json.JSONDecodeError:
        found = "malformed"
    except Exception as error:  # noqa: BLE001
        found = "cut" if type(error).__name__ == "IncompleteRead" else error
    assert found == outcome


def test_redirects_lead_where_they_are_told(simulator: Simulator) -> None:
    """Refusing redirects to other hosts could not be tested."""
    simulator.faults = Faults(redirect_share=1, redirect_to=f"{simulator.url}/elsewhere")
    with pytest.raises(HTTPError):
        ask(simulator, "europepmc/search", query="x")
    assert simulator.requests[1].service == "elsewhere"


def test_the_same_requests_fail_each_time() -> None:
    """A test with faults would pass on some days only."""
    faults = Faults(error_share=0.05, busy_share=0.05, seed=3)
    drawn = [faults.draw("arxiv", number) for number in range(2000)]
    assert drawn == [faults.draw("pubmed", number) for number in range(2000)]
    assert 60 < drawn.count("error") < 140
    assert 60 < drawn.count("busy") < 140


def test_requests_are_noted_with_their_overlap(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits on rate and concurrency would hold in tests only because nobody looks."""
    meeting = threading.Barrier(3)
    monkeypatch.setattr(server.time, "sleep", lambda seconds: seconds and meeting.wait(60))
    simulator.faults = Faults(seconds=1)
    threads = [
        threading.Thread(target=ask, args=(simulator, "arxiv/api/query"), kwargs={"id_list": "1001.00002"})
        for _ in "123"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulator.most_at_once("arxiv") == simulator.most_within("arxiv", 60) == 3
    assert simulator.most_at_once("crossref") == 0


@pytest.mark.data
def test_corpora_of_the_shared_data() -> None:
    """Searches end to end would run on nothing, or on works that no service can name."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip("no shared data")
    record = next(iter(read_corpus("craft", folder)))
    with Simulator([record], data=folder) as simulator:
        assert simulator.works[0].pmcid
        assert ask(simulator, f"europepmc/{simulator.works[0].pmcid}/fullTextXML") == record["jats"]


def test_a_pdf_is_served_where_links_lead(tmp_path: Path) -> None:
    """Downloads of open copies could not be tested."""
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(b"%PDF-1.7 x")
    with Simulator([{"title": "A", "doi": "10.1000/a", "pdf": pdf}]) as simulator:
        place = ask_json(simulator, "openalex/works/doi:10.1000/a")["best_oa_location"]
        assert send(place["pdf_url"]) == b"%PDF-1.7 x"
