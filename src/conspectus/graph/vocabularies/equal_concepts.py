"""Concepts of several vocabularies that are one: replaced, matched, or of one name and of compatible kinds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from sqlalchemy import Connection, delete, insert, select

from conspectus.core.groups import grouped
from conspectus.graph.linking.words import is_acronym
from conspectus.graph.vocabularies.concept_merges import AUTOMATIC, resolve_merges
from conspectus.records.graph import LOCAL
from conspectus.records.vocabularies import LinkKind, NameKind
from conspectus.store.connection import rows_in
from conspectus.store.graph_tables import concept_links, concept_names, concepts, merges, name_rules, vocabularies

_FLAT = 2
"""Ancestors, at most, of a concept of a mere list, which tells nothing of what kind it is."""
_SAYS_NOTHING = frozenset("and atlas class concept entity general label of part region root term the thing".split())
_EXACT = (NameKind.PREFERRED, NameKind.LABEL, NameKind.EXACT)
_EDGES = re.compile(r"^[\W_]+|[^\w)+]+$")
"""What stands around the words of a label."""
_PLAIN = re.compile(r"[\w(][\w\s,;:'’()/+-]*")
"""A label in words, and not a path in an atlas (`*.*.Precuneus.*.*`)."""
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class _VocabularyConcept:
    """A concept.

    Attributes:
        term: its label in small letters but for acronyms, for `DRD5` is a gene of people and `Drd5` one of mice.
        order: the lowest of several equal ones stands for all.
    """

    key: int
    id: str
    term: str
    deprecated: bool
    vocabulary: int
    order: tuple[bool, bool, bool, int, int]


def merge_equal_concepts(connection: Connection) -> int:
    """Merge what vocabularies say is one concept, in the place of what was merged so before; returns how many are.

    What a user merged, or made separate again, stays. A concept of which somebody, or gold, says what its name means
    is not taken for another one of the same name.
    """
    connection.execute(delete(merges).where(merges.c.made == AUTOMATIC))
    merged_rows = connection.execute(select(merges.c.concept_key, merges.c.said_key)).all()
    settled = {row.concept_key for row in merged_rows}
    separate = {row.concept_key for row in merged_rows if row.concept_key == row.said_key}
    known = [concept for concept in _read_concepts(connection) if concept.key not in separate]
    links = grouped((row.concept_key, (row.kind, row.target)) for row in connection.execute(select(concept_links)))
    groups = _Groups(known)
    for ours, other in chain(_replaced(known, links), _matched(known, links)):
        groups.join(ours, other)
    for ours, other in _cross_referenced(known, links, partial(_exact_names, connection)):
        groups.join(ours, other)
    judged = {row.concept for row in connection.execute(select(name_rules.c.concept))}
    for ours, other in _namesakes([ours for ours in known if ours.id not in judged], links, groups):
        groups.join(ours, other)
    rows = [
        {"concept_key": key, "said_key": into, "into_key": into, "made": AUTOMATIC}
        for key, into in groups.merge_pairs()
        if key not in settled
    ]
    if rows:
        connection.execute(insert(merges), rows)
    resolve_merges(connection)
    return len(rows)


def _read_concepts(connection: Connection) -> Iterator[_VocabularyConcept]:
    query = select(concepts, vocabularies.c.rank).join(vocabularies).where(vocabularies.c.term != LOCAL)
    for row in connection.execute(query):
        order = (row.deprecated, not _PLAIN.fullmatch(row.label), not row.definition, row.rank, row.key)
        label = " ".join(word if is_acronym(word) else word.casefold() for word in _EDGES.sub("", row.label).split())
        yield _VocabularyConcept(row.key, row.id, label, row.deprecated, row.vocabulary_key, order)


def _exact_names(connection: Connection, keys: Collection[int]) -> dict[int, set[str]]:
    """Concept -> its names that mean just it, for comparing."""
    query = select(concept_names.c.concept_key, concept_names.c.term).where(concept_names.c.kind.in_(_EXACT))
    names_by_key: dict[int, set[str]] = {key: set() for key in keys}
    for row in rows_in(connection, query, concept_names.c.concept_key, keys):
        names_by_key[row.concept_key].add(row.term)
    return names_by_key


class _Groups:
    """Sets of equal concepts (union–find)."""

    def __init__(self, known: Iterable[_VocabularyConcept]) -> None:
        self._known = {concept.key: concept for concept in known}
        self._above: dict[int, int] = {}

    def first(self, key: int) -> int:
        """The concept that stands for one."""
        while key in self._above:
            key = self._above[key]
        return key

    def join(self, concept: int, other: int) -> None:
        """Let two be one concept."""
        ends = {self.first(concept), self.first(other)}
        if len(ends) == 2:
            best, worst = sorted(ends, key=lambda key: self._known[key].order)
            self._above[worst] = best

    def merge_pairs(self) -> Iterator[tuple[int, int]]:
        """(concept, that which stands for it) of all that are not alone."""
        return ((key, self.first(key)) for key in self._above)


_Links = Mapping[int, Sequence[tuple[str, str]]]


def _replaced(known: Sequence[_VocabularyConcept], links: _Links) -> Iterator[tuple[int, int]]:
    """Deprecated concepts with the only one that replaces each."""
    keys = grouped((concept.id, concept.key) for concept in known)
    for concept in known:
        to = {
            key
            for kind, target in links.get(concept.key, ())
            if kind == LinkKind.REPLACED_BY
            for key in keys.get(target, ())
        }
        if concept.deprecated and len(to - {concept.key}) == 1:
            yield concept.key, (to - {concept.key}).pop()


def _matched(
    known: Sequence[_VocabularyConcept], links: _Links, by: LinkKind = LinkKind.SAME
) -> Iterator[tuple[int, int]]:
    """Concepts with the only one of another vocabulary that is the same, as either says."""
    keys, owner = (
        grouped((concept.id, concept.key) for concept in known),
        {concept.key: concept.vocabulary for concept in known},
    )
    pairs = {
        (min(concept.key, other), max(concept.key, other))
        for concept in known
        for kind, target in links.get(concept.key, ())
        if kind == by
        for other in keys.get(target, ())
        if owner[other] != concept.vocabulary
    }
    partners = grouped(((ours, owner[other]), other) for pair in pairs for ours, other in (pair, pair[::-1]))
    for ours, other in sorted(pairs):
        if len(partners[ours, owner[other]]) == len(partners[other, owner[ours]]) == 1:
            yield ours, other


def _cross_referenced(
    known: Sequence[_VocabularyConcept], links: _Links, names: Callable[[Collection[int]], Mapping[int, set[str]]]
) -> Iterator[tuple[int, int]]:
    """Concepts of which one refers to the other, each to no other of its vocabulary, and that have a name in common.

    Cross-references lead to anything that is like a concept: the gene of a protein, a disease with its stages.
    """
    pairs = list(_matched(known, links, LinkKind.XREF))
    names_by_key = names({key for pair in pairs for key in pair})
    yield from ((ours, other) for ours, other in pairs if not names_by_key[ours].isdisjoint(names_by_key[other]))


def _namesakes(known: Sequence[_VocabularyConcept], links: _Links, groups: _Groups) -> Iterator[tuple[int, int]]:
    """Concepts of one label, each with the first that may be of the same kind."""
    kinds = _Kinds(known, links)
    by_term = grouped((concept.term, concept) for concept in known if concept.term)
    for namesakes in (each for each in by_term.values() if len(each) > 1):
        chosen: list[int] = []
        for concept in sorted(namesakes, key=lambda concept: concept.order):
            first = groups.first(concept.key)
            same = next((other for other in chosen if other == first or kinds.are_compatible(first, other)), None)
            if same is None:
                chosen.append(first)
            elif same != first:
                yield first, same


class _Kinds:
    """What kinds of things concepts are, by the words of what is above them."""

    def __init__(self, known: Sequence[_VocabularyConcept], links: _Links) -> None:
        keys = {concept.id: concept.key for concept in known}
        self._words = {concept.key: frozenset(_WORD.findall(concept.term)) - _SAYS_NOTHING for concept in known}
        self._above: dict[int, set[int]] = defaultdict(set)
        for key, own_links in links.items():
            above = (LinkKind.BROADER, LinkKind.PART_OF)
            self._above[key] = {keys[target] for kind, target in own_links if kind in above and target in keys}

    def are_compatible(self, key: int, other: int) -> bool:
        """Whether two may be of one kind: a word is above both, or nothing is known of either."""
        ours, theirs = self._ancestors(key), self._ancestors(other)
        return min(len(ours), len(theirs)) <= _FLAT or not self._kind_words(ours).isdisjoint(self._kind_words(theirs))

    def _ancestors(self, key: int) -> set[int]:
        ancestors, waiting = set[int](), [key]
        while waiting:
            new = self._above.get(waiting.pop(), set()) - ancestors
            ancestors |= new
            waiting += new
        return ancestors

    def _kind_words(self, keys: Iterable[int]) -> set[str]:
        return {word for key in keys for word in self._words.get(key, ())}
