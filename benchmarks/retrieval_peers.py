"""Retrieval beside bm25s, PaperQA2 and sentence-transformers with FAISS: one corpus, the same questions, one run.

    python benchmarks/retrieval_peers.py --install      # once, several GB: environments under .bench/peers
    python benchmarks/retrieval_peers.py [--sets scifact cranfield] [--rounds 2] [--envs FOLDER] [--systems ...]

The sets are those of `conspectus eval retrieval` (SciFact: 809 claims with the abstracts they cite, the whole corpus of
5,183). Each system is a process of its own (`retrieval_peer_child.py`) with the same number of threads and no network,
and has the same records. No language model is used. PaperQA2 and FAISS search by vectors of all-MiniLM-L6-v2 from
sentence-transformers and the published weights; Conspectus has its own 8-bit form of the same weights.

* conspectus: the default configuration; it cuts long abstracts into passages itself.
* bm25s: title and abstract; English stop words and Snowball's stemmer, as its documentation shows; its parameters.
* PaperQA2: each abstract, with its title, as one passage (`Docs.aadd_texts`, embedded by its own embedder); the search
  is `Docs.retrieve_texts`. `paperqa-hybrid` is its hybrid embedding.
* FAISS: title and abstract as one text, `SentenceTransformer.encode`, `IndexFlatIP`. PaperQA2's embedder is the same
  call, so the vectors of the corpus are made once for both; each embeds the questions itself.

The systems write rankings only; all metrics are computed here, with the code of `conspectus eval`. What the library
holds as copies of one paper is one paper for all systems. Papers without text are given to none.

* *nDCG@10, P@1, recall@10*: of a search for ten papers; *recall@100*: of a search for a hundred.
* *difference*: of nDCG@10, Conspectus less the peer, question by question; 95 % interval and p of the paired bootstrap.
* *search*: one question after the other, warm, the embedding of the question included; after the corpus is in memory
  each system answers 20 questions unmeasured. All systems stay in memory and take turns of 50 questions, another one
  first each time, so that what else the machine does slows all of them; p50 and p95 over all questions and rounds.
  In brackets how many times Conspectus's figure it is. One thread each, as it comes: on a busy machine two threads of
  torch wait for each other, and a question takes ten times as long.

Libraries and vectors are kept under `.bench/retrieval-peers`, one folder for each corpus; `--papers` and `--limit` are
for trying it out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import corpora
import numpy as np
import peers

from conspectus.evaluation import Question, RankingMetrics, load
from conspectus.evaluation.comparison import interval, paired
from conspectus.evaluation.question_sets import sample

CHILD = Path(__file__).with_name("retrieval_peer_child.py")
WARM = 20
TURN = 50
K, DEEP = 10, 100
QUALITY = ("nDCG@10", "P@1", "recall@10")
DEPTH = "recall@100"

PYTHON, PACKAGES = peers.ENVIRONMENTS["paperqa"]
ENVIRONMENTS = {
    "paperqa": (PYTHON, [*PACKAGES, "faiss-cpu==1.15.1"]),
    "bm25s": (PYTHON, ["bm25s==0.3.16", "PyStemmer==3.1.0"]),
}

SYSTEMS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "conspectus": ("conspectus", "conspectus", "", {}),
    "bm25s": ("bm25s", "bm25s", "bm25s", {}),
    "paperqa": ("PaperQA2", "paperqa", "paperqa", {"embedding": "st-"}),
    "paperqa-hybrid": ("PaperQA2, hybrid", "paperqa", "paperqa", {"embedding": "hybrid-st-"}),
    "flat": ("sentence-transformers, FAISS", "flat", "paperqa", {}),
}
"""By key: what it is called, the class of `retrieval_peer_child.py`, its environment, and its options."""

USUAL = ["conspectus", "bm25s", "paperqa", "flat"]


@dataclass(frozen=True)
class Corpus:
    """A set as the systems get it: the file of its records, a folder for what they keep, and the questions."""

    name: str
    folder: Path
    records: Path
    papers: int
    questions: tuple[Question, ...]


@dataclass
class Found:
    """Of one system: what it said at its start, its rankings by depth, and what its searches took."""

    told: dict[str, Any]
    rankings: dict[int, list[list[str]]] = field(default_factory=lambda: {K: [], DEEP: []})
    took: dict[int, list[float]] = field(default_factory=lambda: {K: [], DEEP: []})
    cpu: dict[int, float] = field(default_factory=lambda: {K: 0.0, DEEP: 0.0})


def corpus(name: str, papers: int, limit: int) -> Corpus:
    """The set of that name; `papers` and `limit` of 0 are all. Names of papers are `set:id`."""
    whole = load(name, corpora.data_folder())
    rows = [
        {"id": f"{name}:{one.id}", "title": one.title, "abstract": one.abstract}
        for one in whole.documents()
        if not one.is_empty
    ][: papers or None]
    known = {row["id"] for row in rows}
    named = (
        replace(one, relevant={f"{name}:{paper}": grade for paper, grade in one.relevant.items()})
        for one in whole.questions
    )
    questions = [one for one in named if not papers or known.intersection(one.relevant)]
    digest = blake2b(json.dumps(rows).encode(), digest_size=4).hexdigest()
    folder = corpora.WORK / "retrieval-peers" / f"{name}-{digest}"
    file = corpora.write_lines(folder / "records.jsonl", rows)
    return Corpus(name, folder, file, len(rows), sample(questions, limit, 0))


class Child:
    """A system that runs; it ends with the block."""

    def __init__(self, key: str, of: Corpus, envs: Path, threads: int) -> None:
        _, kind, environment, options = SYSTEMS[key]
        python = str(envs.absolute() / environment / "bin" / "python") if environment else sys.executable
        if not Path(python).exists():
            sys.exit(f"There is no '{python}'. Make it once: python benchmarks/retrieval_peers.py --install")
        job = {
            "system": kind,
            "options": options,
            "records": str(of.records),
            "folder": str(of.folder),
            "model": str(envs.absolute() / "minilm" / peers.MODEL[1]),
            "wanted": sorted({paper for one in of.questions for paper in one.relevant}),
        }
        file = of.folder / f"{key}.job.json"
        file.write_text(json.dumps(job), "utf-8")
        self.log = of.folder / f"{key}.log"
        own = peers.OFFLINE | {"PQA_HOME": str(of.folder)} | dict.fromkeys(peers.THREADS, str(threads))
        with self.log.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [python, str(CHILD), str(file)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | own,
            )
        self.told = self._line()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, questions: Sequence[str], k: int) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"questions": questions, "k": k}) + "\n")
        self._process.stdin.flush()
        return self._line()

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"It ended: {self.log}")
        said: dict[str, Any] = json.loads(line)
        return said


def run(of: Corpus, keys: Sequence[str], envs: Path, threads: int, rounds: int) -> dict[str, Found]:
    """What each system found, and how long it took; they take turns."""
    asked = [one.text for one in of.questions]
    with ExitStack() as running:
        children: dict[str, Child] = {}
        for key in keys:
            children[key] = running.enter_context(Child(key, of, envs, threads))
            print(f"{of.name}, {key}: {children[key].told}", file=sys.stderr, flush=True)
        found = {key: Found(child.told) for key, child in children.items()}
        for child in children.values():
            child.ask(asked[:WARM], K)
        for number in range(rounds):
            turns(children, found, asked, K, keep=number == 0)
            print(f"{of.name}, round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        turns(children, found, asked, DEEP, keep=True)
    return found


def turns(children: dict[str, Child], found: dict[str, Found], asked: list[str], k: int, *, keep: bool) -> None:
    """All questions once, `TURN` by `TURN`; `keep`: the rankings, too, which are the same each time."""
    for turn, begin in enumerate(range(0, len(asked), TURN)):
        keys = list(children)
        first = turn % len(keys)
        for key in keys[first:] + keys[:first]:
            said = children[key].ask(asked[begin : begin + TURN], k)
            found[key].took[k] += said["took"]
            found[key].cpu[k] += said["cpu"]
            if keep:
                found[key].rankings[k] += said["rankings"]


def quality(of: Corpus, found: dict[str, Found]) -> None:
    """Print the metrics, and the differences of nDCG@10 to Conspectus's."""
    called: dict[str, str] = found["conspectus"].told["aliases"]

    def one_each(ranking: list[str]) -> list[str]:
        return list(dict.fromkeys(called.get(name, name) for name in ranking))

    questions = [
        replace(one, relevant={called.get(name, name): grade for name, grade in one.relevant.items()})
        for one in of.questions
    ]
    scores: dict[str, dict[str, list[float]]] = {}
    for key, one in found.items():
        scores[key] = {}
        for names, k in ((QUALITY, K), ((DEPTH,), DEEP)):
            made = RankingMetrics(names).score(questions, list(map(one_each, one.rankings[k])))
            scores[key] |= {name: [score[name] for score in made] for name in names}
    rows = []
    for key, by in scores.items():
        shown = interval(by[QUALITY[0]])
        row = [SYSTEMS[key][0], f"{shown.mean:.4f} [{shown.low:.3f}, {shown.high:.3f}]"]
        row += [f"{np.mean(by[name]):.4f}" for name in (*QUALITY[1:], DEPTH)]
        if key == "conspectus":
            rows.append([*row, "", ""])
            continue
        apart = paired(QUALITY[0], by[QUALITY[0]], scores["conspectus"][QUALITY[0]])
        rows.append([*row, f"{apart.mean:+.4f} [{apart.low:+.3f}, {apart.high:+.3f}]", f"{apart.p:.4f}"])
    head = [f"{of.name}: {len(questions)} questions, {of.papers} papers", *QUALITY, DEPTH]
    peers.table([*head, "difference of nDCG@10", "p"], rows)


