"""Labels of a screening in CSV and RIS: written for other programs, and read from what they write.

RIS has labels in notes (`N1`): `ASReview_relevant` as ASReview writes and reads it, and `RAYYAN-INCLUSION: {"Ann"=>
"Included"}`, as Rayyan does, with a `RAYYAN-EXCLUSION-REASONS` of a paper.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.core.errors import InputError, NotFoundError, UsageError, describe_os_error
from conspectus.core.groups import grouped
from conspectus.core.output import csv_line
from conspectus.core.text import line, read_table
from conspectus.export.bibliography import format_ris
from conspectus.records import Paper
from conspectus.records.curation import LONGEST_NAME
from conspectus.records.review_screen import LabelImport, ScreeningChoice, ScreeningStage
from conspectus.review.screen.criteria import LONGEST_CRITERION
from conspectus.review.screen.labels import ABSTRACT, FULL_TEXT, label_entry, last_labels, read_labels
from conspectus.review.screen.state import ScreeningState
from conspectus.review.sql import keep_entries
from conspectus.session.session import Session

MOST_ROWS = 200_000
_AT_ONCE = 200
"""Papers in memory, while records are written."""
_PAPER_COLUMNS = ("paper", "id", "external_id", "doi", "pmid", "arxiv_id", "title")
_LABEL_COLUMNS = ("label", "decision", "included", "asreview_label", "status")
_HEADER = ("paper", "doi", "pmid", "title", "year", "label", "reason", "reviewer", "stage", "resolves", "made")
_CHOICES: dict[str, ScreeningChoice] = {
    **dict.fromkeys(("include", "included", "1", "1.0", "yes", "true", "relevant", "asreview_relevant"), "include"),
    **dict.fromkeys(("exclude", "excluded", "0", "0.0", "no", "false", "irrelevant", "asreview_irrelevant"), "exclude"),
}
_NO_LABEL = ("", "asreview_not_seen", "not_seen", "undecided", "-1", "none")
_ASREVIEW = {"include": "ASReview_relevant", "exclude": "ASReview_irrelevant"}
_RAYYAN_WORDS = {"include": "Included", "exclude": "Excluded"}
_TAG = re.compile(r"([A-Z][A-Z0-9]) {2}- ?(.*)")
_RAYYAN = re.compile(r'"([^"]*)"\s*=>\s*"([^"]*)"')
_RAYYAN_REASONS = re.compile(r"RAYYAN-EXCLUSION-REASONS:\s*([^|]*)")


@dataclass(frozen=True, slots=True)
class FileLabel:
    """A label as a file says it.

    Attributes:
        papers: names of the paper, the surest first.
        is_reason_shared: whether the file has one reason for all who excluded the paper.
    """

    place: str
    papers: tuple[str, ...]
    label: str
    reason: str = ""
    reviewer: str = ""
    stage: str = ABSTRACT
    resolves: bool = False
    is_reason_shared: bool = False


def parse_labels(text: str) -> Iterator[FileLabel]:
    """The labels of a file in RIS or CSV; those without a label are left out.

    Raises:
        InputError: it is neither, or lacks a column.
    """
    text = text.lstrip("\ufeff")
    labels = _ris_labels(text) if re.match(r"\s*(?:TY|ER) {2}-", text) else _csv_labels(text)
    return (label for label in labels if label.label.lower() not in _NO_LABEL)


def _csv_labels(text: str) -> Iterator[FileLabel]:
    try:
        reader = read_table(text)
        names = reader.fieldnames or ()
        column = next((known for known in _LABEL_COLUMNS if known in names), "")
        if not column or not set(_PAPER_COLUMNS) & set(names):
            raise InputError("The file has no columns `paper` and `label`.", "Name them so in the first line.")
        for number, row in enumerate(reader, 2):
            if number > MOST_ROWS:
                raise InputError(f"There are more than {MOST_ROWS:,} labels.", "Give fewer.")
            cells = {name: _plain(value) for name, value in row.items() if name and value}
            papers = tuple(cells[name] for name in _PAPER_COLUMNS if cells.get(name))
            details = cells.get("reason", ""), cells.get("reviewer", ""), cells.get("stage") or ABSTRACT
            resolves = cells.get("resolves", "").lower() in ("true", "1", "yes")
            yield FileLabel(f"line {number}", papers, cells.get(column, ""), *details, resolves)
    except csv.Error as error:
        raise InputError(
            f"The labels cannot be read: {describe_os_error(error)}.", "Give them in CSV or RIS."
        ) from error


def _plain(cell: str) -> str:
    """A cell without the `'` that keeps spreadsheets from computing it."""
    cell = line(cell)
    return cell[1:] if re.match(r"'+[=+\-@]", cell) else cell


def _ris_labels(text: str) -> Iterator[FileLabel]:
    tags: dict[str, list[str]] = {}
    first = 1
    for number, row in enumerate(text.splitlines(), 1):
        match = _TAG.match(row)
        if match is None:
            continue
        tag, value = match[1], line(match[2])
        if tag == "TY":
            tags, first = {}, number
        elif tag == "ER":
            yield from _record_labels(f"line {first}", tags)
            tags = {}
        else:
            tags.setdefault(tag, []).append(value)


def _record_labels(place: str, tags: Mapping[str, Sequence[str]]) -> Iterator[FileLabel]:
    papers = tuple(value for tag in ("ID", "DO", "AN", "TI", "T1") for value in tags.get(tag, ()) if value)
    notes = tags.get("N1", ())
    rayyan = next((note for note in notes if "RAYYAN-INCLUSION" in note), "")
    if rayyan:
        reasons = _RAYYAN_REASONS.search(" | ".join(notes))
        reason = line(reasons[1]) if reasons else ""
        labels = _RAYYAN.findall(rayyan.split("RAYYAN-INCLUSION", 1)[1].split("|")[0])
        excluded = sum(_CHOICES.get(label.lower()) == "exclude" for _, label in labels)
        known = reason if excluded in (1, len(labels)) else ""  # where they disagree, nobody knows whose reason it is
        for reviewer, label in labels:
            yield FileLabel(place, papers, label, known, reviewer, is_reason_shared=excluded > 1)
        return
    for note in notes:
        if note.lower().startswith("asreview_"):
            yield FileLabel(place, papers, note)


def import_labels(
    session: Session, state: ScreeningState, file_labels: Iterable[FileLabel], reviewer: str
) -> LabelImport:
    """Keep the labels of a file behind those that there are; one that says what its reviewer said last is known.

    Args:
        reviewer: of labels that name none.
    """
    last = {
        (label.paper, label.reviewer, label.stage): (label.label, label.reason)
        for label in read_labels(session.catalog, state.review)
    }
    reasons = {known.casefold(): known for known in state.criteria.exclude}
    entries, known = [], 0
    failed: dict[str, str] = {}
    new_reasons: Counter[str] = Counter()
    for label in file_labels:
        choice = _CHOICES.get(label.label.lower())
        stage = _parse_stage(label.stage)
        paper, problem = _find_paper(session, state, label.papers)
        if choice is None or stage is None or not paper:
            noun, value = ("label", label.label) if choice is None else ("stage", label.stage)
            failed[_free(failed, label.place)] = problem or f"'{line(value)[:50]}' is no {noun}."
            continue
        who = line(label.reviewer)[:LONGEST_NAME] or reviewer
        reason = line(label.reason)[:LONGEST_CRITERION] if choice == "exclude" else ""
        reason = reasons.get(reason.casefold(), reason)
        before = last.get((paper, who, stage), ("", ""))
        is_known = reason in ("", before[1]) or (label.is_reason_shared and before[1])  # RIS has fewer reasons
        if before[0] == choice and is_known and not label.resolves:
            known += 1
            continue
        last[paper, who, stage] = (choice, reason)
        new_reasons.update({reason} - {"", *state.criteria.exclude})
        entries.append(label_entry(paper, choice, reason, who, stage, resolves=label.resolves))
    new_entries = keep_entries(session, state.review, entries)
    return LabelImport(len(new_entries), known, failed, new_reasons if state.criteria.exclude else {})


def _parse_stage(text: str) -> ScreeningStage | None:
    """The stage that a file says: `Full text review`, `Title/abstract`; None if it is neither."""
    words = text.strip().lower()
    if words.startswith("full"):
        return FULL_TEXT
    return ABSTRACT if words.startswith(("abstract", "title")) else None


def _free(failed: Mapping[str, str], place: str) -> str:
    """A name for a place that may have several labels."""
    return (
        place
        if place not in failed
        else next(f"{place} ({n})" for n in range(2, 10**6) if f"{place} ({n})" not in failed)
    )


def _find_paper(session: Session, state: ScreeningState, names: Sequence[str]) -> tuple[str, str]:
    """The id of the paper of a screening that has one of these names, or "" and why there is none."""
    problem = "It names no paper."
    for name in names:
        if name in state.keys:
            return name, ""
        try:
            paper = session.paper(name, suggest=False).id
        except NotFoundError as error:
            problem = problem if problem.startswith("'") else error.message
            continue
        if paper in state.keys:
            return paper, ""
        problem = f"'{line(name)[:100]}' is not in the screening."
    return "", problem


def format_labels(session: Session, state: ScreeningState, to: Literal["csv", "ris"]) -> tuple[int, Iterator[str]]:
    """How many papers there are, and their texts: in CSV a row for each label, in RIS a record for each paper."""
    names = list(state.keys)
    return len(names), _csv_rows(session, state) if to == "csv" else _ris_records(session, state)


def _csv_rows(session: Session, state: ScreeningState) -> Iterator[str]:
    yield csv_line(_HEADER)
    labels = read_labels(session.catalog, state.review)
    papers = session.catalog.papers_by_key(
        [state.keys[name] for name in {label.paper for label in labels} if name in state.keys]
    )
    by_id = {paper.id: paper for paper in papers.values()}
    for label in labels:
        paper = by_id.get(label.paper) or Paper(id=label.paper)
        cells = (label.label, label.reason, label.reviewer, label.stage, "yes" if label.resolves else "", label.made)
        yield csv_line((paper.id, paper.doi, paper.pmid, paper.title, paper.year, *cells))


def _ris_records(session: Session, state: ScreeningState) -> Iterator[str]:
    """Records with the decision by title and abstract; papers that are the same work share it."""
    number_of = {paper: number for number, work in enumerate(state.works) for paper in work}
    labels = grouped((number_of[label.paper], label) for label in state.labels if label.paper in number_of)
    for paper in _read_papers(session, [*state.keys.values()]):
        number = number_of[paper.id]
        notes = [_ASREVIEW.get(state.decisions[number].state, "ASReview_not_seen")]
        if number in labels:
            choices = ", ".join(
                f'"{line(who)}"=>"{_RAYYAN_WORDS[label.label]}"' for who, label in last_labels(labels[number]).items()
            )
            reason = state.decisions[number].reason
            notes.append(
                f"RAYYAN-INCLUSION: {{{choices}}}" + (f" | RAYYAN-EXCLUSION-REASONS: {reason}" if reason else "")
            )
        head, _, end = format_ris(paper).rstrip().rpartition("\n")
        yield "\n".join((head, *(f"N1  - {note}" for note in notes), end, "", ""))


def _read_papers(session: Session, keys: Sequence[int]) -> Iterator[Paper]:
    """The papers of these keys that are there, in this order."""
    for at in range(0, len(keys), _AT_ONCE):
        part = keys[at : at + _AT_ONCE]
        paper_by_key = session.catalog.papers_by_key(part)
        yield from (paper_by_key[key] for key in part if key in paper_by_key)


def checked_reviewer(name: str) -> str:
    """A reviewer's name on one line.

    Raises:
        UsageError: nothing is left of it, or it is too long.
    """
    reviewer = line(name)
    if not reviewer or len(reviewer) > LONGEST_NAME:
        raise UsageError(f"A reviewer's name has 1 to {LONGEST_NAME} characters.", "Give another name.")
    return reviewer
