"""How well does `ask` quote on questions marked sentence by sentence, and does a paraphrase lead to another paper?

    python benchmarks/bearing_quotes.py [--before SOURCES] [--show]

The sealed questions of `sets/bearing_questions_sealed.jsonl` were set aside by a hash and marked before the model was
trained; `bearing.py` does not read them. A quote whose sentences carry no mark is counted apart. The pairs of
`sets/paraphrases.jsonl` are asked to the same libraries: the same first paper, or both refused, or not.
`--before` runs the same with the program in another folder of sources.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import corpora
from bearing import digest, open_library
from results import Figure, join_figures, store_figures

from conspectus.records import Answer

SETS = corpora.ROOT / "benchmarks" / "sets"


def mark_quotes(answer: Answer, bears: frozenset[str], others: frozenset[str]) -> list[bool | None]:
    """Of each quote whether some sentence of it bears an answer; None: no sentence of it was marked."""
    marks: list[bool | None] = []
    for statement in answer.statements:
        found = {digest(span.text) for span in statement.citations[0].spans}
        marks.append(True if found & bears else False if found & others or not bears else None)
    return marks


def first_paper(answer: Answer) -> str:
    return answer.statements[0].citations[0].paper.id if answer.statements else ""


def measure(show: bool) -> dict[str, tuple[int, int]]:
    """Name -> hits and cases."""
    hits, cases = Counter[str](), Counter[str]()
    questions = list(corpora.read_lines(SETS / "bearing_questions_sealed.jsonl"))
    pairs = list(corpora.read_lines(SETS / "paraphrases.jsonl"))

    def count(name: str, values: list[bool]) -> None:
        hits[name] += sum(values)
        cases[name] += len(values)

    for corpus in ("neuro", "astro"):
        with open_library(corpus) as lib:
            for row in (row for row in questions if row["corpus"] == corpus):
                answer = lib.ask(row["question"])
                bears = frozenset(row["bears"])
                marks = mark_quotes(answer, bears, frozenset(row["not"]))
                count(
                    "sealed: quoted sentences that bear an answer", [mark is True for mark in marks if mark is not None]
                )
                count("sealed: quotes without a mark", [mark is None for mark in marks])
                good = any(marks) if bears else not marks
                count("sealed: answered well or rightly refused", [good])
                if bears:
                    count("sealed: first quote bears an answer", [marks[:1] == [True]])
                    count("sealed: answerable, answered", [bool(marks)])
                if show:
                    print(f"\n{'good' if good else 'BAD'} p={answer.probability} {row['question']}")
                    for mark, one in zip(marks, answer.statements, strict=True):
                        print(f"  {'?' if mark is None else '-+'[mark]} {one.text}")
            for row in (row for row in pairs if row["corpus"] == corpus):
                papers = [first_paper(lib.ask(row[name])) for name in ("question", "paraphrase")]
                count("paraphrases: same first paper, or both refused", [papers[0] == papers[1]])
                count("paraphrases: one answered, one refused", [bool(papers[0]) != bool(papers[1])])
                if show and papers[0] != papers[1]:
                    print(f"\nDIFFERENT {papers} {row['question']} | {row['paraphrase']}")
    return {name: (hits[name], cases[name]) for name in cases}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    now = measure(chosen.show)
    if chosen.json:
        print(json.dumps(now))
        return
    before: dict[str, tuple[int, int]] = {}
    if chosen.before:
        paths = os.pathsep.join([str(chosen.before), os.environ.get("PYTHONPATH", "")])
        found = subprocess.run(
            [sys.executable, __file__, "--json"],
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        )
        before = json.loads(found.stdout.splitlines()[-1])
    figures = []
    for name, (hits, cases) in now.items():
        earlier = f"; before {before[name][0]} of {before[name][1]}" if name in before else ""
        print(f"{name:48} {hits:4} of {cases:4} = {hits / max(cases, 1):.0%}{earlier}")
        figures.append(Figure(name, f"{hits} of {cases}{earlier}"))
    store_figures(
        "bearing_quotes", "answers", "python benchmarks/bearing_quotes.py", [join_figures("Marked questions", figures)]
    )


if __name__ == "__main__":
    main()
