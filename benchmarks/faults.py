"""Each write, fsync, rename and SQL statement fails, in turn: is there a clear error, and is nothing lost?

    python benchmarks/faults.py [--catalogs sqlite postgres] [--faults files sql] [--cases add remove ...] [--most 100]

A command is run once without a fault, and its calls that change files in the library's folder (and the backup's) are
counted, whether Python, SQLite, tantivy, faiss or numpy makes them (`faults.c` stands before the C library; Linux and
a C compiler are needed), as are its SQL statements. Then it is run for each of them (where there are more than
`--most`: the first, the last and an even sample), on a fresh copy of the library, and that call fails: once, or with
all after it, as on a full disk. Afterwards

* the command has ended well, with nothing missing; or with an error of `conspectus.errors` that has a remedy,
* each paper is as it was or as it is to be, and `doctor` finds nothing but what `kills.py` allows,
* the same command ends well, `doctor` finds nothing, and papers, passages and hits are those of a run without a fault.

Embeddings are hashed words and files are read in the process itself, so that a run takes tenths of a second.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from kills import ALLOWED, WORDS, records

from faulty import POSTGRES_WAYS, SQLITE_WAYS, failing_sql
from helpers import HashEmbedder, InlinePool
from postgres_server import PASSWORD, USER, Server, programs

SECONDS = 90
"""After so long a command counts as hung."""
FILE_WAYS = {
    "ENOSPC once": (errno.ENOSPC, False),
    "EIO once": (errno.EIO, False),
    "EACCES once": (errno.EACCES, False),
    "EDQUOT once": (errno.EDQUOT, False),
    "ENOSPC from then on": (errno.ENOSPC, True),
}


@dataclass(frozen=True)
class Case:
    """A command, the library before it, and what is put beside it."""

    name: str
    before: str
    words: tuple[str, ...]
    mixed: bool = False
    """While a file is exchanged for a new edition, its papers are made of both."""


@dataclass(frozen=True)
class Fault:
    """The call that fails, and how; number 0: none, they are counted."""

    kind: str
    way: str
    number: int


class World:
    """A place for libraries: a folder, and where there is a server, a database for each of them."""

    def __init__(self, home: Path, server: Server | None) -> None:
        self.home, self._server = home, server
        self.trial = home / "trial"
        self.library = self.trial / "library"
        self.out = home / "said"

    def use(self, database: str) -> None:
        """Let the program's catalog be in this database, where there is a server."""
        if self._server:
            os.environ["CONSPECTUS_CATALOG_URL"] = self._server.url(database)

    def database(self, name: str, template: str = "template0") -> None:
        """Make a database anew."""
        if self._server:
            import psycopg

            place: dict[str, Any] = {"host": "127.0.0.1", "port": self._server.port, "dbname": "template1"}
            with psycopg.connect(**place, user=USER, password=PASSWORD, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
                connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())

    def keep(self, name: str) -> None:
        """Let the trial's library as it is now be a beginning for others."""
        shutil.copytree(self.trial, self.home / name)
        self.database(f"b_{name}", "trial")

    def fresh(self, name: str) -> None:
        """Let the trial's library be as it was kept under this name; "": there is none."""
        shutil.rmtree(self.trial, ignore_errors=True)
        if name:
            shutil.copytree(self.home / name, self.trial, symlinks=True)
        else:
            self.library.mkdir(parents=True)
        self.database("trial", f"b_{name}" if name else "template0")
        self.use("trial")


