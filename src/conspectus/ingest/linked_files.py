"""Links between papers: files that records name as the same paper, and references to papers of the library."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from conspectus.core.groups import grouped
from conspectus.ingest.files import lies_in
from conspectus.ingest.paper_groups import group
from conspectus.parse.registry import is_one_paper, readers
from conspectus.parse.text.titles import same_title
from conspectus.records import CitedWork, Paper, ParsedPaper, Reference, normal_name
from conspectus.store.catalog import Catalog
from conspectus.store.rows import StoredDocument

MAX_HELD = 20_000
"""Records of one file that name files and wait for its end. Those behind count as records that name none."""
_ANYBODYS = (".txt", ".text", ".md", ".markdown")


def why_not(record: str, path: str, roots: Sequence[str] = ()) -> str:
    """Why the file at `path`, which a record in the file `record` names, is not added; "" if it is.

    It has to be a regular file with the ending of a kind that is one paper, on this machine, and lie in the folder of
    the record's own file, in one of `roots`, or below, so that a bibliography from somebody else cannot gather what is
    all over the disk. Endings that any text may have are added only from the folder of the record's own file.
    """
    if path.startswith(("//", "\\\\")):
        return "lies on another machine"
    if not os.path.isfile(path):  # noqa: PTH113 - false for names that no path can have, without an error
        return "is not there"
    name = path.lower()
    papers = tuple(suffix for reader in readers() if reader.one_paper for suffix in reader.suffixes)
    if not (name.endswith(papers) and is_one_paper(Path(path))):
        return "is of a kind that is not added"
    if lies_in(path, [Path(record).parent]):
        return ""
    if os.path.realpath(path).lower().endswith(_ANYBODYS):
        return "is a text outside the folder of the record and is not added"
    return "" if lies_in(path, roots) else "is outside the folder of the record; name it, or set sources.roots"


@dataclass(slots=True)
class HeldRecords:
    """The records of one file that name files, kept until all are known."""

    items: list[tuple[int, ParsedPaper]] = field(default_factory=list)

    def hold(self, ordinal: int, item: ParsedPaper) -> bool:
        """Keeps a record; False if there are too many."""
        if len(self.items) >= MAX_HELD:
            return False
        self.items.append((ordinal, item))
        return True

    def settle(self, path: str) -> Iterator[tuple[int, ParsedPaper, tuple[str, ...], tuple[str, ...]]]:
        """(ordinal, paper, all files it names, those it shares with other papers) of each record.

        A file that several papers name (the proceedings with all of them in it) is none's own, and `paper` does not
        name it any more.
        """
        documents = [StoredDocument(0, path, "", ordinal, b"", item) for ordinal, item in self.items]
        path_lists = [document.linked for document in documents]
        shared = _shared(documents, path_lists)
        self.items = []
        for document, paths in zip(documents, path_lists, strict=True):
            several = tuple(file_path for file_path in paths if file_path in shared)
            paper = document.parsed
            if several:
                paper = replace(paper, files=tuple(file_path for file_path in paths if file_path not in shared))
            yield document.ordinal, paper, paths, several


def _shared(documents: Sequence[StoredDocument], path_lists: Iterable[Sequence[str]]) -> set[str]:
    """The paths that records of different papers name."""
    members = grouped((path, number) for number, paths in enumerate(path_lists) for path in paths)
    shared = set()
    for path, numbers in members.items():
        if len(numbers) > 1:
            plain = [replace(documents[n], parsed=replace(documents[n].parsed, files=())) for n in numbers]
            if len(group(plain).groups) > 1:
                shared.add(path)
    return shared


IDENTIFIERS = ("doi", "arxiv_id", "pmid")
_LEAST_WORDS = 3
"""Shorter titles are shared by works that have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class ReferencedPapers:
    """The papers that a reference can mean: by its identifiers' names, and those of its title."""

    by_identifier: Mapping[str, Paper]
    titled: tuple[Paper, ...]


def candidates(
    catalog: Catalog, references: Sequence[Reference], titles: Callable[[Reference], Iterable[str]]
) -> list[ReferencedPapers]:
    """The papers that each reference can mean; `titles` gives the titles to look for, as `normal_name` has them."""
    title_lists = [list(titles(reference)) for reference in references]
    known = catalog.papers_known_as(name for reference in references for name in identities(reference))
    titled = catalog.papers_titled(title for names in title_lists for title in names)
    keys = sorted({key for group in (known, titled) for paper_keys in group.values() for key in paper_keys})
    papers = catalog.papers_by_key(keys)
    candidate_papers = []
    for reference, names in zip(references, title_lists, strict=True):
        claims = {scheme: [papers[key] for key in known.get((scheme, value), ()) if key in papers]
                  for scheme, value in identities(reference)}  # fmt: skip
        paper_keys = dict.fromkeys(key for name in names for key in titled.get(name, ()))
        paper_by_scheme = {
            scheme: paper for scheme, claiming in claims.items() if (paper := _find_claimant(reference, claiming))
        }
        candidate_papers.append(
            ReferencedPapers(paper_by_scheme, tuple(papers[key] for key in paper_keys if key in papers))
        )
    return candidate_papers


def cited_works(catalog: Catalog, references: Sequence[Reference]) -> tuple[CitedWork, ...]:
    """Each reference with the paper that it is: one that shares an identifier, else the one of the same title.

    A title counts if it has three words and no other paper of the library has it, and the years, where both are known,
    are at most one apart: preprints appear before the article.
    """
    matches = candidates(catalog, references, lambda reference: filter(None, [_title(reference)]))
    return tuple(
        CitedWork(reference, *_link(reference, can)) for reference, can in zip(references, matches, strict=True)
    )


def _link(reference: Reference, can: ReferencedPapers) -> tuple[str, str]:
    for scheme, paper in can.by_identifier.items():
        return paper.id, scheme
    if len(can.titled) == 1 and same_time(reference.year, can.titled[0].year):
        return can.titled[0].id, "title"
    return "", ""


def _find_claimant(reference: Reference, claiming: Sequence[Paper]) -> Paper | None:
    """The paper that an identifier means: where several claim it, the only one of the reference's title, if any."""
    if len(claiming) > 1:
        claiming = [paper for paper in claiming if same_title(paper.title, reference.title)]
    return claiming[0] if len(claiming) == 1 else None


def identities(reference: Reference) -> list[tuple[str, str]]:
    """The identifiers of a reference as the catalog has them: (name, value)."""
    return [(name, value.lower()) for name in IDENTIFIERS if (value := getattr(reference, name))]


def same_time(ours: int | None, other: int | None) -> bool:
    """Whether two years can be one work's: at most one apart, or one of them not known."""
    return ours is None or other is None or abs(ours - other) <= 1


def _title(reference: Reference) -> str:
    title = normal_name(reference.title)
    return title if len(title.split()) >= _LEAST_WORDS else ""
