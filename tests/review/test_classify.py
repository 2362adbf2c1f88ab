"""Classify: by descriptions, examples, corrections or a language model; what cannot be used is named."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Filters, Library
from conspectus.cli.app import app
from conspectus.core.errors import InputError, NotFoundError, UsageError
from conspectus.core.job_context import JobContext, Stopped
from conspectus.records.review import Classification, ClassifiedPaper
from conspectus.review.classify import classifier
from conspectus.review.classify import run as classification_run
from conspectus.review.classify.check import LabelledPaper, calibration_error, confusion_table
from conspectus.review.classify.files import read_categories
from helpers import HashEmbedder, assert_consistent, open_library, table_rows, write_jsonl
from language_server import request_text, serve_script
from serving import body, collect_notices, make_client

pytestmark = pytest.mark.usefixtures("quick_pool")
STARS, CELLS = "Stars", "Cells"
CATEGORIES = {STARS: "Stars shine and explode in distant galaxies.", CELLS: "Neurons are cells that fire in the brain."}
SAID = {
    STARS: "Number {n} of the stars shine bright and some explode in galaxies.",
    CELLS: "Number {n} of the neurons fire in the brain as other cells.",
}
BETWEEN = "We wrote a report on it with care and time."


def records(count: int = 6) -> list[dict[str, Any]]:
    """Papers on stars and on cells in turn; their second sentence tells which."""
    kinds = [STARS, CELLS] * (count // 2)
    return [
        {
            "id": f"{kind.lower()}-{n}",
            "title": f"Report {n}",
            "abstract": f"{BETWEEN} {SAID[kind].format(n=n)} {BETWEEN}",
        }
        for n, kind in enumerate(kinds)
    ]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records()))
        yield library


def kind_of(item: ClassifiedPaper) -> str:
    return str(item.paper.external_id).partition("-")[0].capitalize()


def given(found: Classification) -> dict[str, list[str]]:
    return {str(item.paper.external_id): [one.name for one in item.categories] for item in found.papers}


def test_descriptions_alone_classify_and_name_the_sentence(library: Library) -> None:
    """Without a model and without labels nothing could be done."""
    found = library.review.classify(CATEGORIES, least=0)
    assert found.total == 6 and found.by == "vectors" and not found.failed and not found.left
    for item in found.papers:
        (choice,) = item.categories
        assert choice.name == kind_of(item) and choice.probability and 0.5 < choice.probability <= 1
        assert choice.citations[0].quote.startswith("Number"), "the sentence that says it"
    assert found.counts == {STARS: 3, CELLS: 3, "none": 0}
    assert library.review.classify_show("categories") == found


def test_below_the_threshold_none_fits(library: Library) -> None:
    """A guess would look like a finding."""
    found = library.review.classify(CATEGORIES, least=1.0, name="Strict")
    assert all(not item.categories and item.closest for item in found.papers)
    assert found.counts["none"] == 6


@pytest.mark.parametrize("several", [False, True])
def test_examples_teach_what_descriptions_do_not_say(library: Library, tmp_path: Path, several: bool) -> None:
    """Labels would be of no use."""
    labels = tmp_path / "labels.csv"
    labels.write_text("doi,Label\nstars-0,One\nstars-2,One\ncells-1,Two\ncells-3,Two\n", "utf-8")
    found = library.review.classify({"One": "", "Two": ""}, examples=labels, least=0, several=several)
    said = given(found)
    assert said["stars-0"] == ["One"] and said["cells-1"] == ["Two"], "a label counts"
    assert said["stars-4"][0] == "One" and said["cells-5"][0] == "Two"
    assert {item.by for item in found.papers} == {"vectors", "examples"}


def test_a_label_may_say_that_none_fits(library: Library) -> None:
    """What belongs nowhere would be put somewhere."""
    labels: dict[str, Any] = {"stars-0": STARS, "stars-2": [STARS], "cells-1": [], "cells-3": "none"}
    found = library.review.classify({STARS: "", "Planets": ""}, examples=labels, least=0)
    assert given(found)["cells-5"] == [] and given(found)["stars-4"] == [STARS]


def test_a_correction_counts_and_is_learnt_from(library: Library) -> None:
    """The user would be overruled."""
    library.review.classify(CATEGORIES)
    shown = library.review.classify_correct("stars-0", (CELLS.lower(),))
    assert given(shown) == {"stars-0": [CELLS]} and shown.papers[0].by == "user"
    again = library.review.classify(CATEGORIES)
    assert given(again)["stars-0"] == [CELLS] and again.counts[CELLS] == 4
    undone = library.review.classify_correct("stars-0", undo=True)
    assert undone.papers[0].by == "vectors"
    for wrong, error in ((["Comets"], NotFoundError), ([STARS, CELLS], UsageError)):
        with pytest.raises(error):
            library.review.classify_correct("stars-0", tuple(wrong))


def test_a_run_that_ends_goes_on_where_it_was(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided would be decided again, or otherwise."""
    whole = library.review.classify(CATEGORIES, name="Whole")
    for module in (classification_run, classifier):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    job = JobContext(lambda _: None)
    with job.listen(), pytest.raises(Stopped):
        library.review.classify(CATEGORIES, name="Ended", progress=lambda _: job.stop())
    half = library.review.classify_show("Ended")
    assert 0 < len(half.papers) < 6 and half.left == 6 - len(half.papers)
    decided: list[str] = []
    decide = classifier.VectorClassifier.decide

    def spy(self: Any, papers: Any) -> Any:
        decided.extend(one.paper.id for one in papers)
        return decide(self, papers)

    monkeypatch.setattr(classifier.VectorClassifier, "decide", spy)
    rest = library.review.classify(CATEGORIES, name="Ended")
    assert len(decided) == half.left and rest.papers == whole.papers
    library.review.classify(CATEGORIES, name="Ended")
    assert len(decided) == half.left, "nothing new, nothing read"


