"""Terms that papers use and a vocabulary lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.errors import NotFoundError
from conspectus.graph.vocabularies import phrase_counts
from conspectus.graph.vocabularies.phrase_counts import DatedSentence, count_phrases, phrase_key
from conspectus.graph.vocabularies.skos import write_turtle
from conspectus.graph.vocabularies.suggestions import (
    ConceptNames,
    ParentFinder,
    label_of,
    rank_terms,
    split_words,
    variants_of,
)
from conspectus.models.protocol import Embedding
from graph.vocabularies import put_vocabulary
from helpers import HashEmbedder, markdown, open_library, write

pytestmark = pytest.mark.usefixtures("quick_pool")
STARS = {"S:1": ("neutron stars",), "S:2": ("dwarf stars",), "S:3": ("stars",), "S:4": ("dust",)}
TEXT = "Quark stars are here. A quark star is there. Neutron stars are known. We study dust near them."


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as opened:
        papers = {f"p{at}": markdown(f"Paper {at}", TEXT, year=str(2000 + at)) for at in range(4)}
        opened.add([write(tmp_path / f"{name}.md", text) for name, text in papers.items()])
        put_vocabulary(opened, STARS, "Stars")
        yield opened


def test_a_frequent_term_is_suggested_with_its_parent_and_sentences(library: Library) -> None:
    """A curator would not learn what the papers speak of."""
    report = library.vocabularies.suggest("stars")
    terms = {one.label: one for one in report.suggestions}
    assert "neutron stars" not in terms and "dust" not in terms and report.papers == 4
    quark = terms["quark stars"]
    assert (quark.parent, quark.parent_label, quark.parent_by) == ("S:3", "stars", "head")
    assert (quark.papers, quark.first_year, quark.last_year) == (4, 2000, 2003) and "quark star" in quark.variants
    assert all("uark star" in one.quote for one in quark.examples) and len(quark.examples) == 2
    with pytest.raises(NotFoundError, match="no vocabulary"):
        library.vocabularies.suggest("planets")


def test_names_of_a_vocabulary_are_embedded_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    first, embedded = library.vocabularies.suggest("stars"), list[str]()
    embed = HashEmbedder.embed

    def note(self: HashEmbedder, texts: Sequence[str]) -> Iterator[Embedding]:
        embedded.extend(texts)
        return embed(self, texts)

    monkeypatch.setattr(HashEmbedder, "embed", note)
    assert library.vocabularies.suggest("stars") == first
    assert embedded == [one.label for one in first.suggestions]
    put_vocabulary(library, {**STARS, "P:1": ("planets",)}, "Planets")
    library.vocabularies.suggest("planets")
    assert "planets" in embedded


def test_suggestions_are_written_as_skos(library: Library, tmp_path: Path) -> None:
    """A curator's program could not read them."""
    pyoxigraph = pytest.importorskip("pyoxigraph")
    report = library.vocabularies.suggest("Stars", output=tmp_path / "terms.ttl")
    assert report.path == str(tmp_path / "terms.ttl")
    triples = list(pyoxigraph.parse((tmp_path / "terms.ttl").read_bytes(), pyoxigraph.RdfFormat.TURTLE))
    labels = {one.object.value for one in triples if one.predicate.value.endswith("#prefLabel")}
    assert labels == {one.label for one in report.suggestions} and "quark stars" in labels


@pytest.mark.parametrize("iri", ["http://a.org/S:3", "http://a.org/a\tb", "http://a.org/a\nb", "http://a.org/\x01", ""])
def test_turtle_has_no_broken_names_and_no_language_that_nobody_knows(library: Library, iri: str) -> None:
    pyoxigraph = pytest.importorskip("pyoxigraph")
    report = library.vocabularies.suggest("stars")
    written = []
    for vocabulary in ("Stars", "Sterne & <Monde>"):
        one = replace(report, vocabulary=vocabulary)
        text = "".join(write_turtle(one, {"S:3": iri}))
        written.append(list(pyoxigraph.parse(text.encode(), pyoxigraph.RdfFormat.TURTLE)))
    first, second = ({str(one.subject) for one in each} for each in written)
    assert not first & second, "two exports are one where they are read together"
    labels = [one.object for one in written[0] if one.predicate.value.endswith(("Label", "#example"))]
    assert labels and all(one.language is None for one in labels)
    broader = {one.object.value for one in written[0] if one.predicate.value.endswith("#broader")}
    assert broader == ({iri} if iri.endswith("S:3") else set())


