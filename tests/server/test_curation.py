"""Tags, collections and notes over HTTP."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from serving import body, collect_notices

ROOT = "/api/v1"


def test_tags(client: TestClient) -> None:
    """The page could mark nothing."""
    asked = {"papers": ["p0", "10.1000/p.1"], "add": ["to/read", "<b>x</b>"]}
    made = client.post(f"{ROOT}/tags", json=asked).json()["tags"]
    assert [(one["name"], one["papers"]) for one in made] == [("<b>x</b>", 2), ("to/read", 2)]
    client.post(f"{ROOT}/tags", json={"papers": ["p0"], "remove": ["TO/read"]})
    assert [one["external_id"] for one in body(client, "/papers", tag="to/read")["papers"]] == ["p1"]
    assert body(client, "/papers", tag="to/read")["papers"][0]["tags"] == ["<b>x</b>", "to/read"]
    assert [hit["paper"]["external_id"] for hit in body(client, "/search", q="cells", tag="to/read")["hits"]] == ["p1"]
    assert client.delete(f"{ROOT}/tags/to%2Fread").json()["taken_off"] == 1
    assert [one["name"] for one in body(client, "/tags")["tags"]] == ["<b>x</b>"]
    for wrong, status in (({"papers": [], "add": ["x"]}, 400), ({"papers": ["nobody"], "add": ["x"]}, 404)):
        assert client.post(f"{ROOT}/tags", json=wrong).status_code in (status, 422)
    assert client.delete(f"{ROOT}/tags/never").status_code == 404


def test_fields_are_edited(client: TestClient) -> None:
    """A wrong title could be mended in a terminal only."""
    asked = {"set": {"title": "Lattices", "authors": ["Hafting, Torkel"], "year": 2005}}
    found = client.patch(f"{ROOT}/papers/10.1000/p.0", json=asked).json()
    assert found["paper"]["title"] == "Lattices" and found["paper"]["edited"] == ["authors", "title", "year"]
    assert body(client, "/search", q="cells author:hafting")["hits"][0]["paper"]["title"] == "Lattices"
    kept = {one["field"]: one["files_say"] for one in body(client, "/papers/p0/kept")["edits"]}
    assert kept == {"authors": "Moser, May-Britt", "title": "Grid cells", "year": 2000}
    back = client.patch(f"{ROOT}/papers/p0", json={"revert": ["title", "authors", "year"]}).json()
    assert back["paper"]["title"] == "Grid cells" and back["edits"] == []
    values = [{"nope": 1}, {"year": "x"}, {"year": True}, {"title": False}]
    for wrong in (*({"set": one} for one in values), {"revert": ["nope"]}, {"title": "x"}):
        assert client.patch(f"{ROOT}/papers/p0", json=wrong).status_code in (400, 422)


def test_feedback(client: TestClient) -> None:
    """A thumb would be for nobody."""
    job = client.post(f"{ROOT}/ask", json={"question": "Do cats purr when they rest?"}).json()["job"]
    answer = collect_notices(client, job)[-2].data["result"]["id"]
    said = client.post(f"{ROOT}/answers/{answer}/feedback", json={"verdict": "down", "comment": "<b>", "statement": 1})
    assert said.json()["feedback"][0]["comment"] == "<b>"
    client.post(f"{ROOT}/answers/{answer}/feedback", json={"verdict": "up"})
    assert [one["verdict"] for one in body(client, "/feedback", answer=answer)["feedback"]] == ["up", "down"]
    for change, left in (
        ({"verdict": "up"}, [("up", "<b>")]),
        ({"comment": "more"}, [("up", "more")]),
        ({}, [("up", "more")]),
        ({"comment": None}, [("up", "more")]),
        ({"comment": ""}, [("up", "")]),
        ({"verdict": "", "comment": ""}, []),
        ({"verdict": "down"}, [("down", "")]),
    ):
        now = client.post(f"{ROOT}/answers/{answer}/feedback", json={**change, "statement": 1}).json()["feedback"]
        assert [(one["verdict"], one["comment"]) for one in now if one["statement"] == 1] == left, change
    found = client.get(f"{ROOT}/feedback/export", params={"format": "csv"})
    assert found.headers["content-disposition"].startswith("attachment") and found.text.count("down") == 1
    assert len(client.get(f"{ROOT}/feedback/export", params={"format": "jsonl"}).text.splitlines()) == 2
    assert client.post(f"{ROOT}/answers/{answer}/feedback", json={"statement": 99}).status_code == 404
    assert client.post(f"{ROOT}/answers/{answer}/feedback", json={"verdict": "x"}).status_code == 422


def test_a_removal_is_undone(client: TestClient) -> None:
    """A wrong click would cost a paper."""
    client.post(f"{ROOT}/tags", json={"papers": ["p0"], "add": ["t"]})
    undo = client.delete(f"{ROOT}/papers/10.1000/p.0").json()["undo"]
    assert client.get(f"{ROOT}/papers/p0").status_code == 404
    assert [one["id"] for one in body(client, "/removals")["removals"]] == [undo]
    assert client.post(f"{ROOT}/removals/{undo}/undo").json()["paper"]["tags"] == ["t"]
    assert body(client, "/search", q="hexagonal lattice")["hits"][0]["paper"]["external_id"] == "p0"
    assert client.post(f"{ROOT}/removals/{undo}/undo").status_code == 404


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"add": ["new", "\u200b"]}, 400),
        ({"add": ["new", "x" * 101]}, 400),
        ({"add": ["new"], "remove": ["kept", "never"]}, 404),
    ],
)
def test_tags_are_changed_all_or_none(client: TestClient, wrong: dict[str, Any], status: int) -> None:
    """A request that failed would have marked papers with the tags before the wrong one, and nobody would know."""
    client.post(f"{ROOT}/tags", json={"papers": ["p0"], "add": ["kept"]})
    before = body(client, "/tags")
    assert client.post(f"{ROOT}/tags", json={"papers": ["p0", "p1"], **wrong}).status_code == status
    assert body(client, "/tags") == before


def test_a_collection_is_changed_whole_or_not(client: TestClient) -> None:
    """Papers would be put in and taken out of a collection although its new name was refused."""
    for name, papers in (("a", ["p0"]), ("b", [])):
        client.post(f"{ROOT}/collections", json={"name": name, "papers": papers})
    before = body(client, "/collections")
    for wrong, status in (({"rename": "B"}, 400), ({"rename": " "}, 400), ({"remove": ["p0", "nobody"]}, 404)):
        change = {"add": ["p1", "p2"], "remove": ["p0"], **wrong}
        assert client.patch(f"{ROOT}/collections/a", json=change).status_code == status
        assert body(client, "/collections") == before and body(client, "/papers", collection="a")["total"] == 1
