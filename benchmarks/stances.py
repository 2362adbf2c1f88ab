"""Stances of a model on SciFact's claims: of each abstract with labelled evidence, whether it supports or opposes.

    PYTHONPATH=src python benchmarks/stances.py --model NAME [--claims 100]
    PYTHONPATH=src:tests python benchmarks/stances.py --small     # the small model of the tests: shows that it runs

Each abstract that a claim of `claims_train` names is judged alone, as `conspectus consensus` judges papers: those that
the annotators found to support the claim (SUPPORT), to contradict it (CONTRADICT), and those without evidence, which
are cited in connection with it but do not settle it. Printed are the confusion of labels and stances, the accuracy
beside that of always saying what is most frequent, and how often a sentence that was named is one of the annotators'.
What the small model says means nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import corpora

from conspectus import Library
from conspectus.consensus import stances
from conspectus.core.errors import ModelAnswerError
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.role_models import RoleModels
from conspectus.records import STANCES, Paper, Passage, Span, Stance

WANTED = {"SUPPORT": "supports", "CONTRADICT": "opposes", "NO EVIDENCE": "not about it"}
FAILED = "no stance"


@dataclass(frozen=True)
class Case:
    claim: str
    label: str
    item: stances.Judgeable
    gold: frozenset[int]


def cases(count: int) -> list[Case]:
    """Abstracts with labels, of so many claims drawn by a fixed seed."""
    folder = corpora.data_folder() / "scifact"
    abstracts = {item["doc_id"]: item for item in corpora.read_lines(folder / "corpus.jsonl.gz")}
    claims = list(corpora.read_lines(folder / "claims_train.jsonl"))
    random.Random(0).shuffle(claims)
    found = []
    for claim in claims[:count]:
        for name in dict.fromkeys(map(int, claim["cited_doc_ids"])):
            said = claim["evidence"].get(str(name), [])
            label = said[0]["label"] if said else "NO EVIDENCE"
            gold = frozenset(number for part in said for number in part["sentences"])
            found.append(Case(claim["claim"], label, judgeable(abstracts[name]), gold))
    return found


def judgeable(record: dict[str, object]) -> stances.Judgeable:
    """An abstract, its sentences as the annotators cut it."""
    texts = [str(text).strip() for text in record["abstract"]]  # type: ignore[attr-defined]
    spans, start = [], 0
    for number, text in enumerate(texts):
        spans.append(Span(str(number), start, start + len(text), text))
        start += len(text) + 1
    name = str(record["doc_id"])
    passage = Passage(f"{name}.p", name, "abstract", "", " ".join(texts), tuple(spans))
    paper = Paper(id=name, title=str(record["title"]))
    return stances.Judgeable(1, paper, ((passage, tuple(spans)),), paper.label)


async def judged(library: Library, found: list[Case]) -> list[Stance | ModelAnswerError]:
    call_cache = LibraryCallCache(library.session.catalog, "")
    settings = library.settings
    models = RoleModels(library.session.models)
    client = LlmClient(models, library.session.prompts, call_cache, settings.language, settings.budget)

    async def one(case: Case) -> Stance | ModelAnswerError:
        try:
            return await stances.stance(client, case.claim, case.item)
        except ModelAnswerError as error:
            return error

    try:
        return await asyncio.gather(*map(one, found))
    finally:
        await call_cache.finish()
        print(f"{', '.join(client.names())}: {client.usage.calls} calls, {client.usage.spent}")
        await library.session.models.close()


def report(found: list[Case], said: list[Stance | ModelAnswerError]) -> None:
    heard = [one.stance if isinstance(one, Stance) else FAILED for one in said]
    table = Counter(zip((case.label for case in found), heard, strict=True))
    print(f"{'':14}" + "".join(f"{name:>14}" for name in (*STANCES, FAILED)))
    for label in WANTED:
        print(f"{label:14}" + "".join(f"{table[label, name]:14}" for name in (*STANCES, FAILED)))
    right = sum(table[label, wanted] for label, wanted in WANTED.items())
    most, number = Counter(case.label for case in found).most_common(1)[0]
    print(f"right {right / len(found):.3f}; always {most}: {number / len(found):.3f} ({len(found)} abstracts)")
    settled = [(case, one) for case, one in zip(found, said, strict=True) if case.gold and isinstance(one, Stance)]
    named = [
        (int(span.id) in case.gold) for case, one in settled for citation in one.citations for span in citation.spans
    ]
    if named:
        print(f"sentences named for them that the annotators chose: {sum(named) / len(named):.3f} of {len(named)}")


@contextlib.contextmanager
def small() -> Iterator[str]:
    import smollm

    if not smollm.is_there():
        sys.exit("The small model is not in the model store: python tests/smollm.py")
    with smollm.serving(smollm.file()) as url:
        yield url


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", metavar="NAME")
    which.add_argument("--small", action="store_true")
    parser.add_argument("--claims", type=int, default=100)
    chosen = parser.parse_args()
    found = cases(chosen.claims)
    with contextlib.ExitStack() as stack:
        model = stack.enter_context(small()) if chosen.small else chosen.model
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        library = stack.enter_context(Library(folder / "library", {"language.model": model}))
        report(found, asyncio.run(judged(library, found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
