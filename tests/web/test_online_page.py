"""Papers from elsewhere on the page: found, chosen, added, followed. The services are those of the folder `shelf`."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes, too_wide

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

SHELF = Path(__file__).parent / "shelf"
PAPER = Path(__file__).parents[2] / "examples" / "papers" / "graphene.md"
BOX = "DOI, link or words"


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLibrary]:
    """A served library of one paper, whose services are those of the shelf."""
    folder = tmp_path_factory.mktemp("online") / "library"
    subprocess.run(
        [sys.executable, "-m", "conspectus", "--library", str(folder), "add", str(PAPER)],
        check=True,
        capture_output=True,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(SHELF), prepend=os.pathsep)
        served = ServedLibrary(folder, "--set", "sources.online=true")
    yield served
    served.kill()


def test_works_are_found_chosen_added_and_followed(visit: Callable[..., Any]) -> None:
    """Nobody could fill a library from the page by words, or see which of the works are there already."""
    page = visit("/library/online")
    main = page.get_by_role("main")
    page.get_by_role("textbox", name=BOX).fill("grid cells")
    page.keyboard.press("Enter")
    expect(main).to_contain_text("4 works found One service had problems")
    expect(main.get_by_text("did not answer.")).to_be_visible()
    works = main.get_by_role("list").get_by_role("listitem").filter(has=page.get_by_role("checkbox"))
    expect(works.filter(has_text="never there").get_by_text("retracted")).to_be_visible()
    expect(works.filter(has_text="A talk").get_by_role("checkbox")).to_be_disabled()
    assert not too_wide(page)
    assert not grave_in_both_themes(page)

    main.get_by_role("button", name="Save this search").click()
    expect(main.get_by_role("link", name="News")).to_have_count(1)
    works.filter(has_text="Microstructure").get_by_role("checkbox").check()
    main.get_by_role("button", name="Add selected (1)").click()
    expect(main.get_by_text("One paper is new in the library.")).to_be_visible()
    works.filter(has_text="Microstructure").get_by_role("button", name="in the library").click()
    expect(page.get_by_text("Grid cells fire at the corners of triangles.").last).to_be_visible()

    main.get_by_role("link", name="News").last.click()
    kept = main.get_by_role("listitem").filter(has_text="4 works known")
    kept.get_by_role("button", name="Run again").click()
    expect(main).to_contain_text("Nothing new since the last time.")
    assert not too_wide(page)
    assert not grave_in_both_themes(page)
    kept.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(main.get_by_role("heading", name="No saved searches")).to_be_visible()


def test_what_of_pasted_identifiers_failed_is_said_with_its_reason(visit: Callable[..., Any]) -> None:
    """One wrong DOI in a list would cost all of them, or be lost without a word."""
    page = visit("/library/online")
    page.get_by_role("textbox", name=BOX).fill("10.1000/open\nfoo\n10.9999/nobody\nhttps://example.org/x")
    expect(page.get_by_text("Not an identifier, left out: foo")).to_be_visible()
    page.get_by_role("button", name="Add 3 papers").click()
    told = page.get_by_role("region", name="Add papers")
    expect(told).to_contain_text("One paper is new in the library.")
    expect(told.get_by_role("listitem")).to_have_count(2)
    expect(told.get_by_role("listitem").filter(has_text="10.9999/nobody")).to_contain_text("Crossref")
    page.reload()  # the job stands in the address
    expect(told).to_contain_text("One paper is new in the library.")


def test_metadata_are_completed_with_a_report(visit: Callable[..., Any]) -> None:
    """Who asks services for what papers lack would not see whom, or what came of it."""
    page = visit("/library")
    page.get_by_role("button", name="Complete metadata").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Services used").click()
    expect(dialog.get_by_role("row").filter(has_text="https://api.crossref.org")).to_be_visible()
    assert not grave_in_both_themes(page, "dialog[open]")
    dialog.get_by_role("button", name=re.compile(r"Complete all \d+ papers")).click()
    expect(page.get_by_role("region", name="Complete metadata")).to_contain_text(
        re.compile(r"Services know \d+ of \d+ paper")
    )
    assert not too_wide(page)


def test_where_nothing_may_be_asked_nothing_is(browser: Any, served: ServedLibrary) -> None:
    """A question would leave the machine although its owner did not allow it."""
    offline = ServedLibrary(served.folder)
    page = browser.new_page(locale="en-GB")
    try:
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        page.goto(f"{offline.url}/library/online")
        expect(page.get_by_text("Online services are turned off.")).to_be_visible()
        page.get_by_role("textbox", name=BOX).fill("grid cells")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Search online")).to_be_disabled()
        page.get_by_role("note").get_by_role("link", name="Settings").click()
        expect(page.get_by_role("combobox", name="Online services")).to_have_value("false")
        assert not sent
    finally:
        page.close()
        offline.kill()
