"""The package in `examples/plain` is as good as installed for these tests, also in child processes."""

import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus.core import packages
from conspectus.parse import registry

PLAIN = Path(__file__).parents[2] / "examples" / "plain"
sys.path.insert(0, str(PLAIN))

WRONG = {
    "conspectus.readers": {
        "broken": "conspectus_plain.nowhere:Reader",
        "thief": "faulty_package:Thief",
        "endless": "faulty_package:WithoutEndings",
        "greedy": "faulty_package:OneEnding",
        "leaving": "faulty_package:leave",
    },
    "conspectus.embedders": {"minilm": "conspectus_plain.models:LetterEmbedder", "failing": "faulty_package:fail"},
    "conspectus.encoders": {"failing": "faulty_package:fail"},
    "conspectus.rerankers": {"failing": "faulty_package:fail"},
    "conspectus.indexes": {"failing": "faulty_package:fail"},
    "conspectus.answer_sets": {"failing": "faulty_package:nowhere"},
    "conspectus.exporters": {"failing": "faulty_package:fail", "md": "faulty_package:fail"},
}
"""What a package may bring beside: what is not there, names that others have, and what fails."""


def _forget() -> None:
    packages._installed.cache_clear()
    packages._log_duplicate.cache_clear()
    registry.readers.cache_clear()


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    project = tomllib.loads((PLAIN / "pyproject.toml").read_text())["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / "conspectus_plain-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]
    groups = {name: points.get(name, {}) | WRONG.get(name, {}) for name in {**points, **WRONG}}
    lines = [
        line for name, points in groups.items() for line in (f"[{name}]", *(f"{k} = {v}" for k, v in points.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(site))
    paths = [str(site), str(PLAIN), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    _forget()
    yield
    _forget()
