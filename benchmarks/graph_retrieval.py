"""What entities do for finding passages: the question of a PubMedQA paper asks for its abstract.

    python benchmarks/graph_retrieval.py VOCABULARY… [--distractors 1500] [--library FOLDER]

The 500 abstracts lie among others. In one run: as it is, with the subgraph (Algorithm 2 of Ta et al.) and with
personalised PageRank as a third channel, and vectors alone with and without Algorithm 1, whose entity-centred spans are
the sentences that speak of an entity. Differences have bootstrap intervals (95 %).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import corpora
import numpy as np
import numpy.typing as npt

from conspectus import Library
from conspectus.catalog import mentions as kept
from conspectus.graph.near_ties import THRESHOLD, told_apart

Floats = npt.NDArray[np.float64]
WAYS = {name: {"search.graph": name} for name in ("no", "subgraph", "pagerank")}


def made(folder: Path, vocabularies: list[Path], distractors: int) -> Path:
    """The library, linked."""
    others = (one for one, _ in zip(corpora.distractors(), range(distractors), strict=False))
    files = [corpora.write_lines(folder / "asked.jsonl", corpora.pubmedqa_records())]
    files.append(corpora.write_lines(folder / "others.jsonl", others))
    with Library(folder / "library") as library:
        library.add(files)
        library.add_vocabulary(vocabularies)
        report = library.link()
        print(f"{report.papers} abstracts, {report.mentions} mentions of {report.entities} entities")
    return folder / "library"


def ranks(library: Library, asked: list[tuple[str, str]], settings: dict[str, str]) -> Floats:
    """The reciprocal rank of each right abstract among the first 20."""
    found = []
    for question, wanted in asked:
        hits = [hit.paper.id for hit in library.search(question, k=20, settings=settings, plain=True).hits]
        found.append(1 / (hits.index(wanted) + 1) if wanted in hits else 0.0)
    return np.array(found)


def near_ties(library: Library, asked: list[tuple[str, str]]) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Whether the first by vectors is right, without and with Algorithm 1, and where the first two are near."""
    embedder, plain, told, near = library.session.embedder, [], [], []
    for question, wanted in asked:
        hits = library.search(
            question,
            k=2,
            settings={"search.dense_weight": 1.0, "search.rerank": 0, "search.by_query": False},
            plain=True,
        ).hits
        (vector,) = (one.vector for one in embedder.embed([question]))
        spans = []
        for hit in hits:
            spoken = {one.span_id for one in library.mentions(hit.paper.id)}
            texts = [span.text for span in hit.passage.spans if span.id in spoken]
            spans.append(
                np.array([one.vector for one in embedder.embed(texts)]) if texts else np.empty((0, len(vector)))
            )
        scores = (hits[0].factors["cosine"], hits[1].factors["cosine"])
        first, second = told_apart(vector, scores, (spans[0], spans[1]))
        plain.append(hits[0].paper.id == wanted)
        told.append(hits[0 if first > second else 1].paper.id == wanted)
        near.append(scores[0] - scores[1] < THRESHOLD)
    return np.array(plain, float), np.array(told, float), np.array(near)


def difference(one: Floats, other: Floats) -> str:
    """The mean of the second, and how far it is above the first."""
    rng = np.random.default_rng(0)
    gain = (other - one)[rng.integers(0, len(one), (2000, len(one)))].mean(axis=1)
    low, high = np.quantile(gain, [0.025, 0.975])
    return f"{other.mean():.4f} ({(other - one).mean():+.4f}, {low:+.4f} to {high:+.4f})"


def main() -> None:
    """Measure all in one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vocabularies", nargs="+", type=Path)
    parser.add_argument("--distractors", type=int, default=1500)
    parser.add_argument("--library", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.library or made(Path(name), given.vocabularies, given.distractors)
        with Library(folder) as library:
            ids = {one.external_id: one.id for one in library.papers()}
            asked = [(one["QUESTION"], ids[f"pubmedqa:{one['pmid']}"]) for one in corpora.pubmedqa()]
            found = {way: ranks(library, asked, settings) for way, settings in WAYS.items()}
            for way, values in found.items():
                print(f"graph {way}: MRR@20 {difference(found['no'], values)}")
            plain, told, near = near_ties(library, asked)
            print(f"vectors alone: P@1 {plain.mean():.4f}; with Algorithm 1 {difference(plain, told)}")
            print(f"where the first two are nearer than {THRESHOLD} ({near.sum()}): "
                  f"{plain[near].mean():.4f}; {difference(plain[near], told[near])}")  # fmt: skip
            linked = kept.counts(library.session.catalog)
            print(f"{len(linked)} entities")


if __name__ == "__main__":
    main()
