"""True statements made mechanically from a sentence, and statements with one planted error; used by `planted.py`.

Nothing of the check itself is used here, so that both cannot be wrong in the same way.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Change = Callable[[str, random.Random], str]

LEADS = (
    "According to the authors, {}", "The study reports that {}", "Overall, {}", "It was found that {}",
    "The evidence suggests that {}", "In this work, {}", "As the cited paper shows, {}", "In summary, {}",
)  # fmt: skip
SYNONYMS = {
    "showed": "demonstrated", "demonstrated": "showed", "find": "report", "found": "observed", "We": "The authors",
    "we": "the authors", "whereas": "while", "However,": "Yet", "Moreover,": "In addition,", "higher": "greater",
    "elevated": "increased", "increased": "rose", "significantly": "markedly", "used": "employed", "many": "numerous",
    "large": "big", "about": "around", "approximately": "about", "via": "through", "obtained": "derived",
    "our": "their",
    "because": "since", "suggest": "indicate", "indicate": "suggest", "reveal": "show", "including": "such as",
    "did not differ": "were not different", "not significant": "non-significant", "is not": "isn't",
    "was not": "wasn't",
    "compared with": "compared to", "smaller": "lower", "larger": "greater", "decreased": "reduced",
    "Here": "In this paper",
    "lower": "reduced", "important": "crucial", "based on": "on the basis of", "prior to": "before",
    "participants": "subjects",
    "more than": "over", "less than": "under", "additional": "further",
    "no significant": "no statistically significant",
    "cannot": "can not", "unable to": "not able to", "did not": "failed to",
}  # fmt: skip
BRITISH = {
    "ize": "ise",
    "tumor": "tumour",
    "color": "colour",
    "behavior": "behaviour",
    "center": "centre",
    "fiber": "fibre",
}
WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "μ": "micro"}
SPELT = {
    "mg": "milligrams", "g": "grams", "kg": "kilograms", "h": "hours", "min": "minutes", "ms": "milliseconds",
    "s": "seconds",
    "km": "kilometres", "m": "metres", "cm": "centimeters", "mm": "millimetres", "μm": "micrometers",
    "nm": "nanometers",
    "Hz": "hertz", "GHz": "gigahertz", "eV": "electron volts", "K": "kelvin", "ml": "mL", "mL": "millilitres",
    "hours": "h",
    "minutes": "min", "days": "d", "hr": "h", "kpc": "kiloparsec", "Mpc": "megaparsecs", "percent": "%",
    "μg": "micrograms",
    "years": "yr", "seconds": "s", "GPa": "gigapascals", "V": "volts", "T": "tesla",
}  # fmt: skip
SCALED = {
    "g": ("mg", 1000), "kg": ("g", 1000), "km": ("m", 1000), "m": ("cm", 100), "mm": ("μm", 1000), "μm": ("nm", 1000),
          "mg": ("μg", 1000), "h": ("min", 60), "min": ("s", 60), "weeks": ("days", 7), "kpc": ("pc", 1000),
          "s": ("ms", 1000), "eV": ("meV", 1000), "GHz": ("MHz", 1000), "nm": ("Å", 10), "cm": ("mm", 10)}  # fmt: skip
OTHER_UNIT = {
    "mg": ("g", "μg", "kg", "ml"), "g": ("mg", "kg"), "kg": ("g", "mg", "m"), "h": ("min", "days", "s"),
    "min": ("h", "s"),
    "ms": ("s", "μs"), "s": ("min", "ms", "h"), "km": ("m", "cm"), "m": ("km", "cm"), "cm": ("mm", "m"),
    "mm": ("cm", "μm"),
    "μm": ("nm", "mm"), "nm": ("μm", "mm"), "Hz": ("kHz", "MHz"), "GHz": ("MHz", "kHz"), "eV": ("keV", "meV"),
    "K": ("mK", "eV"),
    "keV": ("eV", "GeV"), "MeV": ("GeV", "keV"), "GeV": ("MeV", "TeV"), "ml": ("L", "mg"), "mL": ("L", "mg"),
    "%": ("mg", "years", "ppm"),
    "hours": ("days", "minutes"), "minutes": ("hours", "seconds"), "days": ("weeks", "hours", "months"),
    "weeks": ("days", "months"),
    "months": ("years", "weeks"), "years": ("months", "days", "weeks"), "year": ("month", "week"), "kpc": ("Mpc", "pc"),
    "Mpc": ("kpc", "Gpc"), "pc": ("kpc",), "Gyr": ("Myr", "yr"), "Myr": ("Gyr", "yr"), "μg": ("mg", "g"),
    "GPa": ("MPa", "kPa"),
    "MPa": ("GPa", "Pa"), "V": ("mV", "kV"), "mV": ("V", "μV"), "T": ("mT", "K"), "mM": ("μM", "M"),
    "μM": ("nM", "mM"), "nM": ("μM", "pM"),
    "mg/kg": ("g/kg", "mg/L"), "mg/dL": ("g/dL", "mmol/L"), "mmHg": ("kPa", "cm"), "mmol/L": ("mol/L", "mg/dL"),
    "arcsec": ("arcmin", "deg"),
    "kHz": ("Hz", "MHz"), "MHz": ("GHz", "Hz"), "yr": ("Myr", "d"), "meV": ("eV", "keV"),
    "seconds": ("minutes", "hours"), "°C": ("K", "°F"),
}  # fmt: skip
OPPOSITE = {
    "higher": "lower", "lower": "higher", "increased": "decreased", "decreased": "increased", "increase": "decrease",
    "decrease": "increase",
    "increases": "decreases", "decreases": "increases", "greater": "smaller", "larger": "smaller",
    "smaller": "larger", "more": "less",
    "before": "after", "after": "before", "better": "worse", "worse": "better", "positively": "negatively",
    "negatively": "positively",
    "longer": "shorter", "shorter": "longer", "stronger": "weaker", "faster": "slower", "reduced": "increased",
    "improved": "worsened",
    "above": "below", "below": "above", "positive": "negative", "negative": "positive", "inhibits": "activates",
    "reduction": "increase",
}  # fmt: skip
AUXILIARY = r"(was|were|is|are|has been|have been|can|could|may|should|will|would|has|have)"
_UNIT = r"(\d)([ -]?)({})(?![\w/^·⋅−-]|[ ][a-zA-Zμ]+[-−^]\d)"
_NUMBER = re.compile(r"(?<![\w.,^/\-−–{_\[])(?<!, )\d+(?:[.,]\d+)*(?![\w^}\]]|[.,–]\d|-[A-Za-z])")
_NAME = re.compile(
    r"(?<=[a-z,] )(?<!that )(?<!, )(?:[A-Z][A-Za-z]*\d[\w-]*|"
    r"[A-Z]{2,6}[a-z]?(?![\w-])|[A-Z][a-z]{3,}(?![\w'’-]))(?![ ](?:et|&|and [A-Z]))"
)


def lead_in(text: str, choice: random.Random) -> str:
    first = text.split(" ", 1)[0]
    small = (
        text[0].lower() + text[1:] if first.isalpha() and first[1:].islower() and first.lower() in _OPENERS else text
    )
    return choice.choice(LEADS).format(small)


_OPENERS = frozenset(
    "the this these those we our in it there here a an for to at by from with when while although however both all "
    "most "
    "using such one two three no after before during among between patients results".split()
)


def without_brackets(text: str, choice: random.Random) -> str:
    return re.sub(r"\s*\([^()]*\)", "", text, count=choice.choice((0, 1)))


def without_clause(text: str, _: random.Random) -> str:
    """The sentence up to a comma, or from the first comma on if what stands before is short."""
    parts = re.split(r", (?=(?:which|with|and|but|while|whereas|suggesting|indicating|including|although)\b)", text)
    if len(parts) > 1 and len(parts[0].split()) >= 7:
        return parts[0].rstrip(" .") + "."
    head, __, tail = text.partition(", ")
    if tail and len(head.split()) <= 3 and len(tail.split()) > 7 and "(" not in head:
        return tail[0].upper() + tail[1:]
    return text


def other_numbers(text: str, choice: random.Random) -> str:
    def change(found: re.Match[str]) -> str:
        body = found[0]
        after = text[found.end() : found.end() + 2]
        if re.fullmatch(r"\d{4,7}", body) and not re.fullmatch(r"(?:19|20)\d\d", body):
            return f"{int(body):,}"
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+", body):
            return body.replace(",", choice.choice(("", "\u2009")))
        if (
            re.fullmatch(r"\d+\.\d{2,4}", body)
            and after[:1] not in {"%", "·"}
            and float(body) > 1
            and choice.random() < 0.3
        ):
            shorter = f"{float(body):.{len(body.partition('.')[2]) - 1}f}"
            return shorter if not body.endswith("5") else body
        if re.fullmatch(r"[2-9]|1[0-2]", body) and re.match(r" [a-z]{4,}", text[found.end() :]):
            return WORDS[int(body)]
        return body

    text = _NUMBER.sub(change, text)
    if choice.random() < 0.5:
        text = re.sub(r"(?<=\d)\s?\\?%", choice.choice((" percent", " per cent", " %")), text)
    text = re.sub(r"(?<![\w-])\b(two|three|four|five|six)\b(?= [a-z]{4,}s\b)", lambda f: str(WORDS.index(f[0])), text)
    return re.sub(r"\b([pP]) ?([<=>]) ?0?\.", r"\1 \2 0.", text)


def spelt_units(text: str, choice: random.Random) -> str:
    for unit, long in choice.sample(sorted(SPELT.items()), len(SPELT)):
        new = re.sub(_UNIT.format(re.escape(unit)), lambda f, long=long: f"{f[1]} {long}", text, count=1)
        if new != text:
            return new
    return re.sub(r"(\d) ?(mg|μg|g|ng|mmol|mol)/(L|mL|ml|dL|kg)\b", r"\1 \2 \3^-1", text)


def scaled_units(text: str, choice: random.Random) -> str:
    for unit, (small, times) in choice.sample(sorted(SCALED.items()), len(SCALED)):
        found = re.search(r"(?<![\w.,–−-])(\d+(?:\.\d+)?)[ ]?" + unit + r"(?![\w/^·⋅−-]|[ ][a-zA-Zμ]+[-−^]\d)", text)
        if found and not re.search(r"(?:and|to|or|,|±|–)\s*$", text[: found.start()]):
            return f"{text[: found.start()]}{float(found[1]) * times:g} {small}{text[found.end() :]}"
    return text


def synonyms(text: str, choice: random.Random) -> str:
    for old, new in choice.sample(sorted(SYNONYMS.items()), len(SYNONYMS)):
        if choice.random() < 0.5 and not (
            old in {"lower", "increased"} and re.search(rf"\b{old} than|(?:was|were|an?|is|are) {old}", text)
        ):
            text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text, count=1)
    return text


def spelling(text: str, choice: random.Random) -> str:
    for old, new in BRITISH.items():
        text = text.replace(old, new) if choice.random() < 0.7 else text
    for old, new in GREEK.items():
        text = re.sub(rf"{old}(?![\w])", new, text) if old != "μ" else text
    if choice.random() < 0.5:
        text = re.sub(r"\b([A-Z]{2,4})-(\d{1,2})\b", r"\1\2", text)
    return text.replace(" - ", "–").replace("−", "-") if choice.random() < 0.5 else text


PARAPHRASES: dict[str, Change] = {
    "lead-in": lead_in, "without brackets": without_brackets, "without a clause": without_clause,
    "numbers": other_numbers,
    "units spelt": spelt_units, "units scaled": scaled_units, "synonyms": synonyms, "spelling": spelling,
}  # fmt: skip


def paraphrase(text: str, choice: random.Random) -> str:
    """`text` said otherwise, in one to three mechanical ways, with the lead-in last."""
    ways = choice.sample([way for way in PARAPHRASES.values() if way is not lead_in], choice.randint(1, 3))
    for way in ways:
        text = way(text, choice)
    return lead_in(text, choice) if choice.random() < 0.4 else text


def plant_number(text: str, choice: random.Random) -> str:
    spots = [
        found
        for found in _NUMBER.finditer(text)
        if re.fullmatch(r"\d+(?:\.\d+)?", found[0]) and found[0] not in {"0", "1", "10"}
    ]
    if not spots:
        return text
    found = choice.choice(spots)
    for _ in range(20):
        new = _other_number(found[0], choice)
        if abs(float(new) - float(found[0])) > 0.06 * abs(float(found[0])) and not re.search(
            rf"(?<![\d.]){re.escape(new)}(?![\d.])", text
        ):
            return text[: found.start()] + new + text[found.end() :]
    return text


def _other_number(body: str, choice: random.Random) -> str:
    kind = choice.randrange(4)
    if kind == 0 and len(body) > 1 and body != body[::-1] and "." not in body and body[-1] != "0":
        return body[::-1]
    if kind == 1:
        digits = list(body)
        place = choice.choice([place for place, sign in enumerate(digits) if sign.isdigit()])
        digits[place] = choice.choice([sign for sign in "123456789" if sign != digits[place]])
        return "".join(digits)
    places = len(body.partition(".")[2])
    times = choice.choice((0.1, 10)) if kind == 2 and not places else choice.uniform(0.3, 2.7)
    return f"{float(body) * times:.{places}f}"


def swap_numbers(text: str, choice: random.Random) -> str:
    """Two numbers of the sentence change places."""
    spots = [found for found in _NUMBER.finditer(text) if re.fullmatch(r"\d+(?:\.\d+)?", found[0])]
    pairs = [(one, other) for place, one in enumerate(spots) for other in spots[place + 1 :] if one[0] != other[0]]
    if not pairs:
        return text
    one, other = choice.choice(pairs)
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def plant_unit(text: str, choice: random.Random) -> str:
    for unit, others in choice.sample(sorted(OTHER_UNIT.items()), len(OTHER_UNIT)):
        found = re.search(_UNIT.format(re.escape(unit)), text)
        if found:
            gap = found[2] or " "
            return text[: found.start()] + found[1] + gap + choice.choice(others) + text[found.end() :]
    return text


def names(text: str) -> list[re.Match[str]]:
    return [found for found in _NAME.finditer(text) if found[0] not in _NO_NAMES]


_NO_NAMES = frozenset(
    (
        "Background Purpose Similarly Case Responses Methods Results Conclusion Conclusions Table Figure Section "
        "However This These While"
    ).split()
)


def entity_planter(pool: Sequence[str]) -> Change:
    """Puts one of `pool` in the place of a name."""
    classes: dict[str, list[str]] = {}
    for name in pool:
        classes.setdefault(_class(name), []).append(name)

    def plant(text: str, choice: random.Random) -> str:
        spots = names(text)
        if not spots:
            return text
        found = choice.choice(spots)
        others = [name for name in classes.get(_class(found[0]), []) if name.lower() not in text.lower()]
        return text[: found.start()] + choice.choice(others) + text[found.end() :] if others else text

    return plant


def _class(name: str) -> str:
    return "code" if re.search(r"\d", name) else "capitals" if name[1:2].isupper() else "word"


def deny(text: str, choice: random.Random) -> str:
    """A 'not' is put in or taken out."""
    if re.search(r"\b(not|no|without|cannot)\b", text):
        ways = [(r"\bdid not\b", "did"), (r"\bdoes not\b", "does"),
                (r"\b(was|were|is|are|could|can|may|has|have) not\b", r"\1"),
                (r"\bno (?=significant|difference|evidence|association|effect|change|correlation)", "a "),
                (r"\bwithout\b", "with"),
                (r"\bcannot\b", "can"), (r"\bno\b(?! (?:longer|more|less|doubt|\d))", "a"),
                (r"\bnot (?!only|just)", "")]  # fmt: skip
        for old, new in ways:
            changed = re.sub(old, new, text, count=1)
            if changed != text:
                return changed
    found = list(re.finditer(rf"\b{AUXILIARY} (?!not|only|no\b|been|also|both)", text))
    if found:
        spot = choice.choice(found)
        if spot[1].endswith(" been"):
            return text[: spot.start()] + spot[1].replace(" been", " not been") + text[spot.end() - 1 :]
        return text[: spot.end()] + "not " + text[spot.end() :]
    for old, base in (
        ("increased", "increase"),
        ("showed", "show"),
        ("decreased", "decrease"),
        ("reduced", "reduce"),
        ("found", "find"),
    ):
        if re.search(rf"(?<!was )(?<!were )\b{old} (?:the|in|a|by)\b", text):
            return re.sub(rf"\b{old}\b", f"did not {base}", text, count=1)
    return text


def turn(text: str, choice: random.Random) -> str:
    """A word of direction becomes its opposite."""
    spots = [found for found in re.finditer(r"[a-z]+", text) if found[0] in OPPOSITE]
    if not spots:
        return text
    found = choice.choice(spots)
    return text[: found.start()] + OPPOSITE[found[0]] + text[found.end() :]
