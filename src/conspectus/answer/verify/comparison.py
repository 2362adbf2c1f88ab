"""Whether what a statement says of more and less, before and after, better and worse goes the way its sentences do.

English only. A word of direction (`higher`) is held against those of the same axis in the sentences (`lower`) \
that stand
among the same words; `A … than B` against `B … than A`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import Folded
from conspectus.answer.verify.negation import is_cue
from conspectus.answer.verify.text import Token, is_content, stem

_AXES = """
increase increased increases increasing rise rises rising rose risen higher highest high greater greatest more \
larger largest elevated elevation grew growing upregulated upregulation up-regulated enhanced enhances enhance \
above exceeded exceeds maximum most raised raises augmented increment
/ decrease decreased decreases decreasing decline declines declined fall fell fallen falls lower lowest low less \
fewer smaller smallest reduced reduces reduce reducing reduction diminished downregulated downregulation \
down-regulated attenuated below minimum least dropped drop drops lowered lowers decrement
before prior preceding preceded preoperative preoperatively earlier earliest / after following followed \
postoperative postoperatively later latest subsequent subsequently
better best superior improved improves improve improvement improving / worse worst inferior worsened worsens \
worsening deteriorated deteriorates deterioration impaired impairs impairment
positive positively / negative negatively inverse inversely
activates activated activate activation activating stimulates stimulated promotes promoted promote promoting \
induces induced enhances enables facilitates / inhibits inhibited inhibit inhibition inhibiting suppresses \
suppressed suppress represses repressed prevents prevented blocks blocked abolishes abolished deactivates \
inactivates
longer longest prolonged prolongs / shorter shortest shortened shortens
faster fastest quicker accelerated accelerates / slower slowest delayed delays slowed
stronger strongest / weaker weakest
hyperpolarized hyperpolarization / depolarized depolarization
sensitive sensitivity / resistant resistance insensitive
upstream / downstream
majority / minority
agonist agonists / antagonist antagonists
gain-of-function / loss-of-function
anterior / posterior
dorsal / ventral
left / right
maternal / paternal
acute / chronic
brighter / fainter dimmer
hotter warmer / colder cooler
older / younger
heavier / lighter
wider broader / narrower
deeper / shallower
inner innermost / outer outermost
"""


def _directions() -> dict[str, tuple[int, int]]:
    made: dict[str, tuple[int, int]] = {}
    axis = -1
    for line in _AXES.strip().splitlines():
        side = 1
        if not line.startswith("/"):
            axis += 1
        for part in line.split():
            if part == "/":
                side = -1
            else:
                made.setdefault(part, (axis, side))
    return made


_DIRECTION = _directions()
_AROUND = 6


@dataclass(frozen=True, slots=True)
class _Turn:
    """A word of direction and the stems around it in its clause."""

    token: Token
    axis: int
    side: int
    near: frozenset[str]
    left: frozenset[str]
    right: frozenset[str]
    denied: bool


def _direction(word: str) -> tuple[int, int] | None:
    """The axis of a word and its side; of a compound ('higher-order') those of its first part."""
    word = word.lower()
    return _DIRECTION.get(word) or _DIRECTION.get(word.partition("-")[0])


def opposite(first: str, second: str) -> bool:
    """Whether two words are the ends of one axis."""
    one, other = _direction(first), _direction(second)
    if "-" in first and first.partition("-")[2] != second.partition("-")[2]:
        return False
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


def comparison_doubts(statement: Folded, words: Sequence[Token], sentences: Sequence[Sequence[Token]]) -> list[Doubt]:
    """A doubt for each word of direction that the sentences turn the other way round."""
    there = [turn for sentence in sentences for turn in _turns(sentence)]
    made = []
    for turn in _turns(words):
        other = _contrary(turn, [item for item in there if item.axis == turn.axis])
        if other is not None:
            found = statement.words(turn.token.start, turn.token.end)
            why = (
                f"What is compared stands the other way round in the cited sentences ('{other.token.text}')."
                if other.side == turn.side
                else f"The statement says '{found}'; the cited sentences say '{other.token.text}'."
            )
            made.append(Doubt("comparison", found, why))
    return made


def _contrary(turn: _Turn, there: Sequence[_Turn]) -> _Turn | None:
    """The turn of the sentences that contradicts `turn`, if nothing there bears it out."""
    if turn.denied:
        return None
    same = [item for item in there if item.side == turn.side and not item.denied]
    swapped = [item for item in same if _swapped(turn, item)]
    if swapped and len(swapped) == len(same):
        return swapped[0]
    against = [item for item in there if item.side != turn.side and not item.denied and not _swapped(turn, item)]
    if not against or any(item.side != turn.side and (item.denied or _swapped(turn, item)) for item in there):
        return None
    best = max(against, key=lambda item: len(item.near & turn.near))
    overlap = len(best.near & turn.near)
    if not same:
        enough = max(2, 0.5 * len(turn.near))
        return best if overlap >= enough else None
    nearest_same = max(len(item.near & turn.near) for item in same)
    return best if overlap >= nearest_same + 2 and overlap >= 3 else None


def _swapped(turn: _Turn, other: _Turn) -> bool:
    """Whether what stands before and behind the word of direction has changed places."""
    if not (turn.left and turn.right and other.left and other.right):
        return False
    common = (turn.left & turn.right) | (other.left & other.right)
    left, right = turn.left - common, turn.right - common
    crossed = (len(left & other.right), len(right & other.left))
    straight = len(left & other.left) + len(right & other.right)
    return min(crossed) >= 1 and sum(crossed) > straight


def _turns(words: Sequence[Token]) -> list[_Turn]:
    made = []
    for place, token in enumerate(words):
        known = _direction(token.text)
        if known is None:
            continue
        window = [
            word for word in words[max(0, place - _AROUND) : place + _AROUND + 1] if word.sentence == token.sentence
        ]
        denied = any(
            is_cue(words, near) for near in range(max(0, place - 4), place) if words[near].sentence == token.sentence
        )
        made.append(_Turn(token, *known, _stems(window), *_sides(words, place), denied))
    return made


def _stems(words: Sequence[Token]) -> frozenset[str]:
    return frozenset(stem(word.lower) for word in words if is_content(word.lower) and word.lower not in _DIRECTION)


def _sides(words: Sequence[Token], place: int) -> tuple[frozenset[str], frozenset[str]]:
    """The stems before the word and behind its 'than'; empty where there is no 'than'."""
    clause = words[place].clause
    for behind in range(place + 1, min(place + 12, len(words))):
        if words[behind].clause != clause:
            break
        if words[behind].lower == "than":
            left = [word for word in words[max(0, place - 10) : behind] if word.clause == clause]
            right = [word for word in words[behind + 1 : behind + 11] if word.clause == clause]
            return _stems(left), _stems(right)
    return frozenset(), frozenset()
