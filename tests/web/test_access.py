"""Every page for everybody: axe finds nothing serious, nothing overflows, in both themes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes, page_addresses, too_wide

pytest.importorskip("axe_playwright_python", reason="axe-core is not installed: pip install -e '.[dev]'")
from page_screenshots import walk
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]


def settled(page: Any) -> None:
    """Wait until what a page asks for first is there."""
    expect(page.locator("main :is(h1, h2)").first).to_be_visible()
    expect(page.get_by_text("Loading …")).to_have_count(0)


def test_every_page_is_for_everybody(visit: Callable[..., Any]) -> None:
    """Who cannot see, or has no mouse, would be kept out of a page."""
    page = visit("/")
    addresses = page_addresses(page)
    wrong = {}
    for address in addresses:
        page.goto(address)
        settled(page)
        wrong |= {f"{address} {width}": True for width in too_wide(page)}
        if found := grave_in_both_themes(page):
            wrong[address] = found
    assert len(addresses) >= 20
    assert not wrong


def test_an_empty_library_looks_right_on_a_phone(browser: Any, tmp_path: Path, model_ready: None) -> None:
    """The first thing that a new user sees would be too wide, unnamed for a screen reader, or broken."""
    served = ServedLibrary(tmp_path / "library")
    try:
        wrong = list(walk(browser, served.url, tmp_path / "shots", sizes=((390, 844),), themes=("dark",)))
    finally:
        served.kill()
    assert not wrong
    assert len(list((tmp_path / "shots").iterdir())) >= 20


def test_the_reader_is_for_everybody(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A citation would be open to those only who see it."""
    paper = served.paper("Exoplanet")
    sentence = served.sentence(paper, 1)
    page = visit(f"/search?read={paper}&span={sentence['id']}")
    settled(page)
    assert not too_wide(page)
    wrong = grave_in_both_themes(page)
    for name in ("Outline", "Figures and tables", "References", "About this paper", "Find in this paper"):
        page.get_by_role("button", name=name, exact=True).click()
        wrong += grave_in_both_themes(page, "#reader")
    page.goto(f"{served.url}/search?read={served.paper('Graphene')}")
    settled(page)
    wrong += grave_in_both_themes(page, "#reader")
    assert not wrong
