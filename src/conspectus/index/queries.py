"""Text as the terms that an index makes of it, and words, filters and conditions as queries to tantivy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import tantivy

from conspectus.core.text import UNSPACED
from conspectus.lexicon import STOP_WORDS
from conspectus.records import FACETS, Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

_MUST, _SHOULD, _MUST_NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
PLACES = {"title": 1.0, "lead": 1.0, "names": 0.97, "text": 0.85}
"""How much a word counts by the field in which it stands."""
FORM = 0.1
"""Of that, how much only counts where it has the form that was asked for."""


class IndexQueries:
    """Makes questions to an index of a schema."""

    def __init__(self, schema: Any, wording: Wording) -> None:
        self._schema = schema
        self._wording = wording

    def term(self, field: str, value: str) -> Any:
        """What has a term."""
        return tantivy.Query.term_query(self._schema, field, value)

    def anywhere(self, term: str, form: str, score: float) -> Any:
        """What has a term, wherever it stands, scoring so much; a little less where that says less, or in another form.

        The score is added up: `FORM` of it for the form, the rest for the best of `PLACES`.
        """
        places = [
            tantivy.Query.const_score_query(self.term(field, term), score * (1 - FORM) * share)
            for field, share in PLACES.items()
        ]
        same = tantivy.Query.const_score_query(self.term("forms", form), score * FORM)
        return any_of([tantivy.Query.disjunction_max_query(places), same])

    def still(self, query: Any) -> Any:
        """The same, without a score."""
        return tantivy.Query.const_score_query(query, 0.0)

    def conditions(self, filters: Filters, where: Condition | None) -> list[Any]:
        """What passes, one question for each condition; they do not score."""
        conditions = [*self._filters(filters), *([self.where(where)] if where else [])]
        return [self.still(condition) for condition in conditions]

    def where(self, condition: Condition) -> Any:
        """What a condition holds for."""
        match condition:
            case Stands():
                return self.stands(condition)
            case Passes(filters):
                return all_of(self._filters(filters))
            case Has(thing):
                return self.term("facets", f"{HAS}:{thing}")
            case Among(keys):
                return any_key(self._schema, list(keys)) if keys else tantivy.Query.empty_query()
            case AnyOf(parts):
                return any_of([self.where(part) for part in parts])
            case AllOf() | Not():
                return self._all(condition.parts if isinstance(condition, AllOf) else (condition,))

    def stands(self, phrase: Stands) -> Any:
        """Where words stand one behind the other."""
        places = self._wording.places(phrase.words)
        if not places:
            return tantivy.Query.empty_query()
        if len(places) == 1:
            return self.term(phrase.where, places[0][1])
        return tantivy.Query.phrase_query(self._schema, phrase.where, places)

    def _all(self, parts: Sequence[Condition]) -> Any:
        required_parts = [(_MUST, self.where(part)) for part in parts if not isinstance(part, Not)]
        excluded = [(_MUST_NOT, self.where(part.part)) for part in parts if isinstance(part, Not)]
        return tantivy.Query.boolean_query([*(required_parts or [(_MUST, tantivy.Query.all_query())]), *excluded])

    def _filters(self, filters: Filters) -> list[Any]:
        conditions = [any_of([self.term("kind", kind) for kind in filters.kind])] if filters.kind else []
        if filters.full_text is not None:
            conditions.append(self.term("full_text", str(filters.full_text)))
        if filters.year is not None:
            low, high = filters.year
            bounds = (-(10**6) if low is None else low, 10**6 if high is None else high)
            conditions.append(tantivy.Query.range_query(self._schema, "year", tantivy.FieldType.Integer, *bounds))
        facet_terms = [(facet, filters.terms(facet)) for facet in FACETS]
        return conditions + [
            any_of([self.term("facets", f"{facet}:{term}") for term in terms]) for facet, terms in facet_terms if terms
        ]


def all_of(queries: list[Any]) -> Any:
    """What passes all of them; there is at least one."""
    if len(queries) == 1:
        return queries[0]
    return tantivy.Query.boolean_query([(_MUST, query) for query in queries])


def any_of(queries: list[Any]) -> Any:
    """What passes one of them, or several."""
    return tantivy.Query.boolean_query([(_SHOULD, query) for query in queries])


def any_key(schema: Any, keys: list[int]) -> Any:
    """A query for the rows with these keys. (A deletion by term takes a key for a signed number and finds nothing.)"""
    return tantivy.Query.term_set_query(schema, "key", keys)


MOST_WORDS = 1000
"""Different words of one query that are looked for; more come only from texts pasted whole."""
LONGEST = 64
"""Bytes of a word that is looked for."""
WORDS_KEPT = 1 << 16
"""Words whose terms are remembered."""

_RAISED = re.compile(r"(?<=[^\W\d_])(?=[⁰¹²³⁴-⁹])")

_LOWERED = re.compile(r"(?<![^\W_])([^\W\d_]{1,3})_\{?(\d{1,3})\}?")
"""A symbol with a number below it as TeX writes it: `S_8`, `H_{2}O`."""
_RUN = re.compile(rf"{UNSPACED.pattern}+")


def parted(text: str) -> str:
    """The text with raised numbers off the words before them: who looks for `Powell` means `Powell³` too."""
    return paired(_RAISED.sub(" ", text))


def paired(text: str) -> str:
    """The text with what is written without spaces in pairs of signs, each with the next: 遺伝子 is 遺伝 伝子.

    As Lucene's CJKBigramFilter: words of two signs and more are found wherever they stand, without a dictionary.
    Numbers below a symbol are joined to it, as in "S8".
    """
    if "_" in text:
        text = _LOWERED.sub(r"\1\2", text)
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
        self._terms_of_word = lru_cache(WORDS_KEPT)(lambda word: tuple(self._analyser.analyze(word)))

    def terms(self, text: str) -> list[str]:
        """The terms that words are looked for by, each once."""
        return list(dict.fromkeys(self.all_terms(text)))[:MOST_WORDS]

    def all_terms(self, text: str) -> list[str]:
        """All terms, in the text's order."""
        return list(self._analyser.analyze(_storable(text)))

    def with_forms(self, text: str) -> dict[str, str]:
        """The terms that words are looked for by, each once, with the form in which it stands in the text."""
        form_by_term: dict[str, str] = {}
        for form in self._forms.analyze(_storable(text)):
            for term in self._analyser.analyze(form):
                form_by_term.setdefault(term, form)
        return dict(list(form_by_term.items())[:MOST_WORDS])

    def form(self, word: str) -> str:
        """A word as the index has it: in small letters, without accents."""
        return "".join(self._folded.analyze(_storable(word)))

    def all_forms(self, text: str) -> list[str]:
        """All words as the index has them: in small letters, without accents. Raised numbers stay where they are."""
        return list(self._forms.analyze(paired(_encodable(text))))

    def all_places(self, text: str) -> list[tuple[int, str]]:
        """All terms with their places among all words, those left out too."""
        words = self._words.analyze(_storable(text))
        return [(place, term) for place, word in enumerate(words) for term in self._terms_of_word(word)]

    def places(self, text: str) -> list[tuple[int, str]]:
        """The terms with their places among all words, those left out too; the first is at 0."""
        places = self.all_places(text)
        return [(place - places[0][0], term) for place, term in places[:MOST_WORDS]]


def _storable(text: str) -> str:
    return parted(_encodable(text))


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()
