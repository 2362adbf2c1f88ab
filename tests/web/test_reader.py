"""The reader: pages, the sentence lit, words selected and found."""

from collections.abc import Callable
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes

pytest.importorskip("playwright", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]


@pytest.mark.parametrize("width", [1300, 820, 380])
def test_the_cited_sentence_is_lit_where_it_stands(
    visit: Callable[..., Any], served: ServedLibrary, width: int
) -> None:
    """Another sentence than the one that was cited would be read."""
    paper = served.paper("Exoplanet")
    sentence = served.sentence(paper, 2)
    page = visit("/search")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{served.url}/search?read={paper}&span={sentence['id']}")
    reader = page.get_by_role("complementary", name="Reader")
    expect(reader.get_by_role("status").filter(has_text=sentence["text"])).to_have_count(1)
    lit = reader.locator("rect.lit")
    expect(lit).to_have_count(len(sentence["places"]))
    expect(lit.first).to_be_in_viewport()
    expect(reader.get_by_role("textbox", name="Go to page")).to_have_value("2")
    assert served.pixels_off(page, sentence["id"]) < 2


def test_words_are_selected_copied_and_asked_about(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """What is selected on a picture would be nothing, or other words than stand under the pointer."""
    paper = served.paper("Exoplanet")
    sentence = served.sentence(paper, 2)
    page = visit(f"/search?read={paper}&span={sentence['id']}")
    lit = page.locator("rect.lit")
    expect(lit).to_have_count(len(sentence["places"]))
    expect(page.locator("[data-page='2'] .words span").first).to_be_attached()
    first, last = lit.first.bounding_box(), lit.last.bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    assert page.evaluate("document.getSelection().toString()").split() == sentence["text"].split()
    page.get_by_role("button", name="Copy with citation").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert " ".join(sentence["text"].split()) in copied and "2026, p. 2). Exoplanet Transits" in copied
    page.evaluate("navigator.clipboard.writeText('')")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == copied, "by keys, too"
    page.get_by_role("button", name="Ask about it").click()
    page.wait_for_url("**/ask?**")
    assert page.get_by_role("complementary", name="Reader").is_visible()


def test_a_click_on_the_cited_sentence_offers_to_mark_it(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Somebody would have to drag exactly over a sentence that is lit already, or lose the reader with the menu."""
    paper = served.paper("Exoplanet")
    sentence = served.sentence(paper, 2)
    page = visit(f"/search?read={paper}&span={sentence['id']}")
    expect(page.locator("[data-page='2'] .words span").first).to_be_attached()
    box = page.locator("rect.lit").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    menu = page.get_by_role("toolbar", name="With the selected text")
    expect(menu).to_be_visible()
    assert " ".join(page.evaluate("document.getSelection().toString()").split()) == sentence["text"]
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    reader = page.get_by_role("complementary", name="Reader")
    expect(reader).to_be_visible()
    page.keyboard.press("Escape")
    expect(reader).to_have_count(0)


def test_words_are_found_on_every_page(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """The browser's own search sees only the pages that are near."""
    page = visit(f"/search?read={served.paper('Exoplanet')}")
    page.get_by_role("button", name="Find in this paper").click()
    page.get_by_role("searchbox", name="Words to find").fill("TRANSIT")
    expect(page.get_by_text("1 of ", exact=False).first).to_be_visible()
    count = int(page.locator(".find [role=status]").inner_text().split()[-1])
    assert count > 10
    expect(page.locator("rect.here").first).to_be_in_viewport()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".find [role=status]")).to_have_text(f"{count} of {count}")
    expect(page.locator("rect.here").first).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.locator("rect.found")).to_have_count(0)
    expect(page.get_by_role("complementary", name="Reader")).to_be_visible()


