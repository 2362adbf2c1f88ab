"""Citation marks in running text, with their exact offsets and the references that they mean.

Papers cite by numbers in brackets, numbers in parentheses, raised numbers, keys (`[Smi10]`) or authors and years.
Which of these a paper uses is decided by evidence: the way whose marks lead to the largest part of its reference list.
Marks of the other ways are then no marks, so that `[0, 1]` and years in running text are left alone. One kind is kept
beside the others: a raised number behind a name that is in the entry it means, as in `Powell³`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conspectus.records import Block, Mark, Reference, normal_name

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
"""Where a mark stands in a text, and the keys it means."""


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
            keys = self._find_keys(match[0], tail)
            if keys is None:
                continue
            start, at = self._start(text, match.start()), tail.end()
            yield start, at, keys

    def _start(self, text: str, start: int) -> int:
        before = _PARTICLES_BEFORE.search(text, max(start - 20, 0), start)
        return before.start() if before and (before.start() == 0 or not text[before.start() - 1].isalnum()) else start

    def _find_keys(self, name: str, tail: re.Match[str]) -> tuple[str, ...] | None:
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
            key = _chosen(
                [w for w in works if w.year == year], part["letter"] or part["bare"] or "", others, bool(tail["et_al"])
            )
            known = known or key is not None
            keys += [key] if key else []
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


CITING = ("paragraph", "abstract", "caption", "footnote")
"""The kinds of blocks that have marks."""

_DASH = r"\-–—−‐⁻"
_LIST = rf"\d{{1,3}}(?:\s?(?:[,;{_DASH}]|,?\s?and\s|,?\s?&\s?|\sto\s)\s?\d{{1,3}})*"
_LEAD = (
    r"(?:(?:see|e\.g\.|cf\.|i\.e\.|and|also|refs?\.?|references?|reviewed in|for (?:a )?reviews?,? see)[,:]?\s?){0,3}"
)
_NOTE = (
    r"(?:[,;:]?\s(?:and (?:the )?references|[Ss]ec|[Cc]h|[Tt]h|[Ll]em|[Cc]or|[Pp]rop|[Aa]pp|[Ff]ig"
    r"|[Tt]able|[Ee]q|pp?\.|§|and others)[^\[\]()]{0,40})?"
)
_SQUARE = re.compile(
    rf"(?<!\b[A-Za-z])\[\s?{_LEAD}(?P<list>{_LIST}){_NOTE}\s?\](?:(?P<dash>\s?[{_DASH}]\s?)\[(?P<last>\d{{1,3}})\])?",
    re.I,
)
_ROUND = re.compile(rf"\(\s?{_LEAD}(?P<list>{_LIST}){_NOTE}\s?\)(?P<dash>)(?P<last>)", re.I)
_SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = re.compile(
    rf"(?<![{_SUPER}]\.)[⁽]?(?P<list>[{_SUPER[1:]}][{_SUPER}]{{0,2}}(?:(?:,\s?|[⁻–]"
    rf"|\s?⁻\s?)[{_SUPER[1:]}][{_SUPER}]{{0,2}})*)[⁾]?(?![{_SUPER}⁻⁺]|\.[{_SUPER}])(?P<dash>)(?P<last>)"
)
_PLAIN = str.maketrans(_SUPER + "⁻", "0123456789–")
_BRACKETS = re.compile(r"\[(?P<list>[^\[\]]{2,160})\]")
_NAME = re.compile(r"[^\W\d_]{2,}")
_NAMED = re.compile(
    r"(?<![^\W\d_])(?P<name>[^\W\d_]{2,}+)(?:[’']s?)?(?:,?\s(?:et\sal\.?|and\s(?:colleagues|others|co-?workers)))?,?\s?$"
)
_UNITS = frozenset(
    "cm mm km nm pm dm μm µm ms μs µs hr Hz kHz MHz GHz kg mg mV kV mA Pa kPa eV keV MeV GeV kW pc kpc"
    " Mpc au m s g h R χ chi".split()
)
_LONGEST_RANGE = 60


@dataclass(frozen=True, slots=True)
class _Way:
    """One way of citing: how marks are found, and the least part of the list that they must lead to."""

    find: Callable[[str], Iterator[Found]]
    least: float


def citation_marks(blocks: Sequence[Block], references: Sequence[Reference]) -> dict[int, tuple[Mark, ...]]:
    """The marks that lead to `references`, for the numbers of the blocks that have some."""
    if not references:
        return {}
    texts = {number: block.text for number, block in enumerate(blocks) if block.kind in CITING}
    best: dict[int, list[Found]] = {}
    reach = 0.0
    name_marks = _behind_names(blocks, references)
    for way in _ways(references):
        marks_by_block = {number: marks for number, text in texts.items() if (marks := list(way.find(text)))}
        cited = {key for marks in marks_by_block.values() for *_, keys in marks for key in keys}
        covered = len(cited) / len(references)
        if covered >= way.least and covered > reach:
            best, reach = marks_by_block, covered
    for number, more in name_marks.items():
        have = best.get(number, [])
        fresh = [mark for mark in more if not any(mark[0] < end and start < mark[1] for start, end, _ in have)]
        best[number] = sorted([*have, *fresh])
    return {number: tuple(Mark(a, b, "reference", keys) for a, b, keys in marks) for number, marks in best.items()}


def _behind_names(blocks: Sequence[Block], references: Sequence[Reference]) -> dict[int, list[Found]]:
    """Raised numbers behind a name in the entry they mean, for the blocks that have some; marks of footnotes are none.

    Papers that cite in brackets or by name have such too, and some of them lead to few entries only.
    """
    numbers = numbered(references)
    entries = {reference.key: set(_NAME.findall(reference.text)) for reference in references}
    notes = {
        (page, block.label.translate(_PLAIN)) for block in blocks if block.kind == "footnote" for page in _on(block)
    }
    marks: dict[int, list[Found]] = {}
    for number, block in enumerate(blocks):
        if block.kind not in CITING:
            continue
        for start, end, keys in _numbers(_raised(block.text), numbers):
            name = _NAMED.search(block.text, max(start - 40, 0), start)
            label = block.text[start:end].translate(_PLAIN)
            noted = any((page, label) in notes for page in _on(block))
            if name and name["name"] in entries[keys[0]] and not noted:
                marks.setdefault(number, []).append((start, end, keys))
    return marks


def _on(block: Block) -> set[int]:
    """The pages that the block stands on; 0 where the format has none."""
    return {place.page for sentence in block.sentences for place in sentence.places} or {0}


def _ways(references: Sequence[Reference]) -> Iterator[_Way]:
    numbers = numbered(references)
    keys = {label[1:-1]: r.key for r in references if (label := r.label)[:1] == "[" and not label[1:-1].isdigit()}
    if len(keys) > len(references) // 2:
        yield _Way(lambda text: _keyed(text, keys), 0.1)
    printed = len(numbers) > len(references) // 2
    if not printed:
        yield _Way(NamedYears(references).find, 0.1)
        numbers = {number: r.key for number, r in enumerate(references, 1)}
    yield _Way(lambda text: _numbers(_SQUARE.finditer(text), numbers), 0.1 if printed else 0.5)
    yield _Way(lambda text: _numbers(_raised(text), numbers), 0.25 if printed else 0.5)
    yield _Way(lambda text: _numbers(_ROUND.finditer(text), numbers), 0.4 if printed else 0.7)
    if printed:
        yield _Way(NamedYears(references).find, 0.3)


def numbered(references: Iterable[Reference]) -> dict[int, str]:
    """The keys of references by the numbers that the list gives them; of two with one number the first."""
    numbers: dict[int, str] = {}
    for reference in references:
        label = reference.label.strip("[]().⁽⁾ ").translate(_PLAIN)
        if label.isdecimal() and len(label) < 10:
            numbers.setdefault(int(label), reference.key)
    return numbers


def _numbers(matches: Iterable[re.Match[str]], keys: Mapping[int, str]) -> Iterator[Found]:
    """The matches all of whose numbers are the list's."""
    for match in matches:
        text = match["list"].translate(_PLAIN)
        if match["last"]:
            text += "–" + match["last"]
        meant = list(_expanded(text))
        if meant and all(number in keys for number in meant):
            yield match.start(), match.end(), tuple(dict.fromkeys(keys[number] for number in meant))


