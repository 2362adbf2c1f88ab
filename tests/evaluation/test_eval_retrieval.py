"""Retrieval measured on a set: libraries made once, rankings scored, configurations compared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conspectus.core.errors import ModelMissingError, ServiceError, SettingsError, UnavailableError, UsageError
from conspectus.evaluation import (
    Configuration,
    Dataset,
    Question,
    Result,
    RetrievalOptions,
    SetPaper,
    evaluate_retrieval,
    load,
    select_configurations,
)
from conspectus.evaluation.libraries import library_of
from conspectus.evaluation.retrieval import DEFAULT
from language_server import error, request_text, serve_script

Make = Callable[..., Path]
pytestmark = pytest.mark.usefixtures("hashing")


def measured(dataset: Dataset, work: Path, *names: str, **options: Any) -> list[Result]:
    return list(evaluate_retrieval([dataset], select_configurations(names), RetrievalOptions(**options), work=work))


def one_set(*documents: SetPaper, questions: tuple[Question, ...]) -> Dataset:
    return Dataset("tiny", "", lambda: iter(documents), questions)


def test_what_is_found_is_scored(beir: Make, tmp_path: Path) -> None:
    """The thing itself: each question's subject has six papers, and they come first."""
    (found,) = measured(load(str(beir())), tmp_path / "work")
    assert (found.kind, found.dataset, found.configuration.name) == ("retrieval", "mine", "default")
    assert found.library is not None and found.library.papers == 30 and len(found.library.content) == 16
    assert found.models == ("hash/minilm",) and found.settings["search.rerank"] == 30
    assert not any(name.endswith("_key") or name == "catalog.url" for name in found.settings), (
        "secrets are no part of a result"
    )
    assert found.aggregates["recall@100"].mean == 1.0 and found.aggregates["P@1"].mean == 1.0
    for scored in found.questions:
        assert set(scored.ranking[:6]) == set(scored.relevant), scored
        assert len(scored.ranking) == len(set(scored.ranking)) == 30, "as many as were asked for, or all"


def test_the_same_again_is_the_same(beir: Make, tmp_path: Path) -> None:
    """Else nobody knows whether a change changed anything."""
    dataset = load(str(beir()))
    first, second = (measured(dataset, tmp_path / "work")[0] for _ in range(2))
    assert [one.ranking for one in first.questions] == [one.ranking for one in second.questions]
    assert first.aggregates == second.aggregates and first.library == second.library


