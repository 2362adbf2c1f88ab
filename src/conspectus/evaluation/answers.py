"""Answers measured on sets whose right answers are known: one result for each set and configuration (P9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

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
from conspectus.evaluation.configurations import ANSWER_CONFIGS, AnswerConfig, check_configuration
from conspectus.evaluation.libraries import AnswerRun, Sampling, draw_questions, library_for, name_papers
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSet
from conspectus.evaluation.records import TROUBLE, Result, ScoredQuestion
from conspectus.evaluation.results import result_of, snapshot
from conspectus.export.answer import cited
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, schema_of
from conspectus.llm.prompts import fenced
from conspectus.records import Answer, Filters, Paper

UNSURE = "I cannot tell (unsure)"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BLIND = "If you do not know, choose {letter} instead of guessing: a wrong answer is worse than none."
_GIVEN = "If the answer comes to none of the options, leaves it open or speaks for several, choose {letter}."


class PickedOption(msgspec.Struct):
    """The reply to the prompts `eval_blind` and `eval_choose`."""

    reasoning: str
    option: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of a question in the order they are shown, `UNSURE` among them."""

    options: tuple[str, ...]

    @property
    def letters(self) -> dict[str, str]:
        """Letter -> option."""
        return dict(zip(LETTERS, self.options, strict=False))

    @property
    def unsure(self) -> str:
        """The letter of `UNSURE`."""
        return LETTERS[self.options.index(UNSURE)]

    @property
    def text(self) -> str:
        """The options as prompts show them."""
        return "\n".join(f"{letter}. {' '.join(option.split())}" for letter, option in self.letters.items())

    @property
    def real_options(self) -> str:
        """The real options, to append to the question."""
        return "; ".join(" ".join(option.split()) for option in self.options if option != UNSURE)


def shuffle_options(options: Sequence[str], name: str, seed: int) -> Choice:
    """Shuffle the options and `UNSURE` by seed and question name, so that no place is always right. Every
    configuration gets the same order.

    Raises:
        ValueError: there are more than there are letters.
    """
    if len(options) >= len(LETTERS):
        raise ValueError(f"{len(options)} options are more than there are letters for.")
    all_options = [*options, UNSURE]
    Random(f"{seed}:{name}").shuffle(all_options)  # noqa: S311 - nothing is secret here
    return Choice(tuple(all_options))


async def choose_blindly(client: LlmClient, question: str, choice: Choice) -> PickedOption:
    """Let a model choose without papers."""
    values = _values(question, choice, _BLIND)
    return await client.ask("write", "eval_blind", values, _option_reply(choice))


async def choose_from_answer(client: LlmClient, question: str, choice: Choice, answer: Answer) -> PickedOption:
    """Let a model say which option an answer comes to."""
    fenced_answer = fenced("answer", answer.text)
    papers = [paper.id for paper in cited([answer])]
    values = {**_values(question, choice, _GIVEN), "answer": fenced_answer}
    return await client.ask("judge", "eval_choose", values, _option_reply(choice), papers=papers)


def choice_scores(option: str, right: str) -> dict[str, float]:
    """Scores of one question: accuracy (right of all), precision (right of those sure; absent if unsure), unsure."""
    sure = option not in ("", UNSURE)
    hit = float(sure and option == right)
    return {"accuracy": hit, **({"precision": hit} if sure else {}), "unsure": float(not sure)}


def _values(question: str, choice: Choice, unsure: str) -> dict[str, str]:
    return {
        "question": fenced("question", question),
        "options": fenced("options", choice.text),
        "unsure": unsure.format(letter=choice.unsure),
    }


def _option_reply(choice: Choice) -> OutputSpec[PickedOption]:
    letters = list(choice.letters)
    schema: dict[str, Any] = schema_of(PickedOption)
    schema["properties"]["option"] = {"type": "string", "enum": letters}

    def check(reply: PickedOption) -> str:
        return "" if reply.option in letters else f"there is no option '{reply.option[:20]}'; there are {letters}"

    return OutputSpec(PickedOption, check, schema)


_WORD = re.compile(r"\w+")
LEAST_WORDS = 4
"""Words that a sentence needs, to be found as a part of another."""

Gold = Mapping[str, Sequence[str]]


