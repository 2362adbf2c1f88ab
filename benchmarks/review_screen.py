"""Screening the ten reviews of `sysrev`, beside ASReview's default: work saved, recall, loss, and when to stop.

    python -m venv /tmp/asreview && /tmp/asreview/bin/pip install asreview==3.0.8
    python benchmarks/review_screen.py --peer /tmp/asreview/bin/python            # five reviews, to choose by
    python benchmarks/review_screen.py --peer /tmp/asreview/bin/python --sealed   # the other five (by hash)
    python benchmarks/review_screen.py --peer /tmp/asreview/bin/python --all      # both, and the figures are kept

Each record is read in the order of the learner and gets its label, until all relevant ones are found. Ours begins with
the criteria in `sets/review_criteria.toml` and fits anew after each label up to `EACH`, then after each 1 % of those
read. ASReview (`elas_u4`) fits after each label; it has no criteria and begins with the records in their order. Its
orders are kept in `.bench`.

* WSS@95: records unread when 95 % of the relevant ones are found, less 5 %.
* recall at 10 %: of the relevant records, those among the first tenth that is read.
* loss: area above the curve of recall, 0 for a perfect order and 0.5 for a random one (as ASReview reckons it).
* stopping: where the rule stops, the recall, and the share of records unread; with it Callaghan's rule (the same test
  with bias 1) and 50 irrelevant records in a row.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import time
import tomllib
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus.core.groups import grouped
from conspectus.models.registry import make_embedder
from conspectus.review.screen.reading_order import FeatureTable, marks_of, order_unread, vector_features, word_features
from conspectus.review.screen.stopping_rule import ALPHA, TARGET, may_stop, recall_p
from conspectus.settings import load_settings

EACH, GROWTH = 100, 0.01
CRITERIA = Path(__file__).with_name("sets") / "review_criteria.toml"
LETTERS = 900
"""Of title and abstract, as they are embedded."""
PEER = """
import json, sys, warnings
import numpy, pandas
warnings.filterwarnings("ignore")
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config
from asreview.models.queriers import TopDown
from asreview.models.stoppers import IsFittable
from asreview.simulation.simulate import Simulate
for line in sys.stdin:
    item = json.loads(line)
    frame = pandas.DataFrame({"title": item["titles"], "abstract": item["abstracts"], "keywords": ""})
    numpy.random.seed(535)
    learner = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    first = ActiveLearningCycle(querier=TopDown(), stopper=IsFittable())
    simulation = Simulate(frame, item["labels"], [first, learner], print_progress=False)
    simulation.review()
    order = [int(row) for row in simulation._results["record_id"]]
    print(json.dumps({"topic": item["topic"], "order": order}), flush=True)
