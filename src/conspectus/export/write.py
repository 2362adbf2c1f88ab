"""An export in pieces of text, paper by paper, so that memory does not grow with the library; written to a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from conspectus.core import packages
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.core.output import Output, csv_line, writing_to
from conspectus.core.text import cleaned_deep, json_text, line
from conspectus.export import bibliography
from conspectus.export import formats as format_names
from conspectus.export.bibliography import Citekeys, any_id, citekey, escape_name_commas
from conspectus.export.formats import STYLE_ENDING, STYLE_PREFIX, formats, refuse_taken
from conspectus.export.library_lines import lines, load_user_data, papers_of
from conspectus.parse.bibliography.record_lines import record_line
from conspectus.parse.registry import readers
from conspectus.parse.text.blocks import clean_paragraphs
from conspectus.records import Answer, Author, Filters, Paper
from conspectus.records.curation import Feedback
from conspectus.records.events import Progress
from conspectus.store.catalog import Catalog
from conspectus.store.rows import FileRow
from conspectus.store.user_data import check_sets
from conspectus.wire.encode import plain

_OWN = ("title", "authors", "year", "date", "venue", "doi", "arxiv_id", "pmid", "bibcode", "keywords", "abstract")
_COUNTED = ("citation_count", "references", "url")
_EXTRA = ("type", "volume", "number", "pages", "publisher")
COLUMNS = ("id", *_OWN, *_COUNTED, *_EXTRA, "publication_status")

HEADER = csv_line(COLUMNS)


def csv_row(paper: Paper) -> str:
    """The paper as a row of the columns; lists are apart by `;`, what a spreadsheet would compute has a `'` before."""
    cells = {name: getattr(paper, name) for name in (*_OWN, *_COUNTED)}
    cells |= {"id": paper.external_id, "authors": [_author_cell(author) for author in paper.authors]}
    cells |= {name: paper.extra.get(name, "") for name in _EXTRA}
    cells["publication_status"] = paper.publication_status
    return csv_line([cells[name] for name in COLUMNS])


def _author_cell(author: Author) -> str:
    if author.family and author.given and author.name == f"{author.given} {author.family}":
        return f"{author.family}, {author.given}"
    return escape_name_commas(author.name) if author.family == author.name else author.name


FORMATS = ("csv", "jsonl")
FEEDBACK_COLUMNS = (
    *("answer", "question", "method", "kind", "models", "answered"),
    *("statement", "text", "status", "verdict", "comment", "made"),
)


def write(verdicts: Sequence[Feedback], answer_of: Callable[[str], Answer], to: str, output: Output) -> int:
    """Write all of it; returns how many.

    Raises:
        UsageError: there is no such format, or the file cannot be written.
    """
    if to not in FORMATS:
        raise UsageError(f"Feedback is not written as '{to}'.", f"There are: {', '.join(FORMATS)}.")
    answers = lru_cache(maxsize=1)(answer_of)
    with writing_to(output) as stream:
        if to == "csv":
            stream.write(csv_line(FEEDBACK_COLUMNS))
        for verdict in verdicts:
            row = _row(verdict, answers(verdict.answer))
            stream.write(csv_line([row[name] for name in FEEDBACK_COLUMNS]) if to == "csv" else f"{json_text(row)}\n")
    return len(verdicts)


def _row(verdict: Feedback, answer: Answer) -> dict[str, Any]:
    about = answer.statements[verdict.statement - 1] if verdict.statement else None
    answer_fields = {
        "method": answer.method,
        "kind": answer.kind,
        "models": list(answer.models),
        "answered": answer.answered,
    }
    text_fields = {"text": answer.text if about is None else about.text, "status": about.status if about else ""}
    return {**plain(verdict), **answer_fields, **text_fields}


Papers = Callable[[], Iterable[Paper]]
"""Gives the papers in their order, each time it is called."""
Files = Callable[[Paper], Sequence[str]]
"""The paths of a paper's own files."""


Pieces = Iterator[tuple[int, str]]
"""(number of papers so far, text) of each piece of an export; the texts in order make it up."""


def pieces(to: str, papers: Papers, files: Files | None = None) -> Pieces:
    """The pieces of an export.

    Args:
        to: one of `formats`, or `style:` and the name of a style or its file.
        papers: gives the papers; it is called twice where keys have to be unique.
        files: which files of a paper are named; None: none. CSL-JSON and CSV have no place for them.

    Raises:
        UsageError: there is no such format.
        UnavailableError: the package that brings it cannot be loaded.
    """
    if to.startswith(STYLE_PREFIX):
        return _references(to.removeprefix(STYLE_PREFIX))(papers, files or (lambda _: ()))
    known = formats()
    if to not in known:
        raise UsageError(f"There is no format '{to}'.", f"There are: {', '.join(known)}, library.")
    written: Pieces = packages.make(known[to], papers, files or (lambda _: ()))
    return written


def _bibtex(papers: Papers, files: Files) -> Pieces:
    papers, files = _fit(papers, files)
    keys = Citekeys(papers(), citekey)
    return enumerate((bibliography.format_bibtex(paper, keys.of(paper), files(paper)) for paper in papers()), 1)


def _ris(papers: Papers, files: Files) -> Pieces:
    papers, files = _fit(papers, files)
    return enumerate((bibliography.format_ris(paper, files(paper)) for paper in papers()), 1)


def _csl(papers: Papers, _: Files) -> Pieces:
    keys = Citekeys(papers(), any_id)
    return _list(bibliography.format_csl(paper, keys.of(paper)) for paper in papers())


def _csv(papers: Papers, files: Files) -> Pieces:
    papers, _ = _fit(papers, files)
    return _headed(csv_row(paper) for paper in papers())


