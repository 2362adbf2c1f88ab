"""Papers from services end to end: a local server answers as they do, and keeps a record of what is asked."""

from __future__ import annotations

import io
import os
import socket
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agent_scripts import ANSWER, ask, look, turns_of, with_turns
from conspectus import Filters, Library
from conspectus.faces.printer import Printer
from conspectus.library.answer_views import print_answer
from conspectus.sources import kept_searches as news_module
from conspectus_evaluations.simulator import Faults, Simulator
from helpers import open_library
from language_server import calls, serve_script
from oracle import reader

BODY = """<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<article-id pub-id-type="pmcid">PMC{pmc}</article-id><article-id pub-id-type="doi">{doi}</article-id>
<title-group><article-title>{title}</article-title></title-group><contrib-group><contrib contrib-type="author"><name>
<surname>Okabe</surname><given-names>Mio</given-names></name></contrib></contrib-group>
<pub-date><year>2011</year></pub-date></article-meta></front><body><sec><title>Results</title>
<p>Stellate cells fired at {rate} Hz while the animal crossed a field. The rate fell to zero between fields.</p></sec>
</body>
</article>"""


def record(number: int, **more: Any) -> dict[str, Any]:
    """A work with a DOI, a PMID and an abstract; every third one has an open full text in PMC."""
    made: dict[str, Any] = {
        "title": f"Firing fields of stellate cells under condition {number}",
        "abstract": f"We recorded {number} stellate cells in the entorhinal cortex. They keep their fields.",
        "authors": ["Mio Okabe", "Jan Lind"],
        "year": 2000 + number % 15,
        "doi": f"10.1000/stellate.{number}",
        "pmid": str(90000 + number),
        "mesh": ["Entorhinal Cortex"],
    }
    if number % 3 == 0:
        values = {"pmc": 700 + number, "doi": made["doi"], "title": made["title"], "rate": number}
        made |= {"pmcid": f"PMC{700 + number}", "jats": BODY.format(**values).encode()}
    return {**made, **more}


@pytest.fixture
def world() -> Iterator[Simulator]:
    """As many works as a question brings (10), and a few more."""
    with Simulator([record(number) for number in range(1, 14)]) as simulator:
        yield simulator


@pytest.fixture
def library(tmp_path: Path, world: Simulator) -> Iterator[Library]:
    flags = {name.replace(".", "__"): value for name, value in world.settings.items()}
    with open_library(tmp_path / "lib", **flags) as opened:
        yield opened


def test_services_give_one_list(library: Library) -> None:
    found = library.sources.find("stellate cells", from_services=("europepmc,openalex", "crossref"), k=40)
    assert len(found.results) == 13 and not found.failed
    assert all(set(one.services) == {"europepmc", "openalex", "crossref"} for one in found.results)


def test_a_mesh_heading_is_a_corpus_with_full_texts_where_they_are_open(library: Library, world: Simulator) -> None:
    first = library.sources.find(mesh="Entorhinal Cortex", from_services=("pubmed",), k=100, add=True, full_text=True)
    assert first.added == 13 and not first.failed
    full = [paper for paper in library.papers() if paper.has_full_text]
    assert len(full) == 4 and all(int(paper.doi.rpartition(".")[2]) % 3 == 0 for paper in full)
    files = {*(library.folder / "online").rglob("*")}
    again = library.sources.find(mesh="Entorhinal Cortex", from_services=("pubmed",), k=100, add=True, full_text=True)
    assert again.added == 0 and files == {*(library.folder / "online").rglob("*")}
    assert library.search("stellate cells fired at 12 Hz while the animal crossed", k=1).hits[0].paper.pmid == "90012"


def test_full_texts_go_with_their_paper(library: Library) -> None:
    library.add(["10.1000/stellate.3"], full_text=True)
    paper = library.paper("10.1000/stellate.3")
    assert paper.has_full_text
    library.remove(paper.id)
    left = [path for path in (library.folder / "online").rglob("*") if path.is_file() and ".parts" not in path.parts]
    assert left == []
    library.undo_remove()
    assert library.paper("10.1000/stellate.3").has_full_text