"""
Order = Sequence[int]


class Scores(NamedTuple):
    """Of one review; `at`: the share that is read, and the recall, where each rule stops."""

    wss: float
    recall: float
    loss: float


def reviews(part: str) -> dict[str, list[dict[str, Any]]]:
    """The records of the reviews of a part: `open`, `sealed` or `all`."""
    rows = corpora.read_lines(corpora.data_folder() / "sysrev" / "records.jsonl.gz")
    by_topic = grouped((row["topic"], row) for row in rows)
    drawn = sorted(by_topic, key=lambda topic: hashlib.sha256(topic.encode()).hexdigest())
    chosen = {"open": drawn[:5], "sealed": drawn[5:], "all": drawn}[part]
    return {topic: list(by_topic[topic]) for topic in chosen}


def criteria_of(topic: str) -> tuple[str, list[str]]:
    """What a review includes and excludes."""
    table = tomllib.loads(CRITERIA.read_text("utf-8"))
    own = table["reviews"][topic]
    return " ".join(text.format(**own) for text in (table["question"], *table["include"])), table["exclude"]


def vectors_of(records: Sequence[dict[str, Any]]) -> np.ndarray[Any, Any]:
    """Vectors of records, kept under `.bench` by their texts."""
    embedder = make_embedder(load_settings().models)
    texts = [f"{row['title'] or ''}\n{row['abstract'] or ''}"[:LETTERS] for row in records]
    name = hashlib.sha256("\0".join((embedder.id, *texts)).encode()).hexdigest()[:16]
    path = corpora.WORK / f"review_screen_{name}.npy"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        np.save(path, np.array([next(iter(embedder.embed([text]))).vector for text in texts], np.float32))
    return np.load(path)


def tables_of(topic: str, records: Sequence[dict[str, Any]]) -> list[FeatureTable]:
    """Words and vectors, as the program makes them of a library."""
    embedder = make_embedder(load_settings().models)
    include, exclude = criteria_of(topic)
    authors = [" ".join("author_" + "_".join(name.lower().split()) for name in row["authors"]) for row in records]
    texts = [f"{row['title'] or ''} {row['abstract'] or ''} {own}" for row, own in zip(records, authors, strict=True)]
    marks = [marks_of(row["title"] or "", row["abstract"] or "") for row in records]
    against = np.array([embedder.embed_query(text).vector for text in exclude])
    return [
        word_features(texts, include, exclude, marks),
        vector_features(vectors_of(records), embedder.embed_query(include).vector, against),
    ]


def read_all(tables: Sequence[FeatureTable], truth: Sequence[bool]) -> Order:
    """The records in the order in which they are read."""
    labels: dict[int, bool] = {}
    while sum(labels.values()) < sum(truth):
        at_once = 1 if len(labels) < EACH else max(1, int(GROWTH * len(labels)))
        for paper in order_unread(tables, labels)[:at_once]:
            labels[paper.row] = truth[paper.row]
    return whole(list(labels), len(truth))


def whole(order: Order, count: int) -> Order:
    """An order with what was never read behind it."""
    read = set(order)
    return [*order, *(row for row in range(count) if row not in read)]


def score(order: Order, truth: Sequence[bool]) -> Scores:
    """Measures of an order."""
    found = np.cumsum([truth[row] for row in order])
    count, relevant = len(truth), int(found[-1])
    needed = int(np.searchsorted(found, ceil(0.95 * relevant))) + 1
    best = relevant * (count - (relevant - 1) / 2)
    return Scores(
        1 - needed / count - 0.05,
        float(found[ceil(0.1 * count) - 1] / relevant),
        float((best - found.sum()) / (relevant * (count - relevant))),
    )


def callaghan(outcomes: Sequence[bool], papers: int) -> bool:
    """The same test with papers taken as drawn at random."""
    found = sum(outcomes)
    total = int(found / TARGET + 1e-9) + 1
    return len(outcomes) == papers or (found > 0 and recall_p(outcomes, papers, total, bias=1.0) < ALPHA)


def fifty(outcomes: Sequence[bool], papers: int) -> bool:
    """50 irrelevant records in a row."""
    return len(outcomes) == papers or (len(outcomes) >= 50 and not any(outcomes[-50:]))


RULES: dict[str, Callable[[Sequence[bool], int], bool]] = {"ours": may_stop, "Callaghan": callaghan, "50": fifty}


def stops(order: Order, truth: Sequence[bool], rule: Callable[[Sequence[bool], int], bool]) -> tuple[float, float]:
    """The recall where a rule stops, and the share of records that stay unread."""
    outcomes = [truth[row] for row in order]
    read = next(n for n in range(1, len(truth) + 1) if rule(outcomes[:n], len(truth)))
    return sum(outcomes[:read]) / sum(outcomes), 1 - read / len(truth)


def peer_orders(python: str, chosen: dict[str, list[dict[str, Any]]]) -> dict[str, Order]:
    """The orders of ASReview, of reviews that it has not ordered yet made by its interpreter."""
    kept = corpora.WORK / "review_screen_asreview.jsonl"
    known = {row["topic"]: row["order"] for row in corpora.read_lines(kept)} if kept.exists() else {}
    new = {topic: rows for topic, rows in chosen.items() if topic not in known}
    if new and python:
        lines = [
            json.dumps(
                {
                    "topic": topic,
                    "titles": [row["title"] or "" for row in rows],
                    "abstracts": [row["abstract"] or "" for row in rows],
                    "labels": [row["included"] for row in rows],
                }
            )
            for topic, rows in new.items()
        ]
        done = subprocess.run([python, "-c", PEER], input="\n".join(lines), capture_output=True, text=True, check=True)
        kept.parent.mkdir(exist_ok=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(done.stdout)
        known |= {row["topic"]: row["order"] for row in map(json.loads, done.stdout.splitlines())}
    return {topic: whole(known[topic], len(rows)) for topic, rows in chosen.items() if topic in known}


def measure_speed(chosen: dict[str, list[dict[str, Any]]]) -> tuple[float, float]:
    """Processor seconds until 10,000 papers are ordered again after the 1,000th label, and megabytes more after it."""
    rows = [row for records in chosen.values() for row in records][:10_000]
    vectors = np.concatenate([vectors_of(records) for records in chosen.values()])[:10_000]
    texts = (f"{row['title'] or ''} {row['abstract'] or ''}" for row in rows)
    include, exclude = criteria_of(next(iter(chosen)))
    tables = [word_features(texts, include, exclude), vector_features(vectors, vectors[0], vectors[: len(exclude)])]
    labels = {number * 10: bool(row["included"]) for number, row in enumerate(rows[:10_000:10])}
    order_unread(tables, labels)
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    for number in range(1, 6):
        order_unread(tables, labels | {number: False})
    spent = (time.process_time() - begin) / 5
    return spent, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", default="", help="an interpreter that has asreview 3.0.8")
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--all", action="store_true")
    chosen = parser.parse_args()
    part = "all" if chosen.all else "sealed" if chosen.sealed else "open"
    found = reviews(part)
    peer = peer_orders(chosen.peer, found)
    scores: dict[str, list[Scores]] = {"ours": [], "ASReview": []}
    stopped: dict[str, list[tuple[float, float]]] = {name: [] for name in RULES}
    for topic, rows in found.items():
        truth = [bool(row["included"]) for row in rows]
        order = read_all(tables_of(topic, rows), truth)
        scores["ours"].append(score(order, truth))
        line = [f"{topic:<24}", *(f"{value:.3f}" for value in scores["ours"][-1])]
        if topic in peer:
            scores["ASReview"].append(score(peer[topic], truth))
            line += ["| ASReview", *(f"{value:.3f}" for value in scores["ASReview"][-1])]
        for name, rule in RULES.items():
            stopped[name].append(stops(order, truth, rule))
            line += [f"| {name}", "{:.3f} {:.3f}".format(*stopped[name][-1])]
        print(*line, flush=True)
    mean = {name: np.mean(values, axis=0) for name, values in scores.items() if values}
    for name, values in mean.items():
        print(f"{name:<10} WSS@95 {values[0]:.3f}  recall at 10 % {values[1]:.3f}  loss {values[2]:.3f}")
    told = {}
    for name, pairs in stopped.items():
        good = sum(recall >= TARGET for recall, _ in pairs)
        told[name] = f"{good} of {len(pairs)}; {np.mean([unread for _, unread in pairs]):.1%}"
        print(f"{name:<10} recall ≥ .95; unread: {told[name]}")
    if chosen.all:
        spent, more = measure_speed(found)
        print(f"10,000 papers after 1,000 labels: {spent:.2f} CPU-s, {more:.0f} MB more")
        _store(mean, told, spent)


def _store(mean: dict[str, Any], told: dict[str, str], spent: float) -> None:
    names = ("WSS@95", "recall at 10 %", "loss")
    peer = mean.get("ASReview", [float("nan")] * 3)
    figures = [
        Figure(f"Screening ten reviews: {name}", f"{value:.3f}", limit, f"ASReview 3.0.8 {other:.3f}")
        for name, value, limit, other in zip(names, mean["ours"], ("≥ .43", "≥ .60", "≤ .15"), peer, strict=True)
    ]
    others = f"Callaghan {told['Callaghan']}, 50 in a row {told['50']}"
    figures.append(Figure("… stopping: reviews with recall ≥ .95; unread", told["ours"], "≥ 9; ≥ 20 %", others))
    figures.append(Figure("… 10,000 papers in order again after a label", f"{spent:.2f} CPU-s", "< 1 s"))
    store_figures("review_screen", "review", "python benchmarks/review_screen.py --peer PYTHON --all", figures)


if __name__ == "__main__":
    main()
