"""Rerankers behind HTTP, against servers that speak the languages there are: Cohere's, vLLM's and TEI's."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.job_context import Notice, listen
from conspectus.models import registry
from conspectus.models.protocol import Reranker
from conspectus.records import Finding
from conspectus.settings import load_settings
from grobid_server import address_of_nobody
from helpers import open_library
from loopback import QuietHandler, serve_handler
from tiny_cross_encoder import folder, matches

QUERY = "tides slow the rotation"
TEXTS = ["the moon recedes", "the tides slow the rotation of earth", "steel is hard"]
Said = tuple[int, Any, dict[str, str]]


def scored(texts: list[str], label: str = "relevance_score") -> list[dict[str, Any]]:
    """Rows as servers give them: best first, not in the order of the texts."""
    rows = [{"index": place, label: matches(QUERY, text) / 10} for place, text in enumerate(texts)]
    return sorted(rows, key=lambda row: -float(row[label]))


def cohere(body: dict[str, Any]) -> Said:
    """Refuses what it does not know."""
    if unknown := body.keys() - {"model", "query", "documents", "top_n", "max_tokens_per_doc"}:
        return 400, {"message": f"unknown field: parameter '{unknown.pop()}' is not a valid field"}, {}
    return 200, {"id": "x", "results": scored(body["documents"]), "meta": {"billed_units": {"search_units": 1}}}, {}


def vllm(body: dict[str, Any]) -> Said:
    """Takes what it does not know, and refuses long texts unless it is told to cut them."""
    if "documents" not in body:
        return 400, {"error": {"message": "documents: Field required", "code": 400}}, {}
    if any(len(text) > 100 for text in body["documents"]) and body.get("truncate_prompt_tokens") != -1:
        return 400, {"error": {"message": "the maximum context length is 100 tokens", "code": 400}}, {}
    rows = [row | {"document": {"text": "…"}} for row in scored(body["documents"])]
    return 200, {"id": "x", "model": body["model"], "usage": {"total_tokens": 56}, "results": rows}, {}


def tei(body: dict[str, Any]) -> Said:
    """Wants `texts`, at most 4 of them, and answers with a bare list."""
    if "texts" not in body:
        return 422, b"Failed to deserialize the JSON body into the target type: missing field `texts`", {}
    if len(body["texts"]) > 4:
        return 413, {"error": "batch size > maximum allowed batch size 4", "error_type": "Validation"}, {}
    if any(len(text) > 100 for text in body["texts"]) and not body.get("truncate"):
        return 413, {"error": "inputs must have less than 100 tokens", "error_type": "Validation"}, {}
    return 200, scored(body["texts"], "score"), {}


def llama(body: dict[str, Any]) -> Said:
    """Takes both ways of asking, and never cuts."""
    texts = body["documents"] if "documents" in body else body["texts"]
    if any(len(text) > 100 for text in texts):
        return 400, {"error": {"code": 400, "message": "input is larger than the max context size. skipping"}}, {}
    return 200, {"model": "m", "results": scored(texts)} if "documents" in body else scored(texts, "score"), {}


@dataclass
class Server:
    """What it was asked: address, body and key; each of `answers` goes before what it would say."""

    speaks: Callable[[dict[str, Any]], Said] = cohere
    paths: tuple[str, ...] = ("/rerank", "/v1/rerank", "/v2/rerank")
    key: str = ""
    url: str = ""
    asked: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    answers: list[Said] = field(default_factory=list)

    def say(self, status: int, body: Any = "", **headers: str) -> None:
        self.answers.append((status, body, headers))

    def reply(self, path: str, body: dict[str, Any], key: str) -> Said:
        self.asked.append((path, body, key))
        if path not in self.paths:
            return 404, {"detail": "Not Found"}, {}
        if self.key and key != f"Bearer {self.key}":
            return 401, {"message": f"invalid api token {key}"}, {}
        return self.answers.pop(0) if self.answers else self.speaks(body)


@pytest.fixture
def server() -> Iterator[Server]:
    known = Server()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            status, answer, headers = known.reply(self.path, body, self.headers.get("authorization", ""))
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send(status, raw, {"content-type": "application/json", **headers})

    with serve_handler(Handler) as known.url:
        yield known


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited; no time passes."""
    found: list[float] = []
    monkeypatch.setattr("conspectus.core.http.time.sleep", found.append)
    return found


