"""In which language a question is asked, as far as its letters and its commonest words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from conspectus.models.protocol import Embedder
from conspectus.words import STOP_WORDS

ENGLISH = "English"
_WORD = re.compile(r"[^\W\d_]+")
_COMMONEST = {
    "German": "der die das und ist sind wer was wo wann wie welche welcher warum eine ein des den nicht mit für auf",
    "French": "le la les des une un est sont quel quelle quelles comment pourquoi dans et du que qui sur pour avec par",
    "Spanish": "el la los las de del qué que cuál cómo por para es son una un en se con sobre cuándo dónde",
    "Portuguese": "os as de do da dos das que qual como por para é são uma um em se com sobre não na no",
    "Italian": "il lo la gli le di del della dei che quale come perché è sono una un in con per nel nella",
    "Dutch": "de het een van en is zijn hoe welke waarom wat niet met voor op bij door aan wordt",
}
_WORDS = {language: frozenset(words.split()) for language, words in _COMMONEST.items()}
_SHARED = frozenset("a also am an as at do had have he her in is me no of on or over so was we will".split())
_OWN = STOP_WORDS - _SHARED - frozenset[str]().union(*_WORDS.values())
"""English function words that are none of another language's: with one of them the question may be English."""
_SCRIPTS = {
    "CYRILLIC": "Russian",
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi",
    "THAI": "Thai",
    "GREEK": "Greek",
}
"""Scripts with the commonest of their languages, which is only what the question is said to look like."""


def language_of(question: str) -> str:
    """The language that a question looks like: `English` where nothing speaks against it."""
    letters = Counter(_script(sign) for sign in question if sign.isalpha())
    if letters and letters["LATIN"] < letters.total() / 2:
        japanese = letters["HIRAGANA"] + letters["KATAKANA"]
        return "Japanese" if japanese else _SCRIPTS.get(letters.most_common(1)[0][0], "another language")
    words = [word.lower() for word in _WORD.findall(question)]
    if not _OWN.isdisjoint(words):
        return ENGLISH
    told = {language: sum(word in common for word in words) for language, common in _WORDS.items()}
    best = max(told, key=lambda language: told[language])
    return best if told[best] >= 2 else ENGLISH


def _script(sign: str) -> str:
    return unicodedata.name(sign, "?").split()[0].split("-")[0]


def foreign(question: str, embedder: Embedder) -> str:
    """What to tell of a question in a language that the embedder does not know, with the remedy; "": nothing."""
    known: str = getattr(embedder, "language", "")
    asked = language_of(question) if known else ""
    if asked in ("", known):
        return ""
    return (
        f"The question reads as {asked}, and the embedder '{embedder.id}' knows {known} only, so what fits may not be "
        f"found: ask in {known}, or use an embedder of several languages (models.embedder)."
    )
