"""Records a second and memory of each kind of bibliography, read and exported, on files made here.

    python benchmarks/records.py [--records 50000]

Each file is read in a process of its own. `memory` is the most that it held above what it held before.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import corpora

from conspectus.export.write import pieces
from conspectus.parse.registry import reader_for
from conspectus.records import Author, Paper, ParsedPaper

WORDS = "galaxy neuron lattice protein halo spin membrane climate quantum orbit enzyme polymer graph kernel".split()
KINDS = {"bibtex": ".bib", "ris": ".ris", "csl": ".json", "csv": ".csv", "jsonl": ".jsonl"}


def papers(count: int) -> Iterator[Paper]:
    """Papers with an abstract of 150 words, the same each time."""
    draw = random.Random(7)
    for number in range(count):
        names = [Author(f"A. {word.title()}", word.title(), "A.") for word in draw.sample(WORDS, 3)]
        yield Paper(
            id=f"p{number}",
            title=f"{' '.join(draw.choices(WORDS, k=8)).capitalize()} in {{H}} & Müller's 50 %",
            authors=tuple(names),
            abstract=". ".join(" ".join(draw.choices(WORDS, k=15)) for _ in range(10)),
            year=draw.randint(1950, 2025),
            doi=f"10.1000/x.{number}",
            venue="Journal of Words",
            keywords=tuple(draw.sample(WORDS, 3)),
            external_id=f"key{number}",
            extra={"type": "article-journal", "volume": "12", "pages": "1-10"},
        )


def pubmed(count: int) -> Iterator[str]:
    """The same papers as PubMed's XML."""
    yield "<PubmedArticleSet>\n"
    for number, paper in enumerate(papers(count), 1):
        people = "".join(
            f"<Author><LastName>{a.family}</LastName><ForeName>A</ForeName></Author>" for a in paper.authors
        )
        yield (
            f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article><Journal><JournalIssue><PubDate><Year>"
            f"{paper.year}</Year></PubDate></JournalIssue><Title>{paper.venue}</Title></Journal>"
            f"<ArticleTitle>{paper.title.replace('&', '&amp;')}</ArticleTitle><Abstract><AbstractText>{paper.abstract}"
            f"</AbstractText></Abstract><AuthorList>{people}</AuthorList></Article></MedlineCitation></PubmedArticle>\n"
        )
    yield "</PubmedArticleSet>\n"


def make(folder: Path, count: int) -> list[tuple[str, Path, float]]:
    """The files, and the seconds that each took to export."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for to, ending in KINDS.items():
        path = folder / f"{to}-{count}{ending}"
        began = time.process_time()
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(text for _, text in pieces(to, lambda: papers(count)))
        made.append((to, path, time.process_time() - began))
    path = folder / f"pubmed-{count}.xml"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(pubmed(count))
    return [*made, ("pubmed", path, 0.0)]


def measure(path: Path) -> None:
    """Read one file; print seconds, records and KB of memory as JSON."""
    reader = reader_for(path)
    next(reader.read(path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    count = sum(isinstance(item, ParsedPaper) for item in reader.read(path))
    seconds = time.process_time() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(json.dumps({"seconds": seconds, "records": count, "grown": grown}))


def main() -> None:
    """Print a row for each kind of file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        measure(options.read)
        return
    began = time.process_time()
    sum(1 for _ in papers(options.records))
    bare = time.process_time() - began
    print("| format | MB | records read a CPU-second | memory, MB | written a CPU-second |")
    print("| --- | --- | --- | --- | --- |")
    for name, path, seconds in make(corpora.WORK / "records", options.records):
        command = [sys.executable, __file__, "--read", str(path)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        assert found["records"] == options.records
        rate = found["records"] / found["seconds"]
        passes = 2 if name in ("bibtex", "csl") else 1
        written = f"{options.records / max(seconds - passes * bare, 1e-6):,.0f}" if seconds else "–"
        size = path.stat().st_size / 2**20
        print(f"| {name} | {size:.0f} | {rate:,.0f} | {found['grown'] / 1024:.1f} | {written} |")


if __name__ == "__main__":
    main()
