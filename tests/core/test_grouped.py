"""What belongs together, by what it shares."""

from conspectus.core.groups import grouped


def test_values_and_keys_keep_their_order() -> None:
    """Files, passages and sentences of a paper would come in another order than they were added or are read in."""
    found = grouped([("b", 2), ("a", 1), ("b", 0), ("b", 2)])
    assert list(found.items()) == [("b", [2, 0, 2]), ("a", [1])] and grouped([]) == {}
