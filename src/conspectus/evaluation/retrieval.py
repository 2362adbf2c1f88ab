"""Retrieval measured: each set's library, each configuration, one result."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.core.errors import BudgetError, ModelAnswerError, UnavailableError, UsageError
from conspectus.core.job_context import emit
from conspectus.evaluation.configurations import check_search
from conspectus.evaluation.libraries import aliases, library_of
from conspectus.evaluation.question_sets import Dataset, sample
from conspectus.evaluation.records import TROUBLE, Configuration, Kind, Question, QuestionSet, Result, ScoredQuestion
from conspectus.evaluation.results import new_run, result_of, snapshot
from conspectus.library import Library
from conspectus.records import Hit, Paper
from conspectus.records.events import Progress
from conspectus.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterable


DEFAULT = ("nDCG@10", "recall@10", "recall@100", "P@1", "RR", "success@10", "AUC@100")
SELF = ("success@10", "RR@10", "nDCG@10", "recall@10", "recall@50", "recall@100", "AUC@100")
"""For questions made of the library itself: those of pathfinder's benchmarks first (sec. 4.1 and 4.2)."""

REMEDY = "Install it: pip install 'conspectus[eval]'"
_SHORT = {"recall": "R", "success": "Success", "s": "Success", "mrr": "RR", "map": "AP", "precision": "P"}
_AUC = re.compile(r"auc@([1-9]\d*)", re.I)
_NAME = re.compile(r"(\w+)(@\d+)?")

Ranking = Sequence[str]


class RankingMetrics:
    """The metrics of a run, in order, by the names that the user gave them.

    Raises:
        UsageError: a name that no metric has, or a metric that cannot be computed here.
        UnavailableError: ir-measures is not installed.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._areas = {name: int(match[1]) for name in self.names if (match := _AUC.fullmatch(name))}
        self._measures = {name: _measure(name) for name in self.names if name not in self._areas}

    def beyond(self, depth: int) -> tuple[str, ...]:
        """The metrics that look at more than the first `depth` papers."""
        looked = self._areas | {name: metric.params.get("cutoff") or 0 for name, metric in self._measures.items()}
        return tuple(name for name in self.names if looked[name] > depth)

    def score(self, questions: Sequence[Question], rankings: Sequence[Ranking]) -> list[dict[str, float]]:
        """Scores by metric, for each question.

        A ranking names each paper once, best first; what the question excludes was taken out of it before.
        """
        score_rows: list[dict[str, float]] = [{} for _ in questions]
        for name, most in self._areas.items():
            for scores, question, ranking in zip(score_rows, questions, rankings, strict=True):
                scores[name] = area(question.relevant, ranking, most)
        if self._measures:
            rows = self._compute_scores(questions, rankings)
            for number, scores in enumerate(score_rows):
                scores.update({name: rows[str(number), str(measure)] for name, measure in self._measures.items()})
        return [{name: scores[name] for name in self.names} for scores in score_rows]

    def _compute_scores(
        self, questions: Sequence[Question], rankings: Sequence[Ranking]
    ) -> dict[tuple[str, str], float]:
        import ir_measures

        judged = {str(number): dict(question.relevant) for number, question in enumerate(questions)}
        run = {
            str(number): {name: float(len(ranking) - rank) for rank, name in enumerate(ranking)}
            for number, ranking in enumerate(rankings)
        }
        rows = ir_measures.iter_calc(list(self._measures.values()), judged, run)
        score_by_key = {(row.query_id, str(row.measure)): float(row.value) for row in rows}
        # What found nothing is not in a run, as trec_eval reads it; it scored nothing, and counts.
        return {
            (number, str(measure)): score_by_key.get((number, str(measure)), 0.0)
            for number in judged
            for measure in self._measures.values()
        }


def area(relevant: Mapping[str, int], ranking: Ranking, most: int) -> float:
    """The area under the retrieval curve, 0..1: the mean, over k = 1..`most`, of the share of relevant papers in the
    first k.

    With one relevant paper, averaged over questions, it is PaperQA's "normalized area under the curve" of the share
    of questions whose paper was found (sec. C.1, Tables 6 and 7).
    """
    relevant_names = {name for name, grade in relevant.items() if grade > 0}
    if not relevant_names:
        return 0.0
    gained = sum(most - rank for rank, name in enumerate(ranking[:most]) if name in relevant_names)
    return gained / (most * len(relevant_names))


def curve(relevants: Sequence[Mapping[str, int]], rankings: Sequence[Ranking], most: int) -> list[float]:
    """The retrieval curve: for k = 1..`most` the mean share of a question's relevant papers among the first k."""
    import numpy as np

    total = np.zeros(most)
    counted = 0
    for relevant, ranking in zip(relevants, rankings, strict=True):
        relevant_names = {name for name, grade in relevant.items() if grade > 0}
        if not relevant_names:
            continue
        counted += 1
        hits = np.zeros(most)
        hits[[rank for rank, name in enumerate(ranking[:most]) if name in relevant_names]] = 1 / len(relevant_names)
        total += np.cumsum(hits)
    return [float(value) for value in total / max(counted, 1)]


