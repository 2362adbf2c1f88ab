"""Directions of a library: training, what they are called, explaining, steering, comparing, and what is kept."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.directions import compare, query_turn, sql, training_plan
from conspectus.directions.label_terms import collect_terms, read_words
from conspectus.directions.labels import DirectionLabeller, Terms
from conspectus.directions.stored_directions import Codes, load_directions, write_label
from conspectus.directions.strata import PaperDirections
from conspectus.errors import NotFoundError, UsageError
from conspectus.library import doctor
from conspectus.library.wing_sources import term_sources
from conspectus.models.protocol import Embedding
from helpers import HashEmbedder, copy_library, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")
SUBJECTS = {
    "quokka": "marsupials hop at night beside wombats and their burrows",
    "quasar": "dwarf stars cool slowly while giant stars swell and fade",
    "sourdough": "yeast rises while the oven warms flour and salt",
    "violin": "strings of spruce and maple resonate under the bow",
    "glacier": "ice moves over bedrock and leaves moraines in valleys",
    "enzyme": "proteins fold and catalyse reactions of substrates",
    "sailing": "boats tack against the wind with a keel and a jib",
    "chess": "pawns and bishops control the centre before endgames",
}
EACH = 30


def records(first: int = 0, each: int = EACH, *, subjects: Sequence[str] = tuple(SUBJECTS)) -> list[dict[str, Any]]:
    """Papers of eight subjects; those on quasars are cited more."""
    return [
        {
            "id": f"{subject}:{number}",
            "title": f"{subject.capitalize()} study {number}",
            "abstract": f"Here {SUBJECTS[subject]}, as every {subject} shows in the study of {subject}.",
            "year": 2000 + number % 10,
            "venue": "Journal A" if number % 2 else "Journal B",
            "citation_count": (40 if subject == "quasar" else 5) + number % 3,
        }
        for subject in subjects
        for number in range(first, first + each)
    ]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with directions; tests copy it."""
    folder = tmp_path_factory.mktemp("directions")
    with open_library(folder / "lib") as library:
        library.add(write_jsonl(folder / "a.jsonl", records()))
        library.directions.build()
    return folder / "lib"


@pytest.fixture
def library(template: Path, tmp_path: Path) -> Iterator[Library]:
    with open_library(copy_library(template, tmp_path / "lib")) as opened:
        yield opened


def label_of(library: Library, subject: str) -> int:
    """The id of the direction that is named after a subject."""
    found = library.directions.list(hidden=True).directions
    return next(one.id for one in found if subject in one.label.lower() or subject in " ".join(one.terms).lower())


def test_subjects_become_directions_that_are_named_after_them(library: Library) -> None:
    found = library.directions.list(hidden=True)
    assert found.trained == len(SUBJECTS) * EACH and found.dead + len(found.directions) == 20
    named = " ".join(one.label.lower() for one in found.directions)
    assert sum(subject in named for subject in SUBJECTS) >= 6, named
    assert [one.texts for one in found.directions] == sorted((one.texts for one in found.directions), reverse=True)
    shown = library.directions.list()
    assert all(one.recurs for one in shown.directions)
    assert shown.hidden == len(found.directions) - len(shown.directions)


