"""What counts of a library's folder: all of one's own; of another's nothing that leads anywhere, but with trust."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conspectus import Library, load_settings, trust
from conspectus.core.errors import LibraryError, NotFoundError, SettingsError, UntrustedError, UsageError
from conspectus.settings import Secret, user_state
from conspectus.settings.groups import Reach
from conspectus.settings.names import KEYS
from conspectus.settings.standing import remedy, shown, standing, told
from helpers import open_library, write_jsonl

EVIL = "http://192.0.2.1:9/v1#m"
REACH = {
    Reach.GUARDED: "catalog.url catalog.schema index.engine models.embedder models.encoder models.store models.threads "
    "parse.workers parse.timeout parse.memory parse.grobid_url search.reranker search.expand language.model "
    "language.ask language.summarise language.write language.agent language.judge language.vision language.context "
    "language.threads language.cache language.effort sources.online sources.crossref_url sources.mailto sources.roots",
    Reach.CAPPED: "catalog.wait models.timeout parse.grobid_wait search.rerank search.expansions answer.passages "
    "language.timeout language.concurrency language.max_tokens evidence.read evidence.keep evidence.phrasings "
    "consensus.papers agent.steps agent.pieces agent.papers agent.idle sources.timeout",
    Reach.NEVER: "models.api_key models.rerank_key language.api_key",
    Reach.FREE: "parse.grobid_away parse.ocr parse.linked passages.chars passages.overlap search.k search.candidates "
    "search.by_query search.exact_weight search.spelling "
    "search.dense_weight search.rerank_weight search.reranker_weight search.weighting search.keywords search.recency "
    "search.citations search.keyword_weight search.recency_weight search.citation_weight search.half_life "
    "search.saturation search.mmr search.per_paper search.expand_share search.conclusion search.use search.outliers "
    "atlas.method atlas.perplexity atlas.sample search.graph search.graph_weight search.graph_near_ties "
    "vocabulary.languages vocabulary.fuzzy vocabulary.semantic "
    "search.outlier_gamma search.outlier_cut answer.probability answer.threshold answer.statements answer.per_paper "
    "language.requests_per_minute language.tokens_per_minute language.temperature evidence.per_paper evidence.least "
    "budget.cost budget.tokens budget.seconds",
}
"""From whose library's file each setting counts, as somebody has thought about it."""
posix = pytest.mark.skipif(os.name != "posix", reason="rights are told otherwise there")


def toml(folder: Path, text: str = f'[language]\nmodel = "{EVIL}"\n[search]\nk = 7\n') -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "conspectus.toml").write_text(text, "utf-8")
    return folder


def made(folder: Path) -> Path:
    """A library that was made here."""
    Library(folder).close()
    return folder


def model(folder: Path) -> str:
    return load_settings(folder, environ={}).language.model


def test_of_a_library_from_elsewhere_what_leads_somewhere_does_not_count(tmp_path: Path) -> None:
    """Opening a colleague's folder would send questions, texts and keys to whatever host it names."""
    found = load_settings(toml(tmp_path / "theirs"), environ={})
    assert (found.language.model, found.search.k) == ("", 7), "what leads nowhere counts"
    assert [(claim.name, claim.value) for claim in found.left_out] == [("language.model", EVIL)]


def test_a_library_that_was_made_here_may_say_all_and_be_changed(tmp_path: Path) -> None:
    """Else everybody is asked about his own library each time he edits it."""
    mine = made(tmp_path / "mine")
    for number in range(3):
        toml(mine, f'[language]\nmodel = "http://localhost:{number + 1}/v1"\n')
        assert model(mine) == f"http://localhost:{number + 1}/v1"
        assert not load_settings(mine, environ={}).left_out


@pytest.mark.parametrize("how", ["copied", "moved", "linked", "written another way", "replaced", "unpacked over"])
def test_it_is_known_by_what_a_copy_cannot_have(tmp_path: Path, how: str) -> None:
    """A copy that somebody changed and sent back would be taken for one's own; or one's own, moved, for another's."""
    mine, there = made(tmp_path / "mine"), tmp_path / "there"
    toml(mine)
    trusted = how in ("moved", "linked", "written another way")
    if how == "copied":
        shutil.copytree(mine, there)
    elif how == "moved":
        mine.rename(there)
    elif how == "linked":
        there.symlink_to(mine, target_is_directory=True)
    elif how == "written another way":
        there = tmp_path / "x" / ".." / "mine"
        (tmp_path / "x").mkdir()
    elif how == "replaced":
        there = mine
        shutil.copytree(mine, tmp_path / "copy")
        shutil.rmtree(mine)
        shutil.copytree(tmp_path / "copy", mine)
    else:
        there = mine
        archive = shutil.make_archive(str(tmp_path / "sent"), "tar", mine)
        shutil.unpack_archive(archive, mine)
    assert (model(there) == EVIL) is trusted


