"""The part of a passage that is shown for a query: its sentences that share most words with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from conspectus.faces.printer import Part
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Passage, Span

LENGTH = 300
_WORD = re.compile(r"\w+")


class Snippet(NamedTuple):
    """Text to show, and the sentence it is built around."""

    text: str
    span: Span


def roots(query: str) -> tuple[str, ...]:
    """The beginnings by which the query's words are recognised in other forms: `mitochond` in `mitochondrial`."""
    words = dict.fromkeys(_WORD.findall(query.casefold()))
    return tuple(_root(word) for word in words if word not in STOP_WORDS)


def snippet(passage: Passage, query: str) -> Snippet:
    """The sentence with most of the query's words, with its neighbours as far as they fit."""
    wanted = roots(query)
    scores = [_shared(span.text, wanted) for span in passage.spans]
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
    for match in _WORD.finditer(line):
        if _matches(match[0], wanted):
            yield line[end : match.start()]
            yield match[0], "match"
            end = match.end()
    yield line[end:]


def _root(word: str) -> str:
    if len(word) >= 8:
        return word[:-3]
    if len(word) >= 6:
        return word[:-1].removesuffix("s")
    return word.removesuffix("s") if len(word) > 3 else word


def _matches(word: str, wanted: tuple[str, ...]) -> bool:
    folded = word.casefold()
    return any(folded == root or (len(root) > 2 and folded.startswith(root)) for root in wanted)


def _shared(text: str, wanted: tuple[str, ...]) -> int:
    words = {word.casefold() for word in _WORD.findall(text)}
    return sum(any(_matches(word, (root,)) for word in words) for root in wanted)


def _trimmed(text: str, wanted: tuple[str, ...]) -> str:
    """A single long sentence cut to what is around its first match, at spaces."""
    if len(text) <= LENGTH * 1.3:
        return text
    at = next((match.start() for match in _WORD.finditer(text) if _matches(match[0], wanted)), 0)
    start = max(0, min(at - LENGTH // 4, len(text) - LENGTH))
    cut = text[start : start + LENGTH]
    head, tail = start > 0, start + LENGTH < len(text)
    if head and " " in cut:
        cut = cut[cut.index(" ") + 1 :]
    if tail and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return ("…" if head else "") + cut + ("…" if tail else "")
