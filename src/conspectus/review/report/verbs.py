"""Find contradictions between papers, and write reports whose statements are bound to their sentences."""

from __future__ import annotations

from typing import Annotated, Literal

from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget, ModelName, PaperFilters, Progressing, QuestionFilters, UseCache
from conspectus.records import Filters
from conspectus.records.events import Progress
from conspectus.records.review import ContradictionReport, LiteratureReport

_SECTION = "/reviews/reports/{name}/sections/{section}"
ReportName = Annotated[str, Option("Name or id of a report, or last.", metavar="NAME", max_length=500, example="last")]
SectionName = Annotated[str, Option("Number or title of a section.", metavar="SECTION", max_length=500, example="1")]
Subject = Annotated[
    str, Option("A question or a subject.", metavar="QUESTION…", words=True, max_length=2000, example="Grid cells")
]
NewName = Annotated[str, Option("Name of the report (default: the question).", metavar="NAME", max_length=500)]
Parts = Annotated[
    tuple[str, ...],
    Option(
        "What else is in it: consensus (how far the papers agree), figures (that sections rest on), table:NAME.",
        flag="with",
        query="with",
        metavar="PART",
        max_length=500,
        max_items=20,
        example=["figures"],
    ),
]
Level = Annotated[str, Option("Whom the report is for.", metavar="WHOM", max_length=200)]
Language = Annotated[str, Option("Language of the report: es, Spanish.", metavar="NAME", max_length=200)]
To = Annotated[
    Literal["md", "html", "tex", "docx", "bib", "ris", "csv", ""], Option("Format of the document.", faces=("cli",))
]
File = Annotated[str, Option("File to write.", metavar="FILE", short="o", faces=("cli",))]


def _contradictions_code(report: ContradictionReport) -> int:
    return int(bool(report.judged and report.candidates))


