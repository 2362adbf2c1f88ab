"""The wordings of English questions that tell their kind: a table of patterns with weights.

Each cue that is found adds its weight to its kind, and the kind with the most is taken. A cue is about how a question
is put, never about its matter, so that it holds in every science. Questions are matched in small letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conspectus.records import QuestionKind
from conspectus.search.routing_cues import (
    CHORES,
    EVERYDAY,
    HELPS,
    LINKS,
    MAKING,
    PREPOSITION,
    QUANTITY,
    STUDY,
    WH,
    Cue,
    Match,
    cues,
)

CUES: Mapping[QuestionKind, tuple[Cue, ...]] = {
    "unclassified": cues(
        (
            9,
            r"^(?:hello|hi|hey|thanks?|thank you|good (?:morning|evening|day|night|afternoon)|bye|goodbye|ok|okay"
            r"|yes|no|test"
            r"|sorry|please|help|cool|great)\b(?: (?:there|you|all|everyone|so much|a "
            r"lot))*\W*(?:$|[,!.])",
            "a greeting, or a word alone",
        ),
        (
            8,
            r"\b(?:ignore|disregard|forget|override) (?:all |any |your |the |every |these |previous "
            r"|prior )+\w*",
            "an order to the program",
        ),
        (
            8,
            r"\b(?:system prompt|developer mode|jailbreak|your (?:instructions"
            r"|prompt|rules))\b",
            "about the program itself",
        ),
        (
            6,
            r"\b(?:who|how|what|where) are you\b|^\W*(?:are|were) you\b|\b(?:do|did|would|can|could) "
            r"you (?:really |ever )?(?:like|love|think|feel|want|sleep|eat|dream|speak|understand|hate|prefer)\b"
            r"|\bwhat (?:can|do|could|would|will) you\b",
            "about the program",
        ),
        (
            6,
            rf"^(?:please |can you |could you |would you |i want you to |now )*{CHORES}\b(?! (?:is|are"
            rf"|of|and)\b)",
            "a chore",
        ),
        (6, rf"\b{EVERYDAY}\b", "an everyday matter"),
        (
            5,
            r"\b(?:tell|sing|show|give|write|read) me (?:a|an|your|some) (?:joke|story|poem|song"
            r"|secret|riddle)",
            "a chore",
        ),
        (
            4,
            r"\bmy (?!data|sample|stud|experiment|thesis|model|detector|simulation|results|analysis|measurement"
            r"|spectr|cells|patients)\w+",
            "a personal matter",
        ),
        (3, r"\b(?:your|you're|yourself)\b", "about the program"),
        (
            3,
            r"\b(?:favou?rite|best|nicest|prettiest|tastiest|coolest) (?:flavou?r|colou?r|food|animal|book|city"
            r"|place|team|band|country)\b",
            "a matter of taste",
        ),
        (
            8,
            r"^\W*(?:what(?:'s| is) )?[-+(]*\d[\d .,()]*(?:(?:[-+*/^×÷]|times|plus|minus|divided "
            r"by)[ ()]*\d[\d .,()]*)+=?\W*$",
            "a calculation",
        ),
        (
            6,
            r"\b(?:how many|which|what|all the|number of) (?:\w+ )?(?:papers|documents|files|articles"
            r"|references) (?:are|do|have|is) (?:in|i|we|you|there|stored)\b(?! \w+ (?:on|about))",
            "about the library itself",
        ),
        (2, r"\b(?:this|the|my) (?:library|program|app|tool|website|chat)\b", "about the program"),
    ),
    "what-if": cues(
        (6, r"\bwhat if\b", "what if"),
        (5, r"\bwhat (?:would|might|could) happen\b|\bwhat (?:would|might) .{2,60}\bif\b", "asks what would be"),
        (
            6,
            r"^\W*(?:suppos(?:e|ing)|imagine|picture|assum(?:e|ing)|pretend(?: that)?|let's say|let us say|say "
            r"that|consider a (?:world|universe|planet)|hypothetically|given a (?:world|universe))\b",
            "supposes something",
        ),
        (5, r"\b(?:hypothetical(?:ly)?|counterfactual(?:ly)?|thought experiment)\b", "supposes something"),
        (
            5,
            r"\bin an? (?:\w+ ){0,2}(?:universe|world|earth|cosmos|planet) (?:with|without|where|in which|that"
            r"|of only)\b",
            "another world",
        ),
        (
            5,
            r"^\W*(?:had|were) .+,.*\b(?:would|could|might)\b|\bhad .{2,40}\bnever\b|\bhad not\b"
            r"|\bhadn't\b",
            "something that did not happen",
        ),
        (4, r"\bif\b.{2,120}\b(?:would|could|might)\b|\b(?:would|could|might)\b.{2,120}\bif\b", "would … if"),
        (
            4,
            r"\bif\b.{2,60}\b(?:had|were|was|did|went|stopped|disappeared|vanished|became|could"
            r"|doubled|halved)\b",
            "if something were so",
        ),
        (
            4,
            r"\bwithout\b.{2,60}\b(?:would|could|might)\b|\b(?:would|could"
            r"|might)\b.{2,60}\bwithout\b",
            "would … without",
        ),
        (4, r"^\W*(?:would|might)\b(?! (?:you|it be (?:ok|fine)|i |we like))", "would, might"),
        (3, r"^\W*could\b(?! (?:you|i |we |someone (?:tell|explain)))", "could"),
        (3, r"\b(?:what|how|where|when) would\b(?! (?:i|we|you|one)\b)", "asks what would be"),
        (1, r"\b(?:what|how|where|when) (?:might|could)\b(?! (?:i|we|you|one)\b)", "asks what would be"),
        (
            2,
            r"\b(?:conceivabl[ey]|imaginable|in principle|theoretically possible|someday"
            r"|one day)\b",
            "only thinkable",
        ),
        (1.5, r"\bwould\b", "would"),
        (0.5, r"\bmight\b", "might"),
    ),
    "compositional": cues(
        (
            4,
            rf"\b(?:{WH}|{HELPS}|explain|describe|list|compare|want|need|find)\b.*(?:[,;:?]|\band|\bbut"
            rf"|\bor) (?:and |but |if so,? )*(?:(?:in|at|to|under|with|from|for|by) (?=what"
            rf"|how))?{WH}\b",
            "two questions joined",
        ),
        (
            3.5,
            r",? (?:and|but) (?:if so|is|are|was|were|do|does|did|can|could|should|has|have|say|explain|identify"
            r"|describe|give|list)\b .{4,}",
            "two questions joined",
        ),
        (4, r"\?[^?]*\w[^?]*\?", "several questions"),
        (
            4.5,
            r"\b(?:differ(?:s|ed)? (?:from|between|in)|differences? (?:\w+ )?(?:between|among)|similarit(?:y"
            r"|ies) (?:\w+ )*between|distinguish(?:es|ed)? between|distinction between)",
            "a comparison",
        ),
        (
            4.5,
            r"(?:^\W*|\band |please |, )(?:compare|contrast)\b(?!-)|\bhow (?:do|does|did) .+\bcompare\b"
            r"|\bcomparison (?:of|between)\b",
            "a comparison",
        ),
        (2, r"\bcompared (?:to|with)\b", "a comparison"),
        (
            3,
            r"\b(?:versus|vs\.?|as opposed to|relative merits|in contrast (?:to|with))(?= )|\bhow (?:do|does"
            r"|did) .+\bdiffer\b",
            "a comparison",
        ),
        (
            3.5,
            r"\b(?:advantages and (?:disadvantages|limitations|drawbacks)|pros and cons|strengths and weaknesses"
            r"|benefits and (?:risks|harms|drawbacks)|trade-?offs?)\b",
            "for and against",
        ),
        (2.5, r"\bin terms of\b|\bwith (?:respect|regard) to\b", "by given criteria"),
        (
            4.5,
            r"\bhow (?:can|do|should|would|could|might|shall) (?:i|we|one|you|a \w+"
            r"|someone)\b",
            "how to do something",
        ),
        (2.5, r"\bhow (?:can|could|should)\b", "how something can be done"),
        (4, r"\bshould (?:i|we|one)\b", "a choice to be made"),
        (
            4,
            r"\b(?:i|we) (?:want|need|plan|intend|would like|am trying|are trying|have to|aim) to\b|\b(?:i'm"
            r"|we're) (?:trying|planning)\b",
            "a plan",
        ),
        (5, rf"^\W*(?:please |help me )*{MAKING}\b(?! of)", "a plan"),
        (
            3.5,
            r"\b(?:let|allow|enable|help) (?:me|us)\b|\bwhat (?:steps|procedure|workflow|pipeline)\b"
            r"|\bstep by step\b",
            "how to do something",
        ),
        (
            4,
            rf"^\W*{HELPS} .+? or .+\b(?:better|worse|more|less|best|preferable|superior|suited)\b|\b(?:better"
            rf"|more|preferable|superior|faster|cheaper)\b.+\b(?:or|than)\b.+ for\b",
            "a choice between two",
        ),
        (4, r"^\W*(?:trace|relate|distinguish|contrast|connect|reconcile|differentiate)\b(?!-)", "several tasks"),
        (2, r"\b(?:each|both|respectively|either)\b", "several things"),
        (1.5, r"\b(?:explain|identify|justify|giving examples|with examples)\b", "several tasks"),
    ),
    "consensus": cues(
        (4, rf"^\W*(?:so |but |and |then )?{HELPS}\b(?! (?:you|i |we (?:use|choose)|me)\b)", "a yes-or-no question"),
        (3, r"^\W*(?:could|may|must|would it be true)\b", "a yes-or-no question"),
        (
            1.5,
            r"^\W*(?:could|might) .+ (?:be (?:an?|the|due|caused|explained|linked|related|associated|responsible"
            r"|better|worse|safe|useful)|explain|account for|contribute to|play a)\b",
            "a yes-or-no question",
        ),
        (0.5, rf"^(?!.*\b{WH}\b)(?=.*[a-z]{{2}} ).{{15,}}\?\W*$", "a claim with a question mark"),
        (4, rf"(?:[:.]|--| - )\s*(?:{HELPS}|it's)\b.*\?\W*$", "a yes-or-no question"),
        (4, r"\bwhether(?: or not)?\b", "whether"),
        (
            3,
            r"\b(?:is|are) (?:there|it)\b.*\b(?:evidence|consensus|agreement|true|proof|known|accepted"
            r"|established|proven)\b",
            "asks for evidence",
        ),
        (3, r"\b(?:evidence|support|proof|arguments?) (?:for|against|that|of whether)\b", "asks for evidence"),
        (
            3,
            r"\b(?:agree|disagree|disput\w+|controvers\w+|debated?|contested|contradict\w*|consensus|settled"
            r"|resolved|ruled out|refuted?|confirmed|true that|really)\b",
            "a matter of agreement",
        ),
        (3, r",? (?:true|right|correct|isn't it|doesn't it|is that (?:so|true|right))\W*$", "a claim to be judged"),
    ),
    "single-paper": cues(
        (
            5,
            r"^\W*(?:when|who)\b|\b(?:in|on|at|by) (?:what|which) (?:year|date|month|journal|volume|chromosome"
            r"|temperature|pressure|\w+ page)\b",
            "when, who, in which",
        ),
        (4, r"^\W*where (?:is|was|are|were|does|did)\b", "where"),
        (
            5,
            r"^\W*(?:at|to|with|by|for|on|of|from|under) (?:what|which)\b|^\W*(?:on |by |for |over )?how (?:many"
            r"|much(?! (?:is known|do we know|evidence))|long|far|old|deep|fast|hot|cold|large|big|tall|heavy|wide"
            r"|thick|often|bright|massive|distant|common)\b",
            "a number asked for",
        ),
        (
            4,
            rf"^\W*(?:what|which)(?:'s| is| was| were| are| did| does)? (?:the |an? )?(?:(?!{PREPOSITION}\b"
            rf"|{HELPS}\b)[\w-]+ ){{0,4}}?{QUANTITY}(?= {PREPOSITION}\b"
            rf"| {HELPS}\b|\W*$)",
            "a quantity asked for",
        ),
        (
            3,
            rf"^\W*what(?:'s| is| was) the (?:(?!{PREPOSITION}\b)[\w-]+ ){{0,3}}?(?!{LINKS}\b)(?:\w*[^s\W]"
            rf"|\w+ss) (?:of|for)\b",
            "a property of one thing",
        ),
        (
            3,
            r"^\W*which (?:[\w-]+ ){1,5}?(?:is|was|has|does)\b|^\W*which (?:(?!are\b|were\b|have\b|do\b|can\b"
            r"|two\b|three\b|of\b)[\w-]+ ){0,2}(?!are\b|were\b|have\b|do\b|can\b"
            r"|the\b)\w*[^s\W] \w{2,}[^s\W]s\b",
            "one thing asked for",
        ),
        (3, r"^(?!\W*(?:what|which|how|why)\b).{15,}\b(?:which|what) (?:\w+ )?\w+\W*\?$", "one thing asked for"),
        (4, r"^\W*(?:what|which) (?:[\w-]+ ){1,6}?did\b", "what somebody did"),
        (
            3.5,
            r"^\W*(?:what|which) (?:\w+ )?(?:gene|protein|enzyme|drug|hormone|virus|bacterium|species|receptor"
            r"|mutation|promoter|country|paper|journal|company|instrument|telescope|element|isotope|organ|vitamin"
            r"|star|planet|galaxy|syndrome|disease|test|algorithm|antibody|transcription "
            r"factor|year)\b",
            "one thing asked for",
        ),
        (
            2.5,
            r"\bwas\b|\bwere\b|\bdid\b|\b(?:reported|measured|quoted|published|enrolled|recorded) (?:in|by"
            r"|for|during)\b",
            "about something that was done",
        ),
        (
            2.5,
            rf"\b(?:in|by|of|from|used in|during|for|do|did|does) (?:the|that|this"
            rf"|their) (?:[\w-]+ ){{0,5}}?{STUDY}\b",
            "in a given study",
        ),
        (
            2.5,
            r"\bfirst (?:reported?|proposed?|discover\w*|observed?|describe\w*|detect\w*|measured?|introduced?"
            r"|to)\b|\b(?:discovered|invented|coined|named)\b",
            "who was first",
        ),
        (
            3,
            r"^\W*what(?:'s| is) the (?:current |known )?(?:record|most|least|highest|lowest|largest|smallest"
            r"|oldest|youngest|longest|fastest|nearest|farthest|\w+est)\b",
            "the most of something",
        ),
    ),
    "multi-paper": cues(
        (
            4,
            r"\b(?:papers?|articles|publications|studies|references|reviews|works?|literature|authors?|groups?"
            r"|labs?) (?:\w+ )?(?:on|about|by|that|which|of|have|has|describing|discussing"
            r"|covering|in)\b",
            "asks for papers",
        ),
        (
            5,
            r"^\W*(?:are|is|do you know(?: of)?) (?:there )?(?:any |some |an? )?(?:[\w-]+ ){0,4}?(?:papers?"
            r"|articles|reviews?|publications|codes?|software|tools?|packages?|databases?|datasets?|catalogues?"
            r"|catalogs?|surveys?|theses)\b",
            "asks what there is",
        ),
        (
            4,
            r"\b(?:overview|review|summar(?:y|i[sz]e)|survey of|introduction to|state of the art|progress|advances"
            r"|trends|developments?)\b",
            "an overview asked for",
        ),
        (
            4,
            r"^\W*(?:please |can you |could you |i need |i am looking for )*(?:list|give|find|show|name"
            r"|summari[sz]e|describe|explain|discuss|outline|review|tell me about|provide"
            r"|enumerate)\b",
            "an overview asked for",
        ),
        (
            4,
            rf"^\W*(?:what|which)(?:'s| is| are| was| were| has| have)? (?:the |some "
            rf"|an? )?(?:[\w-]+ ){{0,4}}?{LINKS}\b",
            "more than one paper tells",
        ),
        (
            3,
            r"^\W*what (?:are|have|were)\b|^\W*(?:what|which) (?:\w+ )?(?:causes|drives|controls|determines"
            r"|explains|influences|affects|regulates|limits|shapes|makes|triggers)\b",
            "what things",
        ),
        (
            3.5,
            r"\bwhat (?:is|has been|do we|have we|can be) (?:currently )?(?:known|learn(?:t|ed)|published|said"
            r"|understood|know|found|done|written|shown|tried)\b|\bwhat (?:has"
            r"|have) (?:been|we)\b",
            "what is known",
        ),
        (
            3.5,
            r"^\W*(?:what|which) (?:[\w-]+ ){0,2}(?!is|was|has|does|this|thus|\w*ss\b)\w{3,}s (?:are|have|can|do"
            r"|limit|affect|cause|influence|drive|were|has|other|could|lead|contribute"
            r"|exist|use)\b",
            "what things",
        ),
        (4, r"^\W*how (?:do|does|did|is|are|was|were|has|have|will)\b(?! (?:i|we|you)\b)", "how something works"),
        (4, r"^\W*why\b", "why"),
        (2, r"^\W*what(?:'s| is)(?: an?| the)? [\w -]{3,40}\W*$", "what something is"),
    ),
}
"""Kind -> its cues. Of kinds with the same sum the one that stands first is taken."""


def found_in(question: str) -> Iterator[tuple[QuestionKind, tuple[Match, ...]]]:
    """The kinds, each with its cues in a question; `question`: in small letters, on one line."""
    for kind, known in CUES.items():
        found = ((cue, cue.pattern.search(question)) for cue in known)
        yield kind, tuple(Match(cue, match[0].strip(" ,;:?.")) for cue, match in found if match)
