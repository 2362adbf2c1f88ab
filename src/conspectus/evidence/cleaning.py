"""What a model writes, without the references and marks that are its own: the program adds the citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.evidence.own_references import without_references

_NAME = r"e\d++(?:\.\d++)?+"
_MARKS = re.compile(
    rf"[\[(](?:evidence |sentences? )?+{_NAME}(?:\s*+[,;]\s*+{_NAME})*+[\])]|</?[a-z]++-[0-9a-f]{{8,16}}\b[^<>]*+>"
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
    shown = " ".join(" ".join(quote.split()) for quote in quotes)
    text = " ".join(_STRUCK.sub("", _MARKS.sub(" ", text)).split())
    ids = tuple(_IDS.findall(text))
    text = _IDS.sub(" ", text)
    marks = (*without_references(text)[1], *_NUMBERS.findall(text))
    kept = [mark for mark in dict.fromkeys(marks) if " ".join(mark.split()) in shown]
    for number, mark in enumerate(kept):
        text = text.replace(mark, _KEPT.format(number))
    text, taken = without_references(text)
    for mark in _NUMBERS.findall(text):
        text, taken = text.replace(mark, " "), (*taken, mark)
    for number, mark in enumerate(kept):
        text = text.replace(_KEPT.format(number), mark)
    text = _COMMAS.sub(",", _BEFORE_STOP.sub("", " ".join(text.split())))
    return text, tuple(dict.fromkeys((*taken, *ids)))
