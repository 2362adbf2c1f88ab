"""What it costs to keep calls of language models, and answers: 20 kept calls found among 100,000, and more.

python benchmarks/keeping.py                                   # SQLite
python benchmarks/keeping.py --url postgresql://USER@HOST/DB   # in a schema of its own, which is dropped in the end
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from results import Figure, store_figures
from sqlalchemy import text

from conspectus.answer import sql as answer_sql
from conspectus.llm import sql as llm_sql
from conspectus.llm.sql import Spent
from conspectus.models.language import ModelReply, Tokens
from conspectus.records import Answer, AskOptions, Statement
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside, transact

CALLS = 100_000
BATCH = 5000
TURNS = 200
LIMIT_MS = 5.0
SCHEMA = "keeping_benchmark"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="", help="of a PostgreSQL database")
    url = parser.parse_args().url
    with tempfile.TemporaryDirectory() as folder, Catalog(Path(folder) / "catalog.sqlite", url, SCHEMA) as catalog:
        try:
            measure(catalog)
        finally:
            if url:
                with aside(catalog.engine) as connection:
                    connection.execute(text(f"DROP SCHEMA {SCHEMA} CASCADE"))


def measure(catalog: Catalog) -> None:
    digests = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(CALLS)]
    began = time.perf_counter()
    for start in range(0, CALLS, BATCH):
        fill(catalog, digests[start : start + BATCH])
    print(f"{CALLS:,} calls kept, {BATCH:,} at a time: {time.perf_counter() - began:.1f} s")

    def known(turn: int) -> None:
        assert len(llm_sql.read_replies(catalog, digests[turn * 487 % (CALLS - 2000) :][:1900:95])) == 20

    def keep(turn: int) -> None:
        llm_sql.keep_calls(catalog.engine, [(f"new {turn}", ModelReply("words " * 100), ())])

    statements = tuple(Statement(f"Statement {number} of the answer.", "supported", ()) for number in range(8))

    def save(turn: int) -> None:
        made = Answer("What?", True, "", "model", "", statements, id=f"ans-{turn:08}")
        transact(catalog.engine, lambda connection: answer_sql.save_answer(connection, made, AskOptions()), aside)

    found, clock = median(known)
    print(f"20 of them found: {shown(found, clock)}, limit {LIMIT_MS:g}")
    print(f"one more kept: {shown(*median(keep))}")
    print(f"an answer saved: {shown(*median(save))}")
    print(f"an answer read: {shown(*median(lambda turn: answer_sql.load_answer(catalog, f'ans-{turn:08}')))}")
    began = time.perf_counter()
    days = llm_sql.sum_spending(catalog)
    print(f"{CALLS:,} calls added up for {len(days)} days: {time.perf_counter() - began:.2f} s")
    figure = Figure(f"20 of {CALLS:,} stored calls found: CPU time", f"{found:.1f} ms", f"≤ {LIMIT_MS:g} ms")
    store_figures("keeping", "speed", "python benchmarks/keeping.py", [figure])
    if found > LIMIT_MS:
        raise SystemExit("above the limit")


def fill(catalog: Catalog, digests: Sequence[str]) -> None:
    reply = ModelReply("words " * 100, tokens=Tokens(900, 0, 90), cost=0.01, seconds=1.0)
    day = int(digests[0][:4], 16) % 28 + 1
    spent = Spent(at=f"2026-01-{day:02}T00:00:00+00:00", role="write", model="m", prompt_tokens=900, cost=0.01)
    llm_sql.keep_calls(catalog.engine, [(digest, reply, ()) for digest in digests], [spent] * len(digests))


def median(act: Callable[[int], object]) -> tuple[float, float]:
    """Milliseconds of this process's processor time, and of the clock: the second grows with what runs beside."""
    took, clock = [], []
    for turn in range(TURNS):
        began, began_clock = time.process_time(), time.perf_counter()
        act(turn)
        took.append(time.process_time() - began)
        clock.append(time.perf_counter() - began_clock)
    return sorted(took)[TURNS // 2] * 1000, sorted(clock)[TURNS // 2] * 1000


def shown(took: float, clock: float) -> str:
    return f"{took:.2f} ms of the processor ({clock:.2f} ms by the clock)"


if __name__ == "__main__":
    main()
