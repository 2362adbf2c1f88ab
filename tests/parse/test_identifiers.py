"""Identifiers decide which records are the same paper: a wrong one merges two, a missed one doubles one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.text.identifiers import (
    find_arxiv_id,
    find_doi,
    identify,
    normal_arxiv_id,
    normal_bibcode,
    normal_doi,
    normal_pmid,
)


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/XYZ.1", "10.1000/xyz.1"),
        (" https://doi.org/10.1000/xyz.1 ", "10.1000/xyz.1"),
        ("http://dx.doi.org/10.1000/xyz.1.", "10.1000/xyz.1"),
        ("doi: 10.1000/xyz.1", "10.1000/xyz.1"),
        ("DOI:10.1000.10/a(b)c", "10.1000.10/a(b)c"),
        ("10.1000/(sici)1(1997)5:4<2::aid>3.0.co;2-9", "10.1000/(sici)1(1997)5:4<2::aid>3.0.co;2-9"),
        ("10.1000/first 10.1000/second", "10.1000/first"),
        ("10.1000", ""),
        ("not a doi", ""),
        ("", ""),
    ],
)
def test_dois_take_one_form(text: str, doi: str) -> None:
    """Lost otherwise: that two sources speak of one paper."""
    assert normal_doi(text) == doi


@pytest.mark.parametrize(
    ("text", "arxiv_id"),
    [
        ("arXiv:2101.00001v3", "2101.00001"),
        ("2101.00001", "2101.00001"),
        ("0704.0001", "0704.0001"),
        ("arXiv:cond-mat/9306039", "cond-mat/9306039"),
        ("q-bio/0309024", "q-bio/0309024"),
        ("arXiv:q-alg/9501001v2", "q-alg/9501001"),
        ("math.GT/0309136v1", "math/0309136"),
        ("https://arxiv.org/abs/2101.00001v2", "2101.00001"),
        ("http://arxiv.org/pdf/hep-th/9901001.pdf", "hep-th/9901001"),
        ("10.48550/arXiv.2101.00001", "2101.00001"),
        ("12345", ""),
        ("10.1000/2101.00001", ""),
    ],
)
def test_arxiv_identifiers_take_one_form(text: str, arxiv_id: str) -> None:
    """Lost otherwise: that version 1 and version 3 are one paper."""
    assert normal_arxiv_id(text) == arxiv_id


def test_pmids_and_bibcodes() -> None:
    """Lost otherwise: links to PubMed and ADS."""
    assert normal_pmid("PMID: 00123") == normal_pmid("https://pubmed.ncbi.nlm.nih.gov/123/") == "123"
    assert normal_pmid("PMC123") == normal_pmid("0") == normal_pmid("") == ""
    assert normal_bibcode("2015ApJ...800...12S") == "2015ApJ...800...12S"
    assert normal_bibcode("2015ApJ") == ""


def test_identifiers_are_found_in_running_text() -> None:
    """Lost otherwise: the identity of a paper that only prints it at the foot of a page."""
    assert find_doi("See (https://doi.org/10.1000/a(1)b). Next") == "10.1000/a(1)b"
    assert find_doi("[doi:10.1000/Ab]; more") == "10.1000/ab"
    assert find_doi("no such thing as 10.1") == ""
    assert find_arxiv_id("stamped arXiv:2101.00001v2 [q-bio.NC] 1 Jan 2021") == "2101.00001"
    assert find_arxiv_id("the number 2101.00001 is no identifier") == ""


def test_an_id_that_looks_like_an_identifier_is_one() -> None:
    """Lost otherwise: the arXiv identifier of data sets that give it as the record's id."""
    assert identify("arXiv:cond-mat/9306039") == ("arxiv_id", "cond-mat/9306039")
    assert identify("https://doi.org/10.1000/X") == ("doi", "10.1000/x")
    assert identify("PMID:12") == ("pmid", "12")
    assert identify("12") == identify("2101.00001x") == identify("") == ("", "")


@given(st.text(max_size=60) | st.from_regex(r"(doi:)?10\.\d{4}/[a-zA-Z().;<>]{1,20}", fullmatch=True))
def test_normalising_again_changes_nothing(text: str) -> None:
    """Lost otherwise: papers that become doubles on the second `add`."""
    for normalise in (normal_doi, normal_arxiv_id, normal_pmid, normal_bibcode):
        assert normalise(normalise(text)) == normalise(text)
    find_doi(text)
    find_arxiv_id(text)
