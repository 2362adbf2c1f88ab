"""How well does `ask` without a language model answer natural questions? Quotes against sentences marked by hand.

    python benchmarks/natural_questions.py [--sealed] [--before SOURCES] [--show]

The library is of the abstracts of the neuroscience corpus; questions and their answering sentences are those of
`natural_sets.py`. Printed are the share of quoted sentences that bear an answer; of answerable questions whose first
quote does; of questions answered well (some quote bears an answer) or rightly refused; of paraphrases whose first
quote is of the same paper as their original's; and of counting questions that are declined.

`--before` runs the same with the program in another folder of sources, for a comparison: `git worktree add /tmp/before
main`, then `--before /tmp/before/src`. `--show` prints each question with its quotes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import corpora
from natural_sets import NaturalQuestion, load_questions
from results import Figure, store_figures

from conspectus import Library
from conspectus.records import Answer


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was answered: each quote's paper and whether it bears an answer, or the reason why there is none."""

    question: NaturalQuestion
    papers: tuple[str, ...]
    bears: tuple[bool, ...]
    reason: str
    declined: bool
    probability: float | None

    @property
    def is_good(self) -> bool:
        """Answered well, or rightly refused."""
        return any(self.bears) if self.question.answers else not self.papers


def open_abstracts() -> Library:
    """The library that the questions are put to."""
    records = (
        corpora.plain(item)
        for item in corpora.read_lines(corpora.data_folder() / "neuro_corpus" / "abstracts.jsonl.gz")
        if item.get("abstract")
    )
    return corpora.library("natural_questions", corpora.write_lines(corpora.WORK / "natural_questions.jsonl", records))


def open_astronomy() -> Library:
    """1,400 abstracts of astronomy, and those that answer a question of either half."""
    from bearing import open_library  # it trains with the open half

    marked = {paper for sealed in (False, True) for paper in marked_papers(sealed)}
    items = corpora.read_lines(corpora.data_folder() / "arxiv_astro" / "astro_abstracts.jsonl.gz")
    records = ({**corpora.plain(item), "id": f"a:{item['arxiv_id']}"} for item in items if item["arxiv_id"] in marked)
    file = corpora.write_lines(corpora.WORK / "natural_questions_astro.jsonl", records)
    open_library("astro").close()
    return corpora.library("natural/astro", file)


def marked_papers(sealed: bool) -> set[str]:
    """Papers of astronomy that answer a question of a half."""
    asked = (one for one in load_questions(sealed=sealed) if one.corpus == "arxiv_astro")
    return {paper for one in asked for paper, _ in one.answers}


def run_questions(questions: Sequence[NaturalQuestion], show: bool) -> list[Outcome]:
    """Ask all questions."""
    outcomes = []
    for corpus in dict.fromkeys(one.corpus for one in questions):
        with open_abstracts() if corpus == "neuro_corpus" else open_astronomy() as lib:
            for question in (one for one in questions if one.corpus == corpus):
                answer = lib.ask(question.question)
                outcomes.append(judge_answer(question, answer))
                if show:
                    print_answer(outcomes[-1], answer)
    return outcomes


def judge_answer(question: NaturalQuestion, answer: Answer) -> Outcome:
    quotes = [
        (citation.paper.external_id.removeprefix("a:"), one.text)
        for one in answer.statements
        for citation in one.citations[:1]
    ]
    bears = tuple(question.is_answered_by(paper, text) for paper, text in quotes)
    declined = not answer.answered and ("count" in answer.reason and "`" in answer.reason)
    return Outcome(question, tuple(paper for paper, _ in quotes), bears, answer.reason, declined, answer.probability)


def print_answer(outcome: Outcome, answer: Answer) -> None:
    asked = outcome.question
    mark = "good" if outcome.is_good else "BAD"
    print(f"\n{asked.id} {asked.kind} {mark} p={outcome.probability} | {asked.question}")
    for bears, one in zip(outcome.bears, answer.statements, strict=True):
        print(f"   {'+' if bears else '-'} {one.citations[0].paper.external_id} {one.text}")
    if not answer.answered:
        print(f"   refused: {answer.reason[:160]}")


def measure(outcomes: Sequence[Outcome]) -> dict[str, tuple[int, int]]:
    """Name -> hits and cases."""
    asked = [one for one in outcomes if one.question.kind != "counting"]
    answerable = [one for one in asked if one.question.answers]
    by_id = {one.question.id: one for one in outcomes}
    pairs = [(one, by_id[one.question.of]) for one in outcomes if one.question.of in by_id]
    counting = [one for one in outcomes if one.question.kind == "counting"]
    return {
        "quoted sentences that bear an answer": (
            sum(sum(one.bears) for one in asked),
            sum(len(one.bears) for one in asked),
        ),
        "first quote bears an answer": (sum(one.bears[:1] == (True,) for one in answerable), len(answerable)),
        "answered well or rightly refused": (sum(one.is_good for one in asked), len(asked)),
        "answerable, answered": (sum(bool(one.papers) for one in answerable), len(answerable)),
        "unanswerable, refused": (
            sum(not one.papers for one in asked if not one.question.answers),
            sum(not one.question.answers for one in asked),
        ),
        "same first paper for a paraphrase": (
            sum(one.papers[:1] == other.papers[:1] for one, other in pairs),
            len(pairs),
        ),
        "counting, declined": (sum(one.declined for one in counting), len(counting)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    now = measure(run_questions(load_questions(sealed=chosen.sealed), chosen.show))
    if chosen.json:
        print(json.dumps(now))
        return
    before: dict[str, tuple[int, int]] = {}
    if chosen.before:
        command = [sys.executable, __file__, "--json", *(["--sealed"] if chosen.sealed else [])]
        paths = os.pathsep.join([str(chosen.before), os.environ.get("PYTHONPATH", "")])
        found = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True
        )
        before = json.loads(found.stdout.splitlines()[-1])
    half = "sealed" if chosen.sealed else "open"
    figures = []
    for name, (hits, cases) in now.items():
        earlier = f"; before {before[name][0]} of {before[name][1]}" if name in before else ""
        print(f"{name:40} {hits:4} of {cases:4} = {hits / max(cases, 1):.0%}{earlier}")
        figures.append(Figure(f"Natural questions, {half} half: {name}", f"{hits} of {cases}{earlier}"))
    store_figures(
        f"natural_questions_{half}",
        "answers",
        f"python benchmarks/natural_questions.py{' --sealed' * chosen.sealed}",
        figures,
    )


if __name__ == "__main__":
    main()
