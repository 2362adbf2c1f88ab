"""How far reviewers agree."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sklearn.metrics import cohen_kappa_score

from conspectus.records.review_screen import ReviewerAgreement
from conspectus.review.screen.agreement import measure_agreement


def labels(**rows: str) -> dict[str, dict[str, str]]:
    """Reviewer -> paper -> label, of one letter a paper; `.`: none."""
    return {who: {f"p{number}": label for number, label in enumerate(row) if label != "."} for who, row in rows.items()}


def values(found: ReviewerAgreement) -> Mapping[str, float | None]:
    return {figure.name: figure.value for figure in found.figures}


def test_two_reviewers_as_scikit_learn_has_it() -> None:
    """A wrong κ would be printed in a paper."""
    one, other = "iiiieeeeeeeeeiei", "iiieeeeeeeeiieie"
    found = measure_agreement(labels(ann=one, bob=other))
    assert values(found)["kappa"] == pytest.approx(cohen_kappa_score(list(one), list(other)))
    assert (found.papers, found.same, found.split) == (16, 10, 6)
    for figure in found.figures:
        assert figure.low is not None and figure.value is not None and figure.high is not None
        assert -1 <= figure.low < figure.value < figure.high <= 1


def test_krippendorff_with_missing_labels() -> None:
    """The worked example of Krippendorff (2011), with three observers and gaps: nominal α is 0.691."""
    found = measure_agreement(labels(a=".....34121133.3", b="1.213343.......", c="..21344.21133.4"))
    assert values(found)["alpha"] == pytest.approx(0.691, abs=0.0005)


def test_gwet_at_low_prevalence() -> None:
    """κ is near 0 where nearly all is excluded, though reviewers agree; AC1 says that they do.

    118 of 125 excluded by both, 5 and 2 by one alone: κ = -0.0234, AC1 = 0.9408 (Gwet 2008, table 1).
    """
    found = values(measure_agreement(labels(ann="e" * 118 + "i" * 5 + "e" * 2, bob="e" * 118 + "e" * 5 + "i" * 2)))
    assert found["kappa"] == pytest.approx(-0.0234, abs=0.0005)
    assert found["ac1"] == pytest.approx(0.9408, abs=0.0005)


@pytest.mark.parametrize(
    "given", [{}, labels(ann="iie"), labels(ann="iie...", bob="...eei"), labels(ann="iii", bob="iii")]
)
def test_undefined_is_none(given: dict[str, dict[str, str]]) -> None:
    """A coefficient that is not defined must not be shown as 0 or 1, or end in an error."""
    found = measure_agreement(given)
    assert values(found)["kappa"] is None
    assert values(found)["alpha"] is None


def test_papers_of_one_reviewer_do_not_count() -> None:
    """Labels that are missing must not count as disagreement."""
    whole = measure_agreement(labels(ann="iieeee", bob="iieeei"))
    more = measure_agreement(labels(ann="iieeeeieiei", bob="iieeei....."))
    assert values(whole)["kappa"] == pytest.approx(values(more)["kappa"])
    assert values(whole)["alpha"] == pytest.approx(values(more)["alpha"])
