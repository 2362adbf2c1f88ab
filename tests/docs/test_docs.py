"""The documentation agrees with the program. What the commands print is compared by `docs/build.py --check`."""

import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from conspectus.cli.app import app
from conspectus.cli.overview import VERBS
from conspectus.core import errors
from conspectus.settings import KEYS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def module(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


def read(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


@pytest.mark.slow
def test_generated_pages_are_up_to_date() -> None:
    """Else the reference describes another version; `python docs/build.py` writes them."""
    wanted = {path.name: text for path, text in module("generated").pages().items()}
    for name in ("settings.md", "commands.md"):
        assert read(name) == wanted[name]


def test_every_setting_is_documented() -> None:
    """A setting without a word about it cannot be used."""
    page = read("settings.md")
    for key in KEYS.values():
        assert key.doc.strip()
        assert f"`{key.name}`" in page
        assert f"`CONSPECTUS_{key.name.upper().replace('.', '_')}`" in page


def test_every_verb_is_documented() -> None:
    """A verb that is nowhere explained is found by nobody."""
    commands, json = read("commands.md"), read("json.md")
    for verb in VERBS:
        assert f"### {verb}\n" in commands
        assert f"`{verb}`" in json or f"`{verb} list`" in json


def test_every_error_has_a_remedy() -> None:
    """Who meets an error looks for its name."""
    page = read("troubleshooting.md")
    classes = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, BaseException)]
    for found in classes:
        if found is not errors.ConspectusError:
            assert f"`{found.__name__}`" in page


def test_the_site_has_no_dead_links_and_needs_no_network(tmp_path: Path) -> None:
    """A dead link, or a page that is missing from the navigation, leaves the reader without the page."""
    pytest.importorskip("mkdocs")
    module("site_pages").write(tmp_path / "site")
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "site").rglob("*.html")}
    assert {"index.html", "quickstart.html", "ARCHITECTURE.html"} <= set(files)
    for name, text in files.items():
        assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="?https?:', text), name


def test_commands_that_are_not_run_can_be_typed() -> None:
    """A command with an option that was renamed ends in an error for whoever copies it from the documentation."""
    wrong = []
    for page in sorted(DOCS.glob("*.md")):
        for block in re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            for line in re.sub(r"\\\n", " ", block).splitlines():
                if not line.startswith("conspectus "):
                    continue
                words = shlex.split(re.sub(r"\s#.*", "", line))
                ends = [at for at, word in enumerate(words) if word in ("|", "<", ">", "&", "&&")]
                words = words[: min(ends, default=len(words))]
                if said := _refusal(words[1:]):
                    wrong.append(f"{page.name}: {line}: {said}")
    assert not wrong


def _refusal(words: list[str]) -> str:
    """What the command line has against these words, as far as they name commands and options."""
    command: click.Command = app
    above: click.Context | None = None
    try:
        while isinstance(command, click.Group):
            above = command.make_context(command.name, words, parent=above)
            _, found, words = command.resolve_command(above, [*above._protected_args, *above.args])
            if found is None:
                return "there is no such command"
            command = found
        command.make_context(command.name, words, parent=above)
    except (click.NoSuchOption, click.MissingParameter) as error:
        return error.format_message()
    except click.exceptions.Exit:  # `--help`
        return ""
    except click.BadParameter:  # a file that is not here
        return ""
    except click.UsageError as error:
        return error.format_message()
    return ""
