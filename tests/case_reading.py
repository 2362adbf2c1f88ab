"""Read a file as `add` does, in this process, and look at the parts that case tests compare."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from conspectus import Library
from conspectus.core.errors import ConspectusError
from conspectus.parse.complete import complete
from conspectus.parse.protocol import BadRecord
from conspectus.parse.registry import reader_for
from conspectus.parse.sanitizer import sanitize
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


def searched(paper: ParsedPaper) -> str:
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