def rights_taken(folder: Path) -> Path:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def touched(folder: Path) -> Path:
    for path in folder.rglob("*"):
        os.utime(path)
    return folder


def onto_another_disk(folder: Path) -> Path:
    """What `mv` does there; `rsync` and backups do the same."""
    there = folder.with_name("other")
    shutil.copytree(folder, there)
    shutil.rmtree(folder)
    return there


def restored(folder: Path) -> Path:
    return onto_another_disk(folder).rename(folder)


def catalog_replaced(folder: Path) -> Path:
    shutil.copy(folder / "catalog.sqlite", folder / "x")
    (folder / "x").replace(folder / "catalog.sqlite")
    return folder


CHANGES = [rights_taken, touched, onto_another_disk, restored, catalog_replaced]


@posix
@pytest.mark.parametrize("change", CHANGES)
def test_ones_own_stays_so_where_it_says_what_it_said(tmp_path: Path, change: Callable[[Path], Path]) -> None:
    """`chmod -R`, `chown`, another disk or a backup would silently take away the model that the user has set."""
    mine = made(toml(made(tmp_path / "mine")))
    there = change(mine)
    assert model(there) == EVIL
    same_files = change in (rights_taken, touched)
    found = standing(there)
    assert found.made_here is found.whole is same_files
    assert found.moved is not same_files
    with Library(there):
        toml(there, '[language]\nmodel = "http://localhost:1/v1"\n')
    assert (model(there) == "http://localhost:1/v1") is same_files, "so opened it is known again"
    assert trust(there).made_here, "and so it is taken back"
    toml(there)
    assert model(there) == EVIL


@pytest.mark.parametrize("change", CHANGES)
def test_sent_back_with_something_else_it_is_a_strangers(tmp_path: Path, change: Callable[[Path], Path]) -> None:
    """Who was given a library would give it back with his own address in it, over what its user has."""
    mine = made(toml(made(tmp_path / "mine"), '[language]\nmodel = "http://localhost:1/v1"\n'))
    assert model(mine) == "http://localhost:1/v1"
    there = toml(change(mine))
    assert model(there) == ""
    found = standing(there)
    assert found.moved and not found.trusted
    said = told(found.left_out) + remedy(there)
    assert "was made here, and since then" in said and "take it back" in said
    assert trust(there).made_here


def test_an_archive_unpacked_over_ones_own_is_a_strangers(tmp_path: Path) -> None:
    """What was sent back is often unpacked where it was, over the files that are there."""
    mine = made(toml(made(tmp_path / "mine"), ""))
    theirs = toml(Path(shutil.copytree(mine, tmp_path / "theirs")))
    for kind in ("tar", "zip"):
        shutil.unpack_archive(shutil.make_archive(str(tmp_path / kind), kind, theirs), mine)
        assert model(mine) == ""


def test_a_copy_beside_the_one_it_was_made_of_is_a_strangers(tmp_path: Path) -> None:
    """A library that is sent back lies in another folder, and must not be taken for the one that is still there."""
    mine = made(toml(made(tmp_path / "mine")))
    copy = Path(shutil.copytree(mine, tmp_path / "copy"))
    assert not standing(copy).moved and model(copy) == ""
    assert trust(copy).trusted and not standing(copy).made_here and standing(mine).made_here


