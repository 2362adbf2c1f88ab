"""Ctrl-C and SIGTERM while the program waits or works long: it leaves, and what is committed is sound."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from loopback import QuietHandler, listening

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")

MOST = 4.0
"""Seconds: twice what is asked for, since other tests run beside these."""
STUCK = """
import threading, time
from conspectus.cli import leaving
leaving.listen()
print("ready", flush=True)
try:
    {body}
finally:
    while True:
        try:
            threading.Event().wait(60)
        except KeyboardInterrupt:
            pass
"""


@pytest.fixture(scope="module")
def slow() -> Iterator[str]:
    """An embedder that takes its time: quick for the first two texts, then a minute for each request."""

    class Handler(QuietHandler):
        asked = 0

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            type(self).asked += len(texts)
            if any("slow" in text for text in texts):
                time.sleep(60)
            rows = [{"index": n, "embedding": [1.0, float(len(text))]} for n, text in enumerate(texts)]
            self.send(200, json.dumps({"data": rows}).encode(), {"content-type": "application/json"})

    with listening(Handler) as url:
        yield url


def started(folder: Path, url: str, *words: object) -> subprocess.Popen[bytes]:
    env = {**os.environ, "CONSPECTUS_MODELS_EMBEDDER": f"{url}#m"}
    command = [sys.executable, "-m", "conspectus", "--library", str(folder), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)


def done(folder: Path, url: str, *words: object) -> None:
    """A verb that is to come to its end."""
    process = started(folder, url, *words)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said


def left(process: subprocess.Popen[bytes], *signals: int, pause: float = 0.3) -> tuple[float, int, bytes]:
    """Seconds from the last of the signals to the process's end, its exit code, and what it said."""
    for turn, number in enumerate(signals):
        time.sleep(pause if turn else 0)  # two at once are one to the system
        sent = time.monotonic()
        process.send_signal(number)
    try:
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    return time.monotonic() - sent, process.returncode, said


def papers(path: Path, *words: str) -> Path:
    path.write_text("\n".join(json.dumps({"id": word, "title": f"Paper {word}"}) for word in words), "utf-8")
    return path


@pytest.mark.parametrize(
    ("signals", "code"),
    [((signal.SIGINT,), 130), ((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143)],
    ids=["once", "twice", "term"],
)
def test_a_long_embedding_is_left(tmp_path: Path, slow: str, signals: tuple[int, ...], code: int) -> None:
    """Who pressed Ctrl-C twice would sit before a program that goes on for minutes."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    process = started(folder, slow, "add", papers(tmp_path / "b.jsonl", "one", "slow"))
    time.sleep(4)
    seconds, returned, said = left(process, *signals)
    assert seconds < MOST
    assert returned == code
    assert b"is kept" in said and b"Traceback" not in said
    (tmp_path / "b.jsonl").write_text("")
    done(folder, slow, "add", papers(tmp_path / "c.jsonl", "next"))


@pytest.mark.parametrize("verb", [("search", "slow"), ("ask", "slow?")], ids=lambda words: words[0])
def test_a_wait_for_a_service_is_left(tmp_path: Path, slow: str, verb: tuple[str, ...]) -> None:
    """A service that hangs would hang the terminal with it."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    process = started(folder, slow, *verb)
    time.sleep(4)
    seconds, returned, said = left(process, signal.SIGINT)
    assert (returned, b"Traceback" in said) == (130, False)
    assert seconds < MOST


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
    assert process.stdout and process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    seconds, returned, said = left(process, *signals)
    assert returned == code
    assert seconds < MOST
    assert b"Stopped at once" in said


def test_a_wait_for_another_writer_is_left(tmp_path: Path, slow: str) -> None:
    """The other one may add for hours."""
    folder = tmp_path / "lib"
    done(folder, slow, "add", papers(tmp_path / "a.jsonl", "quick"))
    with FileLock(folder / "write.lock"):
        process = started(folder, slow, "reindex")
        time.sleep(4)
        seconds, returned, said = left(process, signal.SIGINT)
    assert (returned, b"Traceback" in said) == (130, False)
    assert seconds < MOST


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path, slow: str) -> None:
    """What was started with `nohup`, or behind an `&` in a script, is not to end with its terminal's Ctrl-C."""
    ignoring = ["/bin/sh", "-c", 'trap "" INT; exec "$0" "$@"', sys.executable, "-m", "conspectus"]
    command = [*ignoring, "--library", str(tmp_path / "lib"), "add", "--watch", str(papers(tmp_path / "a.jsonl", "x"))]
    env = {**os.environ, "CONSPECTUS_MODELS_EMBEDDER": f"{slow}#m"}
    process = subprocess.Popen(command, stdout=-1, stderr=-1, env=env)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None
    seconds, returned, _ = left(process, signal.SIGTERM)
    assert (returned, seconds < MOST) == (143, True)
