"""Retrieval on PubMedQA (among 20,000 abstracts) and SciFact, against BM25 alone and vectors alone in the same run.

    python benchmarks/retrieval.py [pubmedqa] [scifact] [speed]

The libraries are made under `.bench/` the first time (about 20 minutes on 2 cores) and kept.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import corpora
import numpy as np

from conspectus import Library

Ranking = Callable[[str], list[str]]
K = 10


def library(name: str, *files: Path) -> Library:
    """The library of a benchmark; adds the files unless they are in."""
    found = Library(corpora.WORK / name)
    report = found.add(list(files))
    if report.failed or any(row.reason for row in report.rows):
        sys.exit(f"adding failed: {report}")
    return found


def systems(lib: Library) -> dict[str, Ranking]:
    """The program as it is, without its re-ranking, and its two halves alone."""
    retriever = lib._retriever()
    own = lib.settings.search

    def ranked(**changes: float) -> Ranking:
        changed = replace(retriever, settings=replace(own, **changes))

        def rank(query: str) -> list[str]:
            from conspectus.search.search import search

            return [hit.paper.external_id for hit in search(changed, query, K, NO_FILTERS).hits]

        return rank

    return {
        "BM25 alone": ranked(dense_weight=0.0, rerank=0),
        "dense alone": ranked(dense_weight=1.0, rerank=0),
        "fusion": ranked(rerank=0),
        "fusion + late interaction": ranked(),
    }


def precision_at_1(ranking: Sequence[str], gold: set[str]) -> float:
    return float(bool(ranking) and ranking[0] in gold)


def recall_at_10(ranking: Sequence[str], gold: set[str]) -> float:
    return len(gold & set(ranking[:10])) / len(gold)


def ndcg_at_10(ranking: Sequence[str], gold: set[str]) -> float:
    """Normalised discounted cumulative gain with binary relevance (Järvelin and Kekäläinen 2002)."""
    gain = sum(1 / np.log2(rank + 2) for rank, name in enumerate(ranking[:10]) if name in gold)
    return float(gain / sum(1 / np.log2(rank + 2) for rank in range(min(10, len(gold)))))


METRICS = {"P@1": precision_at_1, "recall@10": recall_at_10, "nDCG@10": ndcg_at_10}


def table(lib: Library, questions: Sequence[tuple[str, set[str]]], targets: dict[str, float]) -> None:
    """Print each system's metrics, and the targets for the last."""
    print(f"{'':28}" + "".join(f"{name:>11}" for name in METRICS))
    for name, rank in systems(lib).items():
        rankings = [(rank(question), gold) for question, gold in questions]
        means = [np.mean([metric(*pair) for pair in rankings]) for metric in METRICS.values()]
        print(f"{name:28}" + "".join(f"{mean:11.4f}" for mean in means))
    print(f"{'target':28}" + "".join(f"{targets.get(name, float('nan')):11.4f}" for name in METRICS))


def pubmedqa_files() -> list[Path]:
    return [
        corpora.write_lines(corpora.WORK / "pubmedqa.jsonl", corpora.pubmedqa_records()),
        corpora.write_lines(corpora.WORK / "distractors.jsonl", corpora.distractors()),
    ]


def pubmedqa_library() -> Library:
    return library("pubmedqa", *pubmedqa_files())


def pubmedqa() -> None:
    """500 questions to find their contexts with."""
    with pubmedqa_library() as lib:
        print(f"\nPubMedQA: 500 questions, {lib.status().counts['papers']} abstracts")
        questions = [(item["QUESTION"], {f"pubmedqa:{item['pmid']}"}) for item in corpora.pubmedqa()]
        table(lib, questions, {"P@1": 0.96, "recall@10": 0.99})


def scifact() -> None:
    """The training claims against the whole corpus."""
    with library("scifact", corpora.write_lines(corpora.WORK / "scifact.jsonl", corpora.scifact_records())) as lib:
        known = {paper.external_id for paper in lib.papers()}
        print(f"\nSciFact: claims_train, {len(known)} abstracts")
        claims = corpora.read_lines(corpora.data_folder() / "scifact" / "claims_train.jsonl")
        questions = [(c["claim"], {f"scifact:{i}" for i in c["cited_doc_ids"]} & known) for c in claims]
        table(lib, [pair for pair in questions if pair[1]], {"nDCG@10": 0.70})


def speed() -> None:
    """Latency of a search, warm, query embedding included, at 35,000 abstracts."""
    more = corpora.write_lines(corpora.WORK / "more.jsonl", corpora.more_abstracts(14_506))
    with library("speed", *pubmedqa_files(), more) as lib:
        questions = [item["QUESTION"] for item in corpora.pubmedqa()]
        random.Random(0).shuffle(questions)
        for question in questions[:20]:
            lib.search(question)
        times = []
        for question in questions[20:320]:
            began = time.perf_counter()
            lib.search(question)
            times.append(1000 * (time.perf_counter() - began))
        p50, p95 = np.percentile(times, [50, 95])
        papers = lib.status().counts["papers"]
        print(f"\nsearch at {papers} abstracts, warm, 300 questions: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
        print(f"of the limit of 150 ms: {p95 / 150:.2f}")


if __name__ == "__main__":
    from conspectus import Filters

    NO_FILTERS = Filters()
    for name in sys.argv[1:] or ["pubmedqa", "scifact", "speed"]:
        {"pubmedqa": pubmedqa, "scifact": scifact, "speed": speed}[name]()
