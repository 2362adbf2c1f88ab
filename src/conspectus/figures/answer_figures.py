"""The figures that an answer rests on, and what a model that is shown them reads in them.

A reading is in the model's own words. Nothing is quoted or cited from it.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.evidence.model_text import cleaned
from conspectus.figures import sql
from conspectus.figures.figure_images import figure_image
from conspectus.figures.figure_search import captioned, make_figure
from conspectus.llm import sql as llm_sql
from conspectus.llm.client import LlmClient, Values
from conspectus.llm.output_spec import UNREADABLE, OutputSpec, read_value
from conspectus.llm.prompts import fenced
from conspectus.models.language import ImagePart
from conspectus.records import Answer, Citation, CitedFigure, FigureReading, FoundFigure, Span
from conspectus.records.models import Role
from conspectus.session.session import Session
from conspectus.store import figures as stored_figures
from conspectus.store.catalog import Catalog
from conspectus.store.rows import StoredFigure, StoredPassage
from conspectus.store.schema import passages

if TYPE_CHECKING:
    from PIL.Image import Image


LONGEST = 1536
"""Pixels of a picture's longer side, at most: providers make larger ones smaller."""
MOST_BYTES = 2**20
"""Of a picture as PNG; what would be larger is sent as JPEG."""
_NO_FIGURE = "No figure was read: the answer rests on none (a table's rows are text)."


async def read_figures(session: Session, answer: Answer, client: LlmClient) -> Answer:
    """The answer with what the model for the role `vision` reads in each of its figures; not in tables.

    A note tells those that could not be drawn or read, and why.
    """
    figures = [cited_figure.figure for cited_figure in answer.figures if cited_figure.figure.kind == "figure"]
    pictured = await asyncio.to_thread(lambda: [_pictured(session, figure) for figure in figures])
    question = answer.standalone or answer.question
    readings = await asyncio.gather(*map(partial(_read, client, question), pictured))
    reading_by_id = dict(zip((figure.id for figure in figures), readings, strict=True))
    note = _unread_note(zip(figures, readings, strict=True)) if figures else _NO_FIGURE
    return replace(
        answer,
        figures=tuple(
            _with(cited_figure, reading_by_id.get(cited_figure.figure.id)) for cited_figure in answer.figures
        ),
        note=" ".join(part for part in (answer.note, note) if part),
        models=tuple(dict.fromkeys((*client.names(), *answer.models))),
        usage=replace(client.usage, passages=answer.usage.passages, sentences=answer.usage.sentences),
    )


def sendable(image: Image) -> ImagePart:
    """A picture of bounded size as PNG or, where that is large, as JPEG."""
    image.thumbnail((LONGEST, LONGEST))
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "PNG", optimize=True)
    if buffer.tell() <= MOST_BYTES:
        return ImagePart(buffer.getvalue(), "image/png")
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "JPEG", quality=85)
    return ImagePart(buffer.getvalue(), "image/jpeg")


def _pictured(session: Session, figure: FoundFigure) -> FigureWithPicture | ConspectusError:
    try:
        return FigureWithPicture(figure, sendable(figure_image(session, figure.id)))
    except (InputError, NotFoundError) as error:
        return error


async def _read(
    client: LlmClient, question: str, figure: FigureWithPicture | ConspectusError
) -> FigureReading | ConspectusError:
    if isinstance(figure, ConspectusError):
        return figure
    try:
        return await read_figure(client, question, figure)
    except ConspectusError as error:  # the answer stands without it
        return error


def _with(cited: CitedFigure, reading: FigureReading | ConspectusError | None) -> CitedFigure:
    return replace(cited, reading=reading) if isinstance(reading, FigureReading) else cited


def _unread_note(readings: Iterable[tuple[FoundFigure, FigureReading | ConspectusError]]) -> str:
    """Which figures were not read; those for the same reason together."""
    reasons: dict[str, list[str]] = {}
    for figure, reading in readings:
        if isinstance(reading, ConspectusError):
            reasons.setdefault(str(reading), []).append(f"{figure.title} of {figure.paper.label}")
    return " ".join(f"Not read: {', '.join(names)}. {why}" for why, names in reasons.items())


def add_cited_figures(session: Session, answer: Answer) -> Answer:
    """The answer with the figures that its citations rest on, and with what was read in them when it was made."""

    cited = [citation for statement in answer.statements for citation in statement.citations]
    figures = cited_figures(session.catalog, cited) if cited else ()
    if not figures:
        return replace(answer, figures=())
    known = {
        cited_figure.figure.id: cited_figure.reading for cited_figure in answer.figures if cited_figure.reading
    }  # of a turn that is not kept
    readings = known or load_readings(
        session.catalog, answer.id, {cited_figure.figure.id: cited_figure.figure for cited_figure in figures}
    )
    return replace(
        answer,
        figures=tuple(replace(cited_figure, reading=readings.get(cited_figure.figure.id)) for cited_figure in figures),
    )


MOST = 8
"""Figures told of one answer."""
_Spans = dict[str, None]
"""Ids of spans, in their order."""


