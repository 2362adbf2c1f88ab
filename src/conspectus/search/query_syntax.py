"""The language of `search`: words, and among them phrases, exclusions, fields, AND, OR, NOT and parentheses.

A text without any of these signs, used as they have to be, is plain: it is searched as it stands. So is a text with a
sign that only looks like one (`(NMDA) receptors`, `p53-/-`, `-80 °C`, `do NOT`, a title in capitals).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import ConspectusError, UsageError
from conspectus.core.text import cleaned
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Filters, PassageKind, facet_forms
from conspectus.records.filters import (
    NAMED,
    THINGS,
    Condition,
    Has,
    Not,
    Passes,
    Stands,
    Thing,
    all_of,
    any_of,
    years_of,
)

Kind = Literal["word", "phrase", "field", "(", ")", "-", "and", "or", "not"]
QUOTES = {'"': '"', "“": "”", "„": "“"}
OPERATORS: dict[str, Kind] = {"AND": "and", "OR": "or", "NOT": "not"}
FIELDS = (*NAMED, "year", "kind", "title", "has")
DEEPEST = 20
"""Parentheses within parentheses; deeper ones are text."""
PLAIN = "With `plain=True` all signs are text."

_FIELD = re.compile(r"([A-Za-z_]+):(?=\S)")
_OTHER_NAMES = {"journal": "venue", "journals": "venue", "date": "year", "type": "kind", "abstract": "kind"}
_AFTER_GROUP = re.compile(r"[\s).,;:?!]|$")
_PARTS = re.compile(r"[^\W_]+")
_SHORT = 6


@dataclass(frozen=True, slots=True)
class Sign:
    """A stretch of a query's text, `text[start:end]`; of a field `name` is its name, and `value` what is behind."""

    kind: Kind
    value: str
    start: int
    end: int
    name: str = ""


def has_words(text: str) -> bool:
    """Whether there is a word in it that can be looked for."""
    return any(part.lower() not in STOP_WORDS for part in _PARTS.findall(text))


def query_error(text: str, sign: Sign, message: str, hint: str) -> UsageError:
    """The error that something is wrong at a sign: the message, and below it the place in the text."""
    begin = max(0, sign.start - 40)
    line = "".join(" " if c.isspace() else c for c in text[begin : max(sign.end, begin + 70)])
    return UsageError(f"{message}\n  {line}\n  {' ' * (sign.start - begin)}^", hint)


