"""Vocabularies, their concepts and the names of these."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class NameKind(StrEnum):
    """What a name is to a concept; `exact` and before mean just it."""

    PREFERRED = "preferred"
    LABEL = "label"
    EXACT = "exact"
    ABBREVIATION = "abbreviation"
    RELATED = "related"
    BROAD = "broad"
    NARROW = "narrow"


class LinkKind(StrEnum):
    """What a concept is to another one: `broader` is the is-a of ontologies, too."""

    BROADER = "broader"
    PART_OF = "part_of"
    RELATED = "related"
    SAME = "same"
    REPLACED_BY = "replaced_by"


@dataclass(frozen=True, slots=True)
class ConceptName:
    """A name of a concept."""

    text: str
    kind: NameKind = NameKind.EXACT


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that a vocabulary has names for.

    Attributes:
        id: a CURIE (`UBERON:0000955`).
        label: the name that it is shown by: the preferred one, else its label.
        names: all of them, the label among them.
        links: (what the other is to it, the other's id) pairs.
        iri: the whole name that the CURIE is short for; "" where there is none.
        deprecated: by its vocabulary, which may link to what replaces it.
    """

    id: str
    label: str
    names: tuple[ConceptName, ...] = ()
    links: tuple[tuple[LinkKind, str], ...] = ()
    definition: str = ""
    iri: str = ""
    deprecated: bool = False
