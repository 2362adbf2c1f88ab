"""What is special about a question: names in it, specialists' words, papers or dates asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from conspectus.lexicon import STOP_WORDS, words
from conspectus.records import QuestionFlag
from conspectus.search.names import TOKEN, entities

SHOWN = 5
"""Words that a reason names."""
SHORTEST = 4
"""Characters of a word that may be jargon."""
LEAST_PASSAGES = 1000
"""Passages that a library has to have before rarity in it says something."""
RARE = 0.005
"""The share of a library's passages below which a word is rare."""


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


_ASKS_FOR_PAPERS = _any_of(
    r"(?:papers?|articles?|publications?|preprints?|manuscripts?|references|bibliograph\w+)",
    r"literature (?:on|about|search)",
    r"(?:citations?|cited?|cites|citing)",
    r"(?:authors?|co-?authors?|journals?|h-index|impact factor|doi|bibtex)",
    r"review articles?|reviews (?:have|on|of|that|are)",
    r"published (?:in|by|on|about|since|before)|(?:has|have) been published|publish(?:es)? (?:on|about)",
    r"who (?:wrote|has written|publish\w*)|written (?:about|on)",
    r"et al",
)
_SCIENCE = words("science")
_OVERLOADED = _any_of(*_SCIENCE["overloaded"])
_SPECIAL = _any_of(rf"\w{{2,}}(?:{'|'.join(_SCIENCE['endings'])})|(?:{'|'.join(_SCIENCE['beginnings'])})\w{{4,}}")
_PLAIN_FORMS = frozenset(_SCIENCE["plain"].split())
_CURRENT = "densit|flow|source|sheet|noise|drive|through|carr|transport|injection|loop|ripple|in "
"""What follows "current" where it flows."""
_TIMELY = _any_of(
    r"recent(?:ly)?|latest|newest|newer|currently|nowadays|today(?:['’]s)?|at present|present-day",
    r"state[- ]of[- ]the[- ]art|cutting[- ]edge|up[- ]to[- ]date|so far|to date|up to now|right now",
    r"(?:since|after|as of) (?:now|today|(?:\w+ )?(?:19|20)\d\d)",
    r"(?:over|in|during|within|for) the (?:past|last|coming|next) (?:\w+ )?(?:years?|months?|decades?|weeks?)",
    r"(?:this|last|next) (?:year|month|decade|week)",
    r"(?:is|are|has|have|does|do)(?:n't)? (?:it |there |they |we )?(?:now|still)",
    r"no longer|yet to be|not yet|ongoing|emerging",
    r"(?<=\bthe )record",
    r"(?:has|have) .{3,60} (?:changed|developed|evolved) (?:since|over)",
    rf"(?<!electric )(?<!ocean )(?<!eddy )(?<!dark )(?<!ring )current (?!{_CURRENT})(?=\w)",
    r"(?:most \w++|\w+est)[\w -]{0,40}"
    r"(?:known|confirmed|observed|discovered|measured|reported|ever|yet|achieved|redshift)",
)


@dataclass(frozen=True, slots=True)
class WordKnowledge:
    """What is known of words besides their form; all may be missing.

    Attributes:
        plain: the words of everyday English, in small letters. What is not among them is a specialist's word.
        frequencies: in how many of a library's passages each of some words is; asked only where `plain` is missing.
        passages: of the library.
    """

    plain: Container[str] | None = None
    frequencies: Callable[[Sequence[str]], Sequence[int]] | None = None
    passages: int = 0


FORMS_ONLY = WordKnowledge()


def flags_of(question: str, known: WordKnowledge = FORMS_ONLY) -> dict[QuestionFlag, str]:
    """Flag -> why; in the order of `QUESTION_FLAGS`. `question`: on one line, as it was written."""
    found: dict[QuestionFlag, str] = {}
    names = entities(question)
    if names:
        found["named-entity"] = f"names: {_some(names)}"
    if words := jargon(question, names, known):
        found["jargon"] = words
    if match := _ASKS_FOR_PAPERS.search(question):
        found["bibliometric"] = f"asks for papers, authors or citations: '{match[0].strip()}'"
    if match := _TIMELY.search(question):
        found["time-sensitive"] = f"its answer changes with time: '{match[0].strip()}'"
    return found


def jargon(question: str, names: Sequence[str], known: WordKnowledge) -> str:
    """The question's specialists' and overloaded words as a reason; "" where it has none."""
    words = list(dict.fromkeys(_words(question, names)))
    special, how = [word for word in words if _is_special(word, known)], "specialists' words"
    if not special and known.plain is None and known.frequencies and known.passages >= LEAST_PASSAGES:
        counts = known.frequencies(words)
        special = [word for word, count in zip(words, counts, strict=True) if 0 < count < RARE * known.passages]
        how = "rare words of the library"
    overloaded = list(dict.fromkeys(match[0].lower() for match in _OVERLOADED.finditer(question)))
    parts = [f"{how}: {_some(special)}"] if special else []
    parts += [f"words that mean something else elsewhere: {_some(overloaded)}"] if overloaded else []
    return "; ".join(parts)


def _words(question: str, names: Sequence[str]) -> Iterator[str]:
    """The words that may be jargon, in small letters."""
    named = {part for name in names for part in name.lower().split()}
    for word in TOKEN.findall(question):
        for part in word.lower().removesuffix("'s").removesuffix("’s").split("-"):
            known = part in STOP_WORDS or part in named or word.lower() in named
            if len(part) >= SHORTEST and part.isalpha() and not known:
                yield part


def _is_special(word: str, known: WordKnowledge) -> bool:
    if known.plain is None:
        return bool(_SPECIAL.fullmatch(word)) and not any(form in _PLAIN_FORMS for form in _forms(word))
    return not any(form in known.plain for form in _forms(word))


def _forms(word: str) -> Iterator[str]:
    """A word and what it may be a form of."""
    yield word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield word.removesuffix(ending) + instead


_ENDINGS = tuple(
    (ending, instead)
    for ending, _, instead in (
        pair.partition(">")
        for pair in "s> es> ies>y ed> ed>e ing> ing>e ly> er> er>e est> ise>ize ised>ized isation>ization "
        "our>or ours>ors".split()
    )
)
"""Endings, and what stands instead of them in the word that a form is of; British spellings too."""


def _some(words: Sequence[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more
