"""Figures on the page: found by words, drawn, and leading to their page."""

import base64
import os
import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from browsing import ServedLibrary, grave, too_wide
from conspectus.models.efficientnet import SPEC
from conspectus.models.store import ModelStore

pytestmark = [pytest.mark.browser, pytest.mark.model]


def test_words_lead_to_a_picture_and_that_to_its_page(visit: Callable[..., Any]) -> None:
    """Captions alone would be a list of words."""
    page = visit("/figures")
    page.get_by_role("searchbox").fill("light curve of a transit")
    page.get_by_role("searchbox").press("Enter")
    first = page.get_by_role("article").first
    expect(first.get_by_role("heading")).to_contain_text("Figure")
    picture = first.locator("img")
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=picture.element_handle())
    expect(picture).to_have_attribute("alt", re.compile("Figure"))
    first.get_by_role("button", name="Open Figure").click()
    expect(page.locator("#reader")).to_be_visible()
    assert "q=light" in page.url and "read=" in page.url and "page=" in page.url
    page.get_by_role("button", name="Tables", exact=True).click()
    expect(page.get_by_role("article")).to_have_count(0)


DROP = """([text, name]) => {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const given = new DataTransfer();
  given.items.add(new File([bytes], name, { type: "image/png" }));
  for (const kind of ["dragenter", "dragover", "drop"])
    document.querySelector(".figures").dispatchEvent(new DragEvent(kind, { dataTransfer: given, bubbles: true }));
}"""
"""Drop a picture on the page."""


@pytest.fixture
def looked(served: ServedLibrary) -> dict[str, Any]:
    """A figure of the library, whose figures were looked at."""
    if not ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE") or None).has(SPEC):
        pytest.skip("the image encoder is not there: conspectus models fetch efficientnet")
    figure: dict[str, Any] = served.get("/figures?q=light+curve&only=figure&k=1")["hits"][0]["figure"]
    return figure


def _picture(served: ServedLibrary, figure: dict[str, Any]) -> bytes:
    url = f"{served.url}/api/v1/papers/{figure['paper']['id']}/figures/{figure['name']}.png?scale=2"
    with urllib.request.urlopen(url) as answer:
        return bytes(answer.read())


def _look(page: Any) -> None:
    """Have the figures looked at, where nobody has."""
    first = page.get_by_role("article").first
    button = page.get_by_role("button", name="Analyse them")
    expect(page.locator(".stale")).to_have_count(0)
    expect(first.or_(button)).to_be_visible()
    if button.is_visible():
        button.click()
    expect(first).to_be_visible()
    expect(page.locator(".stale")).to_have_count(0)


def test_a_dropped_picture_finds_its_figure(
    visit: Callable[..., Any], served: ServedLibrary, looked: dict[str, Any]
) -> None:
    """Who has a picture has no words for it; nor does an address hold it."""
    page = visit("/figures")
    page.get_by_role("article").first.wait_for()
    page.evaluate(DROP, [base64.b64encode(_picture(served, looked)).decode(), "eel.png"])
    source = page.get_by_role("group", name="Query picture")
    expect(source).to_contain_text("eel.png")
    _look(page)
    expect(page.get_by_role("article").first.get_by_role("heading")).to_contain_text(looked["label"])
    expect(page.get_by_role("article").first.locator(".score")).to_have_text(re.compile(r"1\.00|0\.9\d"))
    assert not grave(page) and not too_wide(page)
    page.reload()
    expect(page.get_by_text("The picture is no longer available")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("article").first).to_be_visible()


def test_a_part_of_a_figure_is_chosen_by_keys_and_stands_in_the_address(
    visit: Callable[..., Any], looked: dict[str, Any]
) -> None:
    """A pointer is not everybody's; and what was found is to be sent on."""
    page = visit(f"/figures?q=light+curve&only=figure&view={looked['id']}")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Select a part").press("Enter")
    frame = dialog.get_by_role("application")
    expect(frame).to_be_focused()
    frame.press("ArrowLeft")
    frame.press("Shift+ArrowDown")
    expect(dialog.get_by_role("status")).to_have_text("50 % by 52 % of it, 23 % from the left, 25 % from the top")
    assert not grave(page)
    dialog.get_by_role("button", name="Find pictures similar to this part").press("Enter")
    expect(page).to_have_url(re.compile(rf"like={re.escape(looked['id'])}&crop=0.23%2C0.25%2C0.5%2C0.52"))
    expect(page.get_by_role("group", name="Query picture")).to_contain_text("50 % by 52 %")
    page.go_back()
    expect(dialog).to_be_visible()


def test_what_is_no_picture_is_told(visit: Callable[..., Any], looked: dict[str, Any]) -> None:
    """A gallery that stays empty says nothing."""
    page = visit("/figures")
    page.get_by_role("article").first.wait_for()
    page.evaluate(DROP, [base64.b64encode(b"no picture " * 9).decode(), "eel.png"])
    expect(page.get_by_role("alert")).to_contain_text("PNG")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("article").first).to_be_visible()