def test_without_the_moment_of_birth_it_is_known_by_the_last_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On drives that do not tell it, an inode that is used again would make a stranger's library one's own."""
    monkeypatch.setattr(user_state, "birth_time", lambda *_: 0)
    mine = made(toml(made(tmp_path / "mine")))
    assert standing(mine).made_here
    rights_taken(mine)
    found = standing(mine)
    assert found.moved and found.trusted and not found.made_here


def test_a_catalog_taken_away_to_begin_anew_leaves_it_ones_own(tmp_path: Path) -> None:
    """Who deletes his catalog and adds again would have to trust himself."""
    mine = made(toml(made(tmp_path / "mine")))
    for path in mine.glob("catalog.sqlite*"):
        path.unlink()
    assert standing(made(mine)).made_here


def test_a_trusted_library_whose_catalog_is_replaced_says_what_it_said_and_no_more(tmp_path: Path) -> None:
    """Trust would hold for whatever files the next catalog in that folder names."""
    theirs = Path(shutil.copytree(toml(made(tmp_path / "x")), tmp_path / "theirs"))
    assert trust(theirs).whole
    with Library(theirs):
        assert standing(theirs).whole
    found = standing(catalog_replaced(theirs))
    assert found.trusted and not found.whole
    assert trust(theirs).whole


@posix
@pytest.mark.parametrize("name", ["index", "index/CURRENT.new", "index/summaries", "catalog.sqlite", "write.lock"])
def test_links_in_the_place_of_what_is_written_are_not_followed(tmp_path: Path, name: str) -> None:
    """A search in a colleague's library would overwrite a file of one's own, or delete folders called `tmp-…`."""
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    with open_library(theirs) as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
    shutil.move(theirs / "catalog.sqlite", tmp_path / "kept")
    shutil.rmtree(theirs)
    (theirs / "index").mkdir(parents=True)
    shutil.copy(tmp_path / "kept", theirs / "catalog.sqlite")
    (mine / "tmp-work").mkdir(parents=True)
    (mine / "file").write_text("precious")
    shutil.copy(tmp_path / "kept", mine / "catalog")
    place = theirs / name
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
    place.symlink_to(mine / {"catalog.sqlite": "catalog", "index": "", "index/summaries": ""}.get(name, "file"))
    with pytest.raises(UntrustedError, match="is a link to") as told:
        open_library(theirs)
    assert "conspectus trust" in told.value.hint
    assert sorted(path.name for path in mine.iterdir()) == ["catalog", "file", "tmp-work"]
    assert (mine / "file").read_text() == "precious"
    assert name in [claim.name for claim in trust(theirs).claims]
    open_library(theirs).close()


@posix
def test_a_link_to_the_mark_of_ones_own_library_is_none(tmp_path: Path) -> None:
    """A folder unpacked with a link in it would pass for one's own."""
    mine, theirs = made(tmp_path / "mine"), toml(tmp_path / "theirs")
    (theirs / user_state.MARK).symlink_to(mine / user_state.MARK)
    assert model(theirs) == ""


@pytest.mark.parametrize("name", ["", "../made/x", "0" * 32, "\x00", "é" * 40])
def test_a_mark_that_says_something_else_is_none(tmp_path: Path, name: str) -> None:
    """A mark in a stranger's folder could lead the program to another file of the user's."""
    theirs = toml(tmp_path / "theirs")
    (theirs / user_state.MARK).write_text(name, "utf-8")
    assert model(theirs) == ""


def test_a_catalog_made_in_a_folder_with_settings_does_not_make_them_ones_own(tmp_path: Path) -> None:
    """Settings that came with a colleague's papers would count as soon as these are added."""
    folder = made(toml(tmp_path / "clone"))
    assert model(folder) == "" and not (folder / user_state.MARK).exists()


def test_it_counts_once_it_is_trusted_and_as_long_as_it_says_the_same(tmp_path: Path) -> None:
    """Trust would hold for whatever the folder's owner writes later, or nobody could use a shared library at all."""
    theirs = toml(tmp_path / "theirs")
    assert not standing(theirs).trusted
    assert trust(theirs).trusted and model(theirs) == EVIL
    toml(theirs, f'[language]\nmodel = "{EVIL}"\n[search]\nk = 8\n')
    assert model(theirs) == EVIL, "what leads nowhere may change"
    for changed in (f'model = "{EVIL}x"', f'model = "{EVIL}"\nask = "{EVIL}"', f'ask = "{EVIL}"'):
        toml(theirs, f"[language]\n{changed}\n")
        assert not load_settings(theirs, environ={}).language.of("write")
    toml(theirs)
    assert model(theirs) == EVIL
    (theirs / "prompts").mkdir()
    (theirs / "prompts" / "write.md").write_text("another", "utf-8")
    assert model(theirs) == "", "so do prompts"
    shutil.rmtree(theirs / "prompts")
    shutil.copytree(theirs, tmp_path / "copy")
    assert model(tmp_path / "copy") == ""
    trust(theirs, revoke=True)
    assert model(theirs) == ""


def test_trust_of_ones_own_can_be_taken_back(tmp_path: Path) -> None:
    """Who lends his library's folder to others wants to be asked again."""
    mine = toml(made(tmp_path / "mine"))
    assert not trust(mine, revoke=True).trusted and model(mine) == ""
    assert trust(mine).trusted and model(mine) == EVIL