def apart(act: Callable[[], int], out: Path) -> tuple[int, str, str]:
    """Run something in a fork, its output in files; exit code (negative: the signal that ended it) and output."""
    pid = os.fork()
    if not pid:
        signal.alarm(SECONDS)
        for stream, number in (("out", 1), ("err", 2)):
            os.dup2(os.open(f"{out}.{stream}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        code = 99
        try:
            code = act()
        except BaseException:  # noqa: BLE001 - it is what is looked for
            traceback.print_exc()
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status, *(Path(f"{out}.{stream}").read_text("utf-8", "replace") for stream in ("out", "err"))


def program(library: Path, *words: str) -> int:
    """The program, in this process."""
    from conspectus.cli.app import app

    return app.run(["--library", str(library), "--quiet", "--json", *words])


def called(library: Path, *words: str) -> tuple[int, str, str]:
    """The program, in this process; what it said."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program(library, *words)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return code, said[0], said[1]


def holdings(library: Path) -> dict[str, list[str]]:
    """Each paper with its passages; a paper that is there twice has them twice."""
    from conspectus import Library
    from conspectus.errors import NotFoundError

    found: dict[str, list[str]] = {}
    try:
        with Library(library, create=False) as opened:
            for paper in opened.papers():
                found.setdefault(paper.external_id, []).extend(p.text for p in opened.passages(paper.id))
    except NotFoundError:
        pass
    return found


def state(library: Path) -> list[Any]:
    """What the library holds and finds."""
    from conspectus import Library

    with Library(library) as opened:
        return [
            holdings(library),
            [[hit.paper.external_id for hit in opened.search(word, k=5).hits] for word in WORDS[:4]],
        ]


def troubles(library: Path, *words: str) -> list[str]:
    """What `doctor` finds, by check."""
    _, out, err = called(library, "doctor", *words)
    if not out.strip():
        return [] if "NotFoundError" in err else [f"doctor: {err.strip()}"]
    return [f"{found['check']}: {found['detail']}" for found in json.loads(out)["findings"] if not found["ok"]]


def whole_backups(folder: Path) -> list[str]:
    """What is wrong with the backups in a folder."""
    from conspectus import Library
    from conspectus.errors import ConspectusError

    wrong = []
    for path in folder.rglob("*.zip"):
        with tempfile.TemporaryDirectory() as name:
            os.environ.pop("CONSPECTUS_CATALOG_URL", None)
            try:
                with Library(name) as library:
                    library.restore(path)
                    if not library.counts()["papers"]:
                        wrong.append(f"{path.name} is empty")
            except ConspectusError as error:
                wrong.append(f"{path.name}: {error}")
    return wrong


def examined(world: World, case: Case, code: int) -> dict[str, Any]:
    """How the library is after the command, and after what completes it."""
    library = world.library
    os.chdir(world.trial)
    found: dict[str, Any] = {"middle": holdings(library), "doctor": troubles(library)}
    if code:
        found["again"] = called(library, *case.words)
    found["fixed"] = troubles(library, "--fix")
    found["end"] = state(library)
    found["backups"] = whole_backups(world.trial)
    return found


def look(world: World, case: Case, code: int) -> dict[str, Any]:
    """`examined`, in a fork."""

    def act() -> int:
        (world.home / "found").write_text(json.dumps(examined(world, case, code)))
        return 0

    status, out, err = apart(act, world.out)
    if status:
        return {"crash": f"looking at it ended with {status}: {out[-500:]} {err[-1500:]}"}
    found: dict[str, Any] = json.loads((world.home / "found").read_text())
    return found


def command(world: World, case: Case, fault: Fault) -> tuple[int, str, str, int, str]:
    """The command with its fault: exit code, output, and how many calls there were, and which failed."""
    shim = ctypes.CDLL(None) if fault.kind == "files" else None

    def act() -> int:
        os.chdir(world.trial)
        if shim:
            error, forever = FILE_WAYS[fault.way]
            shim.faults_arm(os.fsencode(world.trial), ctypes.c_long(fault.number), int(forever), error)
            code = program(world.library, *case.words)
            shim.faults_fired.restype = ctypes.c_char_p
            note = [shim.faults_disarm(), shim.faults_fired().decode("utf-8", "replace")]
        else:
            with failing_sql(fault.number, fault.way) as calls:
                code = program(world.library, *case.words)
            note = [calls.seen, " ".join(calls.fired.split())[:100]]
        (world.home / "note").write_text(json.dumps(note))
        return code

    (world.home / "note").unlink(missing_ok=True)
    code, out, err = apart(act, world.out)
    note = json.loads((world.home / "note").read_text()) if (world.home / "note").exists() else [0, "?"]
    return code, out, err, note[0], note[1]


def badly_told(code: int, out: str, err: str) -> str:
    """What is wrong with how a command ended; "" where nothing is."""
    import conspectus.errors as known

    if code < 0:
        return f"ended by signal {-code}"
    for sign in ("Traceback", "panicked", "should not", "Exception ignored"):
        if sign in out + err:
            return f"{sign}: {err.strip()[-700:]}"
    if not code:
        return f"on standard error: {err.strip()[-300:]}" if err.strip() else ""
    if not err.strip() and out.strip():
        return ""  # files that failed, findings of doctor: judged by the state
    try:
        told = json.loads(err)["error"]
    except (ValueError, KeyError):
        return f"not one error: {err.strip()[-500:]}"
    if not hasattr(known, told["type"]) or not told["hint"] or "'" not in told["message"]:
        return f"not a clear error: {told}"
    return ""


def judged(case: Case, found: dict[str, Any], code: int, begun: dict[str, Any], wanted: list[Any]) -> Iterator[str]:
    """What is wrong with the library after a fault."""
    if "crash" in found:
        yield found["crash"]
        return
    middle, before, goal = found["middle"], begun["papers"], wanted[0]
    for paper in {*before, *goal, *middle}:
        allowed = [place.get(paper) for place in (before, goal)]
        mixed = case.mixed and middle.get(paper) and len(set(middle[paper])) == len(middle[paper])
        if middle.get(paper) not in allowed and not mixed:
            yield f"{paper} is neither as it was nor as it is to be, after the fault"
    fine = ALLOWED | set(begun["ill"]) if code else ALLOWED - {"files read"}
    yield from (f"after the fault, {trouble}" for trouble in found["doctor"] if trouble.split(":")[0] not in fine)
    if code and found["again"][0]:
        gone = "There is no paper" in found["again"][2]  # removed before the fault
        if gone:  # and those named after it are still there, as the message says
            return
        yield f"the same command: {found['again'][1][-300:]} {found['again'][2].strip()[-400:]}"
    yield from (f"in the end, {trouble}" for trouble in found["fixed"] if not trouble.startswith("disk:"))
    if found["end"] != wanted:
        yield "in the end, papers, passages or hits are not those of a run without a fault" + (
            "" if code else ", though it exited 0"
        )
    yield from (f"backup {trouble}" for trouble in found["backups"])


def sample(count: int, most: int) -> list[int]:
    """The numbers of the calls that fail."""
    if count <= most:
        return list(range(1, count + 1))
    edge = most // 5
    middle = [edge + 1 + number * (count - 2 * edge) // (most - 2 * edge) for number in range(most - 2 * edge)]
    return sorted({*range(1, edge + 1), *middle, *range(count - edge + 1, count + 1)})


def cases(world: World, papers: int) -> list[Case]:
    """The commands, and the libraries that they begin with."""
    home = world.home
    old, new = records(home / "old.jsonl", papers, 1), home / "new.jsonl"
    lines = records(home / "other", papers, 2).read_text().replace('"p', '"q').replace('"Paper ', '"Other ')
    new.write_text(lines)
    run = lambda *words: _must(apart(lambda: program(world.library, *words), world.out))  # noqa: E731
    world.fresh("")
    run("add", str(old))
    run("backup", str(home / "backup.zip"))
    world.keep("full")
    (home / "spoil").mkdir()
    index = next(path for path in world.library.glob("index*"))
    next(index.glob("gen-*/vectors.faiss")).write_bytes(b"spoilt")
    (index / "tmp-00000099").mkdir()
    (world.library / ".catalog.sqlite.killed").mkdir()
    world.keep("spoilt")
    world.fresh("full")
    shutil.rmtree(next(path for path in world.library.glob("index*") if path.is_dir()))
    world.keep("behind")
    edited = home / "edited.jsonl"
    shutil.copy(old, edited)
    world.fresh("")
    run("add", str(edited))
    world.keep("edited")
    records(edited, papers // 2, 3)
    names = tuple(f"p{number}" for number in range(0, papers, 3))
    again = ("restore", str(home / "backup.zip"), "--replace")
    return [
        Case("add", "", ("add", str(old))),
        Case("add more", "full", ("add", str(new))),
        Case("add edited", "edited", ("add", str(edited)), mixed=True),
        Case("remove", "full", ("remove", *names)),
        Case("reindex", "full", ("reindex",)),
        Case("backup", "full", ("backup", "made.zip")),
        Case("restore", "", ("restore", str(home / "backup.zip"))),
        Case("restore over", "edited", again),
        Case("doctor --fix", "spoilt", ("doctor", "--fix")),
        Case("search", "behind", ("search", "eel moss")),
    ]


def beginning(world: World) -> dict[str, Any]:
    """The papers of a library before its command, and what is ill with it."""

    def act() -> int:
        ill = [trouble.split(":")[0] for trouble in troubles(world.library)]
        print(json.dumps({"papers": holdings(world.library), "ill": ill}))
        return 0

    found: dict[str, Any] = json.loads(apart(act, world.out)[1])
    return found


def _must(said: tuple[int, str, str]) -> None:
    assert not said[0], said


def trials(world: World, case: Case, kind: str, ways: list[str], most: int, counts: Counter[str]) -> None:
    """All faults of a command; what went wrong is printed."""
    world.fresh(case.before)
    before = beginning(world)
    code, out, err, calls, _ = command(world, case, Fault(kind, ways[0], 0))
    assert not code, (case, out, err)
    wanted = look(world, case, 0)
    assert not wanted.get("crash") and not wanted["fixed"] and not wanted["backups"], wanted
    began, bad, survived = time.monotonic(), 0, 0
    numbers = sample(calls, most)
    for way in ways:
        for number in numbers:
            world.fresh(case.before)
            code, out, err, _, fired = command(world, case, Fault(kind, way, number))
            if not fired:
                counts["not reached"] += 1
            wrong = [told] if (told := badly_told(code, out, err)) else []
            wrong += judged(case, look(world, case, code), code, before, wanted["end"])
            counts["faults"] += 1
            counts["wrong"] += bool(wrong)
            bad += bool(wrong)
            survived += not code
            for what in wrong:
                print(f"  {case.name}, {way}, {number} of {calls} ({fired}), exit {code}: {what}", flush=True)
    done = len(numbers) * len(ways)
    print(
        f"{case.name}: {calls} calls ({kind}), {done} faults, {survived} survived, {bad} wrong, "
        f"{(time.monotonic() - began) / max(1, done):.2f} s each",
        flush=True,
    )


def prepare() -> None:
    """Let forks begin with all imported, a quick embedder, and no child processes."""
    import alembic.command  # noqa: F401
    import faiss
    import tantivy  # noqa: F401

    import conspectus.cli.app
    import conspectus.doctor
    import conspectus.index.embedded
    import conspectus.ingest.run
    import conspectus.models.registry

    faiss.omp_set_num_threads(1)
    embedder = HashEmbedder()
    for place in (conspectus.models.registry, conspectus.doctor):
        place.embedder = lambda _: embedder  # type: ignore[attr-defined]
    conspectus.doctor.specs = dict  # type: ignore[attr-defined, assignment]
    conspectus.ingest.run.ParsePool = InlinePool  # type: ignore[attr-defined, assignment, misc]


def measure(given: argparse.Namespace, catalog: str, home: Path) -> Counter[str]:
    """All commands with one kind of catalog."""
    counts: Counter[str] = Counter()
    server = None
    if catalog == "postgres":
        found = programs()
        assert found, "PostgreSQL is not installed: apt-get install postgresql"
        server = Server(found)
    try:
        world = World(home, server)
        known = cases(world, given.papers)
        for kind in given.faults:
            ways = list(FILE_WAYS) if kind == "files" else list(POSTGRES_WAYS if server else SQLITE_WAYS)
            ways = [way for way in ways if not given.ways or way in given.ways]
            for case in known:
                if ways and (not given.cases or case.name in given.cases):
                    trials(world, case, kind, ways, given.most, counts)
    finally:
        os.environ.pop("CONSPECTUS_CATALOG_URL", None)
        if server:
            server.close()
    print(f"{catalog}: {counts['faults']} faults, {counts['wrong']} wrong (limit 0)", flush=True)
    return counts


def under_shim() -> None:
    """Begin anew with the shim before the C library."""
    if not sys.platform.startswith("linux"):
        sys.exit("The calls of the operating system can only be made to fail on Linux; try --faults sql.")
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("There is no C compiler (cc); try --faults sql.")
    folder = tempfile.mkdtemp(prefix="conspectus-faults-")
    shim = Path(folder) / "faults.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    os.environ["LD_PRELOAD"] = str(shim)
    os.execv(sys.executable, [sys.executable, *sys.argv])


def main() -> None:
    """Let all fail, look, and say what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catalogs", nargs="*", default=["sqlite", "postgres"])
    parser.add_argument("--faults", nargs="*", default=["files", "sql"])
    parser.add_argument("--cases", nargs="*")
    parser.add_argument("--ways", nargs="*")
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument("--papers", type=int, default=6)
    given = parser.parse_args()
    loaded = os.environ.pop("LD_PRELOAD", "")
    if "files" in given.faults and "faults.so" not in loaded:
        under_shim()
    prepare()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="conspectus-faults-") as name:
        for catalog in given.catalogs:
            home = Path(name).resolve() / catalog
            home.mkdir()
            wrong += measure(given, catalog, home)["wrong"]
    if loaded:
        shutil.rmtree(Path(loaded).parent, ignore_errors=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
