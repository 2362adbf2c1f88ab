"""What somebody does with the application from the first file to the last export, and what comes between."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary

pytest.importorskip("playwright", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]
QUESTION = "What opens the sodium channels of an axon?"


def reader(page: Any) -> Any:
    return page.get_by_role("complementary", name="Reader")


def cited(page: Any) -> Any:
    """The chips of what the answer cites."""
    return page.get_by_role("main").locator("[data-citation]")


def test_from_a_file_to_its_sentence(visit: Callable[..., Any], served: ServedLibrary, examples: Path) -> None:
    """The one thing that the application is for: a paper is added, asked, and read where the answer comes from."""
    page = visit("/library")
    page.locator("input[type=file]").first.set_input_files(examples / "papers" / "action-potential.pdf")
    added = page.get_by_role("region", name="Added")  # as long as it runs "Being added"
    expect(added).to_contain_text("added")
    expect(page.get_by_role("main")).to_contain_text("The Action Potential")

    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(cited(page).first).to_be_visible()
    page.wait_for_url("**/ask/ans-*")
    cited(page).first.click()

    span = served.get(f"/spans/{page.url.partition('span=')[2].partition('&')[0]}")["span"]
    assert span["text"] in page.get_by_role("main").inner_text()
    expect(reader(page).get_by_role("status").filter(has_text=span["text"])).to_have_count(1)
    expect(reader(page).locator("rect.lit").first).to_be_in_viewport()
    assert served.pixels_off(page, span["id"]) < 2
    here = page.url

    page.reload()
    expect(reader(page).locator("rect.lit").first).to_be_in_viewport()
    page.go_back()
    expect(reader(page)).to_have_count(0)
    expect(cited(page).first).to_be_visible()
    page.go_forward()
    expect(reader(page).locator("rect.lit").first).to_be_in_viewport()
    assert page.url == here

    page.get_by_role("main").get_by_text("Share or save").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="Papers as BibTeX").click()
    assert "Action Potential" in Path(coming.value.path()).read_text("utf-8")


def test_a_lost_connection_comes_back(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """The page would stay broken until it is loaded anew, and what was typed would be lost."""
    page = visit("/search")
    box = page.get_by_role("searchbox").first
    expect(box).to_be_visible()
    page.context.set_offline(True)
    box.fill("transit of a planet")
    box.press("Enter")
    page.wait_for_timeout(500)
    assert not page.get_by_role("button", name="Exoplanet Transits").count()
    page.context.set_offline(False)
    again = page.get_by_role("button", name="Try again")
    found = page.get_by_role("button", name="Exoplanet Transits").first
    expect(again.or_(found).first).to_be_visible()
    if again.count():
        again.first.click()
    expect(found).to_be_visible()
    expect(box).to_have_value("transit of a planet")
