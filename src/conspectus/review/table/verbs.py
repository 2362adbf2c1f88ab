"""Tables of papers by columns: make, show, edit, read again, extend, sort, filter and export them."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from conspectus.core.errors import UsageError
from conspectus.core.job_context import listen
from conspectus.core.output import Output
from conspectus.core.text import line
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Budget, ModelName, PaperFilters, PaperName, PaperNames, Progressing, UseCache
from conspectus.records import Filters
from conspectus.records.curation import LONGEST_NAME
from conspectus.records.events import Progress
from conspectus.records.review import BY_WORDS, Review, ReviewTable, TableCell, TableColumn
from conspectus.store.facets import filtered_paper_ids

ROWS = 100
LONGEST_COLUMNS = 10_000
Columns = Annotated[
    str,
    Option(
        "Columns, separated by `;`, with their types if the name does not say them: (number), (number, mg), (n), "
        "(choice: a|b), (yes/no), (text).",
        metavar="COLUMNS",
        max_length=LONGEST_COLUMNS,
        example="material; sample size (number); temperature (number, K)",
    ),
]
TableName = Annotated[
    str, Option("Name or id of the table; the last one, if it is left out.", metavar="NAME", max_length=1000)
]
ColumnName = Annotated[str, Option("A column.", metavar="COLUMN", max_length=1000, example="temperature")]
ColumnNames = Annotated[tuple[str, ...], Option("Only this column, or these.", metavar="COLUMN", max_items=50)]
Sort = Annotated[str, Option("Sort by a column; -COLUMN sorts from high to low.", metavar="COLUMN", max_length=1000)]
Where = Annotated[
    tuple[str, ...],
    Option(
        "Only rows that meet this condition: 'dose > 5 mg', 'material ~ silica', 'age is unconfirmed'.",
        metavar="CONDITION",
        max_length=1000,
        max_items=20,
    ),
]
Format = Annotated[Literal["", "csv", "xlsx", "html", "md"], Option("Write all rows in this format.")]
File = Annotated[Output, Option("File to write; without it, the table is printed.", metavar="FILE", faces=("cli",))]
Rows = Annotated[int, Option("Maximum number of rows.", ge=0, le=1000, short="n", metavar="N")]


def _exit_code(table: ReviewTable) -> int:
    return int(bool(table.failed or table.stopped))


class TableVerbs(VerbGroup, name="review"):
    """Tables of papers by columns, each cell with the sentences that it rests on."""

    @verb(http="POST /reviews/tables", job=True, writes=True, exit_code=_exit_code)
    def table(
        self,
        columns: Columns,
        *,
        name: Annotated[
            str, Option("Name of the table (default: its columns).", metavar="NAME", max_length=10 * LONGEST_NAME)
        ] = "",
        filters: PaperFilters = None,
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        sort: Sort = "",
        where: Where = (),
        limit: Rows = ROWS,
        to: Format = "",
        output: File = "",
        progress: Progressing = None,
    ) -> ReviewTable:
        """Make a table of papers: a row for each, and in each cell what it says about the column, with its sentences.

        A language model names the sentences, and code compares numbers, units and words with them. What they do not
        contain is marked `unconfirmed`. A cell that was read once is not read again, in any table. Without a model (or
        with `--model none`), numbers whose unit fits and that are next to words of the column are `proposed`.

        Run the same command again to continue after an interruption, and to read new papers.

        Shell:
            The exit code is 1 if papers could not be read, or the budget ran out.

        Raises:
            UsageError: a column that has no such type; another table has the name.
            ServiceError: the model cannot be asked at all.
        """
        from conspectus.review.table.columns import parse_columns
        from conspectus.review.table.export import check_export
        from conspectus.review.table.filters import check_view

        parsed = parse_columns(columns)
        check_view(parsed, sort, where)
        if to:
            check_export(to, output)
        review = self._begin(line(name) or _name_of(parsed), parsed, filters or Filters())
        options = {"model": model, "cache": cache, "budget": budget, "progress": progress}
        filled_table = self._fill(review, parsed, (), reread=False, **options)
        return self._show_table(filled_table, sort, where, limit, 0, to, output)

    @verb("review table show", http="GET /reviews/tables/{name}", tool="review_table")
    def table_show(
        self,
        name: TableName = "",
        *,
        sort: Sort = "",
        where: Where = (),
        limit: Rows = ROWS,
        offset: Annotated[int, Option("Rows to skip.", ge=0, metavar="N")] = 0,
        to: Format = "",
        output: File = "",
    ) -> ReviewTable:
        """Show a table, sorted and filtered, or write it to a file.

        Raises:
            NotFoundError: there is no such table or column.
            UsageError: no such condition or format; the file cannot be written.
        """
        return self._show_table(self._table(name), sort, where, limit, offset, to, output)

    @verb("review table add", http="POST /reviews/tables/{name}/columns", job=True, writes=True, exit_code=_exit_code)
    def table_add(
        self,
        name: TableName,
        columns: Columns,
        *,
        model: ModelName = "",
        cache: UseCache = True,
        budget: Budget = None,
        limit: Rows = ROWS,
        progress: Progressing = None,
    ) -> ReviewTable:
        """Add columns to a table and read its papers for them.

        Raises:
            NotFoundError: there is no such table.
            UsageError: it has a column of this name, or a column has no such type.
            ServiceError: the model cannot be asked at all.
        """
        from conspectus.review import sql
        from conspectus.review.table.columns import check_columns, parse_columns
        from conspectus.review.table.tables import columns_of, columns_spec

        review, new = self._review(name), parse_columns(columns)
        known = columns_of(review)
        added = [column for column in new if column not in known]
        check_columns([*known, *added])
        if added:
            review = sql.change_review(self.session, review, spec={**review.spec, **columns_spec([*known, *added])})
        options = {"model": model, "cache": cache, "budget": budget, "progress": progress}
        return self._show_table(self._fill(review, new, (), reread=False, **options), "", (), limit, 0, "", "")

    @verb("review table rerun", http="POST /reviews/tables/{name}/rerun", job=True, writes=True, exit_code=_exit_code)
    def table_rerun(
        self,
        name: TableName,
        *,
        column: ColumnNames = (),
        paper: PaperNames = (),
        model: ModelName = "",
        budget: Budget = None,
        limit: Rows = ROWS,
        progress: Progressing = None,
    ) -> ReviewTable:
        """Read cells again, without the model's earlier replies: those of a column, of papers, or all.

        Edits by people stay. To go back to what was read, edit the cell to an empty value.

        Raises:
            NotFoundError: there is no such table, column or paper.
            ServiceError: the model cannot be asked at all.
        """
        from conspectus.review.table.tables import columns_of, find_column

        review = self._review(name)
        known = columns_of(review)
        chosen = [find_column(known, column_name) for column_name in column] or known
        ids = [self.session.paper(paper_name).id for paper_name in paper]
        options = {"model": model, "cache": False, "budget": budget, "progress": progress}
        return self._show_table(self._fill(review, chosen, ids, reread=True, **options), "", (), limit, 0, "", "")

    @verb("review table edit", http="PATCH /reviews/tables/{name}/cells", writes=True)
    def table_edit(
        self,
        name: TableName,
        paper: PaperName,
        column: ColumnName,
        value: Annotated[
            str, Option("The value; empty: what was read.", metavar="VALUE", max_length=1000, example="300 K")
        ],
        *,
        by: Annotated[str, Option("Who edits.", metavar="NAME", max_length=200)] = "user",
        span: Annotated[tuple[str, ...], Option("Id of a sentence that contains it.", metavar="ID", max_items=60)] = (),
    ) -> TableCell:
        """Change the value of a cell. The edit is kept, with its author, over anything read later.

        Without `--span`, the cell keeps its sentences if they contain the value.

        Raises:
            NotFoundError: there is no such table, column or paper, or the paper is not in the table.
            UsageError: the value does not fit the type of the column; no such sentence.
        """
        from conspectus.review.table.cell_edits import edit_cell

        return edit_cell(self.session, self._review(name), self.session.paper(paper), column, value, by, span)

    def _review(self, name: str) -> Review:
        from conspectus.review import sql

        return sql.find_review(self.session, "table", name)

    def _table(self, name: str) -> ReviewTable:
        from conspectus.review.table.tables import columns_of

        review = self._review(name)
        return ReviewTable(review.id, review.name, columns_of(review), (), review.papers, review.papers)

    def _begin(self, name: str, columns: Sequence[TableColumn], filters: Filters) -> Review:
        """The table of a name with these columns, with all papers that pass the filters now."""
        from conspectus.review import sql
        from conspectus.review.table.tables import columns_of, columns_spec

        review = sql.find_of_name(self.session.catalog, "table", name)
        ids = filtered_paper_ids(self.session.catalog, filters)
        filter_spec = sql.filters_spec(filters)
        if review is None:
            return sql.create_review(self.session, "table", name, columns_spec(columns) | filter_spec, ids)
        if columns_of(review) != tuple(columns):
            raise UsageError(
                f"There is a table '{review.name}' with other columns.",
                "Choose another name (`name=…`), or `review table add` to it.",
            )
        sql.add_papers(self.session, review, ids)
        return sql.change_review(self.session, review, spec={**review.spec, **filter_spec})

    def _fill(
        self, review: Review, columns: Sequence[TableColumn], papers: Sequence[str], *, reread: bool, **options: object
    ) -> ReviewTable:
        from conspectus.review import sql
        from conspectus.review.table.run import TableRun

        session = self.session.with_settings(options["budget"] or {})  # type: ignore[arg-type]
        ids = papers or list(sql.papers_of(session.catalog, review))
        run = TableRun(session, review, columns, ids, str(options["model"]), reread=reread, fresh=not options["cache"])
        with listen(options["progress"], Progress):  # type: ignore[arg-type]
            run.run()
        stopped = "" if run.stopped is None else str(run.stopped)
        model = "" if run.by == BY_WORDS else run.by.partition(":")[2]
        return replace(
            self._table(review.id), read=run.read, failed=run.failed, stopped=stopped, model=model, usage=run.usage
        )

    def _show_table(
        self, table: ReviewTable, sort: str, where: Sequence[str], limit: int, offset: int, to: str, output: Output
    ) -> ReviewTable:
        """A table with the rows that are asked for; all of them written, if a format is."""
        from conspectus.core.output import format_by_ending
        from conspectus.review.table.export import FORMATS, write_table
        from conspectus.review.table.filters import select_papers
        from conspectus.review.table.tables import load_rows

        review = self._review(table.id)
        ids = select_papers(self.session, review, where, sort)
        rows = tuple(load_rows(self.session, review, ids[offset : offset + limit]))
        table = replace(table, rows=rows, total=len(ids), offset=offset)
        to = to or format_by_ending(output, FORMATS)
        if not to:
            return table
        stream = output or ("" if to == "xlsx" else io.StringIO())
        write_table(table.name, table.columns, load_rows(self.session, review, ids), to, stream)
        if isinstance(stream, io.StringIO):
            return replace(table, document=stream.getvalue())
        return replace(table, written=os.fspath(stream) if isinstance(stream, str | os.PathLike) else "")


def _name_of(columns: Sequence[TableColumn]) -> str:
    """The name of a table that was given none: so the same command finds it again."""
    name = ", ".join(column.name for column in columns)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"
