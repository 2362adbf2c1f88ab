"""LaTeX as bibliographies have it, to plain Unicode: accents, letters, symbols, simple mathematics."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

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


_TOKEN = re.compile(r"\\([A-Za-z]+)\*?\s*|\\(.?)|([{}$^_~])|(-{2,3}|``|'')|([^\\{}$^_~`'-]+|[`'-])", re.S)
_IN_BRACES = re.compile(rf"\{{{{0,3}}(?:{_TOKEN.pattern})", re.S)
_QUOTES = re.compile(r"""\\(["'])(?![{\\A-Za-z])""")
_SPECIAL = re.compile(r"[\\{}$~]|--|``|''")
_ACCENTS = ACCENTS | {
    "hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "ddot": "\u0308",
    "vec": "\u20d7", "acute": "\u0301", "grave": "\u0300", "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
    "h": "\u0309", "G": "\u030f", "t": "\u0361", "f": "\u0311", "textcommabelow": "\u0326",
}  # fmt: skip
_ALONE = {"`": "`", "'": "'", "^": "^", "~": "~", '"': '"', "=": "=", ".": "."}
_DOTLESS = {"ı": "i", "ȷ": "j"}
_KNOWN = words("latex")
_NOTHING, _SPACES = (frozenset(_KNOWN[name].split()) for name in ("silent", "spaces"))
_SUPERSCRIPT = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPT = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_RAISED = frozenset("0123456789+-=()ni−")
_LOWERED = frozenset("0123456789+-=()−")
_WITH_ARGUMENT = {"textsuperscript": "sup", "textsubscript": "sub", "frac": "frac", "href": "href"}
_LIGATURES = {"--": "–", "---": "—", "``": "“", "''": "”"}
_BLANKS, _NO_SIGNS, _SIGNS = ",;: \n\t\\", "!/-@", "%&#$_"
"""What a backslash makes a blank of, nothing, or just that sign."""
_MATH_BRACKETS = frozenset("()[]")
_ESCAPED = re.compile(r"\{?\\([_%&#$~^])(?:\{\})?\}?|\$\\sim\$")


_LATIN = frozenset("ıȷßæÆœŒøØåÅłŁðÐþÞđĐŋŊ")
"""Letters that stand within words."""
_TWO = {"frac": 2, "href": 2}
_NAMED = {name: sign for name, sign in SIGNS.items() if sign.strip()} | pairs(_KNOWN["symbols"])


def plain_text(text: str) -> str:
    """`text` without LaTeX: `G{\\"o}del` is `Gödel`. What is not known loses its backslash and keeps its argument."""
    if not _SPECIAL.search(text):
        return text
    return _Converter(text).result()


def decoded(text: str) -> str:
    """Running text without the LaTeX that its authors wrote in it: `Schr\\"odinger` is `Schrödinger`.

    Formulas stay, between dollars, and so do commands that are not known, and all that stands in other texts, too:
    braces, `~`, hyphens, quotes.
    """
    return _Mixed(text).result() if "\\" in text else text


def verbatim(text: str) -> str:
    """An address or identifier without the escapes that LaTeX needs: `a\\_b` is `a_b`."""
    if "\\" not in text:
        return text.strip()
    return _ESCAPED.sub(lambda match: match[1] or "~", text).replace("\\", "").strip()


class _Converter:
    """One pass over the tokens; a stack of open groups, each with what it has said and the commands that wait."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack: list[tuple[list[str], list[str]]] = [([], [])]
        unescaped = len(re.findall(r"(?<!\\)(?:\\\\)*\$", text))
        self._dollars = unescaped % 2 == 0
        self._math = False

    def result(self) -> str:
        for match in _TOKEN.finditer(self._text):
            self._take(match)
        while len(self._stack) > 1:
            self._close()
        return unicodedata.normalize("NFC", "".join(self._stack[0][0]))

    def _take(self, match: re.Match[str]) -> None:
        name, single, sign, ligature, run = match.groups()
        if name is not None:
            self._command(name, match)
        elif single is not None:
            self._escape(single)
        elif sign:
            self._sign(sign)
        elif ligature:
            self._say(ligature if self._math else _LIGATURES[ligature])
        else:
            self._run(run)

    def _say(self, atom: str) -> None:
        out, waiting = self._stack[-1]
        while waiting:
            atom = _applied(waiting.pop(), atom)
        out.append(atom)

    def _run(self, run: str) -> None:
        waiting = self._stack[-1][1]
        if waiting:
            run = run.lstrip()
            if not run:
                return
            self._say(run[0])
            run = run[1:]
        if run:
            self._stack[-1][0].append(run)

    def _command(self, name: str, match: re.Match[str]) -> None:
        waiting = self._stack[-1][1]
        if name in _NAMED:
            self._say(_NAMED[name])
        elif name in _ACCENTS:
            waiting.append(name)
        elif name in _WITH_ARGUMENT:
            waiting.append(_WITH_ARGUMENT[name])
        elif name in _SPACES:
            self._say(" ")
        elif name not in _NOTHING and not self._text.startswith(("{", "["), match.end()):
            self._say(name + match[0][1 + len(name) :].replace("*", ""))

    def _escape(self, sign: str) -> None:
        if sign in _ACCENTS:
            self._stack[-1][1].append(sign)
        elif sign in _MATH_BRACKETS:
            self._math = sign in "(["
        elif sign in _BLANKS:
            self._say(" ")
        elif sign not in _NO_SIGNS:
            self._say(sign)

    def _sign(self, sign: str) -> None:
        if sign == "{":
            self._stack.append(([], []))
        elif sign == "}":
            if len(self._stack) > 1:
                self._close()
        elif sign == "$" and self._dollars:
            self._math = not self._math
        elif sign in "^_" and self._math:
            self._stack[-1][1].append("sup" if sign == "^" else "sub")
        else:
            self._say(" " if sign == "~" else sign)

    def _close(self) -> None:
        out, waiting = self._stack.pop()
        self._say("".join(out) + "".join(_applied(command, "") for command in waiting))


class _Mixed(_Converter):
    """See `decoded`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._braces: list[int | None] = []
        """Of each open brace how many arguments follow it; None of those that are none of LaTeX's."""
        self._takes = 0
        """So many arguments in braces the command before takes."""
        self._quotes = frozenset(_QUOTES.findall(text))
        """Signs that are no accents here, for one of them stands above nothing: quotes that somebody escaped."""

    def _take(self, match: re.Match[str]) -> None:
        name, single, sign, ligature, run = match.groups()
        takes, self._takes = self._takes, 0
        if (sign == "$" and self._dollars) or (single and single in _MATH_BRACKETS):
            self._math = not self._math
            self._say("$")
        elif self._math or ligature or (sign and sign not in "{}"):
            self._say(match[0])
        elif sign == "{":
            following = _IN_BRACES.match(self._text, match.end())
            is_own = takes or (following and _begins(following))
            self._braces.append(max(takes - 1, 0) if is_own else None)
            self._sign(sign) if is_own else self._say(sign)
        elif sign == "}":
            left = self._braces.pop() if self._braces else None
            self._say(sign) if left is None else self._sign(sign)
            self._takes = left or 0
        elif run:
            self._run(run)
        elif not self._is_latex(match):
            self._say(single if single and single in "'\"" else match[0])
        elif name:
            self._takes = 0 if match[0][-1].isspace() else _TWO.get(name, 1)
            self._command(name, match)
        else:
            self._takes = int(single in _ACCENTS)
            self._escape(single)

    def _is_latex(self, match: re.Match[str]) -> bool:
        """Whether a backslash with what follows it, between other text, is a command, and no backslash of that text."""
        name, single = match[1], match[2]
        before, after = self._text[match.start() - 1 : match.start()], self._text[match.end() : match.end() + 2]
        if name is not None and name not in _ACCENTS:
            is_glued = before.isalpha() and after[:1] != "{"  # `left\right`, but `M\o ller`, `DFT\emph{GW}`
            return is_known(name) and (not is_glued or _NAMED.get(name, "") in _LATIN)
        if (name or single) in _ACCENTS and (after[:1] == "{" or after in ("\\i", "\\j")):
            return single not in self._quotes
        if name is not None:
            return len(name) == 1 and match[0][-1].isspace() and after[:1].isalpha()
        if single in _ACCENTS:
            is_sign = len(unicodedata.normalize("NFC", after[:1] + _ACCENTS[single])) == 1 and after[:1].isalpha()
            is_genitive = single == "'" and after[:1] == "s" and not after[1:].isalpha()
            return single not in self._quotes and is_sign and not is_genitive
        never = {"\n": True, "\t": True, " ": before.isspace(), "/": after[:1].isalnum() or after[:1] in ("/", "\\")}
        never["\\"] = before.isalnum() and after[:1].isalnum()
        return bool(single) and single in _BLANKS + _NO_SIGNS + _SIGNS and not never.get(single, False)

    def _command(self, name: str, match: re.Match[str]) -> None:
        out = self._stack[-1][0]
        is_within = bool(out) and out[-1][-1:].isalpha() and _NAMED.get(name, "") in _LATIN
        super()._command(name, match)
        if name in _NAMED and not is_within:
            out.append(match[0][len(match[0].rstrip()) :])  # who reads it needs the space that TeX eats


def is_known(name: str) -> bool:
    """Whether a command is one that `plain_text` knows what it prints."""
    return name in _NAMED or name in _ACCENTS or name in _SPACES or name in _NOTHING or name in _WITH_ARGUMENT


def _begins(token: re.Match[str]) -> bool:
    """Whether a group that begins with it is one of LaTeX."""
    name, single = token[1], token[2]
    return bool(name and is_known(name)) or bool(single and single in _ACCENTS)


def _applied(command: str, atom: str) -> str:
    """What a command makes of what follows it."""
    if command == "sup":
        return atom.translate(_SUPERSCRIPT).replace("−", "⁻") if atom and set(atom) <= _RAISED else f"^{atom}"
    if command == "sub":
        return atom.translate(_SUBSCRIPT).replace("−", "₋") if atom and set(atom) <= _LOWERED else f"_{atom}"
    if command == "frac":
        return f"{atom}/"
    if command == "href":
        return ""
    if not atom:
        return _ALONE.get(command, "")
    return unicodedata.normalize("NFC", _DOTLESS.get(atom[0], atom[0]) + _ACCENTS[command]) + atom[1:]


_TAG = re.compile(r"<(/?)(?:\w+:)?(\w+)[^<>]{0,500}>")
_BLOCKS = frozenset({"p", "sec", "title", "list", "item", "div", "br"})
_UNSHOWN = re.compile(r"<(/?)(script|style)\b[^<>]{0,500}>", re.I)
"""Tags of what browsers do not show."""
_CLOSING = re.compile(r"</(?:\w+:)?[A-Za-z]\w{0,30}>|<br\s*/?>", re.I)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d?);", re.I)


