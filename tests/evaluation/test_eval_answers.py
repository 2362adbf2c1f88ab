"""Answers measured on sets: choices, refusals, citations, and what each ablation asks."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import InputError, NotFoundError, ServiceError, UnavailableError, UsageError
from conspectus.evaluation import (
    ANSWER_CONFIGS,
    AnswerQuestion,
    AnswerSet,
    Configuration,
    Dataset,
    Result,
    Sampling,
    SetPaper,
    compare,
    evaluate_answers,
    load_answers,
    select_answer_configs,
)
from conspectus.evaluation.answers import (
    UNSURE,
    choice_scores,
    citation_scores,
    is_same_sentence,
    normalize_words,
    refusal_scores,
    shuffle_options,
)
from conspectus.evaluation.question_sets import shrink_library
from language_server import LanguageServer, error, request_text, serve_script
from oracle import dismiss_hints, read_each

pytestmark = pytest.mark.usefixtures("hashing")

PAPERS = {
    "whales": ("Whale song", "Male humpback whales sing for many hours. The song changes from year to year."),
    "bees": ("Bee dances", "Honey bees dance to tell where food is. The angle of the dance gives the direction."),
    "frogs": ("Frog calls", "Tree frogs call at night. Warm nights make them call faster."),
    "ants": ("Ant trails", "Ants lay trails of scent. Rain washes the trails away."),
}
QUESTIONS = (
    AnswerQuestion(
        "1", "Do humpback whales sing?", ("yes", "no"), "yes", None, {"whales": (PAPERS["whales"][1][:41],)}
    ),
    AnswerQuestion("2", "Do honey bees dance to tell where food is?", ("yes", "no"), "no", None, {"bees": ()}),
    AnswerQuestion("3", "Do tree frogs call at night?", ("yes", "no"), "yes", None, {"frogs": ()}),
)


def a_set(*questions: AnswerQuestion, papers: bool = True) -> AnswerSet:
    def documents() -> Iterator[SetPaper]:
        for name, (title, text) in PAPERS.items():
            yield SetPaper(name, title, text, (f"Author {name}",))

    return AnswerSet("animals", "about animals", questions, Dataset("animals", "", documents, ()) if papers else None)


def model(chosen: Mapping[str, str] | None = None, *, reads: bool = True) -> Any:
    """A script: passages are read by their first sentence, the answer is written from the first evidence, and the
    options chosen are those of `chosen` (words of the question -> option; else unsure)."""

    def say(body: dict[str, Any]) -> dict[str, Any]:
        said = request_text(body)
        what = asked_for(body)
        if what == "rephrase":
            return {"phrasings": []}
        if what == "gather":
            read = {"relevant": reads, "score": 9 * reads, "spans": [1] * reads, "summary": "It says."}
            return dict(read_each(body, lambda _: read))
        if what == "write":
            return {"answerable": True, "statements": [{"text": "So it is.", "evidence": ["e1"]}], "missing": ""}
        if what == "judge":
            return {"verdicts": [{"number": 1, "status": "supported", "why": ""}]}
        options = dict(re.findall(r"^([A-Z])\. (.+)$", said, re.MULTILINE))
        wanted = next((option for part, option in (chosen or {}).items() if part in said), UNSURE)
        return {"reasoning": "so", "option": next(key for key, option in options.items() if option == wanted)}

    return say


def asked_for(body: Mapping[str, Any]) -> str:
    """Which prompt a request is of."""
    said = request_text(body)
    marks = {
        "Other ways to ask": "rephrase",
        "You read passages": "gather",
        "from evidence alone": "write",
        "You check statements": "judge",
        "from what you know; you have no papers": "eval_blind",
        "which option the answer comes to": "eval_choose",
    }
    return next((name for mark, name in marks.items() if mark in said), "rephrase")


def run(
    tmp_path: Path, url: str, *names: str, questions: tuple[AnswerQuestion, ...] = QUESTIONS, **more: Any
) -> list[Result]:
    flags = {"language.model": url, "evidence.read": "2", **more.pop("flags", {})}
    ways = select_answer_configs(names, more.pop("own", ()))
    return list(evaluate_answers([a_set(*questions)], ways, flags=flags, work=tmp_path / "work", **more))


def kinds(server: LanguageServer) -> list[str]:
    return [asked_for(body) for body in server.requests]


def test_accuracy_and_precision_by_hand() -> None:
    """P9: a wrong answer costs both, being unsure costs accuracy alone."""
    assert choice_scores("yes", "yes") == {"accuracy": 1.0, "precision": 1.0, "unsure": 0.0}
    assert choice_scores("no", "yes") == {"accuracy": 0.0, "precision": 0.0, "unsure": 0.0}
    assert choice_scores(UNSURE, "yes") == choice_scores("", "yes") == {"accuracy": 0.0, "unsure": 1.0}


def test_no_place_is_always_right() -> None:
    """A model that takes the first option would else be right, or wrong, all the time."""
    options = ("one", "two", "three")
    found = [shuffle_options(options, str(number), 0) for number in range(400)]
    for option in (*options, UNSURE):
        first = sum(one.options[0] == option for one in found)
        assert 60 <= first <= 140
        assert all(option in one.options for one in found)
    assert found[:9] == [shuffle_options(options, str(number), 0) for number in range(9)]
    assert found[:20] != [shuffle_options(options, str(number), 1) for number in range(20)]
    assert found[0].letters[found[0].unsure] == UNSURE and UNSURE not in found[0].real_options
    with pytest.raises(ValueError, match="letters"):
        shuffle_options([str(number) for number in range(26)], "x", 0)


def test_choices_are_scored(tmp_path: Path) -> None:
    """One right, one wrong, one unsure: a third of all, a half of those sure."""
    chosen = {"humpback": "yes", "honey": "yes"}
    with serve_script(model(chosen)) as server:
        (result,) = run(tmp_path, server.url, "default")
        calls = len(server.requests)
        (again,) = run(tmp_path, server.url, "default")
        assert len(server.requests) == calls, "what models said is kept in the set's library"
    means = {name: found.mean for name, found in result.aggregates.items()}
    assert means["accuracy"] == pytest.approx(1 / 3)
    assert means["precision"] == 0.5 and result.aggregates["precision"].count == 2
    assert means["unsure"] == pytest.approx(1 / 3)
    first = result.questions[0]
    assert first.details["chosen"] == first.details["expected"] == "yes"
    assert sorted(re.findall(r": (.+?)(?: \||$)", first.details["options"])) == sorted(["yes", "no", UNSURE])
    assert first.details["said"] == "So it is." and first.details["answer"].startswith("ans-")
    assert {"gather/4", "write/5", "eval_choose/1"} <= set(result.prompts) and "scripted" in result.models[0]
    assert result.kind == "answers" and result.library and result.library.papers == 4
    assert [one.scores for one in again.questions] == [one.scores for one in result.questions]
    assert any("from the cache" in note for note in again.notes)


def test_citations_are_held_against_gold(tmp_path: Path) -> None:
    """The answers cite the first sentence of the best passage."""
    with serve_script(model()) as server:
        (result,) = run(tmp_path, server.url, "default")
    first = result.questions[0].scores
    assert (first["paper P"], first["paper R"], first["sentence P"], first["sentence R"]) == (1.0, 1.0, 1.0, 1.0)
    assert "sentence P" not in result.questions[1].scores, "only its paper is known"


def test_gold_sentences_are_found_however_they_are_cut() -> None:
    assert is_same_sentence(
        ("a", normalize_words("Bees dance on the comb.")), ("a", normalize_words("At noon, bees dance on the comb!"))
    )
    assert not is_same_sentence(
        ("a", normalize_words("Bees dance on the comb.")), ("b", normalize_words("Bees dance on the comb."))
    )
    assert not is_same_sentence(("a", "bees"), ("a", normalize_words("Some bees dance."))), "a word is no sentence"
    assert is_same_sentence(("a", "bees"), ("a", "bees"))


def test_refusals_by_hand() -> None:
    assert refusal_scores(False, False) == {"refusal P": 1.0, "refusal R": 1.0}
    assert refusal_scores(False, True) == {"refusal P": 0.0, "answered R": 0.0}
    assert refusal_scores(True, False) == {"refusal R": 0.0}
    assert refusal_scores(True, True) == {"answered R": 1.0}
    assert refusal_scores(True, None) == {}


OPEN = (
    AnswerQuestion("a", "Do humpback whales sing for many hours?", answerable=True, gold={"whales": ()}),
    AnswerQuestion("b", "Which enzyme repairs damaged chromosomes?", answerable=False),
)


def test_refusing_is_scored_without_a_model(tmp_path: Path) -> None:
    """Quotes answer what is there, and decline what is not."""
    (result,) = run(tmp_path, "", "default", questions=OPEN)
    means = {name: found.mean for name, found in result.aggregates.items()}
    assert means["answered R"] == means["refusal R"] == means["refusal P"] == 1.0
    assert result.questions[0].scores["paper R"] == 1.0
    assert result.prompts == () and "said" not in result.questions[0].details, "results keep no text of papers"
    assert result.questions[1].details["reason"] and result.questions[1].details["expected"] == "no answer"


def test_choices_need_a_model(tmp_path: Path) -> None:
    """Never a guess: what can be scored is, and the rest is said to be missing."""
    (result,) = run(tmp_path, "", "extractive")
    assert "accuracy" not in result.metrics and "answered" in result.metrics and "paper P" in result.metrics
    assert any("needs a language model" in note for note in result.notes)
    plain = AnswerQuestion("x", "Which one?", ("p", "q"), "p")
    for name, questions in (("default", (plain,)), ("blind", QUESTIONS), ("one-citation", QUESTIONS)):
        with pytest.raises(UnavailableError, match="needs a language model"):
            run(tmp_path / "other", "", name, questions=questions)
    own = [Configuration("late", {"search.reranker": "nope:x"})]
    with pytest.raises(UsageError, match="'late': There is no reranker 'nope:x'"):
        run(tmp_path / "other", "", "extractive", questions=OPEN, own=own)
    assert not (tmp_path / "other").exists(), "it is told before anything is done"


def test_the_model_alone_sees_no_papers(tmp_path: Path) -> None:
    with serve_script(model({"humpback": "yes", "honey": "no", "frogs": "no"})) as server:
        (result,) = run(tmp_path, server.url, "blind")
        assert kinds(server) == ["eval_blind"] * 3
        assert not any(PAPERS["whales"][1][:20] in request_text(body) for body in server.requests)
    assert result.aggregates["accuracy"].mean == pytest.approx(2 / 3)
    assert result.library is None and result.prompts == ("eval_blind/1",) and "answered" not in result.metrics
    with pytest.raises(UsageError, match="no options"):
        run(tmp_path, "http://127.0.0.1:9/v1", "blind", questions=OPEN)
    with pytest.raises(UsageError, match="no papers"):
        list(evaluate_answers([a_set(*QUESTIONS, papers=False)], work=tmp_path, flags={"language.model": "none"}))


@pytest.mark.parametrize(
    ("name", "there", "gone"),
    [
        ("default", {"gather", "write", "judge", "eval_choose", "rephrase"}, {"eval_blind"}),
        ("no-evidence", {"write", "judge", "eval_choose", "rephrase"}, {"gather"}),
        ("vanilla", {"write", "eval_choose"}, {"gather", "judge", "rephrase"}),
        ("quick", {"gather", "write"}, {"judge", "rephrase"}),
    ],
)
def test_ablations_change_what_is_asked(tmp_path: Path, name: str, there: set[str], gone: set[str]) -> None:
    """A name that changed nothing would report a difference of noise."""
    with serve_script(model({"humpback": "yes"})) as server:
        (result,) = run(tmp_path, server.url, name, questions=QUESTIONS[:1])
        found = set(kinds(server))
    assert there <= found and not gone & found
    assert result.configuration.name == name and result.questions[0].scores["accuracy"] == 1.0
    assert any(note.startswith(f"{name}: ") for note in result.notes)


def test_passages_go_into_the_prompt_whole(tmp_path: Path) -> None:
    with serve_script(model()) as server:
        run(tmp_path, server.url, "no-evidence", questions=QUESTIONS[:1])
        (written,) = [request_text(body) for body in server.requests if asked_for(body) == "write"]
    assert "The song changes from year to year." in written
    with serve_script(model()) as server:
        run(tmp_path / "b", server.url, "default", "one-citation", questions=QUESTIONS[:1])
        usual, one = [request_text(body) for body in server.requests if asked_for(body) == "write"]
    assert usual.count("<evidence") > one.count("<evidence") == 1
    assert "The song changes" not in usual


def test_options_are_part_of_the_question_or_not(tmp_path: Path) -> None:
    with serve_script(model()) as server:
        run(tmp_path, server.url, "default", questions=QUESTIONS[:1])
        assert all("Options: " in request_text(body) for body in server.requests if asked_for(body) == "gather")
    with serve_script(model()) as server:
        run(tmp_path / "b", server.url, "no-options", questions=QUESTIONS[:1])
        assert not any("Options: " in request_text(body) for body in server.requests)
        assert kinds(server)[-1] == "eval_choose"


def test_what_was_refused_is_unsure_and_not_chosen(tmp_path: Path) -> None:
    """Else a model's guess would be counted for the pipeline."""
    with serve_script(model({"humpback": "yes"}, reads=False)) as server:
        (result,) = run(tmp_path, server.url, "default", questions=QUESTIONS[:1])
        assert "eval_choose" not in kinds(server)
    assert result.questions[0].scores == {"accuracy": 0.0, "unsure": 1.0, "answered": 0.0}


