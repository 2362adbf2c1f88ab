"""The verbs for Zotero on the command line, in Python and over HTTP, and what a server refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from zotero_server import ZoteroServer, zotero_server

from conspectus.cli.app import app
from conspectus.records.zotero import ZoteroCollection
from conspectus.server.access import Access
from serving import collect_notices, make_client

WORK = {"itemType": "journalArticle", "title": "Grid cells map space", "DOI": "10.1000/grid", "date": "2012"}


def filled(server: ZoteroServer) -> str:
    """Two collections, one in the other, with a work each; the key of the inner one's."""
    reading = server.collect("Reading")
    inner = server.collect("Grid", reading)
    server.put(WORK | {"DOI": "10.1000/other", "title": "Another work", "collections": [reading]})
    return server.put(WORK | {"collections": [inner], "tags": [{"tag": "old"}]})


def job_of(client: Any, path: str, body: Any) -> Any:
    """The last event of a job: its result, or its error."""
    answer = client.post(f"/api/v1{path}", json=body)
    assert answer.status_code == 202, answer.text
    return collect_notices(client, answer.json()["job"])[-2].data


def test_every_face_gives_the_same_status(opened, tmp_path: Path) -> None:
    """Else a script, or the page, would see another Zotero than the command line."""
    with zotero_server(10) as server:
        filled(server)
        library = opened(server)
        before = library.zotero.status()
        assert (before.reads, before.version, before.writes, before.imported) == ("program", "10.0.4", "program", "")
        library.zotero.import_items("Reading/Grid")
        found = library.zotero.status()
        assert found.imported and found.collections == (
            ZoteroCollection("Reading", 1), ZoteroCollection("Reading/Grid", 1, True)
        )  # fmt: skip
        served = make_client(library).get("/api/v1/zotero").json()
        library.close()
        words = ["--json", "--library", str(tmp_path / "library"), "zotero", "status"]
        told = CliRunner().invoke(app, words, env={"CONSPECTUS_SOURCES_ZOTERO_URL": server.url})
        assert json.loads(told.stdout) == served
        assert served["schema"] == "conspectus.zotero.status/1" and served["collections"][1]["imported"]


@pytest.mark.parametrize(
    ("local", "web", "more", "reads", "writes"),
    [
        (7, False, {}, "program", "none"),
        (9, True, {}, "program", "web"),
        (None, True, {}, "web", "web"),
        (None, True, {"sources__online": False}, "none", "none"),
        (None, False, {}, "none", "none"),
    ],
)
def test_what_can_be_read_and_written_is_said(
    opened, local: int | None, web: bool, more: dict[str, Any], reads: str, writes: str
) -> None:
    """A user learns before an import what is read, and why nothing can be; zotero.org only where it may be asked."""
    with zotero_server(local or 9) as program, zotero_server(0) as online:
        filled(program)
        filled(online)
        found = opened(program if local else None, online if web else None, **more).zotero.status()
        assert (found.reads, found.writes) == (reads, writes)
        assert bool(found.why) == (reads == "none") and bool(found.why_not) == (writes == "none")
        assert len(found.collections) == (0 if reads == "none" else 2)
        if more:
            assert "sources.online is off" in found.why and not online.asked


def test_import_and_export_are_jobs_of_the_server(opened) -> None:
    """The page's Zotero panel: what came, what was written, and both values of a conflict."""
    with zotero_server(10) as server:
        key = filled(server)
        library = opened(server)
        with make_client(library) as client:
            came = job_of(client, "/zotero/import", {"collection": "reading/grid"})
            assert (came["result"]["added"], came["result"]["failed"]) == (1, [])
            assert job_of(client, "/zotero/import", {})["result"]["added"] == 1  # all, in addition
            library.collections.tag("ours", "10.1000/grid")
            server.put({"key": key, "tags": [{"tag": "theirs"}]})
            wrote = job_of(client, "/zotero/export", {"collection": "New", "papers": ["10.1000/grid"]})["result"]
            assert [(one["ours"], one["theirs"]) for one in wrote["conflicts"]] == [("old; ours", "theirs")]
            assert (wrote["made"], wrote["changed"], wrote["collection"]) == (0, 0, "New")
        told = CliRunner().invoke(
            app, ["--library", str(library.folder), "zotero", "export", "New", "10.1000/grid"],
            env={"CONSPECTUS_SOURCES_ZOTERO_URL": server.url},
        )  # fmt: skip
        assert told.exit_code == 1 and "Here: old; ours. In Zotero: theirs." in told.stdout


@pytest.mark.parametrize(
    ("collection", "status", "words"),
    [
        ("/home/ada/Zotero/zotero.sqlite", 403, "only collections are imported here"),
        ("Redding", 404, "no collection 'Redding'"),
        ("https://example.org/x", 404, "no collection 'https://example.org/x'"),
        ("10.1000/grid", 404, "no collection '10.1000/grid'"),
    ],
)
def test_a_client_imports_collections_and_nothing_else(opened, collection: str, status: int, words: str) -> None:
    """Else whoever may add papers could have any file of the server's machine read, or an address asked."""
    with zotero_server(9) as server:
        filled(server)
        with make_client(opened(server)) as client:
            error = job_of(client, "/zotero/import", {"collection": collection})["error"]
        assert error["status"] == status and words in error["message"]


def test_a_server_asks_zotero_org_only_where_its_owner_allows_it(opened) -> None:
    """Else a client could send the library's papers to the internet."""
    with zotero_server(9) as program, zotero_server(0) as web:
        filled(program)
        for local in (program, None):
            with make_client(opened(local, web, sources__online=False)) as client:
                for path in ["/zotero/export"] + ([] if local else ["/zotero/import"]):
                    error = job_of(client, path, {"collection": "Reading"})["error"]
                    assert "sources.online is off" in error["message"], path
        assert web.asked == []


def test_a_read_only_server_shows_nothing_of_zotero(opened) -> None:
    """Whoever may only read the library would see what else its owner reads."""
    with zotero_server(10) as server:
        filled(server)
        with make_client(opened(server), Access(port=80, read_only=True)) as client:
            answers = [client.get("/api/v1/zotero"), client.post("/api/v1/zotero/import", json={})]
            answers.append(client.post("/api/v1/zotero/export", json={"collection": "Reading"}))
        assert [one.status_code for one in answers] == [403] * 3 and server.asked == []