def citation_scores(answer: Answer, gold: Gold, name: Callable[[Paper], str]) -> dict[str, float]:
    """Precision and recall of what an answer cites; empty if it did not answer, or nothing is known.

    `paper P` is the share of the cited papers that are gold, `paper R` the share of the gold papers that are cited;
    `sentence P` and `sentence R` the same of sentences, where gold sentences are known. A cited sentence is gold where
    one of the two has the other in it, word for word, in the same paper: sets cut their texts otherwise.
    Statements that the program itself marks as unsupported are not counted.

    Args:
        answer: the answer.
        gold: the papers that answer the question, each with its sentences.
        name: what the set calls a paper.
    """
    if not (answer.answered and gold):
        return {}
    cited = [
        (name(citation.paper), span.text)
        for statement in answer.statements
        if statement.status != "unsupported"
        for citation in statement.citations
        for span in citation.spans
    ]
    papers = {paper for paper, _ in cited}
    if not papers:
        return {}
    right = papers & set(gold)
    scores = {"paper P": len(right) / len(papers), "paper R": len(right) / len(gold)}
    known = [(paper, normalize_words(text)) for paper, texts in gold.items() for text in texts]
    if known:
        spans = list(dict.fromkeys((paper, normalize_words(text)) for paper, text in cited))
        hits = [span for span in spans if any(is_same_sentence(span, gold_span) for gold_span in known)]
        gold_hits = [gold_span for gold_span in known if any(is_same_sentence(span, gold_span) for span in spans)]
        scores |= {"sentence P": len(hits) / len(spans), "sentence R": len(gold_hits) / len(known)}
    return scores


def refusal_scores(answered: bool, answerable: bool | None) -> dict[str, float]:
    """Scores of one question.

    Means over questions: of `refusal P` the share of refusals that were right, of `refusal R` the share of unanswerable
    questions that were refused, of `answered R` the share of answerable ones answered.
    """
    if answerable is None:
        return {}
    refused = not answered
    return {
        **({"refusal P": float(not answerable)} if refused else {}),
        **({"answered R": float(answered)} if answerable else {"refusal R": float(refused)}),
    }


def normalize_words(text: str) -> str:
    """Lower-case words of a text without punctuation, to compare texts."""
    return " ".join(_WORD.findall(text.casefold()))


