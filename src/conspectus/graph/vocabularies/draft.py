"""A vocabulary as it is read: statements about concepts in any order, CURIEs, and faults of its files."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import UsageError
from conspectus.core.groups import grouped
from conspectus.core.text import line, pluralize
from conspectus.records.vocabularies import Concept, ConceptName, LinkKind, NameKind

_OBO = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z]+)_([0-9A-Za-z_-]+)$")
_NUMBERED = re.compile(r"[/#]([A-Za-z]+)_(\d+)$")
"""EFO, Orphanet, the NCI Thesaurus and others after OBO's manner."""
_MESH = re.compile(r"https?://id\.nlm\.nih\.gov/mesh/(?:\d{4}/)?([A-Z]\d+)$")
_REFERENCE = re.compile(r"[A-Za-z][\w.-]*:[^\s:]\S*")
_UNFIT = re.compile(r"[^\w.-]+")
_WILDCARD = re.compile(r"(?:^|\.)\*(?=[\s.]|$)")
"""A part of a path that stands for any: `*.*.Precuneus.*.*` in an atlas."""


class Curies:
    """Gives each id one CURIE, and no two the same.

    Args:
        vocabulary: whose name is before what has no prefix.
        prefixes: namespace -> prefix, as files declare them.
    """

    def __init__(self, vocabulary: str, prefixes: Mapping[str, str]) -> None:
        self._default_prefix = _UNFIT.sub("_", vocabulary)
        self._prefixes = {
            space: prefixes[space] for space in sorted(prefixes, key=len, reverse=True) if prefixes[space]
        }
        self._curie_by_name: dict[str, str] = {}
        self._name_by_curie: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The CURIE of an IRI, of an id that is one already, or of a bare one; an IRI itself where another has it."""
        if (curie := self._curie_by_name.get(name)) is None:
            curie = line(self._short(name) if "://" in name or name.startswith("urn:") else self._bare(name))
            if self._name_by_curie.setdefault(curie, name) != name:
                curie = name
            self._curie_by_name[name] = curie
        return curie

    def _bare(self, name: str) -> str:
        return name if ":" in name else f"{self._default_prefix}:{name}"

    def _short(self, iri: str) -> str:
        if match := _OBO.match(iri):
            return f"{match[1]}:{match[2]}"
        if match := _MESH.match(iri):
            return f"MESH:{match[1]}"
        space = next((prefix for prefix in self._prefixes if prefix and iri.startswith(prefix)), "")
        if space and (local := iri[len(space) :]) and not set(local) & set("/#?"):
            return f"{self._prefixes[space]}:{local}"
        if match := _NUMBERED.search(iri):
            return f"{match[1]}:{match[2]}"
        last = re.split(r"[/#?]", iri.rstrip("/#?"))[-1]
        return f"{self._default_prefix}:{last}" if last else iri


_STRONGER = (NameKind.PREFERRED, NameKind.LABEL, NameKind.ABBREVIATION, NameKind.EXACT)
"""Where a text is several kinds of name, it is the first of these; then those that do not mean just the concept."""
_ORDER = {kind: at for at, kind in enumerate(dict.fromkeys((*_STRONGER, *NameKind)))}
_SHOWN = (NameKind.PREFERRED, NameKind.LABEL, NameKind.EXACT)
_SHOWN_TEXT = 100
"""Characters of a line that are shown with what is wrong with it."""
EVERY = "*"
"""Among languages: all of them."""


@dataclass(slots=True)
class DraftConcept:
    """What was said of an id so far. `names` are (text, kind, language); `codes` are places in a tree (`A08.186`).

    It is a concept where something says so (`known`), or where it has a preferred name and nothing says what it is.
    """

    names: list[tuple[str, NameKind, str]] = field(default_factory=list)
    links: dict[tuple[LinkKind, str], None] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)
    definition: str = ""
    deprecated: bool = False
    known: bool = False
    typed: bool = False

    @property
    def is_concept(self) -> bool:
        """Whether it is one."""
        return self.known or (not self.typed and any(kind is NameKind.PREFERRED for _, kind, _ in self.names))

    def name(self, text: str, kind: NameKind = NameKind.EXACT, language: str = "") -> None:
        """Also called so."""
        if text := line(text):
            self.names.append((text, kind, language))

    def link(self, kind: LinkKind, target: str) -> None:
        """It is related to another id."""
        self.links[kind, target] = None

    def refer(self, target: str) -> None:
        """It refers to one elsewhere; free text is no reference."""
        if _REFERENCE.fullmatch(target):
            self.link(LinkKind.XREF, target)


class VocabularyDraft:
    """All that was read of a vocabulary.

    Args:
        name: the vocabulary's.
        languages: whose names are taken (`en`: also en-GB; `*`: all); names without a language always are.

    Attributes:
        equivalent_prefixes: of ids; cross-references to these mean the same concept (`treat-xrefs-as-equivalent`).
    """

    def __init__(self, name: str, languages: Sequence[str] = ("en",)) -> None:
        self.name, self.languages = name, [language.lower() for language in languages]
        self.entries: dict[str, DraftConcept] = {}
        self.prefixes: dict[str, str] = {}
        self.imports: dict[str, None] = {}
        self.ontologies: set[str] = set()
        self.equivalent_prefixes: set[str] = set()
        self.version = ""
        self.nameless = self.long = 0
        self.faults: list[str] = []
        self._unshown = 0

    def __getitem__(self, name: str) -> DraftConcept:
        entry = self.entries.get(name)
        if entry is None:
            entry = self.entries[name] = DraftConcept()
        return entry

    def concepts(self, subtree: Sequence[str] = ()) -> Iterator[Concept]:
        """The concepts that have a name; with `subtree` those at and below these CURIEs or places in a tree.

        Raises:
            UsageError: a place or a CURIE of `subtree` is not there.
        """
        self._link_codes()
        curies = Curies(self.name, self.prefixes)
        below = self._below(subtree, curies) if subtree else self.entries.keys()
        for name, entry in self.entries.items():
            if name in below and entry.is_concept:
                if concept := self._concept(name, entry, curies):
                    yield concept
                else:
                    self.nameless += 1

    def leave_out(self, file: str, line: int, reason: str, text: str) -> None:
        """Report a line of a file that is left out, with its beginning."""
        self.report_line("left out", file, line, reason, text)

    def report_line(self, outcome: str, file: str, line: int, reason: str, text: str) -> None:
        """Report what became of a line of a file, why, and its beginning."""
        excerpt = " ".join(text[:200].split())
        self.report(
            f"{outcome}: line {line:,} of '{file}' ({reason})" + (f": {excerpt[:_SHOWN_TEXT]}" if excerpt else "")
        )

    def report(self, fault: str) -> None:
        """Report something that could not be read as it is. The first few are kept, the others counted."""
        if len(self.faults) < BOUNDS.warnings.most:
            self.faults.append(fault)
        else:
            self._unshown += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not taken, after `concepts`."""
        omissions = (
            (self.nameless, "concept", "without a name or an id"),
            (self.long, "name", f"beyond {BOUNDS.name.most} characters"),
        )
        notes = [f"skipped: {pluralize(count, what)} {which}" for count, what, which in omissions if count]
        more = [f"and {pluralize(self._unshown, 'more such line')}"] if self._unshown else []
        return (*self.faults, *more, *notes)

    def _link_codes(self) -> None:
        places = {code: name for name, entry in self.entries.items() for code in entry.codes}
        for entry in self.entries.values():
            for code in entry.codes:
                if parent := places.get(code.rpartition(".")[0]):
                    entry.link(LinkKind.BROADER, parent)

    def _below(self, subtree: Sequence[str], curies: Curies) -> set[str]:
        names: set[str] = set()
        children = grouped(
            (target, name)
            for name, entry in self.entries.items()
            for kind, target in entry.links
            if kind in (LinkKind.BROADER, LinkKind.PART_OF)
        )
        for root in subtree:
            todo = [
                name for name, entry in self.entries.items() if _is_at(root, entry.codes) or curies.of(name) == root
            ]
            if not todo:
                raise UsageError(
                    f"'{self.name}' has nothing called '{root}'.", "`subtree` takes places (A, A08) or ids."
                )
            while todo:
                if (name := todo.pop()) not in names:
                    names.add(name)
                    todo += [] if self.entries[name].codes else children.get(name, [])
        return names

    def _concept(self, name: str, entry: DraftConcept, curies: Curies) -> Concept | None:
        names, short = self._names(entry), curies.of(name)
        if not names or len(short) > BOUNDS.name.most:
            return None
        label = next((candidate for kind in _SHOWN for candidate in names if candidate.kind == kind), names[0])
        links = tuple(self._resolve_link(kind, curies.of(target)) for kind, target in entry.links if target != name)
        iri = name if "://" in name else ""
        definition = line(entry.definition)[: BOUNDS.field.most]
        return Concept(short, label.text, names, links, definition, iri, entry.deprecated)

    def _resolve_link(self, kind: LinkKind, target: str) -> tuple[LinkKind, str]:
        """A cross-reference to a vocabulary of which the file says that they mean the same does mean that."""
        is_same = kind is LinkKind.XREF and target.partition(":")[0] in self.equivalent_prefixes
        return LinkKind.SAME if is_same else kind, target

    def _names(self, entry: DraftConcept) -> tuple[ConceptName, ...]:
        """In the languages asked for, else in any; each text once, one of them preferred."""
        short = [name for name in entry.names if len(name[0]) <= BOUNDS.name.most]
        self.long += len(entry.names) - len(short)
        own_names = [name for name in short if self._rank(name[2]) is not None] or short
        own_names.sort(key=lambda name: (_ORDER[name[1]], self._rank(name[2]) or 0))
        kinds: dict[str, NameKind] = {}
        for name, kind, _ in own_names:
            if not (text := _WILDCARD.sub("", name).strip(" .") if "*" in name else name):
                continue
            taken = kind is NameKind.PREFERRED and NameKind.PREFERRED in kinds.values()
            kinds.setdefault(text, NameKind.EXACT if taken else kind)
        return tuple(ConceptName(text, kind) for text, kind in kinds.items())

    def _rank(self, language: str) -> int | None:
        """How much a language is wanted, 0 the most; None: not."""
        languages, language = self.languages, language.lower()
        if language in languages:
            return languages.index(language)
        if not language or language.partition("-")[0] in languages:
            return len(languages)
        return len(languages) + 1 if EVERY in languages else None