def test_one_useless_answer_ends_no_run(tmp_path: Path) -> None:
    """Of hundreds of questions one may go wrong; a service that refuses must be told."""
    good = model({"humpback": "yes", "frogs": "yes"})

    def say(body: dict[str, Any]) -> Any:
        return "nonsense" if "honey" in request_text(body) and asked_for(body) == "eval_blind" else good(body)

    with serve_script(say) as server:
        (result,) = run(tmp_path, server.url, "blind")
    assert result.aggregates["accuracy"].mean == pytest.approx(2 / 3)
    assert "unusable reply" in result.questions[1].details["trouble"]
    assert any("of 1 of 3 questions nothing could be used" in note for note in result.notes)
    with serve_script(lambda _: error(401, "no")) as server, pytest.raises(ServiceError):
        run(tmp_path / "b", server.url, "blind")


def test_ways_are_compared_question_by_question(tmp_path: Path) -> None:
    with serve_script(model({"humpback": "yes"})) as server:
        own = [Configuration("less", {"evidence.keep": "2"})]
        first, second, third = run(tmp_path, server.url, "default", "blind", own=own)
    found = compare(first, second)
    assert found.differences[0].metric == "accuracy" and found.differences[0].mean == 0.0
    assert found.warnings == ()
    assert third.configuration.name == "less" and third.settings["evidence.keep"] == 2


