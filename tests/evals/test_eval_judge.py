"""Two configurations compared by a judge: both orders, ties kept, the sign test exact."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import UnavailableError, UsageError
from conspectus.evals import (
    AnswerSet,
    Asked,
    Configuration,
    Dataset,
    Document,
    Result,
    ResultStore,
    Sampling,
    chosen_ways,
    evaluate_judge,
    sign_test,
)
from conspectus.evals.judging import Judged, sign_p, told_of
from language_server import said_to, scripted
from oracle import read_each

pytestmark = pytest.mark.usefixtures("hashing")

QUESTIONS = tuple(Asked(str(n), f"What is known of thing {name}?") for n, name in enumerate(("ash", "bog", "cod"), 1))
Judge = Callable[[str, str], str]


def a_set() -> AnswerSet:
    def documents() -> Any:
        for name in ("ash", "bog", "cod"):
            yield Document(name, f"The {name}", f"The thing {name} is known well. It is rare in the north.")

    return AnswerSet("things", "about things", QUESTIONS, Dataset("things", "", documents, ()))


def model(judge: Judge) -> Any:
    """A script: `brief` configurations get answers with the word SHORT, others with LONG; `judge` is given both texts
    in the order that they are shown and says first, second or tie."""

    def say(body: dict[str, Any]) -> dict[str, Any]:
        said = said_to(body)
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
    with scripted(model(judge)) as server:
        first, second = chosen_ways(["default", "one-citation"])
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(first, second, a_set(), flags=flags, work=tmp_path / "work", **more)
        shown = [said_to(body) for body in server.requests if "You compare two answers" in said_to(body)]
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
            (thing,) = set(re.findall(r"thing (\w+)\?", said_to(body)))
            made["statements"][0]["text"] += f" It is {thing}."
        return made

    with scripted(say) as server:
        first, second = chosen_ways(["default", "one-citation"])
        alike = replace(a_set(), questions=tuple(replace(one, id="x") for one in QUESTIONS))
        flags = {"language.model": server.url, "evidence.read": "3"}
        evaluate_judge(first, second, alike, flags=flags, work=tmp_path)
        shown = [said_to(body) for body in server.requests if "You compare two answers" in said_to(body)]
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
    with scripted(model(lambda one, other: "first")) as server:
        first, second = chosen_ways(["default"], [Configuration("same", {"budget.tokens": "100000"})])
        result = evaluate_judge(first, second, a_set(), flags={"language.model": server.url}, work=tmp_path)
        assert not any("You compare two" in said_to(body) for body in server.requests)
    assert sign_test(result).judged == 0 and "flipped" not in result.metrics
    assert "not asked" in result.questions[0].details["in this order"]


def test_a_judge_of_whom_nothing_can_be_used_gives_no_ties(tmp_path: Path) -> None:
    """Ties would look like two configurations that are as good as each other."""
    usual = model(lambda one, other: "first" if "LONG" in one else "second")

    def say(body: dict[str, Any]) -> Any:
        said = said_to(body)
        return "nonsense" if "You compare two answers" in said and "thing bog?" in said else usual(body)

    with scripted(say) as server:
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(*chosen_ways(["default", "one-citation"]), a_set(), flags=flags, work=tmp_path)
    test = sign_test(result)
    assert (test.wins, test.losses, test.ties, test.judged, test.unjudged) == (2, 0, 0, 2, 1)
    assert (
        result.questions[1].scores == {"unjudged": 1.0} and "cannot be used" in result.questions[1].details["trouble"]
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
        said = said_to(body)
        fails = "from evidence alone" in said and (failing == "both" or said.count("<evidence-") == 1)
        return "nonsense" if fails else usual(body)

    with scripted(say) as server:
        flags = {"language.model": server.url, "evidence.read": "3"}
        result = evaluate_judge(*chosen_ways(["default", "one-citation"]), a_set(), flags=flags, work=tmp_path)
    test = sign_test(result)
    assert (test.wins, test.ties, test.unjudged) == (3 - unjudged, 0, unjudged)
    details = result.questions[0].details
    assert ("trouble" in details) == (failing == "both") and "cannot be used" in details["trouble of one-citation"]


def test_the_sign_test_by_hand() -> None:
    """Binomial with one half: 7 of 8 is 2 * (1 + 8) / 256."""
    assert sign_p(7, 1) == sign_p(1, 7) == 18 / 256
    assert sign_p(0, 0) == sign_p(3, 3) == sign_p(1, 0) == 1.0
    assert sign_p(6, 0) == 2 / 64
    assert sign_p(900, 1100) == pytest.approx(8.5e-06, rel=0.05)


def test_both_orders_have_to_agree() -> None:
    assert Judged("first", "second").winner == "first" and not Judged("first", "second").flipped
    assert Judged("second", "first").winner == "second"
    assert Judged("first", "first").winner == "tie" and Judged("first", "first").flipped
    assert Judged("tie", "second").winner == Judged("tie", "tie").winner == "tie"
    assert not Judged("tie", "tie").flipped


def test_what_cannot_be_judged_is_told_first(tmp_path: Path) -> None:
    ways = {way.name: way for way in chosen_ways(["default", "blind", "vanilla", "extractive"])}
    flags = {"language.model": "http://127.0.0.1:9/v1"}
    (wrong,) = chosen_ways([], [Configuration("wrong", {"search.mmr": "7"})])
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


def test_told_in_words(tmp_path: Path) -> None:
    test = sign_test(run(tmp_path, lambda one, other: "first" if "LONG" in one else "second"))
    assert "a was preferred 3 times, b 0 times, neither 0 times" in told_of(test, "a", "b")
    assert "p = 0.2500 (n = 3)" in told_of(test, "a", "b")
