"""Natural questions on abstracts, with every sentence that answers them.

    python benchmarks/natural_sets.py [--sealed]

Open is `sets/natural_questions.jsonl`, where the SHA-1 of "o" and the id (for a paraphrase, of the original's) is even.
A `variant` is asked in another spelling than the record's. An answer is a sentence of a paper, numbered from 0 in
`split_sentences(abstract)` (-1: the title), with its span in the abstract and a digest of its words.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpora import data_folder, read_lines

FILES = {"neuro_corpus": ("neuro_corpus/abstracts", "id"), "arxiv_astro": ("arxiv_astro/astro_abstracts", "arxiv_id")}
SHORTEST = 5  # words of a piece that counts as the sentence


@dataclass(frozen=True)
class NaturalQuestion:
    id: str
    question: str
    kind: str
    of: str  # the original's id; "" unless a paraphrase
    corpus: str
    answers: frozenset[tuple[str, str]]  # (paper, words of the sentence)

    def is_answered_by(self, paper: str, quote: str) -> bool:
        """Whether the quote is an answering sentence of the paper, a piece of one, or has one within it."""
        words = normalize(quote)
        return any(
            paper.removeprefix("PMID") == own.removeprefix("PMID")
            and (f" {answer} " in f" {words} " or (f" {words} " in f" {answer} " and words.count(" ") >= SHORTEST - 1))
            for own, answer in self.answers
        )


def normalize(text: str) -> str:
    """The words of a text, in one case, joined by single blanks."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def load_questions(*, sealed: bool = False) -> list[NaturalQuestion]:
    """The questions of a half; ends the program if an answer's text is not the one that was marked."""
    rows = list(read_lines(Path(__file__).parent / f"sets/natural_questions{'_sealed' if sealed else ''}.jsonl"))
    papers: dict[tuple[str, str], dict[str, Any]] = {}
    for corpus in {row.get("corpus", "neuro_corpus") for row in rows}:
        name, key = FILES[corpus]
        papers |= {(corpus, each[key]): each for each in read_lines(data_folder() / f"{name}.jsonl.gz")}
    return [_question(row, row.get("corpus", "neuro_corpus"), papers) for row in rows]


def _question(row: dict[str, Any], corpus: str, papers: dict[tuple[str, str], dict[str, Any]]) -> NaturalQuestion:
    answers = set()
    for answer in row["answers"]:
        record = papers[corpus, answer["paper"]]
        words = normalize(record["abstract"][slice(*answer["span"])] if "span" in answer else record["title"])
        if hashlib.sha1(words.encode()).hexdigest()[:10] != answer["digest"]:
            sys.exit(f"{row['id']}: sentence {answer['sentence']} of {answer['paper']} has changed.")
        answers.add((answer["paper"], words))
    return NaturalQuestion(row["id"], row["question"], row["kind"], row.get("of", ""), corpus, frozenset(answers))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Count the natural questions of a half.")
    parser.add_argument("--sealed", action="store_true", help="read the sealed half")
    read = load_questions(sealed=parser.parse_args().sealed)
    for kind, count in sorted(Counter(f"{question.kind}, {question.corpus}" for question in read).items()):
        print(f"{kind}: {count}")
