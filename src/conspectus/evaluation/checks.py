"""How well statements are checked: by the mechanical check alone, by a judge alone, by both.

Wrong statements are to be found: recall is the share of them that is called `unsupported` or `partly`, precision the
share of those so called that is wrong, as if there were as many true ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conspectus.answer.entailment_judge import EntailmentJudge
from conspectus.answer.statement_checks import Case, Judge, ModelJudge, case_of
from conspectus.core.groups import grouped
from conspectus.core.job_context import emit
from conspectus.evaluation.check_statements import (
    PARAPHRASE,
    SUPPORTED,
    Half,
    StatementCheck,
    scifact_checks,
    statement_checks,
    statement_rows,
)
from conspectus.llm.budget import CallUsage
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.event_loop import AnswerLoop, Last
from conspectus.llm.prompts import Prompts
from conspectus.models.language import ModelReply
from conspectus.models.languages.registry import LanguageModels
from conspectus.records import Passage, Verdict
from conspectus.records.events import Progress
from conspectus.settings import NO_MODEL, load_settings

PERFECT = "perfect"
"""A judge that knows the labels: what rules may spoil is seen against it."""
AT_ONCE = 10
"""Statements that a judge is asked about in one call."""
_DOUBT = {"supported": 0.0, "unchecked": 0.5, "partly": 0.75, "unsupported": 1.0}
_HINTED = 0.6
"""How doubtful a statement is that was not judged, and has hints that are not certain."""


@dataclass(frozen=True, slots=True)
class DetectionRates:
    """How well wrong statements of one kind are separated from true ones; precision None: nothing was called wrong."""

    precision: float | None
    recall: float
    auc: float


@dataclass(frozen=True, slots=True)
class StatusShares:
    """Shares of true statements by the status they were given."""

    statements: int
    struck_out: float
    supported: float
    unchecked: float


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The rates of `eval checks`.

    Attributes:
        judge: which one was asked; "" where none was.
        kinds: kind of error -> `rules`, `judge`, `both` -> rates.
        counts: kind -> how many statements.
        true: kind of true statements -> way -> shares.
        called_supported: way -> how many of our natural errors are called supported.
    """

    half: Half
    judge: str
    kinds: Mapping[str, Mapping[str, DetectionRates]]
    counts: Mapping[str, int]
    true: Mapping[str, Mapping[str, StatusShares]]
    called_supported: Mapping[str, int]


class LabelJudge:
    """A judge that knows the labels."""

    def __init__(self, checks: Sequence[StatementCheck]) -> None:
        self._true = {id(check.statement): check.is_true for check in checks}

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:  # noqa: ARG002
        """See `Judge`."""
        return [Verdict("supported" if self._true[id(case.statement)] else "unsupported") for case in cases]


def evaluate_checks(
    data: Path,
    half: Half = "open",
    judge: Judge | None = None,
    name: str = "",
    *,
    limit: int = 0,
    statements_path: Path | None = None,
    last: Last | None = None,
) -> CheckReport:
    """Measure how well the statements of the data are checked.

    Args:
        data: the folder that the papers are read from.
        half: which of our own statements; SciFact's are all open.
        judge: asked without and with hints; None: `name` may be `PERFECT`.
        name: what to call the judge.
        limit: of each kind so many, 0: all.
        statements_path: another file of statements than ours.
        last: what is to be done after the judge was asked, in its event loop.

    Raises:
        InputError: a file of the data cannot be used.
        ServiceError, BudgetError: the judge cannot be asked.
    """
    checks = [
        *statement_checks(data, half, statement_rows(statements_path)),
        *(scifact_checks(data) if half != "sealed" else []),
    ]
    if limit:
        seen: Counter[str] = Counter()
        checks = [check for check in checks if (seen.update([check.kind]), seen[check.kind] <= limit)[1]]
    cases = [case_of(check.statement, {check.passage.id: check.passage}) for check in checks]
    ways = {"rules": [case.mechanical for case in cases]}
    if judge is None and name == PERFECT:
        judge = LabelJudge(checks)
    if judge is not None:
        bare = [replace(case, hints=()) for case in cases]
        ways |= _judge_all(judge, checks, {"judge": bare, "both": cases}, last)
    return _report(half, name if judge else "", checks, cases, ways)


def _judge_all(
    judge: Judge,
    checks: Sequence[StatementCheck],
    ways: Mapping[str, Sequence[Case]],
    last: Last | None,
) -> dict[str, list[Verdict]]:
    """Ask the judge in one event loop; `last` closes its connections."""
    loop = AnswerLoop()

    async def ask(put: Callable[[tuple[str, list[Verdict]]], None]) -> None:
        for way, cases in ways.items():
            put((way, await _ask_judge(judge, checks, cases)))

    try:
        return dict(loop.events(ask))
    finally:
        loop.close(last)


