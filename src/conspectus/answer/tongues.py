"""Whether a question is in a language that the embedder does not know."""

from __future__ import annotations

from conspectus.core.languages import identifier, words_in
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import Embedder

CODES = {"English": "en"}
"""Embedders' languages, as the identifier calls them: by ISO 639-1."""
UNLIKELY = 0.005
"""A question is in another language where its probability of being in the embedder's is less. Names alone have 0.005
and more; chosen on half of `benchmarks/tongues.py`."""


def language_of(question: str, known: str = "English") -> str:
    """The code of the language that a question is in: that of `known` where nothing speaks against it."""
    code = CODES.get(known, known)
    if code == "en" and len(words_in(question) & STOP_WORDS) >= 3:
        return code  # for four of five English questions, without the half second in which the identifier is read
    told = identifier().rank(question)
    return str(told[0][0]) if dict(told).get(code, 1.0) < UNLIKELY else code


def foreign(question: str, embedder: Embedder) -> str:
    """What to tell of a question in a language that the embedder does not know, with the remedy; "": nothing."""
    known: str = getattr(embedder, "language", "")
    asked = language_of(question, known) if known else ""
    if asked in ("", CODES.get(known, known)):
        return ""
    return (
        f"The question reads as another language than {known} ('{asked}'), and the embedder '{embedder.id}' knows "
        f"{known} only, so what fits may not be found: ask in {known}, or use an embedder of several languages "
        "(models.embedder)."
    )
