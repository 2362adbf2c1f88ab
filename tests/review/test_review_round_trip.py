"""Reviews and answers of another library, read from its export."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.job_context import Notice, listen
from helpers import assert_consistent, open_library, write_jsonl
from language_server import InProcess
from oracle import reader

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")
FINDINGS = ["raised the heart rate of mice", "lowered the heart rate of mice", "delayed the sleep of students"]
RECORDS = [
    {
        "id": f"p{number}",
        "title": f"Trial number {number}",
        "authors": [f"Author{number}, A"],
        "year": 2000 + number,
        "abstract": f"We gave coffee to {number + 10} volunteers. Caffeine {finding} in trial {number}.",
    }
    for number, finding in enumerate(FINDINGS)
]
QUESTION = "What does caffeine do?"
OUTLINE = {"outline": {"titles": ["Heart", "Sleep", "More"]}, "contradiction": {"verdict": "unrelated", "why": "No."}}


def work(library: Library) -> None:
    """One review of each kind, a conversation, and what a user thinks of an answer."""
    papers = [paper.id for paper in library.papers()]
    library.review.report(QUESTION, model="m", name="Caffeine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("q\n"))
        library.review.rank(by="number of volunteers", ask_me=True, name="Size")
    library.review.rank_answer(papers[0], papers[1], "first", reason="more of them")
    library.review.screen({"question": "Caffeine and sleep", "exclude": {"mice": "Animals"}}, name="Sleep")
    library.review.screen_label(papers[0], "exclude", reason="mice", reviewer="ann")
    library.review.table("volunteers (number); species", name="Trials")
    library.review.table_edit("Trials", papers[1], "species", "mouse", by="ann")
    library.review.classify({"heart": "heart rate of mice", "sleep": "sleep of students"}, name="Organ")
    library.review.classify_correct(papers[2], ["sleep"])
    conversation = library.answers.begin_conversation("Coffee")
    answer = library.ask(QUESTION, model="m", conversation=conversation)
    library.answers.judge(answer.id, statement=1, verdict="up", comment="as I thought")


def lines_of(path: Path) -> dict[str, Any]:
    """The lines of an export about answers and reviews, by their ids, with papers by their titles."""
    text = path.read_text("utf-8")
    found = [json.loads(line) for line in text.splitlines()]
    for one in found:
        if one["schema"] == "conspectus.paper/1":
            text = text.replace(one["paper"], one["record"]["title"])
    kept = [json.loads(line) for line in text.splitlines()]
    names = ("conversation", "answer", "review")
    return {one[name]: one for one in kept for name in names if one["schema"] == f"conspectus.{name}/1"}


def opened(folder: Path) -> Library:
    return open_library(folder, models={"m": InProcess(reader("caffeine", **OUTLINE))})


def test_answers_and_reviews_come_with_an_export(tmp_path: Path) -> None:
    """Weeks of labels, verdicts and edits would be lost when a library moves."""
    with opened(tmp_path / "one") as one:
        one.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        work(one)
        one.export("library", tmp_path / "whole.jsonl")
        shown = one.review.report_show()
        one.add(tmp_path / "whole.jsonl")  # to the library itself it brings nothing
        one.export("library", tmp_path / "same.jsonl")
    with opened(tmp_path / "two") as two, listen((told := []).append, Notice):
        two.add(write_jsonl(tmp_path / "other.jsonl", [{"id": "q", "title": "Rivers", "abstract": "Rocks are hard."}]))
        two.add(tmp_path / "whole.jsonl")
        two.export("library", tmp_path / "again.jsonl")
        again = two.review.report_show()
        assert [item.answer.text for item in again.sections] == [item.answer.text for item in shown.sections]
        assert_consistent(two)
    before = lines_of(tmp_path / "whole.jsonl")
    assert len(before) >= 8 and {one.get("kind") for one in before.values()} > {"rank", "classify", "screen", "table"}
    assert lines_of(tmp_path / "again.jsonl") == before == lines_of(tmp_path / "same.jsonl")
    assert any("answers, 5 reviews from" in one.text for one in told)


def test_labels_of_two_libraries_are_put_together(tmp_path: Path) -> None:
    """Two reviewers who screen on two machines need both their labels. A paper that one lacks costs only its own."""
    with opened(tmp_path / "one") as one:
        one.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        one.review.screen({"question": "Caffeine and sleep", "exclude": {"mice": "Animals"}}, name="Sleep")
        one.export("library", tmp_path / "begun.jsonl")
        with opened(tmp_path / "two") as two:
            two.add(tmp_path / "begun.jsonl")
            two.review.screen_label("Trial number 2", "include", reviewer="ben")
            two.review.screen_label("Trial number 1", "exclude", reason="mice", reviewer="ben")
            two.remove(["Trial number 0"])
            two.export("library", tmp_path / "two.jsonl")
        one.review.screen_label("Trial number 0", "exclude", reason="mice", reviewer="ann")
        one.add(tmp_path / "two.jsonl")
        labels = one.review.screen_status(audit=True).labels
        titles = {paper.id: paper.title for paper in one.papers()}
        assert {(label.reviewer, titles[label.paper][-1], label.label) for label in labels} == {
            ("ann", "0", "exclude"),
            ("ben", "1", "exclude"),
            ("ben", "2", "include"),
        }


def test_a_line_that_is_none_costs_only_itself(tmp_path: Path) -> None:
    """One damaged line must not keep the rest of a library from coming."""
    with opened(tmp_path / "one") as one:
        one.add(write_jsonl(tmp_path / "refs.jsonl", RECORDS))
        work(one)
        one.export("library", tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_text("utf-8").splitlines()
    hurt = next(number for number, line in enumerate(lines) if "conspectus.answer/1" in line)
    lines[hurt] = lines[hurt].replace('"answered":', '"answered":7,"was":')
    (tmp_path / "hurt.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with opened(tmp_path / "two") as two, listen((told := []).append, Notice):
        two.add(tmp_path / "hurt.jsonl")
        assert len(two.review.list()) == 5
    assert any("1 line of answers and reviews" in one.text for one in told)