def test_many_identifiers_take_few_requests(library: Library, world: Simulator) -> None:
    world.add(*(record(number) for number in range(14, 81)))
    names = [f"doi:10.1000/stellate.{number}" for number in range(1, 61)]
    names += [f"pmid:{90000 + number}" for number in range(61, 81)]
    report = library.add(names)
    assert library.counts()["papers"] == 80 and not report.failed
    assert len(world.requests) <= 5, len(world.requests)


def test_paging_survives_faults_and_kills(library: Library, world: Simulator) -> None:
    world.add(*(record(number) for number in range(14, 1231)))
    world.faults = Faults(error_share=0.05, seed=3)
    for _ in range(2):  # a kill: what was answered is remembered
        library.sources.find("stellate cells", from_services=("europepmc",), k=400)
    before = len(world.requests)
    found = library.sources.find("stellate cells", from_services=("europepmc",), k=1230)
    assert not found.failed, found.services
    assert len({one.paper.doi for one in found.results}) == len(found.results) == 1230
    assert len(world.requests) - before < 15


def test_half_an_answer_is_told(library: Library, world: Simulator) -> None:
    world.faults = Faults(half_share=1.0)
    found = library.sources.find("stellate cells", from_services=("europepmc",), k=30)
    assert found.failed == ("europepmc",) and found.services[0].note


def test_nobody_else_is_asked(library: Library, world: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[str] = set()
    resolve = socket.getaddrinfo

    def noted(host: Any, *more: Any, **options: Any) -> Any:
        asked.add(str(host))
        return resolve(host, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    library.sources.find("stellate cells", k=6, add=True, full_text=True)
    library.sources.enrich()
    library.sources.follow("stellate cells")
    library.sources.news()
    assert asked <= {"127.0.0.1"} and world.requests


def test_a_question_brings_papers_where_the_library_does_not_suffice(library: Library) -> None:
    answer = library.ask("Do stellate cells in the entorhinal cortex keep their fields?")
    assert "Searched online" in answer.note and library.counts()["papers"] > 0
    assert answer.answered
    marked = next(library.papers()).extra["found_for"]
    assert "stellate" in marked


def test_nothing_is_asked_online_without_leave(tmp_path: Path, world: Simulator) -> None:
    flags = {name.replace(".", "__"): value for name, value in world.settings.items()} | {"sources__online": False}
    with open_library(tmp_path / "off", **flags) as library:
        assert not library.ask("Do stellate cells keep their fields?").answered
        assert not library.ask("Do stellate cells keep their fields?", online=False).answered
        assert world.requests == []
        assert library.ask("Do stellate cells keep their fields?", online=True).answered
    assert world.requests


def test_an_agent_searches_online_where_the_library_says_too_little(library: Library) -> None:
    """The tool is offered only where services may be asked; what it brings is read in the same run."""
    fields = "They keep their fields."
    turns = [
        calls(("search_online", {"keywords": ["stellate cells", "entorhinal"]})),
        look("stellate cells"),
        ANSWER,
        "done",
    ]
    with serve_script(with_turns(turns, "keep their fields")) as server:
        answer = ask(library, server, "Do stellate cells keep their fields?")
        offered = [tool["function"]["name"] for tool in turns_of(server)[0]["tools"]]
    assert "search_online" in offered
    assert answer.answered and {statement.text for statement in answer.statements} == {fields}
    assert "Searched online" in answer.note and library.counts()["papers"] == 10


def test_no_agent_has_the_tool_without_leave(tmp_path: Path, world: Simulator) -> None:
    flags = {name.replace(".", "__"): value for name, value in world.settings.items()} | {"sources__online": False}
    with open_library(tmp_path / "off", **flags) as library:
        library.add([*write_papers(tmp_path)])
        turns = [calls(("search_online", {"keywords": ["stellate cells"]})), look("stellate"), ANSWER, "done"]
        with serve_script(with_turns(turns, "stellate")) as server:
            ask(library, server, "Do stellate cells keep their fields?")
            names = [tool["function"]["name"] for tool in turns_of(server)[0]["tools"]]
        assert "search_online" not in names and world.requests == []


def write_papers(folder: Path) -> list[Path]:
    """A file with one paper."""
    (folder / "own.jsonl").write_text(
        '{"title": "Stellate", "abstract": "We saw stellate cells. They fired."}', "utf-8"
    )
    return [folder / "own.jsonl"]


def test_what_no_paper_can_answer_is_not_searched_for(library: Library, world: Simulator) -> None:
    """A sum, or a count of the library, would bring papers that have nothing to do with it."""
    for question in ("How many papers are there about rats?", "What is 12 * 7?"):
        assert "Searched online" not in library.ask(question).note
    assert world.requests == [] and library.counts()["papers"] == 0


def test_years_that_were_asked_for_hold_online_too(library: Library) -> None:
    library.ask("Do stellate cells keep their fields?", Filters(year=(2010, 2012)), online=True)
    years = {paper.year for paper in library.papers()}
    assert years and years <= {2010, 2011, 2012}


def test_an_agent_keeps_to_the_filters_of_the_user(library: Library, world: Simulator) -> None:
    """A model invents years; papers of others would be added, and marked with its keywords instead of the question."""
    asked = "Do stellate cells keep their fields?"
    search = {"keywords": ["stellate cells"], "year_from": 1990, "year_to": 2012}
    turns = [calls(("search_online", search)), look("stellate cells"), ANSWER, "done"]
    world.add(record(900, year=2011, authors=["Eva Berg"], doi="10.1000/berg", pmid="95000"))
    with serve_script(with_turns(turns, "keep their fields")) as server:
        ask(library, server, asked, filters=Filters(year=(2010, 2014), author="Okabe"))
    papers = [*library.papers()]
    assert papers and {paper.year for paper in papers} <= {2010, 2011, 2012}
    assert {paper.authors[0].surname for paper in papers} == {"Okabe"}
    assert {paper.extra["found_for"] for paper in papers} == {asked}


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(author="Lind"), {"Okabe"}),
        (Filters(author="E Berg"), {"Berg"}),
        (Filters(venue="Journal of Mosses"), {"Berg"}),
        (Filters(keyword="site"), {"Okabe", "Berg"}),
        (Filters(full_text=True), {"Okabe"}),
    ],
)
def test_filters_hold_online(library: Library, world: Simulator, filters: Filters, kept: set[str]) -> None:
    """Papers that the user did not want would fill the library, and the answer would not read them."""
    world.add(record(901, authors=["Eva Berg"], venue="Journal of Mosses", doi="10.1000/berg", pmid="95000"))
    library.ask("Do stellate cells keep their fields?", filters, online=True)
    papers = [*library.papers()]
    assert papers and {paper.authors[0].surname for paper in papers} <= kept
    assert filters.full_text is None or all(paper.has_full_text for paper in papers)


