"""Conditionals of TeX: of each one branch is kept, by the flags that the document sets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from conspectus.parse.tex.cleaning import VERB

_TESTS = frozenset(
    "if ifcat ifnum ifdim ifodd ifvmode ifhmode ifmmode ifinner ifvoid ifhbox ifvbox ifx ifeof iftrue iffalse ifcase"
    " ifdefined ifcsname ifpdf ifxetex ifluatex ifPDFTeX ifXeTeX ifLuaTeX".split()
)
_NUMBER = r"(?:[-+]?\d+|\\[A-Za-z@]+(?:\s*\{[^{}]*\})?)"
_LENGTH = r"(?:[-+]?[\d.]+\s?(?:pt|pc|in|bp|cm|mm|dd|cc|sp|ex|em|\\[A-Za-z@]+)|\\[A-Za-z@]+)"
_OPERANDS = {
    **dict.fromkeys(("if", "ifcat", "ifx"), re.compile(r"(?:\s*+(?:\\[A-Za-z@]+|\S)){2}")),
    "ifnum": re.compile(rf"\s*+{_NUMBER}\s*+[<=>]\s*+{_NUMBER}|\s*+\S*"),
    "ifdim": re.compile(rf"\s*+{_LENGTH}\s*+[<=>]\s*+{_LENGTH}|\s*+\S*"),
    **dict.fromkeys(("ifodd", "ifcase", "ifeof"), re.compile(rf"\s*+{_NUMBER}|\s*+\S*")),
    **dict.fromkeys(("ifdefined", "ifvoid", "ifhbox", "ifvbox"), re.compile(r"\s*+(?:\\[A-Za-z@]+|\S)")),
    "ifcsname": re.compile(r"[^\\]*\\endcsname"),
}
"""What a test is made of behind its command."""
_INPUT = (
    r"\\(?:input|include|subfile|InputIfFileExists)(?![A-Za-z])\s*+"
    r"(?:\{\s*+\"?(?P<file>[^{}\"]{1,300}?)\"?\s*+\}|(?P<bare>[^\s{}\\%]{1,300}))"
    r"|\\(?:sub)?import\s*+\{(?P<folder>[^{}]{0,200})\}\s*+\{(?P<inner>[^{}]{1,200})\}"
)
_PIECE = re.compile(
    rf"{VERB}|{_INPUT}|\\newif\s*+\\(?P<new>if[A-Za-z@]+)"
    r"|\\let\s*+\\(?P<let>if[A-Za-z@]+)\s*+=?\s*+\\if(?P<value>true|false)(?![A-Za-z@])"
    r"|\\(?:def|let|newcommand|renewcommand|providecommand)\s*+\{?\\if[A-Za-z@]*"
    r"|\\(?P<word>if[A-Za-z@]*|else|or|fi|[A-Za-z@]+?(?:true|false))(?![A-Za-z@])|\\[\s\S]"
)

Put = Callable[[str], str]
"""What stands for a file that is input, by its name."""


@dataclass(slots=True)
class _Open:
    """A conditional that is open: where its branches begin in what was written, and whether it holds, if known."""

    start: int
    holds: bool | None
    around: bool
    other: int | None = None
    third: int | None = None

    @property
    def live(self) -> bool:
        """Whether what is read now is to be kept, as far as is known."""
        return self.around and self.third is None and (self.holds is None or self.holds == (self.other is None))


@dataclass(slots=True)
class Branches:
    """The flags of a document, by the name of their test."""

    flags: dict[str, bool] = field(default_factory=dict)

    def settled(self, text: str, put: Put) -> str:
        """The text with one branch of each conditional, and with the files it inputs there.

        A test that the document does not decide takes the second branch where there is one, else the first.
        One without its end hides nothing.
        """
        paired = self._paired(text)
        out: list[str] = []
        stack: list[_Open] = []
        at = 0
        for match in _PIECE.finditer(text):
            if match.start() < at:
                continue
            out.append(text[at : match.start()])
            at = match.end()
            word = match["word"] or ""
            live = stack[-1].live if stack else True
            if name := match["file"] or match["bare"] or match["inner"]:
                out.append(put((match["folder"] or "") + name) if live else " ")
            elif match["new"] or match["let"]:
                self._flag(match["new"] or match["let"], match["value"] == "true", live=live)
            elif match.start() in paired:
                at = self._branch(out, stack, word, text, at)
            elif (
                word.endswith(("true", "false")) and (test := "if" + re.sub("(?:true|false)$", "", word)) in self.flags
            ):
                self._flag(test, word.endswith("true"), live=live)
            else:
                out.append(match[0])
        return "".join(out) + text[at:]

    def _flag(self, test: str, holds: bool, *, live: bool) -> None:
        if live:
            self.flags[test] = holds

    def _is_test(self, name: str) -> bool:
        return name in _TESTS or name in self.flags or name.startswith(("if@", "ifCLASS"))

    def _paired(self, text: str) -> set[int]:
        """Where the commands stand that belong to a whole conditional."""
        found: set[int] = set()
        stack: list[list[int]] = []
        for match in _PIECE.finditer(text):
            word = match["word"] or ""
            if match["new"] or match["let"]:
                self.flags.setdefault(match["new"] or match["let"], False)
            elif word.startswith("if") and self._is_test(word):
                stack.append([match.start()])
            elif stack and word in ("else", "or", "fi"):
                stack[-1].append(match.start())
                if word == "fi":
                    found.update(stack.pop())
        return found

    def _branch(self, out: list[str], stack: list[_Open], word: str, text: str, at: int) -> int:
        """Opens, turns or closes a conditional; returns where reading goes on."""
        if word.startswith("if"):
            known = {"iftrue": True, "iffalse": False, "ifmmode": False} | self.flags
            around = stack[-1].live if stack else True
            stack.append(_Open(len(out), known.get(word), around))
            operand = _OPERANDS[word].match(text, at) if word in _OPERANDS else None
            return operand.end() if operand and "\\fi" not in operand[0] else at
        if not stack:
            return at
        if word == "fi":
            one = stack.pop()
            del out[one.third or len(out) :]
            other = len(out) if one.other is None else one.other
            if one.holds or (one.holds is None and one.other is None):
                del out[other:]
            else:
                del out[one.start : other]
        elif stack[-1].other is None:
            stack[-1].other = len(out)
        elif stack[-1].third is None:  # of `\ifcase`
            stack[-1].third = len(out)
        return at
