"""Answers on sets whose right answers are known: choices, refusals, citations; one result a set and way (P9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.core.errors import UsageError
from conspectus.evals import choices
from conspectus.evals.answering import Outcome, answer, cost_note, each, has_model, needed, used
from conspectus.evals.checking import check
from conspectus.evals.citing import citation_scores, refusal_scores
from conspectus.evals.comparing import result_of
from conspectus.evals.datasets.answer_registry import AnswerSet, Asked
from conspectus.evals.provenance import snapshot
from conspectus.evals.records import TROUBLE, Result, Scored
from conspectus.evals.sampling import Measuring, Sampling, library_for, named, sampled
from conspectus.evals.ways import WAYS, Way
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.records import Answer, Filters, Paper

_CHOICES, _REFUSALS = ("accuracy", "precision", "unsure"), ("refusal P", "refusal R", "answered R", "answered")
METRICS = (*_CHOICES, *_REFUSALS, "paper P", "paper R", "sentence P", "sentence R")
"""All there are, in the order that results have them; a result has those that apply to its set and way."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was answered: in words, and, where there are options, the one it comes to ("" where it was not asked)."""

    answer: Answer | None = None
    option: str = ""
    reasoning: str = ""


def evaluate_answers(
    sets: Sequence[AnswerSet],
    ways: Sequence[Way] = (WAYS["default"],),
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Result]:
    """One result for each set and way, as they come; none is stored.

    Args:
        sets: see `conspectus.evals.load_answers`.
        ways: see `conspectus.evals.chosen_ways`.
        sampling: which questions, of which papers.
        flags: settings under those of the ways.
        work: the folder for the sets' libraries; None: in the user's cache folder.

    Raises:
        UsageError: a set has no papers and a way needs some, or no options and the model alone has nothing to choose;
            as `checking.check`.
        UnavailableError: a way needs a language model, or without one nothing of a set can be scored.
        ServiceError: a model cannot be asked. What it said until then is kept.
        NotFoundError: there is no library at `own`.
    """
    asked = [sampled(one, sampling) for one in sets]
    for one in asked:
        for way in ways:
            _check(one, way, sampling, flags or {})
    how = Measuring(sampling, flags or {}, work)
    for one in asked:
        for way in ways:
            with library_for(one, way, how) as library:
                yield _measured(library, one, way, how)


def _check(one: AnswerSet, way: Way, sampling: Sampling, flags: Mapping[str, Any]) -> None:
    """Tell before anything is done what cannot be measured."""
    settings = check(way.configuration, flags, sampling.own)
    modelled = has_model(settings.language)
    if way.needs_model and not modelled:
        raise needed(f"The configuration '{way.name}'")
    if way.how == "blind":
        if not any(question.options for question in one.questions):
            raise UsageError(
                f"The set '{one.name}' has no options, so what a model says without papers cannot be scored.",
                "Leave the configuration 'blind' out, or take another set.",
            )
        return
    if one.papers is None and sampling.own is None:
        raise UsageError(
            f"The set '{one.name}' has no papers, so nothing can be looked up for the configuration '{way.name}'.",
            "Take `compare=blind`, or ask your own library: `own=True`.",
        )
    if not modelled and not any(question.gold or question.answerable is not None for question in one.questions):
        raise needed(f"The set '{one.name}' has nothing but options to choose from, which")


def _measured(library: Library, one: AnswerSet, way: Way, how: Measuring) -> Result:
    sampling = how.sampling
    modelled = has_model(library.settings.language)
    blind = way.how == "blind"
    before = None if blind else snapshot(library)

    async def make(question: Asked, client: LlmClient) -> Given:
        return await given(library, way, question, client, sampling.seed)

    outcomes = each(library, one.questions, make, f"{one.name}, {way.name}")
    name, asked = named(library, one, sampling)
    scored = tuple(
        _scored(question, outcome, name, sampling.seed, choosing=modelled, blind=blind)
        for question, outcome in zip(asked, outcomes, strict=True)
    )
    models, prompts = used(outcomes)
    told = [outcome.value.answer for outcome in outcomes if outcome.value and outcome.value.answer]
    models |= dict.fromkeys(model for found in told for model in found.models)
    metrics = tuple(metric for metric in METRICS if any(metric in found.scores for found in scored))
    return result_of(
        library.settings,
        scored,
        metrics,
        sampling.seed,
        run=how.run,
        kind="answers",
        dataset=one.name,
        about=one.about,
        configuration=way.configuration,
        library=before,
        models=tuple(models),
        prompts=tuple(prompts),
        notes=_notes(one, way, outcomes, modelled),
    )


