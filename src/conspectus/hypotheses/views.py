"""How hypotheses look in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.declare import Option
from conspectus.faces.describe import say_example, spent

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.hypotheses import Assumption, HypothesisProposal, HypothesisReport, TestableHypothesis

BASES = {
    "stated": "stated",
    "one clause": "in one clause",
    "co-mention": "only mentioned together",
}


Explain = Annotated[bool, Option("Also show scores.")]


def hypotheses(out: Printer, report: HypothesisReport, *, explain: Explain = False) -> None:
    """Each hypothesis with what has to hold, what would test it, and what later papers said."""
    papers = f"{pluralize(report.papers, 'paper')}{f' up to {report.until}' if report.until else ''}"
    if report.ranking is None:
        _leads(out, report, papers, explain)
        return
    learnt = report.ranking.learnt
    by = (
        f"ranked with weights learnt on {pluralize(learnt, 'pair')} of earlier years"
        if learnt
        else "ranked with weights learnt on other corpora"
    )
    out.line((f"{pluralize(report.candidates, 'pair')} that nothing joins in {papers}, {by}.", "dim"))
    out.fold(out.remedy(report.note))
    names = {node.id: node.name for node in report.nodes}
    for hypothesis in report.hypotheses:
        _hypothesis(out, hypothesis, names, explain)
        if report.until is not None and report.later_papers is not None:
            _later(out, hypothesis, report.later_papers)
    if report.usage.calls:
        out.line((spent(", ".join(report.models), report.usage), "dim"))


def _leads(out: Printer, report: HypothesisReport, papers: str, explain: bool) -> None:
    """Hypotheses of a source other than entities."""
    if report.leads:
        out.line((f"{len(report.leads)} of {report.candidates} hypotheses from {report.source} of {papers}.", "dim"))
    out.fold(out.remedy(report.note))
    for lead in report.leads:
        out.line()
        score = f"  score {lead.score:.2f}" if explain else ""
        out.line((one_line(f"{lead.rank}. {lead.title}"), "title"), (score, "dim"))
        for assumption in lead.ledger:
            basis = "stated nowhere" if assumption.basis == "not stated" else assumption.basis
            out.fold(f"{assumption.text}: {basis}", 2)
            if assumption.citation:
                say_example(out, assumption.citation)
        out.fold(lead.test, 2)
        if lead.later:
            year = f", first in {lead.later.year}" if lead.later.year else ""
            out.line((one_line(f"Later: {lead.later.text}{year}."), "good" if lead.later.papers else ""), indent=2)
            if lead.later.first:
                say_example(out, lead.later.first)
    if report.usage.calls:
        out.line((spent(", ".join(report.models), report.usage), "dim"))


def _hypothesis(out: Printer, hypothesis: TestableHypothesis, names: Mapping[str, str], explain: bool) -> None:
    score = f" · score {hypothesis.score:.2f}" if explain else ""
    apart = f" · both in {pluralize(hypothesis.papers, 'paper')}, apart" if hypothesis.papers else ""
    out.line()
    title = f"{hypothesis.rank}. {names[hypothesis.source]} – {names[hypothesis.target]}"
    out.line((one_line(title), "title"), (f"  {pluralize(hypothesis.shared, 'bridge')}{apart}{score}", "dim"))
    for assumption in hypothesis.ledger:
        _assumption(out, assumption, names)
    if hypothesis.proposal:
        _proposal(out, hypothesis.proposal)
    if hypothesis.test:
        out.fold(hypothesis.test, 2)


def _assumption(out: Printer, assumption: Assumption, names: Mapping[str, str]) -> None:
    ends = one_line(f"{names[assumption.source]} – {names[assumption.target]}")
    if assumption.basis == "not stated":
        out.line((f"{ends}: stated nowhere", "title"), indent=2)
        return
    out.line(f"{ends}: {BASES[assumption.basis]} ({pluralize(assumption.sentences, 'sentence')})", indent=2)
    if assumption.citation:
        say_example(out, assumption.citation)


def _proposal(out: Printer, proposal: HypothesisProposal) -> None:
    for premise in proposal.premises:
        where = "; ".join(citation.where for citation in premise.citations)
        out.fold(f"{premise.text} [{where}]", 2)
    out.fold(f"Proposed by {proposal.model}, and stated nowhere: {proposal.novel}", 2)
    if proposal.test:
        out.fold(f"Test proposed: {proposal.test}", 2)
    if proposal.refused:
        out.line((f"{pluralize(proposal.refused, 'premise')} did not match its sentences.", "dim"), indent=2)


def _later(out: Printer, hypothesis: TestableHypothesis, papers: int) -> None:
    if hypothesis.later is None:
        out.line(f"Later: nothing in {pluralize(papers, 'paper')}.", indent=2)
        return
    counts = f"{pluralize(hypothesis.later.sentences, 'sentence')} of {pluralize(hypothesis.later.papers, 'paper')}"
    out.line((f"Later: both in {counts}, first in {hypothesis.later.year}:", "good"), indent=2)
    if hypothesis.later.first:
        say_example(out, hypothesis.later.first)
