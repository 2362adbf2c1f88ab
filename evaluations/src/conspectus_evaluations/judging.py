"""Two configurations compared in pairs by a model as judge, in both orders; an exact sign test."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import Any, Literal

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
from conspectus.evaluation.configurations import ANSWER_CONFIGS, AnswerConfig, check_configuration, settings_of
from conspectus.evaluation.libraries import AnswerRun, Sampling, draw_questions, library_for
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSet
from conspectus.evaluation.records import TROUBLE, Configuration, Result, ScoredQuestion
from conspectus.evaluation.results import result_of, snapshot
from conspectus.export.answer import cited
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records import Answer, Filters

NONE = "(It could not be answered. )"


@dataclass(frozen=True, slots=True)
class Contender:
    """What a judge is shown.

    Attributes:
        papers: the ids of those whose words are in the text.
        there: whether there is an answer, or any passage.
        name: the answer's id, or those of the passages.
    """

    text: str
    papers: tuple[str, ...]
    there: bool
    name: str
    kind: Literal["answer", "passages"]


def answer_contenders(
    config: AnswerConfig, one: AnswerSet, run: AnswerRun, passages: int
) -> list[QuestionOutcome[Contender]]:
    """What a configuration makes of each question; with `passages` so many that it finds, else its answer.

    Raises:
        ServiceError: a model cannot be asked.
    """
    with library_for(one, config, run) as library:

        async def make(question: AnswerQuestion, client: LlmClient) -> Contender:
            filters = Filters(author=(question.author,)) if question.author else Filters()
            if passages:
                return await asyncio.to_thread(_from_search, library, question.text, filters, passages)
            return _from_answer(await answer_question(library, config, question.text, filters, client))

        return ask_each(library, one.questions, make, f"{one.name}, {config.name}")


def _from_answer(found: Answer) -> Contender:
    text = found.text if found.answered else f"(It could not be answered. {found.reason})"
    return Contender(text, tuple(paper.id for paper in cited([found])), found.answered, found.id, "answer")


def _from_search(library: Library, question: str, filters: Filters, count: int) -> Contender:
    """The best passage of each of the first papers, numbered, under the paper's title."""
    hits = library.search(question, count, filters, plain=True).hits
    texts = [f"[{number}] {hit.paper.title}\n{hit.passage.text}" for number, hit in enumerate(hits, 1)]
    papers = tuple(hit.paper.id for hit in hits)
    return Contender("\n\n".join(texts), papers, bool(hits), " ".join(hit.passage.id for hit in hits), "passages")


Side = Literal["first", "second", "tie"]
PROMPT, OF_PASSAGES = "eval_judge", "eval_passages"
SHOWN = ("better first", "better second")
"""The share of what the judge saw that it preferred of the first configuration where that was shown first, or second:
what one order alone would have said (Ta et al., Table VI)."""
METRICS = ("wins", "losses", "ties", "flipped", "unjudged")
"""Of the first configuration. `wins`, `losses` and `ties` are over the pairs that are not `unjudged`, `flipped` over
those that the judge saw: both orders, the same place."""
_OTHER: Mapping[Side, Side] = {"first": "second", "second": "first", "tie": "tie"}


