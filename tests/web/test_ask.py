"""Asking on the page: from the question to its sentence and back, follow-ups, limits, judgements, axe."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, grave_in_both_themes, too_wide

pytest.importorskip("axe_playwright_python", reason="axe-core is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

QUESTION = "How deep is the transit of the Earth in front of the Sun?"
LINES = 26
"""Pixels that a line is high, at most."""
KEPT = re.compile(r"/ask/ans-\w+")


def ask(page: Any, question: str = QUESTION) -> None:
    page.get_by_role("textbox").first.fill(question)
    page.keyboard.press("Enter")


def test_from_the_question_to_the_sentence_and_back(visit: Callable[..., Any]) -> None:
    """A reader could not check what is stated, or would lose the place, or the answer after a reload."""
    page = visit("/ask")
    ask(page)
    page.wait_for_url(KEPT)
    expect(page.get_by_text("Not written by a language model")).to_be_visible()
    chip = page.get_by_role("button", name=re.compile("2026, p. 1")).first
    chip.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("84 parts per million")
    chip.click()
    expect(chip).to_have_attribute("aria-expanded", "true")
    assert page.evaluate("document.getElementById('reader').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(chip).to_be_focused()
    page.go_forward()
    expect(page.locator("#reader")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#reader")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="Ask your papers")).to_be_visible()
    page.go_forward()
    page.reload()
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_role("listitem").filter(has_text="84 parts per million").first).to_be_focused()


def test_a_long_question_takes_two_lines_of_what_was_asked(visit: Callable[..., Any]) -> None:
    """Who pasted a whole text once would see nothing else of what was asked, and nothing below it."""
    page = visit("/ask")
    ask(page, f"What is graphene? {'It is asked at length. ' * 99}The end.")
    page.wait_for_url(KEPT)
    expect(page.get_by_role("heading", level=1)).to_contain_text("The end.")
    for path in ("/ask", "/ask/history", "/activity"):
        other = visit(path)
        link = other.locator(".entries a, .job .subject").filter(has_text="at length").first
        expect(link).to_be_visible()
        assert (link.bounding_box() or {})["height"] < LINES * 2.5, path


def test_follow_ups_are_one_conversation_with_a_name(visit: Callable[..., Any]) -> None:
    """History would be a heap of half questions."""
    page = visit("/ask")
    ask(page, "What is graphene?")
    page.wait_for_url(KEPT)
    first = page.url
    ask(page, "How strong is graphene?")
    page.wait_for_url(lambda url: bool(KEPT.search(url)) and "job=" not in url and url != first)
    expect(page.locator("article h1")).to_have_text(["What is graphene?", "How strong is graphene?"])
    page.goto(page.url.partition("/ask")[0] + "/ask/history")
    page.get_by_role("button", name="Rename “What is graphene?”").click()
    page.get_by_label("Title").fill("Carbon")
    page.keyboard.press("Enter")
    row = page.get_by_role("listitem").filter(has_text="Carbon")
    expect(row).to_contain_text("2 questions")
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)


def test_chosen_papers_are_asked_alone(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Papers that were chosen in a search would be asked with all others, or not at all."""
    page = visit(f"/ask?among={served.paper('Graphene')}")
    expect(page.get_by_text("One selected paper")).to_be_visible()
    ask(page, QUESTION)
    page.wait_for_url(KEPT)
    expect(page.get_by_role("button", name=re.compile("2026, p. 1"))).to_have_count(0)
    expect(page.get_by_text("One selected paper"), "a follow-up is asked of the same").to_be_visible()


def test_a_judgement_is_kept(visit: Callable[..., Any]) -> None:
    """Nobody would know which answers were bad."""
    page = visit("/ask")
    ask(page)
    page.wait_for_url(KEPT)
    answer, statement = "What do you think of it?", "What do you think of this statement?"

    def opened(what: str, name: str) -> Any:
        page.get_by_role("button", name=what).first.click()
        return page.get_by_role("button", name=name, exact=True)

    opened(answer, "Bad answer").click()
    opened(answer, "Comment").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("Not what I meant.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    opened(statement, "Good statement").click()
    expect(opened(statement, "Good statement")).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(opened(statement, "Good statement")).to_have_attribute("aria-pressed", "true")
    expect(opened(answer, "Bad answer")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_have_value("Not what I meant.")
    page.goto(page.url.partition("/ask")[0] + "/ask/history")
    page.get_by_role("button", name="Save feedback").click()
    with page.expect_download() as coming:
        page.get_by_role("link", name="JSON Lines").click()
    said = [json.loads(line) for line in Path(coming.value.path()).read_text("utf-8").splitlines()]
    assert {(one["statement"] > 0, one["verdict"]) for one in said} >= {(False, "down"), (True, "up")}


def test_what_is_selected_fills_the_box_again(visit: Callable[..., Any]) -> None:
    """Who selects a second sentence in the reader would ask about the first."""
    page = visit("/ask?q=First")
    box = page.get_by_role("textbox", name="Question")
    expect(box).to_have_value("First")
    page.evaluate("history.pushState(null, '', '/ask?q=Second')")
    expect(box).to_have_value("Second")


def test_answers_are_for_everybody(visit: Callable[..., Any]) -> None:
    """Who cannot see, or has no mouse, would not get from the question to its sentence."""
    page = visit("/ask?q=x")
    page.get_by_role("button", name="Options").click()
    page.get_by_role("button", name="What suits").click()
    page.get_by_text("More options").click()
    expect(page.get_by_role("textbox", name="Second opinion")).to_be_visible()
    wrong = grave_in_both_themes(page)
    assert not too_wide(page)
    ask(page)
    page.wait_for_url(KEPT)
    page.get_by_role("button", name=re.compile("2026, p. 1")).first.focus()
    assert not too_wide(page)
    wrong += grave_in_both_themes(page)
    page.goto(page.url.partition("/ask")[0] + "/ask/history")
    expect(page.get_by_role("link", name=QUESTION).first).to_be_visible()
    assert not too_wide(page)
    assert not wrong + grave_in_both_themes(page)
