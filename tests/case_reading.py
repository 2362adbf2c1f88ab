"""Read a file as `add` does, in this process, and look at the parts that case tests compare."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from conspectus import Library
from conspectus.core.errors import ConspectusError
from conspectus.parse.process.sanitizer import sanitize
from conspectus.parse.protocol import BadRecord
from conspectus.parse.references.completion import complete
from conspectus.parse.registry import reader_for
from conspectus.records import ParsedPaper
from conspectus.records.vocabularies import AddedVocabulary

PROSE = ("abstract", "paragraph")


def read_records(path: Path) -> tuple[list[ParsedPaper], list[BadRecord]]:
    """The papers of a file and the records that could not be read."""
    papers: list[ParsedPaper] = []
    bad: list[BadRecord] = []
    for item in reader_for(path).read(path):
        if isinstance(item, BadRecord):
            bad.append(item)
        elif isinstance(item, ParsedPaper):
            papers.append(complete(sanitize(item)))
    return papers, bad


def read_papers(path: Path) -> list[ParsedPaper]:
    """The papers of a file; no record may be refused."""
    papers, bad = read_records(path)
    assert not bad, bad
    return papers


def read_paper(path: Path) -> ParsedPaper:
    """The one paper of a file."""
    papers = read_papers(path)
    assert len(papers) == 1, [paper.metadata.title for paper in papers]
    return papers[0]


def is_refused(path: Path) -> bool:
    """Whether reading ends in an error for the user, with a message, and gives no paper."""
    try:
        papers, bad = read_records(path)
    except ConspectusError as error:
        assert str(error).strip()
        return True
    return not papers and bool(bad)


def names(paper: ParsedPaper) -> list[str]:
    """The authors' names, in the Unicode form in which keyboards write them."""
    return [unicodedata.normalize("NFC", author.name) for author in paper.metadata.authors]


def texts(paper: ParsedPaper, *kinds: str) -> list[str]:
    """The texts of the blocks of these kinds."""
    return [block.text for block in paper.blocks if block.kind in kinds]


def prose(paper: ParsedPaper) -> list[str]:
    """The paragraphs, those of the abstract too."""
    return texts(paper, *PROSE)


def searchable_text(paper: ParsedPaper) -> str:
    """All text that is searched and can be quoted: abstract, headings, paragraphs, captions, notes. One line."""
    found = [block.text for block in paper.blocks if block.kind not in ("reference", "code")]
    return " ".join(" ".join([paper.metadata.abstract, *found]).split())


def in_order(text: str, parts: Iterable[str]) -> bool:
    """Whether each of `parts` is in `text`, and they come one after another."""
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return True


def add_vocabulary(library: Library, path: Path, name: str = "") -> AddedVocabulary:
    """Add one vocabulary and report what became of it."""
    (added,) = library.vocabularies.add(path, name=name or path.name).vocabularies
    return added


def concept_names(library: Library, vocabulary: str) -> dict[str, set[str]]:
    """Label -> all names, of the concepts of a vocabulary."""
    hits = library.vocabularies.search("", vocabulary=vocabulary).concepts
    return {
        concept.label: {name.text for name in concept.names}
        for hit in hits
        for concept in library.vocabularies.show(hit.id)
        if concept.vocabulary == vocabulary
    }


def read_fields(paper: ParsedPaper) -> dict[str, Any]:
    """What cases can say of a paper; "" is what it does not have."""
    found = paper.metadata
    return {
        "title": found.title.removesuffix("."),
        "names": [name.replace(",", "") for name in names(paper)],
        "surnames": [author.surname for author in found.authors],
        "year": found.year or "",
        "abstract": " ".join(found.abstract.split()),
        "keywords": list(found.keywords),
        "paragraphs": len(prose(paper)),
        "citation_count": "" if found.citation_count is None else found.citation_count,
        "references": [" ".join([one.text, *(author.name for author in one.authors)]) for one in paper.references]
        or len(found.references),
        **{name: getattr(found, name) for name in ("date", "venue", "doi", "pmid")},
    }


def assert_reads(papers: list[ParsedPaper], expected: list[dict[str, Any]]) -> None:
    """Compare papers with what a case expects: fields, texts that it `holds` in their order, and those it `lacks`."""
    assert len(papers) == len(expected), [paper.metadata.title for paper in papers]
    for paper, fields in zip(papers, expected, strict=True):
        holds, lacks = fields.get("holds", []), fields.get("lacks", [])
        wanted = {name: value for name, value in fields.items() if name not in ("holds", "lacks")}
        read = read_fields(paper)
        assert {name: read[name] for name in wanted} == wanted
        assert in_order(searchable_text(paper), holds), searchable_text(paper)
        assert not [text for text in lacks if text in searchable_text(paper)]
