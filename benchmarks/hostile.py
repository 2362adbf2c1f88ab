"""What hostile files cost: every one must be told, and none may take more than the limits.

Run `python benchmarks/hostile.py [--seed N] [--only GROUP,…] [--pdfs N] [--workers N] [--keep DIR]`. Thousands of
files, mutated with a seed or made to hurt, go through the pool of child processes that `conspectus add` reads with,
under the limits of the settings; PDFs are also drawn. Printed are, for each group, how many were read, refused, stopped
for time or memory, how many crashed the child, and how many ended in an error that nobody foresaw: each of those is a
fault of a reader. Faults are also papers that are unsound and errors without a name or a remedy. Peaks are those of the
child that read the file. Linux only, for it reads `/proc`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parse"))

from hostile_outcome import KINDS, UNFORESEEN, MeasuredWorker, Outcome, memory_mb

from conspectus.core.errors import ConspectusError, NotFoundError
from conspectus.parse.process.pool import Limits, ParsedBatch, ParsePool, ReadingJob
from conspectus.parse.process.wire import Drawing, Order
from conspectus.parse.protocol import BadRecord
from conspectus.parse.registry import reader_for
from conspectus.records import ParsedPaper
from conspectus.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
GROUPS = ("ordinary", "pdf", "pdf-made", "text", "text-made", "xml-made", "archive", "archive-made", "bytes", "drawn")
_RAW = re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|StopIteration|KeyboardInterrupt)\b")


# The files


def files(group: str, args: argparse.Namespace) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of a group."""
    import hostile_archives
    import hostile_pdf
    import hostile_texts

    data = data_folder()
    if group == "ordinary":
        yield from ordinary(data)
    elif group == "pdf":
        sources = sorted((ROOT / "tests" / "parse" / "typeset").glob("*.pdf"))
        sources += sorted(data.glob("pdf_*/*.pdf")) if data else []
        yield from hostile_pdf.mutated(sources, args.pdfs, args.seed)
    elif group == "pdf-made":
        yield from hostile_pdf.made(not args.small)
    elif group == "text":
        yield from hostile_texts.mutated(args.texts, args.seed, data)
    elif group == "text-made":
        yield from hostile_texts.texts(not args.small)
    elif group == "xml-made":
        yield from hostile_texts.xml_bombs(not args.small)
    elif group == "archive":
        yield from hostile_archives.mutated(args.archives, args.seed)
    elif group == "archive-made":
        yield from hostile_archives.made(not args.small)
    elif group == "bytes":
        yield from any_bytes(args.bytes)


def ordinary(data: Path | None) -> Iterator[tuple[str, bytes]]:
    """Papers as they are, to compare with."""
    import tarfile

    if data is None:
        return
    for path in sorted(data.glob("pdf_*/*.pdf")):
        yield path.name, path.read_bytes()
    with tarfile.open(data / "jats_plos" / "plos_72.tar.xz") as tar:
        for member in tar:
            if member.isfile() and (file := tar.extractfile(member)):
                yield Path(member.name).stem + ".xml", file.read()


def any_bytes(examples: int) -> Iterator[tuple[str, bytes]]:
    """What Hypothesis thinks of, for every ending that is known."""
    from conspectus.parse.registry import readers

    signatures = [sign for reader in readers() for sign in reader.signatures]
    for suffix in dict.fromkeys(suffix for reader in readers() for suffix in reader.suffixes):
        for number, data in enumerate(thought_of(examples, signatures)):
            yield f"h{number:03}{suffix}", data


