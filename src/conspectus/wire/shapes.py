"""The JSON of records as types, made of the records' own fields: what is encoded and what a schema says are one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, get_type_hints

import msgspec

from conspectus import records
from conspectus.records import consensus, jobs

LONG = ("references", "extra", "key_phrases", "facts")
"""Left out of a paper where it only accompanies something."""
_KNOWN = {**vars(records), **vars(consensus), **vars(jobs)}


def shape(record: type, names: Iterable[str] = (), *, kind: str = "", **own: Any) -> Any:
    """A type with fields of a record, of the types that they have there.

    Args:
        record: a dataclass.
        names: the fields, and properties of which `own` has the type; none: all fields.
        kind: what the field `kind` says, for one of several that a reader has to tell apart.
        own: types of fields that are otherwise in JSON.
    """
    hints = get_type_hints(record, localns=_KNOWN)
    wanted = tuple(names) or tuple(field.name for field in fields(record))
    tagged: dict[str, Any] = {"tag_field": "kind", "tag": kind} if kind else {}
    made = msgspec.defstruct(
        record.__name__, [(name, own.get(name) or hints[name]) for name in wanted], frozen=True, **tagged
    )
    made.__doc__ = record.__doc__
    return made


def many(one: Any) -> Any:
    """Several of a shape."""
    return list[one]


def encoded(record: object, as_type: Any) -> Any:
    """A record as dictionaries, lists, text and numbers, with the fields of its shape."""
    return msgspec.to_builtins(msgspec.convert(record, as_type, from_attributes=True))


PAPER = shape(records.Paper, (field.name for field in fields(records.Paper) if field.name not in LONG))
CITATION = shape(records.Citation, ("paper", "passage_id", "quote", "marker", "spans"), paper=PAPER, marker=str)
STATEMENT = shape(
    records.Statement, ("text", "status", "why", "score", "evidence", "citations"), citations=many(CITATION)
)
EVIDENCE = shape(
    records.Evidence,
    ("paper", "id", "passage_id", "quote", "summary", "score", "retrieval", "label", "spans"),
    paper=PAPER,
    quote=str,
)
DRAFT = shape(records.Draft, statements=many(STATEMENT))
ANSWER = shape(
    records.Answer,
    (
        *("question", "answered", "reason", "method", "text", "models", "usage", "note", "id", "made", "kind"),
        *("standalone", "background", "queries", "opinion", "trace", "probability"),
        *("statements", "evidence", "drafts"),
    ),
    statements=many(STATEMENT),
    evidence=many(EVIDENCE),
    drafts=many(DRAFT),
)
STANCE = shape(
    records.Stance,
    ("rank", "stance", "why", "score", "outlying", "label", "paper", "citations"),
    paper=PAPER,
    citations=many(CITATION),
)
UNJUDGED = shape(consensus.Unjudged, ("rank", "paper", "label", "reason"), paper=PAPER)
CONSENSUS = shape(
    records.Consensus,
    (
        *("question", "claim", "level", "reason", "balance", "relevance", "explanation", "models", "usage", "note"),
        *("made", "counts", "stances", "unjudged"),
    ),
    counts=dict[consensus.StanceKind, int],
    stances=many(STANCE),
    unjudged=many(UNJUDGED),
)
