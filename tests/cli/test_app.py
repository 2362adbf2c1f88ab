"""Help, wrong use, errors and exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli_cases import Run, Shelf, error

from conspectus.cli.app import app
from conspectus.cli.state import State
from conspectus.cli.verbs import VERBS
from conspectus.cli.welcome import welcome
from conspectus.core.errors import ConspectusError, ServiceError
from conspectus.store.lock import folder_lock


def test_the_overview_says_what_the_verbs_say():
    """The overview would promise something else than the verb's own help."""
    context = click.Context(app, help_option_names=["-h", "--help"])
    for name, entry in VERBS.items():
        command = app.get_command(context, name)
        assert command is not None
        assert not entry.line or (command.help or "").partition("\n")[0] == entry.line
        assert command.name == name


GROUPED = ("models list", "models fetch", "models verify", "eval retrieval", "eval self", "eval show", "eval diff")
GROUPED += tuple(f"images {name}" for name in ("add", "list", "show", "search", "clusters", "duplicates", "remove"))
GROUPED += ("eval graph", "eval make", "map topics", "map name")


def test_every_verb_has_help_and_the_shared_options(run: Run):
    """`conspectus VERB -h` would fail, or --json after the verb."""
    for words in [[name] for name in VERBS] + [[*words.split()] for words in GROUPED]:
        result = run(*words, "-h")
        assert result.exit_code == 0, result.output
        assert words in (["eval"], ["images"], ["models"]) or "--json" in result.stdout


def test_no_option_of_a_verb_takes_the_place_of_a_shared_one():
    """`library restore --settings` was taken for `--set`, and ended in an error that speaks of neither."""
    context = click.Context(app, help_option_names=["-h", "--help"])
    for name in VERBS:
        command = app.get_command(context, name)
        assert command is not None
        names = [param.name for param in command.get_params(click.Context(command, parent=context))]
        assert len(names) == len(set(names)), name


def test_restore_takes_settings(run: Run, tmp_path: Path):
    """A library would come back from its backup with other passages and other ranking."""
    mine, backup = tmp_path / "mine", tmp_path / "backup.zip"
    paper = tmp_path / "paper.jsonl"
    paper.write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    assert run("--library", str(mine), "add", str(paper)).exit_code == 0
    (mine / "conspectus.toml").write_text("[search]\nk = 7\n", "utf-8")
    assert run("--library", str(mine), "library", "backup", str(backup)).exit_code == 0
    result = run("--library", str(tmp_path / "again"), "library", "restore", str(backup))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "again" / "conspectus.toml").read_text("utf-8") == "[search]\nk = 7\n"


def test_backups_of_replaced_papers_are_shown_and_deleted_by_name(run: Run, tmp_path: Path):
    """Else whoever restores over papers keeps a copy of them that no command shows or deletes."""
    mine, backup = tmp_path / "mine", tmp_path / "backup.zip"
    (tmp_path / "paper.jsonl").write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    assert run("--library", str(mine), "add", str(tmp_path / "paper.jsonl")).exit_code == 0
    assert run("--library", str(mine), "library", "backup", str(backup)).exit_code == 0
    assert run("--library", str(mine), "library", "restore", str(backup), "--replace").exit_code == 0
    (kept,) = mine.glob("before-restore-*.zip")
    assert kept.name in run("--library", str(mine), "status").stdout
    assert run("--library", str(mine), "library", "delete-backup", "other.zip").exit_code == 2
    assert kept.name in run("--library", str(mine), "library", "delete-backup", kept.name).stdout
    assert not kept.exists()


