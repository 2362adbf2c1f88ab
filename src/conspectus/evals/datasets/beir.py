"""A set of the user's own: a folder laid out as those of BEIR (Thakur et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from conspectus.core.errors import InputError
from conspectus.evals.datasets.reading import Name, asked, judgements, numbered, rows
from conspectus.evals.datasets.registry import Dataset, Document
from conspectus.evals.records import Question

_QRELS = ("qrels.tsv", "qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv")


class _Paper(msgspec.Struct):
    _id: Name
    title: str = ""
    text: str = ""
    abstract: str = ""


class _Query(msgspec.Struct):
    _id: Name
    text: str


def read(folder: Path) -> Dataset:
    """The set in a folder: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`), and `qrels.tsv`
    or `qrels/test.tsv` (question, paper, grade, with a header line). The first two may end in `.gz`.

    Questions without a judgement above 0 are left out, and the set says how many.

    Raises:
        InputError: a file is missing or cannot be read, or a question is empty.
    """
    corpus, queries = _file(folder, "corpus.jsonl"), _file(folder, "queries.jsonl")
    judged = judgements(_first(folder, _QRELS))
    questions, left = [], 0
    for number, query in numbered(queries, _Query):
        relevant = {name: grade for name, grade in judged.get(str(query._id), {}).items() if grade > 0}
        if relevant:
            questions.append(Question(str(query._id), asked(query.text, queries, number), relevant))
        else:
            left += 1
    notes = (f"{left} questions without a relevant paper were left out.",) if left else ()

    def documents() -> Iterator[Document]:
        for paper in rows(corpus, _Paper):
            yield Document(str(paper._id), paper.title, paper.text or paper.abstract)

    about = f"questions of '{folder}' to the papers judged relevant there"
    return Dataset(folder.resolve().name, about, documents, tuple(questions), notes)


def _file(folder: Path, name: str) -> Path:
    return _first(folder, (name, f"{name}.gz"))


def _first(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"The folder '{folder}' is no set: it has no {names[0]}.",
        "A set has corpus.jsonl, queries.jsonl and qrels.tsv, as those of BEIR.",
    )
