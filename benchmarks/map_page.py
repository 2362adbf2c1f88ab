"""The page *Map* with 350,000 papers: how soon it can be used, and how many pictures a second it draws while it moves.

Run `PYTHONPATH=src:tests python benchmarks/map_page.py [--papers 350000] [--rounds 3]`; needs Chromium, Playwright and
the page (`make web`). The papers are made up: rows of a catalog, in 40 heaps with three levels of regions. `server` is
what the server takes for the points, the first time and again; `there` is when, in milliseconds after the navigation
began, the points are drawn, names of regions stand on them and a paper under the pointer is told. Chromium has no
graphics card here: it draws by software (SwiftShader), on the processor that the server has too. Pictures a second are
counted while the map is dragged about for five seconds; each is waited for until its pixels are there.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
from corpora import WORK
from playwright.sync_api import Browser, sync_playwright
from sqlalchemy import insert

from browsing import ServedLibrary, arguments, chromium
from conspectus import Library
from conspectus.map.sql import put_map_facts
from conspectus.records import Author, Metadata
from conspectus.store import map_tables, schema
from conspectus.store.codec import pack_metadata
from conspectus.store.connection import writing

HEAPS, WITHIN = 40, 6
"""Regions of the middle level, and of the smallest in each."""
SPREAD = 8.0
ADA = (Author(name="Lovelace, Ada", family="Lovelace"),)
DRAG = """async (seconds) => {
  const canvas = document.querySelector(".map canvas"), box = canvas.getBoundingClientRect();
  const at = (name, x, y) => canvas.dispatchEvent(new MouseEvent(name, { bubbles: true, cancelable: true, view: window,
    button: 0, buttons: 1, clientX: box.left + x, clientY: box.top + y }));
  const move = (x, y) => window.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, view: window, buttons: 1,
    clientX: box.left + x, clientY: box.top + y }));
  const gl = canvas.getContext("webgl2"), pixel = new Uint8Array(4), times = [];
  at("mousedown", 300, 300);
  const end = performance.now() + 1000 * seconds;
  for (let n = 0, last = performance.now(); last < end; n++) {
    move(300 + 150 * Math.sin(n / 9), 300 + 90 * Math.cos(n / 7));
    await new Promise(requestAnimationFrame);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  window.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, view: window }));
  return times;
}"""
"""Drags the map; the milliseconds of each picture."""


def made(folder: Path, papers: int) -> Path:
    """A library with a map of made-up papers."""
    if folder.exists():
        return folder
    chance = np.random.default_rng(0)
    turn = np.arange(HEAPS) * 2.4
    middles = np.stack([np.cos(turn), np.sin(turn)], 1) * np.sqrt(np.arange(HEAPS))[:, None] * SPREAD
    inner = middles[:, None] + chance.normal(0, 3.2, (HEAPS, WITHIN, 2))
    heap, part = chance.integers(0, HEAPS, papers), chance.integers(0, WITHIN, papers)
    spots = inner[heap, part] + chance.normal(0, 1.6, (papers, 2))
    years = chance.integers(1992, 2025, papers).tolist()
    with Library(folder) as library, writing(library.session.catalog.engine) as connection:
        keys = range(1, papers + 1)
        rows: Any = (
            {
                **{"key": key, "id": f"made{key:08d}", "external_id": "", "title": f"On the matter {key} of heap {at}"},
                **{"year": year, "has_full_text": False, "published": float(year), "cited_by": key % 97},
                "metadata": pack_metadata(Metadata(title=f"On the matter {key} of heap {at}", authors=ADA, year=year)),
            }
            for key, at, year in zip(keys, heap.tolist(), years, strict=True)
        )
        connection.execute(insert(schema.papers), list(rows))
        connection.execute(insert(schema.models).values(key=1, id="made up", dimensions=1))
        connection.execute(insert(schema.derivations).values(key=1, name="map", version="1"))
        derived = [{"paper_key": key, "derivation_key": 1, "digest": b""} for key in keys]
        connection.execute(insert(schema.derived), derived)
        connection.execute(insert(map_tables.regions), _regions())
        small = (1 + 8 + HEAPS + heap * WITHIN + part).tolist()
        places = [
            {"paper_key": key, "of": "papers", "unit": "", "x": x, "y": y, "region": region}
            for key, (x, y), region in zip(keys, spots.tolist(), small, strict=True)
        ]
        connection.execute(insert(map_tables.positions), places)
        said = {"method": "tsne", "model": "made up", "regions_by": "kmeans", "made": "2026-01-01T00:00:00+00:00"}
        put_map_facts(connection, "papers", "1", {**said, "fitted": 50_000, "moved": None, "changes": []})
    return folder


def _regions() -> list[dict[str, Any]]:
    """8 regions of the first level, 40 of the second, 240 of the third; keys from 1 on."""
    parents: list[int | None] = [None] * 8
    parents += [1 + heap % 8 for heap in range(HEAPS)]
    parents += [9 + heap for heap in range(HEAPS) for _ in range(WITHIN)]
    levels = [0] * 8 + [1] * HEAPS + [2] * HEAPS * WITHIN
    usual = {"of": "papers", "named_by": "phrases", "given": "", "terms": json.dumps(["matter", "heap"])}
    return [
        {"key": key, "level": level, "parent_key": parent, "name": f"matter {key}", **usual}
        for key, (level, parent) in enumerate(zip(levels, parents, strict=True), 1)
    ]


def asked(server: ServedLibrary) -> float:
    """Seconds that the server takes for the points."""
    start = time.perf_counter()
    with urllib.request.urlopen(f"{server.url}/api/v1/map/points") as answer:
        answer.read()
    return time.perf_counter() - start


def visited(browser: Browser, url: str) -> tuple[float, list[float]]:
    """Milliseconds until the map can be used, and of each picture while it is dragged."""
    context = browser.new_context(viewport={"width": 1300, "height": 850}, locale="en-GB")
    page = context.new_page()
    page.goto(f"{url}/map", wait_until="commit")
    page.locator(".map-view[data-drawn] .map-label").first.wait_for()
    canvas = page.locator(".map canvas").bounding_box()
    assert canvas
    page.mouse.move(canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2)
    page.locator(".map-card").wait_for()
    there = page.evaluate("performance.now()")
    times = page.evaluate(DRAG, 5)
    context.close()
    return there, times


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--papers", type=int, default=350_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    server = ServedLibrary(made(WORK / "map_page" / str(given.papers), given.papers))
    try:
        print(f"server: {asked(server):.2f} s the first time, {asked(server):.2f} s again")
        with sync_playwright() as playwright:
            software = ["--enable-unsafe-swiftshader", "--use-angle=swiftshader"]
            browser = playwright.chromium.launch(executable_path=chromium(), args=[*arguments(), *software])
            found = [visited(browser, server.url) for _ in range(given.rounds)]
            browser.close()
    finally:
        server.kill()
    there = statistics.median(one for one, _ in found)
    times = sorted(time for _, some in found for time in some)
    print(f"there {there:.0f} ms; {1000 / statistics.mean(times):.1f} pictures a second while it moves,", end=" ")
    print(f"the slowest twentieth {times[int(len(times) * 0.95)]:.0f} ms")


if __name__ == "__main__":
    main()
