"""What the words of personal names look like: particles, initials, suffixes, degrees, groups, capitals."""

from __future__ import annotations

import base64
import re
import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec

from conspectus.core.text import EAST_ASIAN

_PARTICLES = frozenset(
    "van von vom de der den dem het di da do dos das du del della dello degli dei la las le los el al af av bin bint"
    " ibn ben ten ter zu zum zur y e i 't ’t d' d’".split()
)
_INFIX = frozenset("y e i".split())
_NOT_NAMES = re.compile(
    r"universi|instit|\bdep(?:artment|t)\b|laborator|\bschools?\b|\bcolleges?\b|\bcent(?:er|re|ro|rum)s?\b|hospital"
    r"|\bfacult|\bdivision\b|\bresearch|\bacadem|\b(?:inc|ltd|gmbh)\b|\bsociety\b|\bsciences?\b|technolog|engineer"
    r"|\bnational\b|observator|abstract|\bsummary\b|introduction|keyword|\bmembers?\b|\bsenior\b|\bavenue\b|\broad\b"
    r"|\b(?:usa|uk|u\.s\.a|germany|china|japan|italy|spain|canada|united|states|kingdom)\b"
    r"|received|accepted|\bjournal\b|\breviews?\b|\barticles?\b|\bvolume\b|\bauthors?\b|\beditors?\b|\bedited\b"
    r"|correspond|publish|collaboration$|clinic\b|\bfoundation\b|\bministry\b|\bgroup\b|\bstreet\b"
    r"|\b(?:the|of|for|with|from|this|that|using|and|their)\b|(?-i:\b(?:in|on|at|to|by|is|are|we|an|or|its|as)\b)",
    re.I,
)
PLACE = re.compile(
    r"\b(?:universi|uniwersy|instit|istitut|dep(?:artment|artement|artamento|t\b)|département|dipartiment|laborator|lab\b"
    r"|labs\b|school|college|hospital|h[oô]pital|klinik|clinic|cent(?:er|re|ro|rum)\b|academ|facult|fakult|observator"
    r"|division of|section of|unit of|inc\b|ltd\b|llc\b|gmbh|cnrs|inserm|cea\b|inria|csic|infn|nasa\b|max[- ]planck"
    r"|research\b|corporation|company|museum|agency|ministry|hochschule|[ée]cole|foundation|nhs\b|council"
    r"|consult|independent|service|program(?:me)? (?:of|in)\b|graduate|polytech|politec|group\b|campus|zentrum)",
    re.I,
)
"""Words of places of work. Some are those of other lines too: they count where a place is expected."""

_WORD = re.compile(r"(?:[dDlLO]['’`´])?[^\W\d_](?:[\w'’`´.\-‐–\u0300-\u036f]*)")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.[-‐]?)+|[A-ZÀ-Þ]{1,3}|[A-ZÀ-Þ][-‐][A-ZÀ-Þ]")
_SUFFIX = re.compile(r"(?:(?P<jr>[js]r)\.?|(?P<number>I{2,3}|IV|VI{1,3})|[23](?:nd|rd))", re.I)
_DEGREE_NAMES = (
    r"M\.?\s?D|M\.?\s?A|M\.?\s?S|B\.?\s?A|B\.?\s?S|R\.?\s?N|D\.?\s?O|J\.?\s?D|Ph\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|D\.?\s?Phil"
    r"|M\.?\s?P\.?\s?H|M\.?\s?B\.?\s?A|Dr\.?\s?(?:rer\.|med\.|phil\.)\s?(?:nat)?|Dipl|M\.?\s?Eng|Pharm\.?\s?D|MBBS"
    r"|MBChB|FRCPC?|FRCS|FACS|MRCP|DVM|DDS|DMD|Ed\.?\s?D|Sc\.?\s?D|Psy\.?\s?D|BSN|MSN|MSPH|DrPH|CPA|RD|FAHA|FACC"
)
_DEGREE = re.compile(rf"(?:{_DEGREE_NAMES})\.?")
_DEGREES = re.compile(rf"(?:(?:{_DEGREE_NAMES})\.?[\s/]*)+")
_LIKE_A_DEGREE = re.compile(r"(?:[A-Z][a-z]{0,4}){2,6}\.?")
_MEMBER = re.compile(
    r"(?:(?:Senior|Student|Graduate(?: Student)?|Life|Associate|Corresponding)\s+)*(?:Member|Fellow)|IEEE|ACM|AIAA|IET"
    r"|[Cc]orresponding [Aa]uthors?|[Ee]qual contribut\w*"
)
_HONOURS = re.compile(r"(?:Dr|Prof|Professor|Mr|Mrs|Ms|Dott|Ing|PD|Dr\.-Ing|Priv\.-Doz)\.?(?:-Ing\.?)?")
_GROUP = re.compile(
    r"(?:[Tt]he\s+)?(?P<name>[A-Z0-9][\w.&/’'+-]*(?:\s+[\w&/’'()+-]+){0,11}?\s*"
    r"\b(?P<kind>[Cc]ollaborations?|[Cc]onsorti(?:um|a)|[Ii]nvestigators|[Ii]nitiative|[Nn]etwork|[Tt]eam|[Gg]roup"
    r"|[Dd]evelopers|[Cc]ontributors|[Cc]ommittee|[Tt]rialists|[Aa]lliance|[Pp]roject|[Ss]ociety|[Pp]rogram(?:me)?))"
)
_SURE_GROUPS = frozenset(
    "collaboration collaborations consortium consortia investigators trialists developers contributors".split()
)
_LONGEST = 60
_LONGEST_SHORTENED = 3
"""Characters of a word that is shortened to its first letters, with the full stop."""


