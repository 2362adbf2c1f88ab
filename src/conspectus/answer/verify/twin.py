"""A statement that is nearly a copy of a sentence: what was put in the place of what?

A changed word is seen here although it stands elsewhere in the cited sentences: '71 % against 61 %' turned round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from conspectus.answer.verify.comparison import opposite
from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import Folded
from conspectus.answer.verify.names import LATIN, Names, form, in_order, is_name
from conspectus.answer.verify.negation import is_cue, lacks_a_name
from conspectus.answer.verify.numbers import fits
from conspectus.answer.verify.quantities import Quantity
from conspectus.answer.verify.shortforms import short_forms
from conspectus.answer.verify.text import Token, is_content, stem

LIKE = 0.6
"""The part of a statement's words that stand in the sentence in the same order, for it to be nearly a copy."""
_ENOUGH = 5
"""So many same words around a change show that both speak of the same, where the rest differs."""
_LONGEST = 400
"""Sentences of more words are not compared word by word: that takes time in proportion to the square."""


def twin_doubts(
    statement: Folded,
    words: Sequence[Token],
    numbers: Sequence[Quantity],
    sentence: Folded,
    others: Sequence[Token],
    other_numbers: Sequence[Quantity],
    english: bool,
) -> list[Doubt]:
    """Doubts about words put in place of others, if `words` are nearly a copy of `others`."""
    if not words or len(words) > _LONGEST or len(others) > _LONGEST:
        return []
    mine, theirs = [stem(word.text) for word in words], [stem(word.text) for word in others]
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    blocks = matcher.get_opcodes()
    alike = sum(end - start for tag, start, end, _, _ in blocks if tag == "equal") >= LIKE * len(mine)
    doubts: list[Doubt] = []
    for place, (tag, start, end, other_start, other_end) in enumerate(blocks):
        if tag == "equal" or not _held(blocks, place, alike):
            continue
        here, there = words[start:end], others[other_start:other_end]
        if tag == "replace":
            doubts += _numbers(statement, here, numbers, sentence, there, other_numbers)
            doubts += _names(statement, words, start, end, sentence, others, other_start, other_end)
        if english:
            doubts += _directions(statement, here, there)
            doubts += _denials(statement, words, (start, end), others, (other_start, other_end))
    return doubts


def _held(blocks: Sequence[tuple[str, int, int, int, int]], place: int, alike: bool) -> bool:
    """Whether the same words stand on both sides of a change; more of them where the whole is not alike."""
    before = blocks[place - 1][2] - blocks[place - 1][1] if place else 0
    behind = blocks[place + 1][2] - blocks[place + 1][1] if place + 1 < len(blocks) else 0
    if alike:
        first, last = place == 0, place + 1 == len(blocks)
        return (before > 0 or (first and behind > 2)) and (behind > 0 or (last and before > 2))
    return before + behind >= _ENOUGH and (min(before, behind) > 1 or max(before, behind) > _ENOUGH)


def _numbers(
    statement: Folded,
    here: Sequence[Token],
    numbers: Sequence[Quantity],
    sentence: Folded,
    there: Sequence[Token],
    other_numbers: Sequence[Quantity],
) -> Iterator[Doubt]:
    mine, theirs = list(_within(numbers, here)), list(_within(other_numbers, there))
    if not mine or len(mine) != len(theirs) or len(here) > 2 * len(mine) + 2:
        return
    for item, other in zip(mine, theirs, strict=True):
        if not fits(item, other) and not (item.unit is None and other.unit is None and item.value == other.value):
            found, said = statement.words(item.start, item.stop), sentence.words(other.start, other.stop)
            yield Doubt("number", found, f"'{found}' stands where the cited sentence has '{said}'.")


def _within(items: Sequence[Quantity], words: Sequence[Token]) -> Iterator[Quantity]:
    if words:
        yield from (item for item in items if words[0].start <= item.start and item.end <= words[-1].end)


