"""All that a library holds, by names that do not depend on how it came to hold it, so that two can be compared."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
import numpy as np
from sqlalchemy import select

from conspectus import Filters, Library
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.store import schema
from conspectus.store.codec import unpack_metadata, unpack_parsed, unpack_spans

Natural = dict[str, Any]


def paper_names(library: Library) -> dict[str, str]:
    """Paper id -> the name that the paper has here, whatever happened."""
    with library.session.catalog.engine.connect() as connection:
        rows = {
            table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
            for table in (schema.papers, schema.identifiers)
        }
    names = _paper_names(rows)
    return {row["id"]: names[row["key"]] for row in rows["papers"]}


def dump_library(library: Library, words: Iterable[str], *, scores: bool = True, dois: bool = True) -> Natural:
    """Every row of every table, and the index: its passages, codes, columns, and how it finds `words`.

    Keys are left out, and papers without a DOI are called by what they are known by: their ids come from the first of
    these, and which was the first depends on what happened. Without `dois` so are those that got theirs later.
    """
    engine = library.session.catalog.engine
    with engine.connect() as connection:
        rows = {
            table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
            for table in schema.metadata.sorted_tables
        }
    names = _paper_names(rows, dois=dois)
    ids = {row["id"]: names[row["key"]] for row in rows["papers"]}
    passages = {row["key"]: _renamed(row["id"], ids) for row in rows["passages"]}
    paths = {row["key"]: row["path"] for row in rows["files"]}
    models = {row["key"]: row["id"] for row in rows["models"]}

    def vectors(table: str, *columns: str) -> Any:
        return sorted(
            (passages[row["passage_key"]], models[row["model_key"]], *(bytes(row[name]) for name in columns))
            for row in rows[table]
        )

    return {
        "papers": {names[row["key"]]: _paper(row) for row in rows["papers"]},
        "identifiers": sorted((row["scheme"], row["value"], names[row["paper_key"]]) for row in rows["identifiers"]),
        "facets": sorted((names[row["paper_key"]], row["facet"], row["term"]) for row in rows["facets"]),
        "documents": _documents(rows["documents"], names, paths),
        "passages": sorted(_passage(row, names, ids) for row in rows["passages"]),
        "vectors": vectors("vectors", "digest", "vector"),
        "token_vectors": vectors("token_vectors", "starts", "vectors"),
        "models": sorted((row["id"], row["dimensions"]) for row in rows["models"]),
        "cut": next((row["value"] for row in rows["meta"] if row["name"] == "cut"), ""),
        "derived": _derived(rows, names),
        "summaries": sorted(_summary(row, passages, ids) for row in rows["summaries"]),
        **_index(library.session.index, passages, words, scores),
        "summary index": _index(library.session.index.beside("summaries"), passages, words, scores),
    }


def _derived(rows: Mapping[str, list[dict[str, Any]]], names: Mapping[int, str]) -> Any:
    """The rows of all derivations, whatever there are, and what is noted of them."""
    made = {row["key"]: (row["name"], row["version"]) for row in rows["derivations"]}
    noted = [(names[row["paper_key"]], *made[row["derivation_key"]], row["digest"]) for row in rows["derived"]]
    found = {"noted": sorted(noted)}
    for part in (part for one in DERIVATIONS for part in one.parts):
        owner = "key" if part.columns else "paper_key"
        columns = [name for name in part.columns or part.table.columns.keys() if name not in ("key", "paper_key")]
        said = [(names[row[owner]], *(repr(row[name]) for name in columns)) for row in rows[part.table.name]]
        found[f"{part.table.name} {part.values}"] = sorted(said)
    return found


def _paper_names(rows: Mapping[str, list[dict[str, Any]]], *, dois: bool = True) -> dict[int, str]:
    known: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in rows["identifiers"]:
        known[row["paper_key"]].append((row["scheme"], row["value"]))
    with_doi = {key for key, names in known.items() if dois and any(scheme == "doi" for scheme, _ in names)}
    keys = {row["key"]: row["id"] for row in rows["papers"]}
    return {key: name if key in with_doi else repr(sorted(known[key])) for key, name in keys.items()}


def _renamed(name: str, ids: Mapping[str, str]) -> str:
    paper, _, rest = name.partition(".")
    return f"{ids[paper]}.{rest}"


def _paper(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["external_id"], row["title"], row["year"], row["has_full_text"], unpack_metadata(row["metadata"])


def _documents(rows: list[dict[str, Any]], names: Mapping[int, str], paths: Mapping[int, str]) -> Any:
    """What each file says, in its order; the numbers of records move when others before them go."""
    found: dict[str, list[Any]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["ordinal"], row["key"])):
        parsed = unpack_parsed(row["parsed"])
        said = names[row["paper_key"]], row["ordinal"] == 0, bytes(row["digest"]), parsed
        found[paths[row["file_key"]]].append(said)
    return dict(found)


def _passage(row: Mapping[str, Any], names: Mapping[int, str], ids: Mapping[str, str]) -> tuple[Any, ...]:
    spans = tuple(
        (_renamed(span.id, ids), span.start, span.end, span.text, span.places, span.recognised)
        for span in unpack_spans(row["spans"], row["text"], row["id"].partition(".")[0])
    )
    place = names[row["paper_key"]], row["ordinal"], _renamed(row["id"], ids)
    return (*place, row["kind"], row["section"], row["text"], spans)


def _summary(row: Mapping[str, Any], passages: Mapping[int, str], ids: Mapping[str, str]) -> tuple[Any, ...]:
    """A summary, but for when it was made, and the digest of ids that it is held against."""
    _, links = msgspec.msgpack.decode(row["links"])
    named = [[_renamed(name, ids) for name in names] for names in links]
    return passages[row["passage_key"]], row["model"], row["prompt"], named


def _index(index: EmbeddedIndex, passages: Mapping[int, str], words: Iterable[str], scores: bool) -> Natural:
    current = index._current()
    wanted = sorted(set(words))
    if current is None or not current.stats.rows:
        return {"codes": [], "columns": [], "frequencies": [0] * len(wanted), "found": {word: [] for word in wanted}}
    columns, codes = current.vectors.columns, current.vectors._codes()
    facets: dict[int, list[int]] = defaultdict(list)
    for row, term in zip(columns.facet_rows.tolist(), columns.facet_terms.tolist(), strict=True):
        facets[row].append(term)
    called = [passages.get(key, f"{key} of nothing") for key in columns.keys.tolist()]
    values = zip(columns.years.tolist(), columns.kinds.tolist(), columns.full_text.tolist(), strict=True)
    return {
        "codes": sorted((name, codes.reconstruct(row).tobytes()) for row, name in enumerate(called)),
        "columns": sorted(
            (name, *value, sorted(facets[row])) for row, (name, value) in enumerate(zip(called, values, strict=True))
        ),
        "frequencies": index.frequencies(wanted),
        "found": {word: _found(index, word, passages, scores) for word in wanted},
    }


def _found(index: EmbeddedIndex, word: str, passages: Mapping[int, str], scores: bool) -> list[tuple[str, float]]:
    hits = index.search_text(word, 1000, Filters())
    return sorted((passages[hit.key], float(np.round(hit.score, 5)) if scores else 0.0) for hit in hits)