def thought_of(examples: int, heads: list[bytes]) -> list[bytes]:
    """Hypothesis's examples."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    found: list[bytes] = []

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.binary(max_size=4000), st.sampled_from([b"", *heads]))
    def collect(data: bytes, head: bytes) -> None:
        found.append(head + data)

    collect()
    return found


def data_folder() -> Path | None:
    """The shared data, or None."""
    given = os.environ.get("CONSPECTUS_DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def write_files(group: str, args: argparse.Namespace, folder: str, names: Any) -> None:
    """Writes the files one by one, not far ahead of who reads them; in a process of its own, for they are large."""
    for name, data in files(group, args):
        if args.match and not re.search(args.match, name):
            continue
        path = Path(folder, name.replace("/", "_"))
        path.write_bytes(data)
        names.put(str(path))
    names.put(None)


# What became of them


def run(group: str, args: argparse.Namespace, limits: Limits) -> list[Outcome]:
    """Reads all files of a group."""
    from xml_samples import assert_sound

    outcomes: dict[str, Outcome] = {}
    notes: dict[str, tuple[float, float]] = {}
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder, ParsePool(args.workers, limits) as pool:
        pool._children = [MeasuredWorker(limits, notes) for _ in range(args.workers)]
        names = context.Queue(3)
        writer = context.Process(target=write_files, args=(group, args, folder, names), daemon=True)
        writer.start()

        def jobs() -> Iterator[ReadingJob]:
            while (path := next_name(names, writer)) is not None:
                outcome = outcomes[path] = Outcome(Path(path).name)
                started = time.monotonic()
                try:
                    job = ReadingJob(path, reader_for(Path(path)).name)
                except ConspectusError as error:
                    outcome.error, outcome.seconds = error, time.monotonic() - started
                    finish(path)
                    continue
                yield job

        def finish(path: str) -> None:
            outcome = outcomes[path]
            if args.keep and (outcome.kind in args.keep_kinds or outcome.fault or outcome.seconds > args.slow):
                shutil.copy(path, args.keep)
            os.unlink(path)
            outcome.seconds, outcome.peak_mb = notes.pop(path, (outcome.seconds, 0.0))
            if args.verbose:
                print(outcome, flush=True)

        for batch in pool.run(jobs()):
            take(batch, outcomes[batch.job.path], assert_sound)
            if batch.done:
                finish(batch.job.path)
        writer.join()
    return list(outcomes.values())


def draw(args: argparse.Namespace, limits: Limits) -> list[Outcome]:
    """Draws the first pages of hostile PDFs, as `open`, `inspect` and pictures of figures do, in a child."""
    outcomes: list[Outcome] = []
    notes: dict[str, tuple[float, float]] = {}
    child = MeasuredWorker(limits, notes)
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        for name, data in chain(files("pdf-made", args), islice(files("pdf", args), args.drawn)):
            path = Path(folder, name)
            path.write_bytes(data)
            outcome = Outcome(name)
            outcomes.append(outcome)
            for page in range(1, 5):
                order = Order(os.fsencode(path), "", Drawing(page, 2.0))
                error = None
                for found, why in child.read(order):
                    outcome.papers += found.picture is not None
                    error = why
                seconds, outcome.peak_mb = notes.pop(str(path), (0.0, 0.0))
                outcome.seconds = max(outcome.seconds, seconds)
                if isinstance(error, NotFoundError):
                    break
                if error is not None:
                    outcome.error = error
                    told(error, outcome)
                    break
            path.unlink()
            if args.verbose:
                print(outcome, flush=True)
    child.close()
    return outcomes


def next_name(names: Any, writer: Any) -> str | None:
    """The next file; None at the end, which the writer's death is not."""
    while True:
        try:
            return names.get(timeout=5)  # type: ignore[no-any-return]
        except queue.Empty:
            if not writer.is_alive():
                sys.exit("The process that makes the files died.")


def take(batch: ParsedBatch, outcome: Outcome, assert_sound: Any) -> None:
    """Notes what came, and whether it is sound."""
    for item in batch.items:
        if isinstance(item, BadRecord):
            outcome.bad += 1
            if _RAW.search(item.reason):
                outcome.fault = outcome.fault or f"a bad record with a raw error: {item.where}: {item.reason[:200]}"
            continue
        outcome.papers += 1
        try:
            sound(item)
            assert_sound(item)
        except AssertionError as error:
            outcome.fault = outcome.fault or f"an unsound paper: {str(error)[:200]}"
    outcome.error = batch.error or outcome.error
    if batch.error is not None:
        told(batch.error, outcome)
    elif batch.done and not outcome.papers and not outcome.bad:
        outcome.fault = outcome.fault or "nothing was read, and nothing told"


