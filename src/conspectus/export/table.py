"""CSV for spreadsheets and JSON Lines that `add` reads again without loss; what users think of answers, as either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from conspectus.core.characters import json_text
from conspectus.core.errors import UsageError
from conspectus.core.output import Output, csv_line, writing_to
from conspectus.export.bibliography import escape_name_commas
from conspectus.records import Answer, Author, Paper
from conspectus.records.curation import Feedback
from conspectus.wire.encode import plain

_OWN = ("title", "authors", "year", "date", "venue", "doi", "arxiv_id", "pmid", "bibcode", "keywords", "abstract")
_COUNTED = ("citation_count", "references", "url")
_EXTRA = ("type", "volume", "number", "pages", "publisher")
COLUMNS = ("id", *_OWN, *_COUNTED, *_EXTRA, "publication_status")


HEADER = csv_line(COLUMNS)


def row(paper: Paper) -> str:
    """The paper as a row of the columns; lists are apart by `;`, what a spreadsheet would compute has a `'` before."""
    cells = {name: getattr(paper, name) for name in (*_OWN, *_COUNTED)}
    cells |= {"id": paper.external_id, "authors": [_author_cell(author) for author in paper.authors]}
    cells |= {name: paper.extra.get(name, "") for name in _EXTRA}
    cells["publication_status"] = paper.publication_status
    return csv_line([cells[name] for name in COLUMNS])


def _author_cell(author: Author) -> str:
    if author.family and author.given and author.name == f"{author.given} {author.family}":
        return f"{author.family}, {author.given}"
    return escape_name_commas(author.name) if author.family == author.name else author.name


FORMATS = ("csv", "jsonl")
FEEDBACK_COLUMNS = (
    *("answer", "question", "method", "kind", "models", "answered"),
    *("statement", "text", "status", "verdict", "comment", "made"),
)


def write(said: Sequence[Feedback], answer_of: Callable[[str], Answer], to: str, output: Output) -> int:
    """Write all of it; returns how many.

    Raises:
        UsageError: there is no such format, or the file cannot be written.
    """
    if to not in FORMATS:
        raise UsageError(f"Feedback is not written as '{to}'.", f"There are: {', '.join(FORMATS)}.")
    answers = lru_cache(maxsize=1)(answer_of)
    with writing_to(output) as stream:
        if to == "csv":
            stream.write(csv_line(FEEDBACK_COLUMNS))
        for one in said:
            row = _row(one, answers(one.answer))
            stream.write(csv_line([row[name] for name in FEEDBACK_COLUMNS]) if to == "csv" else f"{json_text(row)}\n")
    return len(said)


def _row(one: Feedback, answer: Answer) -> dict[str, Any]:
    about = answer.statements[one.statement - 1] if one.statement else None
    told = {"method": answer.method, "kind": answer.kind, "models": list(answer.models), "answered": answer.answered}
    said = {"text": answer.text if about is None else about.text, "status": about.status if about else ""}
    return {**plain(one), **told, **said}
