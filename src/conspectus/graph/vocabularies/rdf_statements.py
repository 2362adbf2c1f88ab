"""Statements of RDF files, read piece by piece, so that one that cannot be read costs itself and is reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from copy import copy
from io import BufferedReader
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lxml import etree

from conspectus.core.errors import InputError, UnavailableError
from conspectus.graph.vocabularies.draft import VocabularyDraft
from conspectus.graph.vocabularies.turtle_clauses import TOKEN, Piece, drop_bad_clauses

if TYPE_CHECKING:
    from pyoxigraph import Quad, QuadParser

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
REMEDY = "Install it: pip install 'conspectus[graph]'"
_BATCH = 1 << 20
"""Bytes that are parsed at once; what one batch says is taken only when all of it can be read."""
_LONGEST = 1 << 24
"""Bytes of one statement."""
_BY_LINE = ("N_TRIPLES", "N_QUADS")
_BY_DOT = ("TURTLE", "N3")
_WHERE = re.compile(r"\A[^:]*\bline \d[^:]*:\s*+")
_NAMESPACE = re.compile(r' xmlns(?::[\w.-]+)?="[^"]*"')
_LONG_QUOTES = (b'"""', b"'''")
_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*+)")
_RAW = re.compile(rb"<(?![!?]|/?[A-Za-z_][\w.-]*+:[\w.-]++(?:[\s/>]|\Z))|&(?!#?\w++;)")
_RAW_OR_PLAIN = re.compile(rb"<(?![!?]|/?[A-Za-z_][\w.:-]*+(?:[\s/>]|\Z))|&(?!#?\w++;)")
"""What begins no tag, comment or instruction, and no reference."""
_MOST_JOINED = 100
"""Pieces that may belong to one statement, because lines of its text end with a dot."""


def parse_rdf(stream: BufferedReader | bytes, name: str, form: str, base: str = "") -> QuadParser:
    """Return a parser of all that there is, which stops at what it cannot read.

    Raises:
        UnavailableError: The library for RDF is missing.
    """
    try:
        from pyoxigraph import RdfFormat, parse
    except ImportError as error:
        raise UnavailableError(f"'{name}' is RDF, for which a library is missing.", REMEDY) from error
    return parse(stream, getattr(RdfFormat, form), base_iri=base or f"file:///{quote(name)}", lenient=True)


def read_statements(
    stream: BufferedReader, name: str, form: str, draft: VocabularyDraft, reopen: Callable[[], BufferedReader]
) -> Iterator[Quad]:
    """Yield what the statements of a file say, and put the prefixes into `draft`.

    Args:
        stream: Its bytes.
        name: The file's name.
        form: One of pyoxigraph's (`TURTLE`, `RDF_XML`, `N_TRIPLES`, `JSON_LD` …).
        draft: Where prefixes and statements that cannot be read are reported.
        reopen: Opens the file again.

    Raises:
        InputError: It is not well-formed as a whole, is cut off, or nothing of it can be read.
    """
    parse_rdf(b"", name, form if form != "JSON_LD" else "TURTLE")
    if form in _BY_LINE or form in _BY_DOT:
        pieces = _lines(stream) if form in _BY_LINE else _pieces(stream)
        yield from _Pieces(name, form, draft).read(pieces)
        return
    quads = parse_rdf(stream, name, form)
    try:
        yield from quads
    except (SyntaxError, ValueError, OSError) as error:
        if form != "RDF_XML":
            raise _refused(name, _reason(error)) from error
        with reopen() as fresh_stream:
            yield from _read_elements(fresh_stream, name, draft, error)
    _keep_prefixes(quads, draft)


def _keep_prefixes(quads: QuadParser, draft: VocabularyDraft) -> None:
    for prefix, space in quads.prefixes.items():
        draft.prefixes.setdefault(space, prefix)


def _reason(error: Exception) -> str:
    return _WHERE.sub("", " ".join(str(error).split())).partition(" (line ")[0][:300].rstrip(".")


