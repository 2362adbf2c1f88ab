"""The HTTP API: what the command line tells in JSON, and long work as jobs."""

import gc
import itertools
import json
import os
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from PIL import Image
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.core import job_context
from conspectus.records.events import Progress
from conspectus.server import board
from conspectus.server.access import Access
from conspectus.server.inbox import Inbox, safe_name
from conspectus.server.routes import papers
from conspectus.wire import encode
from helpers import open_library, write_jsonl
from language_server import serve_script
from oracle import sentences
from serving import body, collect_notices, events_of, make_client


def test_a_search_is_that_of_the_command_line(client: TestClient, library: Library) -> None:
    """A page would show other papers than the terminal."""
    found = body(client, "/search", q="hexagonal lattice", k=2)
    wanted = json.loads(json.dumps(encode.body(library.search("hexagonal lattice", 2))))
    assert found.pop("schema") == "conspectus.search/1"
    assert {**found, "took": 0} == {**wanted, "took": 0} and len(found["hits"]) == 2


def test_what_is_asked_of_a_search_counts(client: TestClient) -> None:
    """A filter that the page offers would do nothing."""
    only = body(client, "/search", q="cells", year="2001")
    assert [hit["paper"]["external_id"] for hit in only["hits"]] == ["p1"]
    weighed = body(client, "/search", q="cells", weight=["recency"], mmr=0.5)
    assert "recency" in weighed["hits"][0]["factors"] and "lambda 0.5" in weighed["method"]
    assert body(client, "/count", q="cells")["count"]["papers"] == 2
    assert body(client, "/similar", paper="p0", k=1)["hits"][0]["paper"]["external_id"] != "p0"
    assert body(client, "/route", q="What do grid cells do?")["kind"]


def test_papers_come_by_pages(client: TestClient, library: Library) -> None:
    """A library of 100,000 papers would be sent whole."""
    first = body(client, "/papers", limit=2)
    rest = body(client, "/papers", limit=2, after=first["next"])
    assert [paper["external_id"] for paper in first["papers"] + rest["papers"]] == ["p0", "p1", "p2"]
    assert rest["next"] is None
    assert body(client, "/papers", limit=3)["next"] is None


def test_a_paper_by_any_of_its_names(client: TestClient, library: Library) -> None:
    """A DOI has a slash, and would be another address."""
    for name in ("p0", "10.1000/p.0", "Grid cells"):
        assert body(client, f"/papers/{name}")["paper"]["external_id"] == "p0"
    passages = body(client, "/papers/10.1000/p.0/passages")["passages"]
    span = passages[0]["spans"][0]
    assert passages[0]["text"][span["start"] : span["end"]] == span["text"]
    where = body(client, f"/spans/{span['id']}")
    assert where["paper"]["external_id"] == "p0" and where["span"]["id"] == span["id"]


def test_a_name_that_looks_like_an_address_is_a_name_where_it_is_encoded(client: TestClient, library: Library) -> None:
    """A paper whose DOI ends like one of the API's addresses could not be reached."""
    names = [library.paper(name).doi for name in ("p0", "p1")]
    assert names[0]
    for doi in ("10.1000/p.9/passages", "10.1000/p.9/pages/1.png", "10.1000/p.9/figures/2.png"):
        added = library.folder.parent / "odd.jsonl"
        library.add(write_jsonl(added, [{"id": "odd", "title": "Odd names", "abstract": "Odd.", "doi": doi}]))
        encoded = quote(doi, safe="")
        assert body(client, f"/papers/{encoded}")["paper"]["title"] == "Odd names"
        assert body(client, f"/papers/{encoded.replace('%2F', '%2f')}")["paper"]["doi"] == doi
        assert body(client, f"/papers/{encoded}/passages")["passages"][0]["text"] == "Odd."
    assert body(client, f"/papers/{quote(names[0], safe='')}/passages")["passages"]


