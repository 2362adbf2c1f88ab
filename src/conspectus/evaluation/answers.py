"""Answers measured on sets whose right answers are known: one result for each set and configuration (P9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conspectus.core.errors import UsageError
from conspectus.evaluation.answer_batches import (
    QuestionOutcome,
    answer_question,
    ask_each,
    cost_note,
    has_model,
    model_needed,
    models_and_prompts,
)
from conspectus.evaluation.answer_configs import ANSWER_CONFIGS, AnswerConfig
from conspectus.evaluation.answer_scores import (
    UNSURE,
    choice_scores,
    choose_blindly,
    choose_from_answer,
    citation_scores,
    refusal_scores,
    shuffle_options,
)
from conspectus.evaluation.configurations import check_configuration
from conspectus.evaluation.libraries import AnswerRun, Sampling, draw_questions, library_for, name_papers
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSet
from conspectus.evaluation.records import TROUBLE, Result, ScoredQuestion
from conspectus.evaluation.results import result_of, snapshot
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.records import Answer, Filters, Paper

_CHOICES, _REFUSALS = ("accuracy", "precision", "unsure"), ("refusal P", "refusal R", "answered R", "answered")
METRICS = (*_CHOICES, *_REFUSALS, "paper P", "paper R", "sentence P", "sentence R")
"""In the order of results; a result has those that apply to its set and configuration."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer in words, and the option it comes to ("" if none was asked for)."""

    answer: Answer | None = None
    option: str = ""
    reasoning: str = ""


def evaluate_answers(
    sets: Sequence[AnswerSet],
    configs: Sequence[AnswerConfig] = (ANSWER_CONFIGS["default"],),
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Result]:
    """Yield a result for each set and configuration; none is stored.

    Args:
        sets: see `conspectus.evaluation.load_answers`.
        configs: see `conspectus.evaluation.select_answer_configs`.
        sampling: which questions, of which papers.
        flags: settings below those of the configurations.
        work: the folder for the sets' libraries; None: in the user's cache folder.

    Raises:
        UsageError: a set has no papers and a configuration needs some, or it has no options to choose from blindly; as
            `check_configuration`.
        UnavailableError: a configuration needs a language model, or without one nothing of a set can be scored.
        ServiceError: a model cannot be asked. What it said until then is kept.
        NotFoundError: there is no library at `own`.
    """
    asked = [draw_questions(one, sampling) for one in sets]
    for one in asked:
        for config in configs:
            _check(one, config, sampling, flags or {})
    run = AnswerRun(sampling, flags or {}, work)
    for one in asked:
        for config in configs:
            with library_for(one, config, run) as library:
                yield _measure_answers(library, one, config, run)


def _check(one: AnswerSet, config: AnswerConfig, sampling: Sampling, flags: Mapping[str, Any]) -> None:
    """Raise before any work if the set cannot be measured by this configuration."""
    settings = check_configuration(config.configuration, flags, sampling.own)
    modelled = has_model(settings.language)
    if config.needs_model and not modelled:
        raise model_needed(f"The configuration '{config.name}'")
    if config.how == "blind":
        if not any(question.options for question in one.questions):
            raise UsageError(
                f"The set '{one.name}' has no options, so what a model says without papers cannot be scored.",
                "Leave the configuration 'blind' out, or take another set.",
            )
        return
    if one.papers is None and sampling.own is None:
        raise UsageError(
            f"The set '{one.name}' has no papers, so nothing can be looked up for the configuration '{config.name}'.",
            "Take `compare=blind`, or ask your own library: `own=True`.",
        )
    if not modelled and not any(question.gold or question.answerable is not None for question in one.questions):
        raise model_needed(f"The set '{one.name}' has nothing but options to choose from, which")


