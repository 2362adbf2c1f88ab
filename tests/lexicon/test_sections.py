"""Headings of back matter, whose passages are no evidence."""

import pytest

from conspectus.lexicon.sections import is_back_matter


@pytest.mark.parametrize(
    "section",
    [
        "Author contributions",
        "Authors' contributions",
        "CRediT authorship contribution statement",
        "5. Acknowledgements",
        "Funding and acknowledgments",
        "Discussion > Declaration of competing interest",
        "Supporting Information",
        "Supplementary Materials",
        "Danksagung",
        "Interessenkonflikte",
        "Remerciements",
        "Conflicto de intereses",
        "Благодарности",
        "致谢",
        "利益冲突",
        "Contributions",
        "7. Support",
        "Abbreviations",
        "Declarations > Contributions",
        "Discussion > Funding",
        "Data availability",
        "Data and code availability",
        "Code availability",
        "Declarations",
        "Ethics statement",
    ],
)
def test_back_matter_is_told_by_its_heading(section: str) -> None:
    """Lost otherwise: room and trust, to quotations of who did what and of lists of files."""
    assert is_back_matter(section)


@pytest.mark.parametrize(
    "section",
    [
        "",
        "Results",
        "Thanks > Results",
        "Funding of cat shelters",
        "Contributions of tides",
        "Support vector machines",
        "Wechselwirkungen",
        "Conflicts, interests, peace and war",
        "Introduction > Contributions",
        "1.3 Contributions",
        "Results > 3.2. Support",
        "Methods > Abbreviations",
        "Social context > Grants",
        "Policy > Disclosures",
    ],
)
def test_other_sections_are_evidence(section: str) -> None:
    """Lost otherwise: findings under a heading that only looks like that."""
    assert not is_back_matter(section)
