"""A paper with what belongs to it, as `show` gives it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conspectus.records.curation import PaperNote
from conspectus.records.paper import Paper, PaperDocument
from conspectus.records.parsed_paper import ParsedPaper
from conspectus.records.passage import Passage, Summary
from conspectus.records.results import CitedWork

PaperPart = Literal["passages", "summaries", "references", "figures"]


@dataclass(frozen=True, slots=True)
class PaperView:
    """A paper, what was read of it, and what was written about it.

    Attributes:
        paper: the paper.
        parsed: its structure, with its figures.
        documents: what it is made of.
        passages, summaries: all of them, shown or not.
        versions: papers of the library that are other versions of the same work.
        notes: the user's.
        references: its reference list; empty if it is not to be shown.
        parts: what is to be shown in full.
    """

    paper: Paper
    parsed: ParsedPaper
    documents: tuple[PaperDocument, ...]
    passages: tuple[Passage, ...]
    summaries: tuple[Summary, ...]
    versions: tuple[Paper, ...]
    notes: tuple[PaperNote, ...]
    references: tuple[CitedWork, ...]
    parts: tuple[PaperPart, ...]
