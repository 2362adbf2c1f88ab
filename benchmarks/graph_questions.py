"""Does the graph find more where several entities are named? Questions of entities that no sentence joins (K8, K9).

    python benchmarks/graph_questions.py [--library FOLDER] [--full 100] [--abstracts 100] [--questions 200]
                                         [--short | --auto]

A library of the neuroscience corpus (its first full texts and abstracts), linked by UBERON, CL and MONDO. In one run,
each with its difference to a search without the graph and its 95 % bootstrap interval:

* multi-entity questions: two or three entities that no sentence speaks of together, joined over a middle; right are
  the papers of the hops. That is what Algorithm 2 looks for, so it is the kindest to it, and no proof of use;
* the library's own questions (`eval self`), which know nothing of the graph.

`--short`: the multi-entity ones alone, ten hits deep, each asked in all three ways before the next; told as it goes.
`--auto`: `eval graph` with questions of one seed, and what `search.graph = auto` makes of that on those of another.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from corpora import data_folder, open_text, read_lines

from conspectus import Library
from conspectus.evaluation import QuestionOptions, RetrievalOptions, against_baseline, evaluate_graph
from conspectus.evaluation.own_library import questions_of
from conspectus.evaluation.own_questions import multi_entity
from conspectus.evaluation.retrieval import RankingMetrics

VOCABULARIES = ("UBERON", "CL", "MONDO")
METRICS = ("nDCG@10", "recall@10", "RR@10", "AP")


def difference(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> str:
    """The mean of the second, and how far it is above the first, with its 95 % bootstrap interval."""
    rng = np.random.default_rng(0)
    gain = (other - one)[rng.integers(0, len(one), (2000, len(one)))].mean(axis=1)
    low, high = np.quantile(gain, [0.025, 0.975])
    return f"{other.mean():.4f} ({(other - one).mean():+.4f}, {low:+.4f} to {high:+.4f})"


def unpacked(name: str, folder: Path) -> Path:
    """A vocabulary as a file that `vocabulary add` reads."""
    path = folder / f"{name}.json"
    with open_text(next((data_folder() / "obo_json").glob(f"{name}-*"))) as packed:
        path.write_text(packed.read(), "utf-8")
    return path


def made(folder: Path, full: int, abstracts: int) -> Path:
    """The library, linked."""
    data, papers = data_folder() / "neuro_corpus", folder / "papers"
    papers.mkdir(parents=True)
    for kind, count in (("fulltext", full), ("abstracts", abstracts)):
        for one in islice((one for one in read_lines(data / f"{kind}.jsonl.gz") if one.get("abstract")), count):
            head = f"---\ntitle: {one['title']!r}\nyear: {one['year']}\n---\n\n## Abstract\n\n{one['abstract']}\n\n"
            (papers / f"{one['id']}.md").write_text(head + (one.get("body") or ""), "utf-8")
    with Library(folder / "library") as library:
        library.add(papers)
        library.vocabularies.add([unpacked(name, folder) for name in VOCABULARIES])
        report = library.graph.link()
        print(f"{report.papers} papers, {report.mentions} mentions of {report.entities} entities")
    return folder / "library"


def short(folder: Path, number: int) -> None:
    """Means, and what the graph adds to each metric, after every ten questions."""
    metrics, ways = RankingMetrics(METRICS[:3]), ("no", "subgraph", "pagerank")
    found: dict[str, list[list[float]]] = {way: [] for way in ways}
    with Library(folder) as library:
        questions = list(multi_entity(library, number, "words")[0].questions)
        random.Random(0).shuffle(questions)
        for at, question in enumerate(questions, 1):
            for way in ways:
                hits = library.search(question.text, k=10, settings={"search.graph": way}, plain=True).hits
                (scores,) = metrics.score([question], [tuple(hit.paper.id for hit in hits)])
                found[way].append([scores[name] for name in metrics.names])
            if at % 10 == 0:
                without, *others = (np.array(found[way]) for way in ways)
                for way, values in zip(ways[1:], others, strict=True):
                    said = (f"{name} {difference(without[:, n], values[:, n])}" for n, name in enumerate(metrics.names))
                    print(f"{at} questions, {way}: {'; '.join(said)}", flush=True)


def auto(folder: Path, number: int) -> None:
    """The means of hybrid, both methods and `auto` by kind of question, and how many questions used the graph."""
    making = QuestionOptions(number, by="words", multi_entity=True)
    list(evaluate_graph(folder, making, RetrievalOptions()))
    metrics, ways = RankingMetrics(METRICS[:3]), ("no", "subgraph", "pagerank", "auto")
    with Library(folder) as library:
        print(*library.graph.verdicts(), sep="\n")
        known = {one.text for posed in questions_of(library, making) for one in posed.questions}
        for posed in questions_of(library, making, seed=1):
            questions = [one for one in posed.questions if one.text not in known]
            print(f"{posed.dataset}: {len(questions)} questions that `eval graph` did not ask", flush=True)
            before = np.zeros(0)
            for way in ways:
                settings = {"search.graph": way}
                found = [library.search(one.text, k=10, settings=settings, plain=True).hits for one in questions]
                rows = metrics.score(questions, [tuple(hit.paper.id for hit in hits) for hits in found])
                values = np.array([[row[name] for name in metrics.names] for row in rows])
                before = before if before.size else values
                used = sum(any("graph" in hit.factors for hit in hits) for hits in found)
                told = (f"{name} {difference(before[:, n], values[:, n])}" for n, name in enumerate(metrics.names))
                print(f"  {way}, {used} by the graph: {'; '.join(told)}", flush=True)


def main() -> None:
    """Measure all in one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--full", type=int, default=100)
    parser.add_argument("--abstracts", type=int, default=100)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--auto", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = given.library or made(Path(name), given.full, given.abstracts)
        if given.short or given.auto:
            (short if given.short else auto)(folder, given.questions)
            return
        making = QuestionOptions(given.questions, by="words", multi_entity=True)
        results = list(evaluate_graph(folder, making, RetrievalOptions(METRICS)))
        for one in against_baseline(results, "no-graph"):
            print(f"{one.dataset}: {one.second}")
            for said in one.differences:
                print(f"  {said.metric} {said.mean:+.4f} [{said.low:+.4f}, {said.high:+.4f}], {said.count} questions")
        for result in results:
            means = ", ".join(f"{name} {one.mean:.4f}" for name, one in result.aggregates.items())
            print(f"{result.dataset}, {result.configuration.name}: {means}")


if __name__ == "__main__":
    main()
