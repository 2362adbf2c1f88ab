"""A library of real papers, served by the program for a browser to look at."""

import io
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from helpers import HANG

LIT_BOX = """rects => {
  const all = rects.map((one) => one.getBoundingClientRect());
  const sheet = rects[0].closest("[data-page]").getBoundingClientRect();
  const least = (side) => Math.min(...all.map((one) => one[side]));
  const most = (side) => Math.max(...all.map((one) => one[side]));
  return { sheet: [sheet.left, sheet.top, sheet.width, sheet.height],
           lit: [least("left"), least("top"), most("right"), most("bottom")] };
}"""
"""Where a sheet and what is lit on it are on the screen."""

GRAVE = ("serious", "critical")


def chromium() -> str:
    """The browser: Debian's, else whichever is on the path; "" where there is none."""
    debian = Path("/usr/bin/chromium")
    return str(debian) if debian.exists() else shutil.which("chromium") or ""


def arguments() -> list[str]:
    """What it is started with: it refuses the superuser its sandbox."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


class ServedLibrary:
    """`conspectus serve`, which can be killed and started again at the same address."""

    def __init__(self, folder: Path, *words: str, options: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.port = 0
        self._words = words
        self._options = options
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "conspectus", *self._words, "--library", str(self.folder)]
        command += ["serve", "--port", str(self.port), *self._options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout
        self.port = urlsplit(self._process.stdout.readline().strip()).port or 0

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1{path}", timeout=HANG) as answer:
            return json.load(answer)

    def post(self, path: str, **body: Any) -> None:
        """As another program does."""
        text = json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.url}/api/v1{path}", text, {"content-type": "application/json"})
        urllib.request.urlopen(asked, timeout=HANG).close()

    def paper(self, words: str) -> str:
        """The id of the paper with these words in its title."""
        found: list[str] = [one["id"] for one in self.get("/papers")["papers"] if words in one["title"]]
        return found[0]

    def sentence(self, paper: str, page: int) -> dict[str, Any]:
        """A sentence over more than one line in the midst of a page."""
        spans = [span for passage in self.get(f"/papers/{paper}/passages")["passages"] for span in passage["spans"]]
        fits = [span for span in spans if len(span["places"]) > 1 and {one["page"] for one in span["places"]} == {page}]
        found: dict[str, Any] = fits[len(fits) // 2]
        return found

    def pixels_off(self, page: Any, span: str) -> float:
        """How far what is lit on the screen is from where the server draws the sentence itself."""
        found = self.get(f"/spans/{span}")
        number = found["span"]["places"][0]["page"]
        sheet = page.locator(f"[data-page='{number}']")
        image = sheet.locator("img")
        image.wait_for()
        image.evaluate("(one) => one.decode()")
        lit = sheet.locator(f"rect[data-span='{span}']").evaluate_all(LIT_BOX)
        left, top, across, down = lit["sheet"]
        box = self._drawn(found["paper"]["id"], span, number)
        drawn = [left + box[0] * across, top + box[1] * down, left + box[2] * across, top + box[3] * down]
        return float(np.abs(np.subtract(lit["lit"], drawn)).max())

    def _drawn(self, paper: str, span: str, page: int, scale: float = 3) -> tuple[float, ...]:
        """Where the server itself draws the sentence on the page's picture: parts of its width and height."""
        url = f"{self.url}/api/v1/papers/{paper}/pages/{page}.png?span={span}&scale={scale}"
        with urllib.request.urlopen(url) as lit, urllib.request.urlopen(url.replace(f"span={span}&", "")) as plain:
            pictures = [np.asarray(Image.open(io.BytesIO(one.read())).convert("RGB"), np.int16) for one in (lit, plain)]
        changed = np.abs(pictures[0] - pictures[1]).sum(axis=2) > 30
        rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
        height, width = changed.shape
        margin = scale  # the pen of the server reaches a point beyond the sentence, half of it above and below
        return (
            (columns[0] + margin) / width,
            (rows[0] + margin / 2) / height,
            (columns[-1] + 1 - margin) / width,
            (rows[-1] + 1 - margin / 2) / height,
        )


def grave(page: Any, part: str | None = None) -> list[str]:
    """What axe finds that keeps somebody out, in a part of the page: the rule, and where."""
    return violations(page, part, GRAVE)


def violations(page: Any, part: str | None = None, impacts: tuple[str, ...] = ()) -> list[str]:
    """What axe finds (of these impacts; all, if none is named) in a part of the page: the rule, and where."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, context=part).response["violations"]
    kept = [one for one in found if not impacts or one["impact"] in impacts]
    return [f"{one['id']}: {node['html'][:200]}" for one in kept for node in one["nodes"]]


def grave_in_both_themes(page: Any, part: str | None = None) -> list[str]:
    """What `grave` finds in the dark page and in the light one."""
    found = []
    for theme in ("dark", "light"):
        page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)  # as its switch does
        found += [f"{theme}: {one}" for one in grave(page, part)]
    return found


def page_addresses(page: Any) -> list[str]:
    """The addresses of all pages of all places of the navigation, in order; the page is then at the last place."""
    page.get_by_role("main").wait_for()
    places = page.locator("nav.navigation a.place").evaluate_all("all => all.map((link) => link.href)")
    found: list[str] = []
    for place in places:
        page.goto(place)
        page.locator("nav.navigation .of-place a").first.wait_for(state="attached")
        found += page.locator("nav.navigation .of-place a").evaluate_all("all => all.map((link) => link.href)")
    return found


def too_wide(page: Any) -> list[int]:
    """The widths of the window at which the page has to be pushed to the side."""
    wide = []
    for width in (380, 820, 1300):
        page.set_viewport_size({"width": width, "height": 850})
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(width)
    return wide
