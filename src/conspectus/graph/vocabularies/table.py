"""Plain tables of names: CSV, TSV, JSON Lines, JSON, or a list with a name a line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.gathering import Gathered
from conspectus.records.concepts import LinkKind, NameKind

STEP = 20_000
LINES = ("jsonl", "ndjson")
_FIELDS = {
    "id": "id curie iri uri descriptor_ui ui code",
    "label": "label name term",
    "preferred": "preferred preflabel pref_label preferred_label",
    "exact": "synonyms synonym altlabel altlabels altnames alt_names aliases exact_synonyms",
    "abbreviation": "abbreviations abbreviation abbrev acronym acronyms",
    "related": "related_synonyms",
    "narrow": "narrow_synonyms",
    "broad": "broad_synonyms",
    "definition": "definition description",
    "broader": "broader parents parent is_a",
    "part_of": "part_of",
    "see": "related",
    "same": "same same_as exact_match",
    "replaced_by": "replaced_by",
    "code": "tree_number tree_numbers tree",
    "ancestors": "ancestors",
    "deprecated": "deprecated obsolete",
}
"""What is said, and what columns that say it are called."""
_MEANT = {alias: meant for meant, aliases in _FIELDS.items() for alias in aliases.split()}
_LINKS = {"broader": LinkKind.BROADER, "part_of": LinkKind.PART_OF, "see": LinkKind.RELATED, "same": LinkKind.SAME}
_LINKS |= {"replaced_by": LinkKind.REPLACED_BY, "ancestors": LinkKind.BROADER}
_BETWEEN = re.compile(r"[|;]")
_SPACE = re.compile(r"[^\w.-]+")
_COLUMNS = (
    "Name the columns in its first line: `id`, `label`, `synonyms` (a | b), `abbreviations`, `broader`, `definition`."
)
Record = Mapping[str, Any]


def read_table(stream: BinaryIO, name: str, form: str, found: Gathered) -> Iterator[None]:
    """Gathers the rows of a table; those with one id are one concept. A sign of life now and then.

    Args:
        stream: its bytes.
        name: of the file.
        form: `json`, one of `LINES`, or that of any other table.
        found: where it is gathered.

    Raises:
        InputError: it is no such table, or a row is no object.
    """
    with io.TextIOWrapper(stream, "utf-8-sig", newline="") as text:
        try:
            rows = _objects(text, form) if form in (*LINES, "json") else _cells(text, name)
            for number, row in enumerate(rows, 1):
                _take(row, name, number, found)
                if not number % STEP:
                    yield
        except UnicodeDecodeError as error:
            raise InputError(f"'{name}' is no text in UTF-8.", "Save it as UTF-8.") from error
        except (ValueError, RecursionError, csv.Error) as error:
            raise InputError(f"'{name}' cannot be read as a table: {str(error)[:300]}.", "Export it anew.") from error


def _objects(text: io.TextIOWrapper, form: str) -> Iterable[Any]:
    if form in LINES:
        return (json.loads(row) for row in text if row.strip())
    held = json.load(text)
    return ({**row, "id": key} for key, row in held.items()) if isinstance(held, dict) else held


def _cells(text: io.TextIOWrapper, name: str) -> Iterator[Record]:
    head = text.readline()
    between = max("\t,;", key=head.count)
    columns = [cell.strip().lower() for cell in next(csv.reader([head], delimiter=between), [])]
    if not {"label", "preferred"} & {_MEANT.get(column) for column in columns}:
        if len(columns) > 1:
            raise InputError(f"'{name}' has no column that is called `label`.", _COLUMNS)
        yield {"label": head}
        columns = ["label"]
    yield from csv.DictReader(text, columns, restkey="", delimiter=between)


def _take(row: Any, name: str, number: int, found: Gathered) -> None:
    if not isinstance(row, Mapping):
        raise InputError(f"Record {number} of '{name}' is no object with names.", _COLUMNS)
    said: dict[str, list[str]] = {}
    for column, value in row.items():
        if meant := _MEANT.get(str(column).strip().lower()):
            said.setdefault(meant, []).extend(
                _values(value, apart=meant not in ("id", "label", "preferred", "definition"))
            )
    labels = [*said.get("preferred", ()), *said.get("label", ())]
    if not labels:
        return
    entry = found[(said.get("id") or [_SPACE.sub("_", labels[0].strip())])[0]]
    entry.known = True
    entry.definition = entry.definition or " ".join(said.get("definition", ()))
    entry.deprecated |= said.get("deprecated", [""])[0].lower() in ("true", "1", "yes")
    entry.codes += said.get("code", ())
    for kind in NameKind:
        for value in said.get(kind, ()):
            entry.name(value, kind)
    for meant, link in _LINKS.items():
        for target in said.get(meant, ()):
            entry.link(link, target)


def _values(value: Any, *, apart: bool) -> list[str]:
    """What a cell says: a list, things with ids, ids with distances (those next to it), or text, also of several."""
    if isinstance(value, str):
        parts = _BETWEEN.split(value) if apart else [value]
        return [part for one in parts if (part := one.strip())]
    if isinstance(value, Mapping):
        name = next((value[key] for key in ("id", "uri", "iri") if key in value), None)
        return [str(name)] if name else [str(key) for key, distance in value.items() if distance == 1]
    if isinstance(value, Iterable):
        return [text for one in value for text in _values(one, apart=False)]
    return [] if value is None else [str(value)]
