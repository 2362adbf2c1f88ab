"""What a cue to the kind of a question is, and the groups of words that cues are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

HELPS = (
    r"(?:is|are|was|were|do|does|did|has|have|can|should|will|ain't|isn't|aren't|don't|doesn't|didn't|hasn't"
    r"|haven't)"
)
"""Auxiliary verbs that begin a yes-or-no question."""
WH = r"(?:what|which|how|why|when|where|who|whose|whether)"
"""Words that ask."""
QUANTITY = (
    r"(?:values?|number|mass|masses|size|age|temperature|pressure|density|depth|height|length|width|distance"
    r"|diameter|radius|speed|velocity|energy|frequency|wavelength|rates?|ratio|fraction|percentage|proportion"
    r"|share|probability|prevalence|incidence|sensitivity|specificity|resolution|accuracy|precision|efficiency"
    r"|threshold|limit|duration|lifetime|half-life|timescale|time|dose|dosage|concentration|amount|cost|price"
    r"|yield|strength|score|factor|constant|gap|structure|formula|sequence|symbol|abbreviation|acronym|location"
    r"|chromosome|inheritance|order|period|date|year|day|title|doi|redshift|luminosity|magnitude|error|uncertainty"
    r"|range|median|mean|average|maximum|minimum|peak|record|name|odds|risk ratio|p-value|sample|cohort)"
)
"""What has a value that one paper states."""
PREPOSITION = (
    r"(?:of|in|for|at|to|from|during|between|on|with|by|under|about|per|over|above|below|when|that|used|reported)"
)
"""What follows the name of a quantity."""
STUDY = (
    r"(?:study|trial|survey|paper|article|experiment|mission|team|authors?|cohort|catalogue|catalog|simulations?"
    r"|dataset|data release|collaboration|analysis|detector|observatory|expedition|campaign)"
)
"""One piece of research."""
LINKS = (
    r"(?:role|effects?|impacts?|influence|importance|significance|relation(?:ship)?|association|link|connection"
    r"|correlation|causes?|consequences?|implications?|mechanisms?|function|functions|nature|origins?|history"
    r"|contribution|evidence|status|state|understanding|thinking|future|prospects?|challenges?|limitations?"
    r"|applications?|uses?|treatments?|options?|approach(?:es)?|methods?|techniques?|strateg(?:y|ies)|factors?"
    r"|types?|kinds?|classes|symptoms|characteristics|properties|principles?|theories|hypothes[ie]s|explanations?"
    r"|drivers?|sources)"
)
"""What several papers together tell of."""
MAKING = (
    r"(?:design|plan|build|set up|develop|combine|conduct|devise|construct|test|measure|separate|distinguish"
    r"|disentangle|choose|select|pick|calibrate|use|detect|find|study|estimate|determine|optimi[sz]e|prepare"
    r"|implement|integrate)"
)
"""What is planned."""
EVERYDAY = (
    r"(?:weather (?:like|today|tomorrow|forecast (?:for|in))|(?:football|soccer|baseball|basketball) (?:team|match"
    r"|club|game)|world cup|ice cream|(?:a|the|my|your) (?:recipe|movie|film|song|poem|joke|riddle|haircut"
    r"|birthday|girlfriend|boyfriend)|(?:restaurant|hotel|pizza|bar|cafe|shop)s? (?:near|in|close)|(?:president"
    r"|king|queen|mayor|chancellor|capital|prime minister) of|(?:flight|train|ticket|bus)s? to|lottery|horoscope"
    r"|stock price|cover letter|password)"
)
"""Matters of no science."""
CHORES = (
    r"(?:translate|rewrite|rephrase|proofread|correct|fix|book|order|buy|send|call|remind|sing|draw|play|open"
    r"|close|delete|reset|install|export|import|download|save|print|repeat|pretend|act|ignore|forget|disregard"
    r"|make up|say|write|recommend|format|convert|roleplay|generate|code|stop|continue|restart|cite)"
)
"""What a program is told to do."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern, how much it weighs, and what it means in words."""

    weight: float
    pattern: re.Pattern[str]
    meaning: str


class Match(NamedTuple):
    """A cue that was found, and the words of the question that it was found in."""

    cue: Cue
    words: str


def cues(*rows: tuple[float, str, str]) -> tuple[Cue, ...]:
    """Cues from weights, patterns and meanings."""
    return tuple(Cue(weight, re.compile(pattern), meaning) for weight, pattern, meaning in rows)