SHELVES = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix EX: <https://example.org/terms/EX_> .
EX:1 a skos:Concept ; skos:prefLabel "Celestial resource"@en .
EX:2 a skos:Concept ; skos:prefLabel "quasar"@en ; skos:broader EX:1 .
EX:3 a skos:Concept ; skos:prefLabel "study"@en .
EX:4 a skos:Concept ; skos:prefLabel "glacier"@en ; skos:altLabel "moraines"@en .
"""


def test_shelves_of_a_vocabulary_and_everyday_concepts_name_no_direction(library: Library, tmp_path: Path) -> None:
    """`Structured knowledge resource` was a label, which no paper says, and `Stimulus Type`."""
    file = tmp_path / "shelves.ttl"
    file.write_text(SHELVES, "utf-8")
    library.vocabularies.add([file])
    library.graph.link()
    codes = load_directions(library.session, "papers").codes
    terms = collect_terms(library.session.catalog, codes, term_sources(library.session))
    concepts = {text for text, kind in zip(terms.texts, terms.kinds, strict=True) if kind == "concept"}
    assert {"quasar", "glacier"} <= concepts and not concepts & {"Celestial resource", "study"}


def test_what_no_direction_is_surely_called_is_no_name() -> None:
    """`Embase` was the label of papers on surgery, and a phrase that is part of another one (`learning`) a name."""
    subject = 40
    numbers = np.array([[row // subject, (row // subject + 1) % 3] for row in range(3 * subject)], np.uint16)
    values = np.tile(np.array([1.0, 0.0], np.float16), (3 * subject, 1))
    codes = Codes(np.arange(len(numbers)), [""] * len(numbers), numbers, values, 1, np.full(3, 0.5, np.float32))
    inside = np.arange(subject)
    outside = np.arange(subject, 2 * subject, 2)
    texts = ("deep learning", "learning", "Embase")
    terms = Terms(texts, ["phrase"] * 3, np.array([0.9, 0.9, 0.03]), [inside, inside, outside])
    vectors = dict(zip(texts, np.array([[0.6, 0.0, 0.8], [0.5, 0.0, 0.8], [0.0, 0.02, 0.9]]), strict=True))
    labeller = DirectionLabeller(
        codes, terms, np.eye(3, dtype=np.float32), lambda names: np.array([vectors[one] for one in names])
    )
    first, second, _ = labeller.labels()
    assert write_label(first.terms) == "deep learning"
    assert write_label(second.terms) == "" and [term.term for term in second.terms] == ["Embase"]


def test_words_of_labels_are_written_as_papers_write_them(library: Library) -> None:
    """`bias` was shown as `bia`, and `lens` as `len`: words are counted in the singular."""
    codes = load_directions(library.session, "papers").codes
    rows, writings = read_words(library.session.catalog, codes)
    assert writings["moraine"] == "moraines" and len(rows["moraine"]) == EACH


def test_a_direction_shows_papers_of_its_subject(library: Library) -> None:
    report = library.directions.show(str(label_of(library, "quasar")))
    assert report.strongest and all("Quasar" in text.title for text in report.strongest)
    assert all(text.sentence and text.span.startswith(text.paper) for text in report.strongest)
    assert [text.activation for text in report.strongest] == sorted(
        (text.activation for text in report.strongest), reverse=True
    )
    assert all(text.has_label for text in report.strongest)


def test_words_find_their_direction(library: Library) -> None:
    wanted = label_of(library, "glacier")
    found = library.directions.search("glacier", hidden=True)
    assert wanted in [match.direction.id for match in found[:2]]
    assert all(0 < match.score <= 1 for match in found)
    with pytest.raises(UsageError, match="empty"):
        library.directions.search(" ")


@pytest.mark.parametrize("other", ["violin:2", "quasar:5", "How do giant stars swell?", ""])
def test_the_parts_are_the_similarity_exactly(library: Library, other: str) -> None:
    report = library.directions.explain("quasar:1", other)
    parts = sum(part.value for part in report.parts)
    assert report.shared + parts + report.rest == pytest.approx(report.similarity, abs=1e-12)
    if not other:
        assert report.similarity == pytest.approx(1, abs=1e-5) and report.left == report.right


def test_a_similarity_is_the_same_either_way_round(library: Library) -> None:
    one, other = (
        library.directions.explain("quasar:1", "glacier:2"),
        library.directions.explain("glacier:2", "quasar:1"),
    )
    assert one.similarity == pytest.approx(other.similarity) and one.rest == pytest.approx(other.rest)
    assert {part.direction.id for part in one.parts} == {part.direction.id for part in other.parts}


def test_steering_brings_more_of_a_direction_and_keeps_the_question(library: Library) -> None:
    question = "the study"
    share = {}
    for more in ((), (str(label_of(library, "quasar")),)):
        found = library.search(question, 40, more=more, settings={"search.rerank": 0})
        share[bool(more)] = sum("Quasar" in hit.paper.title for hit in found.hits[:20])
        assert ("cosine with the question 0.900" in found.note) == bool(more)
        assert all(("steered" in hit.factors) == bool(more) for hit in found.hits)
    assert share[True] > share[False]
    near = library.similar("violin:3", more=[f"{label_of(library, 'chess')}:0.5"])
    assert "more of" in near.note and "(0.5, label AUC" in near.note


def test_steering_keeps_to_what_a_direction_is_called() -> None:
    """Steered by the direction alone, a search loses more of its question."""
    direction, subject = np.eye(2, 4, dtype=np.float32)
    aim = query_turn.aim_at(direction, subject)
    assert np.linalg.norm(aim) == pytest.approx(1) and aim @ direction > aim @ subject > 0.5


def test_conditions_alone_are_not_steered(library: Library) -> None:
    note = library.search("year:2004..", 5, more=("1",)).note
    assert "Not steered" in note and "cosine" not in note


@pytest.mark.parametrize(
    ("more", "less", "message"),
    [
        (("1:0",), (), "weight"),
        (("1:1.5",), (), "weight"),
        (("1:-1",), (), "weight"),
        (("1:nan",), (), "weight"),
        (("1",), ("1",), "twice"),
        (tuple(map(str, range(1, 13))), (), "too many"),
        (("no such thing",), (), "no direction"),
    ],
)
def test_what_cannot_be_steered_by_is_an_error(
    library: Library, more: tuple[str, ...], less: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        library.search("stars", more=more, less=less)


def test_selections_differ_in_their_subjects(library: Library) -> None:
    found = library.directions.compare(left="keyword:quasar OR quasar", right="glacier", hidden=True)
    assert found.left_papers == found.right_papers == EACH
    by = {one.direction.id: one for one in found.differences}
    assert by[label_of(library, "quasar")].odds_ratio > 1 > by[label_of(library, "glacier")].odds_ratio
    assert all(one.low < one.odds_ratio < one.high and one.q <= 0.1 for one in found.differences)
    assert {one.more for one in found.differences if one.low > 1} == {"left"}
    assert {one.more for one in found.differences if one.high < 1} == {"right"}


@pytest.mark.parametrize(
    ("left", "right", "within", "message"),
    [
        ("quasar", "quasar", (), "the same papers"),
        ("quasar", "year:1901", (), "No paper of the library is selected by 'year:1901'"),
        ("quasar", "region:abc", (), "a region is a number"),
        ('venue:"Journal A"', 'venue:"Journal B"', ("year",), "No year has papers of both sides"),
    ],
)
def test_what_cannot_be_compared_is_told_apart(
    library: Library, left: str, right: str, within: Sequence[Any], message: str
) -> None:
    """Somebody would look for papers with vectors, where a year was mistyped, or take nothing compared for no
    difference.
    """
    with pytest.raises(UsageError, match=message):
        library.directions.compare(left=left, right=right, within=within)


def test_a_paper_that_is_not_there_is_no_question(library: Library) -> None:
    """The similarity to the letters of a mistyped identifier would be explained."""
    paper = library.search("quasar").hits[0].paper.id
    for name in ("10.1000/not-there", "arXiv:9999.99999"):
        with pytest.raises(NotFoundError):
            library.directions.explain(paper, name)


@pytest.mark.parametrize("cells", [1, 10, 10**6])
def test_papers_without_others_to_be_compared_with_say_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A paper that was alone in its year counted for its side."""
    monkeypatch.setattr(compare, "CELLS", cells)
    chance = np.random.default_rng(1)
    strata = np.concatenate([np.repeat(np.arange(10), 8), np.arange(10, 60)])
    side = np.concatenate([np.tile([0, 0, 0, 0, 1, 1, 1, 1], 10), np.zeros(50, np.int64)])
    active = chance.random((len(side), 6)) < 0.4
    active[80:] = True

    def test_some(papers: slice) -> compare.DifferenceTest:
        rows, numbers = np.nonzero(active[papers])
        keys = np.arange(len(active[papers]))
        return compare.measure_differences(
            PaperDirections(keys, rows, numbers, np.ones(len(rows)), 6), side[papers], strata[papers]
        )

    every, shared = test_some(slice(None)), test_some(slice(80))
    assert np.array_equal(every.p, shared.p) and np.array_equal(every.log_odds, shared.log_odds)
    assert every.left.tolist() == (shared.left + 50).tolist() and np.array_equal(every.right, shared.right)


