"""Contradictions as hypotheses: both statements hold, and something that differs between the studies decides."""

from __future__ import annotations

from conspectus.core.text import pluralize
from conspectus.hypotheses.lead_report import TEMPLATE, PapersInTime, cite_typical, report_leads
from conspectus.papers.retriever import make_retriever
from conspectus.records import Filters
from conspectus.records.hypotheses import HypothesisLead, HypothesisReport, LaterPapers, LeadAssumption
from conspectus.records.review import Contradiction, ContradictionReport
from conspectus.session.session import Session

LATER = 10
"""Passages of later papers that are nearest to a contradiction."""
NEAR = 0.6
"""Cosine from which on a later passage is about the same."""


def lead_by_contradictions(session: Session, report: ContradictionReport, of: PapersInTime, k: int) -> HypothesisReport:
    """Hypotheses by the contradictions of papers."""
    leads = [_make_lead(session, contradiction, of.after) for contradiction in report.contradictions[:k]]
    summary = (
        f"{pluralize(report.judged, 'pair')} of statements judged, {len(report.contradictions)} contradict each other."
    )
    note = " ".join(filter(None, (summary, report.note)))
    return report_leads(session, "contradictions", leads, of, k, note=note, models=report.models, usage=report.usage)


def _make_lead(session: Session, contradiction: Contradiction, after: Filters | None) -> HypothesisLead:
    first, second = contradiction.first, contradiction.second
    ledger = (
        LeadAssumption(f"{first.label} is right under its conditions", "stated", first),
        LeadAssumption(f"{second.label} is right under its conditions", "stated", second),
        LeadAssumption(
            f"something that differs between the two studies decides which holds ({contradiction.why})", "not stated"
        ),
    )
    test = (
        f"{TEMPLATE}list what differs between {first.label} and {second.label} (subjects, conditions, measures), and "
        "measure both ways in one study that varies only this."
    )
    title = f"{first.label} against {second.label}: {first.paper.display_title}"
    later = _find_later(session, contradiction, after) if after else None
    return HypothesisLead(0, title, contradiction.score, ledger, test, later)


def _find_later(session: Session, contradiction: Contradiction, after: Filters) -> LaterPapers:
    """Later papers with a passage near both statements together."""
    query = f"{contradiction.first.quote} {contradiction.second.quote}"
    vector = session.embedder.embed_query(query).vector
    with make_retriever(session, "raw", reranked=False).at_one_moment() as now:
        hits = [hit for hit in now.nearest(vector, after, LATER) if hit.score >= NEAR]
        owners = now.catalog.papers_of_passages([hit.key for hit in hits])
        keys = list(dict.fromkeys(owners[hit.key] for hit in hits))
        papers = now.catalog.papers_by_key(keys)
    if not keys:
        return LaterPapers("nothing about the same", 0)
    nearest = papers[keys[0]]
    text = f"{pluralize(len(keys), 'paper')} about the same; the nearest sentence, which nobody judged"
    return LaterPapers(text, len(keys), nearest.year, cite_typical(session, nearest.id, query))
