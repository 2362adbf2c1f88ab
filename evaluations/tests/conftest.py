"""What these tests share with those in `tests`: a clean environment, the shared data, libraries without a model."""

import importlib.util
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus.core import packages

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("conspectus_tests_conftest", ROOT / "tests" / "conftest.py")
assert _spec and _spec.loader
_shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_shared)
clean_environment, data, quick_pool = _shared.clean_environment, _shared.data, _shared.quick_pool


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """This run of the tests has its own state, not the user's."""
    if "CONSPECTUS_STATE" in os.environ:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONSPECTUS_STATE", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def hashing(monkeypatch: pytest.MonkeyPatch, quick_pool: None) -> None:
    """Every library embeds with `HashEmbedder` and reads files in this process."""
    from helpers import HashEmbedder

    monkeypatch.setattr(
        "conspectus.models.registry.make_embedder", lambda settings: HashEmbedder(f"hash/{settings.embedder}")
    )


@pytest.fixture(autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package as its `pyproject.toml` describes it, whether it is installed or not."""
    project = tomllib.loads((ROOT / "evaluations" / "pyproject.toml").read_text())["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / "conspectus_evaluations-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [
        line
        for group, named in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in named.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(points))
    monkeypatch.syspath_prepend(str(site))
    packages._installed.cache_clear()
    yield
    packages._installed.cache_clear()
