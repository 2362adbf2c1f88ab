"""The model of which papers that say they review are reviews (`map.review_model`): its training, and how well it does.

    python benchmarks/review_model.py          # by two folds
    python benchmarks/review_model.py --write  # also src/conspectus/map/reviews.npz

Papers of `arxiv_scale` with a DOI. Positive are those of journals of reviews, and at half weight those of other
journals whose title says so; negative are those of other journals, at half weight if their abstract says that they
review. Some of these are reviews, so the measured share of them that is accepted overstates the errors.

The weights in the package are of an earlier run, whose texts were cut into words slightly differently; readers judged
names and gaps that were made with them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from zlib import crc32

import numpy as np
from corpora import ROOT, data_folder, read_lines
from results import Figure, store_figures
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from conspectus.map.review_model import SIZE, review_features
from conspectus.map.survey import SURE, is_review, says_review

TARGET = ROOT / "src" / "conspectus" / "map" / "reviews.npz"
EVERY = 8
"""Other papers of journals of articles that are used."""
KINDS = ("journals of reviews", "titles that say so", "abstracts that say so, journals of articles", "other articles")
WEIGHTS = (1.0, 0.5, 0.5, 0.2)
_REVIEWS = re.compile(
    r"10\.1146/annurev|10\.1103/revmodphys|10\.1088/0034-4885|j\.physrep|s00159|/lrr-|s41114|s41116|ppnp|10\.1038/nr"
    r"|10\.1080/00107514|10\.1080/00018732|j\.newar|j\.tins|j\.tics|10\.1021/acs\.chemrev|surfrep|j\.plrev|j\.rser"
    r"|10\.1093/nsr|j\.cosrev|s11214"
)


def papers() -> Iterator[tuple[int, str, str]]:
    """The kind of each paper, its title and its abstract."""
    for record in read_lines(data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst"):
        if not (doi := (record.get("doi") or "").lower()):
            continue
        title, abstract = record["title"], record.get("abstract") or ""
        if _REVIEWS.search(doi):
            kind = 0
        elif is_review("", "", title):
            kind = 1
        else:
            kind = 2 if says_review(abstract) else 3
        if kind < len(KINDS) - 1 or crc32(record["id"].encode()) % EVERY == 0:
            yield kind, title, abstract


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the weights that the program uses")
    options = parser.parse_args()
    found = list(papers())
    kinds = np.array([kind for kind, _, _ in found])
    columns = [review_features(title, abstract) for _, title, abstract in found]
    flat = [column for one in columns for column in one]
    starts = np.cumsum([0, *map(len, columns)])
    features = csr_matrix((np.ones(len(flat), np.float32), flat, starts), (len(found), SIZE))
    truth, weights = kinds < len(("reviews", "titles")), np.array(WEIGHTS)[kinds]
    odds, folds = np.zeros(len(found)), np.array([crc32(title.encode()) % 2 for _, title, _ in found])
    for fold in (0, 1):
        model = LogisticRegression(C=0.1, max_iter=300)
        model.fit(features[folds != fold], truth[folds != fold], sample_weight=weights[folds != fold])
        odds[folds == fold] = model.decision_function(features[folds == fold])
    shares = [float((odds[kinds == kind] >= SURE).mean()) for kind in range(len(KINDS))]
    for kind, name in enumerate(KINDS):
        print(f"{name:45} {int((kinds == kind).sum()):6}  accepted {shares[kind]:.3f}")
    said = np.array([says_review(abstract) for _, _, abstract in found]) & (kinds == 0)
    kept = float((odds[said] >= SURE).mean())
    print(f"of journals of reviews, abstracts that say so: {int(said.sum())}, accepted {kept:.3f}")
    figure = Figure(
        "Abstracts that say they review: accepted, journals of reviews; of articles", f"{kept:.2f}; {shares[2]:.2f}"
    )
    store_figures("review_model", "map", "python benchmarks/review_model.py", [figure])
    if options.write:
        model = LogisticRegression(C=0.1, max_iter=300).fit(features, truth, sample_weight=weights)
        np.savez_compressed(TARGET, weights=model.coef_[0].astype(np.float16), bias=np.float32(model.intercept_[0]))


if __name__ == "__main__":
    main()
