"""How well scans are read: `python benchmarks/ocr.py [--pages N] [--only LAYOUT …]`.

Pages of our own typeset documents are drawn, laid askew and made noisy, and put into PDF files as pictures. What is
recognised in them is held against what is read of the same pages with their text layer.
"""

from __future__ import annotations

import argparse
import difflib
import re
import resource
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pypdfium2
from tests_path import as_scan

from conspectus.parse.files.inspection import inspect_file
from conspectus.parse.pdf.page_text import tilted
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.process.pool import Limits
from conspectus.records import ParsedPaper, Rect

TYPESET = Path(__file__).resolve().parents[1] / "tests" / "parse" / "typeset"
KINDS = {
    "straight, 200 dpi": {"dpi": 200.0},
    "askew by 0.8°, noisy, 200 dpi": {"dpi": 200.0, "askew": 0.8, "noise": 10.0},
}
LIMITS = {"words": 0.97, "paragraphs": 0.9, "headings": 0.9, "titles": 0.9, "captions": 0.9, "spans": 0.9}


@dataclass
class Tally:
    there: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    overlaps: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak: int = 0

    def add(self, what: str, there: int, right: int) -> None:
        self.there[what] += there
        self.right[what] += right


def words(paper: ParsedPaper) -> list[str]:
    return re.findall(r"\w+", " ".join(block.text for block in paper.blocks).casefold())


def folded(text: str) -> str:
    return re.sub(r"[\W_]", "", text.casefold())


def alike(one: str, two: str) -> bool:
    if abs(len(one) - len(two)) > 0.05 * len(one) + 3:
        return False
    return one == two or difflib.SequenceMatcher(None, one, two, autojunk=False).ratio() >= 0.95


def texts(paper: ParsedPaper, kind: str) -> list[str]:
    return [folded(block.text) for block in paper.blocks if block.kind == kind]


def in_order(known: list[str], found: list[str]) -> int:
    """How many of the texts stand in both in the same order."""
    row = [0] * (len(found) + 1)
    for text in known:
        before = 0
        for j, other in enumerate(found):
            before, row[j + 1] = row[j + 1], before + 1 if alike(text, other) else max(row[j], row[j + 1])
    return row[-1]


def sentences(paper: ParsedPaper) -> list[tuple[str, int, list[Rect]]]:
    """Text, page and rectangles of every sentence on one page."""
    found = []
    for block in paper.blocks:
        for sentence in block.sentences:
            if len({place.page for place in sentence.places}) == 1:
                text = folded(block.text[sentence.start : sentence.end])
                found.append((text, sentence.places[0].page, [place.rect for place in sentence.places]))
    return found


def overlap(one: list[Rect], two: list[Rect]) -> float:
    """Intersection over union of the areas of two sets of rectangles, on a raster of half points."""
    cells = [
        {
            (x, y)
            for x0, y0, x1, y1 in rects
            for x in range(round(2 * x0), round(2 * x1))
            for y in range(round(2 * y0), round(2 * y1))
        }
        for rects in (one, two)
    ]
    return len(cells[0] & cells[1]) / max(len(cells[0] | cells[1]), 1)


def compare(known: ParsedPaper, found: ParsedPaper, askew: float, size: tuple[float, float], tally: Tally) -> None:
    said = words(known)
    same = difflib.SequenceMatcher(None, said, words(found), autojunk=False).get_matching_blocks()
    tally.add("words", len(said), sum(block.size for block in same))
    for kind in ("paragraph", "heading", "caption"):
        tally.add(f"{kind}s", len(texts(known, kind)), in_order(texts(known, kind), texts(found, kind)))
    tally.add("titles", 1, folded(known.metadata.title) == folded(found.metadata.title))
    places = {(text, page): rects for text, page, rects in sentences(found) if text}
    middle = size[0] / 2, size[1] / 2
    for text, page, rects in sentences(known):
        if (text, page) in places:
            shown = [tilted(rect, middle, -askew * 3.14159265 / 180) for rect in rects]
            tally.overlaps.append(overlap(shown, places[text, page]))


def measure(names: list[str], pages: int, kind: dict[str, float], show: bool) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            source, scan = TYPESET / f"{name}.pdf", Path(folder) / f"{name}-scan.pdf"
            part = Path(folder) / f"{name}.pdf"
            count = min(pages, len(pypdfium2.PdfDocument(source)))
            some = list(range(1, count + 1))
            as_scan(source, part, pages=some, kept=some)
            as_scan(source, scan, pages=some, **kind)
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            (found,) = inspect_file(scan, Limits(), ocr=True).papers
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            tally.wall.append((time.perf_counter() - began) / count)
            tally.cpu.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / count)
            tally.peak = max(tally.peak, after.ru_maxrss // 1024)
            size = pypdfium2.PdfDocument(source)[0].get_size()
            one = Tally()
            compare(read_pdf(part), found, kind.get("askew", 0.0), size, one)
            for what in one.there:
                tally.add(what, one.there[what], one.right[what])
            tally.overlaps += one.overlaps
            if show:
                said = "  ".join(f"{what} {one.right[what]}/{one.there[what]}" for what in one.there)
                print(f"  {name:<13} {said}  {tally.cpu[-1]:.1f} s a page", flush=True)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1, help="pages of each layout")
    parser.add_argument("--only", nargs="+", default=sorted(path.stem for path in TYPESET.glob("*.pdf")))
    parser.add_argument("--show", action="store_true", help="each layout")
    chosen = parser.parse_args()
    bad = 0
    for kind, how in KINDS.items():
        tally = measure(chosen.only, chosen.pages, how, chosen.show)
        print(f"{kind}: {len(chosen.only)} layouts, {chosen.pages} page(s) each")
        shares = {what: tally.right[what] / max(tally.there[what], 1) for what in tally.there}
        shares["spans"] = sum(value >= 0.5 for value in tally.overlaps) / max(len(tally.overlaps), 1)
        for what, least in LIMITS.items():
            counts = f"{tally.right[what]} of {tally.there[what]}" if what in tally.there else f"{len(tally.overlaps)}"
            bad += shares[what] < least
            mark = "" if shares[what] >= least else "  BELOW"
            print(f"  {what:<11} {100 * shares[what]:6.1f} %  at least {100 * least:.0f} %  ({counts}){mark}")
        print(f"  overlap of spans (IoU): median {median(tally.overlaps or [0]):.2f}")
        print(f"  a page: {median(tally.cpu):.1f} s CPU, {median(tally.wall):.1f} s; {tally.peak} MB at most")
    raise SystemExit(bool(bad))


if __name__ == "__main__":
    main()
