"""Words of names and of texts, brought to one key: plural, hyphen, case, Greek letters, British spelling, misprints."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import takewhile

from conspectus.core.text import UNSPACED
from conspectus.lexicon import STOP_WORDS
from conspectus.records import normal_name
from conspectus.records.graph import LOCAL

_SIGNS = "α-ωΑ-Ωµ" + UNSPACED.pattern[1:-1]
PART = re.compile(rf"(?!\W)[{_SIGNS}]|[^\W_{_SIGNS}]+")
"""A word without hyphens; a Greek letter is one by itself, as is a sign of a script without spaces between words."""
TOKEN = re.compile(r"([^\W_]+(?:[-‐‑–'’][^\W_]+)*)")
"""What stands between spaces and marks: a word with its hyphens."""
_BRACKET = re.compile(r"\([^()]*\)")
BREAK = " | "
"""Stands where no name goes on: at a full stop, a comma, a bracket."""
_JOINS = frozenset("-‐‑–— \t\n\r\xa0'’/")
_BRITISH = re.compile(
    r"ae|oe|our(?=s?$|ed$|ing$|al$|less$)|isation|(?<=[aeiou]ly)s(?=e|i)|sulph|grey|leuco|mould|(?<=[bt])re(?=s?$)"
)
_AMERICAN = {"ae": "e", "oe": "e", "our": "or", "isation": "ization", "s": "z", "sulph": "sulf", "grey": "gray",
             "leuco": "leuko", "mould": "mold", "re": "er"}  # fmt: skip
_ENDINGS = """
ices ex, ices ix, ies y, ses sis, mata ma, ae a, i us, ia ion, a on, a um, lves lf, nges nx, sses ss, xes x, shes sh,
ches ch, oes o, uses us, ises is, lenses lens, tes tis, s, men man, eet oot, eeth ooth, mice mouse
"""
_PLURALS: dict[str, list[tuple[str, str]]] = {}
for _many, *_one in (pair.split() for pair in _ENDINGS.split(",")):
    _PLURALS.setdefault(_many[-1], []).append((_many, "".join(_one)))
"""Endings of plurals by their last letters, English, Latin and Greek ones.

A word is brought to a singular only where names have that.
"""


def fold(word: str) -> str:
    """A part of a word in small letters without accents, Greek letters by name, as Americans spell it."""
    return _american(_small(word))


def _small(word: str) -> str:
    word = word.casefold()
    if word.isascii():
        return word
    word = "".join(unicodedata.name(sign).split()[-1].lower() if "α" <= sign <= "ω" else sign for sign in word)
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


def _american(word: str) -> str:
    return _BRITISH.sub(lambda match: _AMERICAN[match[0]], word)


def singulars(word: str) -> Iterator[str]:
    """What a word in small letters may be the plural of, folded, the likeliest first."""
    for plural, singular in _PLURALS.get(word[-1:], ()):
        if len(word) > len(plural) + 2 and word.endswith(plural) and word[-2:] != "ss":
            yield _american(word[: -len(plural)] + singular)


def is_acronym(word: str) -> bool:
    """Whether a word has two capitals or a capital and a number, so that its case says something."""
    capitals = sum(map(str.isupper, word))
    return len(word) < 8 and (capitals > 1 or (capitals == 1 and any(map(str.isdigit, word))))


def shared_start(word: str, other: str) -> int:
    """How many characters two words begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))


