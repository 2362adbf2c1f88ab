"""The map of 350,000 abstracts: how long beside t-SNE alone, in what memory; how fast papers are placed and maps read.

    python benchmarks/atlas_scale.py [--papers N] [--method pca] [fill] [alone] [fit] [place] [read] [topics] [json]

Without names of parts: all. Each part is a process of its own, so that its memory is.

* fill: papers with title and year, of each a passage with a vector that costs next to nothing (the sum of a fixed
  random vector for each of its words), and instead of its key phrases the first ten pairs of its
  longer words; written to the catalog by its own functions. There are no documents, identifiers, vectors of words, or
  search index: no map reads them.
* alone: openTSNE as it comes, on the vectors to which the map is fitted, which are read before.
* fit: `library.map.build()` where there is no map, from the start of the process; with `--method pca` it is all that a
  map takes but t-SNE. * place: the same with 1,000 more papers, written before. * read: the map as it is stored.
* topics, json: the commands `map topics` and `map show --to FILE.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import corpora
import numpy as np
from scale import abstracts
from sqlalchemy import Connection, delete, insert

from conspectus import Library
from conspectus.ingest.derivations.facts import KeyPhrases, PositionRows
from conspectus.ingest.paper_merge import paper_id
from conspectus.map import sql as kept
from conspectus.models.minilm import BASIS_FILE, SPEC
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.models.store import ModelStore
from conspectus.records import Metadata
from conspectus.records.passage import text_digest
from conspectus.store import derivations, map_tables, schema, vectors
from conspectus.store.codec import pack_metadata, pack_spans
from conspectus.store.connection import keys_by_id, transact
from conspectus.store.derivations import Derived

MORE, BATCH = 1000, 5000
PHRASES = KeyPhrases()
FOLDER = corpora.WORK / "atlas-scale"
PARTS = ("fill", "alone", "fit", "place", "read", "topics", "json")


class Static:
    """Stands for an embedder whose vectors are there already."""

    id = "static/1"
    dimensions = 384

    def __init__(self) -> None:
        path = corpora.WORK / "scale" / "pieces.npy"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, np.random.default_rng(0).standard_normal((2**15, 384)).astype(np.float32))
        self.pieces = np.load(path)
        self._basis = np.load(ModelStore().path(SPEC) / BASIS_FILE)
        short = self.pieces @ self._basis
        self._short = np.rint(short / np.linalg.norm(short, axis=1, keepdims=True) * 127).astype(np.int8)

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        return map(self.embed_query, texts)

    def embed_query(self, text: str) -> Embedding:
        found = [(match.start(), hash_of(match[0])) for match in re.finditer(r"\w{3,}", text.lower())] or [(0, 0)]
        rows = np.array([number for _, number in found])
        total = self.pieces[rows].sum(axis=0)
        starts = np.array([start for start, _ in found], np.uint32)
        vector = np.asarray(total / np.linalg.norm(total), np.float32)
        return Embedding(vector, TokenVectors(starts, self._short[rows]))


def hash_of(word: str) -> int:
    """A number below 2**15, the same in every process."""
    value = 0
    for letter in word:
        value = (value * 31 + ord(letter)) & 0x7FFF
    return value


_number = lru_cache(2**18)(hash_of)


def write(library: Library, records: Iterator[dict[str, Any]]) -> int:
    """Write papers straight to the catalog; returns how many."""
    catalog, embedder, done = library.session.catalog, Static(), 0
    while some := list(islice(records, BATCH)):
        by_id = {paper_id(("arxiv_id", record["id"])): record for record in some}
        transact(catalog.engine, lambda connection, by_id=by_id: _put(connection, embedder, by_id))
        done += len(by_id)
        print(f"{done} papers", file=sys.stderr)
    return done


def _put(connection: Connection, embedder: Static, by_id: dict[str, dict[str, Any]]) -> None:
    texts = {name: f"{record['title']}\n{record['abstract']}" for name, record in by_id.items()}
    made = [
        (Metadata(title=one["title"], abstract=one["abstract"], year=one.get("year"), external_id=one["id"]), name)
        for name, one in by_id.items()
    ]
    papers = [
        {
            **{"id": name, "external_id": one.external_id, "title": one.title, "year": one.year},
            **{"has_full_text": False, "metadata": pack_metadata(one)},
        }
        for one, name in made
    ]
    connection.execute(insert(schema.papers), papers)
    keys = keys_by_id(connection, schema.papers, list(by_id))
    passages = [
        {
            **{"id": f"{name}.p1", "paper_key": keys[name], "ordinal": 1, "kind": "abstract", "section": ""},
            **{"text": text, "spans": pack_spans(())},
        }
        for name, text in texts.items()
    ]
    connection.execute(insert(schema.passages), passages)
    rows = keys_by_id(connection, schema.passages, [f"{name}.p1" for name in by_id])
    embedded = ((rows[f"{name}.p1"], text_digest(text), _vector(embedder, text)) for name, text in texts.items())
    vectors.save_vectors(connection, embedder.id, embedded)
    phrases = {keys[name]: (_phrases(one), [{"published": one.published, "cited_by": None}]) for one, name in made}
    digests = {keys[name]: text_digest(text) for name, text in texts.items()}
    derivations.save_derivation(
        connection, Derived(PHRASES.name, PHRASES.version, PHRASES.parts, phrases, digests), set(keys.values())
    )


def _vector(embedder: Static, text: str) -> Embedding:
    """As `Static` embeds, without vectors of words."""
    total = embedder.pieces[[_number(word) for word in re.findall(r"\w{3,}", text.lower())] or [0]].sum(axis=0)
    return Embedding(np.asarray(total / np.linalg.norm(total), np.float32))


def _phrases(paper: Metadata) -> list[dict[str, Any]]:
    words = re.findall(r"[a-z]{5,}", f"{paper.title} {paper.abstract}".lower())
    pairs = list(dict.fromkeys(f"{one} {other}" for one, other in pairwise(words)))[:10]
    return [{"rank": rank, "term": pair, "text": pair, "score": 1 / rank} for rank, pair in enumerate(pairs, 1)]


def fill(folder: Path, papers: int, _: str) -> dict[str, Any]:
    with Library(folder, embedder=Static()) as library:
        return {"papers": write(library, islice(abstracts(), papers))}


def alone(folder: Path, *_: Any) -> dict[str, Any]:
    from openTSNE import TSNE

    from conspectus.map.projection import SEED
    from conspectus.store.text_vectors import papers_with_vectors, sample_texts

    with Library(folder, embedder=Static()) as library:
        catalog, most = library.session.catalog, library.session.settings.atlas.sample
        keys = papers_with_vectors(catalog, Static.id).tolist()
        sample = sample_texts(catalog, Static.id, "papers", keys, most, SEED).vectors
    began, cpu = time.perf_counter(), time.process_time()
    TSNE(n_jobs=-1, random_state=SEED).fit(np.ascontiguousarray(sample))
    seconds = time.perf_counter() - began
    return {"texts": len(sample), "its own seconds": seconds, "its own CPU": time.process_time() - cpu}


def fit(folder: Path, _: int, method: str) -> dict[str, Any]:
    with Library(folder, embedder=Static()) as library:
        found = library.map.build(method=method)
    return {"papers": len(found), "fitted": found.fitted, "regions": len(found.regions)}


def place(folder: Path, *_: Any) -> dict[str, Any]:
    with Library(folder, embedder=Static()) as library:
        return {"papers": len(library.map.build())}


def read(folder: Path, *_: Any) -> dict[str, Any]:
    with Library(folder, embedder=Static()) as library:
        return {"papers": len(library.map.show(update=False))}


def clear(connection: Connection) -> None:
    """Let there be no map."""
    of_maps = schema.derivations.c.name == PositionRows().name
    for table in (map_tables.positions, map_tables.regions, map_tables.maps):
        connection.execute(delete(table))
    connection.execute(delete(schema.derivations).where(of_maps))


def before(name: str, folder: Path) -> None:
    """What a part begins with."""
    if name == "fill":
        shutil.rmtree(folder, ignore_errors=True)
        return
    with Library(folder, embedder=Static()) as library:
        if name == "fit":
            transact(library.session.catalog.engine, clear)
        elif name == "place":
            there = kept.count_papers(library.session.catalog)
            write(library, islice(abstracts(), there, there + MORE))


RUN = {"fill": fill, "alone": alone, "fit": fit, "place": place, "read": read}
COMMANDS = {"topics": ["topics"], "json": ["show", "--to"]}


def part(name: str, folder: Path, papers: int, method: str) -> None:
    """Run a part in a process of its own, and print what it took."""
    command = [sys.executable, __file__, "--part", name, "--papers", str(papers), "--folder", str(folder)]
    command += ["--method", method]
    if name in COMMANDS:
        command = [sys.executable, "-m", "conspectus", "--library", str(folder), "map", *COMMANDS[name]]
        command += [str(folder.parent / "map.json")] if name == "json" else []
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{name} failed.")
    found = json.loads(said.splitlines()[-1]) if name in RUN else {}
    told = ", ".join(f"{value:,.0f} {what}" for what, value in found.items())
    seconds, cpu = time.perf_counter() - began, used.ru_utime + used.ru_stime
    print(
        f"{name:6} {seconds:7.1f} s, {cpu:7.1f} s of CPU, {used.ru_maxrss / 1024:6,.0f} MB at most; {told}", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []])
    parser.add_argument("--papers", type=int, default=350_000)
    parser.add_argument("--method", choices=["tsne", "umap", "pca"], default="tsne")
    parser.add_argument("--part", choices=list(RUN), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    folder = asked.folder or FOLDER / f"library-{asked.papers}"
    if asked.part:
        print(json.dumps(RUN[asked.part](folder, asked.papers, asked.method)))
        return
    for name in asked.parts or PARTS:
        before(name, folder)
        part(name, folder, asked.papers, asked.method)


if __name__ == "__main__":
    main()
