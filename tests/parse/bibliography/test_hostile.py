"""Whatever a file has in it, a reader gives papers, bad records, or one of our errors; and real samples are read."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.core.errors import InputError
from conspectus.parse.protocol import BadRecord
from conspectus.parse.registry import BIBLIOGRAPHIES, FileReader, reader_for, supported
from conspectus.records import ParsedPaper

SEEDS = {
    "bibtex": b'@article{a, title = {T {\\"o}}, author = "A and B", year = 1990 # "x", file = {:a:b}}\n@string{a=b}(',
    "ris": b"TY  - JOUR\nTI  - T\nAU  - A, B\nPY  - 1990/1/2\nSP  - 1\nEP  - 2\nER  - \n",
    "tagged": b"%0 Journal Article\n%A A, B\n%T T\n%D 1990\n\n%0 Book\n%T U\n",
    "medline": b"PMID- 1\nTI  - T\nFAU - A, B\nAUID- ORCID: x\nDP  - 1990 Jan\nAID - 10.1/x [doi]\n",
    "json": b'{"results": [{"id": "W1", "title": ["T"], "DOI": "x", "author": [{"family": "A"}], "year": 1e9,'
    b' "issued": {"date-parts": [[1, null]]}, "authorships": [1], "bibcode": "b", "paperId": 1,'
    b' "custom": {"conspectus": []}}]}',
    "pubmed": b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle>"
    b"<AuthorList><Author><LastName>A</LastName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>",
    "atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x</id><title>T</title><category term="x"/></entry>',
    "endnote": b"<xml><records><record><titles><title>T</title></titles><dates><year>1</year></dates></record>",
}


def read_all(reader: FileReader, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x{reader.suffixes[0]}")
        path.write_bytes(data)
        try:
            found = list(reader.read(path))
        except InputError as error:
            assert "x." in error.message
            return
    assert found
    assert all(isinstance(item, ParsedPaper | BadRecord) for item in found)


@pytest.mark.parametrize("reader", BIBLIOGRAPHIES, ids=lambda reader: reader.name)
@given(data=st.binary(max_size=300))
def test_any_bytes(reader: FileReader, data: bytes) -> None:
    """Lost otherwise: a run, for one file that nobody can read."""
    read_all(reader, data)


@pytest.mark.parametrize("reader", BIBLIOGRAPHIES, ids=lambda reader: reader.name)
@given(cuts=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 40), st.binary(max_size=8)), max_size=6))
def test_damaged_files(reader: FileReader, cuts: list[tuple[int, int, bytes]]) -> None:
    """Lost otherwise: the same, for a file that was good once."""
    data = SEEDS[reader.name] * 2 if reader.name not in ("json", "atom", "pubmed", "endnote") else SEEDS[reader.name]
    for start, length, new in cuts:
        data = data[:start] + new + data[start + length :]
    read_all(reader, data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(
    "title author authors issued DOI abstract id authorships abstract_inverted_index bibcode paperId externalIds "
    "primary_location biblio ids keywords references reference note page editor container-title doi year date "
    "publicationTypes aff orcid_pub pubdate identifier files citation_count keyword data results custom "
    "response message journal attributes titles creators relatedIdentifiers oa_locations doi_url z_authors locations "
    "updated-by relation license link content-domain openAccessPdf best_oa_location is_oa".split()
)


@given(
    document=st.lists(st.dictionaries(NAMES, JSON, max_size=8), min_size=1, max_size=3) | st.dictionaries(NAMES, JSON)
)
def test_any_json(document: object) -> None:
    """Lost otherwise: the same, when a service changes what it writes."""
    read_all(next(reader for reader in BIBLIOGRAPHIES if reader.name == "json"), json.dumps(document).encode())


@pytest.mark.data
def test_real_answers_of_services(data: Path, tmp_path: Path) -> None:
    """Lost otherwise: what services really write, with all the fields that they leave out."""
    tally: Counter[tuple[str, str]] = Counter()
    for service in ("crossref", "semantic_scholar", "openalex", "nasa_ads", "arxiv"):
        ending = ".atom" if service == "arxiv" else ".json"
        with gzip.open(data / "api_samples" / f"{service}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                body = json.loads(line)["body"]
                text = body if isinstance(body, str) else json.dumps(body)
                path = tmp_path / f"x{'.bib' if text.lstrip().startswith('@') else ending}"
                path.write_text(text, "utf-8")
                if not supported(path):
                    continue
                try:
                    for item in reader_for(path).read(path):
                        tally[service, type(item).__name__] += 1
                        if isinstance(item, ParsedPaper):
                            tally[service, "with authors"] += bool(item.metadata.authors)
                except InputError as error:
                    assert "no records" in error.message
    assert tally["crossref", "ParsedPaper"] >= 270
    assert tally["crossref", "with authors"] >= 240
    assert tally["semantic_scholar", "ParsedPaper"] >= 5600
    assert tally["openalex", "ParsedPaper"] == 4
    assert tally["nasa_ads", "ParsedPaper"] >= 69
    assert tally["nasa_ads", "with authors"] >= 67
    assert (tally["arxiv", "ParsedPaper"], tally["arxiv", "with authors"], tally["arxiv", "BadRecord"]) == (71, 71, 1)


@pytest.mark.data
def test_real_pubmed_files(data: Path) -> None:
    """Lost otherwise: the same of PubMed, and that the two ways it writes one record say the same."""
    folder = data / "api_samples" / "pubmed_eutils"
    first, second = (
        next(iter(reader_for(folder / name).read(folder / name))) for name in ("20000000.xml", "20000000.medline")
    )
    assert isinstance(first, ParsedPaper)
    assert isinstance(second, ParsedPaper)
    assert first.metadata == second.metadata
    read = [path for path in sorted(folder.iterdir()) if supported(path)]
    assert len(read) >= 7
