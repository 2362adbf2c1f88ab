"""Measurements of what the graph adds to search: questions to measure it with, and verdicts (`search.graph = auto`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

import msgspec

from conspectus.graph import sql
from conspectus.graph.explorer import Explorer, Path
from conspectus.graph.mention_finder import linking_version
from conspectus.graph.sql import SentencePlace
from conspectus.records import Filters
from conspectus.records.graph import GraphVerdict
from conspectus.session.session import Session
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, transact, utc_now
from conspectus.store.facets import count_papers

NAME = "graph_verdicts"
GROWN = 0.1
"""A verdict holds until papers, or mentions, are so much more or fewer than they were."""
_REMEDY = "`eval graph` measures it"


def make_verdict(
    session: Session, method: str, metric: str, measured: Sequence[float], questions: int, question_kind: str
) -> GraphVerdict:
    """What was measured (mean difference, and its interval) as a verdict on the library as it is now."""
    catalog, (gain, low, high) = session.catalog, measured
    state = (count_papers(catalog, Filters()), sql.mention_size(catalog)[0], _basis(session))
    return GraphVerdict(method, metric, gain, low, high, questions, utc_now(), catalog.change(), *state, question_kind)  # type: ignore[arg-type] # one of the two


def keep_verdicts(session: Session, verdicts: Sequence[GraphVerdict]) -> None:
    """Keep verdicts in the library, in the place of those before.

    Raises:
        BusyError: another process, or job of this one, is writing to the library.
    """
    with session.writing():
        transact(session.catalog.engine, lambda on: put_meta(on, NAME, msgspec.json.encode(verdicts).decode()))


def read_verdicts(session: Session) -> tuple[GraphVerdict, ...]:
    """What finding passages by the graph, too, was last measured to gain here; none: nobody has.

    A verdict is of a method and a kind of question.
    """
    text = session.catalog.meta(NAME)
    return unpack_json(text, tuple[GraphVerdict, ...], "what the graph gains") if text else ()


def routed(session: Session) -> tuple[str, bool, str]:
    """The method to be used (`no`: none), whether only for entities that no sentence joins, and why, in words."""
    measured = read_verdicts(session)
    if not measured:
        return "no", False, f"no graph: its gain was never measured here ({_REMEDY})"
    every, apart = (
        max(
            (verdict for verdict in measured if verdict.asked == question_kind),
            key=lambda verdict: (verdict.gains, verdict.gain),
            default=None,
        )
        for question_kind in ("any", "apart")
    )
    best = every if every and (every.gains or not apart) else apart
    assert best is not None  # there is a verdict, and it is of one of the two
    if why := _stale(session, best):
        return "no", False, f"no graph: {why} since it was measured ({best}; {_REMEDY} again)"
    if not best.gains:
        return "no", False, f"no graph: it did not help when measured here ({every or best})"
    only = " if no sentence mentions a question's entities together" if best is apart else ""
    return (
        best.method,
        best is apart,
        f"{session.settings.search.graph_weight:g} graph{only}, which gains here ({best})",
    )


def _stale(session: Session, measured: GraphVerdict) -> str:
    """What differs from when it was measured; "": nothing that counts."""
    catalog = session.catalog
    if measured.basis != _basis(session):
        return "vocabularies, embedder or `search.graph_weight` are others"
    if measured.change == catalog.change():
        return ""
    counts = {"papers": count_papers(catalog, Filters()), "mentions": sql.mention_size(catalog)[0]}
    for name, count in counts.items():
        before = getattr(measured, name)
        if abs(count - before) > GROWN * before:
            return f"there are {count} {name}, {before} before,"
    return ""


def _basis(session: Session) -> str:
    return f"{linking_version(session)} {session.embedder.id} {session.settings.search.graph_weight:g}"


SPOKEN = 3
"""Sentences that mention an entity, at least."""
JOINED = 10.83
"""The log-likelihood ratio of a hop, at least: chance has it once in 1,000 (chi-square, one degree of freedom)."""
TRIED, WAYS = 20, 3
"""Middles that are tried for an entity, and ways that count of each two."""


@dataclass(frozen=True, slots=True)
class DistantEntities:
    """Entities, and the strongest ways of two hops between each two of them."""

    keys: tuple[int, ...]
    ways: tuple[Path, ...]

    def places(self, explorer: Explorer) -> list[SentencePlace]:
        """The sentences of all hops."""
        hops = dict.fromkeys(pair for way in self.ways for pair in pairwise(way))
        groups = ((explorer.group(first), explorer.group(second)) for first, second in hops)
        place_groups = (sql.sentences_between(explorer.catalog, *pair, explorer.filters) for pair in groups)
        return list(dict.fromkeys(place for places in place_groups for place in places))


def draw_distant_entities(explorer: Explorer, seed: int) -> Iterator[DistantEntities]:
    """Two entities, or every third time three where there are, drawn at random; no entity comes twice."""
    rng, used = Random(seed), set[int]()  # noqa: S311 - nothing is secret here
    keys = sorted(key for key, count in sql.count_mentions(explorer.catalog).items() if count.sentences >= SPOKEN)
    rng.shuffle(keys)
    number = 0
    for key in keys:
        if key in used or not (chosen := _further(explorer, rng, (key,), used)):
            continue
        if number % 3 == 2:
            chosen = _further(explorer, rng, chosen, used) or chosen
        number, used = number + 1, used | set(chosen)
        yield DistantEntities(chosen, tuple(way for pair in combinations(chosen, 2) for way in _ways(explorer, *pair)))


def _strong(explorer: Explorer, key: int) -> list[int]:
    return [other for other, worth in explorer.strengths(key).items() if worth >= JOINED]


def _further(explorer: Explorer, rng: Random, keys: tuple[int, ...], used: set[int]) -> tuple[int, ...]:
    """The entities with one more that no sentence joins to them, behind a neighbour of the last; () if none."""
    near = set(keys) | used
    for key in keys:
        near |= explorer.around(key).keys() | set(sql.linked_concepts(explorer.catalog, explorer.group(key)))
    middles = _strong(explorer, keys[-1])
    for middle in rng.sample(middles, min(TRIED, len(middles))):
        far = [other for other in _strong(explorer, middle) if other not in near]
        if far := [other for other in far if explorer.counts(far)[other].sentences >= SPOKEN]:
            return (*keys, rng.choice(far))
    return ()


def _ways(explorer: Explorer, first: int, second: int) -> Sequence[Path]:
    """The strongest ways over a middle."""
    middles = set(_strong(explorer, first)) & set(_strong(explorer, second))
    ways = [(first, middle, second) for middle in middles]
    return sorted(ways, key=lambda way: (-explorer.worth(way), way))[:WAYS]
