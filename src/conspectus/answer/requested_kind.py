"""What kind of thing a question asks for, where a sentence without such a thing cannot answer it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from conspectus.lexicon.word_lists import MONTHS
from conspectus.parse.text.figure_mentions import labels_in, without_mentions
from conspectus.search.question_flags import find_names

_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d(?:s\b|\b)")
_NUMBER = re.compile(
    r"(?<![^\W_]-)(?<!\w)\d|\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?"
    r"|millions?|billions?|half|third|quarter|twice|double|triple|single|both|once|twofold|tenfold|all)\b",
    re.IGNORECASE,
)
_CITED = re.compile(r"\([^()]*[A-Z][^()]*\b(?:19|20)\d\d[a-z]?\)")
_DATE = r"(?:1[6-9]|20)\d\d[a-z]?\b(?!\.\d|,\d|\s?%)"
_COUNTS_NOTHING = re.compile(
    rf"[(\[](?:{_DATE}(?:[,;]\s(?:{_DATE}|[a-h]\b))*|\d+(?:\s?[,–-]\s?\d+)*)[)\]]"
    rf"|\b(?:al\.?|(?:and|&)\s[A-Z][\w’'-]+),?\s{_DATE}"
    rf"|\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Dd]uring|[Bb]efore|[Aa]fter|[Bb]y|[Ff]rom)\s(?:[A-Z][a-z]+\s)?{_DATE}"
    r"|\b[pP]\s?[<=>≤]\s?0?\.\d+"
)
"""Years, marks such as "[12]", and probabilities of an error: how many there are is not told by them."""
_TIME = re.compile(
    r"(?<![^\W_]-)(?<!\w)\d|\b(?:" + "|".join(MONTHS).lower() + r"|century|decade"
    r"|yesterday|ancient|medieval|prehistoric|night|day|week|month|year|hour|minute|birth|during|after|before)s?\b",
    re.IGNORECASE,
)


def _number(sentence: str) -> object:
    """A number that is no year, part of a name ("IL-6") or label of a figure."""
    return _NUMBER.search(sentence) and _NUMBER.search(_COUNTS_NOTHING.sub(" ", without_mentions(sentence)))


@dataclass(frozen=True, slots=True)
class RequestedKind:
    """A kind of thing that a question asks for.

    Attributes:
        thing: the kind in words.
        asks: found in questions for it.
        has: whether a sentence has one.
    """

    thing: str
    asks: re.Pattern[str]
    has: Callable[[str], object]

    def is_in(self, sentence: str) -> bool:
        """Whether a sentence has one, beside the years and names of what it cites."""
        return bool(self.has(_CITED.sub(" ", sentence)))


_NAMED = "a figure or table that it names"
_SHOWS = (
    r"s?\b[^?]{0,20}\b(?:show|display|depict|illustrat|present|compar|list|give|report|contain|summari|is|are|has|have)"
)


def asks_for_figure(question: str) -> bool:
    """Whether a figure or table answers: one is named, or it is asked which one shows something."""
    kind = requested_kind(question)
    return kind is not None and kind.thing in ("a figure", "a table", _NAMED)


def _names(kind: str) -> Callable[[str], object]:
    return lambda sentence: any(label.figure_kind == kind for label in labels_in(sentence))


def _asks(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


REQUESTED_KINDS = (
    RequestedKind(
        "a figure",
        _asks(rf"\b(?:which|what) (?:figure|fig\.?|diagram|chart){_SHOWS}"),
        _names("figure"),
    ),
    RequestedKind("a table", _asks(rf"\b(?:which|what) table{_SHOWS}"), _names("table")),
    RequestedKind("a year", _asks(r"\b(?:what|which) (?:year|decade)\b"), _YEAR.search),
    RequestedKind("a time", _asks(r"^when (?:was|were|did|had)\b|\bwhat (?:date|century|time of)\b"), _TIME.search),
    RequestedKind(
        "a number",
        _asks(
            r"\bhow (?:many|old|tall|deep|heavy|massive|thick|wide|large|big|hot|fast|far away)\b"
            r"|\bhow (?:long|far) (?:is|was|are|were)\b"
            r"|\bhow much of\b|\bwhat (?:percentage|percent)\b|^what (?:number|proportion|fraction|share) of\b"
            r"|^what (?:is|was|are|were) the (?:number|percentage|proportion|fraction) of\b"
        ),
        _number,
    ),
    RequestedKind("a name", _asks(r"^who (?:was|were|first|\w+ed|wrote|found|built|made|won|led)\b"), find_names),
)


def requested_kind(question: str) -> RequestedKind | None:
    """What a sentence must have to answer the question; None: unknown."""
    text = " ".join(question.split())
    if labels := {label for label in labels_in(text) if label.kind in ("figure", "table")}:
        return RequestedKind(_NAMED, _asks(""), lambda sentence: not labels.isdisjoint(labels_in(sentence)))
    return next((kind for kind in REQUESTED_KINDS if kind.asks.search(text)), None)
