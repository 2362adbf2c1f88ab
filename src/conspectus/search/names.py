"""Names in a question, found by how they are written: names of every science, none of which has to be known."""

from __future__ import annotations

import re

from conspectus.lexicon.calendar import DAYS, MONTHS

TOKEN = re.compile(r"[^\W_](?:[\w'’./+*-]*[\w*+])?")
"""A word as it stands in a text."""

_EVERYDAY = frozenset(
    "DNA RNA UV AI MRI CT IR PH USA UK EU TV PC ID CO2 H2O O2 N2 3D 2D 1D DOI PDF URL JSON OK X-RAY X-RAYS".split()
)
"""What looks like a name, and is none: words of all sciences, and of none."""
_UNITS = frozenset(
    "K C F Hz kHz MHz GHz THz eV keV MeV GeV TeV pc kpc Mpc Gpc AU ly Gyr Myr kyr nm μm mm cm km kg mg μg Pa kPa MPa "
    "GPa V mV kV W mW kW MW GW J kJ mJ N A mA T mT G M mM μM nM pM L mL dB Jy mJy ppm ppb Da kDa bp kb Mb pH Å".split()
)
_NO_SYMBOLS = _UNITS | frozenset("I II III IV V VI VII VIII IX X Ia Ib Ic IIn IIb".split())
_NO_NAMES = frozenset(
    "i earth sun moon english french german spanish chinese japanese european american african asian western eastern "
    "northern southern swedish british indian internet gaussian bayesian boolean cartesian euclidean newtonian "
    "lagrangian hamiltonian "
    "fourier laplace markov poisson monte carlo boltzmann".split()
).union(name.lower() for name in (*MONTHS, *DAYS))
"""Words with a capital that name no particular thing to search for, in small letters."""
_SERIES = re.compile(
    r"(?:alpha|beta|gamma|delta|sigma|omega|lambda|kappa|theta|epsilon|chi|type|phase|stage|grade|class|level|part|top"
    r"|group|figure|fig|table|section|chapter|world|web|age|pre|post|mid|late|early|sub|non|half|step|order|rank)"
    r"-?\d\w*",
    re.IGNORECASE,
)
"""Words with figures that are no designations: type-2, sigma-8."""
_SPECIES = re.compile(r"\b[A-Z]\. ?(?!al\b)[a-z]{3,}\b")
_CATALOGUED = re.compile(r"\b(?:[A-Z]{2,}[A-Za-z]{0,5} ?|[A-Z][A-Za-z]{0,7}-)\d{2,}[\w.+-]*")
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*(?:\.\d+)?){2,}")
_SYMBOL = re.compile(
    r"(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z][A-Za-z0-9*+-]+"  # TP53, p53, CD8+
    r"|[a-z]{1,2}[A-Z][A-Za-z0-9]+"  # mTOR, dCas9
    r"|[A-Z][a-z]+[A-Z][A-Za-z0-9]*"  # AlphaFold, MeerKAT
)
_POSSESSIVE = re.compile(r"(?:['’]s|['’])$")
_VARIABLE = re.compile(r"\d*[a-z]{1,2}\d?")


def entities(question: str) -> list[str]:
    """What a question names, in its order: projects, instruments, objects, genes, species, formulas, people, places.

    Found by how it is written (capitals, figures), so that names of every science are found and none has to be known.
    """
    found = [match.span() for pattern in (_SPECIES, _CATALOGUED) for match in pattern.finditer(question)]
    words = list(TOKEN.finditer(question))
    shouted = len(words) > 2 and sum(word[0].isupper() for word in words) > len(words) / 2
    titled = len(words) > 4 and sum(word[0][0].isupper() for word in words) > 0.7 * len(words)
    for word in words:
        begins = question[: word.start()].rstrip()[-1:] in ("", ".", "?", "!", ":")
        text = _POSSESSIVE.sub("", word[0])
        start, end = word.start(), word.start() + len(text)
        if not any(first <= start < last for first, last in found) and _is_name(text, begins or titled, shouted):
            found.append((start, end))
    return list(dict.fromkeys(question[start:end] for start, end in _joined(sorted(found), question)))


def _joined(spans: list[tuple[int, int]], question: str) -> list[tuple[int, int]]:
    """Names with nothing but a space between them made one: "Vera Rubin", "TRAPPIST-1 e"."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        follows = joined and question[joined[-1][1] : start] == " "
        joined.append((joined.pop()[0] if follows else start, end))
    return joined


def _is_name(text: str, begins: bool, shouted: bool) -> bool:
    if _is_plain(text):
        return False
    if _SYMBOL.fullmatch(text) and not _VARIABLE.fullmatch(text):
        return not _SERIES.fullmatch(text)
    if shouted:
        return False
    head = text.split("-", maxsplit=1)[0]
    if len(head) > 1 and head.isupper() and head.isalpha():
        return True
    if _FORMULA.fullmatch(text) and any(sign.isdigit() for sign in text):
        return True
    return not begins and len(text) > 1 and text[0].isupper() and not text.isupper()


def _is_plain(text: str) -> bool:
    """Whether it only looks like a name."""
    return text.upper() in _EVERYDAY or text in _NO_SYMBOLS or text.lower() in _NO_NAMES or text[0].isdigit()