class TokenKeys(dict[str, str]):
    """From a token to its key: the keys of its parts, each between two spaces. Remembers all that it was asked.

    Args:
        known: the folded words of all names, with them as they are written; a plural is brought to what is among them.
        acronyms: the words that keep their case.
        only_plural: singulars that names do not have -> the plurals that they have; None: what follows from `known`.
    """

    def __init__(
        self, known: Mapping[str, str], acronyms: Collection[str], only_plural: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.known, self.acronyms = known, acronyms
        self.only_plural = dict(_singulars_of_plurals(known)) if only_plural is None else only_plural

    def __missing__(self, token: str) -> str:
        parts = self.parts(token)
        is_name = len(parts) > 1 and all(len(part) > 1 and part.istitle() for part in parts)
        key = self[token] = "".join(f" {self._word(part, is_name)} " for part in parts)
        return key

    def parts(self, token: str) -> list[str]:
        """The words of a token; a hyphen that stands inside of a word which names write without does not part."""
        parts = PART.findall(token)
        word = "".join(parts)
        if len(parts) > 1 and fold(word) in self.known and not all(fold(part) in self.known for part in parts):
            return [word]
        return parts[:-1] if len(parts) > 1 and parts[-1] == "s" and token[-2] in "'’" else parts

    def _word(self, part: str, is_name: bool) -> str:
        """The key of a word; in a name of people (`Lense-Thirring`) none is the singular of what has a plural alone."""
        if part in self.acronyms:
            return part
        if part[-1] == "s" and part[:-1] in self.acronyms:
            return part[:-1]
        small = _small(part)
        word = _american(small)
        plural = word if is_name else self.only_plural.get(word, word)
        return next((singular for singular in singulars(small) if singular in self.known), plural)


def _singulars_of_plurals(known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What names may have in the plural only (`Quasars`), as the singular: pairs of that and the plural.

    `genetics` is no plural of `genetic`, and of short words the singular is too often another word (`news`).
    """
    for word, written in known.items():
        candidates = [] if written.endswith(("ics", "us", "is")) else list(singulars(written))
        if not any(candidate in known for candidate in candidates):
            yield from ((candidate, word) for candidate in candidates if len(candidate) > 3)


class NameBreaks(dict[str, str]):
    """From what stands between two tokens to "" where a name may go on, else to `BREAK`."""

    def __missing__(self, between: str) -> str:
        key = self[between] = "" if _JOINS.issuperset(between) and "\n\n" not in between else BREAK
        return key


def known_words(names: Iterable[str]) -> dict[str, str]:
    """The folded words of names -> one of the ways in which these write them, in small letters."""
    return {fold(part): _small(part) for part in {part for name in names for part in PART.findall(name)}}


_SINGULARS = (("ies", "y"), ("es", ""), ("is", ""), ("s", ""), ("e", ""))
"""Of singulars and plurals: what is left is the same for both of nearly all, and is shown to nobody."""
_KEPT = ("ss", "us", "ics")


def new_id(name: str) -> str:
    """The id of what a name means; case, hyphens, British spelling and the plural of the last word do not matter."""
    words = [_acronym(part) or fold(part) for part in PART.findall(name)]
    words[-1:] = [_stem(word) for word in words[-1:]]
    return f"{LOCAL}:{blake2b(' '.join(words).encode(), digest_size=5).hexdigest()}"


def _acronym(part: str) -> str:
    """A word whose case says something, in the singular; "" of others."""
    singular = part.removesuffix("s")
    return singular if is_acronym(singular) else part if is_acronym(part) else ""


def _stem(word: str) -> str:
    if len(word) > 3 and word.islower() and not word.endswith(_KEPT):
        return next((word.removesuffix(end) + new for end, new in _SINGULARS if word.endswith(end)), word)
    return word


SHORTEST = 6
"""Letters of a word that may be misprinted; a shorter one is too near to others."""


class Fuzzy(dict[str, str]):
    """From a token to the key of the nearest word of names, else to its own. Remembers all that it was asked.

    Args:
        words: the keys of tokens.
        alpha: the least likeness, 0 to 1 (Levenshtein's, by the longer word's length).

    Attributes:
        alike: likeness by token, for those that were taken for another word.
    """

    def __init__(self, words: TokenKeys, alpha: float) -> None:
        super().__init__()
        self.alike: dict[str, float] = {}
        self._words, self._alpha = words, alpha
        self._blocks: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted(words.known):
            if len(word) >= SHORTEST and word.isalpha():
                self._blocks[word[0], len(word)].append(word)

    def __missing__(self, token: str) -> str:
        key = self._words[token]
        word = fold(token)
        if len(word) >= SHORTEST and word.isalpha() and key.strip() not in self._words.known:
            key = self._nearest(token, word) or key
        self[token] = key
        return key

    def _nearest(self, token: str, word: str) -> str:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import extractOne

        near = [
            candidate
            for length in range(len(word) - 1, len(word) + 2)
            for candidate in self._blocks.get((word[0], length), ())
        ]
        nearest = extractOne(word, near, scorer=Levenshtein.normalized_similarity, score_cutoff=self._alpha)
        if not nearest:
            return ""
        self.alike[token] = nearest[1]
        return self._words[nearest[0]]


LEFT_OUT_VERSION = 1
"""Raised whenever another name is left out, or for another reason."""
IDEOGRAPHS = "\u2e80"
"""From here on a character may be a word."""


def reason_left_out(name: str) -> str:
    """Why a name is left out; "" where it is not. In capitals a function word is an abbreviation (`ALL`)."""
    plain = normal_name(name)
    if not any(sign.isalpha() for sign in _BRACKET.sub("", name)):
        return "number" if any(sign.isdigit() for sign in plain) else "no letters"
    if len(plain) == 1 and plain < IDEOGRAPHS:
        return "one letter"
    return "function word" if plain in STOP_WORDS and not name.isupper() else ""
