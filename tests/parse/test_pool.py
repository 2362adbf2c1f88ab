"""Reading happens in child processes: a hostile or broken file must cost itself and nothing else."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conspectus.core.errors import EncryptedError, InputError, LimitError, UnavailableError, UsageError
from conspectus.parse.process.pool import Limits, ParsedBatch, ParsePool, ReadingJob
from conspectus.parse.process.wire import Order
from conspectus.parse.process.worker_process import WorkerProcess
from conspectus.records import ParsedPaper
from helpers import HANG, until

pytestmark = pytest.mark.slow
ODD = (sys.executable, "-P", str(Path(__file__).with_name("odd_worker.py")))
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX processes")


@pytest.fixture
def pool() -> Iterator[ParsePool]:
    with ParsePool(1, Limits(seconds=20.0, memory_mb=700), command=ODD) as made:
        yield made


def one(pool: ParsePool, reader: str, path: str = "some.pdf") -> list[ParsedBatch]:
    batches = list(pool.run([ReadingJob(path, reader)]))
    assert [batch.done for batch in batches] == [False] * (len(batches) - 1) + [True]
    return batches


def still_works(pool: ParsePool) -> bool:
    batch = one(pool, "fine", "other.pdf")[-1]
    return batch.error is None and len(batch.items) == 2


def pid(batches: list[ParsedBatch]) -> int:
    first = batches[0].items[0]
    assert isinstance(first, ParsedPaper)
    return int(first.metadata.title.split()[0])


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def each_takes(monkeypatch: pytest.MonkeyPatch, each: float) -> None:
    """Has each report take so many seconds of processor time."""

    def stopwatch(_process: object, seconds: float, stop: Callable[[], None]) -> Any:
        late = seconds < each
        if late:
            stop()
        return SimpleNamespace(end=lambda: None, spent=each, waited=each, late=late)

    monkeypatch.setattr("conspectus.parse.process.worker_process.Stopwatch", stopwatch)


def test_papers_cross_the_pipe_whole_and_noise_does_not(pool: ParsePool) -> None:
    """Lost otherwise: places of sentences; or every paper, because a library prints a banner."""
    batch = one(pool, "fine")[0]
    paper, bad = batch.items
    assert isinstance(paper, ParsedPaper)
    assert paper.metadata.extra == {"n": 1, "deep": {"a": [None, 2.5]}}
    assert paper.blocks[0].sentences[0].places[0].rect == (0.0, 1.0, 2.5, 3.0)
    assert (paper.pages, paper.warnings) == (2, ("Odd.",))
    assert bad.where == "line 2"  # type: ignore[union-attr]
    assert batch.done_fraction == 1.0


def test_batches_are_small_and_in_order_and_the_worker_stays(pool: ParsePool) -> None:
    """Lost otherwise: memory on a file of a million records, or time by starting a process for every file."""
    first, second = one(pool, "many", "200"), one(pool, "many", "1")
    assert [len(batch.items) for batch in first] == [64, 64, 64, 8]
    assert [p.metadata.title.split()[1] for b in first for p in b.items] == [str(n) for n in range(200)]  # type: ignore[union-attr]
    assert pid(first) == pid(second)


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        ("sleepy", r"'slow\.pdf' took longer than 1 s on the clock to read, of which it worked for 0"),
        ("spinning", r"'slow\.pdf' took longer than (?:0\.1 s of processor time to read|1 s on the clock)"),  # if busy
    ],
)
def test_a_file_that_takes_too_long_is_given_up(reader: str, reason: str) -> None:
    """Lost otherwise: the whole import, hanging on one file that sleeps, or works without end."""
    with ParsePool(1, Limits(seconds=0.1, memory_mb=700), command=ODD) as pool:
        last = one(pool, reader, "slow.pdf")[-1]
        assert isinstance(last.error, LimitError)
        assert re.match(reason, last.error.message)
        assert "parse.timeout" in last.error.hint
        pool._children[0]._seconds = HANG
        assert still_works(pool)


def test_a_large_file_that_is_read_steadily_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: large record files that are read steadily but not within the time for one paper."""
    large = tmp_path / "256"
    large.write_bytes(bytes(3 * 2**20))
    each_takes(monkeypatch, 50.0)
    with ParsePool(1, Limits(seconds=80.0, memory_mb=700), command=ODD) as pool:
        batches = one(pool, "many", str(large))
        assert sum(len(batch.items) for batch in batches) == 256
        assert batches[-1].error is None


