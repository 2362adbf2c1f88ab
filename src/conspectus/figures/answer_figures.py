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
from conspectus.store import figures as kept
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
    figures = [one.figure for one in answer.figures if one.figure.kind == "figure"]
    pictured = await asyncio.to_thread(lambda: [_pictured(session, one) for one in figures])
    question = answer.standalone or answer.question
    found = await asyncio.gather(*map(partial(_read, client, question), pictured))
    said = dict(zip((one.id for one in figures), found, strict=True))
    note = _unread_note(zip(figures, found, strict=True)) if figures else _NO_FIGURE
    return replace(
        answer,
        figures=tuple(_with(one, said.get(one.figure.id)) for one in answer.figures),
        note=" ".join(part for part in (answer.note, note) if part),
        models=tuple(dict.fromkeys((*client.names(), *answer.models))),
        usage=replace(client.usage, passages=answer.usage.passages, sentences=answer.usage.sentences),
    )


def sendable(image: Image) -> ImagePart:
    """A picture of bounded size as PNG or, where that is large, as JPEG."""
    image.thumbnail((LONGEST, LONGEST))
    held = io.BytesIO()
    image.convert("RGB").save(held, "PNG", optimize=True)
    if held.tell() <= MOST_BYTES:
        return ImagePart(held.getvalue(), "image/png")
    held = io.BytesIO()
    image.convert("RGB").save(held, "JPEG", quality=85)
    return ImagePart(held.getvalue(), "image/jpeg")


def _pictured(session: Session, figure: FoundFigure) -> FigureWithPicture | ConspectusError:
    try:
        return FigureWithPicture(figure, sendable(figure_image(session, figure.id)))
    except (InputError, NotFoundError) as error:
        return error


async def _read(
    client: LlmClient, question: str, shown: FigureWithPicture | ConspectusError
) -> FigureReading | ConspectusError:
    if isinstance(shown, ConspectusError):
        return shown
    try:
        return await read_figure(client, question, shown)
    except ConspectusError as error:  # the answer stands without it
        return error


def _with(cited: CitedFigure, said: FigureReading | ConspectusError | None) -> CitedFigure:
    return replace(cited, reading=said) if isinstance(said, FigureReading) else cited


def _unread_note(found: Iterable[tuple[FoundFigure, FigureReading | ConspectusError]]) -> str:
    """Which figures were not read; those for the same reason together."""
    reasons: dict[str, list[str]] = {}
    for figure, said in found:
        if isinstance(said, ConspectusError):
            reasons.setdefault(str(said), []).append(f"{figure.title} of {figure.paper.label}")
    return " ".join(f"Not read: {', '.join(names)}. {why}" for why, names in reasons.items())


def add_cited_figures(session: Session, answer: Answer) -> Answer:
    """The answer with the figures that its citations rest on, and with what was read in them when it was made."""

    cited = [citation for statement in answer.statements for citation in statement.citations]
    figures = cited_figures(session.catalog, cited) if cited else ()
    if not figures:
        return replace(answer, figures=())
    known = {one.figure.id: one.reading for one in answer.figures if one.reading}  # of a turn that is not kept
    readings = known or load_readings(session.catalog, answer.id, {one.figure.id: one.figure for one in figures})
    return replace(answer, figures=tuple(replace(one, reading=readings.get(one.figure.id)) for one in figures))


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
        for found, led in ((own, _captioned(one, by_id.get(one.passage_id), among)), (every, _spoken_of(one, among))):
            for figure, span in led:
                found.setdefault(figure.key, {})[span.id] = None
    chosen = list(dict.fromkeys((*own, *every)))[:MOST]
    return _cited(catalog, figures, chosen, own, every)


def _captioned(
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


def _cited(
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
        found.append(
            CitedFigure(make_figure(figure, papers[paper], seen), "caption" if key in own else "mention", spans)
        )
    return tuple(found)


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


_WANTED = OutputSpec(FigureReply, lambda seen: "" if _line(seen.shows, MOST_CHARS) else "`shows` is empty")


@dataclass(frozen=True, slots=True)
class FigureWithPicture:
    """A figure with its picture."""

    figure: FoundFigure
    picture: ImagePart


async def read_figure(client: LlmClient, question: str, shown: FigureWithPicture) -> FigureReading:
    """What the model for the role `vision` reads in a figure on a question.

    Raises:
        ModelAnswerError: it says nothing that can be used.
        ServiceError: it cannot be asked, or takes no pictures.
        BudgetError: the budget is used up.
    """
    figure = shown.figure
    values: Values = {
        "question": fenced("question", question),
        "caption": fenced("caption", figure.caption or figure.title),
        "picture": shown.picture,
    }
    seen = await client.ask(ROLE, PROMPT, values, _WANTED, papers=[figure.paper.id])
    model, digest = await client.cache_key(ROLE, PROMPT, values, _WANTED)
    return _reading(seen, figure, model, digest)


def load_readings(catalog: Catalog, answer_id: str, figures: Mapping[str, FoundFigure]) -> dict[str, FigureReading]:
    """Those of a kept answer, by the ids of the figures, as the library has kept what the models said.

    What was said of a paper that was removed went with it.
    """
    names = {one: named for one, named in sql.figure_readings(catalog, answer_id).items() if one in figures}
    replies = llm_sql.read_replies(catalog, [digest for _, digest in names.values()])
    found = {}
    for name, (model, digest) in names.items():
        with suppress(KeyError, *UNREADABLE):  # gone with its paper, or of another version's shape
            found[name] = _reading(read_value(replies[digest].text, FigureReply), figures[name], model, digest)
    return found


def _reading(seen: FigureReply, figure: FoundFigure, model: str, digest: str) -> FigureReading:
    own = [figure.caption]
    values = (_line(one, VALUE_CHARS, own) for one in seen.values[:MOST_VALUES]) if seen.tells else ()
    text = _line(seen.shows, MOST_CHARS, own)
    return FigureReading(model, seen.tells, text, tuple(filter(None, values)), digest)


def _line(text: str, most: int, own: list[str] | None = None) -> str:
    """Without references that the model made up; `own`: the caption, whose marks stay."""
    line = cleaned(text, own or ())[0]
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
