"""Keys: the setting's, the environment's, else the keyring's; each for its own place."""

import sys
from pathlib import Path

import pytest

from conspectus import Library, load_settings
from conspectus.core.errors import ServiceError
from conspectus.models.languages.registry import language_model
from conspectus.models.registry import make_embedder, make_reranker
from conspectus.settings import keys
from conspectus.settings.secret import Secret

KEYRING = """
from . import errors
def get_password(service, name):
    if {locked!r}:
        raise errors.KeyringError("locked")
    if {none!r}:
        raise errors.NoKeyringError("none")
    return {entries!r}.get((service, name))
"""
ERRORS = "class KeyringError(Exception): pass\nclass NoKeyringError(KeyringError): pass\n"


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes a package `keyring` with entries of the service `conspectus`."""

    def make(*, locked: bool = False, none: bool = False, **entries: str) -> None:
        package = tmp_path / "packages" / "keyring"
        package.mkdir(parents=True)
        named = {("conspectus", name.replace("__", ".")): value for name, value in entries.items()}
        (package / "__init__.py").write_text(KEYRING.format(locked=locked, none=none, entries=named), "utf-8")
        (package / "errors.py").write_text(ERRORS, "utf-8")
        monkeypatch.syspath_prepend(str(package.parent))
        for name in [name for name in sys.modules if name.partition(".")[0] == "keyring"]:
            monkeypatch.delitem(sys.modules, name)

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] == "keyring"]:
        del sys.modules[name]


def test_setting_then_environment_then_keyring(ring, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for one run would be overruled by the one that lies in the keyring."""
    ring(language__api_key="ring", OPENAI_API_KEY="openai-ring")
    names = ("language.api_key", ("OPENAI_API_KEY",))
    assert keys.find_key(Secret("given"), *names).reveal() == "given"
    assert keys.find_key(Secret(), *names).reveal() == "ring"
    assert keys.find_key(Secret(), "", ("OPENAI_API_KEY",)).reveal() == "openai-ring"
    monkeypatch.setenv("OPENAI_API_KEY", "environment")
    assert keys.find_key(Secret(), *names).reveal() == "environment"


def test_without_a_keyring_there_is_no_key(ring) -> None:
    """A machine without one, as most servers are, could use no model at all."""
    ring(none=True)
    assert keys.find_key(Secret(), "language.api_key") == Secret()


def test_a_keyring_that_is_locked_is_told(ring) -> None:
    """A question would be sent without the key, and the answer be about something else."""
    ring(locked=True)
    with pytest.raises(ServiceError, match="keyring cannot be read"):
        keys.find_key(Secret(), "language.api_key")


def test_the_keyrings_key_reaches_its_place_and_no_other(ring) -> None:
    """The key of one service would be sent to another."""
    ring(language__api_key="ring-language", models__api_key="ring-models", models__rerank_key="ring-rerank")
    here, there = "http://127.0.0.1:9/v1#m", "http://127.0.0.2:9/v1#m"
    settings = load_settings(None, {"model": here, "models.embedder": here}, {})
    assert language_model(here, settings.language)._backend.key.reveal() == "ring-language"  # type: ignore[attr-defined]
    assert language_model(there, settings.language)._backend.key.reveal() == ""  # type: ignore[attr-defined]
    assert make_embedder(settings.models)._key == "ring-models"  # type: ignore[attr-defined]
    assert make_reranker(here, settings.models).inner._key.reveal() == "ring-rerank"  # type: ignore[attr-defined]
    with pytest.raises(ServiceError, match="no key"):
        language_model("anthropic:claude", settings.language)


def test_a_keyring_is_not_asked_for_what_needs_no_key(ring, tmp_path: Path) -> None:
    """Each command would wait for a password to be typed."""
    ring(locked=True)
    with Library(tmp_path / "lib") as library:
        assert library.counts()["papers"] == 0
