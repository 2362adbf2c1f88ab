"""Each write, fsync, rename and SQL statement fails, in turn: is there a clear error, and is nothing lost?

    python benchmarks/faults.py [--catalogs sqlite postgres] [--faults files sql room] [--cases add ...] [--most 100]

A command is run once without a fault, and its calls that change files in the library's folder (and the backup's) are
counted, whether Python, SQLite, tantivy, faiss or numpy makes them (`faults.c` stands before the C library; Linux and
a C compiler are needed), as are its SQL statements. Then it is run for each of them (where there are more than
`--most`: the first, the last and an even sample), on a fresh copy of the library, and that call fails: once, or with
all after it, as on a full disk. Afterwards

* the command has ended well, with nothing missing; or with an error of `conspectus.core.errors` that has a remedy,
* each paper is as it was or as it is to be, and `doctor` finds nothing but what `kills.py` allows,
* the same command ends well, `doctor` finds nothing, and papers, passages and hits are those of a run without a fault.

Embeddings are hashed words and files are read in the process itself, so that a run takes tenths of a second.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from faults_judge import Case, check_backups, check_library, check_messages, holdings, state, troubles
from faults_world import World, fill_disk, free_pages, prepare, program, run_forked, run_program, small_disk
from kills import records

from faulty import POSTGRES_WAYS, SQLITE_WAYS, failing_sql
from postgres_server import Server, programs

FILE_WAYS = {
    "ENOSPC once": (errno.ENOSPC, False),
    "EIO once": (errno.EIO, False),
    "EACCES once": (errno.EACCES, False),
    "EDQUOT once": (errno.EDQUOT, False),
    "ENOSPC from then on": (errno.ENOSPC, True),
}
ROOM = ("pages left",)
"""With `--faults room`: the disk, a small one in memory, has so many pages of 4 kB left and is then full."""


@dataclass(frozen=True)
class Fault:
    """The call that fails, and how; number 0: none, they are counted."""

    kind: str
    way: str
    number: int


def examined(world: World, case: Case, code: int) -> dict[str, Any]:
    """How the library is after the command, and after what completes it."""
    library = world.library
    os.chdir(world.trial)
    found: dict[str, Any] = {"middle": holdings(library), "doctor": troubles(library)}
    if code:
        found["again"] = run_program(library, *case.words)
    found["fixed"] = troubles(library, "--fix")
    found["end"] = state(library)
    found["backups"] = check_backups(world.trial)
    return found


def look(world: World, case: Case, code: int) -> dict[str, Any]:
    """`examined`, in a fork."""

    def act() -> int:
        (world.home / "found").write_text(json.dumps(examined(world, case, code)))
        return 0

    status, out, err = run_forked(act, world.out)
    if status:
        return {"crash": f"looking at it ended with {status}: {out[-500:]} {err[-1500:]}"}
    found: dict[str, Any] = json.loads((world.home / "found").read_text())
    return found


def command(world: World, case: Case, fault: Fault) -> tuple[int, str, str, int, str]:
    """The command with its fault: exit code, output, and how many calls there were, and which failed."""
    shim = ctypes.CDLL(None) if fault.kind == "files" else None

    def act() -> int:
        os.chdir(world.trial)
        if fault.kind == "room":
            code = program(world.library, *case.words)
            note = [0, f"{fault.number} pages left"]
        elif shim:
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
    with fill_disk(world.trial, fault.number) if fault.kind == "room" else contextlib.nullcontext():
        code, out, err = run_forked(act, world.out)
    path = world.home / "note"
    seen, fired = json.loads(path.read_text()) if path.exists() else (0, "?")
    return code, out, err, int(seen), str(fired)


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

    def run(*words: str) -> None:
        said = run_forked(lambda: program(world.library, *words), world.out)
        assert not said[0], said

    world.fresh("")
    run("add", str(old))
    run("backup", str(home / "backup.zip"))
    world.keep("full")
    index = next(path for path in world.library.glob("index*"))
    next(index.glob("gen-*/codes")).write_bytes(b"spoilt")
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

    found: dict[str, Any] = json.loads(run_forked(act, world.out)[1])
    return found


def trials(world: World, case: Case, kind: str, ways: list[str], most: int, counts: Counter[str]) -> None:
    """All faults of a command; what went wrong is printed."""
    world.fresh(case.before)
    before = beginning(world)
    room = free_pages(world.trial) if kind == "room" else 0
    code, out, err, calls, _ = command(world, case, Fault(kind, ways[0], room))
    if kind == "room":
        calls = pages_used(world, case)
        world.fresh(case.before)
        command(world, case, Fault(kind, ways[0], room))
    assert not code, (case, out, err)
    wanted = look(world, case, 0)
    ill = [trouble for trouble in wanted.get("fixed", []) if not trouble.startswith("disk:")]
    assert not wanted.get("crash") and not ill and not wanted["backups"], wanted
    began, bad, survived = time.monotonic(), 0, 0
    numbers = sample(calls, most)
    for way in ways:
        for number in numbers:
            world.fresh(case.before)
            code, out, err, _, fired = command(world, case, Fault(kind, way, number))
            if not fired:
                counts["not reached"] += 1
            wrong = [told] if (told := check_messages(code, out, err)) else []
            wrong += check_library(case, look(world, case, code), code, before, wanted["end"])
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


def pages_used(world: World, case: Case) -> int:
    """The least room with which a command ends well, to 32 pages."""
    left = 0
    while True:
        left += 32
        world.fresh(case.before)
        if not command(world, case, Fault("room", "", left))[0]:
            return left


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
            sql = POSTGRES_WAYS if server else SQLITE_WAYS
            ways = list({"files": tuple(FILE_WAYS), "room": ROOM, "sql": sql}[kind])
            ways = [way for way in ways if not given.ways or way in given.ways]
            with small_disk(world) if kind == "room" else contextlib.nullcontext():
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
