"""Sets of questions with relevant papers, each read as the README of its folder says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec

from conspectus.evaluation.check_statements import SciFactClaim, SciFactPaper
from conspectus.evaluation.own_questions import RULE, QuestionSource, SourceSentence, count_words, make_questions
from conspectus.evaluation.question_sets import SetContent, SetPaper, question_set
from conspectus.evaluation.records import Question
from conspectus.evaluation.set_files import SetId, read_judgements, read_rows
from conspectus.parse.text.sentences import split_sentences

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
LEAST_CITED = 5
"""References into the set that a paper needs to be a question, as pathfinder's citation clusters (sec. 4.2)."""


class Abstract(msgspec.Struct):
    """A record of an abstract; sets name the fields alike."""

    id: SetId = ""
    pmid: SetId | None = ""
    title: str | None = ""
    abstract: str | None = ""
    authors: list[str] | str | None = None
    year: int | None = None
    topic: str = ""
    included: int = 0
    references: list[str] = []

    @property
    def name(self) -> str:
        """Its PMID, which records of several lists share, else its id."""
        return str(self.pmid or self.id)

    def document(self, name: str) -> SetPaper:
        """It as a paper of a set."""
        authors = tuple(self.authors) if isinstance(self.authors, list) else ()
        return SetPaper(name, self.title or "", self.abstract or "", authors, self.year)


class PubMedQARow(msgspec.Struct):
    """A question, the parts of its abstract without the conclusion, and what that comes to."""

    pmid: str
    QUESTION: str
    CONTEXTS: list[str]
    final_decision: str = ""


class BioASQQuestion(msgspec.Struct):
    """A question, with the snippets that answer it."""

    id: str
    question: str
    snippet_ids: list[str]
    type: str = ""
    exact_answer: object = None


class BioASQSnippet(msgspec.Struct):
    """Words of a paper that answer a question."""

    id: str
    pmid: str
    text: str


class _Query(msgspec.Struct):
    id: SetId
    query: str


@question_set("scifact", "expert-written claims to the abstracts they cite, among the whole corpus of SciFact")
def scifact(data: Path) -> SetContent:
    """The training claims; relevant is what they cite."""
    claims = read_rows(data / "scifact" / "claims_train.jsonl", SciFactClaim)
    return lambda: (
        SetPaper(str(paper.doc_id), paper.title, " ".join(paper.abstract))
        for paper in read_rows(data / "scifact" / "corpus.jsonl.gz", SciFactPaper)
    ), tuple(Question(str(one.id), one.claim, dict.fromkeys(map(str, one.cited_doc_ids), 1)) for one in claims)


@question_set(
    "pubmedqa", "expert questions to the abstract that answers them (without its title, which is the question)"
)
def pubmedqa(data: Path) -> SetContent:
    """500 questions among their own 500 contexts: nearly solved alone."""
    items = list(read_rows(data / "pubmedqa" / "pqal.jsonl.gz", PubMedQARow))
    questions = tuple(Question(item.pmid, item.QUESTION, {item.pmid: 1}) for item in items)
    return lambda: (SetPaper(item.pmid, "", " ".join(item.CONTEXTS)) for item in items), questions


@question_set(
    "bioasq",
    "questions of biomedical experts to the papers their gold snippets are from; a paper is all its snippets",
)
def bioasq(data: Path) -> SetContent:
    """Relevant is a paper with a gold snippet of the question; a paper's text is its snippets, in file order."""
    snippets = list(read_rows(data / "bioasq" / "snippets.jsonl.gz", BioASQSnippet))
    paper_of = {one.id: one.pmid for one in snippets}
    texts: dict[str, dict[str, None]] = {}
    for one in snippets:
        texts.setdefault(one.pmid, {})[one.text.strip()] = None
    found = []
    for item in read_rows(data / "bioasq" / "questions.jsonl.gz", BioASQQuestion):
        relevant = {paper_of[name]: 1 for name in item.snippet_ids if name in paper_of}
        if relevant:
            found.append(Question(item.id, item.question, relevant))
    return lambda: (SetPaper(pmid, "", " ".join(said)) for pmid, said in texts.items()), tuple(found)


@question_set(
    "cranfield",
    "questions of aeronautical engineers to the documents judged for them; every judged pair counts as relevant",
    notes=("2 documents have no text and cannot be found; they stay relevant where they are judged so.",),
)
def cranfield(data: Path) -> SetContent:
    """Binary, as the folder's README asks. Abstracts begin with the title, which is taken off there."""

    def documents() -> Iterator[SetPaper]:
        for paper in read_rows(data / "cranfield" / "corpus.jsonl.gz", Abstract):
            title, text = " ".join((paper.title or "").split()), " ".join((paper.abstract or "").split())
            yield SetPaper(str(paper.id), title, text.removeprefix(title).strip())

    judged = read_judgements(data / "cranfield" / "qrels.tsv")
    queries = [(str(one.id), one.query) for one in read_rows(data / "cranfield" / "queries.jsonl", _Query)]
    return documents, tuple(Question(n, text, dict.fromkeys(judged[n], 1)) for n, text in queries if n in judged)


