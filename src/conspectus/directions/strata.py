"""Papers in columns with their directions, and what they are compared within: year, topic, venue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import erfc
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import UsageError
from conspectus.directions import sql as direction_sql
from conspectus.directions.autoencoder import Ints
from conspectus.directions.stored_directions import Codes
from conspectus.records.directions import Stratum
from conspectus.session.session import Session
from conspectus.store.facets import facet_terms

Floats = npt.NDArray[np.float64]
Topics = Callable[[], Mapping[int, int]]
"""Gives the region of the map that each paper is in, by the papers' keys."""


@dataclass(frozen=True, slots=True)
class PaperDirections:
    """Which directions are active in which papers.

    Attributes:
        keys: of the papers, int64 [papers], ascending.
        rows, numbers: a paper (its place in `keys`) and a direction that is active in it, each pair once, by papers.
        weights: how active, from 0 to 1, which is clearly: float64 [pairs].
        size: directions.
    """

    keys: Ints
    rows: Ints
    numbers: Ints
    weights: Floats
    size: int

    def block(self, first: int, last: int) -> PaperDirections:
        """Directions `first` to `last` alone, numbered from 0."""
        last = min(last, self.size)
        inside = (self.numbers >= first) & (self.numbers < last)
        numbers = self.numbers[inside] - first
        return PaperDirections(self.keys, self.rows[inside], numbers, self.weights[inside], last - first)

    def counts(self, groups: Ints, number: int) -> Ints:
        """In how many papers of each group (-1: of none) each direction is clearly active, [groups, size]."""
        return self.sums(groups, number, self.weights >= 1).astype(np.int64)

    def sums(self, groups: Ints, number: int, weights: npt.NDArray[Any]) -> Floats:
        """The sum of some weights of pairs in each group (-1: of none), by directions, [groups, size]."""
        pair_groups = groups[self.rows]
        counted = pair_groups >= 0
        pairs = pair_groups[counted] * self.size + self.numbers[counted]
        sums = np.bincount(pairs, weights[counted].astype(float), minlength=number * self.size)
        return np.asarray(sums.reshape(number, self.size), np.float64)

    def activity(self, papers: npt.NDArray[np.bool_], first: int, last: int) -> Floats:
        """Whether directions `first` to `last` are clearly active in chosen papers: 0 or 1, [chosen, last - first]."""
        places = np.cumsum(papers) - 1
        chosen = (self.numbers >= first) & (self.numbers < last) & papers[self.rows] & (self.weights >= 1)
        activity = np.zeros((int(papers.sum()), last - first))
        activity[places[self.rows[chosen]], self.numbers[chosen] - first] = 1
        return activity


def paper_directions(codes: Codes, size: int) -> PaperDirections:
    """Of a paper whose passages were encoded, each direction counts as it is in the passage where it is most active."""
    keys, owner = np.unique(codes.papers, return_inverse=True)
    active = codes.values > 0
    pairs = (owner[:, None] * size + codes.numbers.astype(np.int64))[active]
    share = codes.values.astype(float) / np.maximum(codes.levels[codes.numbers], 1e-9)
    weights = np.where(codes.clear, 1.0, np.minimum(share, 0.99))[active]
    single, places = np.unique(pairs, return_inverse=True)
    most = np.zeros(len(single))
    np.maximum.at(most, places, weights)
    return PaperDirections(keys, single // size, single % size, most, size)


def read_strata(session: Session, keys: Ints, years: Ints, within: Sequence[Stratum], topics: Topics) -> Ints:
    """A number for each paper: the same for those of the same year, topic and venue, as asked for; int64 [papers].

    Raises:
        NotFoundError: papers are compared within topics, and there is no map.
        UsageError: no paper has what they are compared within.
    """
    columns: dict[Stratum, Ints] = {}
    if "year" in within:
        columns["year"] = years
    if "topic" in within:
        regions = topics()
        columns["topic"] = np.array([regions.get(key, -1) for key in keys.tolist()], np.int64)
    if "venue" in within:
        names = facet_terms(session.catalog, "venue", keys.tolist())
        numbers = {name: number for number, name in enumerate(sorted({listed[0] for listed in names.values()}))}
        venues = [numbers[names[key][0]] if key in names else -1 for key in keys.tolist()]
        columns["venue"] = np.array(venues, np.int64)
    if unknown := next((name for name, column in columns.items() if (column < 0).all()), None):
        raise UsageError(f"No paper has a {unknown}, so nothing can be compared within it.", "Leave out `within`.")
    table = np.stack([np.zeros(len(keys), np.int64), *columns.values()], axis=1)
    strata: Ints = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    return strata


def years_and_citations(session: Session, keys: Ints) -> tuple[Ints, Ints]:
    """Of papers, which are there, by ascending keys; -1 where one is not known."""
    facts = direction_sql.read_paper_facts(session.catalog)
    places = np.searchsorted(facts.keys, keys)
    return facts.years[places], facts.citations[places]


def two_sided(z: Floats) -> Floats:
    """The probability of a normal deviate as far from 0."""
    return np.array([erfc(abs(value) / 2**0.5) for value in z.tolist()])


def false_discovery_rates(p: Floats) -> Floats:
    """The q values of p values (Benjamini and Hochberg 1995)."""
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    rates = np.empty(len(p))
    rates[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return rates
