"""Citations by author and year: `Smith et al. (2010)`, `(Jones & Lee 2011a,b; see also van der Berg, 1999)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.records import Reference, normal_name

_YEAR = r"(?:1[6-9]|20)\d\d"
_CAP = r"(?:[^\W\d_a-zß-öø-ÿ][\w'’‐-]+)"
_PARTICLES = r"(?:(?:[Vv][ao]n|[Dd]e[nrl]?|[Dd]ella|[Dd][aiou]s?|[Ll][aeo]|[Tt]e[nr]|zu[mr]?|al|el|bin|’t|'t)\s)"
_OTHERS = (
    rf"(?P<others>(?:(?:\s?,\s?|\s?,?\s?(?:and|&|und|et|y"
    rf"|e)\s)(?:[A-Z]\.[\s-]?){{0,3}}{_PARTICLES}{{0,3}}{_CAP}(?:\s[A-Z]\.)?){{0,8}}?)"
)
_ET_AL = r"(?P<et_al>\s?,?\s?(?:et\.?\s?al\b\.?|(?:and|&)\s(?:colleagues|co-?workers|others)|u\.\s?a\.))?"
_DATE = rf"(?:{_YEAR}|n\.\s?d\.)"
_YEARS = (
    rf"(?P<years>{_DATE}[a-z]?(?:(?:\s?[,;/]\s?|\s?(?:and|&)\s|\s?[–-]\s?)(?:{_YEAR}[a-z]?"
    rf"|[a-h])(?![\w.]))*)(?!\d)(?:,\s?(?:pp?\.|ch(?:ap)?\.|sec\.|§)\s?[\d–-]+)?"
)
_TAIL = re.compile(
    rf"(?:,?\s(?:[A-Z]\.\s?)+(?=,|et\b|\s?\())?{_OTHERS}{_ET_AL}(?:[’']s?"
    rf"|[”\"])?\s?,?\s?(?P<open>[(\[]\s?(?:e\.g\.,?\s|see\s"
    rf"|[Rr]ef\.\s)?)?{_YEARS}(?(open)(?P<close>\s?[)\]])?)"
)
_PARTICLES_BEFORE = re.compile(rf"{_PARTICLES}{{1,3}}$")
_SPLIT = re.compile(rf"(?P<year>{_DATE})(?P<letter>[a-z])?|(?<![\w])(?P<bare>[a-z])(?![\w])")
_LETTER = re.compile(rf"\b(?P<year>{_YEAR})(?P<letter>[a-z])\b")
_LEADING_PARTICLES = re.compile(rf"^{_PARTICLES}+")

Found = tuple[int, int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Cited:
    """A reference as it is cited: its authors' names in plain form, its year and the year's letter."""

    key: str
    names: tuple[str, ...]
    year: int
    letter: str


class NamedYears:
    """Finds the citations by author and year that lead to `references`."""

    def __init__(self, references: Sequence[Reference]) -> None:
        self._by_name: dict[str, list[_Cited]] = {}
        spellings: set[str] = set()
        for reference in references:
            names = [_bare(author.family or author.name.removeprefix("The ")) for author in reference.authors]
            names = names or [reference.title]
            if not names[0]:
                continue
            letter = next(
                (m["letter"] for m in _LETTER.finditer(reference.text) if int(m["year"]) == reference.year), ""
            )
            cited = _Cited(reference.key, tuple(map(normal_name, names)), reference.year or 0, letter)
            self._by_name.setdefault(cited.names[0], []).append(cited)
            spellings.update(_spellings(names[0]))
        names_in_text = "|".join(re.escape(name) for name in sorted(spellings, key=len, reverse=True))
        self._names = re.compile(rf"(?<![\w’'-])(?:{names_in_text})(?![\w])") if spellings else None

    def find(self, text: str) -> Iterator[Found]:
        """Where in `text` works of the list are cited, and their keys; none where two works may be meant."""
        at = 0
        for match in self._names.finditer(text) if self._names else ():
            if match.start() < at:
                continue
            tail = _TAIL.match(text, match.end())
            if not tail:
                continue
            keys = self._meant(match[0], tail)
            if keys is None:
                continue
            start, at = self._start(text, match.start()), tail.end()
            yield start, at, keys

    def _start(self, text: str, start: int) -> int:
        before = _PARTICLES_BEFORE.search(text, max(start - 20, 0), start)
        return before.start() if before and (before.start() == 0 or not text[before.start() - 1].isalnum()) else start

    def _meant(self, name: str, tail: re.Match[str]) -> tuple[str, ...] | None:
        """The keys that are meant; None where the list has no such work, empty where it has several."""
        written = [
            _bare(part) for part in re.split(r",|\band\b|&|\bund\b|\bet\b|\by\b", tail["others"] or "") if part.strip()
        ]
        others = [normal_name(re.sub(r"(?:\b[A-Z]\.\s?)+|[’']s?$", "", part)) for part in written]
        works = [cited for cited in self._by_name.get(normal_name(_bare(name)), ()) if _fits(cited, others)]
        keys: list[str] = []
        known = False
        year = 0
        for part in _SPLIT.finditer(tail["years"]):
            year = (int(part["year"]) if part["year"].isdecimal() else 0) if part["year"] else year
            one = _chosen(
                [w for w in works if w.year == year], part["letter"] or part["bare"] or "", others, bool(tail["et_al"])
            )
            known = known or one is not None
            keys += [one] if one else []
        return tuple(dict.fromkeys(keys)) if known else None


def _fits(cited: _Cited, others: list[str]) -> bool:
    """Whether the names that are written after the first are authors of the work."""
    return not others or any(name in cited.names[1:] for name in others) or len(cited.names) == 1


def _chosen(works: list[_Cited], letter: str, others: list[str], et_al: bool) -> str | None:
    """The key of the one work that fits best; "" where several fit alike, None where there is none."""
    if not works:
        return None
    if letter and (lettered := [work for work in works if work.letter == letter]):
        works = lettered
    elif letter and len(works) > 1 and not any(work.letter for work in works):
        place = ord(letter) - ord("a")
        return works[place].key if place < len(works) else ""
    count = len(others) + 1
    same = [
        work
        for work in works
        if (len(work.names) > max(count, 1 if others else 2) - 0 if et_al else len(work.names) == count)
    ]
    if et_al and not same:
        same = [work for work in works if len(work.names) > count]
    works = same or works
    if others and (second := [work for work in works if work.names[1:2] == (others[0],)]):
        works = second
    return works[0].key if len(works) == 1 else ""


def _bare(name: str) -> str:
    """A family name without what stands before it: `van der Berg` as `Berg`."""
    name = name.strip()
    return _LEADING_PARTICLES.sub("", name) or name


def _spellings(name: str) -> Iterator[str]:
    """A name as texts write it: apostrophes and hyphens come in several shapes."""
    yield name
    if "'" in name or "’" in name:
        yield name.replace("'", "’")
        yield name.replace("’", "'")
    if " " in name:  # a title in place of an author, as pandoc writes it
        yield " ".join(word[:1].upper() + word[1:] for word in name.split())
    if name.isupper() and len(name) > 3:
        yield name.title()
