"""What a server does under use: how long a search takes, what an event and the page take, and a day of use in minutes.

    PYTHONPATH=src:tests python benchmarks/serving.py    # 100,000 abstracts, static vectors
    PYTHONPATH=src:tests python benchmarks/serving.py --papers 20000 --day 600

The server is a process of its own, and so is the model, a script each of whose answers takes two seconds. Eight clients
search, each once a second, then each as soon as it has its answer; the same while 32 questions are asked. `--day`
seconds of searches, questions, uploads, pages, streams that are opened and dropped, and jobs that are cancelled: the
memory, threads and files of the server are told after each tenth of it, when all is quiet.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import corpora
import scale

CLIENTS, ASKS, SEARCHES = 8, 32, 40
SLOW = 2.0
LIMITS = {
    **{"search, 8 a second": 0.2, "search, one by one": 0.2, "8 a second, 32 ask": 0.5, "one by one, 32 ask": 0.5},
    **{"first event": 0.2, "first byte of /": 0.2},
}
PDF = Path(__file__).resolve().parents[1] / "examples" / "papers" / "action-potential.pdf"
API = "/api/v1"


def serve(folder: str, model: str) -> None:
    """The server, until its input ends."""
    from conspectus import Library
    from conspectus.server.access import Access
    from conspectus.server.app import create_app
    from conspectus.server.lifecycle import Server, bound, configured

    access = Access(port=0)
    with Library(folder, {"language.model": model, "models.embedder": "static"}) as library, bound(access) as place:
        app = create_app(library, access)
        server = Server(configured(app), app.state.streams)
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        print(access.port, flush=True)
        sys.stdin.read()
        server.should_exit = True
        thread.join()


def script() -> None:
    """The model, until its input ends."""
    from language_server import Say, serve_script
    from oracle import reader

    answer = reader("")
    with serve_script(lambda body: Say(object=answer(body), delay=SLOW)) as server:
        print(server.url, flush=True)
        sys.stdin.read()


@contextmanager
def child(*words: str) -> Iterator[tuple[str, int]]:
    """A process of this script: the first line it says, and its number."""
    command = [sys.executable, __file__, *words]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.stdin.close()
        process.wait()


class Client:
    """A browser with one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What comes back; JSON is read."""
        sent = body if isinstance(body, bytes | None) else json.dumps(body)
        kind = {"content-type": "application/json"} if not isinstance(body, bytes | None) else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, sent, kind | named)
        answered = self._connection.getresponse()
        got = answered.read()
        assert answered.status < 500 or answered.status == 503, (path, got)  # 503: as much runs as may
        return json.loads(got) if "json" in answered.headers.get("content-type", "") else got

    def search(self, words: str) -> float:
        """Seconds of a search."""
        since = time.perf_counter()
        assert self.ask("GET", f"{API}/search?q={words.replace(' ', '+')}&k=20")["hits"]
        return time.perf_counter() - since

    def first(self, path: str, lines: int = 1) -> float:
        """Seconds until the first line of an answer has come; then it is dropped."""
        since = time.perf_counter()
        self._connection.request("GET", path)
        answered = self._connection.getresponse()
        for _ in range(lines):
            answered.readline()
        took = time.perf_counter() - since
        self._connection.close()
        return took


def searched(port: int, queries: list[str], count: int, every: float = 0) -> list[float]:
    """Seconds of each search, of several clients at once, each of which begins one `every` so many seconds."""

    def one(number: int) -> list[float]:
        client, draw, took = Client(port), random.Random(number), []
        for _ in range(count):
            took.append(client.search(draw.choice(queries)))
            time.sleep(max(0.0, every * 2 * draw.random() - took[-1]))
        return took

    with ThreadPoolExecutor(CLIENTS) as clients:
        return [took for part in clients.map(one, range(CLIENTS)) for took in part]


def high(took: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(took, n=20)[-1]


def told(name: str, took: float, middle: float) -> None:
    limit = LIMITS[name]
    print(f"{name:<24} p95 {1000 * took:5.0f} ms, median {1000 * middle:5.0f} ms, of the limit {took / limit:.2f}")


def cpu(process: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = (Path("/proc") / str(process) / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(port: int, process: int, queries: list[str]) -> None:
    """Print each time beside its limit; a machine that does other things meanwhile tells by the processor time."""
    searched(port, queries, 5)  # warm
    for name, every in (("search, 8 a second", 1.0), ("search, one by one", 0.0)):
        before = cpu(process)
        alone = searched(port, queries, SEARCHES, every)
        told(name, high(alone), statistics.median(alone))
        print(f"  processor time of a search {1000 * (cpu(process) - before) / len(alone):.0f} ms")
    client = Client(port)
    begun = [
        client.ask("POST", f"{API}/ask", {"question": f"What is known of {query}?", "cache": False})
        for query in queries[:ASKS]
    ]
    for name, every in (("8 a second, 32 ask", 1.0), ("one by one, 32 ask", 0.0)):
        beside = searched(port, queries, SEARCHES, every)
        told(name, high(beside), statistics.median(beside))
    running = sum(Client(port).ask("GET", f"{API}/jobs/{job['job']}")["state"] == "running" for job in begun)
    print(f"  {running} of {ASKS} were asked still")
    firsts = [Client(port).first(f"{API}/jobs/{begun[0]['job']}/events") for _ in range(20)]
    told("first event", high(firsts), statistics.median(firsts))
    pages = [Client(port).first("/") for _ in range(20)]
    told("first byte of /", high(pages), statistics.median(pages))
    for job in begun:
        Client(port).ask("DELETE", f"{API}/jobs/{job['job']}")


def upload(client: Client, number: int) -> Any:
    record = json.dumps({"id": f"day-{number % 50}", "title": f"Paper {number % 50}", "abstract": "Cats purr. " * 20})
    name = f'content-disposition: form-data; name="file"; filename="day-{number % 50}.jsonl"'
    form = f"--b\r\n{name}\r\n\r\n{record}\r\n--b--\r\n".encode()
    return client.ask("POST", f"{API}/files", form, content_type="multipart/form-data; boundary=b")


def dropped(client: Client, number: int) -> None:
    """A question whose events are followed for a moment; every other is cancelled."""
    job = client.ask("POST", f"{API}/ask", {"question": f"What of {number % 20}?"}).get("job")
    if job is None:
        return
    client.first(f"{API}/jobs/{job}/events", 2)
    if number % 2:
        client.ask("DELETE", f"{API}/jobs/{job}")


def use(port: int, queries: list[str], seconds: float, seed: int) -> int:
    """One user: how many things were done."""
    client, draw, done, end = Client(port), random.Random(seed), 0, time.monotonic() + seconds
    things: list[Callable[[], object]] = [
        lambda: client.search(draw.choice(queries)),
        lambda: client.search(draw.choice(queries)),
        lambda: client.ask("GET", f"{API}/papers?limit=50"),
        lambda: client.ask("GET", f"{API}/papers/{PDF.name}/pages/1.png?scale={draw.choice((0.5, 1, 1.5, 2))}"),
        lambda: client.first(f"{API}/events", 2),
        lambda: client.first(f"{API}/events", 1),
        lambda: dropped(client, draw.randrange(1000)),
        lambda: upload(client, draw.randrange(1000)),
        lambda: client.ask("GET", f"{API}/metrics"),
        lambda: client.ask("GET", f"{API}/jobs"),
    ]
    while time.monotonic() < end:
        draw.choice(things)()
        done += 1
    return done


def state(process: int) -> dict[str, int]:
    """What a process holds now: megabytes, threads, files and connections."""
    place = Path("/proc") / str(process)
    size = next(line for line in (place / "status").read_text().splitlines() if line.startswith("RssAnon"))
    return {
        "MB": int(size.split()[1]) // 1024,
        "threads": len(list((place / "task").iterdir())),
        "files": len(list((place / "fd").iterdir())),
    }


def quiet(port: int, process: int) -> dict[str, int]:
    """The same when nothing runs any more."""
    client = Client(port)
    for job in client.ask("GET", f"{API}/jobs")["jobs"]:
        if job["state"] == "running" and job["verb"] == "ask":
            client.ask("DELETE", f"{API}/jobs/{job['job']}")
    while any(job["state"] == "running" for job in client.ask("GET", f"{API}/jobs")["jobs"]):
        time.sleep(0.2)
    time.sleep(2)
    metrics = client.ask("GET", f"{API}/metrics").decode().splitlines()
    streams = next(line for line in metrics if line.startswith("conspectus_streams "))
    return state(process) | {"streams": int(float(streams.split()[1]))}


def day(port: int, process: int, queries: list[str], seconds: float) -> None:
    """Print what a server holds ten times in a day of use."""
    client = Client(port)
    form = b'--b\r\ncontent-disposition: form-data; name="file"; filename="%s"\r\n\r\n' % PDF.name.encode()
    body = form + PDF.read_bytes() + b"\r\n--b--\r\n"
    client.ask("POST", f"{API}/files", body, content_type="multipart/form-data; boundary=b")
    done = 0
    for part in [seconds / 10] * 10:
        with ThreadPoolExecutor(CLIENTS) as users:
            done += sum(users.map(lambda seed, part=part: use(port, queries, part, seed), range(done, done + CLIENTS)))
        print(f"after {done:>7,} things     {quiet(port, process)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=100_000)
    parser.add_argument("--day", type=float, default=0, metavar="SECONDS", help="also a day of use, in so many seconds")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--script", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.script:
        return script()
    if options.serve:
        return serve(*options.serve)
    folder = corpora.WORK / "scale" / f"library-{options.papers}-static"
    with scale.opened(folder, "static") as library:
        if not library.counts()["papers"]:
            library.add(scale.files(options.papers))
        print(f"{library.counts()['papers']:,} papers")
    records = [record for path in scale.files(options.papers)[:2] for record in corpora.read_lines(path)]
    titles = [record["title"] for record in records[:: max(1, len(records) // 200)]]
    queries = [re.sub(r"[^A-Za-z0-9]+", " ", title)[:80].strip() for title in titles]
    with child("--script") as (url, _), child("--serve", str(folder), url) as (port, process):
        measured(int(port), process, queries)
        if options.day:
            day(int(port), process, queries, options.day)
    return None


if __name__ == "__main__":
    main()
