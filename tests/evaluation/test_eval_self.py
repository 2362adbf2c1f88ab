"""The user's own library measured with questions made of its papers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conspectus import Library
from conspectus.core.errors import InputError, NotFoundError, ServiceError, UnavailableError, UsageError
from conspectus.evaluation import (
    Configuration,
    QuestionOptions,
    QuestionSet,
    RetrievalOptions,
    evaluate_self,
    questions_of,
    select_configurations,
)
from conspectus.evaluation.own_questions import QuestionReply, citation_clusters, question_trouble, without_marks
from conspectus.evaluation.retrieval import SELF
from conspectus.records import Block, Mark, Sentence
from helpers import copy_library, write, write_jsonl
from language_server import error, request_text, serve_script

pytestmark = pytest.mark.usefixtures("hashing")

THINGS = "quasar comet magnetar pulsar nebula galaxy meteor planet asteroid supernova".split()
FOUND = "spectrum rotation emission absorption polarisation variability luminosity temperature density velocity".split()


def works() -> list[dict[str, Any]]:
    return [
        {
            "id": f"w{number}",
            "title": f"On the {FOUND[number % 10]} of a {THINGS[number // 10]}",
            "abstract": f"With VLT and ALMA the {FOUND[number % 10]} of a {THINGS[number // 10]} was held against its "
            f"{FOUND[(number + 3) % 10]} and {FOUND[(number + 5) % 10]} over {number + 2} nights of winter. It was so.",
            "year": 1990 + number % 20,
        }
        for number in range(60)
    ]


def review(cited: list[dict[str, Any]]) -> str:
    entries = "\n".join(
        f"[{n}] A. Author, {one['title']}, Journal {n} ({one['year']})." for n, one in enumerate(cited, 1)
    )
    return (
        "---\ntitle: A review of what was measured\n---\n\n## What is known\n\n"
        "Variability of many kinds of bodies was measured in long campaigns of the past [1-6]. "
        "Two of them stand out for bright colours in winter [1, 2]. "
        "Rotation of bodies was followed by other telescopes [3], [4], [5], [6] and [7].\n\n"
        f"## References\n\n{entries}\n"
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, hashing: None) -> Path:
    home = tmp_path_factory.mktemp("whole")
    cited = works()[:8]
    with Library(home / "lib", {"parse.workers": 1}) as library:
        report = library.add([write_jsonl(home / "works.jsonl", works()), write(home / "review.md", review(cited))])
        assert not report.failed
    return home / "lib"


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return copy_library(whole, tmp_path / "lib")


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with Library(folder) as library:
        yield library


def by_name(sets: tuple[QuestionSet, ...]) -> dict[str, QuestionSet]:
    return {one.dataset.partition(": ")[2]: one for one in sets}


def test_sentences_with_many_references_are_questions(library: Library) -> None:
    """F15: what a review cites together answers what it says there."""
    (paper,) = [one for one in library.papers() if one.has_full_text]
    found = list(citation_clusters(library))
    assert [len(one.relevant) for one in found] == [6, 5]
    assert found[0].text == "Variability of many kinds of bodies was measured in long campaigns of the past."
    assert found[1].text.startswith("Rotation of bodies was followed") and not re.search(r"\[|\d", found[1].text)
    assert {library.paper(name).external_id for name in found[0].relevant} == {f"w{n}" for n in range(6)}
    assert all(one.exclude == (paper.id,) for one in found), "the review has the sentence itself"
    assert [len(one.relevant) for one in citation_clusters(library, least=2)] == [6, 2, 5]


def test_marks_leave_no_traces() -> None:
    text = "Dust (e.g. 1, 2; 3) is seen 4,5 and ice [6]."
    spans = [("1", 11), ("2", 14), ("3", 17), ("4,5", text.index("4,5")), ("6", text.index("6"))]
    marks = tuple(Mark(at, at + len(word), "reference", ("b1",)) for word, at in spans)
    block = Block("paragraph", text, (Sentence(0, len(text)),), marks=marks)
    assert without_marks(block, block.sentences[0]) == "Dust is seen and ice."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Ice is old news ¹,²,³,⁴,⁵.", "Ice is old news."),
        ("Ice is old news.¹,²", "Ice is old news."),
        ("Ice is old news ¹, ² and ³!", "Ice is old news!"),
        ("“Ice is old news ¹–³.”", "“Ice is old news.”"),
        ("Ice and sand are, at ¹ .5 m, old ², though.", "Ice and sand are, at .5 m, old, though."),
    ],
)
def test_commas_between_marks_go_with_them(text: str, left: str) -> None:
    """A question that ends in `news,.` is none that anybody asks."""
    marks = tuple(Mark(at, at + 1, "reference", ("b1",)) for at, sign in enumerate(text) if sign in "¹²³⁴⁵")
    block = Block("paragraph", text, (Sentence(0, len(text)),), marks=marks)
    assert without_marks(block, block.sentences[0]) == left


def test_the_library_is_measured_without_a_judge(folder: Path) -> None:
    """The thing itself: both kinds of question, each configuration, the metrics of F15."""
    compared = [*select_configurations(["bm25"]), Configuration("few", {"search.rerank": "2"})]
    found = list(evaluate_self(folder, compared, QuestionOptions(20)))
    assert [(one.dataset, one.configuration.name) for one in found] == [
        ("lib: single-paper", "bm25"),
        ("lib: single-paper", "few"),
        ("lib: citation clusters", "bm25"),
        ("lib: citation clusters", "few"),
    ]
    assert all(one.metrics == SELF and one.kind == "self" for one in found)
    assert found[1].settings["search.rerank"] == 2 and found[0].library == found[1].library
    assert len(found[0].questions) == 20 and found[0].aggregates["success@10"].mean > 0.5
    review = next(iter(found[2].questions[0].relevant))
    assert all(review not in one.ranking or review in one.relevant for one in found[2].questions)
    again = list(evaluate_self(folder, compared[:1], QuestionOptions(20)))
    assert [one.ranking for one in again[0].questions] == [one.ranking for one in found[0].questions]


def test_what_cannot_be_asked_is_said(tmp_path: Path, folder: Path) -> None:
    """An empty table would look like a failure of the search."""
    with Library(tmp_path / "abstracts", {"parse.workers": 1}) as library:
        library.add(write_jsonl(tmp_path / "works.jsonl", works()))
        sets = by_name(questions_of(library, QuestionOptions(5)))
        assert list(sets) == ["single-paper"]
        assert "no sentence of a full text cites 5 or more" in sets["single-paper"].notes[0]
    with Library(tmp_path / "empty") as library, pytest.raises(InputError, match="No question can be made"):
        questions_of(library, QuestionOptions())
    with pytest.raises(UsageError, match="changes what is in a library"):
        next(evaluate_self(folder, [Configuration("x", {"models.embedder": "other"})]))
    with pytest.raises(NotFoundError):
        next(evaluate_self(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="metric"):
        next(evaluate_self(folder, options=RetrievalOptions(("nonsense",))))
    with pytest.raises(UsageError, match="depth of 5 is too small for success@10"):
        next(evaluate_self(folder, options=RetrievalOptions(depth=5)))
    with pytest.raises(UnavailableError, match=r"'hyde' .search\.expand=hyde. needs a language model"):
        next(evaluate_self(folder, select_configurations(["bm25", "hyde"])))


def test_a_model_asks_in_words_of_its_own(folder: Path) -> None:
    """Where one is set its questions are a set of their own, and say which model and prompt made them."""

    def ask(body: dict[str, Any]) -> dict[str, Any]:
        thing = next(word for word in THINGS if word in request_text(body))
        return {"question": f"How did telescopes observe each {thing} body?"}

    with serve_script(ask) as server:
        flags = {"language.model": server.url}
        with Library(folder, flags) as library:
            sets = by_name(questions_of(library, QuestionOptions(6)))
            assert list(sets) == ["single-paper", "single-paper, by a model", "citation clusters"]
            asked = sets["single-paper, by a model"]
            calls = len(server.requests)
            assert (
                by_name(questions_of(library, QuestionOptions(6)))["single-paper, by a model"].questions
                == asked.questions
            )
            assert len(server.requests) == calls, "calls are kept"
            assert list(by_name(questions_of(library, QuestionOptions(6, by="model")))) == [
                "single-paper, by a model",
                "citation clusters",
            ]
        assert [one.relevant for one in asked.questions] == [one.relevant for one in sets["single-paper"].questions]
        assert asked.prompts == ("eval_question/1",) and asked.models and "scripted" in asked.models[0]
        found = list(evaluate_self(folder, making=QuestionOptions(6, by="model"), flags=flags))
        assert found[0].prompts == asked.prompts and found[0].models[-1].startswith("hash/")


def test_questions_that_cannot_be_used_are_left_out(folder: Path) -> None:
    """One bad answer must not end a run of hundreds; a service that is not there must."""
    with (
        serve_script(lambda _: {"question": "What?"}) as server,
        Library(folder, {"language.model": server.url}) as library,
    ):
        sets = by_name(questions_of(library, QuestionOptions(3, by="model")))
        assert list(sets) == ["citation clusters"]
        assert sets["citation clusters"].notes == ("The language model made no usable question.",)
    with (
        serve_script([error(401, "no")] * 9) as server,
        Library(folder, {"language.model": server.url}) as library,
        pytest.raises(ServiceError),
    ):
        questions_of(library, QuestionOptions(3, by="model"))
    with Library(folder) as library, pytest.raises(UnavailableError):
        questions_of(library, QuestionOptions(3, by="model"))


def test_a_copied_question_is_refused() -> None:
    sentence = "The quick brown fox of the north jumps over seven lazy dogs."
    assert question_trouble(QuestionReply("Which animals does a northern fox jump over?"), sentence) == ""
    assert "copies" in question_trouble(QuestionReply("What does the quick brown fox of the north do?"), sentence)
    assert "empty" in question_trouble(QuestionReply("?"), sentence)
