"""A small library on disk, made once, and ways to call the program."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

pytest.register_assert_rewrite("cli_cases")

from cli_cases import RECORDS, Run, Shelf  # noqa: E402 - after its asserts are registered

from conspectus.cli.app import app  # noqa: E402
from helpers import copy_library  # noqa: E402

AS_MADE = "as made"


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A library with three records and one PDF. Tests that use it are marked `model`, and only ask it."""
    from conspectus import Library

    base = tmp_path_factory.mktemp("shelf")
    sources = base / "sources"
    sources.mkdir()
    (sources / "abstracts.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS), "utf-8")
    examples = Path(__file__).parents[2] / "examples" / "papers"
    shutil.copy(examples / "exoplanet-transits.pdf", sources / "transits.pdf")
    with Library(base / "library") as library:
        report = library.add([sources])
    assert not report.failed
    shutil.copytree(base / "library", base / AS_MADE)
    return Shelf(base / "library", sources)


@pytest.fixture
def own(shelf: Shelf, tmp_path: Path) -> Path:
    """A copy of the library that a test may change, as if it had been made there; nobody has asked it."""
    return copy_library(shelf.library.parent / AS_MADE, tmp_path / "own")


@pytest.fixture
def run() -> Run:
    """Calls the program in this process; result has exit_code, stdout and stderr."""

    def call(*words: str | Path, **extra: Any) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words], **extra)

    return call


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Calls the program as its own process, its streams piped."""

    def call(*words: str | Path, **extra: Any) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "conspectus", *map(str, words)]
        environment = {**os.environ, **extra.pop("env", {})}
        return subprocess.run(command, capture_output=True, timeout=60, check=False, env=environment, **extra)

    return call
