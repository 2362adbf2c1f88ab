"""Reads a vocabulary: its files, each by its format, and those that they import.

Runs in a child process: `python -m conspectus.graph.vocabularies.reader MEMORY_MB`.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from conspectus.core.errors import InputError
from conspectus.graph.vocabularies.draft import VocabularyDraft
from conspectus.graph.vocabularies.files import ONTOLOGIES, Shelf, ending
from conspectus.graph.vocabularies.mesh import read_mesh
from conspectus.graph.vocabularies.obo import read_graphs, read_obo
from conspectus.graph.vocabularies.rdf import ontology_of, read_rdf
from conspectus.graph.vocabularies.table import LINES, read_table
from conspectus.parse.process.wire import Order, Report, VocabularyHead
from conspectus.parse.process.worker import main
from conspectus.parse.protocol import Reader
from conspectus.parse.registry import reader_of_bytes

VERSION = 2
"""Raised whenever the same files may come to be read otherwise."""
BATCH = 500
_TABLES = (".csv", ".tsv", ".txt", ".tab")
_RDF = {".nt": "N_TRIPLES", ".nq": "N_QUADS", ".trig": "TRIG", ".n3": "N3", ".jsonld": "JSON_LD"}
_NESTED = re.compile(rb"<!ENTITY[^<>&]*&[A-Za-z_]")
_ELSEWHERE = re.compile(rb"<!ENTITY\s++(?:%\s++)?+[^\s<>]++\s++(?:SYSTEM|PUBLIC)\b")
_MESH = (b"<DescriptorRecordSet", b"<SupplementalRecordSet", b"<QualifierRecordSet")
_OBO = re.compile(rb"^\[(?:Term|Typedef)\b", re.M)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def read_order(order: Order) -> Iterator[Report]:
    """The concepts of a vocabulary, in batches, and at the end what it says of itself."""
    if (vocabulary_order := order.vocabulary) is None:
        raise InputError("There is no vocabulary to read.")
    shelf = Shelf([Path(os.fsdecode(path)) for path in vocabulary_order.paths])
    draft = VocabularyDraft(vocabulary_order.name, vocabulary_order.languages)
    for note in shelf.notes:
        draft.report(note)
    read = list[str]()
    for _ in _gather(shelf, draft, read):
        yield Report()
    batch = []
    for concept in draft.concepts(vocabulary_order.subtree):
        batch.append(concept)
        if len(batch) == BATCH:
            yield Report(concepts=tuple(batch))
            batch.clear()
    missing = [iri for iri in draft.imports if iri not in draft.ontologies and not _find(shelf, iri)]
    imported = (shelf.path(name) for name in read if name not in shelf.roots)
    paths = tuple(os.fsencode(path) for path in imported if path)
    head = VocabularyHead(draft.version, paths, tuple(missing), draft.notes)
    yield Report(concepts=tuple(batch), vocabulary=head, done=True)


def _gather(shelf: Shelf, draft: VocabularyDraft, read: list[str]) -> Iterator[None]:
    """Each file once, however they import each other."""
    todo, known = list(shelf.roots), set(shelf.roots)
    followed = 0
    while todo:
        name = todo.pop(0)
        with shelf.open(name) as stream:
            yield from _read(stream, PurePosixPath(name).name, draft, partial(shelf.open, name))
        read.append(name)
        for iri in list(draft.imports)[followed:]:
            if (file := _find(shelf, iri)) and file not in known:
                known.add(file)
                todo.append(file)
        followed = len(draft.imports)
        yield


def _find(shelf: Shelf, iri: str) -> str:
    return shelf.find(iri, partial(_ontology, shelf))


def _ontology(shelf: Shelf, name: str) -> str:
    if ending(name) not in ONTOLOGIES:
        return ""
    try:
        with shelf.open(name) as stream:
            form = _form(stream.peek(), name)
            return ontology_of(stream, PurePosixPath(name).name, form) if form.isupper() else ""
    except InputError:
        return ""


def _read(
    stream: io.BufferedReader, name: str, draft: VocabularyDraft, reopen: Callable[[], io.BufferedReader]
) -> Iterator[None]:
    form = _form(stream.peek(), name)
    match form:
        case "obo":
            return read_obo(stream, name, draft)
        case "obographs":
            return read_graphs(stream, name, draft)
        case "mesh":
            return read_mesh(stream, name, draft)
        case "table" | "json" | "jsonl" | "ndjson":
            return read_table(stream, name, form, draft)
    return read_rdf(stream, name, form, draft, reopen)


def _form(head: bytes, name: str) -> str:
    """What a file is, by its beginning and its name: a reader's, or of RDF the form in capitals.

    Raises:
        InputError: it is nothing that is read.
    """
    kind, is_utf_16 = ending(name), head.startswith(_UTF_16)
    begin = (head.decode("utf-16", "ignore").encode() if is_utf_16 else head).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not begin:
        raise InputError(f"'{name}' is empty.", "Download or export it again.")
    if kind not in _TABLES and (paper := reader_of_bytes(begin)):
        if paper.name == "html":
            raise InputError(f"'{name}' is a web page, and no vocabulary.", "Fetch the file that the page offers.")
        raise InputError(f"'{name}' is a paper ({paper.name}), and no vocabulary.", "Papers are added by `add`.")
    if b"\0" in begin[:1000]:
        raise InputError(
            f"'{name}' is no text.", "Unpack it; gzip, xz, bzip2, Zstandard, tar and zip are read as they are."
        )
    if kind == ".obo" or begin.startswith(b"format-version:") or _OBO.search(begin):
        return "obo"
    if kind in _TABLES:
        return "table"
    if begin.startswith((b"<?xml", b"<!DOCTYPE", b"<!--", b"<rdf:RDF", b"<Ontology", *_MESH)):
        return _form_of_xml(begin, name)
    if begin.startswith(b"*NEWRECORD"):
        raise _unsupported(name, "MeSH in ASCII")
    if begin[:1] in (b"{", b"[") and kind not in (".ttl", ".n3", ".trig"):
        return _form_of_json(begin, kind)
    if begin.startswith((b"Prefix(", b"Ontology(", b"Prefix:")):
        raise _unsupported(name, "the functional or the Manchester syntax of OWL")
    return _RDF.get(kind, "TURTLE")


def _form_of_xml(begin: bytes, name: str) -> str:
    if _NESTED.search(begin):  # else it could take all memory, also of who only looks which ontology it is
        raise InputError(
            f"'{name}' has entities made of entities.", "It may be made to fill the memory; do not trust it."
        )
    if _ELSEWHERE.search(begin):
        raise InputError(
            f"'{name}' has entities whose text is in other files or at addresses, which is never read.",
            "Replace them by their text, for example as Turtle.",
        )
    if any(root in begin for root in _MESH):
        return "mesh"
    if b"22-rdf-syntax-ns#" in begin and b"RDF" in begin:
        return "RDF_XML"
    raise _unsupported(name, "OWL/XML" if b"<Ontology" in begin else "XML of another kind")


def _form_of_json(begin: bytes, kind: str) -> str:
    if kind.removeprefix(".") in LINES:
        return kind.removeprefix(".")
    if kind == ".jsonld" or b'"@context"' in begin or b'"@id"' in begin or b'"@graph"' in begin:
        return "JSON_LD"
    return "obographs" if b'"graphs"' in begin else "json"


def _unsupported(name: str, what: str) -> InputError:
    return InputError(
        f"'{name}' is {what}, which is not read.",
        "RDF/XML, Turtle, N-Triples, JSON-LD, OBO, obographs, MeSH's XML and tables are; `robot convert` writes these.",
    )


def _no_reader(name: str) -> Reader:
    raise ValueError(name)


if __name__ == "__main__":
    main(_no_reader, int(sys.argv[-1]), draws=True, tells=read_order)