@question_set(
    "sysrev",
    "the topics of ten systematic drug reviews to the records they included, among all that were screened",
    notes=("There are ten questions only: intervals are wide.",),
)
def sysrev(data: Path) -> SetContent:
    """A record that several reviews screened is one paper, by its PMID; the question is the topic's name in words."""
    items = list(read_rows(data / "sysrev" / "records.jsonl.gz", Abstract))
    first = {item.name: item for item in reversed(items)}
    topics = dict.fromkeys(item.topic for item in items)
    included = {topic: {item.name: 1 for item in items if item.topic == topic and item.included} for topic in topics}
    return lambda: (item.document(item.name) for item in items if first[item.name] is item), tuple(
        Question(topic, _CAMEL.sub(" ", topic), relevant) for topic, relevant in included.items() if relevant
    )


@question_set(
    "arxiv_cited",
    "title and abstract of physics papers of 1991-96 to the papers of the set that they cite (5 or more); the paper "
    "itself is left out of what is found",
    "arxiv_cited_9394",
)
def arxiv_cited(data: Path) -> SetContent:
    """Multi-paper retrieval from reference lists."""
    items = list(read_rows(data / "arxiv_cited_9394" / "papers.jsonl.gz", Abstract))
    there = {str(item.id) for item in items}
    found = []
    for item in items:
        cited = dict.fromkeys((name for name in item.references if name in there and name != item.id), 1)
        if len(cited) >= LEAST_CITED:
            found.append(Question(str(item.id), f"{item.title}\n{item.abstract}", cited, (str(item.id),)))
    return lambda: (item.document(str(item.id)) for item in items), tuple(found)


HIDDEN = 100_000
ASTRO_QUESTIONS = 500
SEED = 0
_ARXIV = ("arxiv_topics", "arxiv_astro", "arxiv_cited_9394", "arxiv_scale")
_OTHERS = ("neuro_corpus/abstracts.jsonl.gz", "sysrev", *_ARXIV)
"""Where the abstracts that hide PubMedQA's come from, in this order, until there are enough."""


@question_set(
    "pubmedqa_hidden",
    f"the 500 questions of PubMedQA to the abstract that answers them, among {HIDDEN:,} abstracts of other papers",
    "pubmedqa",
    notes=("The other abstracts are those of neuro_corpus, sysrev, and the arxiv sets.",),
)
def pubmedqa_hidden(data: Path) -> SetContent:
    """As `pubmedqa`, with other papers' titles and abstracts; none has the PMID of a question's paper."""
    own = pubmedqa.read(data)
    asked = {question.id for question in own.questions}
    return lambda: chain(own.documents(), _others(data, asked, HIDDEN)), own.questions


@question_set(
    "arxiv_astro",
    f"{ASTRO_QUESTIONS} questions made of sentences of astronomy abstracts by rule, each to its own paper: {RULE}",
)
def arxiv_astro(data: Path) -> SetContent:
    """Single-paper questions (F15) over all abstracts of the set."""
    items = {str(item.id): item for path in _files(data / "arxiv_astro") for item in read_rows(path, Abstract)}
    return lambda: (item.document(name) for name, item in items.items()), astro_questions(items)


def astro_questions(items: dict[str, Abstract], count: int = ASTRO_QUESTIONS, seed: int = SEED) -> tuple[Question, ...]:
    """Questions made of the sentences of abstracts; a word counts where title or abstract has it."""
    texts = {name: f"{item.title or ''} {item.abstract or ''}" for name, item in items.items()}

    def source(name: str) -> QuestionSource:
        text = items[name].abstract or ""
        found = (SourceSentence(f"{name}:{start}", text[start:end]) for start, end in split_sentences(text))
        return QuestionSource(name, tuple(found), (texts[name],))

    return make_questions(items, source, count_words(texts.values()), count, seed)


def _others(data: Path, asked: set[str], count: int) -> Iterator[SetPaper]:
    """The first `count` abstracts that are none of the papers asked for; copies of a paper count once."""
    seen: set[str] = set()
    for name in _OTHERS:
        for path in _files(data / name):
            for item in read_rows(path, Abstract):
                pmid = str(item.pmid or "")
                key = pmid or " ".join((item.title or "").lower().split())
                if item.abstract and key and pmid not in asked and key not in seen:
                    seen.add(key)
                    yield item.document(f"other-{len(seen)}")
                if len(seen) == count:
                    return


def _files(place: Path) -> list[Path]:
    """The record files of a folder of the data, or the file itself; none where it is absent."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.glob("*.jsonl*") if path.name != "README.md") if place.is_dir() else []
