"""arXiv: half a feed or an error that looks like an entry would be taken for all that there is."""

from __future__ import annotations

import gzip
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.parse.registry import get_reader
from conspectus.records import Author, ParsedPaper
from conspectus.services.arxiv import Arxiv
from conspectus.services.protocol import Identifier, WorkQuery
from scripted_service import ScriptedService

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"


def entry(name: str, more: str = "", summary: str = "It was measured.") -> str:
    return f"""<entry><id>http://arxiv.org/abs/{name}</id><updated>2021-03-05T00:00:00Z</updated>
    <published>2021-01-02T00:00:00Z</published><title>Tides of
      the Aegean {name}</title><summary>  {summary}
    </summary><author><name>Nikos Papas</name><arxiv:affiliation>Chania</arxiv:affiliation></author>
    <author><name>The Tide Team</name></author>
    <link href="http://arxiv.org/abs/{name}" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/{name}" rel="related" type="application/pdf"/>
    <arxiv:primary_category term="physics.ao-ph"/><category term="physics.ao-ph"/><category term="cs.LG"/>
    {more}</entry>"""


def feed(*entries: str, total: int | None = None) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        "<title>arXiv Query</title><id>http://arxiv.org/api/x</id>"
        f"<opensearch:totalResults>{len(entries) if total is None else total}</opensearch:totalResults>"
        f"{''.join(entries)}</feed>"
    )


ERROR = """<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title>
<summary>incorrect id format for x</summary><author><name>arXiv api core</name></author></entry>"""


def test_each_field_of_an_entry(server: ScriptedService) -> None:
    """A field in the wrong place would be in every paper that is found."""
    more = "<arxiv:comment>3 pages</arxiv:comment><arxiv:doi>10.1000/T.1</arxiv:doi>"
    more += "<arxiv:journal_ref>Sea 5</arxiv:journal_ref>"
    (work,) = server.find(Arxiv(), WorkQuery(words="tides"), feed(entry("2101.00001v2", more))).works
    assert (work.title, work.abstract) == ("Tides of the Aegean 2101.00001v2", "It was measured.")
    assert work.authors == (Author("Nikos Papas", affiliations=("Chania",)), Author("The Tide Team"))
    assert (work.year, work.date, work.doi, work.arxiv_id) == (2021, "2021-01-02", "10.1000/t.1", "2101.00001")
    assert (work.venue, work.keywords) == ("Sea 5", ("physics.ao-ph", "cs.LG"))
    assert work.url == "http://arxiv.org/abs/2101.00001v2"
    copy = {"licence": "", "version": "submitted"}
    assert work.extra.pop("checked")
    assert work.extra == {
        "type": "preprint",
        "primary_category": "physics.ao-ph",
        "comment": "3 pages",
        "updated": "2021-03-05",
        "version": 2,
        "versions": {"published": "10.1000/t.1"},
        "full_text": [
            {"url": "http://arxiv.org/e-print/2101.00001v2", "format": "latex", **copy},
            {"url": "http://arxiv.org/pdf/2101.00001v2", "format": "pdf", **copy},
        ],
    }


@pytest.mark.parametrize(
    ("comment", "summary", "withdrawn"),
    [
        ("This paper has been withdrawn by the authors", "It was measured.", True),
        ("Withdrawn due to an error in equation 3", "It was measured.", True),
        ("arXiv admin note: this submission has been withdrawn by arXiv administrators", "x y", True),
        ("", "This paper has been withdrawn by the author due to a crucial sign error", True),
        ("12 pages; an earlier version was withdrawn", "It was measured.", False),
        ("Withdrawn from submission to a journal", "It was measured.", False),
        ("", "Money is withdrawn from banks", False),
    ],
)
def test_withdrawn_papers_are_known(server: ScriptedService, comment: str, summary: str, withdrawn: bool) -> None:
    """A withdrawn paper would be cited as any other, and a good one called withdrawn."""
    answer = feed(entry("2101.00001v2", f"<arxiv:comment>{comment}</arxiv:comment>", summary))
    (work,) = server.find(Arxiv(), WorkQuery(words="x"), answer).works
    notice = {"kind": "retraction", "service": "arxiv", "doi": "", "date": "2021-03-05"}
    assert work.extra.get("notices", []) == ([notice] if withdrawn else [])
    assert ("full_text" in work.extra) is not withdrawn


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (WorkQuery(words="lace plant"), "all:lace AND all:plant"),
        (WorkQuery(words='"cell death" of the lace-plant'), 'all:"cell death" AND all:"lace plant"'),
        (
            WorkQuery(words='tides) OR (au:smith AND "x" ti:y*'),
            "all:tides AND all:au AND all:smith AND all:x AND all:ti AND all:y",
        ),
        (WorkQuery(words="and or of"), "all:of"),
        (WorkQuery(author='O"Neil) OR all:x', venue="Phys. Rev."), 'au:"O Neil OR all x" AND jr:"Phys. Rev."'),
        (
            WorkQuery(words="x", first_year=2005, last_year=2015),
            "all:x AND submittedDate:[200501010000 TO 201512312359]",
        ),
        (WorkQuery(words="x", first_year=2005), "all:x AND submittedDate:[200501010000 TO 300012312359]"),
    ],
)
def test_queries_stay_words(server: ScriptedService, query: WorkQuery, sent: str) -> None:
    """A question with brackets in it would search for something else, or for everything."""
    assert server.find(Arxiv(), query, feed()).works == ()
    assert server.asked[0][1]["search_query"] == sent


