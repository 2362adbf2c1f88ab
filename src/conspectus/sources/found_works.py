"""Works of several services as one list: what is the same work stands once, with what each service says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from conspectus.ingest.work_identity import has_distinct_title, title_is_shared, title_tells
from conspectus.parse.text.titles import title_words
from conspectus.records import Metadata, normal_name
from conspectus.records.sources import FoundWork
from conspectus.services.identifiers import identifiers_of

RANK_OFFSET = 60
"""k of reciprocal rank fusion (Cormack and others 2009, https://doi.org/10.1145/1571941.1572114)."""


def same_works(records: Sequence[Metadata]) -> list[list[int]]:
    """The records of each work, by their numbers, in the order of the first of each.

    Records are of one work if they share an identifier and have no two DOIs; or if title, first author and year are the
    same, no identifiers of one kind differ, and the title tells a work: "Preface" does not, nor does one that several
    works here have.
    """
    titles: dict[object, list[Metadata]] = {}
    for record in records:
        titles.setdefault(_title_name(record), []).append(record)
    shared = {name for name, own in titles.items() if name is None or title_is_shared(own)}
    work_of: dict[object, int] = {}
    groups: list[list[int]] = []
    for number, record in enumerate(records):
        title = _title_name(record)
        known = (work_of[name] for name in identifiers_of(record) if name in work_of)
        group = next(
            (one for one in known if not _differ(record, [records[own] for own in groups[one]], ("doi",))), None
        )
        if group is None and title not in shared and title in work_of:
            others = [records[own] for own in groups[work_of[title]]]
            if not _differ(record, others, _SCHEMES) and any(title_tells(record, other) for other in others):
                group = work_of[title]
        if group is None:
            group = len(groups)
            groups.append([])
        groups[group].append(number)
        for name in (*identifiers_of(record), title):
            work_of.setdefault(name, group)
    return groups


_SCHEMES = ("doi", "pmid", "pmcid", "arxiv_id", "bibcode")


def _differ(record: Metadata, others: Sequence[Metadata], schemes: Sequence[str]) -> bool:
    """Whether a record has an identifier of one of the schemes where all others that have one have another."""
    own = {one.scheme: one.value for one in identifiers_of(record)}
    theirs = {(one.scheme, one.value) for other in others for one in identifiers_of(other)}
    kinds = {scheme for scheme, _ in theirs}
    return any(scheme in own and scheme in kinds and (scheme, own[scheme]) not in theirs for scheme in schemes)


def _title_name(record: Metadata) -> object:
    """By what a record is found by its title; None where that is many works'."""
    if not record.year or not record.authors or not has_distinct_title(record):
        return None
    return tuple(title_words(record.title)), normal_name(record.authors[0].surname), record.year


def combine(records: Sequence[Metadata]) -> Metadata:
    """One record of several: each field from the first that says it."""
    values: dict[str, Any] = {}
    for field in fields(Metadata):
        values[field.name] = next(filter(None, (getattr(one, field.name) for one in records)), field.default)
    values["extra"] = {key: value for one in reversed(records) for key, value in one.extra.items()}
    return replace(records[0], **values)


def rank_works(
    found: Mapping[str, Sequence[Metadata]], k: int, papers_of: Callable[[Sequence[Sequence[Metadata]]], list[str]]
) -> tuple[tuple[FoundWork, ...], list[list[Metadata]]]:
    """The best `k` works by reciprocal rank fusion, and all records of each.

    Args:
        found: service -> its works, best first.
        k: how many.
        papers_of: for the records of each work, the id of the paper of the library that they are of; "": none.
    """
    listed = [(place, work) for works in found.values() for place, work in enumerate(works)]
    records = [work for _, work in listed]
    groups = same_works(records)
    score = {id(group): sum(1 / (RANK_OFFSET + listed[number][0]) for number in group) for group in groups}
    best = sorted(groups, key=lambda group: -score[id(group)])[:k]
    chosen = [[records[number] for number in group] for group in best]
    known = enumerate(zip(chosen, papers_of(chosen), strict=True), 1)
    return tuple(_work_at(rank, own, paper) for rank, (own, paper) in known), chosen


def _work_at(rank: int, records: Sequence[Metadata], in_library: str) -> FoundWork:
    services = tuple(dict.fromkeys(str(one.extra["service"]) for one in records))
    is_open = any(one.extra.get("full_text") for one in records)
    paper = combine(records)
    return FoundWork(rank, services[0], services, paper, in_library, is_open, paper.publication_status == "retracted")
