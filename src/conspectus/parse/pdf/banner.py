"""What is printed on a first page and is neither title nor text: journal banners, kinds of article, dates, rights."""

from __future__ import annotations

import re

from conspectus.records import normal_name

_BANNER = re.compile(
    r"(?:(?:the\s++)?(?:\w++\s++){0,3}(?:journal|proceedings|annals|transactions|bulletin|letters|reviews?"
    r"|archives)\b(?:\s++(?:of|on|in|for)\b.*|\s*+$)"
    r"|(?:international|european|american|british)\s++journal\b.*"
    r"|contents?\s++lists?\s++available.*|science\s?direct.*|available\s++online.*|journal\s++home\s?page.*"
    r"|elsevier.*|springer.*|plos\b.*"
    r"|(?:full|original|regular|short|brief|invited)?\s*+(?:research|review|original)?\s*+"
    r"(?:articles?|papers?|communications?|letters?|reports?|reviews?|notes?|editorial|commentary"
    r"|perspectives?|research|protocol)"
    r"|open\s++access.*|(?:vol(?:ume)?\.?|issn|doi|https?:|www\.|arxiv|pre-?print|draft|version|received"
    r"|accepted|published|submitted|edited|copyright|©)\b.*"
    r"|(?:replication|reproduction)\s*+/.*|(?:(?:\w\s){4,}\w)|check\s++for\s++updates|citation:.*|pii:?.*|page\s++\d.*)",
    re.I,
)

FRONT_LINE = re.compile(
    r"(?:©|\(c\)(?=.{0,60}(?:19|20)\d\d|\s*(?:by|the)\b)"
    r"|copyright\b|received\b|accepted\b|submitted\b|revised\b|published\b|available online"
    r"|edited by|reviewed by|editor\b"
    r"|correspond(?:ence|ing)\b|e-?mail|doi\b|https?:|issn|licen[cs]e\b|this is an open[- ]access"
    r"|the authors? ha(?:ve|s) declared"
    r"|code is available|data is available|open peer review|software\b\s*$|(?:\*|†|∗)\s*correspond"
    r"|how to cite|citation:|preprint submitted)",
    re.I,
)
"""Beginnings of first-page lines that are about the paper rather than part of it."""


SMALL_PRINT = re.compile(
    r"(?:permission to make digital or hard copies|(?:\w+ )?reference format\b|this (?:work|article) is licensed"
    r"|(?:manuscript|paper) received\b|the authors? (?:is|are) with (?:the )?[A-Z]|preprint submitted"
    r"|all rights reserved|this is an open[- ]access|(?:the )?authors? retain copyright"
    r"|personal use (?:of this material )?is permitted|ccs concepts|0\d{3}-\d{3}[\dX]/)",
    re.I,
)
"""Beginnings of paragraphs on rights and on how to cite."""


def is_banner(text: str, after: list[str], heads: frozenset[str]) -> bool:
    """Whether `text` is the journal's rather than the paper's name.

    Args:
        text: A group of the first page.
        after: The texts of the next groups.
        heads: Running heads and feet.
    """
    if _BANNER.fullmatch(text.strip()):
        return True
    if any(re.match(r"journal\s+home\s?page", line, re.I) for line in after[:1]):
        return True
    name = normal_name(text)
    return len(name) > 3 and any(re.match(rf"{re.escape(name)} (?:vol\w* )?\d", normal_name(head)) for head in heads)
