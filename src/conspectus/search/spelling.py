"""Words of a query that the library does not have, and how it spells what they may mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from conspectus.core.text import UNSPACED
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Spelling, normal_name

if TYPE_CHECKING:
    from conspectus.search.retriever import Retriever

MOST = 8
"""Words of a query that are looked at."""
FEW = 2
"""Strange words that can all be slips, however short the query."""
SHORTEST = 4
"""Letters of a word that can be misspelt; of shorter ones most differ by a letter from another."""
LONG = 8
"""Letters from which on two may be wrong."""
LONGEST_ACRONYM = 6
SAMPLE = 60
"""Passages with a similar word that are read."""
PREFIXES = tuple(
    "a an ante anti de dis endo epi exo hetero homo hyper hypo il im in inter intra ir iso macro meso micro mono multi "
    "non para peri poly post pre pro re sub super supra trans un".split()
)
"""Beginnings that make another word of one, however near they are."""
_WORD = re.compile(r"[^\W\d_]+")


def find_misspellings(now: Retriever, text: str) -> tuple[Spelling, ...]:
    """The words that no paper has, in their order; not those with a digit, nor those of everyday English, nor what
    is written without spaces between its words.

    A word in capitals is what it is: nothing is suggested for it. Nor where most words are strange: it is a language
    that the library does not have.
    """
    if not any(index.stats().rows for index in now.indexes):
        return ()
    plain_words = (word for word in re.findall(r"\w+", text) if _WORD.fullmatch(word))
    words = dict.fromkeys(word for word in plain_words if not UNSPACED.search(word))
    unknown = [word for word in words if not any(index.has(word) for index in now.indexes)]
    strange = [word for word in unknown if word.lower() not in now.everyday()]
    foreign = len(strange) > max(FEW, len(words) / 2)
    return tuple(Spelling(word, "" if foreign else _likely(now, word)) for word in strange[:MOST])


def correct_spelling(text: str, misspellings: Iterable[Spelling]) -> str:
    """The text with the likely spellings in the place of words that the library does not have."""
    likely = {spelling.word: spelling.likely for spelling in misspellings if spelling.likely}
    return re.sub(r"\w+", lambda match: likely.get(match[0], match[0]), text)


def note_misspellings(misspellings: Iterable[Spelling], *, respelt: bool = True) -> str:
    """What the user is to know of them; "" where there are none. `respelt`: the likely ones were searched for."""
    end = "was searched for instead." if respelt else "may be meant."
    notes = [
        f"No paper has '{spelling.word}': '{spelling.likely}' {end}" for spelling in misspellings if spelling.likely
    ]
    if missing := [f"'{spelling.word}'" for spelling in misspellings if not spelling.likely]:
        notes.append(f"No paper has {' or '.join(missing)}.")
    return " ".join(notes)


def _likely(now: Retriever, word: str) -> str:
    """The library's own word that is nearest; of several the most frequent; "" where none is near enough."""
    if len(word) < SHORTEST or (word.isupper() and len(word) <= LONGEST_ACRONYM):
        return ""
    typed_form = normal_name(word)
    for edits in (1, 2) if len(word) >= LONG else (1,):
        forms = (form for form in _forms(now, word, edits) if form not in STOP_WORDS)
        near = Counter(form for form in forms if is_slip(typed_form, form, edits))
        if near:
            return min(near, key=lambda form: (form[0] != typed_form[0], -near[form], form))
    return ""


def _forms(now: Retriever, word: str, edits: int) -> Iterator[str]:
    """Words about as long of passages with a similar one, and of their papers' titles and authors; in small letters."""
    keys = [key for index in now.indexes for key in index.near(word, edits, SAMPLE)]
    for text in now.catalog.wordings(keys):
        for form in set(normal_name(text).split()):
            if abs(len(form) - len(word)) <= edits:
                yield form


def is_slip(word: str, form: str, edits: int) -> bool:
    """Whether `word` may be meant for `form`: near, and neither its inflection nor it with another prefix."""
    if len(set(word) ^ set(form)) > 2 * edits or distance(word, form, edits) > edits:
        return False
    short, long = sorted((word, form), key=len)
    inflected = len(short) < len(long) and long.startswith(short) and long[-1] != short[-1]
    return not inflected and _rests(word).isdisjoint(_rests(form))


def _rests(word: str) -> set[str]:
    """The word, and what it is without each prefix that it may have."""
    return {word, *(word.removeprefix(prefix) for prefix in PREFIXES if len(word) > len(prefix) + 3)}


def distance(a: str, b: str, most: int) -> int:
    """How many letters are to be changed, left out, added, or exchanged with the next; `most + 1` where it is more."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for at, letter in enumerate(a, 1):
        last, before, row = before, row, [at]
        for place, other in enumerate(b, 1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != other))
            if at > 1 and place > 1 and letter == b[place - 2] and other == a[at - 2]:
                cost = min(cost, last[place - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