def test_citations_go_with_the_subject_that_is_cited(library: Library) -> None:
    found = library.directions.predict("citations", within=["venue"], hidden=True)
    by = {one.direction.id: one for one in found.associations}
    assert by[label_of(library, "quasar")].ratio > 1.5
    assert found.papers + found.held_out + found.later == len(SUBJECTS) * EACH
    assert "associations" in found.notes[0]
    with pytest.raises(NotFoundError, match="map"):
        library.directions.predict("citations", within=["topic"])


def test_the_same_seed_trains_the_same_directions(library: Library) -> None:
    before = load_directions(library.session, "papers").autoencoder
    again = library.directions.build(refit=True)
    after = load_directions(library.session, "papers").autoencoder
    assert np.array_equal(before.decoder, after.decoder)
    assert again.continued == before.size and again.gone == 0 and not again.new


def test_a_seed_of_zero_is_a_seed(library: Library) -> None:
    for asked, seed in ((3, 3), (None, 3), (0, 0)):
        library.directions.build(seed=asked)
        stored = sql.read_set(library.session.catalog, "papers")
        assert stored and stored.facts["seed"] == seed


def test_a_training_that_was_interrupted_goes_on_and_ends_the_same(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = load_directions(library.session, "papers").autoencoder
    monkeypatch.setattr(training_plan, "KEPT_EVERY", 100)
    steps: list[int] = []
    step = training_plan.Trainer.step

    def count(self: training_plan.Trainer, vectors: Any) -> float:
        steps.append(self.done)
        if len(steps) == 260:
            raise KeyboardInterrupt
        return step(self, vectors)

    monkeypatch.setattr(training_plan.Trainer, "step", count)
    with pytest.raises(KeyboardInterrupt):
        library.directions.build(refit=True)
    steps.append(-1)
    library.directions.build(refit=True)
    assert steps[steps.index(-1) + 1] == 200, "it goes on where it was kept"
    assert np.array_equal(whole.decoder, load_directions(library.session, "papers").autoencoder.decoder)
    assert not table_rows(library)["direction_trainings"]


def test_added_papers_get_their_directions_without_training(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_plan.Trainer, "step", None)
    library.add(write_jsonl(tmp_path / "b.jsonl", records(EACH, 3, subjects=["quasar"])))
    wanted = label_of(library, "quasar")
    shown = {text.paper for text in library.directions.show(str(wanted), limit=100).strongest}
    new = {library.paper(f"quasar:{number}").id for number in range(EACH, EACH + 3)}
    assert new <= shown, "before they are stored"
    rows = len(table_rows(library)["activations"])
    library.directions.build()
    assert len(table_rows(library)["activations"]) == rows + 3
    assert new <= {text.paper for text in library.directions.show(str(wanted), limit=100).strongest}


def test_a_removed_paper_leaves_no_trace(library: Library) -> None:
    paper = library.paper("quasar:1")
    key = library.session.catalog.paper_key(paper.id)
    before = table_rows(library)
    library.remove(paper.id)
    left = table_rows(library)
    for table in ("activations", "direction_labels"):
        assert any(row[0] == key for row in before[table]) or table == "direction_labels"
        assert not any(row[0] == key for row in left[table])
    assert paper.id not in {
        text.paper for text in library.directions.show(str(label_of(library, "quasar")), limit=100).strongest
    }
    library.undo_remove()
    after = table_rows(library)
    assert all(sorted(before[table]) == sorted(after[table]) for table in ("activations", "direction_labels"))


def test_a_word_goes_with_the_last_paper_that_has_it(library: Library) -> None:
    names = [f"quasar:{number}" for number in range(EACH)]
    assert any(
        "quasar" in term.term.lower()
        for terms in sql.read_labels(library.session.catalog, "papers").values()
        for term in terms
    )
    for name in names:
        library.remove(name)
    left = sql.read_labels(library.session.catalog, "papers")
    assert not any("quasar" in term.term.lower() for terms in left.values() for term in terms)
    assert all(one.label for one in library.directions.list(hidden=True).directions)


def test_an_edit_of_papers_leaves_directions_their_names(library: Library) -> None:
    wanted = label_of(library, "quasar")
    before = sql.read_labels(library.session.catalog, "papers")
    for number in range(EACH):
        library.edit(f"quasar:{number}", {"title": f"Another title {number}"})
    assert sql.read_labels(library.session.catalog, "papers") == before
    library.directions.build()
    assert sql.read_labels(library.session.catalog, "papers") == before
    assert library.directions.show(str(wanted)).strongest, "edited papers have directions again"


def test_passages_have_directions_of_their_own(library: Library) -> None:
    found = library.directions.build(of="passages", size=16)
    assert found.of == "passages" and found.trained == len(table_rows(library)["vectors"])
    report = library.directions.show(str(found.directions[0].id), of="passages")
    assert all(text.unit.startswith(text.paper) for text in report.strongest)


def test_doctor_reports_directions(library: Library, tmp_path: Path) -> None:
    def check() -> Any:
        return next(one for one in doctor.examine(library.session) if one.check == "directions")

    assert check().ok and "240 texts" in check().detail
    library.add(write_jsonl(tmp_path / "b.jsonl", records(EACH, 2, subjects=["chess"])))
    assert "2 papers not yet" in check().detail


class Same(HashEmbedder):
    """Every text is the same to it."""

    def embed(self, texts: Sequence[str]) -> Iterator[Embedding]:
        return (Embedding(np.eye(1, self.dimensions, dtype=np.float32)[0], None) for _ in texts)


@pytest.mark.parametrize(
    ("papers", "embedder", "size", "message"),
    [
        (0, HashEmbedder(), 0, "nothing to find"),
        (199, HashEmbedder(), 0, "too few"),
        (210, Same(), 0, "are the same"),
        (210, HashEmbedder(), 64, "64 directions cannot"),
        (210, HashEmbedder(), 3, "3 directions cannot"),
    ],
)
def test_what_has_no_directions_is_an_error(
    tmp_path: Path, papers: int, embedder: HashEmbedder, size: int, message: str
) -> None:
    with open_library(tmp_path / "lib", embedder) as library:
        if papers:
            library.add(write_jsonl(tmp_path / "a.jsonl", records()[:papers]))
        with pytest.raises(NotFoundError, match="no directions"):
            library.directions.list()
        with pytest.raises(UsageError, match=message):
            library.directions.build(size=size)


def test_the_map_shows_where_a_direction_is(library: Library) -> None:
    """What a direction means could be read only in a list, and where in the field it lies would be unknown."""
    library.map.build(method="pca")
    name = str(label_of(library, "quasar"))
    shown = library.map.overlay(f"direction:{name}")
    lit = {found for found, value in zip(library.map.show().papers, shown.values, strict=True) if np.isfinite(value)}
    papers = {one.paper for one in library.directions.show(name).strongest}
    assert papers and papers <= lit and len(lit) < 2 * EACH
    with pytest.raises(NotFoundError, match="no direction"):
        library.map.overlay("direction:nothing of the kind")


def test_an_export_has_directions_and_another_library_reads_past_them(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    library.export("library", file)
    lines = [line for line in map(json.loads, file.read_text("utf-8").splitlines()) if "direction/" in line["schema"]]
    assert {line["direction"] for line in lines} == {one.id for one in library.directions.list(hidden=True).directions}
    wanted = next(line for line in lines if line["direction"] == label_of(library, "quasar"))
    assert library.paper("quasar:1").id in [paper for paper, _, _ in wanted["active"]]
    with open_library(tmp_path / "other") as other:
        report = other.add(file)
        assert not report.failed and report.new_papers == len(SUBJECTS) * EACH


def test_records_have_no_arrays(library: Library) -> None:
    """Else their JSON fails."""
    for one in dataclasses.astuple(library.directions.list())[8]:
        assert all(type(value) in (int, float, str, tuple, type(None)) for value in one)
