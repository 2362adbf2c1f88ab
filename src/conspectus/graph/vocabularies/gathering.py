"""What files say of concepts, gathered by concept in whatever order it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conspectus.core.bounds import BOUNDS
from conspectus.core.characters import line
from conspectus.core.errors import UsageError
from conspectus.core.grouped import grouped
from conspectus.core.plural import pluralize
from conspectus.graph.vocabularies.curies import Curies
from conspectus.records.concepts import Concept, ConceptName, LinkKind, NameKind

_STRONGER = (NameKind.PREFERRED, NameKind.LABEL, NameKind.ABBREVIATION, NameKind.EXACT)
"""Where a text is several kinds of name, it is the first of these; then those that do not mean just the concept."""
_ORDER = {kind: at for at, kind in enumerate(dict.fromkeys((*_STRONGER, *NameKind)))}
_SHOWN = (NameKind.PREFERRED, NameKind.LABEL, NameKind.EXACT)
_SHOWN_TEXT = 100
"""Characters of a line that are shown with what is wrong with it."""
EVERY = "*"
"""Among languages: all of them."""


@dataclass(slots=True)
class Entry:
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
        """It has to do with another id."""
        self.links[kind, target] = None


class Gathered:
    """All that was read of a vocabulary.

    Args:
        name: the vocabulary's.
        languages: whose names are taken (`en`: also en-GB; `*`: all); names without a language always are.
    """

    def __init__(self, name: str, languages: Sequence[str] = ("en",)) -> None:
        self.name, self.languages = name, [one.lower() for one in languages]
        self.entries: dict[str, Entry] = {}
        self.prefixes: dict[str, str] = {}
        self.imports: dict[str, None] = {}
        self.ontologies: set[str] = set()
        self.version = ""
        self.nameless = self.long = 0
        self.faults: list[str] = []
        self._unshown = 0

    def __getitem__(self, name: str) -> Entry:
        entry = self.entries.get(name)
        if entry is None:
            entry = self.entries[name] = Entry()
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
                if made := self._concept(name, entry, curies):
                    yield made
                else:
                    self.nameless += 1

    def leave_out(self, file: str, line: int, reason: str, text: str) -> None:
        """Report a line of a file that is left out, with its beginning."""
        self.report_line("left out", file, line, reason, text)

    def report_line(self, outcome: str, file: str, line: int, reason: str, text: str) -> None:
        """Report what became of a line of a file, why, and its beginning."""
        shown = " ".join(text[:200].split())
        self.report(f"{outcome}: line {line:,} of '{file}' ({reason})" + (f": {shown[:_SHOWN_TEXT]}" if shown else ""))

    def report(self, fault: str) -> None:
        """Report something that could not be read as it is. The first few are kept, the others counted."""
        if len(self.faults) < BOUNDS.warnings.most:
            self.faults.append(fault)
        else:
            self._unshown += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not taken, after `concepts`."""
        told = (
            (self.nameless, "concept", "without a name or a short id"),
            (self.long, "name", f"beyond {BOUNDS.name.most} characters"),
        )
        notes = [f"left out: {pluralize(count, what)} {which}" for count, what, which in told if count]
        more = [f"and {pluralize(self._unshown, 'more such line')}"] if self._unshown else []
        return (*self.faults, *more, *notes)

    def _link_codes(self) -> None:
        places = {code: name for name, entry in self.entries.items() for code in entry.codes}
        for entry in self.entries.values():
            for code in entry.codes:
                if parent := places.get(code.rpartition(".")[0]):
                    entry.link(LinkKind.BROADER, parent)

    def _below(self, subtree: Sequence[str], curies: Curies) -> set[str]:
        found: set[str] = set()
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
                raise UsageError(f"'{self.name}' has nothing called '{root}'.", "`subtree` takes places (A08) or ids.")
            while todo:
                if (name := todo.pop()) not in found:
                    found.add(name)
                    todo += [] if self.entries[name].codes else children.get(name, [])
        return found

    def _concept(self, name: str, entry: Entry, curies: Curies) -> Concept | None:
        names, short = self._names(entry), curies.of(name)
        if not names or len(short) > BOUNDS.name.most:
            return None
        label = next((one for kind in _SHOWN for one in names if one.kind == kind), names[0])
        links = tuple((kind, curies.of(target)) for kind, target in entry.links if target != name)
        iri = name if "://" in name else ""
        definition = line(entry.definition)[: BOUNDS.field.most]
        return Concept(short, label.text, names, links, definition, iri, entry.deprecated)

    def _names(self, entry: Entry) -> tuple[ConceptName, ...]:
        """In the languages asked for, else in any; each text once, one of them preferred."""
        short = [one for one in entry.names if len(one[0]) <= BOUNDS.name.most]
        self.long += len(entry.names) - len(short)
        own = [one for one in short if self._rank(one[2]) is not None] or short
        own.sort(key=lambda one: (_ORDER[one[1]], self._rank(one[2]) or 0))
        kinds: dict[str, NameKind] = {}
        for text, kind, _ in own:
            taken = kind is NameKind.PREFERRED and NameKind.PREFERRED in kinds.values()
            kinds.setdefault(text, NameKind.EXACT if taken else kind)
        return tuple(ConceptName(text, kind) for text, kind in kinds.items())

    def _rank(self, language: str) -> int | None:
        """How much a language is wanted, 0 the most; None: not."""
        wanted, language = self.languages, language.lower()
        if language in wanted:
            return wanted.index(language)
        if not language or language.partition("-")[0] in wanted:
            return len(wanted)
        return len(wanted) + 1 if EVERY in wanted else None


def _is_at(root: str, codes: Iterable[str]) -> bool:
    return any(code == root or code.startswith(f"{root}.") for code in codes)
