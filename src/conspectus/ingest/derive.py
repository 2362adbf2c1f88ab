"""What is derived of a paper: when it is stored, and later of those that an earlier version has stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from sqlalchemy import Connection

from conspectus.catalog import derived, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.ingest.blame import sparing
from conspectus.ingest.progress import Progress, ProgressCallback, silent
from conspectus.parse.keyphrases import READ, key_phrases
from conspectus.records import KeyPhrase, Metadata, Passage

BATCH = 500


def phrases_of(metadata: Metadata, own: Iterable[Passage]) -> tuple[KeyPhrase, ...]:
    """The key phrases of a paper with these passages of its own: of its abstract, else of how its text begins."""
    return key_phrases(metadata.title, metadata.abstract or _beginning(own))


def _beginning(own: Iterable[Passage]) -> str:
    """The first sentences, each once, for passages share some."""
    found: dict[str, str] = {}
    length = 0
    for passage in own:
        for span in passage.spans:
            if span.id not in found:
                found[span.id] = span.text
                length += len(span.text)
        if length > READ:
            break
    return "\n\n".join(found.values())


def derive_missing(catalog: Catalog, progress: ProgressCallback = silent) -> int:
    """Derive what papers lack that an earlier version has stored, batch by batch; returns of how many.

    The caller holds the library's writer lock, and has the index follow. Nothing is read or embedded again.
    """
    total, done, last = derived.count_lacking(catalog), 0, 0
    while done < total and (keys := derived.lacking(catalog, last, BATCH)):
        last = keys[-1]
        sparing(partial(_derive, catalog), keys)  # a paper that fails goes on lacking them, which `doctor` tells
        done += len(keys)
        progress(Progress("finding key phrases", done, total, "papers"))
    return done


def _derive(catalog: Catalog, keys: Sequence[int]) -> None:
    papers = catalog.papers_by_key(keys)
    passages: dict[int, list[Passage]] = {key: [] for key, paper in papers.items() if not paper.abstract}
    for stored in catalog.passages_of(list(passages)).values():
        passages[stored.paper_key].append(stored.passage)
    rows = [
        (key, paper, phrases_of(paper, sorted(passages.get(key, ()), key=lambda one: one.ordinal)))
        for key, paper in papers.items()
    ]

    def put(connection: Connection) -> None:
        derived.replace(connection, rows)
        writer.bump(connection)
        writer.note_facets(connection)

    transact(catalog.engine, put)
