"""The model of what is a subject (`map.subject_model`): its training, and how well it tells authors' keywords.

    python benchmarks/subject_model.py          # how well it does
    python benchmarks/subject_model.py --write  # also src/conspectus/map/subjects.npz

Positive are keywords that authors gave, labels of UAT and MeSH, and what abstracts of `arxiv_scale` call a field ("in
the field of …"); negative are other phrases of abstracts. Of the half of the papers with keywords that is held out
(`keywords_truth`) nothing is used. Measured is the area under the ROC curve, over their key phrases, of the authors'
own keywords against the others, next to the score of `key_phrases`.

The weights in the package are of an earlier run, whose texts were cut into words slightly differently; readers judged
names and gaps that were made with them.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
from corpora import ROOT, data_folder, read_lines
from keywords_truth import read_arxiv, read_neuroscience, samples, stems
from results import Figure, store_figures
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from conspectus.lexicon.word_lists import GENERAL
from conspectus.map.subject_model import SIZE, singular_words, subject_features
from conspectus.parse.text.key_phrases import key_phrases
from conspectus.records import normal_name

TARGET = ROOT / "src" / "conspectus" / "map" / "subjects.npz"
SEED, PHRASES, LONGEST = 1, 40, 5
EVERY, REVIEWS_EVERY, MESH = 30, 3, 12_000
"""Abstracts of `arxiv_scale` and `sysrev` that are used, and labels of MeSH."""
_FIELD = re.compile(
    r"\b(?:fields? of|areas? of|research (?:area|field|topic)s? (?:of|in)|community of|branch(?:es)? of|disciplines? of"
    r"|advances in|recent progress in|developments in|interest in the)\s((?:[a-zA-Z][\w-]+[ \n]?){1,5})"
)
Row = tuple[str, int, float]
"""A phrase, whether it is a subject, and what it counts."""


def truth(*, held_out: bool) -> Iterator[tuple[str, bool, float]]:
    """Key phrases of papers with keywords: each with whether its authors gave it, and its score."""
    for sample in samples():
        if sample.held_out == held_out:
            for phrase in key_phrases(sample.title, sample.abstract, PHRASES):
                yield phrase.text, stems(phrase.text) in sample.truth, phrase.score


def rows() -> Iterator[Row]:
    """What the model is fitted to."""
    yield from ((text, int(is_one), 1.0) for text, is_one, _ in truth(held_out=False))
    held_out = {sample.title for sample in samples() if sample.held_out}
    for _, title, _, keywords in (*read_neuroscience(), *read_arxiv()):
        yield from ((keyword, 1, 0.5) for keyword in keywords if title not in held_out)
    with (data_folder() / "uat" / "UAT.csv").open(encoding="utf-8-sig") as file:
        yield from (([cell for cell in row if cell][-1], 1, 1.0) for row in csv.reader(file) if any(row))
    mesh = (data_folder() / "mesh2017" / "mesh_tree_2017.tsv").read_text(encoding="utf-8").splitlines()[1:]
    labels = [line.split("\t")[-1] for line in mesh if "," not in line]
    yield from ((label, 1, 0.2) for label in random.Random(SEED).sample(labels, min(MESH, len(labels))))
    yield from _of_abstracts()


def _of_abstracts() -> Iterator[Row]:
    fields: Counter[str] = Counter()
    abstracts = [record["abstract"] for record in read_lines(data_folder() / "sysrev" / "records.jsonl.gz")]
    others = [text or "" for text in abstracts[::REVIEWS_EVERY]]
    for number, record in enumerate(read_lines(data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst")):
        for match in _FIELD.finditer(record["abstract"]):
            fields.update(phrase.text for phrase in key_phrases("", match[1], 1))
        if number % EVERY == 0:
            others.append(record["abstract"])
    for field, count in fields.items():
        words = singular_words(normal_name(field)).split()
        if words and not (words[-1] in GENERAL and len(words) < len("abc")) and (len(words) > 1 or count > 1 + 1):
            yield field, 1, min(count, LONGEST) * 0.5
    for text in others:
        yield from ((phrase.text, 0, 0.12) for phrase in key_phrases("", text, 60)[::2])


def matrix(phrases: list[str]) -> csr_matrix:
    """The features of phrases."""
    columns = [list(subject_features(phrase)) for phrase in phrases]
    starts = np.cumsum([0, *map(len, columns)])
    flat = [column for one in columns for column in one]
    return csr_matrix((np.ones(len(flat), np.float32), flat, starts), (len(phrases), SIZE))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the weights that the program uses")
    options = parser.parse_args()
    found = [(singular_words(normal_name(text)), is_one, weight) for text, is_one, weight in rows()]
    used = [row for row in found if 0 < len(row[0].split()) <= LONGEST]
    model = LogisticRegression(C=0.5, max_iter=100)
    model.fit(matrix([row[0] for row in used]), [row[1] for row in used], sample_weight=[row[2] for row in used])
    tests = [row for row in truth(held_out=True) if singular_words(normal_name(row[0]))]
    known = [is_one for _, is_one, _ in tests]
    ours = model.decision_function(matrix([singular_words(normal_name(text)) for text, _, _ in tests]))
    area, other = roc_auc_score(known, ours), roc_auc_score(known, [score for _, _, score in tests])
    print(f"{len(used)} phrases; {len(tests)} held out: area {area:.3f}, scores of key phrases {other:.3f}")
    figure = Figure("Subjects among key phrases, area under ROC", f"{area:.3f}", "", f"key phrases' scores {other:.3f}")
    store_figures("subject_model", "map", "python benchmarks/subject_model.py", [figure])
    if options.write:
        weights = model.coef_[0].astype(np.float16)
        np.savez_compressed(TARGET, weights=weights, bias=np.float32(model.intercept_[0]))


if __name__ == "__main__":
    main()
