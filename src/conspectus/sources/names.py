"""Identifiers and links among what is added: looked up online, kept as records."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import UsageError
from conspectus.parse.registry import readers
from conspectus.records import LedgerRow, Metadata
from conspectus.services.identifiers import read_identifier
from conspectus.services.pool import ServicePool, check_online
from conspectus.session.session import Session
from conspectus.sources.online_works import FullTexts, fetch_full_texts, group_works, keep_records

_PREFIXED = re.compile(r"(?:doi|arxiv|pmid|pmcid|bibcode|openalex|s2|orcid):", re.I)
_NO_IDENTIFIER = "This is not a paper identifier, nor a link from which one can be recognised."


@dataclass(frozen=True, slots=True)
class FetchedNames:
    """What became of names: files to add, rows of those that failed, and why full texts could not be fetched."""

    paths: Sequence[Path]
    failed: tuple[LedgerRow, ...]
    unread: tuple[str, ...] = ()


def names_work(name: str) -> bool:
    """Whether a name that is added is an identifier of a paper or an address, and no file."""
    if "://" in name or (_PREFIXED.match(name) and not os.path.lexists(possible_path(name))):
        return True
    suffixes = {suffix for reader in readers() for suffix in reader.suffixes}
    is_file = Path(name).suffix.lower() in suffixes or os.path.lexists(possible_path(name))
    return not is_file and read_identifier(name) is not None


def fetch_names(
    session: Session, names: Sequence[str], found_for: str, full_text: bool, online: bool | None
) -> FetchedNames:
    """Look works up and keep what is said of them in the library's folder.

    Args:
        session: the open library.
        names: identifiers and links.
        found_for: the question or search that brought them.
        full_text: whether open copies are fetched, too.
        online: as of `Library.add`.
    """
    settings = session.settings.sources
    try:
        check_online(settings, online)
    except UsageError as error:
        why = f"{error.message} {error.hint}"
        return FetchedNames((), tuple(LedgerRow(name, "failed", why) for name in names))
    pool = ServicePool(settings)
    meant = {name: read_identifier(name) for name in dict.fromkeys(names)}
    told = pool.look_up(one for one in meant.values() if one)
    failed: list[LedgerRow] = []
    works: list[Metadata] = []
    for name, identifier in meant.items():
        if identifier is None:
            failed.append(LedgerRow(name, "failed", _NO_IDENTIFIER))
        elif identifier in told.found:
            works.append(told.found[identifier])
        else:
            failed.append(LedgerRow(name, "failed", told.problems[identifier], identifier in told.away))
    grouped = group_works(works)
    fetched = fetch_full_texts(session, pool, grouped) if full_text else FullTexts()
    paths = keep_records(session, grouped, found_for, fetched.files)
    return FetchedNames(paths, tuple(failed), tuple(fetched.unread))
