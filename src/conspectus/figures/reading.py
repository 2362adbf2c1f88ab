"""What a model that is shown a figure reads in it; in its own words, which nothing is quoted or cited from."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from conspectus.core.roles import Role
from conspectus.evidence.cleaning import cleaned
from conspectus.figures import sql
from conspectus.llm import sql as llm_sql
from conspectus.llm.client import LlmClient, Values
from conspectus.llm.output_spec import UNREADABLE, OutputSpec, read_value
from conspectus.llm.prompts import fenced
from conspectus.models.language import Picture
from conspectus.records import FigureReading, FoundFigure
from conspectus.store.catalog import Catalog

ROLE: Role = "vision"
PROMPT = "figure"
MOST_CHARS = 1000
MOST_VALUES = 12
VALUE_CHARS = 200


class Seen(msgspec.Struct):
    """What the prompt `figure` gives."""

    tells: bool
    shows: str
    values: list[str]


_WANTED = OutputSpec(Seen, lambda seen: "" if _line(seen.shows, MOST_CHARS) else "`shows` is empty")


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure with its picture."""

    figure: FoundFigure
    picture: Picture


async def reading(client: LlmClient, question: str, shown: Shown) -> FigureReading:
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


def kept_readings(catalog: Catalog, answer_id: str, figures: Mapping[str, FoundFigure]) -> dict[str, FigureReading]:
    """Those of a kept answer, by the ids of the figures, as the library has kept what the models said.

    What was said of a paper that was removed went with it.
    """
    names = {one: named for one, named in sql.figure_readings(catalog, answer_id).items() if one in figures}
    replies = llm_sql.read_replies(catalog, [digest for _, digest in names.values()])
    found = {}
    for name, (model, digest) in names.items():
        with suppress(KeyError, *UNREADABLE):  # gone with its paper, or of another version's shape
            found[name] = _reading(read_value(replies[digest].text, Seen), figures[name], model, digest)
    return found


def _reading(seen: Seen, figure: FoundFigure, model: str, digest: str) -> FigureReading:
    own = [figure.caption]
    values = (_line(one, VALUE_CHARS, own) for one in seen.values[:MOST_VALUES]) if seen.tells else ()
    text = _line(seen.shows, MOST_CHARS, own)
    return FigureReading(model, seen.tells, text, tuple(filter(None, values)), digest)


def _line(text: str, most: int, own: list[str] | None = None) -> str:
    """Without references that the model made up; `own`: the caption, whose marks stay."""
    line = cleaned(text, own or ())[0]
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
