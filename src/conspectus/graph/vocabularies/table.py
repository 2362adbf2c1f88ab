"""Plain tables of names: CSV, TSV, JSON Lines, JSON, or a list with a name a line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, BinaryIO

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.draft import LONGEST, VocabularyDraft, read_lines
from conspectus.graph.vocabularies.mesh import PREFIX
from conspectus.records.vocabularies import LinkKind, NameKind

STEP = 20_000
LINES = ("jsonl", "ndjson")
_FIELDS = {
    "id": "id curie iri uri descriptor_ui ui code class_id",
    "label": "label name term",
    "preferred": "preferred preflabel pref_label preferred_label",
    "exact": "synonyms synonym altlabel altlabels altnames alt_names aliases exact_synonyms",
    "abbreviation": "abbreviations abbreviation abbrev acronym acronyms",
    "related": "related_synonyms",
    "narrow": "narrow_synonyms",
    "broad": "broad_synonyms",
    "definition": "definition definitions description",
    "broader": "broader parents parent is_a",
    "part_of": "part_of",
    "see": "related",
    "same": "same same_as exact_match",
    "xref": "xref xrefs dbxref dbxrefs close_match",
    "replaced_by": "replaced_by",
    "code": "tree_number tree_numbers tree",
    "ancestors": "ancestors",
    "deprecated": "deprecated obsolete",
}
"""What is said, and what columns that say it are called."""
_BY_KIND = ("preferred", "label", "exact", "abbreviation", "related", "narrow", "broad")
_MEANT = {alias: meant for meant, aliases in _FIELDS.items() for alias in aliases.split()}
_LINKS = {"broader": LinkKind.BROADER, "part_of": LinkKind.PART_OF, "see": LinkKind.RELATED, "same": LinkKind.SAME}
_LINKS |= {"xref": LinkKind.XREF, "replaced_by": LinkKind.REPLACED_BY, "ancestors": LinkKind.BROADER}
_OF_MESH = "descriptor_ui"
_BETWEEN = re.compile(r"[|;]")
_BAR, _COMMA = re.compile(r"\|"), re.compile(r",\s+")
_SPACE = re.compile(r"[^\w.-]+")
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_WIKIDATA_ID = re.compile(r"[QLP]\d+")
_TERM = re.compile(r'<([^<>]*)>|"(.*)"(?:@[\w-]+|\^\^<[^<>]*>|\^\^[\w:.-]+)?', re.S)
_WHOLE = ("id", "label", "preferred", "definition")
"""What a cell has one of."""
_COLUMNS = (
    "Name the columns in its first line: `id`, `label`, `synonyms` (a | b), `abbreviations`, `broader`, `definition`."
)
Record = Mapping[str, Any]
Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class TableLayout:
    """What the columns of a table mean, and what is between several values of a cell."""

    meanings: Mapping[str, str]
    between: re.Pattern[str] = _BETWEEN
    between_names: re.Pattern[str] = _BETWEEN

    @property
    def has_names(self) -> bool:
        """Whether a column has the main names."""
        return not {"label", "preferred"}.isdisjoint(self.meanings.values())


@lru_cache
def layout_of(columns: tuple[str, ...]) -> TableLayout:
    """Return the layout of a table: ours, BioPortal's (`Class ID`) or a query's (`x`, `xLabel`, or with `?`)."""
    plain = {column: _BETWEEN_WORDS.sub("_", column.strip().lstrip("?").lower()) for column in columns}
    meanings = {column: meaning for column, name in plain.items() if (meaning := _MEANT.get(name))}
    names = {name: column for column, name in plain.items()}
    if "class_id" in names:
        return TableLayout(meanings, _BAR, _BAR)
    layout = TableLayout(meanings)
    thing = next((name for name in names if f"{name}label" in names), "")
    if not thing:
        labels = [] if layout.has_names else [name for name in names if name.endswith("label")]
        if not labels:
            return layout
        thing = min(labels, key=len).removesuffix("label")
        meanings |= {} if "id" in meanings.values() else {columns[0]: "id"}
    ends = {"": "id", "label": "label", "altlabel": "exact", "description": "definition"}
    meanings |= {names[f"{thing}{end}"]: meaning for end, meaning in ends.items() if f"{thing}{end}" in names}
    return TableLayout(meanings, between_names=_COMMA)


def read_table(stream: BinaryIO, name: str, form: str, draft: VocabularyDraft) -> Iterator[None]:
    """Gather the rows of a table; those with one id are one concept. Yields as a sign of life.

    A row that cannot be read, or has no name, is reported to `draft`.

    Args:
        stream: its bytes.
        name: of the file.
        form: `json`, one of `LINES`, or that of any other table.
        draft: where it is gathered.

    Raises:
        InputError: it is no such table, or no row can be read.
    """
    read = 0
    rows = _document(stream, name) if form == "json" else _rows(read_lines(stream, name, draft), name, form, draft)
    for count, (number, row) in enumerate(rows, 1):
        reason = _take(row, draft) if isinstance(row, Mapping) else "no object with names"
        if reason:
            draft.leave_out(name, number, reason, str(row if form in (*LINES, "json") else " ".join(row.values())))
        read += not reason
        if not count % STEP:
            yield
    if not read and draft.faults:
        raise InputError(f"'{name}' has no row that can be read; {draft.faults[0]}.", _COLUMNS)


def _document(stream: BinaryIO, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the records of a JSON document, numbered."""
    try:
        with io.TextIOWrapper(stream, "utf-8-sig") as text:
            document = json.load(text)
    except UnicodeDecodeError as error:
        raise InputError(f"'{name}' is no text in UTF-8.", "Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"'{name}' cannot be read as a table: {str(error)[:300]}.", "Export it again.") from error
    if isinstance(document, dict):
        document = [{**row, "id": key} if isinstance(row, Mapping) else row for key, row in document.items()]
    yield from enumerate(document if isinstance(document, list) else [document], 1)


def _rows(lines: Iterator[Line], name: str, form: str, draft: VocabularyDraft) -> Iterator[tuple[int, Any]]:
    """Yield `(line number, row)` of a table or of JSON Lines."""
    if form not in LINES:
        yield from _cells(lines, name, draft)
        return
    for number, line in lines:
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            draft.leave_out(name, number, str(error)[:100], line)
        else:
            if line.strip():
                yield number, row


def _cells(lines: Iterator[Line], name: str, draft: VocabularyDraft) -> Iterator[tuple[int, Record]]:
    csv.field_size_limit(LONGEST)  # it is one for the whole process
    number, head = next(lines, (1, ""))
    between = max("\t,;", key=head.count)
    if head.lower().startswith("sep=") and len(head.strip()) == len("sep=,"):  # Excel's
        between = head.strip()[-1]
        number, head = next(lines, (2, ""))
    columns = tuple(cell.strip() for cell in next(csv.reader([head], delimiter=between), []))
    if not layout_of(columns).has_names:
        if len(columns) > 1:
            raise InputError(f"'{name}' has no column that is called `label`.", _COLUMNS)
        columns, lines = ("label",), chain([(number, head)], lines)
    if all(column.startswith("?") for column in columns):  # the results of a query, whose cells are RDF terms
        for at, line in lines:
            yield at, dict(zip(columns, map(_term_text, line.rstrip("\r\n").split(between)), strict=False))
        return
    for at, cells in _split_rows(lines, between, len(columns), name, draft):
        yield at, dict(zip(columns, cells, strict=False))


def _term_text(cell: str) -> str:
    """Return the text of an RDF term: that of `<http://…/Q1>`, or of `"reef"@en`."""
    term = _TERM.fullmatch(cell.strip())
    return re.sub(r"\\(.)", r"\1", term[1] or term[2] or "") if term else cell


def _split_rows(
    lines: Iterator[Line], between: str, width: int, name: str, draft: VocabularyDraft
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row; one with quotes that are not in pairs ends with its line."""
    waiting: list[Line] = []

    def supply() -> Iterator[str]:
        while (line := waiting.pop(0) if waiting else next(lines, None)) is not None:
            used.append(line)
            yield line[1]

    while True:
        used: list[Line] = []
        try:
            cells = next(csv.reader(supply(), delimiter=between, strict=True), None)
        except csv.Error as error:
            waiting[:0] = used[1:]
            cells = _cells_of_line(used[0][1], between, width)
            if not cells:
                draft.leave_out(name, used[0][0], str(error), used[0][1])
        if not used:
            return
        if cells:
            yield used[0][0], cells


def _cells_of_line(line: str, between: str, width: int) -> list[str]:
    """Return the cells of one line as they stand; none where these are not as many as there are columns."""
    try:
        cells = next(csv.reader([line], delimiter=between), [])
    except csv.Error:
        return []
    return [cell.strip() for cell in cells] if len(cells) == width else []


def _take(row: Record, draft: VocabularyDraft) -> str:
    """Gather a row; returns why it cannot be, "" where it was or is empty."""
    layout = layout_of(tuple(map(str, row)))
    texts_by_meaning: dict[str, list[str]] = {}
    for column, value in row.items():
        if meant := layout.meanings.get(str(column)):
            between = layout.between_names if meant == "exact" else layout.between
            texts_by_meaning.setdefault(meant, []).extend(_values(value, None if meant in _WHOLE else between))
    texts_by_meaning = {meant: values for meant, values in texts_by_meaning.items() if values}
    if set(texts_by_meaning) <= {"id"}:
        return "no name" if texts_by_meaning or any(row.values()) else ""
    id = next(iter(texts_by_meaning.get("id", ())), "")
    if id and _OF_MESH in row:
        id = f"{PREFIX}:{id}"
    texts_by_meaning["label"] = [label for label in texts_by_meaning.get("label", ()) if not _is_no_label(label, id)]
    first = next((value for kind in _BY_KIND for value in texts_by_meaning.get(kind, ())), "")
    if not (id or first):
        return "neither a name nor an id"
    entry = draft[id or _SPACE.sub("_", first.strip())]
    entry.known = True
    entry.definition = entry.definition or " ".join(texts_by_meaning.get("definition", ()))
    entry.deprecated |= texts_by_meaning.get("deprecated", [""])[0].lower() in ("true", "1", "yes")
    entry.codes += texts_by_meaning.get("code", ())
    for kind in NameKind:
        for value in texts_by_meaning.get(kind, ()):
            entry.name(value, kind)
    for meant, link in _LINKS.items():
        for target in texts_by_meaning.get(meant, ()):
            entry.link(link, target)
    return ""


def _is_no_label(label: str, id: str) -> bool:
    """Whether it is what a query of Wikidata has for a thing without a label in the language that is asked for."""
    return id.endswith(f"/{label}") and _WIKIDATA_ID.fullmatch(label) is not None


def _values(value: Any, between: re.Pattern[str] | None = None) -> list[str]:
    """Return what a cell says: a list, things with ids, ids with distances (those next to it), or text.

    `between` is what is between several texts in one.
    """
    if isinstance(value, str):
        parts = between.split(value) if between else [value]
        return [part for piece in parts if (part := piece.strip())]
    if isinstance(value, Mapping):
        name = next((value[key] for key in ("id", "uri", "iri") if key in value), None)
        return [str(name)] if name else [str(key) for key, distance in value.items() if distance == 1]
    if isinstance(value, Iterable):
        return [text for member in value for text in _values(member)]
    return [] if value is None else [str(value)]
