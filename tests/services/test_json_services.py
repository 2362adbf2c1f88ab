"""What the services that answer in JSON are asked, and what is made of whole, half and wrong answers."""

from collections.abc import Iterator
from typing import Any

import pytest

from conspectus.core import http
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.services import openalex as openalex_module
from conspectus.services.client import ServiceClient
from conspectus.services.openalex import LIST_PRICE, SEARCH_PRICE
from conspectus.services.protocol import Identifier, Service, WorkPage, WorkQuery, service
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from scripted_server import ScriptedServer, scripted_server

NAMES = ("crossref", "openalex", "semanticscholar", "ads", "datacite", "unpaywall")
KEYS = {"openalex_key": Secret("oa-key"), "semanticscholar_key": Secret("s2-key"), "ads_key": Secret("ads-key")}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    monkeypatch.setattr(http.time, "sleep", lambda _: None)
    monkeypatch.setattr(openalex_module, "_SINGLY", 1)  # so that two identifiers are a list
    with scripted_server() as made:
        yield made


def client_of(name: str, server: ScriptedServer, **more: Any) -> tuple[Service, ServiceClient]:
    addresses: dict[str, Any] = {f"{each}_url": server.url for each in NAMES}
    found = service(name)
    return found, ServiceClient(found, SourcesSettings(**{**addresses, **KEYS, "mailto": "me@example.org", **more}))


def doi(value: str) -> Identifier:
    return Identifier("doi", value)


def crossref(*works: dict[str, Any], total: int | None = None, cursor: str = "c2") -> dict[str, Any]:
    size = len(works) if total is None else total
    return {"message": {"items": list(works), "total-results": size, "next-cursor": cursor}}


def openalex(*works: dict[str, Any], total: int | None = None, cursor: str | None = "c2") -> dict[str, Any]:
    return {"meta": {"count": len(works) if total is None else total, "next_cursor": cursor}, "results": list(works)}


def ads(*works: dict[str, Any], total: int | None = None, start: int = 0) -> dict[str, Any]:
    found = {"numFound": len(works) if total is None else total, "start": start, "docs": list(works)}
    return {"responseHeader": {"status": 0}, "response": found}


def datacite(*works: dict[str, Any], total: int | None = None) -> dict[str, Any]:
    return {"data": list(works), "meta": {"total": len(works) if total is None else total}}


