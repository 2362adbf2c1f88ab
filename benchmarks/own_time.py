"""What one question takes of the processor and of tokens, and how long it goes on beyond its budget.

    PYTHONPATH=src:tests python benchmarks/own_time.py [--library FOLDER] [--runs 3]

Without `--library` one is made under `.bench/` of 30 papers of `jats_plos` and 300 abstracts. The model is a script
behind a loopback server in another process. Own time is the processor time of the whole command `conspectus ask`, as a
median; bytecode is compiled before. Tokens are counted as four characters each, of prompts and replies, for questions
on a cell of one paper's table (`benchmarks/tables.py`). Overtime is what `--max-seconds` is exceeded by where
the model hangs while it writes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import corpora
import tables
import tokens

from conspectus import Library

OWN, TOKENS, OVERTIME = 1.5, 6000, 1.0
"""The limits: seconds of the processor, tokens of a question about one paper, seconds of the clock."""
PAPERS, QUESTIONS, SECONDS = 30, 20, 12
CACHE = corpora.WORK / "bytecode"


def serve(hangs: bool) -> None:
    """The model: it finds every sentence with a number relevant, and says what the passages say."""
    from language_server import Say, serve_script
    from oracle import reader, task

    script = reader("=")

    def answer(body: dict[str, Any]) -> Any:
        if hangs and task(body) == "write":
            time.sleep(60)
        found: Any = script(body)
        return found if isinstance(found, Say) else Say(object=found)

    with serve_script(answer) as server:
        print(server.url, flush=True)
        sys.stdin.read()


@contextmanager
def model(*options: str) -> Iterator[str]:
    """The address of the model."""
    command = [sys.executable, __file__, "--serve", *options]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def make_library(folder: Path) -> None:
    """Add the papers and the abstracts, unless they are there."""
    with Library(folder) as library, tempfile.TemporaryDirectory() as scratch:
        if library.counts()["papers"]:
            return
        with tarfile.open(next((corpora.data_folder() / "jats_plos").glob("*.tar.xz"))) as archive:
            archive.extractall(scratch, filter="data")
        papers = sorted(Path(scratch).rglob("*.xml"))[:PAPERS]
        records = corpora.write_lines(Path(scratch) / "abstracts.jsonl", islice(corpora.distractors(), 300))
        library.add([*papers, records])


def spent(command: list[str]) -> tuple[float, float]:
    """Processor seconds and seconds of a command."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(CACHE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, time.perf_counter() - began


def median(command: list[str], runs: int) -> float:
    """Processor seconds of a command, after a run that does not count."""
    return statistics.median([spent(command)[0] for _ in range(runs + 1)][1:])


def count_tokens(library: Library, questions: int) -> tuple[float, float]:
    """Mean tokens of a question about a cell of a table, and the share of questions whose row was sent to be read."""
    from language_server import request_text, serve_script

    taken, read = [], []
    for question in tables.questions(library)[:questions]:
        script = tokens.script(question.text, question.span.text)
        replies: list[Any] = []

        def answer(body: dict[str, Any], script: Any = script, replies: list[Any] = replies) -> Any:
            replies.append(script(body))
            return replies[-1]

        with serve_script(answer) as server:
            library.ask(question.text, model=server.url, cache=False)
        said = [request_text(body) for body in server.requests]
        taken.append(sum(map(tokens.tokens, said)) + sum(tokens.tokens(json.dumps(reply)) for reply in replies))
        row = " ".join(question.span.text.split())
        read.append(any(row in " ".join(text.split()) for text in said))
    return statistics.mean(taken), statistics.mean(read)


def main() -> None:
    """Print each figure beside its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=corpora.WORK / "own_time")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--hangs", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.hangs)
    make_library(options.library)
    with Library(options.library) as library:
        question = tables.questions(library)[0].text
        mean, read = count_tokens(library, QUESTIONS)
    ask = [sys.executable, "-m", "conspectus", "--library", str(options.library), "ask", question, "--no-cache"]
    with model() as url:
        own = median([*ask, "--model", url], options.runs)
    with model("--hangs") as url:
        over = spent([*ask, "--model", url, "--max-seconds", str(SECONDS)])[1] - SECONDS
    print(f"own time of a question  {own:6.2f} s of the processor")
    print(f"                        to the limit of {OWN:g} s: {own / OWN:.2f}")
    print(f"tokens of a question    {mean:6,.0f}, row read for {read:.2f} of {QUESTIONS}")
    print(f"                        to the limit of {TOKENS:,}: {mean / TOKENS:.2f}")
    print(f"beyond --max-seconds    {over:6.2f} s by the clock, the start of the process included")
    print(f"                        to the limit of {OVERTIME:g} s: {over / OVERTIME:.2f}")
    return None


if __name__ == "__main__":
    main()
