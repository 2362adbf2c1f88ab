"""Sub-questions of a compositional question: split by rules, so that each can be asked alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from conspectus.lexicon.word_lists import BREAKING, GENERAL
from conspectus.records import keyword_forms

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


def split_by_shape(clause: str) -> list[str]:
    """The sub-questions of a question of a known shape; none where it has no such shape."""
    text = clause.rstrip(" ?.!")
    for pattern, make in SHAPES:
        if match := pattern.match(text):
            return list(make(match.groupdict("")))
    return []


def strip_marks(text: str) -> str:
    """Without white space and marks around it."""
    return text.strip(" ,;:?.!\"'")


Found = dict[str, str]


def _compared(groups: Found) -> Iterator[str]:
    """Two things compared: each by each criterion, or each alone."""
    two = re.split(r", (?:giving|including|with|citing)\b", groups["two"])[0]
    sides = (_with_noun(groups["one"], two), _with_head(groups["one"], two))
    aspects = _list_items(groups["aspects"])
    if aspects and len(aspects) * len(sides) <= MOST_BY_ASPECT:
        for aspect in aspects:
            bared = re.sub(r"^(?:the|their|its|an?) ", "", aspect, flags=re.IGNORECASE)
            yield from (f"What is known about the {bared} of {side}?" for side in sides)
    else:
        criteria = f" with respect to {groups['aspects']}" if aspects else ""
        yield from (f"What is known about {side}{criteria}?" for side in sides)


def _merits(groups: Found) -> Iterator[str]:
    """For and against: each asked for apart, for each thing."""
    for thing in _list_items(groups["things"]):
        yield from (f"What are the {groups[merit].lower()} of {thing}{groups['end']}?" for merit in ("good", "bad"))


def _alternatives(groups: Found) -> Iterator[str]:
    """A choice: how well each does."""
    for side in ("one", "two"):
        yield f"How well does {strip_marks(groups[side])} work{groups['end']}?"


def _which_is_better(groups: Found) -> Iterator[str]:
    """Whether A or B is better: each alone."""
    for side in ("one", "two"):
        yield f"How well suited is {strip_marks(groups[side])}{groups['end']}?"


def _combined(groups: Found) -> Iterator[str]:
    """A combined with B for a goal."""
    yield f"What methods are used to {groups['goal']}?"
    for side in ("one", "two"):
        yield f"How is {strip_marks(groups[side])} used to {groups['goal']}?"


def _chained(groups: Found) -> Iterator[str]:
    """Several things done to one thing, which only the first names."""
    first, *others = re.split(r",? and (?:then )?|, (?:then )?", groups["steps"])
    thing = " ".join(first.split()[1:])
    yield f"How is {thing} found or made: {first}?" if not thing else f"How does one {first}?"
    for step in others:
        full_step = re.sub(r"\b(?:it|them)\b", lambda _: thing, step)
        verb, *rest = full_step.split()
        yield f"How does one {full_step if full_step != step else ' '.join((verb, thing, *rest))}?"


def _goal(groups: Found) -> Iterator[str]:
    """Something to be done: how it is done, with what, and what was tried before."""
    yield f"What methods are used to {groups['goal']}?"
    if groups["tool"]:
        yield f"What are the capabilities and limits of {strip_marks(groups['tool'])}?"
    yield f"What earlier attempts to {groups['goal']} are there, and what did they find?"


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
            _which_is_better,
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


def _list_items(text: str) -> list[str]:
    """The things in a list "A, B and C"."""
    return [strip_marks(part) for part in re.split(r",? (?:and|or) |, ", text) if strip_marks(part)]


def _with_noun(first: str, second: str) -> str:
    """The first of two things compared; where it is an adjective, with the noun of the second: "top-down attention"."""
    words, others = strip_marks(first).split(), strip_marks(second).split()
    lacks = 0 < len(words) - (words[0].lower() in ("the", "a", "an")) == 1 < len(others)
    return (
        f"{strip_marks(first)} {' '.join(others[1:])}" if lacks and _ADJECTIVE.search(words[-1]) else strip_marks(first)
    )


_ADJECTIVE = re.compile(r"(?:al|ic|ive|ary|ous|ian|ean|ful|less|able|ible|ed|ent|ant|ute|\w-\w+)$")


def _with_head(first: str, second: str) -> str:
    """The second of two things compared; where it leans on the first, with its head: "that of maize", "in adults"."""
    match = re.match(r"(?:that |those )?(of|in|for|from|by|with|at) (.+)", second, re.IGNORECASE)
    if match is None or f" {match[1]} " not in first:
        return strip_marks(second)
    return f"{strip_marks(first.split(f' {match[1]} ', maxsplit=1)[0])} {match[1]} {strip_marks(match[2])}"


MOST = 6
"""Sub-questions of a question."""
LEAST_CHARS = 8
"""Characters of a sub-question."""
TOPIC_WORDS = 8
"""Words of what a question is about, at most: more are no name for it."""

_EVERYWHERE = frozenset(
    "advantage analysis benefit cause consequence disadvantage drawback field measurement simulation state work".split()
)
"""General words that are none in a key phrase."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_FOR = r"(?:(?:in|at|to|under|with|from|for|by)\s+)?"
_SUBJECT = r"(?:the|it|they|this|these|there|its|their)\b"
_SENTENCE = re.compile(r"(?<=[?!])\s+|(?<=[a-z)]{2}[.;:])\s+(?=\S)")
_JOINED = re.compile(
    rf"(?:(?<!\s)\s*+[,;:]|(?<![,;:\s]))\s++(?:and|but|or)\s++(?:if so,?\s+)?(?={_FOR}{WH}\b)"
    rf"|(?<!\s)\s*+[,;:]\s++(?:and\s+|but\s+)?(?:if so,?\s+)?(?={_FOR}{WH}\b|{HELPS}\s+{_SUBJECT})"
    rf"|(?:(?<!\s)\s*+,|(?<![,\s]))\s++and\s++(?={HELPS}\s+{_SUBJECT}|(?:say|explain|identify|describe|give|list|name|discuss)\s+)",
    re.IGNORECASE,
)
_EXPLETIVE = r"(?! (?:is )?(?:possible|known|true|necessary|worth|likely|feasible|better)\b)"
_PRONOUN = re.compile(
    rf"\b(?:it|they|them|these|those|(?:each|both)(?: of (?:them|these))?)\b{_EXPLETIVE}(?=\W|$)", re.IGNORECASE
)
_FACT = re.compile(
    r"\b(?:this|that)(?= (?:is|was|be|do|does|has|change|differ|vary|depend|affect|happen|matter|agree"
    r"|disagree|lead|cause"
    r"|influence|compare|relate|explain|work|occur|mean|imply|limit)\w*\b)",
    re.IGNORECASE,
)
_TOLD = re.compile(rf"^(?:please )?(?:say|tell|explain|describe|discuss|identify) (?={WH}\b)", re.IGNORECASE)
_PLAN = re.compile(r"^(?:i|we) (?:want|need|plan|would like|am trying|are trying) (?P<goal>to .+)", re.IGNORECASE)
_OWN = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_LEADS = re.compile(rf"^(?:{WH}\s+)?(?:(?:kinds?|types?|sorts?) of\s+)?(?:{HELPS}\s+)?(?:not\s+)?", re.IGNORECASE)
_AFTER = re.compile(r"^(?:be |been |known about |used to |we |i |one |you )+", re.IGNORECASE)
_VERB = re.compile(
    rf"(?<!\s)\s++(?:{HELPS}|be|been|being|had|might|may|must|to|that|which|when|during|under|after|before|if|because|while|"
    r"regulate|affect|cause|control|drive|form|become|change|move|grow|influence|work|interact|evolve"
    r"|arise|occur|respond|"
    r"linked|related|measured|used|caused|formed|made|better|worse|suited|differ|combine|compare|publish)\b.*$",
    re.IGNORECASE,
)


