"""The files of a LaTeX document joined to one source: no comments or drawings, one branch of each conditional."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from conspectus.core.disk import open_file
from conspectus.core.errors import InputError, LimitError
from conspectus.parse.files.streams import MAX_FILE, Limited, inside, most_unfolded, tar_files
from conspectus.parse.markup.markdown import decode, read_text

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
        self._ends: dict[str, re.Match[str] | None] = {}

    def next(self, name: str, at: int) -> re.Match[str] | None:
        """The first end behind `at`, which grows; None where there is none."""
        end = self._ends.get(name)
        if name not in self._ends or (end and end.start() < at):
            end = self._ends[name] = re.compile(rf"\\end\s*\{{{re.escape(name)}\}}").search(self._text, at)
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

    def settle(self, text: str, put: Put) -> str:
        """The text with one branch of each conditional, and with the files it inputs there.

        A test that the document does not decide takes the second branch where there is one, else the first.
        One without its end hides nothing.
        """
        paired = self._find_paired(text)
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

    def _find_paired(self, text: str) -> set[int]:
        """Where the commands stand that belong to a whole conditional."""
        positions: set[int] = set()
        stack: list[list[int]] = []
        for match in _PIECE.finditer(text):
            word = match["word"] or ""
            if match["new"] or match["let"]:
                self.flags.setdefault(match["new"] or match["let"], False)
            elif word.startswith("if") and (
                word in _TESTS or word in self.flags or word.startswith(("if@", "ifCLASS"))
            ):
                stack.append([match.start()])
            elif stack and word in ("else", "or", "fi"):
                stack[-1].append(match.start())
                if word == "fi":
                    positions.update(stack.pop())
        return positions

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
            conditional = stack.pop()
            del out[conditional.third or len(out) :]
            other = len(out) if conditional.other is None else conditional.other
            if conditional.holds or (conditional.holds is None and conditional.other is None):
                del out[other:]
            else:
                del out[conditional.start : other]
        elif stack[-1].other is None:
            stack[-1].other = len(out)
        elif stack[-1].third is None:  # of `\ifcase`
            stack[-1].third = len(out)
        return at


ENDINGS = (".tex", ".ltx", ".latex", ".bbl", ".bib")
_CLASS = re.compile(r"^[^%\n]*\\document(?:class|style)\b", re.M)
_BEGIN = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.M)
_INPUT_NAME = re.compile(
    r"\\(?:input|include|subfile|InputIfFileExists)(?![A-Za-z])\s*+(?:\{\s*+\"?([^{}\"]{1,300}?)\"?\s*+\}|([^\s{}\\%]{1,300}))"
)
_FAVOURED = re.compile(r"(?:^|/)(?:main|ms|paper|article|manuscript|arxiv)\.tex$", re.I)
_MAX_INPUTS = 500
_MAX_DEPTH = 20
_MAX_JOINED = 30_000_000
"""Characters of a document with all that it inputs."""


@dataclass(slots=True)
class Document:
    """A document put together: its text without comments, and the bibliography files beside it."""

    text: str
    bbl: str = ""
    bib: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


Look = Callable[[str], str | None]
"""The text of a file by its name from the main file's folder, or None."""


@dataclass(slots=True)
class Joiner:
    """Puts what a document inputs in its place, within limits; `name` is that of the file that was added."""

    name: str
    look: Look
    missing: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    count: int = 0
    size: int = 0
    branches: Branches = field(default_factory=Branches)

    def join_inputs(self, text: str, depth: int = 0) -> str:
        """The text with all that it inputs, to any depth, and one branch of each conditional.

        Raises:
            LimitError: It inputs too much, or itself.
        """

        def put_in(name: str) -> str:
            self.count += 1
            if depth >= _MAX_DEPTH or self.count > _MAX_INPUTS:
                raise LimitError(f"'{self.name}' inputs very many files, or itself.", "Look at its \\input lines.")
            content = self.look(name) if name.endswith(ENDINGS) else self.look(f"{name}.tex") or self.look(name)
            if content is None:
                if not inside(name):
                    self.outside.append(name)
                elif not name.endswith((".sty", ".cls", ".cfg", ".def", ".clo", ".aux", ".toc")):
                    self.missing.append(name)
                return " "
            self._count(content)
            return self.join_inputs(clean(content), depth + 1)

        return self.branches.settle(text, put_in)

    def _count(self, text: str) -> None:
        self.size += len(text)
        if self.size > _MAX_JOINED:
            raise LimitError(
                f"'{self.name}' has more than {_MAX_JOINED // 10**6} million characters with all that it inputs.",
                "Is it really a paper?",
            )


