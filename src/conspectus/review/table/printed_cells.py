"""Numbers in the tables of papers: a cell whose column, or whose row, is called what a user's column is called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.records import Span
from conspectus.review.table.cell_values import read_numbers
from conspectus.review.table.measures import Measure
from conspectus.review.table.sample_counts import NumberMatch

STRENGTH = 2.6
_HEAD = re.compile(r"[^()\[\],]{1,100}")
_HEAD_UNIT = re.compile(r"[(\[,][ ]?([^()\[\],]{1,30})[)\]]?$")
_WORD = re.compile(r"[^\W\d_]+")
_NEUTRAL = frozenset("mean median average sd se sem s d range at of the in total value values".split())
"""Words of a heading that do not change what it names."""
_BEFORE = " <>≤≥~≈="
_MARKS = " *†‡§¶"
"""Of footnotes, behind a heading."""


def find_table_numbers(measure: Measure, span: Span) -> Iterator[NumberMatch]:
    """The numbers of a row of a table that stand under, or behind, a heading that names a measure."""
    if not span.cells:
        return
    (_, label), *cells = span.cells
    for name, value in cells:
        for head in (name.strip(_MARKS), label.strip(_MARKS)):
            unit = _HEAD_UNIT.search(head)
            if not _is_named(measure, head):
                continue
            number = value.partition("(")[0].strip()  # '55.5 (42–75)'
            folded, items = read_numbers(f"{number} {unit[1] if unit else ''}".strip())
            if items and not folded.text[: items[0].start].strip(_BEFORE) and measure.takes(items[0].unit):
                last = items[1] if len(items) > 1 and items[1].is_margin else items[0]
                yield NumberMatch(items[0], last, STRENGTH, folded)
                break


def _is_named(measure: Measure, head: str) -> bool:
    """Whether a heading has a word of the measure, all further words of the column's name, and no other."""
    bare = _HEAD.match(head)
    words = _WORD.findall(bare[0].casefold()) if bare else []
    others = [word for word in words if word not in measure.cues and word not in _NEUTRAL]
    left = [word for word in others if not word.startswith(measure.stems or ("\0",))]
    has_stems = all(any(word.startswith(stem) for word in others) for stem in measure.stems)
    return len(others) < len(words) and any(word in measure.cues for word in words) and has_stems and not left
