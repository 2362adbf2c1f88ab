"""Questions put to a library's search, and what came of them as a result."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from conspectus.errors import UsageError
from conspectus.evals.comparing import estimates
from conspectus.evals.metrics import DEFAULT, Metrics
from conspectus.evals.provenance import effective, environment, now, snapshot
from conspectus.evals.records import Configuration, Kind, Question, Result, Scored
from conspectus.ingest.progress import Progress, ProgressCallback, silent
from conspectus.library import Library
from conspectus.records import Hit, Paper
from conspectus.settings import SearchSettings

DEPTH = 100
"""Papers asked for, for each question: enough for recall@100."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a set is measured.

    Attributes:
        metrics: by name, the main one first.
        limit: questions drawn at random, at most; 0: all.
        seed: of that sample and of the bootstrap.
        depth: papers asked for, for each question.
    """

    metrics: tuple[str, ...] = DEFAULT
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


def checked(options: Options) -> Metrics:
    """The metrics of the options; what cannot be measured is told.

    Raises:
        UsageError: a metric that cannot be computed, or a depth below 1.
        UnavailableError: ir-measures is not installed.
    """
    if options.depth < 1:
        raise UsageError(f"The depth must be at least 1, not {options.depth}.")
    return Metrics(options.metrics)


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
    tell: ProgressCallback = silent,
) -> Result:
    """Put the questions to the library as it is set, and score what was found.

    Raises:
        UsageError, UnavailableError: as `checked`.
    """
    metrics = checked(options)
    before = snapshot(library)
    stage = f"{posed.dataset}, {configuration.name}"
    rankings: list[tuple[str, ...]] = []
    seconds: list[float] = []
    models: dict[str, None] = dict.fromkeys(posed.models)
    for number, question in enumerate(posed.questions):
        tell(Progress(stage, number, len(posed.questions), "questions"))
        began = time.perf_counter()
        found = library.search(question.text, options.depth + len(question.exclude), plain=True)
        seconds.append(round(time.perf_counter() - began, 4))
        models |= dict.fromkeys(found.models)
        rankings.append(_ranking(found.hits, question, name, library.settings.search, options.depth))
    tell(Progress(stage, len(posed.questions), len(posed.questions), "questions"))
    scores = metrics.score(posed.questions, rankings)
    scored = tuple(map(_scored, posed.questions, scores, rankings, seconds))
    changed = before != snapshot(library)
    return Result(
        run=run,
        kind=posed.kind,
        dataset=posed.dataset,
        about=posed.about,
        configuration=configuration,
        settings=effective(library.settings),
        library=before,
        models=tuple(models),
        prompts=posed.prompts,
        environment=environment(),
        made=now(),
        seed=options.seed,
        depth=options.depth,
        metrics=metrics.names,
        aggregates=estimates(scored, metrics.names, options.seed),
        questions=scored,
        notes=(*posed.notes, *(["The library was changed while it was measured."] if changed else [])),
    )


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


def _scored(question: Question, scores: Mapping[str, float], ranking: tuple[str, ...], seconds: float) -> Scored:
    details = {"source": question.source} if question.source else {}
    return Scored(question.id, question.text, scores, question.relevant, ranking, details, seconds)