def test_names_of_collections_may_have_slashes(client: TestClient) -> None:
    """Who named a set of papers `reading/2024` could never rename or remove it."""
    made = client.post("/api/v1/collections", json={"name": "reading/2024"})
    assert made.status_code == 201, made.text
    place = "/api/v1/collections/reading%2F2024"
    assert client.patch(place, json={"rename": "read/2024"}).status_code == 200
    assert client.delete(place).status_code == 404
    assert client.delete("/api/v1/collections/read%2f2024").status_code == 200


def test_what_can_be_had_can_be_asked_about(client: TestClient) -> None:
    """A program that looks first whether something is there would be told that it is not."""
    for path in (
        "/health",
        "/search?q=cells",
        "/papers/p0",
        "/papers/10.1000/p.0/passages",
        "/export",
        "/openapi.json",
    ):
        asked, had = client.head(f"/api/v1{path}"), client.get(f"/api/v1{path}")
        assert (asked.status_code, asked.content) == (200, b"") and had.content, path
        assert asked.headers["content-type"] == had.headers["content-type"]
    assert client.head("/api/v1/papers/nobody").status_code == 404
    name = client.post("/api/v1/ask", json={"question": "Where do place cells fire?"}).json()["job"]
    assert client.head(f"/api/v1/jobs/{name}/events").content == b""


def test_an_export_is_sent_as_it_is_made(client: TestClient) -> None:
    """The download of 20,000 references would look dead for half a minute; a mistake would be a broken file."""
    made: list[int] = []

    def pieces() -> Iterator[tuple[int, str]]:
        for number in range(3):
            made.append(number)
            yield number, "é" * papers._CHUNK + "\n"

    chunks = papers._in_chunks(pieces())
    assert next(chunks).decode("utf-8").strip("é\n") == "" and made == [0]
    found = client.get("/api/v1/export?format=apa")
    assert found.headers["content-disposition"] == 'attachment; filename="papers.txt"' and found.text.count("\n\n") > 1
    for wrong in ("/export?format=ris&collection=none", "/export?format=apa&paper=nobody"):
        refused = client.get(f"/api/v1{wrong}")
        assert (refused.status_code, refused.headers["content-type"]) == (404, "application/problem+json"), wrong


