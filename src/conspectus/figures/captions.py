"""Captions in parts: what is said of panel (a), and what of (b)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from string import ascii_lowercase, ascii_uppercase

from conspectus.lexicon.word_lists import CAPTIONED

_LONGEST = 20_000
"""Characters of a caption that are looked at."""
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_LETTERS: tuple[Sequence[str], ...] = (ascii_lowercase, ascii_uppercase, _ROMAN, tuple(map(str.upper, _ROMAN)))
_SIDES: tuple[Sequence[str], ...] = (
    ("top left", "top right", "bottom left", "bottom right"),
    ("left", "middle", "right"),
    ("top", "middle", "bottom"),
)
"""What panels are called, in the order in which they are read."""
_SAME = {"upper": "top", "lower": "bottom", "centre": "middle", "center": "middle", "central": "middle"}

_TO = r"\s?(?:[–—−‐‑-]|to(?=\s))\s?"
_AND = rf"(?:{_TO}|\s?,\s?(?:and\s)?|\s?&\s?|\sand\s)"
_ONE = r"(?:[ivxIVX]{2,4}|[A-Za-z][1-9]?)"
_ITEMS = rf"{_ONE}(?:{_AND}{_ONE}){{0,12}}"
_SIDE = r"(?:(?:top|bottom|upper|lower)[\s-])?(?:left|right|top|bottom|upper|lower|middle|cent(?:re|er|ral))"
_STYLES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\w)[(\[]\s?(?P<items>{_ITEMS})(?:[,;:]?\s(?i:{_SIDE}))?\s?[)\]]",
        rf"(?<![\w(])(?:[Pp]anels?\s)(?P<items>{_ITEMS})(?![\w'’-])",
        rf"(?:(?<=[.;:,]\s)|(?<![^\s])(?<![^.;:,]\s))(?P<items>{_ITEMS})\)",
        rf"(?:(?<=[.;:]\s)|(?<![\s\S]))(?P<items>{_ITEMS})(?:[.:,|](?=\s)|(?=\s[A-Z]))",
    )
)
_BESIDE = re.compile(
    rf"[(\[](?P<items>(?i:{_SIDE}))(?:\s(?:panels?|column|row|image))?[)\]]"
    rf"|(?:\b[Tt]he\s|\b[Ii]n\sthe\s)?\b(?P<panel>(?i:{_SIDE}))(?:\spanels?\b|(?=[:,]\s))[:,]?"
)
_JOINER = re.compile(rf"(?:{_AND}|\s)")
_RANGE = re.compile(_TO)
_OWN = re.compile(rf"(?:\s*(?i:fig(?:ure)?s?|{CAPTIONED})\.?\s?[A-Z]?\.?\d+(?:\.\d+)?[.:|]?(?!\w)\s*){{1,2}}")
"""The figure's own label, which some papers print twice."""
_BEFORE = re.compile(r"(?:[.;:,|]|\band|^)\s*$")
_CLOSED = re.compile(r"\s?(?:[,.;:)]|and\b|as well\b|$)")
_SENTENCE = re.compile(r"[.;:](?=\s)")
_WASTE = " \t\n,;:|–—-"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label as it stands in a caption, perhaps of several panels."""

    labels: tuple[str, ...]
    start: int
    end: int


def parts_of(caption: str) -> Mapping[str, str]:
    """Each panel that a caption speaks of, by its label as printed, in reading order, with what is said of it.

    Panels are letters, some of them with numbers (`A`, `B1`, `B2`), or Roman numbers, in order from the first, or else
    sides (`left`, `bottom`, `top right`). What is said of several is said of each. Nothing for a caption that tells no
    two panels apart.
    """
    match = _OWN.match(caption)
    text = caption[match.end() if match else 0 :][:_LONGEST]
    alphabets = {style: (*_LETTERS, *_numbered(text, style)) for style in _STYLES}
    marks = max((_marks(text, style, names) for style in _STYLES for names in alphabets[style]), key=_count_panels)
    if _count_panels(marks) < 2:
        marks = max((_side_marks(text, names) for names in _SIDES), key=_count_panels)
    if _count_panels(marks) < 2:
        return {}
    texts_by_label = _trailing(text, marks) if _trails(text, marks) else _leading(text, marks)
    return {label: " ".join(filter(None, parts)) for label, parts in texts_by_label.items()}


def _count_panels(marks: Sequence[_Mark]) -> int:
    """How many panels are told apart."""
    return len({label for mark in marks for label in mark.labels})


def _marks(text: str, style: re.Pattern[str], names: Sequence[str]) -> list[_Mark]:
    """The labels of one style and alphabet, as far as they go on from the first without a gap."""
    marks = [_Mark(labels, *match.span()) for match in style.finditer(text) if (labels := _labels(match, names))]
    marks = _joined(text, marks, names)
    seen = {label for mark in marks for label in mark.labels}
    known = next((i for i, name in enumerate(names) if name not in seen), len(names))
    known_names = set(names[:known])
    return [mark for mark in marks if known_names.issuperset(mark.labels)]


def _numbered(text: str, style: re.Pattern[str]) -> Iterator[Sequence[str]]:
    """The alphabets with numbers that a caption has in one style, as `A`, `B1`, `B2`: those after which none lacks."""
    labels = {item for match in style.finditer(text) for item in _ends(match)}
    for letters in (ascii_lowercase, ascii_uppercase):
        names: list[str] = []
        for letter in letters:
            numbers = list(takewhile(labels.__contains__, (f"{letter}{number}" for number in range(1, 10))))
            if not numbers and letter not in labels:
                break
            names += numbers or [letter]
        if any(len(name) > 1 for name in names):
            yield names


def _items(match: re.Match[str]) -> list[str]:
    items: list[str] = re.findall(_ONE, re.sub(r"\band\b|\bto\b", ",", match["items"]))
    return items


def _ends(match: re.Match[str]) -> Iterator[str]:
    """The items of a label, and those of the numbers between two."""
    items = _items(match)
    yield from items
    for first, last in pairwise(items):
        if first[0] == last[0] and first[1:].isdigit() and last[1:].isdigit():
            yield from (f"{first[0]}{number}" for number in range(int(first[1:]), int(last[1:])))


def _labels(match: re.Match[str], names: Sequence[str]) -> tuple[str, ...]:
    """Those that `a, c–e` names; none, where one is not of the alphabet."""
    items = _items(match)
    if not all(item in names for item in items):
        return ()
    labels: list[str] = []
    at = 0
    for item in items:
        place = match["items"].index(item, at)
        ranged = labels and _RANGE.fullmatch(match["items"], at, place)
        labels += names[names.index(labels[-1]) + 1 : names.index(item) + 1] if ranged else [item]
        at = place + len(item)
    return tuple(labels)


def _joined(text: str, marks: Sequence[_Mark], names: Sequence[str]) -> list[_Mark]:
    """`(a) and (b)`, `(a)–(c)` as one."""
    joined_marks: list[_Mark] = []
    for mark in marks:
        if (
            joined_marks
            and (between := text[joined_marks[-1].end : mark.start]) is not None
            and _JOINER.fullmatch(between)
        ):
            first, last = joined_marks[-1].labels, mark.labels
            if _RANGE.fullmatch(between):
                last = tuple(names[names.index(first[-1]) + 1 : names.index(last[0])]) + last
            joined_marks[-1] = replace(joined_marks[-1], labels=tuple(dict.fromkeys(first + last)), end=mark.end)
        else:
            joined_marks.append(mark)
    return joined_marks


def _side_marks(text: str, names: Sequence[str]) -> list[_Mark]:
    """Sides, where both the first and the last are named."""
    marks = [_Mark((_side(match),), *match.span()) for match in _BESIDE.finditer(text)]
    marks = [mark for mark in marks if mark.labels[0] in names]
    seen = {mark.labels[0] for mark in marks}
    return marks if {names[0], names[-1]} <= seen else []


def _side(match: re.Match[str]) -> str:
    words = (match["items"] or match["panel"]).lower().replace("-", " ").split()
    return " ".join(_SAME.get(word, word) for word in words)


def _trails(text: str, marks: Sequence[_Mark]) -> bool:
    """Whether labels stand behind what they are of: `speed (a), and memory (b).`"""
    behind = [not _begins(text, mark) and _CLOSED.match(text, mark.end) is not None for mark in marks]
    return 2 * sum(behind) >= len(behind)


def _begins(text: str, mark: _Mark) -> bool:
    """Whether a sentence or clause begins with the label."""
    return _BEFORE.search(text[max(mark.start - 8, 0) : mark.start]) is not None or not text[: mark.start].strip()


def _trailing(text: str, marks: Sequence[_Mark]) -> Mapping[str, list[str]]:
    texts_by_label = _empty(marks)
    at = 0
    for mark in marks:
        before = [stop.end() for stop in _SENTENCE.finditer(text, at, mark.start)]
        _add(texts_by_label, mark, _tidy(text[before[-1] if before else at : mark.start]))
        at = mark.end
    return texts_by_label


def _leading(text: str, marks: Sequence[_Mark]) -> Mapping[str, list[str]]:
    texts_by_label = _empty(marks)
    opening = list(_opening(text, marks))
    first = opening[0]
    before = [stop.end() for stop in _SENTENCE.finditer(text, 0, first.start)]
    shared = "" if _begins(text, first) else _tidy(text[before[-1] if before else 0 : first.start])
    for mark, after in pairwise((*opening, _Mark((), len(text), len(text)))):
        _add(texts_by_label, mark, f"{shared} {_tidy(text[mark.end : after.start])}".strip())
        shared = "" if text[: after.start].rstrip().endswith(".") else shared
    return texts_by_label


def _opening(text: str, marks: Sequence[_Mark]) -> Iterator[_Mark]:
    """Those with which something begins that is said of their panels; others only point to them: `as in (a)`."""
    begun = {label for mark in marks if _begins(text, mark) for label in mark.labels}
    for mark in marks:
        if _begins(text, mark) or not begun.issuperset(mark.labels):
            begun.update(mark.labels)
            yield mark


def _empty(marks: Sequence[_Mark]) -> dict[str, list[str]]:
    every = [label for mark in marks for label in mark.labels]
    order = next((names for names in (*_LETTERS, *_SIDES) if set(every) <= set(names)), sorted(set(every)))
    return {label: [] for label in order if label in every}


def _add(texts_by_label: Mapping[str, list[str]], mark: _Mark, part: str) -> None:
    for label in dict.fromkeys(mark.labels):
        texts_by_label[label].append(part)


def _tidy(part: str) -> str:
    """Without what only joins it to the others."""
    return part.strip(_WASTE).removeprefix("and ").removesuffix(" and").strip(_WASTE)
