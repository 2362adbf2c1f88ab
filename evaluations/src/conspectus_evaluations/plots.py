"""A picture of results: metrics with intervals, and retrieval curves with the area under them (P9)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conspectus.core.disk import explain_write_errors
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.evaluation.records import Result
from conspectus.evaluation.retrieval import REMEDY, area, curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ENDINGS = (".png", ".svg", ".pdf")
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Notice apart also by the colour-blind (Okabe and Ito 2008)."""


def plot(results: Sequence[Result], path: Path) -> None:
    """Write a picture: for each set a row, its metrics on the left, and on the right, where papers were ranked, the
    share of relevant papers among the first k.

    Raises:
        UsageError: the file's name does not end in .png, .svg or .pdf, it cannot be written, or there are no results.
        UnavailableError: matplotlib is not installed.
        LibraryError: the disk is full.
    """
    if not results:
        raise UsageError("There are no results to plot.")
    check_plot(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sets = list(dict.fromkeys(result.dataset for result in results))
    ranked = any(one.ranking for result in results for one in result.questions)
    figure = Figure(figsize=(12 if ranked else 7, 3.6 * len(sets)), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.subplots(len(sets), 2 if ranked else 1, squeeze=False)
    for row, name in zip(axes, sets, strict=True):
        mine = [result for result in results if result.dataset == name]
        _metrics(row[0], mine)
        if ranked:
            _curves(row[1], mine)
    with explain_write_errors(path):
        figure.savefig(path, dpi=150, metadata=_without_date(path))


def check_plot(path: Path) -> None:
    """See, before anything is measured, that a plot can be made.

    Raises:
        UsageError: the file's name does not end in .png, .svg or .pdf.
        UnavailableError: matplotlib is not installed.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"A plot cannot be written as '{path.name}'.", f"Its name ends in {', '.join(ENDINGS)}.")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        raise UnavailableError("Plots are made by matplotlib, which is not installed.", REMEDY) from error


def _metrics(axes: Axes, results: Sequence[Result]) -> None:
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    step = 0.8 / len(results)
    for number, result in enumerate(results):
        there = [(place, result.aggregates[name]) for place, name in enumerate(names) if name in result.aggregates]
        places = [place + (number - (len(results) - 1) / 2) * step for place, _ in there]
        means = [found.mean for _, found in there]
        errors = [[found.mean - found.low for _, found in there], [found.high - found.mean for _, found in there]]
        label, colour = result.configuration.name, _COLOURS[number % len(_COLOURS)]
        axes.errorbar(places, means, yerr=errors, fmt="o", markersize=4, capsize=2, label=label, color=colour)
    axes.set_xticks(range(len(names)), names, rotation=20)
    axes.set_ylim(0, 1.02)
    axes.grid(axis="y", alpha=0.3)
    count = len(results[0].questions)
    axes.set_title(f"{results[0].dataset}: {count} questions, mean and 95 % interval", fontsize=10)
    axes.legend(fontsize=8)


def _curves(axes: Axes, results: Sequence[Result]) -> None:
    most = max(1, *(result.depth for result in results))
    for number, result in enumerate(results):
        relevants = [one.relevant for one in result.questions]
        rankings = [one.ranking for one in result.questions]
        shares = curve(relevants, rankings, most)
        areas = [area(one.relevant, one.ranking, most) for one in result.questions]
        label = f"{result.configuration.name} (AUC {sum(areas) / max(len(areas), 1):.3f})"
        axes.plot(range(1, most + 1), shares, label=label, color=_COLOURS[number % len(_COLOURS)])
    axes.set_xscale("log")
    axes.set_xlim(1, most)
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3)
    axes.set_xlabel("papers looked at")
    axes.set_ylabel("share of relevant papers found")
    axes.set_title(f"{results[0].dataset}: retrieval curve (area: k = 1 to {most}, all k alike)", fontsize=10)
    axes.legend(fontsize=8)


def _without_date(path: Path) -> dict[str, Any]:
    """So that the same results make the same bytes."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower(), {})
