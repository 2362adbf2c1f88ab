"""Words of science: those that mean different things in different sciences, and how the others are formed."""

from __future__ import annotations

import re

OVERLOADED = re.compile(
    r"\b(?:"
    r"main sequence|early[- ]type|late[- ]type|metals?|quench\w*|feedback|bursts?|halos?|haloes|dust"
    r"|seeing|bias|tension|inflation|accretion|reionization|standard candles?|dwarfs?|expression"
    r"|transcription|translation of \w+|culture[sd]?|vectors?|promoters?|knock-?(?:out|in|down)s?|pathways?"
    r"|markers?|lineages?|clones?|plasticity|firing|spikes?|(?:action|membrane) potentials?|receptors?"
    r"|agonists?|plasma|phases?|phase separation|grains?|grain boundar\w+|dislocations?|creep|fatigue"
    r"|strain|toughness|doping|dopants?|band gaps?|excitons?|domains?|defects?|glass(?:es|y)?|annealed"
    r"|substrates?|catalysts?|cells? cycle|cohorts?|endpoints?|regression|depression|tolerance|resistance"
    r"|burden|attention|transformers?|hallucinat\w+|attractors?|kernels?|embedding|field theory"
    r"|fields? lines?|coupling|spin|flavou?rs?|colou?r charge|decay|tunnel+ing|entanglement|resonators?"
    r"|horizons?|bleaching|succession|fitness|niche|forcing|sinks?|migration of cells|fusion|mass gap"
    r"|initial mass|lensing|rotation curves?|dark (?:matter|energy)|working memory|protein folding"
    r")\b",
    re.IGNORECASE,
)
"""Words and phrases that mean something else in another science, or in everyday language."""

SPECIAL = re.compile(
    r"\w{2,}(?:osis|oses|itis|a?emia|genesis|genic|lysis|lytic|metry|metric|scopy|scopic|omics?|blasts?|cytes?|cytic"
    r"|phages?|phils?|philic|phobic|trop(?:ic|hic)|plasm|plasmic|somes?|somal|ylation|icity|ferous|statins?|mabs?|mycin"
    r"|cillin|omas?|pathy|stasis|kinesis|taxis|tropy|valent|meric|itons?|trons?|inos?|oids?|ides|kinases?|ulf?ates)"
    r"|(?:micro|nano|neuro|astro|photo|electro|magneto|hydro|thermo|cyto|immuno|cardio|hepat|nephr|chemo|opto|spectro"
    r"|seismo|pala?eo|phyto|myco|chromo|mito|ferro|piezo|haplo|eigen|gravit|cosmo|stoichio|crystallo|epi|endo|exo|hetero)"
    r"\w{4,}",
    re.IGNORECASE,
)
"""How words of science are formed; for where nothing is known of everyday words."""

PLAIN_FORMS = frozenset("side provide guide slide divide episode decide outside inside cosmopolitan epic".split())
"""Everyday words that are formed so."""
