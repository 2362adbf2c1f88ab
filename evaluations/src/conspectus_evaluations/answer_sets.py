"""Sets of questions with known answers, each read as the README of its folder says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from conspectus.core.disk import read_file
from conspectus.core.errors import InputError
from conspectus.evaluation.check_statements import Rationale, SciFactClaim, SciFactPaper
from conspectus.evaluation.question_sets import AnswerQuestion, AnswerSetContent, SetPaper, answer_set
from conspectus.evaluation.set_files import SetId, read_rows
from conspectus_evaluations import retrieval_sets
from conspectus_evaluations.retrieval_sets import BioASQQuestion, BioASQSnippet, PubMedQARow

YES_NO = ("yes", "no")
YES_NO_MAYBE = ("yes", "no", "maybe")
_LETTERS = "ABCDE"


class _AstroQA(msgspec.Struct):
    ID: SetId
    type: str
    Question: str = ""
    Answer: str | bool | int | None = None
    A: str | float | None = None
    B: str | float | None = None
    C: str | float | None = None
    D: str | float | None = None
    E: str | float | None = None


class _LEval(msgspec.Struct):
    instructions: list[str]
    outputs: list[str]
    input: str


class _QASA(msgspec.Struct):
    question: str


@answer_set(
    "astroqa",
    "textbook questions on astronomy with four or five options, one of them right",
    notes=("There are no papers with it: it measures what a model knows, or, of your own library, what that answers.",),
)
def astroqa(data: Path) -> AnswerSetContent:
    """The single-choice questions; those whose options are not all different are left out."""
    found: list[AnswerQuestion] = []
    for place, item in enumerate(read_rows(data / "astroqa" / "astroqa_en.jsonl.gz", _AstroQA)):
        if not item.type.startswith("single-select"):
            continue
        options = {letter: _option_text(value) for letter in _LETTERS if (value := getattr(item, letter)) is not None}
        right = options.get(str(item.Answer).strip(), "")
        if right and len(set(options.values())) == len(options):
            found.append(AnswerQuestion(f"{place}-{item.ID}", item.Question.strip(), tuple(options.values()), right))
    return None, tuple(found)


def _option_text(value: str | float) -> str:
    return value.strip() if isinstance(value, str) else f"{value:g}"


@answer_set(
    "pubmedqa",
    "expert questions, answered by yes, no or maybe from the abstract that was written to answer them, without its "
    "conclusion",
    library="pubmedqa",
    notes=("The way `blind` asks the model without the abstracts.",),
)
def pubmedqa(data: Path) -> AnswerSetContent:
    """The 500 questions; a question's abstract, by its PMID, is gold."""
    documents = retrieval_sets.pubmedqa.read(data).documents
    items = read_rows(data / "pubmedqa" / "pqal.jsonl.gz", PubMedQARow)
    return documents, tuple(
        AnswerQuestion(one.pmid, one.QUESTION, YES_NO_MAYBE, one.final_decision, None, {one.pmid: ()}) for one in items
    )


@answer_set(
    "bioasq",
    "yes/no questions of biomedical experts, with the papers and snippets that answer them",
    library="bioasq",
    notes=("A paper's text is nothing but its snippets, so a sentence of the right paper is nearly always gold.",),
)
def bioasq(data: Path) -> AnswerSetContent:
    """Gold are the snippets; a paper's text is all its snippets."""
    documents = retrieval_sets.bioasq.read(data).documents
    return documents, _bioasq(data)


def _bioasq(data: Path) -> tuple[AnswerQuestion, ...]:
    snippets = {one.id: one for one in read_rows(data / "bioasq" / "snippets.jsonl.gz", BioASQSnippet)}
    found = []
    for item in read_rows(data / "bioasq" / "questions.jsonl.gz", BioASQQuestion):
        right = str(item.exact_answer).strip().lower()
        if item.type == "yesno" and right in YES_NO:
            said = [snippets[name] for name in item.snippet_ids if name in snippets]
            gold = {pmid: tuple(one.text for one in said if one.pmid == pmid) for pmid in {one.pmid for one in said}}
            if gold:
                found.append(AnswerQuestion(item.id, item.question, YES_NO, right, None, dict(sorted(gold.items()))))
    return tuple(found)


