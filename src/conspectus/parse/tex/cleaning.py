"""LaTeX source without comments and drawings; what is written as it stands is heeded."""

from __future__ import annotations

import re
from bisect import bisect_right

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
_PIECE = re.compile(
    rf"(?P<verb>{VERB})|(?P<address>{_ADDRESS})|(?P<ended>\\end\s*\{{document\}})"
    rf"|\\begin\s*\{{(?P<hidden>{_RAW}|{_DRAWN})\}}(?!\s*\}})|\\[\s\S]"
    r"|(?P<comment>%[^\n]*(?:\n[ \t]*(?P<blank>\n)?|\Z))"
)
_ENDLESS = re.compile(r"%[ \t]*\n[ \t]*")
_BRACE = re.compile(r"\\[\s\S]|%[^\n]*|[{}]")


def clean(text: str) -> str:
    """The text without comments and drawings, and without what stands behind the end of the document.

    Listings of programs become commands, `LISTING`. A block without its end hides nothing. In an address a percent sign
    is no comment.
    """
    out: list[str] = []
    at = 0
    ends, groups = _Ends(text), _Groups(text)
    while match := _PIECE.search(text, at):
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
