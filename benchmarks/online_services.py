"""Does asking services keep its promises: few requests, nothing missing, nothing twice, also through faults and kills?

    python benchmarks/online_services.py

A local simulator answers. *Identifiers*: 1,000 mixed ones (DOI, arXiv, PMID, PMCID) through `add`; asked: at most 40
requests, none silently missing. *Paging*: 10,000 works of one search, 5 % of the requests failing, by a process that is
killed twice on the way; asked: all, none twice.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from results import Figure, store_figures

from conspectus import Library
from conspectus_evaluations.simulator import Faults, Simulator

IDENTIFIERS, MOST_REQUESTS = 1000, 40
WORKS, ERRORS, KILLS = 10_000, 0.05, 2
_FIND = "from conspectus import Library; import json, sys; library = Library(sys.argv[1], json.loads(sys.argv[2])); "
_FIND += f"found = library.sources.find('the', from_services=('europepmc',), k={WORKS}); "
_FIND += "print(json.dumps([[one.paper.title for one in found.results], found.failed]))"


def records(count: int) -> list[dict[str, Any]]:
    """Works with identifiers of four kinds."""
    kinds = ("doi", "arxiv_id", "pmid", "pmcid")
    made = []
    for number in range(count):
        kind = kinds[number % 4]
        value = {
            "doi": f"10.5555/work.{number}",
            "arxiv_id": f"{1500 + number // 90:04}.{number:05}",
            "pmid": str(7_000_000 + number),
            "pmcid": f"PMC{8_000_000 + number}",
        }[kind]
        title = f"The observation number {number} of a source in the field"
        made.append({"title": title, "abstract": f"We observed the source {number}.", "year": 2010, kind: value})
    return made


def measure_identifiers(folder: Path) -> Figure:
    """Requests for 1,000 identifiers, and how many papers came of them."""
    works = records(IDENTIFIERS)
    names = [
        f"{kind.removesuffix('_id')}:{work[kind]}"
        for work in works
        for kind in ("doi", "arxiv_id", "pmid", "pmcid")
        if kind in work
    ]
    with Simulator(works) as simulator, Library(folder / "identifiers", simulator.settings) as library:
        began = time.perf_counter()
        report = library.add(names)
        took = time.perf_counter() - began
        papers, requests = library.counts()["papers"], len(simulator.requests)
    told = papers + len(report.failed)
    print(f"{IDENTIFIERS} identifiers: {requests} requests (at most {MOST_REQUESTS}), {papers} papers, ", end="")
    print(
        f"{len(report.failed)} reported, {IDENTIFIERS - told} silently missing, {took:.0f} s with the published rates"
    )
    value = f"{requests} requests, {IDENTIFIERS - told} silently missing"
    return Figure(f"{IDENTIFIERS} mixed identifiers through `add`", value, f"≤ {MOST_REQUESTS} requests, 0 missing")


def measure_paging(folder: Path) -> Figure:
    """How many works of a long search come through faults and kills."""
    faults = Faults(error_share=ERRORS, seed=1)
    with Simulator(records(WORKS), faults=faults) as simulator:
        command = [sys.executable, "-c", _FIND, str(folder / "paging"), json.dumps(simulator.settings)]
        environ = {**os.environ, "CONSPECTUS_STATE": str(folder / "state")}
        for number in range(KILLS):
            started = len(simulator.requests)
            process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while len(simulator.requests) < started + 3 and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            print(f"killed after {len(simulator.requests)} requests ({number + 1} of {KILLS})")
        done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True)
        asked = len(simulator.requests)
    found, failed = json.loads(done.stdout)
    twice = len(found) - len(set(found))
    print(f"{len(found)} of {WORKS} works, {twice} twice, {asked} requests in all, failed: {failed}")
    what = f"{WORKS} works by paging, {ERRORS:.0%} of requests failing, killed {KILLS} times"
    return Figure(what, f"{len(set(found))} works, {twice} twice", f"{WORKS} works, 0 twice")


def main() -> None:
    """Measure both."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CONSPECTUS_STATE"] = f"{folder}/state"
        figures = [measure_identifiers(Path(folder)), measure_paging(Path(folder))]
    store_figures("online_services", "retrieval", "python benchmarks/online_services.py", figures)


if __name__ == "__main__":
    main()
