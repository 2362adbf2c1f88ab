"""The map on the page: from its making to a paper in the reader, by pointer and by keys, and as a file of its own."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browsing import ServedLibrary, grave, too_wide
from helpers import write_jsonl

pytestmark = [pytest.mark.browser, pytest.mark.model]
FIELDS = ("graphene and electrons", "purring of cats", "transits of planets", "eels at night")
EACH = 16
MARGIN = 28
"""Pixels around the whole map."""
LEAST_WIDTH = 350
"""Of it, in pixels, where a paper is read beside it."""
IS_FREE = "([x, y]) => !document.elementFromPoint(x, y).closest('.map-label, button')"
BOX = "canvas => { const box = canvas.getBoundingClientRect(); return [box.left, box.top, box.width, box.height]; }"


@pytest.fixture(scope="module")
def mapped(browser: Any, tmp_path_factory: pytest.TempPathFactory, model_ready: None) -> Iterator[ServedLibrary]:
    """A library of its own, served, of four fields; nobody has mapped it."""
    folder = tmp_path_factory.mktemp("map")
    records = [
        {
            **{
                "id": f"p{n}",
                "title": f"On {FIELDS[n % 4]}, part {n}",
                "year": 1990 + n // 4,
                "authors": ["Payne, Cecilia"],
            },
            "abstract": f"We study {FIELDS[n % 4]}. The {FIELDS[n % 4]} are seen in {n + 3} of our samples.",
        }
        for n in range(4 * EACH)
    ]
    path = write_jsonl(folder / "papers.jsonl", records)
    command = [sys.executable, "-m", "conspectus", "--library", str(folder / "library"), "add", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    served = ServedLibrary(folder / "library", "--set=atlas.method=pca")
    yield served
    served.kill()


@pytest.fixture
def look(browser: Any, mapped: ServedLibrary) -> Iterator[Callable[..., Any]]:
    """Open a page of it; in the end, that nothing broke."""
    context = browser.new_context(viewport={"width": 1300, "height": 850}, locale="en-GB", reduced_motion="reduce")
    broken: list[str] = []
    context.on("weberror", lambda error: broken.append(str(error.error)))

    def look(path: str) -> Any:
        page = context.new_page()
        page.goto(mapped.url + path)
        return page

    yield look
    context.close()
    assert not broken


def _drawn(page: Any) -> list[float]:
    """Where the map is on the screen."""
    view = page.locator(".map-view[data-drawn]")
    expect(view).to_be_visible()
    expect(view.locator(".map-label").first).to_be_visible()
    box: list[float] = view.locator("canvas").evaluate(BOX)
    return box


def test_it_is_made_and_leads_to_a_paper(look: Callable[..., Any], mapped: ServedLibrary) -> None:
    """A map that only its maker at a terminal has is none for who reads."""
    page = look("/map")
    expect(page.get_by_role("heading", name="There is no map yet")).to_be_visible()
    assert not grave(page)
    page.get_by_role("button", name="Make the map").click()
    left, top, across, down = _drawn(page)
    assert not grave(page) and not too_wide(page)
    page.set_viewport_size({"width": 1300, "height": 850})
    card = page.locator(".map-card")
    spots = [(point["x"], point["y"]) for point in mapped.get("/map?points=true")["points"]]
    (west, east), (south, north) = ((min(along), max(along)) for along in zip(*spots, strict=True))
    for _ in range(20):  # until the map fills its new place
        left, top, across, down = _drawn(page)
        scale = min((across - 2 * MARGIN) / (east - west), (down - 2 * MARGIN) / (north - south))
        places = (
            (left + across / 2 + (x - (west + east) / 2) * scale, top + down / 2 - (y - (south + north) / 2) * scale)
            for x, y in spots
        )
        page.mouse.move(left, top)
        page.mouse.move(*next(one for one in places if page.evaluate(IS_FREE, list(one))))
        page.wait_for_timeout(100)
        if card.is_visible():
            break
    expect(card).to_contain_text("Payne")
    title = card.locator(".title").inner_text()
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#reader")).to_contain_text(title)
    expect(page).to_have_url(re.compile("read="))
    assert page.locator(".map-view").evaluate(BOX)[2] > LEAST_WIDTH


def test_what_the_browser_took_away_is_drawn_again(look: Callable[..., Any]) -> None:
    """After a computer slept, or its graphics card was reset, the map would stay empty."""
    page = look("/map")
    _drawn(page)
    page.wait_for_timeout(1000)  # all of the points are drawn
    canvas = page.locator(".map-view canvas")
    lost = canvas.evaluate_handle("one => one.getContext('webgl2').getExtension('WEBGL_lose_context')")
    before = canvas.screenshot()
    lost.evaluate("one => one.loseContext()")
    page.mouse.wheel(0, 1)
    page.wait_for_timeout(300)
    assert canvas.screenshot() != before
    lost.evaluate("one => one.restoreContext()")
    for _ in range(50):
        page.wait_for_timeout(100)
        if (after := canvas.screenshot()) == before:
            break
    assert after == before


def test_a_search_and_the_sources_of_an_answer_light_up(look: Callable[..., Any], mapped: ServedLibrary) -> None:
    """Where something stands would have to be guessed; and from a search one would not get there."""
    page = look("/search?q=purring+of+cats")
    page.get_by_role("link", name="On the map").click()
    expect(page).to_have_url(re.compile(r"/map\?overlay=query"))
    _drawn(page)
    legend = page.get_by_role("region", name="Legend")
    expect(legend).to_contain_text("best hits for: purring of cats")
    words = page.get_by_role("complementary", name="The map in words")
    expect(words.locator(".texts li").first).to_contain_text("cats")
    assert not grave(page) and not too_wide(page)
    page.get_by_role("combobox", name="Colours").select_option("year")
    expect(legend).to_contain_text("year of the paper")
    expect(page).to_have_url(re.compile("overlay=year"))
    legend.get_by_role("button", name="Back to the colours").click()
    expect(legend).to_have_count(0)
    mapped.post("/ask", question="What is seen of the purring of cats?")
    while any(one["state"] == "running" for one in mapped.get("/jobs")["jobs"]):
        page.wait_for_timeout(100)
    page.goto(f"{mapped.url}/ask/{mapped.get('/answers')['answers'][0]['id']}")
    page.get_by_role("link", name="On the map").click()
    expect(legend).to_contain_text("what the answer to")


def test_by_keys_alone(look: Callable[..., Any]) -> None:
    """Who has no pointer, or does not see the map, would be shut out."""
    page = look("/map")
    _drawn(page)
    view = page.get_by_role("application")
    view.focus()
    for key in ("+", "+", "ArrowLeft", "ArrowDown"):
        view.press(key)
    expect(page).to_have_url(re.compile(r"at=[-\d.]+%2C[-\d.]+%2C2\.25"))
    view.press("0")
    expect(page).to_have_url(re.compile(r"%2C1$"))
    words = page.get_by_role("complementary", name="The map in words")
    words.get_by_role("list", name="Regions").get_by_role("button").first.press("Enter")
    region = words.locator(".region h2")
    expect(region).to_be_focused()
    words.get_by_role("button", name=re.compile("^Rename")).press("Enter")
    page.get_by_role("textbox", name="The region keeps this name").fill("My field")
    page.keyboard.press("Enter")
    expect(region).to_contain_text("My field")
    expect(words.locator("ol.texts").last.locator("li").first).to_be_visible()
    assert not grave(page)
    words.get_by_role("button", name="Search in these").press("Enter")
    expect(page).to_have_url(re.compile("/search.among="))
    page.go_back()
    page.get_by_role("slider", name="From").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"years=1991\.\.2005"))
    page.goto(page.url.split("?")[0] + "?panel=trends&trend=cats")
    expect(words.locator("figcaption")).to_contain_text("16 papers")
    words.get_by_role("button", name="Gaps").press("Enter")
    expect(words.get_by_role("list", name="Gaps").get_by_role("listitem").first).to_contain_text("no review")
    assert not grave(page)


def test_a_line_around_papers_chooses_them(look: Callable[..., Any]) -> None:
    """What lies together could be seen, and not be taken."""
    page = look("/map")
    left, top, across, down = _drawn(page)
    page.get_by_role("button", name="Draw a line around papers").click()
    for number, (x, y) in enumerate(((0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98), (0.02, 0.02))):
        page.mouse.move(left + x * across, top + y * down, steps=4)
        if not number:
            page.mouse.down()
    label = page.locator(".map-label").first.bounding_box() or {}
    page.mouse.move(label["x"] + label["width"] / 2, label["y"] + label["height"] / 2, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile("line="))
    assert "read=" not in page.url  # the click that ends a line opens nothing
    chosen = page.get_by_role("region", name="Selection")
    expect(chosen.get_by_role("heading")).to_contain_text(f"{4 * EACH} papers selected")
    assert not grave(page)
    with page.expect_download() as coming:
        chosen.get_by_role("button", name="Export").click()
        page.get_by_role("button", name="BibTeX").click()
    assert Path(coming.value.path()).read_text("utf-8").count("@") >= 4 * EACH
    page.reload()
    expect(chosen.get_by_role("heading")).to_contain_text(f"{4 * EACH} papers selected")
    chosen.get_by_role("button", name="Ask these papers").click()
    expect(page).to_have_url(re.compile("/ask.among="))
    expect(page.get_by_text(f"{4 * EACH} selected papers")).to_be_visible()


def test_both_themes_and_a_reader_only(browser: Any, mapped: ServedLibrary) -> None:
    """Dark would be unreadable, or who may change nothing be offered what is refused."""
    server = ServedLibrary(mapped.folder, options=("--read-only",))
    try:
        context = browser.new_context(viewport={"width": 1300, "height": 850}, locale="de-DE", color_scheme="dark")
        page = context.new_page()
        page.goto(f"{server.url}/map?overlay=density")
        _drawn(page)
        expect(page.get_by_role("heading", name="Karte")).to_be_visible()
        expect(page.get_by_role("region", name="Legende")).to_contain_text("Arbeiten im Umkreis von")
        expect(page.get_by_role("button", name="Karte")).to_have_count(0)
        words = page.get_by_role("complementary", name="Die Karte in Worten")
        words.get_by_role("list").get_by_role("button").first.click()
        expect(words.locator(".region h2")).to_be_visible()
        expect(words.get_by_role("button", name=re.compile("umbenennen"))).to_have_count(0)
        assert not grave(page) and not too_wide(page)
        context.close()
    finally:
        server.kill()


def test_a_file_of_its_own_needs_nobody(browser: Any, mapped: ServedLibrary, tmp_path: Path) -> None:
    """Who is sent the file, and sits in a train, would see nothing."""
    command = [
        sys.executable,
        "-m",
        "conspectus",
        "--library",
        str(mapped.folder),
        "map",
        "show",
        "--overlay=density",
        "--to",
        str(tmp_path / "map.html"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    context = browser.new_context(viewport={"width": 1300, "height": 850}, locale="en-GB", offline=True)
    asked: list[str] = []
    broken: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("weberror", lambda error: broken.append(str(error.error)))
    page = context.new_page()
    page.goto((tmp_path / "map.html").as_uri())
    left, top, across, down = _drawn(page)
    page.get_by_role("searchbox").fill("cats")
    expect(page.get_by_role("status")).to_have_text(f"{EACH} titles")
    page.get_by_role("button", name="On purring of cats, part 1", exact=True).click()
    page.wait_for_timeout(300)
    page.mouse.move(left + across / 2, top + down / 2)
    expect(page.locator(".map-card")).to_contain_text("On purring of cats, part 1")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("listitem").get_by_role("button").first.click()
    assert not grave(page)
    context.close()
    assert len(asked) == 1 and not broken
    page = browser.new_page(locale="de-DE")
    page.goto((tmp_path / "map.html").as_uri())
    expect(page.locator(".legend")).to_contain_text("Arbeiten im Umkreis von")
    page.close()