C1, C2 = ({"DOI": f"10.1000/{name}", "title": [name.upper()], "content-domain": {}} for name in "ab")
O1, O2 = (
    {"id": f"https://openalex.org/W{n}", "doi": f"https://doi.org/10.1000/{name}", "title": name.upper()}
    for n, name in ((1, "a"), (2, "b"))
)
S1, S2 = ({"paperId": name * 40, "title": name.upper(), "externalIds": {"DOI": f"10.1000/{name}"}} for name in "ab")
A1 = {
    "bibcode": "2019ApJ...880....1A",
    "title": ["A"],
    "doi": ["10.1000/A"],
    "identifier": ["arXiv:1901.00001", "10.1000/A"],
}
A2 = {"bibcode": "2020ApJ...880....2B", "title": ["B"], "identifier": ["2020ApJ...880....2B"]}
D1, D2 = (
    {"id": f"10.1000/{name}", "attributes": {"doi": f"10.1000/{name}", "titles": [{"title": name}]}} for name in "ab"
)
EMPTY = {
    "crossref": crossref(),
    "openalex": openalex(),
    "semanticscholar": {"total": 0, "offset": 0},
    "ads": ads(),
    "datacite": datacite(),
}
ASKED: list[tuple[str, WorkQuery, str, dict[str, str]]] = [
    ("crossref", WorkQuery(words='cells, "cell death"'), "/works", {"query.bibliographic": 'cells, "cell death"'}),
    (
        "crossref",
        WorkQuery(first_year=2005, last_year=2015, author="0000-0002-1825-0097", venue="Nature"),
        "/works",
        {
            "filter": "from-pub-date:2005,until-pub-date:2015,orcid:0000-0002-1825-0097,container-title:Nature",
            "cursor": "*",
            "rows": "7",
            "mailto": "me@example.org",
        },
    ),
    (
        "crossref",
        WorkQuery(author="Ada Lund", venue="0028-0836"),
        "/works",
        {"query.author": "Ada Lund", "filter": "issn:0028-0836"},
    ),
    ("crossref", WorkQuery(venue="Cells, Tissues"), "/works", {"filter": "container-title:Cells  Tissues"}),
    (
        "openalex",
        WorkQuery(words='what is p53? "cell, death" NOT a|b', first_year=2005),
        "/works",
        {
            "search": 'what is p53 "cell death" not a b',
            "filter": "from_publication_date:2005-01-01",
            "per_page": "7",
            "cursor": "*",
            "api_key": "oa-key",
        },
    ),
    (
        "openalex",
        WorkQuery(author='O"Neil, Ann|B:c', last_year=1999),
        "/works",
        {"filter": "to_publication_date:1999-12-31,raw_author_name.search:O Neil Ann B c"},
    ),
    (
        "openalex",
        WorkQuery(author="0000-0002-1825-0097", venue="0028-0836"),
        "/works",
        {"filter": "authorships.author.orcid:0000-0002-1825-0097,primary_location.source.issn:0028-0836"},
    ),
    (
        "openalex",
        WorkQuery(citing=Identifier("openalex", "W1"), cited_by=Identifier("openalex", "W2")),
        "/works",
        {"filter": "cites:W1,cited_by:W2"},
    ),
    (
        "semanticscholar",
        WorkQuery(words="p53-related (cells)", first_year=2005, venue="Nature, Cell"),
        "/paper/search",
        {
            "query": "p53 related cells",
            "publicationDateOrYear": "2005:",
            "venue": "Nature  Cell",
            "offset": "0",
            "limit": "7",
        },
    ),
    (
        "ads",
        WorkQuery(words='dark "black hole" a:b OR "', first_year=1980),
        "/search/query",
        {
            "q": 'full:("dark" AND "black hole" AND "a:b" AND "or") AND year:[1980 TO *]',
            "rows": "7",
            "start": "0",
            "sort": "score desc",
        },
    ),
    (
        "ads",
        WorkQuery(last_year=1990, author="John Huchra", venue='A"p\\J'),
        "/search/query",
        {"q": r'year:[* TO 1990] AND author:"Huchra, John" AND (pub:"A\"p\\J" OR bibstem:"A\"p\\J")'},
    ),
    (
        "ads",
        WorkQuery(author="0000-0002-1825-0097", citing=doi('10.1000/x") OR *:*'), cited_by=Identifier("bibcode", "b")),
        "/search/query",
        {
            "q": r"orcid:0000-0002-1825-0097 AND citations(identifier:"
            r'"10.1000/x\") OR *:*") AND references(identifier:"b")'
        },
    ),
    (
        "datacite",
        WorkQuery(words='soil "x y" AND z)', first_year=2005, last_year=2006, author="Lund, Ada", venue="Zenodo"),
        "/dois",
        {
            "query": '"soil" AND "x y" AND "and" AND "z)" AND publicationYear:[2005 TO 2006]'
            ' AND creators.name:("Lund, Ada" OR "Lund, Ada")'
            ' AND (container.title:"Zenodo" OR publisher.name:"Zenodo")',
            "sort": "relevance",
            "page[size]": "7",
            "page[number]": "1",
        },
    ),
]


