"""Whether a question is in a language that the embedder does not know."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from conspectus.core.stop_words import STOP_WORDS
from conspectus.models.protocol import Embedder

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

CODES = {"English": "en"}
"""Embedders' languages, as the identifier calls them: by ISO 639-1."""
UNLIKELY = 0.005
"""A question is in another language where its probability of being in the embedder's is less. Names alone have 0.005
and more; chosen on half of `benchmarks/tongues.py`."""
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=1)
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language_of(question: str, known: str = "English") -> str:
    """The code of the language that a question is in: that of `known` where nothing speaks against it."""
    code = CODES.get(known, known)
    words = {word.lower() for word in _WORD.findall(question)}
    if code == "en" and len(words & STOP_WORDS) >= 3:
        return code  # for four of five English questions, without the half second in which the identifier is read
    told = _identifier().rank(question)
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
