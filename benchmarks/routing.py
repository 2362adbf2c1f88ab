"""How well kinds and flags of questions are told, without a language model and by one (F9).

    python benchmarks/routing.py [--confusion] [--model NAME] [--questions N]

Our own 150 questions (`tests/search/routing_questions.json`), in two halves: the rules for flags were made with the
errors of `develop` in view, the model of kinds with its questions; `held out` was only ever added up. Beside the
accuracy stands that of always saying the most frequent kind, beside the F1 of flags that of giving every flag.
Questions of others, whose kinds follow from how their sets were made (PubMedQA and BioASQ's yes-or-no questions:
`consensus`; BioASQ's lists and summaries: `multi-paper`, its factoids: `single-paper`), are halved in the same way.
`--model` routes our own questions by a model too, N of each half (all), into the same table.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import cast

import corpora
from tests_path import routing_cases as cases

from conspectus import Library
from conspectus.core.errors import ModelAnswerError
from conspectus.models.minilm import plain_words
from conspectus.models.store import ModelStore
from conspectus.records import QUESTION_FLAGS, QUESTION_KINDS, QuestionKind, Routing
from conspectus.search.question_flags import FORMS_ONLY, WordKnowledge
from conspectus.search.router import route_question

RUNS = 20
Router = Callable[[str], Routing]


def report(name: str, router: Router, most: int, confusion: bool) -> None:
    """Print the figures of a router on both halves."""
    for half, chosen in cases.halves().items():
        found = cases.route_cases(chosen[:most], router)
        right, usual = cases.accuracy(found), cases.majority(found)
        print(f"{name}, {half}: {len(found)} questions")
        print(f"  kind   accuracy {right:.3f} (most frequent kind {usual:.3f})  macro-F1 {cases.macro_f1(found):.3f}")
        every, given = cases.all_flags(found), cases.every_flag(found)
        print(f"  flags  P {every.precision:.2f}  R {every.recall:.2f}  F1 {every.f1:.3f} (every flag {given.f1:.3f})")
        for flag in QUESTION_FLAGS:
            score = cases.of_flag(found, flag)
            print(f"    {flag:15} P {score.precision:.2f}  R {score.recall:.2f}  F1 {score.f1:.2f}  of {score.number}")
        if confusion:
            show_confusion(found)


def show_confusion(found: Sequence[cases.Outcome]) -> None:
    """Print true kinds (rows) against what they were taken for."""
    print("  " + " " * 14 + "".join(f"{kind[:12]:>14}" for kind in QUESTION_KINDS))
    for kind, row in cases.confusion(found).items():
        print(f"  {kind:14}" + "".join(f"{row[other] or '':>14}" for other in QUESTION_KINDS))


def load_other_questions() -> dict[str, tuple[QuestionKind, list[str]]]:
    """Questions that others wrote: set -> the kind they should be taken for, and they."""
    bioasq = list(corpora.read_lines(corpora.data_folder() / "bioasq" / "questions.jsonl.gz"))
    kinds: dict[str, QuestionKind] = {
        "yesno": "consensus",
        "list": "multi-paper",
        "summary": "multi-paper",
        "factoid": "single-paper",
    }
    sets = {
        f"BioASQ {name}": (kind, [row["question"] for row in bioasq if row["type"] == name])
        for name, kind in kinds.items()
    }
    return {"PubMedQA": ("consensus", [row["QUESTION"] for row in corpora.pubmedqa()]), **sets}


def show_others(known: WordKnowledge) -> None:
    """Print the share of others' questions that is taken for what it is."""
    for name, (kind, questions) in load_other_questions().items():
        for half, first in (("looked at", 0), ("held out", 1)):
            chosen = questions[first::2]
            right = sum(route_question(question, known).kind == kind for question in chosen) / len(chosen)
            print(f"{name:15} {half:9} {len(chosen):4} questions  {kind} {right:.3f}")


def show_time(known: WordKnowledge) -> None:
    """Print the CPU time of a question, the best of some runs: what else the machine does is not its affair."""
    questions = [case.question for case in cases.cases()]
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        for question in questions:
            route_question(question, known)
        times.append((time.process_time() - began) / len(questions))
    print(f"time            {1000 * min(times):.2f} ms a question (CPU, best of {RUNS}), limit 1 ms")


def by_model(name: str, most: int, confusion: bool) -> None:
    """Print the figures of a model; what it gives nothing usable for is counted as taken for no kind at all."""
    unusable: list[str] = []

    def router(question: str) -> Routing:
        try:
            return library.route(question, model=name)
        except ModelAnswerError as error:
            unusable.append(error.message)
            return Routing(question, cast(QuestionKind, "none"), (), (), name, None)

    with tempfile.TemporaryDirectory() as folder, Library(folder) as library:
        report(name, router, most, confusion)
        print(f"  without a usable answer: {len(unusable)}" + (f", the first: {unusable[0]}" if unusable else ""))
        for row in library.usage(by="model").rows:
            spent = row.prompt_tokens + row.completion_tokens
            print(f"  {row.name}: {row.calls} calls, {spent} tokens, {row.seconds:.1f} s")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--confusion", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--questions", type=int, default=1000)
    chosen = parser.parse_args()
    plain = plain_words(ModelStore())
    if plain is None:
        print("The embedding model's vocabulary is missing (conspectus models fetch minilm): jargon by form alone.")
    known = WordKnowledge(plain)
    report("rules", lambda question: route_question(question, known), 1000, chosen.confusion)
    report("rules, no vocabulary", lambda question: route_question(question, FORMS_ONLY), 1000, False)
    if chosen.model:
        by_model(chosen.model, chosen.questions, chosen.confusion)
    show_others(known)
    show_time(known)


if __name__ == "__main__":
    main()
