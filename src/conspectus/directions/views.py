"""How directions look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.directions import (
        AssociationReport,
        Direction,
        DirectionComparison,
        DirectionList,
        DirectionMatch,
        DirectionReport,
        DirectionText,
        SimilarityReport,
    )

PARTS, TOLD = 12, 5
"""Parts of a similarity and new directions that are shown; the JSON has all."""
LEAST = 0.005
"""Parts below this are not shown in a terminal."""


def build(out: Printer, found: DirectionList) -> None:
    """How they were trained, and the directions."""
    total = len(found.directions) + found.hidden
    out.line(
        (pluralize(total, "direction"), "title"),
        (f" of {found.of}  trained on {found.trained:,}, up to {found.active} active in each · {found.made}", "dim"),
    )
    out.fold(
        f"{found.recurring} recur in another training; {found.dead} were never active and are left out. They rebuild "
        f"{1 - found.unexplained:.0%} of the variance of the vectors."
    )
    if found.continued is not None:
        new = ", ".join(found.new[:TOLD])
        told = f" New ones: {one_line(new)}." if new else ""
        out.fold(f"{found.continued} continue from before, and {found.gone} do not.{told}")
    list(out, found)


def list(out: Printer, found: DirectionList) -> None:
    """A line for each direction."""
    for one in found.directions:
        _row(out, one)
    if found.hidden and out.width is not None:
        out.advise(f"{found.hidden} do not recur in another training and are hidden: `directions list hidden=True`.")
    for note in found.notes:
        out.advise(note)


def _row(out: Printer, one: Direction, before: str = "") -> None:
    auc = "" if one.auc is None else f"{one.auc:.2f}"
    cells = (
        str(one.id),
        one_line(one.label),
        str(one.texts),
        auc,
        f"{one.recurrence:.2f}",
        one_line(", ".join(one.terms)),
    )
    words = ", ".join(term for term in one.terms if term not in one.label)
    out.row(
        cells,
        f"{before}{one.id:>5}  ",
        (one_line(one.label), "title"),
        (f"  {one.texts:,} · AUC {auc or '?'} · {one_line(words)}", "dim"),
    )


def search(out: Printer, matches: Sequence[DirectionMatch]) -> None:
    """The best first, each with how well it fits."""
    for match in matches:
        _row(out, match.direction, f"{match.score:.2f} ")
    if not matches and out.width is not None:
        out.line("No direction fits these words.")


def show(out: Printer, report: DirectionReport) -> None:
    """The direction, its strongest sentences, near misses, and its relatives."""
    one = report.direction
    auc = (
        "its label was not tested"
        if one.auc is None
        else f"its label tells its texts from others with an AUC of {one.auc:.2f}"
    )
    out.line((f"{one.id}  {one_line(one.label)}", "title"))
    out.fold(f"Active in {one.texts:,} texts; {auc}. Recurrence in another training: {one.recurrence:.2f}.")
    out.fold(f"Words: {one_line(', '.join(one.terms))}")
    for heading, texts in (("Strongest", report.strongest), ("Near misses", report.near_misses)):
        out.line((heading, "title"))
        for text in texts:
            _text(out, text)
    if report.related:
        related = "; ".join(f"{one_line(other.label)} ({other.share:.0%})" for other in report.related)
        out.fold(f"Often active with it: {related}")


def _text(out: Printer, text: DirectionText) -> None:
    mark = "" if text.has_label else "  (no word of the label)"
    year = f" ({text.year})" if text.year else ""
    out.line((f"{text.activation:.2f}  ", "dim"), f"{one_line(text.title)}{year}", (f"  {text.paper}{mark}", "dim"))
    if text.sentence:
        out.fold(one_line(text.sentence), indent=6)


def explain(out: Printer, report: SimilarityReport) -> None:
    """The similarity as a sum."""
    out.line((one_line(report.left), "title"))
    if report.right != report.left:
        out.line((one_line(report.right), "title"))
    out.line(f"{report.similarity:7.3f}  similarity (cosine), which is the sum of")
    out.line((f"{report.shared:7.3f}  what all texts of the library share", "dim"))
    shown = [part for part in report.parts if abs(part.value) >= LEAST][:PARTS]
    for part in shown:
        out.line(f"{part.value:7.3f}  ", one_line(part.direction.label), (f"  {part.direction.id}", "dim"))
    others = report.parts[len(shown) :]
    if others:
        out.line((f"{sum(part.value for part in others):7.3f}  {pluralize(len(others), 'other direction')}", "dim"))
    out.line((f"{report.rest:7.3f}  the rest, which no direction explains", "dim"))


def compare(out: Printer, found: DirectionComparison) -> None:
    """The differences, the surest first."""
    left, right = one_line(found.left), one_line(found.right)
    out.line((f"{left}: {found.left_papers:,} papers   {right}: {found.right_papers:,} papers", "title"))
    within = f" within the same {' and '.join(found.within)}" if found.within else ""
    out.fold(
        f"{len(found.differences)} of {found.tested} directions differ{within} (false discovery rate {found.fdr:g})."
    )
    for one in found.differences:
        side = left if one.odds_ratio > 1 else right
        shares = f"{one.left_share:6.1%} {one.right_share:6.1%}  "
        ratio = f"  odds × {one.odds_ratio:.2f} ({one.low:.2f}–{one.high:.2f}), q {one.q:.2g}, more in {side}"
        cells = (
            str(one.direction.id),
            one_line(one.direction.label),
            str(one.left),
            str(one.right),
            f"{one.odds_ratio:.3g}",
            f"{one.q:.3g}",
        )
        out.row(cells, shares, (one_line(one.direction.label), "title"), (ratio, "dim"))
    for note in found.notes:
        out.advise(note)


def predict(out: Printer, found: AssociationReport) -> None:
    """The associations, confirmed ones first."""
    within = f" of the same {' and '.join(found.within)}" if found.within else ""
    later = f", {found.later:,} of {found.since} and later" if found.since else ""
    out.line((f"{found.number.capitalize()} of {found.papers:,} papers, {found.held_out:,} held out{later}", "title"))
    if found.explained is not None:
        also = "" if found.explained_later is None else f", and {found.explained_later:.1%} in later years"
        out.fold(f"All directions together predict {found.explained:.1%} of the variance in papers held out{also}.")
    out.fold(f"{len(found.associations)} of {found.tested} directions go with it (false discovery rate {found.fdr:g}).")
    for one in found.associations:
        held_out, latest = (f"{value:.2f}" if value is not None else "–" for value in (one.held_out, one.later))
        sure = "" if one.confirmed else ", not confirmed"
        details = (
            f"  as many as others{within} ({one.low:.2f}–{one.high:.2f}); held out × {held_out}, later × {latest}{sure}"
        )
        cells = (
            str(one.direction.id),
            one_line(one.direction.label),
            f"{one.ratio:.3g}",
            f"{one.q:.3g}",
            held_out,
            latest,
            str(one.confirmed),
        )
        out.row(cells, f"× {one.ratio:.2f}  ", (one_line(one.direction.label), "title"), (details, "dim"))
    for note in found.notes:
        out.advise(note)
