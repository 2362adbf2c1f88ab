"""Questions about several entities, and what the graph gains on a library."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import InputError, UnavailableError, UsageError
from conspectus.evaluation import (
    QuestionOptions,
    evaluate_graph,
    load_answers,
    write_questions,
)
from conspectus.evaluation.own_questions import multi_entity
from conspectus.graph.explorer import Explorer
from conspectus.graph.verdicts import draw_distant_entities
from graph.vocabularies import put_vocabulary
from helpers import copy_library, markdown, write, write_jsonl
from language_server import request_text, serve_script

pytestmark = pytest.mark.usefixtures("hashing")

NAMES = ("alpha", "beta", "gamma", "delta", "omega", "kappa")
MIDDLE = "sigma"


THINGS = "quasar comet magnetar pulsar nebula galaxy meteor planet".split()
FOUND = "spectrum rotation emission absorption polarisation variability luminosity temperature".split()


def far() -> list[dict[str, Any]]:
    """Abstracts dense enough that questions can be made of them, which speak of other letters."""
    return [
        {
            "id": f"w{n}{m}",
            "title": f"On the {found} of a {thing}",
            "abstract": f"With VLT and ALMA the {found} of a {thing} was held against its {FOUND[m - 3]} "
            f"and {FOUND[m - 5]} over {n + 2} nights of winter. It was {NAMES[4 + n % 2]}. {NAMES[4 + m % 2]} came.",
        }
        for n, thing in enumerate(THINGS)
        for m, found in enumerate(FOUND)
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, hashing: None) -> Path:
    """Each letter meets sigma in three papers of its own and no other letter; forty papers speak of something else."""
    texts = {f"{name}{n}": f"Here {name} meets {MIDDLE} by chance {n}." for name in NAMES[:4] for n in range(3)}
    home = tmp_path_factory.mktemp("whole")
    with Library(home / "lib", {"parse.workers": 1}) as library:
        library.add([write(home / f"{name}.md", markdown(name, text)) for name, text in texts.items()])
        assert not library.add(write_jsonl(home / "far.jsonl", far())).failed
        put_vocabulary(library, {f"G:{name}": (name,) for name in (*NAMES, MIDDLE)}, "Greek")
        library.graph.link()
    return home / "lib"


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return copy_library(whole, tmp_path / "lib")


def test_entities_are_drawn_that_only_others_join(folder: Path) -> None:
    with Library(folder) as library:
        explorer = Explorer(library.session.catalog)
        found = list(draw_distant_entities(explorer, 0))
        assert found == list(draw_distant_entities(Explorer(library.session.catalog), 0)) and found
        for one in found:
            assert all(two not in explorer.around(first) for first in one.keys for two in one.keys)
            assert all(len(way) == 3 and way[1] not in one.keys for way in one.ways)


def test_questions_name_the_entities_and_the_papers_of_the_ways_are_right(folder: Path) -> None:
    """K9: no sentence joins the entities, and what joins them is in papers of either."""
    with Library(folder) as library:
        (posed,) = multi_entity(library, 5)
        titles = {one.id: one.title for one in library.papers()}
        assert posed.questions and "by a template" in posed.dataset and "by a template" in posed.about
        for one in posed.questions:
            named = [name for name in NAMES if name in one.text]
            assert len(named) in (2, 3) and MIDDLE not in one.text and MIDDLE in one.source
            assert {titles[paper] for paper in one.relevant} == {f"{name}{n}" for name in named for n in range(3)}
        with pytest.raises(UnavailableError):
            multi_entity(library, 5, "model")


def test_a_model_puts_the_questions(folder: Path) -> None:
    """It has to name what is asked about; what does not is left out, and told."""

    def ask(body: dict[str, Any]) -> dict[str, Any]:
        named = [name for name in NAMES if f"\n{name}\n" in request_text(body)]
        return {"question": f"By what do {' and '.join(named)} act on one another?"}

    with serve_script(ask) as server, Library(folder, {"language.model": server.url}) as library:
        (posed,) = multi_entity(library, 5)
        assert "by a model" in posed.dataset and posed.prompts == ("eval_entities/1",)
        assert all(one.text.startswith("By what do") for one in posed.questions)
        calls = len(server.requests)
        assert multi_entity(library, 5)[0].questions == posed.questions and len(server.requests) == calls
    with (
        serve_script(lambda _: {"question": "What is this?"}) as server,
        Library(folder, {"language.model": server.url}) as library,
    ):
        (posed,) = multi_entity(library, 5)
        assert not posed.questions and "made no usable question" in posed.notes[0]


def test_what_has_no_graph_is_told(tmp_path: Path) -> None:
    with Library(tmp_path / "plain", {"parse.workers": 1}) as library:
        library.add(write(tmp_path / "a.md", markdown("a", "Nothing.")))
        with pytest.raises(InputError, match="no two entities"):
            multi_entity(library, 5)
    with pytest.raises(UsageError, match="No paper mentions"):
        next(evaluate_graph(tmp_path / "plain", QuestionOptions(5)))


def test_what_the_graph_gains_is_kept(folder: Path) -> None:
    """What questions made of the graph say is kept apart: `auto` follows it for such questions alone."""
    results = list(evaluate_graph(folder, QuestionOptions(10, multi_entity=True)))
    names = list(dict.fromkeys(one.dataset for one in results))
    assert names == ["lib: single-paper", "lib: multi-entity, by a template"]
    assert [one.configuration.name for one in results[:3]] == ["no-graph", "graph", "pagerank"]
    with Library(folder) as library:
        kept = library.graph.verdicts()
        assert [(one.method, one.asked) for one in kept] == [
            *(("subgraph", "any"), ("pagerank", "any")),
            *(("subgraph", "apart"), ("pagerank", "apart")),
        ]
        assert [one.questions for one in kept[1:3]] == [len(one.questions) for one in results[2:4]]
        assert "measured here" in library.search("alpha", settings={"search.graph": "auto"}).method
    with pytest.raises(UsageError, match="nDCG@10"):
        from conspectus.evaluation import RetrievalOptions

        next(evaluate_graph(folder, QuestionOptions(5), RetrievalOptions(("RR@10",))))


def test_questions_are_written_to_a_file(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    with Library(folder) as library:
        (posed,) = write_questions(library, path, QuestionOptions(4, multi_entity=True))
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        assert [row["question"] for row in rows] == [one.text for one in posed.questions]
        assert all(row["papers"] and row["made"].startswith("by a template") for row in rows)
        with pytest.raises(InputError, match="is there already"):
            write_questions(library, path, QuestionOptions(4))
    read = load_answers(str(path))
    assert [tuple(one.gold) for one in read.questions] == [tuple(one.relevant) for one in posed.questions]


def test_from_the_command_line(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    flags = ["--library", str(folder), "--json"]
    path = tmp_path / "q.jsonl"
    made = CliRunner().invoke(app, [*flags, "eval", "make", str(path), "--multi-entity", "--questions", "3"])
    assert made.exit_code == 0 and json.loads(made.stdout)["sets"][0]["questions"] == len(path.read_text().splitlines())
    work = ["--work", str(tmp_path / "work")]
    found = CliRunner().invoke(app, [*flags, "eval", "graph", "--questions", "4", *work])
    assert found.exit_code == 0, found.output
    said = json.loads(found.stdout)
    assert [one["second"] for one in said["comparisons"]] == ["graph", "pagerank"]
    assert [one["method"] for one in said["verdicts"]] == ["subgraph", "pagerank"]