def test_a_paper_can_be_asked_by_its_author(tmp_path: Path) -> None:
    one = AnswerQuestion("1", "Do tree frogs call at night?", answerable=True, gold={"frogs": ()}, author="Author ants")
    (result,) = run(tmp_path, "", "default", questions=(one,))
    assert "paper R" not in result.questions[0].scores or result.questions[0].scores["paper R"] == 0.0


def test_smaller_sets(tmp_path: Path) -> None:
    """What answers the questions stays; the rest is drawn, the same each time, and the result says so."""
    few = shrink_library(a_set(*QUESTIONS), QUESTIONS[:1], 1, 0)
    assert few.papers
    names = [paper.id for paper in few.papers.documents()]
    assert names[0] == "whales" and len(names) == 2
    assert [paper.id for paper in few.papers.documents()] == names
    (result,) = run(tmp_path, "", "default", questions=OPEN, sampling=Sampling(1, 1))
    assert len(result.questions) == 1 and result.library and result.library.papers <= 2
    assert "easier task" in result.notes[0]
    with pytest.raises(UsageError, match="none is left"):
        shrink_library(a_set(*OPEN), OPEN[1:], 0, 0)


def test_names_of_ways() -> None:
    assert [way.name for way in select_answer_configs(())] == ["default"]
    with pytest.raises(UsageError, match="no-evidence"):
        select_answer_configs(["no-evidense"])
    with pytest.raises(UsageError, match="two configurations"):
        select_answer_configs((), [Configuration("blind", {"evidence.keep": "1"})])
    assert all(way.about for way in ANSWER_CONFIGS.values())


