"""`kill -9` at random moments of add, remove, reindex and restore: is everything there afterwards, once?

Run `python benchmarks/kills.py [--kills 100] [--seed 1] [--papers 120]`. Each time a library is made ready, a command
is started and killed at a random moment of the time that it takes; then

* `doctor` must find nothing but files that were begun (it may mend what `--fix` mends without losing anything),
* the same command must end well,
* `doctor` must then find nothing at all, and papers, passages and search must be those of a run that nobody killed.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ALLOWED = {"files read", "leftovers", "disk"}
"""What `doctor` may find right after a kill."""

WORDS = "eel moss wall night river stone light heat grain leaf cell orbit field wave root salt".split()


def run(library: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command to its end."""
    command = [sys.executable, "-m", "conspectus", "--library", str(library), "--quiet", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def killed(library: Path, seconds: float, *words: str) -> bool:
    """A command, killed with all its children after so long; whether it was still running."""
    command = [sys.executable, "-m", "conspectus", "--library", str(library), "--quiet", *words]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True
    return False


def records(path: Path, papers: int, edition: int) -> Path:
    """A file of made-up records; another edition says other things of the same papers."""
    rng = random.Random(edition)
    with path.open("w", encoding="utf-8") as file:
        for number in range(papers):
            sentences = [" ".join(rng.choices(WORDS, k=9)).capitalize() + "." for _ in range(6)]
            record = {"id": f"p{number}", "title": f"Paper {number}", "abstract": " ".join(sentences)}
            file.write(json.dumps(record) + "\n")
    return path


def state(library: Path) -> tuple[Any, ...]:
    """What the library holds and finds: papers with their sentences, and the best papers for some words."""
    from conspectus import Library

    with Library(library) as opened:
        papers = {
            paper.external_id: tuple(passage.text for passage in opened.passages(paper.id)) for paper in opened.papers()
        }
        ids = Counter(paper.external_id for paper in opened.papers())
        hits = [tuple(hit.paper.external_id for hit in opened.search(word, k=5).hits) for word in WORDS[:4]]
    return papers, ids, hits


def troubles(library: Path, *words: str) -> list[str]:
    """What `doctor` finds, by check."""
    said = run(library, "--json", "doctor", *words)
    if "NotFoundError" in said.stderr:  # killed before there was a library
        return []
    if not said.stdout.strip():
        return [f"doctor: {said.stderr.strip()}"]
    findings = json.loads(said.stdout)["findings"]
    return [f"{found['check']}: {found['detail']}" for found in findings if not found["ok"]]


def cases(home: Path, papers: int) -> dict[str, tuple[Path, list[str]]]:
    """By name, the library before a command, and the command."""
    old, new = records(home / "papers.jsonl", papers, 1), home / "new.jsonl"
    empty, full, edited = home / "empty", home / "full", home / "edited"
    empty.mkdir()
    run(full, "add", str(old))
    run(full, "backup", str(home / "backup.zip"))
    shutil.copytree(full, edited)
    records(new, papers // 2, 2)
    return {
        "add": (empty, ["add", str(old)]),
        "add edited": (edited, ["add", str(old), str(new)]),
        "remove": (full, ["remove", *(f"p{number}" for number in range(0, papers, 3))]),
        "reindex": (full, ["reindex"]),
        "restore": (full, ["restore", str(home / "backup.zip"), "--replace"]),
    }


def trial(case: tuple[Path, Sequence[str]], wanted: tuple[Any, ...], seconds: float, library: Path) -> list[str]:
    """One kill: what was wrong afterwards."""
    before, words = case
    shutil.copytree(before, library, dirs_exist_ok=True)
    killed(library, seconds, *words)
    wrong = []
    if (library / "catalog.sqlite").exists():
        wrong += [f"after the kill: {found}" for found in troubles(library) if found.split(":")[0] not in ALLOWED]
    again = run(library, *words)
    gone = words[0] == "remove" and again.returncode == 2 and "no paper" in again.stderr  # removed before the kill
    if again.returncode and not gone:
        wrong.append(f"the same command: {again.stderr.strip()[-300:]}")
    wrong += [f"after it: {found}" for found in troubles(library, "--fix") if not found.startswith("disk:")]
    if not gone and state(library) != wanted:
        wrong.append("papers, passages or hits are not those of a run that nobody killed")
    return wrong


def main() -> None:
    """Kill, look, and say what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--papers", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        known = cases(home, options.papers)
        wanted, lasts = {}, {}
        for title, (before, words) in known.items():
            library = home / f"whole {title}"
            shutil.copytree(before, library)
            begun = time.monotonic()
            said = run(library, *words)
            lasts[title] = time.monotonic() - begun
            assert said.returncode == 0, said.stderr
            wanted[title] = state(library)
            print(f"{title}: {lasts[title]:.1f} s when nobody kills it")
        for number in range(options.kills):
            title = list(known)[number % len(known)]
            seconds = rng.uniform(0.05, 1.0) * lasts[title]
            library = home / f"killed {number}"
            wrong = trial(known[title], wanted[title], seconds, library)
            bad += bool(wrong)
            for what in wrong:
                print(f"{title} killed after {seconds:.2f} s: {what}")
            shutil.rmtree(library)
    print(f"{options.kills} kills, {options.kills - bad} of them without loss (at least {options.kills})")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
