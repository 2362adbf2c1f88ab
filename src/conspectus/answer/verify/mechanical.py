"""What of a statement does not stand in the sentences it cites: numbers, units, names, denials, directions, quotations.

It knows nothing of meaning: what it doubts may be right in other words, and what it does not doubt may be wrong.
Numbers and names are compared in any language; denials and directions only where both sides are English.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.answer.verify.comparison import comparison_doubts
from conspectus.answer.verify.doubt import Doubt, DoubtKind
from conspectus.answer.verify.folding import Folded, fold
from conspectus.answer.verify.names import Names, Places, attributions, form, name_doubts
from conspectus.answer.verify.negation import negation_doubts
from conspectus.answer.verify.numbers import Pool, number_doubts
from conspectus.answer.verify.quantities import Quantity, quantities
from conspectus.answer.verify.quotation import plain_words, quotation_doubts
from conspectus.answer.verify.text import Token, by_sentence, content, is_english, tokens
from conspectus.answer.verify.twin import twin_doubts

__all__ = ["Doubt", "DoubtKind", "Sources", "doubts", "read_ahead"]


_TWINS = 3
_SHARED = 5
"""A further sentence is compared word by word only where it shares so many words with the statement."""


@dataclass(frozen=True)
class _Sentence:
    folded: Folded
    words: tuple[Token, ...]
    stems: frozenset[str]
    numbers: tuple[Quantity, ...]
    names: Names


@dataclass(frozen=True)
class _Context:
    names: Names
    plain: str


class Sources:
    """The cited sentences, read once for all that is asked of them; `contexts` are the passages around them."""

    def __init__(self, sentences: Sequence[str], contexts: Sequence[str] = ()) -> None:
        self.sentences = [_sentence(text) for text in sorted(set(sentences)) if text.strip()]
        self.plain = {" ".join(item.folded.text.split()) for item in self.sentences}
        self.pool = Pool([(item.folded, item.numbers) for item in self.sentences])
        self.names = Names.of_all([item.names for item in self.sentences])
        around = [_context(text) for text in dict.fromkeys(contexts) if text.strip()]
        self.around = Names.of_all([item.names for item in around])
        self.said = [*(plain_words(item.folded.text) for item in self.sentences), *(item.plain for item in around)]
        self.english = is_english([word for item in self.sentences for word in item.words])

    def quotes(self, statement: str) -> bool:
        """Whether a statement is one of the sentences."""
        return " ".join(fold(statement).text.split()) in self.plain

    def near(self, words: Sequence[Token]) -> list[_Sentence]:
        """The sentences that have most of the words, the nearest first, at most three."""
        mine = content(words)
        found = sorted(self.sentences, key=lambda item: (-len(mine & item.stems), len(item.stems), item.folded.text))
        return found[:1] + [item for item in found[1:_TWINS] if len(mine & item.stems) >= _SHARED]


def read_ahead(sentences: Sequence[str], contexts: Sequence[str]) -> None:
    """Read texts that will be asked for soon, while there is time."""
    Sources(sentences, contexts)


@lru_cache(maxsize=512)
def _sentence(text: str) -> _Sentence:
    folded = fold(text)
    words = tokens(folded)
    return _Sentence(folded, words, content(words), tuple(quantities(folded)), Names.of(folded))


@lru_cache(maxsize=64)
def _context(text: str) -> _Context:
    folded = fold(text)
    return _Context(Names.of(folded), plain_words(folded.text))


def doubts(statement: str, sentences: Sequence[str], contexts: Sequence[str] = ()) -> tuple[Doubt, ...]:
    """What of `statement` does not stand in the cited `sentences`; empty where nothing mechanical speaks against it.

    Args:
        statement: what a model wrote; one sentence or several.
        sentences: the exact texts of the spans it cites, in any order.
        contexts: the passages around them. A name that stands only there is no doubt, and abbreviations are read there.
    """
    return find_doubts(statement, Sources(sentences, contexts))


def find_doubts(statement: str, sources: Sources) -> tuple[Doubt, ...]:
    """As `doubts`, with sentences that were read before."""
    folded = fold(statement)
    if not sources.sentences or " ".join(folded.text.split()) in sources.plain:
        return ()
    words = tokens(folded)
    skipped = Places(attributions(folded))
    numbers = [
        item for item in quantities(folded) if not skipped.hold(item.start) and not _in_name(folded, item, sources)
    ]
    found = number_doubts(folded, numbers, sources.pool) + name_doubts(folded, words, sources.names, sources.around)
    found += quotation_doubts(folded, sources.said)
    english = sources.english and is_english(words)
    for sentence in by_sentence(words):
        found += _of_sentence(folded, sentence, numbers, sources, english)
    if english:
        found += comparison_doubts(folded, words, [item.words for item in sources.sentences])
    return _once(found)


def _of_sentence(
    statement: Folded, words: Sequence[Token], numbers: Sequence[Quantity], sources: Sources, english: bool
) -> list[Doubt]:
    first, last = (
        bisect_left(numbers, place, key=lambda item: item.start) for place in (words[0].start, words[-1].end)
    )
    mine = numbers[first:last]
    near = sources.near(words)
    found: list[Doubt] = []
    for one in near:
        found += twin_doubts(statement, words, mine, one.folded, one.words, one.numbers, english)
    if english:
        found += negation_doubts(statement, words, [item.words for item in sources.sentences], near[0].words)
    return found


def _in_name(statement: Folded, item: Quantity, sources: Sources) -> bool:
    """Whether a number is the end of a name that the sentences have: 'NGC 1275' for 'NGC1275'."""
    before = statement.text[max(0, item.start - 60) : item.start].split()
    if not before or item.unit is not None:
        return False
    number = statement.text[item.start : item.end]
    if any(names.short_of(" ".join(before[-4:]), number) for names in (sources.names, sources.around)):
        return True
    if not any(sign.isupper() for sign in before[-1]):
        return False
    name = form(before[-1] + statement.text[item.start : item.end])
    return name in sources.names.forms or name in sources.around.forms


def _once(found: Sequence[Doubt]) -> tuple[Doubt, ...]:
    """Each doubt once: the same words are doubted for one reason of a kind."""
    return tuple({(doubt.kind, doubt.found): doubt for doubt in reversed(found)}.values())[::-1]
