"""List and read the papers of a library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import PaperFilters, PaperName, PassageFilters
from conspectus.records import CitedWork, Paper, Passage
from conspectus.records.parsed_paper import Heading, PageSize, PageText
from conspectus.records.results import FormattedReference, PaperOrder, PaperPage, PaperSort


class PaperVerbs(VerbGroup):
    """The papers: lists, one, its text, pages and figures, bibliographies."""

    @verb("list", key="papers")
    def papers(
        self,
        filters: PaperFilters = None,
        *,
        after: Annotated[str, Option("Only papers added after this one.", faces=())] = "",
        limit: Annotated[int | None, Option("Only the first N.", ge=1, metavar="N")] = None,
    ) -> Iterator[Paper]:
        """List the papers.

        On a terminal a table; elsewhere tab-separated id, year, authors, title, and "full text", "abstract", "title" or
        "no text". If a paper has no title, its file is shown in brackets.
        """
        catalog = self.session.catalog
        key = catalog.paper_key(self.session.paper(after).id) if after else 0
        return islice(catalog.papers(filters, key), limit)

    @verb("papers browse", http="GET /papers", schema="list", command=False)
    def browse(
        self,
        filters: PassageFilters = None,
        text: Annotated[
            str,
            Option("Words in the title or an author's name.", max_length=500, query="q", example="moser"),
        ] = "",
        *,
        sort: Annotated[PaperSort, Option("Sort by this; papers without it come last.")] = "added",
        order: Annotated[PaperOrder, Option("Default: years and citations fall, all else rises.")] = "",
        after: Annotated[str, Option("`next` of the page before.", max_length=2000)] = "",
        offset: Annotated[int, Option("Number of papers to skip.", ge=0, le=10**7)] = 0,
        limit: Annotated[int, Option("Most papers of a page.", ge=1, le=500)] = 100,
    ) -> PaperPage:
        """List a page of the papers that pass the filters, sorted.

        `next` is null at the end; `total` is only counted with the first page.

        Raises:
            UsageError: `after` is no place in this list.
        """
        from conspectus.records import Filters
        from conspectus.store.paper_pages import PaperTable

        return PaperTable(filters or Filters(), text, sort, order).page(self.session.catalog, after, offset, limit)

    @verb(http="GET /papers/{paper}/passages", key="passages", command=False)
    def passages(self, paper: PaperName) -> Iterator[Passage]:
        """List a paper's passages in reading order, each with its sentences and their places.

        Raises:
            NotFoundError: no paper, or more than one, has this name.
        """
        return self.session.catalog.passages(self.session.paper(paper).id)

    @verb(http="GET /papers/{paper}/references", key="references", command=False)
    def references(self, paper: PaperName) -> tuple[CitedWork, ...]:
        """List a paper's references in order, each with the paper of the library that it is, if any.

        Raises:
            NotFoundError: no paper, or more than one, has this name.
        """
        from conspectus.ingest.linked_files import cited_works
        from conspectus.ingest.paper_merge import merge

        parsed = merge(self.session.documents(self.session.paper(paper)))
        return cited_works(self.session.catalog, parsed.references)

    @verb(http="GET /papers/{paper}/pages", key="pages", command=False)
    def pages(self, paper: PaperName) -> tuple[PageSize, ...]:
        """List the pages of a paper's PDF with their sizes.

        Raises:
            NotFoundError: no such paper, or its file is no longer there or has other bytes.
            InputError: the source has no pages.
        """
        from conspectus.papers.paper_text import page_sizes

        return page_sizes(self.session, self.session.paper(paper))

    @verb(http="GET /papers/{paper}/pages/{page}/text", command=False)
    def page_text(
        self, paper: PaperName, page: Annotated[int, Option("Number of the page, from 1.", le=10**9, example=1)] = 1
    ) -> PageText:
        """Show the text of a page line by line in reading order, to be laid over its picture.

        Which words of a sentence are on which of its lines is estimated by the lengths of the lines.

        Raises:
            NotFoundError: as for `pages`, or no such page.
            InputError: the source has no pages.
        """
        from conspectus.papers.paper_text import read_page

        return read_page(self.session, self.session.paper(paper), page)

    @verb(http="GET /papers/{paper}/outline", key="headings", command=False)
    def outline(self, paper: PaperName) -> tuple[Heading, ...]:
        """List a paper's headings in reading order, with their levels.

        Raises:
            NotFoundError: no paper, or more than one, has this name.
        """
        from conspectus.papers.paper_text import read_outline

        return read_outline(self.session, self.session.paper(paper))

    @verb(http="GET /papers/{paper}", key="paper", schema="show", command=False)
    def paper(self, paper: PaperName) -> Paper:
        """Show a paper by any of its names: id, external id, DOI, arXiv id, PMID, bibcode, file or title.

        Raises:
            NotFoundError: no paper, or more than one, has this name.
        """
        return self.session.paper(paper)

    @verb("cite", http="GET /cite", key="references", tool="cite")
    def cite(
        self,
        papers: Annotated[
            str | Sequence[str],
            Option("Papers in the order in which they are cited.", metavar="PAPER…", max_items=1000, query="paper"),
        ],
        *,
        style: Annotated[
            str,
            Option(
                "`apa`, `vancouver`, `ieee`, `nature`, `chicago`, or a journal's style (`physical-review-d`).",
                max_length=1000,
                metavar="STYLE",
            ),
        ] = "apa",
        style_file: Annotated[
            Path | None, Option("A style in the Citation Style Language.", metavar="FILE.csl", faces=("cli",))
        ] = None,
    ) -> tuple[FormattedReference, ...]:
        """Format references of papers, and their in-text citations, in the style of a journal.

        They come in the order of the style: by names, or as cited.

        Raises:
            NotFoundError: no paper, or more than one, has a name, or there is no such style.
            InputError: the file of the style is missing or broken.
            UnavailableError: what formats references is not installed.
        """
        from conspectus.export.formatted_references import format_references

        names = (papers,) if isinstance(papers, str) else papers
        paper_by_id = {paper.id: paper for paper in map(self.session.paper, names)}
        return format_references([*paper_by_id.values()], style_file or style)
