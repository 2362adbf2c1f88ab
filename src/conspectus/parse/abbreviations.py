"""The words whose full stop is not (or not always) the end of a sentence, for `sentences` and references.

All sets are lower-case but `TITLES`, `…_WORDS` and `STARTERS`, where the capital is part of the sign.
"""

from __future__ import annotations

import re

from conspectus.lexicon import words
from conspectus.lexicon.calendar import MONTH_FORMS, MONTHS

_KNOWN = {name: frozenset(listed.split()) for name, listed in words("abbreviations").items()}

NEVER_LAST = _KNOWN["never_last"]
"""Something always follows: an example, a number, the other side."""

TITLES = _KNOWN["titles"]
"""A name always follows."""

TITLE_ABBREVIATION = (
    "(?:" + "|".join(sorted(re.escape(word) for word in NEVER_LAST | TITLES | {"Mt", "Ft", "Ste"})) + ")"
)
"""One of these inside the title of a work, as a regular expression."""

BEFORE_NUMBERS = _KNOWN["before_numbers"] | {
    form.lower() for form in MONTH_FORMS if len(form) < 5 and form not in MONTHS
}
"""A number, a letter or a Roman numeral follows: `Fig. 2`, `Eq. (3)`, `App. B`. Before an ordinary word they end."""

MAYBE_LAST = _KNOWN["maybe_last"]
"""These end a sentence only if the next word is one that sentences begin with: `et al. The`, but `et al. Nature`."""

JOURNAL_WORDS = _KNOWN["journal_words"] | {form for form in MONTH_FORMS if form not in MONTHS}

VENUE_WORDS = _KNOWN["venue_words"]
"""Words of abbreviated titles of journals (after ISO 4's list of title word abbreviations) and of their series."""

LABELLED = _KNOWN["labelled"]
"""Before a single capital these make it a label, not somebody's initial: `vitamin C. Patients`."""

STARTERS = _KNOWN["starters"]
"""Words that sentences begin with and that are no names."""