def test_removing_a_paper_takes_its_decisions(library: Library) -> None:
    """A trace of it would stay."""
    library.review.classify(CATEGORIES, examples={"stars-0": STARS})
    library.review.classify_correct("stars-0", (CELLS,))
    paper = library.paper("stars-0").id
    library.remove("stars-0")
    assert library.review.classify_show().total == 5
    rows = table_rows(library)
    assert paper not in str(rows["reviews"]) and len(rows["review_entries"]) == 5
    assert_consistent(library)


def test_no_papers_is_reported(library: Library) -> None:
    """Nothing would look like a failure, or like a classification."""
    found = library.review.classify(CATEGORIES, filters=Filters(author=("Nobody",)))
    assert found.total == 0 and found.notes and not library.review.list()


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        ({}, "There are no categories"),
        ({"A": "Stars shine.", "B": "stars  shine."}, "'A' and 'B' overlap wholly"),
        ({"A": "Stars shine, cells fire.", "B": "Cells fire, stars shine."}, "'A' and 'B' overlap wholly"),
        ({"A": "Stars", "a": "Cells"}, "Two categories are called 'a'"),
        ({"None": "", "B": ""}, "No category can be called 'none'"),
        ({"Stars; cells": "", "B": ""}, "has a semicolon"),
        ({"A": "x" * 2001}, "'A' is too long"),
        ({f"C{n}": f"Number {n}" for n in range(101)}, "There are 101 categories"),
    ],
)
def test_categories_that_cannot_be_used(library: Library, categories: dict[str, str], message: str) -> None:
    """Papers would be put into either of two that are the same."""
    with pytest.raises(UsageError, match=message):
        library.review.classify(categories or "")


