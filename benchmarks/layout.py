"""Would a layout model be a good referee? `python benchmarks/layout.py [--data DIR]`, with rapid-layout beside.

Its model (`layout_cdla.onnx`, in the wheel) draws boxes on pictures of pages. Two questions: does it see the figures
and tables of `figures.json`, which we drew by hand, and the headings of our typeset documents, as well as the reader
does; and is it right where the reader is wrong?
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from parsing import default_data

from conspectus.parse.pdf.reader import read_pdf
from figures import LEAST_OVERLAP, overlap

HERE = Path(__file__).resolve().parent
TYPESET = HERE.parent / "tests" / "parse" / "typeset"
SCALE = 1.5
Box = tuple[float, float, float, float]


class Referee:
    """The model, and the CPU seconds of each page."""

    def __init__(self, least: float) -> None:
        from rapid_layout import RapidLayout

        self.model = RapidLayout(model_type="pp_layout_cdla", conf_thresh=least)
        self.seconds: list[float] = []

    def boxes(self, page: Any) -> list[tuple[str, Box]]:
        """Class and box, in points, of what it sees."""
        picture = np.ascontiguousarray(page.render(scale=SCALE).to_numpy()[:, :, :3])
        began = time.process_time()
        said = self.model(picture)
        self.seconds.append(time.process_time() - began)
        boxes = [] if said.boxes is None else said.boxes
        return [
            (name, tuple(float(v) / SCALE for v in box))
            for name, box in zip(said.class_names or (), boxes, strict=True)
        ]


def figures(data: Path, referee: Referee) -> None:
    known = seen = read = mended = drawn = extra = 0
    for name, rows in json.loads((HERE / "figures.json").read_text()).items():
        paper, document = read_pdf(data / name), pypdfium2.PdfDocument(data / name)
        for number in sorted({row[0] for row in rows}):
            boxes = [box for kind, box in referee.boxes(document[number - 1]) if kind in ("figure", "table")]
            places = [f.place.rect for f in paper.figures if f.place is not None and f.place.page == number]
            wanted = [tuple(row[2:]) for row in rows if row[0] == number]
            drawn += len(boxes)
            extra += sum(max((overlap(box, one) for one in wanted), default=0) < LEAST_OVERLAP for box in boxes)
            for one in wanted:
                by_model = max((overlap(box, one) for box in boxes), default=0) >= LEAST_OVERLAP
                by_reader = max((overlap(place, one) for place in places), default=0) >= LEAST_OVERLAP
                known, seen, read = known + 1, seen + by_model, read + by_reader
                mended += by_model and not by_reader
    print(f"figures and tables drawn by hand: {known}; the reader has {read}, the model {seen}")
    print(f"  the model is right where the reader is wrong: {mended}; {extra} of its {drawn} boxes are none of them")


def headings(pages: int, referee: Referee) -> None:
    known = seen = drawn = false = 0
    for path in sorted(TYPESET.glob("*.pdf")):
        paper, document = read_pdf(path), pypdfium2.PdfDocument(path)
        title = "".join(paper.metadata.title.casefold().split())
        for number in range(1, min(pages, len(document)) + 1):
            boxes = [box for kind, box in referee.boxes(document[number - 1]) if kind == "title"]
            lines = [
                place.rect
                for block in paper.blocks
                if block.kind == "heading"
                for place in block.sentences[0].places
                if place.page == number
            ]
            known += len(lines)
            seen += sum(any(_holds(box, line) for box in boxes) for line in lines)
            textpage = document[number - 1].get_textpage()
            height = document[number - 1].get_height()
            for box in boxes:
                words = textpage.get_text_bounded(box[0], height - box[3], box[2], height - box[1])
                drawn += 1
                false += not any(_holds(box, line) for line in lines) and "".join(words.casefold().split()) not in title
    print(f"headings of typeset pages (the reader has all): {known} lines; the model has {seen}")
    print(f"  {false} of its {drawn} boxes are neither a heading nor the paper's title")


def _holds(box: Box, line: Box) -> bool:
    """Whether the middle of the line, and half of its width, lie in the box."""
    middle = (line[1] + line[3]) / 2
    wide = min(box[2], line[2]) - max(box[0], line[0])
    return box[1] <= middle <= box[3] and wide > 0.5 * (line[2] - line[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--pages", type=int, default=4, help="pages of each typeset document")
    parser.add_argument("--least", type=float, default=0.5, help="certainty from which a box counts")
    chosen = parser.parse_args()
    referee = Referee(chosen.least)
    figures(chosen.data, referee)
    headings(chosen.pages, referee)
    print(f"{len(referee.seconds)} pages, {sum(referee.seconds) / len(referee.seconds):.2f} s CPU a page")


if __name__ == "__main__":
    main()
