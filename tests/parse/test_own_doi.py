"""The paper's own DOI among those that are printed in it."""

from __future__ import annotations

import pytest

from conspectus.parse.text.identifiers import own_doi

OWN = "10.1000/j.halo.2020.07"


@pytest.mark.parametrize(
    "texts",
    [
        ["Data availability: https://doi.org/10.5061/dryad.abc12", f"© 2020 The Authors. https://doi.org/{OWN}"],
        [f"Software: doi:10.5281/zenodo.123456; doi:{OWN}"],
        ["Code archive 10.5281/zenodo.123456", "Code archive 10.5281/zenodo.123456", f"DOI: {OWN}"],
        [f"https://doi.org/{OWN}", "The data lie at figshare: 10.6084/m9.figshare.77"],
        ["Comment on: Dark halos, doi:10.1000/other.1", f"Journal of Halos 3 (2020) doi:{OWN}"],
        ["doi:10.1000/j.halo. 2020.07"],
        ["https://doi.org/10.1000/j.\nhalo.2020.07"],
        [f"(doi: {OWN})."],
        [f"[{OWN}]"],
        ["Code is available at https://example.org/somebody/a-long-name-of-it – DOI 10.1000/code.1.", OWN],
        [f"10.1000/j.halo, doi:{OWN}"],
        ["https://doi.org/10.1000/ j.halo.2020.07"],
        [f"Journal of Halos 3 (2020). ⟨{OWN}⟩. ⟨arch-01234567⟩"],
        [f"{OWN}. hal-01234567"],
        [f"{OWN}.hal-01234567"],
        [f"DOI: {OWN}This article is free."],
        [f"doi:{OWN}Received: 2 May 2020"],
        [f"https://doi.org/{OWN}; accessed in May"],
        [f"https://doi.org/{OWN}?download=true"],
        [f"https://doi.org/{OWN}/full"],
        [f"https://doi.org/{OWN}.https://example.org/7"],
        [f"“{OWN}”，2020"],
    ],
)
def test_the_own_one(texts: list[str]) -> None:
    """The paper would go by the DOI of its data or of another paper, and be one with that."""
    assert own_doi(texts) == OWN


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("doi:10.1002/(SICI)1097-0258(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2",
         "10.1002/(sici)1097-0258(19980815)17:15<1661::aid-sim968>3.0.co;2-2"),
        ("doi:10.1016/S0140-\n6736(20)30183-5", "10.1016/s0140-6736(20)30183-5"),
        ("doi:10.1016/S0140-6736(20)30183-5)", "10.1016/s0140-6736(20)30183-5"),
        ("doi:10.1016/S0140-", ""),
        ("doi:10.1016/", ""),
        ("doi:10.1016/S0140-6736(20", ""),
        ("Data: doi:10.5061/dryad.abc12", ""),
        ("https://doi.org/10.5281/zenodo.123456", "10.5281/zenodo.123456"),
        ("10.5281/zenodo.123456", "10.5281/zenodo.123456"),
    ],
)  # fmt: skip
def test_whole_or_not_at_all(text: str, found: str) -> None:
    """A DOI that breaks off is another paper's, or nobody's."""
    assert own_doi([text]) == found


def test_what_the_file_says_of_itself() -> None:
    """It goes first, but not where it breaks off or is called the data's on the page."""
    assert own_doi([f"doi:{OWN}"], ["10.1000/another.1"]) == "10.1000/another.1"
    assert own_doi([f"doi:{OWN}"], ["10.1000/j.halo"]) == OWN
    assert own_doi([f"Data: 10.5061/dryad.7 and doi:{OWN}", f"doi:{OWN}"], ["10.5061/dryad.7"]) == OWN
