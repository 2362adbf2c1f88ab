"""How reviews look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.review import NOUNS

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.review import Review


def list(out: Printer, reviews: Sequence[Review]) -> None:
    """A line a review."""
    for review in reviews:
        name = one_line(review.name)
        count = "" if review.kind == "report" else pluralize(review.papers, "paper")  # it searches them all
        columns = (review.id, review.kind, str(review.papers), review.updated, name)
        out.row(columns, (review.id, "dim"), f"  {NOUNS[review.kind]:<14}  {count:>12}  ", name)
    if not reviews:
        out.empty('There is none yet: conspectus review rank --by "CRITERION"')


def rename(out: Printer, review: Review) -> None:
    """What it is called now."""
    out.line(f"The {NOUNS[review.kind]} is called {one_line(review.name)} now.")


def delete(out: Printer, review: Review) -> None:
    """What was deleted."""
    out.line(f"Deleted the {NOUNS[review.kind]} {one_line(review.name)}. Its papers stay.")
