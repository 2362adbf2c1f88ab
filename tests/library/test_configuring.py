"""Settings that are changed by a program: what counts from then on, what stays, and what nobody may set from afar."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError, SettingsError
from conspectus.library.library_folder import edited
from conspectus.settings import load_settings
from helpers import open_library

OWN = """# how I like it
[search]
k = 7  # few
recency = true

[language]
model = "ollama:qwen"
"""


@pytest.fixture
def library(tmp_path: Path, quick_pool: None) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        yield library


def row(library: Library, name: str) -> Any:
    return next(one for one in library.configuration() if one.name == name)


def test_what_is_set_counts_and_stays(library: Library) -> None:
    """A setting would be gone with the server, or count only after it."""
    (now,) = library.configure({"search.k": 5})
    assert (now.value, library.settings.search.k) == (5, 5)
    assert now.origin == str(library.folder / "conspectus.toml")
    assert load_settings(library.folder).search.k == 5
    (now,) = library.configure({"search.k": None})
    assert (now.origin, now.value) == ("default", now.default)


def test_what_the_user_wrote_stays(library: Library) -> None:
    """Comments and other settings would be lost."""
    text = edited(OWN, ("search",), "k", 9)
    assert text == OWN.replace("k = 7  # few", "k = 9")
    assert edited(text, ("search",), "recency", None) == text.replace("recency = true\n", "")
    assert edited("", ("search",), "k", 9) == "[search]\nk = 9\n"
    assert edited(OWN, ("budget",), "calls", 3).endswith("\n[budget]\ncalls = 3\n")
    assert edited(OWN, ("language",), "model", 'a"b\\c\n')
    with pytest.raises(SettingsError, match="only you can change"):
        edited("search.k = 7\n", ("search",), "k", 8)
    with pytest.raises(SettingsError, match="only you can change"):
        edited('[search]\nx = """\nk = 3\n"""\n', ("search",), "k", 8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("language.api_key", "sk-1"),
        ("language.api_key", None),
        ("models.api_key", "sk-1"),
        ("catalog.url", "postgresql://x/y"),
        ("models.store", "/tmp/x"),
        ("models.embedder", "http://10.0.0.1/v1#x"),
        ("language.model", "http://169.254.169.254/v1#x"),
        ("language.model", "local:/etc/passwd"),
        ("language.judge", "onnx:/tmp/x"),
        ("search.reranker", "onnx:/tmp/x"),
        ("parse.grobid_url", "http://10.0.0.1:80"),
        ("sources.crossref.url", "http://10.0.0.1"),
        ("search.k", 0),
        ("search.k", [1]),
        ("nothing.at_all", 1),
    ],
)
def test_what_is_not_set_from_afar(library: Library, user_config: Path, name: str, value: Any) -> None:
    """Who has the token could have the server read its files, ask its neighbours, or send a key away."""
    before = library.settings
    user_config.write_text("[search]\nmmr = 0.5  # mine\n", "utf-8")
    with pytest.raises(ConspectusError):
        library.configure({"search.recency": True, name: value})
    path = library.folder / "conspectus.toml"
    assert not path.exists() or path.read_text() == ""
    assert user_config.read_text("utf-8") == "[search]\nmmr = 0.5  # mine\n"
    assert library.settings == before


def test_a_value_that_is_not_taken_names_no_file(library: Library) -> None:
    """Who reads "in conspectus.toml" would look there for a value that was never written."""
    with pytest.raises(SettingsError, match=r"'catalog.wait' cannot be -5: it must be a number") as told:
        library.configure({"catalog.wait": -5})
    assert "toml" not in str(told.value)


def test_models_of_known_services_are_chosen(library: Library, user_config: Path) -> None:
    """The page could offer no model; or would write it where it is never read."""
    user_config.write_text("[search]\nmmr = 0.5  # mine\n", "utf-8")
    rows = library.configure({"language.model": "ollama:qwen2.5:7b", "search.reranker": "none", "evidence.read": 99})
    assert library.settings.language.model == "ollama:qwen2.5:7b"
    section = f'[library."{library.folder}"]'
    assert {one.name: one.origin for one in rows} == {
        "language.model": f"{user_config} {section}",
        "search.reranker": str(library.folder / "conspectus.toml"),
        "evidence.read": f"{user_config} {section}",
    }
    said = f'[search]\nmmr = 0.5  # mine\n\n{section}\nlanguage.model = "ollama:qwen2.5:7b"\nevidence.read = 99\n'
    assert sorted(user_config.read_text("utf-8").split()) == sorted(said.split())
    library.configure({"language.model": "openai:gpt", "evidence.read": 5})
    assert (library.settings.language.model, library.settings.evidence.read) == ("openai:gpt", 5)
    library.configure({"language.model": None, "evidence.read": None})
    assert user_config.read_text("utf-8") == f"[search]\nmmr = 0.5  # mine\n\n{section}\n"
    with pytest.raises(SettingsError, match="not tried"):
        library.try_models(["http://169.254.169.254/v1#x"])


def test_what_goes_before_the_file_is_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change would seem to be made, and do nothing."""
    monkeypatch.setenv("CONSPECTUS_SEARCH_K", "3")
    with pytest.raises(SettingsError, match=r"CONSPECTUS_SEARCH_K.*Change it there"):
        library.configure({"search.k": 5})
    with pytest.raises(SettingsError, match="flag"):
        library.configure({"parse.workers": 2})


def test_secrets_are_not_shown(tmp_path: Path, quick_pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of settings would tell the key to whoever looks over the shoulder."""
    monkeypatch.setenv("CONSPECTUS_LANGUAGE_API_KEY", "sk-123")
    with open_library(tmp_path / "lib", parse__grobid_url="http://ada:geheim@localhost:8070") as library:
        said = str(library.configuration())
        assert "sk-123" not in said and "geheim" not in said
        assert row(library, "language.api_key").value == "***" and row(library, "language.api_key").fixed
        assert row(library, "models.api_key").value == ""


def test_what_is_ignored_in_the_library_is_taken_out_of_it(library: Library) -> None:
    """The page would say for ever that a setting has no effect."""
    path = library.folder / "conspectus.toml"
    path.write_text('[language]\nmodel = "http://192.0.2.1/v1#m"\n', "utf-8")
    with open_library(library.folder) as again:
        assert row(again, "language.model").ignored == str(path)
        again.configure({"language.model": None})
        assert row(again, "language.model").ignored == ""
    assert path.read_text("utf-8") == "[language]\n"
