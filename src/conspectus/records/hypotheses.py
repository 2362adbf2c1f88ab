"""Hypotheses with their evidence: what has to hold, what would test it, and what later papers said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage
from conspectus.records.graph import Entity, Later, Ranking

AssumptionBasis = Literal["stated", "one clause", "co-mention", "not stated"]
HypothesisSource = Literal["entities", "directions", "contradictions", "gaps"]
LeadBasis = Literal["counted", "stated", "not stated"]


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that has to hold for a hypothesis.

    Attributes:
        source, target: the ids of the two entities that it joins.
        basis: `stated` (a language model read that the sentence states it), `one clause` (a rule: both are in one
            clause, with a verb between), `co-mention` (a sentence mentions both, no more), or `not stated` anywhere.
        papers, sentences: that mention both.
        citation: the sentence; None: there is none.
    """

    source: str
    target: str
    basis: AssumptionBasis
    papers: int
    sentences: int
    citation: Citation | None = None


@dataclass(frozen=True, slots=True)
class Premise:
    """A statement of a proposal, and the sentences that it rests on."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class HypothesisProposal:
    """A hypothesis in a language model's words.

    Attributes:
        premises: each bound to sentences; those that did not pass the checks are left out.
        novel: what is proposed; no sentence states it.
        test: how it could be tested.
        refused: how many premises did not pass.
        model: that wrote it.
    """

    premises: tuple[Premise, ...]
    novel: str
    test: str
    refused: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class TestableHypothesis:
    """Two entities that no sentence joins, and why it may be worth looking.

    Attributes:
        rank: from 1.
        source, target: their ids.
        score: by which it is ranked; as of `Hypothesis`.
        shared: how many entities are joined to both.
        papers: that mention both, though in no sentence.
        bridges: the ids of the best of what is joined to both.
        ledger: what has to hold: the links of each bridge, and at last the one that nothing states.
        test: a suggestion for a test, made from a template; "" where there is nothing to suggest.
        later: what papers after `HypothesisReport.until` say; None: nothing, or no year was given.
        proposal: by a language model; None: none was asked, or it gave none.
    """

    rank: int
    source: str
    target: str
    score: float
    shared: int
    papers: int
    bridges: tuple[str, ...]
    ledger: tuple[Assumption, ...]
    test: str
    later: Later | None = None
    proposal: HypothesisProposal | None = None


@dataclass(frozen=True, slots=True)
class LeadAssumption:
    """Something that has to hold for a lead.

    Attributes:
        text: what it is.
        basis: `counted` in the library, `stated` by the sentence, or `not stated` anywhere: that is the hypothesis.
        citation: a sentence that shows it; None: there is none.
    """

    text: str
    basis: LeadBasis
    citation: Citation | None = None


@dataclass(frozen=True, slots=True)
class LaterPapers:
    """What papers after a year say of a lead: in words, how many papers that is of, and the first with its sentence."""

    text: str
    papers: int
    year: int | None = None
    first: Citation | None = None


@dataclass(frozen=True, slots=True)
class HypothesisLead:
    """A hypothesis that is not about two entities.

    Attributes:
        rank: from 1.
        title: what it is about.
        score: by which it is ranked; comparable with others of the same source only.
        ledger: what has to hold, and at last what nothing states.
        test: a suggestion for a test, made from a template.
        later: what papers after `HypothesisReport.until` say; None: no year was given.
    """

    rank: int
    title: str
    score: float
    ledger: tuple[LeadAssumption, ...]
    test: str
    later: LaterPapers | None = None


@dataclass(frozen=True, slots=True)
class HypothesisReport:
    """Hypotheses of a library.

    Attributes:
        asked: the ids of the entities that were asked for; (): all.
        until: the last year that counts; None: all.
        papers: that count.
        later_papers: how many came after `until`; None: no year was given.
        candidates: pairs that no sentence joins, though they share something; or all leads.
        ranking: by which they are ranked; see `graph.link_prediction`. None: they are of another source.
        nodes: all entities that the hypotheses name.
        hypotheses: the best of the candidates.
        note: how they are to be taken.
        models: that wrote proposals.
        usage: what these took.
        source: of the candidates.
        leads: the best, of a source other than entities.
    """

    asked: tuple[str, ...]
    until: int | None
    papers: int
    later_papers: int | None
    candidates: int
    ranking: Ranking | None
    nodes: tuple[Entity, ...]
    hypotheses: tuple[TestableHypothesis, ...]
    note: str
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    source: HypothesisSource = "entities"
    leads: tuple[HypothesisLead, ...] = ()
