"""An answer as JSON speaks of it (docs: docs/json.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conspectus.records.answering import Draft, Evidence
    from conspectus.records.consensus import Consensus, Stance
    from conspectus.records.paper import Paper
    from conspectus.records.results import Answer, Citation, Rerun, Statement

LONG = ("references", "extra", "key_phrases")
"""Left out of a paper where it only accompanies something."""
_SAME = (
    *("question", "answered", "reason", "method", "text", "models", "usage", "note", "id", "made", "kind"),
    *("standalone", "background", "queries", "opinion", "trace", "probability"),
)


def plain(record: Any) -> Any:
    """A record, or records, as dictionaries, lists, text and numbers."""
    import msgspec

    return msgspec.to_builtins(record)


def brief(paper: Paper) -> dict[str, Any]:
    """A paper without its long fields."""
    found: dict[str, Any] = plain(paper)
    return {name: value for name, value in found.items() if name not in LONG}


def answer_body(found: Answer) -> dict[str, Any]:
    """All that an answer has; a paper as `brief` has it."""
    return {name: plain(getattr(found, name)) for name in _SAME} | {
        "statements": _statements(found.statements),
        "evidence": [_evidence(item) for item in found.evidence],
        "drafts": [_draft(draft) for draft in found.drafts],
    }


def rerun_body(found: Rerun) -> dict[str, Any]:
    """What has changed, and the answer of now."""
    return {
        "before": found.before.id,
        "changed": found.changed,
        "new": _statements(found.new),
        "gone": _statements(found.gone),
        "new_sources": [brief(paper) for paper in found.new_sources],
        "gone_sources": [brief(paper) for paper in found.gone_sources],
        "answer": answer_body(found.after),
    }


def consensus_body(found: Consensus) -> dict[str, Any]:
    """All that `consensus` gives; a paper as `brief` has it."""
    same = ("question", "claim", "level", "reason", "balance", "relevance", "explanation", "models", "usage", "note")
    return {name: plain(getattr(found, name)) for name in (*same, "made")} | {
        "counts": dict(found.counts),
        "stances": [_stance(item) for item in found.stances],
        "unjudged": [
            {"rank": item.rank, "paper": brief(item.paper), "label": item.label, "reason": item.reason}
            for item in found.unjudged
        ],
    }


def _stance(item: Stance) -> dict[str, Any]:
    same = ("rank", "stance", "why", "score", "outlying", "label")
    return {name: plain(getattr(item, name)) for name in same} | {
        "paper": brief(item.paper),
        "citations": [_citation(citation) for citation in item.citations],
    }


def _statements(statements: Iterable[Statement]) -> list[dict[str, Any]]:
    return [
        {
            "text": one.text,
            "status": one.status,
            "why": one.why,
            "score": one.score,
            "evidence": list(one.evidence),
            "citations": [_citation(citation) for citation in one.citations],
        }
        for one in statements
    ]


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "paper": brief(citation.paper),
        "passage_id": citation.passage_id,
        "quote": citation.quote,
        "marker": citation.marker,
        "spans": plain(citation.spans),
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    same = ("id", "passage_id", "quote", "summary", "score", "retrieval", "label", "spans")
    return {"paper": brief(item.paper)} | {name: plain(getattr(item, name)) for name in same}


def _draft(draft: Draft) -> dict[str, Any]:
    return {"name": draft.name, "text": draft.text, "statements": _statements(draft.statements)}