def _measure(name: str) -> Any:
    ir_measures = _library()
    match = _NAME.fullmatch(name)
    short = f"{_SHORT.get(match[1].lower(), match[1])}{match[2] or ''}" if match else name
    try:
        measure = ir_measures.parse_measure(short)
        ir_measures.evaluator([measure], {"q": {"a": 1}})
    except (AssertionError, NameError, ValueError, TypeError, SyntaxError, RuntimeError, KeyError) as error:
        raise UsageError(
            f"There is no metric '{name}' that can be computed here: {error}.",
            f"For example {', '.join(DEFAULT)}; or any of ir-measures that pytrec_eval computes, such as AP or RR@10.",
        ) from error
    return measure


def _library() -> Any:
    try:
        import ir_measures
    except ModuleNotFoundError as error:
        raise UnavailableError("Metrics are computed by ir-measures, which is not installed.", REMEDY) from error
    return ir_measures


DEPTH = 100
"""Papers asked for, for each question: enough for recall@100."""


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """How a set is measured.

    Attributes:
        metrics: by name, the main one first; none: the usual ones, but for those that look at more papers than `depth`.
        limit: questions drawn at random, at most; 0: all.
        seed: of that sample and of the bootstrap.
        depth: papers asked for, for each question.
    """

    metrics: tuple[str, ...] = ()
    limit: int = 0
    seed: int = 0
    depth: int = DEPTH


Name = Callable[[Paper], str]
"""What the questions call a paper."""


def usable_metrics(options: RetrievalOptions, kind: Kind) -> RankingMetrics:
    """The metrics of the options that can be measured.

    Raises:
        UsageError: a metric that cannot be computed, or that looks at more papers than are asked for; a depth below 1.
        UnavailableError: ir-measures is not installed.
    """
    if options.depth < 1:
        raise UsageError(f"The depth must be at least 1, not {options.depth}.")
    usual = _default_metrics(kind)
    metrics = RankingMetrics(options.metrics or usual)
    out = metrics.beyond(options.depth)
    left = () if options.metrics else tuple(name for name in usual if name not in out)
    if out and not left:
        raise UsageError(
            f"A depth of {options.depth} is too small for {', '.join(out)}.",
            f"Raise the `depth`, or name other metrics, such as RR@{options.depth}.",
        )
    return RankingMetrics(left) if out else metrics


def _default_metrics(kind: Kind) -> tuple[str, ...]:
    return SELF if kind == "self" else DEFAULT


