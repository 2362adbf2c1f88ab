"""Questions about several entities that no sentence of the library joins (K9): one passage cannot answer them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from conspectus.core.errors import InputError
from conspectus.evaluation.answer_batches import ask_each, cost_note, has_model, model_needed, models_and_prompts
from conspectus.evaluation.records import Question, QuestionSet
from conspectus.graph import sql as kept
from conspectus.graph.explorer import Explorer
from conspectus.graph.mention_finder import NO_ENTITY, concepts_in
from conspectus.graph.verdicts import DistantEntities, draw_distant_entities
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced

NAME = "multi-entity"
ENTITY_PROMPT = "eval_entities"
LEAST_PAPERS, MOST = 2, 30
"""Papers of the hops between the entities of a question: one alone is no several, and what many have is too common."""
_TEMPLATES = {2: "How is {} related to {}?", 3: "How are {}, {} and {} related?"}
_RIGHT = "two or three entities that no sentence joins; right are the papers of the ways over a middle"


class EntityQuestionReply(msgspec.Struct):
    """The reply to the prompt `eval_entities`."""

    question: str


@dataclass(frozen=True, slots=True)
class _EntityQuestion:
    """A question by the template, and its entities: their keys and names."""

    question: Question
    keys: tuple[int, ...]
    labels: tuple[str, ...]


def multi_entity(library: Library, count: int, by: str = "", seed: int = 0) -> tuple[QuestionSet, ...]:
    """Make questions about several entities by a template (`words`), the model for the role `ask` (`model`), or `both`.

    Args:
        library: whose graph.
        count: of each, at most.
        by: "": by the model where one is set, else by the template.
        seed: of the entities that are drawn.

    Raises:
        InputError: the library's graph has no such entities.
        UnavailableError: `by` asks for a model, and none is set.
        ServiceError: it cannot be asked.
    """
    found = list(_questions(library, count, seed))
    if not found:
        raise InputError("The library's graph has no two entities that only others join.", NO_ENTITY)
    asks = has_model(library.settings.language, "ask")
    if by in ("model", "both") and not asks:
        raise model_needed("Questions by a model")
    sets = []
    if by in ("words", "both") or not (by or asks):
        about = f"by a template: {_RIGHT}"
        sets.append(QuestionSet("self", _name(library, "by a template"), about, tuple(one.question for one in found)))
    if by in ("model", "both") or (not by and asks):
        sets.append(_by_model(library, found))
    return tuple(sets)


def _name(library: Library, how: str) -> str:
    return f"{library.folder.name}: {NAME}, {how}"


def _questions(library: Library, count: int, seed: int) -> Iterator[_EntityQuestion]:
    """Questions in which their entities are found again, and that few enough papers answer."""
    explorer = Explorer(library.session.catalog)
    for apart in draw_distant_entities(explorer, seed):
        if not count:
            return
        if found := _question(library, explorer, apart):
            count -= 1
            yield found


def _question(library: Library, explorer: Explorer, apart: DistantEntities) -> _EntityQuestion | None:
    catalog = explorer.catalog
    concepts = dict.fromkeys(key for way in apart.ways for key in way)
    named = kept.read_entities(catalog, {key: explorer.counts([key])[key] for key in (*apart.keys, *concepts)})
    labels = tuple(named[key].name for key in apart.keys)
    text = _TEMPLATES[len(labels)].format(*labels)
    if set(concepts_in(library.session, text)) != set(apart.keys):
        return None
    papers = {one.paper for one in apart.places(explorer)}
    if not LEAST_PAPERS <= len(papers) <= MOST:
        return None
    right = sorted(one.id for one in catalog.papers_by_key(list(papers)).values())
    ways = "; ".join(" – ".join(named[key].name for key in way) for way in apart.ways)
    name = "+".join(named[key].id for key in apart.keys)
    return _EntityQuestion(Question(name, text, dict.fromkeys(right, 1), source=ways), apart.keys, labels)


def _by_model(library: Library, found: list[_EntityQuestion]) -> QuestionSet:
    """Let the model write the questions; unusable ones are left out and counted."""

    async def make(one: _EntityQuestion, client: LlmClient) -> str:
        def check(said: EntityQuestionReply) -> str:
            there = concepts_in(library.session, said.question)
            lacking = [label for key, label in zip(one.keys, one.labels, strict=True) if key not in there]
            return f"the question does not name {' and '.join(lacking)}" if lacking else ""

        values = {"entities": fenced("entities", "\n".join(one.labels))}
        reply = await client.ask("ask", ENTITY_PROMPT, values, OutputSpec(EntityQuestionReply, check))
        return " ".join(reply.question.split())

    told = ask_each(library, found, make, f"asking for questions of {NAME}")
    made = tuple(
        replace(one.question, text=outcome.value) for one, outcome in zip(found, told, strict=True) if outcome.value
    )
    models, prompts = models_and_prompts(told)
    notes = [f"{len(found) - len(made)} times the model made no usable question."] if len(made) < len(found) else []
    notes += [cost] if (cost := cost_note(told)) else []
    about = f"by a language model: {_RIGHT}"
    return QuestionSet("self", _name(library, "by a model"), about, made, tuple(notes), tuple(models), tuple(prompts))
