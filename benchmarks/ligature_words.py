"""How often words with ligatures are used: what tells a spaced ligature ("veri fi cation") from the end of a word.

    python benchmarks/ligature_words.py     # src/conspectus/parse/pdf/ligature_words.json

Counted in the abstracts of `scifact`, `pubmedqa`, `arxiv_astro` and `bioasq`; every fifth document is held out.
These are printed with spaces about all ligatures, and read again.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import corpora

from conspectus.parse.pdf.ligatures import LIGATURES, close_up

TARGET = corpora.ROOT / "src" / "conspectus" / "parse" / "pdf" / "ligature_words.json"
LEAST = 5
_WORD = re.compile(r"[a-z]+")
_PARTS = re.compile(f"({'|'.join(LIGATURES)})")
_SETS = (
    "scifact/corpus.jsonl.gz",
    "pubmedqa/pqal.jsonl.gz",
    "arxiv_astro/astro_abstracts.jsonl.gz",
    "bioasq/snippets.jsonl.gz",
)


@dataclass
class Part:
    """A printed part of a line."""

    text: str
    glued: bool = False


def documents(data: Path) -> Iterator[list[str]]:
    """The words of each document, in small letters."""
    for name in _SETS:
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield _WORD.findall(" ".join(_texts(json.loads(line))).casefold())


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def main() -> None:
    """Count, write, and measure."""
    known, held = Counter[str](), list[list[str]]()
    total = 0
    for number, words in enumerate(documents(corpora.data_folder())):
        if number % 5 == 0:
            held.append(words)
            continue
        total += len(words)
        known.update(word for word in words if _PARTS.search(word))
    words = {word: count for word, count in sorted(known.items()) if count >= LEAST}
    TARGET.write_text(json.dumps({"total": total, "words": words}, separators=(",", ":")) + "\n", "utf-8")
    print(f"{len(words)} words of {total:,}, {TARGET.stat().st_size:,} bytes")
    right = there = joined = 0
    for text in held[:: max(len(held) // 400, 1)]:
        parts = [Part(part) for word in text for part in _PARTS.split(word) if part]
        close_up([parts])
        read = "".join(("" if part.glued else " ") + part.text for part in parts).split()
        printed = Counter(word for word in text if _PARTS.search(word))
        there += printed.total()
        right += (printed & Counter(read)).total()
        joined += (Counter(word for word in read if _PARTS.search(word)) - printed).total()
    print(f"words with ligatures whole: {right / there:.3f} of {there:,}; words that are none: {joined}")


if __name__ == "__main__":
    main()
