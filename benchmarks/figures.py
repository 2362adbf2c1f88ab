"""How well figures and tables are found: captions paired with the right part of the page.

Run `python benchmarks/figures.py [--data DIR] [--crops DIR]`. Two truths: papers that `tests/parse/figure_samples.py`
typesets, whose boxes are known because we put them there; and boxes drawn by hand, by us, on pages of `pdf_jose` and
`pdf_rescience` (`figures.json`: for each file page, label, left, top, right, bottom in points). A figure counts if its
label, its page and its box (intersection over union of 0.5 or more) are right.

Recall is of the known figures; precision of all figures with a caption and a place that were found in typeset papers,
and of those on the pages with boxes drawn by hand. Text inside figures must not be in the running text, nor running
text be missing from it: both are counted over the typeset papers. A table's cells count if all are right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "tests" / "parse")]

from figure_samples import SAMPLES, KnownFigure, Rect, Sample  # noqa: E402
from parsing import default_data  # noqa: E402
from results import Figure, store_figures  # noqa: E402

from conspectus.parse.pdf.page_images import figure_image  # noqa: E402
from conspectus.parse.pdf.reader import read_pdf  # noqa: E402
from conspectus.records import ParsedPaper  # noqa: E402

LEAST_OVERLAP = 0.5


@dataclass
class Tally:
    """Counts over a set of papers."""

    known: int = 0
    found: int = 0
    right: int = 0
    overlap: float = 0.0
    tables: int = 0
    cells: int = 0
    leaked: int = 0
    inside: int = 0
    lost: int = 0
    sentences: int = 0
    misses: list[str] = field(default_factory=list)


def overlap(one: Rect, two: Rect) -> float:
    """Intersection over union."""
    both = max(min(one[2], two[2]) - max(one[0], two[0]), 0) * max(min(one[3], two[3]) - max(one[1], two[1]), 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, two)]
    return both / (sum(areas) - both)


def compare(name: str, paper: ParsedPaper, known: list[KnownFigure], pages: set[int] | None, tally: Tally) -> None:
    """Counts the figures of one paper; only those of `pages` where only these have known boxes."""
    for figure in paper.figures:
        if figure.caption is not None and figure.place and (pages is None or figure.place.page in pages):
            tally.found += 1
    for truth in known:
        tally.known += 1
        boxes = [f for f in paper.figures if f.label == truth.label and f.place and f.place.page == truth.page]
        best = max((overlap(truth.box, f.place.rect) for f in boxes if f.place), default=0.0)
        tally.overlap += best
        if best >= LEAST_OVERLAP:
            tally.right += 1
        else:
            tally.misses.append(f"{name} p{truth.page} {truth.label}: {best:.2f} {[f.place for f in boxes]}")
        if truth.cells:
            tally.tables += 1
            if any(f.cells == truth.cells for f in boxes):
                tally.cells += 1
            else:
                tally.misses.append(f"{name} {truth.label}: cells {boxes[0].cells[:2] if boxes else ()}")


def check_text(sample: Sample, paper: ParsedPaper, tally: Tally) -> None:
    """Counts words of figures in the running text, and sentences that are missing from it."""
    text = " ".join(block.text for block in paper.blocks if block.kind not in ("caption",))
    everything = " ".join(block.text for block in paper.blocks)
    tally.inside += len(sample.inside)
    tally.leaked += sum(word in text.split() for word in sample.inside)
    tally.sentences += len(sample.sentences)
    missing = [sentence for sentence in sample.sentences if sentence not in everything]
    tally.lost += len(missing)
    tally.misses += [f"{sample.path.name}: lost {sentence[:60]!r}" for sentence in missing]


def typeset() -> Tally:
    """The papers of our own."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for name, make in SAMPLES.items():
            sample = make(Path(folder) / f"{name}.pdf")
            paper = read_pdf(sample.path)
            compare(name, paper, sample.figures, None, tally)
            check_text(sample, paper, tally)
    return tally


def drawn_by_hand(data: Path, crops: Path | None) -> Tally:
    """The real papers with boxes of ours."""
    tally = Tally()
    for file, rows in json.loads((HERE / "figures.json").read_text(encoding="utf-8")).items():
        paper = read_pdf(data / file)
        known = [KnownFigure(label, page, tuple(box)) for page, label, *box in rows]
        compare(file, paper, known, {truth.page for truth in known}, tally)
        for figure in paper.figures if crops else ():
            if crops and figure.place:
                figure_image(data / file, figure.place).save(crops / f"{Path(file).stem}-{figure.key}.png")
    return tally


def report(name: str, tally: Tally) -> Figure:
    """Print a table; returns recall and precision."""
    recall, precision = tally.right / max(tally.known, 1), tally.right / max(tally.found, 1)
    print(f"{name}: {tally.known} figures and tables, mean overlap {tally.overlap / max(tally.known, 1):.2f}")
    print(f"  recall     {tally.right} of {tally.known} ({recall:.1%})   >= 90 %")
    print(f"  precision  {tally.right} of {tally.found} ({precision:.1%})   >= 90 %")
    if tally.tables:
        print(f"  tables with all cells right  {tally.cells} of {tally.tables}")
        print(f"  words of figures in the running text  {tally.leaked} of {tally.inside}")
        print(f"  sentences of the text not found       {tally.lost} of {tally.sentences}")
    for miss in tally.misses:
        print(f"  - {miss}")
    what = f"{name}, {tally.known} figures and tables: recall; precision"
    return Figure(what, f"{recall:.1%}; {precision:.1%}", "≥ 90 %")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default_data(), help="the folder with pdf_jose and pdf_rescience")
    parser.add_argument("--crops", type=Path, help="a folder for pictures of all figures, to look at")
    arguments = parser.parse_args()
    tallies = {"Typeset": typeset()}
    if not (arguments.data / "pdf_jose").is_dir():
        print(f"No 'pdf_jose' in '{arguments.data}': give the data folder with --data.", file=sys.stderr)
        return 2
    if arguments.crops:
        arguments.crops.mkdir(parents=True, exist_ok=True)
    tallies["Drawn by hand"] = drawn_by_hand(arguments.data, arguments.crops)
    figures = [report(name, tally) for name, tally in tallies.items()]
    store_figures("figures", "figures", "python benchmarks/figures.py", figures)
    shares = [(tally.right / tally.known, tally.right / max(tally.found, 1)) for tally in tallies.values()]
    return int(min(map(min, shares)) < 0.9)


if __name__ == "__main__":
    raise SystemExit(main())