class PairReply(msgspec.Struct):
    """What the prompt `eval_judge` gives."""

    reasoning: str
    better: Side


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What the judge said of one pair: in the order as asked, and in the other, `first` being the first shown.

    Attributes:
        asked: whether it was: two answers that are the same, or none at all, are a tie without it.
    """

    forth: Side = "tie"
    back: Side = "tie"
    why: tuple[str, str] = ("", "")
    asked: bool = False

    @property
    def winner(self) -> Side:
        """The answer preferred in both orders; else a tie."""
        return self.forth if self.forth == _OTHER[self.back] else "tie"

    @property
    def flipped(self) -> bool:
        """Whether the place decided: the answer shown first, or the one shown second, was preferred both times."""
        return self.forth == self.back != "tie"


@dataclass(frozen=True, slots=True)
class SignTest:
    """The exact two-sided sign test over the questions with a preference; `n` is wins and losses, ties are kept apart.

    Attributes:
        p: the probability of a split as uneven as this, were both answers as good; 1 where n is 0.
        flipped: of the verdicts that the judge gave (`judged`), those whose preference turned with the order.
        unjudged: pairs that are no ties either: nothing could be used of the judge, or there is no answer at all, and
            not for want of evidence alone.
    """

    n: int
    wins: int
    losses: int
    ties: int
    p: float
    judged: int
    flipped: int
    unjudged: int = 0


def sign_p(wins: int, losses: int) -> float:
    """The two-sided p of the exact sign test (binomial, one half)."""
    n = wins + losses
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << n))


def sign_test(result: Result) -> SignTest:
    """The test of a result of `evaluate_judge`.

    Raises:
        UsageError: it is of another kind.
    """
    if result.kind != "judge":
        raise UsageError(f"The result {result.id} is of the kind '{result.kind}', not 'judge'.")
    scores = [one.scores for one in result.questions]
    wins, losses, ties, flipped, unjudged = (int(sum(one.get(name, 0) for one in scores)) for name in METRICS)
    judged = sum("flipped" in one for one in scores)
    return SignTest(wins + losses, wins, losses, ties, sign_p(wins, losses), judged, flipped, unjudged)


def evaluate_judge(
    first: AnswerConfig,
    second: AnswerConfig,
    questions: AnswerSet,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
    passages: int = 0,
) -> Result:
    """What a model as judge (the role `judge` of the settings without those of the two) prefers; not stored.

    Questions are asked as open ones. The judge sees answers with their marks, not which configuration made them. With
    `passages` it sees so many that each configuration finds first, and nothing is answered.

    Raises:
        UsageError: the two have one name, or one has no words to be compared (`blind`); a set without papers; as
            `check_configuration`.
        UnavailableError: there is no language model for the role `judge`, or none for a configuration that needs one.
        ServiceError: a model cannot be asked. What it said until then is kept.
    """
    run = AnswerRun(sampling, flags or {}, work)
    _check(first, second, questions, run, searched=bool(passages))
    one = draw_questions(questions, sampling)
    posed = one.questions
    told = [answer_contenders(config, one, run, passages) for config in (first, second)]
    with library_for(one, ANSWER_CONFIGS["default"], run) as library:
        held, settings = snapshot(library), library.settings
        pairs = [(question, told[0][at].value, told[1][at].value) for at, question in enumerate(posed)]

        async def make(
            pair: tuple[AnswerQuestion, Contender | None, Contender | None], client: LlmClient
        ) -> PairVerdict:
            question, mine, theirs = pair
            return await judge_pair(client, question.text, mine, theirs, OF_PASSAGES if passages else PROMPT)

        verdicts = ask_each(library, pairs, make, f"{one.name}, judging")
    scored = tuple(
        _score_pair(question, verdict, first, second, (told[0][at], told[1][at]))
        for at, (question, verdict) in enumerate(zip(posed, verdicts, strict=True))
    )
    metrics = tuple(name for name in (*METRICS, *SHOWN) if any(name in found.scores for found in scored))
    result = result_of(
        settings,
        scored,
        metrics,
        sampling.seed,
        run=run.run,
        kind="judge",
        dataset=one.name,
        about=one.about,
        configuration=_pair_configuration(first, second),
        library=held,
    )
    return _with_notes(result, one, (first, second), [*told[0], *told[1], *verdicts])


def _pair_configuration(first: AnswerConfig, second: AnswerConfig) -> Configuration:
    overrides = {
        f"{config.name}: {key}": value
        for config in (first, second)
        for key, value in config.configuration.overrides.items()
    }
    return Configuration(f"{first.name} against {second.name}", overrides)


async def judge_pair(
    client: LlmClient, question: str, one: Contender | None, other: Contender | None, prompt: str
) -> PairVerdict:
    """The judge's view of two answers, or sets of passages, asked in both orders.

    Raises:
        ModelAnswerError: the judge gives nothing that can be used.
        ServiceError: it cannot be asked.
        BudgetError: the budget of the question is used up.
    """
    texts = tuple(found.text if found else NONE for found in (one, other))
    if texts[0] == texts[1] or not any(found and found.there for found in (one, other)):
        return PairVerdict()
    papers = list(dict.fromkeys(paper for found in (one, other) if found for paper in found.papers))

    kind = "passages" if prompt == OF_PASSAGES else "answer"

    async def ask(shown: Sequence[str]) -> PairReply:
        values = {
            "question": fenced("question", question),
            "first": fenced(kind, shown[0], place="first"),
            "second": fenced(kind, shown[1], place="second"),
        }
        return await client.ask("judge", prompt, values, OutputSpec(PairReply), papers=papers)

    forth, back = await ask(texts), await ask(texts[::-1])
    return PairVerdict(forth.better, back.better, (forth.reasoning, back.reasoning), True)


def _check(first: AnswerConfig, second: AnswerConfig, questions: AnswerSet, run: AnswerRun, *, searched: bool) -> None:
    flags, own = run.flags, run.sampling.library_folder
    if first.name == second.name:
        raise UsageError(f"'{first.name}' is held against itself.", "Name two configurations.")
    for config in (first, second):
        if config.how == "blind":
            raise UsageError(
                f"The configuration '{config.name}' chooses among options and writes no answer to be compared.",
                "Compare it by `conspectus eval answers`.",
            )
        settings = check_configuration(config.configuration, flags, own)
        if config.needs_model and not searched and not has_model(settings.language):
            raise model_needed(f"The configuration '{config.name}'")
    if questions.papers is None and own is None:
        raise UsageError(f"The set '{questions.name}' has no papers.", "Ask your own library: `own=True`.")
    if not has_model(settings_of(flags, Configuration("default"), own).language, "judge"):
        raise model_needed("The judge")


def _score_pair(
    question: AnswerQuestion,
    verdict: QuestionOutcome[PairVerdict],
    first: AnswerConfig,
    second: AnswerConfig,
    told: Sequence[QuestionOutcome[Contender]],
) -> ScoredQuestion:
    said = verdict.value
    answered = any(one.value and one.value.there for one in told)
    trouble = verdict.trouble or ("" if answered else next((one.trouble for one in told if one.trouble), ""))
    found, rows = {"unjudged": float(bool(trouble))}, {TROUBLE: trouble}
    if said and not trouble:
        found |= {
            "wins": float(said.winner == "first"),
            "losses": float(said.winner == "second"),
            "ties": float(said.winner == "tie"),
            **({"flipped": float(said.flipped)} if said.asked else {}),
        }
        orders = (said.forth == "first", said.back == "second")
        found |= {name: float(better) for name, better in zip(SHOWN, orders, strict=True) if said.asked}
        preferred = {"first": first.name, "second": second.name, "tie": "neither"}
        rows |= {
            "preferred": preferred[said.winner],
            "in this order": preferred[said.forth] if said.asked else "not asked: the same, or no answer at all",
            "in the other": preferred[_OTHER[said.back]] if said.asked else "",
            "why": said.why[0],
            "why, in the other": said.why[1],
        }
    for config, one in zip((first, second), told, strict=True):
        rows[f"{one.value.kind if one.value else 'answer'} of {config.name}"] = one.value.name if one.value else ""
        rows[f"{TROUBLE} of {config.name}"] = one.trouble
    details = {key: value for key, value in rows.items() if value}
    seconds = round(verdict.seconds + sum(one.seconds for one in told), 4)
    return ScoredQuestion(question.id, question.text, found, {}, (), details, seconds)


def _with_notes(
    result: Result,
    one: AnswerSet,
    configs: tuple[AnswerConfig, AnswerConfig],
    everything: Sequence[QuestionOutcome[Any]],
) -> Result:
    test = sign_test(result)
    models, prompts = models_and_prompts(everything)
    notes = [
        *one.notes,
        *(f"{config.name}: {config.about}." for config in configs),
        describe_sign_test(test, configs[0].name, configs[1].name),
    ]
    if troubles := [outcome.trouble for outcome in everything if outcome.trouble]:
        notes.append(f"{len(troubles)} times nothing could be used (not judged, or no answer): {troubles[0]}")
    if cost := cost_note(everything):
        notes.append(cost)
    return replace(result, models=tuple(models), prompts=tuple(prompts), notes=tuple(notes))


def describe_sign_test(test: SignTest, first: str, second: str) -> str:
    """The test in words."""
    share = f"{100 * test.flipped / test.judged:.0f} %" if test.judged else "none"
    pairs = test.n + test.ties + test.unjudged
    left = f", and {test.unjudged} of {pairs} pairs could not be judged" if test.unjudged else ""
    return (
        f"{first} was preferred {test.wins} times, {second} {test.losses} times, neither {test.ties} times{left}; "
        f"exact two-sided sign test: p = {test.p:.4f} (n = {test.n}). The preference turned with the order in {share} "
        f"of {test.judged} verdicts ({test.flipped})."
    )