def cost(of: Corpus, found: dict[str, Found]) -> None:
    """Print what a search takes, and how many times Conspectus's it is."""

    def figures(one: Found) -> list[float]:
        shallow, deep = (1000 * np.asarray(one.took[k]) for k in (K, DEEP))
        p50, p95 = np.percentile(shallow, [50, 95])
        return [float(p50), float(p95), 1000 * one.cpu[K] / len(shallow), float(np.median(deep))]

    own = figures(found["conspectus"])
    rows = []
    for key, one in found.items():
        ratios = [
            f" ({value / base:.3g})" if key != "conspectus" else ""
            for value, base in zip(figures(one), own, strict=True)
        ]
        cells = [f"{value:.3g}{ratio}" for value, ratio in zip(figures(one), ratios, strict=True)]
        rows.append([SYSTEMS[key][0], *cells])
    peers.table([f"{of.name}: a search", "p50, ms", "p95, ms", "CPU-ms", f"p50 of one for {DEEP}, ms"], rows)
    versions = {name: version for one in found.values() for name, version in one.told["versions"].items()}
    print("\n" + ", ".join(f"{name} {version}" for name, version in versions.items()))


def main() -> None:
    """Run the systems on each set and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the environments and stop")
    parser.add_argument("--envs", type=Path, default=corpora.WORK / "peers", help="where the environments are")
    parser.add_argument("--sets", nargs="*", default=["scifact"], help="of those of `conspectus eval retrieval`")
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=USUAL)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1, help="of each system")
    parser.add_argument("--limit", type=int, default=0, help="questions at most, drawn at random; 0: all")
    parser.add_argument("--papers", type=int, default=0, help="the first so many papers, and their questions; 0: all")
    given = parser.parse_args()
    if given.install:
        peers.install(given.envs, ENVIRONMENTS)
        return
    keys = list(dict.fromkeys(["conspectus", *given.systems]))
    for name in given.sets:
        of = corpus(name, given.papers, given.limit)
        found = run(of, keys, given.envs, given.threads, given.rounds)
        quality(of, found)
        cost(of, found)


if __name__ == "__main__":
    main()
