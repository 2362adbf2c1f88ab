"""RDF: classes of OWL ontologies and concepts of SKOS thesauri. Statements that cannot be read are reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from copy import copy
from io import BufferedReader
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lxml import etree

from conspectus.core.errors import InputError, UnavailableError
from conspectus.graph.vocabularies.draft import VocabularyDraft
from conspectus.records.vocabularies import LinkKind, NameKind

if TYPE_CHECKING:
    from pyoxigraph import Literal, Quad, QuadParser

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
_TOKEN = re.compile(
    rb'"""(?:[^"\\]|\\.|"(?!""))*+"""'
    rb"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb'|(?:"(?:[^"\\\n]|\\.)*+"'
    rb"|'(?:[^'\\\n]|\\.)*+')(?=[\s@^.,;\])]|\Z)"
    rb'|<[^<>"{}|^`\\\s]*+>'
    rb"|(?:(?<=\s)|\A)#[^\n]*+"
    rb"|\\."  # else each escaped quote would be tried as the beginning of a string
    rb"|(?P<end>\.)(?=\s|\Z)",
    re.DOTALL,
)
"""A string, an address, a comment, or the dot at the end of a statement; a quote that is not closed is passed over."""
_CLAUSE = re.compile(_TOKEN.pattern.replace(rb"(?P<end>\.)(?=\s|\Z)", rb"(?P<end>[;,\n])"), re.DOTALL)
"""As `_TOKEN`, with what ends a clause."""
_MOST_LEFT_OUT = 30
"""Clauses of one statement that may be left out for the others to be read."""
_MOST_JOINED = 100
"""Pieces that may belong to one statement, because lines of its text end with a dot."""
Piece = tuple[int, bytes]
"""The line at which a piece of a file begins, and the piece."""


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
    stream: BufferedReader, name: str, form: str, found: VocabularyDraft, reopen: Callable[[], BufferedReader]
) -> Iterator[Quad]:
    """Yield what the statements of a file say, and put the prefixes into `found`.

    Args:
        stream: Its bytes.
        name: The file's name.
        form: One of pyoxigraph's (`TURTLE`, `RDF_XML`, `N_TRIPLES`, `JSON_LD` …).
        found: Where prefixes and statements that cannot be read are reported.
        reopen: Opens the file again.

    Raises:
        InputError: It is not well-formed as a whole, is cut off, or nothing of it can be read.
    """
    parse_rdf(b"", name, form if form != "JSON_LD" else "TURTLE")
    if form in _BY_LINE or form in _BY_DOT:
        pieces = _lines(stream) if form in _BY_LINE else _pieces(stream)
        yield from _Pieces(name, form, found).read(pieces)
        return
    quads = parse_rdf(stream, name, form)
    try:
        yield from quads
    except (SyntaxError, ValueError, OSError) as error:
        if form != "RDF_XML":
            raise _refused(name, error) from error
        with reopen() as again:
            yield from _read_elements(again, name, found, error)
    _keep_prefixes(quads, found)


def _keep_prefixes(quads: QuadParser, found: VocabularyDraft) -> None:
    for prefix, space in quads.prefixes.items():
        found.prefixes.setdefault(space, prefix)


def _reason(error: Exception) -> str:
    return _WHERE.sub("", " ".join(str(error).split())).partition(" (line ")[0][:300].rstrip(".")


def _refused(name: str, error: Exception) -> InputError:
    reason = _reason(error)
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

    def __init__(self, name: str, form: str, found: VocabularyDraft) -> None:
        self._name, self._form, self._found = name, form, found
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
            self._found.prefixes.setdefault(space, prefix)
        if not self._read and self._found.faults:
            raise InputError(f"'{self._name}' is no well-formed RDF: {self._found.faults[0]}.", "Fetch it again.")

    def _settle(self, pieces: list[Piece], *, is_last: bool) -> Generator[Quad, None, list[Piece]]:
        """Yield what the pieces say; returns those at the end that may go on in the next batch."""
        at, size = 0, max(len(pieces), 1)
        while at < len(pieces):
            quads = self._parsed(pieces[at : at + size])
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
                if whole := self._join(pieces, at):
                    pieces[at : at + whole[0]] = [(pieces[at][0], whole[1])]
                    continue
            if parts := _parts(*pieces[at]):
                pieces[at : at + 1] = parts
            elif (rest := self._without_bad_lines(*pieces[at])) is not None:
                yield from rest
                at += 1
            else:
                self._leave_out(*pieces[at], is_end=is_last and at == len(pieces) - 1)
                at += 1
        return []

    def _without_bad_lines(self, number: int, data: bytes) -> list[Quad] | None:
        """Return what a statement says without the lines and clauses that cannot be read; None if nothing is left."""
        clauses = _clauses(number, data) if self._form in _BY_DOT and data.rstrip().endswith(b".") else []
        left_out: list[tuple[Piece, str]] = []
        error = self._error(clauses)
        while error is not None and len(left_out) < min(_MOST_LEFT_OUT, len(clauses) - 2):
            # what is wrong with a clause may only be seen in a later one, when a quote has no end
            tries = [at for at in range(error[0], max(error[0] - 3, 0), -1) if at < len(clauses) and clauses[at][1]]
            rests = [(at, self._error(_without_clause(clauses, at))) for at in tries]
            if not rests:
                return None
            at, after = max(rests, key=lambda rest: len(clauses) if rest[1] is None else rest[1][0])
            left_out.append((clauses[at], error[1]))
            clauses, error = _without_clause(clauses, at), after
        if error is not None or len(clauses) < 2:
            return None
        quads = self._parsed([(number, b"\n".join(text for _, text in clauses))])
        for (line, text), reason in left_out if quads else ():
            self._found.leave_out(self._name, line, reason, text.decode("utf-8", "replace"))
        return quads or None

    def _error(self, clauses: list[Piece]) -> tuple[int, str] | None:
        """Return the place of the first clause that cannot be read, and why."""
        head = " ".join(f"@prefix {prefix}: <{space}> ." for prefix, space in self._prefixes.items())
        data = b"\n".join([head.encode(), *(text for _, text in clauses)])
        try:
            list(parse_rdf(data, self._name, self._form, self._base))
        except (SyntaxError, ValueError) as error:
            line = max((getattr(error, "lineno", None) or 2) - 2, 0)
            ends = accumulate(1 + text.count(b"\n") for _, text in clauses)
            return next((at for at, end in enumerate(ends) if line < end), 0), _reason(error)
        return None

    def _join(self, pieces: list[Piece], at: int) -> tuple[int, bytes] | None:
        """Return how many pieces from one on are one statement, and their bytes; None where none are."""
        for end in range(at + 2, min(at + _MOST_JOINED, len(pieces)) + 1):
            if self._parsed(pieces[at:end]) is not None:
                return end - at, b"".join(data for _, data in pieces[at:end])
        return None

    def _parsed(self, pieces: list[Piece]) -> list[Quad] | None:
        """Return what pieces say together; None where something in them cannot be read."""
        head = " ".join(f"@prefix {prefix}: <{space}> ." for prefix, space in self._prefixes.items())
        data = b"".join(data for _, data in pieces)
        quads = parse_rdf(f"{head}\n".encode() + data if head else data, self._name, self._form, self._base)
        try:
            found = list(quads)
        except (SyntaxError, ValueError):
            return None
        if self._form in _BY_DOT:
            self._prefixes = dict(quads.prefixes)
            self._base = quads.base_iri or ""
        self._read += 1
        return found

    def _leave_out(self, number: int, data: bytes, *, is_end: bool) -> None:
        head = "".join(f"@prefix {prefix}: <{space}> ." for prefix, space in self._prefixes.items())
        try:
            list(parse_rdf(head.encode() + b"\n" + data, self._name, self._form, self._base))
        except (SyntaxError, ValueError) as error:
            if is_end and not data.endswith((b"\n", b".")):  # cut off
                raise _refused(self._name, error) from error
            within = max((getattr(error, "lineno", None) or 2) - 2, 0)
            where = number + min(within, data.rstrip().count(b"\n"))
            self._found.leave_out(self._name, where, _reason(error), data.decode("utf-8", "replace"))


def _clauses(number: int, data: bytes) -> list[Piece]:
    """Cut a statement behind each end of a line, semicolon and comma outside of strings and addresses."""
    clauses: list[Piece] = []
    begun = 0
    for end in [*(token.end() for token in _CLAUSE.finditer(data) if token["end"]), len(data)]:
        if text := data[begun:end].strip():
            clauses.append((number + data.count(b"\n", 0, end - 1), text))
        begun = end
    return clauses


def _without_clause(clauses: list[Piece], at: int) -> list[Piece]:
    """Empty a clause; the dot of the last one stays, and no comma before it."""
    emptied = list(clauses)
    line, text = clauses[at]
    emptied[at] = line, b"." if at == len(clauses) - 1 and text.endswith(b".") else b""
    before = next((place for place in range(at - 1, -1, -1) if emptied[place][1]), 0)
    if clauses[before][1].endswith(b",") and not text.endswith(b","):
        emptied[before] = clauses[before][0], clauses[before][1][:-1] + (b";" if text.endswith(b";") else b"")
    return emptied


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
    for end in (token.end() for token in _TOKEN.finditer(data) if token["end"]):
        parts.append((number, data[begun:end]))
        number, begun = number + data.count(b"\n", begun, end), end
    if rest := data[begun:]:
        if parts and not rest.strip():
            parts[-1] = parts[-1][0], parts[-1][1] + rest
        else:
            parts.append((number, rest))
    return parts


def _read_elements(stream: BufferedReader, name: str, found: VocabularyDraft, error: Exception) -> Iterator[Quad]:
    """Yield what can be read of RDF/XML, one outermost element after another.

    Raises:
        InputError: It is cut off, or no element can be read.
    """
    options = {"recover": True, "load_dtd": False, "no_network": True}
    events = etree.iterparse(stream, ("start", "end"), **options)
    depth = read = 0
    try:
        for event, element in events:
            depth += 1 if event == "start" else -1
            if event == "end" and depth == 1:
                quads = _element_quads(element, name, found, events.error_log)
                read += bool(quads)
                yield from quads
                _forget(element.getparent(), element)
    except etree.XMLSyntaxError as damage:
        raise _refused(name, damage) from damage
    if not read or any(fault.type == etree.ErrorTypes.ERR_TAG_NOT_FINISHED for fault in events.error_log):
        raise _refused(name, error)


def _forget(root: Any, element: etree._Element) -> None:
    element.clear()
    while (before := element.getprevious()) is not None:  # otherwise the emptied elements of the whole file stay
        root.remove(before)


def _element_quads(element: Any, name: str, found: VocabularyDraft, faults: etree._ListErrorLog) -> list[Quad]:
    """Return what an outermost element says; nothing where something in it cannot be read, which is reported."""
    data = etree.tostring(element, with_tail=False)
    first: int = element.sourceline or 1
    last = first + data.count(b"\n")
    fault = next((fault for fault in faults if first <= fault.line <= last), None)
    reason, line = (fault.message, fault.line) if fault is not None else ("", first)
    if not reason:
        root = element.getparent()
        try:
            return _quads_within(element, root, name)
        except (SyntaxError, ValueError) as error:  # also of names that are none
            reason = _reason(error)
    root = element.getparent()
    kept = [child for child in element if _is_readable(child, root, name, faults)]
    if kept and len(kept) < len(element):
        for child in [child for child in element if child not in kept]:
            shown = _NAMESPACE.sub("", etree.tostring(child, with_tail=False).decode("ascii", "replace"))
            found.leave_out(name, child.sourceline or line, reason, shown)
            element.remove(child)
        return _quads_within(element, root, name)
    found.leave_out(name, line, reason, _NAMESPACE.sub("", data.decode("ascii", "replace")))
    return []


def _quads_within(element: Any, root: Any, name: str) -> list[Quad]:
    whole = etree.Element(root.tag, dict(root.attrib), nsmap=root.nsmap)
    whole.append(copy(element))
    return list(parse_rdf(etree.tostring(whole), name, "RDF_XML", root.base or ""))


def _is_readable(child: Any, root: Any, name: str, faults: etree._ListErrorLog) -> bool:
    """Whether a property of a thing can be read by itself."""
    first: int = child.sourceline or 1
    last = first + etree.tostring(child, with_tail=False).count(b"\n")
    if any(first <= fault.line <= last for fault in faults):
        return False
    alone = etree.Element(f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": "urn:x"})
    alone.append(copy(child))
    try:
        _quads_within(alone, root, name)
    except (SyntaxError, ValueError):
        return False
    return True


STEP = 50_000
"""Statements between two signs of life."""
_HEAD = 500
"""Statements among which a file says which ontology it is."""
_RDF, _RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
_OWL, _SKOS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2004/02/skos/core#"
_OIO, _OBO = "http://www.geneontology.org/formats/oboInOwl#", "http://purl.obolibrary.org/obo/"
_XL = "http://www.w3.org/2008/05/skos-xl#"
_NIF, _DC = "http://uri.neuinfo.org/nif/nifstd/readable/", "http://purl.org/dc/terms/"

_NAMES = {
    f"{_SKOS}prefLabel": NameKind.PREFERRED,
    f"{_RDFS}label": NameKind.LABEL,
    f"{_SKOS}altLabel": NameKind.EXACT,
    f"{_SKOS}hiddenLabel": NameKind.EXACT,
    f"{_OIO}hasExactSynonym": NameKind.EXACT,
    f"{_OIO}hasRelatedSynonym": NameKind.RELATED,
    f"{_OIO}hasSynonym": NameKind.RELATED,
    f"{_OIO}hasBroadSynonym": NameKind.BROAD,
    f"{_OIO}hasNarrowSynonym": NameKind.NARROW,
    f"{_OBO}IAO_0000118": NameKind.EXACT,
    "http://www.ebi.ac.uk/efo/alternative_term": NameKind.EXACT,
    f"{_NIF}synonym": NameKind.EXACT,
    f"{_NIF}abbrev": NameKind.ABBREVIATION,
    f"{_NIF}acronym": NameKind.ABBREVIATION,
}
_LABELS = {
    f"{_XL}prefLabel": NameKind.PREFERRED,
    f"{_XL}altLabel": NameKind.EXACT,
    f"{_XL}hiddenLabel": NameKind.EXACT,
}
"""What leads to a label that is a node itself, whose text is its `literalForm` (SKOS-XL)."""
_LINKS = {
    f"{_RDFS}subClassOf": LinkKind.BROADER,
    f"{_SKOS}broader": LinkKind.BROADER,
    f"{_SKOS}related": LinkKind.RELATED,
    f"{_SKOS}exactMatch": LinkKind.SAME,
    f"{_OWL}equivalentClass": LinkKind.SAME,
    f"{_OBO}BFO_0000050": LinkKind.PART_OF,
    f"{_OBO}IAO_0100001": LinkKind.REPLACED_BY,
    f"{_NIF}isReplacedByClass": LinkKind.REPLACED_BY,
    f"{_DC}isReplacedBy": LinkKind.REPLACED_BY,
}
_DEFINITIONS = (f"{_OBO}IAO_0000115", f"{_SKOS}definition")
_CONCEPTS = (f"{_OWL}Class", f"{_RDFS}Class", f"{_SKOS}Concept")
_VERSIONS = (f"{_OWL}versionIRI", f"{_OWL}versionInfo")
_OF_SCHEMA = (_OWL, _RDFS, _RDF, f"{_SKOS}Concept")
_PART_OF = re.compile(r"(?:BFO_0000050|part_?of\d*)$", re.IGNORECASE)
_SHORT = re.compile(r"abbreviation$|acronym$|OMO_0003000$|OMO_0003012$", re.IGNORECASE)
_OF_AXIOMS = {f"{_OWL}annotatedSource": 0, f"{_OWL}annotatedTarget": 1, f"{_OIO}hasSynonymType": 2}


def read_rdf(
    stream: BufferedReader, name: str, form: str, found: VocabularyDraft, reopen: Callable[[], BufferedReader]
) -> Iterator[None]:
    """Gather what a file says. Yields as a sign of life; the arguments are those of `read_statements`.

    Raises:
        InputError: It is not well-formed as a whole, is cut off, or nothing of it can be read.
    """
    nodes = _Nodes()
    for number, quad in enumerate(read_statements(stream, name, form, found, reopen), 1):
        _take_statement(quad, found, nodes)
        if not number % STEP:
            yield
    nodes.settle(found)


def ontology_of(stream: BufferedReader, name: str, form: str) -> str:
    """Return the IRI of the ontology that a file says it is, near its beginning; "" where it says none."""
    try:
        for quad in islice(parse_rdf(stream, name, form), _HEAD):
            if quad.predicate.value == f"{_RDF}type" and str(quad.object) == f"<{_OWL}Ontology>":
                return str(quad.subject).strip("<>")
    except (SyntaxError, ValueError, OSError):
        pass
    return ""


class _Nodes:
    """What is said of nodes that serve others: restrictions (part of what), axioms about names, labels."""

    def __init__(self) -> None:
        self._property: dict[str, str] = {}
        self._filler: dict[str, str] = {}
        self._axioms: dict[str, list[str]] = {}
        self._narrowed: list[tuple[str, str]] = []
        self._labels: list[tuple[str, NameKind, str]] = []
        self._forms: dict[str, list[tuple[str, str]]] = {}

    def take(self, node: str, predicate: str, target: str) -> None:
        """Something that is said of one."""
        if predicate == f"{_OWL}onProperty":
            self._property[node] = target
        elif predicate == f"{_OWL}someValuesFrom":
            self._filler[node] = target
        elif (place := _OF_AXIOMS.get(predicate)) is not None:
            self._axioms.setdefault(node, ["", "", ""])[place] = target

    def narrows(self, name: str, node: str) -> None:
        """A class is a subclass of one."""
        self._narrowed.append((name, node))

    def label(self, name: str, kind: NameKind, node: str) -> None:
        """Note that a concept has a label that is a node."""
        self._labels.append((name, kind, node))

    def form(self, node: str, text: str, language: str) -> None:
        """Note the text of a label."""
        self._forms.setdefault(node, []).append((text, language))

    def settle(self, found: VocabularyDraft) -> None:
        """What they mean, once all is there."""
        for name, label_kind, node in self._labels:
            for text, language in self._forms.get(node, ()):
                found[name].name(text, label_kind, language)
        for name, node in self._narrowed:
            if _PART_OF.search(self._property.get(node, "")) and (whole := self._filler.get(node)):
                found[name].link(LinkKind.PART_OF, whole)
        for source, text, kind in self._axioms.values():
            if _SHORT.search(kind) and (entry := found.entries.get(source)):
                entry.names += [(own, NameKind.ABBREVIATION, tongue) for own, _, tongue in entry.names if own == text]


def _take_statement(quad: Quad, found: VocabularyDraft, nodes: _Nodes) -> None:
    """One statement."""
    from pyoxigraph import BlankNode, Literal, NamedNode

    subject, said, target = quad.subject, quad.predicate.value, quad.object
    if said.startswith(_XL) and isinstance(subject, NamedNode | BlankNode):
        if label_kind := _LABELS.get(said):
            nodes.label(subject.value, label_kind, str(target))
        elif said == f"{_XL}literalForm" and isinstance(target, Literal):
            nodes.form(str(subject), target.value, target.language or "")
    elif isinstance(subject, BlankNode):
        if isinstance(target, NamedNode | Literal):
            nodes.take(subject.value, said, target.value)
    elif isinstance(subject, NamedNode):
        if isinstance(target, Literal):
            _take_text(subject.value, said, target, found)
        elif isinstance(target, NamedNode):
            _take_link(subject.value, said, target.value, found)
        elif said == f"{_RDFS}subClassOf" and isinstance(target, BlankNode):
            nodes.narrows(subject.value, target.value)


def _take_text(name: str, said: str, text: Literal, found: VocabularyDraft) -> None:
    if kind := _NAMES.get(said):
        found[name].name(text.value, kind, text.language or "")
    elif said in _DEFINITIONS:
        found[name].definition = found[name].definition or text.value
    elif said == f"{_OWL}deprecated":
        found[name].deprecated = text.value in ("true", "1")
    elif said in _VERSIONS and name in found.ontologies:
        found.version = found.version or text.value


def _take_link(name: str, said: str, target: str, found: VocabularyDraft) -> None:
    if said == f"{_RDF}type":
        entry = found[name]
        entry.typed, entry.known = True, entry.known or target in _CONCEPTS
        if target == f"{_OWL}Ontology":
            found.ontologies.add(name)
    elif said == f"{_OWL}imports":
        found.imports[target] = None
    elif said == f"{_SKOS}narrower":
        found[target].link(LinkKind.BROADER, name)
    elif (kind := _LINKS.get(said)) and not target.startswith(_OF_SCHEMA):
        found[name].link(kind, target)
    elif said in _VERSIONS:
        found.version = found.version or target