class QuerySigns:
    """The signs of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._problems: list[UsageError] = []
        self._ends = _match_parentheses(text)
        self._closing = set(self._ends.values())
        self._open: list[int] = []
        """Where the groups end that are open."""

    def read_signs(self) -> list[Sign]:
        """All signs in their order; none where the text is plain.

        Raises:
            UsageError: it is not plain, and a sign is not used as it has to be.
        """
        signs = list(self._scan())
        certain = any(s.kind in ("field", "-") or (s.kind == "phrase" and has_words(s.value)) for s in signs)
        used = [number for number in range(len(signs)) if _is_used(signs, number)]
        if not certain and (not used or _is_shouted(signs)):
            return []
        if self._problems:
            raise self._problems[0]
        operators = [number for number, sign in enumerate(signs) if sign.kind in OPERATORS.values()]
        for number in operators:
            if number not in used:
                signs[number] = self._as_word(signs, number)
        return signs

    def _scan(self) -> Iterator[Sign]:
        at, before = 0, ""
        while at < len(self._text):
            if self._text[at].isspace():
                at += 1
                continue
            begins = at == 0 or self._text[at - 1].isspace() or before in ("(", "-")
            sign = self._sign(at, before, begins=begins)
            if sign.kind == "(":
                self._open.append(self._ends[at])
            elif sign.kind == ")":
                self._open.pop()
            yield sign
            at, before = sign.end, sign.kind

    def _sign(self, at: int, before: str, *, begins: bool) -> Sign:
        """The sign that is at a place."""
        text, c = self._text, self._text[at]
        if self._open and at == self._open[-1]:
            return Sign(")", c, at, at + 1)
        if begins:
            if c in QUOTES and (end := self._find_quotation_end(at)):
                return Sign("phrase", text[at + 1 : end], at, end + 1)
            if c == "(" and self._is_group(at):
                return Sign("(", c, at, at + 1)
            if c == "-" and self._can_be_excluded(at + 1):
                return Sign("-", c, at, at + 1)
            if (match := _FIELD.match(text, at)) and (field := self._field(match)):
                return field
        end = self._end_of_word(at)
        word = text[at:end]
        if word[:-1] in FIELDS and word[-1] == ":":  # in small letters: `Title: a subtitle` is a title
            hint = f"Write {word}…, without a space, and names of several words in quotation marks."
            self._problem(at, f"Behind {word} its value is missing.", hint)
        return Sign("word" if before == "-" else OPERATORS.get(word, "word"), word, at, end)

    def _field(self, match: re.Match[str]) -> Sign | None:
        """A field with its value; None where the words before the colon are no field's name."""
        text, name, start, at = self._text, match[1].lower(), match.start(), match.end()
        if name not in FIELDS:
            near, surely = _guess_field(name)
            if near:
                hint = f"Did you mean {near}:…? {PLAIN}"
                error = query_error(text, Sign("word", "", start, at), f"There is no field '{match[1]}'.", hint)
                if surely:
                    raise error
                self._problems.append(error)
            return None
        if text[at] in QUOTES and (end := self._find_quotation_end(at)):
            return Sign("field", text[at + 1 : end], start, end + 1, name)
        end = self._end_of_word(at)
        return Sign("field", text[at:end].rstrip(",;"), start, end, name)

    def _find_quotation_end(self, at: int) -> int:
        """Where a quotation ends that begins at a place; 0 where it does not."""
        end = self._text.find(QUOTES[self._text[at]], at + 1, self._open[-1] if self._open else None)
        if end < 0:
            self._problem(at, "This quotation mark is never closed.", "Close it behind the phrase, or leave it out.")
        return max(end, 0)

    def _is_group(self, at: int) -> bool:
        if at not in self._ends:
            self._problem(at, "This parenthesis is never closed.", "Close it, or leave it out.")
            return False
        end = self._ends[at]
        filled = bool(self._text[at + 1 : min(end, at + 1000)].strip("() \t\n"))
        return filled and len(self._open) < DEEPEST and bool(_AFTER_GROUP.match(self._text, end + 1))

    def _can_be_excluded(self, at: int) -> bool:
        c, known = self._text[at : at + 1], len(self._problems)
        begins_term = (
            c.isalpha() or (c in QUOTES and bool(self._find_quotation_end(at))) or (c == "(" and self._is_group(at))
        )
        if len(self._problems) > known and self._text[at + 1 : at + 2].isalpha():
            raise self._problems[-1]  # ` -"word` means nothing else in any text
        return begins_term

    def _end_of_word(self, at: int) -> int:
        """Where a word ends: at white space, or at the end of the group that it is in."""
        for place in range(at, len(self._text)):
            c = self._text[place]
            if c.isspace() or (self._open and place == self._open[-1]):
                return place
            if c == ")" and place not in self._closing:
                self._problem(place, "This parenthesis was never opened.", "Open it before, or leave it out.")
        return len(self._text)

    def _as_word(self, signs: Sequence[Sign], number: int) -> Sign:
        """An operator that is not used as one: NOT behind a word like `do` is a word; all others are wrong."""
        sign = signs[number]
        before = signs[number - 1] if number else None
        after = signs[number + 1] if number + 1 < len(signs) else None
        if sign.kind == "not" and before and before.kind == "word" and not has_words(before.value):
            return replace(sign, kind="word")
        for side in (after, before if sign.kind != "not" else None):
            if side and side.kind in ("word", "phrase") and not has_words(side.value):
                message = f"'{side.value}' stands beside {sign.value}, and cannot be looked for."
                raise query_error(
                    self._text, side, message, f'Put phrases in quotation marks: {sign.value} "…". {PLAIN}'
                )
        where = "behind" if before or sign.kind == "not" else "before"
        hint = f"Write it in small letters where it is a word. {PLAIN}"
        raise query_error(self._text, sign, f"{sign.value} needs something to look for {where} it.", hint)

    def _problem(self, at: int, message: str, hint: str) -> None:
        self._problems.append(query_error(self._text, Sign("word", "", at, at + 1), message, f"{hint} {PLAIN}"))


