"""The part of a passage that is shown for a query: its sentences that share most words with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from conspectus.faces.printer import Part
from conspectus.lexicon.word_roots import WORD, count_shared, matches_root, roots
from conspectus.records import Passage, Span

LENGTH = 300


class Snippet(NamedTuple):
    """Text to show, and the sentence it is built around."""

    text: str
    span: Span


def snippet(passage: Passage, query: str) -> Snippet:
    """The sentence with most of the query's words, with its neighbours as far as they fit."""
    wanted = roots(query)
    scores = [count_shared(span.text, wanted) for span in passage.spans]
    best = scores.index(max(scores))
    first = last = best
    spans = passage.spans
    while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= LENGTH:
        last += 1
    while first and spans[last].end - spans[first - 1].start <= LENGTH:
        first -= 1
    before, after = "… " if first else "", " …" if last + 1 < len(spans) else ""
    text = passage.text[spans[first].start : spans[last].end]
    return Snippet(before + _trimmed(text, wanted) + after, spans[best])


Mark = Callable[[str], list[Part]]


def marker(query: str) -> Mark:
    """A function that splits a line into parts, the words that match the query styled."""
    wanted = roots(query)
    return lambda line: list(_parts(line, wanted))


def _parts(line: str, wanted: tuple[str, ...]) -> Iterator[Part]:
    end = 0
    for match in WORD.finditer(line):
        if matches_root(match[0], wanted):
            yield line[end : match.start()]
            yield match[0], "match"
            end = match.end()
    yield line[end:]


def _trimmed(text: str, wanted: tuple[str, ...]) -> str:
    """A single long sentence cut to what is around its first match, at spaces."""
    if len(text) <= LENGTH * 1.3:
        return text
    at = next((match.start() for match in WORD.finditer(text) if matches_root(match[0], wanted)), 0)
    start = max(0, min(at - LENGTH // 4, len(text) - LENGTH))
    cut = text[start : start + LENGTH]
    head, tail = start > 0, start + LENGTH < len(text)
    if head and " " in cut:
        cut = cut[cut.index(" ") + 1 :]
    if tail and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return ("…" if head else "") + cut + ("…" if tail else "")
