"""`add` with the workers of a Dask cluster on this machine, against local processes, Ray and a queue in PostgreSQL.

    python benchmarks/cluster.py FOLDER… [--files 60] [--only waiting,work,kills] [--ray PYTHON]

FOLDER has PDFs. Three things are measured:

waiting   tasks that sleep, with 1, 2 and 4 workers: the time that they would take if handing them out took none, of
          the time that they took. Ray (`--ray`: a Python that has it and what Conspectus needs) and workers that take
          rows from a table of PostgreSQL (`FOR UPDATE SKIP LOCKED`) do the same.
work      the same PDFs added here with two processes, and by two workers: time, and processor time of all processes.
kills     the same PDFs while a worker is killed every 3 s: is the library that of the local run?
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import corpora
import tests_path  # noqa: F401 - the programs that the tests start
from results import Figure, join_figures, store_figures

from conspectus import Library
from conspectus.ingest.cluster import ClusterTask, DaskCluster

SECONDS, PER_WORKER = 0.25, 24
KILL_SECONDS = 3.0
DASK = (sys.executable, "-m")


@contextmanager
def dask(workers: int) -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler with so many workers of one thread, and the ids of the programs."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Path(folder) / "scheduler.json"
        common = ["--host", "127.0.0.1", "--no-dashboard"]
        environment = os.environ | {"DASK_TEMPORARY_DIRECTORY": folder}

        def start(*words: str) -> int:
            command = [*DASK, f"distributed.cli.dask_{words[0]}", *words[1:], *common]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            program = subprocess.Popen(command, env=environment, **quiet)  # type: ignore[call-overload]
            stack.callback(program.wait)
            stack.callback(program.terminate)
            return int(program.pid)

        programs = [start("scheduler", "--port", "0", "--scheduler-file", str(place))]
        while not (place.exists() and place.read_text().endswith("}")):
            time.sleep(0.1)
        address = json.loads(place.read_text())["address"]
        programs.append(start("worker", address, "--nworkers", str(workers), "--nthreads", "1"))
        with client(address) as known:
            known.wait_for_workers(workers, timeout=120)
        yield address, programs


@contextmanager
def client(address: str) -> Iterator[object]:
    from distributed import Client

    with Client(address, set_as_default=False) as known:
        yield known


def spent(programs: list[int]) -> float:
    """The processor seconds of this process, of programs, and of all that they have started."""
    import psutil

    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(use.ru_utime + use.ru_stime for use in own)
    for program in map(psutil.Process, programs):
        for process in (program, *program.children(recursive=True)):
            total += sum(process.cpu_times()[:4])  # its own, and of its children that ended
    return total


def wait_by_dask(workers: int) -> float:
    """Seconds that the tasks took, after one for each worker that does not count."""
    with dask(workers) as (address, _):
        known = DaskCluster(address)
        took = 0.0
        for count in (workers, PER_WORKER * workers):
            tasks = (ClusterTask(number, (SECONDS,)) for number in range(count))
            began = time.perf_counter()
            assert len(list(known.results(time.sleep, partial(next, tasks, None)))) == count
            took = time.perf_counter() - began
        known.close()
        return took


RAY = """
import sys, time, ray
workers, count, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
ray.init(num_cpus=workers, include_dashboard=False, logging_level="ERROR")
nap = ray.remote(lambda: time.sleep(seconds))
for tasks in (workers, count):
    began, sent = time.perf_counter(), []
    while tasks or sent:
        while tasks and len(sent) < 2 * workers:
            sent.append(nap.remote())
            tasks -= 1
        done, sent = ray.wait(sent)
        ray.get(done)
print(time.perf_counter() - began)
"""


def wait_by_ray(python: str, workers: int) -> float:
    """The same by Ray."""
    command = [python, "-c", RAY, str(workers), str(PER_WORKER * workers), str(SECONDS)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


QUEUE_WORKER = """
import sys, time, psycopg
with psycopg.connect(sys.argv[1]) as connection:
    print("ready", flush=True)
    while True:
        with connection.transaction():
            row = connection.execute("DELETE FROM tasks WHERE number = (SELECT number FROM tasks ORDER BY number "
                "FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING seconds").fetchone()
            if row:
                time.sleep(row[0])
                connection.execute("INSERT INTO done VALUES (1)")
        if not row:
            time.sleep(0.02)
"""


def wait_by_queue(url: str, workers: int) -> float:
    """The same by workers that take rows of a table."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS tasks, done")
        connection.execute("CREATE TABLE tasks (number serial PRIMARY KEY, seconds float)")
        connection.execute("CREATE TABLE done (one int)")
        command = [sys.executable, "-c", QUEUE_WORKER, url]
        programs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(workers)]
        for program in programs:
            assert program.stdout and program.stdout.readline()
        began = time.perf_counter()
        connection.execute(
            f"INSERT INTO tasks (seconds) SELECT {SECONDS} FROM generate_series(1, {PER_WORKER * workers})"
        )
        while connection.execute("SELECT count(*) FROM done").fetchone() != (PER_WORKER * workers,):
            time.sleep(0.02)
        took = time.perf_counter() - began
        for program in programs:
            program.kill()
            program.communicate()
        return took