def _is_used(signs: Sequence[Sign], number: int) -> bool:
    """Whether a sign is AND, OR or NOT with what it needs on its sides."""
    sign = signs[number]
    before = signs[number - 1] if number else None
    after = signs[number + 1] if number + 1 < len(signs) else None
    if sign.kind == "not":
        return _begins(after) and not (before and before.kind == "word" and not has_words(before.value))
    if sign.kind not in ("and", "or"):
        return False
    ends = before is not None and (before.kind in ("field", ")") or _can_be_found(before)) and not _is_last(before)
    return ends and (_begins(after) or (after is not None and after.kind == "not" and _is_used(signs, number + 1)))


def _begins(sign: Sign | None) -> bool:
    return sign is not None and (sign.kind in ("field", "(", "-") or _can_be_found(sign))


def _is_last(sign: Sign) -> bool:
    """Whether a word ends a clause."""
    return sign.kind == "word" and sign.value[-1] in ",.;:?!"


def _can_be_found(sign: Sign) -> bool:
    return sign.kind in ("word", "phrase") and has_words(sign.value)


def _is_shouted(signs: Sequence[Sign]) -> bool:
    """Whether AND, OR and NOT are in capitals as all else is: in a title, not between a few abbreviations."""
    words = [sign.value for sign in signs if sign.kind == "word"]
    if any(c.islower() for word in words for c in word):
        return False
    return len(words) > _SHORT or any(word.lower() in STOP_WORDS for word in words)


def _guess_field(name: str) -> tuple[str, bool]:
    """The field that a name in small letters may mean ("": none), and whether it means nothing else in any text."""
    import difflib

    near = _OTHER_NAMES.get(name) or next(iter(difflib.get_close_matches(name, FIELDS, n=1, cutoff=0.7)), "")
    surely = bool(near) and len(near) > 5 and difflib.SequenceMatcher(None, near, name).ratio() > 0.82
    return near, surely or name in ("journal", "journals", "years", "titles", "venues")


def _match_parentheses(text: str) -> dict[int, int]:
    """Where parentheses open -> where they close; what is in quotation marks does not count."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    at = 0
    while at < len(text):
        c = text[at]
        if c in QUOTES and (at == 0 or not text[at - 1].isalnum()) and (end := text.find(QUOTES[c], at + 1)) > 0:
            at = end
        elif c == "(":
            opened.append(at)
        elif c == ")" and opened:
            ends[opened.pop()] = at
        at += 1
    return ends


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


def check_query(text: str, what: str = "question") -> str:
    """A query, a question or a text to compare with as it is taken: without characters that lie.

    Empty where there are only marks of punctuation in it: nothing can be looked for by these.

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
    text = cleaned(text)
    return text if any(unicodedata.category(sign)[0] in "LNS" for sign in text) else ""


def plain_query(text: str) -> Query:
    """A query of which every sign is text."""
    return Query(text, text, text)


