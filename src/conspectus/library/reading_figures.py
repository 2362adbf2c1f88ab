"""Figures that an answer rests on, shown to a model that reads them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.figures.reading import Shown, kept_readings, reading
from conspectus.library.figure_pictures import figure_image
from conspectus.llm.client import LlmClient
from conspectus.models.language import Picture
from conspectus.records import Answer, CitedFigure, FigureReading, FoundFigure
from conspectus.session.session import Session

if TYPE_CHECKING:
    from PIL.Image import Image


LONGEST = 1536
"""Pixels of a picture's longer side, at most: providers make larger ones smaller."""
MOST_BYTES = 2**20
"""Of a picture as PNG; what would be larger is sent as JPEG."""
NONE = "No figure was read: the answer rests on none (a table's rows are text)."


async def read(session: Session, answer: Answer, client: LlmClient) -> Answer:
    """The answer with what the model for the role `vision` reads in each of its figures; not in tables.

    A note tells those that could not be drawn or read, and why.
    """
    figures = [one.figure for one in answer.figures if one.figure.kind == "figure"]
    pictured = await asyncio.to_thread(lambda: [_shown(session, one) for one in figures])
    question = answer.standalone or answer.question
    found = await asyncio.gather(*map(partial(_read, client, question), pictured))
    said = dict(zip((one.id for one in figures), found, strict=True))
    note = _told(zip(figures, found, strict=True)) if figures else NONE
    return replace(
        answer,
        figures=tuple(_with(one, said.get(one.figure.id)) for one in answer.figures),
        note=" ".join(part for part in (answer.note, note) if part),
        models=tuple(dict.fromkeys((*client.names(), *answer.models))),
        usage=replace(client.usage, passages=answer.usage.passages, sentences=answer.usage.sentences),
    )


def sendable(image: Image) -> Picture:
    """A picture of bounded size as PNG or, where that is large, as JPEG."""
    image.thumbnail((LONGEST, LONGEST))
    held = io.BytesIO()
    image.convert("RGB").save(held, "PNG", optimize=True)
    if held.tell() <= MOST_BYTES:
        return Picture(held.getvalue(), "image/png")
    held = io.BytesIO()
    image.convert("RGB").save(held, "JPEG", quality=85)
    return Picture(held.getvalue(), "image/jpeg")


def _shown(session: Session, figure: FoundFigure) -> Shown | ConspectusError:
    try:
        return Shown(figure, sendable(figure_image(session, figure.id)))
    except (InputError, NotFoundError) as error:
        return error


async def _read(client: LlmClient, question: str, shown: Shown | ConspectusError) -> FigureReading | ConspectusError:
    if isinstance(shown, ConspectusError):
        return shown
    try:
        return await reading(client, question, shown)
    except ConspectusError as error:  # the answer stands without it
        return error


def _with(cited: CitedFigure, said: FigureReading | ConspectusError | None) -> CitedFigure:
    return replace(cited, reading=said) if isinstance(said, FigureReading) else cited


def _told(found: Iterable[tuple[FoundFigure, FigureReading | ConspectusError]]) -> str:
    """Which figures were not read; those for the same reason together."""
    reasons: dict[str, list[str]] = {}
    for figure, said in found:
        if isinstance(said, ConspectusError):
            reasons.setdefault(str(said), []).append(f"{figure.title} of {figure.paper.label}")
    return " ".join(f"Not read: {', '.join(names)}. {why}" for why, names in reasons.items())


def illustrated(session: Session, answer: Answer) -> Answer:
    """The answer with the figures that its citations rest on, and with what was read in them when it was made."""
    from conspectus.figures.cited import cited_figures

    cited = [citation for statement in answer.statements for citation in statement.citations]
    figures = cited_figures(session.catalog, cited) if cited else ()
    if not figures:
        return replace(answer, figures=())
    known = {one.figure.id: one.reading for one in answer.figures if one.reading}  # of a turn that is not kept
    read = known or kept_readings(session.catalog, answer.id, {one.figure.id: one.figure for one in figures})
    return replace(answer, figures=tuple(replace(one, reading=read.get(one.figure.id)) for one in figures))
