"""The columns of a table as a user writes them: `material; sample size (number); design (choice: trial|cohort)`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.core.errors import UsageError
from conspectus.records.review import ColumnKind, TableColumn
from conspectus.review.table.measures import is_count_name, is_measure_name, parse_unit

MOST_COLUMNS = 50
LONGEST_COLUMN = 200
"""Characters of a column's name."""
FORMS = "number, number with a unit as in (number, mg/kg), n, choice: a|b|c, yes/no, text"
_QUESTION = re.compile(r"(?:is|are|was|were|has|have|had|does|do|did|can) ", re.IGNORECASE)
_CHOICE = re.compile(r"(?:choice|one of)?[ ]?[:(]?[ ]?", re.IGNORECASE)
_KINDS: dict[str, ColumnKind] = {
    **dict.fromkeys(("number", "value", "quantity", "measure"), "number"),
    **dict.fromkeys(("n", "count"), "count"),
    **dict.fromkeys(("yes/no", "yes|no", "bool", "boolean"), "yes/no"),
    **dict.fromkeys(("text", "words"), "text"),
}


def parse_columns(text: str) -> tuple[TableColumn, ...]:
    """The columns of a text, apart by `;` or lines.

    Raises:
        UsageError: there is none, too many, two of one name, or a type that is none.
    """
    parts = [" ".join(part.split()) for part in _split(text)]
    columns = tuple(parse_column(part) for part in parts if part)
    if not columns:
        raise UsageError("The table has no column.", 'Name some: "material; sample size (number); dose (number, mg)".')
    check_columns(columns)
    return columns


def check_columns(columns: Sequence[TableColumn]) -> None:
    """See that columns can be of one table.

    Raises:
        UsageError: too many, or two of one name.
    """
    if len(columns) > MOST_COLUMNS:
        raise UsageError(f"A table has {MOST_COLUMNS} columns at most, not {len(columns)}.", "Make two tables.")
    names = [column.name.casefold() for column in columns]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), "")
    if twice:
        raise UsageError(f"There are two columns '{twice}'.", "Give one of them another name.")


def parse_column(text: str) -> TableColumn:
    """One column: its name, with its type in parentheses or guessed by the name.

    Raises:
        UsageError: the type is none, or the name is empty or too long.
    """
    if text.count("(") != text.count(")"):
        raise UsageError(f"A bracket of the column '{text.strip()}' has no other end.", f"Types are: {FORMS}.")
    name, kind = _split_type(" ".join(text.split()))
    if not name or len(name) > LONGEST_COLUMN:
        raise UsageError(f"A column needs a name of at most {LONGEST_COLUMN} characters.", f"Types are: {FORMS}.")
    return _typed(name, kind) if kind else TableColumn(name, _guess_kind(name))


def column_text(column: TableColumn) -> str:
    """A column as a user writes it."""
    kind = {"choice": f"choice: {'|'.join(column.choices)}", "count": "n"}.get(column.kind, column.kind)
    return f"{column.name} ({kind}{f', {column.unit}' if column.unit else ''})"


def _split_type(text: str) -> tuple[str, str]:
    """A column's name, and what is in the parentheses at its end; "": it has none."""
    depth = 0
    for place in range(len(text) - 1, 0, -1):
        depth += (text[place] == ")") - (text[place] == "(")
        if not depth:
            is_type = text[place] == "(" and text[:place].strip()
            return (text[:place].strip(), text[place + 1 : -1].strip()) if is_type else (text, "")
    return text, ""


def _guess_kind(name: str) -> ColumnKind:
    if is_count_name(name):
        return "count"
    if is_measure_name(name):
        return "number"
    return "yes/no" if name.endswith("?") or _QUESTION.match(name) else "text"


def _typed(name: str, text: str) -> TableColumn:
    first, *rest = (part.strip() for part in text.split(","))
    known = _KINDS.get(first.casefold())
    if known == "number":
        unit = ", ".join(rest) if rest != ["unit"] else ""
        if not unit and is_count_name(name):
            return TableColumn(name, "count")
        return TableColumn(name, "number", _checked_unit(name, unit) if unit else "")
    if known is not None and not rest:
        return TableColumn(name, known)
    if "|" in text:
        begun = _CHOICE.match(text)
        return TableColumn(name, "choice", choices=_choices(name, text[begun.end() :] if begun else text))
    if parse_unit(text):
        return TableColumn(name, "number", text)
    raise UsageError(f"The column '{name}' has the type '{text}', which is none.", f"Types are: {FORMS}.")


def _checked_unit(name: str, unit: str) -> str:
    if parse_unit(unit) is None:
        raise UsageError(
            f"The column '{name}' has the unit '{unit}', which is not known.",
            f'Leave the unit out to take numbers with any: "{name} (number)".',
        )
    return unit


def _choices(name: str, text: str) -> tuple[str, ...]:
    choices = tuple(dict.fromkeys(part.strip() for part in text.rstrip(")").split("|") if part.strip()))
    if len(choices) < 2:
        raise UsageError(f"The column '{name}' has nothing to choose from.", f'Write "{name} (choice: one|other)".')
    return choices


def _split(text: str) -> list[str]:
    """The parts between `;` and line ends that are not in parentheses."""
    parts, depth = [""], 0
    for sign in text:
        depth = max(0, depth + (sign == "(") - (sign == ")"))
        if sign == "\n" or (sign == ";" and not depth):
            parts.append("")
            depth = 0
        else:
            parts[-1] += sign
    return parts
