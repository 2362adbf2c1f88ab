"""The answers that a library keeps, as lines of an export of all of it (docs: docs/exporting.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conspectus.catalog import answers
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.stored_records import SavedAnswer
from conspectus.parse.recordfile import ANSWER_LINE, CONVERSATION_LINE
from conspectus.records import Span, Statement
from conspectus.records.views import pick_fields


def answer_lines(catalog: Catalog) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(schema, fields) of each conversation, then of each answer, in the order they were made."""
    for one in reversed(answers.list_conversations(catalog)):
        yield CONVERSATION_LINE, {"conversation": one.id, **pick_fields(one, "title", "made", "updated", "turns")}
    for row in reversed(answers.list_answers(catalog)):
        said = [
            pick_fields(one, "statement", "verdict", "comment", "made")
            for one in answers.list_feedback(catalog, row.id)
        ]
        yield ANSWER_LINE, _answer(answers.load_answer(catalog, row.id)) | {"feedback": said}


def _answer(saved: SavedAnswer) -> dict[str, Any]:
    answer = saved.answer
    same = ("made", "question", "standalone", "method", "kind", "answered", "reason", "background", "queries")
    return {
        "answer": answer.id,
        **pick_fields(answer, *same),
        "conversation": saved.conversation,
        "turn": saved.turn,
        "options": saved.options,
        "statements": _statements(answer.statements),
        "evidence": [
            {
                "id": item.id,
                "paper": item.paper.id,
                "passage": item.passage_id,
                "spans": _ids(item.spans),
                **pick_fields(item, "quote", "summary", "score", "retrieval"),
            }
            for item in answer.evidence
        ],
        "drafts": [
            {"name": draft.name, "text": draft.text, "statements": _statements(draft.statements)}
            for draft in answer.drafts
        ],
        **pick_fields(answer, "opinion", "models", "usage", "note", "trace"),
    }


def _statements(statements: Iterable[Statement]) -> list[dict[str, Any]]:
    return [
        {
            **pick_fields(one, "text", "status", "why", "score", "evidence"),
            "citations": [
                {"paper": item.paper.id, "passage": item.passage_id, "spans": _ids(item.spans), "quote": item.quote}
                for item in one.citations
            ],
        }
        for one in statements
    ]


def _ids(spans: Sequence[Span]) -> list[str]:
    return [span.id for span in spans]