def measure(
    library: Library,
    configuration: Configuration,
    posed: QuestionSet,
    name: Name,
    options: RetrievalOptions,
    run: str,
) -> Result:
    """Search for each question with the library's settings, and score the rankings.

    A question of which a model gives nothing usable, or whose budget is used up, found nothing, and says why.

    Raises:
        UsageError, UnavailableError: as `usable_metrics`.
        ServiceError: a model cannot be asked.
    """
    metrics = usable_metrics(options, posed.kind)
    before = snapshot(library)
    stage = f"{posed.dataset}, {configuration.name}"
    outcomes: list[_Ranked] = []
    for number, question in enumerate(posed.questions):
        emit(Progress(stage, number, len(posed.questions), "questions"))
        outcomes.append(_rank_papers(library, question, name, options.depth))
    emit(Progress(stage, len(posed.questions), len(posed.questions), "questions"))
    models = dict.fromkeys([*posed.models, *(model for outcome in outcomes for model in outcome.models)])
    scores = metrics.score(posed.questions, [outcome.ranking for outcome in outcomes])
    scored = tuple(map(_scored, posed.questions, scores, outcomes))
    changed = before != snapshot(library)
    return result_of(
        library.settings,
        scored,
        metrics.names,
        options.seed,
        run=run,
        kind=posed.kind,
        dataset=posed.dataset,
        about=posed.about,
        configuration=configuration,
        library=before,
        models=tuple(models),
        prompts=posed.prompts,
        depth=options.depth,
        notes=(
            *posed.notes,
            *_notes(configuration, options, _default_metrics(posed.kind), metrics, outcomes, changed=changed),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The ranking of one question."""

    ranking: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    trouble: str = ""
    seconds: float = 0.0


def _rank_papers(library: Library, question: Question, name: Name, depth: int) -> _Ranked:
    began = time.perf_counter()
    try:
        result = library.search(question.text, depth + len(question.exclude), plain=True)
    except (ModelAnswerError, BudgetError) as error:
        return _Ranked(trouble=error.message, seconds=round(time.perf_counter() - began, 4))
    seconds = round(time.perf_counter() - began, 4)
    ranking = _ranking(result.hits, question, name, library.settings.search, depth)
    return _Ranked(ranking, result.models, seconds=seconds)


def _notes(
    configuration: Configuration,
    options: RetrievalOptions,
    usual: Sequence[str],
    metrics: RankingMetrics,
    outcomes: Sequence[_Ranked],
    *,
    changed: bool,
) -> Iterator[str]:
    """Yield what the reader of a result has to know."""
    if not options.metrics and (out := [name for name in usual if name not in metrics.names]):
        yield f"A depth of {options.depth} is too small for {', '.join(out)}: not measured."
    if troubles := [outcome.trouble for outcome in outcomes if outcome.trouble]:
        yield (
            f"{configuration.name}: of {len(troubles)} of {len(outcomes)} questions nothing could be used (nothing "
            f"found, every score 0): {troubles[0]}"
        )
    if changed:
        yield "The library was changed while it was measured."


def _ranking(
    hits: Sequence[Hit], question: Question, name: Name, settings: SearchSettings, depth: int
) -> tuple[str, ...]:
    """Names of the papers found, without those that the question excludes.

    By full text alone a paper is found only if it shares a word: what the search appends behind those, by its vector,
    is no achievement of BM25.
    """
    words_alone = settings.dense_weight == 0 and settings.rerank == 0
    names = [name(hit.paper) for hit in hits if not words_alone or hit.factors.get("bm25", 0.0) > 0]
    return tuple(dict.fromkeys(paper_name for paper_name in names if paper_name not in question.exclude))[:depth]


def _scored(question: Question, scores: Mapping[str, float], outcome: _Ranked) -> ScoredQuestion:
    rows = {"source": question.source, TROUBLE: outcome.trouble}
    details = {key: value for key, value in rows.items() if value}
    return ScoredQuestion(
        question.id, question.text, scores, question.relevant, outcome.ranking, details, outcome.seconds
    )


_DEFAULT = (Configuration("default"),)


def evaluate_retrieval(
    datasets: Sequence[Dataset],
    configurations: Sequence[Configuration] = _DEFAULT,
    options: RetrievalOptions = RetrievalOptions(),
    *,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Result]:
    """Yield a result for each configuration, set by set; none is stored.

    Args:
        datasets: see `conspectus.evaluation.load`.
        configurations: see `conspectus.evaluation.select_configurations`.
        options: metrics, sample, seed, depth.
        flags: settings (`group.name` -> value) under those of the configurations.
        work: the folder for the sets' libraries; None: in the user's cache folder.

    Raises:
        InputError: a paper of a set cannot be added.
        ModelMissingError: an embedder is not in the model store.
        UsageError, UnavailableError: as `usable_metrics` and `check_search`.
        ServiceError: a model cannot be asked.
    """
    usable_metrics(options, "retrieval")
    for configuration in configurations:
        check_search(configuration, flags or {})
    run = new_run()
    for dataset in datasets:
        questions = sample(dataset.questions, options.limit, options.seed)
        for configuration in configurations:
            with library_of(dataset, configuration, flags, work) as library:
                prefix = f"{dataset.name}:"
                others = aliases(
                    library,
                    prefix,
                    {name for question in questions for name in (*question.relevant, *question.exclude)},
                )
                posed = QuestionSet(
                    "retrieval",
                    dataset.name,
                    dataset.about,
                    tuple(_with_library_names(question, others) for question in questions),
                    dataset.notes,
                )

                def name(paper: Paper, prefix: str = prefix) -> str:
                    return paper.external_id.removeprefix(prefix)

                yield measure(library, configuration, posed, name, options, run)


def _with_library_names(question: Question, others: Mapping[str, str]) -> Question:
    """Replace the names of papers by those that the library has for them."""
    if not others:
        return question
    relevant: dict[str, int] = {}
    for name, grade in question.relevant.items():
        called = others.get(name, name)
        relevant[called] = max(grade, relevant.get(called, 0))
    return replace(question, relevant=relevant, exclude=tuple(others.get(name, name) for name in question.exclude))
