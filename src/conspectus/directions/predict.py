"""Which directions go with a number of papers, such as citations, within years and topics: association, not cause.

The logarithm of 1 + the number and whether a direction is active are both taken less their means in the paper's stratum
(Frisch and Waugh 1933), and the one is regressed on the other, with errors that hold where variances differ (White
1980). It is found by some papers, and confirmed by papers that were held out, and of later years.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import UsageError
from conspectus.core.intervals import NORMAL
from conspectus.core.text import pluralize
from conspectus.directions.autoencoder import Ints
from conspectus.directions.stored_directions import LoadedDirections
from conspectus.directions.strata import (
    Floats,
    PaperDirections,
    Topics,
    false_discovery_rates,
    paper_directions,
    read_strata,
    two_sided,
    years_and_citations,
)
from conspectus.records.directions import AssociationReport, DirectionAssociation, Stratum
from conspectus.session.session import Session

FEWEST = 200
"""Papers that have the number."""
HELD_OUT, LATER = 0.3, 0.25
"""Which part of the papers is held out, and at most of later years."""
FEWEST_LATER = 30
ACTIVE = 10
"""Papers in which a direction has to be active to be tested."""
BLOCK = 64
"""Directions in memory at a time, of all papers."""
TOGETHER = 20_000
"""Papers by which all directions together predict, at most."""
RIDGE = 0.005
"""Which part of the variance of all directions is added to that of each, so that chance is not followed."""
CHANCE = 0.05
Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Slopes:
    """Of each direction: its slope, the slope's standard error, and in how many papers it is active."""

    slopes: Floats
    errors: Floats
    active: Ints


@dataclass(frozen=True, slots=True)
class _Parts:
    """Papers by which it is found, that are held out, and of later years, of which `since` is the first."""

    finding: Chosen
    held_out: Chosen
    later: Chosen
    since: int | None


def find_associations(
    session: Session,
    direction_set: LoadedDirections,
    within: Sequence[Stratum],
    fdr: float,
    topics: Topics,
    *,
    hidden: bool = False,
) -> AssociationReport:
    """The directions that go with citations.

    Raises:
        UsageError: too few papers have citations.
        NotFoundError: papers are compared within topics, and there is no map.
    """
    having = paper_directions(direction_set.codes, direction_set.autoencoder.size)
    years, citations = years_and_citations(session, having.keys)
    known = citations >= 0
    if known.sum() < FEWEST:
        raise UsageError(
            f"{pluralize(int(known.sum()), 'paper')} with a number of citations: too few to learn from.",
            f"At least {FEWEST} are needed; `sources enrich` finds the numbers.",
        )
    strata = read_strata(session, having.keys, years, within, topics)
    target = np.log1p(np.maximum(citations, 0).astype(float))
    parts = _split(known, years, direction_set.stored.facts["seed"])
    every = (parts.finding, parts.held_out, parts.later)
    first, second, last = (measure_slopes(having, target, strata, rows) for rows in every)
    is_shown = np.array([hidden or direction.recurs for direction in direction_set.directions])
    numbers = np.flatnonzero(is_shown & (first.active >= ACTIVE) & (first.errors > 0))
    rates = false_discovery_rates(two_sided(first.slopes[numbers] / first.errors[numbers]))
    rows = [
        _association(direction_set, int(number), float(rate), first, second, last)
        for number, rate in zip(numbers, rates, strict=True)
        if rate <= fdr
    ]
    explained, explained_later = explain_variance(having, target, strata, parts.finding, (parts.held_out, parts.later))
    finding, held_out, later = (int(part.sum()) for part in every)
    return AssociationReport(
        number="citations",
        within=tuple(within),
        papers=finding,
        held_out=held_out,
        later=later,
        since=parts.since,
        explained=explained,
        explained_later=explained_later,
        fdr=fdr,
        tested=len(numbers),
        associations=tuple(
            sorted(rows, key=lambda association: (not association.confirmed, -abs(np.log(association.ratio))))
        ),
        notes=("These are associations: they do not say what makes papers be cited.",),
    )