def told(error: ConspectusError, outcome: Outcome) -> None:
    """Whether an error names the file, the cause and the remedy."""
    name = outcome.name.encode(errors="replace").decode()
    if name not in error.message:
        outcome.fault = f"the file is not named: {error.message[:200]}"
    elif not error.hint:
        outcome.fault = f"no remedy: {error.message[:200]}"
    elif _RAW.search(str(error)) and not UNFORESEEN.match(error.message):
        outcome.fault = f"a raw error: {error.message[:200]}"


def sound(paper: ParsedPaper) -> None:
    """What must hold beyond `assert_sound`: text that can be written, warnings that are sentences."""
    for block in paper.blocks:
        block.text.encode()
    for warning in paper.warnings:
        assert warning.endswith((".", "!", "…", ")")) and not _RAW.search(warning), f"warning: {warning[:200]}"


# Printing


def report(group: str, outcomes: list[Outcome], args: argparse.Namespace) -> None:
    """A line of figures, and every fault."""
    counts = {kind: sum(o.kind == kind for o in outcomes) for kind in KINDS}
    slowest = max(outcomes, key=lambda o: o.seconds, default=Outcome("none"))
    largest = max(outcomes, key=lambda o: o.peak_mb, default=Outcome("none"))
    numbers = " | ".join(str(counts[kind]) for kind in KINDS)
    print(
        f"| {group} | {len(outcomes)} | {numbers} | {sum(bool(o.fault) for o in outcomes)} "
        f"| {slowest.seconds:.1f} s | {largest.peak_mb:.0f} MB | {memory_mb('self', 'VmRSS'):.0f} MB |  "
        f"({slowest.name}; {largest.name})",
        flush=True,
    )
    for outcome in outcomes:
        if outcome.kind == "unforeseen" or outcome.fault:
            print(f"  FAULT {outcome.name}: {outcome.fault or outcome.error}")
        elif outcome.kind in ("crash", "memory", "time"):
            print(f"  {outcome.kind:6} {outcome.seconds:6.1f} s {outcome.peak_mb:6.0f} MB {outcome.name}")
        elif outcome.seconds > args.slow:
            print(f"  slow: {outcome}")
    if args.messages:
        seen: dict[str, Outcome] = {}
        for outcome in outcomes:
            if outcome.error:
                seen.setdefault(re.sub(r"\d+|'[^']*'", "…", str(outcome.error)), outcome)
        for outcome in islice(seen.values(), args.messages):
            print(f"  {type(outcome.error).__name__}: {outcome.error}")


def arguments() -> argparse.Namespace:
    parse = Settings().parse
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(GROUPS), help="groups, with commas between them")
    parser.add_argument("--match", default="", help="only files whose names this pattern finds")
    parser.add_argument("--pdfs", type=int, default=2000)
    parser.add_argument("--drawn", type=int, default=1000, help="of the mutated PDFs, how many are drawn")
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--archives", type=int, default=600)
    parser.add_argument("--bytes", type=int, default=25, help="for each ending")
    parser.add_argument("--small", action="store_true", help="without the files that are large on purpose")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=parse.timeout)
    parser.add_argument("--memory", type=int, default=parse.memory)
    parser.add_argument("--slow", type=float, default=20.0, help="name what was not stopped but took longer")
    parser.add_argument("--messages", type=int, default=0, help="show so many different errors of a group")
    parser.add_argument("--scratch", help="the folder for scratch files")
    parser.add_argument("--keep", help="a folder for the files that failed")
    parser.add_argument("--keep-kinds", default="crash,memory,time,unforeseen")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main() -> None:
    args = arguments()
    limits = Limits(args.seconds, args.memory)
    print(f"Limits: {limits.seconds:g} s, {limits.memory_mb} MB; {args.workers} at a time; seed {args.seed}.\n")
    print(f"| group | files | {' | '.join(KINDS)} | faults | longest | peak of a child | this process after |")
    print("| --- " * (len(KINDS) + 6) + "|")
    for group in args.only.split(","):
        report(group, draw(args, limits) if group == "drawn" else run(group, args, limits), args)


if __name__ == "__main__":
    main()
