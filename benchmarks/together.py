"""Two who add and eight who search, each a process, in one library: on SQLite and on PostgreSQL in the same run.

    python benchmarks/together.py [--seconds 60] [--papers 5000] [--catalogs sqlite postgres] [--url postgresql://...]

First the library is filled (papers a second), then the searchers are alone, then they search while the two add, change
and remove without a pause. Limits: no error, and a p95 of searching together within 2 of the one alone. Embeddings are
hashed words, so that the figures are those of the stores, and faiss has one thread in each process. A server is started
from Debian's packages where no `--url` names one; in that database the schema `bench_together` is dropped first.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from conspectus import Library
from conspectus.cli.progress import step_back
from conspectus.core.errors import ConspectusError
from conspectus.records.events import Progress
from helpers import HashEmbedder, write_jsonl
from postgres_server import Server, programs

LETTERS = "bcdfghklmnprst"
WORDS = [
    first + vowel + second + tail
    for first in LETTERS
    for vowel in "aeo"
    for second in LETTERS
    for tail in ("a", "um", "ine")
]
SCHEMA = "bench_together"
BATCH = 50
RATE = 0.5
"""Searches a second of each searcher, so that what is measured is waiting and not the number of processors."""


def records(name: str, count: int) -> list[dict[str, Any]]:
    """Abstracts of 150 words, the same for the same name."""
    draw = random.Random(name)
    return [
        {
            "id": f"{name}-{number}",
            "title": " ".join(draw.choices(WORDS, k=8)),
            "abstract": ". ".join(" ".join(draw.choices(WORDS, k=15)).capitalize() for _ in range(10)),
            "authors": [f"{draw.choice(WORDS).title()}, A."],
            "year": draw.randint(1950, 2025),
        }
        for number in range(count)
    ]


@contextmanager
def library(folder: Path) -> Iterator[Library]:
    with Library(folder, {"parse.workers": 1}, embedder=HashEmbedder("bench/1", 384)) as made:
        yield made


def search(folder: Path, number: int, seconds: float) -> dict[str, Any]:
    """A searcher: how long each search took, and what went wrong."""
    draw, took, errors = random.Random(number), [], []
    with library(folder) as lib:
        lib.search("warm up")
        until, due = time.monotonic() + seconds, time.monotonic() + draw.random() / RATE
        while due < until:
            time.sleep(max(0.0, due - time.monotonic()))
            due += 1 / RATE
            began = time.perf_counter()
            try:
                found = lib.search(" ".join(draw.choices(WORDS, k=6)))
                if len(found.hits) != 10 or any(not hit.passage.text for hit in found.hits):
                    errors.append(f"{len(found.hits)} hits: {found.note}")
            except Exception as error:  # noqa: BLE001 - it is what is counted
                errors.append(f"{type(error).__name__}: {error}")
            took.append(time.perf_counter() - began)
    return {"took": took, "errors": errors}


def add(folder: Path, number: int, seconds: float) -> dict[str, Any]:
    """Who adds: a new file each time, sometimes an older one changed and a paper removed."""
    step_back()  # as `conspectus add` does
    errors, turns, waits, kept = [], [], [], 0

    def tell(news: Progress) -> None:
        if news.stage.startswith("waiting"):
            waits.append(news.done)

    with library(folder) as lib:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            name = f"adder{number}-{len(turns)}"
            began = time.perf_counter()
            try:
                path = write_jsonl(folder.parent / f"{name}.jsonl", records(name, BATCH))
                report = lib.add(path, tell)
                errors += [row.reason for row in report.failed]
                kept += BATCH
                if len(turns) % 3 == 2:
                    write_jsonl(path, records(name, BATCH // 2))
                    errors += [row.reason for row in lib.add(path, tell).failed]
                    lib.remove(f"{name}-0")
                    kept -= BATCH - BATCH // 2 + 1
            except ConspectusError as error:
                errors.append(f"{type(error).__name__}: {error}")
            turns.append(time.perf_counter() - began)
    return {"errors": errors, "turns": turns, "kept": kept, "waits": len(waits)}


def together(folder: Path, roles: list[str], seconds: float) -> list[dict[str, Any]]:
    """Run the roles at once, each in a process; what each found."""
    command = [sys.executable, __file__, "--folder", str(folder), "--seconds", str(seconds)]
    env = os.environ | {"OMP_NUM_THREADS": "1"}
    started = [
        subprocess.Popen(
            [*command, "--role", role, "--number", str(number)], stdout=subprocess.PIPE, text=True, env=env
        )
        for number, role in enumerate(roles)
    ]
    return [json.loads(process.communicate()[0].splitlines()[-1]) for process in started]


def times(found: list[dict[str, Any]]) -> tuple[float, float, int]:
    """(p50, p95, how many) of the searches, in milliseconds."""
    took = sorted(1000 * second for one in found for second in one.get("took", []))
    return statistics.median(took), took[int(0.95 * len(took))], len(took)


def measure(kind: str, folder: Path, seconds: float, papers: int) -> bool:
    """Fill, search alone, search together; whether the limits were kept."""
    folder.mkdir(parents=True)
    with library(folder / "lib") as lib:
        began = time.perf_counter()
        lib.add(write_jsonl(folder / "all.jsonl", records("all", papers)))
        rate = papers / (time.perf_counter() - began)
    alone = times(together(folder / "lib", ["search"] * 8, max(seconds / 3, 10)))
    found = together(folder / "lib", ["search"] * 8 + ["add"] * 2, seconds)
    both, adders = times(found), [one for one in found if "turns" in one]
    errors = [error for one in found for error in one["errors"]]
    with library(folder / "lib") as lib:
        lib.search("the last changes")
        errors += [
            f"doctor: {one.detail}" for one in lib.doctor().findings if one.check in ("catalog", "index") and not one.ok
        ]
        expected = papers + sum(one["kept"] for one in adders)
        if (count := lib.status().counts["papers"]) != expected:
            errors.append(f"{count} papers, not {expected}")
    ratio, turns = both[1] / alone[1], [len(one["turns"]) for one in adders]
    longest = max(turn for one in adders for turn in one["turns"])
    print(f"{kind:9} filled at {rate:6.0f} papers/s")
    print(f"{kind:9} search alone     p50 {alone[0]:6.1f}  p95 {alone[1]:6.1f} ms  ({alone[2]} searches)")
    print(f"{kind:9} search together  p50 {both[0]:6.1f}  p95 {both[1]:6.1f} ms  ({both[2]} searches)")
    print(
        f"{kind:9} p95 ratio {ratio:4.2f} (limit 2)  errors {len(errors)} (limit 0)  "
        f"turns of the two {turns}, longest {longest:.1f} s"
    )
    for error in sorted(set(errors))[:10]:
        print(f"    {errors.count(error)} x {error}")
    sys.stdout.flush()
    return ratio <= 2 and not errors


def clear(url: str) -> None:
    """Drop what an earlier run left."""
    from sqlalchemy import create_engine, text

    from conspectus.store.postgres import PostgresStore

    engine = create_engine(PostgresStore(url, SCHEMA).url)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
    engine.dispose()


def main() -> int:
    """Print the figures; 1 where a limit was not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="of the part together; 300 for five minutes")
    parser.add_argument("--papers", type=int, default=5000)
    parser.add_argument("--catalogs", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--url", help="of a PostgreSQL database")
    parser.add_argument("--role", choices=["search", "add"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        print(json.dumps((search if given.role == "search" else add)(given.folder, given.number, given.seconds)))
        return 0
    well = True
    with tempfile.TemporaryDirectory(prefix="conspectus-together-") as name:
        for kind in given.catalogs:
            server = None
            if kind == "postgres":
                if not given.url:
                    found = programs()
                    assert found, "PostgreSQL is not installed: apt-get install postgresql"
                    server = Server(found, fsync=True)
                url = given.url or server.url()
                clear(url)
                os.environ |= {"CONSPECTUS_CATALOG_URL": url, "CONSPECTUS_CATALOG_SCHEMA": SCHEMA}
            try:
                well &= measure(kind, Path(name) / kind, given.seconds, given.papers)
            finally:
                for variable in ("CONSPECTUS_CATALOG_URL", "CONSPECTUS_CATALOG_SCHEMA"):
                    os.environ.pop(variable, None)
                if server:
                    server.close()
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
