"""Numbers that a statement reckons, rounds or says in words, and errors of the same form."""

import csv
from pathlib import Path

import pytest

from conspectus.verify.mechanical import hints

_ROWS = list(
    csv.DictReader(
        (Path(__file__).parent / "reckoned_statements.tsv").read_text("utf-8").splitlines(),
        delimiter="\t",
        quoting=csv.QUOTE_NONE,
    )
)


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row['kind']}: {row['statement']}")
def test_reckoned_numbers_are_no_hint_and_errors_are(row: dict[str, str]) -> None:
    """A true share, product, sum, decade or distance would be struck out, or a wrong one would pass."""
    found = hints(row["statement"], [row["sentence"]])
    label = "agree" if not found else "certain" if any(hint.certain for hint in found) else "hint"
    assert label == row["label"], found


@pytest.mark.parametrize(
    ("statement", "title", "doubted"),
    [
        ("Messier 1071 was seen in 1996.", "Gas in Messier 1071", False),
        ("Die Galaxie Markarian 1014 leuchtete 1996.", "Dust around Markarian 1014", False),
        ("It was seen in 1071.", "Gas in Messier 1071", True),
        ("Messier 1071 was seen in 1996.", "Gas in clusters", True),
    ],
)
def test_number_of_a_name_in_the_title_is_no_hint(statement: str, title: str, doubted: bool) -> None:
    """A statement that names the object of the paper would be doubted, because the sentence says 'it'."""
    assert bool(hints(statement, ["It was seen by ROSAT in 1996 and by Chandra in 2004."], [title])) == doubted


def test_a_zero_among_two_measures_is_no_error() -> None:
    """A paid answer was lost to a division by zero, because the cited sentence spoke of 0 mV."""
    cited = ["The plateau stays at 0 pA until 40 pA are injected, near 0 mV and then at -40 mV."]
    assert hints("In 95% of the cells 40 mg were given.", cited)
    assert not hints("At 0 pA nothing happened.", cited)
