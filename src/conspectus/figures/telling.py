"""Figures as they are told to who asked for them."""

from __future__ import annotations

from collections.abc import Sequence

from conspectus.records import FoundFigure, FoundPanel, Paper
from conspectus.records.figures import Shown
from conspectus.records.views import pick_fields
from conspectus.store.figures import StoredPicture
from conspectus.store.rows import StoredFigure

_ALL = (0.0, 0.0, 1.0, 1.0)


def told(figure: StoredFigure, paper: Paper, pictures: Sequence[StoredPicture]) -> FoundFigure:
    """A figure, with what its pictures show; none, where nobody has looked at it."""
    page, box = (figure.place.page, figure.place.rect) if figure.place else (None, None)
    said = pick_fields(figure, "id", "name", "label", "caption", "kind", "mentions")
    whole = next((one for one in pictures if not one.number), None)
    seen = pick_fields(whole, "probability", "words", "recognised") | {"shows": whole.kind} if whole else {}
    panels = tuple(told_panel(one) for one in pictures if one.number)
    return FoundFigure(paper=paper, page=page, box=box, panels=panels, **said, **seen)


def told_panel(picture: StoredPicture) -> FoundPanel:
    """A panel of a figure."""
    return FoundPanel(picture.label, picture.caption, picture.box or _ALL)


def is_of(figure: FoundFigure, kinds: Sequence[Shown]) -> bool:
    """Whether a figure is called, or looks like, one of some kinds; none: any."""
    return not kinds or figure.kind in kinds or figure.shows in kinds
