"""Questions put to a library's search, and what came of them as a result."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conspectus.core.errors import BudgetError, ModelAnswerError, UsageError
from conspectus.core.job_context import emit
from conspectus.evals.comparing import result_of
from conspectus.evals.metrics import DEFAULT, SELF, Metrics
from conspectus.evals.provenance import snapshot
from conspectus.evals.records import TROUBLE, Configuration, Kind, Question, Result, Scored
from conspectus.library import Library
from conspectus.records import Hit, Paper
from conspectus.records.jobs import Progress
from conspectus.settings import SearchSettings

DEPTH = 100
"""Papers asked for, for each question: enough for recall@100."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a set is measured.

    Attributes:
        metrics: by name, the main one first; none: the usual ones, but for those that look at more papers than `depth`.
        limit: questions drawn at random, at most; 0: all.
        seed: of that sample and of the bootstrap.
        depth: papers asked for, for each question.
    """

    metrics: tuple[str, ...] = ()
    limit: int = 0
    seed: int = 0
    depth: int = DEPTH


@dataclass(frozen=True, slots=True)
class Posed:
    """Questions with where they come from."""

    kind: Kind
    dataset: str
    about: str
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()


Q = TypeVar("Q")

Name = Callable[[Paper], str]
"""What the questions call a paper."""


def new_run() -> str:
    """A name for results that are made together."""
    return f"run-{secrets.token_hex(4)}"


def checked(options: Options, kind: Kind) -> Metrics:
    """The metrics of the options; what cannot be measured is told.

    Raises:
        UsageError: a metric that cannot be computed, or that looks at more papers than are asked for; a depth below 1.
        UnavailableError: ir-measures is not installed.
    """
    if options.depth < 1:
        raise UsageError(f"The depth must be at least 1, not {options.depth}.")
    usual = _usual(kind)
    found = Metrics(options.metrics or usual)
    out = found.beyond(options.depth)
    left = () if options.metrics else tuple(name for name in usual if name not in out)
    if out and not left:
        raise UsageError(
            f"A depth of {options.depth} is too small for {', '.join(out)}.",
            f"Raise the `depth`, or name other metrics, such as RR@{options.depth}.",
        )
    return Metrics(left) if out else found


def _usual(kind: Kind) -> tuple[str, ...]:
    return SELF if kind == "self" else DEFAULT


def sample(questions: Sequence[Q], limit: int, seed: int) -> tuple[Q, ...]:
    """At most `limit` of the questions (0: all), drawn at random, in their order."""
    if not limit or limit >= len(questions):
        return tuple(questions)
    return tuple(questions[place] for place in sorted(random.Random(seed).sample(range(len(questions)), limit)))  # noqa: S311


def measure(
    library: Library,
    configuration: Configuration,
    posed: Posed,
    name: Name,
    options: Options,
    run: str,
) -> Result:
    """Put the questions to the library as it is set, and score what was found.

    A question of which a model gives nothing usable, or whose budget is used up, found nothing, and says why.

    Raises:
        UsageError, UnavailableError: as `checked`.
        ServiceError: a model cannot be asked.
    """
    metrics = checked(options, posed.kind)
    before = snapshot(library)
    stage = f"{posed.dataset}, {configuration.name}"
    found: list[_Found] = []
    for number, question in enumerate(posed.questions):
        emit(Progress(stage, number, len(posed.questions), "questions"))
        found.append(_found(library, question, name, options.depth))
    emit(Progress(stage, len(posed.questions), len(posed.questions), "questions"))
    models = dict.fromkeys([*posed.models, *(model for one in found for model in one.models)])
    scores = metrics.score(posed.questions, [one.ranking for one in found])
    scored = tuple(map(_scored, posed.questions, scores, found))
    changed = before != snapshot(library)
    return result_of(
        library.settings,
        scored,
        metrics.names,
        options.seed,
        run=run,
        kind=posed.kind,
        dataset=posed.dataset,
        about=posed.about,
        configuration=configuration,
        library=before,
        models=tuple(models),
        prompts=posed.prompts,
        depth=options.depth,
        notes=(*posed.notes, *_notes(configuration, options, _usual(posed.kind), metrics, found, changed=changed)),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of one question."""

    ranking: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    trouble: str = ""
    seconds: float = 0.0


def _found(library: Library, question: Question, name: Name, depth: int) -> _Found:
    began = time.perf_counter()
    try:
        result = library.search(question.text, depth + len(question.exclude), plain=True)
    except (ModelAnswerError, BudgetError) as error:
        return _Found(trouble=error.message, seconds=round(time.perf_counter() - began, 4))
    seconds = round(time.perf_counter() - began, 4)
    ranking = _ranking(result.hits, question, name, library.settings.search, depth)
    return _Found(ranking, result.models, seconds=seconds)


def _notes(
    configuration: Configuration,
    options: Options,
    usual: Sequence[str],
    metrics: Metrics,
    found: Sequence[_Found],
    *,
    changed: bool,
) -> Iterator[str]:
    """What the reader has to know."""
    if not options.metrics and (out := [name for name in usual if name not in metrics.names]):
        yield f"A depth of {options.depth} is too small for {', '.join(out)}: not measured."
    if troubles := [one.trouble for one in found if one.trouble]:
        yield (
            f"{configuration.name}: of {len(troubles)} of {len(found)} questions nothing could be used (nothing found, "
            f"every score 0): {troubles[0]}"
        )
    if changed:
        yield "The library was changed while it was measured."


def _ranking(
    hits: Sequence[Hit], question: Question, name: Name, settings: SearchSettings, depth: int
) -> tuple[str, ...]:
    """The names of the papers found, without those that the question excludes.

    By full text alone a paper is found only if it shares a word: what the search appends behind those, by its vector,
    is no achievement of BM25.
    """
    words_alone = settings.dense_weight == 0 and settings.rerank == 0
    found = [name(hit.paper) for hit in hits if not words_alone or hit.factors.get("bm25", 0.0) > 0]
    return tuple(dict.fromkeys(one for one in found if one not in question.exclude))[:depth]


def _scored(question: Question, scores: Mapping[str, float], found: _Found) -> Scored:
    rows = {"source": question.source, TROUBLE: found.trouble}
    details = {key: value for key, value in rows.items() if value}
    return Scored(question.id, question.text, scores, question.relevant, found.ranking, details, found.seconds)
