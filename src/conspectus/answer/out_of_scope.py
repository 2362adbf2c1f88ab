"""What answering in words declines, with where to go instead (F18): counting and calculating over the library."""

from __future__ import annotations

import re
from dataclasses import replace

from conspectus.core.errors import UsageError
from conspectus.core.text import pluralize
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Filters
from conspectus.search.query_syntax import plain_query
from conspectus.search.retriever import Retriever
from conspectus.search.search import count_matches

_THINGS = (
    r"(?:papers?|articles?|studies|publications?|preprints?|manuscripts?|abstracts?|documents?|records?|authors?|journals?"
    r"|references|citations|pdfs?|files)"
)
_FEW = r"(?:(?!(?:for|per|in|on|by|with|from|to|at|each|does?|did|are|is)\b)[\w-]+ ){0,3}?"
"""Some words before the thing that is counted, and that belong to it."""
_ALL = rf"(?:{_THINGS}|library|corpus|collection)\b"
_STATISTICS = r"average|mean|median|sum|total|standard deviation|distribution|histogram|correlation|ratio|trend"
_COUNTING: tuple[str, ...] = (
    rf"\bhow many {_FEW}{_THINGS}\b",
    rf"\b(?:count|tally|enumerate)\b (?:up )?(?:all |the |of |how many )*{_FEW}{_THINGS}\b",
    rf"\b(?:number|amount|percentage|proportion|share|fraction) of (?:all |the |these |your )*{_FEW}{_THINGS}\b",
    rf"\b(?:which|what) {_FEW}(?:authors?|journals?|years?|institutions?) (?:has |have |had )?"
    r"(?:published |written |wrote )?(?:the )?(?:most|fewest)\b",
    rf"\b(?:list|show|give|name)(?: me)? (?:all|every)(?: of)?(?: the)? {_FEW}{_THINGS}\b",
)
_CALCULATING = (
    r"\bhow (?:many|much)\b.{0,80}\b(?:over|across|in|of) (?:all|every|the whole) "
    rf"(?:the |these |your )?{_FEW}{_ALL}",
    rf"\b(?:calculate|compute|work out|add up|sum up|plot)\b.{{0,80}}\b(?:{_STATISTICS})\b.{{0,120}}\b{_ALL}",
    rf"\b(?:{_STATISTICS}) .{{0,60}}\b(?:across|over|of|in) (?:all|every|the whole|your|this|the) {_FEW}{_ALL}",
    r"^(?:what is|what's|calculate|compute|evaluate)? ?[-+(]*\d[\d .,()]*(?:[-+*/^×÷][ ()]*\d[\d .,()]*)+=? ?\??$",
)
_WRITTEN = (
    r"(?:papers?|articles?|publications?|preprints?|manuscripts?|abstracts?|records?|authors?|journals?|library|corpus"
    r"|collection|literature)"
)
"""Things of a library that are hardly ever what a paper reports numbers of."""
_QUANTITY = (
    r"(?:how (?:many|often|much)|number|count|tally|totals?|percent|percentage|proportion|share|fraction|ratio|average"
    r"|mean|median|sum|most|fewest|distribution|histogram|trend|per (?:year|decade|author|journal)"
    r"|(?:each|every) (?:year|decade)|top (?:\d+|ten|five|three)|rank(?:ed|ing)?|as many)"
)
_COUNTING += (
    rf"\b(?:more|fewer) {_FEW}{_THINGS}\b.{{0,120}}\bthan\b",
    r"\bwho (?:has |have )?(?:published|written|wrote|publishes|writes) (?:the )?(?:most|more)\b",
    rf"\b{_QUANTITY}\b.{{0,120}}\b{_WRITTEN}\b",
    rf"\b{_WRITTEN}\b.{{0,120}}\b{_QUANTITY}\b",
)
_COUNTS = re.compile("|".join(_COUNTING), re.IGNORECASE)
_OF_ONE = re.compile(
    rf"\bhow many {_FEW}{_THINGS} (?:did|does|do|were|was|has|have) (?:the|this|that) (?!.{{0,40}}\b{_WRITTEN}\b)",
    re.IGNORECASE,
)
"""What one paper says of itself: "How many studies did the meta-analysis include?"."""
_CALCULATES = re.compile("|".join(_CALCULATING), re.IGNORECASE)
_YEAR = re.compile(
    r"(?:\b(?P<bound>since|from|after|before|until|by|up to) )?\b(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_BOUNDS: dict[str, tuple[int | None, int | None]] = {
    **dict.fromkeys(("since", "from"), (0, None)),
    **dict.fromkeys(("until", "by", "up to"), (None, 0)),
    "after": (1, None),
    "before": (None, -1),
}
"""Words before a year -> what is added to it for the first and the last year; None: open."""
_ASKING = re.compile(
    rf"\b(?:many|count|tally|enumerate|number|amount|there|all|every|about|on|library|corpus|collection|{_THINGS}"
    r"|appear(?:ed|s)?|published|written|exists?|available|deals?|mentions?|discuss(?:es)?|different|worked|grow[ns]?|grew"
    r"|years?)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COUNTED = re.compile(
    "|".join((*_COUNTING[:2], *_COUNTING[-2:])) + rf"|\b(?:number|amount) of {_FEW}{_THINGS}\b", re.IGNORECASE
)
LONGEST = 2000
"""Characters of a question that are looked at."""


def declined(question: str) -> str:
    """Why a question is not answered in words, and where to go instead; "" where it is.

    Found by the words of English questions. In other languages it is the prompt that tells a model not to count.
    """
    words = " ".join(question[:LONGEST].split())
    if _OF_ONE.search(words):
        return ""
    if _COUNTS.search(words) and not _CALCULATES.search(words):
        return (
            "Conspectus does not count or list papers by reading some of them: that would be a guess. `count WORDS` "
            "counts the papers that contain the words, `list` lists papers (both take filters), and `status` counts "
            "the library."
        )
    if _CALCULATES.search(words):
        return (
            "Conspectus does not calculate over the library in words: that would be a guess. Export the papers with "
            "`export to=csv` or `export to=jsonl` and calculate with another program, or count papers with "
            "`count WORDS`."
        )
    return ""


def count_instead(question: str, retriever: Retriever, filters: Filters) -> str:
    """How many papers have the words of a question that asks how many there are, with the query that counted them.

    "" where it asks something else, or nothing of it can be counted.
    """
    text = " ".join(question[:LONGEST].split())
    if not _COUNTED.search(text) or _CALCULATES.search(text):
        return ""
    terms = list(_WORD.findall(_ASKING.sub(" ", _YEAR.sub(" ", text))))
    words = " ".join(word for word in terms if word.lower() not in STOP_WORDS)
    years = filters.year or _years_of(text)
    try:
        count = count_matches(retriever, plain_query(words), replace(filters, year=years)) if words else None
    except UsageError:
        return ""
    if count is None:
        return ""
    limit = f" year={_range(*years)}" if years else ""
    return f"{pluralize(count.papers, 'paper has', 'papers have')} these words: `count {words}{limit}`."


def _years_of(question: str) -> tuple[int | None, int | None] | None:
    matches = list(_YEAR.finditer(question))
    if len(matches) == 2:
        low, high = sorted(int(match["year"]) for match in matches)
        return low, high
    if len(matches) != 1:
        return None
    year = int(matches[0]["year"])
    first, last = _BOUNDS.get((matches[0]["bound"] or "").lower(), (0, 0))
    return None if first is None else year + first, None if last is None else year + last


def _range(first: int | None, last: int | None) -> str:
    return str(first) if first == last else f"{first or ''}..{last or ''}"
