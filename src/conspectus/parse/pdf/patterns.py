"""How headings, captions, references and running sentences are written.

`reads_as_prose` works in any language, without lists of words. Sentences end in a full stop, have several words between
two commas, and in scripts with capitals most of their words begin with a small letter. Titles, names, addresses,
keywords and dates fail at least one of these.
"""

from __future__ import annotations

import re

from conspectus.core.text import EAST_ASIAN, UNSPACED, lazy_pattern
from conspectus.lexicon.word_lists import (
    BACK_MATTER,
    CAPTIONED,
    ENGLISH,
    FURTHER,
    OTHER,
    OTHER_FIGURES,
    OTHER_TABLES,
    headings,
)
from conspectus.parse.pdf.thresholds import AROUND

CAPTION = re.compile(
    r"(?P<label>(?:(?:" + FURTHER + r")\s+)?"
    r"(?:fig(?:ure|s?\.|ure\.)?|tab(?:le|\.)|" + CAPTIONED + rf"|(?:{OTHER_FIGURES}|{OTHER_TABLES})\.?)"
    r"\s*(?:[A-Z]{1,2}[.-]?)?(?:\d{1,3}(?:\.\d{1,3})?|[IVX]{1,5}|(?-i:[A-Z])(?=[.:]))(?:[a-z]\b|\([a-z]\))?)"
    r"(?P<after>\s*[.:：．|–—]|\s*$|\s)",
    re.I,
)
"""A caption's label, and what follows it; only punctuation or the line's end is proof."""
NUMBERED = re.compile(
    r"(?:(?P<arabic>\d{1,2}(?:\.\d{1,2}){0,4})\.?|(?P<roman>[IVX]{1,5})\.|(?P<letter>[A-Z](?:\.\d{1,2})*)(?:\.|(?=\s+[A-Z]))"
    r"|(?i:appendix)(?:\s+(?:[A-Z]|\d{1,2}))?[.:]?)\s+(?P<name>\S.*)"
)
"""A numbered heading: its number and its name."""
_HEADINGS = ("abstract", "body", *BACK_MATTER, "lists", "additions")
KNOWN = re.compile(rf"(?:{headings(*_HEADINGS)})[.:]?", re.I)
"""Names of sections that many papers have."""
REFERENCES = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2}){0,4}|[IVX]{1,5}|[A-Z])\.?\s+)?"
    r"(?:(?:(?:supplementa(?:ry|l)|additional|further|methods?|list of|cited|main|online)\s+)?"
    r"references?(?:\s+(?:and (?:further )?(?:notes|reading)|cited|list))?|notes and references"
    r"|(?:selected |cited )?bibliography|literature(?:\s+(?:cited|references))?|cited literature|works cited"
    r"|" + headings("references", languages=(OTHER,)) + r"|r\s?e\s?f\s?e\s?r\s?e\s?n\s?c\s?e\s?s)[.:]?",
    re.I,
)
AFTER_REFERENCES = lazy_pattern(
    r"(?:appendi(?:x|ces)|supplement|supporting|annex|acknowledg|author|funding|figure (?:captions"
    r"|legends)|tables?$|about the author|biograph"
    r"|[A-Z](?:\.\d+)*\.?\s+[A-Z][a-z]|data availability|code availability|conflicts?|competing|declaration)",
    re.I,
)
"""Headings that end the references."""
REFERENCE_LABEL = re.compile(
    r"(?:\[(?P<key>[\w+.:-]{1,16}|[^\[\]\d]{3,80}\d{4}[a-z]?)\]|\((?P<round>\d{1,3})\)|(?P<number>\d{1,3})[.)])(?:\s|$)"
)
LABEL_ONLY = re.compile(r"\([A-Z]?\d{1,3}(?:\.\d{1,3})?[a-z]?\)")
"""The number of a displayed formula."""
LABELLED = re.compile(r"\s(?P<label>\([A-Z]?\d{1,3}(?:\.\d{1,3})?[a-z]?\))$")
"""The end of a displayed formula with its number."""
LIST_ITEM = re.compile(r"(?:[•▪◦·∙●○■□‣–—➢➤✓*-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])(?:\s|$)")
ABSTRACT = re.compile(
    rf"(?:{headings('abstract', languages=(ENGLISH, OTHER))}|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)"
    r"\s*(?P<mark>[.:：—–-]+|[】〕］]|$)\s*",
    re.I,
)
"""A line that is or begins with the abstract's heading."""
FINISHED = re.compile(r"[.!?:;…。！？؟۔।]['\"”’)\]»]*(?:\s*\[[\d,\s–-]+\]|[⁰¹²³⁴⁵⁶⁷⁸⁹,–-]+)?$")
"""A text that ends as a sentence ends."""
THEOREM = (
    r"(?:theorem|lemma|proof|remark|proposition|corollary|definition|example|assumption|claim|conjecture|affiliations?"
    r"|step|case)(?:\s++[\dA-Z.]+)?\s*+(?:\([^()]*+\))?\s*+[.:]$"
)
"""What is printed like a run-in heading and names a statement."""
_GLUED_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,9}\.?(?=[A-Z])")
_SENTENCE_END = re.compile(r"[^\W\d_]{2}[)\]’”»\"']{0,2}[.!?؟۔।](?=[\s)\]’”»\"']|$)|[。！？｡]")
_SEPARATOR = re.compile(r"[,;·•|،؛，；、]")
_UNSPACED_SIGN = re.compile(rf"{UNSPACED.pattern}|[\u3001-\u301f\uff01-\uff0f\uff1a-\uff1f]")
_LEAST_WORDS = 8
_LEAST_SENTENCES, _LEAST_OF_SENTENCES = 2, 6
"""So many sentences may be shorter together."""
_MANY_WORDS = 25
"""So many words may be a part of a sentence that begins or ends elsewhere."""
_CHARACTERS_A_WORD = 2
"""About as many characters make a word in scripts without spaces."""


