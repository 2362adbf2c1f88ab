"""Questions with several right papers: sentences that cite five or more papers of the library (F15)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from conspectus.core.job_context import emit
from conspectus.evaluation.records import Question
from conspectus.lexicon import STOP_WORDS
from conspectus.library import Library
from conspectus.records import Block, Paper, Sentence
from conspectus.records.jobs import Progress

LEAST = 5
"""Papers of the library that a sentence has to cite."""

_FEWEST_WORDS = 4
_EMPTIED = re.compile(r"[(\[{]\s*(?:(?:see|e\.g\.|cf\.|and|also|[,;&.–-])\s*)*[)\]}]")
_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.,;:](?!\d))")
_REPEATED = re.compile(r"(?<!\s)(?:\s*+[,;]){2,}+")
_AT_END = re.compile(r"(?<![\s,;–—-])(?<!\band)(?:[\s,;–—-]|\band\b)++(?=$|[.?!](?!\w))")
"""What joined marks that stood before the end of a sentence."""


def citation_clusters(library: Library, least: int = LEAST) -> Iterator[Question]:
    """The sentences of the library's papers that cite at least `least` of its other papers, as questions.

    The question is the sentence without its citation marks; relevant is what it cites; the paper that has the sentence
    is left out of what is found. Captions and footnotes are no sentences of a survey. The order is that of the papers.
    """
    papers = [paper for paper in library.papers() if paper.has_full_text]
    for number, paper in enumerate(papers):
        emit(Progress("looking for citation clusters", number, len(papers), "papers"))
        yield from _paper_clusters(library, paper, least)
    emit(Progress("looking for citation clusters", len(papers), len(papers), "papers"))


def _paper_clusters(library: Library, paper: Paper, least: int) -> Iterator[Question]:
    parsed = library.parsed(paper.id)
    candidates = [
        (number, block, sentence)
        for number, block in enumerate(parsed.blocks)
        if block.kind in ("paragraph", "abstract")
        for sentence in block.sentences
        if len(_targets(block, sentence)) >= least
    ]
    if not candidates:
        return
    linked: Mapping[str, str] = {
        work.reference.key: work.paper_id
        for work in library.references(paper.id)
        if work.paper_id and work.paper_id != paper.id
    }
    for number, block, sentence in candidates:
        cited = dict.fromkeys((linked[key] for key in _targets(block, sentence) if key in linked), 1)
        text = without_marks(block, sentence)
        words = [word for word in re.findall(r"\w+", text.lower()) if word not in STOP_WORDS]
        if len(cited) >= least and len(words) >= _FEWEST_WORDS:
            yield Question(f"{paper.id}:{number}:{sentence.start}", text, cited, (paper.id,), paper.id)


def without_marks(block: Block, sentence: Sentence) -> str:
    """Remove a sentence's citation marks with the brackets and commas around them."""
    text, at = "", sentence.start
    for mark in block.marks:
        if mark.kind == "reference" and sentence.start <= mark.start and mark.end <= sentence.end:
            text += f"{block.text[at : mark.start]} "
            at = mark.end
    text += block.text[at : sentence.end]
    before = ""
    while before != text:
        before, text = text, _EMPTIED.sub(" ", text)
    return _BEFORE_STOP.sub("", _REPEATED.sub(",", _AT_END.sub("", " ".join(text.split())))).strip()


def _targets(block: Block, sentence: Sentence) -> dict[str, None]:
    """The keys of the references that a sentence cites, each once."""
    return {
        key: None
        for mark in block.marks
        if mark.kind == "reference" and sentence.start <= mark.start < sentence.end
        for key in mark.targets
    }
