"""Hostile cases by class, each run against the real program: all must pass.

Run `python benchmarks/hostile_ground.py [--only CLASS,…] [--match PATTERN] [--verbose]`. A class is a module
`hostile_CLASS.py` beside this one with a function `cases()` that yields names, and functions that get an empty folder
and return what went wrong ("": nothing). Printed are, for each class, how many cases passed and failed, how long they
took, and the most memory that this process had meanwhile, which is the parent of whatever reads files; every failure is
named. The exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tests_path  # noqa: F401 - cases use what the tests make
from hostile_outcome import memory_mb

Case = tuple[str, Callable[[Path], str]]
HERE = Path(__file__).resolve().parent


@dataclass
class Tally:
    """What became of a class."""

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    peak_mb: float = 0.0


def classes() -> dict[str, Callable[[], Iterator[Case]]]:
    """The classes that there are, by name."""
    found = {}
    for path in sorted(HERE.glob("hostile_*.py")):
        if path.stem != Path(__file__).stem and re.search(r"^def cases\(", path.read_text(), re.MULTILINE):
            found[path.stem.removeprefix("hostile_")] = importlib.import_module(path.stem).cases
    return found


def run(name: str, cases: Iterator[Case], match: str, scratch: str | None, verbose: bool) -> Tally:
    """Run the cases of a class, each in an empty folder."""
    tally = Tally(name)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    for case, attempt in cases:
        if match and not re.search(match, case):
            continue
        began = time.monotonic()
        wrong = outcome(attempt, scratch)
        took = time.monotonic() - began
        tally.seconds += took
        tally.passed += not wrong
        if wrong:
            tally.failures.append(f"{case}: {wrong}")
        if verbose:
            print(f"  {took:6.2f} s  {case}  {wrong and f'FAILED: {wrong}'}", flush=True)
    tally.peak_mb = memory_mb("self", "VmHWM")
    return tally


def outcome(attempt: Callable[[Path], str], scratch: str | None) -> str:
    """What went wrong in a case; an exception that comes out of it did."""
    folder = Path(tempfile.mkdtemp(prefix="hostile", dir=scratch))
    try:
        return attempt(folder)
    except Exception:  # noqa: BLE001 - whatever it is, it is a failure of this case alone
        return "an exception: " + " | ".join(traceback.format_exc().strip().splitlines()[-3:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="classes, with commas between them")
    parser.add_argument("--match", default="", help="only cases whose names this pattern finds")
    parser.add_argument("--scratch", help="the folder for scratch files")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    found = classes()
    wanted = args.only.split(",") if args.only else list(found)
    if unknown := set(wanted) - found.keys():
        parser.error(f"no class {', '.join(sorted(unknown))}; there are: {', '.join(found)}")
    print("| class | cases | passed | failed | seconds | most memory of this process |")
    print("| --- " * 6 + "|")
    tallies = []
    for name in wanted:
        tally = run(name, found[name](), args.match, args.scratch, args.verbose)
        tallies.append(tally)
        count = tally.passed + len(tally.failures)
        took = f"{tally.seconds:.0f} | {tally.peak_mb:.0f} MB"
        print(f"| {name} | {count} | {tally.passed} | {len(tally.failures)} | {took} |", flush=True)
        for failure in tally.failures:
            print(f"  FAILED {failure}", flush=True)
    passed, failed = sum(t.passed for t in tallies), sum(len(t.failures) for t in tallies)
    print(f"\n{passed + failed} cases, {failed} failed; at most {max(t.peak_mb for t in tallies):.0f} MB.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
