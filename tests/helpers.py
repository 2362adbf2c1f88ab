"""A small embedder that needs no model, and short ways to write papers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
import sqlalchemy

from conspectus import Library
from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ConspectusError
from conspectus.index.index_files import LocalWrites
from conspectus.ingest.derivations.summaries import Condensed, SummaryOrigin, SummarySentenceRow, as_summaries, store
from conspectus.lexicon import STOP_WORDS
from conspectus.library import doctor
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.parse.process.pool import Limits, ParsedBatch, ReadingJob
from conspectus.parse.process.sanitizer import sanitize
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.references.completion import complete
from conspectus.parse.registry import get_reader
from conspectus.records import Finding, Paper, Passage
from conspectus.store.summaries import digest_of

DIMENSIONS = 32
HANG = 60.0
"""Seconds that only what hangs takes: a test that waits for something ends then, and nothing is measured by it."""


class HashEmbedder:
    """A real embedder of a poor kind: the sum of a fixed random vector for each word. Counts what it embeds."""

    def __init__(self, name: str = "hash/1", dimensions: int = DIMENSIONS, *, words: bool = True) -> None:
        self.id = name
        self.dimensions = dimensions
        self.embedded: list[str] = []
        self._words = words

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        for text in texts:
            self.embedded.append(text)
            yield self.embed_query(text)

    def embed_query(self, text: str) -> Embedding:
        found = [(match.start(), match[0].lower()) for match in re.finditer(r"\w+", text)]
        content = [(start, word) for start, word in found if word not in STOP_WORDS]
        total = (
            np.sum([_word(word, self.dimensions) for _, word in content], axis=0)
            if content
            else _word("", self.dimensions)
        )
        vector = np.asarray(total / np.linalg.norm(total), np.float32)
        if not self._words:
            return Embedding(vector)
        rows = [np.rint(_word(word, 16) * 127) for _, word in content]
        tokens = np.array(rows, np.int8).reshape(len(rows), 16)
        return Embedding(vector, TokenVectors(np.array([start for start, _ in content], np.uint32), tokens))


@lru_cache(maxsize=10_000)
def _word(word: str, dimensions: int) -> FloatArray:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")
    vector = np.random.default_rng(seed).standard_normal(dimensions)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


class ToneEncoder:
    """Pictures as the mean colours of a grid of 4 × 4; it counts what it is asked."""

    dimensions = 48
    takes: frozenset[Literal["image", "text"]] = frozenset({"image"})

    def __init__(self, name: str = "tones/1") -> None:
        self.id, self.seen = name, 0

    def images(self, pictures: Iterable[Any]) -> Iterator[FloatArray]:
        """See `Encoder.images`."""
        for one in pictures:
            self.seen += 1
            yield np.asarray(one.convert("RGB").resize((4, 4), 4), np.float32).reshape(-1) + 1

    def text(self, words: str) -> FloatArray:
        """See `Encoder.text`: this one takes none."""
        raise NotImplementedError(words)


def open_library(
    folder: Path | str, embedder: Any = None, models: Any = None, encoder: Any = None, **settings: Any
) -> Library:
    """A library that embeds with `HashEmbedder` and reads in one process; settings as `group__name=value`.

    Its catalog is in SQLite, or on the server in `TEST_CATALOG_URL`, in a schema that belongs to the folder.
    """
    flags = {"parse.workers": 1, **catalog_flags(folder)} | {
        name.replace("__", "."): value for name, value in settings.items()
    }
    return Library(folder, flags, embedder=embedder or HashEmbedder(), models=models, encoder=encoder)


def catalog_flags(folder: Path | str) -> dict[str, str]:
    """The settings that name the catalog of the library in `folder`."""
    url = os.environ.get("TEST_CATALOG_URL")
    name = hashlib.blake2b(os.fsencode(Path(folder).absolute()), digest_size=8).hexdigest()
    return {"catalog.url": url, "catalog.schema": f"t_{name}"} if url else {}


def table_rows(library: Library) -> dict[str, list[tuple[Any, ...]]]:
    """Table -> rows, as another program sees them."""
    engine = library.session.catalog.engine
    with engine.connect() as connection:
        return {
            name: [tuple(row) for row in connection.execute(sqlalchemy.text(f'SELECT * FROM "{name}"'))]
            for name in sqlalchemy.inspect(engine).get_table_names()
        }


@contextmanager
def statements(library: Library) -> Iterator[list[str]]:
    """What is asked of the library's catalog meanwhile."""
    said: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        said.append(statement)

    sqlalchemy.event.listen(library.session.catalog.engine, "before_cursor_execute", note)
    try:
        yield said
    finally:
        sqlalchemy.event.remove(library.session.catalog.engine, "before_cursor_execute", note)


