"""Sets of questions whose answers are known: all by one door, `answer_set`; a file of the user's own is one, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import msgspec

from conspectus.core.disk import possible_path
from conspectus.core.errors import InputError, UsageError
from conspectus.evals.datasets.reading import Name, asked, lines, numbered
from conspectus.evals.datasets.registry import Dataset, Document, Entry, registering, unknown, with_questions


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and what is known of its answer.

    Attributes:
        id: its own within the set.
        text: the question.
        options: those to choose from, in the set's order; none of an open question.
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
    """A set, read.

    Attributes:
        about: one sentence: what is asked of what.
        papers: the papers that are asked, as a set for `library_of`; None: the user's own library, or none at all.
        notes: what the reader has to know.
    """

    name: str
    about: str
    questions: tuple[Asked, ...]
    papers: Dataset | None = None
    notes: tuple[str, ...] = ()


Documents = Callable[[], Iterator[Document]]
Read = tuple[Documents | None, tuple[Asked, ...]]


ANSWER_SETS: dict[str, Entry[AnswerSet]] = {}


def answer_set(
    name: str, about: str, folder: str = "", *, library: str = "", notes: tuple[str, ...] = ()
) -> Callable[[Callable[[Path], Read]], Callable[[Path], Read]]:
    """Decorator: makes a set known.

    Args:
        name: what it is called.
        about: one sentence, as `AnswerSet.about`.
        folder: its folder within the data; "": the set's name. The function is given the folder of all the data.
        library: the set for retrieval whose library it shares; "": one of its own name.
        notes: as `AnswerSet.notes`.
    """

    def made(found: Read) -> AnswerSet:
        documents, questions = found
        papers = Dataset(library or name, about, documents, ()) if documents else None
        return AnswerSet(name, about, questions, papers, notes)

    return registering(ANSWER_SETS, name, about, folder, made)


def known_answers() -> dict[str, Entry[AnswerSet]]:
    """All sets that can be named."""
    from conspectus.evals.datasets import answer_sets  # noqa: F401 - it makes the sets known

    return ANSWER_SETS


def load_answers(name: str, data: Path | str | None = None) -> AnswerSet:
    """The set called `name`, or that of the file `name` (JSON Lines, or a question a line).

    Raises:
        NotFoundError: neither is there.
        InputError: a file of it cannot be read, or it has no questions.
    """
    known, path = known_answers(), possible_path(name)
    if name in known:
        return known[name].load(data, "questions")
    if path.is_file():
        return with_questions(own_questions(path), "questions")
    raise unknown(name, f"There is no set of answers '{name}', and no file of that name.", known)


class _Own(msgspec.Struct):
    question: str
    id: Name = ""
    options: list[str] = []
    right: str = ""
    answerable: bool | None = None
    papers: list[str] = []
    sentences: dict[str, list[str]] = {}


def own_questions(path: Path) -> AnswerSet:
    """The questions of a file: lines of JSON (`question`; `id`, `options`, `right`, `answerable`, `papers` as names of
    papers of the library, `sentences` by paper), or, where it does not end in `.jsonl`, a question a line.

    Raises:
        InputError: it cannot be read, a question is empty, two have one id, or the right option is none of the options.
    """
    if path.suffix == ".jsonl":
        found = [(number, _asked(number, one, path)) for number, one in numbered(path, _Own)]
    else:
        found = [(number, Asked(str(number), line.strip())) for number, line in lines(path)]
    first: dict[str, int] = {}
    for number, one in found:
        if (before := first.setdefault(one.id, number)) != number:
            raise InputError(
                f"'{path}', line {number}: the question has the id '{one.id}', as that of line {before} has.",
                "Give each an id of its own; a question without one has the number of its line.",
            )
    return AnswerSet(path.stem, f"questions of '{path}'", tuple(one for _, one in found))


def _asked(number: int, one: _Own, path: Path) -> Asked:
    if one.options and one.right not in one.options:
        raise InputError(
            f"'{path}', line {number}: the right option '{one.right}' is none of its options.",
            "Write `right` as it stands in `options`.",
        )
    gold = {name: tuple(one.sentences.get(name, ())) for name in (*one.papers, *one.sentences)}
    name = str(number) if one.id == "" else str(one.id)
    return Asked(name, asked(one.question, path, number), tuple(one.options), one.right, one.answerable, gold)


def narrowed(one: AnswerSet, questions: tuple[Asked, ...], others: int, seed: int) -> AnswerSet:
    """The set with these questions alone and a smaller library: the papers that answer them, those that are asked by
    name, and `others` further ones, drawn at random.

    Raises:
        UsageError: no paper is left.
    """
    if one.papers is None:
        return replace(one, questions=questions)
    wanted = {name for question in questions for name in question.gold}
    authors = {question.author for question in questions if question.author}
    everything = one.papers.documents

    def needed(paper: Document) -> bool:
        return paper.id in wanted or bool(authors & set(paper.authors))

    rest = [paper.id for paper in everything() if not needed(paper)]
    if not (others or wanted or authors):
        raise UsageError(
            f"No paper of the set '{one.name}' answers these questions, so none is left.",
            "Give at least 1 other.",
        )
    kept = set(Random(seed).sample(rest, min(others, len(rest))))  # noqa: S311 - nothing is secret here

    def documents() -> Iterator[Document]:
        return (paper for paper in everything() if needed(paper) or paper.id in kept)

    note = f"The library has {len(kept)} of the {len(rest)} papers that answer none of the questions: an easier task."
    papers = replace(one.papers, documents=documents)
    return replace(one, questions=questions, papers=papers, notes=(*one.notes, note))
