"""`search` and `similar`: the best papers, why they are, and what is said when there are none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Filters, Library, SearchResult
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records.passage import embedding_text
from helpers import HashEmbedder, InlinePool, markdown, open_library, write, write_jsonl

TOPICS = {
    "galaxy": "The rotation curve of the galaxy stays flat far beyond the disc.",
    "neuron": "The neuron fires when its membrane potential passes a threshold.",
    "lattice": "Phonons scatter at defects of the crystal lattice and carry heat.",
    "enzyme": "The enzyme lowers the barrier of the reaction by binding its transition state.",
}


def records() -> list[dict[str, Any]]:
    found = []
    for number in range(60):
        topic, sentence = list(TOPICS.items())[number % 4]
        found.append(
            {
                "id": f"{topic}-{number}",
                "title": f"On the {topic}, part {number}",
                "abstract": f"{sentence} Case {number} has {number * 7} of them.",
                "year": 1990 + number % 10,
                "venue": ["Nature", "Cell"][number % 2],
                "authors": ["Rubin, Vera"] if number % 3 else ["Ford, Kent"],
            }
        )
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    with pytest.MonkeyPatch.context() as patch, open_library(folder / "lib") as library:
        patch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        long = " ".join(
            f"The galaxy number {number} rotates, and its rotation curve is flat at {number} km/s."
            for number in range(900)
        )
        library.add(
            [
                write_jsonl(folder / "refs.jsonl", records()),
                write(folder / "survey.md", markdown("A survey of galaxy rotation", long, year="1985", venue="Survey")),
            ]
        )
    return folder / "lib"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as library:
        yield library


def ids(result: SearchResult) -> list[str]:
    return [hit.paper.external_id for hit in result.hits]


def test_the_best_papers_first(library: Library) -> None:
    """The thing itself."""
    result = library.search("membrane potential of a neuron", k=5)
    assert all(name.startswith("neuron") for name in ids(result))
    assert [hit.rank for hit in result.hits] == [1, 2, 3, 4, 5]
    assert (result.query, result.models, result.note) == ("membrane potential of a neuron", ("hash/1",), "")
    assert result.method and result.took > 0
    assert all(hit.passage.paper_id == hit.paper.id for hit in result.hits)
    assert library.search("membrane potential of a neuron", k=5).hits == result.hits, "the same again"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"search__dense_weight": 0.0},
        {"search__dense_weight": 1.0},
        {"search__rerank_weight": 0.9},
        {"search__rerank": 3},
        {"search__rerank": 0},
        {"search__rerank_weight": 0.0},
    ],
    ids=str,
)
def test_each_score_is_made_of_its_factors(folder: Path, settings: dict[str, float]) -> None:
    """Else `--explain` explains something else than what ranked."""
    with open_library(folder, **settings) as library:
        search = library.settings.search
        result = library.search("galaxy rotation and heat of the lattice", k=30)
        reranks = bool(search.rerank and search.rerank_weight)
        assert sum("late" in hit.factors for hit in result.hits) <= search.rerank
        assert any("late" in hit.factors for hit in result.hits) == reranks
        for hit in result.hits:
            factors = hit.factors
            fusion = search.dense_weight * factors["dense"] + (1 - search.dense_weight) * factors["text"]
            assert factors["fusion"] == pytest.approx(fusion)
            late = search.rerank_weight if reranks else 0.0
            assert hit.score == pytest.approx((1 - late) * fusion + late * factors.get("late", 0.0))
            assert all(0 <= factors[name] <= 1 + 1e-9 for name in ("dense", "text", "fusion"))
        order = [(-hit.score, -hit.factors["cosine"]) for hit in result.hits]
        assert order == sorted(order)


def test_the_cosine_is_that_of_the_stored_vectors(library: Library) -> None:
    """Else the rounding of the index decides between near papers."""
    query = "rotation of the galaxy"
    asked = HashEmbedder().embed_query(query).vector
    hits = library.search(query, k=10).hits
    assert len(hits) == 10
    for hit in hits:
        text, _ = embedding_text(hit.paper, hit.passage)
        assert hit.factors["cosine"] == pytest.approx(float(HashEmbedder().embed_query(text).vector @ asked), abs=2e-4)


def test_equals_are_in_the_order_they_were_added(tmp_path: Path, quick_pool: None) -> None:
    """Else the same search gives another order each time."""
    same = [
        {"title": "Same title", "abstract": "The very same words here.", "doi": f"10.1000/{n}", "venue": f"V{n}"}
        for n in range(25)
    ]
    with open_library(tmp_path / "lib", search__candidates=5) as library:
        for number in range(5):
            library.add(write_jsonl(tmp_path / f"{number}.jsonl", same[number * 5 : number * 5 + 5]))
        wanted = [record["doi"] for record in same]
        assert [hit.paper.doi for hit in library.search("very same words", k=25).hits] == wanted
        assert [hit.paper.doi for hit in library.search("very same words", k=7).hits] == wanted[:7]


def test_each_paper_once_with_its_best_passage(library: Library) -> None:
    """Else one long paper fills the page, or shows the wrong place."""
    result = library.search("galaxy number 571 rotates flat at 571 km/s", k=10)
    assert len({hit.paper.id for hit in result.hits}) == 10
    first = result.hits[0]
    assert first.paper.external_id == "survey.md"
    assert first.more and first.passage not in first.more
    assert all(passage.paper_id == first.paper.id for passage in first.more)


@pytest.mark.parametrize("candidates", [1, 5, 50])
def test_k_papers_though_one_has_very_many_passages(folder: Path, candidates: int) -> None:
    """Else a thesis in the library hides everything else."""
    with open_library(folder, search__candidates=candidates) as library:
        assert len(list(library.passages("survey.md"))) > 40
        for k in (1, 10, 30):
            assert len(library.search("galaxy rotation curve", k=k).hits) == k
        assert len(library.search("galaxy", k=500).hits) == 61
        assert len(library.similar(text="galaxy rotation curve", k=30).hits) == 30


@pytest.mark.parametrize(
    "filters",
    [
        Filters(year=(1992, 1994)),
        Filters(venue=("cell",)),
        Filters(author=("Ford",), year=(1990, 1995)),
        Filters(full_text=True),
        Filters(kind=("abstract",)),
        Filters(kind=("body",)),
        Filters(venue=("Nature", "Survey"), author=("V. Rubin",)),
    ],
    ids=str,
)
def test_filters_hold_for_every_hit(library: Library, filters: Filters) -> None:
    """Else a filtered list has papers in it that the filter excludes, or fewer than there are."""
    passing = {paper.id for paper in library.papers(filters)}
    for result in (
        library.search("galaxy rotation", k=100, filters=filters),
        library.similar(text="galaxy", k=100, filters=filters),
    ):
        found = {hit.paper.id for hit in result.hits}
        if filters.kind:
            assert found and all(hit.passage.kind in filters.kind for hit in result.hits)
            assert found <= passing
        else:
            assert found == passing


def test_words_that_only_full_text_knows(folder: Path) -> None:
    """Else an identifier or a rare name is not found because its vector says nothing."""
    with open_library(folder, search__candidates=3) as library:
        assert ids(library.search("part 37", k=3))[0] == "galaxy-37".replace("galaxy", list(TOPICS)[37 % 4])


def test_nothing_found_says_why(library: Library, tmp_path: Path) -> None:
    """Else an empty page leaves the user guessing."""
    note = library.search("galaxy", filters=Filters(venue=("Natur",))).note
    assert "venue 'Natur'" in note and "nature" in note
    assert "author 'Nobody'" in library.search("galaxy", filters=Filters(author=("Nobody",))).note
    assert "filters" in library.search("galaxy", filters=Filters(year=(1800, 1801))).note
    with open_library(tmp_path / "empty") as empty:
        assert "`add" in empty.search("galaxy").note
        assert "`add" in empty.similar(text="galaxy").note


@pytest.mark.parametrize("query", ["", "   ", "\n", "?!", "(((("])
def test_an_empty_query_is_refused(library: Library, query: str) -> None:
    """Else it returns papers at random, as if they were found."""
    for use in (library.search, lambda text: library.similar(text=text)):
        with pytest.raises(UsageError):
            use(query)


@pytest.mark.parametrize(
    "query", ["the of and", 'AND OR NOT ( ) : " *', "\ud800 galaxy", "🌌", "x" * 10_000, "galaxy " * 2000]
)
def test_no_other_query_is_an_error(library: Library, query: str) -> None:
    """Else a pasted abstract ends in a traceback."""
    assert len(library.search(query, k=3).hits) == 3


@pytest.mark.parametrize("k", [0, -1])
def test_k_must_be_something(library: Library, k: int) -> None:
    with pytest.raises(UsageError, match="k must be"):
        library.search("galaxy", k=k)


def test_k_by_the_settings(folder: Path) -> None:
    """Else `search.k` has no effect."""
    with open_library(folder, search__k=4) as library:
        assert len(library.search("galaxy").hits) == len(library.similar(text="galaxy").hits) == 4


def test_similar_to_a_paper_leaves_it_out(library: Library) -> None:
    """Else the nearest paper is always the paper itself."""
    result = library.similar("neuron-1", k=5)
    assert "neuron-1" not in ids(result)
    assert all(name.startswith("neuron") for name in ids(result))
    scores = [hit.score for hit in result.hits]
    assert scores == sorted(scores, reverse=True) and all(-1 <= score <= 1.0001 for score in scores)


def test_similar_needs_something_to_compare(library: Library) -> None:
    for wrong in ({}, {"text": " "}, {"papers": []}):
        with pytest.raises(UsageError, match="nothing to compare with"):
            library.similar(**wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        library.similar("no such paper")


def test_a_text_to_compare_with_is_as_short_as_a_question(library: Library) -> None:
    """Else a text of any length is embedded as a whole."""
    with pytest.raises(UsageError, match="The text has 20,001 characters"):
        library.similar(text="x" * 20_001)


def test_an_embedder_without_words(tmp_path: Path, quick_pool: None) -> None:
    """Else services, which give one vector a text, cannot be used."""
    with open_library(tmp_path / "lib", HashEmbedder("plain/1", words=False)) as library:
        library.add(write_jsonl(tmp_path / "refs.jsonl", records()))
        hit = library.search("membrane potential of a neuron").hits[0]
        assert hit.paper.external_id.startswith("neuron")
        assert "late" not in hit.factors and hit.score == hit.factors["fusion"]
        assert np.isfinite(library.ask("What does the neuron do at its threshold?").usage.seconds)


def test_listed_papers_pass_the_kind_of_text_too(library: Library) -> None:
    """The filter would be taken and not heeded."""
    titles = [paper.title for paper in library.papers(Filters(kind=("body",)))]
    assert titles == ["A survey of galaxy rotation"]
    assert len(list(library.papers(Filters(kind=("abstract",), venue=("Nature",))))) == 30


def test_a_passage_without_a_word_of_the_query_is_not_shown_first(tmp_path: Path, quick_pool: None) -> None:
    """The first result of a search for a title's words would be a caption about something else."""
    other = " ".join(f"Group {name} tried tool{name} over years{name} in ways{name}." for name in "abcdefghijkl")
    xml = f"""<article><front><article-meta><title-group><article-title>A model of working memory</article-title>
      </title-group></article-meta></front><body><sec><title>Methods</title>
      <fig id="f1"><label>Table 1</label><caption><p>Order of the alphabet.</p></caption></fig></sec>
      <sec><title>Conclusion</title><p>{other} We could replicate what was found of memories. {other}</p></sec></body>
      </article>"""
    with open_library(tmp_path / "lib") as library:
        library.add(write(tmp_path / "memory.xml", xml))
        hit = library.search("model of working memory").hits[0]
        assert "replicate" in hit.passage.text and any("alphabet" in passage.text for passage in hit.more)
        assert "alphabet" in library.search("alphabet memory").hits[0].passage.text


def test_words_that_no_paper_has_are_told(library: Library) -> None:
    """Papers that merely lie nearest would pass for papers that were found."""
    assert "nearest by meaning" in library.search("xyzzy qwertz blorf").note
    assert "nearest by meaning" not in library.search("galaxy xyzzy").note


def test_part_of_a_title_leads_to_its_paper(library: Library) -> None:
    """Who remembers some words of a title would be told only that there is no such paper."""
    for look_up in (library.paper, library.passages, library.similar):
        with pytest.raises(NotFoundError) as caught:
            look_up("survey of GALAXY rot")
        assert "Did you mean 'A survey of galaxy rotation' (" in str(caught.value)
    with pytest.raises(NotFoundError, match="shows the papers"):
        library.paper("100% of nothing")
