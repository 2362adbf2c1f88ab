"""Whether the names of a statement stand in the cited sentences or in the text around them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import Folded
from conspectus.answer.verify.shortforms import short_forms
from conspectus.answer.verify.text import Token, is_content, spell_greek, tokens
from conspectus.answer.verify.units import lookup
from conspectus.words import STOP_WORDS

_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "v": "5", "i": "1"}
_SAME = {
    "usa": "unitedstates", "us": "unitedstates", "uk": "unitedkingdom", "eu": "europeanunion",
    "dna": "deoxyribonucleicacid",
    "h2o": "water", "co2": "carbondioxide", "o2": "oxygen", "n2": "nitrogen", "h2": "hydrogen",
    "nacl": "sodiumchloride",
    "tio2": "titaniumdioxide", "sio2": "silicondioxide", "h2o2": "hydrogenperoxide", "ch4": "methane", "nh3": "ammonia",
    "zno": "zincoxide", "al2o3": "alumina", "gaas": "galliumarsenide", "ca2+": "calcium", "na+": "sodium",
    "k+": "potassium",
    "rct": "randomizedcontrolledtrial", "mri": "magneticresonanceimaging", "ct": "computedtomography",
    "hiv": "humanimmunodeficiencyvirus",
    "rna": "ribonucleicacid", "bmi": "bodymassindex", "ecg": "electrocardiogram", "eeg": "electroencephalography",
}  # fmt: skip
_DRUGS = (
    "mab|[tln]inib|statin|cillin|mycin|cycline|oxacin|azole|sartan|olol|dipine|pril|gliptin|glitazone|formin|tidine|"
    "setron|triptan|caine|azepam|profen|coxib|ximab|parin|rubicin|taxel|platin|mustine|solone|phylline|terol|semide|"
    "thiazide|gliflozin|dronate|sterone|ferrin|ulin|globin|opsin|[cprz]amine|azine|idine|phenol|spirin|retinol|"
    "coccus|bacillus|[dhn]ium|[lrd]ide|[dpt]ase"
)
_NARROW = re.compile(rf"(?:{_DRUGS})s?$")
_TECHNICAL = re.compile(
    rf"(?:{_DRUGS}|kinase|lase|itis|[^nth]osis|[^d]emia|aemia|[^l]oma|opathy|ectomy|otomy|oscopy|oplasty|algia|penia|"
    r"uria|[^y]cyte|blast|[oa]gen|kine|trophin|glycan|saccharide|sterol|oxide|otene|virus|bacter|myces|plasma|monas)s?$"
)
"""Endings of words that name a substance, an enzyme, an illness, a treatment, a cell or a living thing."""
_COMMON = frozenset(
    "increase decrease disease phase base case release purchase phrase lease erase database chase please grease "
    "antagonist diagnosis prognosis hypothesis medium stadium equilibrium premium decide provide divide include "
    "consider collide "
    "beside inside outside side wide aside guide slide glide pride stride override oxygen hydrogen nitrogen examine "
    "determine decline combine guideline outline baseline coma aroma diploma idea pandemia academia symposium "
    "synthesis emphasis analysis basis metabolism update relapse elapse collapse override worldwide "
    "millennium compendium bromide peptide nucleotide amide radium".split()
)
_EVERYDAY = frozenset(
    "diabetes stroke cancer asthma malaria influenza epilepsy schizophrenia depression dementia obesity pneumonia "
    "sepsis "
    "leukemia mice mouse rats rat rabbits dogs cats pigs monkeys humans women men girls boys children adults "
    "infants liver "
    "kidney lung heart brain spleen pancreas stomach colon breast prostate".split()
)
"""Illnesses, kinds and organs with everyday names: one in the place of another changes what is said."""
_LEADS = frozenset(
    "the this these those that we our it its they their he she his her in on at by for from of to with and or but as "
    "thus hence therefore however moreover furthermore additionally overall specifically finally similarly also while "
    "although when where if because since after before during among between both each all most many some several few "
    "no not none here there then i ii a an according based given compared using evidence results result study studies "
    "patients figure table section research researchers authors data findings".split()
)
LATIN = str.maketrans("αβγδεκλμτω", "abgdeklmtw")
"""Latin letters that are typed for Greek ones: 'NF-kB'."""
_AUTHORS = re.compile(
    r"[A-Z][\w'-]{1,60}+(?:(?:,? [A-Z][\w'-]{1,60}+){0,3},? (?:and|&) [A-Z][\w'-]{1,60}+|,? et al\.?|"
    r"(?:'s)? (?:and )?(?:colleagues|coworkers|co-workers))"
    r"(?:,?[ ]?[(\[]?(?:19|20)\d\d[a-z]?[)\]]?)?|"
    r"[(\[][A-Z][^()\[\]]{1,60},? (?:19|20)\d\d[a-z]?[)\]]|\[\d{1,3}(?:[,–-] ?\d{1,3}){0,6}\]"
)
"""How papers are cited: 'Smith et al. (2019)', '[3]'. Who wrote it need not stand in the sentence."""


def attributions(folded: Folded) -> list[tuple[int, int]]:
    """The places where a statement says whose work it tells of."""
    return [
        found.span()
        for found in _AUTHORS.finditer(folded.text)
        if found[0][0] in "[(" or re.search(r"\d{4}|et al|colleagues|workers", found[0])
    ]


class Places:
    """Stretches of a text that do not overlap, in their order."""

    def __init__(self, stretches: Sequence[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in stretches]
        self._ends = [end for _, end in stretches]

    def hold(self, place: int) -> bool:
        """Whether `place` is in one of them."""
        number = bisect_right(self._starts, place) - 1
        return number >= 0 and place < self._ends[number]


@dataclass(frozen=True)
class Names:
    """All that texts call things, in comparable form.

    Attributes:
        forms: words, parts of words and pairs of words, without hyphens, case, plural and Greek signs.
        initials: the first letters of runs of words.
        longs: the words of the long form of each abbreviation.
    """

    forms: set[str] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)
    longs: dict[str, list[str]] = field(default_factory=dict)
    by_prefix: dict[str, set[str]] = field(default_factory=dict)
    starts: set[tuple[str, str]] = field(default_factory=set)
    before_numbers: dict[str, list[str]] = field(default_factory=dict)
    with_numbers: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, folded: Folded) -> Names:
        """The names of one text."""
        names = cls()
        names._add(folded)
        return names

    @classmethod
    def of_all(cls, parts: Sequence[Names]) -> Names:
        """The names of several texts."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            set().union(*(part.forms for part in parts)),
            set().union(*(part.initials for part in parts)),
            _joined([part.longs for part in parts]),
            _united([part.by_prefix for part in parts]),
            set().union(*(part.starts for part in parts)),
            _joined([part.before_numbers for part in parts]),
            _joined([part.with_numbers for part in parts]),
        )

    def _add(self, folded: Folded) -> None:
        words = tokens(folded)
        for short, long in short_forms(folded.text).items():
            self.longs.setdefault(form(short), []).extend(word.lower() for word in re.findall(r"\w+", long))
        pieces: list[str] = []
        for place, token in enumerate(words):
            self._word(token.text)
            for piece in token.text.split("-"):
                if piece.isdigit():
                    self.before_numbers.setdefault(piece, []).append(" ".join(pieces[-4:]).lower())
                elif (name := numbered(form(piece))) is not None:
                    self.with_numbers.setdefault(name[1], []).append(name[0])
                pieces.append(piece)
            for count in (2, 3):
                if place + count <= len(words):
                    joined = "".join(item.text for item in words[place : place + count])
                    self.forms.update((form(joined), form(joined.translate(LATIN))))
            if place + 1 < len(words):
                self.starts.add((token.lower[:1], form(words[place + 1].text)))
        self._initials([part for token in words for part in token.text.split("-") if part])

    def _word(self, text: str) -> None:
        for part in {text, *re.split(r"[-/+.']", text)}:
            if part:
                shape = form(part)
                self.forms.update((shape, form(part.translate(LATIN))))
                self.by_prefix.setdefault(shape[:4], set()).add(shape)

    def _initials(self, words: Sequence[str]) -> None:
        content = [word for word in words if word.lower() not in STOP_WORDS]
        for sequence in (words, content):
            letters = "".join(word[0] for word in sequence).lower()
            for count in range(2, 7):
                self.initials.update(letters[place : place + count] for place in range(len(letters) - count + 1))

    def _numbered_name(self, shape: str) -> bool:
        """Whether 'il6' stands here as 'interleukin-6'."""
        name = numbered(shape)
        if name is None or len(name[0]) < 2:
            return False
        return any(in_order(name[0], before) for before in self.before_numbers.get(name[1], ()))

    def short_of(self, words: str, number: str) -> bool:
        """Whether a number behind `words` stands here in a short form: 'growth factor 21', 'GF21'."""
        starts = {word[0] for word in re.split(r"[ -]", words.lower()) if word}
        return any(name[0] in starts for name in self.with_numbers.get(number, ()))

    def have(self, text: str) -> bool:
        """Whether a word stands here, in this or another form."""
        shape = form(text)
        if shape in self.forms or _SAME.get(shape, shape) in self.forms or _ROMAN.get(shape, shape) in self.forms:
            return True
        if shape.isalpha() and any(_kin(shape, other) for other in self.by_prefix.get(shape[:4], ())):
            return True
        if text.removesuffix("s").isupper() and len(shape) > 2 and shape.isalpha() and shape in self.initials:
            return True
        if self._numbered_name(shape):
            return True
        return shape in self.longs and all(form(word) in self.forms for word in self.longs[shape])


