"""Results of measurements as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.cli.failure import typed
from conspectus.cli.state import State
from conspectus.core.text import pluralize
from conspectus.faces.printer import Part, Printer, one_line
from conspectus.wire.encode import plain

if TYPE_CHECKING:
    from conspectus.evaluation import Difference, QuestionSet, Result, ResultComparison, ScoredQuestion
    from conspectus.evaluation.configurations import AnswerConfig
    from conspectus.evaluation.question_sets import SetReader
    from conspectus.evaluation.records import ResultHead
    from conspectus.records.graph import GraphVerdict

_CELL = 15
_SHOWN = 3
"""Papers found that a failure shows."""


def print_sets(
    state: State, known: Mapping[str, SetReader[Any]], other: str, ways: Mapping[str, AnswerConfig] | None = None
) -> None:
    """The installed sets, what else is one, and the configurations of answers."""
    rows = [{"name": reader.name, "about": reader.about, "folder": reader.folder} for reader in known.values()]
    configurations = [
        {"name": way.name, "about": way.about, "needs_model": way.needs_model} for way in (ways or {}).values()
    ]
    state.tell(
        lambda: {"sets": rows, **({"configurations": configurations} if ways else {})},
        lambda out: _sets(out, known, other, ways or {}),
    )


def _sets(out: Printer, known: Mapping[str, SetReader[Any]], other: str, ways: Mapping[str, AnswerConfig]) -> None:
    from conspectus.evaluation import MORE_SETS

    width = max(map(len, [*known, *ways]), default=0)
    for reader in known.values():
        out.line((f"{reader.name:<{width}}", "title"), f"  {reader.about}")
    out.line((other, "dim"))
    if not known:
        out.fold(typed(MORE_SETS))
    if ways:
        out.line()
    for way in ways.values():
        needs = "" if way.needs_model else "; also without a model"
        out.line((f"{way.name:<{width}}", "title"), f"  {way.about}{needs}")


def print_results(
    state: State,
    results: Sequence[Result],
    compared: Sequence[ResultComparison],
    verdicts: Sequence[GraphVerdict] = (),
) -> None:
    """What a run measured: each set with its configurations, then their union; and what that says of the graph."""
    body = {"results": [brief(result) for result in results], "comparisons": plain(compared)}
    if verdicts:
        body |= {"verdicts": [{**plain(verdict), "gains": verdict.gains} for verdict in verdicts]}

    def show(out: Printer) -> None:
        _measured(out, results, compared)
        for verdict in verdicts:
            out.line("gains: " if verdict.gains else "does not gain: ", str(verdict))

    state.tell(lambda: body, show)


def print_question_files(state: State, file: Path, sets: Sequence[QuestionSet]) -> None:
    """What questions were written to a file."""
    rows = [
        {"set": question_set.dataset, "about": question_set.about, "questions": len(question_set.questions)}
        for question_set in sets
    ]

    def show(out: Printer) -> None:
        for question_set in sets:
            out.line((question_set.dataset, "title"), f" · {pluralize(len(question_set.questions), 'question')}")
            for text in (question_set.about, *question_set.notes):
                out.fold(typed(text))
        out.line((str(file), "dim"))

    state.tell(lambda: {"file": str(file), "sets": rows}, show)


def _measured(out: Printer, results: Sequence[Result], compared: Sequence[ResultComparison]) -> None:
    for name in dict.fromkeys(result.dataset for result in results):
        set_results = [result for result in results if result.dataset == name]
        _set(out, set_results, [comparison for comparison in compared if comparison.dataset == name])
    union = [comparison for comparison in compared if comparison.dataset not in {result.dataset for result in results}]
    if union:
        out.line((union[0].dataset, "title"), ", every question counting the same")
        for comparison in union:
            _against(
                out,
                comparison,
                _wide(results),
                [difference.metric for difference in comparison.differences],
                labelled=True,
            )
        out.line()
    if compared:
        out.line(("95 % bootstrap intervals; p of the paired bootstrap; * p < 0.05, ** p < 0.01, *** p < 0.001", "dim"))
    out.line((f"kept as {', '.join(result.id for result in results)}", "dim"))


def brief(result: Result) -> dict[str, Any]:
    """A result without its questions."""
    body: dict[str, Any] = plain(result)
    return {name: value for name, value in body.items() if name != "questions"} | {"questions": len(result.questions)}


def print_result_list(state: State, rows: Sequence[ResultHead]) -> None:
    """The results that were kept."""
    state.tell(lambda: {"results": plain(rows)}, lambda out: _heads(out, rows))


def _heads(out: Printer, rows: Sequence[ResultHead]) -> None:
    for row in rows:
        metric = row.metrics[0] if row.metrics else ""
        aggregate = row.aggregates.get(metric)
        score = f"{metric} {aggregate.mean:.3f} ({aggregate.count})" if aggregate else ""
        parts = [row.id, row.made[:16].replace("T", " "), row.kind, row.dataset, row.configuration.name, score]
        out.row(parts, "  ".join(parts))
    if not rows:
        out.empty("There are no results yet: `conspectus eval retrieval` and `conspectus eval self` make some.")


def print_result(state: State, result: Result, failures: Sequence[ScoredQuestion], metric: str) -> None:
    """One result; with the questions that went worst, where they are asked for."""
    titles = _titles(result, failures)
    body = (
        {"failures": [{**plain(question), "titles": _titles_of(question, titles)} for question in failures]}
        if failures
        else {}
    )

    def show(out: Printer) -> None:
        _set(out, [result], [])
        for name, value in _origin(result):
            out.line((f"{name:<14}", "dim"), one_line(value))
        for question in failures:
            _failure(out, question, metric or result.metrics[0], titles)

    state.tell(lambda: {"result": plain(result), **body}, show)


def print_comparison(state: State, first: Result, second: Result, comparison: ResultComparison) -> None:
    """One result against another."""
    state.tell(
        lambda: {"first": brief(first), "second": brief(second), "comparison": plain(comparison)},
        lambda out: _diff(out, first, second, comparison),
    )


def _diff(out: Printer, first: Result, second: Result, comparison: ResultComparison) -> None:
    for result in (first, second):
        out.line(
            (result.id, "title"),
            f"  {result.label} · {result.made} · {result.environment.conspectus} {_short(result)}".rstrip(),
        )
    for name in _different_settings(first, second):
        out.line((name, "dim"))
    for warning in comparison.warnings:
        out.fold(f"Not comparable as they are: {warning}")
    if comparison.differences:
        out.line()
        _header(out, 1, [difference.metric for difference in comparison.differences])
        _against(out, comparison, 1, [difference.metric for difference in comparison.differences], labelled=False)
    for change in comparison.changed:
        style = "good" if change.after > change.before else "bad"
        out.line(f"{change.before:.2f} → ", (f"{change.after:.2f}", style), f"  {one_line(change.question)}")
    if comparison.differences and not comparison.changed:
        out.line("No question has another score.")


def _set(out: Printer, results: Sequence[Result], compared: Sequence[ResultComparison]) -> None:
    """The configurations on one set."""
    first = results[0]
    library_size = f" · {first.library.papers} papers" if first.library else ""
    out.line((first.dataset, "title"), f" · {pluralize(len(first.questions), 'question')}{library_size}")
    if first.about:
        out.fold(first.about)
    width = _wide(results)
    metrics = list(dict.fromkeys(name for result in results for name in result.metrics))
    _header(out, width, metrics)
    for result in results:
        aggregates = [result.aggregates.get(name) for name in metrics]
        means = [f"{aggregate.mean:.3f}" if aggregate else "-" for aggregate in aggregates]
        spans = [f"{aggregate.low:.3f}–{aggregate.high:.3f}" if aggregate else "" for aggregate in aggregates]
        out.line((f"{result.configuration.name:<{width}}", "title"), "".join(f"{cell:>{_CELL}}" for cell in means))
        out.line((" " * width + "".join(f"{cell:>{_CELL}}" for cell in spans), "dim"))
    for against in compared:
        _against(out, against, width, metrics, labelled=True)
    for note in dict.fromkeys(note for result in results for note in result.notes):
        out.fold(typed(note))
    out.line()


def _wide(results: Sequence[Result]) -> int:
    """Room for the names of configurations and of differences."""
    longest = max(len(one_line(result.configuration.name)) for result in results)
    return 2 * longest + 3 if len({result.configuration.name for result in results}) > 1 else longest


def _header(out: Printer, wide: int, metrics: Sequence[str]) -> None:
    out.line((" " * wide + "".join(f"{name:>{_CELL}}" for name in metrics), "dim"))


def _against(out: Printer, compared: ResultComparison, wide: int, metrics: Sequence[str], *, labelled: bool) -> None:
    """One configuration minus another: the differences, their intervals, and p."""
    by_name = {difference.metric: difference for difference in compared.differences}
    name = f"{compared.second} − {compared.first}" if labelled else ""
    if not by_name:
        return
    differences = [by_name.get(metric) for metric in metrics]
    out.line(f"{name:<{wide}}", *[_difference(difference) for difference in differences])
    spans = [f"{difference.low:+.3f}…{difference.high:+.3f}" if difference else "" for difference in differences]
    out.line((" " * wide + "".join(f"{cell:>{_CELL}}" for cell in spans), "dim"))
    out.line(
        (
            f"{'p':>{wide}}"
            + "".join(f"{f'{difference.p:.4f}' if difference else '':>{_CELL}}" for difference in differences),
            "dim",
        )
    )


def _difference(difference: Difference | None) -> Part:
    if difference is None:
        return " " * _CELL
    stars = "***" if difference.p < 0.001 else "**" if difference.p < 0.01 else "*" if difference.p < 0.05 else ""
    text = f"{f'{difference.mean:+.3f}{stars}':>{_CELL}}"
    return (text, "good" if difference.mean > 0 else "bad") if stars else text


def _failure(out: Printer, scored: ScoredQuestion, metric: str, titles: Mapping[str, str]) -> None:
    out.line()
    out.line((f"{scored.scores[metric]:.2f}", "bad"), f"  {one_line(scored.id)}")
    out.fold(scored.question, indent=6)
    for name in list(scored.relevant)[:_SHOWN]:
        place = scored.ranking.index(name) + 1 if name in scored.ranking else 0
        where = f"rank {place}" if place else "not found"
        out.fold(f"relevant, {where}: {_paper(name, titles)}", indent=6)
    if (more := len(scored.relevant) - _SHOWN) > 0:
        out.line(f"and {more} more that are relevant", indent=6)
    wrong = [name for name in scored.ranking if name not in scored.relevant][:_SHOWN]
    for name in wrong:
        out.fold(f"found, rank {scored.ranking.index(name) + 1}: {_paper(name, titles)}", indent=6)
    for name, value in scored.details.items():
        out.fold(f"{name}: {value}", indent=6)


def _paper(name: str, titles: Mapping[str, str]) -> str:
    return f"{name}  {titles[name]}" if titles.get(name) else name


def _titles_of(scored: ScoredQuestion, titles: Mapping[str, str]) -> dict[str, str]:
    names = [*scored.relevant, *scored.ranking]
    return {name: titles[name] for name in names if name in titles}


def _titles(result: Result, scored: Sequence[ScoredQuestion]) -> dict[str, str]:
    """The titles of papers that failures show, where the library is still there; results keep none."""
    from conspectus.evaluation.libraries import titles

    names = [
        name for question in scored for name in (*list(question.relevant)[:_SHOWN], *question.ranking[: 4 * _SHOWN])
    ]
    return titles(result, dict.fromkeys(names))


def _origin(result: Result) -> list[tuple[str, str]]:
    """Where a result comes from, without what is empty."""
    library = result.library
    rows = [
        ("id", f"{result.id} ({result.kind}, {result.run})"),
        ("made", f"{result.made}, seed {result.seed}" + (f", depth {result.depth}" if result.depth else "")),
        ("by", f"{result.environment.versions} {_short(result)}".strip()),
        ("models", ", ".join(result.models)),
        ("prompts", ", ".join(result.prompts)),
        ("settings", ", ".join(f"{key}={value}" for key, value in result.configuration.overrides.items())),
    ]
    if library:
        rows.append(
            (
                "library",
                f"{library.folder}, {library.passages} passages, content {library.content}, change {library.change}",
            )
        )
    return [row for row in rows if row[1]]


def _short(result: Result) -> str:
    git = result.environment.git
    return f"git {git[:10]}{'+' if git.endswith('+') else ''}" if git else ""


def _different_settings(first: Result, second: Result) -> list[str]:
    keys = [key for key in {**first.settings, **second.settings} if first.settings.get(key) != second.settings.get(key)]
    return [f"{key}: {first.settings.get(key, 'not there')} → {second.settings.get(key, 'not there')}" for key in keys]
