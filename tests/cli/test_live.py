"""What a terminal shows while an answer is made."""

import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_cases import QUESTION

from conspectus.cli.progress import NOTES, Stages
from conspectus.records import Statement, Usage
from conspectus.records.events import Notice, PassagesFound, Reading, Searching, StatementChecked, Text
from language_server import Say, serve_script
from oracle import reader

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
SIZE = (24, 100)


def rendered(stages: Stages, rows: int = 10) -> list[str]:
    from rich.console import Console

    console = Console(width=60, height=rows, force_terminal=True, no_color=True, legacy_windows=False)
    with console.capture() as held:
        console.print(stages)
    return re.sub(r"\x1b\[[0-9;]*m", "", held.get()).splitlines()


def test_stages_say_how_far_it_is():
    """A user would wait a minute without knowing whether anything happens, and what it costs."""
    now = [0.0]
    stages = Stages(lambda: now[0])
    assert rendered(stages) == ["preparing · 0 s"]
    stages.take(Searching("Why?"))
    assert rendered(stages)[0].startswith("searching: Why?")
    stages.take(PassagesFound(20, 12))
    assert rendered(stages)[0].startswith("found 20 passages of 12 papers")
    now[0] = 7.2
    stages.take(Reading(7, 20, Usage(prompt_tokens=5000, completion_tokens=321, cost=0.0031)))
    assert rendered(stages) == ["reading 7/20 · 5,321 tokens, $0.0031 · 7 s"]
    stages.take(Notice("The server is busy.\nWaiting."))
    assert rendered(stages)[0] == "The server is busy. Waiting."


def test_the_text_is_shown_as_it_comes_and_then_goes():
    """Unchecked words would stay on the screen as if they were the answer."""
    stages = Stages(lambda: 0.0)
    for piece in (Text("Cats ", True), Text("purr."), Text("\nDogs bark.")):
        stages.take(piece)
    assert rendered(stages) == ["writing, not yet checked · 0 s", "Cats purr.", "Dogs bark."]
    stages.take(Text("Better.", True))
    assert rendered(stages)[1:] == ["Better."]
    stages.take(StatementChecked(Statement("Cats purr.", "supported", ())))
    assert rendered(stages) == ["checked · 0 s"]


def test_long_and_hostile_text_stays_within_the_screen():
    """The screen could not be cleaned up again, or a model could command the terminal."""
    stages = Stages(lambda: 0.0)
    stages.take(Text("\n".join(f"Line {number} \x1b[2J\x07 and more words." for number in range(100)), True))
    for number in range(10):
        stages.take(Notice(f"Note {number} " + "x" * 500))
    shown = rendered(stages, rows=12)
    assert len(shown) <= 12 and sum(line.startswith("Note ") for line in shown) == NOTES
    assert shown[-1].startswith("Line 99") and not any(len(line) > 60 for line in shown)
    assert "\x1b" not in "".join(shown) and "\x07" not in "".join(shown)


class Slow:
    """A script that takes its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._script = reader("mitochondria gather", write=self._write)

    def _write(self, _: Any) -> Say:
        claims = [{"text": "Mitochondria gather around the nucleus.", "evidence": ["e1"]}]
        return Say(object={"answerable": True, "statements": claims, "missing": ""})

    def __call__(self, body: dict[str, Any]) -> Any:
        said = self._script(body)
        said = said if isinstance(said, Say) else Say(object=said)  # type: ignore[arg-type]
        return replace(said, delay=self._seconds)


def on_terminal(words: Sequence[str | Path], stop_at: bytes = b"") -> tuple[int, str]:
    """The exit code and all that the program writes to a terminal; Ctrl-C when it has written `stop_at`."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
    command = [sys.executable, "-m", "conspectus", *map(str, words)]
    # workers of pytest-xdist have COLUMNS, which would count for more than the size of this terminal
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment = {**kept, "TERM": "xterm-256color"}
    said = b""
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        while select.select([ours], [], [], 60)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # it has ended
                break
            said += piece
            if stop_at and stop_at in said:
                process.send_signal(signal.SIGINT)
                stop_at = b""
    os.close(ours)
    return process.returncode, said.decode("utf-8", "replace")


@posix
@pytest.mark.model
def test_a_terminal_shows_stages_then_the_checked_answer(own: Path):
    """A user would see nothing for a minute, or the stages would be mixed into the answer."""
    with serve_script(Slow(0.6)) as server:
        code, said = on_terminal(["--library", own, "ask", QUESTION, "--model", server.url])
    assert code == 0
    seen = [said.index(text) for text in ("reading ", "writing, not yet checked", "Sources", "passages read")]
    assert seen == sorted(seen)
    final = said[said.rindex("\x1b[2K") :]  # what was live has been wiped out before
    assert "reading " not in final and "[Green et al. 2011]" in final


@posix
@pytest.mark.model
def test_ctrl_c_ends_it_and_what_was_read_is_kept(own: Path):
    """A user who stops an expensive question would pay for it twice, or not know."""
    with serve_script(Slow(0.1)) as server:
        words = ["--library", own, "ask", QUESTION, "--model", server.url, "--set", "language.concurrency=2"]
        code, said = on_terminal(words, b"reading 2/")
        assert code == 130
        assert "Stopped." in said and "What the model has read is kept" in said
        before = len(server.requests)
        code, said = on_terminal(words)
        plain = " ".join(re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", said).split())  # a line may end anywhere
        assert code == 0 and re.search(r"[1-9]\d* of \d+ calls from the", plain)
        assert len(server.requests) > before


@posix
def test_a_terminal_shows_life_before_the_library_is_opened(tmp_path: Path):
    """On a busy machine a user sees nothing for seconds, and starts the command again."""
    code, said = on_terminal(["--library", tmp_path, "add", tmp_path / "none"])
    assert code == 1 and said.startswith("working\r")


@posix
@pytest.mark.model
def test_a_bar_that_stands_still_has_something_that_moves(tmp_path: Path):
    """While a large file is read the bar stands still, as if the program hung."""
    (tmp_path / "paper.jsonl").write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    code, said = on_terminal(["--library", tmp_path / "library", "add", tmp_path / "paper.jsonl"])
    assert code == 0
    assert any(f"{frame}\x1b[0m adding" in said for frame in "-\\|/")
