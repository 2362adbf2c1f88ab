"""Whether a question for a cell of a table finds the row that holds it.

    python benchmarks/tables.py --library FOLDER [--make] [--show] [--title]

`--make` first adds `pdf_rescience` and `jats_plos` to the library. A hundred questions are made by rule: a cell with a
number, at random (seeded), not more than two of a table, asked for by its row's label, its column's name and what the
caption or the title say it is of. Rows whose label another row of the table has too are not asked for. They were read
by us, and can be answered by who sees the table. With `--title` the title alone says what it is of. A question counts
as found where one of the first five passages shown has the row as a sentence; a paper may have all five.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from parsing import default_data
from results import Figure, store_figures

from conspectus import Library
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Paper, Span

QUESTIONS, OF_A_TABLE, FIRST = 100, 2, 5

_NUMBER = re.compile(r"\W{0,2}\d.{0,30}$")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question for a cell, with the sentence that has it."""

    text: str
    span: Span
    value: str


def questions(library: Library, *, title: bool = False) -> list[Question]:
    """The questions, the same for the same library."""
    chance = random.Random(16)
    found = [
        one
        for paper in sorted(library.papers(), key=lambda paper: paper.title)
        for one in _of(paper, library, chance, title)
    ]
    chance.shuffle(found)
    return found[:QUESTIONS]


def _of(paper: Paper, library: Library, chance: random.Random, title: bool) -> Iterator[Question]:
    tables: dict[str, list[tuple[str, Span]]] = {}
    for passage in library.passages(paper.id):
        if passage.kind == "table":
            caption = " ".join(span.text for span in passage.spans if not span.cells)
            for span in passage.spans:
                if span.cells:
                    tables.setdefault(re.split(r"[,:]", span.text)[0], []).append((caption, span))
    for rows in tables.values():
        labels = Counter(span.cells[0][1] for _, span in rows)
        rows = [(caption, span) for caption, span in rows if labels[span.cells[0][1]] == 1]  # noqa: PLW2901
        made = [q for caption, span in rows if (q := _question(paper, "" if title else caption, span, chance))]
        yield from chance.sample(made, min(OF_A_TABLE, len(made)))


def _question(paper: Paper, caption: str, span: Span, chance: random.Random) -> Question | None:
    (_, label), *cells = span.cells
    asked = [
        (name, value)
        for name, value in cells
        if _WORD.search(name) and "[formula]" not in name and _NUMBER.match(value)
    ]
    if not asked or not _WORD.search(label):
        return None
    name, value = chance.choice(asked)
    topic = _topic(re.sub(r"^\s*\w+\s+\w+[.:]\s*", "", caption) or paper.title)
    return Question(f"What is the {name.replace(' – ', ' ')} of {label} in {topic}?", span, value)


def _topic(text: str) -> str:
    """The first words of a text that say something."""
    words = [word for word in re.findall(r"[\w-]+", text) if word.lower() not in STOP_WORDS]
    return " ".join(words[:8])


def add(library: Library) -> None:
    """Add the papers with tables."""
    data = default_data()
    with tempfile.TemporaryDirectory() as folder:
        for archive in (data / "jats_plos").glob("*.tar.xz"):
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
        library.add([str(data / "pdf_rescience"), folder])


def main() -> None:
    """Print the share of questions whose row is among the first five passages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--show", action="store_true", help="each question, with its value and its rank")
    parser.add_argument("--title", action="store_true", help="without words of the caption")
    options = parser.parse_args()
    with Library(options.library) as library:
        if options.make:
            add(library)
        asked = questions(library, title=options.title)
        ranks = []
        for question in asked:
            hits = library.search(question.text, k=FIRST, settings={"search.per_paper": FIRST}).hits
            shown = [passage for hit in hits for passage in (hit.passage, *hit.more)][:FIRST]
            rank = next((n for n, one in enumerate(shown, 1) if question.span.id in {s.id for s in one.spans}), 0)
            ranks.append(rank)
            if options.show:
                print(rank, question.span.id, question.text, "=", question.value)
        found, first = sum(map(bool, ranks)) / len(asked), ranks.count(1) / len(asked)
        print(f"{len(asked)} questions; row in the first {FIRST}: {found:.2f}, first: {first:.2f}")
        if not options.title:
            figure = Figure(
                f"{len(asked)} questions for cells: row in the first five; first", f"{found:.2f}; {first:.2f}"
            )
            store_figures("tables", "retrieval", "python benchmarks/tables.py --library FOLDER", [figure])


if __name__ == "__main__":
    main()
