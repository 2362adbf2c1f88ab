"""What a library's own file may set: nothing that leads anywhere, whoever made it; the user's configuration may."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conspectus import Library, load_settings
from conspectus.cli.app import app
from conspectus.core.errors import LibraryError, ModelMismatchError, SettingsError, UsageError
from conspectus.settings import Secret, explain_ignored, user_folders
from conspectus.settings.fields import LibraryScope
from conspectus.settings.layers import KEYS, MOST_BYTES
from helpers import open_library, write_jsonl

EVIL = "http://192.0.2.1:9/v1#m"
SCOPES = {
    LibraryScope.BUILT_IN: "catalog.url catalog.schema index.engine index.foreign models.embedder models.encoder "
    "models.device models.store models.threads models.api_key models.rerank_key parse.workers parse.timeout "
    "parse.memory "
    "parse.cluster parse.grobid_url search.reranker search.expand language.model language.ask language.summarise "
    "language.write language.agent language.judge language.vision language.context language.threads language.cache "
    "language.effort language.api_key sources.online sources.mailto sources.roots sources.max_age sources.max_cost "
    "sources.crossref.url sources.arxiv.url sources.europepmc.url sources.pubmed.url sources.pubmed.key "
    "sources.pmc.url sources.openalex.url sources.openalex.key sources.semanticscholar.url "
    "sources.semanticscholar.key sources.ads.url sources.ads.key sources.unpaywall.url sources.datacite.url "
    "sources.zotero.url sources.zotero.web_url sources.zotero.key",
    LibraryScope.LOWER: "catalog.wait models.timeout parse.grobid_wait search.rerank search.expansions "
    "answer.passages language.timeout language.concurrency language.max_tokens evidence.read evidence.keep "
    "evidence.phrasings consensus.papers agent.steps agent.pieces agent.papers agent.idle sources.timeout "
    "sources.patience sources.max_file",
    LibraryScope.ANY: "models.vectors parse.grobid_away parse.ocr parse.linked "
    "passages.chars passages.overlap search.k "
    "search.candidates search.by_query search.exact_weight search.spelling "
    "search.dense_weight search.rerank_weight search.reranker_weight search.weighting search.keywords search.recency "
    "search.citations search.keyword_weight search.recency_weight search.citation_weight search.half_life "
    "search.saturation search.mmr search.per_paper search.expand_share search.conclusion search.use search.outliers "
    "atlas.method atlas.perplexity atlas.sample search.graph search.graph_weight search.graph_near_ties "
    "vocabulary.languages vocabulary.fuzzy vocabulary.semantic "
    "search.outlier_gamma search.outlier_cut answer.probability answer.threshold answer.statements answer.per_paper "
    "language.requests_per_minute language.tokens_per_minute language.temperature evidence.per_paper evidence.least "
    "budget.cost budget.tokens budget.seconds",
}
"""What a library's own file may set of each setting, as somebody has thought about it."""
posix = pytest.mark.skipif(os.name != "posix", reason="rights are told otherwise there")


def toml(folder: Path, text: str = f'[language]\nmodel = "{EVIL}"\n[search]\nk = 7\n') -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "conspectus.toml").write_text(text, "utf-8")
    return folder


def made(folder: Path) -> Path:
    """A library that was made here."""
    Library(folder).close()
    return folder


def section(folder: Path | str, text: str) -> str:
    return f"[library.{json.dumps(str(folder))}]\n{text}\n"


@pytest.mark.parametrize("whose", ["a stranger's", "made here"])
def test_what_leads_somewhere_is_ignored(tmp_path: Path, whose: str) -> None:
    """Opening a colleague's folder would send questions, texts and keys to whatever host it names."""
    folder = made(tmp_path / "x") if whose == "made here" else tmp_path / "x"
    found = load_settings(toml(folder), environ={})
    assert (found.language.model, found.search.k) == ("", 7), "what leads nowhere is used"
    assert found.ignored == {"language.model": str(folder / "conspectus.toml")}


