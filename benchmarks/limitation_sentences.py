"""The model that finds sentences on what limits a study: its training, and how well it does.

    python benchmarks/limitation_sentences.py check   # trained on three quarters of the papers, measured on the others
    python benchmarks/limitation_sentences.py fit     # src/conspectus/review/report/limitations.npz, of all papers

Sentences under a heading with "limitation" in the full texts of the neuroscience corpus are examples. Those under other
headings of the same papers are not, though some of a discussion are, nor are those of abstracts. Headings are not shown
to the model. `check` prints, for the full texts, the area under the ROC curve, and the share of such sentences among
those that the model is most sure of in each paper, next to the share by chance.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

import corpora
import numpy as np
from scipy.sparse import csr_matrix

from conspectus.core.groups import grouped
from conspectus.lexicon.word_lists import is_back_matter
from conspectus.parse.text.sentences import split_sentences
from conspectus.review.report.limitations import BUCKETS, hash_words

TARGET = corpora.ROOT / "src" / "conspectus" / "review" / "report" / "limitations.npz"
COST = 0.1
ABSTRACTS = 2_000
LEAST = 3
"""Sentences that a feature is in to have a weight."""


class Sample(NamedTuple):
    """A sentence, its paper, and whether it is under a heading on limitations."""

    paper: str
    text: str
    limits: bool

    @property
    def is_held(self) -> bool:
        """Whether it is of the quarter that is measured."""
        return blake2b(f"limits\0{self.paper}".encode(), digest_size=4).digest()[0] % 4 == 0


def samples() -> Iterator[Sample]:
    """Sentences of the papers that have such a heading, and of abstracts."""
    for item in corpora.read_lines(corpora.data_folder() / "neuro_corpus" / "fulltext.jsonl.gz"):
        parts = [part.partition("\n") for part in re.split(r"\n(?=#+ )", item["body"])]
        if any("limitation" in heading.lower() for heading, _, _ in parts):
            for heading, _, text in parts:
                if not is_back_matter(re.sub(r"^[#\s\d.]+", "", heading).strip()):
                    flat = " ".join(text.split())
                    for start, end in split_sentences(flat):
                        if end - start > 30:
                            yield Sample(item["id"], flat[start:end], "limitation" in heading.lower())
    abstracts = corpora.read_lines(corpora.data_folder() / "neuro_corpus" / "abstracts.jsonl.gz")
    for item in islice(abstracts, ABSTRACTS):
        flat = " ".join((item.get("abstract") or "").split())
        for start, end in split_sentences(flat):
            if end - start > 30 and "limitation" not in flat[start:end].lower():
                yield Sample(item["id"], flat[start:end], False)


def matrix(found: Sequence[Sample]) -> csr_matrix:
    """Hashed words [samples, BUCKETS]."""
    rows = [hash_words(one.text) for one in found]
    ends = np.cumsum([0, *map(len, rows)])
    return csr_matrix((np.ones(ends[-1]), np.concatenate(rows), ends), shape=(len(rows), BUCKETS))


def train(found: Sequence[Sample]) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float]:
    """Weights [BUCKETS] and intercept."""
    from sklearn.linear_model import LogisticRegression

    values, truth = matrix(found), [one.limits for one in found]
    model = LogisticRegression(C=COST, class_weight="balanced", max_iter=500).fit(values, truth)
    weights = model.coef_[0].copy()
    weights[np.bincount(values.indices, minlength=BUCKETS) < LEAST] = 0
    return weights, float(model.intercept_[0])


def check(found: Sequence[Sample], shown: int) -> None:
    from sklearn.metrics import roc_auc_score

    weights, intercept = train([one for one in found if not one.is_held])
    told = {one.paper for one in found if one.limits}
    held = [one for one in found if one.is_held and one.paper in told]
    odds = matrix(held) @ weights + intercept
    truth = np.array([one.limits for one in held])
    print(f"{len(held)} sentences of {len({one.paper for one in held})} papers, {truth.mean():.1%} on limitations")
    print(f"area under the curve {roc_auc_score(truth, odds):.3f}")
    of_paper = grouped((one.paper, place) for place, one in enumerate(held))
    for count in (1, 2):
        best = [place for own in of_paper.values() for place in sorted(own, key=lambda at: -odds[at])[:count]]
        print(f"the best {count} of each paper: {truth[best].mean():.1%} under such a heading")
    found_at = defaultdict[float, str](str)
    for least in (0.5, 0.8, 0.9, 0.95, 0.98):
        over = 1 / (1 + np.exp(-odds)) >= least
        found_at[least] = f"precision {truth[over].mean():.2f}, recall {over[truth].mean():.2f}, {over.sum()} sentences"
        print(f"probability ≥ {least}: {found_at[least]}")
    for place in np.argsort(-odds)[:: max(len(odds) // 40 // max(shown, 1), 1)][:shown].tolist():
        print(f"{odds[place]:+.1f} {'L' if truth[place] else ' '} {held[place].text[:220]}")


def fit(found: Sequence[Sample]) -> None:
    weights, intercept = train(found)
    scale = float(np.abs(weights).max()) / 127
    stored = np.rint(weights / scale).astype(np.int8)
    np.savez_compressed(TARGET, weights=stored, scale=np.float32(scale), intercept=np.float32(intercept))
    print(f"{len(found)} sentences; {TARGET}, {TARGET.stat().st_size:,} bytes")


def main() -> None:
    """One of the steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("check", "fit"))
    parser.add_argument("--show", type=int, default=0, help="sentences to print, the surest first")
    chosen, found = parser.parse_args(), list(samples())
    if chosen.step == "fit":
        fit(found)
    else:
        check(found, chosen.show)


if __name__ == "__main__":
    main()