class ReportVerbs(VerbGroup, name="review"):
    """Contradictions between papers, and reports."""

    @verb(http="POST /reviews/contradictions", job=True, exit_code=_contradictions_code)
    def contradictions(
        self,
        paper: Annotated[
            str, Option("Only contradictions of this paper, by any of its names.", metavar="PAPER", max_length=2000)
        ] = "",
        *,
        filters: PaperFilters = None,
        pairs: Annotated[
            int, Option("Judge at most this many pairs, the most alike first.", ge=1, le=100_000, metavar="N")
        ] = 200,
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        progress: Progressing = None,
    ) -> ContradictionReport:
        """Find statements of different papers about the same thing that cannot both hold.

        The findings in abstracts (of one paper: also in its results and conclusions) are compared by vectors and by
        rare words. A language model (the setting language.judge) then judges each pair that is about the same thing.
        Without one the pairs are listed as candidates. What it said of a pair is kept: a run that ended goes on where
        it was.

        Shell:
            The exit code is 1 if some pairs could not be judged.

        Raises:
            NotFoundError: there is no such paper, or more than one.
            ServiceError: the model cannot be asked, or judged no pair.
        """
        from conspectus.review.report.contradictions import find_contradictions

        session = self.session.with_settings(budget or {})
        with listen(progress, Progress):
            return find_contradictions(session, filters or Filters(), paper=paper, most=pairs, model=model, cache=cache)

    @verb("review report", http="POST /reviews/reports", job=True, writes=True)
    def report(
        self,
        question: Subject,
        *,
        name: NewName = "",
        outline: Annotated[bool, Option("Stop at the outline: sections of quotes.")] = False,
        sections: Annotated[
            int, Option("Maximum number of sections, not counting limitations.", ge=1, le=20, metavar="N")
        ] = 8,
        filters: QuestionFilters = None,
        parts: Parts = (),
        level: Level = "",
        language: Language = "",
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        to: To = "",
        output: File = "",
        progress: Progressing = None,
    ) -> LiteratureReport:
        """Write a report on what the papers say, in sections whose statements are bound to their sentences.

        Passages are read and grouped into an outline of quotes. Then a language model writes each section from its
        quotes alone, and each statement is checked against the sentences that it cites. Limitations, disagreements,
        a table of the papers and the coverage follow. Without a model, and with `outline`, there are only quotes.

        The report is kept. A run that ended goes on where it was: ask the same question under the same name.

        Raises:
            UsageError: an empty question; another report has the name; or there is no such format or part.
            NotFoundError: there is no such table.
            ServiceError: the model cannot be asked, or could write no section.
        """
        from conspectus.review.report import run

        session = self.session.with_settings(budget or {})
        request = run.make_request(
            question, filters, sections=sections, model=model, cache=cache, level=level, language=language
        )
        with listen(progress, Progress):
            report = run.run_report(session, request, name, only_outline=outline, parts=parts)
        return _export(report, to, output)

    @verb("review report show", http="GET /reviews/reports/{name}")
    def report_show(self, name: ReportName = "last", *, to: To = "", output: File = "") -> LiteratureReport:
        """Show a report as it is now, or write it to a file.

        Its quotes are copied from the library. A statement whose source was removed says so.

        Shell:
            Formats: md, html, tex, docx (needs `pip install 'conspectus[review]'` and a file), bib, ris, csv.

        Raises:
            NotFoundError: there is no such report.
            UsageError: there is no such format, or the file cannot be written.
        """
        from conspectus.review.report.store import load_report

        return _export(load_report(self.session, name), to, output)

    @verb("review report keep", http=f"POST {_SECTION}/keep", writes=True)
    def report_keep(
        self,
        section: SectionName,
        *,
        name: ReportName = "last",
        off: Annotated[bool, Option("Let it be changed again.")] = False,
    ) -> LiteratureReport:
        """Keep a section as it is: it is neither written again nor deleted.

        Raises:
            NotFoundError: there is no such report or section.
        """
        from conspectus.review.report import store

        review, chosen = store.find_section(self.session, name, section)
        store.keep_section(self.session, review, chosen, is_kept=not off)
        return store.load_report(self.session, review.id)

    @verb("review report expand", http=f"POST {_SECTION}/expand", job=True, writes=True)
    def report_expand(
        self,
        section: SectionName,
        *,
        name: ReportName = "last",
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        progress: Progressing = None,
    ) -> LiteratureReport:
        """Search and read again for a section, and write it from all that is found.

        Raises:
            NotFoundError: there is no such report or section.
            UsageError: the section is kept.
            UnavailableError: there is no language model.
            ServiceError: the model cannot be asked, or wrote nothing that the sentences support.
        """
        from conspectus.review.report import run

        session = self.session.with_settings(budget or {})
        with listen(progress, Progress):
            return run.rewrite_section(session, name, section, model=model, cache=cache, more=True)

    @verb("review report rewrite", http=f"POST {_SECTION}/rewrite", job=True, writes=True)
    def report_rewrite(
        self,
        section: SectionName,
        *,
        name: ReportName = "last",
        level: Level = "",
        language: Language = "",
        model: ModelName = "",
        budget: Budget = None,
        progress: Progressing = None,
    ) -> LiteratureReport:
        """Write a section again from the sentences that it has.

        Raises:
            NotFoundError: there is no such report or section.
            UsageError: the section is kept.
            UnavailableError: there is no language model.
            ServiceError: the model cannot be asked, or wrote nothing that the sentences support.
        """
        from conspectus.review.report import run

        session = self.session.with_settings(budget or {})
        with listen(progress, Progress):
            return run.rewrite_section(session, name, section, model=model, cache=False, level=level, language=language)

    @verb("review report delete", http=f"DELETE {_SECTION}", writes=True)
    def report_delete(self, section: SectionName, *, name: ReportName = "last") -> LiteratureReport:
        """Delete a section of a report; `review delete` deletes the report.

        Raises:
            NotFoundError: there is no such report or section.
            UsageError: the section is kept.
        """
        from conspectus.review.report import store

        review, chosen = store.find_section(self.session, name, section)
        store.check_changeable(chosen)
        store.delete_section(self.session, review, chosen)
        return store.load_report(self.session, review.id)


def _export(report: LiteratureReport, to: str, output: str) -> LiteratureReport:
    """The report, written to a file if one is named; the terminal shows it otherwise."""
    from conspectus.core.output import format_by_ending
    from conspectus.export.report import FORMATS, document_text, write

    if output:
        write(report, to or format_by_ending(output, FORMATS), output)
    elif to:
        document_text(report, to)
    return report
