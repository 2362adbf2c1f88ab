"""Key phrases of a paper (F2): what it is about, in its own words, from title and abstract alone.

A phrase is up to four words between words that no key phrase has (function words, verbs and adverbs of reporting,
signs). What speaks for it is added up: that it comes again, early, in the title, and at the border of such a stretch;
what speaks against it: general words at its ends, and the ending of an adjective or participle. The weights are rounded
from a logistic regression on keywords that authors gave (benchmarks/parsing.md, which also has textrank, the published
method, beside it).

Short forms are written out because two papers that say the opposite may name the same thing by its long and by its
short form, which vectors hold apart.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from conspectus.lexicon.word_lists import BREAKING, GENERAL, NOT_ADVERBS
from conspectus.records import KeyPhrase, normal_name

MOST = 20
LONGEST = 4
"""Words of a phrase."""
READ = 4000
"""Characters that are looked at."""
WORD = 50
"""Characters of a word; what is longer is none."""
WORDS = 1 << 14
"""Words whose forms are remembered."""
TITLE = 12
"""Words by which what stands in the abstract is behind what stands in the title."""

_WORD = re.compile(r"[^\W_]+(?:['’\-‐‑][^\W_]+)*")
_FORMULA = re.compile(r"\$[^$]{0,200}\$|\\[a-zA-Z]{2,}")
"""Of LaTeX; or a command, where a formula stands without its signs."""
_ADJECTIVE = ("ive", "al", "ic", "ous", "able", "ible", "ar", "ent", "ant", "ary", "est", "ful", "less")


AHEAD = 2048
"""Papers whose phrases were found in the process that read them, and that are not stored yet, at most."""
_ahead: OrderedDict[tuple[str, str], tuple[KeyPhrase, ...]] = OrderedDict()
_using = threading.Lock()

Key = tuple[str, ...]
"""A phrase by its words in the singular, in small letters."""


@dataclass(slots=True)
class _Phrase:
    """A phrase as it was met: its words when first met, how often, and whether it ever begins or ends a stretch."""

    words: list[str]
    place: int
    in_title: bool
    times: int = 0
    begins: bool = False
    ends: bool = False


def key_phrases(title: str, text: str, most: int = MOST) -> tuple[KeyPhrase, ...]:
    """At most `most` phrases, best first; the same for the same words, whatever other papers there are.

    What `remember_phrases` took for these words is not found again.

    Args:
        title: the paper's.
        text: its abstract, or the beginning of its text; the first 4,000 characters count.
        most: how many.
    """
    with _using:
        ahead = _ahead.pop((title, text), None)
    if ahead is not None:
        return ahead[:most]
    phrases = _count_phrases(title[:READ], text[:READ])
    ranked = sorted(((-_weight(key, phrase), phrase.place, key) for key, phrase in phrases.items()))
    chosen: dict[str, KeyPhrase] = {}
    longer: list[tuple[Key, int]] = []
    for weight, _, key in ranked:
        if len(chosen) == most:
            break
        phrase = phrases[key]
        if _stands_only_in(key, phrase.times, longer):
            continue
        written = " ".join(phrase.words)
        if len(term := normal_name(written)) > 1:
            chosen.setdefault(term, KeyPhrase(written, round(1 / (1 + math.exp(weight)), 4)))
            longer.append((key, phrase.times))
    return tuple(chosen.values())


def remember_phrases(title: str, text: str, phrases: tuple[KeyPhrase, ...]) -> None:
    """Take what `key_phrases` gave for these words in another process, for the one time that it is asked for here."""
    with _using:
        _ahead[title, text] = phrases
        if len(_ahead) > AHEAD:
            _ahead.popitem(last=False)


def _stands_only_in(key: Key, times: int, chosen: Iterable[tuple[Key, int]]) -> bool:
    """Whether a phrase is never met but as part of one that is chosen already."""
    size = len(key)
    return any(
        times == number and any(other[at : at + size] == key for at in range(len(other) - size + 1))
        for other, number in chosen
        if len(other) > size
    )


def _count_phrases(title: str, text: str) -> dict[Key, _Phrase]:
    """All phrases by their words in the singular."""
    phrases: dict[Key, _Phrase] = {}
    for part, in_title in ((title, True), (text, False)):
        for place, words in split_stretches(part):
            norms, size = tuple(map(singular, words)), len(words)
            for start in range(size):
                for end in range(start + 1, min(size, start + LONGEST) + 1):
                    phrase = phrases.get(norms[start:end])
                    if phrase is None:
                        behind = start if in_title else start + TITLE
                        phrase = phrases[norms[start:end]] = _Phrase(words[start:end], place + behind, in_title)
                    phrase.times += 1
                    phrase.begins |= start == 0
                    phrase.ends |= end == size
    return phrases


def split_stretches(text: str) -> Iterator[tuple[int, list[str]]]:
    """Words that stand together, with the number of the first: between signs and breaking words."""
    stretch: list[str] = []
    end = 0
    for number, match in enumerate(_WORD.finditer(_FORMULA.sub(" ; ", text))):
        word = match.group()
        breaks = breaks_phrase(word)
        if stretch and (breaks or not match.string[end : match.start()].isspace()):
            yield number - len(stretch), stretch
            stretch = []
        end = match.end()
        if not breaks:
            stretch.append(word)
    if stretch:
        yield number + 1 - len(stretch), stretch


@lru_cache(WORDS)
def breaks_phrase(word: str) -> bool:
    """Whether no key phrase has this word: a function word, a verb or adverb of reporting, or a number."""
    word = word.lower()
    if word in BREAKING or word.isdigit() or len(word) > WORD:
        return True
    return word.endswith("ly") and len(word) > 4 and word not in NOT_ADVERBS


@lru_cache(WORDS)
def singular(word: str) -> str:
    """A word for comparing, without case and the commonest plurals."""
    word = word.lower()
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def _weight(key: Key, phrase: _Phrase) -> float:
    """The logarithm of the odds that authors call it a keyword."""
    weight = (
        0.5 * phrase.in_title
        - 0.9 * (not phrase.begins)
        - 1.0 * (not phrase.ends)
        - 0.3 * math.log(phrase.place + 5)
        - 2.6
    )
    if phrase.times > 1:
        weight += 0.85 * math.log(phrase.times)
    short = min(map(len, key))
    weight += 0.12 * min(short, 8) - 1.2 * (short == 1)
    if any(map(_is_acronym, phrase.words)):
        weight += 0.55
    return weight + (_alone(key[0]) if len(key) == 1 else _several_words(key))


@lru_cache(WORDS)
def _is_acronym(word: str) -> bool:
    return sum(map(str.isupper, word)) > 1  # DNA, fMRI


@lru_cache(WORDS)
def _alone(word: str) -> float:
    """What speaks for a phrase of one word: neither general nor the ending of a participle or adjective."""
    weight = -0.4 - 2.2 * (word in GENERAL)
    return weight - (1.4 if word.endswith("ed") else 0.4 * word.endswith(_ADJECTIVE))


def _several_words(key: Key) -> float:
    """What speaks for a phrase of several words: what it begins and ends with."""
    general = sum([word in GENERAL for word in key]) / len(key)
    return 1.2 * general + _first(key[0]) + _last(key[-1]) - 0.45 * (len(key) == LONGEST)


@lru_cache(WORDS)
def _first(word: str) -> float:
    return -0.85 * (word in GENERAL) - 0.6 * word.endswith(("ed", "ing"))


@lru_cache(WORDS)
def _last(word: str) -> float:
    return -1.15 * (word in GENERAL) - (2.7 if word.endswith("ed") else 0.85 * word.endswith(_ADJECTIVE))


_IN_BRACKETS = re.compile(r"\(([^()\s;,]{2,10})(?:[;,][^()]{0,80})?\)")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z(])")
_MOST_BEFORE = 300
"""Characters before the brackets in which the long form is looked for."""


def find_short_forms(text: str) -> dict[str, str]:
    """Short form -> long form, by Schwartz and Hearst (2003): each letter of the short form, from its end, is found in
    the words before the brackets, the first one at the beginning of a word. The first definition of each counts."""
    long_forms: dict[str, str] = {}
    for match in _IN_BRACKETS.finditer(text):
        short = match[1]
        plural = short[-1] == "s" and short[:-1].isupper()
        short = short[:-1] if plural else short
        before = _SENTENCE_END.split(text[max(match.start() - _MOST_BEFORE, 0) : match.start()])[-1]
        if any(letter.isupper() for letter in short) and (long := _long_form(before, short)):
            long_forms.setdefault(short, long.removesuffix("s") if plural else long)
    return long_forms


def _long_form(before: str, short: str) -> str:
    words = before.split()
    text = " ".join(words[-min(len(short) + 5, 2 * len(short)) :])
    at = len(text)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not _fits(text, at, letters[place], first=place == 0):
            at -= 1
        if at < 0:
            return ""
    long_form = text[at:].strip()
    return long_form if letters and len(long_form) > len(short) else ""


def _fits(text: str, at: int, letter: str, *, first: bool) -> bool:
    return text[at].lower() == letter and not (first and at and text[at - 1].isalnum())


def write_out(sentence: str, forms: Mapping[str, str]) -> str:
    """A sentence with the long forms in place of the short ones; where it has the long one already it stays."""
    for short, long in forms.items():
        if short in sentence and long.lower() not in sentence.lower():
            sentence = re.sub(rf"(?<![\w-])\(?{re.escape(short)}(s?)\)?(?!\w)", lambda match: long + match[1], sentence)  # noqa: B023
    return sentence