def _is_at(root: str, codes: Iterable[str]) -> bool:
    """Whether one of the places is at or below a root: `A08` or, for a category of MeSH, `A`."""
    is_category = len(root) == 1 and root.isalpha()
    return any(code == root or code.startswith(root if is_category else f"{root}.") for code in codes)


LONGEST = 1_000_000
"""Characters of a line: a definition has 5,000."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_lines(stream: BinaryIO, name: str, draft: VocabularyDraft) -> Iterator[tuple[int, str]]:
    r"""Yield `(number, line)` for each line, from 1, with `\n` at its end; close the stream.

    A line that is too long is left out. One that is not UTF-8 is read as Windows-1252. Both are reported to `draft`.
    """
    head = stream.peek(2)[:2] if isinstance(stream, io.BufferedReader) else b""
    encoding, errors = ("utf-16", "replace") if head in _UTF_16 else ("utf-8-sig", "surrogateescape")
    with io.TextIOWrapper(stream, encoding, errors) as text:
        number = 0
        while line := text.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith("\n"):
                draft.leave_out(name, number, f"longer than {LONGEST:,} characters", line)
                while line and not line.endswith("\n"):
                    line = text.readline(LONGEST)
            else:
                yield number, _decoded(line, name, number, draft)


def _decoded(line: str, name: str, number: int, draft: VocabularyDraft) -> str:
    """Return the line with the bytes that are not UTF-8 as Windows-1252 has them."""
    try:
        line.encode()
    except UnicodeEncodeError:
        draft.report(f"line {number} of '{name}' is not UTF-8 and was read as Windows-1252")
        return line.encode("utf-8", "surrogateescape").decode("cp1252", "replace")
    return line
