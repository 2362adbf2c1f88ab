"""The description of the API: what types are made of, for the page and by others, is what routes answer with."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from examples import Examples
from jsonschema import Draft202012Validator
from PIL import Image
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.evaluation import ResultStore, work_folder
from conspectus.records import AskOptions
from graph.vocabularies import put_vocabulary
from helpers import write_jsonl
from serving import collect_notices

ROOT = "/api/v1"
PDF = Path(__file__).parents[2] / "examples" / "papers" / "action-potential.pdf"
METHODS = ("get", "post", "put", "patch", "delete")
Json = dict[str, Any]


@pytest.fixture
def document(client: TestClient) -> Json:
    found: Json = client.get(f"{ROOT}/openapi.json").json()
    return found


def parts(value: Any, path: str = "#") -> Iterator[tuple[str, Json]]:
    """(where, object) of each object in the document."""
    if isinstance(value, dict):
        yield path, value
        for name, part in value.items():
            yield from parts(part, f"{path}/{name}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from parts(part, f"{path}/{number}")


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """(method, path, operation)."""
    for path, methods in document["paths"].items():
        yield from ((method, path, methods[method]) for method in METHODS if method in methods)


def validator(document: Json, schema: Json, *, strict: bool = False) -> Draft202012Validator:
    """Of a schema in the document; `strict`: what the schema does not name is wrong."""
    schemas = document["components"]["schemas"]
    if strict:
        schemas = {
            name: {"additionalProperties": False, **part} if "properties" in part else part
            for name, part in schemas.items()
        }
    return Draft202012Validator({**schema, "components": {"schemas": schemas}})


def answered(operation: Json, status: int = 200) -> Json:
    """The schema of what is answered."""
    found: Json = operation["responses"][str(status)]["content"]["application/json"]["schema"]
    return found


def test_nothing_is_unknown(document: Json) -> None:
    """Types made of it would say `unknown`, and nobody would learn what is there before it breaks."""
    for path, part in parts(document):
        assert "HTTPValidationError" not in str(part.get("$ref")), "errors are problems"
        if part.get("type") == "object":
            assert part.get("properties") or "additionalProperties" in part, path
        if path.rpartition("/")[2] in ("schema", "items", "itemSchema"):
            assert part, path
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/components/schemas/") in document["components"]["schemas"], path
    assert all(re.fullmatch(r"[A-Za-z_]+", name) for name in document["components"]["schemas"]), "names for people"


def test_each_operation_is_named_and_told(document: Json) -> None:
    """A generated client would call it `search_api_v1_search_get`, or one of two the same."""
    names = [operation["operationId"] for *_, operation in operations(document)]
    assert len(names) == len(set(names)) and all(re.fullmatch(r"[a-z_]{3,30}", name) for name in names)
    told = {tag["name"] for tag in document["tags"] if tag["description"]}
    for method, path, operation in operations(document):
        assert operation["description"] and set(operation["tags"]) <= told, (method, path)
        good = [status for status in operation["responses"] if status.startswith("2")]
        assert good and {"4XX", "5XX"} <= operation["responses"].keys(), (method, path)
        for status in good:
            assert status == "204" or operation["responses"][status].get("content"), (method, path, status)


def test_each_example_is_one(document: Json) -> None:
    """Who copies an example would be refused."""
    found = [(part, one) for _, part in parts(document) for one in part.get("examples", ()) if "type" in part]
    found += [
        (part["schema"], one) for _, part in parts(document) if "schema" in part for one in part.get("examples", ())
    ]
    assert len(found) > 5
    for schema, one in found:
        validator(document, schema).validate(one)
    for method, path, operation in operations(document):
        body = operation.get("requestBody", {"content": {}})
        if "multipart/form-data" not in body["content"] and body["content"]:  # a file has no example
            schema = body["content"]["application/json"]["schema"]
            assert not body.get("required") or "examples" in json.dumps(_resolved(document, schema)), (method, path)


def test_examples_depend_neither_on_the_moment_nor_on_the_machine(client: TestClient) -> None:
    """Each time they are written, a change of the program would drown in hundreds of other lines."""
    said = (
        ("ans-45c23b0d", "d3ec083e3b0240ad", "2026-11-27T13:06:12.677+00:00", "0.0002708819956751", "/tmp/a"),
        ("ans-4bb092a1", "a68372df553f85c1", "2027-01-02T03:04:05+00:00", "1.2e-05", "/var/tmp/b"),
    )
    stable = [
        Examples(client, [place]).stable(
            f'{{"id": "{name}", "of": "{name}", "image": "{image}", "at": "{at}", "took": {took}, '
            f'"score": 0.1234567890123456, "path": "{place}/x"}}'
        )
        for name, image, at, took, place in said
    ]
    found = json.loads(stable[0])
    assert stable[0] == stable[1] and found["id"] == found["of"] != "ans-45c23b0d"
    assert (found["score"], found["path"]) == (0.1234567890123456, "/home/ada/papers/x")


def test_each_answer_has_an_example_that_is_one(document: Json) -> None:
    """Who reads the description would have to ask a server what comes back, or be shown what never comes."""
    seen = 0
    for method, path, operation in operations(document):
        for status, answer in operation["responses"].items():
            told = answer.get("content", {}).get("application/json")
            if status.startswith("2") and told and "$ref" in told["schema"]:
                assert "example" in told, (method, path, "write it by tests/server/examples.py")
                for error in validator(document, told["schema"], strict=True).iter_errors(told["example"]):
                    raise AssertionError(f"{path}: {list(error.absolute_path)}: {error.message}")
                seen += 1
            for kind, file in answer.get("content", {}).items():
                if status.startswith("2") and file.get("schema", {}).get("format") == "binary" and "image" not in kind:
                    assert isinstance(file.get("example"), str), (method, path, kind)
    assert seen > 40


def _resolved(document: Json, schema: Json) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Json = document["components"]["schemas"].get(name, schema)
    return found


@pytest.fixture
def names(client: TestClient, library: Library) -> dict[str, str]:
    """What stands for the parameters of paths, of a library in which everything was done once."""
    begun = client.post(f"{ROOT}/conversations", json={"title": "Cells"}).json()["id"]
    asked = {"question": "Where do place cells fire?", "conversation": begun}
    job = client.post(f"{ROOT}/ask", json=asked).json()["job"]
    collect_notices(client, job)
    (span, *_) = next(library.passages("p0")).spans
    library.add(PDF)
    Image.new("RGB", (40, 30), "teal").save(library.folder / "a.png")
    library.images.add([library.folder / "a.png"])
    image = library.images.list().images[0].id
    figure = library.figures.search("membrane", k=1).hits[0].figure.id
    put_vocabulary(library, {"X:2": ("place cells",)})
    library.graph.link()
    library.vocabularies.add(
        write_jsonl(library.folder / "words.jsonl", [{"id": "X:1", "label": "cell", "synonyms": ["1"]}])
    )
    library.vocabularies.name("cell", "leave")
    library.map.build(method="pca")
    library.review.classify({"Grids": "Grid cells", "Places": "Place cells"}, name="Cells")
    library.review.report("Where do cells fire?", name="Cells", sections=1)
    library.review.rank(by="how large cells are", name="Cells", begin=True)
    library.review.screen({"include": ["Grid cells"], "exclude": {"letter": ""}}, name="Cells")
    library.review.table("age", name="Cells", model="none")
    known = {
        "concept": "X:1",
        "paper": PDF.name,
        "figure": figure,
        "papers": PDF.name,
        "page": "1",
        "image": image,
        "span": span.id,
        "job": job,
        "name": "p0",
    }
    known["facet"] = "author"
    return {**known, "answers": library.answers.list()[0].id, "conversations": begun, "reviews": "Cells"}


QUERIES: dict[str, Json] = {
    "/search": {"q": "cells", "outliers": True},
    "/cite": {"paper": "p0"},
    "/count": {"q": "cells"},
    "/figures": {"q": "membrane"},
    "/graph": {"name": "place cells"},
    "/graph/discover": {"name": "place cells"},
    "/graph/paragraphs": {"name": "place cells"},
    "/models/titles": {"name": "ollama:qwen3"},
    "/map/overlay": {"name": "query:place cells"},
    "/map/trends": {"words": "place cells"},
    "/map/impact": {"words": "place cells"},
    "/route": {"q": "Do grid cells fire?"},
    "/similar": {"paper": "p0"},
    "/sources/graph": {"paper": "p0"},
    "/papers/{paper}/find": {"q": "sodium"},
}
ELSEWHERE = (
    "/file",
    ".png",
    "}/image",
    ".jpg",
    "/eval/runs/",
    "/eval/compare",
    "/events",
    "/export",
    "/metrics",
    "/map/points",
    "/directions",
)
"""Answers that are no JSON, or for which the papers here have nothing."""


def test_what_is_answered_is_as_described(client: TestClient, document: Json, names: dict[str, str]) -> None:
    """Types would lie: a field that is told of and never comes, or comes and is not told of."""
    asked = 0
    for method, path, operation in operations(document):
        short = path.removeprefix(ROOT)
        if method != "get" or any(part in short for part in ELSEWHERE):
            continue
        known = {**names, "name": names.get(short.split("/")[1], names["name"])}
        found = client.get(path.format(**known), params=QUERIES.get(short, {}))
        assert found.status_code == 200, (path, found.text)
        for error in validator(document, answered(operation), strict=True).iter_errors(found.json()):
            raise AssertionError(f"{path}: {list(error.absolute_path)}: {error.message}")
        asked += 1
    assert asked > 15


def test_events_are_as_described(client: TestClient, document: Json, names: dict[str, str], tmp_path: Path) -> None:
    """A page could not tell what a job says."""
    schema = {"$ref": "#/components/schemas/JobEvent"}
    paper = json.dumps({"id": "new", "title": "Eels", "abstract": "Eels swim at night."})
    jobs = [names["job"], client.post(f"{ROOT}/files", files={"file": ("a.jsonl", paper)}).json()["job"]]
    jobs.append(client.post(f"{ROOT}/doctor").json()["job"])
    jobs.append(client.post(f"{ROOT}/answers/{names['answers']}/rerun", json={"strict": True}).json()["job"])
    for job in jobs:
        told = collect_notices(client, job)
        assert [one.event for one in told][-2:] == ["done", "end"]
        for one in told[:-1]:
            validator(document, schema, strict=True).validate(one.data)


def test_an_option_of_an_answer_is_one_of_requests(document: Json, client: TestClient) -> None:
    """One that the library learns would be refused by the server, or one that it does not know be passed over."""
    options = {field.name for field in fields(AskOptions)}
    for name, left_out in (("Question", set()), ("AnswersRerunRequest", {"conversation", "online"})):
        assert options - left_out <= document["components"]["schemas"][name]["properties"].keys()
    for path in ("/ask", "/answers/last/rerun"):
        assert client.post(ROOT + path, json={"question": "x", "temperature": 2}).status_code == 422


def test_the_library_is_measured_before_and_after(
    client: TestClient, library: Library, document: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who changes a setting could not see whether it helped; another library's results would stand among these."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: library.session.embedder)
    seen = "spectrum rotation emission absorption polarisation variability luminosity temperature".split()
    works = [
        {
            **{"id": f"w{n}", "title": f"On the {what} of quasars", "year": 1990 + n},
            "abstract": f"With VLT and ALMA the {what} of a quasar was held against its "
            f"{seen[n - 1]} over {n + 2} nights.",
        }
        for n, what in enumerate(seen)
    ]
    library.add(write_jsonl(tmp_path / "works.jsonl", works))

    def checked(path: str, described: str, **query: str) -> Json:
        found = client.get(ROOT + path, params=query)
        assert found.status_code == 200, found.text
        validator(document, answered(document["paths"][ROOT + described]["get"]), strict=True).validate(found.json())
        body: Json = found.json()
        return body

    assert checked("/eval/runs", "/eval/runs")["results"] == []
    asked = {"questions": 5, "configurations": ["default", "bm25"]}
    told = collect_notices(client, client.post(f"{ROOT}/eval/self", json=asked).json()["job"])
    for one in told[:-1]:
        validator(document, {"$ref": "#/components/schemas/JobEvent"}, strict=True).validate(one.data)
    assert told[-2].event == "done", told[-2].data["error"]
    made = [one.data["part"]["id"] for one in told if one.event == "part"]
    assert len(made) == 2 and [one["id"] for one in told[-2].data["result"]] == made
    runs = checked("/eval/runs", "/eval/runs")["results"]
    assert {one["id"] for one in runs} == set(made)
    one = checked(f"/eval/runs/{made[0]}", "/eval/runs/{name}", failures="2")
    assert len(one["failures"]) == 2 and one["result"]["settings"]["search.k"]
    compared = checked("/eval/compare", "/eval/compare", first=made[0], second=made[1])
    assert compared["comparison"]["differences"] and compared["first"]["configuration"]["name"] == "default"
    for path in ("/eval/runs/ev-none", "/eval/runs/last", "/eval/runs/..%2f..%2fx"):
        assert client.get(ROOT + path).status_code == 404
    store = ResultStore(work_folder() / "results")
    result = store.get(made[0])
    assert result.library
    other = store.save(replace(result, library=replace(result.library, folder="/elsewhere")))
    assert client.get(f"{ROOT}/eval/runs/{other.id}").status_code == 404
