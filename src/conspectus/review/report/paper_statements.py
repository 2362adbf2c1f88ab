"""What papers state as findings: the sentences of the later half of an abstract, of results and conclusions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.answer.factual_sentences import MAX_WORDS, MIN_WORDS, words_of
from conspectus.parse.text.key_phrases import find_short_forms, write_out
from conspectus.records import Paper, Passage, Span
from conspectus.store.catalog import Catalog

_FINDINGS = re.compile(r"\b(?:results?|findings?|discussions?|conclusions?|concluding)\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？؟][\"'”’»)\]\s]*$")
_NUMBER = re.compile(r"\b\d+\b")
_FORMULA_PAPERS = 3
"""Papers with the same sentence from which on it is no finding of theirs."""
_LEAST_HALVED = 3
"""An abstract of fewer sentences is taken whole."""
_AT_ONCE = 100
"""Papers whose passages are in memory."""


@dataclass(frozen=True, slots=True)
class PaperStatement:
    """A sentence that states a finding; `text` has the paper's short forms written out."""

    paper: Paper
    passage: Passage
    span: Span
    text: str


def statements_of(paper: Paper, passages: Sequence[Passage], *, body: bool = False) -> list[PaperStatement]:
    """The findings of a paper: of its abstract; of results, discussion and conclusions if it has none, or with `body`.

    Args:
        paper: whose they are.
        passages: its own, in reading order.
        body: whether results, discussion and conclusions are read although there is an abstract.
    """
    forms = find_short_forms("\n".join([paper.title, *(passage.text for passage in passages)]))
    abstract = _sentences([passage for passage in passages if passage.kind == "abstract"])
    sentences = abstract[len(abstract) // 2 :] if len(abstract) >= _LEAST_HALVED else abstract
    if body or not sentences:
        sentences += _sentences(
            [passage for passage in passages if passage.kind == "body" and _FINDINGS.search(passage.section)]
        )
    stated = {
        span.id: PaperStatement(paper, passage, span, write_out(span.text, forms))
        for passage, span in sentences
        if _states(span.text)
    }
    return list(stated.values())


def leave_out_formulas(statements: Sequence[PaperStatement]) -> list[PaperStatement]:
    """Statements but those that several papers make in the same words, whatever the numbers: notices of publishers."""
    wordings = [_NUMBER.sub("#", item.span.text).casefold() for item in statements]
    by: dict[str, set[str]] = {}
    for words, item in zip(wordings, statements, strict=True):
        by.setdefault(words, set()).add(item.paper.id)
    return [item for words, item in zip(wordings, statements, strict=True) if len(by[words]) < _FORMULA_PAPERS]


def _states(text: str) -> bool:
    """Whether it may be a finding: no question, and neither a fragment nor a list."""
    return MIN_WORDS <= len(words_of(text)) <= MAX_WORDS and not _ASKS.search(text)


def _sentences(passages: Sequence[Passage]) -> list[tuple[Passage, Span]]:
    """The sentences of passages, each once, though passages overlap."""
    sentence_by_id: dict[str, tuple[Passage, Span]] = {}
    for passage in passages:
        for span in passage.spans:
            sentence_by_id.setdefault(span.id, (passage, span))
    return list(sentence_by_id.values())


def collect_statements(catalog: Catalog, papers: Sequence[Paper]) -> Iterator[list[PaperStatement]]:
    """The findings of each paper, in turn."""
    for begin in range(0, len(papers), _AT_ONCE):
        batch = papers[begin : begin + _AT_ONCE]
        keys = catalog.keys_of([paper.id for paper in batch])
        passages_by_paper: dict[int, list[Passage]] = {key: [] for key in keys.values()}
        for stored in catalog.passages_of(sorted(passages_by_paper)).values():
            passages_by_paper[stored.paper_key].append(stored.passage)
        for paper in batch:
            passages = passages_by_paper.get(keys.get(paper.id, 0), [])
            yield statements_of(paper, sorted(passages, key=lambda passage: passage.ordinal))
