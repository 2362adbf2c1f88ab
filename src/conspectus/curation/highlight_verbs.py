"""Mark words of papers in a colour, write notes on them, and find both again.

A highlight goes with its paper, and to the paper that takes it up. It stays when the paper is read again: the ids of
its sentences, or its words, find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.curation import highlights, sql
from conspectus.curation.highlights import SentenceText
from conspectus.curation.verbs import PaperName, write_aside
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.records import Paper
from conspectus.records.curation import LONGEST_NOTE, Highlight, HighlightColor, checked_text

HighlightId = Annotated[str, Option("Id of the highlight.", metavar="ID")]
_Note = Option("Note on the words, in Markdown.", max_length=10 * LONGEST_NOTE, metavar="TEXT", example="Check this.")


class HighlightVerbs(VerbGroup, name="highlights"):
    """Highlighted passages of papers, and your notes on them."""

    @verb(http="GET /highlights", tool="highlights", key="highlights")
    def list(
        self,
        paper: PaperName = "",
        *,
        text: Annotated[
            str,
            Option("Only with these words, in the quote, the note or the title.", max_length=500, query="q"),
        ] = "",
        color: Annotated[HighlightColor | None, Option("Only in this colour.")] = None,
        limit: Annotated[int | None, Option("Only the first N.", ge=1, metavar="N")] = None,
    ) -> tuple[Highlight, ...]:
        """List highlights: of a paper in the order of its text, else of all papers, the latest first.

        If the words of one are not in the paper as it was read last, `found` is false.

        Raises:
            NotFoundError: a name that no paper has, or more than one.
        """
        catalog = self.session.catalog
        stored = sql.list_highlights(catalog, self.session.paper(paper).id if paper else "")
        words = text.casefold().split()
        titles = (
            {paper_of_mark.id: paper_of_mark.display_title for paper_of_mark in self._papers(stored)} if words else {}
        )
        stored = tuple(
            mark
            for mark in stored
            if (color is None or mark.color == color) and highlights.has_words(mark, titles.get(mark.paper, ""), words)
        )
        if not paper:
            return tuple(highlights.list_highlights(catalog, stored[::-1][:limit]))
        ids = {mark.id for mark in stored}
        placed = highlights.list_paper_highlights(catalog, self.session.paper(paper).id)
        return tuple(mark for mark in placed if mark.id in ids)[:limit]

    @verb(http="POST /highlights", key="highlight", writes=True, status=201)
    def add(
        self,
        paper: PaperName,
        quote: Annotated[
            str,
            Option(
                "Words of the paper.",
                max_length=10 * LONGEST_NOTE,
                metavar="QUOTE",
                example="grid cells fire at the vertices of triangles",
            ),
        ] = "",
        *,
        sentences: Annotated[
            Sequence[str],
            Option("Ids of the sentences that the words are in; without words, all of them.", flag="sentence"),
        ] = (),
        before: Annotated[
            str, Option("Words before them, which tell which are meant if the paper has them twice.", max_length=1000)
        ] = "",
        color: Annotated[HighlightColor, Option("Colour.")] = "yellow",
        note: Annotated[str, _Note] = "",
    ) -> Highlight:
        """Mark words of a paper, and keep a note on them if you give one.

        If they are marked already, they get the colour, and the note if there is one.

        Raises:
            NotFoundError: the paper does not have these words or sentences, or there is no such paper.
            UsageError: there are no words, or too many, or the sentences do not follow each other.
        """
        about = self.session.paper(paper)
        text, color = SentenceText(self.session.catalog.passages(about.id)), highlights.checked_color(color)
        note = checked_text(note, "note")
        if quote.strip():
            there = text.find_words(highlights.checked_quote(quote), before, near=next(iter(sentences), ""))
        elif sentences:
            there = text.range_of(sentences)
        else:
            raise UsageError("A highlight needs words.", "Give words of the paper, or the ids of sentences.")
        if there is None:
            what = "has no such words" if quote.strip() else "has no such sentences, one after the other"
            raise NotFoundError(f"'{about.heading}' {what}.", "Copy them from its text.")
        anchor, quoted = text.anchor(there), " ".join(sentence.text for sentence in text.sentences_in(there))
        for old in sql.list_highlights(self.session.catalog, about.id):
            if text.find(old.anchor, old.quote) == there:
                return self.edit(old.id, color=color, note=note or None)
        highlight = highlights.new_highlight(self.session, about.id, anchor, quoted, color, note)
        write_aside(self.session, lambda connection: sql.add_highlight(connection, highlight))
        return highlights.place_highlight(highlight, about, text)

    @verb(http="PATCH /highlights/{highlight}", key="highlight", writes=True)
    def edit(
        self,
        highlight: HighlightId,
        *,
        color: Annotated[HighlightColor | None, Option("Colour.")] = None,
        note: Annotated[str | None, replace(_Note, help="Note on the words, in Markdown; empty for none.")] = None,
    ) -> Highlight:
        """Change the colour or the note of a highlight. What you leave out stays.

        Raises:
            NotFoundError: there is no such highlight.
            UsageError: the note is longer than 20,000 characters.
        """
        old = sql.find_highlight(self.session.catalog, highlight)
        color = None if color is None else highlights.checked_color(color)
        text = None if note is None else checked_text(note, "note")
        write_aside(self.session, lambda connection: sql.change_highlight(connection, old.id, color, text))
        return self._place_highlight(sql.find_highlight(self.session.catalog, old.id))

    @verb(http="DELETE /highlights/{highlight}", key="highlight", writes=True)
    def remove(self, highlight: HighlightId) -> Highlight:
        """Remove a highlight with its note. Returns it as it was.

        Raises:
            NotFoundError: there is no such highlight.
        """
        old = sql.find_highlight(self.session.catalog, highlight)
        placed = self._place_highlight(old)
        write_aside(self.session, lambda connection: sql.remove_highlight(connection, old.id))
        self._removals.hold(old)
        return placed

    @verb(http="POST /highlights/{highlight}/restore", key="highlight", writes=True, command=False)
    def restore(self, highlight: HighlightId) -> Highlight:
        """Bring back a highlight that was removed since the library was opened.

        Raises:
            NotFoundError: there is no such highlight, or its paper was removed meanwhile.
        """
        removed = self._removals.find(highlight)
        write_aside(self.session, lambda connection: sql.put_highlight(connection, removed))
        self._removals.drop(highlight)
        return self._place_highlight(removed)

    @property
    def _removals(self) -> highlights.RemovedHighlights:
        return self.session.parts.of(highlights.RemovedHighlights, "removed highlights")

    def _papers(self, stored: Sequence[sql.StoredHighlight]) -> Sequence[Paper]:
        keys = self.session.catalog.keys_of(sorted({mark.paper for mark in stored}))
        return [*self.session.catalog.papers_by_key([*keys.values()]).values()]

    def _place_highlight(self, stored: sql.StoredHighlight) -> Highlight:
        placed = highlights.list_highlights(self.session.catalog, [stored])
        if not placed:
            raise NotFoundError("The paper was removed meanwhile.", "`list` shows the papers.")
        return placed[0]