def test_questions_of_ones_own(tmp_path: Path) -> None:
    """A file is asked of the user's library, whose papers it names."""
    with Library(tmp_path / "lib", {"parse.workers": 1}) as library:
        records = tmp_path / "r.jsonl"
        records.write_text(
            "".join(json.dumps({"title": title, "abstract": text}) + "\n" for title, text in PAPERS.values()), "utf-8"
        )
        library.add(records)
        names = {paper.title: paper.id for paper in library.papers()}
    rows = [
        {"question": "Do humpback whales sing for many hours?", "answerable": True, "papers": [names["Whale song"]]},
        {"id": 7, "question": "Which enzyme repairs chromosomes?", "answerable": False},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = load_answers(str(path))
    assert [one.id for one in found.questions] == ["1", "7"] and found.papers is None
    (result,) = evaluate_answers([found], sampling=Sampling(library_folder=tmp_path / "lib"), work=tmp_path / "work")
    assert result.questions[0].scores["paper P"] == 1.0 and result.aggregates["refusal R"].mean == 1.0
    assert not (tmp_path / "work").exists()
    lines = tmp_path / "mine.txt"
    lines.write_text("What?\n\nWhy?\n", "utf-8")
    assert [one.text for one in load_answers(str(lines)).questions] == ["What?", "Why?"]
    (tmp_path / "empty.txt").write_text("\n", "utf-8")
    with pytest.raises(InputError, match="no questions"):
        load_answers(str(tmp_path / "empty.txt"))
    with pytest.raises(NotFoundError, match="no set of answers 'nowhere'"):
        load_answers("nowhere")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('{"question": "x", "options": ["a", "b"], "right": "c"}', "line 1: the right option 'c' is none"),
        ('{"question": "a", "id": "x"}\n{"question": "b", "id": "x"}', "line 2: .* id 'x', as that of line 1"),
        ('{"question": "a", "id": 3}\n\n{"question": "b"}', "line 3: .* id '3', as that of line 1"),
        ('{"question": "a"}\n\n{"question": " "}', "line 3: the question is empty"),
    ],
)
def test_questions_that_cannot_be_scored_are_told_with_their_line(tmp_path: Path, rows: str, said: str) -> None:
    """Two of one name would be scored by one answer; an empty one would end the run when its turn comes."""
    path = tmp_path / "mine.jsonl"
    path.write_text(rows + "\n", "utf-8")
    with pytest.raises(InputError, match=rf"mine\.jsonl', {said}"):
        load_answers(str(path))