def test_categories_in_both_forms_of_toml(tmp_path: Path) -> None:
    """A file as one would write it would be refused."""
    listed = '[[category]]\nname = "A"\ndescription = "Stars"\n[[category]]\nname = "B"'
    file = tmp_path / "fields.toml"
    file.write_text('several = true\n[categories]\n"A" = "Stars"\n"B" = ""\n', "utf-8")
    from_file = read_categories(file)
    assert from_file.categories == read_categories("", listed).categories
    assert (from_file.name, from_file.several) == ("fields", True)
    for text in ("[categories", "x = 1"):
        with pytest.raises((InputError, UsageError)):
            read_categories("", text)


def test_labels_that_cannot_be_used_are_named(library: Library) -> None:
    """A misspelt label would be lost in silence."""
    text = "paper,category\nstars-0,Stars\nnobody,Stars\ncells-1,Comets\nstars-0,Cells\ncells-3,\n"
    found = library.review.classify(CATEGORIES, examples_text=text)
    assert {line: reason.split(".")[0] for line, reason in found.failed.items()} == {
        "line 3": "There is no paper 'nobody' in the library",
        "line 4": "There is no category 'Comets'",
        "line 5": "'stars-0' has two categories; `several` allows that",
    }
    assert found.total == 6
    for useless, error in (("paper,category\nnobody,Stars\n", UsageError), ("a,b\n1,2\n", InputError)):
        with pytest.raises(error):
            library.review.classify(CATEGORIES, examples_text=useless)


# the check


def test_a_check_compares_what_was_decided_with_labels(library: Library) -> None:
    """A classification would be believed."""
    library.review.classify(CATEGORIES, least=0)
    library.review.classify_correct("stars-0", (CELLS,))
    labels = {"stars-0": STARS, "stars-2": STARS, "cells-1": CELLS, "cells-3": STARS}
    check = library.review.classify_check(labels)
    assert check.papers == 4 and check.accuracy == 0.75, "corrections are not the classifier's"
    assert check.confusion == ((2, 1, 0), (0, 1, 0), (0, 0, 0))
    stars, cells = check.classes
    assert (stars.precision, stars.recall, cells.precision, cells.recall) == (1.0, 2 / 3, 0.5, 1.0)
    assert check.accuracy_interval == pytest.approx((0.301, 0.954), abs=1e-3)
    (apart,) = check.disagreements
    assert (apart.paper.external_id, apart.labels[0].name, apart.categories[0].name) == ("cells-3", STARS, CELLS)
    assert apart.labels[0].citations and apart.categories[0].citations, "both sentences"


def test_papers_that_were_learnt_from_do_not_flatter(library: Library) -> None:
    """Accuracy would be that of a memory."""
    labels = {"stars-0": STARS, "cells-1": CELLS}
    library.review.classify(CATEGORIES, examples=labels)
    check = library.review.classify_check(labels)
    assert (check.papers, check.left_out, check.accuracy) == (0, 2, None)


def test_examples_are_checked_by_what_had_not_seen_them(tmp_path: Path) -> None:
    """Whoever has labelled twelve papers would have to label more to know how right it is."""
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", records(12)))
        labels = {row["id"]: row["id"].partition("-")[0].capitalize() for row in records(12)}
        library.review.classify(CATEGORIES, examples=labels)
        check = library.review.classify_check(labels)
    assert check.papers == 12 and check.accuracy == 1 and check.calibration_error is not None


@pytest.mark.parametrize(
    ("labels", "own", "table"),
    [
        (("A",), ("A",), ((1, 0, 0), (0, 0, 0), (0, 0, 0))),
        (("A",), ("B",), ((0, 1, 0), (0, 0, 0), (0, 0, 0))),
        (("A",), (), ((0, 0, 1), (0, 0, 0), (0, 0, 0))),
        ((), ("B",), ((0, 0, 0), (0, 0, 0), (0, 1, 0))),
        ((), (), ((0, 0, 0), (0, 0, 0), (0, 0, 1))),
        (("A", "B"), ("B",), ((0, 0, 1), (0, 1, 0), (0, 0, 0))),
        (("B",), ("A", "B"), ((0, 0, 0), (0, 1, 0), (1, 0, 0))),
    ],
)
def test_the_confusion_table(labels: tuple[str, ...], own: tuple[str, ...], table: tuple[Any, ...]) -> None:
    """Errors would be counted where they are not."""
    assert confusion_table([LabelledPaper(labels, own)], ("A", "B")) == table


