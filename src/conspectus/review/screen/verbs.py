"""Screen papers for a systematic review: what to read next, labels of reviewers, when to stop, PRISMA counts.

Modules that need SQLAlchemy, numpy or scikit-learn are imported by the verbs, so that help is fast.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conspectus.core.disk import read_text, user_path
from conspectus.core.errors import InputError, NotFoundError, UsageError, describe_os_error
from conspectus.core.output import Output, writing_to
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import PaperFilters, PaperName
from conspectus.records import Filters
from conspectus.records.review_screen import (
    LabelExport,
    LabelImport,
    PrismaCounts,
    PrismaFormat,
    Screening,
    ScreeningChoice,
    ScreeningStage,
)
from conspectus.store.facets import filtered_paper_ids

if TYPE_CHECKING:
    from conspectus.review.screen.state import ScreeningState

_TEXT: dict[str, Any] = {"faces": ("http",), "max_length": 10_000_000}
ScreeningName = Annotated[
    str, Option("Name or id of a screening (default: the one changed last).", metavar="NAME", max_length=1000)
]
Reviewer = Annotated[str, Option("Who screens.", metavar="NAME", max_length=1000, example="ann")]
Stage = Annotated[ScreeningStage, Option("Screening by title and abstract, or by full text.")]
LabelFormat = Annotated[Literal["csv", "ris"], Option("Format.")]
ScreeningFile = Annotated[
    Output, Option("File to write, instead of printing it.", short="o", metavar="FILE", faces=("cli",))
]


def _import_code(label_import: LabelImport) -> int:
    return int(bool(label_import.failed))


class ScreenVerbs(VerbGroup, name="review"):
    """Screening of papers by criteria."""

    @verb("review screen", http="POST /reviews/screenings", writes=True)
    def screen(
        self,
        criteria: Annotated[
            str | Path | Mapping[str, Any],
            Option("TOML file with criteria.", metavar="CRITERIA", faces=("cli",), absent=""),
        ] = "",
        *,
        criteria_text: Annotated[
            str,
            Option(
                "Criteria in TOML.", example='include = ["Trials"]\n[exclude]\n"no trial" = "Reviews, letters"', **_TEXT
            ),
        ] = "",
        name: Annotated[
            str, Option("Name of the screening (default: that of the file).", metavar="NAME", max_length=1000)
        ] = "",
        filters: PaperFilters = None,
    ) -> Screening:
        """Screen papers by criteria for inclusion and exclusion.

        The words of the criteria determine the first order, and each label improves it. No language model is used. Run
        it again with the same name to change the criteria, or to add new papers; labels stay.

        Shell:
            CRITERIA has `question = "…"`, `include = ["…", "…"]`, and below `[exclude]` lines such as `"no trial" =
            "Reviews, letters"`. `reviewers = 2` asks for two labels for each paper; `decides = "ann"` says whose label
            counts.

        Raises:
            UsageError: there are no criteria, or a part of them is of another form.
            InputError: the file cannot be read.
        """
        from conspectus.review import sql
        from conspectus.review.screen.criteria import criteria_table, read_criteria

        parsed, default_name = read_criteria(criteria, criteria_text)
        name = name or default_name or "Screening"
        review = sql.find_of_name(self.session.catalog, "screen", name)
        filters = filters or Filters()
        paper_ids = filtered_paper_ids(self.session.catalog, filters)
        spec = {"criteria": criteria_table(parsed), **sql.filters_spec(filters)}
        if review:
            sql.add_papers(self.session, review, paper_ids)
            review = sql.change_review(self.session, review, spec={**review.spec, **spec})
        else:
            review = sql.create_review(self.session, "screen", name, spec, paper_ids)
        notes = () if paper_ids else ("No paper passes these filters.",)
        return self._describe(review, notes=notes)

    @verb("review screen next", http="GET /reviews/screenings/{name}/next", tool="screen_next")
    def screen_next(
        self, name: ScreeningName = "", *, reviewer: Reviewer = "user", stage: Stage = "abstract"
    ) -> Screening:
        """Show the paper to screen next, with the criteria.

        It is the paper most likely to be relevant, judging by the labels so far. If several reviewers have to label
        each paper, those that others have labelled come first; their labels are not shown.

        Raises:
            NotFoundError: there is no such screening.
            UnavailableError: scikit-learn is not installed.
        """
        return self._describe(self._find_screening(name), reviewer, stage)

    @verb("review screen label", http="POST /reviews/screenings/{name}/labels", writes=True)
    def screen_label(
        self,
        paper: PaperName,
        label: Annotated[ScreeningChoice, Option("Whether it is in the review.", metavar="include|exclude")],
        *,
        reason: Annotated[
            str, Option("Reason for exclusion, as the criteria name it.", metavar="REASON", max_length=2000)
        ] = "",
        reviewer: Reviewer = "user",
        stage: Stage = "abstract",
        resolve: Annotated[bool, Option("Settle a conflict: this label counts.")] = False,
        name: ScreeningName = "",
    ) -> Screening:
        """Label a paper, and show the one to screen next.

        A label is never overwritten: each reviewer's last one counts, and `review screen status --audit` lists all. It
        counts for other papers that are the same work, too, such as a preprint and its article.

        Raises:
            NotFoundError: there is no such screening, or it does not have this paper.
            UsageError: the criteria have no such reason, or a reason was given for an inclusion.
        """
        from conspectus.review.screen.criteria import find_reason, parse_criteria
        from conspectus.review.screen.files import checked_reviewer
        from conspectus.review.screen.labels import label_entry
        from conspectus.review.screen.state import load_state
        from conspectus.review.sql import keep_entries, papers_of

        review, who = self._find_screening(name), checked_reviewer(reviewer)
        if reason and label == "include":
            raise UsageError("A reason was given for an inclusion.", "Reasons are for exclusions.")
        known = find_reason(parse_criteria(review.spec.get("criteria", {})), reason)
        screened_paper = self.session.paper(paper)
        entry = label_entry(screened_paper.id, label, known, who, stage, resolves=resolve)
        if screened_paper.id not in papers_of(self.session.catalog, review) or not keep_entries(
            self.session, review, [entry]
        ):
            raise NotFoundError(
                f"'{screened_paper.heading}' is not in the screening '{review.name}'.",
                "`review screen` adds papers to it.",
            )
        notes: tuple[str, ...] = ()
        if stage == "full-text" and not load_state(self.session, review).is_included(screened_paper.id):
            notes = (f"'{screened_paper.heading}' is not included by title and abstract; the label counts once it is.",)
        return self._describe(review, who, stage, notes=notes)

    @verb("review screen status", http="GET /reviews/screenings/{name}", tool="screen_status")
    def screen_status(
        self,
        name: ScreeningName = "",
        *,
        reviewer: Reviewer = "user",
        audit: Annotated[bool, Option("List every label that was given, by whom and when.")] = False,
    ) -> Screening:
        """Show the progress of a screening: decisions, conflicts, reviewers' agreement, what is left, whether to stop.

        Raises:
            NotFoundError: there is no such screening.
        """
        return self._describe(self._find_screening(name), reviewer, agreement=True, audit=audit)

    @verb("review screen end", http="POST /reviews/screenings/{name}/end", writes=True)
    def screen_end(
        self,
        name: ScreeningName = "",
        *,
        undo: Annotated[bool, Option("Continue the screening.")] = False,
    ) -> Screening:
        """End a screening: papers without a label stay unread, and PRISMA counts them as excluded by automation.

        Raises:
            NotFoundError: there is no such screening.
        """
        from conspectus.review.sql import change_review
        from conspectus.store.connection import utc_now

        review = self._find_screening(name)
        spec = {key: value for key, value in review.spec.items() if key != "ended"}
        ended = {} if undo else {"ended": review.spec.get("ended") or utc_now()}
        return self._describe(change_review(self.session, review, spec=spec | ended))

    @verb("review screen prisma", http="GET /reviews/screenings/{name}/prisma")
    def screen_prisma(
        self,
        name: ScreeningName = "",
        *,
        to: Annotated[PrismaFormat, Option("Draw the diagram, or give the counts, in this format.")] = "",
        output: ScreeningFile = "",
    ) -> PrismaCounts:
        """Count records for a PRISMA 2020 flow diagram, and draw it.

        Records are counted by database, register or file. Those excluded by automation are counted separately from
        those excluded by people. A label at the stage `full-text` is a decision on a report.

        Shell:
            The extension of FILE determines the format if `--to` does not: .svg, .html or .json.

        Raises:
            NotFoundError: there is no such screening.
            UsageError: there is no such format, or the file cannot be written.
        """
        from conspectus.review.screen import prisma

        counts = prisma.count_prisma(self.session, self._screening_state(name))
        if not to and isinstance(output, str | Path) and str(output):
            suffix = Path(output).suffix.lower().removeprefix(".")
            if suffix not in ("svg", "html", "json"):
                raise UsageError(f"'{output}' ends in no format of a diagram.", "Give .svg, .html or .json.")
            to = suffix  # type: ignore[assignment]
        if not to:
            return counts
        draw = {"svg": prisma.prisma_svg, "html": prisma.prisma_html, "json": prisma.prisma_json}
        text, written = _write([draw[to](counts)], output)
        return replace(counts, output=written, text=text)

    @verb("review screen export", http="GET /reviews/screenings/{name}/labels", schema="review.screen.export")
    def screen_export(
        self, name: ScreeningName = "", *, to: LabelFormat = "csv", output: ScreeningFile = ""
    ) -> LabelExport:
        """Export labels: in CSV a row for each label, in RIS a record for each paper, as ASReview and Rayyan read them.

        Raises:
            NotFoundError: there is no such screening.
            UsageError: the file cannot be written.
        """
        from conspectus.review.screen.files import format_labels

        papers, texts = format_labels(self.session, self._screening_state(name), to)
        text, written = _write(texts, output)
        return LabelExport(to, papers, written, text)

    @verb(
        "review screen import", http="POST /reviews/screenings/{name}/labels/file", writes=True, exit_code=_import_code
    )
    def screen_import(
        self,
        labels: Annotated[
            str | Path, Option("File with labels, in CSV or RIS.", metavar="LABELS", faces=("cli",), absent="")
        ] = "",
        *,
        labels_text: Annotated[
            str, Option("Labels in CSV (`paper`, `label`, `reason`, `reviewer`) or RIS.", **_TEXT)
        ] = "",
        reviewer: Annotated[
            str, Option("Who gave the labels that name no reviewer.", metavar="NAME", max_length=1000, example="ann")
        ] = "user",
        name: ScreeningName = "",
    ) -> LabelImport:
        """Import labels from CSV, or from RIS of ASReview or Rayyan. Existing labels stay.

        A column with a paper (`paper`, `doi`, `pmid` or `title`) and one with a `label` are needed; `reason`,
        `reviewer` and `stage` are optional. What cannot be used is listed.

        Shell:
            The exit code is 1 if some labels could not be used.

        Raises:
            NotFoundError: there is no such screening.
            InputError: the file cannot be read, or lacks a column.
        """
        from conspectus.review.screen.files import checked_reviewer, import_labels, parse_labels

        state, who = self._screening_state(name), checked_reviewer(reviewer)
        if not (labels or labels_text):
            raise UsageError("There are no labels.", "Give a file in CSV or RIS.")
        try:
            text = labels_text or read_text(user_path(labels))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"The labels cannot be read: {describe_os_error(error)}.", "Give a file in CSV or RIS, in UTF-8."
            ) from error
        return import_labels(self.session, state, parse_labels(text), who)

    def _find_screening(self, name: str) -> Any:
        from conspectus.review.sql import find_review

        return find_review(self.session, "screen", name)

    def _screening_state(self, name: str) -> ScreeningState:
        from conspectus.review.screen.state import load_state

        return load_state(self.session, self._find_screening(name))

    def _describe(
        self,
        review: Any,
        reviewer: str = "user",
        stage: ScreeningStage = "abstract",
        *,
        agreement: bool = False,
        audit: bool = False,
        notes: tuple[str, ...] = (),
    ) -> Screening:
        from conspectus.review.screen.files import checked_reviewer
        from conspectus.review.screen.state import describe_screening

        who = checked_reviewer(reviewer)
        screening = describe_screening(self.session, review, who, stage, agreement=agreement, audit=audit)
        return replace(screening, notes=(*notes, *screening.notes))


def _write(texts: Any, output: Output) -> tuple[str, str]:
    """Write texts; the text if there is no file, and the name of the file if there is one."""
    if output == "":
        stream = io.StringIO()
        stream.writelines(texts)
        return stream.getvalue(), ""
    with writing_to(output) as target:
        for text in texts:
            target.write(text)
    return "", str(output)
