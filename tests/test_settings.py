"""Settings: one tree, every key known, every value checked, secrets kept."""

import copy
import pickle
from pathlib import Path
from typing import Any, get_args

import pytest

from conspectus import Library, Settings, load_settings
from conspectus.core.errors import SettingsError
from conspectus.settings import KEYS, Secret, describe


def load(folder: Path | None = None, flags: dict[str, Any] | None = None, **environ: str) -> Settings:
    return load_settings(folder, flags, {f"CONSPECTUS_{name}": value for name, value in environ.items()})


def toml(folder: Path, text: str) -> Path:
    (folder / "conspectus.toml").write_text(text, "utf-8")
    return folder


def test_flags_go_before_the_environment_before_the_file(tmp_path: Path) -> None:
    """Else a value given for one call is overruled by one set for good."""
    folder = toml(tmp_path, "[search]\nk = 3\ncandidates = 30\nrerank = 13\n[answer]\nper_paper = 4\n")
    found = load(folder, {"search.k": 5, "search.dense_weight": "0.25"}, SEARCH_K="4", SEARCH_CANDIDATES="40")
    assert (found.search.k, found.search.candidates, found.search.rerank) == (5, 40, 13)
    assert found.answer.per_paper == 4
    assert found.search.dense_weight == 0.25
    assert found.answer.statements == Settings().answer.statements


def test_it_says_where_each_value_is_from(tmp_path: Path) -> None:
    """Else nobody finds the forgotten variable that changes the results."""
    folder = toml(tmp_path, "[search]\nk = 3\n[answer]\nper_paper = 4\n")
    rows = {key: (value, origin) for key, value, origin in load(folder, {"search.k": 5}, ANSWER_STATEMENTS="2").rows()}
    assert rows["search.k"] == (5, "flag")
    assert rows["answer.statements"] == (2, "CONSPECTUS_ANSWER_STATEMENTS")
    assert rows["answer.per_paper"] == (4, str(tmp_path / "conspectus.toml"))
    assert rows["parse.timeout"][1] == "default"
    assert list(rows) == list(KEYS)


@pytest.mark.parametrize(
    ("flags", "environ", "text", "near"),
    [
        ({"search.kk": 5}, {}, "", "search.k"),
        ({"serach.candidates": 5}, {}, "", "search.candidates"),
        ({}, {"ANSWER_TRESHOLD": "1"}, "", "answer.threshold"),
        ({}, {}, "[models]\nembeder = 'minilm'\n", "models.embedder"),
        ({}, {}, "timeout = 5\n", ""),
        ({"k": 5}, {}, "", ""),
        ({"": 5}, {}, "", ""),
    ],
)
def test_an_unknown_key_names_the_nearest(
    tmp_path: Path, flags: dict[str, Any], environ: dict[str, str], text: str, near: str
) -> None:
    """Else a typing error is a setting that silently has no effect."""
    with pytest.raises(SettingsError) as caught:
        load(toml(tmp_path, text), flags, **environ)
    assert (f"'{near}'" if near else "'") in str(caught.value)
    assert caught.value.hint
    assert caught.value.exit_code == 2
    if environ:
        assert "CONSPECTUS_ANSWER_TRESHOLD" in caught.value.message
    if text:
        assert "conspectus.toml" in caught.value.message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("search.k", 0),
        ("search.k", "0"),
        ("search.k", "ten"),
        ("search.k", 2.5),
        ("search.k", True),
        ("search.k", None),
        ("search.k", ""),
        ("search.dense_weight", 1.01),
        ("search.dense_weight", -0.01),
        ("search.dense_weight", float("nan")),
        ("search.dense_weight", "nan"),
        ("passages.chars", 199),
        ("parse.timeout", 0),
        ("parse.memory", 5),
        ("models.threads", -1),
        ("models.embedder", 5),
        ("parse.workers", 10**6),
        ("evidence.read", 10**9),
        ("language.timeout", 10**8),
        ("language.timeout", float("inf")),
        ("budget.cost", float("inf")),
        ("budget.tokens", 10**18),
    ],
)
def test_a_value_out_of_bounds_is_refused(key: str, value: Any) -> None:
    """Else it fails much later, and far from where it was set."""
    with pytest.raises(SettingsError) as caught:
        load(None, {key: value})
    assert f"'{key}'" in caught.value.message
    assert describe(KEYS[key].type) in caught.value.message
    assert KEYS[key].doc in caught.value.hint


def test_overlap_must_leave_room() -> None:
    """Else passages of 300 characters that share 400 would never end."""
    with pytest.raises(SettingsError, match=r"passages\.overlap"):
        load(None, {"passages.chars": 300, "passages.overlap": 300})


@pytest.mark.parametrize(
    "text", ["[search\nk = 3", "[search]\nk = ", "\x00", "[search]\nk=1\nk=2", "k = 3\n", "[a.b]\nc=1"]
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    """Else a slip in the file ends in a traceback."""
    with pytest.raises(SettingsError) as caught:
        load(toml(tmp_path, text))
    assert "conspectus.toml" in caught.value.message


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "conspectus.toml").write_bytes(b"[models]\nstore = '\xe9'\n")
    with pytest.raises(SettingsError, match=r"conspectus\.toml"):
        load(tmp_path)


