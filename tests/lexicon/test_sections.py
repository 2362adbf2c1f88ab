"""Headings of back matter, whose passages are no evidence."""

import pytest

from conspectus.lexicon.word_lists import is_back_matter
from helpers import read_cases

CASES = read_cases(__file__)


@pytest.mark.parametrize("section", CASES["back_matter_is_told_by_its_heading"])
def test_back_matter_is_told_by_its_heading(section: str) -> None:
    """Lost otherwise: room and trust, to quotations of who did what and of lists of files."""
    assert is_back_matter(section)


@pytest.mark.parametrize("section", CASES["other_sections_are_evidence"])
def test_other_sections_are_evidence(section: str) -> None:
    """Lost otherwise: findings under a heading that only looks like that."""
    assert not is_back_matter(section)
