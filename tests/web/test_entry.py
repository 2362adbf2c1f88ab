"""Who may come in, and what a page offers where nothing may be changed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]
TOKEN = "correct-horse-battery-staple-2026"


@pytest.fixture
def served(library: Path, request: pytest.FixtureRequest) -> Iterator[ServedLibrary]:
    served = ServedLibrary(library, options=request.param)
    yield served
    served.kill()


@pytest.mark.parametrize("served", [("--token", TOKEN)], indirect=True)
def test_who_has_no_token_is_told_what_to_do(visit: Callable[..., Any]) -> None:
    """A link that was cut off would show a line of JSON, or a page that loads for ever."""
    page = visit("/library?token=wrong")
    expect(page.get_by_role("heading", name="This browser has no access yet")).to_be_visible()
    assert "token" not in page.url
    page = visit(f"/library?token={TOKEN}")
    expect(page.get_by_role("table", name="Papers")).to_be_visible()
    assert TOKEN not in page.url
    page.reload()
    expect(page.get_by_role("table", name="Papers")).to_be_visible()


@pytest.mark.parametrize("served", [("--read-only",)], indirect=True)
def test_nothing_is_offered_that_would_be_refused(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Somebody would write a question, or fill in a form, only to be refused."""
    page = visit("/ask")
    main = page.get_by_role("main")
    expect(main.get_by_text("This server is read-only")).to_be_visible()
    expect(main.get_by_role("textbox")).to_have_count(0)
    page.goto(f"{served.url}/library?about={served.paper('Graphene')}")
    expect(page.get_by_role("dialog").get_by_role("button", name="Read")).to_be_visible()
    for name in ("Add files", "Edit", "Remove", "Save"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.goto(f"{served.url}/library/health")
    expect(page.get_by_role("button", name="Check again")).to_be_visible()
    expect(page.get_by_role("button", name="Rebuild the index")).to_have_count(0)
