"""What answering in words declines, with where to go instead (F18): counting and calculating over the library."""

from __future__ import annotations

import re

_THINGS = (
    r"(?:papers?|articles?|studies|publications?|preprints?|manuscripts?|abstracts?|documents?|records?|authors?|journals?"
    r"|references|citations|pdfs?|files)"
)
_FEW = r"(?:(?!(?:for|per|in|on|by|with|from|to|at|each|does?|did|are|is)\b)[\w-]+ ){0,3}?"
"""Some words before the thing that is counted, and that belong to it."""
_ALL = rf"(?:{_THINGS}|library|corpus|collection)\b"
_STATISTICS = r"average|mean|median|sum|total|standard deviation|distribution|histogram|correlation|ratio|trend"
_COUNTING = (
    rf"\bhow many {_FEW}{_THINGS}\b",
    rf"\b(?:count|tally|enumerate)\b (?:up )?(?:all |the |of |how many )*{_FEW}{_THINGS}\b",
    rf"\b(?:number|amount|percentage|proportion|share|fraction) of (?:all |the |these |your )*{_FEW}{_THINGS}\b",
    rf"\b(?:which|what) {_FEW}(?:authors?|journals?|years?|institutions?) (?:has |have |had )?"
    r"(?:published |written |wrote )?(?:the )?(?:most|fewest)\b",
    rf"\b(?:list|show|give|name)(?: me)? (?:all|every)(?: of)?(?: the)? {_FEW}{_THINGS}\b",
)
_CALCULATING = (
    rf"\b(?:calculate|compute|work out|add up|sum up|plot)\b.{{0,80}}\b(?:{_STATISTICS})\b.{{0,120}}\b{_ALL}",
    rf"\b(?:{_STATISTICS}) .{{0,60}}\b(?:across|over|of|in) (?:all|every|the whole|your|this|the) {_FEW}{_ALL}",
    r"^(?:what is|what's|calculate|compute|evaluate)? ?[-+(]*\d[\d .,()]*(?:[-+*/^×÷][ ()]*\d[\d .,()]*)+=? ?\??$",
)
_COUNTS = re.compile("|".join(_COUNTING), re.IGNORECASE)
_CALCULATES = re.compile("|".join(_CALCULATING), re.IGNORECASE)
LONGEST = 2000
"""Characters of a question that are looked at."""


def declined(question: str) -> str:
    """Why a question is not answered in words, and where to go instead; "" where it is.

    Found by the words of English questions. In other languages it is the prompt that tells a model not to count.
    """
    words = " ".join(question[:LONGEST].split())
    if _COUNTS.search(words):
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
