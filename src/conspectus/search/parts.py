"""A compositional question broken into sub-questions by rules, each of which stands alone as far as rules can."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conspectus.lexicon.key_phrases import BREAKING, GENERAL
from conspectus.records import keyword_forms
from conspectus.search.routing_shapes import HELPS, WH, bare, by_shape

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


def parts_of(question: str) -> tuple[str, ...]:
    """Sub-questions in the order of the question; none where no rule breaks it down.

    The question is cut where two questions are joined, and "it" and "they" of the later ones are replaced by what the
    first is about. Things compared are asked for apart, by each criterion where there are some; a goal, its means and
    what was tried before likewise (`shapes`).
    """
    clauses = list(_standing_alone(_clauses(" ".join(question.split()))))
    found = [part for clause in clauses for part in by_shape(clause) or ([clause] if len(clauses) > 1 else [])]
    kept = list(dict.fromkeys(_ended(part) for part in found if len(part) >= LEAST_CHARS))[:MOST]
    return tuple(_on_topic(part, question) for part in kept) if len(kept) > 1 else ()


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
    found: list[str] = []
    for sentence in _SENTENCE.split(question):
        begun = 0
        for match in _JOINED.finditer(sentence):
            head, tail = sentence[begun : match.start()], sentence[match.end() :]
            if len(head.split()) > 2 and len(tail.split()) > 1 and "between" not in head.lower().split()[-3:]:
                found.append(head)
                begun = match.end()
        found.append(sentence[begun:])
    return [clause.strip(" ,;:") for clause in found if len(clause.split()) > 1]


def _standing_alone(clauses: list[str]) -> Iterator[str]:
    """The clauses, with what the first is about instead of pronouns in the later ones."""
    topic = fact = goal = ""
    for clause in clauses:
        text = _TOLD.sub("", clause)
        if topic or fact:
            text = _said_of(topic, fact, text)
        yield f"{text.rstrip(' ?.!')} {goal}" if goal and not _PLAN.match(clause) else text
        goal = goal or (match["goal"] if (match := _PLAN.match(clause.rstrip(" ?.!"))) else "")
        topic, fact = topic or _topic(clause), fact or bare(_AFTER.sub("", _LEADS.sub("", clause)))


def _said_of(topic: str, fact: str, clause: str) -> str:
    """A clause with its pronoun replaced: by the topic, or, where "this" is what was asked before, followed by that."""
    if fact and _FACT.search(clause):
        return _FACT.sub(lambda match: f"{match[0]} ({fact})", clause, count=1)
    own = f"{topic}'" if topic.endswith("s") else f"{topic}'s"
    return _OWN.sub(lambda _: own, _PRONOUN.sub(lambda _: topic, clause, count=1), count=1) if topic else clause


def _topic(clause: str) -> str:
    """What a question is about: its subject, as far as words tell; "" where they do not."""
    text = _AFTER.sub("", _LEADS.sub("", clause.rstrip(" ?.!")))
    found = _VERB.sub("", f" {text}").strip()
    return bare(found) if len(found.split()) <= TOPIC_WORDS else ""


def _ended(text: str) -> str:
    """As a question: begun with a capital, ended with a question mark."""
    text = bare(text)
    return f"{text[:1].upper()}{text[1:]}?" if text else ""
