"""The corpora of the benchmarks, as JSON Lines files that `conspectus add` takes; made from the shared data."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conspectus import Library

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".bench"
DISTRACTORS = 20_000


def data_folder() -> Path:
    """Where the shared data lies: `CONSPECTUS_DATA`, else `../shared/data`; ends the program where it is absent."""
    folder = Path(os.environ.get("CONSPECTUS_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        sys.exit(f"There is no data at '{folder}'. Set CONSPECTUS_DATA.")
    return folder


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a JSON Lines file: plain, gzipped, or compressed by Zstandard."""
    with open_text(path) as file:
        for line in file:
            yield json.loads(line)


def open_text(path: Path) -> IO[str]:
    """A text file: plain, gzipped, or compressed by Zstandard."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    if path.suffix == ".zst":
        import zstandard

        return io.TextIOWrapper(zstandard.open(path, "rb"), encoding="utf-8")
    return path.open(encoding="utf-8")


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    """Write records as JSON Lines, unless the file is there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".part")
        with scratch.open("w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        scratch.replace(path)
    return path


def library(name: str, *files: Path) -> Library:
    """The library of a benchmark under `.bench/`; adds the files unless they are in."""
    from conspectus import Library

    opened_library = Library(WORK / name)
    report = opened_library.add(list(files))
    if report.failed or any(row.reason for row in report.rows):
        sys.exit(f"adding failed: {report}")
    return opened_library


def pubmedqa() -> list[dict[str, Any]]:
    """The 500 questions with their contexts."""
    return list(read_lines(data_folder() / "pubmedqa" / "pqal.jsonl.gz"))


def pubmedqa_records() -> Iterator[dict[str, Any]]:
    """The contexts, each a record without a title: the title is the question itself."""
    for item in pubmedqa():
        yield {"id": f"pubmedqa:{item['pmid']}", "abstract": " ".join(item["CONTEXTS"])}


def distractors() -> Iterator[dict[str, Any]]:
    """20,000 abstracts: neuro_corpus, then arxiv_topics and sysrev in turn, none of them a PubMedQA paper."""
    data = data_folder()
    asked = {item["pmid"] for item in pubmedqa()}
    neuro = read_lines(data / "neuro_corpus" / "abstracts.jsonl.gz")
    topics = [item for path in sorted((data / "arxiv_topics").glob("*.gz")) for item in read_lines(path)]
    reviews = list(read_lines(data / "sysrev" / "records.jsonl.gz"))
    turns = (item for pair in zip(topics, reviews, strict=False) for item in pair)
    seen: set[str] = set()
    for item in (*neuro, *turns):
        name = item.get("pmid") or item["title"]  # several reviews screened the same paper
        if item.get("abstract") and name not in asked and name not in seen and len(seen) < DISTRACTORS:
            seen.add(name)
            yield {**plain(item), "id": f"distractor:{len(seen)}"}


def scifact_records() -> Iterator[dict[str, Any]]:
    """The whole corpus of SciFact."""
    for item in read_lines(data_folder() / "scifact" / "corpus.jsonl.gz"):
        yield {"id": f"scifact:{item['doc_id']}", "title": item["title"], "abstract": " ".join(item["abstract"])}


def plain(item: dict[str, Any]) -> dict[str, Any]:
    """A record of the shared data with the fields of the contract."""
    names = {"journal": "venue"}
    known = ("id", "title", "abstract", "authors", "year", "doi", "pmid", "venue", "journal", "keywords")
    return {names.get(name, name): item[name] for name in known if item.get(name)}
