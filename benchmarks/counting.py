"""How long `search --count` takes at 350,000 abstracts.

    python benchmarks/counting.py ABSTRACTS.jsonl.zst [--limit 1.0]

Makes an index of the abstracts without vectors of a model (counting needs none), counts words of all frequencies, holds
some counts against those of the index's own rows, and fails where one takes longer than the limit.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import zstandard

from conspectus.index.embedded import EmbeddedIndex
from conspectus.index.protocol import IndexRow
from conspectus.records import Filters

QUESTIONS = ("graphene", "superconductivity", "results", "model", "neural network", "star formation rate", "using")
DIMENSIONS = 16
BATCH = 5000


def rows(path: Path, most: int) -> Iterator[IndexRow]:
    """A row a paper; every tenth paper has a second passage."""
    key = 0
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        for number, line in enumerate(io.TextIOWrapper(stream, "utf-8"), 1):
            record = json.loads(line)
            year = int(str(record.get("year") or record.get("date") or "0")[:4] or 0) or None
            for _ in range(1 + (number % 10 == 0)):
                key += 1
                text = f"{record['title']}\n{record.get('abstract', '')}"
                vector = np.full(DIMENSIONS, DIMENSIONS**-0.5, np.float32)
                yield IndexRow(key, number, "abstract", False, year, (), text, vector)
            if number == most:
                return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--most", type=int, default=350_000)
    parser.add_argument("--limit", type=float, default=1.0, help="seconds a count may take")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder))
        batch: list[IndexRow] = []
        with index.writing("none", DIMENSIONS) as writer:
            for row in rows(chosen.abstracts, chosen.most):
                batch.append(row)
                if len(batch) == BATCH:
                    writer.add(batch)
                    batch.clear()
            writer.add(batch)
            writer.commit(1)
        print(f"{index.stats().rows:,} passages")
        slowest = 0.0
        for filters in (Filters(), Filters(year=(2015, 2020))):
            for words in QUESTIONS:
                began = time.perf_counter()
                found = index.count(words, filters)
                took = time.perf_counter() - began
                slowest = max(slowest, took)
                assert found.papers <= found.passages <= 2 * found.papers
                print(f"{found.papers:>9,} papers  {took * 1000:7.1f} ms  {words}  {filters.year or ''}")
    print(f"slowest {slowest:.2f} s, limit {chosen.limit:.2f} s")
    return int(slowest > chosen.limit)


if __name__ == "__main__":
    sys.exit(main())
