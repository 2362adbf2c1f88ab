"""Retrieval on the user's own library, with questions made of its own papers (F15); what the graph gains on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from sqlalchemy import select

from conspectus.core.disk import explain_write_errors
from conspectus.core.errors import InputError, UsageError
from conspectus.evaluation.comparison import union
from conspectus.evaluation.configurations import (
    OF_PAPERS,
    check_search,
    needs_own_library,
    select_configurations,
    settings_of,
)
from conspectus.evaluation.own_questions import (
    LEAST,
    NAME,
    RULE,
    Corpus,
    QuestionSource,
    SourceSentence,
    citation_clusters,
    make_questions,
    multi_entity,
    rephrase_questions,
)
from conspectus.evaluation.question_sets import sample
from conspectus.evaluation.records import Configuration, Question, QuestionSet, Result, ResultHead
from conspectus.evaluation.results import ResultStore, head_of, new_run
from conspectus.evaluation.retrieval import RetrievalOptions, measure, usable_metrics
from conspectus.graph import sql as graph_sql
from conspectus.graph.mention_finder import NO_ENTITY
from conspectus.graph.verdicts import keep_verdicts, make_verdict
from conspectus.library import Library
from conspectus.papers.retriever import make_retriever
from conspectus.records.graph import GraphVerdict
from conspectus.store.schema import papers

By = Literal["words", "model", "both", ""]
QUESTIONS = 200
SINGLE, BY_MODEL, CLUSTERS = "single-paper", "single-paper, by a model", "citation clusters"
_KINDS = ("abstract", "body")
_DEFAULT = (Configuration("default"),)


@dataclass(frozen=True, slots=True)
class QuestionOptions:
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
    library: Library,
    store: ResultStore,
    configurations: Sequence[Configuration],
    making: QuestionOptions,
    seed: int = 0,
) -> Iterator[ResultHead]:
    """`evaluate_self` for an open library with its settings; stores each result and yields its head.

    Raises:
        InputError, UsageError, UnavailableError, ServiceError: as `evaluate_self`.
    """
    flags = {name: library.settings.get(name) for name, by in library.settings.origins.items() if by == "flag"}
    for result in evaluate_self(library.folder, configurations, making, RetrievalOptions(seed=seed), flags=flags):
        yield head_of(store.save(result))


def evaluate_self(
    folder: Path | str,
    configurations: Sequence[Configuration] = _DEFAULT,
    making: QuestionOptions = QuestionOptions(),
    options: RetrievalOptions = RetrievalOptions(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
) -> Iterator[Result]:
    """Yield a result for each kind of question and configuration; none is stored.

    The questions are made once, with the library as its settings say, and put to each configuration.

    Args:
        folder: of the library.
        configurations: see `conspectus.evaluation.select_configurations`.
        making: how questions are made.
        options: metrics, seed, depth; `limit` does not apply.
        flags: settings under those of the configurations.

    Raises:
        NotFoundError: there is no library.
        InputError: no question can be made of its papers.
        UsageError: a configuration would need another library; or as `usable_metrics` and `check_search`.
        UnavailableError: as these two.
        ServiceError: a language model is set and cannot be asked.
    """
    usable_metrics(options, "self")
    place, run = Path(folder), new_run()
    for configuration in configurations:
        if needs_own_library(configuration):
            raise UsageError(
                f"The configuration '{configuration.name}' changes what is in a library ({', '.join(OF_PAPERS)}…).",
                "`conspectus eval self` measures the library as it is; compare two libraries, or use `eval retrieval`.",
            )
        check_search(configuration, flags or {}, place)
    with Library(place, settings_of(flags or {}, Configuration("default"), place), create=False) as library:
        sets = questions_of(library, making, options.seed)
    for posed in sets:
        for configuration in configurations:
            with Library(place, settings_of(flags or {}, configuration, place), create=False) as library:
                yield measure(library, configuration, posed, lambda paper: paper.id, options, run)


def questions_of(library: Library, making: QuestionOptions, seed: int = 0) -> tuple[QuestionSet, ...]:
    """Make sets of questions from the library's papers; notes say what a missing kind would have needed.

    Raises:
        InputError: no question can be made.
        SettingsError: `by` asks for a language model, and none is set.
        ServiceError: it cannot be asked.
    """
    single, model_questions = _single_paper_questions(library, making, seed)
    clusters = list(citation_clusters(library, making.least))
    sets = [_question_set(library, SINGLE, f"each of one paper: {RULE}", single)] if single else []
    sets += [model_questions] if model_questions and model_questions.questions else []
    if clusters:
        about = (
            f"sentences that cite {making.least} or more papers of the library, without their marks, to these papers"
        )
        sets.append(_question_set(library, CLUSTERS, about, sample(clusters, making.count, seed)))
    if not sets:
        raise InputError(
            "No question can be made of the library's papers: no sentence has facts enough that others do not share, "
            f"and none cites {making.least} of its papers.",
            "Add papers: questions need several, with abstracts or full text.",
        )
    if making.multi_entity:
        sets += multi_entity(library, making.count, making.by, seed)
    if model_questions and not model_questions.questions:
        sets = [_with_note(question_set, "The language model made no usable question.") for question_set in sets]
    if clusters:
        return tuple(sets)
    missing = (
        f"There are no questions with several right papers: no sentence of a full text cites {making.least} or more "
        "papers of the library."
    )
    return tuple(_with_note(question_set, missing) for question_set in sets)


def corpus_of(library: Library) -> Corpus:
    """Word frequencies from the library's index."""
    index = make_retriever(library.session, use="raw", reranked=False).index
    return Corpus(index.stats().rows, index.frequencies)


