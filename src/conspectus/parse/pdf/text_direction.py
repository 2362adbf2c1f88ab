"""Text in other directions: pages that are read from right to left, and text that is turned on its page.

Right-to-left pages (Arabic, Hebrew) are laid out as if seen in a mirror. PDFium gives their characters in the order in
which they are read; in a mirror they also stand from left to right, so that every later step reads them like any other
text, and the frame turns the places back to the page as displayed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.page_text import PageFrame, PdfLine, PdfPageText, Turned, Word
from conspectus.parse.pdf.thresholds import LINES
from conspectus.records import Rect

LEFTWARD = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
"""Hebrew, Arabic, Syriac and their neighbours, and the forms of their letters within words."""
_FORMS = re.compile(r"[\ufb1d-\ufdff\ufe70-\ufeff]+")
_FINAL = "\u0629\u0649\u05da\u05dd\u05df\u05e3\u05e5"
"""Letters with which words end and never begin: teh marbuta, alef maksura, the final forms of Hebrew."""
_BEGINS_FINAL = re.compile(rf"(?<!\w)[{_FINAL}]\w")
_ENDS_FINAL = re.compile(rf"\w[{_FINAL}](?!\w)")
_LEAST_FINAL = 2
_LEAST_ROWS, _LEAST_WORDS = 3, 6
"""Fewer rows or words that are turned are stamps, names of axes or labels beneath them."""


def mirror_leftward(page: PdfPageText) -> None:
    """Mirror the words of `page` and make them whole where most letters run from right to left."""
    text = "".join(word.text for word in page.words)
    leftward = 0 if text.isascii() else len(LEFTWARD.findall(text))
    if not leftward or 2 * leftward <= sum(map(str.isalpha, text)):
        return
    for word in page.words:
        word.text = _FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), word.text)
    if _is_drawn_rightward(page.words):
        page.words = _joined(list(_in_order_of_drawing(page.words)))
        return
    width = page.frame.width

    def mirror(box: Rect) -> Rect:
        x0, y0, x1, y1 = box
        return width - x1, y0, width - x0, y1

    for word in [*page.words, *(hidden.word for hidden in page.hidden)]:
        word.x0, word.x1 = width - word.x1, width - word.x0
    for stamp in page.stamps:
        stamp.box = mirror(stamp.box)
    page.graphics = [graphic._replace(box=mirror(graphic.box)) for graphic in page.graphics]
    page.frame = replace(page.frame, mirrored=True)
    page.words = _joined(page.words)


def _is_drawn_rightward(words: list[Word]) -> bool:
    """Whether the letters were drawn from left to right, by programs that know nothing of the script.

    PDFium then gives each line backwards: letters that only end words begin them.
    """
    text = ""
    for before, word in pairwise([words[0], *words]):
        gap, size = before.x0 - word.x1, word.style.size
        touches = before is word or -LINES.raised * size < gap < LINES.touch * size
        text += word.text if touches else f" {word.text}"
    backwards, forwards = len(_BEGINS_FINAL.findall(text)), len(_ENDS_FINAL.findall(text))
    return backwards > max(forwards, _LEAST_FINAL)


def _in_order_of_drawing(words: list[Word]) -> Iterator[Word]:
    """The words of each line from left to right, their letters too."""
    for line in split_runs(words, lambda run, word: abs(run[-1].base - word.base) < LINES.level):
        for word in sorted(line, key=lambda word: word.x0):
            word.text = word.text[::-1] if LEFTWARD.search(word.text) else word.text
            word.glued = False
            yield word


def _joined(words: list[Word]) -> list[Word]:
    """The words put together of the letters that stand next to each other."""
    joined: list[Word] = []
    for word in words:
        if joined and _touches(joined[-1], word):
            joined[-1].text += word.text
            joined[-1].x1 = max(joined[-1].x1, word.x1)
        else:
            joined.append(word)
    return joined


def _touches(before: Word, word: Word) -> bool:
    size = word.style.size
    leftward = LEFTWARD.search(before.text[-1]) is not None or LEFTWARD.match(word.text) is not None
    level = before.style is word.style and abs(before.base - word.base) < LINES.level
    return leftward and level and -LINES.raised * size < word.x0 - before.x1 < LINES.touch * size


def turned_sheets(pages: Iterable[PdfPageText]) -> Iterator[PdfPageText]:
    """For each direction in which a page has rows of text besides its own direction, a page with these rows.

    Lines that have a fate, such as those inside figures, are not among them. The sheet has its page's number.
    """
    for page in pages:
        frames = {turned.frame for turned in page.stamps if turned.fate is None and turned.frame is not None}
        for frame in sorted(frames, key=lambda frame: frame.turns):
            lines = [turned for turned in page.stamps if turned.fate is None and turned.frame == frame]
            if _are_rows(lines):
                yield _sheet(page, frame, lines)


def _sheet(page: PdfPageText, frame: PageFrame, lines: Sequence[Turned]) -> PdfPageText:
    sheet = PdfPageText(page.number, frame, words=[word for line in lines for word in line.words])
    sheet.graphics = [
        graphic._replace(box=page.frame.move_rect(graphic.box, frame))
        for graphic in page.graphics
        if graphic.kind != "turned"
    ]
    return sheet


def _are_rows(lines: Iterable[Turned]) -> bool:
    """Whether lines follow each other as closely as rows of text or of a table do."""
    level = sorted((PdfLine(0, turned.words) for turned in lines), key=lambda line: line.base)
    rows = sum(0.5 * b.size < b.base - a.base < LINES.rows_apart * b.size for a, b in pairwise(level))
    return rows + 1 >= _LEAST_ROWS and sum(line.wordlike for line in level) >= _LEAST_WORDS


def settle_turned_lines(pages: Iterable[PdfPageText]) -> None:
    """Gives each turned line the fate of its words."""
    for page in pages:
        for turned in page.stamps:
            if turned.fate is None and turned.words:
                turned.fate = turned.words[0].fate
