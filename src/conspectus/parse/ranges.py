"""Citation marks that stand for more than they link: `[3–5]`, where only 3 and 5 are links."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from conspectus.records import Mark

_DASH = re.compile(r"(?<!\s)\s*+[-–—−‐⁻]\s*+")
_NUMBER = re.compile(r"(?:[\[(]\s*+)?(\d{1,4})(?:\s*+[\])])?")
_RANGE = re.compile(r"[\[(]?\s*(\d{1,4})(?<!\s)\s*+[-–—−‐⁻]\s*+(\d{1,4})\s*[\])]?")
_LOWER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LONGEST = 60


def fill_ranges(text: str, marks: Sequence[Mark], order: Sequence[str], place: Mapping[str, int]) -> tuple[Mark, ...]:
    """The marks of `text`, with ranges of references as one mark that points to all of them.

    Two marks with nothing but a dash between them are a range if their numbers lie as far apart as the references they
    point to; one mark that is written as a range, and points to the reference of that number or to both ends, likewise.

    Args:
        text: what the marks are in.
        marks: in order.
        order: the keys of all references, as in the list.
        place: where each key stands in `order`.
    """
    found: list[Mark] = []
    for mark in marks:
        before = found[-1] if found else None
        if before is not None and _DASH.fullmatch(text, before.end, mark.start):
            keys = _between(text, before, mark, order, place)
            if keys:
                found[-1] = Mark(before.start, mark.end, "reference", keys)
                continue
        found.append(_filled(text, mark, order, place))
    return tuple(found)


def _between(text: str, first: Mark, last: Mark, order: Sequence[str], place: Mapping[str, int]) -> tuple[str, ...]:
    if not (first.kind == last.kind == "reference" and len(first.targets) == len(last.targets) == 1):
        return ()
    numbers = [_NUMBER.fullmatch(_read(text, mark)) for mark in (first, last)]
    if not (numbers[0] and numbers[1]):
        return ()
    return _run(first.targets[0], last.targets[0], int(numbers[1][1]) - int(numbers[0][1]), order, place)


def _filled(text: str, mark: Mark, order: Sequence[str], place: Mapping[str, int]) -> Mark:
    if mark.kind != "reference" or not 1 <= len(mark.targets) <= 2:
        return mark
    written = _RANGE.fullmatch(_read(text, mark))
    if not written or mark.targets[0] not in place:
        return mark
    apart = int(written[2]) - int(written[1])
    first = place[mark.targets[0]]
    if not 0 < apart < _LONGEST or first + apart >= len(order):
        return mark
    if len(mark.targets) == 1 and first + 1 != int(written[1]):
        return mark
    if len(mark.targets) == 2 and place.get(mark.targets[1]) != first + apart:
        return mark
    return Mark(mark.start, mark.end, "reference", tuple(order[first : first + apart + 1]))


def _run(first: str, last: str, apart: int, order: Sequence[str], place: Mapping[str, int]) -> tuple[str, ...]:
    if first not in place or last not in place or not 0 < apart < _LONGEST:
        return ()
    begin, end = place[first], place[last]
    return tuple(order[begin : end + 1]) if end - begin == apart else ()


def _read(text: str, mark: Mark) -> str:
    return text[mark.start : mark.end].translate(_LOWER).strip()
