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

from conspectus.parse.author_year import NamedYears
from conspectus.records import Block, Mark, Reference

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

Found = tuple[int, int, tuple[str, ...]]
"""Where a mark stands in a text, and the keys it means."""


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
    named = _behind_names(blocks, references)
    for way in _ways(references):
        found = {number: marks for number, text in texts.items() if (marks := list(way.find(text)))}
        cited = {key for marks in found.values() for *_, keys in marks for key in keys}
        covered = len(cited) / len(references)
        if covered >= way.least and covered > reach:
            best, reach = found, covered
    for number, more in named.items():
        have = best.get(number, [])
        fresh = [one for one in more if not any(one[0] < end and start < one[1] for start, end, _ in have)]
        best[number] = sorted([*have, *fresh])
    return {number: tuple(Mark(a, b, "reference", keys) for a, b, keys in found) for number, found in best.items()}


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
        whole = match["list"].strip()
        meant = [keys[whole]] if whole in keys else [keys[part] for part in parts if part in keys]
        if meant and (whole in keys or parts[0] in keys):
            yield match.start(), match.end(), tuple(dict.fromkeys(meant))