def is_same_sentence(sentence: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two sentences (paper, words) are of one paper and one contains the other."""
    if sentence[0] != other[0]:
        return False
    short, long = sorted((sentence[1], other[1]), key=len)
    return short == long or (len(short.split()) >= LEAST_WORDS and f" {short} " in f" {long} ")


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
        NotFoundError: there is no library at `library_folder`.
    """
    drawn_sets = [draw_questions(answer_set, sampling) for answer_set in sets]
    for answer_set in drawn_sets:
        for config in configs:
            _check(answer_set, config, sampling, flags or {})
    run = AnswerRun(sampling, flags or {}, work)
    for answer_set in drawn_sets:
        for config in configs:
            with library_for(answer_set, config, run) as library:
                yield _measure_answers(library, answer_set, config, run)


def _check(answer_set: AnswerSet, config: AnswerConfig, sampling: Sampling, flags: Mapping[str, Any]) -> None:
    """Raise before any work if the set cannot be measured by this configuration."""
    settings = check_configuration(config.configuration, flags, sampling.library_folder)
    modelled = has_model(settings.language)
    if config.needs_model and not modelled:
        raise model_needed(f"The configuration '{config.name}'")
    if config.how == "blind":
        if not any(question.options for question in answer_set.questions):
            raise UsageError(
                f"The set '{answer_set.name}' has no options, so what a model says without papers cannot be scored.",
                "Leave the configuration 'blind' out, or take another set.",
            )
        return
    if answer_set.papers is None and sampling.library_folder is None:
        raise UsageError(
            f"The set '{answer_set.name}' has no papers, so nothing can be looked up for the configuration "
            f"'{config.name}'.",
            "Take `compare=blind`, or ask your own library: `own=True`.",
        )
    if not modelled and not any(question.gold or question.answerable is not None for question in answer_set.questions):
        raise model_needed(f"The set '{answer_set.name}' has nothing but options to choose from, which")


def _measure_answers(library: Library, answer_set: AnswerSet, config: AnswerConfig, run: AnswerRun) -> Result:
    sampling = run.sampling
    modelled = has_model(library.settings.language)
    blind = config.how == "blind"
    before = None if blind else snapshot(library)

    async def make(question: AnswerQuestion, client: LlmClient) -> GivenAnswer:
        return await answer_and_choose(library, config, question, client, sampling.seed)

    outcomes = ask_each(library, answer_set.questions, make, f"{answer_set.name}, {config.name}")
    name, questions = name_papers(library, answer_set, sampling)
    scored = tuple(
        _score_answer(question, outcome, name, sampling.seed, choosing=modelled, blind=blind)
        for question, outcome in zip(questions, outcomes, strict=True)
    )
    models, prompts = models_and_prompts(outcomes)
    answers_given = [outcome.value.answer for outcome in outcomes if outcome.value and outcome.value.answer]
    models |= dict.fromkeys(model for answer in answers_given for model in answer.models)
    metrics = tuple(metric for metric in METRICS if any(metric in question.scores for question in scored))
    return result_of(
        library.settings,
        scored,
        metrics,
        sampling.seed,
        run=run.run,
        kind="answers",
        dataset=answer_set.name,
        about=answer_set.about,
        configuration=config.configuration,
        library=before,
        models=tuple(models),
        prompts=tuple(prompts),
        notes=_notes(answer_set, config, outcomes, modelled),
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
    shows_options = choice and modelled and config.shows_options and config.options.model != "none"
    text = f"{question.text}\nOptions: {choice.real_options}" if choice and shows_options else question.text
    filters = Filters(author=(question.author,)) if question.author else Filters()
    answer = await answer_question(library, config, text, filters, client)
    if choice is None or not modelled or not answer.answered:
        return GivenAnswer(answer)
    picked = await choose_from_answer(client, question.text, choice, answer)
    return GivenAnswer(answer, choice.letters[picked.option], picked.reasoning)


def _score_answer(
    question: AnswerQuestion,
    outcome: QuestionOutcome[GivenAnswer],
    name: Callable[[Paper], str],
    seed: int,
    *,
    choosing: bool,
    blind: bool,
) -> ScoredQuestion:
    given_answer = outcome.value or GivenAnswer()
    scores: dict[str, float] = {}
    if question.options and choosing:
        scores |= choice_scores(given_answer.option, question.right)
    if not blind:
        answered = bool(given_answer.answer and given_answer.answer.answered)
        scores["answered"] = float(answered)
        if outcome.trouble == "":
            scores |= refusal_scores(answered, question.answerable)
        if given_answer.answer:
            scores |= citation_scores(given_answer.answer, question.gold, name)
    relevant = dict.fromkeys(question.gold, 1)
    return ScoredQuestion(
        question.id, question.text, scores, relevant, (), _details(question, outcome, seed, choosing), outcome.seconds
    )


def _details(
    question: AnswerQuestion, outcome: QuestionOutcome[GivenAnswer], seed: int, choosing: bool
) -> dict[str, str]:
    """What was shown, expected and answered. Quotes stay in the library, under the answer's id."""
    given_answer = outcome.value or GivenAnswer()
    rows: dict[str, str] = {}
    if question.options and choosing:
        choice = shuffle_options(question.options, question.id, seed)
        rows["options"] = " | ".join(f"{letter}: {option}" for letter, option in choice.letters.items())
        rows["expected"] = question.right
        rows["chosen"] = given_answer.option or UNSURE
        rows["reasoning"] = given_answer.reasoning
    if question.answerable is not None:
        rows["expected"] = "an answer" if question.answerable else "no answer"
    if given_answer.answer:
        rows["answer"] = given_answer.answer.id
        rows["reason"] = given_answer.answer.reason
        written = given_answer.answer.method != "extractive"
        rows["said"] = " ".join(statement.text for statement in given_answer.answer.statements) if written else ""
    rows[TROUBLE] = outcome.trouble
    return {key: value for key, value in rows.items() if value}


def _notes(
    answer_set: AnswerSet, config: AnswerConfig, outcomes: Sequence[QuestionOutcome[GivenAnswer]], modelled: bool
) -> tuple[str, ...]:
    failed = [outcome.trouble for outcome in outcomes if outcome.trouble]
    notes = [*answer_set.notes, f"{config.name}: {config.about}."]
    if not modelled and any(question.options for question in answer_set.questions):
        notes.append("Choosing among options needs a language model, and none is set: accuracy was not measured.")
    if failed:
        notes.append(
            f"{config.name}: of {len(failed)} of {len(outcomes)} questions nothing could be used (not answered; "
            f"as a refusal neither right nor wrong): {failed[0]}"
        )
    if cost := cost_note(outcomes):
        notes.append(f"{config.name}: {cost}")
    return tuple(notes)
