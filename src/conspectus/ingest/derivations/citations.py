"""Which works a paper cites, and by which names others cite it: what similarity by citations is computed from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from conspectus.ingest.derivations.protocol import Made, OfPaper, Subject
from conspectus.parse.text.identifiers import identify, normal_bibcode
from conspectus.parse.text.titles import LEAST_WORDS, title_words
from conspectus.records import Metadata, Reference
from conspectus.records.passage import digest_of
from conspectus.store import schema
from conspectus.store.derivations import DerivedRows

_SCHEMES = ("doi", "arxiv_id", "pmid", "bibcode")
_TITLE_WORDS = LEAST_WORDS + 1
_YEAR = r"(?P<year>1[6-9]\d\d|20\d\d)"
_PRINTED_YEARS = (re.compile(rf"\({_YEAR}[a-z]?\)"), re.compile(rf"(?<![\w./-]){_YEAR}[a-z]?(?![\w/-]|\.\w)"))
_OLD_ARXIV = re.compile(r".*/(\d\d)\d{5}")


class CitationRows(OfPaper):
    """See `Derivation`: rows of `citations`."""

    name = "citations"
    parts = (DerivedRows(schema.citations),)

    def digest(self, paper: Subject) -> bytes:
        """See `OfPaper.digest`."""
        metadata = paper.metadata
        own = [getattr(metadata, scheme) for scheme in _SCHEMES]
        parsed = [(one.doi, one.arxiv_id, one.pmid, one.title, one.year) for one in paper.parsed.references]
        return digest_of(metadata.title, own, metadata.references, parsed, metadata.extra.get("openalex", ""))

    def make(self, batch: Sequence[Subject]) -> Sequence[Made]:
        """See `OfPaper.make`."""
        return [(_rows(paper),) for paper in batch]


def _rows(paper: Subject) -> list[dict[str, object]]:
    own = {number_of(name) for name in own_names(paper.metadata)}
    cited = {number_of(name): year for name, year in _cited_works(paper) if name}
    every = sorted(own | cited.keys())
    return [{"work": work, "own": work in own, "year": None if work in own else cited[work]} for work in every]


def own_names(paper: Metadata) -> Iterator[str]:
    """By what others may cite a paper: its identifiers, and its title if it has enough words."""
    yield from (f"{scheme} {value.lower()}" for scheme in _SCHEMES if (value := getattr(paper, scheme)))
    if isinstance(openalex := paper.extra.get("openalex"), str) and openalex:
        yield f"openalex {openalex.lower()}"
    yield from _title_name(paper.title)


def _cited_works(paper: Subject) -> Iterator[tuple[str, int | None]]:
    """One name of each work that a paper cites (an identifier, else its title; "": neither), and its year, if known."""
    for reference in paper.parsed.references:
        printed = f"arXiv:{reference.arxiv_id}" if reference.arxiv_id else reference.text
        yield reference_name(reference), reference.year or find_year(printed)
    if not paper.parsed.references:
        for text in paper.metadata.references:
            yield name_of_text(text), find_year(text)


def find_year(text: str) -> int | None:
    """The year of a work by its arXiv identifier, its bibcode, or its entry as it is printed; None: not known."""
    scheme, value = identify(text)
    if scheme == "arxiv_id":
        old = _OLD_ARXIV.fullmatch(value)
        two = int(old[1] if old else value[:2])
        return 1900 + two if old and two > 90 else 2000 + two
    if bibcode := normal_bibcode(text):
        return int(bibcode[:4])
    for pattern in _PRINTED_YEARS:
        if years := [int(match["year"]) for match in pattern.finditer(text)]:
            return years[-1]
    return None


def reference_name(reference: Reference) -> str:
    """By what a paper cites the work of an entry of its list: an identifier, else the title; "" if there is neither."""
    for scheme in ("doi", "arxiv_id", "pmid"):
        if value := getattr(reference, scheme):
            return f"{scheme} {value.lower()}"
    return next(_title_name(reference.title), "") or name_of_text(reference.text)


def name_of_text(text: str) -> str:
    """As `reference_name`, of an identifier or an entry as it is printed."""
    scheme, value = identify(text)
    if value:
        return f"{scheme} {value.lower()}"
    if bibcode := normal_bibcode(text):
        return f"bibcode {bibcode.lower()}"
    word = text.strip()
    if word[:1] == "W" and word[1:].isdigit():
        return f"openalex {word.lower()}"
    return next(_title_name(text), "") if len(text) < 300 else ""


def _title_name(title: str) -> Iterator[str]:
    words = title_words(title)
    if len(words) >= _TITLE_WORDS:
        yield f"title {' '.join(words)}"


def number_of(name: str) -> int:
    """A work's name as a number of 63 bits."""
    return int.from_bytes(blake2b(name.encode(errors="replace"), digest_size=8).digest(), "big") >> 1
