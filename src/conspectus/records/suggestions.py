"""Terms that papers use often and a vocabulary lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conspectus.records.answer import Citation


@dataclass(frozen=True, slots=True)
class TermSuggestion:
    """A term that a vocabulary lacks, and where it would belong.

    Attributes:
        rank: from 1.
        label: as it is written most often.
        variants: other writings, and its short form.
        score: the log odds that a phrase used so is a term of this vocabulary.
        papers: that use it; `first_year`, `last_year`: of these; None: not known.
        parent: the id of the concept that it would be below; "": none is near.
        parent_label: its label.
        parent_by: `head` (the term ends with the concept's name), `siblings` (concepts with the same last word are
            below it), or `nearest` (by vectors of their names).
        examples: sentences that use it.
    """

    rank: int
    label: str
    variants: tuple[str, ...]
    score: float
    papers: int
    first_year: int | None
    last_year: int | None
    parent: str
    parent_label: str
    parent_by: Literal["head", "siblings", "nearest", ""]
    examples: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestionReport:
    """Suggestions for a vocabulary.

    Attributes:
        vocabulary: its name.
        papers: that were read.
        phrases: that enough papers use.
        covered: of these, those that a vocabulary of the library has; by them is learnt what a term is.
        suggestions: the best of the others.
        path: of the file that was written; "": none.
    """

    vocabulary: str
    papers: int
    phrases: int
    covered: int
    suggestions: tuple[TermSuggestion, ...]
    path: str = ""
