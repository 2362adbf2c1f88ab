"""The files of sets: JSON Lines, judgements, folders laid out as those of BEIR (Thakur et al. 2021), questions.

An error names the file and the line.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from conspectus.core.errors import InputError, describe_os_error
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSet, Dataset, SetPaper
from conspectus.evaluation.records import Question
from conspectus.parse.files.streams import Source

T = TypeVar("T")

SetId = str | int
"""An id as files have it; texts are made of it by `str`."""


def read_rows(path: Path, kind: type[T]) -> Iterator[T]:
    """Read the objects of a JSON Lines file (plain, `.gz` or `.zst`) as records of a type.

    Raises:
        InputError: it is not there, or a line is not such an object.
    """
    return (row for _, row in numbered_rows(path, kind))


def numbered_rows(path: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """`read_rows` with the numbers of their lines, from 1; empty lines are skipped."""
    decoder = msgspec.json.Decoder(kind, strict=False)  # years are texts here, numbers there
    for number, line in numbered_lines(path):
        try:
            yield number, decoder.decode(line)
        except msgspec.DecodeError as error:
            raise InputError(f"'{path}', line {number}: {error}.", "Mend the line, or leave the set out.") from error


def read_judgements(path: Path) -> dict[str, dict[str, int]]:
    """Read a table `question, paper, grade` with tabs and a header line; returns question -> paper -> grade.

    Raises:
        InputError: it is not there, or a line is not such a row.
    """
    grades: dict[str, dict[str, int]] = {}
    for number, line in numbered_lines(path):
        cells = line.rstrip("\r\n").split("\t")
        if number == 1 and not cells[-1].strip().lstrip("-").isdigit():
            continue
        try:
            question, paper, grade = cells[0], cells[1], int(cells[2])
        except (IndexError, ValueError) as error:
            raise InputError(
                f"'{path}', line {number}: not a question, a paper and a grade (a whole number) with tabs between.",
                "Mend the line.",
            ) from error
        grades.setdefault(question, {})[paper] = grade
    return grades


def question_text(text: str, path: Path, number: int) -> str:
    """The stripped text of a question.

    Raises:
        InputError: it has none.
    """
    if words := text.strip():
        return words
    raise InputError(f"'{path}', line {number}: the question is empty.", "Write it, or take the line out.")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    try:
        with io.TextIOWrapper(io.BufferedReader(Source(path)), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(
            f"'{path}' cannot be read: {describe_os_error(error)}.", "Look whether it is there and whole."
        ) from error


_QRELS = ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")


class _Paper(msgspec.Struct):
    _id: SetId
    title: str = ""
    text: str = ""
    abstract: str = ""


class _Query(msgspec.Struct):
    _id: SetId
    text: str


def read_beir_folder(folder: Path) -> Dataset:
    """Read the set in a folder.

    It has `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`), and `qrels.tsv` or `qrels/test.tsv`
    (question, paper, grade, with a header line). The first two may end in `.gz`.

    Questions without a judgement above 0 are left out, and the set says how many.

    Raises:
        InputError: a file is missing or cannot be read, or a question is empty.
    """
    corpus, queries = _packed_or_plain(folder, "corpus.jsonl"), _packed_or_plain(folder, "queries.jsonl")
    judged = read_judgements(_first_file(folder, _QRELS))
    questions, left = [], 0
    for number, query in numbered_rows(queries, _Query):
        relevant = {name: grade for name, grade in judged.get(str(query._id), {}).items() if grade > 0}
        if relevant:
            questions.append(Question(str(query._id), question_text(query.text, queries, number), relevant))
        else:
            left += 1
    notes = (f"{left} questions without a relevant paper were left out.",) if left else ()

    def documents() -> Iterator[SetPaper]:
        for paper in read_rows(corpus, _Paper):
            yield SetPaper(str(paper._id), paper.title, paper.text or paper.abstract)

    about = f"questions of '{folder}' to the papers judged relevant there"
    return Dataset(folder.resolve().name, about, documents, tuple(questions), notes)


def _packed_or_plain(folder: Path, name: str) -> Path:
    return _first_file(folder, (name, f"{name}.gz"))


def _first_file(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"The folder '{folder}' is no set: it has no {names[0]}.",
        "A set has corpus.jsonl, queries.jsonl and qrels.tsv, as those of BEIR.",
    )


class _QuestionRow(msgspec.Struct):
    question: str
    id: SetId = ""
    options: list[str] = []
    right: str = ""
    answerable: bool | None = None
    papers: list[str] = []
    sentences: dict[str, list[str]] = {}


def read_question_file(path: Path) -> AnswerSet:
    """Read questions: lines of JSON (`question`; `id`, `options`, `right`, `answerable`, `papers` as names of papers of
    the library, `sentences` by paper), or, if the name does not end in `.jsonl`, a question a line.

    Raises:
        InputError: the file cannot be read, a question is empty, two have one id, or the right option is missing.
    """
    if path.suffix == ".jsonl":
        questions = [(number, _answer_question(number, row, path)) for number, row in numbered_rows(path, _QuestionRow)]
    else:
        questions = [(number, AnswerQuestion(str(number), line.strip())) for number, line in numbered_lines(path)]
    first: dict[str, int] = {}
    for number, question in questions:
        if (before := first.setdefault(question.id, number)) != number:
            raise InputError(
                f"'{path}', line {number}: the question has the id '{question.id}', as that of line {before} has.",
                "Give each its own id; a question without one has the number of its line.",
            )
    return AnswerSet(path.stem, f"questions of '{path}'", tuple(question for _, question in questions))


def _answer_question(number: int, row: _QuestionRow, path: Path) -> AnswerQuestion:
    if row.options and row.right not in row.options:
        raise InputError(
            f"'{path}', line {number}: the right option '{row.right}' is none of its options.",
            "Write `right` exactly as in `options`.",
        )
    gold = {name: tuple(row.sentences.get(name, ())) for name in (*row.papers, *row.sentences)}
    text = question_text(row.question, path, number)
    name = str(number) if row.id == "" else str(row.id)
    return AnswerQuestion(name, text, tuple(row.options), row.right, row.answerable, gold)