def test_keys_turn_pages_and_the_edge_moves(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Without a mouse there would be one page of one width."""
    page = visit(f"/search?read={served.paper('Exoplanet')}")
    shown = page.get_by_role("textbox", name="Go to page")
    expect(page.get_by_text("/ 2")).to_be_visible()
    page.get_by_role("region", name="Pages").focus()
    page.keyboard.press("n")
    expect(shown).to_have_value("2")
    page.keyboard.press("PageUp")
    expect(shown).to_have_value("1")
    edge = page.get_by_role("separator", name="Width of the reader")
    before = edge.bounding_box()["x"]
    edge.focus()
    page.keyboard.press("ArrowLeft")
    expect(edge).to_have_attribute("aria-valuenow", "50")
    assert edge.bounding_box()["x"] < before
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Reader")).to_have_count(0)


def test_the_outline_leads_to_pages_and_a_text_has_none(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A long paper would have to be leafed through; one without pages could not be read."""
    paper = served.paper("Exoplanet")
    blocks = served.get(f"/papers/{paper}/structure")["blocks"]
    last = [one for one in blocks if one["kind"] == "heading"][-1]
    page = visit(f"/search?read={paper}")
    page.get_by_role("button", name="Outline").click()
    page.get_by_role("region", name="Outline").get_by_role("button", name=last["text"]).click()
    number = str(last["sentences"][0]["places"][0]["page"])
    expect(page.locator(f'[data-page="{number}"]')).to_be_in_viewport()

    text = served.paper("Graphene")
    span = served.get(f"/papers/{text}/passages")["passages"][-1]["spans"][0]
    page.goto(f"{served.url}/search?read={text}&span={span['id']}")
    expect(page.locator("mark.lit")).to_have_text(span["text"])
    expect(page.locator("mark.lit")).to_be_in_viewport()


def test_words_are_highlighted_noted_found_again_and_undone(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """What somebody marked on a paper would be gone with the tab, or could not be found among hundreds of papers."""
    paper = served.paper("Exoplanet")
    sentence = served.sentence(paper, 2)
    address = f"/search?read={paper}&span={sentence['id']}"
    page = visit(address)
    lit = page.locator("rect.lit")
    expect(lit).to_have_count(len(sentence["places"]))
    expect(page.locator("[data-page='2'] .words span").first).to_be_attached()
    first, last = lit.first.bounding_box(), lit.last.bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=4)
    page.mouse.up()
    menu = page.get_by_role("toolbar", name="With the selected text")
    menu.get_by_role("button", name="Highlight in green").click()
    marked = page.locator("rect.marked.green")
    expect(marked).to_have_count(len(sentence["places"]))
    box = marked.first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    panel = page.get_by_role("region", name="Highlights and notes")
    panel.get_by_role("button", name="Write a note").click()
    panel.get_by_role("textbox").fill("Compare with **Kepler**.")
    panel.get_by_role("button", name="Save").click()
    expect(panel.locator("strong")).to_have_text("Kepler")
    beside, sheet = panel.bounding_box(), page.get_by_role("region", name="Pages").bounding_box()
    assert beside["x"] + beside["width"] <= sheet["x"] + 1, "the panel is beside the page"

    page.goto(f"{served.url}/library/highlights")
    page.get_by_role("searchbox").fill("kepler")
    page.keyboard.press("Enter")
    expect(page.locator(".highlight")).to_have_count(1)
    assert not grave_in_both_themes(page)
    page.get_by_role("button", name=sentence["text"][:30]).click()
    expect(page.locator("rect.marked.green").first).to_be_in_viewport()
    page.get_by_role("button", name="Show as text").click()
    marks = page.locator("mark.marked.green")  # entities part them
    expect(marks.first).to_be_visible()
    assert "".join(marks.all_text_contents()) == sentence["text"]
    reader = page.get_by_role("complementary", name="Reader")
    reader.get_by_role("button", name="Highlights and notes").click()
    assert not grave_in_both_themes(page)
    panel.get_by_role("button", name=sentence["text"][:30]).click()
    panel.get_by_role("button", name="Remove").click()
    expect(page.locator("mark.marked")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(marks.first).to_be_visible()
    expect(panel.locator("strong")).to_have_text("Kepler")
    panel.get_by_role("button", name=sentence["text"][:30]).click()
    panel.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Highlight removed.")).to_be_visible()
    page.get_by_role("region", name="Text").focus()
    page.keyboard.press("h")
    expect(page.get_by_text("Highlighted.")).to_be_visible()
    yellow = page.locator("mark.marked.yellow")
    expect(yellow.first).to_be_visible()
    assert "".join(yellow.all_text_contents()) == sentence["text"]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("mark.marked")).to_have_count(0)
