"""Personal names as they are printed below a title or written into a file's information."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.parse.byline import CLOSE, OPEN, Named, byline, read_byline
from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.thresholds import ALIKE, AROUND
from conspectus.records import Author

_SMALL_CAPITALS = re.compile(r"[^\W\d_]{2,}")


def named_in_lines(lines: Sequence[Line]) -> tuple[Named, ...]:
    """The names where `lines` are nothing but names, with the marks that stand with them, else none."""
    return byline(marked_text(lines))


def worth_as_names(lines: Sequence[Line]) -> int:
    """How many names the lines have, less the pieces of the list that are none."""
    named, left_over = read_byline(marked_text(lines))
    return len(named) - left_over


def names_in_lines(lines: Sequence[Line]) -> list[Author]:
    """The names where `lines` are nothing but names, else none."""
    return [named.author for named in named_in_lines(lines)]


def names_in(text: str) -> list[Author]:
    """The names of a list such as `A. Bee, C. Dee and E. Eff`; none where a quarter of it or more is something else."""
    return [named.author for named in byline(text)]


def marked_text(lines: Sequence[Line]) -> str:
    """The lines' texts with superscripts told as marks, and wide gaps as separators."""
    size = max((word.style.size for line in lines for word in line.words), default=0.0)
    return "\n".join(_marked(line, size) for line in lines)


def _marked(line: Line, size: float) -> str:
    parts: list[str] = []
    last: Word | None = None
    for word in line.words:
        mark = word.raised or (word.style.size < ALIKE.small * size and not _SMALL_CAPITALS.search(word.text))
        if last is not None and word.x0 - last.x1 > AROUND.names_wide * line.size:
            parts.append("\t")
        elif last is not None and not word.glued:
            parts.append(" ")
        parts.append(f"{OPEN}{word.text}{CLOSE}" if mark else word.text)
        last = word
    return "".join(parts)