def test_a_copy_that_is_revoked_is_no_loss_of_the_original(tmp_path: Path) -> None:
    """Who revokes a copy, and has moved the library itself, would find that not made here any more."""
    mine = toml(made(tmp_path / "mine"))
    copy = Path(shutil.copytree(mine, tmp_path / "copy"))
    moved = mine.rename(tmp_path / "moved")
    assert not trust(copy, revoke=True).trusted and model(copy) == ""
    assert standing(moved).made_here and model(moved) == EVIL
    assert not standing(copy).trusted, "nor later"
    assert trust(copy).trusted and not trust(copy, revoke=True).trusted
    assert standing(moved).made_here


def test_one_that_came_to_another_disk_can_be_revoked(tmp_path: Path) -> None:
    """It says what it said here, and would go on being trusted."""
    mine = toml(made(tmp_path / "mine"))
    with open_library(mine):
        pass
    other = Path(shutil.copytree(mine, tmp_path / "other"))
    shutil.rmtree(mine)
    assert standing(other).trusted
    assert not trust(other, revoke=True).trusted and model(other) == ""
    assert trust(other).trusted


@pytest.mark.parametrize("name", ["a\0b", "~nobody-of-that-name/library"])
def test_a_name_that_no_folder_can_have_is_wrong_use(name: str) -> None:
    """A program would get an error that names no library and no remedy."""
    for call in (trust, shown, Library):
        with pytest.raises(UsageError) as caught:
            call(name)
        assert caught.value.hint


def test_what_the_user_says_himself_always_counts(tmp_path: Path) -> None:
    """A stranger's library could not be used with one's own model."""
    theirs = toml(tmp_path / "theirs")
    for given in ({"flags": {"model": "openai:a"}, "environ": {}}, {"environ": {"CONSPECTUS_MODEL": "openai:a"}}):
        found = load_settings(theirs, **given)
        assert found.language.model == "openai:a" and not found.left_out
    assert load_settings(theirs, environ={}).changed({"model": "openai:a"}).left_out == ()


def test_each_setting_has_said_from_whose_library_it_counts() -> None:
    """A setting that is an address, a file, or multiplies what models are asked, and is added later, is forgotten."""
    classes = {reach: {name for name, key in KEYS.items() if key.reach is reach} for reach in Reach}
    listed = {name for names in REACH.values() for name in names.split()}
    assert listed == set(KEYS), "put it where it belongs, here and by the function that makes it"
    assert {reach: set(names.split()) for reach, names in REACH.items()} == classes
    assert not {name for name in classes[Reach.FREE] if KEYS[name].type is str}, "any text may be an address"


GUARDED = [name for name, key in KEYS.items() if key.reach in (Reach.GUARDED, Reach.CAPPED)]


@pytest.mark.parametrize("name", GUARDED)
def test_each_of_them_is_left_out(tmp_path: Path, name: str) -> None:
    """One of them would do: to send what is private, to load what is foreign, or to have a model asked without end."""
    group, _, key = name.partition(".")
    value = {str: '"http://192.0.2.1/x#y"', Secret: '"postgresql://192.0.2.1/x"', bool: "false"}
    odd = {"sources.online": '"yes"', "search.expand": '"hyde"', "search.expansions": "20", "catalog.wait": "7777"}
    odd |= {"language.effort": '"high"'}
    said = odd.get(name, value.get(KEYS[name].type, "777"))
    said = "77777" if name == "language.max_tokens" else said
    folder = toml(tmp_path / "theirs", f"[{group}]\n{key} = {said}\n")
    found = load_settings(folder, environ={})
    assert [claim.name for claim in found.left_out] == [name]
    assert found.get(name) == KEYS[name].default
    trust(folder)
    assert load_settings(folder, environ={}).get(name) != KEYS[name].default


def test_a_judge_in_a_folder_counts_only_when_trusted(tmp_path: Path) -> None:
    """A stranger's library would have a file of its own loaded and run as a model."""
    theirs = toml(tmp_path / "theirs", '[language]\njudge = "onnx:model"\n')
    assert load_settings(theirs, environ={}).language.entailment == ""
    trust(theirs)
    found = load_settings(theirs, environ={}).language
    assert found.entailment == "model" and found.of("judge") == "", "it writes nothing"


