"""Remedies: the library names verbs, options and settings, and the command line knows how they are typed."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import click
import pytest

import conspectus
from conspectus.cli.app import app, declared_command
from conspectus.cli.failure import typed
from conspectus.cli.overview import VERBS
from conspectus.faces.index import all_verbs
from conspectus.settings.layers import KEYS

SOURCE = Path(conspectus.__file__).parent
TERMINAL = re.compile(r"(conspectus (models|prompts|config|eval|serve|mcp)\b|pip install)[^`;.]*")
"""What no other face has is named as it is typed, whole."""
NAMED = re.compile(rf"conspectus ({'|'.join(VERBS)})\b|`conspectus ")
OPTION = re.compile(r"(?:^|[\s(`\"'])--[a-z][a-z-]*(?=[\s.,;:)`])")


@cache
def texts() -> list[tuple[str, str]]:
    return list(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    """(where, text) of every text of the program outside its command line, but for its own documentation."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.relative_to(SOURCE).parts[0] == "cli" or path.stem.endswith("views") or path.stem == "describe":
            continue
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        silent = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        silent |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "X" for part in node.values)
                yield f"{path}:{node.lineno}", "".join(map(str, parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
                yield f"{path}:{node.lineno}", node.value


@pytest.mark.slow
def test_the_library_speaks_no_face_s_language() -> None:
    """Who looks at the page, or writes Python, would be told to type options of a program that they do not run."""
    wrong = [
        (where, text) for where, text in texts() if NAMED.search(left := TERMINAL.sub("", text)) or OPTION.search(left)
    ]
    assert not wrong


def test_what_is_typed_is_understood() -> None:
    """A remedy would be a command that there is not, or an option that it does not have."""
    known = {name: set(_options(command)) for name, command in _commands()}
    anywhere = set[str]().union(*known.values())
    seen = 0
    for where, text in texts():
        for words in re.findall(r"`([^`\n]+)`", typed(text)):
            own = _command_of(words, known)
            if own or words.startswith("--"):
                assert set(re.findall(r"--[a-z-]+", words)) <= (known[own] if own else anywhere), (where, words)
                assert all(key in KEYS for key in re.findall(r"--set (\S+)=", words)), (where, words)
                seen += 1
    assert seen > 40


def _command_of(words: str, known: Mapping[str, object]) -> str:
    """The command that is typed, with its group; "" if it is none."""
    said = words.removeprefix("conspectus ").split() if words.startswith("conspectus ") else []
    names = (" ".join(said[:length]) for length in (3, 2, 1) if len(said) >= length)
    name = next((name for name in names if name in known), "")
    assert name or not said, words
    return name


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(app, help_option_names=["-h", "--help"])
    for name in VERBS:
        command = app.get_command(context, name)
        assert command
        yield name, command
    for verb in all_verbs():
        if verb.command:
            command = declared_command(verb.group, verb.name)
            assert command
            yield verb.full_name, command


def _options(command: click.Command) -> Iterator[str]:
    for param in command.params:
        yield from (*param.opts, *param.secondary_opts)
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _options(below)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Build it anew: `library reindex`.", "Build it anew: `conspectus library reindex`."),
        ("`doctor fix=True` finds it", "`conspectus doctor --fix` finds it"),
        ("`library restore FILE replace=True`", "`conspectus library restore FILE --replace`"),
        ("`retry everything=True`", "`conspectus retry --all`"),
        ("`count WORDS`, `pictures=False`", "`conspectus search --count WORDS`, `--no-pictures`"),
        ("`depth=thorough` or `language.model=NAME`", "`--depth thorough` or `--set language.model=NAME`"),
        ("`PGPASSWORD`, `a b=c`, `X-Forwarded-For`", "`PGPASSWORD`, `a b=c`, `X-Forwarded-For`"),
        ("no `end, list=1", "no `end, list=1"),
    ],
)
def test_how_it_is_typed(said: str, shown: str) -> None:
    """A remedy would be for nobody, or words that are none be made one."""
    assert typed(said) == shown
