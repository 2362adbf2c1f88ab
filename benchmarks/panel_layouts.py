"""The weights by which the layout of a figure in panels is chosen: their fit to figures made by code.

    python benchmarks/panel_layouts.py [--figures N] [--rounds N]    # writes figures/layout_weights.json

Coordinate search for the most panels found (overlap of half; ties: the greater mean overlap) on figures of
`composite_figures.py` of the kind `training`, which no other benchmark uses, without their letters. A round over 40
figures takes three minutes.
"""

from __future__ import annotations

import argparse
from typing import get_args

import composite_figures
import corpora
import msgspec

from conspectus.figures import panel_layout, panels
from conspectus.figures.panel_layout import GutterKind, LayoutFinder, LayoutWeights, PanelBox
from figures import LEAST_OVERLAP, Rect, overlap

TARGET = corpora.ROOT / "src" / "conspectus" / "figures" / "layout_weights.json"
STEPS = (0.6, -0.6, 0.25, -0.25, 0.1, -0.1)


class Case:
    """A figure, cut into pieces once."""

    def __init__(self, number: int) -> None:
        made = composite_figures.make(number, "training")
        grey = panels._grey(made.picture)
        high, wide = grey.shape
        whole = panel_layout.trimmed(grey, PanelBox(0, 0, wide, high))
        self.finders = [LayoutFinder(grey, whole, kind=kind) for kind in get_args(GutterKind)]
        self.truth: list[Rect] = [(b[0] * wide, b[1] * high, b[2] * wide, b[3] * high) for _, b in made.panels]

    def score(self, weights: LayoutWeights) -> tuple[int, float]:
        """Panels that are found, and the sum of overlaps."""
        for finder in self.finders:
            finder.weights = weights
        found = max((finder.find(len(self.truth)) for finder in self.finders), key=lambda one: one[0])[1]
        best = [max((overlap(box, part) for _, part in found), default=0.0) for box in self.truth]
        return sum(one >= LEAST_OVERLAP for one in best), sum(best)


def score(cases: list[Case], weights: LayoutWeights) -> float:
    """Panels that are found, and a tenth of the overlaps."""
    return sum(right + 0.1 * sum_of for right, sum_of in (case.score(weights) for case in cases))


def main() -> None:
    """Fit and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    cases = [Case(number) for number in range(options.figures)]
    best = panel_layout.load_weights()
    most = score(cases, best)
    print(f"{sum(len(case.truth) for case in cases)} panels; {most:.1f}", flush=True)
    for _ in range(options.rounds):
        for name in LayoutWeights.__struct_fields__:
            for step in STEPS:
                tried = msgspec.structs.replace(best, **{name: round(getattr(best, name) + step, 2)})
                if (now := score(cases, tried)) > most:
                    best, most = tried, now
                    print(f"{most:.1f} {best}", flush=True)
        TARGET.write_bytes(msgspec.json.encode(best) + b"\n")


if __name__ == "__main__":
    main()