def test_what_it_cannot_search_is_said(server: ScriptedService) -> None:
    """A search by ORCID would find every paper or none."""
    for query in (WorkQuery(author="0000-0002-1825-0097"), WorkQuery(words=" () ")):
        with pytest.raises(ServiceError):
            server.find(Arxiv(), query)
    assert not server.asked


def test_pages_follow_each_other(server: ScriptedService) -> None:
    """The second page would be the first again."""
    names = [f"2101.{number:05}v1" for number in range(1, 6)]

    def answer(_: str, query: dict[str, str]) -> str:
        start, size = int(query["start"]), int(query["max_results"])
        return feed(*map(entry, names[start : start + size]), total=5)

    server.answer = answer
    found = server.walk(Arxiv(), WorkQuery(words="tides"), 2)
    assert [f"{work.arxiv_id}v1" for work in found] == names
    with pytest.raises(ServiceError, match="30,000"):
        server.find(Arxiv(), WorkQuery(words="tides"), at="30000")


def test_look_up_asks_for_all_at_once(server: ScriptedService) -> None:
    """arXiv gives ten of a hundred unless it is told how many there are."""
    names = [f"2101.{number:05}" for number in range(1, 21)]
    wanted = [Identifier("arxiv_id", name) for name in [*names, "abc"]]
    found = server.look_up(Arxiv(), wanted, feed(*(entry(f"{name}v1") for name in names[:-1])))
    assert list(found) == wanted[:19]
    ((path, query),) = server.asked
    assert path == "/api/query" and query["max_results"] == "20" and query["id_list"] == ",".join(names)
    assert server.look_up(Arxiv(), [Identifier("arxiv_id", "abc")]) == {} and len(server.asked) == 1


