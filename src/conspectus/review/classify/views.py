"""How classifications look in a terminal."""

from __future__ import annotations

import csv
import io
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.declare import Option
from conspectus.records.review import NONE

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.review import (
        CategoryChoice,
        CategoryCollections,
        Classification,
        ClassificationCheck,
        ClassifiedPaper,
        Interval,
    )

_WIDEST = 14
"""Characters of a category's name in a table."""


def classify(out: Printer, classification: Classification) -> None:
    """How many papers each category has, then the papers, and what could not be used."""
    name = f"{one_line(classification.name)}: " if classification.name else ""
    by = f"  by {classification.by}" if classification.by else ""
    out.line((f"{name}{pluralize(classification.total, 'paper')}", "title"), (by, "dim"))
    for category, count in classification.counts.items():
        out.line((f"{count:>7}  ", "dim"), "none fits" if category == NONE else one_line(category))
    out.line()
    for item in classification.papers:
        _show_paper(out, item)
    if classification.by == "vectors" and 2 * classification.counts.get(NONE, 0) > classification.total:
        out.advise("Most papers fit no category. Describe categories more fully, give examples, or lower `--least`.")
    if classification.next:
        name = quote(one_line(classification.name))
        out.advise(f"`review classify show {name} --after {classification.next}` shows more papers.")
    for place, reason in classification.failed.items():
        out.line((one_line(place), "bad"), f"  {one_line(reason)}")
    if classification.left:
        out.advise(f"{pluralize(classification.left, 'paper')} without a decision. Run it again to go on.")
    for note in (classification.stopped, *classification.notes):
        if note:
            out.advise(note)


def classify_show(
    out: Printer,
    classification: Classification,
    *,
    csv: Annotated[bool, Option("Print a table in CSV: paper, title, category, probability, by, sentence.")] = False,
) -> None:
    """The same, or a table in CSV."""
    if csv:
        _print_csv(out, classification)
    else:
        classify(out, classification)


def classify_correct(out: Printer, classification: Classification) -> None:
    """What the paper's categories are now."""
    for item in classification.papers:
        _show_paper(out, item)


def classify_collect(out: Printer, category_collections: CategoryCollections) -> None:
    """What was put where."""
    for name, count in category_collections.collections.items():
        out.line(f"{pluralize(count, 'paper')} in the collection {one_line(name)}")
    if not category_collections.collections:
        out.line("No paper has one of these categories.")


def _show_paper(out: Printer, item: ClassifiedPaper) -> None:
    out.fold(item.paper.heading)
    for choice in item.categories:
        _show_choice(out, choice, item.by)
    if not item.categories:
        out.line(("none fits", "dim"), (f"  {item.by}", "dim"), indent=2)
        if item.closest:
            _show_choice(out, item.closest, "closest")


def _show_choice(out: Printer, choice: CategoryChoice, by: str) -> None:
    chance = "" if choice.probability is None else f"  {choice.probability:.0%}"
    out.line((one_line(choice.name), "match"), chance, (f"  {by}", "dim"), indent=2)
    for citation in choice.citations:
        out.fold(f"“{citation.quote}” {citation.marker}", indent=4)


def _print_csv(out: Printer, classification: Classification) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("paper", "title", "category", "probability", "by", "sentence"))
    for item in classification.papers:
        for choice in item.categories or (None,):
            name, chance = (choice.name, choice.probability) if choice else (NONE, None)
            quote = " ".join(citation.quote for citation in choice.citations) if choice else ""
            probability = "" if chance is None else f"{chance:.3f}"
            writer.writerow(
                [_safe(cell) for cell in (item.paper.id, item.paper.title, name, probability, item.by, quote)]
            )
    out.text(stream.getvalue())


def _safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = one_line(cell)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def classify_check(out: Printer, check: ClassificationCheck) -> None:
    """Accuracy, the figures of each category, the confusion table, and the disagreements side by side."""
    if check.accuracy is None:
        out.advise("No paper with a label was classified by what had not learnt from it.")
    else:
        _show_figures(out, check)
    for disagreement in check.disagreements:
        out.line()
        out.fold(disagreement.paper.heading)
        for side, choices in (("label", disagreement.labels), ("given", disagreement.categories)):
            for choice in choices:
                _show_choice(out, choice, side)
            if not choices:
                out.line(f"none fits  {side}", indent=2)
    if check.left_out:
        out.advise(f"{pluralize(check.left_out, 'label')} left out: not classified, or learnt from.")
    for place, reason in check.failed.items():
        out.line((one_line(place), "bad"), f"  {one_line(reason)}")


def _show_figures(out: Printer, check: ClassificationCheck) -> None:
    """Accuracy, the figures of each category, and the confusion table."""
    out.line((f"Accuracy {check.accuracy:.1%}", "title"), _between(check.accuracy_interval), f"  of {check.papers}")
    if check.decided is not None and check.decided < 1 and check.decided_accuracy is not None:
        out.line(f"{check.decided:.0%} were given a category, {check.decided_accuracy:.1%} of these rightly.")
    if check.calibration_error is not None:
        out.line(f"Expected calibration error {check.calibration_error:.3f}")
    out.line()
    for item in check.classes:
        shares = (("precision", item.precision, item.precision_interval), ("recall", item.recall, item.recall_interval))
        out.line(
            f"{one_line(item.name)[:_WIDEST]:<{_WIDEST}}",
            *(f"  {name} {_percent(value)}{'' if value is None else _between(among)}" for name, value, among in shares),
        )
    out.line()
    names = [*(one_line(item.name)[:_WIDEST] for item in check.classes), "none"]
    out.line((f"{'label / given':<{_WIDEST}}" + "".join(f" {name:>{_WIDEST}}" for name in names), "dim"))
    for name, row in zip(names, check.confusion, strict=True):
        out.line(f"{name:<{_WIDEST}}" + "".join(f" {count:>{_WIDEST}}" for count in row))


def _percent(value: float | None) -> str:
    return "    –" if value is None else f"{value:5.1%}"


def _between(interval: Interval) -> str:
    return f" ({interval[0]:.0%} to {interval[1]:.0%})"