@pytest.mark.parametrize(("name", "query", "path", "params"), ASKED)
def test_what_a_query_becomes(
    server: ScriptedServer, name: str, query: WorkQuery, path: str, params: dict[str, str]
) -> None:
    """A word of a question would be taken for syntax, and other works be found, or none."""
    known, client = client_of(name, server)
    server.say(EMPTY[name])
    assert known.find(client, query, 7) == WorkPage((), 0)
    (asked,) = server.asked
    assert asked.path == path and {key: asked.params.get(key) for key in params} == params
    given = {field for field in WorkQuery.__dataclass_fields__ if getattr(query, field)}
    assert given <= known.queries


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [("semanticscholar", "x-api-key", "s2-key"), ("ads", "authorization", "Bearer ads-key")],
)
def test_keys_go_into_headers(server: ScriptedServer, name: str, header: str, value: str) -> None:
    """A key would be missing, or stand in an address that servers write down."""
    known, client = client_of(name, server)
    server.say(EMPTY[name])
    known.find(client, WorkQuery(words="x"), 5)
    assert server.asked[0].headers[header] == value and value not in server.asked[0].params.values()


PAGES: dict[str, tuple[tuple[Any, Any], tuple[str, str, str]]] = {
    "crossref": ((crossref(C1, total=2), crossref(C2, total=2, cursor="c3")), ("cursor", "*", "c2")),
    "openalex": ((openalex(O1, total=2), openalex(O2, total=2, cursor=None)), ("cursor", "*", "c2")),
    "semanticscholar": (({"total": 2, "next": 1, "data": [S1]}, {"total": 2, "data": [S2]}), ("offset", "0", "1")),
    "ads": ((ads(A1, total=2), ads(A2, total=2, start=1)), ("start", "0", "1")),
    "datacite": ((datacite(D1, total=2), datacite(D2, total=2)), ("page[number]", "1", "2")),
}

LAST = {"crossref": crossref(total=2), "ads": ads(total=2, start=2), "datacite": datacite(total=2)}


@pytest.mark.parametrize("name", PAGES)
def test_pages_follow_one_another_and_end(server: ScriptedServer, name: str) -> None:
    """Works would be missing or come twice, or paging never end."""
    (first, second), (param, here, there) = PAGES[name]
    known, client = client_of(name, server)
    server.say(first)
    server.say(second)
    one = known.find(client, WorkQuery(words="x"), 1)
    two = known.find(client, WorkQuery(words="x"), 1, one.next)
    assert [work.title.lower() for page in (one, two) for work in page.works] == ["a", "b"]
    assert (one.total, bool(one.next)) == (2, True)
    assert [asked.params[param] for asked in server.asked] == [here, there]
    if two.next:  # it is full, and a total may be too low
        server.say(LAST[name])
        assert known.find(client, WorkQuery(words="x"), 1, two.next) == WorkPage((), 2)


def test_much_is_asked_of_semantic_scholar_in_bulk(server: ScriptedServer) -> None:
    """A thousand papers would be asked for in ten requests, one a second."""
    known, client = client_of("semanticscholar", server)
    server.say({"total": 2, "token": "t", "data": [S1]})
    server.say({"total": 2, "token": None, "data": [S2]})
    one = known.find(client, WorkQuery(words="x"), 1000)
    two = known.find(client, WorkQuery(words="x"), 1000, one.next)
    assert [asked.path for asked in server.asked] == ["/paper/search/bulk"] * 2
    assert (server.asked[1].params["token"], one.total, two.next) == ("t", 2, "")


def test_links_of_semantic_scholar(server: ScriptedServer) -> None:
    """What cites a paper would not be found, or be cut after the first page."""
    known, client = client_of("semanticscholar", server)
    server.say({"offset": 0, "next": 1, "data": [{"citingPaper": S1}]})
    server.say({"offset": 1, "data": [{"citingPaper": S2}, {"citingPaper": {"paperId": None, "title": None}}]})
    query = WorkQuery(citing=doi("10.1000/x"), first_year=2001)
    one = known.find(client, query, 1)
    two = known.find(client, query, 2, one.next)
    assert [work.title for page in (one, two) for work in page.works] == ["A", "B"] and not two.next
    assert server.asked[0].path == "/paper/DOI:10.1000%2Fx/citations"
    assert server.asked[0].params["publicationDateOrYear"] == "2001:"
    server.say({"offset": 0, "data": [{"citedPaper": S1}]})
    assert known.find(client, WorkQuery(cited_by=Identifier("arxiv_id", "2101.00001")), 5).works
    assert server.asked[2].path == "/paper/ARXIV:2101.00001/references"
    for wrong in (WorkQuery(words="x", citing=doi("10.1000/x")), WorkQuery(first_year=1, cited_by=doi("10.1000/x"))):
        with pytest.raises(ServiceError):
            known.find(client, wrong, 5)