def _refused(name: str, reason: str) -> InputError:
    if "LoadDocument" in reason or "context" in reason.lower():
        return InputError(f"'{name}' needs a context that is elsewhere: {reason}", "Save it with its context inside.")
    return InputError(f"'{name}' is no well-formed RDF: {reason}.", "Fetch or export it again, for example as Turtle.")


def _lines(stream: BufferedReader) -> Iterator[Piece]:
    yield from enumerate(stream, 1)


def _pieces(stream: BufferedReader) -> Iterator[Piece]:
    """Yield pieces that end with a line that ends with a dot, where the next line is not indented.

    A piece may be a part of a statement, if its text has such lines, but no statement begins within a piece of another.
    """
    piece: list[bytes] = []
    begun, size, ended = 1, 0, False
    for number, line in enumerate(stream, 1):
        if ended and line[:1] not in b" \t":
            yield begun, b"".join(piece)
            piece, begun, size = [], number, 0
        piece.append(line)
        size += len(line)
        ended = line.rstrip().endswith(b".") or (ended and not line.strip()) or size > _LONGEST
    if piece:
        yield begun, b"".join(piece)


class _Pieces:
    """Parses the pieces of a file together, and piece by piece only where that fails."""

    def __init__(self, name: str, form: str, draft: VocabularyDraft) -> None:
        self._name, self._form, self._draft = name, form, draft
        self._prefixes: dict[str, str] = {}
        self._base = ""
        self._read = 0

    def read(self, pieces: Iterator[Piece]) -> Iterator[Quad]:
        """Yield what can be read.

        Raises:
            InputError: The file is cut off, or nothing of it can be read.
        """
        waiting: list[Piece] = []
        size = 0
        for piece in pieces:
            waiting.append(piece)
            size += len(piece[1])
            if size >= _BATCH:
                waiting = yield from self._settle(waiting, is_last=False)
                size = sum(len(data) for _, data in waiting)
        yield from self._settle(waiting, is_last=True)
        for prefix, space in self._prefixes.items():
            self._draft.prefixes.setdefault(space, prefix)
        if not self._read and self._draft.faults:
            raise InputError(f"'{self._name}' is no well-formed RDF: {self._draft.faults[0]}.", "Fetch it again.")

    def _settle(self, pieces: list[Piece], *, is_last: bool) -> Generator[Quad, None, list[Piece]]:
        """Yield what the pieces say; returns those at the end that may go on in the next batch."""
        at, size = 0, max(len(pieces), 1)
        while at < len(pieces):
            quads = self._parse(pieces[at : at + size])
            if quads is not None:
                yield from quads
                at, size = at + size, 2 * size
                continue
            size = min(size, len(pieces) - at) // 2
            if size:
                continue
            size = 1
            if any(sign in pieces[at][1] for sign in _LONG_QUOTES):
                if (
                    not is_last
                    and len(pieces) - at < _MOST_JOINED
                    and sum(len(data) for _, data in pieces[at:]) < _BATCH
                ):
                    return pieces[at:]
                if joined_piece := self._join(pieces, at):
                    pieces[at : at + joined_piece[0]] = [(pieces[at][0], joined_piece[1])]
                    continue
                if mended := self._join_mended(pieces, at):
                    yield from mended[1]
                    at += mended[0]
                    continue
            if parts := _parts(*pieces[at]):
                pieces[at : at + 1] = parts
            elif (rest := self._without_bad_clauses(*pieces[at])) is not None:
                yield from rest
                at += 1
            else:
                self._leave_out(*pieces[at], is_end=is_last and at == len(pieces) - 1)
                at += 1
        return []

    def _without_bad_clauses(self, number: int, data: bytes) -> list[Quad] | None:
        """Return what a statement says without the clauses that cannot be read; None if nothing is left."""
        mended = drop_bad_clauses(number, data, self._error) if self._form in _BY_DOT else None
        quads = self._parse([(number, mended.data)]) if mended else None
        if not mended or not quads:
            return None
        for (line, text), reason in mended.left_out:
            self._draft.leave_out(self._name, line, reason, text.decode("utf-8", "replace"))
        return quads

    def _error(self, data: bytes) -> tuple[int, str] | None:
        """Return the line, from 0, at which a piece cannot be read, and why; None if it can."""
        try:
            list(self._parser(data))
        except (SyntaxError, ValueError) as error:
            head = 1 if self._prefixes else 0
            return max((getattr(error, "lineno", None) or 1) - 1 - head, 0), _reason(error)
        return None

    def _parser(self, data: bytes) -> QuadParser:
        """Return a parser of a piece behind the prefixes that were read, in a line of their own."""
        head = " ".join(f"@prefix {prefix}: <{space}> ." for prefix, space in self._prefixes.items())
        return parse_rdf(f"{head}\n".encode() + data if head else data, self._name, self._form, self._base)

    def _join(self, pieces: list[Piece], at: int) -> tuple[int, bytes] | None:
        """Return how many pieces from one on are one statement, and their bytes; None where none are."""
        for end in range(at + 2, min(at + _MOST_JOINED, len(pieces)) + 1):
            if self._parse(pieces[at:end]) is not None:
                return end - at, b"".join(data for _, data in pieces[at:end])
        return None

    def _join_mended(self, pieces: list[Piece], at: int) -> tuple[int, list[Quad]] | None:
        """Return how many pieces are one statement with a bad clause, whose text has lines that end with a dot."""
        for end in range(at + 2, min(at + _MOST_JOINED, len(pieces)) + 1):
            data = b"".join(data for _, data in pieces[at:end])
            if not any(sign in TOKEN.sub(b"", data) for sign in _LONG_QUOTES):
                quads = self._without_bad_clauses(pieces[at][0], data)
                return None if quads is None else (end - at, quads)
        return None

    def _parse(self, pieces: list[Piece]) -> list[Quad] | None:
        """Return what pieces say together; None where something in them cannot be read."""
        quads = self._parser(b"".join(data for _, data in pieces))
        try:
            quad_list = list(quads)
        except (SyntaxError, ValueError):
            return None
        if self._form in _BY_DOT:
            self._prefixes = dict(quads.prefixes)
            self._base = quads.base_iri or ""
        self._read += 1
        return quad_list

    def _leave_out(self, number: int, data: bytes, *, is_end: bool) -> None:
        if error := self._error(data):
            within, reason = error
            if is_end and not data.endswith((b"\n", b".")):  # cut off
                raise _refused(self._name, reason)
            where = number + min(within, data.rstrip().count(b"\n"))
            self._draft.leave_out(self._name, where, reason, data.decode("utf-8", "replace"))


