"""Which sentences of a passage state something, so that they may be quoted as an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conspectus.parse.text.figure_mentions import label_of
from conspectus.records import Passage

MIN_WORDS = 5
MAX_WORDS = 150
"""More is no sentence but a text without full stops, such as a list of names."""
WORD = re.compile(r"\w+")
_ASKS = re.compile(r"[?？؟][\"'”’»)\]\s]*$")
_INQUIRE = (
    r"(?:determine|assess|evaluate|examine|investigate|compare|study|test|explore|identify|describe|analy[sz]e|estimate"
    r"|review|report|measure|characteri[sz]e|establish|quantify|find out|clarify|elucidate|understand)"
)
_AIMS = re.compile(
    r"(?<!regardless of )(?<!irrespective of )(?<!independent of )(?<!independently of )(?<!depends on )"
    r"(?<!depend on )\bwhether\b(?![^.]*\bdepend)"
    r"|\b(?:aims?|purpose|objectives?|goal)\b[^.]{0,40}\b(?:is|was|were|are)\b"
    rf"|^\W*(?:\w+:\s*)?to (?:\w+ )?{_INQUIRE}\b[^,]*$"
    r"|\bwe (?:aim(?:ed)?|sought|asked|set out|attempt(?:ed)?)\b",
    re.IGNORECASE,
)
"""What a study wants to know: the words of the question, without an answer."""
_OF_AIMS = frozenset(
    "whether aim aims aimed purpose objective objectives goal sought asked set attempt attempted".split()
)
"""One of these, or "to" among the first two words, has a sentence that may be an aim."""
_ADDRESS = re.compile(r"https?://\S+")
_AFTER_LABEL = re.compile(r"[\s\]*]*[.:|–—-]")


def words_of(text: str) -> list[str]:
    """Its words in small letters."""
    return WORD.findall(text.lower())


def states(passage: Passage, position: int, title: str, words: Sequence[str], *, captions: bool = False) -> bool:
    """Whether the sentence at `position`, of these `words`, says something: no title, fragment, list, question, aim,
    address, or bare caption (but with `captions`)."""
    text = passage.spans[position].text
    if not MIN_WORDS <= len(words) <= MAX_WORDS or text == title or _ASKS.search(text[-MIN_WORDS:]):
        return False
    if 3 * sum(map(len, _ADDRESS.findall(text))) > len(text):  # the numbers of a trial in its registers
        return False
    may_aim = "to" in words[:2] or not _OF_AIMS.isdisjoint(words)
    return not (may_aim and _AIMS.search(text)) and (captions or not _captions(passage, position))


def _captions(passage: Passage, position: int) -> bool:
    """Whether it is what a caption calls its figure: the sentence that the label begins, or that after a bare one."""
    text = passage.spans[position].text
    if label := label_of(text):
        return passage.kind == "caption" or bool(_AFTER_LABEL.match(text[len(label[0]) :]))
    if passage.kind != "caption":
        return False
    return all(len(WORD.findall(span.text)) < MIN_WORDS for span in passage.spans[:position])