def test_less_than_the_default_costs_nothing(tmp_path: Path) -> None:
    """A library that is made for a small model would have to be trusted to be asked less."""
    said = "[evidence]\nread = 5\n[agent]\nsteps = 3\n[budget]\ntokens = 900\n[language]\ntimeout = 20\n"
    found = load_settings(toml(tmp_path / "theirs", said), environ={})
    assert not found.left_out and (found.evidence.read, found.agent.steps, found.budget.tokens) == (5, 3, 900)


def test_values_of_no_harm_ask_nobody(tmp_path: Path) -> None:
    """Each library that says what is the default would have to be trusted."""
    said = '[search]\nreranker = "none"\n[models]\nembedder = "minilm"\n[language]\nmodel = "none"\n'
    found = load_settings(toml(tmp_path / "theirs", said), environ={})
    assert not found.left_out and found.search.reranker == "none"


def test_a_catalog_named_by_a_stranger_is_neither_asked_nor_replaced(tmp_path: Path) -> None:
    """The password would go to his server; or an empty library would be made where his was meant."""
    theirs = toml(tmp_path / "theirs", '[catalog]\nurl = "postgresql://192.0.2.1/db"\n')
    with pytest.raises(UntrustedError, match=r"catalog\.url") as caught:
        Library(theirs)
    assert "conspectus trust" in caught.value.hint
    assert [path.name for path in theirs.iterdir()] == ["conspectus.toml"]


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ('[language]\napi_key = "geheim"', "geheim"),
        ('[models]\napi_key = "geheim"', "geheim"),
        ("[models]\nrerank_key = 424242", "424242"),
        ('[models]\nrerank_key = ["geheim"]', "geheim"),
        ('[language.api_key]\nx = "geheim"', "geheim"),
        ('[catalog]\nurl = "postgresql://me:geheim@host/db"', "geheim"),
        ('[catalog]\nurl = "postgresql://me@host/db?password=geheim"', "geheim"),
        ('[catalog]\nurl = "postgresql://me@host/db?sslmode=require&sslpassword=geheim"', "geheim"),
        ('[parse]\ngrobid_url = "http://me:geheim@host"', "geheim"),
        ('[sources]\ncrossref_url = "https://geheim@host"', "geheim"),
        ('[models]\nembedder = "https://me:geheim@host/v1#m"', "geheim"),
        ('[language]\nmodel = "https://me:ge/heim@host/v1#m"', "heim"),
        ('model = "https://me:geheim@host/v1#m"', "geheim"),
    ],
)
@pytest.mark.parametrize("whose", ["mine", "theirs"])
def test_a_key_or_password_in_the_file_is_refused_and_not_shown(
    tmp_path: Path, said: str, secret: str, whose: str
) -> None:
    """It would be copied, shared and backed up with the library; and the message that says so would be, too."""
    folder = toml(made(tmp_path / "x") if whose == "mine" else tmp_path / "x", said)
    with pytest.raises(SettingsError) as caught:
        load_settings(folder, environ={})
    assert caught.value.exit_code == 2
    assert secret not in str(caught.value) and "Take it out" in caught.value.hint


def test_a_name_of_a_user_alone_may_stand_in_the_catalogs_address(tmp_path: Path) -> None:
    """It is how the address of a shared catalog is written."""
    folder = toml(made(tmp_path / "x"), '[catalog]\nurl = "postgresql://me@host/db?sslmode=require"\n')
    assert load_settings(folder, environ={}).catalog.url.reveal().startswith("postgresql://me@host")


def test_trust_needs_a_folder(tmp_path: Path) -> None:
    """A name with a slip in it would be trusted, and the library not."""
    with pytest.raises(NotFoundError):
        trust(tmp_path / "none")


def test_what_is_no_folder_is_told_by_each_form_of_the_verb(tmp_path: Path) -> None:
    """A name with a slip in it would be said to be a library that says nothing."""
    for words in (["--show"], ["--revoke"], []):
        said = program("--library", tmp_path / "none", "trust", *words)
        assert said.returncode and "There is no folder" in said.stderr and not said.stdout


def test_a_name_that_no_folder_can_have_is_told() -> None:
    """Python's own error names neither the folder nor what to do."""
    with pytest.raises(UsageError, match=r"cannot be 'a\\x00b'"):
        Library("a\0b")


