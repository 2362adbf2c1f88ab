"""JSON with small mistakes (a comma too many, single quotes, quotes within a text), where its words leave no doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

_LONGEST = 50_000
"""Characters of an object that is repaired."""
_ESCAPE = re.compile(r'\\["\\/bfnrt]')
_WORD = re.compile(r"\w+")


def repair_object(text: str, keys: Collection[str]) -> str:
    """The object with all `keys` that a text holds, as right JSON; "" where there is none, or it may be cut off.

    It has the words of the text in their order: nothing is added, and nothing is left out.
    """
    object_text = text[text.find("{") : text.rfind("}") + 1]
    if (
        not object_text
        or len(object_text) > _LONGEST
        or any(object_text.count(begin) > object_text.count(end) for begin, end in ("{}", "[]"))
    ):
        return ""
    import json_repair  # here, as few replies need it

    try:
        value = json_repair.loads(object_text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict) or not set(keys) <= value.keys():
        return ""
    repaired = json.dumps(value, ensure_ascii=False)
    return repaired if _words(repaired) == _words(object_text) else ""


def _words(text: str) -> list[str]:
    python = {"none": "null"}
    return [python.get(word, word) for word in _WORD.findall(_ESCAPE.sub(" ", text).lower())]