def test_nothing_is_brought_that_no_filter_lets_through(library: Library, world: Simulator) -> None:
    """Ten papers would be added for a question about a collection that they are not in."""
    answer = library.ask("Do stellate cells keep their fields?", Filters(tag="mine"), online=True)
    assert "`tag` names papers of the library" in answer.note
    assert library.counts()["papers"] == 0 and world.requests == []


def test_all_that_could_not_be_read_is_listed(library: Library) -> None:
    """A user would see three papers of ten, and take the others for read."""
    answer = library.ask("Do stellate cells in the entorhinal cortex keep their fields?", online=True)
    abstracts = [paper.label for paper in library.papers() if not paper.has_full_text]
    assert len(abstracts) > 3 and len(answer.unread) == len(abstracts)
    assert {text.partition(":")[0] for text in answer.unread} == set(abstracts)
    assert library.answers.show(answer.id).answer.unread == answer.unread
    shown, piped = io.StringIO(), io.StringIO()
    for file, width in ((shown, 200), (piped, None)):
        out = Printer(file)
        out.width = width
        print_answer(out, answer)
    assert f"and {len(abstracts) - 3} more: conspectus answers show {answer.id}" in shown.getvalue()
    assert all(text in " ".join(piped.getvalue().split()) for text in answer.unread)