@answer_set(
    "bioasq_missing",
    "the yes/no questions of BioASQ as open ones, in a library without the papers that answer every second of them",
    "bioasq",
    notes=("Nobody looked whether another paper of the library answers a question whose own papers are missing.",),
)
def bioasq_missing(data: Path) -> AnswerSetContent:
    """Every second question, in the order of the ids, is unanswerable: its gold papers are taken out. An answerable one
    that loses a paper by that is left out."""
    ordered = sorted(_bioasq(data), key=lambda one: one.id)
    gone = {name for one in ordered[1::2] for name in one.gold}
    found = [
        AnswerQuestion(one.id, one.text, answerable=place % 2 == 0, gold=one.gold if place % 2 == 0 else {})
        for place, one in enumerate(ordered)
        if place % 2 or not gone & set(one.gold)
    ]
    everything = retrieval_sets.bioasq.read(data).documents
    return lambda: (paper for paper in everything() if paper.id not in gone), tuple(found)


@answer_set(
    "scifact",
    "whether claims written by experts are true, by the abstracts that support or contradict them, with the sentences "
    "that do",
    library="scifact",
    notes=("Where several sets of sentences each suffice, all of them are gold: nothing can reach a sentence R of 1.",),
)
def scifact(data: Path) -> AnswerSetContent:
    """The training claims that have evidence of one kind only."""
    texts = {str(one.doc_id): one.abstract for one in read_rows(data / "scifact" / "corpus.jsonl.gz", SciFactPaper)}
    documents = retrieval_sets.scifact.read(data).documents
    found = []
    for item in read_rows(data / "scifact" / "claims_train.jsonl", SciFactClaim):
        labels = {one.label for given in item.evidence.values() for one in given}
        if len(labels) == 1:
            gold = {name: _sentences(texts[name], given) for name, given in item.evidence.items()}
            right = "yes" if labels == {"SUPPORT"} else "no"
            found.append(AnswerQuestion(str(item.id), f"Is it true that: {item.claim}", YES_NO, right, None, gold))
    return documents, tuple(found)


def _sentences(abstract: Sequence[str], given: Sequence[Rationale]) -> tuple[str, ...]:
    return tuple(abstract[number] for number in sorted({number for one in given for number in one.sentences}))


@answer_set(
    "qasa",
    "questions on papers on machine learning: answerable are those of L-Eval, each asked of its own paper; "
    "unanswerable those that QASA's annotators could not answer from theirs, asked of all papers",
    notes=(
        "QASA's own papers are not there. Nobody looked whether one of the others answers, and which questions were "
        "marked so is itself not always right.",
    ),
)
def qasa(data: Path) -> AnswerSetContent:
    """The papers are those of L-Eval (scientific_qa), copies taken once; a paper is asked by the name of its author."""
    papers: dict[str, dict[str, str]] = {}
    for item in read_rows(data / "leval" / "scientific_qa.jsonl", _LEval):
        papers.setdefault(item.input, {}).update(zip(item.instructions, item.outputs, strict=True))
    names = {text: f"Paper {number:02}" for number, text in enumerate(papers, 1)}
    found = [
        AnswerQuestion(f"leval-{names[text][6:]}-{number}", question, (), "", True, {}, names[text])
        for text, asked in papers.items()
        for number, (question, said) in enumerate(asked.items(), 1)
        if "unanswerable" not in said.lower()
    ]
    found += [
        AnswerQuestion(f"qasa-{number}", item.question, (), "", False) for number, item in enumerate(_qasa(data), 1)
    ]
    return lambda: (SetPaper(name, "", text, (name,)) for text, name in names.items()), tuple(found)


def _qasa(data: Path) -> list[_QASA]:
    path = data / "qasa" / "unanswerable.json"
    try:
        items = msgspec.json.decode(read_file(path), type=dict[str, _QASA])
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"'{path}' cannot be read: {error}.", "Look whether it is there and whole.") from error
    return list({" ".join(item.question.split()): item for item in items.values()}.values())
