"""Directions that grow together, or share others, although hardly a paper has both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.directions.explain import read_strongest
from conspectus.directions.stored_directions import LoadedDirections, load_directions
from conspectus.directions.strata import PaperDirections, paper_directions, years_and_citations
from conspectus.hypotheses.lead_report import TEMPLATE, PapersInTime, cite_span, report_leads
from conspectus.records import Citation, normal_name
from conspectus.records.events import Progress
from conspectus.records.hypotheses import HypothesisLead, HypothesisReport, LaterPapers, LeadAssumption
from conspectus.session.session import Session
from conspectus.store.facets import filtered_paper_keys

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
RECENT = 10
"""Years within which something grows, the last complete ones."""
FEWEST, GROWTH, SURE = 10, 1.2, 2.0
"""Papers of a direction; how much its share has grown at least, and by how many standard errors."""
LABELLED = 0.8
"""AUC of a label from which on it says what a direction is."""
APART = 0.34
"""Part of the papers with both to be expected by chance that there may be."""
READ = 500
"""Papers of a direction in which names of others are looked for, the strongest."""
COMMON = 0.5
"""Part of the share of a direction's own papers with its name, above which others' say nothing: anybody says it."""
EACH = 2
"""Pairs that one direction is in, at most."""
EXPECTED, BRIDGED = 3.0, 2
"""Papers with both to be expected by chance, where growth does not decide: of fewer, chance alone leaves none in one
case of twenty. Papers of each with a third direction."""
NONE = (
    "No two directions grow together, or share others, and meet in fewer papers than by chance; a few hundred papers "
    "can hardly tell. `directions list` shows all; hypotheses from entities, the default, may say more."
)
STILL = (
    "In {papers} of {first} to {last} no two directions that stay apart grow beyond chance. These share others and "
    "meet less than by chance. Hypotheses from entities, the default, may say more."
)


@dataclass(frozen=True)
class _Growth:
    """How directions grow: papers of each in earlier and later years, and of all directions.

    `years`: the first of all, the first of the later ones, and the last.
    """

    early: Ints
    late: Ints
    papers: tuple[int, int]
    years: tuple[int, int, int]

    @property
    def ratio(self) -> Floats:
        """How many times its share has grown."""
        share = self.papers[1] / sum(self.papers)  # by which a paper is added, so that none is no infinite growth
        ratio: Floats = (self.late + share) / self.papers[1] / ((self.early + 1 - share) / self.papers[0])
        return ratio

    @property
    def grows(self) -> npt.NDArray[np.bool_]:
        """Whether it grows beyond chance."""
        error = np.sqrt(1 / (self.late + 0.5) + 1 / (self.early + 0.5))
        return (self.ratio >= GROWTH) & (np.log(self.ratio) >= SURE * error)


@dataclass(frozen=True, slots=True)
class _UnjoinedPair:
    """Two directions that hardly meet, and the papers with both to be expected by chance."""

    left: int
    right: int
    score: float
    expected: float

    def scale_score(self, factor: float) -> _UnjoinedPair:
        return replace(self, score=self.score * factor)


def lead_by_directions(session: Session, of: PapersInTime, k: int) -> HypothesisReport:
    """Hypotheses by directions; see `HypothesisVerbs`.

    Raises:
        NotFoundError: the library has no directions.
    """
    directions = load_directions(session, "papers")
    having = paper_directions(directions.codes, directions.autoencoder.size)
    years = years_and_citations(session, having.keys)[0]
    known = np.isin(having.keys, filtered_paper_keys(session.catalog, of.before)) & (years > 0)
    if not known.any():
        return report_leads(session, "directions", (), of, k, note="No paper with a year passes these filters.")
    active = np.zeros((len(having.keys), having.size), np.float32)
    clear = having.weights >= 1
    active[having.rows[clear], having.numbers[clear]] = 1
    growth = _measure_growth(active, years, known, of)
    together = (active[known].T @ active[known]).astype(np.float64)
    says = _NamesInPapers(session, directions, having, known)
    pairs = _choose(_rank_growing(directions, growth, together, int(known.sum())), says, k)
    is_still = not pairs
    pairs = pairs or _choose(_rank_bridged(directions, together, int(known.sum())), says, k)
    later = None if of.after is None else np.isin(having.keys, filtered_paper_keys(session.catalog, of.after))
    leads = []
    shown_growth = None if is_still else growth
    for number, (left, right, score) in enumerate(pairs, 1):
        leads.append(
            _make_lead(
                session, _Pair(directions, having, active, left, right), shown_growth, together, score, known, later
            )
        )
        emit(Progress("reading", number, len(pairs), "hypotheses"))
    notes = [] if leads else [NONE]
    if leads and is_still:
        first, _, last = growth.years
        notes.append(STILL.format(papers=pluralize(sum(growth.papers), "paper"), first=first, last=last))
    if of.after and leads:
        notes.append("The directions themselves were trained on later papers, too.")
    return report_leads(session, "directions", leads, of, k, note=" ".join(notes))


def _measure_growth(
    active: npt.NDArray[np.float32], years: Ints, known: npt.NDArray[np.bool_], of: PapersInTime
) -> _Growth:
    """By the last complete years, parted so that either part has about as many papers.

    The newest year of the library is not over, unless it was given as the last.
    """
    newest = int(years[known].max())
    last = newest if of.until is not None and newest < int(years.max()) else newest - 1
    inside = known & (years <= last) & (years > last - RECENT)
    if not inside.any():
        inside, last = known, newest
    split = int(np.median(years[inside])) + 1
    split = split if split <= last else last
    late, early = inside & (years >= split), inside & (years < split)
    counts = [active[rows].sum(axis=0).astype(np.int64) for rows in (early, late)]
    first = int(years[inside].min())
    return _Growth(counts[0], counts[1], (max(int(early.sum()), 1), max(int(late.sum()), 1)), (first, split, last))


def _rank_growing(
    directions: LoadedDirections, growth: _Growth, together: Floats, papers: int
) -> Iterator[_UnjoinedPair]:
    """Pairs that grow, meet in fewer papers than by chance, and meet the same others."""
    fits = growth.grows & _has_sure_labels(directions, together)
    for pair in _part_pairs(np.flatnonzero(fits), together, papers):
        yield pair.scale_score(float(np.log(growth.ratio[pair.left] * growth.ratio[pair.right])))


def _rank_bridged(directions: LoadedDirections, together: Floats, papers: int) -> Iterator[_UnjoinedPair]:
    """The same without growth, of directions of which each is in papers with a third one."""
    joined = together >= BRIDGED
    np.fill_diagonal(joined, 0)
    for pair in _part_pairs(np.flatnonzero(_has_sure_labels(directions, together)), together, papers):
        if pair.expected >= EXPECTED and (joined[pair.left] & joined[pair.right]).any():
            yield pair.scale_score((pair.expected - float(together[pair.left, pair.right])) / pair.expected**0.5)


def _has_sure_labels(directions: LoadedDirections, together: Floats) -> npt.NDArray[np.bool_]:
    """Which directions recur, are in enough papers, and have a label that says what they are."""
    sure = np.array(
        [
            direction.recurs and direction.is_named and (direction.auc or 0) >= LABELLED
            for direction in directions.directions
        ]
    )
    fits: npt.NDArray[np.bool_] = sure & (np.diag(together) >= FEWEST)
    return fits


def _part_pairs(numbers: Ints, together: Floats, papers: int) -> Iterator[_UnjoinedPair]:
    """Pairs of some directions that hardly meet, scored by how much they meet the same others."""
    counts = np.diag(together)
    lift = np.log1p(together * papers / np.maximum(np.outer(counts, counts), 1))
    np.fill_diagonal(lift, 0)
    for place, left in enumerate(numbers.tolist()):
        for right in numbers[place + 1 :].tolist():
            expected = float(counts[left] * counts[right] / max(papers, 1))
            if together[left, right] <= APART * expected:
                first, second = np.delete(lift[left], [left, right]), np.delete(lift[right], [left, right])
                length = float(np.linalg.norm(first) * np.linalg.norm(second))
                yield _UnjoinedPair(left, right, float(first @ second) / max(length, 1e-9), expected)


class _NamesInPapers:
    """Counts papers with one direction that say the name of another: these meet, whatever is active in them."""

    def __init__(
        self,
        session: Session,
        directions: LoadedDirections,
        having: PaperDirections,
        known: npt.NDArray[np.bool_],
    ) -> None:
        self._session, self._directions, self._keys = session, directions, set(having.keys[known].tolist())
        self._texts: dict[int, dict[int, str]] = {}

    def count(self, pair: _UnjoinedPair) -> int:
        """Papers with either direction, of the `READ` strongest of each, that say a name of the other."""
        naming_papers = set[int]()
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            for name in map(normal_name, self._directions.directions[right].label.split(", ")):
                own_keys, others = (
                    [key for key, text in self._read(row).items() if f" {name}" in text] for row in (right, left)
                )
                share = len(own_keys) / max(len(self._read(right)), 1)
                if len(others) <= COMMON * share * len(self._read(left)):
                    naming_papers.update(others)
        return len(naming_papers)

    def _read(self, number: int) -> dict[int, str]:
        """The title and abstract of the strongest papers with a direction."""
        if number not in self._texts:
            keys = self._directions.codes.papers[self._directions.codes.rows_of(number)[0]].tolist()
            chosen = [key for key in dict.fromkeys(keys) if key in self._keys][:READ]
            papers = self._session.catalog.papers_by_key(chosen)
            self._texts[number] = {
                key: f" {normal_name(f'{paper.title} {paper.abstract}')}" for key, paper in papers.items()
            }
        return self._texts[number]


def _choose(pairs: Iterable[_UnjoinedPair], says: _NamesInPapers, k: int) -> list[tuple[int, int, float]]:
    """The k best, without those whose papers name both; each direction is in `EACH` of them at most."""
    often: Counter[int] = Counter()
    chosen: list[tuple[int, int, float]] = []
    for pair in sorted(pairs, key=lambda pair: (-pair.score, pair.left, pair.right)):
        is_free = max(often[pair.left], often[pair.right]) < EACH
        if is_free and len(chosen) < k and says.count(pair) <= APART * pair.expected:
            chosen.append((pair.left, pair.right, pair.score))
            often.update((pair.left, pair.right))
    return chosen


@dataclass(frozen=True)
class _Pair:
    """Two directions, and which are active in which papers, float32 [papers, directions]."""

    directions: LoadedDirections
    having: PaperDirections
    active: npt.NDArray[np.float32]
    left: int
    right: int

    def label(self, number: int) -> str:
        return self.directions.directions[number].label


def _make_lead(
    session: Session,
    pair: _Pair,
    growth: _Growth | None,
    together: Floats,
    score: float,
    known: npt.NDArray[np.bool_],
    later: npt.NDArray[np.bool_] | None,
) -> HypothesisLead:
    ledger = []
    for number in (pair.left, pair.right):
        if growth is None:
            text = f"{pair.label(number)}: {int(together[number, number])} of {int(known.sum())} papers"
        else:
            first, split, last = growth.years
            text = (
                f"{pair.label(number)} grows: {growth.early[number]} of {growth.papers[0]} papers from {first} to "
                f"{split - 1}, {growth.late[number]} of {growth.papers[1]} from {split} to {last}"
            )
        ledger.append(LeadAssumption(text, "counted", _cite(session, pair, number, known)))
    counts = np.diag(together)
    with_both = np.minimum(
        *(together[number] / np.maximum(counts, 1) * (together[number] >= 2) for number in (pair.left, pair.right))
    )
    with_both[[pair.left, pair.right]] = 0
    via = int(with_both.argmax())
    if with_both[via] > 0:
        numbers = (int(together[number, via]) for number in (pair.left, pair.right))
        what = " and ".join(
            f"{pluralize(count, 'paper')} with {pair.label(number)}"
            for count, number in zip(numbers, (pair.left, pair.right), strict=True)
        )
        both = known & (pair.active[:, via] > 0) & (pair.active[:, pair.left] > 0)
        ledger.append(LeadAssumption(f"{pair.label(via)} is in {what}", "counted", _cite(session, pair, via, both)))
    both_count, chance = int(together[pair.left, pair.right]), counts[pair.left] * counts[pair.right] / int(known.sum())
    names = f"{pair.label(pair.left)} and {pair.label(pair.right)}"
    text = f"{names} belong together: papers with both: {both_count}, {chance:.1f} to be expected by chance"
    ledger.append(LeadAssumption(text, "not stated"))
    through = f", and whether {pair.label(via)} accounts for it" if with_both[via] > 0 else ""
    test = f"{TEMPLATE}study {names} in the same cases, and see whether what one shows depends on the other{through}."
    title = f"{pair.label(pair.left)} – {pair.label(pair.right)}"
    return HypothesisLead(0, title, round(score, 4), tuple(ledger), test, _find_later(session, pair, later))


def _cite(session: Session, pair: _Pair, number: int, among: npt.NDArray[np.bool_]) -> Citation | None:
    """The strongest sentence of a direction in some papers."""
    rows, _ = pair.directions.codes.rows_of(number)
    inside = rows[np.isin(pair.directions.codes.papers[rows], pair.having.keys[among])][:1]
    read = read_strongest(session, pair.directions, number, inside)
    return cite_span(session, read[0].paper, read[0].span) if read else None


def _find_later(session: Session, pair: _Pair, later: npt.NDArray[np.bool_] | None) -> LaterPapers | None:
    if later is None:
        return None
    both = later & (pair.active[:, pair.left] > 0) & (pair.active[:, pair.right] > 0)
    counts = [int((later & (pair.active[:, number] > 0)).sum()) for number in (pair.left, pair.right)]
    chance = counts[0] * counts[1] / max(int(later.sum()), 1)
    text = f"both in {pluralize(int(both.sum()), 'paper')} ({chance:.1f} to be expected by chance)"
    citation = _cite(session, pair, pair.left, both) if both.any() else None
    return LaterPapers(text, int(both.sum()), citation.paper.year if citation else None, citation)
