"""Flags of a question: names in it, specialists' words, papers or dates asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conspectus.index.protocol import SearchIndex
from conspectus.lexicon import STOP_WORDS, words
from conspectus.lexicon.word_lists import DAYS, MONTHS
from conspectus.models.minilm import plain_words
from conspectus.models.store import ModelStore
from conspectus.records import QuestionFlag

TOKEN = re.compile(r"[^\W_](?:[\w'’./+*-]*[\w*+])?")
"""A word as it is in a text."""

_EVERYDAY = frozenset(
    "DNA RNA UV AI MRI CT IR PH USA UK EU TV PC ID CO2 H2O O2 N2 3D 2D 1D DOI PDF URL JSON OK X-RAY X-RAYS".split()
)
"""What looks like a name, and is none: words of all sciences, and of none."""
_UNITS = frozenset(
    "K C F Hz kHz MHz GHz THz eV keV MeV GeV TeV pc kpc Mpc Gpc AU ly Gyr Myr kyr nm μm mm cm km kg mg μg Pa kPa MPa "
    "GPa V mV kV W mW kW MW GW J kJ mJ N A mA T mT G M mM μM nM pM L mL dB Jy mJy ppm ppb Da kDa bp kb Mb pH Å".split()
)
_NO_SYMBOLS = _UNITS | frozenset("I II III IV V VI VII VIII IX X Ia Ib Ic IIn IIb".split())
_NO_NAMES = frozenset(
    "i earth sun moon english french german spanish chinese japanese european american african asian western eastern "
    "northern southern swedish british indian internet gaussian bayesian boolean cartesian euclidean newtonian "
    "lagrangian hamiltonian "
    "fourier laplace markov poisson monte carlo boltzmann".split()
).union(name.lower() for name in (*MONTHS, *DAYS))
"""Words with a capital that name no particular thing to search for, in small letters."""
_SERIES = re.compile(
    r"(?:alpha|beta|gamma|delta|sigma|omega|lambda|kappa|theta|epsilon|chi|type|phase|stage|grade|class|level|part|top"
    r"|group|figure|fig|table|section|chapter|world|web|age|pre|post|mid|late|early|sub|non|half|step|order|rank)"
    r"-?\d\w*",
    re.IGNORECASE,
)
"""Words with figures that are no designations: type-2, sigma-8."""
_SPECIES = re.compile(r"\b[A-Z]\. ?(?!al\b)[a-z]{3,}\b")
_CATALOGUED = re.compile(r"\b(?:[A-Z]{2,}[A-Za-z]{0,5} ?|[A-Z][A-Za-z]{0,7}-)\d{2,}[\w.+-]*")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*(?:\.\d+)?){2,}")
_SYMBOL = re.compile(
    r"(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z][A-Za-z0-9*+-]+"  # TP53, p53, CD8+
    r"|[a-z]{1,2}[A-Z][A-Za-z0-9]+"  # mTOR, dCas9
    r"|[A-Z][a-z]+[A-Z][A-Za-z0-9]*"  # AlphaFold, MeerKAT
)
_POSSESSIVE = re.compile(r"(?:['’]s|['’])$")
_VARIABLE = re.compile(r"\d*[a-z]{1,2}\d?")


def find_names(question: str, *, capitals: bool = True) -> list[str]:
    """What a question names, in its order: projects, instruments, objects, genes, species, formulas, people, places.

    Found by how it is written (capitals, figures), so that names of every science are found and none has to be known.
    Without `capitals` one letter at the beginning of a word says nothing.
    """
    spans = [match.span() for pattern in (_SPECIES, _CATALOGUED) for match in pattern.finditer(question)]
    words = list(TOKEN.finditer(question))
    shouted = len(words) > 2 and sum(word[0].isupper() for word in words) > len(words) / 2
    titled = len(words) > 4 and sum(word[0][0].isupper() for word in words) > 0.7 * len(words)
    for word in words:
        begins = question[: word.start()].rstrip()[-1:] in ("", ".", "?", "!", ":", "¿", "¡")
        text = _POSSESSIVE.sub("", word[0])
        start, end = word.start(), word.start() + len(text)
        if not any(first <= start < last for first, last in spans) and _is_name(
            text, begins or titled or not capitals, shouted
        ):
            spans.append((start, end))
    return list(dict.fromkeys(question[start:end] for start, end in _join_names(sorted(spans), question)))


def _join_names(spans: list[tuple[int, int]], question: str) -> list[tuple[int, int]]:
    """Names with nothing but a space between them made one: "Vera Rubin", "TRAPPIST-1 e"."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        follows = joined and question[joined[-1][1] : start] == " "
        joined.append((joined.pop()[0] if follows else start, end))
    return joined


