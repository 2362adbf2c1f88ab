"""Retrieval on the user's own library, with questions made of its own papers (F15); nobody judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from sqlalchemy import select

from conspectus.catalog.schema import papers
from conspectus.core.disk import named
from conspectus.core.errors import InputError, UsageError
from conspectus.evals import sentences
from conspectus.evals.checking import check_search
from conspectus.evals.clusters import LEAST, clusters
from conspectus.evals.configurations import OF_PAPERS, needs_own_library
from conspectus.evals.libraries import settings_of
from conspectus.evals.multi_entity import multi_entity
from conspectus.evals.records import Configuration, Head, Question, Result
from conspectus.evals.running import Options, Posed, checked, measure, new_run, sample
from conspectus.evals.store import ResultStore, head_of
from conspectus.library import Library
from conspectus.library.retrieving import retriever_of

By = Literal["words", "model", "both", ""]
QUESTIONS = 200
SINGLE, ASKED, CLUSTERS = "single-paper", "single-paper, by a model", "citation clusters"
_KINDS = ("abstract", "body")
_DEFAULT = (Configuration("default"),)


@dataclass(frozen=True, slots=True)
class Making:
    """How questions are made of a library.

    Attributes:
        count: of each kind, at most.
        by: single-paper questions by rule (`words`), by a language model (`model`), or `both`; "": both where a model
            is set, else by rule.
        least: papers of the library that a sentence has to cite to be a question.
        multi_entity: also questions of several entities of the library's graph.
    """

    count: int = QUESTIONS
    by: By = ""
    least: int = LEAST
    multi_entity: bool = False


def measure_self(
    library: Library, store: ResultStore, configurations: Sequence[Configuration], making: Making, seed: int = 0
) -> Iterator[Head]:
    """`evaluate_self` of a library that is open, with its settings; each result is kept, and told by its head.

    Raises:
        InputError, UsageError, UnavailableError, ServiceError: as `evaluate_self`.
    """
    flags = {name: library.settings.get(name) for name, by in library.settings.origins.items() if by == "flag"}
    for result in evaluate_self(library.folder, configurations, making, Options(seed=seed), flags=flags):
        yield head_of(store.save(result))


def evaluate_self(
    folder: Path | str,
    configurations: Sequence[Configuration] = _DEFAULT,
    making: Making = Making(),
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
) -> Iterator[Result]:
    """One result for each kind of question and configuration, as they come; none is stored.

    The questions are made once, with the library as its settings say, and put to each configuration.

    Args:
        folder: of the library.
        configurations: see `conspectus.evals.chosen`.
        making: how questions are made.
        options: metrics, seed, depth; `limit` does not apply.
        flags: settings under those of the configurations.

    Raises:
        NotFoundError: there is no library.
        InputError: no question can be made of its papers.
        UsageError: a configuration would need another library; or as `running.checked` and `checking.check_search`.
        UnavailableError: as these two.
        ServiceError: a language model is set and cannot be asked.
    """
    checked(options, "self")
    place, run = Path(folder), new_run()
    for one in configurations:
        if needs_own_library(one):
            raise UsageError(
                f"The configuration '{one.name}' changes what is in a library ({', '.join(OF_PAPERS)}…).",
                "`conspectus eval self` measures the library as it is; compare two libraries, or use `eval retrieval`.",
            )
        check_search(one, flags or {}, place)
    with Library(place, settings_of(flags or {}, Configuration("default"), place), create=False) as library:
        sets = questions_of(library, making, options.seed)
    for posed in sets:
        for one in configurations:
            with Library(place, settings_of(flags or {}, one, place), create=False) as library:
                yield measure(library, one, posed, lambda paper: paper.id, options, run)


def questions_of(library: Library, making: Making, seed: int = 0) -> tuple[Posed, ...]:
    """The sets of questions that the library's papers give; the notes of each say what another would have needed.

    Raises:
        InputError: no question can be made.
        SettingsError: `by` asks for a language model, and none is set.
        ServiceError: it cannot be asked.
    """
    single, asked = _single(library, making, seed)
    found = list(clusters(library, making.least))
    sets = [_posed(library, SINGLE, f"each of one paper: {sentences.RULE}", single)] if single else []
    sets += [asked] if asked and asked.questions else []
    if found:
        about = (
            f"sentences that cite {making.least} or more papers of the library, without their marks, to these papers"
        )
        sets.append(_posed(library, CLUSTERS, about, sample(found, making.count, seed)))
    if not sets:
        raise InputError(
            "No question can be made of the library's papers: no sentence has facts enough that others do not share, "
            f"and none cites {making.least} of its papers.",
            "Add papers: questions need several, with abstracts or full text.",
        )
    if making.multi_entity:
        sets += multi_entity(library, making.count, making.by, seed)
    if asked and not asked.questions:
        sets = [_noted(one, "The language model made no usable question.") for one in sets]
    if found:
        return tuple(sets)
    missing = (
        f"There are no questions with several right papers: no sentence of a full text cites {making.least} or more "
        "papers of the library."
    )
    return tuple(_noted(one, missing) for one in sets)


def corpus_of(library: Library) -> sentences.Corpus:
    """What the library's index knows of words."""
    index = retriever_of(library.session, use="raw", reranked=False).index
    return sentences.Corpus(index.stats().rows, index.frequencies)


