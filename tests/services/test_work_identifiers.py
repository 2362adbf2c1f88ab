"""Identifiers and links as people paste them."""

from __future__ import annotations

import pytest

from conspectus.services.identifiers import read_identifier

MEANT = {
    "doi:10.1038/S41586-020-2649-2": "doi:10.1038/s41586-020-2649-2",
    "10.1038/s41586-020-2649-2": "doi:10.1038/s41586-020-2649-2",
    "https://doi.org/10.1000/xyz": "doi:10.1000/xyz",
    "https://link.springer.com/article/10.1007/s00125-020-0001-2": "doi:10.1007/s00125-020-0001-2",
    "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full": "doi:10.1101/2020.01.01.123456",
    "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0012345": "doi:10.1371/journal.pone.0012345",
    "https://www.nature.com/articles/s41586-020-2649-2": "doi:10.1038/s41586-020-2649-2",
    "arxiv:2101.00001v2": "arxiv:2101.00001",
    "2101.00001": "arxiv:2101.00001",
    "hep-th/9901001": "arxiv:hep-th/9901001",
    "https://arxiv.org/pdf/2101.00001v3": "arxiv:2101.00001",
    "10.48550/arXiv.2101.00001": "arxiv:2101.00001",
    "pmid:123": "pmid:123",
    "https://pubmed.ncbi.nlm.nih.gov/12345/": "pmid:12345",
    "https://europepmc.org/article/MED/123": "pmid:123",
    "PMC123": "pmcid:PMC123",
    "pmcid:123": "pmcid:PMC123",
    "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123456/": "pmcid:PMC123456",
    "2019ApJ...882L..12A": "bibcode:2019ApJ...882L..12A",
    "https://ui.adsabs.harvard.edu/abs/2019A%26A...622A...1S/abstract": "bibcode:2019A&A...622A...1S",
    "W2741809807": "openalex:W2741809807",
    "https://openalex.org/W2741809807": "openalex:W2741809807",
    "https://www.semanticscholar.org/paper/A-title/649def34f8be52c8b66281af98ae884c09aef38b": (
        "s2:649def34f8be52c8b66281af98ae884c09aef38b"
    ),
}
NONE = (
    "123",
    "papers/",
    "refs.bib",
    "paper.pdf",
    "file:///etc/passwd",
    "https://example.org/",
    "http://[",
    "",
    "doi:x",
)


@pytest.mark.parametrize("text", MEANT)
def test_what_people_paste_is_understood(text: str) -> None:
    assert str(read_identifier(text)) == MEANT[text]


@pytest.mark.parametrize("text", NONE)
def test_other_texts_name_nothing(text: str) -> None:
    assert read_identifier(text) is None
