"""What others do in the library is seen on a page that is open."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "lichen.md"
    path.write_text("# Lichens of the North\n\nLichens grow by a millimetre a year on bare rock.", "utf-8")
    return path


def test_two_tabs_see_what_each_does(visit: Callable[..., Any], served: ServedLibrary, note: Path) -> None:
    """Somebody would look at a table that lacks what was added, or ask about papers that are gone."""
    streams: list[Any] = []
    begin = visit("/icon.svg").context
    begin.on("request", lambda asked: streams.append(asked.frame.page) if "/v1/events" in asked.url else None)
    one = visit("/library")
    expect(one.get_by_role("table", name="Papers")).to_be_visible()
    other = visit("/library")
    other.locator("input[type=file]").first.set_input_files(note)
    expect(row(one)).to_be_visible()
    assert streams == [one], "a browser has six connections for all its tabs"

    one.close()
    paper = served.paper("Lichens")
    third = visit(f"/library?about={paper}")
    third.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row(other)).to_have_count(0)
    served.post(f"/removals/{paper}/undo")
    served.post("/reindex")
    expect(row(other)).to_be_visible()
    assert streams == [one, other]


def row(page: Any) -> Any:
    return page.get_by_role("button", name="Lichens of the North", exact=True)
