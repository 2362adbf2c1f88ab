"""What users think of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.schema import answers, feedback
from conspectus.core.errors import NotFoundError
from conspectus.records.curation import Feedback


def listed(catalog: CatalogReader, answer_id: str = "") -> tuple[Feedback, ...]:
    """What was said of an answer, or of all, in the order of the answers and of their statements."""
    query = select(feedback, answers.c.id, answers.c.question).join(answers, answers.c.key == feedback.c.answer_key)
    query = query.where(answers.c.id == answer_id) if answer_id else query
    rows = catalog.rows(query.order_by(feedback.c.answer_key, feedback.c.statement))
    return tuple(Feedback(one.id, one.question, one.statement, one.verdict, one.comment, one.made) for one in rows)


def put(connection: Connection, answer: str, statement: int, made: str, **said: str | None) -> None:
    """Keep a verdict and a comment; None: as it was said of the same before; where both are "" it is forgotten.

    Raises:
        NotFoundError: the answer was removed meanwhile.
    """
    key = connection.scalar(select(answers.c.key).where(answers.c.id == answer).with_for_update())
    if key is None:
        raise NotFoundError("The answer was removed meanwhile.", "`answers` shows them.")
    same = (feedback.c.answer_key == key) & (feedback.c.statement == statement)
    row = connection.execute(select(feedback.c.verdict, feedback.c.comment).where(same)).mappings().first()
    before: Mapping[Any, str] = row or {}
    connection.execute(delete(feedback).where(same))
    now = {name: before.get(name, "") if value is None else value for name, value in said.items()}
    if any(now.values()):
        connection.execute(insert(feedback).values(answer_key=key, statement=statement, made=made, **now))