async def _ask_judge(judge: Judge, checks: Sequence[StatementCheck], cases: Sequence[Case]) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for place in range(0, len(cases), AT_ONCE):
        passages = {check.passage.id: check.passage for check in checks[place : place + AT_ONCE]}
        verdicts += await judge.verdicts(cases[place : place + AT_ONCE], passages)
        emit(Progress("judging", len(verdicts), len(cases), "statements"))
    return verdicts


def _report(
    half: Half,
    judge: str,
    checks: Sequence[StatementCheck],
    cases: Sequence[Case],
    ways: Mapping[str, Sequence[Verdict]],
) -> CheckReport:
    counts = Counter(check.kind for check in checks)
    wrong = sorted(counts.keys() - {PARAPHRASE, SUPPORTED}, key=lambda kind: (" " in kind, kind))
    kinds: dict[str, dict[str, DetectionRates]] = {kind: {} for kind in wrong}
    true: dict[str, dict[str, StatusShares]] = {kind: {} for kind in (PARAPHRASE, SUPPORTED) if kind in counts}
    called: dict[str, int] = {}
    for way, verdicts in ways.items():
        judged_checks = zip(checks, cases, verdicts, strict=True)
        by = grouped((check.kind, (verdict, _doubt(verdict, case))) for check, case, verdict in judged_checks)
        for kind in wrong:
            controls = by.get(SUPPORTED if kind.startswith("scifact") else PARAPHRASE, [])
            kinds[kind][way] = _rates(by[kind], controls)
        for kind, shares in true.items():
            shares[way] = _shares([verdict.status for verdict, _ in by[kind]])
        natural_ones = [kind for kind in wrong if not kind.startswith(("scifact", "planted"))]
        called[way] = sum(verdict.status == "supported" for kind in natural_ones for verdict, _ in by[kind])
    return CheckReport(half, judge, kinds, counts, true, called)


def _doubt(verdict: Verdict, case: Case) -> float:
    if verdict.support is not None:
        return 1 - verdict.support
    return _HINTED if verdict.status == "unchecked" and case.hints else _DOUBT[verdict.status]


def _rates(wrong: Sequence[tuple[Verdict, float]], true: Sequence[tuple[Verdict, float]]) -> DetectionRates:
    hit = _share([verdict.status in ("unsupported", "partly") for verdict, _ in wrong])
    false = _share([verdict.status in ("unsupported", "partly") for verdict, _ in true])
    pairs = [(a > b) + (a == b) / 2 for _, a in wrong for _, b in true]
    return DetectionRates(hit / (hit + false) if hit + false else None, hit, _share(pairs))


def _shares(statuses: Sequence[str]) -> StatusShares:
    struck, well, nothing = (_share([actual == status for actual in statuses]) for status in _STATUSES)
    return StatusShares(len(statuses), struck, well, nothing)


_STATUSES = ("unsupported", "supported", "unchecked")


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


class _NoCallCache:
    """A call cache that keeps nothing: each measurement asks again."""

    def find_replies(self, digests: Sequence[str]) -> Mapping[str, ModelReply]:  # noqa: ARG002
        """Return nothing."""
        return {}

    def keep(self, digest: str, reply: ModelReply, papers: Sequence[str]) -> None:
        """Do nothing."""

    def spend(self, spent: CallUsage) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class NamedJudge:
    """A judge, its name, and `close` for its connections. `judge` is None for `PERFECT` and `none`."""

    name: str = ""
    judge: Judge | None = None
    close: Last | None = None


def judge_of(name: str | None, flags: Mapping[str, Any]) -> NamedJudge:
    """The judge with this name; None: the one in the settings.

    Raises:
        SettingsError: the name has no known form.
        ModelMissingError, ServiceError: a folder, a package or a key is missing.
    """
    if name in (PERFECT, NO_MODEL):
        return NamedJudge(PERFECT if name == PERFECT else "")
    settings = load_settings(flags={**flags, **({"language.judge": name} if name else {})})
    models = LanguageModels(settings.language)
    if entailment := models.entailment():
        return NamedJudge(entailment.id, EntailmentJudge(entailment))
    if model := models.of("judge"):
        client = LlmClient(RoleModels(models), Prompts(), _NoCallCache(), settings.language, settings.budget)
        return NamedJudge(model.id, ModelJudge(client), models.close)
    return NamedJudge()
