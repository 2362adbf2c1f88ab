"""Vocabularies, their concepts and the names of these: as they are read, added, listed, found and shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from conspectus.records.answer import Citation


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
    """What a concept is to another one: `broader` is also the is-a of ontologies; `xref` says that they are alike."""

    BROADER = "broader"
    PART_OF = "part_of"
    RELATED = "related"
    SAME = "same"
    XREF = "xref"
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


Verdict = Literal["use", "leave"]
VocabularyOutcome = Literal["added", "updated", "unchanged", "failed"]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary of a library.

    Attributes:
        rank: where two know a name, the lower one's concept goes before.
        source: the files that it came from.
        version: as it says itself; "" where it does not.
        made: when it was added or last changed.
        concepts, names: how many it has; `left_out`: how many of the names texts are not searched for.
        subtree, languages: what of its source was taken.
        missing: what it imports and was not there.
    """

    name: str
    rank: int
    source: str
    version: str
    made: str
    concepts: int
    names: int
    left_out: int
    subtree: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownVocabulary:
    """A well-known vocabulary that can be fetched.

    Attributes:
        name: that it gets in the library.
        about: what its concepts are.
        megabytes: of what is fetched, about.
        addresses: of its files.
        ending: of a file whose address does not end as its kind of file does.
        is_added: whether the library has one of this name.
    """

    name: str
    title: str
    about: str
    licence: str
    megabytes: float
    addresses: tuple[str, ...]
    ending: str = ""
    is_added: bool = False


@dataclass(frozen=True, slots=True)
class AddedVocabulary:
    """What became of a vocabulary that was to be added.

    Attributes:
        added, changed, removed: concepts; with `unchanged` its files are as they were, and were not read.
        notes: what was not taken, and why.
        missing: what it imports and was not there.
        reason: why it failed, with the remedy; then all is as it was before.
    """

    name: str
    source: str
    outcome: VocabularyOutcome
    added: int = 0
    changed: int = 0
    removed: int = 0
    concepts: int = 0
    names: int = 0
    left_out: int = 0
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class VocabularyReport:
    """What `vocabulary add` did."""

    vocabularies: tuple[AddedVocabulary, ...]

    @property
    def failed(self) -> tuple[AddedVocabulary, ...]:
        """Those that could not be read."""
        return tuple(vocabulary for vocabulary in self.vocabularies if vocabulary.outcome == "failed")


@dataclass(frozen=True, slots=True)
class KeptName:
    """A name of a concept; `left_out` says why texts are not searched for it, "" where they are."""

    text: str
    kind: NameKind
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class LinkedConcept:
    """What a concept is linked to: how, to which id, which label (of "" no vocabulary here knows the id)."""

    kind: LinkKind
    id: str
    label: str


@dataclass(frozen=True, slots=True)
class KeptConcept:
    """A concept of a vocabulary.

    Attributes:
        links: to others, as its vocabulary says.
        narrower: (id, label) pairs of those that are narrower or parts of it, the first `MOST_NARROWER`.
        state: "" of a vocabulary's own; what a model found is `new`, `accepted` or `rejected`.
    """

    id: str
    label: str
    vocabulary: str
    names: tuple[KeptName, ...]
    links: tuple[LinkedConcept, ...]
    narrower: tuple[LinkedConcept, ...]
    definition: str
    iri: str
    deprecated: bool
    state: str


@dataclass(frozen=True, slots=True)
class ConceptHit:
    """A concept found by a name.

    Attributes:
        left_out: why texts are not searched for that name.
        sentences: how many mention it, or what was merged with it; 0 if this was not asked for.
    """

    id: str
    label: str
    vocabulary: str
    name: str
    kind: NameKind
    left_out: str
    deprecated: bool
    sentences: int = 0


@dataclass(frozen=True, slots=True)
class ConceptList:
    """Some concepts; `next` says where the list goes on ("": it ends)."""

    concepts: tuple[ConceptHit, ...]
    next: str


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a user, or what was learnt (`source`), says of a name: it means a concept ("": whichever), or not."""

    name: str
    concept: str
    verdict: Verdict
    source: str
    made: str


@dataclass(frozen=True, slots=True)
class LearnReport:
    """What was learnt of names.

    Attributes:
        papers, mentions: of the gold; `unknown` of the mentions are of ids that no vocabulary has.
        use, leave: new rules.
        said: of so many names users had said something, which stands.
    """

    papers: int
    mentions: int
    unknown: int
    use: int
    leave: int
    said: int


@dataclass(frozen=True, slots=True)
class TermSuggestion:
    """A term that a vocabulary lacks, and where it would belong.

    Attributes:
        rank: from 1.
        label: as it is written most often.
        variants: other writings, and its short form.
        score: the log odds that a phrase used so is a term of this vocabulary.
        papers: that use it; `first_year`, `last_year`: of these; None: not known.
        parent: the id of the concept that it would be below; "": none is near.
        parent_label: its label.
        parent_by: `head` (the term ends with the concept's name), `siblings` (concepts with the same last word are
            below it), or `nearest` (by vectors of their names).
        examples: sentences that use it.
    """

    rank: int
    label: str
    variants: tuple[str, ...]
    score: float
    papers: int
    first_year: int | None
    last_year: int | None
    parent: str
    parent_label: str
    parent_by: Literal["head", "siblings", "nearest", ""]
    examples: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestionReport:
    """Suggestions for a vocabulary.

    Attributes:
        vocabulary: its name.
        papers: that were read.
        phrases: that enough papers use.
        covered: of these, those that a vocabulary of the library has; by them is learnt what a term is.
        suggestions: the best of the others.
        path: of the file that was written; "": none.
    """

    vocabulary: str
    papers: int
    phrases: int
    covered: int
    suggestions: tuple[TermSuggestion, ...]
    path: str = ""
