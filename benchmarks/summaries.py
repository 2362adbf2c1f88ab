"""What summaries change in searching and quoting, with a stand-in for the model that writes them.

    PYTHONPATH=src:tests python benchmarks/summaries.py [--papers 24]

Library: full texts of PLOS (`jats_plos`). The stand-in is a loopback server that repeats, word for word, the first and
the last sentence of each stretch: so the machinery is measured, and *not* how good a model's summaries are. Questions:
the sentences of the papers' own abstracts, each to find its paper, with the abstracts taken out of the library's text
(`known item`; the title is in front of each passage, as always). Limits: `raw` finds to the last digit what it found
before there were summaries; every quote stands in its paper; a search with `both` takes at most twice as long.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corpora

from conspectus import Filters, Library
from conspectus.records import SearchResult, Use
from language_server import said_to, scripted

USES: tuple[Use, ...] = ("raw", "summary", "both")
SLOWER = 2.0
_ABSTRACT = re.compile(r"<abstract\b.*?</abstract>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


@dataclass(frozen=True)
class Question:
    text: str
    title: str


def ends(body: dict[str, Any]) -> dict[str, Any]:
    """The first and the last sentence of a stretch."""
    lines = re.findall(r"^\[(\d+)\] (.*)$", said_to(body), re.MULTILINE)
    chosen = dict([lines[0], lines[-1]])
    return {"sentences": [{"text": text, "spans": [int(number)]} for number, text in chosen.items()]}


def write_papers(folder: Path, count: int) -> dict[str, str]:
    """Papers without their abstracts; file name -> abstract."""
    abstracts = {}
    with tarfile.open(next((corpora.data_folder() / "jats_plos").glob("*.tar.xz"))) as archive:
        for member in archive:
            source = archive.extractfile(member) if member.name.endswith(".xml") else None
            if source is None or len(abstracts) == count:
                continue
            text = source.read().decode("utf-8")
            found = _ABSTRACT.search(text)
            if found:
                name = Path(member.name).name
                (folder / name).write_text(_ABSTRACT.sub("", text), "utf-8")
                abstracts[name] = " ".join(_TAG.sub(" ", found[0]).split())
    return abstracts


def questions(library: Library, abstracts: dict[str, str]) -> Iterator[Question]:
    for paper in library.papers():
        abstract = abstracts[Path(paper.files[0].path).name]
        for sentence in re.split(r"(?<=[a-z)]\.) (?=[A-Z])", abstract)[1::2][:4]:
            if 60 < len(sentence) < 400:
                yield Question(sentence, paper.title)


def told(result: SearchResult) -> list[tuple[Any, ...]]:
    return [(hit.paper.id, hit.passage.id, hit.score, dict(hit.factors)) for hit in result.hits]


def rank(result: SearchResult, title: str) -> int:
    return next((hit.rank for hit in result.hits if hit.paper.title == title), 0)


def foreign_quotes(library: Library, asked: Sequence[Question], use: Use) -> tuple[int, int, set[str]]:
    """(quotes, quotes that do not stand in their paper, ids of the sentences quoted)."""
    quotes = wrong = 0
    ids: set[str] = set()
    for question in asked:
        for statement in library.ask(question.text, Filters(), model="none", use=use).statements:
            for citation in statement.citations:
                own = {span.id: span.text for p in library.passages(citation.paper.id) for span in p.spans}
                quotes += 1
                wrong += any(own.get(span.id) != span.text for span in citation.spans)
                ids |= {span.id for span in citation.spans}
    return quotes, wrong, ids


def measure(library: Library, asked: Sequence[Question]) -> dict[Use, float]:
    """Print how each use does; returns the median of its seconds.

    Each question is searched by all uses in turn, each time by another first, so that what else the machine does, and
    what is done once for a question, falls on all of them alike.
    """
    results: dict[Use, list[SearchResult]] = {use: [] for use in USES}
    took: dict[Use, list[float]] = {use: [] for use in USES}
    for number, question in enumerate(asked):
        turn = number % len(USES)
        for use in (*USES[turn:], *USES[:turn]):
            began = time.perf_counter()
            results[use].append(library.search(question.text, 10, use=use))
            took[use].append(time.perf_counter() - began)
    medians = {use: statistics.median(seconds) for use, seconds in took.items()}
    for use, found in results.items():
        ranks = [rank(result, question.title) for result, question in zip(found, asked, strict=True)]
        by_summary = sum(bool(result.hits) and result.hits[0].summary is not None for result in found)
        first = sum(place == 1 for place in ranks) / len(ranks)
        reciprocal = statistics.mean(1 / place if place else 0.0 for place in ranks)
        share = by_summary / len(asked)
        print(f"{use:<8} first {first:.3f}  MRR@10 {reciprocal:.3f}  best hit by a summary {share:.2f}"
              f"  median {1000 * medians[use]:.0f} ms")  # fmt: skip
    return medians


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=24)
    count = parser.parse_args().papers
    with tempfile.TemporaryDirectory() as name, scripted(ends) as server:
        folder = Path(name) / "papers"
        folder.mkdir()
        abstracts = write_papers(folder, count)
        with Library(Path(name) / "library", {"language.model": server.url}) as library:
            library.add(folder)
            asked = list(questions(library, abstracts))
            before = [told(library.search(question.text, 10)) for question in asked]
            began = time.perf_counter()
            report = library.summarise()
            took = time.perf_counter() - began
            held = library.counts()
            share = held["summaries"] / held["passages"]
            print(f"{len(report.summarised)} papers, {held['passages']} passages, {held['summaries']} summary passages "
                  f"({share:.0%}), {report.usage.calls} calls, {took:.1f} s")  # fmt: skip
            same = [told(library.search(question.text, 10)) for question in asked] == before
            print(f"raw as before there were summaries: {'yes' if same else 'NO'} ({len(asked)} questions)")
            seconds = measure(library, asked)
            quoted = {use: foreign_quotes(library, asked, use) for use in USES}
            for use, (quotes, wrong, ids) in quoted.items():
                shared = len(ids & quoted["raw"][2]) / max(len(ids), 1)
                print(f"{use:<8} {quotes} quotes, {wrong} not in their paper, {shared:.0%} also quoted with raw")
    well = same and not any(wrong for _, wrong, _ in quoted.values()) and seconds["both"] <= SLOWER * seconds["raw"]
    print("limits kept" if well else "LIMITS NOT KEPT")
    return int(not well)


if __name__ == "__main__":
    sys.exit(main())
