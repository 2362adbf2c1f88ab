"""What is typed for something known is found by its words; questions are weighed as the settings say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.search.encoded_query import TYPED, mix_weights, query_shape, typed_share
from conspectus.settings import SearchSettings
from helpers import InlinePool, open_library, write_jsonl

PAPERS = [
    ("Hentschke, Harald", 2020, "10.1000/aa.7", "Neurons of the cortex fall silent under ketamine."),
    ("Hentschke, Harald", 2011, "10.1000/aa.8", "Neurons of the cortex fall silent under isoflurane."),
    ("Drexler, Berthold", 2020, "10.1000/ab.7", "Sleep, as Hentschke showed in 2020, deepens under propofol."),
    ("Moser, May-Britt", 2008, "10.1000/ab.8", "Grid cells of the cortex tile the plane while rats run."),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    records = [
        {"id": f"r{number}", "title": f"Case {number}", "abstract": text, "authors": [name], "year": year, "doi": doi}
        for number, (name, year, doi, text) in enumerate(PAPERS)
    ]
    records += [
        {"id": f"more{number}", "title": f"More {number}", "abstract": f"Sleep and neurons, {number} of them, in 2020."}
        for number in range(40)
    ]
    with open_library(tmp_path / "lib") as library:
        library.add([write_jsonl(tmp_path / "records.jsonl", records)])
    return tmp_path / "lib"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as library:
        yield library


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Hentschke 2020", "r0"),
        ("hentschke et al. 2011", "r1"),
        ("Hentschke (2020)", "r0"),
        ("drexler propofol", "r2"),
        ("10.1000/ab.8", "r3"),
        ("doi:10.1000/aa.8", "r1"),
        ("isoflurane silent", "r1"),
        ("moser grid", "r3"),
    ],
)
def test_a_paper_is_found_by_what_it_is_called(library: Library, query: str, found: str) -> None:
    """Else who types author and year, or a DOI, gets papers that have neither."""
    hit = library.search(query).hits[0]
    assert hit.paper.external_id == found
    assert hit.factors["coverage"] > 0.8 and hit.factors["exact"] == pytest.approx(2 * hit.factors["coverage"] - 1)


def test_the_score_is_made_of_what_is_told(library: Library) -> None:
    """Else `--explain` and the line below the hits say something else than what ranked."""
    result = library.search("hentschke ketamine", k=20)
    assert result.method.startswith("0.5 vectors + 0.5 full text, min-max; 0.85 exact words; 0.2 late interaction")
    for hit in result.hits:
        one = hit.factors
        fusion = 0.15 * (0.5 * one["dense"] + 0.5 * one["text"]) + 0.85 * one["exact"]
        assert one["fusion"] == pytest.approx(fusion)
        assert hit.score == pytest.approx(0.8 * fusion + 0.2 * one.get("late", 0.0))


def test_a_question_is_weighed_as_before(library: Library) -> None:
    """Else what was tuned for names in a search box decides about questions."""
    result = library.search("Which of the neurons in the cortex fall silent under ketamine?")
    assert result.method.startswith("0.7 vectors + 0.3 full text, min-max; 0.3 late")
    assert "exact" not in result.hits[0].factors


@pytest.mark.parametrize("key", ["dense_weight", "rerank_weight", "exact_weight"])
def test_weights_that_are_set_hold(folder: Path, key: str) -> None:
    """Else who sets a weight, even to what it is otherwise, is not obeyed."""
    value = getattr(SearchSettings(), key)
    with open_library(folder, **{f"search__{key}": value}) as library:
        result = library.search("hentschke 2020")
        assert result.method.startswith("0.7 vectors + 0.3 full text, min-max; 0.3 late")
        assert "exact" not in result.hits[0].factors
    with open_library(folder) as library:
        assert library.search("hentschke 2020", settings={f"search.{key}": value}).method == result.method


def test_the_weight_of_exact_words_can_be_set(folder: Path) -> None:
    """Else a library of which only names are asked cannot be searched so."""
    with open_library(folder, search__exact_weight=0.6) as library:
        assert "; 0.6 exact words;" in library.search("What was shown by Hentschke in 2011?").method


def test_conditions_hold_for_exact_words_too(library: Library) -> None:
    """Else a paper that does not pass is found by its author."""
    found = library.search("Hentschke 2020 -ketamine", k=50)
    assert "r0" not in [hit.paper.external_id for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "looks", "short"),
    [
        ("hentschke 2020", 1, 1),
        ("Hentschke et al. 2020", 1, 1),
        ("theta gamma coupling ketamine cortex", 1, 2 / 3),
        ("grid cortex plane rats cells tile neurons silent", 1, 0),
        ("does sleep help memory", 0, 1),
        ("sleep?", 0, 0),
        ("List triads of sleep", 0, 0),
        ("Describe ketamine.", 0, 0),
        ("the", 0, 1),
        ("...", 0, 0),
        ("map of gas at high latitude as seen by Planck in 2015", 0, 0),
    ],
)
def test_the_shape_of_a_query(query: str, looks: float, short: float) -> None:
    """Else questions are taken for names, or names for questions."""
    assert query_shape(query) == pytest.approx((looks, short))


def test_many_words_count_as_typed_where_one_passage_holds_them() -> None:
    """Else a list of topics is searched for as if one paper had to have all."""
    query = "grid cortex plane rats cells tile neurons silent"
    assert [typed_share(query, best) for best in (0.2, 0.45, 0.9, 1.0)] == [0, 0, 1, 1]
    assert 0 < typed_share(query, 0.7) < 1


def test_few_words_that_no_passage_holds_are_about_something() -> None:
    """Else two words of which no paper has both are ranked by nothing."""
    assert [typed_share("seagrass genomics", best) for best in (0.0, 0.45, 0.6, 1.0)] == [0, 0, 1, 1]


def test_between_the_two_the_weights_are_in_between() -> None:
    """Else one more word turns the order of all papers."""
    own = SearchSettings()
    assert mix_weights(own, 0).dense_weight == own.dense_weight and mix_weights(own, 0).exact_weight == 0
    assert mix_weights(own, 1).exact_weight == TYPED.exact_weight
    assert 0 < mix_weights(own, 0.5).exact_weight < TYPED.exact_weight and not mix_weights(own, 0.5).by_query
