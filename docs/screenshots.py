"""Pictures of each page of the application, at three widths, light and dark, to be looked at; three are the README's.

    conspectus serve --port 8765          # the library of `make demo`, say
    python docs/screenshots.py http://127.0.0.1:8765 shots/
    python docs/screenshots.py http://127.0.0.1:8765 docs/pictures --readme

Needs Playwright and a Chromium (`CHROMIUM` names another than the one on the path).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

WIDTHS = (380, 820, 1300)
THEMES = ("light", "dark")
HEIGHT = 850
QUESTION = "How deep is the transit of the Earth in front of the Sun?"
QUIET = 1200
"""Milliseconds after the last request until all is drawn."""


def asked(root: str, path: str, body: Any = None) -> Any:
    """What the API answers."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f"{root}/api/v1{path}", data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def answer(root: str) -> tuple[str, str]:
    """The addresses of an answer, and of its first sentence opened beside it."""
    job = asked(root, "/ask", {"question": QUESTION})["job"]
    with urllib.request.urlopen(f"{root}/api/v1/jobs/{job}/events") as events:
        events.read()
    found = asked(root, f"/jobs/{job}")["event"]["result"]
    here = f"/ask/{found['id']}"
    cited = [citation for statement in found["statements"] for citation in statement["citations"]]
    if not cited:
        return here, here
    spans = "".join(f"&span={span['id']}" for span in cited[0]["spans"])
    return here, f"{here}?read={cited[0]['paper']['id']}{spans}"


def pages(root: str) -> dict[str, str]:
    """Name of a picture -> the address that it shows."""
    here, beside = answer(root)
    plain = (
        "ask",
        "figures",
        "library",
        "consensus",
        "summaries",
        "map",
        "evaluation",
        "settings",
        "usage",
        "activity",
    )
    return {
        **{name: f"/{name}" for name in plain},
        "answer": here,
        "reader": beside,
        "search": "/search?q=grid+cells",
    }


def take(browser: Browser, url: str, width: int, theme: str, place: Path) -> None:
    """One picture; what breaks in the page is an error."""
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, color_scheme=theme, locale="en-GB", reduced_motion="reduce"
    )
    page = context.new_page()
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.wait_for_function("!document.querySelector('.loading, .spinner')")
    page.wait_for_timeout(QUIET)
    page.screenshot(path=place, animations="disabled")
    context.close()
    if broken:
        raise SystemExit(f"{url}: {broken[0]}")


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", help="where the library is served")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--readme", action="store_true", help="the README's three only")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    root = wanted.root.rstrip("/")
    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        for name, path in pages(root).items():
            if wanted.readme and name in ("reader", "search", "library"):
                take(browser, root + path, 1300, "light", wanted.folder / f"{name}.png")
            elif not wanted.readme:
                for width in WIDTHS:
                    for theme in THEMES:
                        take(browser, root + path, width, theme, wanted.folder / f"{name}-{width}-{theme}.png")
        browser.close()


if __name__ == "__main__":
    main()
