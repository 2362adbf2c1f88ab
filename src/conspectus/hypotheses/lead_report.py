"""A report of hypotheses that are not about two entities, and the sentences that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from conspectus.records import Citation, Filters
from conspectus.records.answer import Usage
from conspectus.records.hypotheses import HypothesisLead, HypothesisReport, HypothesisSource
from conspectus.session.session import Session
from conspectus.store.facets import count_papers

CAUTION = "Suggestions where to look, and no findings: what is marked as stated nowhere is a guess."
TEMPLATE = "To test it (from a template): "
SENTENCES, SHORTEST = 12, 30
"""Sentences of a paper that are compared, the first; characters of one that says something."""


@dataclass(frozen=True, slots=True)
class PapersInTime:
    """The papers that count, those that came later (None: no year was given), and the last year that counts."""

    before: Filters
    after: Filters | None
    until: int | None


def report_leads(
    session: Session,
    source: HypothesisSource,
    leads: Sequence[HypothesisLead],
    of: PapersInTime,
    k: int,
    *,
    note: str,
    models: tuple[str, ...] = (),
    usage: Usage | None = None,
) -> HypothesisReport:
    """The k best leads, numbered; `note`: why there are none, or what else the user should know."""
    return HypothesisReport(
        asked=(),
        until=of.until,
        papers=count_papers(session.catalog, of.before),
        later_papers=count_papers(session.catalog, of.after) if of.after else None,
        candidates=len(leads),
        ranking=None,
        nodes=(),
        hypotheses=(),
        note=" ".join(filter(None, (CAUTION if leads else "", note))),
        models=models,
        usage=usage or Usage(),
        source=source,
        leads=tuple(replace(lead, rank=rank) for rank, lead in enumerate(leads[:k], 1)),
    )


def cite_span(session: Session, paper_id: str, span_id: str) -> Citation | None:
    """A sentence of a paper by its id; None: it has none such."""
    for passage in session.catalog.passages(paper_id):
        for span in passage.spans:
            if span.id == span_id:
                paper = session.paper(paper_id)
                return Citation(paper, passage.id, (span,), span.text, paper.label)
    return None


def cite_typical(session: Session, paper_id: str, like: str = "") -> Citation | None:
    """The sentence of a paper that is nearest to its other ones, or to a text; None: it has no sentences."""
    passages = list(session.catalog.passages(paper_id))
    spans = [(passage, span) for passage in passages for span in passage.spans if len(span.text) >= SHORTEST][
        :SENTENCES
    ]
    if not spans:
        return None
    vectors = np.array(
        [embedding.vector for embedding in session.embedder.embed([*(span.text for _, span in spans), like])]
    )
    passage, span = spans[int((vectors[:-1] @ (vectors[-1] if like else vectors[:-1].sum(axis=0))).argmax())]
    paper = session.paper(paper_id)
    return Citation(paper, passage.id, (span,), span.text, paper.label)