def test_help_imports_nothing_heavy():
    """Help would take as long as opening a library."""
    heavy = ["numpy", "sqlalchemy", "rich", "msgspec", "onnxruntime", "faiss", "conspectus.library", "asyncio"]
    code = (
        "import sys; from click.testing import CliRunner; from conspectus.cli.app import app; "
        "from conspectus.cli.verbs import VERBS; "
        "verbs = [verb for verb, entry in VERBS.items() if entry.line]; "
        "[CliRunner().invoke(app, words) for words in (['-h'], *([verb, '-h'] for verb in verbs))]; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip() == "[]"


def test_version(run: Run):
    """A bug report could not say which version it is about."""
    from conspectus import __version__

    assert run("--version").stdout == f"conspectus {__version__}\n"


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["serach", "x"], "'search'"),
        (["models", "fecth"], "'fetch'"),
        (["search", "x", "--yaer", "2000"], "'--year'"),
        (["--libary", "x", "list"], "'--library'"),
        (["config", "serch.k"], "'search.k'"),
        (["--set", "search.kk=3", "config"], "'search.k'"),
        (["models", "fetch", "minilmm"], "'minilm'"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_right_one(run: Run, words: list[str], near: str):
    """A typing error would cost a look into the manual."""
    result = run(*words)
    assert result.exit_code == 2
    assert not result.stdout
    assert result.stderr.startswith("error: ")
    assert f"Did you mean {near}?" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["search"],
        ["search", "x", "--year", "2015..2010"],
        ["search", "x", "--year", "soon"],
        ["search", "x", "--k", "0"],
        ["ask", "x", "--kind", "title"],
        ["--set", "nothing", "config"],
        ["--set", "search.k=many", "config"],
        ["similar"],
        ["open"],
    ],
)
def test_wrong_use_is_two_also_in_json(run: Run, tmp_path: Path, words: list[str]):
    """A script could not tell its own mistake from a failure."""
    result = run("--library", tmp_path / "none", *words, "--json")
    assert result.exit_code == 2
    assert error(result)["message"]


@pytest.mark.parametrize("words", [["list"], ["status"], ["search", "x"], ["ask", "x"], ["show", "x"], ["doctor"]])
def test_reading_makes_no_library(run: Run, tmp_path: Path, words: list[str]):
    """A wrong --library would leave an empty library behind and answer that nothing is known."""
    result = run("--library", tmp_path / "none", *words)
    assert result.exit_code == 2
    assert "There is no library in" in result.stderr
    assert "conspectus add" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words", [["config"], ["models", "list"], ["route", "Does sleep help memory?"], ["sources", "list"]]
)
def test_what_needs_no_library_makes_none(run: Run, tmp_path: Path, words: list[str]):
    """Looking at the settings would leave a folder behind."""
    assert run("--library", tmp_path / "none", *words).exit_code == 0
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_library_is_four(run: Run, tmp_path: Path):
    """A damaged library would look like a mistake in the command."""
    (tmp_path / "catalog.sqlite").write_bytes(b"this is not a database" * 50)
    result = run("--library", tmp_path, "list", "--json")
    assert result.exit_code == 4
    assert error(result)["type"] == "LibraryDamagedError"


