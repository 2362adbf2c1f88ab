"""What users wrote about papers and marked in them, as Markdown: a heading a paper, a quotation a highlight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conspectus.curation import sql
from conspectus.curation.highlights import list_paper_highlights
from conspectus.export.answer import escaped
from conspectus.records import Paper
from conspectus.records.curation import Highlight, PaperNote
from conspectus.store.catalog import Catalog


def reading_notes(catalog: Catalog, papers: Iterable[Paper]) -> Iterable[tuple[int, str]]:
    """(papers so far, text) of each paper that has notes or highlights."""
    noted = {note.paper for note in sql.list_notes(catalog)} | {
        highlight.paper for highlight in sql.list_highlights(catalog)
    }
    number = 0
    for paper in papers:
        if paper.id in noted:
            number += 1
            notes = sql.list_notes(catalog, paper.id)
            yield number, format_notes(paper, notes, list_paper_highlights(catalog, paper.id))


def format_notes(paper: Paper, notes: Sequence[PaperNote], highlights: Sequence[Highlight]) -> str:
    """The notes about a paper, then its highlights in the order of the text, each with its page, colour and note."""
    parts = [f"# {escaped(paper.display_title or paper.heading)}", escaped(paper.reference)]
    parts += [f"<{paper.link}>"] if paper.link else []
    parts += [note.text for note in notes]
    return "\n\n".join([*parts, *map(format_highlight, highlights)]) + "\n\n"


def format_highlight(highlight: Highlight) -> str:
    """The words as a quotation, where they are, and the note."""
    page = f", p. {highlight.page}" if highlight.page else ""
    lost = "" if highlight.found else ", not found in the current text"
    where = f"({escaped(highlight.label)}{page}, {highlight.color}{lost})"
    return "\n\n".join(part for part in (f"> {escaped(highlight.quote)} {where}", highlight.note) if part)
