"""An answer made as suits the kind of question (F9, Table 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conspectus.answer.pipeline import Run
from conspectus.answer.routing import route
from conspectus.records import AnswerKind, QuestionKind, Routing
from conspectus.search.flags import WordKnowledge
from conspectus.search.retrieve import Retriever
from conspectus.search.route import route as route_by_rules
from conspectus.search.suited import suited

KINDS: Mapping[QuestionKind, AnswerKind] = {"single-paper": "single", "consensus": "nuanced", "what-if": "nuanced"}
"""Kinds of answers that suit kinds of questions; of the others the usual one."""


async def suit(run: Run) -> None:
    """Take what suits the question for one answer; a model tells its kind, and the user is told.

    What was asked for otherwise than usual stays: a kind of answer, an agent, an expansion.

    Raises:
        ServiceError, SettingsError, BudgetError: as `answer.routing.route`.
    """
    await run.client.prepare(("ask",), ["route"])
    routing = await route(run.client, run.question)
    own, _ = suited(run.retriever.settings, routing, model=True)
    run.retriever = replace(run.retriever, settings=own)
    if routing.suggested:
        kind = KINDS.get(routing.kind, "multi") if run.options.kind == "multi" else run.options.kind
        agent = run.options.agent or (routing.suggested.agent and kind != "bibliometric")
        run.options = replace(run.options, kind=kind, agent=agent)
    run.parts = routing.parts
    run.note(said(routing))


def suited_quotes(retriever: Retriever, question: str, known: Callable[[], WordKnowledge]) -> tuple[Retriever, str]:
    """The same for an answer of quotes, by rules and what is `known` of words, and what the user is told."""
    routing = route_by_rules(question, known())
    own, note = suited(retriever.settings, routing, model=False)
    return replace(retriever, settings=own), " ".join(part for part in (said(routing), note) if part)


def said(routing: Routing) -> str:
    """What a question was taken for."""
    return f"Taken as a {routing.kind} question ({routing.reasons[0].partition(': ')[2] or routing.by})."
