"""Results kept, found again, and held against each other."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.evaluation import (
    Configuration,
    Environment,
    Result,
    ResultStore,
    ScoredQuestion,
    Snapshot,
    against_baseline,
    compare,
    estimates,
    lowest,
)


def result(scores: Sequence[float | None], name: str = "default", dataset: str = "set", **more: Any) -> Result:
    questions = tuple(
        ScoredQuestion(
            f"q{n}", f"question {n}", {} if score is None else {"RR": score}, {"a": 1}, ("a", "b"), {"note": "ü\x1b"}
        )
        for n, score in enumerate(scores)
    )
    given: dict[str, Any] = {
        "library": Snapshot("/somewhere", 3, 9, 1, "abc"),
        "settings": {"search.k": 10, "models.embedder": "minilm", "search.dense_weight": 0.7, "parse.linked": True},
        "made": "2026-01-01T00:00:00+00:00",
        **more,
    }
    return Result(
        kind="retrieval",
        dataset=dataset,
        configuration=Configuration(name, {"search.rerank": "0"}),
        environment=Environment("0", "", ""),
        metrics=("RR",),
        aggregates=estimates(questions, ["RR"]),
        questions=questions,
        **given,
    )


def test_a_result_comes_back_as_it_was(tmp_path: Path) -> None:
    """Else what was measured cannot be looked at again."""
    store = ResultStore(tmp_path / "results")
    kept = store.save(result([1.0, None, 0.5]))
    assert kept.id.startswith("ev-") and store.get(kept.id) == kept
    assert store.get(kept.id[3:6]) == store.get("last") == kept
    assert store.save(result([1.0, None, 0.5])).id == kept.id, "the same is kept once"
    (head,) = store.heads()
    assert (head.id, head.aggregates["RR"].count) == (kept.id, 2)


def test_the_newest_comes_first(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    first, second = (store.save(result([1.0], made=f"2026-01-0{day}T00:00:00+00:00")) for day in (1, 2))
    assert [head.id for head in store.heads()] == [second.id, first.id]
    assert store.get("last") == second


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "none")
    assert store.heads() == []
    for name in ("last", "ev-00000000", "ffff"):
        with pytest.raises(NotFoundError, match="no result"):
            store.get(name)
    kept = ResultStore(tmp_path)
    for number in range(40):
        kept.save(result([number / 40]))
    with pytest.raises(NotFoundError, match="can mean"):
        kept.get("ev-")


def test_files_that_are_no_results_are_no_harm(tmp_path: Path) -> None:
    """One damaged file must not hide the others."""
    store = ResultStore(tmp_path)
    kept = store.save(result([1.0]))
    (tmp_path / "ev-damaged.json").write_text('{"schema": "conspectus.eval-result/1", "resu', "utf-8")
    (tmp_path / "ev-later.json").write_text(
        (tmp_path / f"{kept.id}.json").read_text("utf-8").replace("result/1", "result/9")
    )
    assert [head.id for head in store.heads()] == [kept.id]
    with pytest.raises(InputError, match="ev-damaged"):
        store.get("ev-damaged")
    with pytest.raises(InputError, match="another version"):
        store.get("ev-later")


def test_differences_are_question_by_question() -> None:
    found = compare(result([0.0, 0.5, 1.0, 0.2]), result([1.0, 0.5, 0.5, 0.2]))
    (difference,) = found.differences
    assert difference.mean == pytest.approx(0.125) and difference.count == 4
    assert [(one.id, one.before, one.after) for one in found.changed] == [("q2", 1.0, 0.5), ("q0", 0.0, 1.0)]
    assert found.warnings == ()


def test_a_score_that_one_lacks_is_not_counted() -> None:
    """A metric may not apply to a question: precision where nothing was answered."""
    found = compare(result([1.0, None, 0.0]), result([0.0, 1.0, 0.0]))
    assert found.differences[0].count == 2
    assert result([None]).aggregates == {} and compare(result([None]), result([1.0])).differences == ()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (result([0.0, 0.5, 1.0]), "only in the first"),
        (result([0.0, 0.5], library=Snapshot("/elsewhere", 4, 9, 1, "other")), "library was not the same"),
        (result([0.0, 0.5], dataset="another"), "sets are two"),
        (replace(result([0.0, 0.5]), kind="self"), "of the kind"),
        (result([0.0, 0.5], depth=10), "Rankings of 0 papers"),
        (replace(result([]), questions=(ScoredQuestion("q0", "other words", {"RR": 1.0}),)), "0 are in both"),
    ],
    ids=["questions", "library", "set", "kind", "depth", "words"],
)
def test_what_cannot_be_compared_is_told(other: Result, said: str) -> None:
    """Else two figures are held against each other that have nothing to do with each other."""
    first = result([0.0, 0.5, 1.0][: 4 if said == "" else 2])
    assert any(said in warning for warning in (*compare(other, first).warnings, *compare(first, other).warnings))


def test_every_configuration_against_the_baseline_and_over_all_sets() -> None:
    """The union has the questions of all sets, each counting the same."""
    runs = [
        result([0.0] * 3, "base", "small"),
        result([1.0] * 3, "new", "small"),
        result([0.5] * 9, "base", "large"),
        result([0.5] * 9, "new", "large"),
    ]
    found = {one.dataset: one for one in against_baseline(runs, "base")}
    assert {name: one.differences[0].mean for name, one in found.items()} == {
        "small": 1.0,
        "large": 0.0,
        "all sets": pytest.approx(0.25),
    }
    assert found["all sets"].differences[0].count == 12
    assert all((one.first, one.second) == ("base", "new") for one in found.values())
    assert against_baseline(runs[:1], "base") == []
    with pytest.raises(UsageError, match="no configuration 'none'"):
        against_baseline(runs, "none")


def test_failures_are_the_lowest() -> None:
    found = lowest(result([0.5, None, 0.0, 1.0, 0.0]), 3)
    assert [one.id for one in found] == ["q2", "q4", "q0"]
    with pytest.raises(UsageError, match="no metric 'AP'"):
        lowest(result([1.0]), 1, "AP")
