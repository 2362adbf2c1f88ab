"""How well do few comparisons in pairs rank papers, by judges who err and prefer what they see first? (S11)

    python benchmarks/review_rank.py              # all cells, 20 seeds: about four minutes of processor time
    python benchmarks/review_rank.py --seeds 3    # a look
    python benchmarks/review_rank.py --ties       # half a win each, or Davidson's model of ties?
    python benchmarks/review_rank.py --insert     # a paper that is added later
    python benchmarks/review_rank.py --bound      # what the best choice of pairs could reach with a judge by distance

176 papers are ranked by 818 comparisons, as SciBot did (Yager 2023, section 4.4). Two kinds of judges are simulated:

* *constant*: right in a share of pairs (.7, .8, .95), however close the two papers are. The share is of either order;
  the probability that the first is preferred is higher by the position bias (0, .1), and at most 1.
* *by distance*: papers have normally distributed strengths, and of a pair the stronger is preferred with a probability
  that grows with the difference (Bradley–Terry) and has this mean; of equals the first is preferred in .5 or .6.

Measured is Kendall's τ with the true order. Peers have the same judge and number of calls: *random* is the same fit on
random pairs (each in one random order), *both* the same on half as many random pairs in both orders; Elo (K = 32), and
SciBot's swaps on the random pairs; `choix`, if installed, fits Bradley–Terry to them without a position term.
(`evalica` gives such sparse comparisons no order: without a prior, who never won has no strength.)
Intervals: the share of papers whose true rank is within the 95 % interval of its rank.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from results import Figure, join_figures, store_figures

from conspectus.review.rank.agreement import kendall
from conspectus.review.rank.bradley_terry import (
    Pair,
    Strengths,
    Verdict,
    choose_opponent,
    choose_pairs,
    draw_pairs,
    fit_strengths,
    insertion_steps,
    order,
    order_by_swaps,
    position_shift,
    rank_intervals,
)

PAPERS, CALLS, ROUND = 176, 818, 25
"""As in SciBot; pairs judged before the next are chosen, as `review rank` does for so many papers."""
SWAPPED = 5
"""Seeds for swaps, which take seconds each."""
ACCURACIES, BIASES, KINDS = (0.7, 0.8, 0.95), (0.0, 0.1), ("constant", "by distance")
Floats = NDArray[np.float64]


class Judge:
    """Compares papers, errs, and prefers what it sees first; `truth` has the papers' strengths."""

    def __init__(self, kind: str, accuracy: float, bias: float, rng: np.random.Generator, ties: float = 0.0) -> None:
        self._kind, self._accuracy, self._bias, self._rng, self._ties = kind, accuracy, bias, rng, ties
        self.truth = rng.normal(size=PAPERS)
        if kind == "by distance":
            self.truth *= _scale(self.truth, accuracy)

    def __call__(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """The verdicts on pairs."""
        return [(first, second, self._prefers(first, second)) for first, second in pairs]

    def _prefers(self, first: int, second: int) -> float:
        difference = self.truth[first] - self.truth[second]
        if self._ties and self._rng.random() < self._ties * math.exp(-abs(difference)):
            return 0.5
        if self._kind == "constant":
            chance = (self._accuracy if difference > 0 else 1 - self._accuracy) + self._bias
        else:
            chance = 1 / (1 + math.exp(-difference) * (0.5 - self._bias) / (0.5 + self._bias))
        return float(self._rng.random() < chance)


def _scale(strengths: Floats, accuracy: float) -> float:
    """What strengths are multiplied by so that a judge by distance is right in this share of all pairs."""
    distances = np.abs(np.subtract.outer(strengths, strengths))[np.triu_indices(len(strengths), 1)]
    low, high = 0.0, 200.0
    for _ in range(50):
        middle = (low + high) / 2
        right = float(np.mean(1 / (1 + np.exp(-middle * distances))))
        low, high = (middle, high) if right < accuracy else (low, middle)
    return low


class Outcome(NamedTuple):
    """Of one run: τ of each way to rank, and of ours the share of intervals that hold, their width, and the bias."""

    taus: dict[str, float]
    held: float
    width: float
    bias: float


def compare_actively(judge: Judge, rng: np.random.Generator, calls: int = CALLS) -> tuple[list[Verdict], Strengths]:
    """The verdicts on pairs that are chosen round by round, as `review rank` chooses them, and their fit."""
    verdicts = judge(draw_pairs(PAPERS, PAPERS // 2, rng))
    fit = fit_strengths(PAPERS, verdicts)
    while len(verdicts) < calls:
        asked = [(first, second) for first, second, _ in verdicts]
        verdicts += judge(choose_pairs(fit, asked, min(ROUND, calls - len(verdicts)), rng))
        fit = fit_strengths(PAPERS, verdicts, fit)
    return verdicts, fit


def run_once(kind: str, accuracy: float, bias: float, seed: int) -> Outcome:
    """One judge, every way to rank."""
    rng = np.random.default_rng([seed, int(100 * accuracy), int(10 * bias), KINDS.index(kind)])
    judge = Judge(kind, accuracy, bias, rng)
    pairs = draw_pairs(PAPERS, CALLS, rng)
    verdicts = judge(pairs)
    twice = pairs[: CALLS // 2] + [(second, first) for first, second in pairs[: CALLS // 2]]
    scores: dict[str, Floats] = {
        "random": fit_strengths(PAPERS, verdicts).means,
        "both": fit_strengths(PAPERS, judge(twice)).means,
        "elo": elo(verdicts),
        **{name: peer(verdicts) for name, peer in installed_peers().items()},
    }
    if seed < SWAPPED:
        scores["swaps"] = -np.argsort(order_by_swaps(PAPERS, verdicts, rng)).astype(np.float64)
    _, fit = compare_actively(judge, rng)
    low, high = rank_intervals(fit)
    true = np.argsort(np.argsort(-judge.truth)) + 1
    taus = {name: tau(values, judge.truth) for name, values in ({"active": fit.means} | scores).items()}
    held = float(np.mean((low <= true) & (true <= high)))
    return Outcome(taus, held, float(np.mean(high - low + 1)), position_shift(fit.bias))


def tau(scores: Floats, truth: Floats) -> float:
    """Kendall's τ-b."""
    found = kendall(scores.tolist(), truth.tolist())
    return found.tau if found else 0.0


def elo(verdicts: Sequence[Verdict], step: float = 32.0) -> Floats:
    """Elo's ratings, one verdict after the other."""
    ratings = np.zeros(PAPERS)
    for first, second, outcome in verdicts:
        expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
        ratings[first] += step * (outcome - expected)
        ratings[second] -= step * (outcome - expected)
    return ratings


def installed_peers() -> dict[str, Callable[[Sequence[Verdict]], Floats]]:
    """Another program's fit of Bradley–Terry, if it is installed."""
    peers: dict[str, Callable[[Sequence[Verdict]], Floats]] = {}
    try:
        import choix

        def by_choix(verdicts: Sequence[Verdict]) -> Floats:
            wins = [(one, other) if outcome else (other, one) for one, other, outcome in verdicts]
            return np.asarray(choix.ilsr_pairwise(PAPERS, wins, alpha=0.01))

        peers["choix"] = by_choix
    except ImportError:
        pass
    return peers


def measure(seeds: int) -> None:
    """Print all cells; store the headline figures of a whole run."""
    margins, held, errors, shares = defaultdict[str, list[float]](list), [], [], []
    for kind, accuracy, bias in itertools.product(KINDS, ACCURACIES, BIASES):
        outcomes = [run_once(kind, accuracy, bias, seed) for seed in range(seeds)]
        names = outcomes[0].taus
        means = {name: np.mean([one.taus[name] for one in outcomes if name in one.taus]) for name in names}
        planted = [one.bias - bias for one in outcomes]
        covered = float(np.mean([one.held for one in outcomes]))
        width = np.mean([one.width for one in outcomes])
        taus = "  ".join(f"{name} {value:.3f}" for name, value in means.items())
        print(f"{kind:11} {accuracy:4} {bias:3}  {taus}", end="")
        print(
            f"  held {covered:.3f} (width {width:.0f})  bias {np.mean(planted):+.3f} ± {np.std(planted):.3f}",
            flush=True,
        )
        for name in names:
            margins[f"{kind}, {name}"].append(float(means["active"] - means[name]))
        held.append(covered)
        errors.append(abs(float(np.mean(planted))))
        shares.append(float(np.mean(np.abs(planted) <= 0.03)))
    print("least margin of active:", {name: round(min(values), 3) for name, values in margins.items()})
    print(f"intervals held: {min(held):.3f} to {max(held):.3f}; mean error of the bias: at most {max(errors):.3f}")
    if seeds >= 20:
        store(margins, held, errors, float(np.mean(shares)))


def store(margins: dict[str, list[float]], held: list[float], errors: list[float], share: float) -> None:
    """Keep the headline figures."""
    least = {name: min(values) for name, values in margins.items()}
    figures = [
        Figure(
            f"over {peer}",
            f"{least[f'constant, {peer}']:+.3f}",
            f"≥ {limit}",
            f"judge by distance {least[f'by distance, {peer}']:+.3f}",
        )
        for peer, limit in (("random", "+.02"), ("both", "+.03"), ("elo", "0"), ("swaps", "0"))
    ]
    figures += [
        Figure("true ranks within the 95 % interval", f"{min(held):.3f} to {max(held):.3f}", ".90 to .98"),
        Figure("planted position bias, largest mean error", f"{max(errors):.3f}", "≤ .03",
               f"within .03 in {share:.0%} of runs"),
    ]  # fmt: skip
    gains, held_and_missed = figures[:-2], figures[-2:]
    rows = [
        join_figures("176 papers, 818 comparisons, constant judge, least gain in τ", gains),
        join_figures("… in all cells", held_and_missed),
    ]
    store_figures("review_rank", "review", "python benchmarks/review_rank.py", rows)


def measure_ties(seeds: int) -> None:
    """τ with ties as half a win each, and by the most probable parameters of Davidson's model (1970)."""
    for share in (0.3, 0.8):
        halves, davidsons, ties = [], [], []
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            judge = Judge("by distance", 0.8, 0.1, rng, ties=share)
            verdicts = judge(draw_pairs(PAPERS, CALLS, rng))
            halves.append(tau(fit_strengths(PAPERS, verdicts).means, judge.truth))
            davidsons.append(tau(fit_davidson(verdicts), judge.truth))
            ties.append(np.mean([outcome == 0.5 for *_, outcome in verdicts]))
        print(f"ties {np.mean(ties):.2f}: half a win each {np.mean(halves):.4f}, Davidson {np.mean(davidsons):.4f}")


def fit_davidson(verdicts: Sequence[Verdict], spread: float = 1.5) -> Floats:
    """Strengths with a position term and Davidson's ties: P(tie) ∝ ν √(pᵢ pⱼ)."""
    from scipy.optimize import minimize

    table = np.array(verdicts)
    first, second, outcome = table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2]

    def loss(values: Floats) -> tuple[float, Floats]:
        margin = (values[first] - values[second] + values[-2]) / 2
        rows = np.stack([margin, -margin, np.full(len(margin), values[-1])])
        total = np.logaddexp.reduce(rows, axis=0)
        own = np.where(outcome == 1, rows[0], np.where(outcome == 0, rows[1], rows[2]))
        chances = np.exp(rows - total)
        slope = ((outcome == 1) - 1.0 * (outcome == 0) - chances[0] + chances[1]) / 2
        grad = np.zeros(len(values))
        np.add.at(grad, first, slope)
        np.subtract.at(grad, second, slope)
        grad[-2], grad[-1] = slope.sum(), np.sum((outcome == 0.5) - chances[2])
        prior = values.copy() / spread**2
        prior[-2:] = values[-2:] / 4
        return float(np.sum(total - own) + np.sum(prior * values) / 2), prior - grad

    return np.asarray(minimize(loss, np.zeros(PAPERS + 2), jac=True, method="L-BFGS-B").x[:PAPERS])


def measure_insertion(seeds: int) -> None:
    """By how many places a paper that is added to a ranking of 175 misses its own, after log₂ n comparisons."""
    steps = insertion_steps(PAPERS - 1)
    for kind, accuracy in itertools.product(KINDS, ACCURACIES):
        misses = defaultdict[str, list[float]](list)
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            judge = Judge(kind, accuracy, 0.0, rng)
            new = PAPERS - 1
            known = judge([pair for pair in draw_pairs(PAPERS, CALLS, rng) if new not in pair])
            place = int(np.sum(judge.truth > judge.truth[new]))
            for name in ("chosen", "random"):
                verdicts = list(known)
                for step in range(2 * steps):
                    fit = fit_strengths(PAPERS, verdicts)
                    asked = [(one, other) for one, other, _ in verdicts]
                    pair = choose_opponent(fit, verdicts, asked, new, rng) if name == "chosen" else None
                    verdicts += judge([pair or (new, int(rng.integers(new)))])
                    if step + 1 in (steps, 2 * steps):
                        found = order(fit_strengths(PAPERS, verdicts)).tolist().index(new)
                        misses[f"{name}, {step + 1}"].append(abs(found - place))
        print(
            f"{kind:11} {accuracy:4}  " + "  ".join(f"{name}: {np.mean(values):.1f}" for name, values in misses.items())
        )


def measure_bound(seeds: int) -> None:
    """τ with judges by distance if each verdict said as much as one on two equals, next to random and chosen pairs.

    No verdict of such a judge says more of a difference (Fisher information 1/4, in logits), and no pair is known to be
    of equals beforehand. `of equals`: the differences of random pairs are observed with that information and the prior
    is known.
    """
    for accuracy, bias in itertools.product(ACCURACIES, BIASES):
        taus = defaultdict[str, list[float]](list)
        for seed in range(seeds):
            rng = np.random.default_rng([seed, 39])
            judge = Judge("by distance", accuracy, bias, rng)
            truth, prior = judge.truth, float(np.var(judge.truth))
            pairs = draw_pairs(PAPERS, CALLS, rng)
            taus["random pairs"].append(tau(fit_strengths(PAPERS, judge(pairs)).means, truth))
            taus["chosen pairs"].append(tau(compare_actively(judge, rng)[1].means, truth))
            first, second = np.array(pairs).T
            edges = np.zeros((CALLS, PAPERS))
            edges[np.arange(CALLS), first], edges[np.arange(CALLS), second] = 1, -1
            seen = edges @ truth + 2 * rng.normal(size=CALLS)
            means = np.linalg.solve(edges.T @ edges / 4 + np.eye(PAPERS) / prior, edges.T @ seen / 4)
            taus["of equals"].append(tau(means, truth))
        gain = np.array(taus["of equals"]) - np.array(taus["random pairs"])
        print(
            f"by distance {accuracy:4} {bias:3}  " + "  ".join(f"{n} {np.mean(v):.3f}" for n, v in taus.items()), end=""
        )
        print(f"  of equals gains {gain.mean():+.3f} ± {gain.std() / np.sqrt(seeds):.3f}", flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--ties", action="store_true")
    parser.add_argument("--insert", action="store_true")
    parser.add_argument("--bound", action="store_true")
    chosen = parser.parse_args()
    runs = ((chosen.ties, measure_ties), (chosen.insert, measure_insertion), (chosen.bound, measure_bound))
    next((run for wanted, run in runs if wanted), measure)(chosen.seeds)


if __name__ == "__main__":
    main()
