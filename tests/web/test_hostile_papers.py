"""Papers whose titles, authors and texts are programs: the page shows them, and runs and fetches nothing."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from browsing import ServedLibrary

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install -e '.[dev]'")
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.model]

RUN = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>'
TEXT = f"Owls hoot at dusk {RUN} in old barns. They {{{{7*7}}}} rest [by day](javascript:window.owned=1)."
FRONT = f"---\ntitle: {json.dumps('Owls ' + RUN)}\nauthors: [{json.dumps('Ann ' + RUN)}]\n---\n\n"


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLibrary]:
    """A served library of one paper that attacks whoever reads it."""
    folder = tmp_path_factory.mktemp("hostile")
    record = {"id": "h", "title": f"Barn owls {RUN}", "abstract": TEXT, "authors": [f"Bo {RUN}"], "venue": RUN}
    (folder / "owls.jsonl").write_text(json.dumps(record), "utf-8")
    (folder / "owls.md").write_text(f"{FRONT}## Results {RUN}\n\n{TEXT}\n\n<script>window.owned=1</script>\n", "utf-8")
    command = [sys.executable, "-m", "conspectus", "--library", str(folder / "library"), "add"]
    subprocess.run([*command, str(folder / "owls.jsonl"), str(folder / "owls.md")], check=True, capture_output=True)
    served = ServedLibrary(folder / "library")
    yield served
    served.kill()


def test_hostile_papers_are_shown_and_run_nothing(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A stranger's paper would read the library, or send it away, when it is looked at."""
    page = visit("/search?q=owls+hoot")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog: {dialog.message}"))
    for path in ("/search?q=owls+hoot", "/library", f"/search?read={served.paper('Barn')}"):
        page.goto(f"{served.url}{path}")
        expect(page.locator("body")).to_contain_text("window.owned=1")
        assert page.evaluate("window.owned") is None
        assert page.locator("img[src='x'], a[href^='javascript']").count() == 0
    assert all(url.startswith((served.url, "data:", "blob:")) for url in asked)
