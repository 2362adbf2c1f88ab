"""An answer as prose."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.records import Statement


def prose(statements: Sequence[Statement]) -> str:
    """The statements with their markers, a line each; quotes in quotation marks, what is not supported struck out."""
    return "\n".join(map(_line, statements))


def _line(statement: Statement) -> str:
    marks = {"quoted": ("“", "”"), "unsupported": ("~~", "~~")}
    before, after = marks.get(statement.status, ("", ""))
    return " ".join([f"{before}{statement.text}{after}", *(citation.marker for citation in statement.citations)])
