"""Benchmarks of another checkout of the program beside those of this one: in turn, on one machine.

    python benchmarks/before_after.py FOLDER PYTHON ["parsing.py --only jose" "-m conspectus eval …" …]

FOLDER is the other checkout, PYTHON the Python of its environment. Each command is run in both, first there, then here,
by the script that the checkout has: look first at what `git diff` says of it, for only scripts that measure the same
can be compared. What they print is kept under `.bench/before_after` and shown where it is not the same, with the
processor time of the whole command, children included. The clock says nothing where other work runs beside.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import corpora

OUT = corpora.WORK / "before_after"
COMMANDS = (
    "parsing.py",
    "references.py",
    "structure.py",
    "documents.py --files 6",
    "figures.py",
    "sentences.py",
    "keywords.py",
    "routing.py",
    "audit.py",
    "retrieval.py scifact",
    "answering.py",
    "-m conspectus eval retrieval cranfield --compare default,bm25,dense --work .bench/eval",
    "summaries.py --papers 8",
    "scale.py --papers 4000 --vectors static --parts fill search",
)
"""What is read in minutes, without a language model."""


def run(command: str, checkout: Path, python: str, out: Path) -> float:
    """Seconds of processor time; what the command printed is in the file."""
    words = shlex.split(command)
    script = [] if words[0] == "-m" else [f"benchmarks/{words.pop(0)}"]
    paths = os.pathsep.join(str(checkout / part) for part in ("src", "tests"))
    known = {"PYTHONPATH": paths, "CONSPECTUS_DATA": str(corpora.data_folder()), "COLUMNS": "160"}
    before = spent()
    with out.open("w") as file:
        line, streams = [python, *script, *words], {"stdout": file, "stderr": subprocess.STDOUT}
        code = subprocess.run(line, cwd=checkout, env=os.environ | known, check=False, **streams).returncode
    if code:
        print(f"  ended with {code}, see {out}")
    return spent() - before


def spent() -> float:
    """Processor time of all children that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print what differs, command by command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("python")
    parser.add_argument("commands", nargs="*", default=COMMANDS)
    chosen = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    sides = {"before": (chosen.folder.resolve(), chosen.python), "after": (corpora.ROOT, sys.executable)}
    for command in chosen.commands:
        print(f"\n## {command}", flush=True)
        texts = []
        for side, (checkout, python) in sides.items():
            out = OUT / f"{re.sub(r'[^a-z0-9]+', '_', command.lower())}.{side}.txt"
            print(f"{side}: {run(command, checkout, python, out):.1f} s of the processor", flush=True)
            texts.append(out.read_text().splitlines())
        print("\n".join(difflib.unified_diff(*texts, *sides, lineterm="", n=1)) or "the same", flush=True)


if __name__ == "__main__":
    main()
