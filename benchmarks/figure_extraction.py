"""How well figures and tables are found in PDF files that were not looked at while the rules were made.

    python benchmarks/figure_extraction.py --files DIR [--part open|sealed] [--fresh [1|2]] [--show]

The truth, `figure_extraction.json`, was drawn by hand on pictures of pages before the program had read one of them:
197 figures and tables of 30 documents; each row is page, label, left, top, right and bottom in points, the first words
of the caption, and the boxes of the panels. Rows without a label are figures and tables without a caption: nobody need
find them, and whoever does is not wrong. DIR holds the PDF files, unpacked from the packages that the truth names, at
any depth and gzipped or not: they are known by their SHA-256, and of what is absent it is said how it is had.

A region is right if it overlaps one of the same kind on its page by half (intersection over union); a pair is right if
its region is, and label and first words of the caption are those of the row. Precision is of all that was found on the
pages of the truth, captions or not. The peer sees the same pages: pdfplumber's pictures and tables, each with the
nearest caption. A hash of its name decides whether a document is of the half that was sealed: rules were mended on the
open half first, and on the other when it was used up.

`--fresh`: a second truth, `figure_extraction_fresh.json`, drawn likewise after that: 126 figures and tables of 20
documents by other publishers. `--fresh 2`: a third, `figure_extraction_fresh2.json`, drawn when the second was used up:
172 of 39 documents, of each the first pages that have captions. `--kind sample` takes documents of one kind alone.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdfplumber
from pdfplumber.utils.exceptions import PdfminerException

from conspectus.parse.pdf.reader import read_pdf
from figures import LEAST_OVERLAP, Rect, overlap

TRUTH = Path(__file__).with_suffix(".json")
TRUTHS = {
    "": TRUTH,
    "1": TRUTH.with_stem("figure_extraction_fresh"),
    "2": TRUTH.with_stem("figure_extraction_fresh2"),
}
NUMBER = r"(?:\d+(?:\.\d+)?|[IVX]+)\b|[A-Z](?=[.:])"
CAPTION = re.compile(rf"(?P<kind>fig(?:ure)?s?|tab(?:le)?)\.?\s*(?P<number>{NUMBER})[\s.:|]*", re.I)
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5"}
LEAST_PICTURE = 600
"""Smaller pictures of pdfplumber's, in square points, are none."""


@dataclass(frozen=True, slots=True)
class Found:
    """A figure or table: drawn by hand, or found. `label` is `figure 3`; both texts are empty without a caption."""

    page: int
    kind: str
    box: Rect
    label: str = ""
    words: str = ""


@dataclass
class Share:
    """Counts of one kind: how many there are, how many were found, and of both, regions and pairs that are right."""

    known: int = 0
    found: int = 0
    regions: int = 0
    pairs: int = 0
    misses: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        def both(right: int) -> str:
            return f"P {right / max(self.found, 1):.3f}  R {right / max(self.known, 1):.3f} ({right})"

        return f"known {self.known:3}, found {self.found:3}; regions {both(self.regions)}; pairs {both(self.pairs)}"


Reader = Callable[[Path, set[int]], list[Found]]


def is_sealed(name: str) -> bool:
    """Whether the document is of the half that is not looked at."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 1


def folded(text: str) -> str:
    """Letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text).casefold())


def named(text: str) -> tuple[str, str]:
    """The label and the words behind it, of a caption: `figure 3`, both empty where it begins with none."""
    found = CAPTION.match(text.strip())
    if not found:
        return "", ""
    kind = "table" if found["kind"].casefold().startswith("tab") else "figure"
    return f"{kind} {ROMAN.get(found['number'], found['number']).lower()}", folded(text.strip()[found.end() :])


def drawn_by_hand(document: dict[str, Any]) -> list[Found]:
    """The truth of one document; what has no label is of no kind."""
    rows = []
    for page, label, x0, y0, x1, y1, words, *_ in document["figures"]:
        rows.append(Found(page, label.split()[0].lower() if label else "", (x0, y0, x1, y1), label.lower(), words))
    return rows


def conspectus(path: Path, pages: set[int]) -> list[Found]:
    """What this program finds."""
    paper = read_pdf(path)
    rows = []
    for figure in paper.figures:
        if figure.place and figure.place.page in pages:
            text = paper.blocks[figure.caption].text if figure.caption is not None else ""
            label, words = named(text)
            rows.append(Found(figure.place.page, figure.kind, figure.place.rect, label, words))
    return rows


def by_pdfplumber(path: Path, pages: set[int]) -> list[Found]:
    """Pictures, drawings and tables of pdfplumber, each with the nearest caption; none of a file it cannot read."""
    try:
        return _plumbed(path, pages)
    except PdfminerException:
        print(f"pdfplumber cannot read {path.name}")
        return []


def _plumbed(path: Path, pages: set[int]) -> list[Found]:
    rows: list[Found] = []
    with pdfplumber.open(path) as document:
        for number in sorted(pages):
            page = document.pages[number - 1]
            boxes = [("table", table.bbox) for table in page.find_tables()]
            pictures = [(p["x0"], p["top"], p["x1"], p["bottom"]) for p in page.images]
            boxes += [("figure", b) for b in pictures if (b[2] - b[0]) * (b[3] - b[1]) > LEAST_PICTURE]
            rows += with_captions(number, boxes, _lines(page))
            page.close()
    return rows


