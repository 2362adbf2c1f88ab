"""The graph, asked as a page asks."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.graph.linking.words import new_id
from conspectus.server.access import Access
from graph.vocabularies import put_mention, put_vocabulary
from serving import body, collect_notices, make_client

CELLS = {"X:1": ("grid cell", "grid cells", "theta"), "X:2": ("lattice",), "X:3": ("rat", "rats"), "X:4": ("arena",)}


@pytest.fixture
def linked(client: TestClient, library: Library) -> TestClient:
    put_vocabulary(library, CELLS, "Cells")
    begun = client.post("/api/v1/link")
    assert begun.status_code == 202, begun.text
    result = collect_notices(client, begun.json()["job"])[-2].data["result"]
    assert (result["linked"], result["vocabularies"]) == (3, ["Cells"])
    return client


def test_what_sentences_of_several_papers_speak_of(client: TestClient, library: Library) -> None:
    """Who reads an answer could not see what its quotes speak of; a page would ask sentence by sentence."""
    assert body(client, "/mentions") == {
        "schema": "conspectus.graph.sentence-mentions/1",
        "linked": False,
        "mentions": [],
    }
    put_vocabulary(library, CELLS, "Cells")
    library.graph.link()
    every = [one for name in ("p1", "p0") for one in body(client, f"/papers/{name}/mentions")["mentions"]]
    spans = list(dict.fromkeys(one["span_id"] for one in every))
    found = body(client, "/mentions", span=[*spans, "none.s1", "gone"])
    assert found["linked"] and found["mentions"] == every and {one["vocabulary"] for one in every} == {"Cells"}
    assert client.get("/api/v1/mentions", params={"span": ["x"] * 201}).status_code == 422


def test_what_models_found_is_reviewed(linked: TestClient, library: Library) -> None:
    """A page could not show the list, or not take back what was said."""
    put_mention(library, "Grid cells", "fire", id := new_id("fire"))
    found = body(linked, "/entities/review", examples=2)
    (one,) = found["entities"]
    assert (one["id"], one["name"], one["state"], one["sentences"], found["total"]) == (id, "fire", "new", 1, 1)
    assert "fire" in one["examples"][0]["quote"]
    assert [one["id"] for one in body(linked, "/entities", vocabulary="local")["entities"]] == [id]

    def say(what: str, **more: str) -> Any:
        sent = {"entity": id} if what in ("merge", "unmerge") else {"entities": [id]}
        answer = linked.post(f"/api/v1/entities/{what}", json=sent | more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    assert say("reject")["reviewed"][0]["state"] == "rejected" and body(linked, "/entities/review")["total"] == 0
    assert body(linked, "/entities/review", state="rejected")["entities"][0]["id"] == id
    assert say("undo")["reviewed"][0]["state"] == "new"
    assert say("accept")["reviewed"][0]["state"] == "accepted"
    assert say("merge", into="X:4")["merge"]["into"] == "X:4" == body(linked, "/entities/merges")["merges"][0]["into"]
    assert say("unmerge")["merge"]["into"] == "X:4" and body(linked, "/entities/merges")["merges"] == []
    for path, asked in (("accept", {"entities": ["X:1"]}), ("unmerge", {"entity": id})):
        assert linked.post(f"/api/v1/entities/{path}", json=asked).status_code == 404
    assert linked.get("/api/v1/entities/review", params={"state": "old"}).status_code == 422
    assert linked.get("/api/v1/entities", params={"vocabulary": "birds"}).status_code == 404
    reading = make_client(library, Access(port=80, read_only=True))
    assert reading.post("/api/v1/entities/accept", json={"entities": [id]}).status_code == 403


def test_what_is_not_there_is_told(linked: TestClient, library: Library) -> None:
    """An empty picture would say that nothing is known."""
    for path, status in (("/graph", 422), ("/graph?name=x", 404), ("/graph?name=rat&depth=9", 422)):
        assert linked.get(f"/api/v1{path}").status_code == status
    assert linked.get("/api/v1/entities?paper=none").status_code == 404
    assert linked.get("/api/v1/papers/none/mentions").status_code == 404
    assert make_client(library, Access(port=80, read_only=True)).post("/api/v1/link").status_code == 403


def test_relations_are_read_by_a_model(linked: TestClient) -> None:
    """Who has a model could only use it from a terminal; or would have the server ask at any address."""
    job = linked.post("/api/v1/relate", json={}).json()["job"]
    failed = collect_notices(linked, job)[-2]
    assert failed.event == "failed" and failed.data["error"]["type"] == "UnavailableError"
    assert linked.post("/api/v1/relate", json={"model": "openai:x@http://10.0.0.1"}).status_code == 403