def _is_name(text: str, begins: bool, shouted: bool) -> bool:
    if _is_plain(text):
        return False
    if _SYMBOL.fullmatch(text) and not _VARIABLE.fullmatch(text):
        return not _SERIES.fullmatch(text)
    if shouted:
        return False
    head = text.split("-", maxsplit=1)[0]
    if len(head) > 1 and head.isupper() and head.isalpha():
        return True
    if _FORMULA.fullmatch(text) and any(sign.isdigit() for sign in text):
        return True
    return not begins and len(text) > 1 and text[0].isupper() and not text.isupper()


def _is_plain(text: str) -> bool:
    """Whether it only looks like a name."""
    return text.upper() in _EVERYDAY or text in _NO_SYMBOLS or text.lower() in _NO_NAMES or text[0].isdigit()


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


def find_flags(question: str, known: WordKnowledge = FORMS_ONLY, *, capitals: bool = True) -> dict[QuestionFlag, str]:
    """Flag -> why; in the order of `QUESTION_FLAGS`. `question`: on one line, as it was written."""
    reasons: dict[QuestionFlag, str] = {}
    names = find_names(question, capitals=capitals)
    if names:
        reasons["named-entity"] = f"names: {_list_some(names)}"
    if words := find_jargon(question, names, known):
        reasons["jargon"] = words
    if match := _ASKS_FOR_PAPERS.search(question):
        reasons["bibliometric"] = f"asks for papers, authors or citations: '{match[0].strip()}'"
    if match := _TIMELY.search(question):
        reasons["time-sensitive"] = f"its answer changes with time: '{match[0].strip()}'"
    return reasons


def find_jargon(question: str, names: Sequence[str], known: WordKnowledge) -> str:
    """The question's specialists' and overloaded words as a reason; "" where it has none."""
    words = list(dict.fromkeys(_words(question, names)))
    special, how = [word for word in words if _is_special(word, known)], "specialists' words"
    if not special and known.plain is None and known.frequencies and known.passages >= LEAST_PASSAGES:
        counts = known.frequencies(words)
        special = [word for word, count in zip(words, counts, strict=True) if 0 < count < RARE * known.passages]
        how = "rare words of the library"
    overloaded = list(dict.fromkeys(match[0].lower() for match in _OVERLOADED.finditer(question)))
    parts = [f"{how}: {_list_some(special)}"] if special else []
    parts += [f"words that mean something else elsewhere: {_list_some(overloaded)}"] if overloaded else []
    return "; ".join(parts)


def _words(question: str, names: Sequence[str]) -> Iterator[str]:
    """The words that may be jargon, in small letters."""
    name_parts = {part for name in names for part in name.lower().split()}
    for word in TOKEN.findall(question):
        for part in word.lower().removesuffix("'s").removesuffix("’s").split("-"):
            known = part in STOP_WORDS or part in name_parts or word.lower() in name_parts
            if len(part) >= SHORTEST and part.isalpha() and not known:
                yield part


def _is_special(word: str, known: WordKnowledge) -> bool:
    if known.plain is None:
        return bool(_SPECIAL.fullmatch(word)) and not any(form in _PLAIN_FORMS for form in word_forms(word))
    return not any(form in known.plain for form in word_forms(word))


def word_forms(word: str) -> Iterator[str]:
    """A word and what it may be a form of."""
    yield word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            yield word.removesuffix(ending) + instead


_ENDINGS = tuple(
    (ending, instead)
    for ending, _, instead in (
        pair.partition(">")
        for pair in "s> es> ies>y ed> ed>e ing> ing>e ly> er> er>e ers> est> ness> iness>y ise>ize ised>ized "
        "isation>ization our>or ours>ors".split()
    )
)
"""Endings, and what stands instead of them in the word that a form is of; British spellings too."""


def _list_some(words: Sequence[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more


def load_word_knowledge(store: Path | str | None, index: SearchIndex) -> WordKnowledge:
    """Everyday English where the model store in `store` (None or "": the usual one) has it, else how frequent each word
    is in the library."""
    plain = load_everyday_words(store)
    if plain:
        return WordKnowledge(plain)
    return WordKnowledge(None, index.frequencies, index.stats().rows)


def load_everyday_words(store: Path | str | None) -> frozenset[str]:
    """The words of everyday English, in small letters; none where the model store does not have them."""
    return plain_words(ModelStore(store or None)) or frozenset()
