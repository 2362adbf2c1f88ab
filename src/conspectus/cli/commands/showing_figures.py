"""`show FIGURE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.cli.state import State
from conspectus.core.errors import ConspectusError
from conspectus.figures.views import show
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library


def show_figure(state: State, name: str) -> None:
    """Tell of a figure, by its id, and where its picture is kept."""
    with state.library() as library:
        card = library.figures.show(name)
        path, why = _picture(library, name)
    state.tell(lambda: encode.body(card) | {"path": path, "why": why}, lambda out: show(out, card, picture=path or why))


def _picture(library: Library, name: str) -> tuple[str | None, str]:
    """The file of a figure's picture, or why there is none."""
    try:
        return str(library.figures.file(name)), ""
    except ConspectusError as error:
        return None, f"{error.message} {error.hint}".strip()
