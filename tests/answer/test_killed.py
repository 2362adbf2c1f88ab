"""An `ask` that is killed: the library is whole, and what was read is not read again."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers import HANG, InlinePool, assert_consistent, markdown, open_library, table_rows, until, write
from language_server import Say, serve_script
from oracle import reader, task

QUESTION = "Why does the rotation curve stay flat?"
CHILD = """
import json, sys
from helpers import open_library
folder, url, question = json.loads(sys.argv[1])
with open_library(folder) as library:
    library.ask(question, model=url)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("both_catalogs")
@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9 on Windows")
def test_a_killed_ask_goes_on_from_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who loses power after nineteen of twenty passages does not pay for them again, and has a whole library."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    halo = "The rotation curve stays flat because of a dark halo."
    texts = [markdown(f"Halo {n}", f"Number {n}. {halo}", authors=f"Rubin{n}, V") for n in range(12)]
    papers = [write(tmp_path / f"{n}.md", text) for n, text in enumerate(texts)]
    with open_library(tmp_path / "lib") as library:
        library.add(papers)
    script = reader("flat")

    def hangs(body: dict[str, Any]) -> Any:
        return Say(object=script(body), delay=2 * HANG if task(body) == "write" else 0.0)  # type: ignore[arg-type]

    with serve_script(hangs) as server:
        flags = json.dumps([str(tmp_path / "lib"), server.url, QUESTION])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen([sys.executable, "-c", CHILD, flags], env=environment)
        try:
            until(lambda: any(task(body) == "write" for body in server.requests))
            with open_library(tmp_path / "lib") as library:  # what has come is written soon, not at once
                until(lambda: len(table_rows(library)["calls"]) >= 12)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        read = sum(task(body) == "gather" for body in server.requests)
        server.requests.clear()
        server.script = script
        assert read == 2, "several passages in one call"
        with open_library(tmp_path / "lib") as library:
            assert_consistent(library)
            answer = library.ask(QUESTION, model=server.url)
        assert answer.answered
        assert [task(body) for body in server.requests] == ["write", "judge"]