def is_name(words: Sequence[str]) -> bool:
    """Whether the words read like one person's whole name."""
    text = " ".join(words)
    if _east_asian(words):
        return 2 <= len(text.replace(" ", "")) <= 5 and len(words) <= 2
    if not 2 <= len(words) <= 7 or len(text) > _LONGEST or _NOT_NAMES.search(text):
        return False
    main = _main(words)
    return len(main) > 1 and all(map(_is_word, main)) and any(map(_is_long, main))


def is_single(words: Sequence[str]) -> bool:
    """Whether the words are one that may be a whole name, as somebody of one name prints it."""
    return len(words) == 1 and _is_word(words[0]) and _is_long(words[0]) and not _NOT_NAMES.search(words[0])


def is_family(words: Sequence[str]) -> bool:
    """Whether the words may be a family name: no initials."""
    main = _main(words)
    fits = 0 < len(main) <= 3 and len(words) <= 6 and not _NOT_NAMES.search(" ".join(words))
    return fits and all(_is_word(word) and "." not in word for word in main) and any(map(_is_long, main))


def is_given(words: Sequence[str]) -> bool:
    """Whether the words may be given names or initials, with the particles of the family name behind them."""
    main = _main(words)
    fits = 0 < len(main) <= 4 and len(words) <= 7 and not _NOT_NAMES.search(" ".join(words))
    return fits and words[0] == main[0] and all(map(_is_word, main))


def is_initial(word: str) -> bool:
    """Whether a word is one letter, with or without a full stop."""
    return not _is_long(word)


def _main(words: Sequence[str]) -> list[str]:
    """The words without particles; `Ben` and `Van` in front are names."""
    shouted = " ".join(words).isupper()
    return [
        word
        for number, word in enumerate(words)
        if word not in _PARTICLES and (not number or shouted or word.casefold() not in _PARTICLES)
    ]


def _is_word(word: str) -> bool:
    """Whether a word is written as names are: a capital, or a letter of a script that has none, in front."""
    if not _WORD.fullmatch(word):
        return False
    head = re.sub(r"^(?:[dl]['’`´]|(?:al|el|as|ad|ibn|bin|de|van|ul|ur)[-‐])", "", word)[:1]
    is_end = word.endswith(".") and len(word) > _LONGEST_SHORTENED  # of a sentence, where there are no capitals
    return head.isupper() or not (head.islower() or is_end)


def _is_long(word: str) -> bool:
    return len(word.strip(".")) > 1


def _east_asian(words: Sequence[str]) -> bool:
    return all(EAST_ASIAN.match(word) for word in words)


def suffix(text: str) -> str:
    """`Jr.` or `III` where the text is the suffix of a name, else ""."""
    match = _SUFFIX.fullmatch(text.strip())
    if not match or (match["number"] and not text.isupper()):
        return ""
    return f"{match['jr'].title()}." if match["jr"] else text


def degree(text: str, *, behind_name: bool) -> bool:
    """Whether a piece of a list is a degree, a membership or an office rather than a name."""
    text = text.strip()
    if _DEGREES.fullmatch(text) or _MEMBER.fullmatch(text) or _HONOURS.fullmatch(text):
        return True
    return (
        behind_name
        and len(text) > 2
        and _LIKE_A_DEGREE.fullmatch(text) is not None
        and sum(map(str.isupper, text)) > 1
        and (not text.isupper() or len(text) < 7)
    )


