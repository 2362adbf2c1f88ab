"""Colours of overlays."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np

from conspectus.map.overlay_plot import CATEGORIES, NONE

PAGE = Path(__file__).parents[2] / "web" / "src" / "map" / "colours.ts"
OF_PAGE = re.compile(r"CATEGORIES: Colour\[\] = \[\n(.*?)\];", re.S)
NUMBERS = re.compile(r"\d+")
LMS = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]
OKLAB = [[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
APART = 0.1
"""In Oklab, where 0.02 is just seen on large patches; dots are small."""


def oklab(colour: str) -> np.ndarray:
    parts = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return np.array(OKLAB) @ np.cbrt(np.array(LMS) @ linear)


def test_categories_are_told_apart() -> None:
    """Else Solar physics looks like Observational astronomy on the map."""
    for one, other in combinations((*CATEGORIES, NONE), 2):
        assert np.linalg.norm(oklab(one) - oklab(other)) > APART, (one, other)


def test_the_page_has_the_same_colours() -> None:
    """Else a picture and the page show one overlay in other colours."""
    own = [int(number) for number in NUMBERS.findall(OF_PAGE.search(PAGE.read_text("utf-8"))[1])]  # type: ignore[index]
    assert own == [int(colour[start : start + 2], 16) for colour in CATEGORIES for start in (1, 3, 5)]
