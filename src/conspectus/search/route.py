"""The kind of a question by rules, without a model (F9): how it is put says what it asks for."""

from __future__ import annotations

import re

from conspectus.errors import UsageError
from conspectus.records import QUESTION_FLAGS, QuestionKind, Routing
from conspectus.search.flags import FORMS_ONLY, WordKnowledge, flags_of
from conspectus.search.parts import parts_of
from conspectus.search.routing_cues import Match
from conspectus.search.routing_wordings import found_in
from conspectus.search.suggestions import suggest

BY_RULES = "rules"
LONGEST = 1000
"""Characters of a question that are looked at."""
USUAL: QuestionKind = "multi-paper"
"""The kind of a question that no rule fits."""
NAMED = 0.5
"""What a name in a question adds to the evidence that it asks for one paper."""

MOST_REASONS = 2
"""Cues that a reason names."""

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_VOWEL = re.compile(r"[aeiouyáéíóúäöüàèìòùâêîôû]", re.IGNORECASE)


def route(question: str, known: WordKnowledge = FORMS_ONLY) -> Routing:
    """The kind of a question, its flags, and the settings that suit it, by rules for English.

    Each wording that tells a kind (`wordings`) adds to it, and the kind with the most is taken; without any it is
    `multi-paper`, which is what a search is made for as a rule. In other languages only names and dates are seen.

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
    kind, why = _kind(text, named="named-entity" in flags)
    found = tuple(flag for flag in QUESTION_FLAGS if flag in flags)
    reasons = (f"{kind}: {why}", *(f"{flag}: {flags[flag]}" for flag in found))
    parts = parts_of(text) if kind == "compositional" else ()
    return Routing(question, kind, found, reasons, BY_RULES, suggest(kind, found), parts)


def _kind(text: str, *, named: bool) -> tuple[QuestionKind, str]:
    """The kind with the most evidence, and what that was."""
    if not named and text.isascii() and not any(_VOWEL.search(word) for word in _LETTERS.findall(text)):
        return "unclassified", "there are no words in it"
    best: tuple[float, QuestionKind, tuple[Match, ...]] = (0.0, USUAL, ())
    for kind, cues in found_in(text.lower().replace("’", "'")):
        total = sum(match.cue.weight for match in cues) + (NAMED if named and cues and kind == "single-paper" else 0.0)
        if total > best[0]:
            best = total, kind, cues
    _, kind, cues = best
    if not cues:
        return kind, "no wording tells another kind: it is what a search is for as a rule"
    strongest = {match.cue.meaning: match for match in sorted(cues, key=lambda match: match.cue.weight)}
    shown = sorted(strongest.values(), key=lambda match: -match.cue.weight)[:MOST_REASONS]
    return kind, "; ".join(f"{match.cue.meaning} ('{match.words}')" for match in shown)