def without_honours(words: list[str]) -> list[str]:
    """The words of a name without titles before and degrees behind it."""
    while len(words) > 2 and _HONOURS.fullmatch(words[0]):
        words = words[1:]
    while (
        len(words) > 2 and _DEGREE.fullmatch(words[-1]) and (len(words[-1].replace(".", "")) > 2 or words[-1] == "MD")
    ):
        words = words[:-1]
    return words


def group_name(text: str, *, called: bool = False) -> str:
    """The name of the collaboration that the text is, without its article, or "". `called`: `for the` stands before."""
    match = _GROUP.fullmatch(text.strip())
    if not match or len(text) > 120:
        return ""
    several, kind = len(match["name"].split()) > 1, match["kind"].casefold()
    known_kind = kind in _SURE_GROUPS or (kind == "team" and not text.startswith(match["name"]))
    return match["name"] if several and (called or known_kind) else ""


def cased(words: Sequence[str], *, family: bool = False) -> list[str]:
    """The words of a name in capitals as they are written elsewhere; initials, and names in other letters, stay."""
    if _east_asian(words):
        return ["".join(words)]
    if not " ".join(words).isupper() or all(map(_INITIALS.fullmatch, words)):
        return list(words)
    return in_small(words, first=not family)


def in_small(words: Sequence[str], *, first: bool = False) -> list[str]:
    """Words in capitals as they are written elsewhere; of a name's `first` words no particle begins them."""
    return [_word_cased(word, first=first and not number) for number, word in enumerate(words)]


def _word_cased(word: str, *, first: bool) -> str:
    if "." in word or len(word) == 1:
        return word
    if word.casefold() in _PARTICLES and not first:
        return word.lower()
    word = word.title().replace("’S", "’s").replace("'S", "'s")
    return f"Mc{word[2:].title()}" if word.startswith("Mc") and len(word) > 4 else word


def family_of(words: Sequence[str], *, suffixed: bool = False) -> tuple[str, str]:
    """(family, given) where particles, or a suffix behind the name, say what is which; else "", ""."""
    at = next((i for i, word in enumerate(words) if i and word in _PARTICLES), 0)
    if at and words[at] in _INFIX:
        at -= 1
    after = [word for word in words[at:] if word not in _PARTICLES]
    if at and len(after) <= (2 if words[at] not in _PARTICLES else 1):
        return " ".join(words[at:]), " ".join(words[:at])
    return (words[-1], " ".join(words[:-1])) if suffixed and len(words) > 1 else ("", "")


BUCKETS = 4096
NAMES = 1 << 14
"""Names of people and organisations that are remembered; most come again, in a library of one field."""
_LONGEST_ORGANISATION = 200
_MARGIN = 2.0
"""By how much a name of two words, as most people have, must look like an organisation's."""


class OrganisationModel(msgspec.Struct, frozen=True):
    """The model as it is stored: a weight a bucket, in units of `scale`, as signed bytes in base64."""

    bias: float
    scale: float
    weights: str


@lru_cache(NAMES)
def is_organisation(name: str) -> bool:
    """Whether a name is an organisation's or a group's rather than a person's. Names of one word are neither."""
    words = len(name.split())
    if words < 2:
        return False
    bias, scale, weights = _model()
    score = bias + scale * sum(weights[bucket] for bucket in buckets(name))
    return score > (_MARGIN if words == 2 else 0)


def buckets(name: str) -> list[int]:
    """The features of a name: how many words it has, its words, and three and four letters of them, hashed."""
    return sorted({zlib.crc32(feature.encode()) % BUCKETS for feature in _features(name[:_LONGEST_ORGANISATION])})


def _features(name: str) -> Iterator[str]:
    words = name.split()
    yield f"#{min(len(words), 6)}"
    for word in words:
        low = word.casefold()
        yield ("l:" if word[:1].islower() else "w:") + low
        marked = f"^{low}$"
        yield from (marked[at : at + size] for size in (3, 4) for at in range(len(marked) - size + 1))


@lru_cache(maxsize=1)
def _model() -> tuple[float, float, array[int]]:
    stored = files("conspectus.parse.people").joinpath("organisations.json").read_bytes()
    model = msgspec.json.decode(stored, type=OrganisationModel)
    return model.bias, model.scale, array("b", base64.b64decode(model.weights))
