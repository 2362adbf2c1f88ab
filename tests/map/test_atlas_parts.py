"""Parts of the atlas, by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.map.fit import changes, match_regions
from conspectus.map.projection import align_positions, moved, place_near
from conspectus.map.regions import count_for, find_peaks, levels
from conspectus.map.survey import growth


def test_a_new_text_goes_beside_the_one_in_the_middle_of_those_it_is_like() -> None:
    spots = np.array([[0, 0], [1, 0], [2, 0], [50, 50]], np.float32)
    where, beside = place_near(np.array([[3, 0, 1, 2]]), spots)
    assert beside.tolist() == [1] and where[0].tolist() == pytest.approx([0.9, 0.0])
    where, beside = place_near(np.array([[2]]), spots)
    assert beside.tolist() == [2] and where.tolist() == [[2, 0]]


@given(st.floats(0, 6.2), st.booleans(), st.floats(0.1, 10))
def test_a_map_that_was_only_turned_lies_as_it_lay(angle: float, mirrored: bool, scale: float) -> None:
    spots = np.random.default_rng(1).normal(size=(20, 2)).astype(np.float32)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = (spots * ([1, -1] if mirrored else [1, 1])) @ turn * scale + 3
    assert moved(spots, align_positions(turned.astype(np.float32), spots)) < 1e-3


def test_which_region_is_which() -> None:
    before = np.array([0] * 10 + [1] * 10 + [2] * 10 + [-1] * 5)
    after = np.array([5] * 9 + [6] + [6] * 5 + [4] * 5 + [3] * 10 + [3] * 5)
    same = match_regions(before, after)
    assert same == {5: 0, 3: 2, 6: 1} or same == {5: 0, 3: 2, 4: 1}
    old, new = {0: "a", 1: "b", 2: "c"}, {3: "C", 4: "B1", 5: "A", 6: "B2"}
    told = changes(before, after, (old, new), same, 1)
    assert [(one.kind, one.before, one.after) for one in told] == [("split", ("b",), ("B1", "B2"))]


def test_regions_that_were_put_together() -> None:
    before, after = np.array([0] * 10 + [1] * 10), np.zeros(20, np.int64)
    told = changes(before, after, ({0: "a", 1: "b"}, {0: "ab"}), match_regions(before, after), 0)
    assert [(one.kind, one.before, one.after) for one in told] == [("merged", ("a", "b"), ("ab",))]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(0, 2**31))
def test_a_region_is_at_most_one_that_there_was(before: list[int], seed: int) -> None:
    after = np.random.default_rng(seed).integers(0, 4, len(before))
    same = match_regions(np.array(before), after)
    assert len(set(same.values())) == len(same) and set(same) <= set(after.tolist())


def test_regions_begin_where_their_texts_are() -> None:
    chance = np.random.default_rng(5)
    middles = chance.normal(size=(6, 8))
    vectors = (middles[np.arange(300) % 6] + 0.2 * chance.normal(size=(300, 8))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    spots = vectors[:, :2]
    first = levels(vectors, spots)
    assert count_for(300) == len(np.unique(first[:, 1])) == 5
    again = levels(vectors, spots, before=first)
    for level in range(3):
        pairs = {(one, other) for one, other in zip(first[:, level].tolist(), again[:, level].tolist(), strict=True)}
        assert len(pairs) == len(np.unique(first[:, level]))


@pytest.mark.parametrize(("before", "after", "counts"), [(2250, 2500, [9, 9]), (1000, 2500, [7, 10])])
def test_a_few_more_texts_split_no_region(before: int, after: int, counts: list[int]) -> None:
    """Else a library that grows by a tenth has other regions on its map."""
    spots = np.random.default_rng(4).normal(size=(after, 2)).astype(np.float32)
    vectors = spots / np.linalg.norm(spots, axis=1, keepdims=True)
    old = np.full((after, 3), -1)
    old[:before] = levels(vectors[:before], spots[:before])
    found = levels(vectors, spots, before=old)
    assert [len(np.unique(one)) for one in (old[:before, 1], found[:, 1])] == counts


def test_each_heap_has_a_peak() -> None:
    chance = np.random.default_rng(2)
    heaps = [chance.normal((x, y), 0.3, (200, 2)) for x, y in ((0, 0), (10, 0), (0, 10))]
    found = find_peaks(np.concatenate(heaps).astype(np.float32))
    assert len(set(found.tolist())) == 3
    assert [len(set(found[start : start + 200].tolist())) for start in (0, 200, 400)] == [1, 1, 1]


def test_growth_is_told_against_all() -> None:
    years = np.repeat(np.arange(2010, 2021), 10)
    assert growth(years, years) == 1
    faster = np.concatenate([years, np.repeat([2017, 2018, 2019], 10)])
    assert growth(faster, years) == 2
    assert growth(np.array([2019] * 9), years) is None and growth(years, np.array([], np.int64)) is None
