"""Asking a slow language model on the page, when the page, the server or the question goes in the midst of it."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary
from language_server import serve_script
from oracle import reader

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

QUESTION = "How deep is the transit of the Earth in front of the Sun?"
KEPT = re.compile(r"/ask/ans-\w+")


@pytest.fixture(scope="module")
def served(browser: Any, library: Path) -> Iterator[ServedLibrary]:
    """The library, served with a language model that takes its time."""
    answers = reader("transit", "earth")

    def script(body: dict[str, Any]) -> Any:
        time.sleep(0.5)
        return answers(body)

    with serve_script(script) as model:
        served = ServedLibrary(library, "--set", f"language.model={model.url}")
        yield served
        served.kill()


def begun(page: Any) -> None:
    page.get_by_role("textbox").first.fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem").filter(has_text=re.compile("Found .* passages"))).to_be_visible()


def test_a_reload_goes_on_with_the_answer(visit: Callable[..., Any]) -> None:
    """Whoever reloads the page would have asked, and paid, for nothing."""
    page = visit("/ask")
    begun(page)
    page.reload()
    page.wait_for_url(KEPT)
    expect(page.get_by_text("supported", exact=True).first).to_be_visible()


def test_a_killed_server_that_comes_back_answers(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A page would wait for ever for an answer that nobody makes any more."""
    page = visit("/ask?fresh=1")
    begun(page)
    served.kill()
    expect(page.get_by_text("Connection lost").first).to_be_visible()
    served.start()
    page.wait_for_url(KEPT)
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()


def test_cancelled_it_ends_and_the_question_stays(visit: Callable[..., Any]) -> None:
    """A question asked by mistake could only be waited for, and typed anew."""
    page = visit("/ask?fresh=1")
    begun(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("You cancelled this")).to_be_visible()
    page.get_by_role("button", name="Change the question").click()
    expect(page.get_by_role("textbox").first).to_have_value(QUESTION)
