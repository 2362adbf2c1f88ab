"""HTML and JATS within the texts of records, as plain text."""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(r"<(/?)(?:\w+:)?(\w+)[^<>]{0,500}>")
_BLOCKS = frozenset({"p", "sec", "title", "list", "item", "div", "br"})
_CLOSING = re.compile(r"</(?:\w+:)?[A-Za-z]\w{0,30}>|<br\s*/?>", re.I)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d?);", re.I)


def plain_html(html: str) -> str:
    """The words of a little HTML or JATS: blocks become paragraphs, other tags go."""
    if "<" in html:
        html = re.sub(r"<((?:\w+:)?title)\b[^<>]{0,200}>\s*Abstract\s*</\1>", " ", html)
        html = _TAG.sub(lambda tag: "\n\n" if tag[2] in _BLOCKS else "", html)
    return unescape(html) if "&" in html else html


def without_markup(text: str) -> str:
    """Remove HTML from a text: `CO<sub>2</sub> &amp; O` becomes `CO2 & O`, and `p < 3` stays as it is.

    Some sources escape their markup (`&lt;i&gt;Bryum&lt;/i&gt;`), so tags that appear only then are removed as well.
    """
    for _ in range(2):
        if _CLOSING.search(text):
            text = plain_html(text)
        elif _ENTITY.search(text):
            text = unescape(text)
    return text