def _measure_answers(library: Library, one: AnswerSet, config: AnswerConfig, run: AnswerRun) -> Result:
    sampling = run.sampling
    modelled = has_model(library.settings.language)
    blind = config.how == "blind"
    before = None if blind else snapshot(library)

    async def make(question: AnswerQuestion, client: LlmClient) -> GivenAnswer:
        return await answer_and_choose(library, config, question, client, sampling.seed)

    outcomes = ask_each(library, one.questions, make, f"{one.name}, {config.name}")
    name, asked = name_papers(library, one, sampling)
    scored = tuple(
        _score_answer(question, outcome, name, sampling.seed, choosing=modelled, blind=blind)
        for question, outcome in zip(asked, outcomes, strict=True)
    )
    models, prompts = models_and_prompts(outcomes)
    answers_given = [outcome.value.answer for outcome in outcomes if outcome.value and outcome.value.answer]
    models |= dict.fromkeys(model for found in answers_given for model in found.models)
    metrics = tuple(metric for metric in METRICS if any(metric in found.scores for found in scored))
    return result_of(
        library.settings,
        scored,
        metrics,
        sampling.seed,
        run=run.run,
        kind="answers",
        dataset=one.name,
        about=one.about,
        configuration=config.configuration,
        library=before,
        models=tuple(models),
        prompts=tuple(prompts),
        notes=_notes(one, config, outcomes, modelled),
    )


async def answer_and_choose(
    library: Library, config: AnswerConfig, question: AnswerQuestion, client: LlmClient, seed: int
) -> GivenAnswer:
    """Answer one question; with options and a model, also choose the option that the answer comes to.

    Raises:
        ModelAnswerError: a model gives nothing that can be used.
        ServiceError: it cannot be asked.
        BudgetError: the budget of the question is used up.
    """
    choice = shuffle_options(question.options, question.id, seed) if question.options else None
    modelled = has_model(library.settings.language)
    if config.how == "blind":
        if choice is None:
            return GivenAnswer()
        picked = await choose_blindly(client, question.text, choice)
        return GivenAnswer(None, choice.letters[picked.option], picked.reasoning)
    shown = choice and modelled and config.shows_options and config.options.model != "none"
    text = f"{question.text}\nOptions: {choice.said}" if choice and shown else question.text
    filters = Filters(author=(question.author,)) if question.author else Filters()
    found = await answer_question(library, config, text, filters, client)
    if choice is None or not modelled or not found.answered:
        return GivenAnswer(found)
    picked = await choose_from_answer(client, question.text, choice, found)
    return GivenAnswer(found, choice.letters[picked.option], picked.reasoning)


def _score_answer(
    question: AnswerQuestion,
    outcome: QuestionOutcome[GivenAnswer],
    name: Callable[[Paper], str],
    seed: int,
    *,
    choosing: bool,
    blind: bool,
) -> ScoredQuestion:
    said = outcome.value or GivenAnswer()
    found: dict[str, float] = {}
    if question.options and choosing:
        found |= choice_scores(said.option, question.right)
    if not blind:
        answered = bool(said.answer and said.answer.answered)
        found["answered"] = float(answered)
        if outcome.trouble == "":
            found |= refusal_scores(answered, question.answerable)
        if said.answer:
            found |= citation_scores(said.answer, question.gold, name)
    relevant = dict.fromkeys(question.gold, 1)
    return ScoredQuestion(
        question.id, question.text, found, relevant, (), _details(question, outcome, seed, choosing), outcome.seconds
    )


def _details(
    question: AnswerQuestion, outcome: QuestionOutcome[GivenAnswer], seed: int, choosing: bool
) -> dict[str, str]:
    """What was shown, expected and answered. Quotes stay in the library, under the answer's id."""
    said = outcome.value or GivenAnswer()
    rows: dict[str, str] = {}
    if question.options and choosing:
        choice = shuffle_options(question.options, question.id, seed)
        rows["options"] = " | ".join(f"{letter}: {option}" for letter, option in choice.letters.items())
        rows["expected"] = question.right
        rows["chosen"] = said.option or UNSURE
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


def _notes(
    one: AnswerSet, config: AnswerConfig, outcomes: Sequence[QuestionOutcome[GivenAnswer]], modelled: bool
) -> tuple[str, ...]:
    failed = [outcome.trouble for outcome in outcomes if outcome.trouble]
    found = [*one.notes, f"{config.name}: {config.about}."]
    if not modelled and any(question.options for question in one.questions):
        found.append("Choosing among options needs a language model, and none is set: accuracy was not measured.")
    if failed:
        found.append(
            f"{config.name}: of {len(failed)} of {len(outcomes)} questions nothing could be used (not answered; "
            f"as a refusal neither right nor wrong): {failed[0]}"
        )
    if cost := cost_note(outcomes):
        found.append(f"{config.name}: {cost}")
    return tuple(found)