def test_each_setting_says_what_a_library_may_set() -> None:
    """A setting that is an address, a file, or multiplies what models are asked, and is added later, is forgotten."""
    listed = {scope: set(names.split()) for scope, names in SCOPES.items()}
    assert set().union(*listed.values()) == set(KEYS), "put it where it belongs, here and by the function that makes it"
    assert listed == {scope: {name for name, key in KEYS.items() if key.scope is scope} for scope in LibraryScope}
    assert not {name for name in listed[LibraryScope.ANY] if KEYS[name].type is str}, "any text may be an address"


def some_value(name: str) -> str:
    """A value of a setting, in TOML, that no library's own file may set."""
    value = {str: '"http://192.0.2.1/x#y"', Secret: '"postgresql://192.0.2.1/x"', bool: "false"}
    odd = {"sources.online": '"yes"', "search.expand": '"hyde"', "search.expansions": "20", "catalog.wait": "7777"}
    odd |= {
        "language.effort": '"high"',
        "language.max_tokens": "77777",
        "index.foreign": '"open"',
        "models.device": '"cpu"',
    }
    return odd.get(name, value.get(KEYS[name].type, "777"))


GUARDED = [name for name, key in KEYS.items() if key.scope is not LibraryScope.ANY]


@pytest.mark.parametrize("name", GUARDED)
def test_each_of_them_comes_from_the_user_only(tmp_path: Path, user_config: Path, name: str) -> None:
    """One of them would do: to send what is private, to load what is foreign, or to have a model asked without end."""
    group, _, key = name.partition(".")
    folder = toml(tmp_path / "theirs", f"[{group}]\n{key} = {some_value(name)}\n")
    found = load_settings(folder, environ={})
    assert list(found.ignored) == [name]
    assert found.get(name) == KEYS[name].default
    user_config.write_text(section(folder, f"{name} = {some_value(name)}"), "utf-8")
    found = load_settings(folder, environ={})
    assert found.get(name) != KEYS[name].default and not found.ignored


def test_layers_win_in_their_order(tmp_path: Path, user_config: Path) -> None:
    """A user could not set anything for all libraries, or nothing else for one."""
    folder = toml(tmp_path / "library", "[search]\nk = 2\ncandidates = 20\nper_paper = 2\n")
    user_config.write_text("[search]\nk = 3\nper_paper = 3\nmmr = 0.3\n" + section(folder, "search.k = 4"), "utf-8")
    found = load_settings(folder, {"search.expansions": 3}, {"CONSPECTUS_SEARCH_MMR": "0.6"}).search
    assert (found.candidates, found.per_paper, found.k, found.mmr, found.expansions) == (20, 3, 4, 0.6, 3)
    rows = {name: origin for name, _, origin in load_settings(folder, environ={}).rows()}
    assert rows["search.per_paper"] == str(user_config)
    assert rows["search.k"] == f"{user_config} [library.{json.dumps(str(folder))}]"
    assert load_settings(tmp_path / "other", environ={}).search.k == 3, "the section is of one library"
    assert load_settings(None, environ={}).search.k == 3