def _drop_scripts(html: str) -> str:
    """HTML without scripts and styles; one that does not end is text."""
    parts: list[str] = []
    at, opening = 0, None
    for tag in _UNSHOWN.finditer(html):
        if opening is None and not tag[1]:
            opening = tag
        elif opening is not None and tag[1] and tag[2].lower() == opening[2].lower():
            parts.append(html[at : opening.start()])
            at, opening = tag.end(), None
    return " ".join([*parts, html[at:]])


def plain_html(html: str) -> str:
    """The words of a little HTML or JATS: blocks become paragraphs, other tags go."""
    if "<" in html:
        html = _drop_scripts(html)
        html = re.sub(r"<((?:\w+:)?title)\b[^<>]{0,200}>\s*Abstract\s*</\1>", " ", html)
        html = _TAG.sub(lambda tag: "\n\n" if tag[2] in _BLOCKS else "", html)
    return unescape(html) if "&" in html else html


def without_markup(text: str) -> str:
    """Remove HTML from a text: `CO<sub>2</sub> &amp; O` becomes `CO2 & O`, and `p < 3` stays as it is.

    Some sources escape their markup (`&lt;i&gt;Bryum&lt;/i&gt;`), so tags that appear only then are removed as well.
    """
    for _ in range(2):
        if _CLOSING.search(text):
            text = plain_html(text)
        elif _ENTITY.search(text):
            text = unescape(text)
    return text
