"""The libraries that are measured: of a set, made once for each embedder in a work folder, or the user's own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from platformdirs import user_cache_path
from sqlalchemy import select

from conspectus.core.disk import explained, user_path
from conspectus.core.errors import ConspectusError, InputError, NotFoundError
from conspectus.evaluation.configurations import AnswerConfig, settings_of
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSet, Dataset, SetPaper, sample, shrink_library
from conspectus.evaluation.records import Configuration, Result
from conspectus.evaluation.results import new_run
from conspectus.library import Library
from conspectus.records import Paper
from conspectus.settings import Settings
from conspectus.store.schema import papers

_UNFIT = re.compile(r"[^A-Za-z0-9.-]+")
_MAKING = ("models.embedder", "passages.chars", "passages.overlap")
"""Settings that decide what is in a set's library: each combination has its own."""

_CHUNK = 500


def work_folder(path: Path | str | None = None) -> Path:
    """The folder of libraries and results: `path`, else `evals` in the user's cache folder."""
    return Path(os.path.abspath(user_path(path))) if path else user_cache_path("conspectus") / "evals"  # noqa: PTH100


@contextmanager
def library_of(
    dataset: Dataset,
    configuration: Configuration,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Library]:
    """Open the library of a set with the settings of a configuration; create or complete it if necessary.

    It is in the work folder, whatever `catalog.url` says: nothing is added to a catalog that others use.

    Raises:
        InputError: a paper of the set cannot be added.
        ModelMissingError: the embedder is not in the model store.
        LibraryError: the work folder cannot be written.
    """
    settings = settings_of({**(flags or {}), "catalog.url": ""}, configuration)
    base = work_folder(work) / "libraries"
    with explained(base):
        records = _records(dataset, base)
    with Library(records.parent / _slug(settings), settings) as library:
        report = library.add(records)
        if troubles := [row for row in (*report.added, *report.updated, *report.failed) if row.reason]:
            why = ": ".join((troubles[0].reason, *troubles[0].notes[:1]))
            raise InputError(f"Not every paper of the set '{dataset.name}' can be added: {why}", "Mend the set.")
        yield library


def aliases(library: Library, prefix: str, names: Iterable[str]) -> dict[str, str]:
    """Set name -> library name of papers that are copies of another paper in the library."""
    rows = library.session.catalog.rows(select(papers.c.external_id))
    missing = {f"{prefix}{name}" for name in names} - {row.external_id for row in rows}
    library_names: dict[str, str] = {}
    for keys in library.session.catalog.paper_keys(_CHUNK) if missing else ():
        paper_by_key = library.session.catalog.papers_by_key(keys)
        for key, documents in library.session.catalog.documents_of(keys).items():
            for document in documents:
                if document.parsed.metadata.external_id in missing:
                    name = document.parsed.metadata.external_id.removeprefix(prefix)
                    library_names[name] = paper_by_key[key].external_id.removeprefix(prefix)
    return library_names


def titles(result: Result, names: Iterable[str]) -> dict[str, str]:
    """Name -> title (or the beginning of the abstract), for papers that the library still has.

    Results keep no titles, so that a removed paper leaves no words in them.
    """
    paper_names = list(names)
    if not paper_names or result.library is None or not (Path(result.library.folder) / "catalog.sqlite").is_file():
        return {}
    prefix = f"{result.dataset}:" if result.kind == "retrieval" else ""
    title_by_name = {}
    try:
        with Library(result.library.folder, create=False) as library:
            for name in paper_names:
                try:
                    paper = library.paper(f"{prefix}{name}")
                except NotFoundError:
                    continue
                title_by_name[name] = paper.title or f"{paper.abstract[:80]}…"
    except ConspectusError:  # a library that cannot be opened now: the names alone are shown
        return title_by_name
    return title_by_name


