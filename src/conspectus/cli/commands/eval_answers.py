"""`eval answers` and `eval checks`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from conspectus.cli import eval_view
from conspectus.cli.app import verb
from conspectus.cli.commands.eval import (
    baseline_option,
    check_baseline,
    compare_option,
    compared_in,
    config_option,
    data_option,
    eval_verb,
    finish,
    limit_option,
    results_option,
    seed_option,
    store_results,
    work_option,
)
from conspectus.cli.options import stack
from conspectus.cli.progress import showing, step_back
from conspectus.cli.state import State
from conspectus.faces.printer import Printer
from conspectus.wire.encode import plain

if TYPE_CHECKING:
    from conspectus.evaluation import AnswerSet, Configuration, Sampling
    from conspectus.evaluation.checks import CheckReport, DetectionRates


asking_options = stack(
    click.option("--model", metavar="NAME", help="Language model of all roles, as the setting language.model."),
    config_option,
    data_option,
    limit_option,
    click.option(
        "--others",
        type=click.IntRange(min=0),
        metavar="N",
        help="Keep only N of the set's papers that answer no question, drawn at random.",
    ),
    click.option("--own", "own_library", is_flag=True, help="Ask the library of --library, not the set's papers."),
    seed_option,
    work_option,
    results_option,
)
"""The options of every measurement of answers."""


@verb("answers", of=eval_verb)
@click.argument("datasets", nargs=-1, metavar="DATASET…")
@compare_option("default,no-evidence,blind")
@baseline_option
@asking_options
def answers_verb(state: State, /, datasets: tuple[str, ...], **chosen: Any) -> int:
    """Measure answers on sets of questions whose answers are known.

    DATASET is the name of an installed set, or your own file, asked of your library: a question a line, or JSON Lines
    with question, options, right, answerable, papers. Without one the installed sets and configurations are listed.

    It measures choices among options, "unsure" among them (accuracy: right of all; precision: right of those sure),
    refusals, and citations. Without a language model answers are made of quotes, and what needs one is left out.
    Results are stored; `conspectus eval show` lists them.

    The exit code is 1 if some questions gave nothing usable, 3 if all questions of a result did, or if a model is
    missing.
    """
    from conspectus.evaluation import (
        ANSWER_CONFIGS,
        evaluate_answers,
        known_answer_sets,
        load_answers,
        select_answer_configs,
    )

    if not datasets:
        eval_view.print_sets(
            state, known_answer_sets(), "or a file of questions, asked of your library", ANSWER_CONFIGS
        )
        return 0
    ways = select_answer_configs(compared_in(chosen), _custom_configurations(chosen))
    check_baseline(chosen, [way.name for way in ways])
    sets = [load_answers(name, chosen["data"]) for name in dict.fromkeys(datasets)]
    sampling = _sampling(state, sets, chosen)
    results = evaluate_answers(sets, ways, sampling, flags=_flags(state, chosen), work=chosen["work"])
    return finish(state, *store_results(state, chosen, results), chosen)


def _custom_configurations(chosen: dict[str, Any]) -> list[Configuration]:
    from conspectus.evaluation import configuration

    return [configuration(text) for text in chosen["own"]]


def _flags(state: State, chosen: dict[str, Any]) -> dict[str, str]:
    return {**state.flags, **({"language.model": chosen["model"]} if chosen["model"] else {})}


def _sampling(state: State, sets: list[AnswerSet], chosen: dict[str, Any]) -> Sampling:
    """Of the options; a file of questions is asked of the user's own library.

    Raises:
        NotFoundError: that is not there.
    """
    from conspectus.evaluation import Sampling, known_answer_sets

    is_own_library = chosen["own_library"] or any(answer_set.name not in known_answer_sets() for answer_set in sets)
    if is_own_library:
        with state.library():  # one that is not there is told as by every verb
            pass
    return Sampling(chosen["limit"] or 0, chosen["others"], chosen["seed"], state.folder if is_own_library else None)


@verb("checks", of=eval_verb)
@click.option(
    "--judge",
    metavar="NAME",
    help="A language model, onnx:FOLDER, `perfect` (knows the labels) or `none` (default: as the settings say).",
)
@click.option(
    "--half",
    type=click.Choice(["open", "sealed", "all"]),
    default="open",
    show_default=True,
    help="Half of our own statements; SciFact belongs to `open`. Do not look at single statements of `sealed`.",
)
@data_option
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Use N statements of each kind.")
def checks_verb(
    state: State, /, judge: str | None, half: Literal["open", "sealed", "all"], data: Path | None, limit: int | None
) -> None:
    """Measure how statements are checked: by rules, a judge, and both.

    The statements are 200 paraphrases of sentences of papers, 200 errors of eight kinds written as scientists write,
    errors planted in the same sentences by rule, and SciFact's claims. The papers are read from --data.

    For each kind of error it shows precision (as if there were as many true statements), recall and AUC; for true
    statements, how many are struck out. In JSON the rates of a kind are those of `both`; without a judge, of `rules`.
    """
    from conspectus.evaluation.checks import evaluate_checks, judge_of
    from conspectus.evaluation.question_sets import data_folder

    folder = data_folder(data)
    step_back()
    opened_judge = judge_of(judge, state.flags)
    with showing(state):
        report = evaluate_checks(
            folder, half, opened_judge.judge, opened_judge.name, limit=limit or 0, last=opened_judge.close
        )
    state.tell(lambda: _body(report), lambda out: _print_report(out, report))


def _body(report: CheckReport) -> dict[str, object]:
    last = "both" if report.judge else "rules"
    kinds = {
        kind: {
            **plain(ways[last]),
            "statements": report.counts[kind],
            **{way: plain(rates) for way, rates in ways.items()},
        }
        for kind, ways in report.kinds.items()
    }
    body = {"half": report.half, "judge": report.judge, "kinds": kinds}
    return {**body, "true": plain(report.true), "called_supported": dict(report.called_supported)}


def _print_report(out: Printer, report: CheckReport) -> None:
    ways = list(report.called_supported)

    def line(name: str, cells: Iterable[str], count: object) -> None:
        out.line(f"{name:<22}", *(f"{cell:>20}" for cell in cells), f"{count:>12}" if count else "")

    out.line((f"{report.half} half, judge: {report.judge or 'none'}", "title"))
    line("precision, recall, AUC", ways, "statements")
    for kind, rates in report.kinds.items():
        line(kind, (_rates(rates[way]) for way in ways), report.counts[kind])
    out.line()
    line("struck out, supported", ways, "")
    for kind, shares in report.true.items():
        row_cells = (f"{shares[way].struck_out:.1%} {shares[way].supported:>7.1%}" for way in ways)
        line(kind, row_cells, report.counts[kind])
    for way, count in report.called_supported.items():
        out.line(f"natural errors called supported ({way}): {count}")


def _rates(rates: DetectionRates) -> str:
    precision = "    –" if rates.precision is None else f"{rates.precision:.3f}"
    return f"{precision} {rates.recall:.3f} {rates.auc:.3f}"
