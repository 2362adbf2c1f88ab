"""LaTeX as bibliographies have it, to plain Unicode: accents, letters, symbols, simple mathematics."""

from __future__ import annotations

import re
import unicodedata

from conspectus.lexicon import pairs, words
from conspectus.parse.tex.signs import ACCENTS, SIGNS

_TOKEN = re.compile(r"\\([A-Za-z]+)\*?\s*|\\(.?)|([{}$^_~])|(-{2,3}|``|'')|([^\\{}$^_~`'-]+|[`'-])", re.S)
_SPECIAL = re.compile(r"[\\{}$~]|--|``|''")
_ACCENTS = ACCENTS | {
    "hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "dot": "\u0307", "ddot": "\u0308",
    "vec": "\u20d7", "acute": "\u0301", "grave": "\u0300", "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
}  # fmt: skip
_ALONE = {"`": "`", "'": "'", "^": "^", "~": "~", '"': '"', "=": "=", ".": "."}
_DOTLESS = {"ı": "i", "ȷ": "j"}
_KNOWN = words("latex")
_NOTHING, _SPACES = (frozenset(_KNOWN[name].split()) for name in ("silent", "spaces"))
_SUPERSCRIPT = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPT = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_RAISED = frozenset("0123456789+-=()ni−")
_LOWERED = frozenset("0123456789+-=()−")
_LIGATURES = {"--": "–", "---": "—", "``": "“", "''": "”"}
_MATH_BRACKETS = frozenset("()[]")
_ESCAPED = re.compile(r"\{?\\([_%&#$~^])(?:\{\})?\}?|\$\\sim\$")


_NAMED = {name: sign for name, sign in SIGNS.items() if sign.strip()} | pairs(_KNOWN["symbols"])


def plain_text(text: str) -> str:
    """`text` without LaTeX: `G{\\"o}del` is `Gödel`. What is not known loses its backslash and keeps its argument."""
    if not _SPECIAL.search(text):
        return text
    return _Converter(text).result()


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
        while len(self._stack) > 1:
            self._close()
        return unicodedata.normalize("NFC", "".join(self._stack[0][0]))

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
        elif name in ("textsuperscript", "textsubscript"):
            waiting.append("sup" if name == "textsuperscript" else "sub")
        elif name in ("frac", "href"):
            waiting.append(name)
        elif name in _SPACES:
            self._say(" ")
        elif name not in _NOTHING and not self._text.startswith(("{", "["), match.end()):
            self._say(name + match[0][1 + len(name) :].replace("*", ""))

    def _escape(self, sign: str) -> None:
        if sign in _ACCENTS:
            self._stack[-1][1].append(sign)
        elif sign in _MATH_BRACKETS:
            self._math = sign in "(["
        elif sign in ",;: \n\t\\":
            self._say(" ")
        elif sign not in "!/-@":
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
