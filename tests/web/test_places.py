"""The five places, on a desktop and on a phone, and what an empty library shows."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes, too_wide

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

PLACES = ["Ask", "Explore", "Library", "Review", "Settings"]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLibrary]:
    """An empty library, served."""
    served = ServedLibrary(tmp_path_factory.mktemp("places") / "library")
    yield served
    served.kill()


def test_on_a_phone_each_place_is_one_tap_away(visit: Callable[..., Any]) -> None:
    """The library would be hidden behind "More", or theme, language and keys could not be changed."""
    page = visit("/search")
    page.set_viewport_size(PHONE)
    places = page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link")
    assert places.all_inner_texts() == PLACES
    pages = page.get_by_role("navigation", name="Pages in this section")
    for place, names in (
        ("Library", ("Papers", "Files", "Activity")),
        ("Settings", ("General", "Health")),
        ("Review", ("Rank",)),
    ):
        places.filter(has_text=place).click()
        for name in names:
            expect(pages.get_by_role("link", name=name)).to_be_visible()
    pages.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", level=1, name="Report")).to_be_visible()
    expect(pages.get_by_role("link", name="Report")).to_be_in_viewport()
    pages.get_by_role("button", name="Appearance, keys and language").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Dark").click()
    expect(page.locator("html[data-theme=dark]")).to_have_count(1)
    dialog.get_by_role("combobox", name="Language").select_option("de")
    expect(page.locator("nav.navigation a.place").first).to_have_text("Fragen")
    assert not too_wide(page)


def test_on_a_phone_the_chosen_page_is_in_view(browser: Any, served: ServedLibrary) -> None:
    """The row of pages would hide the one that is open, when the words of another language arrive."""
    page = browser.new_page(viewport=PHONE, locale="de-DE", reduced_motion="reduce")
    for address in ("directions", "evaluation", "review/report", "library/files"):
        page.goto(f"{served.url}/{address}")
        expect(page.locator("nav.navigation a.place").first).to_have_text("Fragen")
        expect(page.locator("nav.page-row [aria-current]")).to_be_in_viewport(ratio=1)
    page.close()


def test_an_empty_library_shows_what_to_do_and_samples_come_and_go(
    visit: Callable[..., Any], served: ServedLibrary
) -> None:
    """A newcomer would look at an empty table, and have nothing to try."""
    page = visit("/library")
    steps = page.get_by_role("region", name="Three steps to your first answer")
    expect(steps).to_be_visible()
    assert steps.get_by_role("heading", level=3).all_inner_texts() == [
        "Add papers",
        "Ask",
        "Connect a language model (optional)",
    ]
    assert not grave_in_both_themes(page)
    assert not too_wide(page)
    page.goto(f"{served.url}/ask")
    steps.get_by_role("button", name="Add the sample papers").click()
    expect(page.get_by_role("table", name="Papers")).to_have_attribute("aria-rowcount", "25")
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("link", name="Ask").click()
    page.get_by_role("button", name="How deep is the transit of the Earth in front of the Sun?").click()
    page.wait_for_url("**/ask/ans-*")
    expect(page.get_by_role("main")).to_contain_text("84 parts per million")
    page.goto(f"{served.url}/library")
    page.get_by_role("button", name="Remove them").click()
    expect(steps).to_be_visible()
    assert not served.get("/samples")["files"]
    assert not (Path(served.folder) / "samples").exists()


def test_a_folder_is_chosen_and_added(visit: Callable[..., Any], tmp_path: Path, served: ServedLibrary) -> None:
    """Who has a folder of papers would have to choose each file, or their hidden files would be sent."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "tides.md").write_text("# On tides\n\nThe Moon raises the tides of the sea twice a day.\n", "utf-8")
    (folder / ".hidden").write_text("mine", "utf-8")
    page = visit("/ask")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add a folder").click()
    chooser.value.set_files(folder)
    expect(page.get_by_role("main")).to_contain_text("On tides")
    assert not [path for path in (served.folder / "files").rglob("*") if path.name == ".hidden"]