def parse_query(text: str) -> Query:
    """A query in the language; a plain text is what `plain` makes of it.

    Raises:
        UsageError: it is in the language, and something in it is wrong; the message shows where.
    """
    signs = QuerySigns(text).read_signs()
    if not signs:
        return plain_query(text)
    if len(signs) > BOUNDS.terms.most:
        raise UsageError(
            f"The query has {len(signs):,} words and signs; {BOUNDS.terms.most:,} are the most of one with operators.",
            PLAIN,
        )
    part = _Parser(text, signs).parse()
    words, soft = (" ".join(terms) for terms in (part.words, part.soft))
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

    def parse(self) -> _Part:
        """All of it."""
        parts = []
        while self._at < len(self._signs) and self._next() != ")":
            parts.append(self._row("or", self._both, any_of))
        return _join_parts(parts)

    def _both(self) -> _Part:
        return self._row("and", self._factor, all_of)

    def _row(self, sign: str, read: Callable[[], _Part], join: Callable[[list[Condition]], Condition | None]) -> _Part:
        begins, parts = [self._at], [read()]
        while self._next() == sign:
            self._at += 1
            begins.append(self._at)
            parts.append(read())
        if len(parts) == 1:
            return parts[0]
        condition = join([self._require_part(part, begin) for part, begin in zip(parts, begins, strict=True)])
        return _Part(condition, condition, tuple(word for part in parts for word in part.words))

    def _factor(self) -> _Part:
        begun = self._at
        while self._next() in ("not", "-"):
            self._at += 1
        if (times := self._at - begun) == 0:
            return self._parse_part()
        begun = self._at
        part = self._parse_part(single=True)
        condition = self._require_part(part, begun)
        if times % 2:
            condition = condition.part if isinstance(condition, Not) else Not(condition)
        return _Part(condition, condition, part.words if times % 2 == 0 else ())

    def _parse_part(self, *, single: bool = False) -> _Part:
        sign = self._signs[self._at]
        self._at += 1
        if sign.kind == "(":
            part = self.parse()
            self._at += 1  # its end: `QuerySigns` has seen to it that there is one
            return part
        if sign.kind == "phrase" and has_words(sign.value):
            stands = Stands(sign.value)
            return _Part(stands, stands, (sign.value,))
        if sign.kind == "field":
            condition = condition_of(self._text, sign)
            return _Part(condition, condition)
        words = [sign.value]
        while not single and self._next() == "word":
            words.append(self._signs[self._at].value)
            self._at += 1
        required = all_of(Stands(word) for word in words if has_words(word))
        return _Part(required, None, tuple(words), tuple(words))

    def _require_part(self, part: _Part, begin: int) -> Condition:
        """The condition of a part that begins at a sign."""
        if part.required is None:
            hint = "Words that nearly every text has, like 'the', are not looked for."
            raise query_error(self._text, self._signs[begin], "There are no words here to look for.", hint)
        return part.required

    def _next(self) -> str:
        return self._signs[self._at].kind if self._at < len(self._signs) else ""


def _join_parts(parts: Sequence[_Part]) -> _Part:
    """Parts that are next to each other."""
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
        raise query_error(text, sign, f"{name}: cannot have parentheses behind it.", hint)
    if name == "year":
        try:
            return Passes(Filters(year=years_of(value)))
        except UsageError as error:
            raise query_error(text, sign, error.message, f"{error.hint} {PLAIN}") from None
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
            raise query_error(text, sign, f"title: needs words that can be looked for, not '{value}'.", PLAIN)
        return Stands(value, "title")
    if not facet_forms(name, value)[0]:
        raise query_error(text, sign, f"{name}: needs a name, not '{value}'.", PLAIN)
    fields: dict[str, Any] = {name: (value,)}
    return Passes(Filters(**fields))


def _unknown(text: str, sign: Sign, known: tuple[str, ...]) -> ConspectusError:
    hint = f"There are: {', '.join(f'{sign.name}:{value}' for value in known)}. {PLAIN}"
    return query_error(text, sign, f"{sign.name}: cannot be '{sign.value}'.", hint)
