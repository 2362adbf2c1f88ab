"""The page's view of Zotero: collections are imported, chosen papers written; Zotero is a simulator."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes, too_wide
from zotero.zotero_server import ZoteroServer, zotero_server

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

WORK = {"itemType": "journalArticle", "title": "Grid cells map space", "DOI": "10.1000/grid", "date": "2012"}
SIZES = ({"width": 390, "height": 844}, {"width": 1440, "height": 900})


@pytest.fixture(scope="module")
def zotero() -> Iterator[ZoteroServer]:
    with zotero_server(10) as server:
        yield server


@pytest.fixture(scope="module")
def served(browser: Any, zotero: ZoteroServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLibrary]:
    """A served library without papers, beside a Zotero that runs."""
    folder: Path = tmp_path_factory.mktemp("zotero") / "library"
    served = ServedLibrary(folder, "--set", f"sources.zotero.url={zotero.url}")
    yield served
    served.kill()


def _check_looks(page: Any) -> None:
    assert not too_wide(page)
    for size in SIZES:
        page.set_viewport_size(size)
        assert not grave_in_both_themes(page)


def test_a_collection_comes_and_a_conflict_is_shown(
    visit: Callable[..., Any], zotero: ZoteroServer, served: ServedLibrary
) -> None:
    """Nobody could use Zotero without a terminal, or would see why a paper was not written."""
    key = zotero.put(WORK | {"collections": [zotero.collect("Reading")], "tags": [{"tag": "old"}]})
    page = visit("/library/zotero")
    main = page.get_by_role("main")
    expect(main).to_contain_text("Zotero 10.0.4 is running on the server's machine, and Conspectus reads it.")
    main.get_by_role("button", name="Import Reading").focus()
    page.keyboard.press("Enter")
    expect(main).to_contain_text("One paper is new in the library.")
    expect(main.get_by_role("button", name="Import again: Reading")).to_be_visible()
    _check_looks(page)

    zotero.put({"key": key, "tags": [{"tag": "theirs"}]})
    served.post("/tags", papers=["10.1000/grid"], add=["ours"])
    page = visit("/library")
    page.get_by_role("checkbox", name="Grid cells map space").check()
    page.get_by_role("button", name="Write to Zotero").click()
    assert not grave_in_both_themes(page, "dialog[open]")
    page.get_by_role("dialog").get_by_role("textbox").fill("New")
    page.keyboard.press("Enter")
    told = page.get_by_role("region", name="Write to Zotero")
    expect(told).to_contain_text("New: 0 items created, 0 changed, 0 unchanged, 0 notes written.")
    expect(told.get_by_role("definition")).to_have_text(["old; ours", "theirs"])
    _check_looks(page)
