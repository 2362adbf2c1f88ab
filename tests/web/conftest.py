"""The page in Chromium, with a library of real papers."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import ServedLibrary, arguments, chromium
from conspectus.server.app import BUNDLE
from helpers import HANG

PAPERS = ("exoplanet-transits.pdf", "graphene.md")
PATIENCE = HANG * 1000
"""Milliseconds after which what is to be seen is taken for missing."""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, model_ready: None) -> Path:
    """The folder of a library of a PDF and a text."""
    folder = tmp_path_factory.mktemp("web") / "library"
    papers = Path(__file__).parents[2] / "examples" / "papers"
    command = [
        sys.executable,
        "-m",
        "conspectus",
        "--library",
        str(folder),
        "add",
        *(str(papers / one) for one in PAPERS),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """Chromium; for this package only, for Playwright keeps a loop of events in this thread."""
    if not (BUNDLE / "index.html").is_file():
        pytest.skip("the page is not built: make web")
    if not chromium():
        pytest.skip("there is no Chromium: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
    with sync_api.sync_playwright() as playwright:
        sync_api.expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments())
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def served(browser: Any, library: Path) -> Iterator[ServedLibrary]:
    """The library, served."""
    served = ServedLibrary(library)
    yield served
    served.kill()


@pytest.fixture
def visit(browser: Any, served: ServedLibrary) -> Iterator[Callable[..., Any]]:
    """Open a page of the application; in the end, that it asked nobody else for anything, and nothing broke in it."""
    context = browser.new_context(viewport={"width": 1300, "height": 850}, locale="en-GB", reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.url)
    context.set_default_timeout(PATIENCE)
    asked: list[str] = []
    broken: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("weberror", lambda error: broken.append(str(error.error)))

    def visit(path: str, **media: Any) -> Any:
        page = context.new_page()
        page.emulate_media(**media)
        page.goto(served.url + path)
        return page

    yield visit
    context.close()
    assert not [url for url in asked if not url.startswith((served.url, "data:", "blob:"))]
    assert not broken
