"""Bit codes in pgvector (`binary_quantize`, ranked again by 16-bit numbers) beside its HNSW of 16-bit numbers.

    python benchmarks/bit_codes.py [--rows 20000]

Vectors are those of `postgres_engine.py` (`--part sets` makes the real ones that they are drawn from). Rows that pass a
filter are a part at random, and all of them are searched through the indexes, also where the engine would compare what
passes one by one (`exact`). `exact` is what recall is measured by.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import closing

import numpy as np
import psycopg
from postgres_engine import make_vectors, run_server
from results import Figure, join_figures, store_figures

from conspectus.core.arrays import FloatArray
from conspectus.index.postgres_reader import EFFORT
from postgres_server import Server

QUERIES = 60
SHARES = (1.0, 0.1, 0.01, 0.001)
RERANKED = 400
CODE = "binary_quantize(vector)::bit({size})"


def text_of(vector: FloatArray) -> str:
    return "[" + ",".join(f"{value:.6g}" for value in vector.tolist()) + "]"


def build(connection: psycopg.Connection[tuple[object, ...]], vectors: FloatArray) -> list[Figure]:
    """A table with both indexes; what each took to make, and its size."""
    size = vectors.shape[1]
    connection.execute("CREATE EXTENSION vector")
    connection.execute(f"CREATE TABLE v (key integer, part real, vector halfvec({size}))")
    connection.execute("ALTER TABLE v ALTER COLUMN vector SET STORAGE MAIN")
    parts = np.random.default_rng(1).permutation(len(vectors)) / len(vectors)
    with connection.cursor() as cursor, cursor.copy("COPY v FROM STDIN") as copy:
        for key, vector in enumerate(vectors):
            copy.write_row((key, float(parts[key]), text_of(vector)))
    connection.execute("SET maintenance_work_mem = '1GB'")
    figures = []
    codes = CODE.format(size=size)
    for name, column in (("halfvec", "vector halfvec_ip_ops"), ("bits", f"({codes}) bit_hamming_ops")):
        begun = time.perf_counter()
        connection.execute(f"CREATE INDEX {name} ON v USING hnsw ({column}) WITH (m = 16, ef_construction = 100)")
        seconds = time.perf_counter() - begun
        row = connection.execute("SELECT pg_relation_size(%s) / 1e6", (name,)).fetchone()
        assert row
        figures.append(Figure(f"index of {name}: made in; size", f"{seconds:.0f} s; {row[0]:.0f} MB"))
        print(figures[-1], flush=True)
    connection.execute("VACUUM ANALYZE v")
    return figures


def statement(way: str, size: int, share: float) -> str:
    """The nearest ten."""
    where = "" if share == 1 else f"WHERE part < {share}"
    order = "vector <#> %(query)s::halfvec"
    if way == "exact":
        return f"SELECT key FROM v {where} ORDER BY {order} LIMIT 10"
    if way == "halfvec":
        near = f"SELECT key, vector FROM v {where} ORDER BY {order} LIMIT 10"
    else:
        codes = CODE.format(size=size)
        asked = f"binary_quantize(%(query)s::halfvec)::bit({size})"
        near = f"SELECT key, vector FROM v {where} ORDER BY {codes} <~> {asked} LIMIT {RERANKED}"
    return f"WITH near AS MATERIALIZED ({near}) SELECT key FROM near ORDER BY {order} LIMIT 10"


def search(
    connection: psycopg.Connection[tuple[object, ...]], way: str, share: float, queries: FloatArray
) -> tuple[list[float], list[set[object]]]:
    """Milliseconds and keys of each search, after one that warms up."""
    query, times, hits = statement(way, queries.shape[1], share), [], []
    with connection.transaction():
        for name, value in {
            "enable_indexscan": "off" if way == "exact" else "on",
            "enable_seqscan": "on" if way == "exact" else "off",
            "enable_sort": "on",
            "max_parallel_workers_per_gather": "0",
            "hnsw.ef_search": str(EFFORT),
            "hnsw.max_scan_tuples": "10000000",
            "hnsw.iterative_scan": "relaxed_order",
        }.items():
            connection.execute("SELECT set_config(%s, %s, TRUE)", (name, value))
        for vector in (queries[0], *queries):
            begun = time.perf_counter()
            found = connection.execute(query, {"query": text_of(vector)}).fetchall()
            times.append(1000 * (time.perf_counter() - begun))
            hits.append({key for (key,) in found})
    return times[1:], hits[1:]


def compare(server: Server, rows: int) -> list[Figure]:
    """All ways with all filters."""
    vectors = make_vectors(rows + QUERIES)
    vectors, queries = vectors[:rows], vectors[rows:]
    with closing(psycopg.connect(server._libpq_url(), autocommit=True)) as connection:
        figures = build(connection, vectors)
        for share in SHARES:
            found = {way: search(connection, way, share, queries) for way in ("exact", "halfvec", "bits")}
            want = found["exact"][1]
            said = {}
            for way, (times, hits) in found.items():
                recall = recall_of(hits, want)
                said[way] = f"{np.percentile(times, 50):.1f}; {np.percentile(times, 95):.1f} ms, {recall:.3f}"
            peer = f"exact {said['exact']}, halfvec {said['halfvec']}"
            what = f"bit codes, {share:.1%} pass: p50; p95, recall@10"
            figures.append(Figure(what, said["bits"], "recall ≥ .97", peer))
            print(figures[-1], flush=True)
    return figures


def recall_of(hits: Sequence[set[object]], want: Sequence[set[object]]) -> float:
    return float(np.mean([len(mine & best) / max(len(best), 1) for mine, best in zip(hits, want, strict=True)]))


def main() -> None:
    """Measure, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    given = parser.parse_args()
    with run_server() as server:
        figures = compare(server, given.rows)
    command = "python benchmarks/bit_codes.py " + " ".join(sys.argv[1:])
    store_figures("bit_codes", "speed", command, [join_figures(f"pgvector, {given.rows:,} vectors", figures)])


if __name__ == "__main__":
    main()