def test_an_answer_is_a_job_with_events(client: TestClient, library: Library) -> None:
    """A page would show nothing until all is done, and a lost connection would lose the answer."""
    begun = client.post("/api/v1/ask", json={"question": "Do grid cells fire on a hexagonal lattice?"})
    assert begun.status_code == 202 and begun.headers["location"].endswith(begun.json()["job"])
    name = begun.json()["job"]
    told = collect_notices(client, name)
    assert [one.event for one in told][-2:] == ["done", "end"]
    answer = told[-2].data["result"]
    assert answer["answered"] and "hexagonal" in answer["statements"][0]["citations"][0]["quote"]
    middle = told[len(told) // 2]
    again = events_of(client.get(f"/api/v1/jobs/{name}/events", headers={"last-event-id": middle.id}).text)
    assert again == told[len(told) // 2 + 1 :], "it goes on after the last event that came"
    assert body(client, f"/jobs/{name}")["event"]["kind"] == "done"
    assert [job["job"] for job in body(client, "/jobs")["jobs"]] == [name]
    assert body(client, f"/answers/{answer['id']}")["answer"]["text"] == answer["text"]
    page = client.get(f"/api/v1/answers/{answer['id']}/export", params={"format": "html"})
    assert "hexagonal" in page.text and page.headers["content-disposition"].startswith("attachment")
    assert client.delete(f"/api/v1/answers/{answer['id']}").json()["removed"]["id"] == answer["id"]
    assert client.get(f"/api/v1/answers/{answer['id']}").status_code == 404


def test_a_job_is_cancelled(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asked for too much could only end the server."""

    def reindex(_: Library) -> None:
        for done in itertools.count():
            job_context.emit(Progress("embedding", done, 0, "passages"))
            time.sleep(0.001)

    monkeypatch.setattr(Library, "reindex", reindex)
    name = client.post("/api/v1/reindex").json()["job"]
    assert body(client, f"/jobs/{name}")["state"] == "running"
    assert client.delete(f"/api/v1/jobs/{name}").status_code == 202
    assert [one.event for one in collect_notices(client, name)][-2:] == ["cancelled", "end"]
    assert client.delete("/api/v1/jobs/job-none").status_code == 404


def test_conversations(client: TestClient) -> None:
    """A follow-up would be asked of nothing."""
    made = client.post("/api/v1/conversations", json={"title": "Cells"}).json()["id"]
    asked = client.post("/api/v1/ask", json={"question": "Where do place cells fire?", "conversation": made})
    collect_notices(client, asked.json()["job"])
    assert len(body(client, f"/conversations/{made}")["conversation"]["answers"]) == 1
    assert (
        client.patch(f"/api/v1/conversations/{made}", json={"title": "Places"}).json()["renamed"]["title"] == "Places"
    )
    assert [one["title"] for one in body(client, "/conversations")["conversations"]] == ["Places"]
    assert client.delete(f"/api/v1/conversations/{made}").json()["removed"]["id"] == made


def test_a_question_goes_on_from_an_answer(client: TestClient) -> None:
    """A follow-up of an answer that stood alone would be asked of nothing, and how it was asked be forgotten."""
    asked = {"question": "Where do place cells fire?", "year": "2000..2010", "depth": "quick"}
    name = collect_notices(client, client.post("/api/v1/ask", json=asked).json()["job"])[-2].data["result"]["id"]
    alone = body(client, f"/answers/{name}")
    assert (alone["conversation"], alone["options"]["depth"], alone["filters"]["year"]) == ("", "quick", [2000, 2010])
    made = client.post("/api/v1/conversations", json={"answer": name}).json()["id"]
    (first,) = body(client, f"/conversations/{made}")["conversation"]["answers"]
    assert first["id"] == name
    assert body(client, "/conversations")["conversations"][0]["title"] == asked["question"]
    more = client.post("/api/v1/ask", json={"question": "And grid cells?", "conversation": made})
    collect_notices(client, more.json()["job"])
    assert [one["turn"] for one in body(client, "/answers")["answers"]] == [2, 1]
    assert client.post("/api/v1/conversations", json={"answer": name}).json()["id"] == made, "it is in one already"
    assert client.post("/api/v1/conversations", json={"answer": "ans-none"}).status_code == 404


def test_errors_are_problems_with_remedies(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page could only say that something failed."""
    for path, status, kind in (
        ("/search?q=", 400, "UsageError"),
        ("/search?q=x&year=20x", 400, "UsageError"),
        ("/search?q=x&k=0", 422, ""),
        ("/search", 422, ""),
        ("/papers/nobody", 404, "NotFoundError"),
        ("/nothing", 404, ""),
        ("/jobs/job-none/events", 404, "NotFoundError"),
        (f"/papers/p0/pages/{10**30}.png", 422, ""),
        ("/export?format=../../x", 422, "Refused"),
        ("/export?format=%00", 422, "Refused"),
        ("/export?format=library", 422, "Refused"),
    ):
        found = client.get(f"/api/v1{path}")
        assert (found.status_code, found.headers["content-type"]) == (status, "application/problem+json"), path
        told = found.json()
        assert told["status"] == status and told["detail"] and (not kind or (told["type"] == kind and told["hint"]))
    assert client.put("/api/v1/search").status_code == 405 and client.put("/api/v1/search").headers["allow"] == "GET"
    assert client.post("/api/v1/ask", json={"question": "x", "temperature": 2}).status_code == 422


def test_a_misspelt_parameter_is_refused(client: TestClient) -> None:
    """A filter with a slip in it would be none, and its hits would look like those that pass it."""
    wrong = client.get("/api/v1/search", params={"q": "cells", "yeer": 2000})
    assert wrong.status_code == 422
    assert wrong.json()["detail"] == "'yeer': there is no such parameter here; the nearest is 'year'."
    assert "full_text" in wrong.json()["hint"] and "outliers" in wrong.json()["hint"]
    for path, method in (("/status", "GET"), ("/papers/p0", "GET"), ("/papers/p0", "HEAD"), ("/papers/p0", "DELETE")):
        assert client.request(method, f"/api/v1{path}", params={"yeer": 2000}).status_code == 422
    assert client.get("/api/v1/papers/p0").status_code == 200, "and nothing is done"


def test_what_should_not_happen_tells_no_secrets(
    library: Library, client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A page would show a traceback, with what the variables held."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("key sk-123")

    monkeypatch.setattr(type(library), "count", broken)
    monkeypatch.setattr(type(library), "reindex", broken)
    found = client.get("/api/v1/count")
    assert found.status_code == 500 and "sk-123" not in found.text
    told = collect_notices(client, client.post("/api/v1/reindex").json()["job"])[-2]
    assert told.event == "failed" and "sk-123" not in json.dumps(told.data), "by an event neither"
    assert (told.data["error"]["type"], told.data["error"]["status"]) == (found.json()["type"], 500)
    assert "A request failed" in caplog.text and "The job 'broken' failed" in caplog.text, "whoever serves it is told"


def test_uploads_are_kept_and_read(client: TestClient, library: Library, tmp_path: Path) -> None:
    """Papers dragged into the page would be lost, or written where their names say."""
    paper = json.dumps({"id": "new", "title": "Eels", "abstract": "Eels swim at night."})
    begun = client.post("/api/v1/files", files={"file": ("../../../etc/eels.jsonl", paper)})
    assert begun.status_code == 202
    told = collect_notices(client, begun.json()["job"])
    assert "file" in [one.event for one in told]
    kept = [place for place in (library.folder / "files").rglob("*") if place.is_file()]
    assert [place.name for place in kept] == ["eels.jsonl"] and kept[0].read_text() == paper
    assert library.paper("new").title == "Eels"
    assert not (tmp_path / "etc").exists()
    again = client.post("/api/v1/files", files={"file": ("eels.jsonl", paper)})
    collect_notices(client, again.json()["job"])
    assert len(list((library.folder / "files").rglob("*.jsonl"))) == 1, "the same bytes are kept once"


def test_a_file_that_failed_is_forgotten(client: TestClient, library: Library) -> None:
    """A broken upload would stay in the list for good, or come back when the server starts again."""
    papers = json.dumps({"id": "new", "title": "Eels", "abstract": "Eels swim at night."})
    files = [("file", ("eels.jsonl", papers)), ("file", ("empty.pdf", b""))]
    collect_notices(client, client.post("/api/v1/files", files=files).json()["job"])
    (failed,) = [row.path for row in library.status().files if row.state == "failed"]
    (read,) = [row.path for row in library.status().files if row.path.endswith("eels.jsonl")]
    assert client.delete("/api/v1/files", params={"path": failed}).status_code == 204
    assert failed not in [row.path for row in library.status().files]
    assert not Path(failed).exists() and Inbox(library).unread() == []
    assert client.delete("/api/v1/files", params={"path": failed}).status_code == 404
    assert client.delete("/api/v1/files", params={"path": read}).status_code == 400, "its paper would go with it"
    assert Path(read).exists() and library.paper("new")


def test_a_job_tells_how_much_of_it_failed(client: TestClient) -> None:
    """Who sends a file that is no paper would be told that all is done."""
    files = [("file", ("eels.jsonl", '{"id": "new", "title": "Eels"}')), ("file", ("eels.png", b"\x89PNG"))]
    name = client.post("/api/v1/files", files=files).json()["job"]
    collect_notices(client, name)
    (row,) = body(client, "/jobs")["jobs"]
    assert (row["state"], row["failed"], body(client, f"/jobs/{name}")["failed"]) == ("done", 1, 1)


def test_one_file_without_a_name_is_not_half_an_upload(client: TestClient, library: Library) -> None:
    """The others would be kept though all was refused, and read when the server starts again."""
    files = [("file", ("good.md", "x")), ("file", ("...", "x"))]
    assert client.post("/api/v1/files", files=files).status_code == 400
    assert not (library.folder / "files").exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("C:\\papers\\a.pdf", "a.pdf"),
        ("a\x00b.pdf", "a b.pdf"),
        ("con<script>.pdf", "con script .pdf"),
        ("x" * 300 + ".pdf", "x" * 150 + ".pdf"),
        ("\u202efdp.exe", "fdp.exe"),
        (".hidden", "hidden"),
        ("紙" * 300 + ".pdf", "紙" * 66 + ".pdf"),
    ],
)
def test_names_are_made_harmless(name: str, kept: str) -> None:
    """A name could lead elsewhere, be too long for the disk, or turn what a terminal shows."""
    assert safe_name(name) == kept


def test_what_was_taken_is_read_when_the_server_starts_again(library: Library) -> None:
    """A server killed while it read would have promised what it lost."""
    place = library.folder / "files" / "0" / "eels.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"id": "new", "title": "Eels", "abstract": "Eels swim at night."}))
    part = library.folder / "files" / ".1.part"
    part.write_text("half")
    os.utime(part, (1, 1))
    with make_client(library) as client:
        (job,) = body(client, "/jobs")["jobs"]
        collect_notices(client, job["job"])
        assert library.paper("new").title == "Eels" and not (library.folder / "files" / ".1.part").exists()


def test_what_was_begun_is_read_when_the_server_starts_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger has files that were begun, and a server killed meanwhile would never read them."""
    place = library.folder / "files" / "0" / "eels.jsonl"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"id": "new", "title": "Eels", "abstract": "Eels swim at night."}))
    library.add(place)
    now = library.status()
    begun = replace(now, files=tuple(replace(row, state="queued") for row in now.files))
    monkeypatch.setattr(Library, "status", lambda _: begun)
    assert Inbox(library).unread() == [place]


def test_uploads_of_another_server_are_left_alone(library: Library) -> None:
    """A second server on the same library would take away what the first is taking in."""
    part = library.folder / "files" / ".1.part"
    part.parent.mkdir()
    part.write_text("half")
    assert Inbox(library).unread() == [] and part.exists()


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """An `add` that reads nothing until it is let go, or cancelled."""
    free, add = threading.Event(), Library.add

    def waits(library: Library, *given: Any) -> Any:
        while not free.wait(0.001):
            job_context.emit(Progress("reading", 0, 0, "bytes"))
        return add(library, *given)

    monkeypatch.setattr(Library, "add", waits)
    return free


def test_a_cancelled_upload_is_given_up(client: TestClient, library: Library, stuck: threading.Event) -> None:
    """What somebody took back would be read all the same when the server starts again."""
    job = client.post("/api/v1/files", files={"file": ("a.md", "# A")}).json()["job"]
    other = client.post("/api/v1/files", files={"file": ("a.md", "# A")}).json()["job"]
    client.post("/api/v1/files", files={"file": ("b.md", "# B")})
    client.delete(f"/api/v1/jobs/{job}")
    collect_notices(client, job)
    assert len(Inbox(library).unread()) == 2, "somebody else wants it still"
    client.delete(f"/api/v1/jobs/{other}")
    collect_notices(client, other)
    assert [place.name for place in Inbox(library).unread()] == ["b.md"]
    assert len(list((library.folder / "files").iterdir())) == 1


def test_an_upload_that_the_end_of_the_server_ends_is_kept(library: Library, stuck: threading.Event) -> None:
    """What was taken would be lost with the server."""
    with make_client(library) as client:
        job = client.post("/api/v1/files", files={"file": ("a.md", "# A")}).json()["job"]
        client.app.state.board.job(job).cancel()  # type: ignore[attr-defined]
        collect_notices(client, job)
    assert [place.name for place in Inbox(library).unread()] == ["a.md"]


def test_an_upload_that_is_refused_is_not_kept(
    client: TestClient, library: Library, stuck: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was refused would be read when the server starts again."""
    monkeypatch.setattr(board, "RUNNING", 0)
    assert client.post("/api/v1/files", files={"file": ("a.md", "# A")}).status_code == 503
    assert Inbox(library).unread() == []


def test_closed_libraries_are_forgotten(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that opens one library after the other would keep the pictures of them all."""
    monkeypatch.setattr(Library, "page", lambda *_: Image.new("L", (1, 1)))
    with make_client(library) as client:
        assert client.get("/api/v1/papers/p0/pages/1.png").status_code == 200
        kept = weakref.ref(client.app.state.pictures)  # type: ignore[attr-defined]
    del client
    gc.collect()
    assert kept() is None


def test_links_are_not_read_at_the_start(library: Library, tmp_path: Path) -> None:
    """A stranger's library would have the files of who serves it read into it."""
    mine = tmp_path / "mine"
    (mine / "deeper").mkdir(parents=True)
    (mine / "secret.md").write_text("x")
    (mine / "deeper" / "secret.md").write_text("x")
    (mine / ".0.part").write_text("x")
    files = library.folder / "files"
    files.mkdir()
    (files / "0").symlink_to(mine)
    assert Inbox(library).unread() == []
    (files / "0").unlink()
    files.rmdir()
    files.symlink_to(mine)
    assert Inbox(library).unread() == [] and (mine / ".0.part").exists()


def test_pictures_keep_no_other_request_waiting(
    client: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who turns the pages fast would fill the memory, and the server would answer nobody meanwhile."""
    drawing, most, free = [0], [0], threading.Event()
    changing = threading.Lock()

    def drawn(*_: object) -> Image.Image:
        with changing:
            drawing[0] += 1
            most[0] = max(most[0], drawing[0])
        free.wait(30)
        with changing:
            drawing[0] -= 1
        return Image.new("L", (1, 1))

    monkeypatch.setattr(Library, "page", drawn)
    with ThreadPoolExecutor(60) as many:
        asked = [many.submit(client.get, f"/api/v1/papers/p0/pages/{number}.png") for number in range(60)]
        try:
            assert client.get("/api/v1/health").status_code == 200
        finally:
            free.set()
        assert {one.result().status_code for one in asked} == {200}
    assert most[0] <= 4


def test_bibliographies(client: TestClient) -> None:
    """What is found could not be cited."""
    found = client.get("/api/v1/export", params={"format": "bibtex", "paper": "p0"})
    assert "10.1000/p.0" in found.text and "10.1000/p.1" not in found.text
    assert "attachment" in found.headers["content-disposition"]
    assert 'filename="papers.bib"' in found.headers["content-disposition"]  # what reference managers open
    assert client.get("/api/v1/export", params={"format": "nothing"}).status_code == 422


def test_what_a_model_wrote_is_had_with_its_sources(library: Library, client: TestClient, tmp_path: Path) -> None:
    """Else a summary could not be read in a browser, nor which sentences of the paper it rests on, nor what has one."""

    def written(asked: dict[str, Any]) -> dict[str, Any]:
        return {"sentences": [{"text": text, "spans": [number]} for number, text in sentences(asked).items()]}

    long = " ".join(
        f"Rats ran for {minutes} minutes in the arena, and grid cells fired as before." for minutes in range(9)
    )
    library.add(write_jsonl(tmp_path / "long.jsonl", [{"id": "long", "title": "Rats that run", "abstract": long}]))
    with (
        serve_script(written) as model,
        open_library(library.folder, language__model=model.url) as asking,
        make_client(asking) as other,
    ):
        begun = other.post("/api/v1/summaries", json={"model": model.url, "papers": ["long"], "abstracts": True})
        told = collect_notices(other, begun.json()["job"])
    assert told[-2].data["result"]["summarised"][0]["passages"] == 1, told
    listed = body(client, "/summaries")
    assert [one["external_id"] for one in listed["papers"]] == ["long"] and listed["next"] is None
    assert body(client, "/summaries", after=listed["papers"][0]["id"])["papers"] == []
    (summary,) = body(client, "/papers/long/summaries")["summaries"]
    own = {span["id"] for one in body(client, "/papers/long/passages")["passages"] for span in one["spans"]}
    assert len(summary["links"]) == len(summary["spans"]) and {id for ids in summary["links"] for id in ids} <= own


def test_settings_are_shown_and_set(client: TestClient, library: Library) -> None:
    """The page of settings would have nothing to show, or set what nobody may."""
    rows = {row["name"]: row for row in body(client, "/settings")["settings"]}
    assert rows["search.k"]["doc"] and rows["language.api_key"]["value"] == ""
    found = client.patch("/api/v1/settings", json={"settings": {"search.k": 2}})
    assert found.status_code == 200 and found.json()["settings"][0]["value"] == 2
    assert len(body(client, "/search", q="cells rest")["hits"]) == 2
    refused = client.patch("/api/v1/settings", json={"settings": {"language.model": "http://10.0.0.1/v1#x"}})
    assert refused.status_code == 400 and "configuration file" in refused.json()["detail"]
    tried = client.post("/api/v1/models/try", json={})
    assert collect_notices(client, tried.json()["job"])[-2].data["result"] == []
    with make_client(library, Access(port=80, read_only=True)) as shown:
        assert shown.patch("/api/v1/settings", json={"settings": {"search.k": 3}}).status_code == 403


def test_what_was_selected_is_exported_and_compared(client: TestClient, library: Library) -> None:
    """Who selects a thousand papers could not send them away: no address is so long."""
    found = client.post("/api/v1/export", json={"papers": ["p0", "10.1000/p.1"], "format": "ris"})
    assert found.status_code == 200 and found.text.count("TY  -") == 2 and "p.2" not in found.text
    many = [*(f"p{number % 3}" for number in range(200_000)), "10.1000/p.1"]
    assert client.post("/api/v1/export", json={"papers": many, "format": "ris"}).text.count("TY  -") == 3
    assert client.post("/api/v1/export", json={"papers": ["nobody"]}).status_code == 404
    others = client.post("/api/v1/export", json={"papers": [f"nobody {number}" for number in range(10_001)]})
    assert others.status_code == 400 and "are no ids" in others.text
    wrong = client.post("/api/v1/export", json={"papers": [1] * 200_000})
    assert wrong.status_code == 422 and len(wrong.content) < 2000, "a million mistakes are not collected"
    assert client.post("/api/v1/export", json={"papers": []}).status_code == 422, "not the whole library"
    near = client.post("/api/v1/similar", json={"papers": ["p0"], "k": 1}).json()
    assert near["hits"][0]["paper"]["id"] == body(client, "/similar", paper="p0", k=1)["hits"][0]["paper"]["id"]
    assert client.post("/api/v1/similar", json={}).status_code == 400
    with make_client(library, Access(port=80, read_only=True)) as shown:
        assert shown.post("/api/v1/similar", json={"papers": ["p0"]}).status_code == 200, "it changes nothing"


@pytest.mark.parametrize(("to", "said"), [("ris", "TY  -"), ("csv", "Place cells"), ("bib", "@")])
def test_what_an_answer_cites_is_exported(client: TestClient, library: Library, to: str, said: str) -> None:
    """The papers of an answer would have to be typed into the reference manager."""
    made = client.post("/api/v1/conversations", json={"title": "Cells"}).json()["id"]
    asked = client.post("/api/v1/ask", json={"question": "Where do place cells fire?", "conversation": made})
    answer = collect_notices(client, asked.json()["job"])[-2].data["result"]["id"]
    for path in (f"/answers/{answer}/export", f"/conversations/{made}/export"):
        found = client.get(f"/api/v1{path}", params={"format": to})
        assert found.status_code == 200 and said in found.text and "Purring" not in found.text
        assert found.headers["content-disposition"].endswith(f'.{to}"')
