"""What has to hold for a hypothesis, and what would test it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from conspectus.graph import sql
from conspectus.graph.discovery import Discoverer
from conspectus.lexicon import STOP_WORDS
from conspectus.lexicon.word_lists import BREAKING
from conspectus.records import Citation
from conspectus.records.graph import Edge, Entity, Hypothesis
from conspectus.records.hypotheses import Assumption, AssumptionBasis
from conspectus.store import entities

BETWEEN = 12
"""Words between two entities of one clause, at most."""
_WORD = re.compile(r"[^\W\d_]+")
_BOUNDARY = re.compile(r"[;:]|,\s+(?:which|who|whereas|while|but|although|because)\b")
_VERBS = BREAKING - STOP_WORDS
_CONDITIONS = frozenset("disease disorder syndrome dysfunction injury phenotype".split())
_SUBSTANCES = frozenset(
    "chemical molecule molecular protein hormone drug receptor peptide compound neurotransmitter gas gene".split()
)
SUGGESTION = "To test it (from a template): "


@dataclass(frozen=True)
class LedgerMaker:
    """Makes ledgers of hypotheses.

    Attributes:
        discoverer: that found them.
        keys: the concepts of entities, by their ids.
    """

    discoverer: Discoverer
    keys: Mapping[str, int]

    def assumptions(self, hypothesis: Hypothesis) -> tuple[Assumption, ...]:
        """The links of each bridge, in its order, and the one that nothing states."""
        links = (self._link(hop) for path in hypothesis.paths for hop in path.hops)
        return (*links, Assumption(hypothesis.source, hypothesis.target, "not stated", hypothesis.papers, 0))

    def _link(self, hop: Edge) -> Assumption:
        """The link of two entities with its best sentence: one that states it, or has both in one clause."""
        stated = tuple(self.discoverer.explorer.stated_between(self.keys[hop.source], [self.keys[hop.target]]))
        read = sql.read_citations(self.discoverer.explorer.catalog, stated[:1])
        evidence: tuple[AssumptionBasis, Citation | None] = ("co-mention", next(iter(hop.examples), None))
        if read:
            evidence = ("stated", read[0])
        elif clause := next((example for example in hop.examples if self._is_clause(example, hop)), None):
            evidence = ("one clause", clause)
        return Assumption(hop.source, hop.target, evidence[0], hop.papers, hop.sentences, evidence[1])

    def _is_clause(self, citation: Citation, hop: Edge) -> bool:
        """Whether a sentence has both entities in one clause with a verb between."""
        span = citation.spans[0]
        mentions = list(sql.mentions_of_sentences(self.discoverer.explorer.catalog, [span.id]))
        ends = {name: end for end in (hop.source, hop.target) for name in self._names(end)}
        places = {ends[mention.entity]: mention for mention in mentions if mention.entity in ends}
        if len(places) < 2:
            return False
        first, second = sorted(places.values(), key=lambda mention: mention.start)
        return joins_in_clause(span.text[first.end - span.start : second.start - span.start])

    def _names(self, entity: str) -> Collection[str]:
        """The ids of an entity and of those that were merged into it."""
        explorer = self.discoverer.explorer
        return entities.concept_ids(explorer.catalog, explorer.group(self.keys[entity])).values()


def joins_in_clause(between: str) -> bool:
    """Whether the words between two names let them be in one clause, joined by a verb."""
    words = [word.casefold() for word in _WORD.findall(between)]
    if not 1 <= len(words) <= BETWEEN or _BOUNDARY.search(between):
        return False
    return any(word in _VERBS and word.endswith(("s", "ed")) for word in words)


def suggest_test(
    hypothesis: Hypothesis,
    names: Mapping[str, Entity],
    above: Mapping[str, Collection[str]],
    ledger: Sequence[Assumption] = (),
) -> str:
    """What would test a hypothesis, from a template by the kinds of its entities, and which papers to start from.

    Args:
        hypothesis: the hypothesis.
        names: entities by their ids.
        above: the words that say what is above each entity, by its id.
        ledger: its links; the best bridge first.

    Returns:
        "" where neither the kinds of the entities nor papers on a bridge say what to do.
    """
    ends = sorted((hypothesis.source, hypothesis.target), key=lambda end: _kind(above.get(end, ())))
    first, second = (names[end].name for end in ends)
    via = names[hypothesis.paths[0].via].name if hypothesis.paths else ""
    papers = [
        (link.citation.paper.id, f"{link.citation.where} ({names[end].name} with {via})")
        for end in ends
        for link in ledger[:2]
        if end in (link.source, link.target) and link.citation
    ]
    designs = [design for _, design in papers]
    match tuple(_kind(above.get(end, ())) for end in ends):
        case ("condition", "condition"):
            main = f"count how often {first} and {second} occur in the same cases, and compare that with chance."
        case ("condition", "substance"):
            main = (
                f"compare {second} between cases with and without {first}, "
                f"and change {second} to see what becomes of {first}."
            )
        case ("condition", _):
            main = f"compare {second} between cases with and without {first}."
        case ("substance", _):
            main = f"change {first} and measure {second}."
        case _ if len(designs) < 2:
            return ""
        case _ if papers[0][0] == papers[1][0]:
            return f"{SUGGESTION}see whether {designs[0]}, which also has {second} with {via}, has data on both."
        case _:
            return (
                f"{SUGGESTION}see whether the data of {designs[0]} also have {second}, "
                f"and whether those of {designs[1]} have {first}."
            )
    start = f" Designs to start from: {'; '.join(designs)}." if designs else ""
    return f"{SUGGESTION}{main}{start}"


def _kind(above: Collection[str]) -> str:
    """`condition`, `substance` or `thing`; in this order."""
    if _CONDITIONS.intersection(above):
        return "condition"
    return "substance" if _SUBSTANCES.intersection(above) else "thing"
