"""Pictures by their vectors."""

import numpy as np
import pytest

from conspectus.search.picture_index import Measure, PictureIndex

DRAWN = np.random.default_rng(7).normal(1, 1, (200, 24)).astype(np.float16)
KEYS = np.arange(200) * 3 + 5


def by_hand(measure: Measure, vector: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    theirs, one = DRAWN.astype(float), vector.astype(float)
    if measure == "euclidean":
        return np.linalg.norm(theirs - one, axis=1)
    dots = theirs @ one
    return dots / (np.linalg.norm(theirs, axis=1) * np.linalg.norm(one)) if measure == "cosine" else dots


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "dot"])
@pytest.mark.parametrize("k", [1, 7, 190, 500])
def test_the_nearest_are_those_of_all_comparisons(measure: Measure, k: int) -> None:
    """Users find the pictures that are nearest, not about the nearest, by each measure."""
    asked = DRAWN[11].astype(np.float32) + np.float32(0.1)
    truth = by_hand(measure, asked)
    order = np.argsort(truth if measure == "euclidean" else -truth, kind="stable")[:k]
    found = PictureIndex(KEYS, DRAWN).nearest(asked, k, measure)
    assert [key for key, _ in found] == KEYS[order].tolist()
    np.testing.assert_allclose([score for _, score in found], truth[order], rtol=1e-6)


def test_the_same_picture_is_at_no_distance() -> None:
    """A picture that is there is found as itself: its distance is 0 and its cosine 1."""
    index = PictureIndex(KEYS, DRAWN)
    assert index.nearest(DRAWN[3].astype(np.float32), 1, "euclidean") == [(int(KEYS[3]), 0.0)]
    assert index.nearest(DRAWN[3].astype(np.float32), 1, "cosine")[0][1] == pytest.approx(1, abs=1e-9)


def test_a_mask_leaves_out_and_equals_come_in_order_of_their_keys() -> None:
    """What a filter leaves out is not found, and the same search has the same answer."""
    index = PictureIndex([9, 4, 6], np.ones((3, 2), np.float16))
    assert [key for key, _ in index.nearest(np.ones(2, np.float32), 3)] == [4, 6, 9]
    mask = np.array([True, False, True])
    assert [key for key, _ in index.nearest(np.ones(2, np.float32), 3, mask=mask)] == [6, 9]
    assert index.nearest(np.ones(2, np.float32), 3, mask=np.zeros(3, bool)) == []


def test_nothing_and_zeros_are_no_failure() -> None:
    """An empty collection finds nothing; a black picture's vector of zeros has no direction, and no NaN."""
    assert PictureIndex([], np.empty((0, 4), np.float16)).nearest(np.ones(4, np.float32), 3) == []
    assert PictureIndex([1], np.zeros((1, 4), np.float16)).nearest(np.ones(4, np.float32), 3) == [(1, 0.0)]
