"""The figures and tables that citations rest on: their captions or rows are cited, or cited sentences speak of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conspectus.figures.finding import captioned
from conspectus.figures.telling import told
from conspectus.records import Citation, CitedFigure, Span
from conspectus.store import figures as kept
from conspectus.store.catalog import Catalog
from conspectus.store.rows import StoredFigure, StoredPassage
from conspectus.store.schema import passages

MOST = 8
"""Figures told of one answer."""
_Spans = dict[str, None]
"""Ids of spans, in their order."""


def cited_figures(catalog: Catalog, citations: Sequence[Citation]) -> tuple[CitedFigure, ...]:
    """Figures of the library as it is now, at most `MOST`: first those whose own caption or rows are cited.

    Among these, and among those that are only spoken of, they come in the order of the citations.
    """
    keys = catalog.keys_of(list(dict.fromkeys(one.paper.id for one in citations)))
    figures = kept.figures_of_papers(catalog, list(keys.values()))
    if not figures:
        return ()
    stored = catalog.passages_where(passages.c.id, sorted({one.passage_id for one in citations})).values()
    by_id = {one.passage.id: one for one in stored}
    own: dict[int, _Spans] = {}
    every: dict[int, _Spans] = {}
    for one in citations:
        among = figures.get(keys.get(one.paper.id, -1), ())
        for found, led in ((own, _shown(one, by_id.get(one.passage_id), among)), (every, _spoken_of(one, among))):
            for figure, span in led:
                found.setdefault(figure.key, {})[span.id] = None
    chosen = list(dict.fromkeys((*own, *every)))[:MOST]
    return _told(catalog, figures, chosen, own, every)


def _shown(
    citation: Citation, stored: StoredPassage | None, figures: Sequence[StoredFigure]
) -> Iterator[tuple[StoredFigure, Span]]:
    """The figures of whose caption or rows a citation is."""
    if stored is None or stored.passage.kind not in ("caption", "table"):
        return
    among = captioned(stored, figures)
    for span in citation.spans:
        yield from ((one, span) for one in among or _labelled(span, figures))


def _labelled(row: Span, figures: Iterable[StoredFigure]) -> Iterator[StoredFigure]:
    """The table of which a row is, where its passage has nothing of the caption."""
    return (one for one in figures if row.cells and one.label and row.text.startswith(f"{one.label}, "))


def _spoken_of(citation: Citation, figures: Sequence[StoredFigure]) -> Iterator[tuple[StoredFigure, Span]]:
    return ((one, span) for span in citation.spans for one in figures if span.id in one.mentions)


def _told(
    catalog: Catalog,
    figures: dict[int, tuple[StoredFigure, ...]],
    chosen: Sequence[int],
    own: dict[int, _Spans],
    every: dict[int, _Spans],
) -> tuple[CitedFigure, ...]:
    papers, pictures = catalog.papers_by_key(list(figures)), kept.pictures_of_papers(catalog, list(figures))
    of = {one.key: (one, paper) for paper, group in figures.items() for one in group}
    found = []
    for key in chosen:
        figure, paper = of[key]
        seen = [one for one in pictures.get(paper, ()) if one.figure == figure.id]
        spans = tuple(own.get(key, {}) | every.get(key, {}))
        found.append(CitedFigure(told(figure, papers[paper], seen), "caption" if key in own else "mention", spans))
    return tuple(found)