def read_cases(module: str) -> dict[str, list[Any]]:
    """The cases of a module's tests, from the TOML file beside it: a list for each test."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


def until(reached: Callable[[], object]) -> None:
    """Wait for something that another thread or process does."""
    end = time.monotonic() + HANG
    while not reached():
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.02)


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any] | str]) -> Path:
    """A JSON Lines file; records that are texts are written as they are. Each write has its own, growing, time."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return write(path, "".join(line + "\n" for line in lines))


def write(path: Path, text: str) -> Path:
    """A text file, seen as newer than what was there, however coarse the clock of the file system."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, "utf-8")
    now = path.stat().st_mtime_ns
    if now <= before:
        os.utime(path, ns=(before + 10**7, before + 10**7))
    return path


def markdown(title: str, *paragraphs: str, **front: str) -> str:
    """A paper as Markdown with front matter."""
    head = "".join(f"{name}: {value}\n" for name, value in {"title": title, **front}.items())
    return f"---\n{head}---\n\n## Results\n\n" + "\n\n".join(paragraphs) + "\n"


def summarise(library: Library, paper_id: str) -> None:
    """Let a paper have a summary, as a model would write it, of its first sentence."""
    own = list(library.passages(paper_id))
    made = Condensed("", (SummarySentenceRow("They hop.", (own[0].spans[0].id,)),))
    by = SummaryOrigin("model/1", "summarise/1", "2026", digest_of(own))
    session = library.session
    with session.writing():
        paper = library.paper(paper_id)
        assert store(session.catalog, session.embedder, paper, as_summaries(paper_id, [made], by, 1400, len(own)))


def snapshot(library: Library) -> dict[str, tuple[Paper, tuple[Passage, ...]]]:
    """All papers with their passages, by id."""
    return {paper.id: (paper, tuple(library.passages(paper.id))) for paper in library.papers()}


def looked_at(library: Library) -> list[Finding]:
    """What `doctor` finds of what is the library's own."""
    with patch.object(doctor, "CHECKS", tuple(one for one in doctor.CHECKS if not one.beyond)):
        return library.doctor().findings


def copy_library(library: Path, folder: Path) -> Path:
    """A copy of a closed library in SQLite, as if it had been made in `folder`; quicker than adding again."""
    shutil.copytree(library, folder)
    for pointer in folder.glob("index*/**/CURRENT"):
        LocalWrites(pointer.parent).add(pointer.parent / pointer.read_text().strip())
    return folder


def assert_consistent(library: Library) -> None:
    """The index holds exactly the catalog's passages, and no row points to one that is not there."""
    findings = {found.check: found for found in looked_at(library)}
    assert findings["catalog"].ok, findings["catalog"]
    assert findings["index"].ok, findings["index"]
    made, counts = library.session.catalog.model_counts(), library.status().counts
    assert sum(made.values()) == counts["passages"] + counts["summaries"], "a passage without a vector, or with two"


class InlinePool:
    """`ParsePool` without child processes, for tests that add hundreds of small files of their own making."""

    def __init__(self, workers: int, limits: Limits) -> None:
        pass

    def __enter__(self) -> InlinePool:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, jobs: Iterable[ReadingJob]) -> Iterator[ParsedBatch]:
        for job in jobs:
            items: list[Item] = []
            error = None
            try:
                for item in get_reader(job.reader).read(Path(job.path)):
                    items.append(item if isinstance(item, BadRecord) else complete(sanitize(item)))
                    if len(items) == 64:
                        yield ParsedBatch(job, tuple(items), done=False)
                        items.clear()
            except ConspectusError as caught:
                error = caught
            yield ParsedBatch(job, tuple(items), done=True, error=error)