def test_the_calibration_error() -> None:
    """Probabilities of 0.9 that are right half the time would pass."""
    papers = [LabelledPaper(("A",), (own,), 0.9) for own in "AB"] + [LabelledPaper(("A",), ("A",), 1.0)]
    assert calibration_error(papers) == pytest.approx(abs((0.9 + 0.9 + 1.0) - 2) / 3)
    assert calibration_error([LabelledPaper((), ())]) is None


# with a language model


def reply(body: Mapping[str, Any], category: int | None = None) -> dict[str, Any]:
    """A reader who makes no mistake, or always says one number."""
    said = request_text(body)
    paper = said[said.index("<paper-") :]
    for number, text in re.findall(r"^\[(\d+)\] (.*)$", paper, re.M):
        for place, kind in enumerate((STARS, CELLS), 1):
            if re.fullmatch(SAID[kind].replace("{n}", r"\d+"), text):
                return {"categories": [{"category": category or place, "sentence": int(number)}]}
    raise AssertionError("no such paper")


Open = Callable[[Callable[[dict[str, Any]], Any]], Library]


@pytest.fixture
def with_model(tmp_path: Path) -> Iterator[Open]:
    opened: list[Any] = []

    def make(script: Callable[[dict[str, Any]], Any]) -> Library:
        served = serve_script(script)
        server = served.__enter__()
        library: Library = open_library(tmp_path / "lib", language__model=server.url)
        opened.extend((served, library))
        library.add(write_jsonl(tmp_path / "a.jsonl", records()))
        return library

    yield make
    opened[1].close()
    opened[0].__exit__(None, None, None)


def test_a_model_decides_and_names_the_sentence(with_model: Open) -> None:
    """The sentence would not be that which decided."""
    library = with_model(reply)
    found = library.review.classify(CATEGORIES)
    assert found.by.startswith("model:") and found.counts == {STARS: 3, CELLS: 3, "none": 0}
    for item in found.papers:
        (choice,) = item.categories
        assert choice.name == kind_of(item) and choice.probability is None
        assert choice.citations[0].quote.startswith("Number")
    assert library.review.classify(CATEGORIES).usage.calls == 0, "nothing is asked twice"
    check = library.review.classify_check({"stars-0": STARS, "cells-1": STARS})
    assert check.accuracy == 0.5 and check.calibration_error is None
    assert library.review.classify(CATEGORIES, model="none").by == "vectors"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"categories": [{"category": 3, "sentence": 1}]}, "there is no category 3"),
        ({"categories": [{"category": 1, "sentence": 99}]}, "there is no sentence 99"),
        ({"categories": [{"category": n, "sentence": 1} for n in (1, 2)]}, "one at most"),
    ],
)
def test_a_model_that_answers_outside_is_reported(with_model: Open, said: Any, reason: str) -> None:
    """A category that nobody asked for would appear, or the other papers would be lost."""
    library = with_model(
        lambda body: said if "stars-" in request_text(body) or "Report 0" in request_text(body) else reply(body)
    )
    found = library.review.classify(CATEGORIES)
    (failed,) = found.failed
    assert library.paper(failed).external_id == "stars-0" and reason in found.failed[failed]
    assert len(found.papers) == 5 and found.left == 1


def test_none_fits_by_a_model(with_model: Open) -> None:
    """A model would have to choose."""
    found = with_model(lambda _: {"categories": []}).review.classify(CATEGORIES)
    assert found.counts["none"] == 6 and not found.failed


# other faces


