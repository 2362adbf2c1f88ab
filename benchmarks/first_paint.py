"""How soon the page paints something from localhost: each page in Chromium, cold (nothing cached) and warm.

Run `PYTHONPATH=src:tests python benchmarks/first_paint.py [--library FOLDER] [--rounds 5]`; needs Chromium, Playwright
and the page (`make web`). Without a library one is made of the examples. `paint` is the first contentful paint, in
milliseconds after the navigation began, the median of the rounds; `there` is when what was asked for stands on the
page: the box, the papers found, the first page's picture.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from results import Figure, store_figures

from browsing import ServedLibrary, arguments, chromium

EXAMPLES = Path(__file__).parents[1] / "examples" / "papers"
LIMIT = 1000
"""Milliseconds until the first paint, at most."""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@contextmanager
def served(folder: Path | None) -> Iterator[ServedLibrary]:
    """A library, served; of the examples where none is named."""
    with tempfile.TemporaryDirectory() as made:
        if folder is None:
            folder = Path(made) / "library"
            command = [sys.executable, "-m", "conspectus", "--library", str(folder), "add", str(EXAMPLES)]
            subprocess.run(command, check=True, capture_output=True)
        found = ServedLibrary(folder)
        try:
            yield found
        finally:
            found.kill()


def pages(server: ServedLibrary) -> dict[str, tuple[str, str]]:
    """The pages measured: where they are, and what stands there when they are ready."""
    papers = server.get("/papers?limit=200")["papers"]
    paper = next(one["id"] for one in papers if any(file["path"].endswith(".pdf") for file in one["files"]))
    return {
        "Ask": ("/ask", "textarea"),
        "Search": ("/search?q=what+is+known", ".hits li, .empty"),
        "Library": ("/library", "[role=row] .title"),
        "Reader": (f"/search?read={paper}&page=1", "#reader [data-page] img"),
    }


def opened(page: Any, url: str, ready: str) -> tuple[float, float]:
    """Milliseconds until the first paint, and until the page is ready."""
    page.goto(url, wait_until="commit")
    page.locator(ready).first.wait_for()
    there = page.evaluate("performance.now()")
    page.wait_for_function(PAINT)
    return page.evaluate(PAINT), there


def measured(browser: Browser, url: str, ready: str, rounds: int) -> dict[str, tuple[float, float]]:
    """Medians of `opened`, cold and warm."""
    all_times: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": []}
    for _ in range(rounds):
        context = browser.new_context(viewport={"width": 1300, "height": 850})
        page = context.new_page()
        for times in all_times.values():
            times.append(opened(page, url, ready))
        context.close()
    return {
        name: (statistics.median(one for one, _ in times), statistics.median(one for _, one in times))
        for name, times in all_times.items()
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    cold = {}
    print(f"{'page':8} {'':5} {'paint ms':>9} {'of limit':>9} {'there ms':>9}")
    with served(given.library) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments())
        for name, (path, ready) in pages(server).items():
            for state, (paint, there) in measured(browser, server.url + path, ready, given.rounds).items():
                print(f"{name:8} {state:5} {paint:9.0f} {paint / LIMIT:9.2f} {there:9.0f}")
                cold |= {name: f"{paint:.0f}"} if state == "cold" else {}
        browser.close()
    what, values = f"First paint, cold: {'; '.join(cold)}", f"{'; '.join(cold.values())} ms"
    command = "PYTHONPATH=src:tests python benchmarks/first_paint.py"
    store_figures("first_paint", "speed", command, [Figure(what, values, f"≤ {LIMIT:,.0f} ms")])


if __name__ == "__main__":
    main()
