"""Retrieval on sets of data: each set's library, each configuration, one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conspectus.evals.checking import check_search
from conspectus.evals.datasets.registry import Dataset
from conspectus.evals.libraries import aliases, library_of
from conspectus.evals.records import Configuration, Question, Result
from conspectus.evals.running import Options, Posed, checked, measure, new_run, sample
from conspectus.records import Paper

DEFAULT = (Configuration("default"),)


def evaluate_retrieval(
    datasets: Sequence[Dataset],
    configurations: Sequence[Configuration] = DEFAULT,
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    flags: Mapping[str, Any] | None = None,
    work: Path | str | None = None,
) -> Iterator[Result]:
    """One result for each set and configuration, set by set, as they come; none is stored.

    Args:
        datasets: see `conspectus.evals.load`.
        configurations: see `conspectus.evals.chosen`.
        options: metrics, sample, seed, depth.
        flags: settings (`group.name` -> value) under those of the configurations.
        work: the folder for the sets' libraries; None: in the user's cache folder.

    Raises:
        InputError: a paper of a set cannot be added.
        ModelMissingError: an embedder is not in the model store.
        UsageError, UnavailableError: as `running.checked` and `checking.check_search`.
        ServiceError: a model cannot be asked.
    """
    checked(options, "retrieval")
    for configuration in configurations:
        check_search(configuration, flags or {})
    run = new_run()
    for dataset in datasets:
        asked = sample(dataset.questions, options.limit, options.seed)
        for configuration in configurations:
            with library_of(dataset, configuration, flags, work) as library:
                prefix = f"{dataset.name}:"
                others = aliases(library, prefix, {name for one in asked for name in (*one.relevant, *one.exclude)})
                posed = Posed(
                    "retrieval",
                    dataset.name,
                    dataset.about,
                    tuple(_renamed(one, others) for one in asked),
                    dataset.notes,
                )

                def name(paper: Paper, prefix: str = prefix) -> str:
                    return paper.external_id.removeprefix(prefix)

                yield measure(library, configuration, posed, name, options, run)


def _renamed(question: Question, others: Mapping[str, str]) -> Question:
    """The question with papers by the names that the library has for them."""
    if not others:
        return question
    relevant: dict[str, int] = {}
    for name, grade in question.relevant.items():
        called = others.get(name, name)
        relevant[called] = max(grade, relevant.get(called, 0))
    return replace(question, relevant=relevant, exclude=tuple(others.get(name, name) for name in question.exclude))
