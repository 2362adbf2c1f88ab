"""Europe PMC: half an answer, or an error in one, would be taken for all that there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.parse.registry import reader_for
from conspectus.records import Author, ParsedPaper
from conspectus.services.europepmc import EuropePMC
from conspectus.services.protocol import Identifier, WorkQuery
from scripted_service import ScriptedService

ARTICLE: dict[str, Any] = {
    "id": "31000001",
    "source": "MED",
    "pmid": "31000001",
    "pmcid": "PMC7000001",
    "doi": "10.1000/Tide.1",
    "title": "Clocks of <i>Carcinus</i> &amp; others.",
    "authorString": "Papas N, Crab Clock Consortium.",
    "authorList": {
        "author": [
            {
                "fullName": "Papas N",
                "firstName": "Nikos",
                "lastName": "Papas",
                "initials": "N",
                "authorId": {"type": "ORCID", "value": "0000-0002-1825-0097"},
                "authorAffiliationDetailsList": {"authorAffiliation": [{"affiliation": "Chania, Greece."}]},
            },
            {"collectiveName": "Crab Clock Consortium"},
        ]
    },
    "journalInfo": {
        "issue": "3",
        "volume": "12",
        "dateOfPublication": "2019 Mar",
        "yearOfPublication": 2019,
        "printPublicationDate": "2019-03-01",
        "journal": {
            "title": "Shore biology",
            "isoabbreviation": "Shore Biol",
            "issn": "0000-0019",
            "essn": "0000-0027",
        },
    },
    "pubYear": "2019",
    "pageInfo": "11-19",
    "abstractText": "<h4>Background</h4>Crabs keep time. <h4>Results</h4>p &lt; 0.01 in CO<sub>2</sub>.",
    "language": "eng",
    "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
    "meshHeadingList": {"meshHeading": [{"majorTopic_YN": "Y", "descriptorName": "Brachyura"}]},
    "keywordList": {"keyword": ["crab", "clock"]},
    "fullTextUrlList": {
        "fullTextUrl": [
            {
                "availability": "Open access",
                "availabilityCode": "OA",
                "documentStyle": "pdf",
                "site": "Europe_PMC",
                "url": "https://europepmc.org/articles/PMC7000001?pdf=render",
            },
            {"availabilityCode": "F", "documentStyle": "html", "url": "https://shore.example/free"},
            {"availabilityCode": "S", "documentStyle": "doi", "url": "https://doi.org/10.1000/tide.1"},
        ]
    },
    "commentCorrectionList": {
        "commentCorrection": [
            {
                "id": "31500000",
                "source": "MED",
                "reference": "Shore Biol. 2020 Feb 3;13(1):7",
                "type": "Retraction in",
            },
            {"id": "PPR55", "source": "PPR", "type": "Preprint in", "note": "Link created based on a title match"},
            {"id": "31000009", "source": "MED", "reference": "Shore Biol. 2019;12:20", "type": "Comment in"},
        ]
    },
    "isOpenAccess": "Y",
    "inEPMC": "Y",
    "citedByCount": 7,
    "license": "cc by",
    "firstPublicationDate": "2018-12-20",
}
PREPRINT: dict[str, Any] = {
    "id": "PPR55",
    "source": "PPR",
    "doi": "10.1101/2018.01.01.000001",
    "title": "Clocks of crabs",
    "authorString": "Papas N",
    "authorList": {"author": [{"fullName": "Papas N", "lastName": "Papas", "initials": "N"}]},
    "pubYear": "2018",
    "abstractText": "Crabs keep time.",
    "pubTypeList": {"pubType": ["Preprint"]},
    "bookOrReportDetails": {"publisher": "bioRxiv", "yearOfPublication": 2018},
    "commentCorrectionList": {"commentCorrection": [{"id": "31000001", "source": "MED", "type": "Preprint of"}]},
    "isOpenAccess": "N",
    "inEPMC": "N",
    "citedByCount": 0,
    "firstPublicationDate": "2018-01-01",
}
RELATED = [
    {"id": "31500000", "source": "MED", "doi": "10.1000/retraction.1", "firstPublicationDate": "2020-02-01"},
    {"id": "PPR55", "source": "PPR", "doi": "10.1101/2018.01.01.000001", "firstPublicationDate": "2018-01-01"},
    {"id": "31000001", "source": "MED", "doi": "10.1000/tide.1", "firstPublicationDate": "2018-12-20"},
]


def page(*results: Any, total: int | None = None, **more: Any) -> dict[str, Any]:
    count = len(results) if total is None else total
    return {"version": "6.9", "hitCount": count, "request": {}, "resultList": {"result": list(results)}, **more}


def test_each_field_of_an_article(server: ScriptedService) -> None:
    """A field in the wrong place would be in every paper that is found, and a retraction would stay unknown."""
    (work,) = server.find(EuropePMC(), WorkQuery(words="crab clocks"), page(ARTICLE), page(*RELATED[:2])).works
    assert work.title == "Clocks of Carcinus & others"
    assert work.authors == (
        Author("Nikos Papas", "Papas", "Nikos", "0000-0002-1825-0097", ("Chania, Greece.",)),
        Author("Crab Clock Consortium", "Crab Clock Consortium"),
    )
    assert work.abstract == "Background: Crabs keep time.\n\nResults: p < 0.01 in CO2."
    assert (work.year, work.date, work.venue) == (2019, "2019-03", "Shore biology")
    assert (work.doi, work.pmid, work.external_id) == ("10.1000/tide.1", "31000001", "MED:31000001")
    assert (work.keywords, work.citation_count, work.references) == (("crab", "clock"), 7, ())
    assert work.url == "https://europepmc.org/article/MED/31000001"
    assert work.extra.pop("checked") == work.extra.pop("counted")
    copy = {"licence": "cc-by", "version": "published"}
    free = {"url": "https://shore.example/free", "format": "html", "licence": "", "version": "published"}
    assert work.extra == {
        "type": "article-journal",
        "volume": "12",
        "number": "3",
        "pages": "11-19",
        "issn": "0000-0019",
        "language": "eng",
        "journal_abbreviation": "Shore Biol",
        "mesh": ["Brachyura"],
        "publication_types": ["research-article", "Journal Article"],
        "pmcid": "PMC7000001",
        "licence": "cc-by",
        "notices": [
            {"kind": "retraction", "service": "europepmc", "doi": "10.1000/retraction.1", "date": "2020-02-03"}
        ],
        "versions": {"preprint": "10.1101/2018.01.01.000001"},
        "full_text": [
            {"url": f"{server.url}/PMC7000001/fullTextXML", "format": "jats", **copy},
            {"url": "https://europepmc.org/articles/PMC7000001?pdf=render", "format": "pdf", **copy},
            free,
        ],
    }
    (_, first), (_, second) = server.asked
    assert (first["resultType"], first["cursorMark"], second["resultType"]) == ("core", "*", "lite")
    assert second["query"] == '(EXT_ID:"31500000" AND SRC:"MED") OR (EXT_ID:"PPR55" AND SRC:"PPR")'


def test_a_preprint_and_what_became_of_it(server: ScriptedService) -> None:
    """A preprint and its article would be two papers that do not know each other, or one with a wrong date."""
    wanted = Identifier("doi", "10.1101/2018.01.01.000001")
    work = server.look_up(EuropePMC(), [wanted], page(PREPRINT), page(RELATED[2]))[wanted]
    assert (work.date, work.venue, work.authors) == ("2018-01-01", "bioRxiv", (Author("N Papas", "Papas", "N"),))
    assert work.extra["versions"] == {"published": "10.1000/tide.1"}
    assert work.extra["type"] == "preprint" and "full_text" not in work.extra and "notices" not in work.extra
    assert work.citation_count == 0 and work.extra["counted"]


@pytest.mark.parametrize(
    ("changes", "notices"),
    [
        ({"pubTypeList": {"pubType": ["Retracted Publication"]}}, [("retraction", "", "")]),
        ({"pubTypeList": {"pubType": ["Retraction of Publication"]}}, []),
        *(
            ({"commentCorrectionList": {"commentCorrection": [{"type": kind, "reference": reference}]}}, found)
            for kind, reference, found in [
                ("Erratum in", "Cell. 2019 Jan; 3(1):2. doi: 10.1000/e.1", [("correction", "10.1000/e.1", "2019-01")]),
                ("Expression of concern in", "Cell. 2018;3:2", [("concern", "", "2018")]),
                ("Retraction of", "Cell. 2018;3:2", []),
                ("Partial retraction in", "", [("correction", "", "")]),
            ]
        ),
    ],
)
def test_notices(server: ScriptedService, changes: dict[str, Any], notices: list[tuple[str, str, str]]) -> None:
    """A notice of retraction would count as retracted, or a retracted paper as sound."""
    (work,) = server.find(
        EuropePMC(), WorkQuery(words="x"), page(ARTICLE | {"commentCorrectionList": {}} | changes)
    ).works
    found = [(notice["kind"], notice["doi"], notice["date"]) for notice in work.extra.get("notices", ())]
    assert found == notices and work.extra["checked"]


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (WorkQuery(words="lace plant cell death"), "lace AND plant AND cell AND death"),
        (WorkQuery(words='"cell death" in lace-plants'), '"cell death" AND "lace-plants"'),
        (WorkQuery(words='x) OR (SRC:MED AND "y" NOT z*\\'), "x AND SRC AND MED AND y AND z"),
        (WorkQuery(author='Papas N" OR SRC:MED'), 'AUTH:"Papas N OR SRC:MED"'),
        (WorkQuery(author="https://orcid.org/0000-0002-1825-009x"), 'AUTHORID:"0000-0002-1825-009X"'),
        (WorkQuery(venue="Shore biology", mesh='Brachyura"'), 'JOURNAL:"Shore biology" AND MESH:"Brachyura"'),
        (WorkQuery(words="x", first_year=2005, last_year=2015), "x AND PUB_YEAR:[2005 TO 2015]"),
        (WorkQuery(words="x", last_year=2015), "x AND PUB_YEAR:[1000 TO 2015]"),
        (WorkQuery(citing=Identifier("pmid", "31000001")), "CITES:31000001_MED"),
        (WorkQuery(cited_by=Identifier("pmid", "31000001"), words="x"), "x AND REFFED_BY:31000001_MED"),
    ],
)
def test_queries_stay_words(server: ScriptedService, query: WorkQuery, sent: str) -> None:
    """A question with brackets in it would search for something else, or for everything."""
    found = server.find(EuropePMC(), query, page())
    assert (found.works, found.total, found.next) == ((), 0, "")
    assert server.asked[0][1]["query"] == sent


def test_citations_of_a_doi(server: ScriptedService) -> None:
    """Who cites a paper is asked by its number there, which must be looked up; an unknown paper is cited by nobody."""
    service = EuropePMC()
    client = server.client(service)
    server.answers = [page({"id": "PPR9", "source": "PPR"}, {"id": "31000001", "source": "MED"}), page(ARTICLE), page()]
    found = service.find(client, WorkQuery(citing=Identifier("doi", "10.1000/tide.1")), 10)
    assert len(found.works) == 1
    assert [query["query"] for _, query in server.asked[:2]] == ['DOI:"10.1000/tide.1"', "CITES:31000001_MED"]
    server.answers = [page()]
    assert service.find(client, WorkQuery(citing=Identifier("doi", "10.1000/none")), 10).total == 0
    assert service.find(client, WorkQuery(citing=Identifier("s2", "abc")), 10).total == 0


def test_pages_follow_each_other(server: ScriptedService) -> None:
    """The second page would be the first again, or the last be missing."""
    works = [PREPRINT | {"id": f"PPR{number}", "commentCorrectionList": {}} for number in range(5)]
    places = {"*": 0, "A=": 2, "B+/": 4}
    following = {"*": "A=", "A=": "B+/", "B+/": "B+/"}

    def answer(_: str, query: dict[str, str]) -> Any:
        at, size = query["cursorMark"], int(query["pageSize"])
        return page(*works[places[at] : places[at] + size], total=5, nextCursorMark=following[at])

    server.answer = answer
    found = server.walk(EuropePMC(), WorkQuery(words="x"), 2)
    assert [work.external_id for work in found] == [f"PPR:PPR{number}" for number in range(5)]


def test_look_up_of_mixed_identifiers(server: ScriptedService) -> None:
    """A hundred identifiers would take a hundred requests, or the wrong paper be taken for one that is unknown."""
    wanted = [
        Identifier("pmid", "31000001"),
        Identifier("pmcid", "PMC7000001"),
        Identifier("doi", "10.1000/tide.1"),
        Identifier("doi", '10.1000/x") OR SRC:MED OR (DOI:"y'),
        Identifier("pmid", "5"),
    ]
    found = server.look_up(EuropePMC(), wanted, page(ARTICLE), page())
    assert list(found) == wanted[:3] and len(set(map(id, found.values()))) == 1
    assert server.asked[0][1]["query"] == (
        '(EXT_ID:"31000001" AND SRC:MED) OR PMCID:"PMC7000001" OR DOI:"10.1000/tide.1" OR '
        'DOI:"10.1000/x ) OR SRC:MED OR (DOI: y" OR (EXT_ID:"5" AND SRC:MED)'
    )
    many = [Identifier("doi", f"10.1000/{number:060}") for number in range(100)]
    assert server.look_up(EuropePMC(), many, page(), page(), page()) == {}
    sent = [query["query"] for _, query in server.asked[2:]]
    assert len(sent) == 3 and all(len(query) <= 3000 for query in sent)
    assert sum(query.count("DOI:") for query in sent) == 100


WRONG: dict[str, tuple[Any, type[ServiceError]]] = {
    "an error": ({"errCode": 404, "errMsg": "Invalid page size provided"}, ServiceError),
    "an empty page of many": (page(total=7), ServiceAwayError),
    "half a page": (page(ARTICLE, total=7), ServiceAwayError),
    "cut": (json.dumps(page(ARTICLE))[:-80], ServiceError),
    "nothing": (b"", ServiceError),
    "HTML": (b"<html>Please wait</html>", ServiceError),
    "no number": ({"resultList": {"result": []}}, ServiceError),
    "no results": ({"hitCount": 0}, ServiceError),
    "a text for the results": ({"hitCount": 1, "resultList": {"result": "x"}}, ServiceError),
    "a list for a result": ({"hitCount": 1, "resultList": {"result": [[]]}}, ServiceError),
    "deep": (b'{"hitCount":' + b"[" * 100_000, ServiceError),
    "gone": ((404, b"no"), ServiceError),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_whole_answer_is_an_error(server: ScriptedService, name: str) -> None:
    """A search would end with fewer papers than there are, and nobody would know."""
    answer, kind = WRONG[name]
    for ask, asked in ((server.find, WorkQuery(words="tides")), (server.look_up, [Identifier("pmid", "1")])):
        with pytest.raises(ServiceError) as caught:
            ask(EuropePMC(), asked, answer, page())  # type: ignore[operator]
        is_away = isinstance(caught.value, ServiceAwayError)
        assert is_away == (kind is ServiceAwayError) and "Europe PMC" in caught.value.message


def test_a_place_that_is_none_is_refused(server: ScriptedService) -> None:
    """A damaged bookmark would begin the search again."""
    with pytest.raises(ServiceError, match="place"):
        server.find(EuropePMC(), WorkQuery(words="x"), at="x y")


NAMES = st.sampled_from([*ARTICLE, "author", "keyword", "journal", "fullTextUrl", "commentCorrection", "type", "value"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(result=st.dictionaries(NAMES, JSON))
def test_any_result_is_a_work_or_an_error_of_the_service(server: ScriptedService, result: Any) -> None:
    """A record that nobody thought of would end a search with a traceback."""
    try:
        found = server.find(EuropePMC(), WorkQuery(words="x"), page(result), page())
    except ServiceError:
        return
    assert len(found.works) == 1


def test_an_answer_that_was_saved_is_read(tmp_path: Path) -> None:
    """A list saved from Europe PMC could not be added by hand."""
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(page(ARTICLE, PREPRINT)))
    reader = reader_for(path)
    assert reader.name == "json"
    items = list(reader.read(path))
    assert all(isinstance(item, ParsedPaper) for item in items)
    assert [item.metadata.doi for item in items if isinstance(item, ParsedPaper)] == [
        "10.1000/tide.1",
        "10.1101/2018.01.01.000001",
    ]
