"""Two configurations compared by a judge: both orders, ties kept, the sign test exact."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.evaluation import (
    AnswerQuestion,
    AnswerSet,
    Configuration,
    Dataset,
    Question,
    Result,
    ResultStore,
    Sampling,
    SetPaper,
    evaluate_retrieval,
    select_answer_configs,
)
from conspectus_evaluations.__main__ import main
from conspectus_evaluations.judging import PairVerdict, evaluate_judge, sign_p, sign_test
from conspectus_evaluations.plots import plot
from helpers import write_jsonl
from language_server import request_text, serve_script
from oracle import read_each

pytestmark = pytest.mark.usefixtures("hashing")

QUESTIONS = tuple(
    AnswerQuestion(str(n), f"What is known of thing {name}?") for n, name in enumerate(("ash", "bog", "cod"), 1)
)
Judge = Callable[[str, str], str]


def a_set() -> AnswerSet:
    return AnswerSet("things", "about things", QUESTIONS, Dataset("things", "", lambda: iter(papers()), ()))


def papers() -> list[SetPaper]:
    text = "The thing {0} is known well. It is rare in the north. {1}"
    return [
        SetPaper(
            name, f"The {name}", text.format(name, " ".join(f"{name}{n}" for n in range(len(name) + ord(name[0]) % 7)))
        )
        for name in "ash bog cod dew elm fog gnu hop".split()
    ]


def model(judge: Judge) -> Any:
    """A script: `brief` configurations get answers with the word SHORT, others with LONG; `judge` is given both texts
    in the order that they are shown and says first, second or tie."""

    def say(body: dict[str, Any]) -> dict[str, Any]:
        said = request_text(body)
        if "You compare two answers" in said:
            first, second = re.findall(r'<answer-[^>]*place="\w+">\n(.*?)\n</answer', said, re.DOTALL)
            return {"reasoning": "so", "better": judge(first, second)}
        if "You read passages" in said:
            read = {"relevant": True, "score": 9, "spans": [1], "summary": "It says."}
            return dict(read_each(body, lambda _: read))
        if "from evidence alone" in said:
            text = "It is SHORT." if said.count("<evidence-") == 1 else "It is LONG."
            return {"answerable": True, "statements": [{"text": text, "evidence": ["e1"]}], "missing": ""}
        if "You check statements" in said:
            return {"verdicts": [{"number": 1, "status": "supported", "why": ""}]}
        return {"phrasings": []}

    return say


def run(tmp_path: Path, judge: Judge, **more: Any) -> Result:
    with serve_script(model(judge)) as server:
        first, second = select_answer_configs(["default", "one-citation"])
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(first, second, a_set(), flags=flags, work=tmp_path / "work", **more)
        shown = [request_text(body) for body in server.requests if "You compare two answers" in request_text(body)]
        assert len(shown) == 2 * len(result.questions), "always in both orders"
        assert not any("one-citation" in text for text in shown), "the judge does not know which is which"
    return result


@pytest.mark.parametrize("side", ["first", "second"])
def test_a_judge_that_goes_by_the_place_gives_ties(tmp_path: Path, side: str) -> None:
    """Else the configuration that is named first wins."""
    result = run(tmp_path, lambda one, other: side)
    test = sign_test(result)
    assert (test.n, test.wins, test.losses, test.ties, test.p) == (0, 0, 0, 3, 1.0)
    assert (test.judged, test.flipped) == (3, 3) and result.aggregates["flipped"].mean == 1.0
    assert "The preference turned with the order in 100 % of 3 verdicts" in " ".join(result.notes)


@pytest.mark.parametrize(("word", "wins", "losses"), [("LONG", 3, 0), ("SHORT", 0, 3)])
def test_a_judge_with_a_view_decides(tmp_path: Path, word: str, wins: int, losses: int) -> None:
    result = run(tmp_path, lambda one, other: "first" if word in one else "second")
    test = sign_test(result)
    assert (test.wins, test.losses, test.ties, test.flipped, test.p) == (wins, losses, 0, 0, 0.25)
    details = result.questions[0].details
    assert details["preferred"] == details["in this order"] == details["in the other"]
    assert result.kind == "judge" and "eval_judge/1" in result.prompts
    assert result.configuration.overrides == {"one-citation: evidence.keep": "1"}
    store = ResultStore(tmp_path / "kept")
    assert sign_test(store.get(store.save(result).id)) == test


def test_pairs_of_one_name_are_judged_apart(tmp_path: Path) -> None:
    """Else all are judged by the answers to the last."""
    usual = model(lambda one, other: "first" if "LONG" in one else "second")

    def say(body: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = usual(body)
        if "statements" in made:
            (thing,) = set(re.findall(r"thing (\w+)\?", request_text(body)))
            made["statements"][0]["text"] += f" It is {thing}."
        return made

    with serve_script(say) as server:
        first, second = select_answer_configs(["default", "one-citation"])
        alike = replace(a_set(), questions=tuple(replace(one, id="x") for one in QUESTIONS))
        flags = {"language.model": server.url, "evidence.read": "3"}
        evaluate_judge(first, second, alike, flags=flags, work=tmp_path)
        shown = [request_text(body) for body in server.requests if "You compare two answers" in request_text(body)]
    assert len(shown) == 6
    for text in shown:
        (thing,) = set(re.findall(r"thing (\w+)\?", text))
        assert text.count(f"It is {thing}.") == 2, "both answers are to this question"


def test_one_preference_and_one_tie_is_a_tie(tmp_path: Path) -> None:
    result = run(tmp_path, lambda one, other: "first" if "LONG" in one else "tie", sampling=Sampling(2))
    test = sign_test(result)
    assert (test.n, test.ties, test.flipped, test.judged) == (0, 2, 0, 2)


def test_the_same_answer_is_not_judged(tmp_path: Path) -> None:
    """A judge would be paid for a coin."""
    with serve_script(model(lambda one, other: "first")) as server:
        first, second = select_answer_configs(["default"], [Configuration("same", {"budget.tokens": "100000"})])
        result = evaluate_judge(first, second, a_set(), flags={"language.model": server.url}, work=tmp_path)
        assert not any("You compare two" in request_text(body) for body in server.requests)
    assert sign_test(result).judged == 0 and "flipped" not in result.metrics
    assert "not asked" in result.questions[0].details["in this order"]


def test_a_judge_of_whom_nothing_can_be_used_gives_no_ties(tmp_path: Path) -> None:
    """Ties would look like two configurations that are as good as each other."""
    usual = model(lambda one, other: "first" if "LONG" in one else "second")

    def say(body: dict[str, Any]) -> Any:
        said = request_text(body)
        return "nonsense" if "You compare two answers" in said and "thing bog?" in said else usual(body)

    with serve_script(say) as server:
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(
            *select_answer_configs(["default", "one-citation"]), a_set(), flags=flags, work=tmp_path
        )
    test = sign_test(result)
    assert (test.wins, test.losses, test.ties, test.judged, test.unjudged) == (2, 0, 0, 2, 1)
    assert (
        result.questions[1].scores == {"unjudged": 1.0} and "unusable reply" in result.questions[1].details["trouble"]
    )
    assert "preferred" not in result.questions[1].details
    assert (result.aggregates["wins"].mean, result.aggregates["wins"].count) == (1.0, 2)
    assert result.aggregates["unjudged"].mean == pytest.approx(1 / 3)
    assert "neither 0 times, and 1 of 3 pairs could not be judged; exact" in " ".join(result.notes)


@pytest.mark.parametrize(("failing", "unjudged"), [("both", 3), ("one", 0)])
def test_answers_of_which_nothing_can_be_used_are_no_ties(tmp_path: Path, failing: str, unjudged: int) -> None:
    """Who gave none loses to who did; where there is no answer at all nothing can be compared."""
    usual = model(lambda one, other: "first" if "could not be answered" not in one else "second")

    def say(body: dict[str, Any]) -> Any:
        said = request_text(body)
        fails = "from evidence alone" in said and (failing == "both" or said.count("<evidence-") == 1)
        return "nonsense" if fails else usual(body)

    with serve_script(say) as server:
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(
            *select_answer_configs(["default", "one-citation"]), a_set(), flags=flags, work=tmp_path
        )
    test = sign_test(result)
    assert (test.wins, test.ties, test.unjudged) == (3 - unjudged, 0, unjudged)
    details = result.questions[0].details
    assert ("trouble" in details) == (failing == "both") and "unusable reply" in details["trouble of one-citation"]


def test_the_sign_test_by_hand() -> None:
    """Binomial with one half: 7 of 8 is 2 * (1 + 8) / 256."""
    assert sign_p(7, 1) == sign_p(1, 7) == 18 / 256
    assert sign_p(0, 0) == sign_p(3, 3) == sign_p(1, 0) == 1.0
    assert sign_p(6, 0) == 2 / 64
    assert sign_p(900, 1100) == pytest.approx(8.5e-06, rel=0.05)


def test_both_orders_have_to_agree() -> None:
    assert PairVerdict("first", "second").winner == "first" and not PairVerdict("first", "second").flipped
    assert PairVerdict("second", "first").winner == "second"
    assert PairVerdict("first", "first").winner == "tie" and PairVerdict("first", "first").flipped
    assert PairVerdict("tie", "second").winner == PairVerdict("tie", "tie").winner == "tie"
    assert not PairVerdict("tie", "tie").flipped


def test_what_cannot_be_judged_is_told_first(tmp_path: Path) -> None:
    ways = {way.name: way for way in select_answer_configs(["default", "blind", "vanilla", "extractive"])}
    flags = {"language.model": "http://127.0.0.1:9/v1"}
    (wrong,) = select_answer_configs([], [Configuration("wrong", {"search.mmr": "7"})])
    with pytest.raises(UsageError, match=r"'wrong': 'search\.mmr' cannot be '7'"):
        evaluate_judge(ways["default"], wrong, a_set(), flags=flags, work=tmp_path)
    with pytest.raises(UsageError, match="writes no answer"):
        evaluate_judge(ways["default"], ways["blind"], a_set(), flags=flags, work=tmp_path)
    with pytest.raises(UsageError, match="against itself"):
        evaluate_judge(ways["default"], ways["default"], a_set(), flags=flags, work=tmp_path)
    with pytest.raises(UnavailableError, match="The judge needs a language model"):
        evaluate_judge(ways["default"], ways["extractive"], a_set(), work=tmp_path)
    with pytest.raises(UnavailableError, match="'vanilla' needs"):
        evaluate_judge(ways["default"], ways["vanilla"], a_set(), work=tmp_path)
    with pytest.raises(UsageError, match="no papers"):
        evaluate_judge(ways["default"], ways["vanilla"], AnswerSet("x", "", QUESTIONS), flags=flags, work=tmp_path)
    assert not list(tmp_path.iterdir())


def test_passages_are_judged_in_both_orders(tmp_path: Path) -> None:
    """K8, Table VI: what each order alone says is reported next to what both agree on."""
    shown: list[str] = []

    def say(body: dict[str, Any]) -> dict[str, Any]:
        shown.append(request_text(body))
        return {"reasoning": "so", "better": "first"}

    with serve_script(say) as server:
        own = [Configuration("diverse", {"search.mmr": "0.1"})]
        configs = select_answer_configs(["vanilla"], own)
        flags = {"language.judge": server.url}
        result = evaluate_judge(*configs, a_set(), flags=flags, work=tmp_path, passages=3)
        calls = len(shown)
        assert evaluate_judge(*configs, a_set(), flags=flags, work=tmp_path, passages=3).aggregates == result.aggregates
        assert len(shown) == calls, "calls are kept"
    assert calls in (2, 4, 6) and not any("vanilla" in text for text in shown), "the judge does not know which is which"
    test = sign_test(result)
    assert (test.wins, test.losses, test.ties, test.flipped) == (0, 0, 3, calls // 2)
    assert (result.aggregates["better first"].mean, result.aggregates["better second"].mean) == (1.0, 0.0)
    assert "eval_passages/1" in result.prompts and "passages of diverse" in result.questions[0].details


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A judge's verdict is printed and stored, a stored result is drawn, and errors say what to do."""
    library, questions = tmp_path / "lib", tmp_path / "questions.txt"
    with Library(library, {"parse.workers": 1}) as opened:
        opened.add(write_jsonl(tmp_path / "r.jsonl", [{"title": p.title, "abstract": p.abstract} for p in papers()]))
    questions.write_text("What is known of thing ash?\n")
    at = ["--work", str(tmp_path / "work")]
    words = ["judge", "default", "one-citation", "--questions", str(questions), "--library", str(library), *at]
    with serve_script(model(lambda one, other: "first")) as server:
        assert main([*words, "--set", f"language.model={server.url}"]) == 0
    assert "exact two-sided sign test: p = 1.0000" in capsys.readouterr().out
    for picture in (tmp_path / "a.png", tmp_path / "b.png"):
        assert main(["plot", str(picture), "last", *at]) == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert main(["plot", str(tmp_path / "c.txt"), "last", *at]) == 2 and "ends in" in capsys.readouterr().err
    assert main([*words[:3], "--questions", "nowhere.txt", *at]) == 2


def test_a_plot_has_curves(tmp_path: Path) -> None:
    papers_and_questions = Dataset("things", "", lambda: iter(papers()), (Question("1", "What is ash?", {"ash": 1}),))
    plot(list(evaluate_retrieval([papers_and_questions], work=tmp_path)), tmp_path / "plot.svg")
    assert "AUC" in (tmp_path / "plot.svg").read_text("utf-8")
