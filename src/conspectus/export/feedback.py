"""What users think of answers, as CSV or JSON Lines, each with the words that it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from conspectus.core.characters import json_text
from conspectus.core.errors import UsageError
from conspectus.core.output import Output, csv_line, writing_to
from conspectus.records import Answer
from conspectus.records.curation import Feedback
from conspectus.wire.encode import plain

FORMATS = ("csv", "jsonl")
COLUMNS = (
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
            stream.write(csv_line(COLUMNS))
        for one in said:
            row = _row(one, answers(one.answer))
            stream.write(csv_line([row[name] for name in COLUMNS]) if to == "csv" else f"{json_text(row)}\n")
    return len(said)


def _row(one: Feedback, answer: Answer) -> dict[str, Any]:
    about = answer.statements[one.statement - 1] if one.statement else None
    told = {"method": answer.method, "kind": answer.kind, "models": list(answer.models), "answered": answer.answered}
    said = {"text": answer.text if about is None else about.text, "status": about.status if about else ""}
    return {**plain(one), **told, **said}
