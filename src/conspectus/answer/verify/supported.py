"""What may be said of a statement's support without a model that judges.

Words do not tell whether a sentence supports a statement: on SciFact neither overlap nor cosine parts the supported
claims from the contradicted. So only a statement that keeps nearly all the words of its sentences, without doubts, is
called supported; the rest is honestly unchecked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import fold
from conspectus.answer.verify.mechanical import Sources, find_doubts
from conspectus.answer.verify.text import Token, by_sentence, content, is_english, tokens
from conspectus.answer.verify.units import lookup

NEARLY_COPIED = 0.85
"""The part of the words that carry meaning that has to stand in one sentence (for each sentence of a statement)."""
_LEAST_WORDS = 3
_HARD = frozenset({"number", "unit", "negation", "comparison", "quotation"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the mechanical check says of a statement; `why` is plain text for the user."""

    status: Literal["supported", "partly", "unsupported", "unchecked"]
    why: str
    doubts: tuple[Doubt, ...] = ()


def judge_mechanically(statement: str, sentences: Sequence[str], contexts: Sequence[str] = ()) -> Verdict:
    """The status of a statement as far as it can be told without a model.

    `unsupported`: a number, unit, denial or direction is not that of the sentences, or words in quotation marks are not
    theirs. `partly`: only a name is missing,
    which may stand there under another name. `supported`: no doubt, and each of its sentences keeps nearly all its
    words from a cited one. `unchecked`: no doubt, but said in other words, or nothing is cited.
    """
    sources = Sources(sentences, contexts)
    if not sources.sentences:
        return Verdict("unchecked", "It cites no sentence.")
    found = find_doubts(statement, sources)
    if found:
        status: Literal["partly", "unsupported"] = (
            "unsupported" if any(item.kind in _HARD for item in found) else "partly"
        )
        return Verdict(status, " ".join(item.why for item in found), found)
    words = tokens(fold(statement))
    if not words:
        return Verdict("unchecked", "It has no words that could be compared.")
    if not (sources.english and is_english(words)) and not sources.quotes(statement):
        return Verdict(
            "unchecked",
            "Its numbers and names stand in the cited sentences; what it says of them in this language was not "
            "checked.",
        )
    if sources.quotes(statement) or all(_kept(part, sources) for part in by_sentence(words)):
        return Verdict("supported", "It keeps the words of the cited sentences, with their numbers and names.")
    return Verdict(
        "unchecked", "Nothing in it speaks against the cited sentences; whether they support it was not judged."
    )


def _kept(words: Sequence[Token], sources: Sources) -> bool:
    """Whether one sentence has nearly all the words of `words`."""
    mine = content([word for word in words if lookup(word.text) is None])  # units were compared with their numbers
    nearest = sources.near(words)[0]
    return len(mine) >= _LEAST_WORDS and len(mine & nearest.stems) >= NEARLY_COPIED * len(mine)
