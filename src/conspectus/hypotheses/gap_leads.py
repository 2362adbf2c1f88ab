"""Gaps of the map as hypotheses: what a neglected region and its neighbour may have to say to each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.hypotheses.lead_report import TEMPLATE, PapersInTime, cite_typical, report_leads
from conspectus.map.citation_patterns import CitationLinks, explain_missing, read_links
from conspectus.map.survey import typical
from conspectus.records import Citation
from conspectus.records.atlas import Atlas, Gap, GapList, GapPattern, Region
from conspectus.records.events import Progress
from conspectus.records.hypotheses import HypothesisLead, HypothesisReport, LaterPapers, LeadAssumption
from conspectus.session.session import Session

Ints = npt.NDArray[np.int64]
NONE = "No region of the map cites or is cited unusually."
OTHERS = "Hypotheses from entities, the default, and from directions need no references."


def lead_by_gaps(session: Session, atlas: Atlas, gaps: GapList, of: PapersInTime, k: int) -> HypothesisReport:
    """Hypotheses by the regions of a map whose citations are unusual, in their order."""
    links = read_links(session, atlas)
    every = [(gap, pattern) for gap in gaps for pattern in gap.patterns]
    leads = []
    for number, (gap, pattern) in enumerate(every[:k], 1):
        leads.append(_GapLead(session, atlas, links, of, gap).make(pattern))
        emit(Progress("reading", number, min(k, len(every)), "hypotheses"))
    notes = [*(gaps.notes or explain_missing(links, len(atlas)) or ([] if leads else [NONE]))]
    if not leads:
        notes.append(OTHERS)
    return report_leads(session, "gaps", leads, of, k, note=" ".join(notes))


class _GapLead:
    """Makes the leads of one region."""

    def __init__(self, session: Session, atlas: Atlas, links: CitationLinks, of: PapersInTime, gap: Gap) -> None:
        self._session, self._atlas, self._links, self._of, self._gap = session, atlas, links, of, gap
        self._regions = atlas.region_ids[:, gap.level]
        before, (first, last) = np.ones(len(atlas), bool), of.before.year or (None, None)
        if first is not None or last is not None:
            before = (atlas.years >= (first or 1)) & (atlas.years <= (last or 9999))
        self._before: npt.NDArray[np.bool_] = before

    def make(self, pattern: GapPattern) -> HypothesisLead:
        """What may be true if the pattern is neglect."""
        region = next(candidate for candidate in self._atlas.regions if candidate.id == self._gap.id)
        other = self._find_other(region, pattern)
        counted = LeadAssumption(f"{region.name}: {pattern.reason}", "counted", self._cite(region))
        if other is None:
            guess = f"what {region.name} takes from old work still holds with what is known now"
            test = f"{TEMPLATE}repeat the oldest finding that these papers rest on with present methods."
            title = f"{region.name}: is its ground still good?"
            return self._lead(title, pattern, (counted, LeadAssumption(guess, "not stated")), test, region, None)
        cited = self._count(region, other, self._before)
        near = f"{other.name} is its neighbour, with {pluralize(cited, 'citation')} between them"
        if pattern.kind == "not followed up":
            near = f"{other.name} cites it most: {pluralize(cited, 'citation')} between them"
        guess = f"findings of {region.name} hold for {other.name}, or the other way round"
        test = f"{TEMPLATE}take one finding or method of {region.name} and see whether it holds in {other.name}."
        ledger = (counted, LeadAssumption(near, "counted", self._cite(other)), LeadAssumption(guess, "not stated"))
        return self._lead(f"{region.name} – {other.name}", pattern, ledger, test, region, other)

    def _lead(
        self,
        title: str,
        pattern: GapPattern,
        ledger: Sequence[LeadAssumption],
        test: str,
        region: Region,
        other: Region | None,
    ) -> HypothesisLead:
        later = self._find_later(region, other) if self._of.until is not None else None
        return HypothesisLead(0, f"{title} ({pattern.kind})", round(self._gap.score, 2), tuple(ledger), test, later)

    def _find_other(self, region: Region, pattern: GapPattern) -> Region | None:
        """The region next to it, or that cites it most; None: it is about its own past."""
        others = [other for other in self._atlas.at(region.level) if other.id != region.id]
        if pattern.kind == "cites old work" or not others:
            return None
        if pattern.kind == "not followed up":
            return max(others, key=lambda other: len(self._find_citing_rows(other, region, self._before)))
        return min(others, key=lambda other: (other.x - region.x) ** 2 + (other.y - region.y) ** 2)

    def _find_citing_rows(self, region: Region, other: Region, counted: npt.NDArray[np.bool_]) -> Ints:
        """Rows of papers of one region that cite the other, once for each citation."""
        citing, cited = self._links.citing, self._links.cited
        fits = (self._regions[citing] == region.id) & (self._regions[cited] == other.id) & counted[citing]
        chosen: Ints = citing[fits]
        return chosen

    def _count(self, region: Region, other: Region, counted: npt.NDArray[np.bool_]) -> int:
        return len(self._find_citing_rows(region, other, counted)) + len(self._find_citing_rows(other, region, counted))

    def _cite(self, region: Region) -> Citation | None:
        among = np.flatnonzero(self._before)
        return next((cite_typical(self._session, paper.id) for paper in typical(self._atlas, region, 1, among)), None)

    def _find_later(self, region: Region, other: Region | None) -> LaterPapers:
        """Later papers of the region, or those that cite the other of two regions."""
        after = self._atlas.years > (self._of.until or 0)
        if other is None:
            rows = np.flatnonzero(after & (self._regions == region.id))
            what = f"{pluralize(len(rows), 'paper')} of {region.name}"
        else:
            rows = np.unique(
                np.concatenate(
                    [self._find_citing_rows(region, other, after), self._find_citing_rows(other, region, after)]
                )
            )
            what = f"{pluralize(len(rows), 'paper')} of one that {'cites' if len(rows) == 1 else 'cite'} the other"
        if not len(rows):
            return LaterPapers(what, 0)
        first = int(rows[np.argmin(self._atlas.years[rows])])
        citation = cite_typical(self._session, self._atlas.papers[first])
        return LaterPapers(what, len(rows), int(self._atlas.years[first]), citation)