def _lines(page: Any) -> list[tuple[str, Rect]]:
    lines = [
        (line["text"], (line["x0"], line["top"], line["x1"], line["bottom"])) for line in page.extract_text_lines()
    ]
    words = page.extract_words()
    starts = [w for w in words if re.fullmatch(r"fig(?:ure)?\.?|table", w["text"], re.I)]
    for word in starts:  # lines of pdfplumber go over columns
        same = [w for w in words if abs(w["bottom"] - word["bottom"]) < 2 and w["x0"] >= word["x0"]]
        text = " ".join(w["text"] for w in sorted(same, key=lambda w: w["x0"])[:8])
        lines.append((text, (word["x0"], word["top"], same[-1]["x1"], word["bottom"])))
    return lines


def with_captions(page: int, boxes: list[tuple[str, Rect]], lines: list[tuple[str, Rect]]) -> Iterator[Found]:
    """Each box with the nearest line that begins as a caption of its kind does."""
    captions = [(*named(text), box) for text, box in lines]
    for kind, box in boxes:
        own = [c for c in captions if c[0].startswith(kind)]
        label, words, _ = min(own, key=lambda c: _apart(c[2], box), default=("", "", box))
        yield Found(page, kind, box, label, words)


def _apart(one: Rect, two: Rect) -> float:
    across = max(one[0] - two[2], two[0] - one[2], 0)
    return across + max(one[1] - two[3], two[1] - one[3], 0)


def compare(name: str, known: list[Found], found: list[Found], tally: dict[str, Share]) -> None:
    """Counts one document: each region found is given to the row of its kind that it overlaps most, each row once."""
    rest = list(found)
    for row in known:
        near = [f for f in rest if f.page == row.page and overlap(f.box, row.box) >= LEAST_OVERLAP]
        best = max(
            (f for f in near if f.kind == (row.kind or f.kind)), key=lambda f: overlap(f.box, row.box), default=None
        )
        if best:
            rest.remove(best)
        if not row.kind:
            continue
        share = tally[row.kind]
        share.known += 1
        right = best is not None and best.label == row.label and best.words.startswith(folded(row.words))
        share.found, share.regions, share.pairs = (
            share.found + bool(best),
            share.regions + bool(best),
            share.pairs + right,
        )
        if not right:
            share.misses.append(f"{name} p{row.page} {row.label} {row.box}: {best}")
    for extra in rest:
        tally[extra.kind].found += 1
        tally[extra.kind].misses.append(f"{name} p{extra.page}: {extra} is none")


def report(name: str, read: Reader, documents: list[tuple[dict[str, Any], Path]], *, show: bool) -> None:
    """Prints what one reader finds in the documents."""
    tally = {"figure": Share(), "table": Share()}
    for document, path in documents:
        known = drawn_by_hand(document)
        compare(document["name"], known, read(path, {row.page for row in known}), tally)
    whole = Share(*(sum(getattr(share, n) for share in tally.values()) for n in ("known", "found", "regions", "pairs")))
    for kind, share in {**tally, "both": whole}.items():
        print(f"{name:11} {kind:6} {share}")
    if show:
        print(*(f"  {miss}" for share in tally.values() for miss in share.misses), sep="\n")


def at_hand(folder: Path, scratch: Path) -> dict[str, Path]:
    """The PDF files below the folder by SHA-256; those that are gzipped are unpacked into `scratch`."""
    files = {}
    for path in sorted(folder.rglob("*.pdf*")):
        data = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".gz":
            data = gzip.decompress(data)
            path = scratch / f"{path.parent.name}-{path.stem}"  # noqa: PLW2901
            path.write_bytes(data)
        files[hashlib.sha256(data).hexdigest()] = path
    return files


def main() -> None:
    """Print precision and recall of regions and pairs, for this program and its peers."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, required=True, help="a folder with the PDF files")
    parser.add_argument("--part", choices=("open", "sealed"))
    parser.add_argument("--fresh", nargs="?", const="1", default="", choices=TRUTHS, help="another truth")
    parser.add_argument("--kind", help="documents of this kind alone, such as `article`")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--show", action="store_true", help="what is wrong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        files = at_hand(options.files, Path(scratch))
        wanted = [
            d
            for d in json.loads(TRUTHS[options.fresh].read_text())
            if options.part in (None, "sealed" if is_sealed(d["name"]) else "open")
            and options.kind in (None, d["kind"])
        ]
        for one in wanted:
            if one["sha256"] not in files:
                print(f"absent: {one['name']} ({one['had']})")
        documents = [(one, files[one["sha256"]]) for one in wanted if one["sha256"] in files]
        print(
            f"{len(documents)} documents, {len({(d['name'], f[0]) for d, _ in documents for f in d['figures']})} pages"
        )
        readers: dict[str, Reader] = {"conspectus": conspectus}
        if not options.alone:
            readers["pdfplumber"] = by_pdfplumber
        for name, read in readers.items():
            report(name, read, documents, show=options.show and read is conspectus)


if __name__ == "__main__":
    main()
