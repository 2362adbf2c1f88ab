"""The library and the search on the page: adding a file, a hundred thousand rows, from words to the marked passage."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from browsing import ServedLibrary

pytest.importorskip("playwright", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

MANY = 100_000
SEEN = 60
"""Rows that the page may hold, however many there are."""

GONE = """async () => {
  const { papers } = await (await fetch("/api/v1/papers?q=ants")).json();
  for (const one of papers) await fetch(`/api/v1/papers/${one.id}`, { method: "DELETE" });
}"""
"""Leaves the library to the other tests as it was."""


def generated(route: Any) -> None:
    """A page of a library of many papers."""
    query = parse_qs(urlsplit(route.request.url).query)
    first = int(query["after"][0]) if "after" in query else int(query.get("offset", ["0"])[0])
    last = min(MANY, first + int(query["limit"][0]))
    papers = [{"id": f"p{n}", "title": f"Paper {n}", "authors": [], "year": 1950 + n % 75} for n in range(first, last)]
    found = {"papers": papers, "next": str(last) if last < MANY else None, "total": None if "after" in query else MANY}
    route.fulfill(content_type="application/json", body=json.dumps(found))


def test_a_file_is_added_found_and_removed_with_a_way_back(visit: Callable[..., Any], tmp_path: Path) -> None:
    """Nobody could fill a library from the page, see what became of a file, take a slip back, or try again."""
    (tmp_path / "ants.md").write_text("# On ants\n\nAnts count their steps on the way home.\n", encoding="utf-8")
    (tmp_path / "ants.exe").write_bytes(b"MZ")
    page = visit("/library")
    page.locator("input[type=file]").set_input_files([tmp_path / "ants.md", tmp_path / "ants.exe"])
    told = page.get_by_role("region", name="Added")  # as long as it runs "Being added"
    expect(told.get_by_text("One paper added")).to_be_visible()
    expect(told.get_by_text("of a kind that cannot be read")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="On ants")
    row.get_by_role("checkbox").check()
    page.get_by_role("region", name="Selection").or_(page.locator(".chosen")).get_by_role(
        "button", name="Remove"
    ).click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    expect(row).to_have_count(0)
    page.reload()
    page.get_by_role("button", name="Removed").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore “On ants”").click()
    expect(row).to_be_visible()
    expect(page.get_by_role("button", name="Removed")).to_have_count(0)
    page.keyboard.press("Escape")

    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Files").click()
    failed = page.get_by_role("listitem").filter(has_text="ants.exe")
    expect(failed).to_contain_text("failed")
    failed.get_by_role("button", name="Try ants.exe again").click()
    expect(told).to_contain_text("ants.exe")
    expect(told.get_by_text("of a kind that cannot be read")).to_be_visible()

    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Settings").click()
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Health").click()
    page.get_by_role("button", name="Repair what can be repaired").click()
    expect(page).to_have_url(re.compile("doing=%2Fdoctor"))
    expect(page.get_by_text("done", exact=True).first).to_be_visible()
    page.evaluate(GONE)


def test_a_hundred_thousand_papers_are_as_quick_as_ten(visit: Callable[..., Any]) -> None:
    """A large library would freeze the page, or nobody would come to its end."""
    page = visit("/search")
    page.route("**/api/v1/papers?*", generated)
    page.get_by_role("link", name="Library").click()
    table = page.get_by_role("table", name="Papers")
    expect(table).to_have_attribute("aria-rowcount", str(MANY + 1))
    expect(table.get_by_text("Paper 0", exact=True)).to_be_visible()
    table.evaluate("(one) => (one.scrollTop = one.scrollHeight)")
    last = table.get_by_role("row").filter(has_text=f"Paper {MANY - 1}")
    expect(last).to_have_attribute("aria-rowindex", str(MANY + 1))
    assert table.get_by_role("row").count() < SEEN


def test_the_state_of_the_library_is_told_in_german(visit: Callable[..., Any]) -> None:
    """A German reader would be told of the index in English, and a long label would lie on its value."""
    page = visit("/library/health")
    page.evaluate("localStorage.setItem('conspectus.language', 'de')")
    page.reload()
    expect(page.get_by_role("definition").filter(has_text=re.compile(r"^\d+ Textstellen, "))).to_be_visible()
    label = page.locator("dt").filter(has_text="Einbettungsmodell")
    assert label.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_from_words_to_the_marked_passage(visit: Callable[..., Any]) -> None:
    """Who searches would not see why a paper was found, or could not go on from it by keys."""
    page = visit("/search")
    page.get_by_role("searchbox").fill("transit of an exoplanet year:2000..")
    page.keyboard.press("Enter")
    first = page.get_by_role("article").first
    expect(first.locator("mark").first).to_be_visible()
    expect(page.get_by_text("Only:")).to_be_visible()
    first.get_by_role("button", name="Why this result").click()
    expect(first.get_by_text("Similarity in meaning")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_role("searchbox").fill("autor:hafting")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Use author:").click()
    expect(page).to_have_url(re.compile("q=author"))


def test_a_note_is_text_that_fetches_nothing(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A note that came with somebody's library would tell its author who reads it (`visit` sees what is asked for)."""
    paper = served.paper("Graphene")
    said = "**Mind**: ![x](https://evil.example/x.png) <img src=https://evil.example/y.png> [a](javascript:alert(1))"
    served.post("/notes", paper=paper, text=said)
    page = visit(f"/library?about={paper}")
    notes = page.get_by_role("region", name="Notes")
    expect(notes.locator("strong")).to_have_text("Mind")
    assert not notes.locator("img, a:not([href^='https://'])").count()
