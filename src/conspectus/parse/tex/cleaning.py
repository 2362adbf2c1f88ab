"""LaTeX source without comments and drawings; what is written as it stands is heeded."""

from __future__ import annotations

import re

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
    endless: set[str] = set()
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
            end = None if name in endless else re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(text, at)
            if end is None:
                endless.add(name)
            elif not re.fullmatch(_DRAWN, name) or _balanced(text, at, end.start()):
                out.append(_listing(text[at : end.start()]) if _LISTED.fullmatch(name) else " ")
                at = end.end()
        else:
            out.append(match[0])
    return "".join(out) + text[at:]


def _listing(text: str) -> str:
    """What stands for a listing: the content of its environment without options."""
    options = _OPTIONS.match(text)
    return f"\n\n\\{LISTING}{{{text[options.end() if options else 0 :].encode().hex()}}}\n\n"


def _balanced(text: str, start: int, end: int) -> bool:
    """Whether no group that was open before is closed in this part."""
    depth = 0
    for match in _BRACE.finditer(text, start, end):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth < 0:
            return False
    return True