def test_secrets_do_not_show_themselves() -> None:
    """Else a key ends up in a log, a bug report or a screenshot."""
    found = load(None, {"models.api_key": "sk-hidden"})
    secret = found.models.api_key
    for shown in (
        repr(found),
        str(found),
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret!s} {secret!r}",
        repr(list(found.rows())),
    ):
        assert "sk-hidden" not in shown
    assert "***" in repr(secret)
    assert secret.reveal() == "sk-hidden" and type(secret.reveal()) is str
    assert repr(Secret()) == "''" and not Secret()
    assert load(None, None, MODELS_API_KEY="sk-env").models.api_key.reveal() == "sk-env"
    assert load(None, {"models.api_key": secret}).models.api_key.reveal() == "sk-hidden"
    assert copy.copy(secret).reveal() == pickle.loads(pickle.dumps(secret)).reveal() == "sk-hidden"


def test_a_secret_written_as_a_number_is_taken() -> None:
    """Else a key that Python gives as a number ends in a traceback."""
    assert load(None, {"models.api_key": 12345}).models.api_key.reveal() == "12345"


def test_every_setting_is_explained() -> None:
    """Else the reference has holes."""
    for key in KEYS.values():
        assert key.doc and not key.doc.endswith("."), key.name
        assert describe(key.type)
        assert Settings().get(key.name) == key.default


def test_every_number_has_two_bounds() -> None:
    """A slip of the finger, or a request, would start a thousand threads or wait for years."""
    for key in KEYS.values():
        kind, *meta = get_args(key.type) or (key.type,)
        if kind in (int, float):
            (bound,) = meta
            assert bound.le is not None and (bound.ge is not None or bound.gt is not None), key.name


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("search.k", 1_000_000),
        ("language.max_tokens", 200_000),
        ("language.context", 2_000_000),
        ("language.timeout", 86_400),
        ("catalog.wait", 604_800),
        ("parse.memory", 512_000),
        ("models.threads", 256),
        ("evidence.read", 1000),
    ],
)
def test_what_people_set_on_large_machines_is_within_bounds(key: str, value: Any) -> None:
    """A library whose settings worked could not be opened any more."""
    assert load(None, {key: value}).get(key) == value


def test_every_default_is_within_its_bounds() -> None:
    """Else writing the default into the file is an error."""
    for key in KEYS.values():
        assert load(None, {key.name: key.default}).get(key.name) == key.default


def test_a_library_takes_them_from_its_folder_and_from_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else settings kept with a library do not go with it."""
    toml(tmp_path, "[search]\nk = 3\n[answer]\nstatements = 2\n")
    monkeypatch.setenv("CONSPECTUS_ANSWER_STATEMENTS", "4")
    with Library(tmp_path, {"search.rerank": 0}) as library:
        assert (library.settings.search.k, library.settings.answer.statements, library.settings.search.rerank) == (
            3,
            4,
            0,
        )
    with Library(tmp_path, Settings()) as library:
        assert library.settings == Settings()
    with pytest.raises(SettingsError):
        Library(tmp_path, {"no.such": 1})


@pytest.mark.parametrize("name", ["LIBRARY", "DATA", "STATE", "SERVER_TOKEN"])
def test_what_is_no_setting_may_stand_in_the_environment(name: str) -> None:
    """Every command would end where the token of a server is set."""
    assert load(None, None, **{name: "x"}) == load(None, None)


def test_the_folder_itself_may_be_named_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else CONSPECTUS_LIBRARY is taken for an unknown setting."""
    monkeypatch.setenv("CONSPECTUS_LIBRARY", str(tmp_path / "mine"))
    with Library() as library:
        assert library.folder == tmp_path / "mine"


@pytest.mark.parametrize(
    "address", ["http://loc alhost:1", "localhost:8070", "http://:1", "http://a:b", "ftp://a", "a\n"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    """Else it is found out for each file anew, or not at all."""
    with pytest.raises(SettingsError, match="is not an address") as caught:
        load(None, {"parse.grobid_url": address})
    assert ".." not in caught.value.message
    for secret in ("http://me:pa#ss@loc alhost", "me:pass@localhost", "http://me:p@ss@loc alhost"):
        with pytest.raises(SettingsError) as caught:
            load(None, {"parse.grobid_url": secret})
        assert "ss@" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://localhost:8070", "https://me:secret@[::1]:8070/grobid/"])
def test_addresses_are_accepted(address: str) -> None:
    """Else a server in its usual place could not be used."""
    assert load(None, {"parse.grobid_url": address}).parse.grobid_url == address


def test_the_model_may_be_named_without_a_group(tmp_path: Path, user_config: Path) -> None:
    """A user who writes `model = …`, as the documentation does, gets that model."""
    user_config.write_text('model = "ollama:qwen3"\n', "utf-8")
    assert load_settings(tmp_path, environ={}).language.model == "ollama:qwen3"
    assert load_settings(tmp_path, environ={"CONSPECTUS_MODEL": "openai:a"}).language.of("write") == "openai:a"
    flags = {"model": "openai:b", "language.judge": "openai:c"}
    chosen = load_settings(tmp_path, flags, environ={"CONSPECTUS_MODEL": "openai:a"}).language
    assert (chosen.of("write"), chosen.of("judge")) == ("openai:b", "openai:c")


def test_a_number_of_papers_that_no_engine_takes_is_refused() -> None:
    """`search.k` of a trillion made the index's allocator end the process."""
    with pytest.raises(SettingsError, match=r"search\.k"):
        load_settings(None, {"search.k": 10**12}, environ={})