def cited_figures(catalog: Catalog, citations: Sequence[Citation]) -> tuple[CitedFigure, ...]:
    """Figures of the library as it is now, at most `MOST`: first those whose own caption or rows are cited.

    Among these, and among those that are only spoken of, they come in the order of the citations.
    """
    keys = catalog.keys_of(list(dict.fromkeys(citation.paper.id for citation in citations)))
    figures = stored_figures.figures_of_papers(catalog, list(keys.values()))
    if not figures:
        return ()
    stored = catalog.passages_where(passages.c.id, sorted({citation.passage_id for citation in citations})).values()
    by_id = {entry.passage.id: entry for entry in stored}
    by_caption: dict[int, _Spans] = {}
    every: dict[int, _Spans] = {}
    for citation in citations:
        among = figures.get(keys.get(citation.paper.id, -1), ())
        for spans_by_figure, figure_spans in (
            (by_caption, _captioned(citation, by_id.get(citation.passage_id), among)),
            (every, _spoken_of(citation, among)),
        ):
            for figure, span in figure_spans:
                spans_by_figure.setdefault(figure.key, {})[span.id] = None
    chosen = list(dict.fromkeys((*by_caption, *every)))[:MOST]
    return _cited(catalog, figures, chosen, by_caption, every)


def _captioned(
    citation: Citation, stored: StoredPassage | None, figures: Sequence[StoredFigure]
) -> Iterator[tuple[StoredFigure, Span]]:
    """The figures of whose caption or rows a citation is."""
    if stored is None or stored.passage.kind not in ("caption", "table"):
        return
    among = captioned(stored, figures)
    for span in citation.spans:
        yield from ((figure, span) for figure in among or _labelled(span, figures))


def _labelled(row: Span, figures: Iterable[StoredFigure]) -> Iterator[StoredFigure]:
    """The table of which a row is, where its passage has nothing of the caption."""
    return (figure for figure in figures if row.cells and figure.label and row.text.startswith(f"{figure.label}, "))


def _spoken_of(citation: Citation, figures: Sequence[StoredFigure]) -> Iterator[tuple[StoredFigure, Span]]:
    return ((figure, span) for span in citation.spans for figure in figures if span.id in figure.mentions)


def _cited(
    catalog: Catalog,
    figures: dict[int, tuple[StoredFigure, ...]],
    chosen: Sequence[int],
    by_caption: dict[int, _Spans],
    every: dict[int, _Spans],
) -> tuple[CitedFigure, ...]:
    papers, pictures = catalog.papers_by_key(list(figures)), stored_figures.pictures_of_papers(catalog, list(figures))
    of = {figure.key: (figure, paper) for paper, group in figures.items() for figure in group}
    chosen_figures = []
    for key in chosen:
        figure, paper = of[key]
        seen = [picture for picture in pictures.get(paper, ()) if picture.figure == figure.id]
        spans = tuple(by_caption.get(key, {}) | every.get(key, {}))
        chosen_figures.append(
            CitedFigure(make_figure(figure, papers[paper], seen), "caption" if key in by_caption else "mention", spans)
        )
    return tuple(chosen_figures)


ROLE: Role = "vision"
PROMPT = "figure"
MOST_CHARS = 1000
MOST_VALUES = 12
VALUE_CHARS = 200


class FigureReply(msgspec.Struct):
    """What the prompt `figure` gives."""

    tells: bool
    shows: str
    values: list[str]


_WANTED = OutputSpec(FigureReply, lambda reply: "" if _line(reply.shows, MOST_CHARS) else "`shows` is empty")


@dataclass(frozen=True, slots=True)
class FigureWithPicture:
    """A figure with its picture."""

    figure: FoundFigure
    picture: ImagePart


async def read_figure(client: LlmClient, question: str, figure_picture: FigureWithPicture) -> FigureReading:
    """What the model for the role `vision` reads in a figure on a question.

    Raises:
        ModelAnswerError: it says nothing that can be used.
        ServiceError: it cannot be asked, or takes no pictures.
        BudgetError: the budget is used up.
    """
    figure = figure_picture.figure
    values: Values = {
        "question": fenced("question", question),
        "caption": fenced("caption", figure.caption or figure.title),
        "picture": figure_picture.picture,
    }
    reply = await client.ask(ROLE, PROMPT, values, _WANTED, papers=[figure.paper.id])
    model, digest = await client.cache_key(ROLE, PROMPT, values, _WANTED)
    return _reading(reply, figure, model, digest)


def load_readings(catalog: Catalog, answer_id: str, figures: Mapping[str, FoundFigure]) -> dict[str, FigureReading]:
    """Those of a kept answer, by the ids of the figures, as the library has kept what the models said.

    What was said of a paper that was removed went with it.
    """
    names = {
        figure_id: source
        for figure_id, source in sql.figure_readings(catalog, answer_id).items()
        if figure_id in figures
    }
    replies = llm_sql.read_replies(catalog, [digest for _, digest in names.values()])
    readings = {}
    for name, (model, digest) in names.items():
        with suppress(KeyError, *UNREADABLE):  # gone with its paper, or of another version's shape
            readings[name] = _reading(read_value(replies[digest].text, FigureReply), figures[name], model, digest)
    return readings


def _reading(reply: FigureReply, figure: FoundFigure, model: str, digest: str) -> FigureReading:
    captions = [figure.caption]
    values = (_line(value, VALUE_CHARS, captions) for value in reply.values[:MOST_VALUES]) if reply.tells else ()
    text = _line(reply.shows, MOST_CHARS, captions)
    return FigureReading(model, reply.tells, text, tuple(filter(None, values)), digest)


def _line(text: str, most: int, captions: list[str] | None = None) -> str:
    """Without references that the model made up; `captions`: the caption, whose marks stay."""
    line = cleaned(text, captions or ())[0]
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