def measure_waiting(ray: str) -> list[Figure]:
    """The part of linear that each of them reaches."""
    ideal = SECONDS * PER_WORKER
    told: dict[str, list[str]] = {"dask": [], "ray": [], "postgres": []}
    with queue_server() as url:
        for workers in (1, 2, 4):
            told["dask"].append(f"{ideal / wait_by_dask(workers):.3f}")
            told["ray"].append(f"{ideal / wait_by_ray(ray, workers):.3f}" if ray else "")
            told["postgres"].append(f"{ideal / wait_by_queue(url, workers):.3f}" if url else "")
            print(f"waiting, {workers} workers: " + ", ".join(f"{name} {all_[-1]}" for name, all_ in told.items()))
    rows = {name: " / ".join(found) for name, found in told.items()}
    peers = "; ".join(filter(None, (ray and f"Ray {rows['ray']}", url and f"table of PostgreSQL {rows['postgres']}")))
    what = f"tasks that sleep {SECONDS} s, 1 / 2 / 4 workers: part of linear"
    return [Figure(what, rows["dask"], "≥ .9", peers)]


@contextmanager
def queue_server() -> Iterator[str]:
    """The address of a PostgreSQL server of our own; "" without its programs or its driver."""
    from postgres_server import Server, driver, programs

    found = programs() if driver() else None
    if found is None:
        yield ""
        return
    server = Server(found)
    try:
        yield server.url().replace(" ", "%20")  # as the driver has it
    finally:
        server.close()


def add(
    files: list[Path], folder: Path, cluster: str, programs: list[int]
) -> tuple[dict[str, list[str]], float, float]:
    """Ids of papers -> of their spans; seconds; processor seconds."""
    with Library(folder, {"parse.cluster": cluster, "parse.workers": 2}) as library:
        before, began = spent(programs), time.perf_counter()
        report = library.add(files)
        took, worked = time.perf_counter() - began, 0.0
        worked = spent(programs) - before
        assert not report.failed, report.failed
        twice = [path for path, count in Counter(row.path for row in report.rows).items() if count > 1]
        assert not twice and len(report.rows) == len(files), twice
        papers = list(library.papers())
        assert len({paper.id for paper in papers}) == len(papers)
        ids = {one.id: [span.id for part in library.passages(one.id) for span in part.spans] for one in papers}
    return ids, took, worked


def kill_workers(address: str, ended: threading.Event, killed: list[int]) -> None:
    """Kill a worker every 3 s; its nanny starts another."""
    with client(address) as known:
        while not ended.wait(KILL_SECONDS):
            found = sorted(known.run(os.getpid).values())  # type: ignore[attr-defined]
            if found:
                victim = found[len(killed) % len(found)]
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--only", default="waiting,work,kills")
    parser.add_argument("--ray", default="")
    args = parser.parse_args()
    only, figures = args.only.split(","), []
    files = sorted(file for folder in args.folders for file in folder.glob("*.pdf"))[: args.files]
    if "waiting" in only:
        figures += measure_waiting(args.ray)
    corpora.WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=corpora.WORK) as scratch:
        if "work" in only or "kills" in only:
            ids, seconds, worked = add(files, Path(scratch) / "here", "", [])
            print(f"work, 2 processes here: {seconds:.1f} s, {worked:.1f} s of processor time")
        if "work" in only:
            with dask(2) as (address, programs):
                others, there_seconds, there_worked = add(files, Path(scratch) / "there", address, programs)
            assert others == ids, "the cluster's library is another"
            print(
                f"work, 2 workers: {there_seconds:.1f} s, {there_worked:.1f} s of processor time: "
                f"{seconds / there_seconds:.2f} of the speed, {worked / there_worked:.2f} by processor time"
            )
            what = f"{len(files)} PDFs by 2 workers on 2 cores: processor time of 2 local processes, of theirs"
            value = f"{worked / there_worked:.2f} (by the clock {seconds / there_seconds:.2f})"
            figures.append(
                Figure(what, value, "≥ .85", f"2 local processes: {worked:.0f} s, {seconds:.0f} s by the clock")
            )
        if "kills" in only:
            ended, killed = threading.Event(), list[int]()
            with dask(2) as (address, programs):
                killer = threading.Thread(target=kill_workers, args=(address, ended, killed))
                killer.start()
                try:
                    others, there_seconds, _ = add(files, Path(scratch) / "killed", address, [])
                finally:
                    ended.set()
                    killer.join()
            same = others == ids
            print(f"kills: {len(killed)} workers killed in {there_seconds:.1f} s, same library: {same}")
            what = f"{len(files)} PDFs, a worker killed every {KILL_SECONDS:.0f} s: files lost or doubled"
            assert same
            figures.append(Figure(what, f"0 ({len(killed)} killed)", "0; the local library's ids"))
    if set(only) == {"waiting", "work", "kills"}:
        store_figures(
            "cluster",
            "speed",
            "python benchmarks/cluster.py FOLDER… --ray PYTHON",
            [join_figures("Cluster by Dask", figures)],
        )


if __name__ == "__main__":
    main()
