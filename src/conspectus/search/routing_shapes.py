"""Shapes of compositional questions (A compared with B, a goal and its means …), and what each is broken into."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

WH = r"(?:what|which|how|why|when|where|who|whose)"
"""Words that ask."""
HELPS = r"(?:is|are|was|were|do|does|did|has|have|can|could|should|would|will)"
"""Auxiliary verbs."""
MOST_BY_ASPECT = 6
"""Sub-questions, at most, where each thing is asked for by each criterion; else by all criteria at once."""

_ONE, _TWO = r"(?P<one>.+?)", r"(?P<two>.+?)"
_ASPECTS = r"(?:,? (?:in terms of|with (?:respect|regard) to|regarding|as regards|according to) (?P<aspects>.+))?"
_WHO = r"(?:i|we|one|you)"
_TOOL = r"(?: (?:with|using|by means of) (?P<tool>.+))?"
_DO = (
    rf"(?:how (?:can|do|should|would|could|might) {_WHO}|{_WHO} (?:want|need|plan|would like|am trying|are trying) to"
    r"|what (?:steps|methods?) (?:are|is) (?:needed|required|necessary) to"
    r"|(?:please )?(?:design|plan|devise) (?:an? |the )?(?:[\w-]+ ){0,2}?(?:study|experiment|survey"
    r"|trial) (?:that|which|to))"
)
_EXPERIMENT = (
    r"(?:design|plan|build|set up|devise|construct|conduct|run|carry out) (?:an? |the )?(?:[\w-]+ ){0,3}?"
    r"(?:experiment|study|survey|trial|observation|instrument|program|programme|project|test"
    r"|campaign) (?:to|that can|for)"
)


def by_shape(clause: str) -> list[str]:
    """The sub-questions of a question of a known shape; none where it has no such shape."""
    text = clause.rstrip(" ?.!")
    for pattern, make in SHAPES:
        if match := pattern.match(text):
            return list(make(match.groupdict("")))
    return []


def bare(text: str) -> str:
    """Without white space and marks around it."""
    return text.strip(" ,;:?.!\"'")


Found = dict[str, str]


def _compared(found: Found) -> Iterator[str]:
    """Two things compared: each by each criterion, or each alone."""
    two = re.split(r", (?:giving|including|with|citing)\b", found["two"])[0]
    sides = (_with_noun(found["one"], two), _with_head(found["one"], two))
    aspects = _listed(found["aspects"])
    if aspects and len(aspects) * len(sides) <= MOST_BY_ASPECT:
        for aspect in aspects:
            bared = re.sub(r"^(?:the|their|its|an?) ", "", aspect, flags=re.IGNORECASE)
            yield from (f"What is known about the {bared} of {side}?" for side in sides)
    else:
        said = f" with respect to {found['aspects']}" if aspects else ""
        yield from (f"What is known about {side}{said}?" for side in sides)


def _merits(found: Found) -> Iterator[str]:
    """For and against: each asked for apart, for each thing."""
    for thing in _listed(found["things"]):
        yield from (f"What are the {found[merit].lower()} of {thing}{found['end']}?" for merit in ("good", "bad"))


def _alternatives(found: Found) -> Iterator[str]:
    """A choice: how well each does."""
    for side in ("one", "two"):
        yield f"How well does {bare(found[side])} work{found['end']}?"


def _judged(found: Found) -> Iterator[str]:
    """Whether A or B is better: each alone."""
    for side in ("one", "two"):
        yield f"How well suited is {bare(found[side])}{found['end']}?"


def _combined(found: Found) -> Iterator[str]:
    """A combined with B for a goal."""
    yield f"What methods are used to {found['goal']}?"
    for side in ("one", "two"):
        yield f"How is {bare(found[side])} used to {found['goal']}?"


def _chained(found: Found) -> Iterator[str]:
    """Several things done to one thing, which only the first names."""
    first, *others = re.split(r",? and (?:then )?|, (?:then )?", found["steps"])
    thing = " ".join(first.split()[1:])
    yield f"How is {thing} found or made: {first}?" if not thing else f"How does one {first}?"
    for step in others:
        named = re.sub(r"\b(?:it|them)\b", lambda _: thing, step)
        verb, *rest = named.split()
        yield f"How does one {named if named != step else ' '.join((verb, thing, *rest))}?"


def _goal(found: Found) -> Iterator[str]:
    """Something to be done: how it is done, with what, and what was tried before."""
    yield f"What methods are used to {found['goal']}?"
    if found["tool"]:
        yield f"What are the capabilities and limits of {bare(found['tool'])}?"
    yield f"What earlier attempts to {found['goal']} are there, and what did they find?"


SHAPES: tuple[tuple[re.Pattern[str], Callable[[Found], Iterator[str]]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), make)
    for pattern, make in (
        (
            rf"^.*?\b(?:differen\w+|similarit\w+|distin\w+|comparison|contrast|trade-?offs?)\b.*?\bbetween {_ONE} "
            rf"and {_TWO}{_ASPECTS}$",
            _compared,
        ),
        (
            rf"^(?:please )?(?:compare|contrast) (?!how\b|what\b){_ONE} (?:and|with|to|against|versus"
            rf"|vs\.?) {_TWO}{_ASPECTS}$",
            _compared,
        ),
        (
            rf"^(?:in what way |how )(?:do|does|did) {_ONE} (?:differ from|compare (?:with"
            rf"|to)) {_TWO}{_ASPECTS}$",
            _compared,
        ),
        (rf"^(?:in what way |how )(?:do|does|did) {_ONE} and {_TWO} (?:differ|compare){_ASPECTS}$", _compared),
        (
            r"^what are (?:the )?(?P<good>\w+) and (?P<bad>disadvantages|drawbacks|limitations|weaknesses|risks"
            r"|harms|cons) of (?P<things>.+?)(?P<end> (?:for|in|as|when) .+)?$",
            _merits,
        ),
        (
            rf"^should {_WHO} (?:use|choose|prefer|take|buy|apply|pick) {_ONE} or {_TWO}(?P<end> (?:to|for|when"
            rf"|in|if) .+)?$",
            _alternatives,
        ),
        (
            rf"^(?:is|are) {_ONE} or {_TWO} (?:better|best|preferable|superior|more \w+)(?: suited)?(?P<end> (?:for"
            rf"|in|to|at|when) .+)?$",
            _judged,
        ),
        (rf"^{_DO} (?:combine|integrate|merge|join) {_ONE} (?:with|and) {_TWO} to (?P<goal>.+)$", _combined),
        (
            rf"^how (?:can|do|should|would|could"
            rf"|might) {_WHO} (?P<steps>\w+ [^,]+, .*\band (?:then )?\w+.*)$",
            _chained,
        ),
        (rf"^{_DO} {_EXPERIMENT} (?P<goal>.+?){_TOOL}$", _goal),
        (rf"^{_DO} (?P<goal>.+?){_TOOL}$", _goal),
    )
)
"""What a question looks like, and what makes sub-questions of it; the first that fits is taken."""


def _listed(text: str) -> list[str]:
    """The things in a list "A, B and C"."""
    return [bare(part) for part in re.split(r",? (?:and|or) |, ", text) if bare(part)]


def _with_noun(one: str, two: str) -> str:
    """The first of two things compared; where it is an adjective, with the noun of the second: "top-down attention"."""
    words, others = bare(one).split(), bare(two).split()
    lacks = 0 < len(words) - (words[0].lower() in ("the", "a", "an")) == 1 < len(others)
    return f"{bare(one)} {' '.join(others[1:])}" if lacks and _ADJECTIVE.search(words[-1]) else bare(one)


_ADJECTIVE = re.compile(r"(?:al|ic|ive|ary|ous|ian|ean|ful|less|able|ible|ed|ent|ant|ute|\w-\w+)$")


def _with_head(one: str, two: str) -> str:
    """The second of two things compared; where it leans on the first, with its head: "that of maize", "in adults"."""
    match = re.match(r"(?:that |those )?(of|in|for|from|by|with|at) (.+)", two, re.IGNORECASE)
    if match is None or f" {match[1]} " not in one:
        return bare(two)
    return f"{bare(one.split(f' {match[1]} ', maxsplit=1)[0])} {match[1]} {bare(match[2])}"
