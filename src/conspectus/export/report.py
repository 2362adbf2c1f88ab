"""A report as a file: Markdown, a page of HTML, LaTeX, Word, or its sources as BibTeX, RIS or CSV.

A report is laid out once, as blocks, and each format writes blocks. What papers and models wrote is escaped in all of
them: nothing in it is a link, an image, a command or a footnote.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from conspectus.core.disk import explain_write_errors, replacing, user_path
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.core.output import Output, refuse_library_file, writing_to
from conspectus.core.text import line, pluralize
from conspectus.export.answer import escaped as escaped_markdown
from conspectus.export.bibliography import Citekeys, citekey
from conspectus.export.formats import CITED_AS
from conspectus.export.write import pieces
from conspectus.lexicon import pairs, words
from conspectus.records import Paper
from conspectus.records.notes import Note, NotedStatement, Notes
from conspectus.records.review import LiteratureReport, PaperRow
from conspectus.wire.html import render_template

if TYPE_CHECKING:
    from docx.document import Document


_ESCAPED = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "[": "{[}",
    "]": "{]}",
    "`": "\\textasciigrave{}",
    '"': "\\textquotedbl{}",
}
_PRINTS_AS_ONE = re.compile("(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')")
"""Between two signs that would print as another one."""
_LONG, _BREAK = re.compile(r"\S{40,}"), "\0"
"""Long names and addresses, which would stand out of a column, and a sign for where they may be broken."""
_PREAMBLE = r"""\documentclass{article}
\usepackage[margin=2.5cm]{geometry}
% letters that the font lacks print as signs of formulas if there are such, else as their numbers
\usepackage{iftex,textcomp,array,longtable}
\ifPDFTeX
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
% letter, its number, a command for formulas, what is printed without that command
\newcommand{\letter}[4]{\ifcsname u8:\detokenize{#1}\endcsname\else
  \ifcsname #3\endcsname\DeclareUnicodeCharacter{#2}{\ensuremath{\csname #3\endcsname}}%
  \else\DeclareUnicodeCharacter{#2}{#4}\fi\fi}
"""
_OTHER_ENGINES = r"""\else
\usepackage{fontspec}
\normalfont
\newcommand{\letter}[4]{\iffontchar\font"#2\else\catcode"#2=13
  \begingroup\lccode`\~="#2\lowercase{\endgroup\protected\def~}{\iffontchar\font"#2\char"#2\relax
  \else\ifcsname #3\endcsname\ensuremath{\csname #3\endcsname}\else#4\fi\fi}\fi}
"""


def latex_text(text: str) -> str:
    """`text` on one line so that LaTeX prints just that."""
    plain = unicodedata.normalize("NFC", line(text))
    parts = _LONG.sub(lambda long: _BREAK.join(wrap(long[0], 10)), plain).split(_BREAK)
    escaped = ("".join(_ESCAPED.get(letter, letter) for letter in part) for part in parts)
    return "\\allowbreak{}".join(_PRINTS_AS_ONE.sub("{}", part) for part in escaped)


def latex_preamble(body: str) -> str:
    """What comes before `\\begin{document}` if `body` comes after it.

    pdfTeX stops at a letter that it does not know, and XeTeX and LuaTeX leave out one that their font lacks, such as
    Greek ones. So each is given as a sign of formulas, as the plain letters that it stands for, or as its number, such
    as [U+4E2D].
    """
    return f"{_PREAMBLE}{_OTHER_ENGINES}\\fi\n{''.join(_declarations(body))}\\setlength{{\\emergencystretch}}{{3em}}\n"


def _declarations(body: str) -> Iterator[str]:
    commands = _commands()
    for letter in sorted({letter for letter in body if ord(letter) > 0x7F}):
        number = f"{ord(letter):04X}"
        base = "".join(_plain(part) for part in unicodedata.normalize("NFKD", letter))
        command = commands.get(letter) or commands.get(base, "")
        printed = latex_text(base) if base.isascii() else f"{{[}}U+{number}{{]}}\\allowbreak{{}}"
        raised = unicodedata.decomposition(letter).partition(" ")[0]
        if wrapper := {"<super>": "\\textsuperscript", "<sub>": "\\textsubscript"}.get(raised):
            printed = f"{wrapper}{{{printed}}}"
        yield f"\\letter{{{letter}}}{{{number}}}{{{command}}}{{{printed}}}\n"


def _plain(letter: str) -> str:
    """Nothing for a mark over a letter, a hyphen for a dash or minus, o for an omicron, else the letter."""
    if unicodedata.combining(letter):
        return ""
    if letter in "οΟ":  # formulas have no sign for them
        return "o" if letter == "ο" else "O"
    return "-" if letter == "−" or unicodedata.category(letter) == "Pd" else letter


@cache
def _commands() -> dict[str, str]:
    """Letter -> the command that prints it in formulas."""
    listed = words("latex")["symbols"]
    commands: dict[str, str] = {}
    for command, letter in pairs(listed).items():
        if not command.startswith("text"):
            commands.setdefault(letter, command)
    return commands | {"√": "surd"}  # \sqrt takes what is under it


FORMATS = ("md", "html", "tex", "docx", *CITED_AS)


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words of a paragraph, and the numbers of the notes behind them; `soft`: a remark on what is said."""

    text: str
    notes: tuple[int, ...] = ()
    soft: bool = False


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A heading (`level` 1 or 2), a paragraph, an item of a list or a table (`rows`, the first of names)."""

    runs: tuple[TextRun, ...] = ()
    level: int = 0
    item: bool = False
    rows: tuple[tuple[tuple[TextRun, ...], ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A report laid out: its blocks, the notes behind their numbers, and the papers cited with their labels."""

    title: str
    blocks: tuple[DocumentBlock, ...]
    notes: Mapping[int, Note]
    papers: Sequence[tuple[str, Paper]]


def lay_out(report: LiteratureReport) -> ReportDocument:
    """The blocks of a report in reading order; notes are numbered through."""
    notes = Notes()
    blocks = tuple(_blocks(report, notes))
    return ReportDocument(
        line(report.question), blocks, {note.number: note for note in notes}, list(notes.papers().values())
    )


def _blocks(report: LiteratureReport, notes: Notes) -> Iterator[DocumentBlock]:
    for section in report.sections:
        yield _heading(section.title)
        for paragraph in notes.prose(section.answer.statements):
            label = (TextRun(f"{paragraph.label}: "),) if paragraph.label else ()
            yield DocumentBlock((*label, *(run for statement in paragraph.statements for run in _runs(statement))))
        for figure in section.answer.figures:
            yield DocumentBlock(
                (TextRun(f"{figure.figure.title} ({notes.whereabouts(figure)}): {figure.figure.caption}"),), item=True
            )
    if report.disagreements:
        yield _heading("Disagreements")
    for pair in report.disagreements:
        marks = [(notes.of(citation, is_quoted=True).number,) for citation in (pair.first, pair.second)]
        sides = TextRun(f"“{pair.first.quote}”", marks[0]), TextRun(f" — “{pair.second.quote}”", marks[1])
        yield DocumentBlock((*sides, TextRun(f" {pair.why}", soft=True)), item=True)
    if report.papers:
        yield _heading("Papers compared")
        yield DocumentBlock(rows=tuple(_rows(report, notes)))
    for table in report.tables:
        yield _heading(table.name)
        heads = ("Paper", *(column.name for column in table.columns))
        rows = (_table_row(row, notes) for row in table.rows)
        yield DocumentBlock(rows=(tuple((TextRun(line(head)),) for head in heads), *rows))
    yield _heading("Coverage")
    yield DocumentBlock((TextRun(describe_coverage(report)),))
    if report.note:
        yield DocumentBlock((TextRun(report.note, soft=True),))


def _heading(text: str) -> DocumentBlock:
    return DocumentBlock((TextRun(line(text)),), level=2)


def _runs(statement: NotedStatement) -> Iterator[TextRun]:
    yield TextRun(statement.text, tuple(note.number for note in statement.notes))
    if statement.verdict:
        yield TextRun(f" ({statement.verdict})", (statement.why.number,) if statement.why else (), soft=True)
    yield TextRun(" ")


def _rows(report: LiteratureReport, notes: Notes) -> Iterator[tuple[tuple[TextRun, ...], ...]]:
    yield tuple((TextRun(name),) for name in ("Paper", "Year", "Published in", "Text", "Sections", "Says"))
    for row in report.papers:
        paper, note = row.paper, notes.of(row.main)
        text = "full text" if paper.has_full_text else "abstract only"
        numbers = ", ".join(map(str, row.sections))
        words = [f"{row.label}: {paper.heading}", str(paper.year or ""), paper.venue, text, numbers]
        yield (*((TextRun(line(word)),) for word in words), (TextRun(f"“{line(row.main.quote)}”", (note.number,)),))


def _table_row(row: PaperRow, notes: Notes) -> tuple[tuple[TextRun, ...], ...]:
    """A paper with its cells; what was not confirmed by the quoted sentences says so."""
    cells = []
    for cell in row.cells:
        marks = tuple(notes.of(citation).number for citation in cell.citations)
        status = "" if cell.status in ("confirmed", "edited") else f" ({cell.status})"
        cells.append((TextRun(line(cell.text), marks), TextRun(status, soft=True)))
    return ((TextRun(line(f"{row.paper.label}: {row.paper.heading}")),), *cells)


def describe_coverage(report: LiteratureReport) -> str:
    """What a report rests on, in sentences."""
    coverage = report.coverage
    parts = [f"{pluralize(coverage.searched, 'paper')} searched"]
    if coverage.searched:
        only = f" ({coverage.abstract_only:,} of them by the abstract only)" if coverage.abstract_only else ""
        unread = f", {coverage.left_out:,} found and not read" if coverage.left_out else ""
        parts.append(f"{coverage.read:,} read{only}{unread}, {len(report.papers):,} cited")
    return f"{': '.join(parts)}."


def write(report: LiteratureReport, to: str, output: Output) -> None:
    """Write a report in one of `FORMATS`.

    Raises:
        UsageError: there is no such format, the file cannot be written, or Word is to go elsewhere than to a file.
        UnavailableError: Word is asked for, and python-docx is not installed.
    """
    if to == "docx":
        _write_word(lay_out(report), output)
        return
    text = document_text(report, to)
    with writing_to(output) as stream:
        stream.write(text)


def document_text(report: LiteratureReport, to: str) -> str:
    """A report in one of the formats that are text.

    Raises:
        UsageError: there is no such format, or it is no text.
    """
    if to in CITED_AS:
        return "".join(text for _, text in pieces(CITED_AS[to], lambda: [row.paper for row in report.papers]))
    if to not in _WRITERS:
        why = "A Word file needs a name." if to == "docx" else f"A report is not written as '{to}'."
        hint = "Give one with `output=FILE`." if to == "docx" else f"It is as {', '.join(FORMATS)}."
        raise UsageError(why, hint)
    return _WRITERS[to](lay_out(report))


def _markdown(document: ReportDocument) -> str:
    def runs(line_runs: Sequence[TextRun]) -> str:
        return "".join(_markdown_run(run) for run in line_runs).strip()

    parts = [f"# {escaped_markdown(document.title)}"]
    for block in document.blocks:
        if block.rows:
            lines = [f"| {' | '.join(map(runs, row))} |" for row in block.rows]
            parts.append("\n".join([lines[0], f"|{' --- |' * len(block.rows[0])}", *lines[1:]]))
        else:
            parts.append(f"{'#' * block.level + ' ' if block.level else '- ' if block.item else ''}{runs(block.runs)}")
    if document.papers:
        sources = [
            f"- \\[{escaped_markdown(label)}\\] {escaped_markdown(paper.reference)}" for label, paper in document.papers
        ]
        parts += ["## Sources", "\n".join(sources)]
    parts += [f"[^{number}]: {escaped_markdown(note_text(note))}" for number, note in document.notes.items()]
    return "\n\n".join(parts) + "\n"


def _markdown_run(run: TextRun) -> str:
    text = escaped_markdown(run.text)
    text = f"*{text}*" if run.soft and text else text
    return f"{_space_before(run)}{text}{''.join(f'[^{number}]' for number in run.notes)}{_space_after(run)}"


def _space_before(run: TextRun) -> str:
    return " " if run.text.startswith(" ") else ""


def _space_after(run: TextRun) -> str:
    return " " if run.text.endswith(" ") and run.text.strip() else ""


def note_text(note: Note) -> str:
    """What stands behind a number: where the sentences stand, their words and their ids; or what speaks against one."""
    if note.citation is None:
        return note.against
    words = f" “{note.words}”" if note.words and not note.is_quoted else ""
    rows = "; ".join(f"{name}: {value}" for row in note.rows for name, value in row)
    ids = ", ".join(span.id for span in note.citation.spans)
    return " ".join(part for part in (f"{note.citation.where}{words}", rows, ids) if part)


def _html(document: ReportDocument) -> str:
    return render_template("report", document=document, note_text=note_text)


def _latex(document: ReportDocument) -> str:
    keys = Citekeys((paper for _, paper in document.papers), citekey)
    of = {paper.id: keys.of(paper) for _, paper in document.papers}

    def note(number: int) -> str:
        marked = document.notes[number]
        cite = f"~\\cite{{{of[marked.citation.paper.id]}}}" if marked.citation else ""
        return f"\\footnote{{{latex_text(note_text(marked))}{cite}}}"

    def format_run(run: TextRun) -> str:
        text = latex_text(run.text)
        text = f"\\emph{{{text}}}" if run.soft and text else text
        return f"{_space_before(run)}{text}{''.join(map(note, run.notes))}{_space_after(run)}"

    def runs(line_runs: Sequence[TextRun]) -> str:
        return "".join(map(format_run, line_runs)).strip()

    parts = [f"\\section*{{{latex_text(document.title)}}}"]
    for block in document.blocks:
        if block.rows:
            columns = "".join(
                f">{{\\raggedright\\arraybackslash\\hspace{{0pt}}}}p{{\\dimexpr {share:.3f}\\textwidth-2\\tabcolsep}}"
                for share in _column_shares(block.rows)
            )
            head, *rows = (f"{' & '.join(map(runs, row))} \\\\" for row in block.rows)
            lines = [f"\\begin{{longtable}}{{{columns}}}", "\\hline", head, "\\hline\\endhead", *rows, "\\hline"]
            parts.append("\n".join([*lines, "\\end{longtable}"]))
        elif block.level:
            parts.append(f"\\subsection*{{{runs(block.runs)}}}")
        else:
            parts.append(("$\\bullet$ " if block.item else "") + runs(block.runs))
    if document.papers:
        items = [f"\\bibitem{{{of[paper.id]}}} {latex_text(paper.reference)}" for _, paper in document.papers]
        parts.append("\n".join(["\\begin{thebibliography}{99}", *items, "\\end{thebibliography}"]))
    body = "\n\n".join(parts)
    return f"{latex_preamble(body)}\\begin{{document}}\n{body}\n\n\\end{{document}}\n"


def _column_shares(rows: Sequence[Sequence[Sequence[TextRun]]]) -> list[float]:
    """The share of the page's width that each column has: by the root of its letters, so that a long one is not all."""
    letters = [sum(len(run.text) for row in rows for run in row[place]) for place in range(len(rows[0]))]
    weights = [max(count, 1) ** 0.5 + 4 * len(rows) ** 0.5 for count in letters]
    return [weight / sum(weights) for weight in weights]


_WRITERS: Mapping[str, Callable[[ReportDocument], str]] = {"md": _markdown, "html": _html, "tex": _latex}


def _write_word(document: ReportDocument, output: Any) -> None:
    if not isinstance(output, str) or not output:
        raise UsageError("A Word file needs a name.", "Give one with `output=FILE`.")
    word = _word(document)
    refuse_library_file(user_path(output))
    with explain_write_errors(output), replacing(user_path(output)) as part:
        word.save(str(part))


def _word(document: ReportDocument) -> Document:
    try:
        from docx import Document as new_document
    except ImportError as error:
        raise UnavailableError(
            "Word files are written by python-docx, which is not installed.", "pip install 'conspectus[review]'"
        ) from error
    word = new_document()
    word.add_heading(document.title, 0)
    for block in document.blocks:
        if block.rows:
            table = word.add_table(0, len(block.rows[0]), "Table Grid")
            for row in block.rows:
                for cell, cell_runs in zip(table.add_row().cells, row, strict=True):
                    _fill(cell.paragraphs[0], cell_runs)
        elif block.level:
            _fill(word.add_heading("", block.level - 1), block.runs)
        else:
            _fill(word.add_paragraph(style="List Bullet" if block.item else None), block.runs)
    for title, texts in (
        ("Sources", [f"[{label}] {paper.reference}" for label, paper in document.papers]),
        ("Notes", [f"{number}. {note_text(note)}" for number, note in document.notes.items()]),
    ):
        if texts:
            word.add_heading(title, 1)
        for text in texts:
            word.add_paragraph(line(text))
    return word


def _fill(paragraph: Any, runs: Sequence[TextRun]) -> None:
    for run in runs:
        paragraph.add_run(f"{_space_before(run)}{line(run.text)}{_space_after(run)}").italic = run.soft
        for number in run.notes:
            paragraph.add_run(f"[{number}]").font.superscript = True
