"""Walk every page on a desktop and a phone, in both themes: screenshots, and what is wrong on each.

    PYTHONPATH=src:tests python tests/web/page_screenshots.py FOLDER LIBRARY…

LIBRARY is the folder of a library, or the address of a running server; FOLDER receives `LIBRARY/PAGE-WIDTH-THEME.png`.
Compare with those of the branch before. Prints what axe finds (all of it, not only what is grave), pages that are wider
than the window and errors of the console, and ends with 1 if there are any.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import TimeoutError, sync_playwright

from browsing import ServedLibrary, arguments, chromium, page_addresses, violations

SIZES = ((1440, 900), (390, 844))
THEMES = ("light", "dark")
SOUGHT = ("/search?q=What+is+known+about+the+mass", "/graph?view=connections", "/graph?view=review", "/map?panel=gaps")
"""Pages with something asked for, besides the pages of the navigation."""
QUIET = 8000
"""Milliseconds after which a page that still asks for something is looked at as it is."""


def walk(
    browser: Any,
    url: str,
    folder: Path,
    sizes: Sequence[tuple[int, int]] = SIZES,
    themes: Sequence[str] = THEMES,
) -> Iterator[str]:
    """Take a screenshot of each page of a library; yields what is wrong on it."""
    folder.mkdir(parents=True, exist_ok=True)
    first = browser.new_page()
    first.goto(url)
    addresses = [one.removeprefix(url) for one in page_addresses(first)] + [*SOUGHT]
    paper = first.evaluate("fetch('/api/v1/papers?limit=1').then((one) => one.json())")["papers"]
    addresses += [f"/library?read={one['id']}" for one in paper]
    first.close()
    for width, height in sizes:
        page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        said: list[str] = []
        page.on("console", lambda one, said=said: said.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one, said=said: said.append(str(one)))
        for address in addresses:
            page.goto(url + address)
            try:
                page.wait_for_load_state("networkidle", timeout=QUIET)
            except TimeoutError:
                yield f"{address} {width}: still asks after {QUIET / 1000:.0f} s"
            if (over := page.evaluate("document.documentElement.scrollWidth - innerWidth")) > 0:
                yield f"{address} {width}: {over} pixels too wide"
            for theme in themes:
                page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
                name = re.sub(r"\W+", "-", address.strip("/"))[:50]
                page.screenshot(path=folder / f"{name}-{width}-{theme}.png")
                yield from (f"{address} {width} {theme}: {one}" for one in violations(page))
            yield from (f"{address} {width}: console: {one}" for one in said)
            said.clear()
        page.close()


def main(folder: Path, libraries: list[str]) -> int:
    found = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments())
        for library in libraries:
            served = None if library.startswith("http") else ServedLibrary(Path(library))
            try:
                url = served.url if served else library.rstrip("/")
                for line in walk(browser, url, folder / re.sub(r"\W+", "-", Path(library).name)):
                    print(f"{library} {line}", flush=True)
                    found += 1
            finally:
                if served:
                    served.kill()
        browser.close()
    print(f"{found} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
