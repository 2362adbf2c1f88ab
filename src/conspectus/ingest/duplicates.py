"""Which of the files that were just added are the same as others: by their bytes, or as the same paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.rows import Document

_LINK = "link"


def duplicates(catalog: Catalog, added: Mapping[str, str], twins: Mapping[str, str]) -> dict[str, str]:
    """Path -> what it is a duplicate of, in words, of those files that are.

    Args:
        catalog: the files and what was read of them are in it.
        added: path -> SHA-256 of the new files, in the order in which they were named: the first of several is none.
        twins: path -> a file of the same bytes that was there before.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for path, sha in added.items():
        other = first.setdefault(sha, twins.get(path, path))
        if other != path and other not in found:
            found[path] = f"duplicate of '{other}' (the same bytes)"
    return found | _same_papers(catalog, [path for path in added if path not in found], added)


def _same_papers(catalog: Catalog, paths: Sequence[str], added: Mapping[str, str]) -> dict[str, str]:
    """Of files that are one paper as a whole those whose paper another such file had before.

    A record that names several files means article and supplements, which are no duplicates.
    """
    owners = catalog.papers_at(paths)
    wholes = catalog.wholes(sorted(set(owners.values())))
    place = {path: number for number, path in enumerate(added)}
    found: dict[str, str] = {}
    for key, several in wholes.items():
        if len(several) < 2:
            continue
        said = catalog.documents_of_one(key)
        documents = {one.path: one for one in said if not one.ordinal}
        named = {path for one in said for path in one.linked}
        ordered = sorted((path for path in several if path in documents), key=lambda path: place.get(path, -1))
        for number, path in enumerate(ordered):
            earlier = (one for one in ordered[:number] if _alike(documents[one], documents[path]))
            if owners.get(path) == key and path not in named and (other := next(earlier, "")):
                found[path] = f"duplicate of '{other}' (the same paper)"
    return found


def _alike(one: Document, other: Document) -> bool:
    """Whether two documents are of one paper for what they say themselves."""
    mine, its = ({name for name in it.identities if name[0] != _LINK} for it in (one, other))
    return not mine.isdisjoint(its)