def test_what_is_removed_is_not_suggested(library: Library) -> None:
    for paper in list(library.papers())[:2]:
        library.remove(paper.id)
    assert not library.vocabularies.suggest("Stars").suggestions


@pytest.mark.parametrize(
    ("one", "other"),
    [("quark star", "Quark stars"), ("gamma-ray burst", "gamma ray bursts"), ("merger of galaxies", "galaxy merger")],
)
def test_variants_are_one_phrase(one: str, other: str) -> None:
    assert phrase_key(one) == phrase_key(other)


def test_frequent_phrases_are_counted_where_many_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once many phrases of two papers were kept, no other was: each was forgotten before the next paper."""
    monkeypatch.setattr(phrase_counts, "PRUNED_AT", 100)
    names = ["".join(pair) + "on" for pair in product("bdfgklmnprstvz", repeat=2)]
    rows = [
        DatedSentence(paper, 2000, False, f"{paper}", text)
        for paper in range(2 * len(names))
        for text in ("Quark matter is here.", f"We see {names[paper // 2]} phase here.", "Dust rings are here.")
        if paper >= 200 or "Dust" not in text
    ]
    table = count_phrases(rows, 2)
    assert len(table.counts) <= 105 and table.papers == 2 * len(names)
    assert table.counts[phrase_key("quark matter")].papers == table.papers
    assert table.counts[phrase_key("dust ring")].papers >= table.papers - 202


def test_a_short_form_inside_a_phrase_makes_no_other_phrase() -> None:
    """One term would be suggested twice, each time with half of its papers."""
    texts = ["Magnetohydrodynamic (MHD) turbulence is here.", "MHD turbulence is here."] * 4
    texts += ["Magnetohydrodynamic turbulence is seen."] * 5
    table = count_phrases([DatedSentence(at, 2000 + at, False, f"{at}", text) for at, text in enumerate(texts)], 3)
    key = phrase_key("magnetohydrodynamic turbulence")
    assert phrase_key("MHD turbulence") not in table.counts and table.counts[key].papers == 5
    assert "mhd turbulence" in variants_of(table, key, label_of(table.counts[key]))


def test_short_forms_and_ends_of_longer_phrases_are_no_terms() -> None:
    text = "Fast radio bursts (FRBs) are here. FRB is here. RR Lyrae stars are here. Quark matter is here."
    rows = [DatedSentence(paper, 2000, False, f"{paper}", text) for paper in range(5)]
    rows += [DatedSentence(paper, 2001, False, f"{paper}", "FRB. Quark matter.") for paper in range(5, 10)]
    table = count_phrases(rows, 3)
    names = ConceptNames({}, {}, {})
    labels = [label_of(table.counts[key]) for key, _ in rank_terms(table, names, set())]
    assert "Lyrae stars" not in labels and "RR Lyrae stars" in labels and "FRB" not in labels
    burst = phrase_key("fast radio bursts")
    assert table.counts[burst].papers == 5 and "FRB" in variants_of(table, burst, "fast radio bursts")


def test_the_end_of_longer_names_is_no_term() -> None:
    """A curator would read fragments; what ends many phrases is a term by itself."""
    names = ("Large Synoptic Survey Telescope", "Dark Energy Survey Telescope", "Northern Sky Survey Telescope")
    texts = [f"We use the {name} with {kind} quark matter here." for name in names for kind in ("hot", "cold", "dense")]
    table = count_phrases([DatedSentence(at, 2001, False, f"{at}", text) for at, text in enumerate(texts)], 3)
    labels = [label_of(table.counts[key]) for key, _ in rank_terms(table, ConceptNames({}, {}, {}), set())]
    assert "Survey Telescope" not in labels and "quark matter" in labels


def test_no_parent_is_named_for_a_shared_word_only() -> None:
    """`velocity field` would belong below `Field of view`."""
    names = {1: "field of view", 2: "deep field", 3: "stars"}
    concepts = ConceptNames(names, {split_words(label): key for key, label in names.items()}, {2: [1]})
    finder = ParentFinder(concepts, HashEmbedder())
    assert finder.find(["velocity field", "quark stars"]) == [(0, ""), (3, "head")]