def _names(
    statement: Folded,
    words: Sequence[Token],
    start: int,
    end: int,
    sentence: Folded,
    others: Sequence[Token],
    other_start: int,
    other_end: int,
) -> Iterator[Doubt]:
    if end - start > 3 or other_end - other_start > 4:
        return
    named = [place for place in range(start, end) if is_name(words, place, wide=True)]
    if not named or not any(is_name(others, place, wide=True) for place in range(other_start, other_end)):
        return
    mine, theirs = words[start:end], others[other_start:other_end]
    replaced = Names()
    known = {form(word.text) for word in theirs}
    short = short_forms(sentence.text)
    replaced.forms.update(known, {form("".join(word.text for word in theirs))})
    replaced.initials.add("".join(word.text[0] for word in theirs).lower())
    replaced.longs.update({form(key): value.split() for key, value in short.items()})
    found, said = (
        statement.words(mine[0].start, mine[-1].end),
        sentence.words(theirs[0].start, theirs[-1].end),
    )
    if all(replaced.have(words[place].text) for place in named) or replaced.have("".join(word.text for word in mine)):
        return
    if any(_alike(word.text, other.text) for word in mine for other in theirs) or _shortened(found, said):
        return
    yield Doubt("entity", found, f"'{found}' stands where the cited sentence has '{said}'.")


def _shortened(first: str, second: str) -> bool:
    """Whether one is an abbreviation of the other: 'ALS', 'amyotrophic lateral sclerosis'."""
    for short, long in ((first, second), (second, first)):
        letters = form(short)
        brief = letters.isalpha() and len(letters) < min(8, len(long)) and sum(sign.isupper() for sign in short) > 1
        if brief and in_order(letters, long.lower()):
            return True
    return False


def _alike(first: str, second: str) -> bool:
    """Whether one is a piece or a shortening of the other."""
    one, other = form(first.translate(LATIN)), form(second.translate(LATIN))
    if not one or not other:
        return False
    if any(sign.isdigit() for sign in one + other):
        return one == other
    return (
        one in other
        or other in one
        or (one[0] == other[0] and (first.isupper() != second.isupper()) and first.isupper())
    )


def _directions(statement: Folded, here: Sequence[Token], there: Sequence[Token]) -> Iterator[Doubt]:
    for word in here:
        for other in there:
            if opposite(word.text, other.text) and len(here) <= 3 and len(there) <= 3:
                found = statement.words(word.start, word.end)
                yield Doubt("comparison", found, f"'{found}' stands where the cited sentence has '{other.text}'.")
                return


def _denials(
    statement: Folded, words: Sequence[Token], here: tuple[int, int], others: Sequence[Token], there: tuple[int, int]
) -> Iterator[Doubt]:
    """A word that denies, put in or left out between the same words."""
    mine = [words[place] for place in range(*here) if is_cue(words, place) and not lacks_a_name(words, place)]
    theirs = [others[place] for place in range(*there) if is_cue(others, place) and not lacks_a_name(others, place)]
    if bool(mine) == bool(theirs) or max(here[1] - here[0], there[1] - there[0]) > 3:
        return
    rest = [word.lower for word in (*words[slice(*here)], *others[slice(*there)]) if word not in (*mine, *theirs)]
    if any(is_content(word) and word not in _WITH_DENIALS for word in rest):
        return
    if any(word.startswith(("un", "in", "im", "non", "dis")) or word in _NEGATIVE for word in rest):
        return
    if mine:
        found = statement.words(words[max(0, here[0] - 1)].start, words[min(len(words), here[1] + 1) - 1].end)
        yield Doubt("negation", found, f"'{mine[0].text}' is not in the cited sentence.")
    else:
        found = statement.words(words[max(0, here[0] - 1)].start, words[min(len(words), here[1] + 1) - 1].end)
        yield Doubt("negation", found, f"The cited sentence has '{theirs[0].text}' here.")


_WITH_DENIALS = frozenset("observed found seen any significant significantly".split())
_NEGATIVE = frozenset(
    (
        "similar little low lower less few fewer free poor weak rare minimal equal same unchanged absent missing "
        "only hardly"
    ).split()
)
