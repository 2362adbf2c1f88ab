"""What the user is told of a document that may not have been read well, and of sentences that were recognised."""

from __future__ import annotations

import re
from dataclasses import replace

from conspectus.core.languages import EAST_ASIAN
from conspectus.parse.pdf.model import PageText
from conspectus.parse.pdf.thresholds import AROUND
from conspectus.records import Block, Sentence

_LEFTWARD = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_UNREADABLE = re.compile(r"[\ufffd\ue000-\uf8ff]")
_LONG = 2000
"""A shorter text without words may be a table or a figure."""


def doubts(pages: list[PageText]) -> list[str]:
    """Warnings, one sentence each: pages that are pictures, and scripts or fonts that are read uncertainly."""
    found = []
    if scanned := [page.number for page in pages if page.scanned and not page.recognised]:
        found.append(
            f"{_named(scanned, 'is a picture', 'are pictures')} without a text layer (a scan?), and left out: "
            "parse.ocr = auto has such pages recognised (pip install 'conspectus[ocr]')."
        )
    if recognised := [page.number for page in pages if page.recognised and page.lines]:
        found.append(
            f"{_named(recognised, 'was', 'were')} recognised by OCR; "
            f"{'its' if len(recognised) == 1 else 'their'} words may be wrong."
        )
    if empty := [page.number for page in pages if page.recognised and not page.lines]:
        found.append(f"{_named(empty, 'is a picture', 'are pictures')} in which no text was recognised (OCR).")
    text = "".join(line.text for page in pages for line in page.lines)
    least = max(AROUND.unreadable * len(text), 1)
    if len(_LEFTWARD.findall(text)) > least:
        found.append("The text runs from right to left: the order of its words may be wrong.")
    if len(EAST_ASIAN.findall(text)) > least:
        found.append("The text is Chinese, Japanese or Korean: where its words and columns begin may be wrong.")
    unread = len(_UNREADABLE.findall(text)) > least
    if unread or (len(text) > _LONG and not text.isascii() and _without_words(pages, text)):
        found.append("Some fonts of the file do not say which letters they draw: part of the text is unreadable.")
    return found


def _without_words(pages: list[PageText], text: str) -> bool:
    """Whether hardly any of the text's signs are letters of words, as where fonts number their glyphs at will."""
    if _LEFTWARD.search(text) or EAST_ASIAN.search(text):
        return False
    return sum(line.word_letters for page in pages for line in page.lines) < AROUND.unreadable * len(text)


def _named(numbers: list[int], one: str, many: str) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
    return f"Page {shown} {one}" if len(numbers) == 1 else f"Pages {shown} {many}"


def labelled(blocks: list[Block], recognised: set[int]) -> list[Block]:
    """The blocks, with those sentences marked that stand on pages whose text was recognised."""
    if not recognised:
        return blocks
    return [
        replace(block, sentences=tuple(_labelled(each, recognised) for each in block.sentences)) for block in blocks
    ]


def _labelled(sentence: Sentence, pages: set[int]) -> Sentence:
    guessed = any(place.page in pages for place in sentence.places)
    return replace(sentence, recognised=True) if guessed else sentence
