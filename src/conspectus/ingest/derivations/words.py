"""The words by which it is told what a paper is about, and in which language."""

from __future__ import annotations

from collections.abc import Iterable

from conspectus.ingest.derivations.of_paper import Subject
from conspectus.parse.text.key_phrases import READ
from conspectus.records import Passage


def words_of(paper: Subject) -> str:
    """A paper's abstract, else how its text begins."""
    return paper.metadata.abstract or _beginning(paper.passages)


def _beginning(own: Iterable[Passage]) -> str:
    """The first sentences, each once, for passages share some."""
    found: dict[str, str] = {}
    length = 0
    for passage in own:
        for span in passage.spans:
            if span.id not in found:
                found[span.id] = span.text
                length += len(span.text)
        if length > READ:
            break
    return "\n\n".join(found.values())