def test_openalex_asks_for_the_ids_of_names(server: ScriptedServer) -> None:
    """A journal or a cited work would be searched by a filter that OpenAlex does not have."""
    known, client = client_of("openalex", server)
    journals = [{"id": "https://openalex.org/S1", "display_name": "Nature"}, {"id": "S2", "display_name": "Nature X"}]
    server.say({"results": journals})
    server.say(O1)
    server.say(openalex(O2))
    found = known.find(client, WorkQuery(venue="nature", citing=doi("10.1000/a")), 5)
    assert [asked.path for asked in server.asked] == ["/sources", "/works/doi:10.1000%2Fa", "/works"]
    assert server.asked[2].params["filter"] == "primary_location.source.id:S1,cites:W1"
    assert found.works[0].title == "B" and client.cost == pytest.approx(SEARCH_PRICE + LIST_PRICE)
    assert known.find(client, WorkQuery(cited_by=doi("10.1000/unknown")), 5) == WorkPage((), 0)


def test_a_look_up_says_what_is_known_and_leaves_out_the_rest(server: ScriptedServer) -> None:
    """One work would be taken for another, or an unknown one end the run."""
    a, b, unknown = doi("10.1000/a"), doi("10.1000/b"), doi("10.1000/unknown")
    arxiv, bibcode = Identifier("arxiv_id", "1901.00001"), Identifier("bibcode", "2020ApJ...880....2B")
    pmid, s2 = Identifier("pmid", "12"), Identifier("s2", "b" * 40)
    table: list[tuple[str, list[Any], list[Identifier], dict[Identifier, str]]] = [
        ("crossref", [crossref(C2, C1)], [a, unknown, b], {a: "A", b: "B"}),
        ("crossref", [{"message": C1}], [doi("10.1000/alias")], {doi("10.1000/alias"): "A"}),
        ("openalex", [openalex(O2, O1)], [a, unknown, b], {a: "A", b: "B"}),
        (
            "openalex",
            [openalex(O1 | {"ids": {"pmid": "12"}}, O2), O2],
            [pmid, Identifier("pmid", "9"), b],
            {pmid: "A", b: "B"},
        ),
        ("semanticscholar", [[S1, None, S2]], [a, unknown, s2], {a: "A", s2: "B"}),
        ("ads", [ads(A2, A1)], [bibcode, unknown, arxiv, a], {bibcode: "B", arxiv: "A", a: "A"}),
        ("datacite", [datacite(D1)], [a, unknown], {a: "a"}),
        ("unpaywall", [{"doi": "10.1000/a", "title": "A", "doi_url": "x"}], [a], {a: "A"}),
    ]
    for name, answers, identifiers, titles in table:
        known, client = client_of(name, server)
        assert {each.scheme for each in identifiers} <= known.schemes
        for answer in answers:
            server.say(answer)
        found = known.look_up(client, identifiers)
        assert {identifier: work.title for identifier, work in found.items()} == titles, name
        assert not server.answers, name


def test_many_bibcodes_are_one_list(server: ScriptedServer) -> None:
    """Hundreds of papers would take a long query for every fifty of them, of a few thousand that ADS allows a day."""
    known, client = client_of("ads", server)
    codes = [f"2020ApJ...880..{number:03}B" for number in range(120)]
    preprint = {"bibcode": "2021ApJ...900....1C", "identifier": [codes[0]], "title": ["Was a preprint"]}
    server.say(ads(*({"bibcode": code, "title": [f"T{code}"]} for code in codes[1:])))
    server.say(ads(preprint))
    wanted = [*(Identifier("bibcode", code) for code in codes), doi("10.1000/unknown")]
    found = known.look_up(client, wanted)
    assert len(found) == 120 and found[wanted[0]].title == "Was a preprint"
    first, second = server.asked
    assert (first.path, first.params["q"], first.params["rows"]) == ("/search/bigquery", "*:*", "120")
    assert first.headers["content-type"] == "big-query/csv" and first.body == "\n".join(["bibcode", *codes])
    assert first.headers["authorization"] == "Bearer ads-key"
    assert second.params["q"] == f'identifier:("{codes[0]}" OR "10.1000/unknown")'


