"""How rankings look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.ranks import MOST_CYCLES

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.ranks import PairSide, PairVerdict, PaperRanking, RankPair

CYCLES = 3
"""Cycles that are shown; the JSON has more."""


def rank(out: Printer, ranking: PaperRanking) -> None:
    """The papers with ranks and intervals, and below what to make of them."""
    if ranking.total and not ranking.comparisons:
        out.empty("No pair was compared yet, so there are no ranks.")
    for row in ranking.ranking if ranking.comparisons else ():
        between = f"{row.low}–{row.high}" if row.low is not None else ""
        score = f"{row.score:.2f}" if row.score is not None else ""
        label, title = one_line(row.paper.label), one_line(row.paper.heading or row.paper.display_title)
        cells = (str(row.rank), str(row.low or ""), str(row.high or ""), score, row.paper.id, label, title)
        out.row(
            cells, (f"{row.rank:>4} ", "title"), (f"{between:>9}  {score:>4}  ", "dim"), f"{label}  ", (title, "dim")
        )
    if ranking.comparisons and len(ranking.ranking) < ranking.total:
        part = f"{len(ranking.ranking):,} of {pluralize(ranking.total, 'paper')}"
        out.advise(f"{part}: `review rank show --limit N --offset N {quote(one_line(ranking.name))}` shows others.")
    if ranking.total and (out.width is not None or not (ranking.ranking and ranking.comparisons)):
        _summary(out, ranking)
    for text in (ranking.stopped, ranking.note):
        if text:
            out.advise(text)


rank_add = rank_show = rank


def _summary(out: Printer, ranking: PaperRanking) -> None:
    by = ", ".join(f"{count:,} by {one_line(name)}" for name, count in ranking.judges.items())
    total = f"{ranking.total * (ranking.total - 1) // 2:,} pairs"
    out.fold(f"{one_line(ranking.criterion)}: {pluralize(ranking.comparisons, 'comparison')} of {total}. {by}")
    if bias := ranking.position_bias:
        out.fold(
            f"Position bias: of two equal papers the one shown first is preferred in {0.5 + bias.value:.0%} "
            f"({0.5 + bias.low:.0%} to {0.5 + bias.high:.0%}); ranks are corrected for it."
        )
    if ranking.cycles:
        more = " or more" if len(ranking.cycles) >= MOST_CYCLES else ""
        out.line(f"{pluralize(len(ranking.cycles), 'cycle')}{more} of contradicting verdicts, the shortest:")
        for cycle in ranking.cycles[:CYCLES]:
            out.fold(" > ".join(one_line(ranking.titles[name]) for name in (*cycle, cycle[0])), indent=2)
    for agreement in ranking.agreement:
        out.line(
            f"Agreement with {one_line(agreement.number)}: τ {agreement.tau:.2f} ({agreement.low:.2f} to "
            f"{agreement.high:.2f}; {pluralize(agreement.papers, 'paper')})."
        )
    for hidden in ranking.bias:
        verdict = "more than" if hidden.share > hidden.chance else "no more than"
        out.fold(
            f"Hidden from the judge: {hidden.property} explains {hidden.share:.0%} of the variance of ranks, {verdict} "
            f"chance does (up to {hidden.chance:.0%}; {pluralize(hidden.papers, 'paper')})."
        )


def rank_next(out: Printer, pair: RankPair) -> None:
    """Both papers, and how to answer."""
    if pair.first is None or pair.second is None:
        out.line(f"No pair is left: {pluralize(pair.comparisons, 'comparison')} of {pair.budget}.")
        return
    out.line((f"{one_line(pair.criterion)}: pair {pair.comparisons + 1} of {pair.budget}", "title"))
    for name, side in (("first", pair.first), ("second", pair.second)):
        _side(out, name, side)
    papers = f"{pair.first.paper} {pair.second.paper}"
    out.advise(f"Answer with `review rank answer {papers} first|second|tie|skip {quote(one_line(pair.name))}`.")


rank_answer = rank_next


def _side(out: Printer, name: str, side: PairSide) -> None:
    out.line((f"{name}  ", "dim"), (one_line(side.title), "title"), (f"  {side.paper}", "dim"))
    out.fold(side.text, indent=2)


def rank_verdicts(out: Printer, verdicts: Sequence[PairVerdict]) -> None:
    """Each comparison with its reason and its sentences."""
    for verdict in verdicts:
        labels = one_line(verdict.first.label), one_line(verdict.second.label)
        winner = {"first": labels[0], "second": labels[1]}.get(verdict.preferred, verdict.preferred)
        out.line(f"{labels[0]} or {labels[1]}: ", (winner, "title"), (f"  {one_line(verdict.by)}", "dim"))
        if verdict.reason:
            out.fold(verdict.reason, indent=2)
        for citation in verdict.citations:
            out.fold(f"“{citation.quote}” {citation.marker}", indent=4)
    if not verdicts:
        out.line("The paper was not compared yet.")
