"""What verbs report that change the library, or look after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from conspectus.records.answer import Usage
from conspectus.records.passage import Summary
from conspectus.records.views import show_record

FileState = Literal["queued", "parsed", "stored", "indexed", "unchanged", "failed", "missing", "stale"]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What happened to one file. `retry` says whether trying again can help; times are ISO 8601, UTC.

    `papers` counts the papers it speaks of; `notes` are what could not be read well. `machine` is that of a cluster
    which read it; "": the one that added it did.
    """

    path: str
    state: FileState
    reason: str = ""
    retry: bool = False
    reader: str = ""
    papers: int = 0
    updated: str = ""
    notes: tuple[str, ...] = ()
    machine: str = ""

    @property
    def is_troubled(self) -> bool:
        """Whether the user should hear of the file: it failed, is missing, or some of its records were refused."""
        return bool(self.reason) or self.state in ("failed", "missing")


@dataclass(frozen=True, slots=True)
class AddReport:
    """What `add` did, file by file.

    `duplicates` are new files that have the bytes of another, or are the same paper as another that is one paper as a
    whole; their `reason` says of which. They were read and entered as those `added` were.
    `passed_over` counts the files inside folders that are not papers that can be read, by the ending of their names:
    those of other kinds, parts of LaTeX documents, XML and JSON of other kinds. `unread` says of papers that were added
    online why their full text could not be fetched, if it was wanted. `new_papers` is by how many papers the
    library has grown. `library` counts what the library holds afterwards. `unrecorded` are the names of failed files
    that it does not remember, such as pipes and identifiers.
    """

    added: tuple[LedgerRow, ...] = ()
    updated: tuple[LedgerRow, ...] = ()
    unchanged: tuple[LedgerRow, ...] = ()
    failed: tuple[LedgerRow, ...] = ()
    duplicates: tuple[LedgerRow, ...] = ()
    passed_over: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    new_papers: int = 0
    library: Mapping[str, int] = field(default_factory=dict)
    unrecorded: frozenset[str] = frozenset()

    @property
    def rows(self) -> tuple[LedgerRow, ...]:
        """All rows: added, updated, unchanged, failed, duplicates."""
        return self.added + self.updated + self.unchanged + self.failed + self.duplicates

    def _repr_html_(self) -> str:
        return show_record("html", "add_report", self)


@dataclass(frozen=True, slots=True)
class SummariseReport:
    """What `summarise` did.

    Attributes:
        summarised: id -> number of summary passages, of the papers that have new ones.
        failed: id -> why there is none.
        summaries: id -> the new ones of each.
        titles: id -> title, of the papers summarised and those that failed.
        already: how many papers had summaries, and were passed over.
        short: how many were passed over because there is too little text to make less of.
        left: how many were not come to.
        stopped: why the run ended before all were done; "" where it did not.
        model: that was asked; "" where none had to be.
        usage: what that took.
        notes: what the user should know.
    """

    summarised: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    summaries: Mapping[str, Sequence[Summary]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    already: int = 0
    short: int = 0
    left: int = 0
    stopped: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """Bytes of one part of a library: a table with its indexes, the search index, files; and for each passage."""

    kind: Literal["table", "index", "files", "cache"]
    name: str
    bytes: int
    per_passage: float


@dataclass(frozen=True, slots=True)
class BuiltParts:
    """Of what (`papers`, `passages`) the library has a map, and directions."""

    maps: tuple[str, ...]
    directions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Status:
    """The library in numbers, and its ledger.

    `space`: megabytes of the catalog, of the index and free on the disk. `last_add`: when the last run of `add` that
    read anything ended (`at`), how many `files` it read, and in how many `seconds`. `backups`: name -> megabytes of the
    backups in the library's folder that `library restore` made of the papers it replaced. `ignored`: settings
    of the library's own file that a library's folder does not set. `parts`: what takes how much space, largest first,
    where it was asked for.
    """

    path: str
    counts: Mapping[str, int]
    files: tuple[LedgerRow, ...]
    embedder: str
    index: str
    space: Mapping[str, float] = field(default_factory=dict)
    last_add: Mapping[str, Any] = field(default_factory=dict)
    backups: Mapping[str, float] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    parts: tuple[SpaceRow, ...] = ()

    def _repr_html_(self) -> str:
        return show_record("html", "status", self)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup: where it is, when it was made, what the library held then (as `Status.counts`).

    Attributes:
        left_out: what was there and was not written or, on restoring, not taken: `conspectus.toml`, `trigger NAME` …
    """

    path: str
    made: str
    counts: Mapping[str, int]
    megabytes: float
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of `doctor`: what was checked, whether it is well, and what to do if not."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What `doctor` found, in the order of its checks."""

    ok: bool = field(init=False)
    """Whether all is well."""
    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "ok", not self.failed)

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What is not well."""
        return tuple(finding for finding in self.findings if not finding.ok)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How many embeddings were computed, and what the index holds, in words."""

    embedded: int
    index: str


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting, as it may be shown: of a secret no more than whether there is one (`***`).

    Attributes:
        name: `group.name`.
        origin: where it was set: `default`, `flag`, a variable of the environment, or a file.
        type: what it may be, in words.
        doc: what it means.
        choices: the values that it can have; none: others too.
        fixed: why it is not set over the network; "" where it is.
        ignored: the library's own file, if it sets this and may not; "" otherwise.
    """

    name: str
    value: str | int | float | bool
    origin: str
    default: str | int | float | bool
    type: str
    doc: str
    choices: tuple[str, ...] = ()
    fixed: str = ""
    ignored: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """How a small call to a model went: what it said, and, where it did not answer, what to do."""

    model: str
    ok: bool
    detail: str
    remedy: str = ""
