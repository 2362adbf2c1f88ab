"""What entities do for finding passages: the question of a PubMedQA paper asks for its abstract.

    python benchmarks/graph_retrieval.py VOCABULARY… [--distractors 1500] [--library FOLDER] [--auto]

The 500 abstracts lie among others. In one run: as it is, with the subgraph (Algorithm 2 of Ta et al.) and with
personalised PageRank as a third channel and with Algorithm 1 (`search.graph_near_ties`); and vectors alone with and
without Algorithm 1, whose entity-centred spans are the sentences that speak of an entity: of one that the question
names, as search has it, or of any. Differences have bootstrap intervals (95 %). `--set` takes another set of
`conspectus eval retrieval` (scifact, bioasq …), whose papers are then all of the library. `--auto`: after `eval graph`
on the library's own questions also with `search.graph = auto`, and nothing of Algorithm 1.
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
from conspectus.evals import Making, evaluate_graph, load
from conspectus.graph.near_ties import THRESHOLD, told_apart

Floats = npt.NDArray[np.float64]
WAYS: dict[str, dict[str, object]] = {
    f"graph {name}": {"search.graph": name} for name in ("no", "subgraph", "pagerank")
}
WAYS["near ties"] = {"search.graph_near_ties": True}
ALONE: dict[str, object] = {"search.dense_weight": 1.0, "search.rerank": 0, "search.by_query": False}


def made(folder: Path, vocabularies: list[Path], distractors: int, name: str) -> Path:
    """The library, linked: of a set, or of PubMedQA's papers among others."""
    files = []
    if name:
        papers = (
            {"id": f"{name}:{one.id}", "title": one.title, "abstract": one.abstract} for one in load(name).documents()
        )
        files.append(corpora.write_lines(folder / "set.jsonl", papers))
    else:
        others = (one for one, _ in zip(corpora.distractors(), range(distractors), strict=False))
        files.append(corpora.write_lines(folder / "asked.jsonl", corpora.pubmedqa_records()))
        files.append(corpora.write_lines(folder / "others.jsonl", others))
    with Library(folder / "library") as library:
        library.add(files)
        library.add_vocabulary(vocabularies)
        report = library.link()
        print(f"{report.papers} abstracts, {report.mentions} mentions of {report.entities} entities")
    return folder / "library"


def posed(library: Library, name: str) -> list[tuple[str, set[str]]]:
    """Questions, each with the papers that are right."""
    ids = {one.external_id: one.id for one in library.papers()}
    if not name:
        return [(one["QUESTION"], {ids[f"pubmedqa:{one['pmid']}"]}) for one in corpora.pubmedqa()]
    asked = [
        (one.text, {ids[key] for right in one.relevant if (key := f"{name}:{right}") in ids})
        for one in load(name).questions
    ]
    return [(text, right) for text, right in asked if right]


def ranks(library: Library, asked: list[tuple[str, set[str]]], settings: dict[str, object], k: int = 20) -> Floats:
    """The reciprocal rank of the first right paper among the first `k`; 0: it is not there."""
    found = []
    for question, wanted in asked:
        hits = [hit.paper.id for hit in library.search(question, k=k, settings=settings, plain=True).hits]
        found.append(next((1 / rank for rank, hit in enumerate(hits, 1) if hit in wanted), 0.0))
    return np.array(found)


def near_ties(library: Library, asked: list[tuple[str, set[str]]]) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Whether the first by vectors is right, without and with Algorithm 1, and where the first two are near."""
    embedder, plain, told, near = library.session.embedder, [], [], []
    for question, wanted in asked:
        hits = library.search(question, k=2, settings=ALONE, plain=True).hits
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
        plain.append(hits[0].paper.id in wanted)
        told.append(hits[0 if first > second else 1].paper.id in wanted)
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
    parser.add_argument("--set", default="")
    parser.add_argument("--auto", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.library or made(Path(name), given.vocabularies, given.distractors, given.set)
        ways = WAYS
        if given.auto:
            list(evaluate_graph(folder, Making(100, by="words", multi_entity=True)))
            ways = {**dict(list(WAYS.items())[:3]), "graph auto": {"search.graph": "auto"}}
        with Library(folder) as library:
            print(*library.graph_verdicts(), sep="\n")
            asked = posed(library, given.set)
            found = {way: ranks(library, asked, settings) for way, settings in ways.items()}
            for way, values in found.items():
                print(f"{way}: MRR@20 {difference(found['graph no'], values)}")
            if given.auto:
                return
            plain, told, near = near_ties(library, asked)
            searched = ranks(library, asked, {**ALONE, "search.graph_near_ties": True}, 1)
            print(f"vectors alone: P@1 {plain.mean():.4f}")
            for spans, values in (("any entity", told), ("the question's entities", searched)):
                print(f"Algorithm 1, spans of {spans}: {difference(plain, values)}")
                close = f"{plain[near].mean():.4f}; {difference(plain[near], values[near])}"
                print(f"  where the first two are nearer than {THRESHOLD} ({near.sum()}): {close}")
            linked = kept.count_mentions(library.session.catalog)
            print(f"{len(linked)} entities")


if __name__ == "__main__":
    main()
