"""Sets of questions: those that installed packages bring, and the user's own folders and files.

A package brings a set by an entry point of the group `conspectus.question_sets` (questions with relevant papers) or
`conspectus.answer_sets` (questions with known answers). The entry point names a `SetReader`; the decorators
`question_set` and `answer_set` make one of a function that reads files.
"""

from __future__ import annotations

import difflib
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from conspectus.core import packages
from conspectus.core.disk import possible_path, user_path
from conspectus.core.errors import InputError, NotFoundError, UsageError, describe_os_error
from conspectus.evaluation.records import Question

MORE_SETS = (
    "Benchmark sets come with the package conspectus-evaluations: "
    "`pip install ./evaluations` in a checkout of Conspectus."
)
QUESTIONS = "questions with relevant papers"


@dataclass(frozen=True, slots=True)
class SetPaper:
    """A paper of a set: what is added to its library. `id` is what `Question.relevant` calls it."""

    id: str
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find it by."""
        return not (self.title.strip() or self.abstract.strip())


Papers = Callable[[], Iterator[SetPaper]]
SetContent = tuple[Papers, tuple[Question, ...]]
"""What a function decorated by `question_set` returns."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set of questions with relevant papers.

    Attributes:
        about: one sentence: what is asked, and what counts as relevant.
        documents: reads the papers again at each call, in the same order.
        notes: what the reader has to know.
    """

    name: str
    about: str
    documents: Papers
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """A question, and what is known of its answer.

    Attributes:
        id: unique within the set.
        text: the question.
        options: the options to choose from, in the set's order; empty for an open question.
        right: the option that is right.
        answerable: whether the papers can answer it; None: not known.
        gold: the papers that answer it, each with the sentences that do (none where only the paper is known).
        author: only this author's papers are asked; "": all.
    """

    id: str
    text: str
    options: tuple[str, ...] = ()
    right: str = ""
    answerable: bool | None = None
    gold: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    author: str = ""


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """A set of questions with known answers.

    Attributes:
        about: one sentence: what is asked of what.
        papers: the papers that are asked, as a set for `library_of`; None: the user's own library, or none at all.
        notes: what the reader has to know.
    """

    name: str
    about: str
    questions: tuple[AnswerQuestion, ...]
    papers: Dataset | None = None
    notes: tuple[str, ...] = ()


AnswerSetContent = tuple[Papers | None, tuple[AnswerQuestion, ...]]
"""What a function decorated by `answer_set` returns."""


class NamedSet(Protocol):
    """What every kind of set has."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def questions(self) -> tuple[object, ...]:
        """Its questions."""


S = TypeVar("S", bound=NamedSet)
Q = TypeVar("Q")


@dataclass(frozen=True, slots=True)
class SetReader(Generic[S]):
    """Reads a set from the folder of all data, in which `folder` is its own."""

    name: str
    about: str
    folder: str
    read: Callable[[Path], S]

    def load(self, data: Path | str | None, what: str) -> S:
        """Read the set; `what` names the questions that it must have.

        Raises:
            NotFoundError: its folder is missing.
            InputError: one of its files cannot be read, or it has no questions.
        """
        folder = data_folder(data)
        if not (folder / self.folder).is_dir():
            raise NotFoundError(
                f"The set '{self.name}' is not in '{folder}': there is no folder '{self.folder}'.",
                "Name another folder of data with `data=DIR`.",
            )
        try:
            return with_questions(self.read(folder), what)
        except OSError as error:
            raise InputError(
                f"The set '{self.name}' cannot be read: {describe_os_error(error)}.",
                "Look whether its files are whole, or leave it out.",
            ) from error


def question_set(
    name: str, about: str, folder: str = "", *, notes: tuple[str, ...] = ()
) -> Callable[[Callable[[Path], SetContent]], SetReader[Dataset]]:
    """Decorator: make a `SetReader` of a function that reads papers and questions from the folder of all data.

    Args:
        name: of the set, the same as its entry point's.
        about: one sentence, as `Dataset.about`.
        folder: its folder within the data; "": the set's name.
        notes: as `Dataset.notes`.
    """

    def decorate(read: Callable[[Path], SetContent]) -> SetReader[Dataset]:
        return SetReader(name, about, folder or name, lambda data: Dataset(name, about, *read(data), notes))

    return decorate


def answer_set(
    name: str, about: str, folder: str = "", *, library: str = "", notes: tuple[str, ...] = ()
) -> Callable[[Callable[[Path], AnswerSetContent]], SetReader[AnswerSet]]:
    """Decorator: `question_set` for a set with known answers.

    Args:
        name: of the set, the same as its entry point's.
        about: one sentence, as `AnswerSet.about`.
        folder: its folder within the data; "": the set's name.
        library: the set for retrieval whose library it shares; "": one of its own name.
        notes: as `AnswerSet.notes`.
    """

    def decorate(read: Callable[[Path], AnswerSetContent]) -> SetReader[AnswerSet]:
        def load_set(data: Path) -> AnswerSet:
            documents, questions = read(data)
            papers = Dataset(library or name, about, documents, ()) if documents else None
            return AnswerSet(name, about, questions, papers, notes)

        return SetReader(name, about, folder or name, load_set)

    return decorate