def test_bibcodes_are_asked_in_queries_where_no_list_is_taken(server: ScriptedServer) -> None:
    """After a hundred lists a day nothing would be looked up any more; and nobody waits for the next day."""
    known, client = client_of("ads", server)
    wanted = [Identifier("bibcode", f"2020ApJ...880..{number:03}B") for number in range(60)]
    server.say({"error": "Rate limit exceeded"}, 403)
    for some in (wanted[:50], wanted[50:]):
        server.say(ads(*({"bibcode": one.value, "title": ["T"]} for one in some)))
    assert len(known.look_up(client, wanted)) == 60
    assert [asked.path for asked in server.asked] == ["/search/bigquery", "/search/query", "/search/query"]


def test_what_a_look_up_asks(server: ScriptedServer) -> None:
    """A list of identifiers would be sent one by one, or an odd one break the list."""
    table: list[tuple[str, list[str], Any, str, dict[str, str]]] = [
        (
            "crossref",
            ["10.1000/a", "10.1000/b"],
            crossref(C1),
            "/works",
            {"filter": "doi:10.1000/a,doi:10.1000/b", "rows": "2"},
        ),
        (
            "openalex",
            ["10.1000/a", "10.1000/b"],
            openalex(O1),
            "/works",
            {"filter": "doi:10.1000/a|10.1000/b", "per_page": "100"},
        ),
        ("openalex", ["10.1000/a|b"], O1, "/works/doi:10.1000%2Fa%7Cb", {}),
        (
            "ads",
            ['10.1000/a"', "10.1000/b"],
            ads(A1),
            "/search/query",
            {"q": 'identifier:("10.1000/a\\"" OR "10.1000/b")'},
        ),
        ("datacite", ["10.1000/a"], datacite(D1), "/dois", {"query": 'doi:("10.1000/a")', "page[size]": "1"}),
        (
            "unpaywall",
            ["10.1000/a?b"],
            {"doi": "10.1000/a", "title": "x"},
            "/10.1000/a%3Fb",
            {"email": "me@example.org"},
        ),
    ]
    for name, values, answer, path, params in table:
        known, client = client_of(name, server)
        server.say(answer)
        known.look_up(client, [doi(value) for value in values])
        asked = server.asked[-1]
        assert asked.path == path and params.items() <= asked.params.items(), name
    known, client = client_of("semanticscholar", server)
    server.say([None, None, None])
    known.look_up(client, [doi("10.1000/a"), Identifier("pmcid", "PMC12"), Identifier("arxiv_id", "1901.00001")])
    assert server.asked[-1].body == {"ids": ["DOI:10.1000/a", "PMCID:12", "ARXIV:1901.00001"]}


def test_lists_too_long_and_unknown_for_semantic_scholar(server: ScriptedServer) -> None:
    """A batch of reviews with long lists of references would never arrive."""
    known, client = client_of("semanticscholar", server)
    server.say({"error": "Response would exceed maximum size."}, 400)
    server.say([S1])
    server.say({"error": "No valid paper ids given"}, 400)
    found = known.look_up(client, [doi("10.1000/a"), doi("10.1000/b")])
    assert [work.title for work in found.values()] == ["A"] and len(server.asked) == 3