def _expanded(text: str) -> Iterator[int]:
    """The numbers of a list such as `1, 3–5`; none where a range runs backwards or is too long."""
    for part in re.split(r"[,;&]|and", text):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 2:
            first, last = ends
            if not 0 <= last - first <= _LONGEST_RANGE:
                yield 0
                return
            yield from range(first, last + 1)
        else:
            yield from ends


def _raised(text: str) -> Iterator[re.Match[str]]:
    """Raised numbers behind words and punctuation, rather than exponents behind numbers, units and symbols."""
    for match in _RAISED.finditer(text):
        before = text[max(match.start() - 24, 0) : match.start()].rstrip()
        word = re.search(r"(?<![^\W\d_])[^\W\d_]++$", before)
        if word and (len(word[0]) < 2 or word[0] in _UNITS):
            continue
        if before and (
            word or before[-1] in ".,;:)]”\"’'?!%" or (before[-1].isdigit() and text[match.start() - 1].isspace())
        ):
            yield match


def _keyed(text: str, keys: Mapping[str, str]) -> Iterator[Found]:
    """Brackets with keys of the list in them: `[Smi10, JL11]`, also `[Smi10, Section 2]`."""
    for match in _BRACKETS.finditer(text):
        parts = [part.strip() for part in re.split(r"[;,]", match["list"])]
        full_key = match["list"].strip()
        meant = [keys[full_key]] if full_key in keys else [keys[part] for part in parts if part in keys]
        if meant and (full_key in keys or parts[0] in keys):
            yield match.start(), match.end(), tuple(dict.fromkeys(meant))
