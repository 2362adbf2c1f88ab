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
    said = connection.execute(select(merges.c.concept_key, merges.c.said_key)).all()
    settled = {row.concept_key for row in said}
    separate = {row.concept_key for row in said if row.concept_key == row.said_key}
    known = [one for one in _read_concepts(connection) if one.key not in separate]
    links = grouped((row.concept_key, (row.kind, row.target)) for row in connection.execute(select(concept_links)))
    groups = _Groups(known)
    for one, other in chain(_replaced(known, links), _matched(known, links)):
        groups.join(one, other)
    for one, other in _cross_referenced(known, links, partial(_exact_names, connection)):
        groups.join(one, other)
    judged = {row.concept for row in connection.execute(select(name_rules.c.concept))}
    for one, other in _namesakes([one for one in known if one.id not in judged], links, groups):
        groups.join(one, other)
    rows = [
        {"concept_key": key, "said_key": into, "into_key": into, "made": AUTOMATIC}
        for key, into in groups.merged()
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
    found: dict[int, set[str]] = {key: set() for key in keys}
    for row in rows_in(connection, query, concept_names.c.concept_key, keys):
        found[row.concept_key].add(row.term)
    return found


class _Groups:
    """Sets of equal concepts (union–find)."""

    def __init__(self, known: Iterable[_VocabularyConcept]) -> None:
        self._known = {one.key: one for one in known}
        self._above: dict[int, int] = {}

    def first(self, key: int) -> int:
        """The concept that stands for one."""
        while key in self._above:
            key = self._above[key]
        return key

    def join(self, one: int, other: int) -> None:
        """Let two be one concept."""
        ends = {self.first(one), self.first(other)}
        if len(ends) == 2:
            best, worst = sorted(ends, key=lambda key: self._known[key].order)
            self._above[worst] = best

    def merged(self) -> Iterator[tuple[int, int]]:
        """(concept, that which stands for it) of all that are not alone."""
        return ((key, self.first(key)) for key in self._above)


_Links = Mapping[int, Sequence[tuple[str, str]]]


def _replaced(known: Sequence[_VocabularyConcept], links: _Links) -> Iterator[tuple[int, int]]:
    """Deprecated concepts with the only one that replaces each."""
    keys = grouped((one.id, one.key) for one in known)
    for one in known:
        to = {
            key
            for kind, target in links.get(one.key, ())
            if kind == LinkKind.REPLACED_BY
            for key in keys.get(target, ())
        }
        if one.deprecated and len(to - {one.key}) == 1:
            yield one.key, (to - {one.key}).pop()


def _matched(
    known: Sequence[_VocabularyConcept], links: _Links, by: LinkKind = LinkKind.SAME
) -> Iterator[tuple[int, int]]:
    """Concepts with the only one of another vocabulary that is the same, as either says."""
    keys, owner = grouped((one.id, one.key) for one in known), {one.key: one.vocabulary for one in known}
    pairs = {
        (min(one.key, other), max(one.key, other))
        for one in known
        for kind, target in links.get(one.key, ())
        if kind == by
        for other in keys.get(target, ())
        if owner[other] != one.vocabulary
    }
    partners = grouped(((one, owner[other]), other) for pair in pairs for one, other in (pair, pair[::-1]))
    for one, other in sorted(pairs):
        if len(partners[one, owner[other]]) == len(partners[other, owner[one]]) == 1:
            yield one, other


def _cross_referenced(
    known: Sequence[_VocabularyConcept], links: _Links, names: Callable[[Collection[int]], Mapping[int, set[str]]]
) -> Iterator[tuple[int, int]]:
    """Concepts of which one refers to the other, each to no other of its vocabulary, and that have a name in common.

    Cross-references lead to anything that is like a concept: the gene of a protein, a disease with its stages.
    """
    pairs = list(_matched(known, links, LinkKind.XREF))
    named = names({key for pair in pairs for key in pair})
    yield from ((one, other) for one, other in pairs if not named[one].isdisjoint(named[other]))


def _namesakes(known: Sequence[_VocabularyConcept], links: _Links, groups: _Groups) -> Iterator[tuple[int, int]]:
    """Concepts of one label, each with the first that may be of the same kind."""
    kinds = _Kinds(known, links)
    named = grouped((one.term, one) for one in known if one.term)
    for namesakes in (each for each in named.values() if len(each) > 1):
        chosen: list[int] = []
        for one in sorted(namesakes, key=lambda one: one.order):
            first = groups.first(one.key)
            same = next((other for other in chosen if other == first or kinds.are_compatible(first, other)), None)
            if same is None:
                chosen.append(first)
            elif same != first:
                yield first, same


class _Kinds:
    """What kinds of things concepts are, by the words of what is above them."""

    def __init__(self, known: Sequence[_VocabularyConcept], links: _Links) -> None:
        keys = {one.id: one.key for one in known}
        self._words = {one.key: frozenset(_WORD.findall(one.term)) - _SAYS_NOTHING for one in known}
        self._above: dict[int, set[int]] = defaultdict(set)
        for key, own in links.items():
            above = (LinkKind.BROADER, LinkKind.PART_OF)
            self._above[key] = {keys[target] for kind, target in own if kind in above and target in keys}

    def are_compatible(self, one: int, other: int) -> bool:
        """Whether two may be of one kind: a word is above both, or nothing is known of either."""
        ours, theirs = self._ancestors(one), self._ancestors(other)
        return min(len(ours), len(theirs)) <= _FLAT or not self._said(ours).isdisjoint(self._said(theirs))

    def _ancestors(self, key: int) -> set[int]:
        found, waiting = set[int](), [key]
        while waiting:
            new = self._above.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    def _said(self, some: Iterable[int]) -> set[str]:
        return {word for key in some for word in self._words.get(key, ())}
