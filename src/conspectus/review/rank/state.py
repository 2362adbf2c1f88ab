"""A ranking as it is kept: its papers, the pairs that were asked, and what follows from the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import line
from conspectus.records import Filters, Paper
from conspectus.records.ranks import (
    HiddenBias,
    PaperRanking,
    PositionBias,
    RankAgreement,
    RankedPaper,
    RankMethod,
    RankPair,
)
from conspectus.records.review import Review, ReviewEntry
from conspectus.review import sql
from conspectus.review.rank.agreement import effect_of_groups, find_cycles, kendall
from conspectus.review.rank.bradley_terry import (
    CONFIDENCE,
    Pair,
    Strengths,
    Verdict,
    choose_opponent,
    choose_pairs,
    draw_fresh_pairs,
    draw_pairs,
    fit_strengths,
    order,
    order_by_swaps,
    position_shift,
    preference_to_average,
    rank_intervals,
)
from conspectus.review.rank.pair_judge import FIELD, MOST_TEXT, BlindPaper, read_blind
from conspectus.session.session import Session
from conspectus.store.facets import filtered_paper_ids

PER_PAPER = 5
"""Comparisons for each paper, if no budget is given; SciBot took 818 for 176 papers."""
MOST_PAPERS = 2000
"""Of a ranking: a fit takes time with the cube of their number."""
_OUTCOMES = {"first": 1.0, "second": 0.0, "tie": 0.5}


@dataclass
class RankState:
    """A ranking at work.

    Attributes:
        keys: ids of the papers, in the order in which they were added, and their keys.
        entries: verdicts, and pairs that were skipped.
        unusable: pairs that could not be judged in this run, which are not asked again in it.
    """

    session: Session
    review: Review
    keys: Mapping[str, int]
    entries: list[ReviewEntry]
    unusable: list[Pair] = field(default_factory=list)
    _fit: Strengths | None = None

    @classmethod
    def load(cls, session: Session, review: Review) -> RankState:
        """The state of a ranking that is kept."""
        keys = sql.papers_of(session.catalog, review)
        return cls(session, review, keys, list(sql.entries_of(session.catalog, review, field=FIELD)))

    @property
    def criterion(self) -> str:
        """What is asked of each pair."""
        return str(self.review.spec["criterion"])

    @property
    def method(self) -> RankMethod:
        """How pairs are chosen and ordered."""
        return "swaps" if self.review.spec["method"] == "swaps" else "active"

    @property
    def budget(self) -> int:
        """How many verdicts there are to be; never more than pairs."""
        return min(int(self.review.spec["budget"]), len(self.papers) * (len(self.papers) - 1) // 2)

    @cached_property
    def papers(self) -> tuple[str, ...]:
        """The ids of the papers."""
        return tuple(self.keys)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.papers)}

    @property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on papers that are there, without pairs that were skipped."""
        places = self._places
        return [
            (places[entry.paper], places[entry.other], _OUTCOMES[str(entry.value["preferred"])])
            for entry in self.entries
            if entry.value["preferred"] in _OUTCOMES and entry.paper in places and entry.other in places
        ]

    @property
    def settled_pairs(self) -> list[Pair]:
        """Pairs that are not asked again."""
        places = self._places
        known = [(entry.paper, entry.other) for entry in self.entries]
        return [(places[a], places[b]) for a, b in known if a in places and b in places] + self.unusable

    def strengths(self) -> Strengths:
        """The fit of all verdicts, from the one before."""
        self._fit = fit_strengths(len(self.papers), self.verdicts, self._fit)
        return self._fit

    def next_pairs(self, most: int) -> list[Pair]:
        """The next pairs to be judged: the same for the same verdicts. At first at random, each paper once."""
        count, settled_pairs = len(self.papers), self.settled_pairs
        digest = blake2b(self.criterion.encode(), digest_size=4).digest()
        rng = np.random.default_rng([int.from_bytes(digest), len(settled_pairs)])
        if self.method == "swaps":
            return draw_fresh_pairs(count, settled_pairs, most, rng)
        used_places = {place for pair in settled_pairs for place in pair}
        if len(used_places) < count and len(settled_pairs) < count // 2 + len(self.unusable):
            fresh = [place for place in range(count) if place not in used_places]
            pairs = [(fresh[ours], fresh[other]) for ours, other in draw_pairs(len(fresh), len(fresh) // 2, rng)]
            if pairs:
                return pairs[:most]
        return choose_pairs(self.strengths(), settled_pairs, most, rng)

    def next_opponent(self, paper: str) -> Pair | None:
        """The pair that says most of the place of one paper."""
        rng = np.random.default_rng(len(self.entries))
        return choose_opponent(self.strengths(), self.verdicts, self.settled_pairs, self._places[paper], rng)

    def comparisons_of(self, paper: str) -> int:
        """Verdicts that a paper is in."""
        return sum(self._places[paper] in verdict[:2] for verdict in self.verdicts)

    def paper_id(self, name: str) -> str:
        """The id of a paper of the ranking, by any of its names.

        Raises:
            NotFoundError: it is not in the ranking.
        """
        paper = self.session.paper(name)
        if paper.id not in self._places:
            raise NotFoundError(
                f"'{line(paper.display_title)}' is not in the ranking '{line(self.review.name)}'.",
                "`review rank add` puts it in.",
            )
        return paper.id

    def pair(self, pairs: Sequence[Pair] | None = None) -> RankPair:
        """The first of these pairs, or the next one, for a person to judge."""
        verdicts = len(self.verdicts)
        if pairs is None:
            pairs = self.next_pairs(1) if verdicts < self.budget else []
        first = second = None
        while pairs and (first is None or second is None):
            first, second = (self.read_paper(place) for place in pairs[0])
            pairs = self.next_pairs(1)
        ours, other = (first.side, second.side) if first and second else (None, None)
        return RankPair(self.review.id, self.review.name, self.criterion, ours, other, verdicts, self.budget)

    def read_paper(self, place: int, most: int = MOST_TEXT) -> BlindPaper | None:
        """A paper as it is judged; None, and it is not asked for again, if it was removed meanwhile."""
        try:
            return read_blind(self.session.catalog, self.session.paper(self.papers[place]), most)
        except NotFoundError:
            self.unusable += [(place, other) for other in range(len(self.papers)) if other != place]
            return None


def find_ranking(session: Session, name: str) -> RankState:
    """A ranking by its name or id; "" is the one that was changed last.

    Raises:
        NotFoundError: there is none.
    """
    return RankState.load(session, sql.find_review(session, "rank", name))


def keep_ranking(
    session: Session, name: str, spec: Mapping[str, str], filters: Filters, budget: int | None
) -> tuple[Review | None, int]:
    """The ranking of a name, begun now or gone on with, and how many papers pass the filters.

    None, and nothing is kept, for fewer than two papers.

    Args:
        session: the open library.
        name: of the ranking.
        spec: its criterion, method, and judge (`user` or `model`).
        filters: of papers.
        budget: comparisons in all; None: five for each paper.

    Raises:
        UsageError: there are too many papers, or a ranking of the name has another criterion or method.
    """
    review = sql.find_of_name(session.catalog, "rank", name)
    ids = filtered_paper_ids(session.catalog, filters)
    full_spec: dict[str, Any] = {**spec, **sql.filters_spec(filters)}
    if review is None:
        check_size(len(ids))
        full_spec["budget"] = budget or PER_PAPER * len(ids)
        return (sql.create_review(session, "rank", name, full_spec, ids) if len(ids) > 1 else None), len(ids)
    for part in ("criterion", "method"):
        if review.spec[part] != spec[part]:
            raise UsageError(
                f"The ranking '{line(review.name)}' has the {part} '{review.spec[part]}'.",
                "Give this one another name: `name=NAME`.",
            )
    papers = {*sql.papers_of(session.catalog, review), *ids}
    check_size(len(papers))
    sql.add_papers(session, review, ids)
    full_spec["budget"] = budget or max(int(review.spec["budget"]), PER_PAPER * len(papers))
    return sql.change_review(session, review, spec=full_spec), len(ids)


def check_size(count: int) -> None:
    """See that so many papers can be ranked.

    Raises:
        UsageError: there are too many.
    """
    if count > MOST_PAPERS:
        raise UsageError(
            f"{count:,} papers pass the filters, and a ranking has at most {MOST_PAPERS:,}.",
            "Name a collection, years or other filters.",
        )


def make_ranking_result(state: RankState, numbers: Mapping[str, Mapping[str, float]] | None = None) -> PaperRanking:
    """What a ranking says now.

    Args:
        state: the ranking.
        numbers: further numbers of papers, by their names: id -> number.
    """
    catalog, verdicts = state.session.catalog, state.verdicts
    known = catalog.papers_by_key([*state.keys.values()])
    papers = [known[key] for key in state.keys.values() if key in known]
    if len(papers) != len(state.papers):
        raise NotFoundError("Papers of the ranking were removed meanwhile.", "Show it again.")
    places, bias = _rank_papers(state, papers, verdicts)
    levels = {row.paper.id: -float(row.rank) if row.score is None else row.score for row in places if row.comparisons}
    cycles = find_cycles(verdicts)
    in_cycles = {place for cycle in cycles for place in cycle}
    return PaperRanking(
        id=state.review.id,
        name=state.review.name,
        criterion=state.criterion,
        method=state.method,
        ranking=places,
        comparisons=len(verdicts),
        budget=state.budget,
        cycles=tuple(tuple(state.papers[place] for place in cycle) for cycle in cycles),
        position_bias=bias,
        agreement=_agreement([paper for paper in papers if paper.id in levels], levels, numbers or {}),
        bias=_hidden_bias([paper for paper in papers if paper.id in levels], levels),
        total=len(papers),
        titles={papers[place].id: papers[place].heading or papers[place].display_title for place in sorted(in_cycles)},
        judges=Counter(entry.by for entry in state.entries if entry.value["preferred"] in _OUTCOMES),
    )


def _rank_papers(
    state: RankState, papers: Sequence[Paper], verdicts: Sequence[Verdict]
) -> tuple[tuple[RankedPaper, ...], PositionBias | None]:
    counts = Counter(place for first, second, _ in verdicts for place in (first, second))
    if state.method == "swaps":
        best_first = order_by_swaps(len(papers), verdicts, np.random.default_rng(0))
        swapped = (
            RankedPaper(n, papers[place], None, None, None, counts[place]) for n, place in enumerate(best_first, 1)
        )
        return tuple(swapped), None
    fit = state.strengths()
    scores, (low, high) = preference_to_average(fit), rank_intervals(fit)
    places = tuple(
        RankedPaper(
            rank,
            papers[place],
            round(float(scores[place]), 4),
            min(rank, int(low[place])),
            max(rank, int(high[place])),
            counts[place],
        )
        for rank, place in enumerate(order(fit).tolist(), 1)
    )
    margin = CONFIDENCE * fit.bias_error
    ends = (round(position_shift(fit.bias + side), 4) for side in (0.0, -margin, margin))
    return places, PositionBias(*ends) if verdicts else None


def _agreement(
    papers: Sequence[Paper], levels: Mapping[str, float], numbers: Mapping[str, Mapping[str, float]]
) -> tuple[RankAgreement, ...]:
    """Agreement of the order of papers that were compared with each number that enough of them have."""
    known: dict[str, Mapping[str, float]] = {
        "citations": {paper.id: paper.citation_count for paper in papers if paper.citation_count is not None},
        "year": {paper.id: paper.year for paper in papers if paper.year is not None},
        **numbers,
    }
    agreements = []
    for name, values in known.items():
        counted = [paper.id for paper in papers if paper.id in values]
        correlation = kendall([levels[paper_id] for paper_id in counted], [values[paper_id] for paper_id in counted])
        if correlation:
            tau, low, high = (round(value, 4) for value in correlation[:3])
            agreements.append(RankAgreement(name, tau, low, high, correlation.things))
    return tuple(agreements)


def _hidden_bias(papers: Sequence[Paper], levels: Mapping[str, float]) -> tuple[HiddenBias, ...]:
    """How far ranks follow venues, institutions and last authors, none of which the judge was shown."""
    groups: dict[str, list[str | None]] = {
        "venue": [paper.venue or None for paper in papers],
        "institution": [
            next((place for author in paper.authors[:1] for place in author.affiliations), None) for paper in papers
        ],
        "last author": [paper.authors[-1].name if paper.authors else None for paper in papers],
    }
    paper_levels = [levels[paper.id] for paper in papers]
    biases = []
    for name, names in groups.items():
        if effect := effect_of_groups(paper_levels, names):
            biases.append(
                HiddenBias(name, round(effect.share, 4), round(effect.chance, 4), effect.things, effect.groups)
            )
    return tuple(biases)
