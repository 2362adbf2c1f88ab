"""What the commands of LaTeX take as arguments, and what they write: accents, letters, signs, dashes, quotes."""

from __future__ import annotations

import re
import unicodedata

from conspectus.lexicon import pairs, words

_BY_SPEC: tuple[dict[str, str], ...] = (words("latex")["arguments"], words("latex")["environments"])
ARGUMENTS, ENVIRONMENT_ARGUMENTS = (
    {name: spec for spec, names in table.items() for name in names.split()} for table in _BY_SPEC
)
"""By command and by environment: `o` an optional argument and `d` an argument, both dropped; `k` one that is text."""

SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
    "begin_section": 2,
}  # fmt: skip
EQUATIONS = frozenset("equation align eqnarray gather multline displaymath math flalign alignat dmath".split())
FLOATS = frozenset(
    "figure table wrapfigure wraptable SCfigure sidewaysfigure sidewaystable longtable deluxetable algorithm"
    " floatingfigure longrotatetable landscapetable marginfigure margintable teaserfigure".split()
)
TABULARS = frozenset("tabular tabularx tabulary longtable array supertabular deluxetable tabu".split())
THEOREMS = {
    "theorem": "Theorem", "lemma": "Lemma", "proposition": "Proposition", "corollary": "Corollary",
    "definition": "Definition", "remark": "Remark", "proof": "Proof", "example": "Example", "conjecture": "Conjecture",
}  # fmt: skip
HEADED = {
    "acknowledgments": "Acknowledgments", "acknowledgements": "Acknowledgements", "acknowledgment": "Acknowledgment",
    "acknowledgement": "Acknowledgement", "ack": "Acknowledgments",
}  # fmt: skip
ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "H": "\u030b", "u": "\u0306", "r": "\u030a", "k": "\u0328", "d": "\u0323",
    "b": "\u0331",
}  # fmt: skip
SIGNS = {
    **{sign: sign for sign in (*"%&_#${}", "LaTeX", "TeX", "BibTeX")},
    **dict.fromkeys((" ", ",", ";", ":", "\\", "quad", "qquad", "enspace", "newline", "linebreak"), " "),
    **dict.fromkeys(("tabularnewline", "nobreakspace", "textvisiblespace", "newblock"), " "),
    **dict.fromkeys(("!", "/", "-", "@", "relax", "noindent", "xspace"), ""),
    **pairs(words("latex")["signs"]),
    "physrep": "Phys. Rep.",
}
CITING = re.compile(
    r"(?:[Cc]ite(?:p|t|alp|alt|author|year|yearpar|num|text|ads|al|fullauthor|n|A|NP|para|url|title)?|(?:paren|text|auto|foot|super"
    r"|smart|full)cites?|[Pp]arencite|[Tt]extcite|[Aa]utocite|onlinecite|shortcite(?:N|A)?|citenum|newcite|refcite|citep?lain)"
)
_TYPED = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("`", "‘"), ("'", "’"))
_SIMPLE = re.compile(r"""\\(?:([cvHurkdb])\s*\{([A-Za-z])\}|(['`^"~=.])\s*(?:\{\s*(\\?[A-Za-z])\s*\}|(\\?[A-Za-z])))""")


def accented(accent: str, letter: str) -> str:
    """The letter with the accent that `\\'`, `\\c` … put on it."""
    letter = letter.strip().lstrip("\\").strip("{}") or " "
    base = {"ı": "i", "ȷ": "j"}.get(letter[0], letter[0])
    return unicodedata.normalize("NFC", base + ACCENTS[accent]) + letter[1:]


def with_accents(text: str) -> str:
    """`text` with its simple accents as letters, done before anything else reads it."""

    def letter(match: re.Match[str]) -> str:
        return accented(match[1] or match[3], match[2] or match[4] or match[5])

    return _SIMPLE.sub(letter, text)


def typed(text: str) -> str:
    """Dashes and quotation marks as printed."""
    if "-" in text or "`" in text or "'" in text:
        for old, new in _TYPED:
            text = text.replace(old, new)
    return text
