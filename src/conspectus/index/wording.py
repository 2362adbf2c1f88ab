"""Which words the full text takes for the same: its analyser, and texts as the terms that it makes of them."""

from __future__ import annotations

import re
from typing import Any

import tantivy

from conspectus.core.languages import UNSPACED
from conspectus.lexicon import STOP_WORDS

MOST_WORDS = 1000
"""Different words of one query that are looked for; more come only from texts pasted whole."""
LONGEST = 64
"""Bytes of a word that is looked for."""

_RAISED = re.compile(r"(?<=[^\W\d_])(?=[⁰¹²³⁴-⁹])")

_RUN = re.compile(rf"{UNSPACED.pattern}+")


def parted(text: str) -> str:
    """The text with raised numbers off the words before them: who looks for `Powell` means `Powell³` too."""
    return paired(_RAISED.sub(" ", text))


def paired(text: str) -> str:
    """The text with what is written without spaces in pairs of signs, each with the next: 遺伝子 is 遺伝 伝子.

    As Lucene's CJKBigramFilter: words of two signs and more are found wherever they stand, without a dictionary.
    """
    return text if text.isascii() else _RUN.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    signs = run[0]
    return f" {' '.join(signs[at : at + 2] for at in range(max(len(signs) - 1, 1)))} "


def analyser() -> Any:
    """What makes terms of a text, in the index and in questions alike."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(LONGEST))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.custom_stopword(sorted(STOP_WORDS)))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def forms() -> Any:
    """What makes words of a text, each in the form in which it stands there."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(LONGEST))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )


def folded() -> Any:
    """What makes one word of a text, in the form in which `forms` has words."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .build()
    )


class Wording:
    """Texts to terms."""

    def __init__(self) -> None:
        self._analyser = analyser()
        self._words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()
        self._forms = forms()
        self._folded = folded()

    def terms(self, text: str) -> list[str]:
        """The terms that words are looked for by, each once."""
        return list(dict.fromkeys(self.all_terms(text)))[:MOST_WORDS]

    def all_terms(self, text: str) -> list[str]:
        """All terms, in the text's order."""
        return list(self._analyser.analyze(_storable(text)))

    def with_forms(self, text: str) -> dict[str, str]:
        """The terms that words are looked for by, each once, with the form in which it stands in the text."""
        found: dict[str, str] = {}
        for form in self._forms.analyze(_storable(text)):
            for term in self._analyser.analyze(form):
                found.setdefault(term, form)
        return dict(list(found.items())[:MOST_WORDS])

    def form(self, word: str) -> str:
        """A word as the index has it: in small letters, without accents."""
        return "".join(self._folded.analyze(_storable(word)))

    def places(self, text: str) -> list[tuple[int, str]]:
        """The terms with their places among all words, those left out too; the first is at 0."""
        words = self._words.analyze(_storable(text))
        found = [(place, term) for place, word in enumerate(words) for term in self._analyser.analyze(word)]
        return [(place - found[0][0], term) for place, term in found[:MOST_WORDS]]


def _storable(text: str) -> str:
    return parted(text.encode(errors="replace").decode())
