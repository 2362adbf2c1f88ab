"""Single-paper questions on astronomy (F15, F6): is the paper found that a question was made of?

    python benchmarks/astro_single.py [--papers N] [--questions N] [--seed N] [--plot FILE]

500 questions are made of sentences of `arxiv_astro` by the rule of `conspectus.evals.sentences`, with no model, and put
to full text alone (BM25), vectors alone, and the program as it is. Pathfinder reports, on 500 questions that a language
model made, success@10 0.84 and RR 0.74, and 0.46 and 0.29 for a bag of words. The library of 20,078 abstracts is made
under `.bench/` the first time (about 15 minutes on 2 cores); `--papers` takes the first N abstracts only.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

import corpora

from conspectus.evals import Dataset, Options, chosen, evaluate_retrieval, load, plot
from conspectus.evals.datasets.made import astro_questions
from conspectus.evals.datasets.reading import rows
from conspectus.evals.datasets.shared import Abstract

METRICS = ("success@10", "RR@10", "RR", "recall@100", "AUC@100")
TARGET = {"success@10": 0.84, "RR@10": 0.74}


def dataset(papers: int, questions: int, seed: int) -> Dataset:
    """The set of the first `papers` abstracts (0: all)."""
    if not papers and (questions, seed) == (500, 0):
        return load("arxiv_astro", corpora.data_folder())
    found = rows(corpora.data_folder() / "arxiv_astro" / "astro_abstracts.jsonl.gz", Abstract)
    items = {str(item.id): item for item in islice(found, papers or None)}
    documents = [item.document(name) for name, item in items.items()]
    return Dataset("arxiv_astro", "", lambda: iter(documents), astro_questions(items, questions, seed))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--papers", type=int, default=0)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path)
    asked = parser.parse_args()
    found = dataset(asked.papers, asked.questions, asked.seed)
    made = list(
        evaluate_retrieval([found], chosen(["bm25", "dense", "default"]), Options(METRICS), work=corpora.WORK / "evals")
    )
    papers = made[0].library.papers if made[0].library else 0
    print(f"{len(found.questions)} questions, {papers} abstracts\n{'':10}" + "".join(f"{name:>24}" for name in METRICS))
    for one in made:
        cells = [f"{e.mean:.3f} [{e.low:.3f}, {e.high:.3f}]" for e in (one.aggregates[name] for name in METRICS)]
        print(f"{one.configuration.name:10}" + "".join(f"{cell:>24}" for cell in cells))
    print(f"{'target':10}" + "".join(f"{TARGET.get(name, float('nan')):24.3f}" for name in METRICS))
    if asked.plot:
        plot(made, asked.plot)


if __name__ == "__main__":
    main()