def made(name: str, key: str = "") -> Reranker:
    flags = {"models.rerank_key": key, "models.timeout": 5}
    return registry.make_reranker(name, load_settings(flags=flags, environ={}).models)


def right(texts: list[str]) -> list[float]:
    found: list[float] = np.array([matches(QUERY, text) / 10 for text in texts], np.float32).tolist()
    return found


@pytest.mark.parametrize(
    ("speaks", "asked"),
    [
        (cohere, [{"model": "m", "query": QUERY, "documents": TEXTS}]),
        (vllm, [{"model": "m", "query": QUERY, "documents": TEXTS}]),
        (
            tei,
            [
                {"model": "m", "query": QUERY, "documents": TEXTS},
                {"model": "m", "query": QUERY, "documents": TEXTS, "truncate_prompt_tokens": -1},
                {"query": QUERY, "texts": TEXTS, "truncate": True},
            ],
        ),
    ],
)
def test_each_is_spoken_to_in_its_language(server: Server, speaks: Any, asked: list[dict[str, Any]]) -> None:
    """Else a server that is there cannot be used, or the texts get each other's scores."""
    server.speaks = speaks
    model = made(f"{server.url}#m")
    assert isinstance(model, Reranker) and model.id == f"{server.url}#m"
    found = model.scores(QUERY, TEXTS)
    assert found.dtype == np.float32 and found.tolist() == right(TEXTS)
    assert [body for _, body, _ in server.asked] == asked
    model.scores(QUERY, ["corals"])  # what it took is remembered
    assert len(server.asked) == len(asked) + 1
    assert model.scores(QUERY, []).tolist() == [] and len(server.asked) == len(asked) + 1


def test_other_names_of_the_same(server: Server) -> None:
    """Voyage calls the list `data`; a server with one model needs no name of it."""
    server.speaks = lambda body: (200, {"object": "list", "data": scored(body["documents"])}, {})
    assert made(server.url).scores(QUERY, TEXTS).tolist() == right(TEXTS)
    assert "model" not in server.asked[0][1] and made(server.url).id == server.url


@pytest.mark.parametrize("speaks", [vllm, tei])
def test_long_texts_are_cut(server: Server, speaks: Any) -> None:
    """Else one long passage ends the search."""
    server.speaks = speaks
    texts = [*TEXTS, "tides " * 40]
    model = made(f"{server.url}#m")
    assert model.scores(QUERY, TEXTS).tolist() == right(TEXTS)
    assert model.scores(QUERY, texts).tolist() == right(texts)


def test_a_server_that_never_cuts(server: Server) -> None:
    """Its long texts are cut here, each by itself: the scores of others stay as they are."""
    server.speaks = llama
    long = "moon " * 10 + "tides " * 400
    texts = [*TEXTS, long, "the tides slow"]
    found = made(server.url).scores(QUERY, texts)
    alone = [made(server.url).scores(QUERY, [text]).item() for text in texts]
    assert found.tolist() == alone
    assert [found[place] for place in (0, 1, 2, 4)] == right([*TEXTS, texts[4]])
    assert 0.3 <= found[3] <= 0.9  # of 75 to 100 characters, fifty of which are of the Moon
    with pytest.raises(ServiceError, match="context size") as caught:
        server.speaks = lambda _: (400, {"error": {"message": "larger than the max context size"}}, {})
        made(server.url).scores(QUERY, ["short"])
    assert "too long" in caught.value.hint


def test_many_texts_go_in_parts(server: Server) -> None:
    """Servers have a greatest number; one that says that its own is smaller is sent fewer from then on."""
    texts = [f"tides {number} {'slow ' * (number % 5)}" for number in range(70)]
    assert made(server.url).scores(QUERY, texts).tolist() == right(texts)
    assert [len(body["documents"]) for _, body, _ in server.asked] == [32, 32, 6]
    server.speaks = tei
    model = made(server.url)
    assert model.scores(QUERY, texts).tolist() == right(texts)
    server.asked.clear()
    assert model.scores("moon", texts[:9]).shape == (9,)
    assert [len(body["texts"]) for _, body, _ in server.asked] == [4, 4, 1]


