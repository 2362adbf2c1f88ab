"""How well statements are checked: by the mechanical check alone, by a judge alone, by both.

Wrong statements are to be found: recall is the part of them that is called `unsupported` or `partly`, precision the
part of those so called that is wrong, as if there were as many true ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conspectus.answer.checking import Case, Judge, case_of
from conspectus.core.grouped import grouped
from conspectus.core.job_context import emit
from conspectus.evals.datasets.checks import PARAPHRASE, SUPPORTED, Check, Half, natural, own_rows, scifact
from conspectus.llm.event_loop import Engine, Last
from conspectus.records import Passage, Verdict
from conspectus.records.jobs import Progress

PERFECT = "perfect"
"""A judge that knows the labels: what rules may spoil is seen against it."""
AT_ONCE = 10
"""Statements that a judge is asked about in one call."""
_DOUBT = {"supported": 0.0, "unchecked": 0.5, "partly": 0.75, "unsupported": 1.0}
_HINTED = 0.6
"""How doubtful a statement is that was not judged, and has hints that are not certain."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How well wrong statements of one kind are told from true ones; None where nothing was called wrong."""

    precision: float | None
    recall: float
    auc: float


@dataclass(frozen=True, slots=True)
class Shares:
    """Of true statements, by what they are called."""

    statements: int
    struck_out: float
    supported: float
    unchecked: float


@dataclass(frozen=True, slots=True)
class Checked:
    """What was measured.

    Attributes:
        judge: which one was asked; "" where none was.
        kinds: kind of error -> `rules`, `judge`, `both` -> rates.
        counts: kind -> how many statements.
        true: kind of true statements -> way -> shares.
        called_supported: way -> how many of our natural errors are called supported.
    """

    half: Half
    judge: str
    kinds: Mapping[str, Mapping[str, Rates]]
    counts: Mapping[str, int]
    true: Mapping[str, Mapping[str, Shares]]
    called_supported: Mapping[str, int]


class LabelJudge:
    """Says what is known of each statement."""

    def __init__(self, checks: Sequence[Check]) -> None:
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
    own: Path | None = None,
    last: Last | None = None,
) -> Checked:
    """How well statements of the data are checked.

    Args:
        data: the folder that the papers are read from.
        half: which of our own statements; SciFact's are all open.
        judge: asked without and with hints; None: `name` may be `PERFECT`.
        name: what to call the judge.
        limit: of each kind so many, 0: all.
        own: another file of statements than ours.
        last: what is to be done after the judge was asked, in its event loop.

    Raises:
        InputError: a file of the data cannot be used.
        ServiceError, BudgetError: the judge cannot be asked.
    """
    checks = [*natural(data, half, own_rows(own)), *(scifact(data) if half != "sealed" else [])]
    if limit:
        seen: Counter[str] = Counter()
        checks = [check for check in checks if (seen.update([check.kind]), seen[check.kind] <= limit)[1]]
    cases = [case_of(check.statement, {check.passage.id: check.passage}) for check in checks]
    ways = {"rules": [case.mechanical for case in cases]}
    if judge is None and name == PERFECT:
        judge = LabelJudge(checks)
    if judge is not None:
        bare = [replace(case, hints=()) for case in cases]
        ways |= _by(judge, checks, {"judge": bare, "both": cases}, last)
    return _measured(half, name if judge else "", checks, cases, ways)


def _by(
    judge: Judge,
    checks: Sequence[Check],
    ways: Mapping[str, Sequence[Case]],
    last: Last | None,
) -> dict[str, list[Verdict]]:
    """The judge's verdicts, all in one event loop; `last` gives its connections back."""
    loop = Engine()

    async def ask(put: Callable[[tuple[str, list[Verdict]]], None]) -> None:
        for way, cases in ways.items():
            put((way, await _asked(judge, checks, cases)))

    try:
        return dict(loop.events(ask))
    finally:
        loop.close(last)


async def _asked(judge: Judge, checks: Sequence[Check], cases: Sequence[Case]) -> list[Verdict]:
    found: list[Verdict] = []
    for place in range(0, len(cases), AT_ONCE):
        passages = {check.passage.id: check.passage for check in checks[place : place + AT_ONCE]}
        found += await judge.verdicts(cases[place : place + AT_ONCE], passages)
        emit(Progress("judging", len(found), len(cases), "statements"))
    return found


def _measured(
    half: Half, judge: str, checks: Sequence[Check], cases: Sequence[Case], ways: Mapping[str, Sequence[Verdict]]
) -> Checked:
    counts = Counter(check.kind for check in checks)
    wrong = sorted(counts.keys() - {PARAPHRASE, SUPPORTED}, key=lambda kind: (" " in kind, kind))
    kinds: dict[str, dict[str, Rates]] = {kind: {} for kind in wrong}
    true: dict[str, dict[str, Shares]] = {kind: {} for kind in (PARAPHRASE, SUPPORTED) if kind in counts}
    called: dict[str, int] = {}
    for way, verdicts in ways.items():
        told = zip(checks, cases, verdicts, strict=True)
        by = grouped((check.kind, (verdict, _doubt(verdict, case))) for check, case, verdict in told)
        for kind in wrong:
            beside = by.get(SUPPORTED if kind.startswith("scifact") else PARAPHRASE, [])
            kinds[kind][way] = _rates(by[kind], beside)
        for kind, shares in true.items():
            shares[way] = _shares([verdict.status for verdict, _ in by[kind]])
        natural_ones = [kind for kind in wrong if not kind.startswith(("scifact", "planted"))]
        called[way] = sum(verdict.status == "supported" for kind in natural_ones for verdict, _ in by[kind])
    return Checked(half, judge, kinds, counts, true, called)


def _doubt(verdict: Verdict, case: Case) -> float:
    if verdict.support is not None:
        return 1 - verdict.support
    return _HINTED if verdict.status == "unchecked" and case.hints else _DOUBT[verdict.status]


def _rates(wrong: Sequence[tuple[Verdict, float]], true: Sequence[tuple[Verdict, float]]) -> Rates:
    hit = _share([verdict.status in ("unsupported", "partly") for verdict, _ in wrong])
    false = _share([verdict.status in ("unsupported", "partly") for verdict, _ in true])
    pairs = [(a > b) + (a == b) / 2 for _, a in wrong for _, b in true]
    return Rates(hit / (hit + false) if hit + false else None, hit, _share(pairs))


def _shares(statuses: Sequence[str]) -> Shares:
    struck, well, nothing = (_share([one == status for one in statuses]) for status in _CALLED)
    return Shares(len(statuses), struck, well, nothing)


_CALLED = ("unsupported", "supported", "unchecked")


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
