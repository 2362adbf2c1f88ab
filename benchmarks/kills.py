"""`kill -9` at random moments of add, remove, reindex and restore: is everything there afterwards, once?

    python benchmarks/kills.py [--kills 100] [--seed 1] [--papers 120] [--catalogs sqlite postgres]

Each time a library is made ready, a command is started and killed at a random moment of the time that it takes; then

* `doctor` must find nothing but files that were begun (it may mend what `--fix` mends without losing anything),
* the same command must end well,
* `doctor` must then find nothing at all, and papers, passages and search must be those of a run that nobody killed.

On PostgreSQL each library has a database of its own, copied from the one made ready; the server is started from
Debian's packages, writes safely (fsync) and is not killed: the program is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from postgres_server import PASSWORD, USER, Server, programs

ALLOWED = {"files read", "leftovers", "disk"}
"""What `doctor` may find right after a kill."""

WORDS = "eel moss wall night river stone light heat grain leaf cell orbit field wave root salt".split()


@dataclass(frozen=True)
class Shelf:
    """Libraries in one folder, with their catalogs in that folder or each in a database of `server`."""

    home: Path
    server: Server | None

    def url(self, library: Path) -> str:
        """Of the library's database; empty for SQLite."""
        return self.server.url(_database(library)) if self.server else ""

    def run(self, library: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """A command to its end."""
        command, env = self._command(library, words)
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    def killed(self, library: Path, seconds: float, *words: str) -> bool:
        """A command, killed with all its children after so long; whether it was still running."""
        command, env = self._command(library, words)
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env=env
        ) as process:
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return True
        return False

    def make(self, library: Path) -> Path:
        """An empty folder, and an empty database."""
        library.mkdir()
        if self.server:
            self._sql(f'CREATE DATABASE "{_database(library)}"')
        return library

    def copy(self, before: Path, library: Path) -> None:
        """A library as another is."""
        shutil.copytree(before, library)
        if self.server:
            self._sql(f'CREATE DATABASE "{_database(library)}" TEMPLATE "{_database(before)}"')

    def drop(self, library: Path) -> None:
        shutil.rmtree(library)
        if self.server:
            self._sql(f'DROP DATABASE "{_database(library)}" WITH (FORCE)')

    def is_there(self, library: Path) -> bool:
        """Whether `doctor` has something to look at; it says itself when there is no catalog on a server."""
        return bool(self.server) or (library / "catalog.sqlite").exists()

    def _command(self, library: Path, words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
        command = [sys.executable, "-m", "conspectus", "--library", str(library), "--quiet", *words]
        return command, os.environ | ({"CONSPECTUS_CATALOG_URL": self.url(library)} if self.server else {})

    def _sql(self, statement: str) -> None:
        import psycopg

        assert self.server
        where = {"host": "127.0.0.1", "port": self.server.port, "dbname": "postgres"}
        for again in range(20):
            try:
                with psycopg.connect(**where, user=USER, password=PASSWORD, autocommit=True) as connection:
                    connection.execute(statement.encode())
                return
            except psycopg.errors.ObjectInUse:  # a client of the template that has ended is not yet gone
                if again == 19:
                    raise
                time.sleep(0.25)


def _database(library: Path) -> str:
    return library.name.replace(" ", "_")


@contextmanager
def shelf(kind: str) -> Iterator[Shelf]:
    """A place for libraries of one kind of catalog."""
    server = None
    if kind == "postgres":
        found = programs()
        assert found, "PostgreSQL is not installed: apt-get install postgresql"
        server = Server(found, fsync=True)
    try:
        with tempfile.TemporaryDirectory(prefix="conspectus-kills-") as name:
            yield Shelf(Path(name), server)
    finally:
        if server:
            server.close()


def records(path: Path, papers: int, edition: int) -> Path:
    """A file of made-up records; another edition says other things of the same papers."""
    rng = random.Random(edition)
    with path.open("w", encoding="utf-8") as file:
        for number in range(papers):
            sentences = [" ".join(rng.choices(WORDS, k=9)).capitalize() + "." for _ in range(6)]
            record = {"id": f"p{number}", "title": f"Paper {number}", "abstract": " ".join(sentences)}
            file.write(json.dumps(record) + "\n")
    return path


def state(on: Shelf, library: Path) -> tuple[Any, ...]:
    """What the library holds and finds: papers with their sentences, and the best papers for some words."""
    from conspectus import Library

    with Library(library, {"catalog.url": on.url(library)}) as opened:
        papers = {
            paper.external_id: tuple(passage.text for passage in opened.passages(paper.id)) for paper in opened.papers()
        }
        ids = Counter(paper.external_id for paper in opened.papers())
        hits = [tuple(hit.paper.external_id for hit in opened.search(word, k=5).hits) for word in WORDS[:4]]
    return papers, ids, hits


def troubles(on: Shelf, library: Path, *words: str) -> list[str]:
    """What `doctor` finds, by check."""
    said = on.run(library, "--json", "doctor", *words)
    if "NotFoundError" in said.stderr:  # killed before there was a library
        return []
    if not said.stdout.strip():
        return [f"doctor: {said.stderr.strip()}"]
    findings = json.loads(said.stdout)["findings"]
    return [f"{found['check']}: {found['detail']}" for found in findings if not found["ok"]]


def cases(on: Shelf, papers: int) -> dict[str, tuple[Path, list[str]]]:
    """By name, the library before a command, and the command."""
    home = on.home
    old, new = records(home / "papers.jsonl", papers, 1), home / "new.jsonl"
    empty, full, edited = on.make(home / "empty"), on.make(home / "full"), home / "edited"
    on.run(full, "add", str(old))
    on.run(full, "backup", str(home / "backup.zip"))
    on.copy(full, edited)
    records(new, papers // 2, 2)
    return {
        "add": (empty, ["add", str(old)]),
        "add edited": (edited, ["add", str(old), str(new)]),
        "remove": (full, ["remove", *(f"p{number}" for number in range(0, papers, 3))]),
        "reindex": (full, ["reindex"]),
        "restore": (full, ["restore", str(home / "backup.zip"), "--replace"]),
    }


def trial(
    on: Shelf, case: tuple[Path, Sequence[str]], wanted: tuple[Any, ...], seconds: float, library: Path
) -> list[str]:
    """One kill: what was wrong afterwards."""
    before, words = case
    on.copy(before, library)
    on.killed(library, seconds, *words)
    wrong = []
    if on.is_there(library):
        found = troubles(on, library)
        wrong += [f"after the kill: {one}" for one in found if one.split(":")[0] not in ALLOWED]
    again = on.run(library, *words)
    gone = words[0] == "remove" and again.returncode == 2 and "no paper" in again.stderr  # removed before the kill
    if again.returncode and not gone:
        wrong.append(f"the same command: {again.stderr.strip()[-300:]}")
    wrong += [f"after it: {found}" for found in troubles(on, library, "--fix") if not found.startswith("disk:")]
    if not gone and state(on, library) != wanted:
        wrong.append("papers, passages or hits are not those of a run that nobody killed")
    return wrong


def measure(on: Shelf, kind: str, kills: int, papers: int, seed: int) -> int:
    """Kill, look, and say what was wrong; how many kills left something wrong."""
    rng, bad = random.Random(seed), 0
    known = cases(on, papers)
    wanted, lasts = {}, {}
    for title, (before, words) in known.items():
        library = on.home / f"whole {title}"
        on.copy(before, library)
        begun = time.monotonic()
        said = on.run(library, *words)
        lasts[title] = time.monotonic() - begun
        assert said.returncode == 0, said.stderr
        wanted[title] = state(on, library)
        print(f"{kind}, {title}: {lasts[title]:.1f} s when nobody kills it", flush=True)
    for number in range(kills):
        title = list(known)[number % len(known)]
        seconds = rng.uniform(0.05, 1.0) * lasts[title]
        library = on.home / f"killed {number}"
        wrong = trial(on, known[title], wanted[title], seconds, library)
        bad += bool(wrong)
        for what in wrong:
            print(f"{kind}, {title} killed after {seconds:.2f} s: {what}", flush=True)
        on.drop(library)
    print(f"{kind}: {kills} kills, {kills - bad} of them without loss (at least {kills})", flush=True)
    return bad


def main() -> int:
    """1 where a kill left something wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="of each catalog")
    parser.add_argument("--papers", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--catalogs", nargs="*", choices=["sqlite", "postgres"], default=["sqlite", "postgres"])
    given = parser.parse_args()
    bad = 0
    for kind in given.catalogs:
        with shelf(kind) as on:
            bad += measure(on, kind, given.kills, given.papers, given.seed)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
