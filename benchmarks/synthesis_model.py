"""The model of which papers that name a meta-analysis or systematic review are one: its training, and how well it does.

    python benchmarks/synthesis_model.py          # by five folds
    python benchmarks/synthesis_model.py --write  # also src/conspectus/map/syntheses.npz

`sets/syntheses.jsonl` has papers of the shared data that name one in title or abstract, and whether a reader took them
for a review of a literature by title and the words around the name. Papers on the method, protocols, primers, data that
are only analysed again, and articles that cite a meta-analysis are none. Most of `arxiv_scale` are on the method, most
of `neuro_corpus` are meta-analyses. Next to the model is what the patterns for reviews said before there was one.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from corpora import ROOT, data_folder, read_lines
from results import Figure, store_figures
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from conspectus.map.review_model import SYNTHESIS_SIZE, names_synthesis, review_log_odds, synthesis_features
from conspectus.map.survey import SURE, is_review, says_review

SET = ROOT / "benchmarks" / "sets" / "syntheses.jsonl"
TARGET = ROOT / "src" / "conspectus" / "map" / "syntheses.npz"
FOLDS, STRENGTH, UNTITLED = 5, 0.2, 0.5
Row = tuple[str, str, str, bool]
"""The folder of a paper, its title, its abstract, and whether it is a review."""


def papers() -> Iterator[Row]:
    judged: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for row in read_lines(SET):
        judged[row["file"]][row["id"]] = bool(row["review"])
    for file, answers in judged.items():
        for record in read_lines(data_folder() / file):
            name = str(record.get("id") or record.get("pmid") or record.get("doc_id"))
            if name in answers:
                abstract = record.get("abstract") or ""
                text = abstract if isinstance(abstract, str) else " ".join(abstract)
                yield file.split("/")[0], record["title"], text, answers.pop(name)


def say_by_patterns(title: str, abstract: str) -> bool:
    """As reviews were recognised without the model."""
    return is_review("", "", title) or (says_review(abstract) and review_log_odds(title, abstract) >= SURE)


def matrix(rows: Sequence[Row]) -> Any:
    columns = [synthesis_features(title, abstract) for _, title, abstract, _ in rows]
    flat = [column for row in columns for column in row]
    starts = np.cumsum([0, *map(len, columns)])
    return csr_matrix((np.ones(len(flat), np.float32), flat, starts), (len(rows), SYNTHESIS_SIZE))


def fit(features: Any, untitled: Any, truth: Any, untitled_truth: Any) -> LogisticRegression:
    """Fit to papers and, at half weight, to the same without their titles, as few reviews have no word of it there."""
    weights = np.r_[np.ones(len(truth)), np.full(len(untitled_truth), UNTITLED)]
    model = LogisticRegression(C=STRENGTH, max_iter=500)
    return model.fit(vstack([features, untitled]), np.r_[truth, untitled_truth], sample_weight=weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the weights that the program uses")
    options = parser.parse_args()
    rows = list(papers())
    features, untitled = matrix(rows), matrix([(row[0], "", *row[2:]) for row in rows])
    silent = np.array([names_synthesis(abstract) for _, _, abstract, _ in rows])
    truth, folders = np.array([row[3] for row in rows]), np.array([row[0] for row in rows])
    folds = np.array([crc32(title.encode()) % FOLDS for _, title, _, _ in rows])
    odds, untitled_odds = np.zeros(len(rows)), np.zeros(len(rows))
    for fold in range(FOLDS):
        known, asked = folds != fold, folds == fold
        model = fit(features[known], untitled[known & silent], truth[known], truth[known & silent])
        odds[asked] = model.decision_function(features[asked])
        untitled_odds[asked] = model.decision_function(untitled[asked])
    before = np.array([say_by_patterns(title, abstract) for _, title, abstract, _ in rows])
    for name in ("all", *sorted(set(folders))):
        mine = np.ones(len(rows), bool) if name == "all" else folders == name
        shares = [says[mine & (truth == answer)].mean() for answer in (True, False) for says in (odds >= 0, before)]
        reviews, others = int((mine & truth).sum()), int((mine & ~truth).sum())
        print(
            f"{name:14} {reviews:3} reviews: model {shares[0]:.2f}, patterns {shares[1]:.2f};"
            f"  {others:3} others: {shares[2]:.2f}, {shares[3]:.2f}"
        )
    hidden = [(untitled_odds >= 0)[silent & (truth == answer)].mean() for answer in (True, False)]
    print(f"titles hidden: {hidden[0]:.2f} of reviews, {hidden[1]:.2f} of others whose abstract names one")
    accepted = [f"{(odds >= 0)[truth == answer].mean():.2f}" for answer in (True, False)]
    patterns = [f"{before[truth == answer].mean():.2f}" for answer in (True, False)]
    print(f"area under the ROC curve {roc_auc_score(truth, odds):.3f}")
    figure = Figure(
        "Papers that name a meta-analysis: taken for reviews, those that are one; others (patterns alone)",
        f"{accepted[0]}; {accepted[1]} ({patterns[0]}; {patterns[1]})",
    )
    store_figures("synthesis_model", "map", "python benchmarks/synthesis_model.py", [figure])
    if options.write:
        model = fit(features, untitled[silent], truth, truth[silent])
        np.savez_compressed(TARGET, weights=model.coef_[0].astype(np.float16), bias=np.float32(model.intercept_[0]))


if __name__ == "__main__":
    main()
