"""The words whose full stop is not (or not always) the end of a sentence, for `sentences`.

All sets are lower-case but `TITLES`, `JOURNAL_WORDS` and `STARTERS`, where the capital is part of the sign.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words("e.g i.e eg cf vs viz ca approx suppl supp incl esp")
"""Something always follows: an example, a number, the other side."""

TITLES = _words("Dr Drs Prof Mr Mrs Ms St")
"""A name always follows."""

BEFORE_NUMBERS = _words(
    "fig figs eq eqs eqn eqns ref refs sec secs sect sects tab tabs no nos vol vols ch chap chaps app pp p para paras "
    "def thm lem prop cor ex expt exp obs pt art nr fol par col v n c l q table step ver jan feb mar apr jun jul aug "
    "sep sept oct nov dec version"
)
"""A number, a letter or a Roman numeral follows: `Fig. 2`, `Eq. (3)`, `App. B`. Before an ordinary word they end."""

MAYBE_LAST = _words(
    "al inc ltd co corp jr sr dept univ sp spp var subsp ssp cv resp min sec hr hrs ed eds trans "
    "max avg temp conc wt mol ibid"
)
"""These end a sentence only if the next word is one that sentences begin with: `et al. The`, but `et al. Nature`."""

JOURNAL_WORDS = _words(
    "Phys Rev Lett Proc Natl Acad Sci Soc Biol Chem Med Engl Amer Am Ann Trans Int Comm Commun Math Appl Mech Res Clin "
    "Exp Neurosci Psychol Astrophys Astron Mon Bull Mem Jour Inst Lab Univ Dept Geophys Opt Mater Nat Eur Br Can Jpn "
    "Gen Gov Lt Col Capt Sgt Rep Sen Hon Rt Mt Ft Ave Blvd Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)

LABELLED = _words(
    "vitamin vitamins group groups hepatitis type types protein class panel panels grade phase factor appendix part "
    "case method model condition influenza site complex experiment table figure plan arm cohort cluster"
)
"""Before a single capital these make it a label, not somebody's initial: `vitamin C. Patients`."""

STARTERS = _words(
    "The This These Those That We Our In It Its As At By For From If On To With Within When While Where Whereas "
    "Whether Because Both But And However Here Herein Hence He She They Their There Therefore Thus Then Moreover "
    "Furthermore Finally First Firstly Second Secondly Third Thirdly Although Though Additionally After Afterwards "
    "Also All Among An Another Any Based Before Between Beyond Compared Conversely Despite Due During Each Either "
    "Even Every Given How Indeed Instead Interestingly Like Likewise Many Most Much My Neither Next No None "
    "Nevertheless Nonetheless Not Notably Now Of Once One Only Other Others Over Overall Patients Previous "
    "Previously Participants Recent Recently Several Similar Similarly Since So Some Specifically Still Such "
    "Surprisingly Taken Through Thereby Together Two Three Four Five Under Unlike Unfortunately Until Upon Using "
    "Via What Which Who Why Without Yet You Your Consistent Consequently Accordingly Subsequently Meanwhile "
    "Importantly Methods Results Conclusions Conclusion Background Objective Objectives Increasing Let Were Was Are "
    "Is Did Does Do Can Could"
)
"""Words that sentences begin with and that are no names."""