def _joined(parts: Sequence[dict[str, list[str]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in parts:
        for key, values in part.items():
            found[key] = [*found.get(key, ()), *values]
    return found


def _united(parts: Sequence[dict[str, set[str]]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for part in parts:
        for key, values in part.items():
            found[key] = found[key] | values if key in found else values
    return found


def numbered(shape: str) -> tuple[str, str] | None:
    """The letters and the number of a name such as `il6`."""
    found = re.fullmatch(r"([a-z]{1,8})(\d{1,4})", shape)
    return (found[1], found[2]) if found else None


def in_order(letters: str, text: str) -> bool:
    """Whether the letters stand in `text` one after the other, the first at its beginning or that of a word."""
    place = -1
    for number, letter in enumerate(letters):
        place = (" " + text).find(" " + letter, place + 1) if number == 0 else text.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _kin(first: str, second: str) -> bool:
    """Whether two words are forms of one: 'bayes', 'bayesian'; 'china', 'chinese'."""
    if not second.isalpha():
        return False
    shared = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        shared += 1
    return (
        shared >= 4
        and len(first) - shared <= 3
        and len(second) - shared <= 3
        and shared >= min(len(first), len(second)) - 2
    )


def _unmarked(text: str) -> str:
    """A text without accents."""
    if text.isascii():
        return text
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


@lru_cache(maxsize=65536)
def form(text: str) -> str:
    """A name without hyphens, case, plural and Greek signs."""
    plain = re.sub(r"[^\w+]|_", "", spell_greek(_unmarked(text.removesuffix("'s"))))
    if len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "is", "us")):
        plain = plain[:-1]
    return plain.replace("ae", "e").replace("oe", "e").replace("our", "or").replace("ise", "ize").replace("yse", "yze")


def name_doubts(statement: Folded, words: Sequence[Token], cited: Names, around: Names) -> list[Doubt]:
    """A doubt for each name of the statement that stands neither in the sentences nor in the text around them."""
    skipped = Places(attributions(statement))
    own = short_forms(statement.text)
    doubts: dict[str, Doubt] = {}
    for place, token in enumerate(words):
        if skipped.hold(token.start) or not is_name(words, place):
            continue
        missing = [part for part in _parts(token.text) if not _known(part, words, place, cited, around, own)]
        if missing:
            found = statement.words(token.start, token.end)
            doubts.setdefault(found, Doubt("entity", found, f"'{found}' is not named in the cited sentences."))
    return list(doubts.values())


def _known(part: str, words: Sequence[Token], place: int, cited: Names, around: Names, own: dict[str, str]) -> bool:
    if cited.have(part) or around.have(part):
        return True
    pieces = [piece for piece in part.split("-") if len(piece) > 1 and not piece.isdigit()]
    if len(pieces) > 1 and all(cited.have(piece) or around.have(piece) for piece in pieces):
        return True
    for names in (cited, around):
        following = words[place + 1].text if place + 1 < len(words) else ""
        before = words[place - 1].text if place else ""
        if part[0].isupper() and following.islower() and (part[0].lower(), form(following)) in names.starts:
            return len(following) > 3 and part.isalpha() and not is_plain_english(following)
        for beside in (following, before):
            pair = form(part + beside) if beside is following else form(beside + part)
            if beside and pair in names.forms and len(pair) > len(form(part)):
                return True
    long = own.get(part, "")
    if any(part in value and (cited.have(short) or around.have(short)) for short, value in own.items()):
        return True
    return bool(long) and all(
        cited.have(word) or around.have(word) for word in re.findall(r"\w+", long) if is_content(word)
    )


def is_plain_english(word: str) -> bool:
    """Whether a word is surely no species epithet."""
    return word.lower() in STOP_WORDS or word.endswith(("ed", "ing", "tion", "ment", "ly", "ness", "ity", "ies"))


def _parts(text: str) -> Iterator[str]:
    """The parts of a compound that are names: of 'IL-6-deficient' the first two, as one."""
    pieces = re.split(r"[-/]", text)
    while len(pieces) > 1 and re.fullmatch(r"[a-z]{4,}|", pieces[-1]):
        pieces.pop()
    while len(pieces) > 1 and re.fullmatch(r"[a-z]{2,}|", pieces[0]):
        pieces.pop(0)
    if "/" in text and all(len(piece) > 2 for piece in pieces):
        yield from (piece for piece in pieces if _shaped(piece))
    else:
        yield "-".join(pieces)


def is_name(words: Sequence[Token], place: int, wide: bool = False) -> bool:
    """Whether the word at `place` is a name: by its letters, or because it is written large inside a sentence.

    `wide`: words that end like those of chemistry and medicine are names, though they may only describe.
    """
    token = words[place]
    text = token.text
    if not any(sign.isalpha() for sign in text) or token.lower in _LEADS:
        return False
    if _shaped(text):
        before = words[place - 1].text if place else ""
        return not (before[:1].isdigit() and lookup(text.split("/")[0]) is not None) and len(text) > 1
    if _technical(token.lower, _TECHNICAL if wide else _NARROW) or (wide and token.lower in _EVERYDAY):
        return True
    capital = text[0].isupper() and len(text) > 2
    first = place == 0 or words[place - 1].sentence != token.sentence
    return capital and not first and not _title_case(words, place)


def _title_case(words: Sequence[Token], place: int) -> bool:
    """Whether most words around are written large, so that it says nothing."""
    near = [
        word.text for word in words[max(0, place - 12) : place + 13] if word.text.isalpha() and is_content(word.text)
    ]
    return len(near) > 5 and sum(word[0].isupper() for word in near) > 0.7 * len(near)


def _shaped(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    if not letters or re.fullmatch(r"\d++(?:[-.,/]\d++)*+-?(?:st|nd|rd|th|s|[a-z]{3,}(?:-[a-z]+)*)", text):
        return False
    upper = sum(sign.isupper() for sign in text)
    if any("α" <= sign.lower() <= "ω" for sign in text):
        return len(text) > 1
    if any(sign.isdigit() for sign in text):
        return text[0].isalpha() or upper > 0
    return upper > 1 or (any(sign.isupper() for sign in text[1:] if sign.isalpha()) and "-" not in text)


def _technical(word: str, endings: re.Pattern[str]) -> bool:
    return len(word) > 6 and word.removesuffix("s") not in _COMMON and bool(endings.search(word))
