"""OBO files, read line by line, and obographs in JSON.

Only the clauses that a vocabulary needs are looked at, and of these only the parts it needs: references, modifiers and
unknown clauses may be in any form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

import msgspec

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.draft import DraftConcept, VocabularyDraft, read_lines
from conspectus.records.vocabularies import LinkKind, NameKind

REMEDY = "Fetch or export it again, for example as OWL in RDF/XML."
SCOPES = {
    "EXACT": NameKind.EXACT,
    "RELATED": NameKind.RELATED,
    "BROAD": NameKind.BROAD,
    "NARROW": NameKind.NARROW,
}
LINKS = {"is_a": LinkKind.BROADER, "replaced_by": LinkKind.REPLACED_BY, "equivalent_to": LinkKind.SAME}
TREAT_AS_SAME = "treat-xrefs-as-equivalent"
"""Says of a prefix that cross-references to ids with it mean the same concept."""
PART_OF = ("part_of", "BFO:0000050", "http://purl.obolibrary.org/obo/BFO_0000050")
_STEP = 50_000
_SHOWN_SCOPE = 40
_SHORT = re.compile(r"(?:abbreviation|acronym|OMO[_:]0003000|OMO[_:]0003012)$", re.IGNORECASE)
_FRAME = re.compile(r"\[\s*(?:(term|typedef|instance)\b|(\w+)\s*\])", re.I)
_CLAUSE = re.compile(r"\s*+([^\s:]++)\s*+:(.*)", re.S)
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "W": " "}
_COMMENT = re.compile(r"(?<=\s)!(?:\s.*)?$", re.S)
_MODIFIERS = re.compile(r'\{(?:\s*+[\w.:/#-]++\s*+=\s*+"(?:[^"\\]|\\.)*+"\s*+,?+)++\s*+\}\s*$')
_AFTER_ID = re.compile(r"\s[!{].*", re.S)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"(?=\s|$|\[|\{)(.*)', re.S)
_LOOSELY_QUOTED = re.compile(r'"(.*?)"(\s*+(?:(?:EXACT|RELATED|BROAD|NARROW)\b|\[|$).*)', re.S | re.I)


def is_abbreviation(kind: str) -> bool:
    """Whether a type of synonyms, by its id or name, is that of abbreviations."""
    return _SHORT.search(kind) is not None


def read_obo(stream: BinaryIO, name: str, draft: VocabularyDraft) -> Iterator[None]:
    """Gather the terms of an OBO file. Yields as a sign of life; a line that cannot be read is reported to `draft`.

    Raises:
        InputError: There is no term in it.
    """
    reader = _OboReader(name, draft)
    for number, line in read_lines(stream, name, draft):
        reader.take_line(number, line)
        if not number % _STEP:
            yield
    reader.end_frame()
    if not reader.terms:
        why = f" {draft.faults[0]}." if draft.faults else ""
        raise InputError(f"'{name}' is no well-formed OBO: it has no [Term] with an id.{why}", REMEDY)


class _OboReader:
    """Takes one line after another.

    Attributes:
        terms: how many there were.
    """

    def __init__(self, name: str, draft: VocabularyDraft) -> None:
        self._name, self._draft = name, draft
        self._kind = "header"
        self._clauses: list[tuple[int, str, str]] = []
        self._entry: DraftConcept | None = None
        self._types: dict[str, tuple[bool, NameKind]] = {}
        self._number = 0
        self.terms = 0

    def take_line(self, number: int, line: str) -> None:
        """Read one line: the beginning of a frame, a clause, a comment or nothing."""
        text = line.strip()
        if not text or text[0] == "!":
            return
        if frame := _FRAME.match(text):
            self.end_frame()
            self._kind = (frame[1] or frame[2]).lower()
        elif clause := _CLAUSE.match(text):
            self._take_clause(number, clause[1], clause[2].strip())
        elif self._kind in ("header", "term"):
            self._leave_out(number, "no tag with a colon", text)

    def end_frame(self) -> None:
        """Report a term without an id."""
        if self._clauses:
            number, tag, value = self._clauses[0]
            self._leave_out(number, "a term without an id", f"{tag}: {value}")
        self._clauses, self._entry = [], None

    def _take_clause(self, number: int, tag: str, value: str) -> None:
        self._number = number
        if self._kind == "header" and tag == "id":  # the line [Term] is missing
            self._kind = "term"
        if self._kind == "header":
            self._take_header(tag, value)
        elif self._kind == "term" and tag == "id":
            self._begin_term(number, value)
        elif self._kind == "term" and self._entry is None:
            self._clauses.append((number, tag, value))
        elif (
            self._kind == "term"
            and self._entry is not None
            and (take := _TAKERS.get(tag))
            and (reason := take(self, self._entry, tag, value))
        ):
            self._leave_out(number, reason, f"{tag}: {value}")

    def _take_header(self, tag: str, value: str) -> None:
        if tag == "data-version":
            self._draft.version = self._draft.version or value
        elif tag == TREAT_AS_SAME and value:
            self._draft.equivalent_prefixes.add(value.partition(" ")[0])
        elif tag == "synonymtypedef" and value:
            known, _, rest = value.partition(" ")
            description, _, scope = rest.rpartition('"')
            short = is_abbreviation(known) or is_abbreviation(description.strip('" '))
            self._types[known] = short, SCOPES.get(scope.strip().upper(), NameKind.RELATED)

    def _begin_term(self, number: int, value: str) -> None:
        if self._entry is not None:  # a second id: the line [Term] before it is missing
            self.end_frame()
        if not (name := _identifier(value)):
            return self._leave_out(number, "a term without an id", f"id: {value}")
        self.terms += 1
        self._entry, before = self._draft[name], self._clauses
        self._entry.known = True
        self._clauses = []
        for clause in before:
            self._take_clause(*clause)
        return None

    def _leave_out(self, number: int, reason: str, text: str) -> None:
        self._draft.leave_out(self._name, number, reason, text)

    # Each takes a clause of a term; what they return is why it cannot be read.

    def _take_name(self, entry: DraftConcept, _: str, value: str) -> str:
        text = _unescape(_MODIFIERS.sub("", _COMMENT.sub("", value)).strip())
        entry.name(text, NameKind.LABEL)
        return "" if text else "no value"

    def _take_synonym(self, entry: DraftConcept, tag: str, value: str) -> str:
        text, rest = _quoted(value)
        if not text:
            return "no text in quotes"
        words = rest.partition("[")[0].split()
        scope = SCOPES.get(words[0].upper()) if words else None
        type_name = (words[1:] if scope else words)[:1]
        short, usual = self._types.get("".join(type_name), (False, NameKind.RELATED))
        short = short or any(map(is_abbreviation, type_name))
        old_scope = SCOPES.get(tag.removesuffix("_synonym").upper())
        entry.name(text, NameKind.ABBREVIATION if short else old_scope or scope or usual)
        if words and not (scope or old_scope or short or words[0] in self._types):
            reason = f"'{words[0][:_SHOWN_SCOPE]}' is no scope"
            self._draft.report_line("read as RELATED", self._name, self._number, reason, f"{tag}: {value}")
        return ""

    def _take_definition(self, entry: DraftConcept, _: str, value: str) -> str:
        text, _rest = _quoted(value)
        entry.definition = entry.definition or text
        return "" if text else "no text in quotes"

    def _take_obsolete(self, entry: DraftConcept, _: str, value: str) -> str:
        entry.deprecated = entry.deprecated or value.lower().startswith("true")
        return ""

    def _take_link(self, entry: DraftConcept, tag: str, value: str) -> str:
        target = _identifier(value)
        if target:
            entry.link(LINKS.get(tag, LinkKind.SAME), target)
        return "" if target else "no id"

    def _take_reference(self, entry: DraftConcept, _: str, value: str) -> str:
        entry.refer(_identifier(value).partition(" ")[0])
        return ""

    def _take_relationship(self, entry: DraftConcept, _: str, value: str) -> str:
        kind, _space, target = _identifier(value).partition(" ")
        if not target.strip():
            return "no id"
        if kind in PART_OF:
            entry.link(LinkKind.PART_OF, target.strip())
        return ""


_TAKERS: dict[str, Callable[[_OboReader, DraftConcept, str, str], str]] = {
    "name": _OboReader._take_name,
    "def": _OboReader._take_definition,
    "is_obsolete": _OboReader._take_obsolete,
    "relationship": _OboReader._take_relationship,
    "xref": _OboReader._take_reference,
    **dict.fromkeys(
        ("synonym", "exact_synonym", "related_synonym", "broad_synonym", "narrow_synonym"), _OboReader._take_synonym
    ),
    **dict.fromkeys((*LINKS, "alt_id"), _OboReader._take_link),
}
"""How the clauses that are needed are read."""


def _identifier(value: str) -> str:
    """Return the id at the beginning of a value, without modifiers and comment."""
    return _unescape(" ".join(_AFTER_ID.sub("", f" {value}").split()))


def _quoted(value: str) -> tuple[str, str]:
    """Return the text in quotes and what follows it; the text may have quotes in it that are not escaped."""
    match = _QUOTED.match(value)
    if match and '"' in match[2].partition("[")[0].partition("{")[0]:
        match = None
    match = match or _LOOSELY_QUOTED.match(value)
    return (_unescape(match[1]).strip(), match[2]) if match else ("", value)


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text) if "\\" in text else text


class _Value(msgspec.Struct):
    val: str = ""


class _Synonym(msgspec.Struct):
    pred: str = ""
    val: str = ""
    synonymType: str = ""


class _Property(msgspec.Struct):
    pred: str = ""
    val: str = ""


class _Meta(msgspec.Struct):
    definition: _Value | None = None
    synonyms: list[_Synonym] = []
    basicPropertyValues: list[_Property] = []
    xrefs: list[_Value] = []
    deprecated: bool = False
    version: str = ""


class _Node(msgspec.Struct):
    id: str
    lbl: str | None = ""
    type: str | None = "CLASS"
    meta: _Meta | None = None


class _Edge(msgspec.Struct):
    sub: str
    pred: str
    obj: str


_P = TypeVar("_P", _Node, _Edge)


class _Graph(msgspec.Struct):
    nodes: list[msgspec.Raw] = []
    edges: list[msgspec.Raw] = []
    meta: _Meta | None = None


class _Graphs(msgspec.Struct):
    graphs: list[_Graph]


def read_graphs(stream: BinaryIO, name: str, draft: VocabularyDraft) -> Iterator[None]:
    """Gather the classes of an ontology as obographs have it (`graphs`, each with `nodes` and `edges`).

    Raises:
        InputError: it is not that.
    """
    try:
        document = msgspec.json.decode(stream.read(), type=_Graphs)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise InputError(f"'{name}' is no ontology in JSON (obographs): {reason}.", REMEDY) from error
    yield
    for graph in document.graphs:
        about = graph.meta or _Meta()
        draft.version = draft.version or about.version
        draft.equivalent_prefixes.update(
            value.val for value in about.basicPropertyValues if value.pred.endswith(TREAT_AS_SAME)
        )
        for node in _decoded(graph.nodes, _Node, name, "node", draft):
            if node.type in ("CLASS", None):
                _take_node(node, draft)
        for edge in _decoded(graph.edges, _Edge, name, "edge", draft):
            if edge.pred in LINKS or edge.pred in PART_OF:
                draft[edge.sub].link(LINKS.get(edge.pred, LinkKind.PART_OF), edge.obj)
        yield


def _decoded(parts: list[msgspec.Raw], kind: type[_P], name: str, what: str, draft: VocabularyDraft) -> Iterator[_P]:
    """Yield the nodes or edges; one that is none is reported."""
    for number, part in enumerate(parts, 1):
        try:
            yield msgspec.json.decode(part, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            draft.report(f"left out: {what} {number:,} of '{name}' ({error})")


def _take_node(node: _Node, draft: VocabularyDraft) -> None:
    entry = draft[node.id]
    entry.known = True
    entry.name(node.lbl or "", NameKind.LABEL)
    meta = node.meta or _Meta()
    entry.deprecated = meta.deprecated
    entry.definition = meta.definition.val if meta.definition else ""
    for synonym in meta.synonyms:
        scope = synonym.pred.removeprefix("has").removesuffix("Synonym").upper()
        kind = SCOPES.get(scope, NameKind.EXACT)
        entry.name(synonym.val, NameKind.ABBREVIATION if is_abbreviation(synonym.synonymType) else kind)
    for value in meta.basicPropertyValues:
        if value.pred.endswith("IAO_0100001"):
            entry.link(LinkKind.REPLACED_BY, value.val)
        elif value.pred.endswith("exactMatch"):
            entry.link(LinkKind.SAME, value.val)
    for reference in meta.xrefs:
        entry.refer(reference.val)
