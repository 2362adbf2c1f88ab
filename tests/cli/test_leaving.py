"""Ctrl-C and SIGTERM while the program waits or works long: it leaves, and what is committed is sound."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner
from filelock import FileLock

from conspectus.cli.app import app
from loopback import QuietHandler, serve_handler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there"),
]

GUARD = 60.0
"""Seconds after which a test ends that would hang: what is waited for never comes by itself."""
STUCK = """
import threading, time
from conspectus.cli import interrupts
interrupts.listen()
interrupts.work()
try:
    print("ready", flush=True)
    {body}
finally:
    while True:
        try:
            threading.Event().wait(60)
        except KeyboardInterrupt:
            pass
"""


@dataclass
class Slow:
    """An embedder that answers at once, and where it reads the word `slow` never."""

    url: str = ""
    asked: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def slow() -> Iterator[Slow]:
    state = Slow()

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            if any("slow" in text for text in texts):
                state.asked.set()
                state.ended.wait()
            rows = [{"index": n, "embedding": [1.0, float(len(text))]} for n, text in enumerate(texts)]
            self.send(200, json.dumps({"data": rows}).encode(), {"content-type": "application/json"})

    with serve_handler(Handler) as state.url:
        yield state
        state.ended.set()


def started(folder: Path, slow: Slow, *words: object, ignoring: bool = False) -> subprocess.Popen[bytes]:
    env = {**os.environ, "CONSPECTUS_MODELS_EMBEDDER": f"{slow.url}#m"}
    command = [sys.executable, "-m", "conspectus", "--library", str(folder), *map(str, words)]
    if ignoring:
        command = ["/bin/sh", "-c", 'trap "" INT; exec "$0" "$@"', *command]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def done(folder: Path, slow: Slow, *words: object) -> str:
    """What a verb says that is to come to its end; in this process, which is quicker."""
    env = {"CONSPECTUS_MODELS_EMBEDDER": f"{slow.url}#m"}
    result = CliRunner().invoke(app, ["--library", str(folder), *map(str, words)], env=env)
    assert result.exit_code == 0, result.output
    return result.stdout


def until(stream: IO[bytes] | None, words: bytes) -> None:
    """Read until the words are said."""
    assert stream is not None
    for line in stream:
        if words in line:
            return
    raise AssertionError(f"it ended without {words!r}")


def left(process: subprocess.Popen[bytes], *signals: int, pause: float = 0.3) -> tuple[int, bytes]:
    """The exit code after the signals, and what was said after them; nothing else would end the process."""
    assert process.poll() is None
    for turn, number in enumerate(signals):
        time.sleep(pause if turn else 0)  # two at once are one to the system
        process.send_signal(number)
    try:
        _, said = process.communicate(timeout=GUARD)
    finally:
        process.kill()
    return process.returncode, said


def papers(path: Path, *words: str) -> Path:
    path.write_text("\n".join(json.dumps({"id": word, "title": f"Paper {word}"}) for word in words), "utf-8")
    return path


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGINT,), 130), ((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143)],
    ids=["once", "twice", "term"],
)
def test_a_long_embedding_is_left(tmp_path: Path, slow: Slow, signals: tuple[int, ...], code: int) -> None:
    """Who pressed Ctrl-C twice would sit before a program that goes on for minutes."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    process = started(folder, slow, "add", papers(tmp_path / "b.jsonl", "one", "slow"))
    assert slow.asked.wait(GUARD)
    returned, said = left(process, *signals)
    assert returned == code
    assert b"is kept" in said and b"Traceback" not in said
    (tmp_path / "b.jsonl").write_text("")
    done(folder, slow, "add", papers(tmp_path / "c.jsonl", "next"))
    assert "Paper slow" not in done(folder, slow, "list")


@pytest.mark.parametrize("verb", [("search", "slow"), ("ask", "slow?")], ids=lambda words: words[0])
def test_a_wait_for_a_service_is_left(tmp_path: Path, slow: Slow, verb: tuple[str, ...]) -> None:
    """A service that hangs would hang the terminal with it."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    process = started(folder, slow, *verb)
    assert slow.asked.wait(GUARD)
    returned, said = left(process, signal.SIGINT)
    assert (returned, b"Traceback" in said) == (130, False)


@pytest.mark.parametrize(
    ("body", "signals", "code"),
    [
        ("threading.Event().wait(60)", (signal.SIGINT, signal.SIGINT), 130),
        ("threading.Event().wait(60)", (signal.SIGTERM,), 143),
        ("import sqlite3; sqlite3.connect(':memory:').execute('with recursive n(i) as (select 1 union all select i+1 "
         "from n) select count(*) from n').fetchall()", (signal.SIGINT, signal.SIGINT), 130),
    ],
    ids=["cleaning", "cleaning-term", "in-c"],
)  # fmt: skip
def test_what_does_not_come_to_its_end_is_ended(body: str, signals: tuple[int, ...], code: int) -> None:
    """What cleans up, or runs outside Python, would not hear a second Ctrl-C either."""
    process = subprocess.Popen([sys.executable, "-c", STUCK.format(body=body)], stdout=-1, stderr=-1)
    until(process.stdout, b"ready")
    time.sleep(0.3)  # till it is at its work; earlier it is left all the same
    returned, said = left(process, *signals)
    assert returned == code
    assert b"Stopped at once" in said


def test_a_wait_for_another_writer_is_left(tmp_path: Path, slow: Slow) -> None:
    """The other one may add for hours."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    with FileLock(folder / "write.lock"):
        process = started(folder, slow, "library", "reindex")
        until(process.stderr, b"waiting")
        returned, said = left(process, signal.SIGINT)
    assert (returned, b"Traceback" in said) == (130, False)


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path, slow: Slow) -> None:
    """What was started with `nohup`, or behind an `&` in a script, is not to end with its terminal's Ctrl-C."""
    watched = papers(tmp_path / "a.jsonl", "x")
    process = started(tmp_path / "lib", slow, "add", "--watch", watched, ignoring=True)
    until(process.stdout, b"Watching")
    process.send_signal(signal.SIGINT)
    papers(watched, "x", "y")
    until(process.stdout, b"2 papers")
    returned, _ = left(process, signal.SIGTERM)
    assert returned == 143


def test_an_interrupt_within_a_finaliser_is_heard_after_it() -> None:
    """Python drops it there: Ctrl-C would do nothing, now and then, and the next one would leave at once."""
    script = """
import os, signal, threading, time
from conspectus.cli import interrupts
interrupts.listen()
interrupts.work()

class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(100):
            pass

try:
    Finalised()
    threading.Event().wait(60)
except KeyboardInterrupt:
    while interrupts._listeners[0]._signal_count != 1:  # the signal that was lost, and the one that took its place
        time.sleep(0.01)
    print("heard")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=GUARD, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("heard\n", "", 0)
