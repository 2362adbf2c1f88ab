"""`add` where nothing has changed: how long, and that nothing is read, parsed or embedded.

    python benchmarks/known.py --files 10000 --others 100000

Makes a folder with so many small papers, adds it once, and then again. `--others` puts so many more files beside them,
which are no papers (passed over by their ending).
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from conspectus.ingest.files import find_files
from conspectus.parse.registry import supported
from helpers import HashEmbedder, InlinePool, markdown, open_library


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--others", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "papers"
        folder.mkdir()
        for number in range(chosen.files):
            (folder / f"{number:06d}.md").write_text(markdown(f"Paper {number}", f"It says {number}."), "utf-8")
        embedder = HashEmbedder()
        with open_library(Path(name) / "lib", embedder) as library:
            with mock.patch("conspectus.ingest.executor.ParsePool", InlinePool):
                seconds(f"first add of {chosen.files} files", lambda: library.add(folder))
            for number in range(chosen.others):
                (folder / f"{number:06d}.dat").touch()
            seconds("listing", lambda: sum(1 for _ in find_files([folder], supported)))
            known(library, embedder, folder)


def known(library: Any, embedder: HashEmbedder, folder: Path) -> None:
    """Add what is known, counting what is done."""
    done: Counter[str] = Counter()
    embedder.embedded.clear()
    opened = Path.open

    def opening(path: Path, *words: Any, **named: Any) -> Any:
        done["files opened"] += 1
        return opened(path, *words, **named)

    class NoPool(InlinePool):
        def run(self, jobs: Any) -> Any:
            done["parsed"] += len(list(jobs))
            return iter(())

    with mock.patch("conspectus.ingest.executor.ParsePool", NoPool), mock.patch.object(Path, "open", opening):
        report = seconds("add again", lambda: library.add(folder))
    print(
        f"{len(report.unchanged)} unchanged, {len(report.added) + len(report.updated)} read; "
        f"{done['files opened']} files opened, {done['parsed']} parsed, {len(embedder.embedded)} texts embedded"
    )


def seconds(what: str, action: Any) -> Any:
    """What the action returns; its time is printed."""
    begun, cpu = time.perf_counter(), time.process_time()
    found = action()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    took, worked = time.perf_counter() - begun, time.process_time() - cpu
    print(f"{what}: {took:.1f} s ({worked:.1f} s of the processor), peak memory {peak:.0f} MB", flush=True)
    return found


if __name__ == "__main__":
    main()
