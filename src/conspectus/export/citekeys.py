"""Keys by which a manuscript cites a paper: kept where a paper came with one, else made (`rubin1980rotation`)."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import PurePath

from conspectus.lexicon import STOP_WORDS
from conspectus.records import Paper

_VALID = re.compile(r"[^\s{}(),\"#%~\\='@]{1,120}")
_FOLDED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_WORD = re.compile(r"[a-z0-9]+")


def citekey(paper: Paper) -> str:
    """The key a paper came with, if BibTeX can have it; "" where its external id is only an identifier or a file."""
    name = paper.external_id
    identifiers = (paper.doi, paper.arxiv_id, paper.pmid, paper.bibcode)
    files = {PurePath(file.path).name for file in paper.files}
    return name if _VALID.fullmatch(name) and name not in identifiers and name not in files else ""


def any_id(paper: Paper) -> str:
    """The paper's external id, whatever it is."""
    return paper.external_id


class Citekeys:
    """Unique keys of papers. Those that papers came with are known before any is made, and go to the first."""

    def __init__(self, papers: Iterable[Paper], kept: Callable[[Paper], str]) -> None:
        self._kept = kept
        self._owner: dict[str, str] = {}
        self._made: Counter[str] = Counter()
        for paper in papers:
            if key := kept(paper):
                self._owner.setdefault(key, paper.id)

    def of(self, paper: Paper) -> str:
        """The paper's key. To be asked once for each paper, in their order."""
        wanted = self._kept(paper) or made_key(paper)
        key = wanted
        while self._owner.setdefault(key, paper.id) != paper.id:
            self._made[wanted] += 1
            key = wanted + _letters(self._made[wanted])
        return key


def made_key(paper: Paper) -> str:
    """Family name of the first author, year and first telling word of the title, in plain small letters."""
    family = "".join(_words(paper.authors[0].surname)) if paper.authors else ""
    words = [word for word in _words(paper.title) if word not in STOP_WORDS and len(word) > 1]
    made = family + str(paper.year or "") + (words[0] if words else "")
    return made if _WORD.search(family + "".join(words)) else f"{paper.id}{paper.year or ''}"


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.lower().translate(_FOLDED))
    return _WORD.findall("".join(sign for sign in plain if not unicodedata.combining(sign) and sign not in "'’-"))


def _letters(number: int) -> str:
    """a … z, aa, ab …"""
    found = ""
    while number:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("a") + rest) + found
    return found
