"""The kind of a question without a language model (F9): how it is put says what it asks for."""

from __future__ import annotations

from conspectus.core.errors import UsageError
from conspectus.records import QUESTION_FLAGS, Routing
from conspectus.search.flags import FORMS_ONLY, WordKnowledge, flags_of
from conspectus.search.parts import parts_of
from conspectus.search.question_kinds import kind_of
from conspectus.search.suggestions import suggest

BY_RULES = "rules"
LONGEST = 1000
"""Characters of a question that are looked at."""


def route(question: str, known: WordKnowledge = FORMS_ONLY) -> Routing:
    """The kind of a question, its flags, and the settings that suit it, for English.

    The kind is told by a linear model (`question_kinds`), flags and sub-questions by rules. A question in another
    language is `unclassified`: nothing is suggested for it, and it is searched as usual.

    Args:
        question: as it was asked.
        known: what is known of words; else jargon is found by the form of words.

    Raises:
        UsageError: the question is empty.
    """
    text = " ".join(question[:LONGEST].split())
    if not text:
        raise UsageError("There is nothing to route: the question is empty.", "Give a question.")
    flags = flags_of(text, known)
    kind, why = kind_of(text)
    found = tuple(flag for flag in QUESTION_FLAGS if flag in flags)
    reasons = (f"{kind}: {why}", *(f"{flag}: {flags[flag]}" for flag in found))
    parts = parts_of(text) if kind == "compositional" else ()
    return Routing(question, kind, found, reasons, BY_RULES, suggest(kind, found), parts)
