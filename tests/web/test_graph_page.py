"""The graph on the page: from a vocabulary to a sentence in the reader."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from browsing import Served, grave, too_wide

pytestmark = [pytest.mark.browser, pytest.mark.model]
TABLE = "id,label,synonyms\nX:1,graphene,\nX:2,electron,electrons\nX:3,graphite,\n"


def _upload(served: Served) -> None:
    head = 'Content-Disposition: form-data; name="file"; filename="matter.csv"\r\nContent-Type: text/csv'
    sent = f"--x\r\n{head}\r\n\r\n{TABLE}\r\n--x--\r\n".encode()
    headers = {"content-type": "multipart/form-data; boundary=x"}
    urllib.request.urlopen(urllib.request.Request(f"{served.url}/api/v1/vocabularies", sent, headers)).close()


def test_from_a_vocabulary_to_a_sentence(visit: Callable[..., Any], served: Served) -> None:
    """A graph whose edges lead to no sentence is a picture."""
    page = visit("/graph")
    expect(page.get_by_text("conspectus vocabulary add")).to_be_visible()
    assert not grave(page)
    _upload(served)
    while not served.get("/vocabularies")["vocabularies"]:
        page.wait_for_timeout(50)
    page.reload()
    page.get_by_role("button", name="Find entities").click()
    expect(page.get_by_role("heading", name="Most explored")).to_be_visible()
    field = page.get_by_role("combobox", name="entity")
    field.fill("graphe")
    expect(page.get_by_role("option", name=re.compile("graphene .* sentence"))).to_be_visible()
    assert not grave(page)
    field.press("Enter")
    expect(page).to_have_url(re.compile("entity=X%3A1"))
    around = page.get_by_role("region", name="What stands together")
    around.get_by_role("button", name="on graphene and electron").press("Enter")
    told = page.get_by_role("region", name="Sentences on graphene and electron")
    expect(told.get_by_role("heading", name="graphene — electron")).to_be_focused()
    expect(told.locator("blockquote").first).to_contain_text(re.compile("electron", re.IGNORECASE))
    assert not grave(page) and not too_wide(page)
    told.locator(".citation").first.click()
    expect(page.locator("#reader")).to_be_visible()
    page.goto(f"{served.url}/graph?entity=X:1&entity=X:2")
    expect(page.get_by_role("button", name="on graphene and electron").first).to_be_visible()
    page.set_viewport_size({"width": 380, "height": 700})
    assert not grave(page) and not too_wide(page)
    page.get_by_role("button", name="Remove electron").click()
    expect(page).to_have_url(re.compile(r"entity=X%3A1$"))