def source_of(library: Library, name: str) -> sentences.Source:
    """A paper of the library, by its id, as questions are made of it: sentences of its abstract and body."""
    title = library.paper(name).title
    own = [passage for passage in library.passages(name) if passage.kind in _KINDS]
    found = {span.id: sentences.Sentence(span.id, span.text) for passage in own for span in passage.spans}
    texts = tuple(f"{title} {passage.section} {passage.text}" for passage in library.passages(name))
    return sentences.Source(name, tuple(one for one in found.values() if one.text != title), texts)


def _single(library: Library, making: Making, seed: int) -> tuple[tuple[Question, ...], Posed | None]:
    """Single-paper questions by rule, and, where they are wanted, by a model of the same sentences."""
    has_model = bool(library.settings.language.of("ask"))
    by = making.by or ("both" if has_model else "words")
    names = [row.id for row in library.session.catalog.rows(select(papers.c.id))]
    corpus = corpus_of(library)
    made = sentences.questions(names, lambda name: source_of(library, name), corpus, making.count, seed)
    asked: Posed | None = None
    if by != "words" and made:
        from conspectus.evals.rephrased import rephrased

        asked = rephrased(library, made, _posed(library, ASKED, "each of one paper, by a language model", ()))
    return (made if by != "model" else ()), asked


def _posed(library: Library, name: str, about: str, questions: Sequence[Question]) -> Posed:
    return Posed("self", f"{library.folder.name}: {name}", about, tuple(questions))


def _noted(posed: Posed, note: str) -> Posed:
    return replace(posed, notes=(*posed.notes, note))


def write_questions(library: Library, path: Path, making: Making, seed: int = 0) -> tuple[Posed, ...]:
    """Write questions as JSON Lines, and return them: those of `questions_of`, or only the multi-entity ones.

    Each line has `question`, `id`, `papers` that answer it, `source` (what it was made of) and `made` (how).

    Raises:
        InputError: the file is there already, or no question can be made.
        UnavailableError, ServiceError: a language model is to ask, and cannot.
        UsageError: the file cannot be written.
    """
    if path.exists():
        raise InputError(f"'{path}' is there already, and is not written over.", "Name another file.")
    if making.multi_entity:
        sets = multi_entity(library, making.count, making.by, seed)
    else:
        sets = questions_of(library, making, seed)
    rows = [
        {
            "question": one.text,
            "id": f"{number}.{one.id}",
            "papers": list(one.relevant),
            "source": one.source,
            "made": posed.about,
        }
        for number, posed in enumerate(sets, 1)
        for one in posed.questions
    ]
    with named(path), path.open("xb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    return sets