def test_a_slow_service_does_not_hold_the_answer(tmp_path: Path, world: Simulator) -> None:
    """Two minutes would be waited for one service, while the papers of the others are there."""
    held = threading.Event()
    answer = world.answer

    def slow(method: str, address: str, *more: Any) -> Any:
        if address.startswith("/arxiv"):
            held.wait(20)
        return answer(method, address, *more)

    world.answer = slow  # type: ignore[method-assign]
    flags = {name.replace(".", "__"): value for name, value in world.settings.items()} | {"sources__patience": 2.0}
    with open_library(tmp_path / "slow", **flags) as library:
        made = library.ask("Do stellate cells in the entorhinal cortex keep their fields?", online=True)
        is_over = held.is_set()
        held.set()
    assert made.answered and not is_over and "arXiv had not answered after 2 s and was not waited for." in made.note


def test_a_follow_up_is_searched_for_as_it_was_understood(library: Library, world: Simulator) -> None:
    """Services would be asked for "And in mice?", which says nothing of what is meant."""
    meant = "Do stellate cells of mice keep their fields?"
    talk = library.answers.begin_conversation()
    with serve_script(reader("keep their fields", standalone={"question": meant})) as server:
        library.ask("Do stellate cells keep their fields?", model=server.url, conversation=talk, online=True)
        world.requests.clear()
        library.ask("And in mice?", model=server.url, conversation=talk, online=True)
    asked = " ".join(" ".join(one.params.values()) for one in world.requests)
    assert "mice" in asked and "stellate" in asked


def test_what_a_killed_run_fetched_is_told_and_taken_away(library: Library) -> None:
    """It would lie there for ever, with the words of a paper that the library does not have."""
    library.add(["10.1000/stellate.3"], full_text=True)
    files = library.folder / "online" / "files"
    orphan = files / f"{'0' * 64}.xml"
    orphan.write_text("<article/>", "utf-8")
    assert not [one for one in library.doctor().findings if one.check == "leftovers" and not one.ok], "it may be in use"
    os.utime(orphan, (0, 0))
    assert [one.ok for one in library.doctor().findings if one.check == "leftovers"] == [False]
    library.doctor(fix=True)
    assert not orphan.exists() and library.paper("10.1000/stellate.3").has_full_text
    assert len([path for path in files.iterdir() if path.is_file()]) == 1


def test_works_with_some_of_the_words_are_told_as_such(library: Library) -> None:
    """Where nothing has all words, a scientist would take what is shown for what was looked for."""
    whole = library.sources.find("stellate cells", from_services=("europepmc",), k=3).services[0]
    some = library.sources.find("stellate telescopes", from_services=("europepmc",), k=3).services[0]
    assert (whole.some_words, some.some_words, some.found) == (False, True, 3)


@pytest.mark.parametrize("name", ["europepmc", "pubmed", "pmc", "crossref", "openalex"])
def test_news_has_old_papers_that_a_service_took_up_late(library: Library, world: Simulator, name: str) -> None:
    """A journal's old volumes that are digitised now would never be news: new is what was not there before."""
    world.add(*(record(number, arxiv_id=f"1101.{number:05}") for number in range(31, 41)))
    follow = {"mesh": "Entorhinal Cortex"} if name in ("pubmed", "pmc") else {"words": "stellate cells"}
    library.sources.follow(name="S", from_services=(name,), year=(None, 2020), **follow)
    assert not library.sources.news().results
    late = record(902, doi="10.1000/late", pmid="95000", year=1961, arxiv_id="6101.00001")
    [added] = world.add({**late, "pmcid": "PMC999", "jats": BODY.replace("{pmc}", "999").encode()})
    added.taken_up = date.today().isoformat()
    [news] = library.sources.news().results
    assert news.paper.year in (1961, 2011) and news.paper.title.endswith(("902", "{title}"))
    assert not library.sources.news().results


def test_news_is_not_what_was_there_but_far_down_the_list(
    library: Library, world: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a wide search the works behind the first thousand would be news every time."""
    monkeypatch.setattr(news_module, "MOST_NEWS", 20)
    library.sources.follow("stellate cells", name="S", from_services=("europepmc",))
    assert not library.sources.news().results
    [added] = world.add(
        record(903, doi="10.1000/late", pmid="95000", title="A note that has stellate and cells", year=1950)
    )
    added.taken_up = date.today().isoformat()
    assert [one.paper.doi for one in library.sources.news().results] == ["10.1000/late"]
