"""An answer as prose, and how it calls the papers that it cites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from conspectus.records import Paper, Statement


def labels(papers: Iterable[Paper]) -> dict[str, str]:
    """How each paper is called, by its id; a letter tells apart those of the same author and year."""
    unique = {paper.id: paper for paper in papers}
    shared: dict[str, list[str]] = {}
    for paper in unique.values():
        shared.setdefault(paper.label, []).append(paper.id)
    return {
        paper_id: label + (ascii_lowercase[number % 26] if len(ids) > 1 else "")
        for label, ids in shared.items()
        for number, paper_id in enumerate(ids)
    }


def prose(statements: Sequence[Statement]) -> str:
    """The statements with their markers, a line each; quotes in quotation marks, what is not supported struck out."""
    return "\n".join(map(_line, statements))


def _line(statement: Statement) -> str:
    marks = {"quoted": ("“", "”"), "unsupported": ("~~", "~~")}
    before, after = marks.get(statement.status, ("", ""))
    return " ".join([f"{before}{statement.text}{after}", *(citation.marker for citation in statement.citations)])
