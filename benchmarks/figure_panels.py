"""Whether the panels of figures are found, boxes and letters.

    python benchmarks/figure_panels.py [--part open|sealed] [--show]
    python benchmarks/figure_panels.py --files DIR [--part open|sealed] [--fresh] [--show]

Without `--files` the figures are 60: 46 made by code (`composite_figures.py`: real pictures and plots in complex
layouts), of which a hash of the name seals 27; and 14 of `pdf_rescience` whose panels were marked by hand
(`figure_panels.json`: of each figure its page and box, the caption, and panels with letter and box in parts of the
figure), which are all open.

With `--files` the truth and the folder are those of `figure_extraction.py`: each figure is cut from its page where it
was drawn by hand, and split with the words in it and the caption that the program reads there (its first words, where
it reads none). The truth has panels of few figures: of what was found elsewhere most is several pictures, too.

A panel is found if a region overlaps it by half (intersection over union), and named right if that has its letter, too.
The peer cuts the figure into as many even columns as the truth has panels.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import composite_figures
import corpora
from figure_extraction import TRUTHS, at_hand, is_sealed
from results import Figure, store_figures

from conspectus.core.errors import ConspectusError
from conspectus.figures.panels import split
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.process.drawings import draw_files
from conspectus.parse.process.pool import Limits
from conspectus.parse.process.wire import Drawing
from conspectus.records import Place
from figures import LEAST_OVERLAP, Rect, overlap

ASKED = 0.9
MARKED = Path(__file__).with_suffix(".json")
COMPOSITES = 46
LONGEST = 1200
"""Pixels of the longer side of a picture as the program looks at it."""
SCALE = 200 / 72
Named = Sequence[tuple[str, Rect]]
"""Panels with their letters, in points of the page."""


def figures_of(document: dict[str, Any], path: Path) -> Iterator[tuple[str, Named, Named, Rect]]:
    """Of each figure its label, its panels by hand and as they are found, and its box."""
    rows = [row for row in document["figures"] if row[1].lower().startswith("fig")]
    paper = read_pdf(path)
    places = [Place(row[0], tuple(map(float, row[2:6]))) for row in rows]
    drawings = [(path, Drawing(place.page, SCALE, part=place, words=True)) for place in places]
    for row, place, drawn in zip(rows, places, draw_files(drawings, Limits(60.0, 2000)), strict=True):
        if isinstance(drawn, ConspectusError):
            raise drawn
        captions = [
            paper.blocks[one.caption].text
            for one in paper.figures
            if one.place and one.caption is not None and one.place.page == place.page
            if overlap(one.place.rect, place.rect) > LEAST_OVERLAP
        ]
        found = split(*drawn, captions[0] if captions else row[6])
        by_hand = [(one[0], tuple(map(float, one[1:]))) for one in (row[7] if len(row) > 7 else [])]
        yield row[1], by_hand, [(one.label, on_page(one.box, place.rect)) for one in found], place.rect


def on_page(box: Rect, part: Rect) -> Rect:
    """A box in parts of a figure, in points; the picture has a point more on each side."""
    left, top, wide, high = part[0] - 1, part[1] - 1, part[2] - part[0] + 2, part[3] - part[1] + 2
    return left + box[0] * wide, top + box[1] * high, left + box[2] * wide, top + box[3] * high


def columns(count: int, box: Rect) -> Named:
    """The peer's: even columns, with letters in order."""
    wide = (box[2] - box[0]) / max(count, 1)
    return [("abcdefghijklm"[i], (box[0] + i * wide, box[1], box[0] + (i + 1) * wide, box[3])) for i in range(count)]


def right(by_hand: Named, found: Named, *, named: bool) -> int:
    """How many panels are found; `named`: of those with letters, under their own."""
    wanted = [one for one in by_hand if one[0]] if named else by_hand
    fits = (
        any(
            (not named or letter.lower() == other.lower()) and overlap(box, place) >= LEAST_OVERLAP
            for other, place in found
        )
        for letter, box in wanted
    )
    return sum(fits)


def report(name: str, figures: Sequence[tuple[Named, Named]]) -> None:
    """Prints what was found of the panels."""
    known, found = (sum(len(pair[i]) for pair in figures) for i in (0, 1))
    lettered = sum(bool(letter) for by_hand, _ in figures for letter, _ in by_hand)
    regions, letters = (sum(right(*pair, named=named) for pair in figures) for named in (False, True))
    print(
        f"{name:11} regions P {regions / max(found, 1):.3f}  R {regions / max(known, 1):.3f} ({regions} of {known}); "
        f"by their letters R {letters / max(lettered, 1):.3f} ({letters} of {lettered}); asked: {ASKED}"
    )