def test_a_file_without_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: the whole import, with one file that always has another page, each of them soon read."""
    small = tmp_path / "small.pdf"
    small.write_bytes(b"%PDF")
    each_takes(monkeypatch, 30.0)
    with ParsePool(1, Limits(seconds=80.0, memory_mb=700), command=ODD) as pool:
        last = one(pool, "endless", str(small))[-1]
        assert isinstance(last.error, LimitError)
        assert "'small.pdf' took longer than 160 s of processor time to read in all" in last.error.message
        assert still_works(pool)


def test_a_slow_caller_is_not_a_slow_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: files refused because embedding the ones before took long."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("conspectus.parse.process.worker_process.processor_seconds", lambda _process: clock.now)
    monkeypatch.setattr("conspectus.parse.process.worker_process.time", SimpleNamespace(monotonic=lambda: clock.now))
    child = WorkerProcess(ODD, seconds=50.0, memory_mb=700)
    for _, error in child.read(Order(b"900", "many")):
        clock.now += 1000
        assert error is None
    child.close()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_file_that_takes_too_much_memory_is_given_up(pool: ParsePool) -> None:
    """Lost otherwise: the machine, swapping because of one file."""
    last = one(pool, "hungry", "bomb.pdf")[-1]
    assert isinstance(last.error, LimitError)
    assert "'bomb.pdf' took more than 700 MB" in last.error.message
    assert "parse.memory" in last.error.hint
    assert still_works(pool)


@pytest.mark.parametrize("reader", ["exits", "segfaults", "babbles"])
def test_a_crash_costs_its_own_file_only(pool: ParsePool, reader: str) -> None:
    """Lost otherwise: all files behind one that crashes the PDF library."""
    jobs = [ReadingJob("1", "many"), ReadingJob("bad.pdf", reader), ReadingJob("2", "many")]
    ends = {batch.job: batch for batch in pool.run(jobs) if batch.done}
    error = ends[jobs[1]].error
    assert type(error) is InputError
    assert error.message == "Reading 'bad.pdf' crashed the program that reads files."
    assert ends[jobs[0]].error is None
    assert ends[jobs[2]].error is None


def test_an_exception_of_a_reader_is_reported_by_name(pool: ParsePool) -> None:
    """Lost otherwise: why a file failed, which whoever mends the reader must know."""
    error = one(pool, "raises")[-1].error
    assert type(error) is InputError
    assert "KeyError: 'colour'" in error.message
    assert not error.retry
    assert still_works(pool)


def test_our_own_errors_arrive_as_they_are(pool: ParsePool) -> None:
    """Lost otherwise: the ledger says "failed" where it could say "asks for a password"."""
    error = one(pool, "encrypted")[-1].error
    assert type(error) is EncryptedError
    assert (error.message, error.hint) == ("'some.pdf' asks for a password.", "Save it without one.")


@posix_only
def test_odd_names_and_odd_text_do_not_stop_the_run(pool: ParsePool) -> None:
    """Lost otherwise: the import, because of one file whose name is not UTF-8."""
    name = os.fsdecode(b"caf\xe9.pdf")
    assert "asks for a password" in str(one(pool, "encrypted", name)[-1].error)
    (paper,) = one(pool, "surrogates")[-1].items
    assert isinstance(paper, ParsedPaper)
    assert paper.metadata.title == "\ufffd"
    assert still_works(pool)


def test_secrets_stay_out_of_the_child(pool: ParsePool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: an API key, to a file that takes over the process that reads it."""
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("HARMLESS", "x")
    title = one(pool, "environment")[0].items[0].metadata.title  # type: ignore[union-attr]
    assert "HARMLESS" in title
    assert "OPENAI_API_KEY" not in title


def test_jobs_are_taken_as_workers_get_free(pool: ParsePool) -> None:
    """Lost otherwise: memory, when a folder of a million files is listed before the first is read."""
    taken: list[int] = []

    def jobs() -> Iterator[ReadingJob]:
        for number in range(100):
            taken.append(number)
            yield ReadingJob("1", "many")

    run = pool.run(jobs())
    for _ in range(3):
        next(run)
    assert len(taken) <= 6
    run.close()  # type: ignore[attr-defined]