def _parts(number: int, data: bytes) -> list[Piece]:
    """Cut a piece before each line that is not indented, as the dot before it may be missing, else at its dots.

    There are none if it is one statement.
    """
    parts: list[Piece] = []
    for at, line in enumerate(data.splitlines(keepends=True), number):
        if parts and (line[:1] in b" \t\r\n.;,])" or not line.strip()):
            parts[-1] = parts[-1][0], parts[-1][1] + line
        else:
            parts.append((at, line))
    parts = parts if len(parts) > 1 else _parts_at_dots(number, data)
    return parts if len(parts) > 1 else []


def _parts_at_dots(number: int, data: bytes) -> list[Piece]:
    """Cut a piece after each dot outside of strings, addresses and comments: a file may be on one line."""
    parts: list[Piece] = []
    begun = 0
    for end in (token.end() for token in TOKEN.finditer(data) if token["end"]):
        parts.append((number, data[begun:end]))
        number, begun = number + data.count(b"\n", begun, end), end
    if rest := data[begun:]:
        if parts and not rest.strip():
            parts[-1] = parts[-1][0], parts[-1][1] + rest
        else:
            parts.append((number, rest))
    return parts


def _read_elements(stream: BufferedReader, name: str, draft: VocabularyDraft, error: Exception) -> Iterator[Quad]:
    """Yield what can be read of RDF/XML, one outermost element after another.

    Raises:
        InputError: It is cut off, or no element can be read.
    """
    parser: Any = etree.XMLPullParser(("start", "end"), recover=True, load_dtd=False, no_network=True)
    depth = read = 0
    try:
        for line in _escaped_lines(stream, name, draft):
            parser.feed(line)
            for event, element in parser.read_events():
                depth += 1 if event == "start" else -1
                if event == "end" and depth == 1:
                    quads = _element_quads(element, name, draft, parser.feed_error_log)
                    read += bool(quads)
                    yield from quads
                    _forget(element.getparent(), element)
        parser.close()
    except etree.XMLSyntaxError as damage:
        raise _refused(name, _reason(damage)) from damage
    if not read or any(fault.type == etree.ErrorTypes.ERR_TAG_NOT_FINISHED for fault in parser.feed_error_log):
        raise _refused(name, _reason(error))


