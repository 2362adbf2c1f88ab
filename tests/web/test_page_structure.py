"""The accessible structure of every page, its roles and names, against text files; `--update-golden` rewrites them."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from browsing import ServedLibrary, page_addresses

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

FILES = Path(__file__).parent / "pages"
PAPERS = Path(__file__).parents[2] / "examples" / "papers"
QUESTION = "How deep is the transit of the Earth in front of the Sun?"
SUBSTITUTIONS = (
    (re.compile(r"/\S+/structure\d+/library"), "PLACE/library"),
    (re.compile(r"\d+(?:\.\d+)? (?:ms|s|MB|GB)\b"), "0 s"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?\b"), "TIME"),
    (re.compile(r"\b\d{1,2} \w+ 20\d\d\b|\b20\d\d-\d\d-\d\d\b|\b\d\d/\d\d/20\d\d\b"), "DATE"),
    (re.compile(r"127\.0\.0\.1:\d+|localhost:\d+"), "HOST"),
)


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLibrary]:
    """A served library of one paper that no other test changes."""
    folder = tmp_path_factory.mktemp("structure") / "library"
    command = [
        sys.executable,
        "-m",
        "conspectus",
        "--library",
        str(folder),
        "add",
        str(PAPERS / "exoplanet-transits.pdf"),
    ]
    subprocess.run(command, check=True, capture_output=True)
    served = ServedLibrary(folder)
    yield served
    served.kill()


def settled(page: Any) -> None:
    """Wait until what a page asks for first is there."""
    expect(page.locator("main :is(h1, h2)").first).to_be_visible()
    expect(page.get_by_text("Loading …")).to_have_count(0)
    page.wait_for_load_state("networkidle")


def structure(page: Any) -> str:
    """Roles and names of a page, without its prose, times, sizes and places."""
    lines = page.locator("body").aria_snapshot().splitlines()
    text = "\n".join(line for line in lines if not re.match(r"\s*- (?:paragraph: |text: |/url)", line))
    for pattern, replacement in SUBSTITUTIONS:
        text = pattern.sub(replacement, text)
    return f"{text}\n"


def wait_for_structure(page: Any, expected: str) -> str:
    """The structure as soon as it is the one expected, or what it still is after twenty seconds."""
    for _ in range(80):
        if (now := structure(page)) == expected:
            break
        page.wait_for_timeout(250)
    return now


def test_structure_of_every_page(visit: Callable[..., Any], update_golden: bool) -> None:
    """A control would lose its name, and with it everybody who cannot see it, without anyone noticing."""
    page = visit("/")
    links = page_addresses(page)
    different = []
    for address in links:
        page.goto(address)
        settled(page)
        file = FILES / f"{urlsplit(address).path.strip('/').replace('/', '-')}.txt"
        expected = file.read_text("utf-8") if file.exists() else ""
        now = wait_for_structure(page, expected)
        if now != expected:
            different += unified_diff(expected.splitlines(), now.splitlines(), file.name, address, lineterm="")
            if update_golden:
                FILES.mkdir(exist_ok=True)
                file.write_text(now, "utf-8")
    assert len(links) >= 20
    assert update_golden or not different, "\n".join([*different, "pytest tests/web -m browser --update-golden"])


def test_question_citation_and_sentence(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Other programs could not find the question box, a citation, or its sentence on the page."""
    page = visit("/ask")
    page.get_by_role("textbox", name="Question", exact=True).fill(QUESTION)
    page.keyboard.press("Enter")
    chip = page.locator("[data-citation]").first
    expect(chip).to_be_visible()
    span = chip.get_attribute("data-citation")
    chip.click()
    sentence = page.locator(f"[data-span='{span}']").first
    expect(sentence).to_be_visible()
    box = sentence.bounding_box()
    assert box and box["width"] > 0 and box["height"] > 0
    assert served.get(f"/spans/{span}")["span"]["id"] == span
