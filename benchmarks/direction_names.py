"""Names of directions: does a ranker that learnt from judgements choose better ones than a formula?

    python benchmarks/direction_names.py

`direction_name_judgements.json` has 670 terms that may name 124 directions of three libraries (650 abstracts of
neuroscience, 3,000 of astronomy, 4,883 of theoretical physics), and what a reader (a language model), who saw titles
of papers and not which rule had proposed a term, gave each: 2 names what the papers share, 1 passes, 0 does not. A
logistic regression learns of two libraries and chooses in the third; the formula that it replaced chooses from the same
terms. Prints the weights over all, which `conspectus.directions.labels` has.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from results import Figure, store_figures
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

FEATURES = ("nearness", "strongest", "precision", "quality", "part")
"""Columns 2 to 6 of the file; before them the library and the direction, behind them the formula and the judgement."""
STRENGTH, RESAMPLES = 0.3, 2000


def fit(values: np.ndarray, marks: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights and constant of the log-odds that a term is a name; a term that passes counts half."""
    scaler = StandardScaler().fit(values)
    twice, halves = np.tile(scaler.transform(values), (2, 1)), np.concatenate([marks / 2, 1 - marks / 2])
    truth = np.repeat([1, 0], len(values))
    model = LogisticRegression(C=STRENGTH, max_iter=2000).fit(twice, truth, halves)
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def choose(scores: np.ndarray, marks: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The marks of the best term of each direction."""
    return np.array([marks[directions == one][scores[directions == one].argmax()] for one in np.unique(directions)])


def main() -> None:
    rows = json.loads(Path(__file__).with_name("direction_name_judgements.json").read_text("utf-8"))
    libraries, directions = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    values, formula, marks = (np.array([row[part] for row in rows], float) for part in (slice(2, 7), 7, 8))
    learnt, before, best = [], [], []
    for name in dict.fromkeys(libraries.tolist()):
        held = libraries == name
        weights, _ = fit(values[~held], marks[~held])
        scores = {"learnt": values[held] @ weights, "formula": formula[held], "best possible": marks[held]}
        chosen = {way: choose(own, marks[held], directions[held]) for way, own in scores.items()}
        print(name, {way: f"{own.mean():.2f}, {(own == 0).mean():.0%} none" for way, own in chosen.items()})
        for whole, way in ((learnt, "learnt"), (before, "formula"), (best, "best possible")):
            whole.append(chosen[way])
    ours, theirs, limit = (np.concatenate(parts) for parts in (learnt, before, best))
    drawn = np.random.default_rng(0).integers(0, len(ours), (RESAMPLES, len(ours)))
    low, high = np.percentile((ours - theirs)[drawn].mean(axis=1), (2.5, 97.5))
    weights, constant = fit(values, marks)
    print({name: round(float(weight), 2) for name, weight in zip(FEATURES, weights, strict=True)}, round(constant, 2))
    value = f"{ours.mean():.2f} ({(ours == 0).mean():.0%} name nothing)"
    more = f"ours {(ours - theirs).mean():+.2f} [{low:+.2f}, {high:+.2f}]"
    peer = f"formula {theirs.mean():.2f} ({(theirs == 0).mean():.0%}), {more}"
    print(value, "|", peer, "| best possible", round(limit.mean(), 2))
    figure = Figure(
        "names of 124 directions, judged 0 to 2, learnt of other libraries", value, f"{limit.mean():.2f} possible", peer
    )
    store_figures("direction_names", "map", "python benchmarks/direction_names.py", [figure])


if __name__ == "__main__":
    main()
