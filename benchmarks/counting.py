"""How long `search --count` takes at 350,000 abstracts.

    python benchmarks/counting.py [--most 350000] [--limit 1.0]

Makes an index of the abstracts of `arxiv_scale` without vectors of a model, for counting needs none; every tenth paper
has two passages. Counts words of all frequencies, and fails where one takes longer than the limit.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import corpora
import numpy as np
from results import Figure, store_figures

from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.index.protocol import IndexRow
from conspectus.records import Filters

QUESTIONS = ("graphene", "superconductivity", "results", "model", "neural network", "star formation rate", "using")
DIMENSIONS = 16
BATCH = 5000


def rows(most: int) -> Iterator[IndexRow]:
    path = corpora.data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst"
    vector = np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float32)
    key = 0
    for number, record in enumerate(islice(corpora.read_lines(path), most), 1):
        year = int(str(record.get("year") or record.get("date") or "0")[:4]) or None
        text = f"{record['title']}\n{record.get('abstract', '')}"
        for _ in range(1 + (number % 10 == 0)):
            key += 1
            yield IndexRow(key, number, "abstract", False, year, (), text, vector)


def fill(index: EmbeddedIndex, most: int) -> None:
    found = rows(most)
    with index.writing("none", DIMENSIONS) as writer:
        while batch := list(islice(found, BATCH)):
            writer.add(batch)
        writer.commit(1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=350_000)
    parser.add_argument("--limit", type=float, default=1.0, help="seconds that a count may take")
    chosen = parser.parse_args()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder))
        fill(index, chosen.most)
        print(f"{index.stats().rows:,} passages")
        for filters in (Filters(), Filters(year=(2015, 2020))):
            for words in QUESTIONS:
                began = time.perf_counter()
                found = index.count(words, filters)
                took = time.perf_counter() - began
                slowest = max(slowest, took)
                print(f"{found.papers:>9,} papers  {took * 1000:7.1f} ms  {words}  {filters.year or ''}")
    print(f"slowest {slowest:.2f} s, limit {chosen.limit:.2f} s")
    what = f"Slowest count in {chosen.most:,} abstracts"
    figure = Figure(what, f"{1000 * slowest:.0f} ms", f"≤ {chosen.limit:g} s")
    store_figures("counting", "speed", "python benchmarks/counting.py", [figure])
    return int(slowest > chosen.limit)


if __name__ == "__main__":
    sys.exit(main())
