"""How screenings look in a terminal."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.review_screen import (
        LabelExport,
        LabelImport,
        PrismaCounts,
        ReviewerAgreement,
        Screening,
        ScreeningConflict,
    )

_COEFFICIENTS = {"kappa": "Cohen's κ", "ac1": "Gwet's AC1", "alpha": "Krippendorff's α"}
_CONFLICTS = 20
"""Conflicts that are shown in a terminal."""
_LEAST_TWICE = 5
"""Papers labelled twice from which on coefficients are shown: of fewer a bootstrap interval says nothing."""


def screen(out: Printer, screening: Screening) -> None:
    """How far it is, and the paper that is next."""
    _show_progress(out, screening)
    _show_next(out, screening)


screen_label = screen_next = screen_end = screen


def screen_status(out: Printer, screening: Screening) -> None:
    """The same with conflicts, agreement, the rule and the audit trail."""
    _show_progress(out, screening)
    for conflict in screening.disputed[:_CONFLICTS]:
        _show_conflict(out, conflict, screening.name)
    if (further := max(len(screening.conflicts), len(screening.disputed)) - _CONFLICTS) > 0:
        out.advise(f"{pluralize(further, 'more conflict')}: settle these first, or read them with --json.")
    if screening.agreement:
        _show_agreement(out, screening.agreement)
    out.advise(screening.rule)
    for label in screening.labels:
        more = "; settles the conflict" if label.resolves else ""
        verdict = f"{label.label}{f' ({one_line(label.reason)})' if label.reason else ''}{more}"
        cells = (label.made, label.reviewer, label.stage, label.paper, label.label, label.reason)
        out.row(
            cells, (f"{label.made}  ", "dim"), f"{one_line(label.reviewer)}  {label.paper}  {label.stage}: {verdict}"
        )


def _show_conflict(out: Printer, conflict: ScreeningConflict, name: str) -> None:
    """Which paper, who said what and why, and the command that settles it."""
    paper, on = conflict.paper, " on the full text" if conflict.stage == "full-text" else ""
    out.line()
    out.fold(f"Conflict{on}: {one_line(paper.display_title)}")
    out.line((f"{paper.id}  {' · '.join(filter(None, (paper.byline, str(paper.year or ''), paper.venue)))}", "dim"))
    for label in conflict.labels:
        reason = f"  {one_line(label.reason)}" if label.reason else ""
        style = "good" if label.label == "include" else "bad"
        out.line(f"  {one_line(label.reviewer)}  ", (label.label, style), (f"{reason}  {label.made[:10]}", "dim"))
    stage = " --stage full-text" if on else ""
    out.advise(
        f"Settle it: `review screen label {paper.id} include|exclude --resolve{stage} --name {quote(one_line(name))}`"
    )


def _show_progress(out: Printer, screening: Screening) -> None:
    read = screening.papers - screening.remaining
    out.line((one_line(screening.name), "title"), f"  {read:,} of {pluralize(screening.papers, 'paper')} read")
    counts = f"included {screening.included:,}, excluded {screening.excluded:,}"
    counts += f", waiting for another reviewer {screening.waiting:,}" if screening.waiting else ""
    counts += f", conflicts {len(screening.conflicts):,}" if screening.conflicts else ""
    out.line(counts)
    of = screening.estimate
    if of.missing:
        out.advise(f"Label {pluralize(of.missing, 'more paper')} for an estimate of how many are relevant.")
    elif read:
        interval = f"{of.low:,} that a reviewer included; at most {of.high:,}, with 95 % confidence"
        out.line(f"Relevant in all: about {of.relevant:,} ({interval})")
    if screening.ended:
        out.advise(f"Ended on {screening.ended[:10]}; {pluralize(screening.remaining, 'paper')} unread.")
    elif screening.stop and screening.remaining:
        unread = f"{pluralize(screening.remaining, 'paper')} would stay unread."
        if undecided := screening.waiting + len(screening.conflicts):
            out.line(f"You need read no new papers: {unread}")
            out.advise(f"First finish what was begun: {pluralize(undecided, 'paper')} without a decision.")
        else:
            out.line(("You may stop. ", "good"), unread)
            out.advise(f"Leave them unread: `review screen end {quote(one_line(screening.name))}`")
    for note in screening.notes:
        out.advise(note)


def _show_next(out: Printer, screening: Screening) -> None:
    paper = screening.paper
    if paper is None:
        if screening.stage == "full-text":
            out.advise(f"No full text is left to decide on; included by title and abstract: {screening.included:,}.")
        else:
            out.advise("There is no paper left to screen.")
        return
    out.line()
    out.fold(paper.heading)
    out.line((" · ".join(filter(None, (paper.byline, str(paper.year or ""), paper.venue))), "dim"))
    out.line((f"{paper.id}  next {screening.reason}", "dim"))
    out.fold(paper.abstract or "It has no abstract.", indent=2)
    if screening.same:
        out.line(f"The label counts for {', '.join(screening.same)}, too: the same work.")
    out.line()
    if screening.criteria.question:
        out.fold(screening.criteria.question)
    for text in screening.criteria.include:
        out.line(("+ ", "good"), one_line(text))
    for reason, meaning in screening.criteria.exclude.items():
        out.line(("- ", "bad"), one_line(reason), (f"  {one_line(meaning)}", "dim"))
    given = screening.reviewer not in ("", "user")
    who = quote(one_line(screening.reviewer)) if given else "YOUR-NAME" if screening.criteria.reviewers > 1 else ""
    options = [
        *([f"--stage {screening.stage}"] if screening.stage != "abstract" else []),
        *([f"--reviewer {who}"] if who else []),
        f"--name {quote(one_line(screening.name))}",
    ]
    out.advise(f"Label it: `review screen label {paper.id} include|exclude {' '.join(options)}`")


def _show_agreement(out: Printer, agreement: ReviewerAgreement) -> None:
    who = ", ".join(map(one_line, agreement.reviewers))
    out.line(f"{who}: {agreement.same:,} of {pluralize(agreement.papers, 'paper')} with the same label")
    if agreement.papers < _LEAST_TWICE:
        missing = pluralize(_LEAST_TWICE - agreement.papers, "more paper")
        out.advise(f"κ, AC1 and α need two labels of {missing}.")
        return
    for figure in agreement.figures:
        name = _COEFFICIENTS[figure.name]
        if figure.value is None or figure.low is None or figure.high is None:
            out.line(f"  {name}: not defined for these labels")
        else:
            out.line(f"  {name} {figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})")


def screen_prisma(out: Printer, counts: PrismaCounts) -> None:
    """The counts, or the diagram, or where it was written."""
    if counts.text:
        out.text(counts.text)
        return
    if counts.output:
        out.line(f"Wrote {counts.output}")
        return
    for name, number in counts.sources.items():
        out.line(f"{number:>8,}  records from {one_line(name)}")
    rows = (
        (counts.duplicates, "duplicates removed"),
        (counts.screened, "screened by people"),
        (counts.excluded_by_people, "excluded by people"),
        *((number, f"  {one_line(reason) or 'no reason given'}") for reason, number in counts.excluded_reasons.items()),
        (counts.excluded_by_automation, "excluded by automation, unread"),
        (counts.unscreened, "without a decision"),
        (counts.sought, "reports sought"),
        (counts.not_retrieved, "not retrieved"),
        (counts.assessed, "assessed by full text"),
        (counts.full_text_excluded, "excluded by full text"),
        *(
            (number, f"  {one_line(reason) or 'no reason given'}")
            for reason, number in counts.full_text_reasons.items()
        ),
        (counts.unassessed, "reports without a decision"),
        (counts.included, "studies included"),
    )
    for number, name in rows:
        out.line(f"{number:>8,}  {name}")


def screen_export(out: Printer, export: LabelExport) -> None:
    """The labels, or where they were written."""
    if export.output:
        written = pluralize(export.papers, "paper") if export.format == "ris" else "the labels"
        out.line(f"Wrote {written} to {export.output}")
    else:
        out.text(export.text)


def screen_import(out: Printer, label_import: LabelImport) -> None:
    """How many labels were kept, and which could not be used."""
    known = (
        f"; {label_import.known:,} {'was' if label_import.known == 1 else 'were'} known" if label_import.known else ""
    )
    out.line(f"Kept {pluralize(label_import.labels, 'label')}{known}.")
    for reason, count in label_import.new_reasons.items():
        out.advise(f"The criteria have no reason '{one_line(reason)}'; {pluralize(count, 'label')} kept with it.")
    for place, reason in label_import.failed.items():
        out.line((one_line(place), "bad"), f"  {one_line(reason)}")
