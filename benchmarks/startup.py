"""Seconds that a whole process takes: `conspectus --help`, and a cold `search`, against bare Python in the same run.

    python benchmarks/startup.py [--runs 7]

The library is of examples/papers, made under `.bench/`. Limits: 0.3 s and 1.2 s.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

import corpora
from results import Figure, store_figures

from conspectus import Library


def median(command: list[str], runs: int) -> float:
    """The median wall time of a command, in seconds, after one run that does not count."""
    times = []
    for run in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        if run:
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Print the medians and what part of its limit each takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with Library(corpora.WORK / "examples") as library:
        library.add(corpora.ROOT / "examples" / "papers")
    program = [sys.executable, "-m", "conspectus"]
    search = [*program, "--library", str(corpora.WORK / "examples"), "search", "NMDA receptor"]
    bare = median([sys.executable, "-c", "pass"], runs)
    print(f"python -c pass        {bare:6.3f} s")
    figures = []
    for name, command, limit in (("conspectus --help", [*program, "--help"], 0.3), ("cold search", search, 1.2)):
        seconds = median(command, runs)
        print(f"{name:20}  {seconds:6.3f} s   {seconds / limit:5.2f} of the limit of {limit} s")
        figures.append(Figure(name, f"{seconds:.2f} s", f"≤ {limit} s", f"python -c pass {bare:.2f} s"))
    store_figures("startup", "speed", "python benchmarks/startup.py", figures)


if __name__ == "__main__":
    main()
