"""What no step of the reader wants, kept as text: it is found by a search, and nothing of a page is lost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from conspectus.parse.blocks import text_block
from conspectus.parse.pdf.accounts import STAMPS
from conspectus.parse.pdf.authors import names_in_lines
from conspectus.parse.pdf.front import is_set_as_text
from conspectus.parse.pdf.groups import Group, Role, merged
from conspectus.parse.pdf.lines import build_lines
from conspectus.parse.pdf.measure import Usual
from conspectus.parse.pdf.model import Line, PageText
from conspectus.parse.pdf.prose import extent, reads_as_prose
from conspectus.parse.pdf.thresholds import ALIKE, LINES, ROLES
from conspectus.parse.pdf.venue import FRONT_LINE, SMALL_PRINT
from conspectus.records import Block, Place

_SIGN = re.compile(r"[=<>≤≥≈∼≃≡∝→−∫∑∏∂∇√{}]")
_SHORTEST = 60
_LONG_STAMP = 200
"""Turned text of so many letters that reads as prose is none."""
_LEAST_LINES, _LEAST_WORDS = 3, 4
_STOP = re.compile(r"[a-z)\]]{2}[.?!](?:\s|$)")


def restore_prose(groups: Sequence[Group], before: Sequence[Role | None], title: Group | None, body: Usual) -> None:
    """Makes text again of what the search for the front matter took for it and what reads as sentences.

    `before` are the roles that the groups had. A heading right above such text is one again.
    """
    named = set(title.lines) if title else set()
    restored = False
    for group, role in zip(reversed(groups), reversed(before), strict=True):
        if group.role != Role.FRONT or any(line in named for line in group.lines):
            restored = restored and group.role != Role.FRONT
        elif role == Role.HEADING and restored:
            group.role, restored = Role.HEADING, False
        else:
            restored = _is_prose(group, body)
            group.role = Role.PARAGRAPH if restored else Role.FRONT


def _is_prose(group: Group, body: Usual) -> bool:
    """Whether the group is running text rather than names, addresses, dates or rights."""
    if is_set_as_text(group, body):
        return True
    text = group.text
    if extent(text) < _SHORTEST or SMALL_PRINT.match(text) or FRONT_LINE.match(text) or "@" in text:
        return False
    return reads_as_prose(text) and not names_in_lines(group.lines)


def keep_rest(groups: Sequence[Group]) -> list[Group]:
    """`groups` with those that were taken for nothing to read: as formulas, or as rows of words (`rest`).

    Those that follow each other on a page are one.
    """

    def goes_on(last: Group, group: Group) -> bool:
        return last.role == group.role == Role.FLOAT and last.last.page == group.first.page

    kept = merged(groups, goes_on)
    for group in kept:
        if group.role == Role.FLOAT:
            group.role = Role.EQUATION if _is_formula(group) else Role.REST
    return kept


def _is_formula(group: Group) -> bool:
    """Whether the group is pieces of a formula: signs, and few letters of words."""
    letters = sum(line.word_letters for line in group.lines)
    return letters < 0.5 * len(group.text.replace(" ", "")) and _SIGN.search(group.text) is not None


def unclaimed(pages: Sequence[PageText], groups: Sequence[Group]) -> list[Group]:
    """`groups`, and behind those of each page what of its words is in none and has no fate either."""
    claimed = {word for group in groups for line in group.lines for word in line.words}
    result = list(groups)
    for page in pages:
        words = [word for word in page.words if word.fate is None and word not in claimed]
        if words:
            at = max((i for i, group in enumerate(result) if group.first.page <= page.number), default=-1)
            result.insert(at + 1, Group(build_lines(page.number, words), role=Role.REST))
    return result


def slanted_texts(pages: Sequence[PageText]) -> list[Block]:
    """The sentences that run along no edge of their page. What is left of turned text is settled as stamps."""
    blocks: list[Block] = []
    for page in pages:
        for turned in page.stamps:
            if turned.fate is not None:
                continue
            if turned.words or not reads_as_prose(turned.text) or len(turned.text) < _LONG_STAMP:
                turned.fate = "furniture", STAMPS
                continue
            turned.fate = "text", ""
            block = text_block("paragraph", turned.text)
            place = Place(page.number, page.frame.on_page(turned.box))
            blocks.append(replace(block, sentences=tuple(replace(s, places=(place,)) for s in block.sentences)))
    return blocks


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
