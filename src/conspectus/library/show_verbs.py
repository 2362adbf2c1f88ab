"""Show one thing that the library has: a paper, an answer or a figure."""

from __future__ import annotations

from typing import Annotated, get_args

from conspectus.core.errors import ConspectusError
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.records.answer import SavedAnswer, names_answer
from conspectus.records.figures import FigureView, names_figure
from conspectus.records.results import PaperPart, PaperView


class ShowVerbs(VerbGroup):
    """Show what the library has."""

    @verb()
    def show(
        self,
        name: Annotated[str, Option("A paper, an answer or a figure.", metavar="PAPER|ANSWER|FIGURE")],
        *,
        passages: Annotated[bool, Option("Also show its passages, with the ids of their sentences.")] = False,
        summaries: Annotated[bool, Option("Also show its summaries, with the sentences they rest on.")] = False,
        references: Annotated[bool, Option("Also show its references, and which of them the library has.")] = False,
        figures: Annotated[
            bool, Option("Also show its figures and tables, with the sentences that mention them.")
        ] = False,
    ) -> PaperView | SavedAnswer | FigureView:
        """Show a paper, an answer or a figure.

        PAPER is its id or another identifier: its id in the source, DOI, arXiv id, PMID, file or title. ANSWER is
        `last` or an id that begins with `ans-` (`answers list` lists them); its statements, evidence, drafts, steps
        and cost are shown. FIGURE is an id that `figures search` printed, or PAPER.f3; its caption, the sentences that
        mention it, and the file with its picture are shown.

        Raises:
            NotFoundError: there is no such paper, answer or figure, or more than one.
        """
        if names_answer(name):
            return self.owner.answers.show(name)
        if names_figure(name):
            return self._figure(name)
        flags = (passages, summaries, references, figures)
        library = self.owner
        paper = library.paper(name)
        return PaperView(
            paper,
            library.parsed(paper.id),
            library.documents(paper.id),
            tuple(library.passages(paper.id)),
            tuple(library.summaries(paper.id)),
            library.versions(paper.id),
            tuple(library.collections.notes(paper.id)),
            library.references(paper.id) if references else (),
            tuple(part for part, is_shown in zip(get_args(PaperPart), flags, strict=True) if is_shown),
        )

    def _figure(self, name: str) -> FigureView:
        """A figure, and the file of its picture or why there is none."""
        figures = self.owner.figures
        card = figures.show(name)
        try:
            return FigureView(card, str(figures.file(name)))
        except ConspectusError as error:
            return FigureView(card, None, f"{error.message} {error.hint}".strip())
