"""Names of months, seasons and days."""

from __future__ import annotations

import re

from conspectus.lexicon import words

_FORMS: list[list[str]] = words("calendar")["months"]
MONTHS: tuple[str, ...] = tuple(forms[0] for forms in _FORMS)
"""January to December."""
MONTH_FORMS: tuple[str, ...] = tuple(form for forms in _FORMS for form in forms)
"""All names of months, short ones too: `September`, `Sept`, `Sep`."""
SEASONS: tuple[str, ...] = tuple(words("calendar")["seasons"])
DAYS: tuple[str, ...] = tuple(words("calendar")["days"])
MONTH = "|".join(MONTH_FORMS)
"""A name of a month, as the inside of a regular expression's parentheses; the longer ones first."""
_PARTS = re.compile(r"[A-Za-z]{3,}|\d+")


def month_number(text: str) -> int:
    """1 to 12 for `3`, `03`, `mar`, `March` or `Mar-Apr`, by the first word; 0 for anything else, as for seasons."""
    for word in _PARTS.findall(text):
        if word.isdecimal():
            return int(word) if len(word) < 3 and int(word) <= 12 else 0
        for number, name in enumerate(MONTHS, 1):
            if word[:3].lower() == name[:3].lower():
                return number
    return 0
