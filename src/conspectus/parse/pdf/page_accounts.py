"""The account of every page: what became of each of its words, what was left out, and what is kept as text.

The words of a page are all in `PageText.words`, and the step that takes some of them up or away says so with `settle`.
What no step has settled is text, so that nothing can get lost without a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from conspectus.core.text import EAST_ASIAN
from conspectus.parse.pdf.authors import names_in_lines
from conspectus.parse.pdf.front_matter import is_set_as_text
from conspectus.parse.pdf.lines import Usual, build_lines
from conspectus.parse.pdf.metadata import FRONT_LINE, SMALL_PRINT
from conspectus.parse.pdf.page_text import (
    LINE_NUMBERS,
    STAMPS,
    LineGroup,
    PdfLine,
    PdfPageText,
    Role,
    Word,
    around,
    merge_groups,
)
from conspectus.parse.pdf.patterns import extent, reads_as_prose
from conspectus.parse.pdf.text_direction import LEFTWARD
from conspectus.parse.pdf.thresholds import AROUND, SIGHT
from conspectus.parse.text.blocks import text_block
from conspectus.records import Block, Fate, Hidden, LeftOut, PageAccount, Place, Sentence, Share

_KEPT_APART = ("front", "figure", "furniture")
"""Fates of words that are in no block and are told word by word."""
_FATE_OF = attrgetter("fate")
_TEXT: tuple[Fate, str] = "text", ""
_UNREAD = "characters that its fonts do not explain"
_UNREADABLE = re.compile(r"[\ufffd\ue000-\uf8ff]")
_LONG = 2000
"""A shorter text without words may be a table or a figure."""
_SIGN = re.compile(r"[=<>≤≥≈∼≃≡∝→−∫∑∏∂∇√{}]")
_SHORTEST = 60
_LONG_STAMP = 200
"""Turned text of so many letters that reads as prose is none."""


def account_page(page: PdfPageText) -> PageAccount:
    """The account of a page whose words are all settled."""
    counts = Counter[tuple[Fate, str]]()
    for fate, words in groupby(page.words, _FATE_OF):
        counts[fate or _TEXT] += sum([len(word.text) for word in words])
    for turned in page.stamps:
        counts[turned.fate or _TEXT] += len(turned.text.replace(" ", ""))
    for hidden in page.hidden:
        counts["hidden", hidden.reason] += len(hidden.word.text)
    if page.unread:
        counts["unread", _UNREAD] += len(page.unread)
    shares = tuple(Share(fate, reason, count) for (fate, reason), count in counts.most_common() if count)
    return PageAccount(page.number, counts.total(), shares)


def list_left_out(page: PdfPageText) -> Iterator[LeftOut]:
    """What of the page's words is in no block and not hidden, in the order of the content stream."""
    runs: dict[tuple[Fate, str], list[list[Word]]] = {}
    last: tuple[Fate, str] | None = None
    for word in page.words:
        fate = word.fate
        if fate is not None and fate[0] in _KEPT_APART:
            own_runs = runs.setdefault(fate, [])
            if own_runs and (_is_one(fate) or (fate == last and _is_near(own_runs[-1][-1], word))):
                own_runs[-1].append(word)
            else:
                own_runs.append([word])
        last = fate
    for what, fate_runs in runs.items():
        for words in fate_runs:
            line = PdfLine(page.number, words)
            yield LeftOut(*what, line.text, Place(page.number, page.frame.on_page(line.box)))
    for what, stamps in groupby(page.stamps, lambda stamp: stamp.fate or _TEXT):
        if what[0] in _KEPT_APART:
            turned = list(stamps)
            for part in [turned] if _is_one(what) else [[stamp] for stamp in turned]:
                box = around(stamp.box for stamp in part)
                text = " ".join(stamp.text for stamp in part)
                yield LeftOut(what[0], what[1], text, Place(page.number, page.frame.on_page(box)))


def _is_one(fate: tuple[Fate, str]) -> bool:
    """Whether what has this fate is one thing on its page, wherever its words stand."""
    return fate[0] == "figure" or fate[1] == LINE_NUMBERS


def _is_near(last: Word, word: Word) -> bool:
    return abs(last.base - word.base) < SIGHT.line_gap * max(last.style.size, word.style.size)


def list_hidden(page: PdfPageText) -> Iterator[Hidden]:
    """The hidden words of the page, put together where they follow each other on one baseline."""
    for (reason, _), hidden_words in groupby(page.hidden, key=lambda hidden: (hidden.reason, hidden.word.base)):
        line = PdfLine(page.number, [hidden.word for hidden in hidden_words])
        yield Hidden(line.text, reason, Place(page.number, page.frame.to_display(line.box)))


