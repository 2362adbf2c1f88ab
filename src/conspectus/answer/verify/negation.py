"""Whether what a statement denies is denied by the cited sentences, and the other way round. English only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import Folded
from conspectus.answer.verify.text import Token, content, is_content, stem

_CUES = frozenset(
    "not no without lack lacks lacked lacking neither nor unable absent absence never none cannot fail fails "
    "failed failing "
    "failure nobody nothing non devoid inability rarely seldom hardly scarcely barely can't won't couldn't".split()
)
_PREFIXES = ("un", "non", "in", "im", "ir", "il", "dis", "a", "anti")
_OVER = frozenset(
    "significant significantly statistical statistically evidence clear clearly apparent apparently any always "
    "necessarily simply "
    "markedly further been be being was were is are has have had the a an to of in that there it did do does seem "
    "seems appear appears "
    "appeared seemed yet still fully completely entirely directly substantially substantial appreciable appreciably "
    "strongly strong major independently likely longer able ability only just also even well such very much more "
    "measurable detectable observed found patient patients patients' subject subjects".split()
)
_LIGHT = frozenset(stem(word) for word in "evidence longer able ability".split())
_WEAKER = frozenset(
    stem(word)
    for word in "similar "
    "same equal comparable unchanged little independent rare few only minimal limited less free against "
    "insufficient indistinguishable equivalent stable unaffected negative exclude rule prevent avoid negligible "
    "constant "
    "irrespective regardless weak poor low lower reduce decrease abolish block inhibit impair loss deficient knockout "
    "absent refute contrary unlikely unrelated unknown uncertain unclear remain retain however contrast disrupt "
    "suppress "
    "eliminate missing deplete inactive resist dispensable normal spare".split()
)
_REACH = 6
_AROUND = 5


@dataclass(frozen=True, slots=True)
class _Denied:
    """A word that denies, and what it denies: the stem of its `head`, and of the word after that."""

    token: Token
    head: str
    second: str


def negation_doubts(
    statement: Folded, words: Sequence[Token], sentences: Sequence[Sequence[Token]], nearest: Sequence[Token]
) -> list[Doubt]:
    """Doubts about what is denied on one side only; `nearest` are the words of the sentence most like the statement."""
    said, there = _denials(words), [item for sentence in sentences for item in _denials(sentence)]
    flat = [token for sentence in sentences for token in sentence]
    denied_there = {key for item in there for key in (item.head, item.second) if key}
    affirmed_there = _affirmed(flat, there)
    doubts = [
        Doubt("negation", statement.words(*_place(words, item)), _why_denied(statement, words, item))
        for item in said
        if _unborne(item, denied_there, affirmed_there, words, nearest)
    ]
    affirmed = _affirmed(words, said)
    for item in there:
        if (
            item.head in affirmed
            and item.head not in affirmed_there
            and item.head not in {entry.head for entry in said}
        ):
            token = affirmed[item.head]
            if not _weaker_near(words, item.head, flat):
                doubts.append(
                    Doubt(
                        "negation",
                        statement.words(token.start, token.end),
                        f"The statement affirms '{token.text}', which the cited sentences deny ('{item.token.text}').",
                    )
                )
    return list(dict.fromkeys(doubts))


def is_cue(words: Sequence[Token], place: int) -> bool:
    """Whether the word at `place` denies what follows."""
    word = words[place].lower
    following = words[place + 1].lower if place + 1 < len(words) else ""
    if place == 0 and word == "no" and words[place].clause != (words[1].clause if len(words) > 1 else -1):
        return False  # 'No, …' answers the question
    if word == "not" and following in {"only", "just", "merely", "least"}:
        return False
    if word == "no" and (following[:1].isdigit() or following in {"doubt", "matter"}):
        return False
    if word.endswith("failure") or word == "failing":
        return False  # 'heart failure' is a disease
    return word in _CUES or word.endswith("n't") or word.startswith("non-")


def lacks_a_name(words: Sequence[Token], place: int) -> bool:
    """'mice lacking Sirt1', 'lack of FGF21': what is done in an experiment, which says nothing of its outcome."""
    if not words[place].lower.startswith(("lack", "absen", "without", "devoid")):
        return False
    following = [
        word.text for word in words[place + 1 : place + 4] if word.lower not in {"of", "the", "a", "an", "both"}
    ]
    return bool(following) and any(sign.isupper() or sign.isdigit() for sign in following[0])


def _denials(words: Sequence[Token]) -> list[_Denied]:
    made = []
    for place in range(len(words)):
        if not is_cue(words, place) or lacks_a_name(words, place):
            continue
        if place and is_cue(words, place - 1) and words[place].lower != "nor":
            continue
        token = words[place]
        if token.lower.startswith("non-"):
            made.append(_Denied(token, stem(token.lower[4:]), ""))
            continue
        if sum(is_cue(words, near) for near in range(place, min(place + 3, len(words)))) % 2 == 0:
            continue  # 'not without', 'not absent'
        heads = list(_heads(words, place))
        made.append(_Denied(token, heads[0] if heads else "", heads[1] if len(heads) > 1 else ""))
    return made


def _heads(words: Sequence[Token], place: int) -> Iterable[str]:
    """The stems that a denying word governs: what follows in its clause; where nothing does, what stands before."""
    clause, light = words[place].clause, []
    count = 0
    for token in words[place + 1 : place + 1 + 2 * _REACH]:
        if token.clause != clause or count == 2:
            break
        if not is_content(token.lower) or token.lower in _CUES:
            continue
        if token.lower in _OVER:
            if stem(token.lower) in _LIGHT:
                light.append(stem(token.lower))
            continue
        count += 1
        yield stem(token.lower)
    if not count:
        yield from light[:1]
        if not light and words[place].lower in {"absent", "lacking"}:
            before = [
                token
                for token in words[max(0, place - 4) : place]
                if token.clause == clause and is_content(token.lower)
            ]
            yield from (stem(token.lower) for token in before[-1:])


def _affirmed(words: Sequence[Token], denials: Sequence[_Denied]) -> dict[str, Token]:
    """The words that stand undenied, by stem."""
    denied = {item.token.start: item for item in denials}
    made: dict[str, Token] = {}
    reach = -1
    governed: set[str] = set()
    for place, token in enumerate(words):
        item = denied.get(token.start)
        if item is not None and item.token == token:
            reach, governed = place + 2 * _REACH, {item.head, item.second}
        key = stem(token.lower)
        if not is_content(token.lower) or (place <= reach and key in governed):
            continue
        made.setdefault(key, token)
    return made


def _unborne(
    item: _Denied, denied: set[str], affirmed: dict[str, Token], words: Sequence[Token], nearest: Sequence[Token]
) -> bool:
    if not item.head or item.head in denied:
        return False
    if item.head not in affirmed and any(is_cue(nearest, place) for place in range(len(nearest))):
        return False
    if _weaker_near(nearest, item.head, words):
        return False
    if item.head in affirmed:
        return True
    mine = content(words)
    return len(mine) > 3 and len(mine & content(nearest)) >= 0.6 * len(mine)


def _negative_form(word: str, head: str) -> bool:
    """Whether `word` is the head with a prefix that denies: 'unaffected' for 'affect'."""
    return any(word.startswith(prefix) and stem(word[len(prefix) :].lstrip("-")) == head for prefix in _PREFIXES)


def _weaker_near(words: Sequence[Token], head: str, others: Sequence[Token]) -> bool:
    """Whether something negative in other words stands near `head`; anywhere, where there is no such word.

    What stands in `others`, the text on the other side, as well is no other way of denying.
    """
    known = {stem(token.lower) for token in others} | {head}
    spots = [place for place, token in enumerate(words) if stem(token.lower) == head]
    near = {word for spot in spots for word in words[max(0, spot - _AROUND) : spot + _AROUND + 1]} if spots else words
    return any(
        (stem(word.lower) in _WEAKER and stem(word.lower) not in known) or _negative_form(word.lower, head)
        for word in near
    )


def _place(words: Sequence[Token], item: _Denied) -> tuple[int, int]:
    end = item.token.end
    for token in words:
        if token.start > item.token.start and token.clause == item.token.clause and stem(token.lower) == item.head:
            end = token.end
            break
    return item.token.start, end


def _why_denied(statement: Folded, words: Sequence[Token], item: _Denied) -> str:
    return f"The statement says '{statement.words(*_place(words, item))}'; the cited sentences do not deny this."