def test_a_worker_waits_for_the_caller(pool: ParsePool, tmp_path: Path) -> None:
    """Lost otherwise: memory, when a large file is read faster than its papers are embedded."""
    path = tmp_path / "count"
    run = pool.run([ReadingJob(str(path), "counted")])
    next(run)
    sizes = [-1, 0]
    while sizes[-2] != sizes[-1] <= 6 * 64:
        time.sleep(0.5)
        sizes.append(path.stat().st_size)
    assert sizes[-1] <= 6 * 64
    run.close()  # type: ignore[attr-defined]
    assert still_works(pool)


def test_no_file_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost otherwise: a second at every `add` that finds nothing new."""
    monkeypatch.setattr(subprocess, "Popen", None)
    with ParsePool(2, Limits(), command=ODD) as pool:
        assert list(pool.run([])) == []


def test_several_workers_share_the_work() -> None:
    """Lost otherwise: the second processor."""
    with ParsePool(2, Limits(seconds=20.0), command=ODD) as pool:
        jobs = [ReadingJob(str(n), "many") for n in (3, 200, 5, 70, 1, 0)]
        counts: dict[ReadingJob, int] = dict.fromkeys(jobs, 0)
        for batch in pool.run(jobs):
            counts[batch.job] += len(batch.items)
    assert [counts[job] for job in jobs] == [3, 200, 5, 70, 1, 0]


def test_a_worker_that_cannot_start_says_so() -> None:
    """Lost otherwise: an import that hangs on a broken installation."""
    for command in ((sys.executable, "-c", "raise SystemExit(1)"), ("no-such-program-here",)):
        with ParsePool(1, Limits(), command=command) as pool:
            assert isinstance(one(pool, "fine")[-1].error, UnavailableError)


def test_there_is_at_least_one_worker() -> None:
    """Lost otherwise: an import that never ends, for nobody reads."""
    with pytest.raises(UsageError, match="workers is 0"):
        ParsePool(0, Limits())


@posix_only
@pytest.mark.parametrize("jobs", ["[]", "[ReadingJob('100', 'many'), ReadingJob('x', 'sleepy')]"], ids=["idle", "busy"])
def test_no_child_outlives_a_killed_parent(jobs: str, tmp_path: Path) -> None:
    """Lost otherwise: memory and processors, to orphans that read for nobody."""
    script = tmp_path / "script.py"
    script.write_text(
        "import time\n"
        "from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob\n"
        f"pool = ParsePool(1, Limits(), command={ODD!r})\n"
        "print(list(pool.run([ReadingJob('1', 'many')]))[0].items[0].metadata.title.split()[0], flush=True)\n"
        f"run = pool.run({jobs})\n"
        "next(run, None)\n"
        "print('reading', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert parent.stdout.readline() == "reading\n"
        was_alive = alive(child)
        parent.kill()
    assert was_alive
    until(lambda: not alive(child))


@posix_only
def test_ctrl_c_ends_parent_and_children_without_traces_of_them(tmp_path: Path) -> None:
    """Lost otherwise: the prompt, buried under tracebacks of processes the user never heard of."""
    script = tmp_path / "script.py"
    script.write_text(
        "from conspectus.parse.process.pool import Limits, ParsePool, ReadingJob\n"
        f"with ParsePool(1, Limits(), command={ODD!r}) as pool:\n"
        "    print(list(pool.run([ReadingJob('1', 'many')]))[0].items[0].metadata.title.split()[0], flush=True)\n"
        "    try:\n"
        "        print('reading', flush=True)\n"
        "        for batch in pool.run([ReadingJob('100', 'sleepy')]):\n"
        "            print('got', flush=True)\n"
        "    except KeyboardInterrupt:\n"
        "        print('stopped', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        assert parent.stdout.readline() == "reading\n"
        time.sleep(0.5)  # so that it is; a moment earlier it ends no less
        os.killpg(parent.pid, signal.SIGINT)
        out, err = parent.communicate(timeout=HANG)
    assert out.endswith("stopped\n")
    assert err == ""
    assert parent.returncode == 0
    until(lambda: not alive(child))


def test_the_real_worker_reads_real_files_by_name(tmp_path: Path) -> None:
    """Lost otherwise: everything."""
    path = tmp_path / "one.jsonl"
    path.write_text('{"title": "A title", "abstract": "One. Two."}\nnonsense\n')
    with ParsePool(1, Limits(seconds=30)) as pool:
        (batch,) = pool.run([ReadingJob(str(path), "jsonl")])
    assert [type(item).__name__ for item in batch.items] == ["ParsedPaper", "BadRecord"]