def test_a_missing_model_is_three_and_says_how_to_get_it(run: Run, tmp_path: Path):
    """A new user would not learn that the model is fetched once."""
    words = ["--set", f"models.store={tmp_path / 'empty'}", "models", "verify"]
    result = run(*words)
    assert result.exit_code == 3
    assert "conspectus models fetch minilm" in result.stderr


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (ServiceError("No answer.", "Try later."), 3, "error: No answer.\nTry later.\n"),
        (ConspectusError("It failed."), 1, "error: It failed.\n"),
        (KeyboardInterrupt(), 130, "What is committed is kept"),
        (ZeroDivisionError("division by zero"), 1, "ZeroDivisionError: division by zero\nPlease report it"),
        (OSError(28, "No space left on device", "x.png"), 1, "error: 'x.png': No space left on device.\n"),
    ],
)
def test_errors_are_a_line_and_a_hint(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, raised: BaseException, code: int, said: str
):
    """An error would be a traceback, or its exit code would mislead a script."""

    def fail(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(State, "library", fail)
    result = run("--library", tmp_path, "add", "x")
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    if code != 130:
        assert "Traceback" in run("--library", tmp_path, "--debug", "add", "x").stderr


def test_an_interruption_is_told_in_json(run: Run, monkeypatch: pytest.MonkeyPatch):
    """A program that was stopped half way would leave its caller without an object to read."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(State, "library", stop)
    result = run("add", "x", "--json")
    assert result.exit_code == 130
    assert json.loads(result.stderr)["error"]["type"] == "Interrupted"


def test_a_secret_is_never_shown(run: Run, monkeypatch: pytest.MonkeyPatch):
    """A key would end in a log or a bug report."""
    monkeypatch.setenv("CONSPECTUS_MODELS_API_KEY", "sk-very-secret")
    for words in (["config"], ["config", "--json"], ["config", "models.api_key"]):
        result = run(*words)
        assert result.exit_code == 0
        assert "***" in result.stdout
        assert "very-secret" not in result.output


def test_a_password_in_an_address_is_never_shown(run: Run):
    """A password would end in a log or a bug report."""
    for words in (["config"], ["config", "--json"], ["config", "parse.grobid_url"]):
        result = run("--set", "parse.grobid_url=http://me:very-secret@localhost:1", *words)
        assert result.exit_code == 0
        assert "http://***@localhost:1" in result.stdout
        assert "very-secret" not in result.output


def test_settings_say_where_they_come_from(run: Run, tmp_path: Path):
    """A user could not find the line that sets what they see."""
    (tmp_path / "conspectus.toml").write_text("[search]\nk = 7\n", "utf-8")
    rows = json.loads(run("--library", tmp_path, "--set", "answer.statements=3", "config", "--json").stdout)["settings"]
    found = {row["name"]: row for row in rows}
    assert (found["search.k"]["value"], found["search.k"]["origin"]) == (7, str(tmp_path / "conspectus.toml"))
    assert (found["answer.statements"]["value"], found["answer.statements"]["origin"]) == (3, "flag")
    assert found["search.rerank"]["origin"] == "default"
    assert run("config", "search.k", "--library", tmp_path).stdout == "7\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--library", "~nobody-of-this-name/x", "list"),
        ("--library", "~nobody-of-this-name/x", "--json", "config", "search.k"),
        ("--set", "models.store=~nobody-of-this-name/x", "models", "list"),
        ("library", "backup", "~nobody-of-this-name/x.zip"),
        ("library", "restore", "~nobody-of-this-name/x.zip"),
        ("export", "--to", "csv", "--output", "~nobody-of-this-name/x.csv"),
        ("audit", "~nobody-of-this-name/x.bib"),
        ("eval", "checks", "--data", "~nobody-of-this-name/x"),
    ],
    ids=lambda words: words[0] if words[0][0] != "-" else words[-1],
)
def test_a_path_in_the_home_of_nobody_is_told(run: Run, tmp_path: Path, words: tuple[str, ...]):
    """A mistyped `~name` in any option ended in Python's own error."""
    library = str(tmp_path / "library")
    paper = tmp_path / "paper.jsonl"
    paper.write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    assert run("--library", library, "add", paper).exit_code == 0
    result = run(*words, env={"CONSPECTUS_LIBRARY": library})
    assert result.exit_code == 2, result.output
    assert "nobody known is at home in '~nobody-of-this-name'" in result.stderr
    assert "Write the full path" in result.stderr


def test_adding_from_the_home_of_nobody_stops_no_other_file(run: Run, tmp_path: Path):
    """One mistyped name would keep the others out."""
    paper = tmp_path / "paper.jsonl"
    paper.write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    result = run("--library", str(tmp_path / "library"), "add", "~nobody-of-this-name/x.pdf", paper)
    assert result.exit_code == 1, result.output
    assert "~nobody-of-this-name/x.pdf" in result.output
    assert "there is no such file" in result.output
    assert "1 added" in result.output or "added: 1" in result.output, result.output


@pytest.mark.parametrize(("option", "told"), [("--debug", True), ("--quiet", False), ("--json", False)])
def test_a_wait_for_another_writer_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, told: bool
):
    """A verb without progress stood still for a minute without a word; --json is read by programs."""
    monkeypatch.setattr("conspectus.core.wait_notices._PATIENCE", 0.0)
    library, paper = tmp_path / "library", tmp_path / "paper.jsonl"
    paper.write_text('{"title": "Owls", "abstract": "They see at night."}\n', "utf-8")
    assert run("--library", library, "add", paper).exit_code == 0
    with folder_lock(library):
        result = run("--library", library, "--set", "catalog.wait=0.3", option, "remove", "--yes", "Owls")
    assert result.exit_code == 1 or option == "--debug", result.output
    note = f"note: Waiting up to 0 s: another process, or a job of this one, is writing to '{library}'."
    assert (note in result.stderr) == told, result.stderr


def test_alone_in_a_terminal_it_says_what_there_is_and_what_to_do(
    capsys: pytest.CaptureFixture[str], shelf: Shelf, tmp_path: Path
):
    """A newcomer would have to read thirty verbs to find the first one."""
    welcome(State(library_option=shelf.library))
    filled = capsys.readouterr().out
    assert re.search(r"holds \d+ papers \(\d+ with full text\)", filled)
    assert filled.count("\n  conspectus ") == 3
    welcome(State(library_option=tmp_path / "none"))
    none = capsys.readouterr().out
    assert none.startswith(f"There is no library in {tmp_path / 'none'} yet.")
    assert "conspectus add FOLDER" in none
    assert not (tmp_path / "none").exists()
