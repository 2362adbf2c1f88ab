"""What an audit finds of references (K10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from conspectus.records.filters import normal_name
from conspectus.records.paper import Metadata
from conspectus.records.parsed_paper import Reference

ReferenceVerdict = Literal["in library", "found", "wrong", "not found", "unchecked"]
MentionKind = Literal["doi", "arxiv_id", "pmid", "url", "author-year", "number"]
_TITLE = 3
"""Words of a title that can be looked up."""
REFERENCE_VERDICTS: tuple[ReferenceVerdict, ...] = get_args(ReferenceVerdict)


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """What became of one reference.

    Attributes:
        reference: as it was given, and what it says.
        verdict: `in library`; `found` by the service; `wrong`: there is such a work or identifier, but the reference
            contradicts it; `not found`: the service was asked and has nothing like it; `unchecked`: it was not told.
        record: the work that it is, or the one that it contradicts; None where there is none.
        paper_id: the library's paper, where the record is one of the library's.
        agrees: the fields that say the same as the record: `doi`, `arxiv_id`, `pmid`, `title`, `author`, `year`.
        contradicts: those that do not, and identifiers that nobody registered.
        note: in words, what was found and how; for `unchecked` why.
        titled: whether a work of its title was found, be it another one than the record.
    """

    reference: Reference
    verdict: ReferenceVerdict
    record: Metadata | None = None
    paper_id: str = ""
    agrees: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    note: str = ""
    titled: bool = False


@dataclass(frozen=True, slots=True)
class LookUps:
    """How the references of a list fared by their DOIs, or by their titles (Ta et al., Table VII); none `unchecked`.

    Attributes:
        given: how many have one; a title counts from three words on.
        not_found: of how many it is nobody's, or the DOI of another record of the work; or no work has the title.
        mismatch: of how many the DOI is that of a work of another title.
    """

    by: Literal["doi", "title"]
    given: int
    not_found: int
    mismatch: int

    @property
    def incorrect(self) -> int:
        """Both together."""
        return self.not_found + self.mismatch


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The checks of a list of references, in its order. `service` is the address that was asked; "": none was.

    `notes` say what of the list was not understood, and what could not be asked. `unanswered`: the service was asked
    and gave not one answer that could be used.
    """

    checks: tuple[ReferenceCheck, ...]
    service: str = ""
    notes: tuple[str, ...] = ()
    unanswered: bool = False

    @property
    def counts(self) -> Mapping[ReferenceVerdict, int]:
        """How many there are of each verdict."""
        counts = Counter(check.verdict for check in self.checks)
        return {verdict: counts[verdict] for verdict in REFERENCE_VERDICTS}

    @property
    def looked_up(self) -> tuple[LookUps, LookUps]:
        """How those that could be checked fared by DOI, and by title."""
        decided_checks = [check for check in self.checks if check.verdict != "unchecked"]
        doi_checks = [check for check in decided_checks if check.reference.doi]
        other = sum("title" in check.contradicts and "doi" not in check.contradicts for check in doi_checks)
        titled = [check for check in decided_checks if len(normal_name(check.reference.title).split()) >= _TITLE]
        return (
            LookUps("doi", len(doi_checks), sum("doi" in check.contradicts for check in doi_checks), other),
            LookUps("title", len(titled), sum(not check.titled for check in titled), 0),
        )

    @property
    def doubtful(self) -> tuple[ReferenceCheck, ...]:
        """Those that are wrong or were not found."""
        return tuple(check for check in self.checks if check.verdict in ("wrong", "not found"))


@dataclass(frozen=True, slots=True)
class MentionedWork:
    """Words of a text that name a work: `text[start:end]` is what goes where references are taken out.

    Attributes:
        value: an identifier in its usual form, an address, authors and year, or a mark's numbers.
        words: the mention as it stands; with `Smith et al. (2015)` only `(2015)` is between `start` and `end`.
    """

    start: int
    end: int
    kind: MentionKind
    value: str
    words: str
