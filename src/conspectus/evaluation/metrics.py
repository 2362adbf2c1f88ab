"""Metrics of rankings: those of ir-measures under their names, and the area under the retrieval curve.

Scores are per question, so that any two configurations can be compared question by question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conspectus.core.errors import UnavailableError, UsageError
from conspectus.evaluation.records import Question

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
        self._areas = {name: int(found[1]) for name in self.names if (found := _AUC.fullmatch(name))}
        self._measures = {name: _measure(name) for name in self.names if name not in self._areas}

    def beyond(self, depth: int) -> tuple[str, ...]:
        """The metrics that look at more than the first `depth` papers."""
        looked = self._areas | {name: one.params.get("cutoff") or 0 for name, one in self._measures.items()}
        return tuple(name for name in self.names if looked[name] > depth)

    def score(self, questions: Sequence[Question], rankings: Sequence[Ranking]) -> list[dict[str, float]]:
        """Scores by metric, for each question.

        A ranking names each paper once, best first; what the question excludes was taken out of it before.
        """
        found: list[dict[str, float]] = [{} for _ in questions]
        for name, most in self._areas.items():
            for scores, question, ranking in zip(found, questions, rankings, strict=True):
                scores[name] = area(question.relevant, ranking, most)
        if self._measures:
            rows = self._computed(questions, rankings)
            for number, scores in enumerate(found):
                scores.update({name: rows[str(number), str(measure)] for name, measure in self._measures.items()})
        return [{name: scores[name] for name in self.names} for scores in found]

    def _computed(self, questions: Sequence[Question], rankings: Sequence[Ranking]) -> dict[tuple[str, str], float]:
        import ir_measures

        judged = {str(number): dict(question.relevant) for number, question in enumerate(questions)}
        run = {
            str(number): {name: float(len(ranking) - rank) for rank, name in enumerate(ranking)}
            for number, ranking in enumerate(rankings)
        }
        rows = ir_measures.iter_calc(list(self._measures.values()), judged, run)
        made = {(row.query_id, str(row.measure)): float(row.value) for row in rows}
        # What found nothing is not in a run, as trec_eval reads it; it scored nothing, and counts.
        return {
            (number, str(measure)): made.get((number, str(measure)), 0.0)
            for number in judged
            for measure in self._measures.values()
        }


def area(relevant: Mapping[str, int], ranking: Ranking, most: int) -> float:
    """The area under the retrieval curve, 0..1: the mean, over k = 1..`most`, of the share of relevant papers in the
    first k.

    With one relevant paper, averaged over questions, it is PaperQA's "normalized area under the curve" of the share
    of questions whose paper was found (sec. C.1, Tables 6 and 7).
    """
    wanted = {name for name, grade in relevant.items() if grade > 0}
    if not wanted:
        return 0.0
    gained = sum(most - rank for rank, name in enumerate(ranking[:most]) if name in wanted)
    return gained / (most * len(wanted))


def curve(relevants: Sequence[Mapping[str, int]], rankings: Sequence[Ranking], most: int) -> list[float]:
    """The retrieval curve: for k = 1..`most` the mean share of a question's relevant papers among the first k."""
    import numpy as np

    total = np.zeros(most)
    counted = 0
    for relevant, ranking in zip(relevants, rankings, strict=True):
        wanted = {name for name, grade in relevant.items() if grade > 0}
        if not wanted:
            continue
        counted += 1
        hits = np.zeros(most)
        hits[[rank for rank, name in enumerate(ranking[:most]) if name in wanted]] = 1 / len(wanted)
        total += np.cumsum(hits)
    return [float(value) for value in total / max(counted, 1)]


def _measure(name: str) -> Any:
    ir_measures = _library()
    found = _NAME.fullmatch(name)
    short = f"{_SHORT.get(found[1].lower(), found[1])}{found[2] or ''}" if found else name
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