def from_file(path: Path) -> Document:
    """The document whose main file is `path`.

    Raises:
        InputError: It is no main file, or cannot be read.
    """
    folder = path.parent.resolve()
    text = _file(path)
    if not (_CLASS.search(text) or _BEGIN.search(text)):
        raise InputError(
            f"'{path.name}' is only a part of a LaTeX document: it has no \\documentclass.",
            "Add the main file instead.",
        )

    def look(name: str) -> str | None:
        try:
            target = (folder / name).resolve()
            if not target.is_relative_to(folder) or not target.is_file():
                return None
        except (OSError, ValueError, RuntimeError):  # no name that a file can have; links in a circle
            return None
        return _file(target)

    return _document(Joiner(path.name, look), text, path.stem, [file.name for file in folder.glob("*.bbl")])


def _file(path: Path) -> str:
    return read_text(path, MAX_FILE)[0]


def from_archive(path: Path) -> Document:
    """The document in a tar archive, plain or gzipped, or in a single gzipped file.

    Raises:
        InputError: It is damaged, or there is no LaTeX document in it (also LimitError: it unfolds to too much).
    """
    try:
        with open_file(path) as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            stream = cast(IO[bytes], io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file)
            size = path.stat().st_size
            if packed and not _is_tar(stream):
                data = Limited(stream, min(MAX_FILE, most_unfolded(size)), path.name).read()
                files: dict[str, bytes | None] = {"main.tex": data}
            else:
                files = tar_files(stream, path.name, ENDINGS, size)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"'{path.name}' is damaged: it cannot be unpacked.", "Fetch it again.") from error
    texts: dict[str, str] = {}
    for name, data_or_none in files.items():
        if data_or_none is not None and b"\x00" not in data_or_none:
            texts[name] = decode(data_or_none, name)[0]
    main = _main(texts)
    if not main:
        raise InputError(
            f"'{path.name}' has no LaTeX document in it: no file has a \\documentclass.",
            "If it holds other papers, unpack it and add those.",
        )
    folder = main.rpartition("/")[0]

    def look(name: str) -> str | None:
        return texts.get(inside(f"{folder}/{name}" if folder else name)) or texts.get(inside(name))

    stem = main.rpartition("/")[2].rpartition(".")[0]
    bbl_names = [name for name in texts if name.endswith(".bbl")]
    return _document(Joiner(path.name, look), texts[main], stem, bbl_names)


def _is_tar(stream: IO[bytes]) -> bool:
    """Whether a tar archive of any format begins here; nothing is passed."""
    head = stream.read(tarfile.BLOCKSIZE)
    stream.seek(0)
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _main(texts: dict[str, str]) -> str:
    """The name of the main file: of those with a class and a beginning the best named, else the longest."""
    candidates = [name for name, text in texts.items() if _BEGIN.search(text) and _CLASS.search(text)]
    input_names = {match[1] or match[2] for text in texts.values() for match in _INPUT_NAME.finditer(text)}
    free = [
        name for name in candidates if name.removesuffix(".tex") not in input_names and name not in input_names
    ] or candidates
    old = [name for name, text in texts.items() if not candidates and (_BEGIN.search(text) or "\\title" in text)]
    return max(
        free or old,
        key=lambda name: ("\\title" in texts[name], bool(_FAVOURED.search(name)), -name.count("/"), len(texts[name])),
        default="",
    )


def _document(joiner: Joiner, text: str, stem: str, bbl_names: list[str]) -> Document:
    joined_text, look = joiner.join_inputs(clean(text)), joiner.look
    document = Document(joined_text)
    bbl = look(f"{stem}.bbl") or next((content for name in bbl_names if (content := look(name))), None)
    document.bbl = clean(bbl or "")
    for match in re.finditer(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]*\])?\{([^{}]{1,500})\}", joined_text):
        for name in match[1].split(","):
            content = look(name.strip()) if name.strip().endswith(".bib") else look(f"{name.strip()}.bib")
            if content:
                document.bib.append(content)
    for names, what in ((joiner.missing, "is not there"), (joiner.outside, "lies outside its folder")):
        if names:
            listing = ", ".join(f"'{name[:60]}'" for name in names[:3]) + (" …" if len(names) > 3 else "")
            document.warnings.append(f"The document inputs what {what} and was left out: {listing}.")
    return document
