"""Words to lines: by geometry, in the order of the content stream."""

from __future__ import annotations

import re
from itertools import pairwise

from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.thresholds import ALIKE, LINES

_NUMBERING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?|[IVX]{1,5}\.|[A-Z](?:\.\d+)*\.?|[•▪◦·–—*-]|\(?[a-z0-9ivx]{1,3}[.)]|\[\d{1,3}\])"
)


def build_lines(page: int, words: list[Word]) -> list[Line]:
    """The words as lines; superscripts and subscripts belong to the line they stand on."""
    lines: list[Line] = []
    for word in words:
        if lines and _continues(lines[-1].words, word):
            if lines[-1].words[-1].style is not word.style:
                _mark_raised(lines[-1].words, word)
            else:
                word.raised = lines[-1].words[-1].raised
            word.glued = word.glued or _after_drop_cap(lines[-1].words, word)
            lines[-1].words.append(word)
        else:
            word.glued = False
            lines.append(Line(page, [word]))
    return lines


def _continues(words: list[Word], word: Word) -> bool:
    """Whether `word` stands on the same line as `words`, next to the last of them."""
    last = words[-1]
    if (
        last.style is word.style and abs(last.base - word.base) < LINES.level
    ):  # the common case first: it decides the speed
        return -LINES.overlap * word.style.size <= word.x0 - last.x1 <= LINES.gap * word.style.size
    size = max(last.style.size, word.style.size)
    if not -LINES.overlap * size <= word.x0 - last.x1 <= LINES.gap * size or word.x0 < words[0].x0 - 1:
        return False
    main = max(words[-6:], key=lambda w: w.style.size)
    overlap = min(main.bottom, word.bottom) - max(main.top, word.top)
    return overlap >= LINES.share * min(main.style.size, word.style.size)


def _after_drop_cap(words: list[Word], word: Word) -> bool:
    """Whether `word` goes on after a big first letter. `A` and `I` are taken for words of their own."""
    first = words[0]
    big = len(words) == 1 and first.style.size > ALIKE.drop_cap * word.style.size
    return big and len(first.text) == 1 and first.text.isupper() and first.text not in "AI"


def _mark_raised(words: list[Word], word: Word) -> None:
    """Sets `word.raised` where it is smaller than the words before it and stands higher."""
    main = max(words[-4:], key=lambda w: w.style.size)
    lifted = main.base - word.base
    word.raised = word.style.size < ALIKE.index * main.style.size and lifted > ALIKE.lifted * main.style.size


def with_small_pieces(lines: list[Line]) -> list[Line]:
    """`lines` with superscripts and subscripts that stand apart in the stream put into the lines they belong to."""
    hosts = [line for line in lines if line.wordlike]
    homes: dict[Line, list[Line]] = {}
    kept = []
    for line in lines:
        host = next((host for host in hosts if _hosts(host, line)), None) if len(line.text) < 8 else None
        if host is None:
            kept.append(line)
        else:
            homes.setdefault(host, []).append(line)
    return [_with_pieces(line, homes[line]) if line in homes else line for line in kept]


def _hosts(host: Line, piece: Line) -> bool:
    if host is piece or piece.size > ALIKE.index * host.size:
        return False
    inside = host.x0 < piece.x0 < host.x1 + 0.5 * host.size
    return inside and -LINES.hangs < (host.base - piece.base) / host.size < LINES.stands


def _with_pieces(line: Line, pieces: list[Line]) -> Line:
    """The line with the words of `pieces` among its own, from left to right."""
    words = sorted([*line.words, *(word for piece in pieces for word in piece.words)], key=lambda word: word.x0)
    small = {word for piece in pieces for word in piece.words}
    for before, word in pairwise(words):
        if word in small or before in small:
            word.glued = word.x0 - before.x1 < LINES.touch * line.size
            word.raised = word in small and line.base - word.base > ALIKE.lifted * line.size
    return Line(line.page, words)


def rejoin(lines: list[Line], gutters: tuple[float, ...]) -> list[Line]:
    """`lines` with those put together that stand side by side and were split by a wide space only."""
    merged: list[Line] = []
    for line in lines:
        if merged and _same_row(merged[-1], line) and _only_a_space(merged[-1], line, gutters):
            _mark_raised(merged[-1].words, line.words[0])
            merged[-1] = Line(line.page, merged[-1].words + line.words)
        else:
            merged.append(line)
    return _join_justified(merged, gutters)


def _join_justified(lines: list[Line], gutters: tuple[float, ...]) -> list[Line]:
    """`lines` with the pieces of widely justified ones put together: narrow columns without hyphens have such."""
    joined: list[Line] = []
    i = 0
    while i < len(lines):
        end = i + 1
        while end < len(lines) and _same_row(lines[end - 1], lines[end]):
            end += 1
        row = lines[i:end]
        near = [*joined[-1:], *lines[end : end + 1]]
        if len(row) > 1 and any(_is_justified(row, line, gutters) for line in near):
            joined.append(Line(row[0].page, [word for line in row for word in line.words]))
        else:
            joined += row
        i = end
    return joined


def _is_justified(row: list[Line], near: Line, gutters: tuple[float, ...]) -> bool:
    """Whether the row fills the column as the line above or below it does, with equal spaces between its words."""
    size = near.size
    x0, x1 = row[0].x0, row[-1].x1
    if near.wordlike < 3 or abs(near.x1 - x1) > LINES.edge or abs(near.x0 - x0) > 3 * size:
        return False
    if not LINES.tight * size < abs(near.base - row[0].base) < ALIKE.far * size or any(
        abs(line.size - size) > ALIKE.size for line in row
    ):
        return False
    if any(x0 < gutter < x1 for gutter in gutters):
        return False
    words = [word for line in row for word in line.words]
    starts = {line.words[0] for line in row}
    gaps = [b.x0 - a.x1 for a, b in pairwise(words) if not b.glued or b in starts]
    return max(gaps) - min(gaps) < LINES.even * size


def _same_row(left: Line, right: Line) -> bool:
    beside = right.x0 >= left.x1 - 1
    raised = (
        right.size < ALIKE.index * left.size
        and len(right.words) <= 2
        and -LINES.sinks < (left.base - right.base) / left.size < LINES.stands
    )
    return beside and (raised or abs(left.base - right.base) < LINES.beside * right.size)


def _only_a_space(left: Line, right: Line, gutters: tuple[float, ...]) -> bool:
    gap = (right.x0 - left.x1) / max(left.size, right.size)
    if any(left.x1 - 2 <= gutter <= right.x0 + 2 for gutter in gutters):
        return False
    if _NUMBERING.fullmatch(left.text):
        return gap < LINES.numbered
    if right.size < ALIKE.index * left.size and left.wordlike and gap < LINES.spaced:
        return True
    return gap < LINES.wide and left.wordlike + right.wordlike >= (2 if gap < LINES.spaced else 4)
