"""What a model writes, without the references and marks that are its own: the program adds the citations.

What a model adds from memory (DOIs, `(Smith et al., 2015)`, `[99]`, a list of references at the end) is mostly invented
(K10): it is kept apart, and never shown as a citation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.parse.references.cited_works import mentioned_works
from conspectus.parse.references.lists import reference_lines

_NAME = r"e\d++(?:\.\d++)?+"
_MARKS = re.compile(
    rf"[\[(](?:evidence |sentences |sentence )?+{_NAME}(?:\s*+[,;]\s*+{_NAME})*+[\])]"
    r"|</?[a-z]++-[0-9a-f]{8,16}\b[^<>]*+>"
)
_ID = r"\b[a-z2-7]{10}\.[spuv][a-z2-7]{8}\b"
_IDS = re.compile(rf"[\[(]{_ID}(?:\s*[,;]\s*{_ID})*[\])]|{_ID}")
"""Ids of sentences and passages: which a statement rests on is not for a model to write."""
_STRUCK = re.compile(r"~~+")
_COMMAS = re.compile(r",(?:\s*,)+")
_NUMBERS = re.compile(r"\[\d{1,3}(?:\s*[-,–]\s*\d{1,3})*\]")
_BEFORE_STOP = re.compile(r" (?=[.,;:](?:\s|$))")
_KEPT = "\ue000{}\ue001"


def cleaned(text: str, quotes: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """A text without references of its own, ids of evidence, and marks of prompts; and the references taken out.

    What stands so in one of `quotes`, the sentences that the model was shown, is the paper's own and stays.
    """
    sources = " ".join(" ".join(quote.split()) for quote in quotes)
    text = " ".join(_STRUCK.sub("", _MARKS.sub(" ", text)).split())
    ids = tuple(_IDS.findall(text))
    text = _IDS.sub(" ", text)
    marks = (*without_references(text)[1], *_NUMBERS.findall(text))
    kept_marks = [mark for mark in dict.fromkeys(marks) if " ".join(mark.split()) in sources]
    for number, mark in enumerate(kept_marks):
        text = text.replace(mark, _KEPT.format(number))
    text, taken = without_references(text)
    for mark in _NUMBERS.findall(text):
        text, taken = text.replace(mark, " "), (*taken, mark)
    for number, mark in enumerate(kept_marks):
        text = text.replace(_KEPT.format(number), mark)
    text = _COMMAS.sub(",", _BEFORE_STOP.sub("", " ".join(text.split())))
    return text, tuple(dict.fromkeys((*taken, *ids)))


__all__ = ["mentioned_works", "without_references"]

_ROUNDS = 8
_BETWEEN = re.compile(r"(?:[ \t,;–—-]|\band\b|&)*")
_EMPTY = re.compile(
    r"(?:[ \t,;.:]|\b(?:see|also|and|e\.g|cf|i\.e|doi|DOI|url|URL|in|refs?|reviewed in|for review|source|sources)\b)*"
)
_CLOSING = {"(": ")", "[": "]"}


def without_references(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without references of its own, and what was taken out, as it stood.

    Nothing is added, and nothing else is changed, but the space before what was taken out. Of `Smith et al. (2015)`
    the year goes and the names stay, for the sentence needs them.
    """
    text, taken = _without_lists(text)
    for _ in range(_ROUNDS):  # what stood apart may now stand together, as `[1] [2]` in one bracket
        mentions = mentioned_works(text)
        if not mentions:
            break
        taken += [mention.words.strip() for mention in mentions]
        text = _cut(text, [(mention.start, mention.end) for mention in mentions])
    return text, tuple(taken)


def _without_lists(text: str) -> tuple[str, list[str]]:
    """The text without the lines of reference lists, and these."""
    lines = text.split("\n")
    marked = reference_lines(lines)
    if not any(marked):
        return text, []
    remaining = [line for line, gone in zip(lines, marked, strict=True) if not gone]
    while remaining and marked[-1] and not remaining[-1].strip():  # the empty lines before a list at the end
        remaining.pop()
    return "\n".join(remaining), [
        line.strip() for line, gone in zip(lines, marked, strict=True) if gone and line.strip()
    ]


def _cut(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The text without some places, the brackets that they leave empty, and the space before."""
    merged: list[list[int]] = []
    for start, end in places:
        if merged and _BETWEEN.fullmatch(text, merged[-1][1], start):
            merged[-1][1] = end
        else:
            merged.append([start, end])
    parts, at = [], 0
    for start, end in merged:
        first, last = _with_bracket(text, start, end)
        before = text[at : max(first, at)]
        begins_line = before.rstrip(" \t").endswith("\n") or (at == 0 and not before.strip(" \t"))
        follows = text[last : last + 1]
        if begins_line or before[-1:] in ("(", "["):
            while text[last : last + 1] in (" ", "\t"):
                last += 1
        elif not follows or follows in " \t\n.,;:!?)]":
            before = before.rstrip(" \t")
        parts.append(before)
        at = max(last, at)
    return "".join([*parts, text[at:]])


def _with_bracket(text: str, start: int, end: int) -> tuple[int, int]:
    """The place with the brackets around it, where they would hold nothing that says something."""
    for _ in range(3):
        opens = max(text.rfind("(", 0, start), text.rfind("[", 0, start))
        if opens < 0 or not _EMPTY.fullmatch(text, opens + 1, start):
            break
        closes = text.find(_CLOSING[text[opens]], end)
        if closes < 0 or not _EMPTY.fullmatch(text, end, closes):
            break
        start, end = opens, closes + 1
    return start, end
