"""The five things that somebody does first, with the clicks that each takes."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]
MOST = 3
COUNT = """() => {
  if (window.clicks === undefined) document.addEventListener('pointerdown', () => { window.clicks += 1; }, true);
  window.clicks = 0; }"""
"""At the document: what Playwright takes back at the window, since something moved beneath it, is done again."""


@contextmanager
def few_clicks(page: Any) -> Iterator[None]:
    """Counts what is pressed; the page must not be loaded anew meanwhile."""
    page.evaluate(COUNT)
    yield
    clicks = page.evaluate("window.clicks")
    assert 1 <= clicks <= MOST


def test_first_steps_take_few_clicks(visit: Callable[..., Any], tmp_path: Path) -> None:
    """A newcomer would give up: adding, asking, reading the sentence, finding similar papers, exporting."""
    paper = tmp_path / "stromatolites.md"
    paper.write_text(
        "# Stromatolites of the Bay\n\nStromatolites of the bay grow by half a millimetre a year, layer by layer.",
        "utf-8",
    )
    page = visit("/")
    main = page.get_by_role("main")
    navigation = page.get_by_role("navigation", name="Pages", exact=True)
    with few_clicks(page):
        navigation.get_by_role("link", name="Library").click()
        with page.expect_file_chooser() as chooser:
            main.get_by_role("button", name="Add files").first.click()
        chooser.value.set_files(paper)
        expect(main.get_by_role("button", name="Stromatolites of the Bay", exact=True)).to_be_visible()

    with few_clicks(page):
        navigation.get_by_role("link", name="Ask").click()
        page.get_by_role("textbox", name="Question").click()
        page.keyboard.type("How much do the stromatolites of the bay grow in a year?")
        page.keyboard.press("Enter")
        page.wait_for_url("**/ask/ans-*")

    chip = main.locator("button.citation").first
    with few_clicks(page):
        chip.click()
        expect(page.get_by_role("complementary", name="Reader").locator(".lit").first).to_be_visible()

    with few_clicks(page):
        main.get_by_text("Share or save").click()
        with page.expect_download() as coming:
            page.get_by_role("link", name="Papers as BibTeX").click()
        assert "Stromatolites" in Path(coming.value.path()).read_text("utf-8")

    with few_clicks(page):
        navigation.get_by_role("link", name="Library").click()
        main.get_by_role("button", name=re.compile("Details of .*Stromatolites")).click()
        page.get_by_role("dialog").get_by_role("button", name="Similar").click()
        expect(main.locator(".hits li").first).to_be_visible()
