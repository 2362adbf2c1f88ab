"""How far papers agree on a claim, from the stance of each: the rule of the levels (F10).

Those that are about the claim count: S support it, O oppose it, M say both. The balance is `(S - O) / (S + O + M)`.

| balance | level |
| --- | --- |
| from 3/4 | Strong Agreement |
| from 1/2 | Moderate Agreement |
| from 1/4 | Weak Agreement |
| between | No Clear Consensus |
| to -1/4, -1/2, -3/4 | Weak, Moderate, Strong Disagreement |

Of fewer than `FEWEST` papers there is no level, of fewer than `FEWEST_FOR_STRONG` none that is strong, and none where
fewer than half of the papers found could be judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2

from conspectus.records import CONSENSUS_LEVELS, ConsensusLevel, Stance, StanceKind

FEWEST = 3
FEWEST_FOR_STRONG = 5
_MIDDLE = CONSENSUS_LEVELS.index("No Clear Consensus")
_VERBS: dict[StanceKind, tuple[str, str]] = {
    "supports": ("supports it", "support it"),
    "opposes": ("opposes it", "oppose it"),
    "mixed": ("says both", "say both"),
}


@dataclass(frozen=True, slots=True)
class ConsensusOutcome:
    """What follows from stances: the level, or the reason why there is none; the balance; whether it was held down."""

    level: ConsensusLevel | None
    reason: str
    balance: float | None
    held: bool = False


def outcome(counts: Mapping[StanceKind, int], found: int) -> ConsensusOutcome:
    """What follows from the stances of those that could be judged of `found` papers.

    Reckoned in whole numbers, so that a balance on a border is on it.
    """
    about = sum(counts[stance] for stance in _VERBS)
    judged = about + counts["not about it"]
    net = counts["supports"] - counts["opposes"]
    balance = net / about if about else None
    if not found:
        return ConsensusOutcome(None, "No paper was found.", balance)
    if 2 * judged < found:
        few = f"Only {judged}" if judged else "None"
        return ConsensusOutcome(None, f"{few} of the {found} papers found could be judged: too few to say.", balance)
    if about < FEWEST:
        few = "None" if not about else f"Only {about}"
        of = f"{few} of the {judged} papers judged {'are' if about > 1 else 'is'} about it"
        return ConsensusOutcome(None, f"{of}; a consensus needs {FEWEST} at least.", balance)
    step = min(4 * abs(net) // about, 3)  # quarters of the balance: 0 is none, 3 is strong
    held = step == 3 and about < FEWEST_FOR_STRONG
    step -= held
    return ConsensusOutcome(CONSENSUS_LEVELS[_MIDDLE - step if net > 0 else _MIDDLE + step], "", balance, held)


def relevance(stances: Sequence[Stance]) -> float:
    """How much of what was judged is about the claim, 0 to 1; a paper of rank r counts 1 / log2(r + 1), as in nDCG."""
    weights = {item.rank: 1 / log2(item.rank + 1) for item in stances}
    about = sum(weights[item.rank] for item in stances if item.stance != "not about it")
    return about / sum(weights.values()) if weights else 0.0


def explanation(stances: Sequence[Stance], found: ConsensusOutcome) -> str:
    """Which papers say what, with their markers, and how the level follows; "" where none is about the claim."""
    groups = {stance: [item for item in stances if item.stance == stance] for stance in _VERBS}
    about = sum(map(len, groups.values()))
    if not about:
        return ""
    parts = [
        f"{len(group)} {_VERBS[stance][len(group) > 1]} {_markers(group)}" for stance, group in groups.items() if group
    ]
    said = f"{about} of {len(stances)} papers are about it: {'; '.join(parts)}."
    if found.level:
        sums = f"({len(groups['supports'])} - {len(groups['opposes'])}) / {about} = {found.balance:+.2f}"
        said += f" The balance is {sums}: {found.level}."
    if found.held:
        said += f" From {FEWEST_FOR_STRONG} papers on it would be strong."
    if far := [item for group in groups.values() for item in group if item.outlying.outlier]:
        said += f" Far from the others found: {_markers(far)}."
    return said


def _markers(stances: Sequence[Stance]) -> str:
    return " ".join(item.citations[0].marker if item.citations else f"[{item.label}]" for item in stances)
