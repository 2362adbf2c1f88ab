"""Sets of answers, ways to answer, and what a judge preferred, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from conspectus.cli import eval_view
from conspectus.cli.state import State
from conspectus.wire.encode import plain

if TYPE_CHECKING:
    from conspectus.evals import Result
    from conspectus.evals.datasets.answer_registry import AnswerEntry
    from conspectus.evals.ways import Way


def sets(state: State, known: Mapping[str, AnswerEntry], ways: Mapping[str, Way]) -> None:
    """The sets and the configurations that can be named."""
    if state.json:
        rows = [{"name": one.name, "about": one.about, "folder": one.folder} for one in known.values()]
        made = [{"name": way.name, "about": way.about, "needs_model": way.needs_model} for way in ways.values()]
        state.out.json("eval-answers", {"sets": rows, "configurations": made})
        return
    wide = max(map(len, [*known, *ways]))
    for one in known.values():
        state.out.line((f"{one.name:<{wide}}", "title"), f"  {one.about}")
    state.out.line(("or a file of questions, asked of your library", "dim"))
    state.out.line()
    for way in ways.values():
        needs = "" if way.needs_model else "; also without a model"
        state.out.line((f"{way.name:<{wide}}", "title"), f"  {way.about}{needs}")


def judged(state: State, result: Result) -> None:
    """Which of two configurations a judge preferred."""
    from conspectus.evals import sign_test

    if state.json:
        state.out.json("eval-judge", {"result": eval_view.brief(result), "test": plain(sign_test(result))})
        return
    eval_view.measured(state, "eval-judge", [result], [], None)
