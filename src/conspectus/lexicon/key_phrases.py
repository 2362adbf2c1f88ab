"""Words of scientific prose that name no subject: those that no key phrase has, and those that seldom are one."""

from __future__ import annotations

from conspectus.lexicon import STOP_WORDS, words


def _forms(verb: str) -> set[str]:
    """A regular verb's forms."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return {verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"}
    if verb.endswith("e"):
        return {verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"}
    return {verb, verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s"), f"{verb}ed", f"{verb}ing"}


_KNOWN = words("key_phrases")
BREAKING = STOP_WORDS.union(_KNOWN["others"].split(), *map(_forms, _KNOWN["verbs"].split()))
"""No key phrase has one of these."""
GENERAL = frozenset(_KNOWN["general"].split())
"""These stand in key phrases beside other words ("control theory"), and seldom alone; in the singular."""
NOT_ADVERBS = frozenset(_KNOWN["not_adverbs"].split())
"""Words that end as adverbs do."""
