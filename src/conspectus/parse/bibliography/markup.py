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
    """The words of a text that may have HTML in it: `CO<sub>2</sub> &amp; O` is `CO2 & O`, `p < 3` stays as it is."""
    if _CLOSING.search(text):
        return plain_html(text)
    return unescape(text) if _ENTITY.search(text) else text
