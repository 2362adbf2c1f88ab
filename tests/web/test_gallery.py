"""Figures on the page: found by words, drawn, and leading to their page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

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
    first.get_by_role("button", name="Open Figure").click()
    expect(page.locator("#reader")).to_be_visible()
    assert "q=light" in page.url and "read=" in page.url and "page=" in page.url
    page.get_by_role("button", name="Tables", exact=True).click()
    expect(page.get_by_role("article")).to_have_count(0)
