"""Suggested terms as SKOS, in Turtle, for the curators of a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from urllib.parse import quote

from conspectus.core.text import pluralize
from conspectus.records.vocabularies import SuggestionReport, TermSuggestion

HEAD = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dcterms: <http://purl.org/dc/terms/> .

"""
SCHEME = "urn:conspectus:suggestions"
_NOT_IN_IRI = '<>"{}|^`\\'


def write_turtle(report: SuggestionReport, iris: Mapping[str, str]) -> Iterator[str]:
    """A concept scheme of the suggestions, piece by piece.

    Args:
        report: the suggestions.
        iris: of parents, by their ids; those without one are named in a note.
    """
    yield HEAD
    scheme = f"{SCHEME}:{quote(report.vocabulary, safe='')}"
    title = _english(f"Terms suggested for {report.vocabulary} by {pluralize(report.papers, 'paper')}")
    yield f"<{scheme}> a skos:ConceptScheme ;\n    dcterms:title {title} .\n"
    for suggestion in report.suggestions:
        yield "\n" + _concept(suggestion, scheme, iris.get(suggestion.parent, ""))


def _concept(suggestion: TermSuggestion, scheme: str, iri: str) -> str:
    name = blake2b(suggestion.label.casefold().encode(), digest_size=6).hexdigest()
    years = "" if suggestion.first_year is None else f", {suggestion.first_year} to {suggestion.last_year}"
    lines = [
        f"<{scheme}:{name}> a skos:Concept",
        f"skos:inScheme <{scheme}>",
        f"skos:prefLabel {_text(suggestion.label)}",
        *(f"skos:altLabel {_text(variant)}" for variant in suggestion.variants),
        *([f"skos:broader <{iri}>"] if iri and not any(sign <= " " or sign in _NOT_IN_IRI for sign in iri) else []),
        *([f"skos:editorialNote {_english(f'Below {suggestion.parent_label}?')}"] if suggestion.parent else []),
        f"skos:note {_english('In ' + pluralize(suggestion.papers, 'paper') + years + '.')}",
        *(f"skos:example {_text(f'{each.quote} {each.marker}')}" for each in suggestion.examples),
    ]
    return " ;\n    ".join(lines) + " .\n"


def _text(text: str) -> str:
    """A literal in whatever language the papers are; JSON's escapes are Turtle's."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _english(text: str) -> str:
    return f"{_text(text)}@en"