class InstalledSets(Mapping[str, SetReader[S]]):
    """Sets that installed packages bring, by name. Each is loaded when looked up: a broken one costs only itself."""

    def __init__(self, group: str) -> None:
        self._points = packages.offered(group, {})

    def __getitem__(self, name: str) -> SetReader[S]:
        reader: SetReader[S] = packages.load(self._points[name])
        return reader

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)


def known_sets() -> InstalledSets[Dataset]:
    """The sets of questions with relevant papers that installed packages bring, by name."""
    return InstalledSets("question_sets")


def known_answer_sets() -> InstalledSets[AnswerSet]:
    """The sets of questions with known answers that installed packages bring, by name."""
    return InstalledSets("answer_sets")


def load(name: str, data: Path | str | None = None) -> Dataset:
    """Read the installed set `name`, or the folder `name` (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`).

    Raises:
        NotFoundError: neither exists.
        InputError: one of its files cannot be read, or it has no questions.
    """
    from conspectus.evaluation.set_files import read_beir_folder

    known, path = known_sets(), possible_path(name)
    if name in known:
        return known[name].load(data, QUESTIONS)
    if path.is_dir():
        return with_questions(read_beir_folder(path), QUESTIONS)
    raise unknown_set(name, f"There is no set '{name}', and no folder of that name.", known)


def load_answers(name: str, data: Path | str | None = None) -> AnswerSet:
    """Read the installed set `name`, or the file `name` (JSON Lines, or a question a line).

    Raises:
        NotFoundError: neither exists.
        InputError: one of its files cannot be read, or it has no questions.
    """
    from conspectus.evaluation.set_files import read_question_file

    known, path = known_answer_sets(), possible_path(name)
    if name in known:
        return known[name].load(data, "questions")
    if path.is_file():
        return with_questions(read_question_file(path), "questions")
    raise unknown_set(name, f"There is no set of answers '{name}', and no file of that name.", known)


def with_questions(read: S, what: str) -> S:
    """Return the set; raise InputError if it has no questions."""
    if not read.questions:
        raise InputError(f"The set '{read.name}' has no {what}.", "Look into its files.")
    return read


def unknown_set(name: str, message: str, known: Iterable[str]) -> NotFoundError:
    """The error for a name that no set has."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    return NotFoundError(message, f"{guess}Installed: {', '.join(names)}." if names else MORE_SETS)


def data_folder(path: Path | str | None = None) -> Path:
    """The folder of data: `path`, else `CONSPECTUS_DATA`, else `../shared/data` from the working directory.

    Raises:
        NotFoundError: there is no such folder.
    """
    folder = user_path(path or os.environ.get("CONSPECTUS_DATA") or Path("..", "shared", "data"))
    if not folder.is_dir():
        raise NotFoundError(
            f"There is no folder of data at '{folder}'.", "Name it with `data=DIR`, or set CONSPECTUS_DATA."
        )
    return folder


def sample(questions: Sequence[Q], limit: int, seed: int) -> tuple[Q, ...]:
    """Draw at most `limit` questions at random (0: all); they keep their order."""
    if not limit or limit >= len(questions):
        return tuple(questions)
    return tuple(questions[place] for place in sorted(random.Random(seed).sample(range(len(questions)), limit)))  # noqa: S311


def shrink_library(answers: AnswerSet, questions: tuple[AnswerQuestion, ...], others: int, seed: int) -> AnswerSet:
    """Keep these questions alone and a smaller library: the papers that answer them, those of the authors they ask
    for, and `others` further papers, drawn at random.

    Raises:
        UsageError: no paper is left.
    """
    if answers.papers is None:
        return replace(answers, questions=questions)
    gold = {name for question in questions for name in question.gold}
    authors = {question.author for question in questions if question.author}
    every_paper = answers.papers.documents

    def is_needed(paper: SetPaper) -> bool:
        return paper.id in gold or bool(authors & set(paper.authors))

    rest = [paper.id for paper in every_paper() if not is_needed(paper)]
    if not (others or gold or authors):
        raise UsageError(
            f"No paper of the set '{answers.name}' answers these questions, so none is left.", "Give at least 1 other."
        )
    drawn = set(random.Random(seed).sample(rest, min(others, len(rest))))  # noqa: S311 - nothing is secret here

    def documents() -> Iterator[SetPaper]:
        return (paper for paper in every_paper() if is_needed(paper) or paper.id in drawn)

    note = f"The library has {len(drawn)} of the {len(rest)} papers that answer none of the questions: an easier task."
    papers = replace(answers.papers, documents=documents)
    return replace(answers, questions=questions, papers=papers, notes=(*answers.notes, note))
