"""LaTeX source without comments and drawings, and with one branch of each conditional.

What is written as it stands is heeded; branches are kept by the flags that the document sets.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

VERB = r"\\(?:verb(?![A-Za-z])\*?|lstinline(?![A-Za-z])(?:\[[^\]\n]*\])?)(?P<sign>[^A-Za-z\s{*])[^\n]*?(?P=sign)"
"""Text between two signs, in which nothing is a command; with a group named `sign`."""
_RAW = r"verbatim\*?|Verbatim|lstlisting|minted|comment|alltt|filecontents\*?"
_LISTED = re.compile(r"verbatim\*?|Verbatim|lstlisting|minted|alltt")
_OPTIONS = re.compile(r"[ \t]*(?:\[[^\]]{0,1000}\])?(?:\{[\w+-]{1,30}\}(?=[ \t]*\n))?")
LISTING = "conspectuslisting"
"""The command that stands for a listing, whose UTF-8 it has in hexadecimal, so that nothing in it is a command."""
_DRAWN = r"tikzpicture|pgfpicture"
_ADDRESS = (
    r"\\(?:url|nolinkurl|path|href|lstinline)(?![A-Za-z])\s*(?:\[[^\]\n]{0,200}\]\s*)?"
    r"\{(?:[^{}\n\\]|\\[\s\S]|\{[^{}\n]{0,200}\}|\n(?![ \t]*\n)){0,2000}\}"
)
_HIDING = re.compile(
    rf"(?P<verb>{VERB})|(?P<address>{_ADDRESS})|(?P<ended>\\end\s*\{{document\}})"
    rf"|\\begin\s*\{{(?P<hidden>{_RAW}|{_DRAWN})\}}(?!\s*\}})|\\[\s\S]"
    r"|(?P<comment>%[^\n]*(?:\n[ \t]*(?P<blank>\n)?|\Z))"
)
_ENDLESS = re.compile(r"%[ \t]*\n[ \t]*")
_BRACE = re.compile(r"\\[\s\S]|%[^\n]*|[{}]")
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


def clean(text: str) -> str:
    """The text without comments and drawings, and without what stands behind the end of the document.

    Listings of programs become commands, `LISTING`. A block without its end hides nothing. In an address a percent sign
    is no comment.
    """
    out: list[str] = []
    at = 0
    ends, groups = _Ends(text), _Groups(text)
    while match := _HIDING.search(text, at):
        out.append(text[at : match.start()])
        at = match.end()
        if match["ended"]:
            return "".join(out)
        if match["comment"] is not None:
            out.append("\n\n" if match["blank"] else "")
        elif match["address"]:
            out.append(_ENDLESS.sub("", match[0]))
        elif name := match["hidden"]:
            end = ends.next(name, at)
            if end and (not re.fullmatch(_DRAWN, name) or groups.is_whole(at, end.start())):
                out.append(_listing(text[at : end.start()]) if _LISTED.fullmatch(name) else " ")
                at = end.end()
        else:
            out.append(match[0])
    return "".join(out) + text[at:]


def _listing(text: str) -> str:
    """What stands for a listing: the content of its environment without options."""
    options = _OPTIONS.match(text)
    return f"\n\n\\{LISTING}{{{text[options.end() if options else 0 :].encode().hex()}}}\n\n"


class _Ends:
    """Where environments end. Each place is looked for once, however many begin before it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, re.Match[str] | None] = {}

    def next(self, name: str, at: int) -> re.Match[str] | None:
        """The first end behind `at`, which grows; None where there is none."""
        end = self._found.get(name)
        if name not in self._found or (end and end.start() < at):
            end = self._found[name] = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(self._text, at)
        return end


class _Groups:
    """Where groups are closed. Each part of the text is looked at once, however many environments begin in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = [0]
        self._closed = [0]
        """Of each place from which on another group is the innermost: where that is closed."""

    def is_whole(self, start: int, end: int) -> bool:
        """Whether no group that was open before is closed in this part; `start` grows."""
        if not self._places[0] <= start < self._closed[0]:
            self._look(start, end)
        return self._closed[bisect_right(self._places, start) - 1] >= end

    def _look(self, start: int, end: int) -> None:
        self._places, self._closed = [start], [end]
        groups = [[0]]
        for brace in _BRACE.finditer(self._text, start, end):
            if brace[0] not in "{}":
                continue
            if brace[0] == "}":
                for place in groups.pop():
                    self._closed[place] = brace.start()
                if not groups:
                    return
            else:
                groups.append([])
            groups[-1].append(len(self._places))
            self._places.append(brace.end())
            self._closed.append(end)


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
