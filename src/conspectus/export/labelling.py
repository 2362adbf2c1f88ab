"""One way to call each paper in a file that has several answers: alone, each answer calls its papers its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from conspectus.records import Answer, Paper, Statement
from conspectus.records.labels import labels


def relabelled(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers with labels that mean the same paper in all of them, and never two.

    Letters go first to the papers that statements cite, in their order.
    """
    named = labels([*_cited(answers), *_others(answers)])
    return tuple(_with(answer, named) for answer in answers)


def _cited(answers: Iterable[Answer]) -> Iterator[Paper]:
    return (one.paper for answer in answers for item in answer.statements for one in item.citations)


def _others(answers: Iterable[Answer]) -> Iterator[Paper]:
    for answer in answers:
        yield from (one.paper for draft in answer.drafts for item in draft.statements for one in item.citations)
        yield from (item.paper for item in answer.evidence)


def _with(answer: Answer, named: Mapping[str, str]) -> Answer:
    return replace(
        answer,
        statements=_statements(answer.statements, named),
        drafts=tuple(replace(draft, statements=_statements(draft.statements, named)) for draft in answer.drafts),
        evidence=tuple(replace(item, label=named[item.paper.id]) for item in answer.evidence),
    )


def _statements(statements: Iterable[Statement], named: Mapping[str, str]) -> tuple[Statement, ...]:
    return tuple(
        replace(item, citations=tuple(replace(one, label=named[one.paper.id]) for one in item.citations))
        for item in statements
    )
