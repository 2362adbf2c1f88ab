"""What is made from the program: the pages of settings and commands, and the description of the HTTP API."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from conspectus import Library
from conspectus.cli.app import app, declared_command
from conspectus.cli.overview import SECTIONS
from conspectus.faces import index
from conspectus.models.minilm import SPEC
from conspectus.models.store import ModelStore
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.settings import GROUPS, KEYS, Key, Secret, describe
from conspectus.settings.fields import LibraryScope
from conspectus.settings.layers import PREFIX

DOCS = Path(__file__).resolve().parent
API = DOCS.parent / "web" / "openapi.json"
NOTE = "<!-- Written by docs/build.py: change the program, not this page. -->\n"
REMEDY = "Fetch it once: conspectus models fetch minilm"


def store() -> ModelStore:
    """The model store that the user set."""
    return ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE") or None)


def has_model() -> bool:
    """Whether the default embedder can be used."""
    return store().has(SPEC)


def pages() -> dict[Path, str]:
    """The generated pages by path."""
    return {
        index.FILE: index.make_index(),
        DOCS / "settings.md": settings(),
        DOCS / "commands.md": commands(),
        API: api(),
    }


def api() -> str:
    """The description of the HTTP API, from which the page's types are made."""
    with TemporaryDirectory() as folder, Library(folder) as library:
        return _spread(create_app(library, Access()).openapi(), 3) + "\n"


def _spread(value: Any, depth: int) -> str:
    """JSON with a line for each path and each schema, so that a change is seen."""
    if depth == 0 or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    parts = (f"{json.dumps(name)}: {_spread(one, depth - 1)}" for name, one in value.items())
    return "{\n" + ",\n".join(parts) + "\n}"


def settings() -> str:
    """`settings.md`."""
    parts = [_SETTINGS]
    for group, cls in GROUPS.items():
        parts.append(f"\n## {group}\n\n{cls.__doc__}\n\n{_HEAD}")
        parts += [_row(key) for key in KEYS.values() if key.name.startswith(f"{group}.")]
    return NOTE + "".join(parts)


def _row(key: Key) -> str:
    variable = PREFIX + key.name.upper().replace(".", "_")
    default = "" if isinstance(key.default, Secret) or key.default == "" else f"`{key.default}`"
    mark = {LibraryScope.BUILT_IN: " †", LibraryScope.LOWER: " ‡"}.get(key.scope, "")
    return f"| `{key.name}`{mark}<br>`{variable}` | {describe(key.type)} | {default or 'empty'} | {key.doc} |\n"


def commands() -> str:
    """`commands.md`."""
    parts = [_COMMANDS, _fenced(_help(app, ["conspectus"]))]
    for title, entries in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        for name in entries:
            parts += [f"\n### {' '.join(words)}\n\n{_fenced(text)}" for words, text in _verbs(name)]
    for name, group in index.groups().items():
        parts.append(f"\n## {name}\n\n{group.about}\n" if name else "")
        for verb in group.verbs if name else ():
            command = declared_command(name, verb)
            assert command is not None
            parts.append(f"\n### {name} {verb}\n\n{_fenced(_help(command, ['conspectus', name, verb]))}")
    return NOTE + "".join(parts)


def _verbs(name: str) -> Iterator[tuple[list[str], str]]:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    yield [name], _help(command, ["conspectus", name])
    for part, inner in sorted(getattr(command, "commands", {}).items()):
        yield [name, part], _help(inner, ["conspectus", name, part])


def _help(command: click.Command, words: list[str]) -> str:
    context = click.Context(
        command, info_name=" ".join(words), terminal_width=80, max_content_width=80, help_option_names=["-h", "--help"]
    )
    return command.get_help(context)


def _fenced(text: str) -> str:
    return f"```\n{text}\n```\n"


_SETTINGS = """# Settings

Every setting has a default. You can set it in these places; later ones win:

1. the file `conspectus.toml` in the library's folder: `name = value` under `[group]`;
2. your configuration, `~/.config/conspectus/config.toml` on Linux (`conspectus config` shows where): for all libraries
   in the same form, for one library as `group.name = value` under `[library."FOLDER"]`;
3. the environment: `CONSPECTUS_GROUP_NAME`;
4. one run: `conspectus --set group.name=value VERB …`, or in Python `Library(folder, {"group.name": value})`.

An unknown setting and a value out of bounds are errors. `conspectus config` shows all values and where each was set.
`passages.overlap` must be less than `passages.chars`. The library's own folder is no setting: it is `--library`, else
the variable `CONSPECTUS_LIBRARY`, else a folder in your data folder.

†: the library's own file may not set this, except to the name of something built in; ‡: the library's own file may only
lower this. What it sets beyond that is ignored and reported, whoever made the library ([safety](safety.md)).
"""

_HEAD = "| setting | type | default | meaning |\n| --- | --- | --- | --- |\n"

_COMMANDS = """# Commands

What `conspectus VERB --help` says. `--library`, `--set`, `--json`, `--quiet` and `--debug` may stand before the verb or
after it.

"""
