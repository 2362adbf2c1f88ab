"""Words of scientific prose that name no subject: those that no key phrase has, and those that seldom are one."""

from __future__ import annotations

from conspectus.lexicon import STOP_WORDS


def _forms(verb: str) -> set[str]:
    """A regular verb's forms."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return {verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"}
    if verb.endswith("e"):
        return {verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"}
    return {verb, verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s"), f"{verb}ed", f"{verb}ing"}


_VERBS = """
    accept account achieve acquire act add address admit adopt aim allow alter analyse analyze appear apply argue
    arise arrive assess associate assume attempt attribute avoid base become begin believe belong bring build call
    capture carry cause characterise characterize choose claim clarify come compare complete comprise concern
    conclude conduct confirm consider consist constitute construct contain contribute correspond create deal decide
    decrease deduce define demonstrate denote depend derive describe determine develop differ discover discuss
    display distinguish divide elucidate employ enable encourage enhance ensure establish evaluate examine exceed
    exclude exhibit exist expect explain explore extend facilitate fail find focus follow formulate gain give go
    grow happen help highlight hypothesise hypothesize identify illustrate imply improve include incorporate
    increase indicate infer intend introduce investigate involve justify keep know lack lead let lie maintain make
    mean mention motivate need note obey observe obtain occur offer outline overcome participate perform permit play
    pose possess prefer present proceed produce propose prove provide publish quantify raise reach realise realize
    receive recommend reconcile recruit reduce refer reflect regard relate rely remain replace report require
    resemble restrict result retain reveal satisfy say seek seem serve share show solve specify study suffer suggest
    summarise summarize suppose take tend treat try turn undergo underlie understand use utilise utilize vary verify
    want wish yield
"""
_OTHERS = """
    arisen began begun brought came chosen done found gave given grew grown held kept knew known lain led left lying
    made meant met proven said saw seen shown sought stood taken thought told took underlying undergone understood
    underwent went admitted admitting beginning built captured earlier getting going gone got occurred occurring
    preferred put putting referred referring run running set setting above albeit almost alone along already
    although always amongst anyway apart around aside away besides beyond cannot contrary despite due either else
    elsewhere enough especially et etc al even ever every everything except far finally first firstly hence hereby
    herein however i.e e.g ie eg indeed inside instead jointly last lastly later latter less like likewise little
    many maybe meanwhile merely more moreover much namely near nearly neither never nevertheless next none
    nonetheless nothing notwithstanding often one otherwise outside overall per perhaps plus previously quite rather
    really regarding respectively second secondly several similarly simply since somehow something sometimes
    somewhat still therefore thereby thereof third thirdly together toward towards unless unlike upon usually versus
    via vs well whatever whenever whereas whereby wherein whether within worth yes two three four five six seven
    eight nine ten able available aware best better capable certain clear consistent corresponding crucial current
    different difficult easy entire evident few final former further good great greater greatest higher highest
    important interested interesting involved larger largest lower lowest main mainly major most necessary new newer
    novel numerous obvious old other own particular past poor possible present previous prior promising proper
    recent related relevant remarkable respective same significant similar smaller smallest specific strong stronger
    subsequent substantial such sufficient suitable typical unclear unique unknown useful usual various whole wide
    widespread worse additional additionally arxiv
"""
_GENERAL = """
    ability absence addition advance advantage age agreement amount analysis answer application approach area
    argument article aspect assessment assumption attention author background basis behavior behaviour benefit case
    change character characteristic choice class combination comparison component concept conclusion condition
    consequence consideration construction context contrast contribution control correlation course criteria
    criterion data dataset date day decade definition degree description design detail development difference
    difficulty dimension direction discussion distribution effect efficacy efficiency effort element end environment
    error evaluation event evidence example existence experience experiment explanation extent fact factor feature
    field finding form formation formula framework function future goal group growth hand history human hypothesis
    idea impact implementation implication importance improvement increase individual influence information input
    insight interaction interest interval interpretation introduction investigation issue kind knowledge lack law
    length level limit limitation line literature loss majority mass material matter mean measure measurement
    mechanism member method methodology mode model month nature need notion number object objective observation
    operation opportunity order origin outcome output pair paper parameter part participant patient pattern people
    percent performance period person perspective phase phenomena phenomenon place point population position
    possibility potential practice presence principle problem procedure process product program progress project
    proof property proportion prospect purpose quality quantity question range rate ratio reason recommendation
    reduction region relation relationship relevance report representation requirement research researcher resource
    response result review role rule sample scale scenario scheme science score section series setting shape side
    significance signal site situation size solution source space stage standard state statement step strategy
    strength structure study subject subset success sum support system table target task technique technology term
    test theory time tool topic total transition treatment trend trial type understanding unit use user utility
    validity value variable variation variety version view way week work world year absolute abstract active actual
    adequate advanced alternative analytical appropriate approximate average basic big broad central classical
    clinical common complete complex comprehensive conventional critical deep detailed direct distinct early
    effective efficient empirical equal equivalent exact excellent experimental explicit external extra fast fine
    finite fixed free full fundamental general generic global half hard healthy heavy high ideal independent initial
    intermediate internal intrinsic joint key large late light limited linear local long low maximal maximum medium
    minimal minimum mixed moderate modern multiple natural negative non normal null numerical open optimal ordinary
    original parallel partial perfect physical positive practical preliminary primary pure qualitative quantitative
    random rapid real reasonable reliable representative rich right robust scientific secondary selected sensitive
    separate serious severe short simple single slow small smooth social soft special stable static statistical
    strict subtle successful systematic technical theoretical thin traditional true uniform universal upper valid
    vast weak young
"""

BREAKING = STOP_WORDS.union(_OTHERS.split(), *map(_forms, _VERBS.split()))
"""No key phrase has one of these."""
GENERAL = frozenset(_GENERAL.split())
"""These stand in key phrases beside other words ("control theory"), and seldom alone; in the singular."""
NOT_ADVERBS = frozenset(
    {"ally", "anomaly", "assembly", "butterfly", "family", "fly", "italy", "lily", "monopoly", "supply"}
)
"""Words that end as adverbs do."""