WRONG: dict[str, tuple[Any, type[ServiceError]]] = {
    "an error as an entry": (feed(ERROR), ServiceError),
    "an error as HTTP 400": ((400, feed(ERROR)), ServiceError),
    "an empty page of many": (feed(total=200), ServiceAwayError),
    "half a page": (feed(entry("2101.00001v1"), total=200), ServiceAwayError),
    "cut": (feed(entry("2101.00001v1"))[:-60], ServiceAwayError),
    "nothing": (b"", ServiceAwayError),
    "a page of HTML": (b"<html><body>Please wait<br></body></html>", ServiceAwayError),
    "well-formed HTML": (b"<html><body>Please wait</body></html>", ServiceError),
    "a lie about the total": (feed(entry("2101.00001v1")).replace(">1<", ">many<"), ServiceError),
    "an entity": (
        b'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa">]><feed><entry>&a;</entry></feed>',
        ServiceAwayError,
    ),
    "deep": (b"<feed>" + b"<a>" * 500 + b"</a>" * 500 + b"</feed>", ServiceAwayError),
    "gone": ((404, b"no"), ServiceError),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_whole_answer_is_an_error(server: ScriptedService, name: str) -> None:
    """A search would end with fewer papers than there are, and nobody would know."""
    answer, kind = WRONG[name]
    with pytest.raises(ServiceError) as caught:
        server.find(Arxiv(), WorkQuery(words="tides"), answer)
    is_away = isinstance(caught.value, ServiceAwayError)
    assert is_away == (kind is ServiceAwayError) and "arXiv" in caught.value.message


RECORDED = {  # number of the paper: version, published, updated, authors, DOI, categories
    "1707.08567": (1, "2017-07-27", "2017-07-27", 34, "", 1),
    "1605.08386": (1, "2016-05-26", "2016-05-26", 2, "", 2),
    "2104.12255": (1, "2021-04-20", "2021-04-20", 1, "", 1),
    "astro-ph/0601001": (1, "2006-01-02", "2006-01-02", 4, "", 1),
    "quant-ph/0201082": (1, "2002-01-18", "2002-01-18", 1, "", 2),
    "2005.14124": (2, "2020-05-28", "2020-07-16", 5, "10.1145/3395363.3397376", 3),
    "2204.08348": (3, "2022-04-18", "2022-07-06", 4, "10.1145/3533767.3534401", 1),
    "1706.00679": (3, "2017-06-02", "2018-07-02", 3, "", 3),
    "2008.01944": (1, "2020-08-05", "2020-08-05", 5, "", 4),
    "2306.03845": (1, "2023-06-06", "2023-06-06", 4, "10.1145/3597926.3598112", 1),
}
"""Read off the recorded feeds by eye."""


def recorded(data: Path) -> Iterator[tuple[int, str, bytes]]:
    """Status, identifiers and bytes of each feed; they were recorded as if they were Latin-1."""
    with gzip.open(data / "api_samples" / "arxiv.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            sample = json.loads(line)
            yield sample["status"], sample["url"], sample["body"].encode("latin-1")


@pytest.mark.data
def test_recorded_feeds(server: ScriptedService, data: Path, tmp_path: Path) -> None:
    """What arXiv really writes would be read wrong: every field of every recorded entry, and the same from a file."""
    service, count, known = Arxiv(), 0, {}
    for status, url, body in recorded(data):
        server.answers = [(status, body)]
        client = server.client(service)
        if status != 200:
            with pytest.raises(ServiceError, match="HTTP 400"):
                service.find(client, WorkQuery(words="x"), 100)
            continue
        root = ET.fromstring(body)
        size = int(url.rpartition("max_results=")[2])
        works = service.find(client, WorkQuery(words="x"), size).works
        entries = root.findall(f"{ATOM}entry")
        assert len(works) == len(entries)
        for work, element in zip(works, entries, strict=True):
            known[work.arxiv_id] = work
            count += _check(work, element)
    for name, row in RECORDED.items():
        work = known[name]
        extra = work.extra
        assert row == (extra["version"], work.date, extra["updated"], len(work.authors), work.doi, len(work.keywords))
    assert known["1706.00679"].authors[0].name == "Jean-Marc Azaïs"
    assert (count, len(known)) == (71 * 13, 49)
    path = tmp_path / "saved.atom"
    path.write_bytes(next(body for status, url, body in recorded(data) if "1605.08386" in url))
    (item,) = get_reader("atom").read(path)
    assert isinstance(item, ParsedPaper) and item.metadata.extra["version"] == 1


def _check(work: Any, element: ET.Element) -> int:
    """Compare a record with what the entry says, read in the plainest way; returns how many fields."""

    def said(name: str, where: str = ATOM) -> str:
        return " ".join((element.findtext(f"{where}{name}") or "").split())

    number, version = said("id").rpartition("/abs/")[2].rsplit("v", 1)
    fields = [
        (work.arxiv_id, number),
        (str(work.extra["version"]), version),
        (work.title.replace(" ", ""), said("title").replace(" ", "").replace("$φ$", "φ")),
        (work.abstract[:20].split()[0], said("summary").split()[0]),
        ([a.name for a in work.authors], [name.text for name in element.iterfind(f"{ATOM}author/{ATOM}name")]),
        (
            [place for a in work.authors for place in a.affiliations],
            [place.text for place in element.iterfind(f"{ATOM}author/{ARXIV}affiliation")],
        ),
        (work.date, said("published")[:10]),
        (work.extra["updated"], said("updated")[:10]),
        (work.doi, said("doi", ARXIV).lower()),
        (work.venue, said("journal_ref", ARXIV)),
        (list(work.keywords), [term.get("term") for term in element.iterfind(f"{ATOM}category")]),
        (work.extra.get("comment", ""), said("comment", ARXIV)),
        (
            [copy["url"] for copy in work.extra["full_text"]][1:],
            [link.get("href") for link in element.iterfind(f"{ATOM}link") if link.get("title") == "pdf"],
        ),
    ]
    for mapped, expected in fields:
        assert mapped == expected
    return len(fields)
