"""The program as its own process: streams, pipes, encodings, interruption."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import QUESTION, Shelf

from helpers import until

Program = Callable[..., subprocess.CompletedProcess[bytes]]

windows = pytest.mark.skipif(sys.platform == "win32", reason="signals and closed pipes are told otherwise there")


def test_errors_go_to_standard_error_only(program: Program, tmp_path: Path):
    """A pipe would pass an error message on as data."""
    result = program("--library", tmp_path / "none", "list")
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"error: There is no library in " in result.stderr


@pytest.mark.model
def test_answers_go_to_standard_output_in_utf8(program: Program, shelf: Shelf):
    """Characters outside ASCII would break the output where the locale knows none."""
    result = program("--library", shelf.library, "ask", QUESTION, env={"LC_ALL": "C", "PYTHONUTF8": "0"})
    assert (result.returncode, result.stderr) == (0, b"")
    assert "“" in result.stdout.decode("utf-8")
    ascii_only = program("--library", shelf.library, "ask", QUESTION, env={"PYTHONIOENCODING": "ascii"})
    assert ascii_only.returncode == 0
    assert "Mitochondria" in ascii_only.stdout.decode("ascii")


@pytest.mark.model
def test_progress_goes_to_standard_error(program: Program, tmp_path: Path):
    """Progress would end up in the JSON, or show although --quiet was asked for."""
    source = tmp_path / "one.jsonl"
    source.write_text('{"id": "1", "title": "Tides of the sea"}\n', "utf-8")
    result = program("--library", tmp_path / "lib", "add", source, "--json")
    assert json.loads(result.stdout)["counts"]["added"] == 1
    lines = [line for line in result.stderr.decode().splitlines() if "working (" not in line]  # on a busy machine
    assert lines[0].startswith("adding: 0.0 of 0.0 kB, 1 of 1 file, 1 paper")
    assert len(lines) <= 3
    assert b"\x1b" not in result.stderr
    quiet = program("--library", tmp_path / "lib2", "--quiet", "add", source)
    assert (quiet.returncode, quiet.stderr) == (0, b"")


@windows
@pytest.mark.model
def test_a_closed_pipe_is_no_error(shelf: Shelf):
    """`conspectus list | head -1` would end in a traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "conspectus", "--library", str(shelf.library), "list"]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)
    lines = [line for line in result.stderr.splitlines() if not line.startswith(b"working (")]  # on a busy machine
    assert (result.returncode, lines) == (0, [])


@windows
@pytest.mark.model
def test_an_interrupted_add_says_that_it_goes_on(tmp_path: Path):
    """The user would not dare to stop a long run."""
    source = tmp_path / "many.jsonl"
    rows = [
        json.dumps({"id": str(n), "title": f"Paper {n}", "abstract": f"Words about {n}. " * 10}) for n in range(3000)
    ]
    source.write_text("\n".join(rows), "utf-8")
    command = [sys.executable, "-m", "conspectus", "--library", str(tmp_path / "lib"), "add", str(source)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    log = tmp_path / "lib" / "catalog.sqlite-wal"
    until(lambda: log.is_file() and log.stat().st_size > 2**17)  # it is adding: what is weak is collected at the start
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert b"What is committed is kept" in said
    assert b"Traceback" not in said


@windows
def test_adding_steps_back_for_those_who_search():
    """Who searches would wait for a processor behind somebody else's `add`."""
    code = "import os\nfrom conspectus.cli.progress import step_back\nstep_back()\nstep_back()\nprint(os.nice(0))"
    before = os.getpriority(os.PRIO_PROCESS, 0)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(said.stdout) == max(before, 10)