def list_doubts(pages: list[PdfPageText]) -> list[str]:
    """Warnings, one sentence each: pages that are pictures, and scripts or fonts that are read uncertainly."""
    doubts = []
    if scanned := [page.number for page in pages if page.scanned and not page.recognised]:
        doubts.append(
            f"{_list_pages(scanned, 'is a picture', 'are pictures')} without a text layer (a scan?), and left out: "
            "parse.ocr = auto has such pages recognised (pip install 'conspectus[ocr]')."
        )
    if recognised := [page.number for page in pages if page.recognised and page.lines]:
        doubts.append(
            f"{_list_pages(recognised, 'was', 'were')} recognised by OCR; "
            f"{'its' if len(recognised) == 1 else 'their'} words may be wrong."
        )
    if empty := [page.number for page in pages if page.recognised and not page.lines]:
        doubts.append(f"{_list_pages(empty, 'is a picture', 'are pictures')} in which no text was recognised (OCR).")
    text = "".join(line.text for page in pages for line in page.lines)
    least = max(AROUND.unreadable * len(text), 1)
    if len(LEFTWARD.findall(text)) > least:
        doubts.append("The text runs from right to left: the order of its words may be wrong.")
    if len(EAST_ASIAN.findall(text)) > least:
        doubts.append("The text is Chinese, Japanese or Korean; boundaries of words and columns may be wrong.")
    unread = len(_UNREADABLE.findall(text)) > least
    if unread or (len(text) > _LONG and not text.isascii() and _without_words(pages, text)):
        doubts.append("Some fonts of the file do not say which letters they draw: part of the text is unreadable.")
    return doubts


def _without_words(pages: list[PdfPageText], text: str) -> bool:
    """Whether hardly any of the text's signs are letters of words, as where fonts number their glyphs at will."""
    if LEFTWARD.search(text) or EAST_ASIAN.search(text):
        return False
    return sum(line.word_letters for page in pages for line in page.lines) < AROUND.unreadable * len(text)


def _list_pages(numbers: list[int], singular: str, plural: str) -> str:
    listing = ", ".join(map(str, numbers[:8])) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
    return f"Page {listing} {singular}" if len(numbers) == 1 else f"Pages {listing} {plural}"


def mark_recognised(blocks: list[Block], recognised: set[int]) -> list[Block]:
    """The blocks, with those sentences marked that stand on pages whose text was recognised."""
    if not recognised:
        return blocks

    def mark(sentence: Sentence) -> Sentence:
        guessed = any(place.page in recognised for place in sentence.places)
        return replace(sentence, recognised=True) if guessed else sentence

    return [replace(block, sentences=tuple(map(mark, block.sentences))) for block in blocks]


def restore_prose(
    groups: Sequence[LineGroup], before: Sequence[Role | None], title: LineGroup | None, body: Usual
) -> None:
    """Makes text again of what the search for the front matter took for it and what reads as sentences.

    `before` are the roles that the groups had. A heading right above such text is one again.
    """
    title_lines = set(title.lines) if title else set()
    restored = False
    for group, role in zip(reversed(groups), reversed(before), strict=True):
        if group.role != Role.FRONT or any(line in title_lines for line in group.lines):
            restored = restored and group.role != Role.FRONT
        elif role == Role.HEADING and restored:
            group.role, restored = Role.HEADING, False
        else:
            restored = _is_prose(group, body)
            group.role = Role.PARAGRAPH if restored else Role.FRONT


def _is_prose(group: LineGroup, body: Usual) -> bool:
    """Whether the group is running text rather than names, addresses, dates or rights."""
    if is_set_as_text(group, body):
        return True
    text = group.text
    if extent(text) < _SHORTEST or SMALL_PRINT.match(text) or FRONT_LINE.match(text) or "@" in text:
        return False
    return reads_as_prose(text) and not names_in_lines(group.lines)


def keep_rest(groups: Sequence[LineGroup]) -> list[LineGroup]:
    """`groups` with those that were taken for nothing to read: as formulas, or as rows of words (`rest`).

    Those that follow each other on a page are one.
    """

    def goes_on(last: LineGroup, group: LineGroup) -> bool:
        return last.role == group.role == Role.FLOAT and last.last.page == group.first.page

    merged_groups = merge_groups(groups, goes_on)
    for group in merged_groups:
        if group.role == Role.FLOAT:
            group.role = Role.EQUATION if _is_formula(group) else Role.REST
    return merged_groups


def _is_formula(group: LineGroup) -> bool:
    """Whether the group is pieces of a formula: signs, and few letters of words."""
    letters = sum(line.word_letters for line in group.lines)
    return letters < 0.5 * len(group.text.replace(" ", "")) and _SIGN.search(group.text) is not None


def add_unclaimed(pages: Sequence[PdfPageText], groups: Sequence[LineGroup]) -> list[LineGroup]:
    """`groups`, and behind those of each page what of its words is in none and has no fate either."""
    claimed = {word for group in groups for line in group.lines for word in line.words}
    result = list(groups)
    for page in pages:
        words = [word for word in page.words if word.fate is None and word not in claimed]
        if words:
            at = max((i for i, group in enumerate(result) if group.first.page <= page.number), default=-1)
            result.insert(at + 1, LineGroup(build_lines(page.number, words), role=Role.REST))
    return result


def slanted_texts(pages: Sequence[PdfPageText]) -> list[Block]:
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
