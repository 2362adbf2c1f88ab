"""The sentences around a citation that a judge needs to understand it, and no others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from conspectus.records import Passage, Span, Statement
from conspectus.verify.mechanical import locate_numbers


@dataclass(frozen=True, slots=True)
class LocatedNumber:
    """A number of a statement, as it stands there, and the uncited sentence of the cited passage that has it."""

    words: str
    span: Span


def find_context(passage: Passage, cited: Collection[str]) -> list[Span]:
    """The sentences of a passage that explain the `cited` ones (their ids): these are not among them.

    In prose the sentences before and after, as far as they stand in the same paragraph; for a row of a table the
    caption (the row itself says the names of its columns).
    """
    spans = passage.spans
    context = []
    for place, span in enumerate(spans):
        if span.id in cited:
            continue
        is_caption = not span.cells and any(other.cells and other.id in cited for other in spans)
        if is_caption or any(_explains(passage, span, other, cited) for other in spans[max(place - 1, 0) : place + 2]):
            context.append(span)
    return context


def _explains(passage: Passage, span: Span, other: Span, cited: Collection[str]) -> bool:
    """Whether a sentence stands beside a cited one in its paragraph."""
    if other.id not in cited or other.cells or span.cells:
        return False
    first, second = sorted((span, other), key=lambda sentence: sentence.start)
    return "\n" not in passage.text[first.end : second.start]


def locate_uncited_numbers(statement: Statement, passages: Mapping[str, Passage]) -> Iterator[LocatedNumber]:
    """The numbers of a statement that its cited sentences do not have, and another sentence of their passages does."""
    cited = [span for citation in statement.citations for span in citation.spans]
    ids = {span.id for span in cited}
    known = [passages[citation.passage_id] for citation in statement.citations if citation.passage_id in passages]
    others = list({span.id: span for passage in known for span in passage.spans if span.id not in ids}.values())
    texts = [span.text for span in others]
    for words, place in locate_numbers(statement.text, [span.text for span in cited], texts):
        yield LocatedNumber(words, others[place])