def split_question(question: str) -> tuple[str, ...]:
    """Sub-questions in the order of the question; none where no rule breaks it down.

    The question is cut where two questions are joined, and "it" and "they" of the later ones are replaced by what the
    first is about. Things compared are asked for apart, by each criterion where there are some; a goal, its means and
    what was tried before likewise (`shapes`).
    """
    clauses = list(_resolve_pronouns(_clauses(" ".join(question.split()))))
    parts = [part for clause in clauses for part in split_by_shape(clause) or ([clause] if len(clauses) > 1 else [])]
    questions = list(dict.fromkeys(_as_question(part) for part in parts if len(part) >= LEAST_CHARS))[:MOST]
    return tuple(_on_topic(part, question) for part in questions) if len(questions) > 1 else ()


def _on_topic(part: str, question: str) -> str:
    """A sub-question that says of nothing in particular what it asks ("What is the evidence?"), with the words of the
    question that do."""
    words = _WORD.findall(question)
    if any(map(_is_subject, _WORD.findall(part))) or not any(map(_is_subject, words)):
        return part
    topic = " ".join(dict.fromkeys(word for word in words if _is_subject(word)))
    return f"{part.rstrip('?')} ({' '.join(topic.split()[:TOPIC_WORDS])})?"


def _is_subject(word: str) -> bool:
    """Whether a word can name a subject, other than those that every field has."""
    forms = set(keyword_forms(word))
    return len(word) > 1 and word.lower() not in BREAKING and forms.isdisjoint(GENERAL | _EVERYWHERE)


