"""JSON, help texts and exports against golden files; `pytest tests/golden --update-golden` rewrites those that differ.

Scripts and other programs rely on these names (docs/json.md): the diff of the files is what a reviewer reads.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from traceback import format_exc
from typing import Any

import click
import pytest
from golden_library import GoldenLibrary, golden_library, parse_output
from golden_output import FILES, check_json, check_text, is_same, normalise, normalise_text
from golden_verbs import ROWS, WITHOUT_ROW, Row

from conspectus.cli.app import app
from conspectus.cli.overview import schema_name
from conspectus.core.text import json_text
from conspectus.faces import index
from conspectus.wire import encode


@dataclass(frozen=True)
class Output:
    """What a row printed and wrote, normalised; or what went wrong.

    Attributes:
        body: the JSON that was printed.
        from_python: the same from Python; None where the row has no call of Python.
        files: name -> text, or parsed JSON.
    """

    body: Any = None
    from_python: Any = None
    files: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Output]]:
    """Row -> its output. All rows run, in their order, also where only some are tested."""
    place = tmp_path_factory.mktemp("golden")
    with pytest.MonkeyPatch.context() as patch, ExitStack() as opened:
        patch.setenv("CONSPECTUS_STATE", str(place.parent / "golden-state"))  # other tests leave prompts in theirs
        patch.setenv("CONSPECTUS_CONFIG", str(place.parent / "golden-state" / "config.toml"))
        library = opened.enter_context(golden_library(place))
        patch.chdir(place)
        patch.setenv("CONSPECTUS_MODELS_STORE", str(place / "models"))
        yield {row.file: run_row(library, row) for row in ROWS}


def run_row(library: GoldenLibrary, row: Row) -> Output:
    """Run a row of the table."""
    try:
        words = [word.format(**library.names) for word in row.words]
        result = library.run("--json", *words, with_model=row.with_model, input=row.input)
        if result.exit_code != row.exit_code:
            return Output(failure=f"exit code {result.exit_code}: {result.output}")
        body = parse_output(result)
        library.names |= {name: find(body) for name, find in row.learn.items()}
        from_python = None
        if row.python:
            with library.opened() as opened:
                from_python = json.loads(json_text(encode.body(row.python(opened, library.names))))
        files = {name: read_written(library.place / name, library.place) for name in row.written}
        return Output(normalise(body, library.place), normalise(from_python, library.place), files)
    except Exception:  # noqa: BLE001 - the other rows are worth seeing
        return Output(failure=format_exc())


def read_written(file: Path, place: Path) -> Any:
    """A written file, normalised: parsed where it is JSON; of JSON Lines one line of each schema."""
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        return normalise(json.loads(text), place)
    if file.suffix == ".jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        return normalise(list({line.get("schema", number): line for number, line in enumerate(lines)}.values()), place)
    return normalise_text(text, place)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_verb(row: Row, outputs: dict[str, Output], update_golden: bool) -> None:
    """A program that reads this JSON, or this file, would stop working."""
    output = outputs[row.file]
    assert not output.failure, output.failure
    check_json(row.file, output.body, update=update_golden)
    for name, content in output.files.items():
        if isinstance(content, str):
            check_text(f"written/{name}", content, update=update_golden)
        else:
            check_json(f"written/{name}", content, update=update_golden)


@pytest.mark.parametrize("row", [row for row in ROWS if row.python], ids=lambda row: row.file)
def test_python_gives_the_same(row: Row, outputs: dict[str, Output]) -> None:
    """A record from Python would have other fields than the command line prints."""
    output = outputs[row.file]
    assert not output.failure, output.failure
    assert is_same({"schema": output.body["schema"], **output.from_python}, output.body)


def test_help(update_golden: bool) -> None:
    """A changed option would go unnoticed."""
    check_text("help.txt", "\n\n".join(help_texts(app, "conspectus")) + "\n", update=update_golden)


def help_texts(command: click.Command, path: str) -> Iterator[str]:
    """The help of a command and of all below it, as on a terminal of 80 columns."""
    for name, context in contexts(command, path):
        text = re.sub(
            r"^  (?:-h, )?--help +(?=Show this)", "  -h, --help  ", context.command.get_help(context), flags=re.M
        )
        yield f"$ {name} --help\n{text}"


def contexts(
    command: click.Command, path: str, parent: click.Context | None = None
) -> Iterator[tuple[str, click.Context]]:
    """A command and all below it, with the words that call them."""
    context = click.Context(command, parent, path.rsplit(maxsplit=1)[-1], terminal_width=80, max_content_width=80)
    yield path, context
    if isinstance(command, click.Group):
        below = {name: command.get_command(context, name) for name in command.list_commands(context)}
    else:
        below = dict(getattr(command, "commands", {}))
    for name, part in below.items():
        if part:
            yield from contexts(part, f"{path} {name}", context)


def test_every_verb_has_a_row(outputs: dict[str, Output]) -> None:
    """The JSON of a new verb would be promised by no file."""
    bodies = [
        output.body[0] if isinstance(output.body, list) else output.body for output in outputs.values() if output.body
    ]
    known = {str(body.get("schema")) for body in bodies}
    found = contexts(app, "conspectus")
    names = [path.partition(" ")[2] for path, context in found if not isinstance(context.command, click.Group)]
    declared = {verb.full_name: verb.schema_name for verb in index.all_verbs()}
    missing = {name for name in names if f"conspectus.{declared.get(name) or schema_name(name)}/1" not in known}
    assert missing == set(WITHOUT_ROW)


def test_no_golden_file_is_left_over() -> None:
    """A file of a verb that no longer exists would look like a promise."""
    known = {f"{row.file}.json" for row in ROWS} | {written_file(name) for row in ROWS for name in row.written}
    there = {path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file()}
    assert there == known | {"help.txt"}


def written_file(name: str) -> str:
    """The golden file of a written file; JSON is kept in a form of its own, for comparing."""
    return f"written/{name}.json" if Path(name).suffix in (".json", ".jsonl") else f"written/{name}"
