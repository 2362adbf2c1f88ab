"""Which words of a page nobody sees: where areas lie over words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conspectus.parse.pdf import visibility
from conspectus.parse.pdf.page_objects import Cover
from conspectus.records import Rect

HEIGHT = 792.0
_at = st.one_of(st.integers(-20, 820).map(float), st.floats(-20, 820, allow_subnormal=False))
_sizes = st.one_of(st.just(0.0), st.floats(0, 500, allow_subnormal=False))
_words = st.builds(lambda x, y, w, h: (x, y, x + w, y + h), _at, _at, _sizes, _sizes)
_areas = _words.map(lambda box: tuple(min(max(side, 0.0), HEIGHT) for side in box))


def overlaps(areas: list[Rect], words: list[Rect], many: int) -> list[tuple[int, dict[int, float]]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visibility, "_MANY", many)
        covers = [Cover(i, 2, i, area) for i, area in enumerate(areas)]
        return [(cover.item, dict(shares)) for cover, shares in visibility._overlaps(covers, words, HEIGHT)]


@given(st.lists(_areas, max_size=8), st.lists(_words, min_size=1, max_size=12))
@example([(10.0, 10.0, 90.0, 40.0)], [(50.0, 20.0, 50.0, 30.0)])
@example([(0.0, 25.0, 600.0, 25.0)], [(50.0, 20.0, 90.0, 30.0)])
def test_many_areas_hide_what_few_hide(areas: list[Rect], words: list[Rect]) -> None:
    """Lost otherwise: a word that is seen, or kept from a model that is not to see it, by how much else is painted."""
    assert overlaps(areas, words, many=-1) == overlaps(areas, words, many=10**9)


def test_a_page_of_many_areas_and_words() -> None:
    """Lost otherwise: the same on a page for which arrays are made."""
    draw = random.Random(7)
    at = [(draw.uniform(0, 600), draw.uniform(0, 780)) for _ in range(3000)]
    words = [(x, y, x + draw.uniform(0, 60), y + 10.0) for x, y in at[:1500]]
    areas = [(x, y, x + draw.uniform(0, 90), min(y + draw.uniform(0, 40), HEIGHT)) for x, y in at[1500:]]
    assert overlaps(areas, words, many=1000) == overlaps(areas, words, many=10**9)


def test_a_plot_is_not_compared_with_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: a tenth of a second for the library of arrays, on a page with a plot of thousands of points."""

    def refused(covers: Sequence[Cover], boxes: Sequence[Rect]) -> Iterator[tuple[Cover, Mapping[int, float]]]:
        raise AssertionError(f"{len(covers)} areas compared with {len(boxes)} words")

    monkeypatch.setattr(visibility, "_overlaps_of_many", refused)
    draw = random.Random(3)
    at = [(draw.uniform(0, 600), draw.uniform(0, 780)) for _ in range(4800)]
    words = [(x, y, x + draw.uniform(0, 40), y + 10.0) for x, y in at[:800]]
    points = [(x, y, x + 4.0, y + 4.0) for x, y in at[800:]]
    assert len(overlaps(points, words, many=visibility._MANY)) > 100
