"""Which passages are worth a model's reading: not thanks, who paid, who did what, or a caption that says nothing."""

from __future__ import annotations

import re

from conspectus.lexicon.sections import ENGLISH, OTHER, headings
from conspectus.records import Passage

_ASIDE = re.compile(
    rf"(?:{headings('thanks', 'support', 'references', languages=(ENGLISH, OTHER))}"
    r"|(?:conflicts?|competing|declaration)(?: of)?(?: \w+)? interests?|author(?:s[’']?)?(?: \w+)* contributions?"
    r"|contributions? of (?:the )?authors|credit authorship.*|abbreviations|keywords)"
)
_NUMBER = re.compile(r"^(?:section\s+)?(?:\d{1,2}(?:\.\d{1,2})*\.?|[ivx]+\.)\s+")
_MOST_PARTS = 3
_LEAST_WORDS = 6
"""Of a caption: `Figure 3. Continued.` has fewer."""


def worth_reading(passage: Passage) -> bool:
    """Whether a passage can bear on a question: by the headings that it stands under, and what a caption says."""
    if passage.kind == "caption":
        return len(passage.text.split()) >= _LEAST_WORDS
    if passage.kind in ("abstract", "summary", "table"):
        return True
    parts = re.split(r",|&|\band\b|/", heading(passage.section))
    return len(parts) > _MOST_PARTS or not all(_ASIDE.fullmatch(part.strip()) for part in parts)


def heading(section: str) -> str:
    """The last heading of a section's path, in small letters, without its number and what ends it."""
    return _NUMBER.sub("", section.rpartition(" > ")[2].lower()).strip(" .:")