def sixty(part: str | None) -> Iterator[tuple[str, Named, Named]]:
    """Of each of the 60 figures its name, its panels, and those that are found; boxes in parts of the figure."""
    made = (composite_figures.make(number) for number in range(COMPOSITES))
    for one in made:
        is_sealed_row = blake2b(one.name.encode(), digest_size=8).digest()[0] % 2 == 0
        if part in (None, "sealed" if is_sealed_row else "open"):
            found = split(one.picture, one.words, one.caption)
            yield one.name, one.panels, [(panel.label, panel.box) for panel in found]
    if part == "sealed":
        return
    rows = json.loads(MARKED.read_text())
    places = [(corpora.data_folder() / row["file"], Place(row["page"], tuple(row["box"]))) for row in rows]
    drawings = [(path, Drawing(place.page, SCALE, part=place, words=True)) for path, place in places]
    for row, drawn in zip(rows, draw_files(drawings, Limits(60.0, 2000)), strict=True):
        if isinstance(drawn, ConspectusError):
            raise drawn
        drawn[0].thumbnail((LONGEST, LONGEST))
        found = split(*drawn, row["caption"])
        by_hand = [(panel[0], tuple(panel[1:])) for panel in row["panels"]]
        yield f"{Path(row['file']).stem} {row['label']}", by_hand, [(panel.label, panel.box) for panel in found]


def report_sixty(part: str | None, *, show: bool) -> None:
    """Print and keep the figures of the 60."""
    groups: dict[str, list[tuple[Named, Named]]] = {"made by code": [], "marked by hand": []}
    for name, by_hand, found in sixty(part):
        groups["made by code" if name.startswith("composite") else "marked by hand"].append((by_hand, found))
        if show and right(by_hand, found, named=False) < len(by_hand):
            print(f"  {name}: {right(by_hand, found, named=False)} of {len(by_hand)}")
    kept = []
    for name, pairs in groups.items():
        if pairs:
            report(name, pairs)
            peers = [(by_hand, columns(len(by_hand), (0, 0, 1, 1))) for by_hand, _ in pairs]
            report("columns", peers)
            values = (right_share(pairs, 1), right_share(pairs, 0))
            what = f"Panels, {len(pairs)} figures {name}{', ' + part if part else ''}: precision; recall"
            peer = f"even columns {right_share(peers, 1):.3f}; {right_share(peers, 0):.3f}"
            kept.append(Figure(what, "{:.3f}; {:.3f}".format(*values), "≥ 0.9", peer))
    if part is None:
        store_figures("figure_panels", "figures", "python benchmarks/figure_panels.py", kept)


def right_share(figures: Sequence[tuple[Named, Named]], of: int) -> float:
    """The panels found, of those known (0) or of all that was found (1)."""
    return sum(right(*pair, named=False) for pair in figures) / max(sum(len(pair[of]) for pair in figures), 1)


def main() -> None:
    """Print how many panels are found, by this program and by its peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, help="a folder with the PDF files of figure_extraction.py")
    parser.add_argument("--part", choices=("open", "sealed"))
    parser.add_argument("--fresh", action="store_true", help="the second truth")
    parser.add_argument("--show", action="store_true", help="what is wrong")
    options = parser.parse_args()
    if options.files is None:
        report_sixty(options.part, show=options.show)
        return
    ours: list[tuple[Named, Named]] = []
    peers: list[tuple[Named, Named]] = []
    elsewhere = 0
    with tempfile.TemporaryDirectory() as scratch:
        files = at_hand(options.files, Path(scratch))
        for document in json.loads(TRUTHS["1" if options.fresh else ""].read_text()):
            part = "sealed" if is_sealed(document["name"]) else "open"
            if options.part not in (None, part) or document["sha256"] not in files:
                continue
            for label, by_hand, found, box in figures_of(document, files[document["sha256"]]):
                if not by_hand:
                    elsewhere += bool(found)
                    continue
                ours.append((by_hand, found))
                peers.append((by_hand, columns(len(by_hand), box)))
                if options.show and right(by_hand, found, named=False) < len(by_hand):
                    print(
                        f"  {document['name']} {label}: {[one[0] for one in found]} for {[one[0] for one in by_hand]}"
                    )
    report("conspectus", ours)
    report("columns", peers)
    print(f"figures without panels by hand that were split: {elsewhere}")


if __name__ == "__main__":
    main()
