"""A picture of a ranking: each paper's rank with its 95 % interval."""

from __future__ import annotations

from pathlib import Path

from conspectus.core.disk import explain_write_errors, user_path
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.records.ranks import PaperRanking

ENDINGS = (".svg", ".png", ".pdf")
_ROW, _WIDE, _LEAST, _MOST_LABELS = 0.22, 9.0, 2.5, 120
"""Inches of a row and of the picture's width, and its least height; more papers than that are drawn without names."""
_DPI = 150


def draw_ranking(ranking: PaperRanking, file: Path) -> None:
    """Write ranks with their intervals to a .svg, .png or .pdf file.

    Raises:
        UsageError: another ending, or the file cannot be written.
        UnavailableError: matplotlib is not installed.
    """
    path = user_path(file)
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"'{file}' does not end in {', '.join(ENDINGS)}.", "Give the picture one of these endings.")
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        remedy = "Install it: pip install 'conspectus[atlas]'."
        raise UnavailableError("Rankings are drawn by matplotlib, which is not installed.", remedy) from error
    rows = ranking.ranking
    has_names = len(rows) <= _MOST_LABELS
    high = max(_LEAST, _ROW * len(rows) + 1) if has_names else _WIDE
    figure = Figure(figsize=(_WIDE, high), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for row in rows:
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [row.rank, row.rank], color="#8aa6c1", linewidth=3 if has_names else 1)
    axes.plot([row.rank for row in rows], [row.rank for row in rows], "o", color="#1d4e79", markersize=4)
    axes.set_ylim(len(rows) + 0.5, 0.5)
    axes.set_xlabel("rank, with the 95 % interval" if any(row.low for row in rows) else "rank")
    if has_names:
        axes.set_yticks([row.rank for row in rows], [row.paper.label[:48] for row in rows], parse_math=False)
    axes.set_title(f"{ranking.criterion[:80]}: {ranking.comparisons:,} comparisons", parse_math=False, fontsize=11)
    axes.grid(axis="x", alpha=0.3)
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with explain_write_errors(path):
        figure.savefig(path, dpi=_DPI, metadata=undated)
