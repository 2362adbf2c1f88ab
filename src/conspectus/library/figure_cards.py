"""One figure, with all that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conspectus.figures.telling import told
from conspectus.ingest.paper_merge import merge
from conspectus.library.figure_pictures import figure_named
from conspectus.records import Paper
from conspectus.records.figures import FigureCard
from conspectus.session.session import Session
from conspectus.store import figures as stored
from conspectus.store.rows import StoredFigure

Wanted = Callable[[StoredFigure], bool]


def figure(session: Session, name: str) -> FigureCard:
    """A figure or table by its id, with the sentences that speak of it, its cells, and where its picture is.

    `PAPER.NAME`, with the name by which its paper's structure has it (`f3`), is its id, too.

    Raises:
        NotFoundError: there is no such figure.
    """
    paper, known = figure_named(session, name)
    (card,) = cards(session, paper, lambda one: one.id == known.id)
    return card


def cards(session: Session, paper: Paper, wanted: Wanted = lambda _: True) -> Iterator[FigureCard]:
    """A paper's figures and tables in their order, or those that are `wanted`."""
    key = session.catalog.paper_key(paper.id)
    found = [one for one in stored.figures_of_papers(session.catalog, [key]).get(key, ()) if wanted(one)]
    if not found:
        return
    pictures = stored.pictures_of_papers(session.catalog, [key]).get(key, ())
    parsed = {one.key: one for one in merge(session.documents(paper)).figures}
    spans = {span.id: span for one in session.catalog.passages(paper.id) for span in one.spans}
    for one in found:
        own = told(one, paper, [picture for picture in pictures if picture.figure == one.id])
        said = tuple(spans[name] for name in one.mentions if name in spans)
        yield FigureCard(own, said, parsed[one.name].href, parsed[one.name].cells)
