"""Which questions of a set are asked of which library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conspectus.evals.datasets.answer_registry import AnswerSet, Asked, narrowed
from conspectus.evals.libraries import aliases, library_of, settings_of, work_folder
from conspectus.evals.running import new_run, sample
from conspectus.evals.ways import Way
from conspectus.library import Library
from conspectus.records import Paper


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which questions of a set are asked of what.

    Attributes:
        limit: questions drawn at random, at most; 0: all.
        others: papers of the set's library that answer none of them, at most; None: all.
        seed: of the questions, the papers, the order of options, and the bootstrap.
        own: the folder of the library that is asked instead of the set's own; None: the set's own.
    """

    limit: int = 0
    others: int | None = None
    seed: int = 0
    own: Path | None = None


@dataclass(frozen=True, slots=True)
class Measuring:
    """What a run has in common: settings under those of the ways, the folder for libraries, its name."""

    sampling: Sampling
    flags: Mapping[str, Any]
    work: Path | str | None
    run: str = field(default_factory=new_run)


def sampled(one: AnswerSet, sampling: Sampling) -> AnswerSet:
    """The set with the questions that are asked, and its library with as many papers as are wanted."""
    questions = sample(one.questions, sampling.limit, sampling.seed)
    if sampling.others is None or sampling.own:
        return replace(one, questions=questions)
    return narrowed(one, questions, sampling.others, sampling.seed)


@contextmanager
def library_for(one: AnswerSet, way: Way, how: Measuring) -> Iterator[Library]:
    """The library that a way asks: the user's, the set's, or for the model alone an empty one that keeps its calls."""
    own = how.sampling.own
    if way.how == "blind":
        place = work_folder(how.work) / "libraries" / "without-papers"
        with Library(place, settings_of({**how.flags, "catalog.url": ""}, way.configuration)) as library:
            yield library
    elif own or one.papers is None:
        assert own
        with Library(own, settings_of(how.flags, way.configuration, own), create=False) as library:
            yield library
    else:
        with library_of(one.papers, way.configuration, how.flags, how.work) as library:
            yield library


def named(library: Library, one: AnswerSet, sampling: Sampling) -> tuple[Callable[[Paper], str], tuple[Asked, ...]]:
    """What questions call a paper of the library, and the questions with gold papers by these names."""
    if sampling.own or one.papers is None:
        return (lambda paper: paper.id), one.questions
    prefix = f"{one.papers.name}:"
    others = aliases(library, prefix, {name for question in one.questions for name in question.gold})
    questions = tuple(replace(question, gold=_renamed(question.gold, others)) for question in one.questions)
    return (lambda paper: paper.external_id.removeprefix(prefix)), questions


def _renamed(gold: Mapping[str, tuple[str, ...]], others: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, sentences in gold.items():
        called = others.get(name, name)
        found[called] = (*found.get(called, ()), *sentences)
    return found
