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
_OTHER: dict[str, int] = {
    form.casefold(): number
    for number, forms in enumerate(words("calendar")["other_months"], 1)
    for form in forms.split()
}
ANY_MONTH = "|".join([*sorted(_OTHER, key=len, reverse=True), MONTH])
"""The same with the names of other languages."""
_PARTS = re.compile(r"[^\W\d_]{3,}|\d+")


def month_number(text: str) -> int:
    """1 to 12 for `3`, `03`, `mar`, `March`, `Mar-Apr` or `März`, by the first word; 0 for all else, as for seasons."""
    for word in _PARTS.findall(text):
        if word.isdecimal():
            return int(word) if len(word) < 3 and int(word) <= 12 else 0
        if number := _OTHER.get(word.casefold()):
            return number
        for number, name in enumerate(MONTHS, 1):
            if word[:3].lower() == name[:3].lower():
                return number
        starts = {number for form, number in _OTHER.items() if form.startswith(word.casefold())}
        if len(starts) == 1:
            return starts.pop()
    return 0
