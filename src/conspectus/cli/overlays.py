"""An overlay of the map, as the terminal shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.cli.describe import counted
from conspectus.cli.printer import Printer, one_line
from conspectus.cli.typed import typed

if TYPE_CHECKING:
    from conspectus.records.atlas import Modes, Overlay, OverlayRegion

MIDDLE = 1
KINDS = {"one": "They stand in one place", "two": "They stand in two places", "spread": "They are spread over the map"}


def tell_overlay(out: Printer, found: Overlay) -> None:
    """What is shown, and what that is in each region, those with the greatest values first."""
    since = f", since {found.since}" if found.since is not None else ""
    out.line((one_line(f"{found.name}{since}"), "title"), (f"  {one_line(found.legend.meaning)}", "dim"))
    texts = sum(value == value for value in found.values.tolist())  # noqa: PLR0124 - NaN
    ends = f", from {found.legend.low:.4g} to {found.legend.high:.4g}" if _has_range(found) else ""
    out.line(f"{texts} of {counted(len(found), found.of[:-1])}{ends}")
    if found.modes:
        _modes(out, found.modes, found)
    for step in found.path:
        out.line((f"{step.year}  ", "title"), f"{counted(step.papers, 'paper')} at {step.x:.1f}, {step.y:.1f}")
    rows = [row for row in found.regions if row.level == MIDDLE]
    for row in sorted(rows, key=lambda row: -(row.value if row.value is not None else float("-inf"))):
        told = f"  {_value(found, row)} · {counted(row.texts, found.of[:-1])}"
        out.line((f"{row.id:>4}  ", "dim"), (one_line(row.name), "title"), (told, "dim"))
    for note in found.notes:
        out.fold(typed(note))


def _has_range(found: Overlay) -> bool:
    return found.kind == "number" and found.legend.low is not None


def _modes(out: Printer, told: Modes, found: Overlay) -> None:
    names = {row.id: row.name for row in found.regions}
    places = "; ".join(f"{group.texts} about {names.get(group.region, '')}" for group in told.groups)
    out.line(one_line(f"{KINDS[told.kind]}{': ' if places else ''}{places}."))


def _value(found: Overlay, row: OverlayRegion) -> str:
    if row.value is None:
        return "none"
    if found.since is not None and row.before is not None and row.after is not None:
        return f"{row.value:+.1%} ({row.before:.1%} before, {row.after:.1%} after)"
    if found.kind == "number":
        return f"{row.value:.4g} {found.legend.unit}".rstrip()
    return one_line(f"{row.value:.1%} {row.category}".strip())
