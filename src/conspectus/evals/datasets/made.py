"""Sets that are put together here: questions hidden among others' abstracts, and questions made of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from conspectus.evals import sentences
from conspectus.evals.datasets.reading import rows
from conspectus.evals.datasets.registry import Document, Loaded, dataset
from conspectus.evals.datasets.shared import Abstract, pubmedqa
from conspectus.evals.records import Question
from conspectus.parse.sentences import split_sentences

HIDDEN = 100_000
ASTRO_QUESTIONS = 500
SEED = 0
_ARXIV = ("arxiv_topics", "arxiv_astro", "arxiv_cited_9394", "arxiv_scale")
_OTHERS = ("neuro_corpus/abstracts.jsonl.gz", "sysrev", *_ARXIV)
"""Where the abstracts that hide PubMedQA's come from, in this order, until there are enough."""


@dataset(
    "pubmedqa_hidden",
    f"the 500 questions of PubMedQA to the abstract that answers them, among {HIDDEN:,} abstracts of other papers",
    "pubmedqa",
    notes=("The other abstracts are those of neuro_corpus, sysrev, and the arxiv sets.",),
)
def pubmedqa_hidden(data: Path) -> Loaded:
    """As `pubmedqa`, with other papers' titles and abstracts; none has the PMID of a question's paper."""
    own, questions = pubmedqa(data)
    asked = {question.id for question in questions}
    return lambda: chain(own(), _others(data, asked, HIDDEN)), questions


@dataset(
    "arxiv_astro",
    f"{ASTRO_QUESTIONS} questions made of sentences of astronomy abstracts by rule, each to its own paper: "
    f"{sentences.RULE}",
)
def arxiv_astro(data: Path) -> Loaded:
    """Single-paper questions (F15) over all abstracts of the set."""
    items = {str(item.id): item for path in _files(data / "arxiv_astro") for item in rows(path, Abstract)}
    return lambda: (item.document(name) for name, item in items.items()), astro_questions(items)


def astro_questions(items: dict[str, Abstract], count: int = ASTRO_QUESTIONS, seed: int = SEED) -> tuple[Question, ...]:
    """Questions made of the sentences of abstracts; a word counts where title or abstract has it."""
    texts = {name: f"{item.title or ''} {item.abstract or ''}" for name, item in items.items()}

    def source(name: str) -> sentences.Source:
        text = items[name].abstract or ""
        found = (sentences.Sentence(f"{name}:{start}", text[start:end]) for start, end in split_sentences(text))
        return sentences.Source(name, tuple(found), (texts[name],))

    return sentences.questions(items, source, sentences.counted(texts.values()), count, seed)


def _others(data: Path, asked: set[str], count: int) -> Iterator[Document]:
    """The first `count` abstracts that are none of the papers asked for; copies of a paper count once."""
    seen: set[str] = set()
    for name in _OTHERS:
        for path in _files(data / name):
            for item in rows(path, Abstract):
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