@posix
def test_a_lock_of_ones_own_that_is_a_link_is_named(tmp_path: Path) -> None:
    """`Too many levels of symbolic links`, of the library's folder, helps nobody."""
    mine = made(tmp_path / "mine")
    (mine / "write.lock").unlink(missing_ok=True)
    (mine / "write.lock").symlink_to(tmp_path / "x")
    with open_library(mine) as library, pytest.raises(LibraryError, match=r"write\.lock' is a link") as told:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Graphene", "abstract": "It is thin."}]))
    assert "rm '" in told.value.hint


@posix
def test_what_is_remembered_is_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user of the machine could see where libraries lie, or have his own trusted."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    made(tmp_path / "mine")
    trust(toml(tmp_path / "theirs"))
    for path in [tmp_path / "state", *(tmp_path / "state").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_without_a_state_folder_libraries_are_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that can only be read would keep everybody from working."""
    (tmp_path / "state").mkdir(mode=0o500)
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    assert not standing(made(tmp_path / "mine")).made_here


@pytest.mark.parametrize("said", ["", "[]", "{", '{"digest": 3}', "null"])
def test_a_damaged_memory_trusts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Half a file would be taken for a yes, or end every command."""
    monkeypatch.setenv("CONSPECTUS_STATE", str(tmp_path / "state"))
    theirs, mine = toml(tmp_path / "theirs"), toml(made(tmp_path / "mine"))
    trust(theirs)
    for path in (tmp_path / "state").rglob("*.json"):
        path.write_text(said, "utf-8")
    assert model(theirs) == model(mine) == ""


def test_the_state_folder_follows_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has to be the user's, never one that a library or the current folder names."""
    monkeypatch.delenv("CONSPECTUS_STATE")
    assert user_state.state_folder().is_absolute()
    assert "conspectus" in str(user_state.state_folder())


def test_python_is_told_what_does_not_count(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A notebook would silently answer without the model that the library names."""
    with Library(toml(tmp_path / "theirs")) as library:
        assert [claim.name for claim in library.left_out] == ["language.model"]
    assert "language.model" in caplog.text and "conspectus trust" in caplog.text
    caplog.clear()
    with Library(toml(made(tmp_path / "mine"))) as library:
        assert not library.left_out
    assert not caplog.text


def program(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conspectus", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_verb_shows_allows_and_takes_back(tmp_path: Path) -> None:
    """`conspectus trust` is what every message names as the remedy."""
    theirs = made(toml(tmp_path / "theirs"))
    at = ("--library", theirs)
    for words in (("list",), ("config", "language.model")):
        said = program(*at, *words)
        assert said.returncode == 0 and said.stderr.count("note: ") == 1
        assert EVIL in said.stderr and "conspectus trust" in said.stderr
    left = json.loads(program(*at, "list", "--json").stdout)["left_out"]
    assert left == [{"name": "language.model", "value": EVIL, "origin": str(theirs / "conspectus.toml")}]
    assert program(*at, "list", "--json").stderr == "", "it may be read as JSON"
    assert f"left out: {EVIL}" in program(*at, "config").stdout
    shown = program(*at, "trust", "--show")
    assert "not trusted" in shown.stdout and EVIL in shown.stdout
    assert not standing(theirs).trusted, "--show changes nothing"
    said = json.loads(program(*at, "trust", "--json").stdout)
    assert (said["schema"], said["trusted"], said["made_here"]) == ("conspectus.trust/1", True, False)
    assert program(*at, "list").stderr == ""
    assert program(*at, "config", "language.model").stdout.strip() == EVIL
    for word in ("--revoke", "--remove"):
        assert "not trusted" in program(*at, "trust", word).stdout
    assert "note: " in program(*at, "list").stderr


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
            library.prompts.copy("write")
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
        found = {finding.check: finding for finding in library.doctor()}["private"]
    assert found.ok and "755" in found.detail and "chmod go=" in found.remedy
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert all(path.stat().st_mode & 0o044 for path in (folder / "index").rglob("CURRENT"))


def test_what_an_earlier_version_remembered_still_counts(tmp_path: Path) -> None:
    """After an upgrade all of one's own libraries would be a stranger's."""
    mine = made(tmp_path / "mine")
    mark = (mine / "library.id").lstat()
    (kept,) = (user_state.state_folder() / "made").glob(f"{(mine / 'library.id').read_text().strip()}.json")
    kept.write_text(json.dumps({"folder": str(mine), "inode": mark.st_ino, "born": mark.st_ctime_ns}))
    assert standing(mine).made_here
    with Library(mine):
        pass
    assert "mark" in json.loads(kept.read_text()) and standing(mine).made_here
