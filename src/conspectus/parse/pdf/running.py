"""Running text told from words that stand in figures: several full lines below each other that read as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.parse.pdf.front import reads_as_prose
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.thresholds import ALIKE, LINES, ROLES

_LEAST_LINES, _LEAST_WORDS = 3, 4
_STOP = re.compile(r"[a-z)\]]{2}[.?!](?:\s|$)")


def running_text(lines: Sequence[Line]) -> set[Line]:
    """Those of `lines` that are of running text.

    Three lines or more that begin at one edge, follow each other closely in one font, and have several words each are,
    where they read as prose and a sentence ends in them.
    """
    found: set[Line] = set()
    run: list[Line] = []
    for line in lines:
        if run and not _follows(run[-1], line):
            found |= _ids(run)
            run = []
        run.append(line)
    return found | _ids(run)


def _follows(above: Line, line: Line) -> bool:
    step = line.base - above.base
    same = above.style.font == line.style.font and abs(above.size - line.size) < ALIKE.size
    return (
        same and LINES.least_step * line.size < step < ALIKE.far * line.size and abs(above.x0 - line.x0) < 2 * line.size
    )


def _ids(run: Sequence[Line]) -> set[Line]:
    text = " ".join(line.text for line in run)
    wordy = sum(line.wordlike >= _LEAST_WORDS for line in run)
    if wordy < max(_LEAST_LINES, ROLES.prose_most * len(run)) or not _STOP.search(text) or not reads_as_prose(text):
        return set()
    return set(run)