def strip_glued_number(text: str) -> str:
    """`Introduction` of `1Introduction`, as recognised text may have it; other texts as they are."""
    return _GLUED_NUMBER.sub("", text, count=1)


def close_spaced_letters(text: str) -> str:
    """`A B S T R A C T` as `ABSTRACT`; other texts as they are."""
    parts = text.split()
    return "".join(parts) if len(parts) > 3 and all(len(part) == 1 for part in parts) else text


def count_words(text: str) -> int:
    """The number of words in `text`; where a script puts no spaces between them, as many as its characters make."""
    unspaced = 0 if text.isascii() else len(UNSPACED.findall(text))
    if not unspaced:
        return len(text.split())
    return len(UNSPACED.sub(" ", text).split()) + max(unspaced // _CHARACTERS_A_WORD, 1)


def are_unspaced(before: str, after: str) -> bool:
    """Whether a line that ends with `before` goes on with `after` without a space, as Chinese and Japanese do."""
    return _UNSPACED_SIGN.match(before[-1:]) is not None and _UNSPACED_SIGN.match(after) is not None


def extent(text: str) -> int:
    """How long `text` is, in characters of a script with letters: a Chinese character says as much as several."""
    return len(text) if text.isascii() else len(text) + 2 * len(EAST_ASIAN.findall(text))


def starts_sentence(text: str) -> bool:
    """Whether `text` may begin a sentence: with a capital, or a letter of a script that has no capitals."""
    return text[:1].isalpha() and not text[:1].islower()


def reads_as_prose(text: str) -> bool:
    """Whether `text` is running sentences rather than names, addresses, keywords, dates or a title."""
    words = count_words(text)
    least = _LEAST_WORDS if len(_SENTENCE_END.findall(text)) < _LEAST_SENTENCES else _LEAST_OF_SENTENCES
    if words < least or words < AROUND.prose_apart * len(_SEPARATOR.findall(text)):
        return False
    ends = _SENTENCE_END.search(text) is not None
    first = [word.lstrip("([“„«\"'‘¿¡")[:1] for word in text.split()]
    cased = sum(letter.isupper() or letter.islower() for letter in first)
    if cased < AROUND.prose_cased * words:  # a script without capitals
        return ends
    small = sum(map(str.islower, first)) / len(first)
    return small > (AROUND.prose_small if ends else AROUND.prose_small_open) and (ends or words >= _MANY_WORDS)