HALF: list[tuple[str, Any]] = [
    ("crossref", crossref(C1, total=9)),
    ("openalex", openalex(O1, total=9)),
    ("semanticscholar", {"total": 9, "next": 5, "data": [S1]}),
    ("ads", ads(A1, total=9)),
    ("ads", ads(A1, A2, A1, A2, A1, total=9, start=3)),
    ("datacite", datacite(D1, total=9)),
]
WRONG: list[Any] = [
    b'{"message": {"items": [',
    b"<html>Please log in</html>",
    b"",
    [],
    {},
    {"error": "it went wrong", "message": "really"},
    {"errors": [{"title": "it went wrong"}]},
    {
        "message": {"items": "x", "total-results": 1},
        "meta": {"count": "many"},
        "results": {},
        "data": {},
        "total": None,
    },
    {"message": {"items": [5], "total-results": 1}, "meta": {"count": 1}, "results": [None], "data": ["x"], "total": 1},
    {"responseHeader": {"status": 1}, "error": {"msg": "it went wrong"}, "response": {"docs": [], "numFound": 0}},
    {"responseHeader": {"status": 0}, "response": {"docs": [3], "numFound": 1, "start": 0}},
    b'{"meta":' + b"[" * 100_000,
]


@pytest.mark.parametrize(("name", "answer"), HALF)
def test_half_an_answer_is_an_error(server: ScriptedServer, name: str, answer: Any) -> None:
    """Five of nine works would be taken for all, and the others be lost."""
    known, client = client_of(name, server)
    server.say(answer)
    with pytest.raises(ServiceAwayError):
        known.find(client, WorkQuery(words="x"), 5)


@pytest.mark.parametrize(("name", "answer"), [
    ("crossref", crossref(C1, total=2)),
    ("crossref", crossref(C1, C2, C1)),
    ("openalex", openalex(O1, total=2)),
    ("openalex", openalex(O1, total=250_000_000)),
    ("semanticscholar", [S1]),
    ("semanticscholar", {"data": [S1, S2]}),
    ("ads", ads(A1, total=2)),
    ("datacite", datacite(D1, total=3)),
])  # fmt: skip
def test_half_a_look_up_is_an_error(server: ScriptedServer, name: str, answer: Any) -> None:
    """A work that a service knows would be reported as unknown."""
    known, client = client_of(name, server)
    server.say(answer)
    with pytest.raises(ServiceAwayError):
        known.look_up(client, [doi("10.1000/a"), doi("10.1000/b")])


@pytest.mark.parametrize("name", ["crossref", "openalex", "semanticscholar", "ads", "datacite"])
@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_answer_is_an_error(server: ScriptedServer, name: str, number: int) -> None:
    """An error in a good answer would be told as: there are no such works."""
    for ask in ("find", "look_up"):
        known, client = client_of(name, server)
        server.say(WRONG[number])
        with pytest.raises(ServiceError):
            known.find(client, WorkQuery(words="x"), 5) if ask == "find" else known.look_up(
                client, [doi("10.1000/a")] * 2
            )


def test_unpaywall_cannot_be_searched(server: ScriptedServer) -> None:
    """A user would take no answer for no open copies."""
    known, client = client_of("unpaywall", server)
    with pytest.raises(ServiceError, match="cannot be searched"):
        known.find(client, WorkQuery(words="x"), 5)
    server.say({"error": True, "message": "no"})
    with pytest.raises(ServiceError):
        known.look_up(client, [doi("10.1000/a")])


def test_a_few_works_of_openalex_cost_nothing(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Money would be spent on what is free, or a thousand works take a thousand requests."""
    monkeypatch.undo()
    known, client = client_of("openalex", server, max_age=0)
    wanted = [doi(f"10.1000/{number}") for number in range(11)]
    for _ in range(10):
        server.say(O1)
    assert len(known.look_up(client, wanted[:10])) == 10 and client.cost == 0
    assert {asked.path for asked in server.asked} == {f"/works/doi:10.1000%2F{number}" for number in range(10)}
    server.say(openalex(O1))
    known.look_up(client, wanted)
    assert client.cost == pytest.approx(LIST_PRICE) and server.asked[-1].path == "/works"
    monkeypatch.setattr(client, "budget_left", lambda: 0.0)
    for _ in wanted:
        server.say(O1)
    assert len(known.look_up(client, wanted)) == 11 and client.cost == pytest.approx(LIST_PRICE)
