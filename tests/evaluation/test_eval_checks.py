"""`eval checks`: statements known to be true or false, held against the rules, a judge, and both."""

import asyncio
import gzip
import json
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from conspectus.answer.statement_checks import Case
from conspectus.core.errors import InputError, StoppedError
from conspectus.evaluation.check_statements import ERRORS, plant_errors, statement_rows
from conspectus.evaluation.checks import PERFECT, evaluate_checks
from conspectus.evaluation.question_sets import data_folder
from conspectus.records import Passage, Verdict
from conspectus.records.events import Progress
from conspectus.session.jobs import Job
from helpers import HANG

SENTENCES = ["The dose of NGC1275 was 45 mg.", "It rose after 12 weeks in most of them."]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder of data with one paper and no claims, and a file of statements beside it."""
    text = f"We gave it. {' '.join(SENTENCES)} That is all."
    row = {"id": "a", "title": "Doses", "abstract": text}
    claim = {"claim": "It rose.", "cited_doc_ids": [1], "evidence": {"1": [{"sentences": [0], "label": "SUPPORT"}]}}
    files = {
        "arxiv_astro/astro_abstracts.jsonl.gz": [row],
        "scifact/corpus.jsonl.gz": [{"doc_id": 1, "title": "Rise", "abstract": ["It rose.", "It fell."]}],
        "scifact/claims_train.jsonl": [claim, {"claim": "It stayed.", "cited_doc_ids": [1]}],
    }
    for name, rows in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        packed = "".join(json.dumps(one) + "\n" for one in rows).encode()
        path.write_bytes(gzip.compress(packed) if name.endswith(".gz") else packed)
    own = []
    for number, (sentence, kind) in enumerate(zip(SENTENCES, ("number", "direction"), strict=True)):
        start = text.index(sentence)
        own.append(
            {
                "corpus": "astro", "paper": "a", "part": 0, "spans": [[start, start + len(sentence)]],
                "sha256": sha256(sentence.encode()).hexdigest()[:16], "kind": kind, "sealed": bool(number),
                "faithful": ("They took 0.045 g.", "Most got higher in the end.")[number],
                "wrong": ("The dose was 54 mg.", "It never rose.")[number],
            }
        )  # fmt: skip
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in own))
    return tmp_path


class Strict:
    """A judge that is right about all but statements without hints, which it supports."""

    async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
        return [Verdict("unsupported" if case.hints else "supported") for case in cases]


def test_rules_strike_out_what_is_certain_and_support_nothing(data: Path) -> None:
    """A wrong dose would pass, a true one be struck out, or words that overlap be called support."""
    found = evaluate_checks(data, "all", statements_path=data / "own.jsonl")
    assert not found.judge and found.kinds["number"]["rules"].recall == 1
    assert found.kinds["direction"]["rules"].recall == 0
    assert found.true["paraphrase"]["rules"].struck_out == 0 and found.true["paraphrase"]["rules"].unchecked == 1
    assert found.called_supported == {"rules": 0}
    assert {"scifact not enough", "planted number", "planted unit"} <= set(found.kinds)


def test_rules_never_make_a_judge_that_is_right_worse(data: Path) -> None:
    """The main fact of an answer was struck out though the judge knew better."""
    found = evaluate_checks(data, "all", name=PERFECT, statements_path=data / "own.jsonl")
    for ways in found.kinds.values():
        assert ways["both"] == ways["judge"] and ways["both"].recall == ways["both"].auc == 1
    for shares in found.true.values():
        assert shares["both"].struck_out == 0 and shares["both"].supported == 1


def test_a_judge_is_given_the_hints(data: Path) -> None:
    """What the rules notice would be lost on the judge."""
    found = evaluate_checks(data, "open", Strict(), "strict", statements_path=data / "own.jsonl")
    number = found.kinds["number"]
    assert (number["judge"].recall, number["both"].recall) == (0, 1) and found.judge == "strict"


def test_halves_are_apart(data: Path) -> None:
    """What is tuned on the open half would be measured on it."""
    for half, kind, other in (("open", "number", "direction"), ("sealed", "direction", "number")):
        found = evaluate_checks(data, half, statements_path=data / "own.jsonl")  # type: ignore[arg-type]
        assert kind in found.counts and other not in found.counts and found.counts["paraphrase"] == 1


def test_other_words_in_the_data_are_told(data: Path) -> None:
    """Statements would be held against sentences that they are not about."""
    path = data / "arxiv_astro/astro_abstracts.jsonl.gz"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"45 mg", b"46 mg")))
    with pytest.raises(InputError, match="has not the words"):
        evaluate_checks(data, "open", statements_path=data / "own.jsonl")


def test_our_statements_are_whole() -> None:
    """A kind would have other numbers than told, or the seal have been set after looking."""
    rows = statement_rows()
    for place, kind in enumerate(sorted(ERRORS)):
        mine = sorted((row for row in rows if row.kind == kind), key=lambda row: row.sha256)
        assert len(mine) == 25 and all(row.sealed == (n % 2 == place % 2) for n, row in enumerate(mine))
    assert len(rows) == 200 and sum(row.sealed for row in rows) == 100
    assert len({text for row in rows for text in (row.faithful, row.wrong)}) == 400


def test_one_change_is_planted() -> None:
    """An error that is none, or a sentence that is another, would be counted."""
    sentence = "The gas of NGC1275 is 45 mg in all."
    found = dict(plant_errors(sentence, ["M31", "NGC1275"]))
    assert found["planted unit"] == "The gas of NGC1275 is 45 g in all." and "M31" in found["planted name"]
    assert found["planted negation"] == "The gas of NGC1275 is not 45 mg in all."
    assert "45" not in found["planted number"] and dict(plant_errors(sentence, ["M31", "NGC1275"])) == found


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.again
def test_no_true_statement_is_struck_out() -> None:
    """What an answer says rightly would be struck out where there is no judge."""
    found = evaluate_checks(data_folder(), "all")
    assert all(ways["rules"].struck_out <= 0.01 for ways in found.true.values())
    assert found.called_supported["rules"] == 0


def test_it_is_a_job_that_ends_while_the_judge_is_waited_for(data: Path) -> None:
    """A judge that takes minutes would be waited for, and paid."""
    asked, told = threading.Event(), []

    class Endless:
        async def verdicts(self, cases: Sequence[Case], passages: Mapping[str, Passage]) -> list[Verdict]:
            if told:
                asked.set()
                await asyncio.sleep(HANG)
            told.append(len(cases))
            return [Verdict("supported") for _ in cases]

    job = Job("checks", partial(evaluate_checks, data, "all", Endless(), "endless", statements_path=data / "own.jsonl"))
    assert asked.wait(HANG)
    job.cancel()
    with pytest.raises(StoppedError):
        job.result(HANG / 2)
    assert [event.stage for event in job.events() if isinstance(event, Progress)] == ["judging"]
