"""Sets by name. All come in by one door, `dataset`; a folder of the user's own is one, too."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from conspectus.core.disk import possible_path, user_path
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.evals.records import Question


@dataclass(frozen=True, slots=True)
class Document:
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


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set, read.

    Attributes:
        about: one sentence: what is asked, and what counts as relevant.
        documents: makes the papers anew each time, in the same order.
        notes: what the reader has to know.
    """

    name: str
    about: str
    documents: Callable[[], Iterator[Document]]
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = field(default=())


class Asking(Protocol):
    """What every kind of set has."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def questions(self) -> tuple[object, ...]:
        """What is asked."""


S = TypeVar("S", bound=Asking)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry(Generic[S]):
    """A set that can be named: its folder within the data, and how it is read from the folder of all the data."""

    name: str
    about: str
    folder: str
    read: Callable[[Path], S]

    def load(self, data: Path | str | None, what: str) -> S:
        """The set, read; `what` its questions have to be.

        Raises:
            NotFoundError: it is not there.
            InputError: a file of it cannot be read, or it has no questions.
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
                f"The set '{self.name}' cannot be read: {error}.", "Look whether its files are whole, or leave it out."
            ) from error


def with_questions(found: S, what: str) -> S:
    """The set, which has to have questions; raises InputError."""
    if not found.questions:
        raise InputError(f"The set '{found.name}' has no {what}.", "Look into its files.")
    return found


def unknown(name: str, said: str, known: Iterable[str]) -> NotFoundError:
    """The error for a name that no set has; `said` in words."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    return NotFoundError(said, f"{guess}There are: {', '.join(known)}.")


def registering(
    known: dict[str, Entry[S]], name: str, about: str, folder: str, made: Callable[[T], S]
) -> Callable[[Callable[[Path], T]], Callable[[Path], T]]:
    """Decorator: makes a set known that is `made` of what the function loads; `folder` "": the set's name."""

    def register(load: Callable[[Path], T]) -> Callable[[Path], T]:
        known[name] = Entry(name, about, folder or name, lambda data: made(load(data)))
        return load

    return register


QUESTIONS = "questions with relevant papers"
DATASETS: dict[str, Entry[Dataset]] = {}
UNFIT = {
    "scholarqabench": "its questions name the paper that inspired them, but none of these papers' texts is there, so "
    "there is nothing to search"
}
"""Sets of the data that cannot be searched honestly, and why."""

Loaded = tuple[Callable[[], Iterator[Document]], tuple[Question, ...]]


def dataset(
    name: str, about: str, folder: str = "", *, notes: tuple[str, ...] = ()
) -> Callable[[Callable[[Path], Loaded]], Callable[[Path], Loaded]]:
    """Decorator: makes a set known.

    Args:
        name: what it is called.
        about: one sentence, as `Dataset.about`.
        folder: its folder within the data; "": the set's name. The function is given the folder of all the data.
        notes: as `Dataset.notes`.
    """

    return registering(DATASETS, name, about, folder, lambda found: Dataset(name, about, *found, notes))


def data_folder(named: Path | str | None = None) -> Path:
    """The folder of data: `named`, else `CONSPECTUS_DATA`, else `../shared/data` seen from here.

    Raises:
        NotFoundError: there is no such folder.
    """
    chosen = named or os.environ.get("CONSPECTUS_DATA") or Path("..", "shared", "data")
    folder = user_path(chosen)
    if not folder.is_dir():
        raise NotFoundError(
            f"There is no folder of data at '{folder}'.", "Name it with `data=DIR`, or set CONSPECTUS_DATA."
        )
    return folder


def load(name: str, data: Path | str | None = None) -> Dataset:
    """The set called `name`, or that of the folder `name` (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`).

    Raises:
        NotFoundError: neither is there.
        UsageError: a set that cannot be searched honestly.
        InputError: a file of it cannot be read, or it has no questions.
    """
    from conspectus.evals.datasets import beir

    if name in known():
        return known()[name].load(data, QUESTIONS)
    if possible_path(name).is_dir():
        return with_questions(beir.read(possible_path(name)), QUESTIONS)
    if name in UNFIT:
        raise UsageError(f"The set '{name}' is not searched: {UNFIT[name]}.", "Leave it out.")
    raise unknown(name, f"There is no set '{name}', and no folder of that name.", known())


def known() -> dict[str, Entry[Dataset]]:
    """All sets that can be named."""
    from conspectus.evals.datasets import made, shared  # noqa: F401 - they make the sets known

    return DATASETS
