"""Weights, diversity and expansion: the formulas by hand, and that a ranking follows them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conspectus import Library
from conspectus.core.errors import SettingsError, UsageError
from conspectus.evidence import candidates as evidence
from conspectus.papers.retriever import make_retriever
from conspectus.records import Filters, SearchResult
from conspectus.search import candidates
from conspectus.search.encoded_query import combine_vectors
from conspectus.search.retriever import order_by_marginal_relevance
from helpers import open_library, write_jsonl

NAN = float("nan")
NEW = datetime.now(UTC).year

RECORDS: list[dict[str, Any]] = [
    {"id": "old", "year": 1970, "citation_count": 4000, "keywords": ["lace"], "abstract": "Bobbin lace of flax."},
    {"id": "new", "year": NEW, "citation_count": 2, "keywords": ["Lace making"], "abstract": "Bobbin lace of cotton."},
    {"id": "undated", "abstract": "Bobbin lace of hemp."},
    {"id": "far", "year": NEW, "citation_count": 9000, "keywords": ["lace"], "abstract": "Volcanoes emit ash."},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("weights")
    with open_library(home / "library") as made:
        made.add(write_jsonl(home / "records.jsonl", [{"title": "", **record} for record in RECORDS]))
    return home / "library"


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as opened:
        yield opened


def order(result: SearchResult) -> list[str]:
    return [hit.paper.external_id for hit in result.hits]


def factor(result: SearchResult, name: str) -> dict[str, float]:
    return {hit.paper.external_id: hit.factors[name] for hit in result.hits}


def test_recency_halves() -> None:
    found = candidates.recency(np.array([2020.0, 2015.0, 2010.0, NAN, 2031.0]), 2020.0, 5.0)
    np.testing.assert_allclose(found, [1, 0.5, 0.25, (1 + 0.5 + 0.25 + 1) / 4, 1])


def test_citations_saturate() -> None:
    found = candidates.citations(np.array([0.0, 9.0, 99.0, 5000.0, NAN]), 99)
    np.testing.assert_allclose(found, [0, 0.5, 1, 1, 0.625])


def test_nothing_known_of_any_paper_changes_nothing() -> None:
    np.testing.assert_allclose(candidates.recency(np.array([NAN, NAN]), 2020.0, 5.0), [0, 0])
    assert candidates.citations(np.empty(0), 10).size == 0


def test_keywords_are_matched_by_whole_words() -> None:
    """Else 'art' would prefer papers on artefacts."""
    owned = [["dark matter halos", "cosmology"], ["dark energy"], ["artdark matter"], []]
    np.testing.assert_allclose(candidates.keywords(["Dark Matter", "Cosmology!"], owned), [1, 0, 0, 0])
    np.testing.assert_allclose(candidates.keywords(["dark"], owned), [1, 1, 0, 0])
    np.testing.assert_allclose(
        candidates.keywords(["dark matters"], owned), candidates.keywords(["dark matter"], owned)
    )
    np.testing.assert_allclose(candidates.keywords([" ", "—"], owned), [0, 0, 0, 0])


def test_the_published_equations() -> None:
    """Equations 1 and 2 of pathfinder."""
    years = candidates.published_recency(np.array([2024.0, 2023.0, 2019.0, NAN]), 2024.0)
    np.testing.assert_allclose(years, [0.5, 1 / (1 + exp(1 / 0.7)), 1 / (1 + exp(5 / 0.7)), 0])
    assert years[1] == pytest.approx(0.19, abs=0.005)  # as seeds of other programs found it
    assert years[2] == pytest.approx(0.0008, abs=0.0001)
    counts = candidates.published_citations(np.array([300.0, 0.0, NAN, 1e6]))
    np.testing.assert_allclose(counts, [0.5, 1 / (1 + exp(300 / 42)), 1 / (1 + exp(300 / 42)), 1])


def test_each_weight_is_shown_and_added(library: Library) -> None:
    plain = {hit.paper.external_id: hit.score for hit in library.search("bobbin lace").hits}
    settings = {"search.recency": True, "search.citations": True, "search.half_life": 10, "search.saturation": 1000}
    found = library.search("bobbin lace", prefer=["lace making"], settings=settings)
    for hit in found.hits:
        parts = sum(hit.factors[name] for name in ("keywords", "recency", "citations"))
        assert hit.score == pytest.approx((plain[hit.paper.external_id] + 0.1 * parts) / 1.3)
        assert 0 <= hit.score <= 1
    assert factor(found, "keywords") == {"old": 0, "new": 1, "undated": 0, "far": 0}
    assert factor(found, "recency")["new"] == 1
    assert factor(found, "recency")["old"] == pytest.approx(0.5 ** ((NEW - 1970) / 10))
    assert factor(found, "citations")["new"] == pytest.approx(log(3) / log(1001))
    assert "0.1 recency" in found.method and "0.1 citations" in found.method and "0.1 keywords" in found.method
    assert not {"keywords", "recency", "citations"} & set(library.search("bobbin lace").hits[0].factors)


def test_a_weight_decides_among_equals_and_does_not_drown_similarity(library: Library) -> None:
    """A paper on volcanoes with 9,000 citations is no paper on lace."""
    for name, first, second in (("recency", "new", "old"), ("citations", "old", "new")):
        heavy = {f"search.{name}": True, f"search.{name.removesuffix('s')}_weight": 0.3}
        found = order(library.search("bobbin lace", settings=heavy))
        assert found.index(first) < found.index(second)
        assert found[-1] == "far"


def test_published_weights_multiply(library: Library) -> None:
    """To the letter, they erase similarity: that is why they are not the default."""
    settings = {"search.weighting": "published", "search.citations": True, "search.rerank": 0}
    found = library.search("bobbin lace", settings=settings)
    for hit in found.hits:
        assert hit.score == pytest.approx(hit.factors["cosine"] * hit.factors["citations"])
    counts = {record["id"]: record.get("citation_count", 0) for record in RECORDS}
    for name, value in factor(found, "citations").items():
        assert value == pytest.approx(1 / (1 + exp((300 - counts[name]) / 42)))
    assert "published weights of citations" in found.method
    again = library.search("bobbin lace", settings={**settings, "search.rerank": 30})
    assert all(hit.score == hit.factors["late"] for hit in again.hits)


def test_a_setting_for_one_search_alone(library: Library) -> None:
    library.search("lace", settings={"search.recency": True})
    assert "recency" not in library.search("lace").hits[0].factors
    with pytest.raises(SettingsError, match=r"no setting 'search\.recentness'"):
        library.search("lace", settings={"search.recentness": True})
    with pytest.raises(SettingsError, match=r"at most 0\.3"):
        library.search("lace", settings={"search.recency_weight": 2})
    with pytest.raises(UsageError, match="cannot be set for one search"):
        library.search("lace", settings={"passages.chars": 500})


def test_marginal_relevance_by_hand() -> None:
    """Carbonell and Goldstein 1998: the second is not the copy of the first."""
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    assert order_by_marginal_relevance([1.0, 0.9, 0.5], vectors, 0.5, 3) == [
        (0, 0.5),
        (2, 0.25),
        (1, pytest.approx(-0.05)),
    ]
    assert [row for row, _ in order_by_marginal_relevance([1.0, 0.9, 0.5], vectors, 1.0, 3)] == [0, 1, 2]
    assert len(order_by_marginal_relevance([1.0, 0.9, 0.5], vectors, 0.5, 2)) == 2
    assert order_by_marginal_relevance([], np.empty((0, 2), np.float32), 0.5, 4) == []


def test_lambda_does_something(tmp_path: Path) -> None:
    """MMR that is there and changes nothing is one of the known mistakes."""
    same = [{"id": f"same-{n}", "title": "", "abstract": f"Eels swim to the Sargasso sea. {n}"} for n in range(3)]
    other = {"id": "other", "title": "", "abstract": "Eels have a slimy skin."}
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "eels.jsonl", [*same, other]))
        plain = made.search("eels swim to the sea", k=3)
        diverse = made.search("eels swim to the sea", k=3, settings={"search.mmr": 0.3})
    assert "other" not in order(plain)
    assert order(diverse)[1] == "other"
    assert [hit.rank for hit in diverse.hits] == [1, 2, 3]
    assert "lambda 0.3" in diverse.method
    values = [hit.factors["mmr"] for hit in diverse.hits]
    assert values == sorted(values, reverse=True)


def test_not_too_many_passages_of_one_paper(tmp_path: Path) -> None:
    text = " ".join(f"The eel number {number} swims to the sea in spring." for number in range(200))
    with open_library(tmp_path / "library") as made:
        made.add(write_jsonl(tmp_path / "eels.jsonl", [{"id": "eels", "title": "Eels", "text": text}]))
        for most in (1, 3):
            (hit,) = made.search("eel", settings={"search.per_paper": most}).hits
            assert len(hit.more) == most - 1


def test_vectors_are_combined_by_the_rule() -> None:
    question, one, two = np.array([1, 0]), np.array([0, 1]), np.array([0.6, 0.8])
    made = combine_vectors(question.astype(np.float32), [one.astype(np.float32), two.astype(np.float32)], 0.5)
    wanted = 0.5 * question + 0.5 * (one + two) / 2
    np.testing.assert_allclose(made, wanted / np.linalg.norm(wanted), rtol=1e-6)
    np.testing.assert_allclose(combine_vectors(question.astype(np.float32), [], 0.5), question)
    opposite = combine_vectors(question.astype(np.float32), [-question.astype(np.float32)], 0.5)
    np.testing.assert_allclose(opposite, question)


def test_feedback_searches_by_what_is_found_first(library: Library) -> None:
    """Without a language model a question is moved towards the passages found first; its own cosine stays visible."""
    plain = library.search("bobbin lace")
    moved = library.search("bobbin lace", settings={"search.expand": "feedback", "search.expansions": 1})
    assert factor(moved, "cosine") == pytest.approx(factor(plain, "cosine"))
    first = plain.hits[0].paper.external_id
    assert factor(moved, "expanded")[first] > factor(plain, "cosine")[first]
    assert "feedback of 1" in moved.method


def test_similar_to_several(library: Library) -> None:
    """What is asked for is what they have in common; they themselves are no answer."""
    found = library.similar(["old", "new"], k=5)
    assert order(found) == ["undated", "far"]
    assert "2 vectors" in found.method
    one = library.similar("old", k=5)
    assert set(order(one)) == {"new", "undated", "far"}
    both = library.similar("old", text="Volcanoes emit ash.", k=5)
    assert order(both)[0] == "far"


def test_what_is_read_is_diverse_too(tmp_path: Path) -> None:
    """P2: else ten passages that say the same are read, and each is paid for."""
    same = [{"id": f"same-{n}", "title": "", "abstract": f"Eels swim to the Sargasso sea. {n}"} for n in range(6)]
    other = {"id": "other", "title": "", "abstract": "Eels have a slimy skin."}
    found = {}
    for trade in (1.0, 0.3):
        with open_library(tmp_path / f"library-{trade}", search__mmr=trade, evidence__read=2) as made:
            made.add(write_jsonl(tmp_path / "eels.jsonl", [*same, other]))
            retriever = make_retriever(made.session)
            scores = evidence.search(retriever, "eels swim to the sea", Filters(), made.settings.evidence, print)
            read = evidence.candidates(retriever, [scores], made.settings.evidence, print)
            found[trade] = [item.paper.external_id for item in read]
    assert "other" not in found[1.0]
    assert found[0.3][1] == "other"