def _escaped_lines(stream: BufferedReader, name: str, draft: VocabularyDraft) -> Iterator[bytes]:
    """Yield the lines, with each `<` and `&` escaped that begins no tag and no reference, and report where.

    A tag has a prefix, unless the first element within the root has none: `shore <reef>` is text.
    """
    head = stream.peek()
    tags = _TAG.findall(head)
    sign = _RAW if len(tags) < 2 or b":" in tags[1] else _RAW_OR_PLAIN
    for number, line in enumerate(stream, 1):
        is_as_written = b"\0" in head or b"CDATA" in line or b"ENTITY" in line
        escaped = line if is_as_written else sign.sub(lambda raw: b"&lt;" if raw[0] == b"<" else b"&amp;", line)
        if escaped != line:
            text = line.decode("utf-8", "replace")
            draft.report_line("read as text", name, number, "'<' or '&' is not escaped", text)
        yield escaped


def _forget(root: Any, element: etree._Element) -> None:
    element.clear()
    while (before := element.getprevious()) is not None:  # otherwise the emptied elements of the whole file stay
        root.remove(before)


def _element_quads(element: Any, name: str, draft: VocabularyDraft, faults: etree._ListErrorLog) -> list[Quad]:
    """Return what an outermost element says; nothing where something in it cannot be read, which is reported."""
    data = etree.tostring(element, with_tail=False)
    first: int = element.sourceline or 1
    last = first + data.count(b"\n")
    fault = next((fault for fault in faults if first <= fault.line <= last), None)
    reason, line = (fault.message, fault.line) if fault is not None else ("", first)
    root = element.getparent()
    if not reason:
        try:
            return _quads_within(element, root, name)
        except (SyntaxError, ValueError) as error:  # also of names that are none
            reason = _reason(error)
    bad = [child for child in element if not _is_readable(child, root, name, faults)]
    if 0 < len(bad) < len(element):
        excerpts = [(child.sourceline or line, etree.tostring(child, with_tail=False)) for child in bad]
        for child in bad:
            element.remove(child)
        with suppress(SyntaxError, ValueError):  # the element itself is wrong, too
            quads = _quads_within(element, root, name)
            for at, text in excerpts:
                draft.leave_out(name, at, reason, _NAMESPACE.sub("", text.decode("ascii", "replace")))
            return quads
    draft.leave_out(name, line, reason, _NAMESPACE.sub("", data.decode("ascii", "replace")))
    return []


def _quads_within(element: Any, root: Any, name: str) -> list[Quad]:
    document = etree.Element(root.tag, dict(root.attrib), nsmap=root.nsmap)
    document.append(copy(element))
    return list(parse_rdf(etree.tostring(document), name, "RDF_XML", root.base or ""))


def _is_readable(child: Any, root: Any, name: str, faults: etree._ListErrorLog) -> bool:
    """Whether a property of a thing can be read by itself."""
    first: int = child.sourceline or 1
    last = first + etree.tostring(child, with_tail=False).count(b"\n")
    if any(first <= fault.line <= last for fault in faults):
        return False
    alone = etree.Element(f"{{{RDF}}}Description", {f"{{{RDF}}}about": "urn:x"})
    alone.append(copy(child))
    try:
        _quads_within(alone, root, name)
    except (SyntaxError, ValueError):
        return False
    return True
