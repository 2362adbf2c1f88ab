"""What figures, tables and the like are called, as the insides of regular expressions' parentheses."""

from __future__ import annotations

from conspectus.lexicon import words

CAPTIONED = "|".join(words("labels")["captioned"])
"""What has captions beside figures and tables, in small letters."""
FURTHER = "|".join(words("labels")["further"])
"""What stands before the label of what is not in the paper itself, in small letters."""
OTHER_FIGURES = "|".join(words("labels")["other"]["figures"])
"""What other languages call figures, in small letters, without the full stop of an abbreviation."""
OTHER_TABLES = "|".join(words("labels")["other"]["tables"])
"""What other languages call tables, in small letters, without the full stop of an abbreviation."""
