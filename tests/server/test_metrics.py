"""What Prometheus is told."""

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from conspectus import Library
from conspectus.server.access import Access
from conspectus.server.metrics import METHODS
from language_server import serve_script
from serving import collect_notices, make_client

METRICS = "/api/v1/metrics"


def told(client: TestClient) -> dict[tuple[str, tuple[str, ...]], float]:
    """(name, values of its labels) -> value."""
    answered = client.get(METRICS)
    assert answered.status_code == 200 and answered.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answered.text)
    return {(one.name, tuple(one.labels.values())): one.value for family in families for one in family.samples}


def test_requests_are_counted_by_routes(client: TestClient) -> None:
    """Whoever serves a group would not see that it is slow, or fails; by addresses the numbers would have no end."""
    for path in ("/papers/p0", "/papers/p1", "/papers/10.1000%2Fp.0", "/papers/nobody", "/search?q=cells", "/search"):
        client.get(f"/api/v1{path}")
    client.head("/api/v1/papers/p0")
    client.get("/api/v1/status", headers={"host": "evil.example.org"})
    for number in range(5):
        client.get(f"/nothing-{number}")
        client.request(f"ODD{number}", "/api/v1/status")
    found = told(client)
    count = {key[1]: value for key, value in found.items() if key[0] == "conspectus_requests_total"}
    assert count["GET", "/papers/{paper}", "200"] == 3 and count["GET", "/papers/{paper}", "404"] == 1
    assert count["HEAD", "/papers/{paper}", "200"] == 1
    assert count["GET", "/search", "200"] == 1 and count["GET", "/search", "422"] == 1
    assert count["GET", "refused", "421"] == 1
    assert {method for method, *_ in count} <= {*METHODS, "other"} and not any(
        "nothing" in route for _, route, _ in count
    )
    assert found["conspectus_request_seconds_count", ("GET", "/search")] == 2
    assert found["conspectus_library", ("papers",)] == 3


def test_jobs_and_models_are_counted(library: Library) -> None:
    """What a group spends would be seen on the bill."""
    folder = library.folder
    library.close()
    with (
        serve_script(lambda _: "[]") as model,
        Library(folder, {"language.model": model.url}, embedder=library.session.injected.embedder) as again,
        make_client(again) as client,
    ):
        collect_notices(
            client, client.post("/api/v1/ask", json={"question": "Where do place cells fire?"}).json()["job"]
        )
        found = told(client)
    assert sum(value for (name, _), value in found.items() if name == "conspectus_jobs") == 1
    calls = {labels: value for (name, labels), value in found.items() if name == "conspectus_model_calls_total"}
    assert sum(calls.values()) == len(model.requests) > 0
    tokens = {labels[0]: value for (name, labels), value in found.items() if name == "conspectus_model_tokens_total"}
    assert tokens["prompt"] == 100 * len(model.requests)


def test_metrics_need_the_token(library: Library) -> None:
    """What a group asks, and how much it spends, would be everybody's to read."""
    with make_client(library, Access("0.0.0.0", 80, "secret")) as client:
        assert client.get(METRICS).status_code == 401
        assert client.get(METRICS, headers={"authorization": "Bearer secret"}).status_code == 200
