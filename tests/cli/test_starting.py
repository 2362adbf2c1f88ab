"""Ctrl-C while the program starts: it imports modules for a third of a second, and much can be regretted in it."""

import json
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there"),
]

AT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Pressed())
sys.argv = ["conspectus", *{words!r}]
{start}
"""
STARTS = {
    "script": "from conspectus.cli import main\nsys.exit(main())",
    "module": "import runpy\nrunpy.run_module('conspectus', run_name='__main__')",
}
MODULES = ("conspectus.cli.interrupts", "socket", "click", "conspectus.cli.app", "conspectus.papers.verbs")


def pressed(module: str, start: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The program, interrupted when it imports the module."""
    code = AT.format(module=module, words=words, start=STARTS[start])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("module", "start"), [("click", "module"), *((module, "script") for module in (*MODULES, "conspectus.library"))]
)
def test_ctrl_c_while_modules_are_imported_is_told_in_a_line(module: str, start: str):
    """Who sees at once that a word was wrong would get forty lines of traceback for it."""
    done = pressed(module, start, "--library", "/nowhere/at/all", "list")
    assert (done.returncode, done.stdout, done.stderr.split("\n")[-2:]) == (130, "", ["error: Stopped.", ""])
    assert done.stderr.count("\n") <= 2


@pytest.mark.parametrize("module", [MODULES[0], MODULES[-1]])
def test_a_program_is_told_of_it_as_of_all_else(module: str):
    """What reads the errors of --json would find words that it cannot read."""
    done = pressed(module, "script", "--json", "list")
    assert (done.returncode, done.stdout) == (130, "")
    assert json.loads(done.stderr)["error"]["type"] == "Interrupted"
