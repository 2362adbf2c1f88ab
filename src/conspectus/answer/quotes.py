"""Quotes in place of an answer that a language model could not write."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from conspectus.answer import extractive
from conspectus.answer.pipeline import QuestionRun
from conspectus.answer.prose import prose
from conspectus.core.errors import ModelAnswerError
from conspectus.records import Answer, Citation, Evidence, Statement
from conspectus.records.events import Cited, StatementChecked

BEST_SCORE = 10
"""Of a piece of evidence."""


async def quote_instead(run: QuestionRun, error: ModelAnswerError) -> Answer:
    """An answer made of quotes if a model gave no usable reply. Its note says why.

    It quotes the gathered sentences; if there are none, those that `ask` without a model would choose. Usage and models
    of the failed run are kept.
    """
    evidence = run.chosen(run.gathered)
    run.note(f"{error.message} The answer below quotes the papers directly. {error.hint}")
    if evidence:
        statements = tuple(_make_statement(item) for item in evidence)
        answer = run.none("", run.gathered, evidence)
        answer = replace(answer, answered=True, method=extractive.METHOD, text=prose(statements), statements=statements)
    else:
        settings = run.settings.answer
        answer = await asyncio.to_thread(extractive.answer, run.retriever, run.question, run.filters, settings)
        usage = replace(run.client.usage, passages=answer.usage.passages, sentences=answer.usage.sentences)
        answer = replace(answer, usage=usage, models=(*run.client.names(), *answer.models))
        run.note(answer.note.removeprefix(run.retriever.note).strip())
    for statement in answer.statements:
        for citation in statement.citations:
            run.tell(Cited(citation))
        run.tell(StatementChecked(statement))
    return replace(answer, note=run.noted, kind=run.options.kind)


def _make_statement(item: Evidence) -> Statement:
    """A piece of evidence as a statement in the paper's own words."""
    citation = Citation(item.paper, item.passage_id, item.spans, item.quote, item.label)
    return Statement(item.quote, "quoted", (citation,), item.score / BEST_SCORE, evidence=(item.id,))
