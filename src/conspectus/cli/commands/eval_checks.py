"""`eval checks`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from conspectus.cli.app import verb
from conspectus.cli.commands.eval import data_option, eval_verb
from conspectus.cli.polite import step_back
from conspectus.cli.progress_display import showing
from conspectus.cli.state import State
from conspectus.faces.printer import Printer
from conspectus.wire.encode import plain

if TYPE_CHECKING:
    from conspectus.evaluation.checks import CheckReport, DetectionRates


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
    found = judge_of(judge, state.flags)
    with showing(state):
        measured = evaluate_checks(folder, half, found.judge, found.name, limit=limit or 0, last=found.close)
    state.tell(lambda: _body(measured), lambda out: _print_report(out, measured))


def _body(found: CheckReport) -> dict[str, object]:
    last = "both" if found.judge else "rules"
    kinds = {
        kind: {**plain(ways[last]), "statements": found.counts[kind], **{way: plain(one) for way, one in ways.items()}}
        for kind, ways in found.kinds.items()
    }
    said = {"half": found.half, "judge": found.judge, "kinds": kinds}
    return {**said, "true": plain(found.true), "called_supported": dict(found.called_supported)}


def _print_report(out: Printer, found: CheckReport) -> None:
    ways = list(found.called_supported)

    def line(name: str, cells: Iterable[str], count: object) -> None:
        out.line(f"{name:<22}", *(f"{cell:>20}" for cell in cells), f"{count:>12}" if count else "")

    out.line((f"{found.half} half, judge: {found.judge or 'none'}", "title"))
    line("precision, recall, AUC", ways, "statements")
    for kind, rates in found.kinds.items():
        line(kind, (_rates(rates[way]) for way in ways), found.counts[kind])
    out.line()
    line("struck out, supported", ways, "")
    for kind, shares in found.true.items():
        told = (f"{shares[way].struck_out:.1%} {shares[way].supported:>7.1%}" for way in ways)
        line(kind, told, found.counts[kind])
    for way, count in found.called_supported.items():
        out.line(f"natural errors called supported ({way}): {count}")


def _rates(one: DetectionRates) -> str:
    precision = "    –" if one.precision is None else f"{one.precision:.3f}"
    return f"{precision} {one.recall:.3f} {one.auc:.3f}"