def _records(dataset: Dataset, base: Path) -> Path:
    """Write the set's papers as a file for `add`. The folder's name has a digest, so that another corpus of the same
    name gets its own libraries."""
    name = _UNFIT.sub("-", dataset.name)
    base.mkdir(parents=True, exist_ok=True)
    scratch = base / f".{name}-{os.getpid()}.part"
    digest = blake2b(digest_size=4)
    try:
        with scratch.open("wb") as file:
            for document in dataset.documents():
                if not document.is_empty:
                    line = msgspec.json.encode(_record(dataset.name, document)) + b"\n"
                    digest.update(line)
                    file.write(line)
        path = base / f"{name}-{digest.hexdigest()}" / "records.jsonl"
        path.parent.mkdir(exist_ok=True)
        if not path.is_file():
            scratch.replace(path)
        return path
    finally:
        scratch.unlink(missing_ok=True)


def _record(dataset: str, document: SetPaper) -> dict[str, object]:
    fields = {
        "title": document.title,
        "abstract": document.abstract,
        "authors": document.authors,
        "year": document.year,
    }
    return {"id": f"{dataset}:{document.id}", **{name: value for name, value in fields.items() if value}}


def _slug(settings: Settings) -> str:
    values = [str(settings.get(key)) for key in _MAKING]
    digest = blake2b("\0".join(values).encode(), digest_size=3).hexdigest()
    return f"{_UNFIT.sub('-', '-'.join(values))[:60]}-{digest}"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which questions of a set are asked of what.

    Attributes:
        limit: questions drawn at random, at most; 0: all.
        others: papers of the set's library that answer none of them, at most; None: all.
        seed: of the questions, the papers, the order of options, and the bootstrap.
        library_folder: the folder of the library that is asked instead of the set's own; None: the set's own.
    """

    limit: int = 0
    others: int | None = None
    seed: int = 0
    library_folder: Path | None = None


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """What the measurements of a run share: settings below those of the configurations, the work folder, a name."""

    sampling: Sampling
    flags: Mapping[str, Any]
    work: Path | str | None
    run: str = field(default_factory=new_run)


def draw_questions(answer_set: AnswerSet, sampling: Sampling) -> AnswerSet:
    """Sample the set's questions, and shrink its library if asked."""
    questions = sample(answer_set.questions, sampling.limit, sampling.seed)
    if sampling.others is None or sampling.library_folder:
        return replace(answer_set, questions=questions)
    return shrink_library(answer_set, questions, sampling.others, sampling.seed)


@contextmanager
def library_for(answer_set: AnswerSet, config: AnswerConfig, run: AnswerRun) -> Iterator[Library]:
    """Open the library that a configuration asks: the user's, the set's, or for `blind` an empty one for its calls."""
    folder = run.sampling.library_folder
    if config.how == "blind":
        place = work_folder(run.work) / "libraries" / "without-papers"
        with Library(place, settings_of({**run.flags, "catalog.url": ""}, config.configuration)) as library:
            yield library
    elif folder or answer_set.papers is None:
        assert folder
        with Library(folder, settings_of(run.flags, config.configuration, folder), create=False) as library:
            yield library
    else:
        with library_of(answer_set.papers, config.configuration, run.flags, run.work) as library:
            yield library


def name_papers(
    library: Library, answer_set: AnswerSet, sampling: Sampling
) -> tuple[Callable[[Paper], str], tuple[AnswerQuestion, ...]]:
    """Return a function that names papers as the set does, and the questions with gold papers by these names."""
    if sampling.library_folder or answer_set.papers is None:
        return (lambda paper: paper.id), answer_set.questions
    prefix = f"{answer_set.papers.name}:"
    others = aliases(library, prefix, {name for question in answer_set.questions for name in question.gold})
    questions = tuple(
        replace(question, gold=_gold_by_library_name(question.gold, others)) for question in answer_set.questions
    )
    return (lambda paper: paper.external_id.removeprefix(prefix)), questions


def _gold_by_library_name(gold: Mapping[str, tuple[str, ...]], others: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    gold_by_name: dict[str, tuple[str, ...]] = {}
    for name, sentences in gold.items():
        called = others.get(name, name)
        gold_by_name[called] = (*gold_by_name.get(called, ()), *sentences)
    return gold_by_name