def test_papers_of_categories_become_collections(library: Library) -> None:
    """Nothing could be done with them elsewhere."""
    library.review.classify(CATEGORIES, least=0)
    assert library.review.classify_collect().collections == {STARS: 3, CELLS: 3}
    assert {paper.external_id for paper in library.papers(Filters(collection=(STARS,)))} == {
        "stars-0",
        "stars-2",
        "stars-4",
    }


def test_a_long_list_comes_in_parts(library: Library) -> None:
    """Ten thousand papers would come at once."""
    first = library.review.classify(CATEGORIES, limit=4)
    rest = library.review.classify_show(after=first.next, limit=4)
    assert (len(first.papers), len(rest.papers), rest.next) == (4, 2, "")
    assert len({item.paper.id for item in (*first.papers, *rest.papers)}) == 6
    with pytest.raises(UsageError, match="not where a list goes on"):
        library.review.classify_show(after="junk")


@pytest.mark.parametrize("least", ["nan", "inf", "-1"])
def test_a_probability_that_is_none_breaks_nothing(library: Library, tmp_path: Path, least: str) -> None:
    """Kept as it is, it would make every review unreadable."""
    (tmp_path / "fields.toml").write_text(f'[categories]\n"A" = "{CATEGORIES[STARS]}"\n', "utf-8")
    words = ("--library", str(library.folder), "review", "classify", str(tmp_path / "fields.toml"), "--least", least)
    assert CliRunner().invoke(app, words).exit_code == 2
    assert library.review.list() == ()


def test_the_same_on_the_command_line_and_over_http(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page or a script would have to do without."""
    monkeypatch.setattr("conspectus.models.registry.make_embedder", lambda _: HashEmbedder())
    toml = "[categories]\n" + "".join(f"{json.dumps(name)} = {json.dumps(said)}\n" for name, said in CATEGORIES.items())
    (tmp_path / "fields.toml").write_text(toml, "utf-8")
    labels = "paper,category\nstars-0,Stars\nnobody,Stars\n"
    (tmp_path / "labels.csv").write_text(labels, "utf-8")
    client = make_client(library)
    job = client.post("/api/v1/reviews/classifications", json={"categories_text": toml, "name": "fields", "least": 0})
    assert job.status_code == 202, job.text
    collect_notices(client, job.json()["job"])
    served = body(client, "/reviews/classifications/fields")
    assert served["counts"] == {STARS: 3, CELLS: 3, "none": 0}
    checked = client.post("/api/v1/reviews/classifications/fields/check", json={"labels_text": labels}).json()
    assert checked["accuracy"] == 1 and checked["failed"] == {"line 3": "There is no paper 'nobody' in the library."}
    correction = {"paper": "stars-0", "categories": [CELLS]}
    sent = client.post("/api/v1/reviews/classifications/fields/papers", json=correction)
    assert [one["by"] for one in sent.json()["papers"]] == ["user"]
    for words, code, said in (
        (("classify", "show", "fields"), 0, "Cells"),
        (("classify", "show", "fields", "--csv"), 0, "paper,title,category,probability,by,sentence"),
        (("classify", "check", tmp_path / "labels.csv", "fields"), 1, "Accuracy 100.0%"),
        (("classify", "correct", "stars-0", "--undo"), 0, "vectors"),
        (("classify", "collect", "fields"), 0, "3 papers in the collection Stars"),
        (("classify", tmp_path / "fields.toml"), 0, "fields: 6 papers"),
    ):
        shown = command(library, *words)
        assert shown.exit_code == code and said in shown.output, shown.output
    whole = json.loads(command(library, "classify", "show", "fields", "--json").output)
    assert whole["schema"] == "conspectus.review.classify.show/1"
    first = whole["papers"][0]
    assert {"name", "probability", "citations"} <= first["categories"][0].keys()
    assert first["categories"][0]["citations"][0]["spans"][0]["id"]


def command(library: Library, *words: object) -> Any:
    """What a command says."""
    return CliRunner().invoke(app, ["--library", str(library.folder), "review", *map(str, words)])