def _clauses(question: str) -> list[str]:
    """The question cut at its sentences and where questions are joined."""
    clauses: list[str] = []
    for sentence in _SENTENCE.split(question):
        begun = 0
        for match in _JOINED.finditer(sentence):
            head, tail = sentence[begun : match.start()], sentence[match.end() :]
            if len(head.split()) > 2 and len(tail.split()) > 1 and "between" not in head.lower().split()[-3:]:
                clauses.append(head)
                begun = match.end()
        clauses.append(sentence[begun:])
    return [clause.strip(" ,;:") for clause in clauses if len(clause.split()) > 1]


def _resolve_pronouns(clauses: list[str]) -> Iterator[str]:
    """The clauses, with what the first is about instead of pronouns in the later ones."""
    topic = fact = goal = ""
    for clause in clauses:
        text = _TOLD.sub("", clause)
        if topic or fact:
            text = _replace_pronoun(topic, fact, text)
        yield f"{text.rstrip(' ?.!')} {goal}" if goal and not _PLAN.match(clause) else text
        goal = goal or (match["goal"] if (match := _PLAN.match(clause.rstrip(" ?.!"))) else "")
        topic, fact = topic or _topic(clause), fact or strip_marks(_AFTER.sub("", _LEADS.sub("", clause)))


def _replace_pronoun(topic: str, fact: str, clause: str) -> str:
    """A clause with its pronoun replaced: by the topic, or, where "this" is what was asked before, followed by that."""
    if fact and _FACT.search(clause):
        return _FACT.sub(lambda match: f"{match[0]} ({fact})", clause, count=1)
    possessive = f"{topic}'" if topic.endswith("s") else f"{topic}'s"
    return _OWN.sub(lambda _: possessive, _PRONOUN.sub(lambda _: topic, clause, count=1), count=1) if topic else clause


def _topic(clause: str) -> str:
    """What a question is about: its subject, as far as words tell; "" where they do not."""
    text = _AFTER.sub("", _LEADS.sub("", clause.rstrip(" ?.!")))
    topic = _VERB.sub("", f" {text}").strip()
    return strip_marks(topic) if len(topic.split()) <= TOPIC_WORDS else ""


def _as_question(text: str) -> str:
    """As a question: begun with a capital, ended with a question mark."""
    text = strip_marks(text)
    return f"{text[:1].upper()}{text[1:]}?" if text else ""
