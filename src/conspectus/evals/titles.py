"""The titles of papers that a result names. Results keep none, so that a removed paper leaves no words in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from conspectus.core.errors import ConspectusError, NotFoundError
from conspectus.evals.records import Result
from conspectus.library import Library


def titles(result: Result, names: Iterable[str]) -> dict[str, str]:
    """Name -> title (of a paper without one the beginning of its abstract), where the library is there and has it."""
    wanted = list(names)
    if not wanted or result.library is None or not (Path(result.library.folder) / "catalog.sqlite").is_file():
        return {}
    prefix = f"{result.dataset}:" if result.kind == "retrieval" else ""
    found = {}
    try:
        with Library(result.library.folder, create=False) as library:
            for name in wanted:
                try:
                    paper = library.paper(f"{prefix}{name}")
                except NotFoundError:
                    continue
                found[name] = paper.title or f"{paper.abstract[:80]}…"
    except ConspectusError:  # a library that cannot be opened now: the names alone are shown
        return found
    return found
