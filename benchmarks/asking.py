"""What the program itself takes of an answer that a language model writes, beside the model's own time.

    PYTHONPATH=src:tests python benchmarks/asking.py                  # 100,000 abstracts, static vectors
    PYTHONPATH=src:tests python benchmarks/asking.py --papers 5000

The model is a script behind a loopback server in a process of its own, each of whose answers takes a second; what is
streamed comes evenly over it. Per
answer there are four calls one after the other (phrasings, writing, judging, and reading, which at ten at a time takes
two turns for twenty passages): five seconds are the model's, what is above them is ours.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import corpora
import scale
from results import Figure, store_figures

from conspectus.records.events import PassagesFound, Reading

DELAY = 1.0
TURNS = 5
QUESTIONS = 12
OVERHEAD, READING = 0.3, 4.0


def serve() -> None:
    """The model: it finds every passage relevant, and says what the passages say."""
    from language_server import Say, serve_script
    from oracle import reader, task

    script = reader("")

    def slow(body: dict[str, Any]) -> Any:
        found: Any = script(body)
        if task(body) == "rephrase":
            found = {"phrasings": ["measurements of galaxies", "theory of its origin"]}
        return Say(object=found, over=DELAY)

    with serve_script(slow) as server:
        print(server.url, flush=True)
        sys.stdin.read()


@contextmanager
def model() -> Iterator[str]:
    command = [sys.executable, __file__, "--serve"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def main() -> None:
    """Print the overhead of an answer and the seconds that reading takes, each beside its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=100_000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve()
    folder = corpora.WORK / "scale" / f"library-{options.papers}-static"
    with scale.opened(folder, "static") as library, model() as url:
        if not library.counts()["papers"]:
            library.add(scale.files(options.papers))
        records = [record for path in scale.files(options.papers)[:2] for record in corpora.read_lines(path)]
        took, read, cpu = [], [], []
        for record in records[: 50 * (QUESTIONS + 2) : 50]:
            began, used = time.perf_counter(), time.process_time()
            for event in library.events(f"What is known of {record['title']}?", model=url):
                if isinstance(event, PassagesFound):
                    found = time.perf_counter()
                if isinstance(event, Reading) and event.done == event.total:
                    read.append(time.perf_counter() - found)
            took.append(time.perf_counter() - began - TURNS * DELAY)
            cpu.append(time.process_time() - used)
        print(f"{library.counts()['papers']:,} papers, {QUESTIONS} questions, the model's own time taken off")
        took, read, cpu = took[2:], read[2:], cpu[2:]  # the first are not warm
        median = statistics.median(took)
        print(f"overhead of an answer  median {1000 * median:.0f} ms, worst {1000 * max(took):.0f} ms")
        print(f"                       to the limit of {1000 * OVERHEAD:.0f} ms: {median / OVERHEAD:.2f}")
        print(f"                       processor time {1000 * statistics.median(cpu):.0f} ms")
        print(f"20 passages read       median {statistics.median(read):.2f} s (limit {READING:g})")
        limits = (f"≤ {1000 * OVERHEAD:.0f} ms", f"≤ {READING:g} s")
        overhead = Figure("Program's time in an answer of 24 calls", f"{1000 * median:.0f} ms", limits[0])
        reading = Figure("20 passages read, ten at a time", f"{statistics.median(read):.2f} s", limits[1])
        store_figures("asking", "answers", "PYTHONPATH=src:tests python benchmarks/asking.py", [overhead, reading])
    return None


if __name__ == "__main__":
    main()