def source_of(library: Library, name: str) -> QuestionSource:
    """Sentences of a paper's abstract and body, and its passages."""
    title = library.paper(name).title
    text_passages = [passage for passage in library.passages(name) if passage.kind in _KINDS]
    sentence_by_id = {
        span.id: SourceSentence(span.id, span.text) for passage in text_passages for span in passage.spans
    }
    texts = tuple(f"{title} {passage.section} {passage.text}" for passage in library.passages(name))
    return QuestionSource(
        name, tuple(sentence for sentence in sentence_by_id.values() if sentence.text != title), texts
    )


def _single_paper_questions(
    library: Library, making: QuestionOptions, seed: int
) -> tuple[tuple[Question, ...], QuestionSet | None]:
    """Make single-paper questions by rule and, if asked, by a model from the same sentences."""
    has_model = bool(library.settings.language.of("ask"))
    by = making.by or ("both" if has_model else "words")
    names = [row.id for row in library.session.catalog.rows(select(papers.c.id))]
    corpus = corpus_of(library)
    questions = make_questions(names, lambda name: source_of(library, name), corpus, making.count, seed)
    model_questions: QuestionSet | None = None
    if by != "words" and questions:
        model_questions = rephrase_questions(
            library, questions, _question_set(library, BY_MODEL, "each of one paper, by a language model", ())
        )
    return (questions if by != "model" else ()), model_questions


def _question_set(library: Library, name: str, about: str, questions: Sequence[Question]) -> QuestionSet:
    return QuestionSet("self", f"{library.folder.name}: {name}", about, tuple(questions))


def _with_note(posed: QuestionSet, note: str) -> QuestionSet:
    return replace(posed, notes=(*posed.notes, note))


def write_questions(library: Library, path: Path, making: QuestionOptions, seed: int = 0) -> tuple[QuestionSet, ...]:
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
            "question": question.text,
            "id": f"{number}.{question.id}",
            "papers": list(question.relevant),
            "source": question.source,
            "made": posed.about,
        }
        for number, posed in enumerate(sets, 1)
        for question in posed.questions
    ]
    with explain_write_errors(path), path.open("xb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
    return sets


METRIC = "nDCG@10"
WITHOUT = "no-graph"
METHODS = {"graph": "subgraph", "pagerank": "pagerank"}
"""Configurations, and the methods that they are."""


def evaluate_graph(
    folder: Path | str,
    making: QuestionOptions,
    options: RetrievalOptions = RetrievalOptions(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
) -> Iterator[Result]:
    """`evaluate_self` without the graph and with each of its methods; stores the verdicts at the end.

    Raises:
        UsageError: no paper is linked, or the metric by which it is decided is not among those of `options`.
        NotFoundError, InputError, UnavailableError, ServiceError: as `evaluate_self`.
        BusyError: another process is writing to the library at the end.
    """
    if options.metrics and METRIC not in options.metrics:
        raise UsageError(
            f"The gain of the graph is measured by {METRIC}, which is not among the metrics.", f"Add {METRIC}."
        )
    settings = settings_of(flags or {}, Configuration("default"), Path(folder))
    with Library(folder, settings, create=False) as library:
        if not graph_sql.mention_size(library.session.catalog)[0]:
            raise UsageError("No paper mentions an entity yet.", NO_ENTITY)
    results = []
    for result in evaluate_self(folder, select_configurations([WITHOUT, *METHODS]), making, options, flags=flags):
        results.append(result)
        yield result
    with Library(folder, settings, create=False) as library:
        keep_verdicts(library.session, verdicts_of(library, results, options.seed))


def measure_graph(library: Library, store: ResultStore, making: QuestionOptions, seed: int = 0) -> Iterator[ResultHead]:
    """`evaluate_graph` for an open library with its settings; stores each result and yields its head.

    Raises:
        UsageError, InputError, UnavailableError, ServiceError, BusyError: as `evaluate_graph`.
    """
    flags = {name: library.settings.get(name) for name, by in library.settings.origins.items() if by == "flag"}
    for result in evaluate_graph(library.folder, making, RetrievalOptions(seed=seed), flags=flags):
        yield head_of(store.save(result))


def verdicts_of(library: Library, results: Sequence[Result], seed: int = 0) -> tuple[GraphVerdict, ...]:
    """Verdicts on each method, over the questions that are independent of the graph and over those made from it."""
    sets: dict[str, dict[str, dict[str, Result]]] = {}
    for result in results:
        question_kind = "apart" if f": {NAME}," in result.dataset else "any"
        sets.setdefault(question_kind, {}).setdefault(result.dataset, {})[result.configuration.name] = result
    verdicts = []
    for question_kind, by_dataset in sets.items():
        for name, method in METHODS.items():
            (difference,) = [
                difference
                for difference in union(list(by_dataset.values()), WITHOUT, name, seed).differences
                if difference.metric == METRIC
            ]
            measured = (difference.mean, difference.low, difference.high)
            verdicts.append(make_verdict(library.session, method, METRIC, measured, difference.count, question_kind))
    return tuple(verdicts)
