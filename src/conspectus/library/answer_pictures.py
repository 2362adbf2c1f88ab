"""What is drawn for the files of answers: the pages behind their notes, and the figures that they rest on."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import suppress

from conspectus.core.errors import InputError, LimitError, NotFoundError
from conspectus.library.figure_pictures import figure_image
from conspectus.library.pictures import GONE, of_notes
from conspectus.library.session import Session
from conspectus.records import Answer, FoundFigure
from conspectus.records.notes import Drawn, PagePicture, noted

LONGEST = 1000
"""Pixels of the longer side of a figure in a document."""
_SCALE = 2.0
_COLOURS = 256


def drawn(session: Session, answers: Sequence[Answer]) -> Drawn:
    """The pages behind the notes of a document, and the figures of its answers."""
    figures = (one.figure for answer in answers for one in answer.figures)
    return Drawn(of_notes(session, noted(answers)), _pictures(session, figures))


def _pictures(session: Session, figures: Iterable[FoundFigure]) -> dict[str, PagePicture]:
    """Of each that has one; none of those of which it is not known where they stand."""
    found: dict[str, PagePicture] = {}
    for name, page in {one.id: one.page or 0 for one in figures}.items():
        with suppress(InputError):
            found[name] = _picture(session, name, page)
    return found


def _picture(session: Session, name: str, page: int) -> PagePicture:
    try:
        image = figure_image(session, name, scale=_SCALE)
    except NotFoundError:
        return PagePicture(page, why=GONE)
    except LimitError as error:
        return PagePicture(page, why=error.message)
    image.thumbnail((LONGEST, LONGEST))
    held = io.BytesIO()
    image.convert("RGB").quantize(_COLOURS).save(held, "PNG", optimize=True)
    return PagePicture(page, held.getvalue())
