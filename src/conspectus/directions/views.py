"""How directions look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.directions import describe_certainty

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

LISTED_WORDS = 6
"""Words of a direction in a list."""
PARTS, TOLD = 12, 5
"""Parts of a similarity and new directions that are shown; the JSON has all."""
LEAST = 0.005
"""Parts below this are not shown in a terminal."""


def build(out: Printer, direction_list: DirectionList) -> None:
    """How they were trained, and the directions."""
    total = len(direction_list.directions) + direction_list.hidden
    out.line(
        (pluralize(total, "direction"), "title"),
        (
            f" of {direction_list.of}  trained on {direction_list.trained:,}, "
            f"up to {direction_list.active} active in each · {direction_list.made}",
            "dim",
        ),
    )
    out.fold(
        f"{direction_list.recurring} recur in another training; {direction_list.dead} were never active and are left "
        "out. They rebuild "
        f"{1 - direction_list.unexplained:.0%} of the variance of the vectors."
    )
    if direction_list.continued is not None:
        new = ", ".join(direction_list.new[:TOLD])
        news = f" New ones: {one_line(new)}." if new else ""
        out.fold(f"{direction_list.continued} continue from before, and {direction_list.gone} do not.{news}")
    list(out, direction_list)


def list(out: Printer, direction_list: DirectionList) -> None:
    """A line for each direction."""
    for direction in direction_list.directions:
        _row(out, direction)
    if direction_list.hidden and out.width is not None:
        out.advise(
            f"{direction_list.hidden} do not recur in another training and are hidden: `directions list hidden=True`."
        )
    for note in direction_list.notes:
        out.advise(note)


def _row(out: Printer, direction: Direction, before: str = "") -> None:
    auc = "" if direction.auc is None else f"{direction.auc:.2f}"
    cells = (
        str(direction.id),
        one_line(direction.label),
        str(direction.texts),
        auc,
        f"{direction.recurrence:.2f}",
        one_line(", ".join(direction.terms)),
    )
    words = ", ".join([term for term in direction.terms if term not in direction.label][:LISTED_WORDS])
    out.row(
        cells,
        f"{before}{direction.id:>5}  ",
        (one_line(direction.label), "title"),
        (f"  {_join(f'{direction.texts:,}', describe_certainty(direction), one_line(words))}", "dim"),
    )


def _join(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def search(out: Printer, matches: Sequence[DirectionMatch]) -> None:
    """The best first, each with how well it fits."""
    for match in matches:
        _row(out, match.direction, f"{match.score:.2f} ")
    if not matches:
        out.empty("No direction fits these words.")


def show(out: Printer, report: DirectionReport) -> None:
    """The direction, its strongest sentences, near misses, and its relatives."""
    direction = report.direction
    auc = (
        "its label was not tested"
        if direction.auc is None
        else f"its label tells its texts from others with an AUC of {direction.auc:.2f}"
    )
    out.line((f"{direction.id}  {one_line(direction.label)}", "title"))
    out.fold(f"Active in {direction.texts:,} texts; {auc}. Recurrence in another training: {direction.recurrence:.2f}.")
    out.fold(f"Words: {one_line(', '.join(direction.terms))}")
    for heading, texts in (("Strongest", report.strongest), ("Near misses", report.near_misses)):
        out.line((heading, "title"))
        for text in texts:
            _text(out, text)
    if report.related:
        related = "; ".join(
            f"{one_line(other.label)} ({_join(f'{other.share:.0%}', describe_certainty(other))})"
            for other in report.related
        )
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
    parts = [part for part in report.parts if abs(part.value) >= LEAST][:PARTS]
    for part in parts:
        out.line(
            f"{part.value:7.3f}  ",
            one_line(part.direction.label),
            (f"  {_join(str(part.direction.id), describe_certainty(part.direction))}", "dim"),
        )
    others = report.parts[len(parts) :]
    if others:
        out.line((f"{sum(part.value for part in others):7.3f}  {pluralize(len(others), 'other direction')}", "dim"))
    out.line((f"{report.rest:7.3f}  the rest, which no direction explains", "dim"))


def compare(out: Printer, comparison: DirectionComparison) -> None:
    """The differences, the surest first."""
    left, right = one_line(comparison.left), one_line(comparison.right)
    out.line((f"{left}: {comparison.left_papers:,} papers   {right}: {comparison.right_papers:,} papers", "title"))
    within = f" within the same {' and '.join(comparison.within)}" if comparison.within else ""
    out.fold(
        f"{len(comparison.differences)} of {comparison.tested} directions differ{within} "
        f"(false discovery rate {comparison.fdr:g})."
    )
    for difference in comparison.differences:
        side = left if difference.more == "left" else right
        shares = f"{difference.left_share:6.1%} {difference.right_share:6.1%}  "
        interval = f"{difference.low:.2f}–{difference.high:.2f}"
        ratio = f"  odds × {difference.odds_ratio:.2f} ({interval}), q {difference.q:.2g}, more active in {side}"
        ratio = _join(ratio, describe_certainty(difference.direction))
        cells = (
            str(difference.direction.id),
            one_line(difference.direction.label),
            str(difference.left),
            str(difference.right),
            f"{difference.odds_ratio:.3g}",
            f"{difference.q:.3g}",
        )
        out.row(cells, shares, (one_line(difference.direction.label), "title"), (ratio, "dim"))
    for note in comparison.notes:
        out.advise(note)


def predict(out: Printer, report: AssociationReport) -> None:
    """The associations, confirmed ones first."""
    within = f" of the same {' and '.join(report.within)}" if report.within else ""
    later = f", {report.later:,} of {report.since} and later" if report.since else ""
    out.line(
        (f"{report.number.capitalize()} of {report.papers:,} papers, {report.held_out:,} held out{later}", "title")
    )
    if report.explained is not None:
        also = "" if report.explained_later is None else f", and {report.explained_later:.1%} in later years"
        out.fold(f"All directions together predict {report.explained:.1%} of the variance in papers held out{also}.")
    confirmed = sum(association.confirmed for association in report.associations)
    out.fold(
        f"{len(report.associations)} of {report.tested} directions go with it (false discovery rate {report.fdr:g}), "
        f"{confirmed} of them also in the papers held out."
    )
    for association in report.associations:
        held_out, latest = (
            f"{value:.2f}" if value is not None else "–" for value in (association.held_out, association.later)
        )
        sure = "" if association.confirmed else ", not confirmed"
        interval = f"{association.low:.2f}–{association.high:.2f}"
        details = f"  as many as others{within} ({interval}); held out × {held_out}, later × {latest}{sure}"
        details = _join(details, describe_certainty(association.direction))
        cells = (
            str(association.direction.id),
            one_line(association.direction.label),
            f"{association.ratio:.3g}",
            f"{association.q:.3g}",
            held_out,
            latest,
            str(association.confirmed),
        )
        out.row(
            cells, f"× {association.ratio:.2f}  ", (one_line(association.direction.label), "title"), (details, "dim")
        )
    for note in report.notes:
        out.advise(note)