def _split(known: Chosen, years: Ints, seed: int) -> _Parts:
    """The last years with at most `LATER` of the papers; of the others `HELD_OUT` are drawn."""
    later, since = np.zeros(len(known), np.bool_), None
    dated = years[known & (years >= 0)]
    for year in sorted(set(dated.tolist()), reverse=True)[:-1]:
        chosen = known & (years >= year)
        if chosen.sum() > LATER * known.sum():
            break
        later, since = chosen, year
    if later.sum() < FEWEST_LATER:
        later, since = np.zeros(len(known), np.bool_), None
    drawn = np.random.default_rng((seed, 5)).random(len(known)) < HELD_OUT
    return _Parts(known & ~later & ~drawn, known & ~later & drawn, later, since)


def _centre(values: Floats, strata: Ints) -> Floats:
    """Values less the mean of their stratum, by columns."""
    counts = np.maximum(np.bincount(strata), 1)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, strata, values)
    centred: Floats = values - (sums / counts[:, None])[strata]
    return centred


def measure_slopes(having: PaperDirections, target: Floats, strata: Ints, rows: Chosen) -> Slopes:
    """How the target goes with each direction, in some papers."""
    targets, groups = target[rows], strata[rows]
    centred = _centre(targets[:, None], groups)[:, 0]
    slopes, errors, active = np.zeros(having.size), np.zeros(having.size), np.zeros(having.size, np.int64)
    for start in range(0, having.size, BLOCK) if rows.any() else ():
        last = min(start + BLOCK, having.size)
        values = having.activity(rows, start, last)
        active[start:last] = values.sum(axis=0)
        values = _centre(values, groups)
        squares = np.square(values).sum(axis=0)
        varies = squares > 1e-9
        slope = np.divide(values.T @ centred, squares, out=np.zeros(last - start), where=varies)
        rest = centred[:, None] - values * slope
        error = np.sqrt(np.square(values * rest).sum(axis=0))
        slopes[start:last] = slope
        errors[start:last] = np.divide(error, squares, out=np.zeros(last - start), where=varies)
    return Slopes(slopes, errors, active)


def _association(
    direction_set: LoadedDirections, number: int, rate: float, first: Slopes, second: Slopes, last: Slopes
) -> DirectionAssociation:
    slope, error = float(first.slopes[number]), float(first.errors[number])
    held_out, later = (
        float(slopes.slopes[number]) if slopes.active[number] and slopes.errors[number] > 0 else None
        for slopes in (second, last)
    )
    p = float(two_sided(np.array([held_out / second.errors[number]]))[0]) if held_out is not None else 1.0
    same = [value * slope > 0 for value in (held_out, later) if value is not None]
    return DirectionAssociation(
        direction_set.directions[number],
        int(first.active[number]),
        ratio=float(np.exp(slope)),
        low=float(np.exp(slope - NORMAL * error)),
        high=float(np.exp(slope + NORMAL * error)),
        q=rate,
        held_out=None if held_out is None else float(np.exp(held_out)),
        later=None if later is None else float(np.exp(later)),
        confirmed=bool(same) and all(same) and p < CHANCE,
    )


def explain_variance(
    having: PaperDirections, target: Floats, strata: Ints, finding: Chosen, judged: Sequence[Chosen]
) -> list[float | None]:
    """Which share of the target's variance within strata all directions together predict, in papers that are judged."""
    finding = _first(finding)
    if having.size >= finding.sum():
        return [None for _ in judged]
    values = _centre(having.activity(finding, 0, having.size), strata[finding])
    centred = _centre(target[finding][:, None], strata[finding])[:, 0]
    squares = values.T @ values
    squares[np.diag_indices(having.size)] += RIDGE * squares.trace()
    weights = np.linalg.solve(squares, values.T @ centred)
    shares: list[float | None] = []
    for rows in map(_first, judged):
        actual = _centre(target[rows][:, None], strata[rows])[:, 0]
        if rows.sum() < FEWEST_LATER or not np.square(actual).sum():
            shares.append(None)
            continue
        guess = _centre(having.activity(rows, 0, having.size), strata[rows]) @ weights
        shares.append(round(1 - float(np.square(actual - guess).sum() / np.square(actual).sum()), 4))
    return shares


def _first(rows: Chosen) -> Chosen:
    """The first `TOGETHER` of the rows that are chosen."""
    return rows & (np.cumsum(rows) <= TOGETHER)