def _jsonl(papers: Papers, files: Files) -> Pieces:
    return jsonl(papers, files)


def jsonl(papers: Papers, files: Files, user_data_of: Callable[[Paper], Mapping[str, Any]] = lambda _: {}) -> Pieces:
    """JSON Lines; `user_data_of`: what users keep about a paper."""
    return enumerate((record_line(paper, files(paper), user_data_of(paper)) for paper in papers()), 1)


def _markdown(papers: Papers, _: Files) -> Pieces:
    from conspectus.export.reading_notes import format_notes

    return enumerate((format_notes(paper, (), ()) for paper in papers()), 1)


def _references(style: str) -> Callable[[Papers, Files], Pieces]:
    """What writes references in a style, which has to know all papers before it writes one: some styles sort them."""

    def write(papers: Papers, _: Files) -> Pieces:
        from conspectus.export.formatted_references import read_style

        format_papers = read_style(Path(style) if style.endswith(STYLE_ENDING) else style)

        def reference_pieces() -> Pieces:
            for number, reference in enumerate(format_papers([*papers()], with_marks=False), 1):
                yield number, f"{reference.text}\n\n"

        return reference_pieces()

    return write


_apa = _references("apa")
_vancouver = _references("vancouver")
_ieee = _references("ieee")
_nature = _references("nature")
_chicago = _references("chicago")


def _fit(papers: Papers, files: Files) -> tuple[Papers, Files]:
    """Both without characters that lie, and with no line end where a line of the format would end. JSON has escapes."""
    return lambda: map(_clean, papers()), lambda paper: [line(path) for path in files(paper)]


def _clean(paper: Paper) -> Paper:
    texts = {field.name: line(value) for field in fields(Paper) if isinstance(value := getattr(paper, field.name), str)}
    return replace(
        paper,
        **texts | {"abstract": clean_paragraphs(paper.abstract)},  # type: ignore[arg-type]
        authors=tuple(map(_person, paper.authors)),
        keywords=tuple(map(line, paper.keywords)),
        references=tuple(map(line, paper.references)),
        extra=cleaned_deep(paper.extra, line),
    )


def _person(author: Author) -> Author:
    name, family, given, orcid = (line(text) for text in (author.name, author.family, author.given, author.orcid))
    return Author(name, family, given, orcid, tuple(map(line, author.affiliations)))


def _list(items: Iterable[str]) -> Iterator[tuple[int, str]]:
    number = 0
    for number, item in enumerate(items, 1):
        yield number, ("[\n" if number == 1 else ",\n") + item
    yield number, "\n]\n" if number else "[]\n"


def _headed(rows: Iterable[str]) -> Iterator[tuple[int, str]]:
    yield 0, HEADER
    yield from enumerate(rows, 1)


def export(
    catalog: Catalog,
    to: str,
    output: Output,
    paper_ids: Collection[str] | None,
    filters: Filters | None,
    files: bool | None,
    vectors: bool,
) -> int:
    """Write the papers that pass `filters`, of those in `paper_ids`; returns how many. See `Library.export`.

    JSON Lines name the papers' files unless told not to, so that a paper without identifiers stays what it is when it
    is added again. Markdown has the papers with notes or highlights.
    """
    if to == "library":
        if files is not None:
            what = "An export of the library always names the files."
            raise UsageError(what, "Leave `files` out, or take `to=jsonl`.")
        with catalog.snapshot() as now:
            library = lines(now, paper_ids, filters, own_files(now.file_rows()), vectors=vectors)
            return _write(library, output, _total(now, paper_ids, filters))
    if vectors:
        raise UsageError(f"Vectors are not written as {to}.", "They are with `to=library`.")
    return _write(
        export_pieces(catalog, to, paper_ids, filters, files=files), output, _total(catalog, paper_ids, filters)
    )


def export_pieces(
    catalog: Catalog, to: str, paper_ids: Collection[str] | None, filters: Filters | None, *, files: bool | None
) -> Pieces:
    """The pieces of what `export` writes, except of the whole library.

    Errors of what was asked for are raised at once, before the first piece is made.
    """
    refuse_taken(to)
    check_sets(catalog, filters or Filters())
    names_of = own_files(catalog.file_rows()) if files or (files is None and to == "jsonl") else None
    papers = partial(papers_of, catalog, paper_ids, filters)
    if to == "jsonl":
        return jsonl(papers, names_of or (lambda _: ()), load_user_data(catalog))
    if to == "markdown":
        from conspectus.export.reading_notes import reading_notes

        return iter(reading_notes(catalog, papers()))
    return pieces(to, papers, names_of)


def _total(catalog: Catalog, ids: Collection[str] | None, filters: Filters | None) -> int:
    """How many papers there are to write; 0: not known before."""
    if filters not in (None, Filters()):
        return 0
    return catalog.counts()["papers"] if ids is None else len(ids)


def _write(pieces: Iterable[tuple[int, str]], output: Output, total: int) -> int:
    count = 0
    with writing_to(output) as stream:
        for number, text in pieces:
            stream.write(text)
            count = number
            if max(count, total) >= format_names.MANY:
                emit(Progress("exporting", count, total, "papers"))
    return count


def own_files(ledger: Iterable[FileRow]) -> Callable[[Paper], Sequence[str]]:
    """Which files of a paper are nothing but that paper: not the bibliographies that speak of it."""
    single = {reader.name for reader in readers() if reader.one_paper}
    paths = {row.path for row in ledger if row.reader.split("/")[0] in single}
    return lambda paper: [file.path for file in paper.files if file.path in paths]
