"""The sets that can be named, each read as the README of its folder says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from conspectus.evals.datasets.reading import Name, judgements, rows
from conspectus.evals.datasets.registry import Document, Loaded, dataset
from conspectus.evals.records import Question

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
LEAST_CITED = 5
"""References into the set that a paper needs to be a question, as pathfinder's citation clusters (sec. 4.2)."""


class Abstract(msgspec.Struct):
    """A record of an abstract; sets name the fields alike."""

    id: Name = ""
    pmid: Name | None = ""
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

    def document(self, name: str) -> Document:
        """It as a paper of a set."""
        authors = tuple(self.authors) if isinstance(self.authors, list) else ()
        return Document(name, self.title or "", self.abstract or "", authors, self.year)


class SciFactPaper(msgspec.Struct):
    """A paper of SciFact, its abstract sentence by sentence."""

    doc_id: Name
    title: str
    abstract: list[str]


class Rationale(msgspec.Struct):
    """The numbers of sentences that experts marked, and whether they support or contradict."""

    sentences: list[int]
    label: str


class Claim(msgspec.Struct):
    """A claim of SciFact, and the papers that are its evidence."""

    claim: str
    cited_doc_ids: list[Name] = []
    evidence: dict[str, list[Rationale]] = {}
    id: Name = ""


class PubMedQA(msgspec.Struct):
    """A question, the parts of its abstract without the conclusion, and what that comes to."""

    pmid: str
    QUESTION: str
    CONTEXTS: list[str]
    final_decision: str = ""


class BioASQ(msgspec.Struct):
    """A question, with the snippets that answer it."""

    id: str
    question: str
    snippet_ids: list[str]
    type: str = ""
    exact_answer: object = None


class Snippet(msgspec.Struct):
    """Words of a paper that answer a question."""

    id: str
    pmid: str
    text: str


class _Query(msgspec.Struct):
    id: Name
    query: str


@dataset("scifact", "expert-written claims to the abstracts they cite, among the whole corpus of SciFact")
def scifact(data: Path) -> Loaded:
    """The training claims; relevant is what they cite."""
    claims = rows(data / "scifact" / "claims_train.jsonl", Claim)
    return lambda: (
        Document(str(paper.doc_id), paper.title, " ".join(paper.abstract))
        for paper in rows(data / "scifact" / "corpus.jsonl.gz", SciFactPaper)
    ), tuple(Question(str(one.id), one.claim, dict.fromkeys(map(str, one.cited_doc_ids), 1)) for one in claims)


@dataset("pubmedqa", "expert questions to the abstract that answers them (without its title, which is the question)")
def pubmedqa(data: Path) -> Loaded:
    """500 questions among their own 500 contexts: nearly solved alone."""
    items = list(rows(data / "pubmedqa" / "pqal.jsonl.gz", PubMedQA))
    questions = tuple(Question(item.pmid, item.QUESTION, {item.pmid: 1}) for item in items)
    return lambda: (Document(item.pmid, "", " ".join(item.CONTEXTS)) for item in items), questions


@dataset(
    "bioasq",
    "questions of biomedical experts to the papers their gold snippets are from; a paper is all its snippets",
)
def bioasq(data: Path) -> Loaded:
    """Relevant is a paper with a gold snippet of the question; a paper's text is its snippets, in file order."""
    snippets = list(rows(data / "bioasq" / "snippets.jsonl.gz", Snippet))
    paper_of = {one.id: one.pmid for one in snippets}
    texts: dict[str, dict[str, None]] = {}
    for one in snippets:
        texts.setdefault(one.pmid, {})[one.text.strip()] = None
    found = []
    for item in rows(data / "bioasq" / "questions.jsonl.gz", BioASQ):
        relevant = {paper_of[name]: 1 for name in item.snippet_ids if name in paper_of}
        if relevant:
            found.append(Question(item.id, item.question, relevant))
    return lambda: (Document(pmid, "", " ".join(said)) for pmid, said in texts.items()), tuple(found)


@dataset(
    "cranfield",
    "questions of aeronautical engineers to the documents judged for them; every judged pair counts as relevant",
    notes=("2 documents have no text and cannot be found; they stay relevant where they are judged so.",),
)
def cranfield(data: Path) -> Loaded:
    """Binary, as the folder's README asks. Abstracts begin with the title, which is taken off there."""

    def documents() -> Iterator[Document]:
        for paper in rows(data / "cranfield" / "corpus.jsonl.gz", Abstract):
            title, text = " ".join((paper.title or "").split()), " ".join((paper.abstract or "").split())
            yield Document(str(paper.id), title, text.removeprefix(title).strip())

    judged = judgements(data / "cranfield" / "qrels.tsv")
    queries = [(str(one.id), one.query) for one in rows(data / "cranfield" / "queries.jsonl", _Query)]
    return documents, tuple(Question(n, text, dict.fromkeys(judged[n], 1)) for n, text in queries if n in judged)


@dataset(
    "sysrev",
    "the topics of ten systematic drug reviews to the records they included, among all that were screened",
    notes=("There are ten questions only: intervals are wide.",),
)
def sysrev(data: Path) -> Loaded:
    """A record that several reviews screened is one paper, by its PMID; the question is the topic's name in words."""
    items = list(rows(data / "sysrev" / "records.jsonl.gz", Abstract))
    first = {item.name: item for item in reversed(items)}
    topics = dict.fromkeys(item.topic for item in items)
    included = {topic: {item.name: 1 for item in items if item.topic == topic and item.included} for topic in topics}
    return lambda: (item.document(item.name) for item in items if first[item.name] is item), tuple(
        Question(topic, _CAMEL.sub(" ", topic), relevant) for topic, relevant in included.items() if relevant
    )


@dataset(
    "arxiv_cited",
    "title and abstract of physics papers of 1991-96 to the papers of the set that they cite (5 or more); the paper "
    "itself is left out of what is found",
    "arxiv_cited_9394",
)
def arxiv_cited(data: Path) -> Loaded:
    """Multi-paper retrieval from reference lists."""
    items = list(rows(data / "arxiv_cited_9394" / "papers.jsonl.gz", Abstract))
    there = {str(item.id) for item in items}
    found = []
    for item in items:
        cited = dict.fromkeys((name for name in item.references if name in there and name != item.id), 1)
        if len(cited) >= LEAST_CITED:
            found.append(Question(str(item.id), f"{item.title}\n{item.abstract}", cited, (str(item.id),)))
    return lambda: (item.document(str(item.id)) for item in items), tuple(found)
