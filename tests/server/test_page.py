"""The page: what the wheel carries, at any address of its own, and what is said where it carries none."""

from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from conspectus.server.app import install_page


def client(folder: Path) -> TestClient:
    app = FastAPI(openapi_url=None)
    install_page(app, folder)
    return TestClient(app, "http://localhost")


def test_each_address_opens_the_page(tmp_path: Path) -> None:
    """A link to an answer would find nothing when it is loaded again."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>it</title>")
    (tmp_path / "assets" / "a.js").write_text("1")
    (tmp_path.parent / "secret").write_text("no")
    asked = client(tmp_path)
    for path in ("/", "/answers/ans-1", "/papers/10.1000/x"):
        assert "it" in asked.get(path).text
    assert asked.get("/assets/a.js").headers["cache-control"].endswith("immutable")
    assert asked.get("/assets/../../secret").text != "no" and asked.get("/%2e%2e/secret").text != "no"
    assert asked.get("/api/v9/x").status_code == 404
    assert asked.get("/a%00b").status_code == 404


def test_without_a_page_it_says_so(tmp_path: Path) -> None:
    """A blank page would say nothing."""
    asked = client(tmp_path)
    assert "carries no page" in asked.get("/").text
    assert asked.get("/answers/x").status_code == 404