@pytest.mark.parametrize(
    ("there", "written", "asked"),
    [
        ("/rerank", "", ["/rerank"]),
        ("/v2/rerank", "/", ["/rerank", "/v2/rerank"]),
        ("/v1/rerank", "", ["/rerank", "/v2/rerank", "/v1/rerank"]),
        ("/v1/rerank", "/v1", ["/v1/rerank"]),
        ("/api/rerank", "/api/rerank", ["/api/rerank"]),
    ],
)
def test_where_it_is(server: Server, there: str, written: str, asked: list[str]) -> None:
    """A host alone will do; a path that is written is taken at its word."""
    server.paths = (there,)
    model = made(server.url + written)
    assert model.scores(QUERY, TEXTS).tolist() == right(TEXTS)
    assert [path for path, _, _ in server.asked] == asked
    model.scores(QUERY, ["corals"])
    assert server.asked[-1][0] == there and len(server.asked) == len(asked) + 1


def test_nothing_there(server: Server) -> None:
    """The address or the model's name is wrong: both are said."""
    server.paths = ()
    with pytest.raises(ServiceError, match="HTTP 404") as caught:
        made(f"{server.url}#m").scores(QUERY, TEXTS)
    assert "address" in caught.value.hint and not caught.value.retry


def test_cohere(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its own address in its own way, with the user's key, a hundred texts at a time."""
    server.key, server.paths = "sk-hidden", ("/v2/rerank",)
    monkeypatch.setenv("CO_API_URL", server.url)
    with pytest.raises(ServiceError) as caught:
        made("cohere:rerank-v3.5")
    assert "COHERE_API_KEY" in caught.value.hint and caught.value.exit_code == 3
    monkeypatch.setenv("COHERE_API_KEY", "sk-hidden")
    texts = [f"tides {number}" for number in range(150)]
    model = made("cohere:rerank-v3.5")
    assert model.id == "cohere:rerank-v3.5" and model.scores(QUERY, texts).tolist() == right(texts)
    assert [len(body["documents"]) for _, body, _ in server.asked] == [100, 50]
    assert {body["model"] for _, body, _ in server.asked} == {"rerank-v3.5"}
    server.say(400, {"message": "invalid request"})
    with pytest.raises(ServiceError, match="invalid request"):
        model.scores(QUERY, ["x"])
    assert len(server.asked) == 3  # no other language is tried
    assert made("cohere:rerank-v3.5", "other").id == model.id
    with pytest.raises(ServiceError, match="HTTP 401"):
        made("cohere:rerank-v3.5", "other").scores(QUERY, TEXTS)  # the setting goes before the variable


def test_keys_go_to_one_place_and_are_not_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cohere's key is none of another server's business, and what a server repeats of a key is not told on."""
    monkeypatch.setenv("COHERE_API_KEY", "sk-cohere")
    made(server.url).scores(QUERY, TEXTS)
    made(server.url, "sk-own").scores(QUERY, TEXTS)
    assert [key for _, _, key in server.asked] == ["", "Bearer sk-own"]
    server.key = "sk-right"
    with pytest.raises(ServiceError, match="HTTP 401") as caught:
        made(server.url, "sk-own").scores(QUERY, TEXTS)
    assert "sk-own" not in str(caught.value) and "models.rerank_key" in caught.value.hint
    assert not caught.value.retry
    with pytest.raises(ServiceError, match="sign that no key has"):
        made(server.url, "sk\nX-Other: 1")


def test_a_redirect_takes_no_key_elsewhere(server: Server) -> None:
    """Else whoever holds the address has the key."""
    server.say(307, "", location="http://localhost:9/rerank")
    with pytest.raises(ServiceError, match="another host"):
        made(server.url, "sk-own").scores(QUERY, TEXTS)


def test_what_passes_is_waited_for(server: Server, waits: list[float]) -> None:
    """A busy server is no reason to end a search; who waits is told why."""
    server.say(429, {"message": "slow down"}, retry_after="7")
    server.say(500, {"message": "out of order"})
    told: list[str] = []
    with listen(lambda heard: told.append(heard.text), Notice):
        assert made(server.url).scores(QUERY, TEXTS).tolist() == right(TEXTS)
    assert waits == [7.0, 1.0] and "429" in told[0]


@pytest.mark.parametrize(("status", "words"), [(500, "CUDA error"), (503, "loading"), (429, "maximum of requests")])
def test_what_does_not_pass_ends(server: Server, waits: list[float], status: int, words: str) -> None:
    """It can be tried again later, and the error says so; nothing is substituted."""
    for _ in range(4):
        server.say(status, {"message": words})
    with pytest.raises(ServiceAwayError, match=words) as caught:
        made(server.url).scores(QUERY, TEXTS)
    assert caught.value.retry and len(waits) == 3 and "later" in caught.value.hint


def test_too_long_for_a_server_that_does_not_cut(server: Server, waits: list[float]) -> None:
    """llama.cpp says so with HTTP 500: trying later would not help."""
    for _ in range(4):
        server.say(500, {"error": {"message": "input (900 tokens) is too large to process"}})
    with pytest.raises(ServiceError, match="too large") as caught:
        made(server.url).scores(QUERY, TEXTS)
    assert not caught.value.retry and "passages.chars" in caught.value.hint


def test_one_text_that_is_too_much_ends(server: Server) -> None:
    """It cannot be cut in two without end."""
    server.speaks = lambda _: (413, {"error": "payload too large"}, {})
    with pytest.raises(ServiceError, match="HTTP 413"):
        made(server.url).scores(QUERY, TEXTS)


def test_nobody_there(waits: list[float]) -> None:
    """The server is not running."""
    with pytest.raises(ServiceAwayError, match="did not answer") as caught:
        made(address_of_nobody()).scores(QUERY, TEXTS)
    assert "runs" in caught.value.hint and waits == []


GOOD = [{"index": place, "relevance_score": 0.5} for place in range(3)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"<html>welcome</html>", "no list of scores"),
        ({"results": {"0": 1}}, "no list of scores"),
        ({"scores": [1, 2, 3]}, "no list of scores"),
        (7, "no list of scores"),
        (GOOD[:2], "2 scores for 3 texts"),
        ([], "0 scores for 3 texts"),
        ([0.1, 0.2, 0.3], "for no text"),
        ([*GOOD[:2], {"index": 1, "score": 1}], "second one"),
        ([*GOOD[:2], {"index": 3, "score": 1}], "for no text"),
        ([*GOOD[:2], {"index": -1, "score": 1}], "for no text"),
        ([*GOOD[:2], {"index": "2", "score": 1}], "for no text"),
        ([*GOOD[:2], {"index": True, "score": 1}], "for no text"),
        ([*GOOD, {"index": 0, "score": 1}], "second one"),
        ([*GOOD[:2], {"index": 2}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": "0.9"}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": True}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": float("nan")}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": float("inf")}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": 1e39}], "no number"),
        ([*GOOD[:2], {"index": 2, "score": 10**400}], "no number"),
        (b"[" * 100_000, "no list of scores"),
    ],
)
def test_answers_that_cannot_be_used(server: Server, answer: Any, said: str) -> None:
    """A score that is missing or no number would put a passage anywhere: it is an error, and nothing is guessed."""
    server.say(200, answer)
    with pytest.raises(ServiceError, match=said) as caught:
        made(server.url).scores(QUERY, TEXTS)
    assert len(caught.value.message) < 300


def examined(library: Path, **settings: Any) -> Finding | None:
    with open_library(library, **settings) as opened:
        return next((found for found in opened.doctor().findings if found.check == "reranker"), None)


def test_doctor_tries_the_reranker_that_is_set(server: Server, tmp_path: Path) -> None:
    """Else a wrong key or a missing folder shows itself in the middle of a search."""
    assert examined(tmp_path / "l") is None and examined(tmp_path / "l", search__reranker="none") is None
    found = examined(tmp_path / "l", search__reranker=f"onnx:{folder(tmp_path / 'm')}")
    assert found and found.ok and "onnx:m/" in found.detail
    found = examined(tmp_path / "l", search__reranker=f"onnx:{tmp_path / 'other'}")
    assert found and not found.ok and "no reranker at" in found.detail and "tokenizer.json" in found.remedy
    found = examined(tmp_path / "l", search__reranker="latte")
    assert found and not found.ok and "'late'" in found.remedy
    found = examined(tmp_path / "l", search__reranker="judge")
    assert found and not found.ok and "models connect" in found.remedy
    found = examined(tmp_path / "l", search__reranker=server.url)
    assert found and found.ok and server.url in found.detail
    server.key = "sk-right"
    found = examined(tmp_path / "l", search__reranker=server.url)
    assert found and not found.ok and "models.rerank_key" in found.remedy
