"""What every search engine must do. An engine's tests inherit `IndexConformance` and give the fixture `make_index`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conspectus.index.protocol import SearchIndex, WordHits
from conspectus.records import Filters
from conspectus.records.filters import Condition, Not, Passes, Stands
from conspectus.testing.index_writes import (
    ALL,
    DIMENSIONS,
    HOSTILE,
    ONE_EACH,
    WHERE,
    MakeIndex,
    WritingConformance,
    by_text,
    by_vector,
    combined,
    holds,
    many_rows,
    passes,
    row,
    unit,
    write_rows,
)


class IndexConformance(WritingConformance):
    """The tests. `make_index` opens the index in the test's own place."""

    @pytest.fixture
    def index(self, make_index: MakeIndex) -> Any:
        index = make_index()
        yield index
        index.close()

    def test_papers_and_passages_with_all_words_are_counted(self, make_index: MakeIndex) -> None:
        """A count would be of passages, not of papers, or of those that have only one of the words."""
        index = make_index()
        assert (index.count("orbits", ALL).papers, index.count("orbits", ALL).passages) == (0, 0)
        texts = ["orbit quasar", "Orbits of the quasar", "orbit", "quasar", "cortex"]
        write_rows(index, [row(key, text, paper=1 + key // 2, year=2000 + key) for key, text in enumerate(texts)])
        assert index.count("orbits", ALL) == WordHits({"orbits": 2}, 2, 3)
        assert index.count("the orbit quasars", ALL) == WordHits({"orbit": 2, "quasars": 2}, 1, 2)
        assert index.count("orbit quasar cortex", ALL).papers == 0
        assert index.count("orbit-quasar", ALL) == WordHits({"orbit-quasar": 1}, 1, 2)
        assert index.count("orbit", Filters(year=(2001, 2002))) == WordHits({"orbit": 2}, 2, 2)
        assert index.count('text:"orbit" OR (', ALL).words == {'text:"orbit"': 0}
        assert index.count("", ALL) == index.count("the of \ud800", ALL) == WordHits({}, 0, 0)
        write_rows(index, [], delete=[0, 1], change=2)
        assert index.count("orbit", ALL) == WordHits({"orbit": 1}, 1, 1)

    def test_counts_are_those_of_the_rows(self, make_index: MakeIndex) -> None:
        """A count would not be exact where there is much to count."""
        index, rows = make_index(), many_rows()
        write_rows(index, rows)
        for filters in (ALL, Filters(year=(2000, 2003)), Filters(kind=("body",), full_text=True)):
            expected_papers = [
                item.paper
                for item in rows
                if passes(item, filters) and {"orbit", "common"} <= set(f"{item.title} {item.text}".split())
            ]
            counts = index.count("common orbit", filters)
            assert (counts.papers, counts.passages) == (len(set(expected_papers)), len(expected_papers))

    def test_a_new_index_is_empty_and_answers(self, index: SearchIndex) -> None:
        """Else the first search in a new library fails instead of saying that the library is empty."""
        assert index.search_text("anything", 10, ALL) == []
        assert index.search_vector(unit(DIMENSIONS), 10, ALL) == []
        assert index.keys().tolist() == []
        assert index.stats().rows == 0

    def test_words_are_found_whatever_their_form(self, index: SearchIndex) -> None:
        """Else a paper on galaxies is not found with 'Galaxy', one of Gödel not with 'Godel'."""
        write_rows(index, [row(1, "Galaxies collide."), row(2, "Neurons fire."), row(3, "Gödel's theorem")])
        assert by_text(index, "GALAXY") == [1]
        assert by_text(index, "firing neuron?") == [2]
        assert by_text(index, "godel") == [3]
        assert by_text(index, "nothing here at all") == []

    def test_words_with_raised_numbers_are_found(self, index: SearchIndex) -> None:
        """Else no word that carries a citation mark or a footnote's is found."""
        write_rows(index, [row(1, "As shown by Powell³, it is chaos.¹² Others⁴ agree."), row(2, "Neurons fire.")])
        assert by_text(index, "powell") == [1]
        assert by_text(index, "other Powell³") == [1]

    def test_numbers_below_symbols_are_found_however_they_are_written(self, index: SearchIndex) -> None:
        """Else the S8 tension is not in the papers that write it in TeX, or with a small 8."""
        write_rows(
            index, [row(1, "The $S_8$ tension"), row(2, "the S₈ tension"), row(3, "$H_{2}O$ and CO_2"), row(4, "S")]
        )
        for query in ("S8", "S_8", "$S_{8}$", "S₈"):
            assert sorted(by_text(index, query)) == [1, 2]
        assert by_text(index, "H2O") == by_text(index, "co2") == [3]

    def test_any_of_the_words_will_do_and_more_are_better(self, index: SearchIndex) -> None:
        """Else a question, whose words no passage has all of, finds nothing."""
        write_rows(
            index, [row(1, "galaxy rotation"), row(2, "galaxy rotation curves"), row(3, "tax curves"), row(4, "none")]
        )
        assert by_text(index, "the rotation curves of a galaxy")[0] == 2
        assert set(by_text(index, "the rotation curves of a galaxy")) == {1, 2, 3}

    def test_common_words_do_not_find_everything(self, index: SearchIndex) -> None:
        """Else 'how does the galaxy rotate' finds every passage with a 'the' in it."""
        write_rows(index, [row(1, "the galaxy"), row(2, "how does the other do it")])
        assert by_text(index, "how does the galaxy") == [1]

    def test_vectors_come_in_order_of_their_cosine(self, index: SearchIndex) -> None:
        """Else the passage nearest in meaning is not the first."""
        vectors = unit(300, 16, seed=1)
        write_rows(index, [row(key, vector=vector) for key, vector in enumerate(vectors, 1)])
        for number in range(20):
            query = unit(16, seed=1000 + number)
            hits = index.search_vector(query, 10, ALL)
            exact = vectors @ query
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
            for hit in hits:
                assert hit.score == pytest.approx(float(exact[hit.key - 1]), abs=0.03)

    def test_vectors_are_searched_nearly_exactly(self, index: SearchIndex) -> None:
        """Else relevant passages are missed for being stored short: recall@10 of at least 0.98."""
        vectors, queries = unit(2000, 64, seed=2), unit(50, 64, seed=3)
        write_rows(index, [row(key, vector=vector) for key, vector in enumerate(vectors, 1)])
        nearest = np.argsort(-(queries @ vectors.T), axis=1)[:, :10] + 1
        hit_keys = [set(by_vector(index, query, 10)) for query in queries]
        recall = np.mean([len(have & set(want.tolist())) / 10 for have, want in zip(hit_keys, nearest, strict=True)])
        assert recall >= 0.98

    def test_k_above_the_number_of_rows(self, index: SearchIndex) -> None:
        """Else asking a small library for many papers fails, or invents some."""
        write_rows(index, [row(1), row(2)])
        assert sorted(by_text(index, "common", 5000)) == [1, 2]
        assert sorted(by_vector(index, unit(16), 5000)) == [1, 2]
        assert len(by_vector(index, unit(16), 5000, Filters(year=(2000, 2000)))) == 2

    @pytest.mark.parametrize("by", ["text", "vector"])
    def test_filters_alone_and_together_mean_what_they_say(self, index: SearchIndex, by: str) -> None:
        """Else a search within 2000–2003 shows papers of other years, or hides some that pass."""
        rows = many_rows()
        write_rows(index, rows)
        for filters in [*ONE_EACH, *combined()]:
            expected_keys = sorted(item.key for item in rows if passes(item, filters))
            find = (
                by_text(index, "common", filters=filters)
                if by == "text"
                else by_vector(index, unit(16), filters=filters)
            )
            assert sorted(find) == expected_keys, filters

    @pytest.mark.parametrize("condition", WHERE, ids=str)
    def test_conditions_mean_what_they_say(self, index: SearchIndex, condition: Condition) -> None:
        """Else a search for -mouse shows papers on mice, in one of its two halves or in both."""
        rows = many_rows()
        write_rows(index, rows)
        for filters in (ALL, Filters(kind=("body", "abstract"), year=(1999, None))):
            passing = [item for item in rows if passes(item, filters) and holds(item, condition)]
            expected_keys = [item.key for item in passing]
            assert sorted(by_text(index, "common", 1000, filters, condition)) == expected_keys
            assert sorted(by_vector(index, unit(16), 1000, filters, condition)) == expected_keys
            assert sorted(hit.key for hit in index.newest(1000, filters, condition)) == expected_keys
            assert index.count("", filters, condition) == WordHits({}, len(expected_keys), len(expected_keys))
            both = [item.key for item in passing if "orbit" in f"{item.title} {item.text}".split()]
            assert index.count("orbit", filters, condition) == WordHits({"orbit": len(both)}, len(both), len(both))

    def test_the_best_are_taken_among_those_that_meet_conditions(self, index: SearchIndex) -> None:
        """Else a phrase that few passages have finds nothing, since it came after the k best were chosen."""
        vectors = unit(400, 16, seed=4)
        order = (np.argsort(-(vectors @ vectors[0])) + 1).tolist()
        write_rows(
            index,
            [
                row(key, "common " * (1 + (key in order[:390])) + "dwarf " * (key in order[390:]) + "star", vector=v)
                for key, v in enumerate(vectors, 1)
            ],
        )
        for condition in (Stands("dwarf stars"), Not(Stands("common common"))):
            assert set(by_vector(index, vectors[0], 10, where=condition)) == set(order[390:])
            assert set(by_text(index, "common", 10, where=condition)) == set(order[390:])

    def test_phrases_stand_in_one_piece(self, index: SearchIndex) -> None:
        """Else "grid cells" finds cells on a grid, or words of a title's end and the text's beginning."""
        texts = [
            "Grid cells fire.",
            "grid-cell firing",
            "cells of a grid",
            "a grid of cells",
            "the grid; other cells",
            "Cells fire.",
            "Gödel³ wrote it",
        ]
        titles = {6: "On the grid"}
        write_rows(index, [row(key, text, title=titles.get(key, "")) for key, text in enumerate(texts, 1)])

        def find_keys(words: str) -> list[int]:
            assert sorted(by_vector(index, unit(16), where=Stands(words))) == sorted(
                hit.key for hit in index.newest(10, ALL, Stands(words))
            )
            return sorted(by_vector(index, unit(16), where=Stands(words)))

        assert find_keys("grid cells") == [1, 2]
        assert find_keys("GRID CELL") == [1, 2]
        assert find_keys("grid of cells") == find_keys("grid, and cells") == [4, 5], (
            "words not looked for stand for any word"
        )
        assert find_keys("cells grid") == []
        assert find_keys("the cells") == [1, 2, 3, 4, 5, 6]
        assert find_keys("Godel wrote") == [], "the mark stands between them, as a word of its own"
        assert find_keys("godel") == [7]
        for nothing in ("the", "", "?!", "x" * 65, "\ud800"):
            assert find_keys(nothing) == []
            assert len(by_vector(index, unit(16), where=Not(Stands(nothing)))) == len(texts)
        assert find_keys("grid " * 3000) == []

    def test_the_newest_papers_come_first(self, index: SearchIndex) -> None:
        """Else what only has conditions is listed in the order in which it was added, or a long paper many times."""
        assert index.newest(5, ALL) == []
        years = {1: 2001, 2: 2001, 3: None, 4: 2010, 5: -44, 6: 2010, 7: 2001}
        write_rows(index, [row(key, paper=1 if key in (2, 7) else key, year=year) for key, year in years.items()])
        assert [hit.key for hit in index.newest(10, ALL)] == [4, 6, 1, 5, 3]
        assert [hit.key for hit in index.newest(2, ALL)] == [4, 6]
        assert [hit.key for hit in index.newest(10, Filters(year=(None, 2005)))] == [1, 5]
        write_rows(index, [], 2, delete=[1])
        assert [hit.key for hit in index.newest(10, ALL, Not(Passes(Filters(year=(2010, 2010)))))] == [2, 5, 3]

    def test_the_title_counts_as_text(self, index: SearchIndex) -> None:
        """Else a paper is not found by the words of its title."""
        write_rows(
            index, [row(1, "neurons", title="Galaxies collide"), row(2, "galaxy of neurons"), row(3, "", title="Tides")]
        )
        assert sorted(by_text(index, "galaxy")) == [1, 2]
        assert by_text(index, "tide") == [3]
        assert index.frequencies(["galaxies", "collide", "neuron"]) == [2, 1, 2]
        assert by_text(index, "neuron", where=Stands("galaxy", "title")) == [1]
        assert by_text(index, "neuron", where=Not(Stands("galaxy", "title"))) == [2]

    def test_the_best_are_taken_among_those_that_pass(self, index: SearchIndex) -> None:
        """Else a filter that few papers pass finds nothing, since it came after the k best were chosen."""
        vectors = unit(400, 16, seed=4)
        order = np.argsort(-(vectors @ vectors[0]))
        years = {int(number) + 1: 1999 if place >= 390 else 2000 for place, number in enumerate(order)}
        write_rows(
            index,
            [
                row(key, "common " * (1 + (years[key] == 2000)), vector=v, year=years[key])
                for key, v in enumerate(vectors, 1)
            ],
        )
        last = Filters(year=(1999, 1999))
        expected_keys = {key for key, year in years.items() if year == 1999}
        assert set(by_vector(index, vectors[0], 10, last)) == expected_keys
        assert set(by_text(index, "common", 10, last)) == expected_keys

    def test_a_filter_does_not_change_the_scores(self, index: SearchIndex) -> None:
        """Else scores of a filtered and an unfiltered search cannot be compared."""
        write_rows(index, many_rows())
        all_scores = {hit.key: hit.score for hit in index.search_text("galaxy neuron", 1000, ALL)}
        filtered_hits = index.search_text("galaxy neuron", 1000, Filters(kind=("body",), full_text=True))
        assert 0 < len(filtered_hits) < len(all_scores)
        for hit in filtered_hits:
            assert hit.score == pytest.approx(all_scores[hit.key], rel=1e-5)

    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_no_query_is_an_error(self, index: SearchIndex, query: str) -> None:
        """Else a user's punctuation ends in a traceback."""
        write_rows(index, [row(1, "common words"), row(2, "other words")])
        for filters in (ALL, Filters(year=(1999, 2001))):
            assert set(by_text(index, query, 10, filters)) <= {1, 2}

    def test_signs_of_a_query_language_are_text(self, index: SearchIndex) -> None:
        """Else 'NOT' in a pasted title turns its meaning around."""
        write_rows(index, [row(1, "common cause"), row(2, "bird cause")])
        assert by_text(index, "NOT common") == [1]
        assert set(by_text(index, "+bird -common")) == {1, 2}
        assert by_text(index, 'text:"common') == [1]

    def test_equals_are_in_the_order_of_their_keys(self, index: SearchIndex) -> None:
        """Else the same search gives another order each time."""
        same = unit(16)
        for change, start in enumerate((1, 11, 21), 1):
            write_rows(index, [row(key, "common words", vector=same) for key in range(start, start + 10)], change)
        assert by_text(index, "common") == by_vector(index, same) == list(range(1, 31))
        assert by_vector(index, same, filters=Filters(year=(2000, None))) == list(range(1, 31))

    def test_equals_at_the_border_go_by_their_keys_too(self, index: SearchIndex) -> None:
        """Else which of two equal passages is found depends on when they were added."""
        same = unit(16)
        for change, start in enumerate((1, 11, 21), 1):
            rows = [row(key, "common words", vector=same) for key in range(start, start + 10)]
            write_rows(
                index,
                [*rows, row(100 + change, "common common", vector=same)],
                change,
                delete=[start - 8] if change > 1 else [],
            )
        assert by_text(index, "words", 5) == [1, 2, 4, 5, 6]
        assert by_vector(index, same, 5) == [1, 2, 4, 5, 6]
        assert by_vector(index, same, 5, Filters(year=(2000, None))) == [1, 2, 4, 5, 6]

    def test_what_holds_most_of_the_words_by_rarity_comes_first(self, index: SearchIndex) -> None:
        """Else who types an author and a year, or six words of an abstract, does not find what has all of them."""
        common = [row(key, "common words", names="Smith 1999") for key in range(10, 30)]
        write_rows(
            index,
            [
                row(1, "common words of quasars"),
                row(2, "common", title="Quasars", names="Ebb, T. 1999", lead="Ebb"),
                row(3, "the orbit", names="Ebb, T. 2001"),
                *common,
            ],
        )
        hits = index.search_exact("Ebb 1999 quasars nowhere", 3, ALL)
        assert hits[0].key == 2 and hits[0].score > 0.98, "what nothing has does not count"
        scores = {hit.key: hit.score for hit in index.search_exact("Ebb 1999 quasar", 30, ALL)}
        assert index.exactness("Ebb 1999 quasar", [1, 2, 10, 99]) == pytest.approx(
            {key: scores[key] for key in (1, 2, 10)}
        )
        assert scores[10] < scores[1] < scores[2], "a rare word counts more than one that most have"
        assert scores[3] < index.exactness("Ebb 1999 quasar", [2])[2]
        assert [hit.key for hit in index.search_exact("ebb", 5, ALL)] == [2, 3], "first authors before others"
        assert [hit.key for hit in index.search_exact("ebb", 5, Filters(year=(2000, 2001)))] == [2, 3]
        assert not index.search_exact("ebb", 5, Filters(year=(1990, 1991)))
        assert not index.search_exact("the nowhere", 5, ALL) and not index.exactness("ebb", [])

    def test_a_word_is_known_from_texts_and_names_in_any_form(self, index: SearchIndex) -> None:
        """Else a word that stands in the library is taken for a slip."""
        write_rows(index, [row(1, "galaxies of stars", names="Müller 1999"), row(2, "gone")])
        write_rows(index, [], 2, delete=[2])
        assert [index.has(word) for word in ("Galaxy", "the", "muller", "galaxi-quasar")] == [True, True, True, False]
        assert [index.has(word) for word in ("quasar", "gone")] == [False, False]

    def test_words_a_letter_or_two_away(self, index: SearchIndex) -> None:
        """Else nobody can be told what a misspelt word may mean."""
        write_rows(
            index, [row(1, "the hippocampus"), row(2, "oscillations", names="Hentschke"), row(3, "elliptical orbits")]
        )
        assert index.near("Hipocampus", 1, 5) == [1] and index.near("hippocapmus", 1, 5) == [1]
        assert index.near("henshke", 2, 5) == [2] and not index.near("henshke", 1, 5)
        assert index.near("elliptieal", 1, 5) == [3] and not index.near("quasar", 2, 5)

    def test_words_a_letter_away_whatever_their_accents(self, index: SearchIndex) -> None:
        """Else a misspelt name with an accent has a letter more to be wrong in, and is not recognised."""
        write_rows(index, [row(1, "the Schrödinger equation"), row(2, "naive fields")])
        assert index.near("Schrödnger", 1, 5) == [1] and index.near("Schrodnger", 1, 5) == [1]
        assert index.near("naïv", 1, 5) == [2]

    def test_frequencies_count_passages(self, index: SearchIndex) -> None:
        """Else common words weigh as much as rare ones when passages are re-ranked."""
        assert index.frequencies(["galaxy"]) == [0], "an empty index knows no word"
        write_rows(index, [row(1, "galaxies and a galaxy"), row(2, "Galaxy"), row(3, "the neuron")])
        assert index.frequencies(["galaxy", "GALAXIES", "neurons", "unknown", "the", "", "?"]) == [2, 2, 1, 0, 0, 0, 0]
        assert index.frequencies([]) == []
