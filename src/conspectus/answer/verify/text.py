"""Words, sentences and clauses of a folded text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.answer.verify.folding import GREEK, Folded
from conspectus.words import STOP_WORDS

_TOKEN = re.compile(r"[^\W_]+(?:['./+-][^\W_]+)*[+]?|[%<>=≤≥±]")
_SENTENCE = re.compile(r"[.!?;][\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9α-ω])")
_CLAUSE = re.compile(
    r"[,;:()]|\b(?:but|however|although|though|whereas|while|because|which|who|unless|except|despite)\b", re.IGNORECASE
)
_SHORT = frozenset("e.g i.e vs al cf sp ca fig eq ref no approx dr".split())
ENGLISH_SHARE = 0.12
_FUNCTION = STOP_WORDS | {"two", "three", "significant", "patients", "study", "results"}
_ENDINGS = (
    "isations izations isation ization ations ation itions ition ingly edly ities tions tion ments ment ness ences "
    "ence ances "
    "ance ents ent ants ant ings ing ives ive ions ion ers ity ies ied ed er es ly al ic y e s"
).split()
STEM = 6
"""Words are compared by this many letters of their stems."""
_IRREGULAR = {
    "affect": "effect", "affects": "effect", "affected": "effect", "affecting": "effect",
    "rose": "rise", "risen": "rise", "fell": "fall", "fallen": "fall", "grew": "grow", "grown": "grow", "found": "find",
    "led": "lead", "shown": "show", "gave": "give", "given": "give", "mice": "mouse", "worse": "worse",
    "better": "better",
    "higher": "high", "lower": "low", "greater": "great", "men": "man", "women": "woman", "children": "child",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign at `start` … `end` of a folded text; `clause` and `sentence` count those of the text."""

    text: str
    start: int
    end: int
    clause: int
    sentence: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


def tokens(folded: Folded) -> tuple[Token, ...]:
    """The words of a text, in their order."""
    text = folded.text
    sentence_ends = [found.end() for found in _SENTENCE.finditer(text) if not _abbreviated(text, found.start())]
    clause_ends = [found.end() for found in _CLAUSE.finditer(text)]
    made: list[Token] = []
    sentence = clause = 0
    for found in _TOKEN.finditer(text):
        while sentence < len(sentence_ends) and sentence_ends[sentence] <= found.start():
            sentence += 1
        while clause < len(clause_ends) and clause_ends[clause] <= found.start():
            clause += 1
        made.append(Token(found[0], found.start(), found.end(), clause + sentence, sentence))
    return tuple(made)


def _abbreviated(text: str, stop: int) -> bool:
    word = re.search(r"[A-Za-z.]{1,8}$", text[max(0, stop - 8) : stop])
    return word is not None and text[stop] == "." and (len(word[0]) == 1 or word[0].lower() in _SHORT)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its ending, cut: what is alike in 'reduced', 'reduces' and 'reduction'."""
    word = word.lower().removesuffix("'s").strip("'")
    word = _IRREGULAR.get(word, word)
    if len(word) > 4:
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    return word[:STEM]


def is_content(word: str) -> bool:
    """Whether a word carries meaning."""
    return len(word) > 1 and word.lower() not in STOP_WORDS and any(sign.isalpha() for sign in word)


def content(words: Sequence[Token]) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(part) for token in words for part in token.text.split("-") if is_content(part))


def by_sentence(words: Sequence[Token]) -> list[list[Token]]:
    """The words of each sentence."""
    made: list[list[Token]] = []
    for token in words:
        if not made or made[-1][-1].sentence != token.sentence:
            made.append([])
        made[-1].append(token)
    return made


def spell_greek(text: str) -> str:
    """A text with its Greek letters spelt out, in lower case."""
    text = text.lower()
    return text if text.isascii() else "".join(GREEK.get(sign, sign) for sign in text)


def is_english(words: Sequence[Token]) -> bool:
    """Whether a text is English, by the share of function words; a text of less than four words is taken to be."""
    letters = [token.lower for token in words if token.text.isalpha()]
    if len(letters) < 4:
        return all(word.isascii() for word in letters)
    return sum(word in _FUNCTION for word in letters) >= ENGLISH_SHARE * len(letters)
