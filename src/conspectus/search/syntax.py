"""The language of `search`: words, and among them phrases, exclusions, fields, AND, OR, NOT and parentheses.

A text without any of these signs, used as they have to be, is plain: it is searched as it stands. So is a text with a
sign that only looks like one (`(NMDA) receptors`, `p53-/-`, `-80 °C`, `do NOT`, a title in capitals).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from conspectus.core.bounds import BOUNDS
from conspectus.core.characters import cleaned
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.records import Filters, PassageKind, facet_forms
from conspectus.records.filters import THINGS, Condition, Has, Not, Passes, Stands, Thing, all_of, any_of, years_of
from conspectus.search.query_lexer import PLAIN, Sign, Signs, has_words, wrong


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was understood.

    Attributes:
        text: as it was given.
        words: what ranks: the words and phrases that are not excluded, without the signs. "" where there are none.
        soft: those of them that need not stand in a passage.
        where: what passages must be; None where nothing was asked of them.
    """

    text: str
    words: str
    soft: str
    where: Condition | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a query.

    Attributes:
        required: its condition where it is joined to others by AND, OR or NOT; None: it has no words to look for.
        firm: its condition where it is not.
        words: its words that rank.
        soft: those that are no condition, where it is not joined to others.
    """

    required: Condition | None
    firm: Condition | None = None
    words: tuple[str, ...] = ()
    soft: tuple[str, ...] = ()


def asked(text: str, what: str = "question") -> str:
    """A query, a question or a text to compare with as it is taken: without characters that lie.

    Raises:
        UsageError: it is longer than `BOUNDS.query`.
    """
    if len(text) > BOUNDS.query.most:
        raise UsageError(
            f"The {what} has {len(text):,} characters; {BOUNDS.query.most:,} are the most.",
            "Give the title and the abstract."
            if what == "text"
            else "Ask with the words that matter; `similar` finds papers like one that the library has.",
        )
    return cleaned(text)


def plain(text: str) -> Query:
    """A query of which every sign is text."""
    return Query(text, text, text)


def parse(text: str) -> Query:
    """A query in the language; a plain text is what `plain` makes of it.

    Raises:
        UsageError: it is in the language, and something in it is wrong; the message shows where.
    """
    signs = Signs(text).found()
    if not signs:
        return plain(text)
    if len(signs) > BOUNDS.terms.most:
        raise UsageError(
            f"The query has {len(signs):,} words and signs; {BOUNDS.terms.most:,} are the most of one with operators.",
            PLAIN,
        )
    part = _Parser(text, signs).whole()
    words, soft = (" ".join(found) for found in (part.words, part.soft))
    return Query(text, words if has_words(words) else "", soft if has_words(soft) else "", part.firm)


class _Parser:
    """Reads signs from left to right; each method reads one rule of the grammar.

    whole = chain*;  chain = both (OR both)*;  both = one (AND one)*;  one = (NOT | -)* thing
    thing = "(" chain* ")" | phrase | field | word+ (behind NOT and - only one)
    """

    def __init__(self, text: str, signs: Sequence[Sign]) -> None:
        self._text = text
        self._signs = signs
        self._at = 0

    def whole(self) -> _Part:
        """All of it."""
        parts = []
        while self._at < len(self._signs) and self._next() != ")":
            parts.append(self._row("or", self._both, any_of))
        return _joined(parts)

    def _both(self) -> _Part:
        return self._row("and", self._one, all_of)

    def _row(self, sign: str, read: Callable[[], _Part], join: Callable[[list[Condition]], Condition | None]) -> _Part:
        begins, parts = [self._at], [read()]
        while self._next() == sign:
            self._at += 1
            begins.append(self._at)
            parts.append(read())
        if len(parts) == 1:
            return parts[0]
        found = join([self._required(part, begin) for part, begin in zip(parts, begins, strict=True)])
        return _Part(found, found, tuple(word for part in parts for word in part.words))

    def _one(self) -> _Part:
        begun = self._at
        while self._next() in ("not", "-"):
            self._at += 1
        if (times := self._at - begun) == 0:
            return self._thing()
        begun = self._at
        part = self._thing(single=True)
        found = self._required(part, begun)
        if times % 2:
            found = found.part if isinstance(found, Not) else Not(found)
        return _Part(found, found, part.words if times % 2 == 0 else ())

    def _thing(self, *, single: bool = False) -> _Part:
        sign = self._signs[self._at]
        self._at += 1
        if sign.kind == "(":
            part = self.whole()
            self._at += 1  # its end: `Signs` has seen to it that there is one
            return part
        if sign.kind == "phrase" and has_words(sign.value):
            stands = Stands(sign.value)
            return _Part(stands, stands, (sign.value,))
        if sign.kind == "field":
            found = condition_of(self._text, sign)
            return _Part(found, found)
        words = [sign.value]
        while not single and self._next() == "word":
            words.append(self._signs[self._at].value)
            self._at += 1
        required = all_of(Stands(word) for word in words if has_words(word))
        return _Part(required, None, tuple(words), tuple(words))

    def _required(self, part: _Part, begin: int) -> Condition:
        """The condition of a part that begins at a sign."""
        if part.required is None:
            hint = "Words that nearly every text has, like 'the', are not looked for."
            raise wrong(self._text, self._signs[begin], "There are no words here to look for.", hint)
        return part.required

    def _next(self) -> str:
        return self._signs[self._at].kind if self._at < len(self._signs) else ""


def _joined(parts: Sequence[_Part]) -> _Part:
    """Parts that stand beside each other."""
    return _Part(
        all_of(part.required for part in parts),
        all_of(part.firm for part in parts),
        tuple(word for part in parts for word in part.words),
        tuple(word for part in parts for word in part.soft),
    )


_KINDS: dict[str, PassageKind] = {kind: kind for kind in get_args(PassageKind)}
_THINGS: dict[str, Thing] = {
    **{thing: thing for thing in THINGS},
    **{
        "figures": "figure",
        "tables": "table",
        "full-text": "fulltext",
        "full_text": "fulltext",
        "reference": "references",
    },
}


def condition_of(text: str, sign: Sign) -> Condition:
    """What a field asks for.

    Raises:
        UsageError: it cannot have this value.
    """
    name, value = sign.name, sign.value
    if value.startswith("("):
        hint = f"Put the name before each value: ({name}:a OR {name}:b). {PLAIN}"
        raise wrong(text, sign, f"{name}: cannot have parentheses behind it.", hint)
    if name == "year":
        try:
            return Passes(Filters(year=years_of(value)))
        except UsageError as error:
            raise wrong(text, sign, error.message, f"{error.hint} {PLAIN}") from None
    if name == "kind":
        kind = _KINDS.get(value.lower())
        if kind is None:
            raise _unknown(text, sign, get_args(PassageKind))
        return Passes(Filters(kind=(kind,)))
    if name == "has":
        if value.lower() not in _THINGS:
            raise _unknown(text, sign, THINGS)
        return Has(_THINGS[value.lower()])
    if name == "title":
        if not has_words(value):
            raise wrong(text, sign, f"title: needs words that can be looked for, not '{value}'.", PLAIN)
        return Stands(value, "title")
    if not facet_forms(name, value)[0]:
        raise wrong(text, sign, f"{name}: needs a name, not '{value}'.", PLAIN)
    named: dict[str, Any] = {name: (value,)}
    return Passes(Filters(**named))


def _unknown(text: str, sign: Sign, known: tuple[str, ...]) -> ConspectusError:
    hint = f"There are: {', '.join(f'{sign.name}:{one}' for one in known)}. {PLAIN}"
    return wrong(text, sign, f"{sign.name}: cannot be '{sign.value}'.", hint)