def test_questions_of_one_name_have_their_own_answers(tmp_path: Path) -> None:
    """A set made in Python may have them; the second was scored by the first one's choice."""
    twice = tuple(replace(one, id="x") for one in QUESTIONS)
    with serve_script(model({"humpback": "yes", "honey": "no"})) as server:
        (result,) = run(tmp_path, server.url, "blind", questions=twice)
    assert [one.details["chosen"] for one in result.questions] == ["yes", "no", UNSURE]


def test_unsupported_statements_cite_nothing(tmp_path: Path) -> None:
    """What the program itself marks as not carried is no citation to count."""

    def say(body: dict[str, Any]) -> Any:
        said = model()(body)
        if asked_for(body) == "write":
            claims = [{"text": "So it is.", "evidence": ["e1"]}, {"text": "It is 55 kg.", "evidence": ["e2"]}]
            return {**said, "statements": claims}
        if asked_for(body) == "judge":
            verdicts = [{"number": 1, "status": "supported", "why": ""}]
            verdicts.append({"number": 2, "status": "unsupported", "why": "no"})
            return {**dismiss_hints(body), "verdicts": verdicts}
        return said

    with (
        serve_script(say) as server,
        Library(tmp_path / "lib", {"parse.workers": 1, "language.model": server.url}) as lib,
    ):
        records = tmp_path / "r.jsonl"
        rows = [{"id": name, "title": title, "abstract": text} for name, (title, text) in PAPERS.items()]
        records.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        lib.add(records)
        answer = lib.ask("Do humpback whales sing?")
    assert [one.status for one in answer.statements] == ["supported", "unsupported"]
    cited = answer.statements[0].citations[0].paper.external_id
    found = citation_scores(answer, {cited: ()}, lambda paper: paper.external_id)
    assert found == {"paper P": 1.0, "paper R": 1.0}
    assert citation_scores(answer, {}, lambda paper: paper.id) == {}