def test_a_library_is_made_once(beir: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Embedding a set takes minutes or hours; doing so again would make comparing unusable."""
    dataset, work = load(str(beir())), tmp_path / "work"
    measured(dataset, work)
    (made,) = (work / "libraries").glob("*/*/catalog.sqlite")

    def fail(*_: Any) -> None:
        raise AssertionError("embedded again")

    monkeypatch.setattr("helpers.HashEmbedder.embed", fail)
    measured(dataset, work, "bm25", "hybrid", "default")
    assert list((work / "libraries").glob("*/*/catalog.sqlite")) == [made]


def test_another_embedder_or_corpus_has_its_own_library(beir: Make, tmp_path: Path) -> None:
    """Else vectors of two models are mixed, or a set of the same name is measured on another's papers."""
    dataset, work = load(str(beir())), tmp_path / "work"
    other = Configuration("other", {"models.embedder": "other"})
    found = list(evaluate_retrieval([dataset], [*select_configurations(["default"]), other], work=work))
    assert [one.models for one in found] == [("hash/minilm",), ("hash/other",)]
    assert len({one.library.folder for one in found if one.library}) == 2
    assert len({one.library.content for one in found if one.library}) == 1, "the papers are the same"
    beir("sub", extra=" Another sentence.")
    measured(load(str(tmp_path / "sub")), work)
    renamed = Dataset("mine", "", load(str(tmp_path / "sub")).documents, dataset.questions)
    (again,) = measured(renamed, work)
    assert again.library and again.library.content != found[0].library.content  # type: ignore[union-attr]


def test_a_group_catalog_is_left_alone(beir: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whose library is on a server would find thousands of papers of a benchmark in it."""
    monkeypatch.setenv("CONSPECTUS_CATALOG_URL", "postgresql://nobody@127.0.0.1:1/none")
    (found,) = measured(load(str(beir())), tmp_path / "work")
    assert found.library and found.library.folder.startswith(str(tmp_path))


def test_bm25_finds_by_words_only(tmp_path: Path) -> None:
    """What the vectors append is no achievement of full text."""
    papers = (SetPaper("a", "Comets of ice"), SetPaper("b", "Rivers of sand"), SetPaper("c", "Forests of kelp"))
    dataset = one_set(*papers, questions=(Question("1", "ice comets", {"a": 1}), Question("2", "xylophones", {"b": 1})))
    words, dense = measured(dataset, tmp_path, "bm25", "dense")
    assert [one.ranking for one in words.questions] == [("a",), ()]
    assert [len(one.ranking) for one in dense.questions] == [3, 3]
    assert words.questions[1].scores["recall@100"] == 0.0


def test_a_hundred_papers_come_back(tmp_path: Path) -> None:
    """Else recall@100 is the recall of however many the search happened to look at; papers have many passages here."""
    text = " ".join(
        f"The comet number {n} is made of ice and dust, and of nothing else that was seen." for n in range(60)
    )
    papers = [SetPaper(f"p{n}", f"Comet {n}", f"{text} It is number {n}.") for n in range(130)]
    dataset = one_set(*papers, questions=(Question("1", "What are comets made of?", {"p7": 1}),))
    for found in measured(dataset, tmp_path, "bm25", "dense", "default"):
        assert len(found.questions[0].ranking) == 100, found.configuration.name
    (short,) = measured(dataset, tmp_path, depth=7)
    assert len(short.questions[0].ranking) == 7 and short.depth == 7


def test_copies_of_a_paper_have_one_name(tmp_path: Path) -> None:
    """The library makes one paper of two records with the same words; a judgement for either is one for it."""
    text = "The comet is made of ice and dust, as its tail has shown."
    papers = (SetPaper("a", "Comets", text), SetPaper("b", "Comets", text), SetPaper("c", "Rivers", "Sand is carried."))
    asked = (Question("1", "comet ice", {"b": 1}), Question("2", "sand", {"c": 1}, exclude=("b",)))
    (found,) = measured(one_set(*papers, questions=asked), tmp_path)
    assert found.library and found.library.papers == 2
    assert found.questions[0].scores["P@1"] == 1.0
    assert found.questions[1].ranking == ("c",)


def test_a_question_can_leave_papers_out(tmp_path: Path) -> None:
    """A paper finds itself first when its own title is searched for."""
    papers = tuple(SetPaper(f"p{n}", f"Comets of ice and dust, part {n}") for n in range(5))
    (found,) = measured(
        one_set(*papers, questions=(Question("1", papers[0].title, {"p1": 1}, ("p0",)),)), tmp_path, depth=3
    )
    assert "p0" not in found.questions[0].ranking and len(found.questions[0].ranking) == 3


def test_papers_without_words_are_not_added(tmp_path: Path) -> None:
    """They stay judged, so that their loss is counted."""
    dataset = one_set(
        SetPaper("a", "Comets"), SetPaper("b", " "), questions=(Question("1", "comets", {"a": 1, "b": 1}),)
    )
    (found,) = measured(dataset, tmp_path)
    assert found.questions[0].scores["recall@100"] == 0.5


def test_a_sample_is_drawn_by_seed(beir: Make, tmp_path: Path) -> None:
    dataset = load(str(beir()))
    pairs = [measured(dataset, tmp_path, limit=2, seed=seed)[0] for seed in (0, 0, 1, 2, 3)]
    drawn = [tuple(one.id for one in found.questions) for found in pairs]
    assert drawn[0] == drawn[1] and all(len(one) == 2 for one in drawn) and len(set(drawn)) > 1
    assert len(measured(dataset, tmp_path, limit=50)[0].questions) == 4


def test_what_cannot_be_measured_is_told_before_searching(beir: Make, tmp_path: Path) -> None:
    dataset = load(str(beir()))
    with pytest.raises(UsageError, match="depth"):
        measured(dataset, tmp_path / "work", depth=0)
    with pytest.raises(UsageError, match="metric"):
        measured(dataset, tmp_path / "work", metrics=("nonsense",))
    assert not (tmp_path / "work").exists(), "and before anything is embedded"


def hyde(body: dict[str, Any]) -> Any:
    """A script: of tides nothing comes."""
    one = "" if "What is known of ocean tides" in request_text(body) else "Samples were looked at, and they rotate."
    return {"abstracts": [one]}


def test_one_useless_answer_ends_no_run(beir: Make, tmp_path: Path) -> None:
    """Of hundreds of questions one may go wrong: it found nothing, which counts and is said."""
    folder = beir()
    (folder / "qrels.tsv").write_text("0\tp0\t1\n1\tp1\t1\n4\tp4\t1\n", "utf-8")
    with serve_script(hyde) as server:
        flags = {"language.model": server.url}
        (found,) = evaluate_retrieval([load(str(folder))], select_configurations(["hyde"]), flags=flags, work=tmp_path)
    good, _, bad = found.questions
    assert good.ranking and "trouble" not in good.details
    assert bad.ranking == () and set(bad.scores.values()) == {0.0} and "unusable reply" in bad.details["trouble"]
    assert found.aggregates["RR"].count == 3, "a question that went wrong is not left out of the means"
    assert any("hyde: of 1 of 3 questions nothing could be used" in note for note in found.notes)


def test_a_budget_that_is_used_up_ends_no_run(beir: Make, tmp_path: Path) -> None:
    with serve_script(lambda _: "nonsense") as server:
        flags = {"language.model": server.url, "budget.tokens": 1}
        (found,) = evaluate_retrieval([load(str(beir()))], select_configurations(["hyde"]), flags=flags, work=tmp_path)
    assert all("budget" in one.details["trouble"] for one in found.questions)


def test_a_model_that_cannot_be_asked_ends_the_run(beir: Make, tmp_path: Path) -> None:
    """Every question would fail, and the table would look like a bad search."""
    with serve_script(lambda _: error(401, "no")) as server, pytest.raises(ServiceError):
        flags = {"language.model": server.url}
        list(evaluate_retrieval([load(str(beir()))], select_configurations(["hyde"]), flags=flags, work=tmp_path))


@pytest.mark.parametrize(
    ("overrides", "kind", "said"),
    [
        ({"search.mmr": "7"}, SettingsError, "'late': 'search.mmr' cannot be '7'"),
        ({"search.reranker": "nope:x"}, SettingsError, "'late': There is no reranker 'nope:x'"),
        ({"search.reranker": "onnx:nowhere"}, ModelMissingError, "'late': .*nowhere"),
        ({"search.reranker": "cohere:x"}, ServiceError, "'late': There is no key"),
        ({"search.reranker": "judge"}, UnavailableError, "'late' .search.reranker=judge. needs a language model"),
        ({"search.expand": "hyde"}, UnavailableError, "'late' .search.expand=hyde. needs a language model"),
        ({"search.expand": "rephrase", "language.ask": "none"}, UnavailableError, "needs a language model"),
        ({"search.expand": "hyde", "language.ask": "clever"}, SettingsError, "'late': .*clever"),
    ],
)
def test_what_a_later_configuration_lacks_is_told_first(
    beir: Make, tmp_path: Path, overrides: dict[str, str], kind: type[Exception], said: str
) -> None:
    """Hours of measuring the first would come before an error that could be known at once."""
    both = [*select_configurations(["bm25"]), Configuration("late", overrides)]
    with pytest.raises(kind, match=said):
        next(evaluate_retrieval([load(str(beir()))], both, work=tmp_path / "work"))
    assert not (tmp_path / "work").exists()


def test_a_depth_leaves_out_what_looks_further(beir: Make, tmp_path: Path) -> None:
    """Recall@100 of five papers would be that of the first five under another name."""
    dataset = load(str(beir()))
    (found,) = measured(dataset, tmp_path, depth=5)
    assert found.metrics == ("P@1", "RR") and set(found.aggregates) == {"P@1", "RR"}
    said = "A depth of 5 is too small for nDCG@10, recall@10, recall@100, success@10, AUC@100: not measured."
    assert said in found.notes
    (full,) = measured(dataset, tmp_path)
    assert full.metrics == DEFAULT and not any("depth" in note for note in full.notes)
    (same,) = measured(dataset, tmp_path, depth=5, metrics=("AP", "recall@5", "AUC@5"))
    assert same.metrics == ("AP", "recall@5", "AUC@5")
    for name in ("recall@6", "AUC@6"):
        with pytest.raises(UsageError, match=f"5 is too small for {name}"):
            measured(dataset, tmp_path, depth=5, metrics=("RR", name))


def test_a_set_with_a_sentence_that_is_cut_is_measured(beir: Make, tmp_path: Path) -> None:
    """One sentence without an end among thousands of papers would make the set useless."""
    with library_of(load(str(beir(extra=" and so on" * 800))), Configuration("x"), {}, tmp_path) as library:
        rows = library.status().files
        assert library.status().counts["papers"] == 30 and any(
            "characters" in note for row in rows for note in row.notes
        )


def test_settings_of_a_configuration_are_in_effect(beir: Make, tmp_path: Path) -> None:
    with library_of(
        load(str(beir())), Configuration("x", {"search.k": "3"}), {"search.rerank": "5"}, tmp_path
    ) as library:
        assert (library.settings.search.k, library.settings.search.rerank) == (3, 5)