async def given(library: Library, way: Way, question: Asked, client: LlmClient, seed: int) -> Given:
    """What a way answers to one question, and, where it has options and there is a model, which it comes to.

    Raises:
        ModelAnswerError: a model gives nothing that can be used.
        ServiceError: it cannot be asked.
        BudgetError: the budget of the question is used up.
    """
    choice = choices.ordered(question.options, question.id, seed) if question.options else None
    modelled = has_model(library.settings.language)
    if way.how == "blind":
        if choice is None:
            return Given()
        picked = await choices.blindly(client, question.text, choice)
        return Given(None, choice.letters[picked.option], picked.reasoning)
    shown = choice and modelled and way.shows_options and way.options.model != "none"
    text = f"{question.text}\nOptions: {choice.said}" if choice and shown else question.text
    filters = Filters(author=(question.author,)) if question.author else Filters()
    found = await answer(library, way, text, filters, client)
    if choice is None or not modelled or not found.answered:
        return Given(found)
    picked = await choices.chosen_in(client, question.text, choice, found)
    return Given(found, choice.letters[picked.option], picked.reasoning)


def _scored(
    question: Asked,
    outcome: Outcome[Given],
    name: Callable[[Paper], str],
    seed: int,
    *,
    choosing: bool,
    blind: bool,
) -> Scored:
    said = outcome.value or Given()
    found: dict[str, float] = {}
    if question.options and choosing:
        found |= choices.scores(said.option, question.right)
    if not blind:
        answered = bool(said.answer and said.answer.answered)
        found["answered"] = float(answered)
        if outcome.trouble == "":
            found |= refusal_scores(answered, question.answerable)
        if said.answer:
            found |= citation_scores(said.answer, question.gold, name)
    relevant = dict.fromkeys(question.gold, 1)
    return Scored(
        question.id, question.text, found, relevant, (), _details(question, outcome, seed, choosing), outcome.seconds
    )


def _details(question: Asked, outcome: Outcome[Given], seed: int, choosing: bool) -> dict[str, str]:
    """What was shown, expected and said; quotes of papers are left to the library, under the answer's id."""
    said = outcome.value or Given()
    rows: dict[str, str] = {}
    if question.options and choosing:
        choice = choices.ordered(question.options, question.id, seed)
        rows["options"] = " | ".join(f"{letter}: {option}" for letter, option in choice.letters.items())
        rows["expected"] = question.right
        rows["chosen"] = said.option or choices.UNSURE
        rows["reasoning"] = said.reasoning
    if question.answerable is not None:
        rows["expected"] = "an answer" if question.answerable else "no answer"
    if said.answer:
        rows["answer"] = said.answer.id
        rows["reason"] = said.answer.reason
        written = said.answer.method != "extractive"
        rows["said"] = " ".join(one.text for one in said.answer.statements) if written else ""
    rows[TROUBLE] = outcome.trouble
    return {key: value for key, value in rows.items() if value}


def _notes(one: AnswerSet, way: Way, outcomes: Sequence[Outcome[Given]], modelled: bool) -> tuple[str, ...]:
    failed = [outcome.trouble for outcome in outcomes if outcome.trouble]
    found = [*one.notes, f"{way.name}: {way.about}."]
    if not modelled and any(question.options for question in one.questions):
        found.append("Choosing among options needs a language model, and none is set: accuracy was not measured.")
    if failed:
        found.append(
            f"{way.name}: of {len(failed)} of {len(outcomes)} questions nothing could be used (not answered; "
            f"as a refusal neither right nor wrong): {failed[0]}"
        )
    if cost := cost_note(outcomes):
        found.append(f"{way.name}: {cost}")
    return tuple(found)
