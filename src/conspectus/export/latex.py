"""Text for LaTeX: escaped so that it prints as it is, and letters that pdfTeX does not know of itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from conspectus.core.characters import line
from conspectus.lexicon import pairs, words

_ESCAPED = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "[": "{[}",
    "]": "{]}",
    "`": "\\textasciigrave{}",
    '"': "\\textquotedbl{}",
}
_PRINTS_AS_ONE = re.compile("(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')")
"""Between two signs that would print as another one."""
_PREAMBLE = r"""\documentclass{article}
\usepackage[margin=2.5cm]{geometry}
% lualatex prints letters of other scripts, if its font has them; pdflatex prints their numbers
\usepackage{iftex,textcomp,array,longtable}
\ifPDFTeX
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
% letter, its number, a command for formulas, what is printed without that command
\newcommand{\letter}[4]{\ifcsname u8:\detokenize{#1}\endcsname\else
  \ifcsname #3\endcsname\DeclareUnicodeCharacter{#2}{\ensuremath{\csname #3\endcsname}}%
  \else\DeclareUnicodeCharacter{#2}{#4}\fi\fi}
"""
_OTHER_ENGINES = r"""\else
\usepackage{fontspec}
\fi
\setlength{\emergencystretch}{3em}
"""


def latex_text(text: str) -> str:
    """`text` on one line so that LaTeX prints just that."""
    plain = unicodedata.normalize("NFC", line(text))
    return _PRINTS_AS_ONE.sub("{}", "".join(_ESCAPED.get(letter, letter) for letter in plain))


def latex_preamble(body: str) -> str:
    """What comes before `\\begin{document}` if `body` comes after it.

    XeTeX and LuaTeX print all letters that their font has. pdfTeX stops at a letter that it does not know, so each is
    given as a sign of formulas, as the plain letters that it stands for, or as its number, such as [U+4E2D].
    """
    return f"{_PREAMBLE}{''.join(_declarations(body))}{_OTHER_ENGINES}"


def _declarations(body: str) -> Iterator[str]:
    commands = _commands()
    for letter in sorted({letter for letter in body if ord(letter) > 0x7F}):
        number = f"{ord(letter):04X}"
        base = "".join(_plain(part) for part in unicodedata.normalize("NFKD", letter))
        command = commands.get(letter) or commands.get(base, "")
        printed = latex_text(base) if base.isascii() else f"{{[}}U+{number}{{]}}\\allowbreak{{}}"
        raised = unicodedata.decomposition(letter).partition(" ")[0]
        if wrapper := {"<super>": "\\textsuperscript", "<sub>": "\\textsubscript"}.get(raised):
            printed = f"{wrapper}{{{printed}}}"
        yield f"\\letter{{{letter}}}{{{number}}}{{{command}}}{{{printed}}}\n"


def _plain(letter: str) -> str:
    """Nothing for a mark over a letter, a hyphen for a dash or minus, else the letter."""
    if unicodedata.combining(letter):
        return ""
    return "-" if letter == "−" or unicodedata.category(letter) == "Pd" else letter


@cache
def _commands() -> dict[str, str]:
    """Letter -> the command that prints it in formulas."""
    listed = words("latex")["symbols"]
    found: dict[str, str] = {}
    for command, letter in pairs(listed).items():
        if not command.startswith("text"):
            found.setdefault(letter, command)
    return found | {"√": "surd"}  # \sqrt takes what is under it