@posix
def test_a_section_is_of_the_folder_however_it_is_called(
    tmp_path: Path, user_config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library opened through a link, or by another way to it, would lose its model."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "library").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "library", target_is_directory=True)
    user_config.write_text(section("~/library", "model = 'openai:a'"), "utf-8")
    for folder in (tmp_path / "library", tmp_path / "link", tmp_path / "x" / ".." / "library"):
        assert load_settings(folder, environ={}).language.model == "openai:a"
    shutil.copytree(tmp_path / "library", tmp_path / "copy")
    assert load_settings(tmp_path / "copy", environ={}).language.model == ""


@pytest.mark.parametrize(
    "text",
    [
        "[search",
        "[search]\nkk = 3",
        "[search]\nk = 'x'",
        "nonsense = 1",
        "[library.x]\nsearch.kk = 1",
        "x" * MOST_BYTES,
    ],
)
def test_a_wrong_configuration_of_the_user_is_named(tmp_path: Path, user_config: Path, text: str) -> None:
    """Who has a slip in it would look for it in the library's folder, or never know."""
    user_config.write_text(text.replace("library.x", f"library.'{tmp_path}'"), "utf-8")
    with pytest.raises(SettingsError, match=r"config\.toml"):
        load_settings(tmp_path, environ={})


def test_what_the_user_says_is_always_used(tmp_path: Path) -> None:
    """A stranger's library could not be used with one's own model."""
    theirs = toml(tmp_path / "theirs")
    for given in ({"flags": {"model": "openai:a"}, "environ": {}}, {"environ": {"CONSPECTUS_MODEL": "openai:a"}}):
        found = load_settings(theirs, **given)
        assert found.language.model == "openai:a" and not found.ignored
    assert not load_settings(theirs, environ={}).with_values({"model": "openai:a"}).ignored


def test_less_than_the_default_costs_nothing(tmp_path: Path) -> None:
    """A library that is made for a small model could not say that it is to be asked less."""
    said = "[evidence]\nread = 5\n[agent]\nsteps = 3\n[budget]\ntokens = 900\n[language]\ntimeout = 20\n"
    found = load_settings(toml(tmp_path / "theirs", said), environ={})
    assert not found.ignored and (found.evidence.read, found.agent.steps, found.budget.tokens) == (5, 3, 900)


def test_names_of_what_is_built_in_are_used(tmp_path: Path) -> None:
    """Each library that says what is the default would be reported."""
    said = '[search]\nreranker = "none"\n[models]\nembedder = "minilm"\n[language]\nmodel = "none"\n'
    found = load_settings(toml(tmp_path / "theirs", said), environ={})
    assert not found.ignored and found.search.reranker == "none"


@pytest.mark.parametrize("value", ['["x"]', "7", "true", "{ a = 1 }", "1979-05-27"])
def test_an_ignored_setting_is_not_read_at_all(tmp_path: Path, value: str) -> None:
    """A stranger's library with a slip in it could not be opened because of a setting that nobody uses."""
    found = load_settings(toml(tmp_path / "theirs", f"[models]\nembedder = {value}\n"), environ={})
    assert list(found.ignored) == ["models.embedder"]


@pytest.mark.parametrize("whose", ["a stranger's", "made here"])
def test_a_catalog_named_by_a_library_is_neither_asked_nor_replaced(
    tmp_path: Path, user_config: Path, whose: str
) -> None:
    """The password would go to a stranger's server; or an empty library would be made where the group's was meant."""
    folder = toml(tmp_path / "theirs", '[catalog]\nurl = "postgresql://192.0.2.1/db"\n')
    with pytest.raises(SettingsError, match="catalog is on a server") as caught:
        Library(folder)
    assert str(user_config) in caught.value.hint and f"[library.{json.dumps(str(folder))}]" in caught.value.hint
    assert [path.name for path in folder.iterdir()] == ["conspectus.toml"]
    user_config.write_text(section(folder, 'catalog.url = "postgresql://me@host/db"'), "utf-8")
    assert load_settings(folder, environ={}).catalog.url.reveal() == "postgresql://me@host/db"


@pytest.mark.parametrize(
    "said",
    [
        '[language]\napi_key = "geheim"',
        '[models]\napi_key = "geheim"',
        '[models]\nrerank_key = ["geheim"]',
        '[language.api_key]\nx = "geheim"',
        '[catalog]\nurl = "postgresql://me:geheim@host/db"',
        '[catalog]\nurl = "postgresql://me@host/db?sslmode=require&sslpassword=geheim"',
        '[parse]\ngrobid_url = "http://me:geheim@host"',
        '[sources]\ncrossref_url = "https://geheim@host"',
        '[models]\nembedder = "https://me:geheim@host/v1#m"',
        'model = "https://me:ge/heim@host/v1#m"',
    ],
)
def test_a_key_or_password_in_a_library_is_ignored_and_not_shown(tmp_path: Path, said: str) -> None:
    """A stranger's key would be used to ask in the user's name; and the note that says so would show it."""
    found = load_settings(toml(tmp_path / "x", said), environ={})
    (name,) = found.ignored
    assert found.get(name) == KEYS[name].default
    assert "heim" not in str(explain_ignored(found)) and "geheim" not in repr(found)


def test_a_key_in_the_users_configuration_is_used(tmp_path: Path, user_config: Path) -> None:
    """There would be no file at all for keys."""
    user_config.write_text('[language]\napi_key = "geheim"\n', "utf-8")
    found = load_settings(tmp_path, environ={})
    assert found.language.api_key.reveal() == "geheim" and "geheim" not in repr(found)


def test_vectors_of_an_embedder_that_is_ignored_name_the_remedy(tmp_path: Path) -> None:
    """A library that was copied would say that its vectors are of another model, and not why."""
    folder = tmp_path / "library"
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
    toml(folder, '[models]\nembedder = "openai:x"\n')
    with Library(folder) as library, pytest.raises(ModelMismatchError) as caught:
        library.add(tmp_path / "a.jsonl")
    assert "models.embedder" in caught.value.hint and "config.toml" in caught.value.hint


@posix
@pytest.mark.parametrize(
    "name", ["index", "index/CURRENT.new", "index/summaries", "catalog.sqlite", "write.lock", "write.adding"]
)
def test_links_in_the_place_of_what_is_written_are_not_followed(tmp_path: Path, name: str) -> None:
    """A search in a colleague's library would overwrite a file of one's own, or delete folders called `tmp-…`."""
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    with open_library(theirs) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
    (mine / "tmp-work").mkdir(parents=True)
    (mine / "file").write_text("precious")
    shutil.copy(theirs / "catalog.sqlite", mine / "catalog")
    place = theirs / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.symlink_to(mine / {"catalog.sqlite": "catalog", "index": "", "index/summaries": ""}.get(name, "file"))
    with pytest.raises(LibraryError, match="is a link to") as told:
        open_library(theirs)
    assert "Remove the link" in told.value.hint
    assert sorted(path.name for path in mine.iterdir()) == ["catalog", "file", "tmp-work"]
    assert (mine / "file").read_text() == "precious"
    place.unlink()
    if name != "catalog.sqlite":
        open_library(theirs).close()


@pytest.mark.parametrize("name", ["a\0b", "~nobody-of-that-name/library"])
def test_a_name_that_no_folder_can_have_is_wrong_use(name: str) -> None:
    """A program would get an error that names no library and no remedy."""
    with pytest.raises(UsageError) as caught:
        Library(name)
    assert caught.value.hint


@posix
def test_what_is_remembered_is_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user of the machine could see where libraries lie, and which papers are in them."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    with open_library(tmp_path / "mine") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
        library.search("graphene")
    found = [tmp_path / "state", *(tmp_path / "state").rglob("*")]
    assert len(found) > 3
    for path in found:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_without_a_state_folder_libraries_are_used_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that can only be read would keep everybody from working."""
    (tmp_path / "state").mkdir(mode=0o500)
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    with open_library(tmp_path / "mine") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
        assert library.search("graphene").hits


@pytest.mark.usefixtures("quick_pool")
@pytest.mark.parametrize("said", ["", "[]", "{", '{"files": 3}', '{"places": 3}', "null"])
def test_a_damaged_memory_is_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Half a file would be taken for a yes, or end every command."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    with open_library(tmp_path / "mine") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
    paths = list((tmp_path / "state").rglob("*.json"))
    assert paths
    for path in paths:
        path.write_text(said, "utf-8")
    with open_library(tmp_path / "mine") as library:
        assert library.search("graphene").hits
        library.add(tmp_path / "a.jsonl")


def test_the_users_folders_follow_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have to be the user's, never ones that a library or the current folder names."""
    monkeypatch.delenv("CONSPECTUS_STATE")
    monkeypatch.delenv("CONSPECTUS_CONFIG")
    for path in (user_folders.state_folder(), user_folders.config_file(), user_folders.prompts_folder()):
        assert path.is_absolute() and "conspectus" in str(path)


def test_python_is_warned_of_what_is_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A notebook would silently answer without the model that the library names."""
    with Library(toml(tmp_path / "theirs")) as library:
        assert library.status().ignored == ("language.model",)
        found = {finding.check: finding for finding in library.doctor().findings}["settings"]
        assert not found.ok and "language.model" in found.detail and "config.toml" in found.remedy
    assert "language.model" in caplog.text and "config.toml" in caplog.text and EVIL not in caplog.text
    caplog.clear()
    with Library(toml(tmp_path / "mine", "[search]\nk = 7\n")) as library:
        assert library.status().ignored == ()
    assert not caplog.text


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_the_command_line_notes_what_is_ignored_once(tmp_path: Path, user_config: Path) -> None:
    """A setting without effect would be looked for in vain; a note in each line would hide what was asked."""
    theirs = made(toml(tmp_path / "theirs"))
    at = ("--library", theirs)
    for words in (("list",), ("config", "language.model")):
        said = run(*at, *words)
        assert said.exit_code == 0 and said.stderr.count("note: ") == 1
        assert "language.model" in said.stderr and str(user_config) in said.stderr and EVIL not in said.stderr
    assert "note: " not in run(*at, "list", "--json").stderr, "it may be read as JSON"
    assert "language.model" in json.loads(run(*at, "status", "--json").stdout)["ignored"]
    assert "ignored: " in run(*at, "config").stdout
    user_config.write_text(section(theirs, f'model = "{EVIL}"'), "utf-8")
    assert "note: " not in run(*at, "list").stderr
    assert run(*at, "config", "language.model").stdout.strip() == EVIL


@posix
@pytest.mark.parametrize("before", ["nothing", "an empty folder", "a folder with papers"])
def test_a_new_library_is_for_its_user_alone(tmp_path: Path, before: str) -> None:
    """Others on the machine could read questions, notes and unpublished papers."""
    folder, umask = tmp_path / "open" / "library", os.umask(0o022)
    try:
        (tmp_path / "open").mkdir(mode=0o755)
        if before != "nothing":
            folder.mkdir(mode=0o755)
        if before == "a folder with papers":
            (folder / "paper.md").write_text("x", "utf-8")
        with open_library(folder) as library:
            library.add(write_jsonl(tmp_path / "a.jsonl", [{"id": "a", "title": "Eels", "abstract": "Eels swim."}]))
            library.search("eels")
            library.backup(tmp_path / "open" / "backup.zip")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "open" / "backup.zip").stat().st_mode) == 0o600
    seen = [folder, *folder.rglob("*")] if before != "a folder with papers" else [folder / "catalog.sqlite"]
    for path in seen:
        assert not path.stat().st_mode & 0o077, path
    assert not (folder / "index").stat().st_mode & 0o077
    assert any(path.name == "CURRENT" for path in folder.rglob("*"))


@posix
def test_modes_of_a_library_that_is_there_stay(tmp_path: Path) -> None:
    """A group that shares a library would be shut out by whoever adds first."""
    folder = made(tmp_path / "shared")
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"id": "a", "title": "Eels", "abstract": "Eels swim."}]))
        found = {finding.check: finding for finding in library.doctor().findings}["private"]
    assert found.ok and "755" in found.detail and "chmod go=" in found.remedy
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert all(path.stat().st_mode & 0o044 for path in (folder / "index").rglob("CURRENT"))
