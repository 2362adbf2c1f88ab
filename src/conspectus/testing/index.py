"""What every search engine must do. An engine's tests inherit `IndexConformance` and give the fixture `make_index`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from conspectus.index.protocol import IndexRow, SearchIndex, WordHits
from conspectus.index.upkeep import dead
from conspectus.records import Filters
from conspectus.records.conditions import HAS, AllOf, AnyOf, Condition, Has, Not, Passes, Stands

MakeIndex = Callable[[], SearchIndex]
"""Opens the index of the test's own place: twice called, twice the same index."""

HANG = 60.0
"""Seconds after which something that should have happened will not."""
MODEL = "test/1"
DIMENSIONS = 16
ALL = Filters()
WORDS = "galaxy neuron lattice enzyme orbit synapse phonon ribosome quasar cortex".split()
KINDS = ("abstract", "body", "caption")


def unit(*shape: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    found = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True), np.float32)


def row(key: int, text: str = "common", **known: Any) -> IndexRow:
    """A row with what the test does not care about filled in."""
    values: dict[str, Any] = {
        "paper": key,
        "kind": "body",
        "full_text": False,
        "year": 2000,
        "facets": (),
        "vector": unit(16, seed=key),
    }
    return IndexRow(key=key, text=text, **(values | known))


def many_rows(count: int = 120, seed: int = 5) -> list[IndexRow]:
    """Rows that differ in all that can be filtered by; each has the word `common`."""
    draw = np.random.default_rng(seed)
    found = []
    for key in range(1, count + 1):
        facets = [("venue", str(draw.choice(["nature", "cell", "astronomy astrophysics", "élan"])))]
        facets += [("author", name) for name in ("smith", "j smith", "li") if draw.random() < 0.3]
        facets += [("keyword", name) for name in ("dark matter", "venue") if draw.random() < 0.4]
        facets += [(HAS, name) for name in ("figure", "doi") if key % 7 < len(name) // 2]
        found.append(
            row(
                key,
                "common " + " ".join(draw.choice(WORDS, 6)),
                kind=str(draw.choice(KINDS)),
                full_text=bool(draw.random() < 0.5),
                year=None if draw.random() < 0.15 else int(draw.integers(1998, 2006)),
                facets=tuple(facets),
                title=" ".join(WORDS[(key * step) % len(WORDS)] for step in (1, 3)),
            )
        )
    return found


def passes(item: IndexRow, filters: Filters) -> bool:
    """What `Filters` says in words, row by row."""
    if filters.year is not None:
        low, high = filters.year
        if item.year is None or item.year < (low or -9999) or item.year > (high or 9999):
            return False
    if filters.kind and item.kind not in filters.kind:
        return False
    if filters.full_text is not None and item.full_text != filters.full_text:
        return False
    return all(
        not filters.terms(facet) or any((facet, term) in item.facets for term in filters.terms(facet))
        for facet in ("venue", "author", "keyword")
    )


def holds(item: IndexRow, condition: Condition) -> bool:
    """What a condition says in words, of a row of `many_rows`."""
    match condition:
        case Stands(words, "title"):
            return f" {words} " in f" {item.title} "
        case Stands(words):
            return any(f" {words} " in f" {text} " for text in (item.title, item.text))
        case Passes(filters):
            return passes(item, filters)
        case Has(thing):
            return (HAS, thing) in item.facets
        case Not(part):
            return not holds(item, part)
        case AllOf(parts):
            return all(holds(item, part) for part in parts)
        case AnyOf(parts):
            return any(holds(item, part) for part in parts)


def put(index: SearchIndex, rows: Sequence[IndexRow], change: int = 1, *, delete: Sequence[int] = ()) -> None:
    """Commit rows (and deletions) as one change."""
    dimensions = len(rows[0].vector) if rows else DIMENSIONS
    with index.writing(MODEL, dimensions) as writer:
        if delete:
            writer.delete(np.array(delete, np.int64))
        writer.add(rows)
        writer.commit(change)


def by_text(
    index: SearchIndex, query: str, k: int = 1000, filters: Filters = ALL, where: Condition | None = None
) -> list[int]:
    return [found.key for found in index.search_text(query, k, filters, where)]


def by_vector(
    index: SearchIndex, vector: Any, k: int = 1000, filters: Filters = ALL, where: Condition | None = None
) -> list[int]:
    return [found.key for found in index.search_vector(vector, k, filters, where)]


ONE_EACH = [
    Filters(year=(2000, 2003)),
    Filters(year=(None, 2001)),
    Filters(year=(2003, None)),
    Filters(year=(None, None)),
    Filters(year=(2001, 2001)),
    Filters(year=(100_000, None)),
    Filters(year=(None, -100_000)),
    Filters(venue=("Nature",)),
    Filters(venue=("CELL", "nature")),
    Filters(venue=("Astronomy & Astrophysics",)),
    Filters(venue=("Elan",)),
    Filters(venue=("No Such Journal",)),
    Filters(venue=("!?",)),
    Filters(author=("Smith",)),
    Filters(author=("Smith, J.",)),
    Filters(keyword=("Dark-Matter",)),
    Filters(keyword=("venue",)),
    Filters(kind=("abstract",)),
    Filters(kind=("body", "caption")),
    Filters(full_text=True),
    Filters(full_text=False),
]


def combined() -> list[Filters]:
    """Every combination of some value, or none, for each condition but the language, of which no text is told."""
    choices = product(
        (None, (2000, 2003)),
        ((), ("Nature", "Cell")),
        ((), ("smith",)),
        ((), ("dark matter",)),
        ((),),
        ((), ("body", "abstract")),
        (None, True),
    )
    return [Filters(*choice) for choice in choices]  # type: ignore[arg-type]


SMITH, YEARS = Passes(Filters(author=("smith",))), Passes(Filters(year=(2000, 2003)))
WHERE: list[Condition] = [
    Stands("galaxy"),
    Stands("galaxy", "title"),
    Stands("orbit synapse"),
    Stands("galaxy enzyme", "title"),
    Stands("common quasar"),
    Stands("never there"),
    Not(Stands("galaxy")),
    Not(Stands("never there")),
    SMITH,
    YEARS,
    Passes(Filters(kind=("body",))),
    Has("figure"),
    Has("table"),
    Not(Has("doi")),
    AllOf((Stands("orbit"), Stands("cortex"), Not(Stands("galaxy")))),
    AllOf((Not(SMITH), Not(YEARS))),
    AnyOf((SMITH, Passes(Filters(venue=("Nature",))), Stands("orbit synapse"))),
    AnyOf((Not(SMITH), Not(Stands("cortex")))),
    Not(AnyOf((SMITH, AllOf((YEARS, Stands("quasar")))))),
    AllOf((AnyOf((Stands("galaxy"), Has("figure"))), AnyOf((YEARS, Not(Passes(Filters(kind=("caption",)))))))),
    Not(Not(Stands("enzyme"))),
]

HOSTILE = [
    "",
    "   ",
    "the of and",
    "!?.,;:",
    '"',
    '"""',
    'say "common',
    "'common'",
    'AND OR NOT ( ) : " *',
    "AND",
    "NOT common",
    "common AND (OR",
    "text:common^5~2",
    "[1 TO 5]",
    "+common -other",
    "\\",
    "common\\",
    "/re.*/",
    "*",
    "a" * 10_000,
    "common " * 1_500,
    " ".join(f"w{number}" for number in range(2_000)),
    "κοινός общий 共通 🌌 \u0301\u202e\ufeff",
    "\x00common\x00",
    "H₂O² x_y naïve don't",
    "\ud800",
]


class IndexConformance:
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
        put(index, [row(key, text, paper=1 + key // 2, year=2000 + key) for key, text in enumerate(texts)])
        assert index.count("orbits", ALL) == WordHits({"orbits": 2}, 2, 3)
        assert index.count("the orbit quasars", ALL) == WordHits({"orbit": 2, "quasars": 2}, 1, 2)
        assert index.count("orbit quasar cortex", ALL).papers == 0
        assert index.count("orbit-quasar", ALL) == WordHits({"orbit-quasar": 1}, 1, 2)
        assert index.count("orbit", Filters(year=(2001, 2002))) == WordHits({"orbit": 2}, 2, 2)
        assert index.count('text:"orbit" OR (', ALL).words == {'text:"orbit"': 0}
        assert index.count("", ALL) == index.count("the of \ud800", ALL) == WordHits({}, 0, 0)
        put(index, [], delete=[0, 1], change=2)
        assert index.count("orbit", ALL) == WordHits({"orbit": 1}, 1, 1)

    def test_counts_are_those_of_the_rows(self, make_index: MakeIndex) -> None:
        """A count would not be exact where there is much to count."""
        index, rows = make_index(), many_rows()
        put(index, rows)
        for filters in (ALL, Filters(year=(2000, 2003)), Filters(kind=("body",), full_text=True)):
            wanted = [
                item.paper
                for item in rows
                if passes(item, filters) and {"orbit", "common"} <= set(f"{item.title} {item.text}".split())
            ]
            found = index.count("common orbit", filters)
            assert (found.papers, found.passages) == (len(set(wanted)), len(wanted))

    def test_a_new_index_is_empty_and_answers(self, index: SearchIndex) -> None:
        """Else the first search in a new library fails instead of saying that the library is empty."""
        assert index.search_text("anything", 10, ALL) == []
        assert index.search_vector(unit(DIMENSIONS), 10, ALL) == []
        assert index.keys().tolist() == []
        assert index.stats().rows == 0

    def test_words_are_found_whatever_their_form(self, index: SearchIndex) -> None:
        """Else a paper on galaxies is not found with 'Galaxy', one of Gödel not with 'Godel'."""
        put(index, [row(1, "Galaxies collide."), row(2, "Neurons fire."), row(3, "Gödel's theorem")])
        assert by_text(index, "GALAXY") == [1]
        assert by_text(index, "firing neuron?") == [2]
        assert by_text(index, "godel") == [3]
        assert by_text(index, "nothing here at all") == []

    def test_words_with_raised_numbers_are_found(self, index: SearchIndex) -> None:
        """Else no word that carries a citation mark or a footnote's is found."""
        put(index, [row(1, "As shown by Powell³, it is chaos.¹² Others⁴ agree."), row(2, "Neurons fire.")])
        assert by_text(index, "powell") == [1]
        assert by_text(index, "other Powell³") == [1]

    def test_any_of_the_words_will_do_and_more_are_better(self, index: SearchIndex) -> None:
        """Else a question, whose words no passage has all of, finds nothing."""
        put(index, [row(1, "galaxy rotation"), row(2, "galaxy rotation curves"), row(3, "tax curves"), row(4, "none")])
        assert by_text(index, "the rotation curves of a galaxy")[0] == 2
        assert set(by_text(index, "the rotation curves of a galaxy")) == {1, 2, 3}

    def test_common_words_do_not_find_everything(self, index: SearchIndex) -> None:
        """Else 'how does the galaxy rotate' finds every passage with a 'the' in it."""
        put(index, [row(1, "the galaxy"), row(2, "how does the other do it")])
        assert by_text(index, "how does the galaxy") == [1]

    def test_vectors_come_in_order_of_their_cosine(self, index: SearchIndex) -> None:
        """Else the passage nearest in meaning is not the first."""
        vectors = unit(300, 16, seed=1)
        put(index, [row(key, vector=vector) for key, vector in enumerate(vectors, 1)])
        for number in range(20):
            query = unit(16, seed=1000 + number)
            found = index.search_vector(query, 10, ALL)
            exact = vectors @ query
            assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
            for hit in found:
                assert hit.score == pytest.approx(float(exact[hit.key - 1]), abs=0.03)

    def test_vectors_are_searched_nearly_exactly(self, index: SearchIndex) -> None:
        """Else relevant passages are missed for being stored short: recall@10 of at least 0.98."""
        vectors, queries = unit(2000, 64, seed=2), unit(50, 64, seed=3)
        put(index, [row(key, vector=vector) for key, vector in enumerate(vectors, 1)])
        wanted = np.argsort(-(queries @ vectors.T), axis=1)[:, :10] + 1
        found = [set(by_vector(index, query, 10)) for query in queries]
        recall = np.mean([len(have & set(want.tolist())) / 10 for have, want in zip(found, wanted, strict=True)])
        assert recall >= 0.98

    def test_k_above_the_number_of_rows(self, index: SearchIndex) -> None:
        """Else asking a small library for many papers fails, or invents some."""
        put(index, [row(1), row(2)])
        assert sorted(by_text(index, "common", 5000)) == [1, 2]
        assert sorted(by_vector(index, unit(16), 5000)) == [1, 2]
        assert len(by_vector(index, unit(16), 5000, Filters(year=(2000, 2000)))) == 2

    @pytest.mark.parametrize("by", ["text", "vector"])
    def test_filters_alone_and_together_mean_what_they_say(self, index: SearchIndex, by: str) -> None:
        """Else a search within 2000–2003 shows papers of other years, or hides some that pass."""
        rows = many_rows()
        put(index, rows)
        for filters in [*ONE_EACH, *combined()]:
            wanted = sorted(item.key for item in rows if passes(item, filters))
            find = (
                by_text(index, "common", filters=filters)
                if by == "text"
                else by_vector(index, unit(16), filters=filters)
            )
            assert sorted(find) == wanted, filters

    @pytest.mark.parametrize("condition", WHERE, ids=str)
    def test_conditions_mean_what_they_say(self, index: SearchIndex, condition: Condition) -> None:
        """Else a search for -mouse shows papers on mice, in one of its two halves or in both."""
        rows = many_rows()
        put(index, rows)
        for filters in (ALL, Filters(kind=("body", "abstract"), year=(1999, None))):
            passing = [item for item in rows if passes(item, filters) and holds(item, condition)]
            wanted = [item.key for item in passing]
            assert sorted(by_text(index, "common", 1000, filters, condition)) == wanted
            assert sorted(by_vector(index, unit(16), 1000, filters, condition)) == wanted
            assert sorted(hit.key for hit in index.newest(1000, filters, condition)) == wanted
            assert index.count("", filters, condition) == WordHits({}, len(wanted), len(wanted))
            both = [item.key for item in passing if "orbit" in f"{item.title} {item.text}".split()]
            assert index.count("orbit", filters, condition) == WordHits({"orbit": len(both)}, len(both), len(both))

    def test_the_best_are_taken_among_those_that_meet_conditions(self, index: SearchIndex) -> None:
        """Else a phrase that few passages have finds nothing, since it came after the k best were chosen."""
        vectors = unit(400, 16, seed=4)
        order = (np.argsort(-(vectors @ vectors[0])) + 1).tolist()
        put(
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
        put(index, [row(key, text, title=titles.get(key, "")) for key, text in enumerate(texts, 1)])

        def found(words: str) -> list[int]:
            assert sorted(by_vector(index, unit(16), where=Stands(words))) == sorted(
                hit.key for hit in index.newest(10, ALL, Stands(words))
            )
            return sorted(by_vector(index, unit(16), where=Stands(words)))

        assert found("grid cells") == [1, 2]
        assert found("GRID CELL") == [1, 2]
        assert found("grid of cells") == found("grid, and cells") == [4, 5], "words not looked for stand for any word"
        assert found("cells grid") == []
        assert found("the cells") == [1, 2, 3, 4, 5, 6]
        assert found("Godel wrote") == [], "the mark stands between them, as a word of its own"
        assert found("godel") == [7]
        for nothing in ("the", "", "?!", "x" * 65, "\ud800"):
            assert found(nothing) == []
            assert len(by_vector(index, unit(16), where=Not(Stands(nothing)))) == len(texts)
        assert found("grid " * 3000) == []

    def test_the_newest_papers_come_first(self, index: SearchIndex) -> None:
        """Else what only has conditions is listed in the order in which it was added, or a long paper many times."""
        assert index.newest(5, ALL) == []
        years = {1: 2001, 2: 2001, 3: None, 4: 2010, 5: -44, 6: 2010, 7: 2001}
        put(index, [row(key, paper=1 if key in (2, 7) else key, year=year) for key, year in years.items()])
        assert [hit.key for hit in index.newest(10, ALL)] == [4, 6, 1, 5, 3]
        assert [hit.key for hit in index.newest(2, ALL)] == [4, 6]
        assert [hit.key for hit in index.newest(10, Filters(year=(None, 2005)))] == [1, 5]
        put(index, [], 2, delete=[1])
        assert [hit.key for hit in index.newest(10, ALL, Not(Passes(Filters(year=(2010, 2010)))))] == [2, 5, 3]

    def test_the_title_counts_as_text(self, index: SearchIndex) -> None:
        """Else a paper is not found by the words of its title."""
        put(
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
        put(
            index,
            [
                row(key, "common " * (1 + (years[key] == 2000)), vector=v, year=years[key])
                for key, v in enumerate(vectors, 1)
            ],
        )
        last = Filters(year=(1999, 1999))
        wanted = {key for key, year in years.items() if year == 1999}
        assert set(by_vector(index, vectors[0], 10, last)) == wanted
        assert set(by_text(index, "common", 10, last)) == wanted

    def test_a_filter_does_not_change_the_scores(self, index: SearchIndex) -> None:
        """Else scores of a filtered and an unfiltered search cannot be compared."""
        put(index, many_rows())
        whole = {hit.key: hit.score for hit in index.search_text("galaxy neuron", 1000, ALL)}
        some = index.search_text("galaxy neuron", 1000, Filters(kind=("body",), full_text=True))
        assert 0 < len(some) < len(whole)
        for hit in some:
            assert hit.score == pytest.approx(whole[hit.key], rel=1e-5)

    def test_deleted_rows_are_gone_and_others_stay(self, index: SearchIndex) -> None:
        """Else removed papers are still found, or their removal takes others along."""
        rows = many_rows(60)
        put(index, rows)
        gone = [1, 7, 30, 60, 999]
        put(index, [], 2, delete=gone)
        left = [item for item in rows if item.key not in gone]
        assert index.keys().tolist() == [item.key for item in left]
        assert sorted(by_text(index, "common")) == [item.key for item in left]
        assert sorted(by_vector(index, unit(16))) == [item.key for item in left]
        assert index.stats().rows == 56
        for item in left[:10]:
            assert by_vector(index, item.vector, 1) == [item.key], "vectors and keys no longer belong together"

    def test_rows_added_after_deletions(self, index: SearchIndex) -> None:
        """Else an edited paper is found by its old words, or filtered by its neighbour's year."""
        rows = many_rows(40)
        put(index, rows)
        fresh = [row(key, "common comet", year=1850, facets=(("venue", "new"),)) for key in (101, 102)]
        put(index, fresh, 2, delete=[2, 3, 40])
        put(index, [row(103, "common comet", year=1851)], 3, delete=[101])
        have = [item for item in rows if item.key not in (2, 3, 40)] + [fresh[1], row(103, year=1851)]
        assert index.keys().tolist() == sorted(item.key for item in have)
        assert by_text(index, "comet") == [102, 103]
        assert by_vector(index, unit(16), filters=Filters(venue=("new",))) == [102]
        for filters in ONE_EACH:
            wanted = sorted(item.key for item in have if passes(item, filters))
            assert sorted(by_vector(index, unit(16), filters=filters)) == wanted, filters
            assert sorted(by_text(index, "common", filters=filters)) == wanted, filters

    def test_a_row_is_replaced_under_its_key(self, index: SearchIndex) -> None:
        """Else a paper whose record was edited is found by its old venue, or twice."""
        rows = many_rows(20)
        put(index, rows)
        put(index, [row(7, "common comet", year=1850, vector=rows[0].vector)], 2, delete=[7])
        assert index.keys().tolist() == list(range(1, 21)) and by_text(index, "comet") == [7]
        assert by_text(index, "comet", filters=Filters(year=(1850, 1850))) == [7]
        assert set(by_vector(index, rows[0].vector, 2)) == {1, 7}

    def test_everything_deleted_leaves_a_working_index(self, index: SearchIndex) -> None:
        """Else an emptied library cannot be searched, or filled again."""
        put(index, many_rows(10))
        put(index, [], 2, delete=list(range(1, 11)))
        assert by_text(index, "common") == by_vector(index, unit(16)) == index.keys().tolist() == []
        assert by_vector(index, unit(16), filters=Filters(year=(2000, None))) == []
        put(index, [row(11)], 3)
        assert by_text(index, "common") == by_vector(index, unit(16)) == [11]

    def test_nothing_is_seen_before_the_commit_and_all_after(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else a search during `add` sees half of it."""
        put(index, [row(1)])
        other = make_index()
        with index.writing(MODEL, DIMENSIONS) as writer:
            writer.delete(np.array([1]))
            writer.add([row(2), row(3)])
            for each in (index, other):
                assert by_text(each, "common") == by_vector(each, unit(16)) == each.keys().tolist() == [1]
            writer.commit(2)
        for each in (index, other):
            assert sorted(by_text(each, "common")) == sorted(by_vector(each, unit(16))) == [2, 3]
            assert (each.stats().rows, each.stats().change, each.stats().model) == (2, 2, MODEL)
        other.close()

    @pytest.mark.parametrize("commit", [False, True])
    def test_nothing_is_kept_without_a_commit(self, index: SearchIndex, commit: bool) -> None:
        """Else an `add` that failed half way leaves half of it to be found."""
        put(index, [row(1)])
        if commit:  # an exception after the commit does not undo it
            with pytest.raises(KeyError), index.writing(MODEL, DIMENSIONS) as writer:
                writer.add([row(2)])
                writer.commit(2)
                raise KeyError
        else:
            with pytest.raises(KeyError), index.writing(MODEL, DIMENSIONS) as writer:
                writer.delete(np.array([1]))
                writer.add([row(2)])
                raise KeyError
            with index.writing(MODEL, DIMENSIONS) as writer:
                writer.add([row(2)])
        wanted = [1, 2] if commit else [1]
        assert index.keys().tolist() == sorted(by_text(index, "common")) == sorted(by_vector(index, unit(16))) == wanted
        put(index, [row(3)], 3)
        assert index.keys().tolist() == [*wanted, 3]

    def test_fresh_begins_anew(self, index: SearchIndex) -> None:
        """Else `reindex` with a model of another size fails, or mixes the vectors of two models."""
        put(index, many_rows(20))
        with index.writing("other/2", 8, fresh=True) as writer:
            writer.add([row(5, vector=unit(8))])
            writer.commit(9)
        assert index.keys().tolist() == by_text(index, "common") == by_vector(index, unit(8)) == [5]
        assert (index.stats().model, index.stats().change) == ("other/2", 9)

    @pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
    def test_no_query_is_an_error(self, index: SearchIndex, query: str) -> None:
        """Else a user's punctuation ends in a traceback."""
        put(index, [row(1, "common words"), row(2, "other words")])
        for filters in (ALL, Filters(year=(1999, 2001))):
            assert set(by_text(index, query, 10, filters)) <= {1, 2}

    def test_signs_of_a_query_language_are_text(self, index: SearchIndex) -> None:
        """Else 'NOT' in a pasted title turns its meaning around."""
        put(index, [row(1, "common cause"), row(2, "bird cause")])
        assert by_text(index, "NOT common") == [1]
        assert set(by_text(index, "+bird -common")) == {1, 2}
        assert by_text(index, 'text:"common') == [1]

    def test_equals_are_in_the_order_of_their_keys(self, index: SearchIndex) -> None:
        """Else the same search gives another order each time."""
        same = unit(16)
        for change, start in enumerate((1, 11, 21), 1):
            put(index, [row(key, "common words", vector=same) for key in range(start, start + 10)], change)
        assert by_text(index, "common") == by_vector(index, same) == list(range(1, 31))
        assert by_vector(index, same, filters=Filters(year=(2000, None))) == list(range(1, 31))

    def test_equals_at_the_border_go_by_their_keys_too(self, index: SearchIndex) -> None:
        """Else which of two equal passages is found depends on when they were added."""
        same = unit(16)
        for change, start in enumerate((1, 11, 21), 1):
            rows = [row(key, "common words", vector=same) for key in range(start, start + 10)]
            put(
                index,
                [*rows, row(100 + change, "common common", vector=same)],
                change,
                delete=[start - 8] if change > 1 else [],
            )
        assert by_text(index, "words", 5) == [1, 2, 4, 5, 6]
        assert by_vector(index, same, 5) == [1, 2, 4, 5, 6]
        assert by_vector(index, same, 5, Filters(year=(2000, None))) == [1, 2, 4, 5, 6]

    def test_an_empty_commit_does_not_fix_the_dimensions(self, index: SearchIndex) -> None:
        """Else a library that was searched while it was empty can never be filled."""
        with index.writing(MODEL, 1) as writer:
            writer.commit(0)
        assert by_vector(index, unit(16)) == []
        put(index, [row(1)], 2)
        assert by_vector(index, unit(16)) == by_text(index, "common") == [1]

    def test_what_holds_most_of_the_words_by_rarity_comes_first(self, index: SearchIndex) -> None:
        """Else who types an author and a year, or six words of an abstract, does not find what has all of them."""
        common = [row(key, "common words", names="Smith 1999") for key in range(10, 30)]
        put(
            index,
            [
                row(1, "common words of quasars"),
                row(2, "common", title="Quasars", names="Ebb, T. 1999", lead="Ebb"),
                row(3, "the orbit", names="Ebb, T. 2001"),
                *common,
            ],
        )
        found = index.search_exact("Ebb 1999 quasars nowhere", 3, ALL)
        assert found[0].key == 2 and found[0].score > 0.98, "what nothing has does not count"
        whole = {one.key: one.score for one in index.search_exact("Ebb 1999 quasar", 30, ALL)}
        assert index.exactness("Ebb 1999 quasar", [1, 2, 10, 99]) == pytest.approx(
            {key: whole[key] for key in (1, 2, 10)}
        )
        assert whole[10] < whole[1] < whole[2], "a rare word counts more than one that most have"
        assert whole[3] < index.exactness("Ebb 1999 quasar", [2])[2]
        assert [one.key for one in index.search_exact("ebb", 5, ALL)] == [2, 3], "first authors before others"
        assert [one.key for one in index.search_exact("ebb", 5, Filters(year=(2000, 2001)))] == [2, 3]
        assert not index.search_exact("ebb", 5, Filters(year=(1990, 1991)))
        assert not index.search_exact("the nowhere", 5, ALL) and not index.exactness("ebb", [])

    def test_a_word_is_known_from_texts_and_names_in_any_form(self, index: SearchIndex) -> None:
        """Else a word that stands in the library is taken for a slip."""
        put(index, [row(1, "galaxies of stars", names="Müller 1999"), row(2, "gone")])
        put(index, [], 2, delete=[2])
        assert [index.has(word) for word in ("Galaxy", "the", "muller", "galaxi-quasar")] == [True, True, True, False]
        assert [index.has(word) for word in ("quasar", "gone")] == [False, False]

    def test_words_a_letter_or_two_away(self, index: SearchIndex) -> None:
        """Else nobody can be told what a misspelt word may mean."""
        put(index, [row(1, "the hippocampus"), row(2, "oscillations", names="Hentschke"), row(3, "elliptical orbits")])
        assert index.near("Hipocampus", 1, 5) == [1] and index.near("hippocapmus", 1, 5) == [1]
        assert index.near("henshke", 2, 5) == [2] and not index.near("henshke", 1, 5)
        assert index.near("elliptieal", 1, 5) == [3] and not index.near("quasar", 2, 5)

    def test_words_a_letter_away_whatever_their_accents(self, index: SearchIndex) -> None:
        """Else a misspelt name with an accent has a letter more to be wrong in, and is not recognised."""
        put(index, [row(1, "the Schrödinger equation"), row(2, "naive fields")])
        assert index.near("Schrödnger", 1, 5) == [1] and index.near("Schrodnger", 1, 5) == [1]
        assert index.near("naïv", 1, 5) == [2]

    def test_frequencies_count_passages(self, index: SearchIndex) -> None:
        """Else common words weigh as much as rare ones when passages are re-ranked."""
        assert index.frequencies(["galaxy"]) == [0], "an empty index knows no word"
        put(index, [row(1, "galaxies and a galaxy"), row(2, "Galaxy"), row(3, "the neuron")])
        assert index.frequencies(["galaxy", "GALAXIES", "neurons", "unknown", "the", "", "?"]) == [2, 2, 1, 0, 0, 0, 0]
        assert index.frequencies([]) == []

    def test_words_of_deleted_passages_are_not_counted(self, index: SearchIndex) -> None:
        """Else words that only removed papers had still weigh as known ones."""
        put(index, [row(1, "quokka"), row(2, "quokka and dog"), row(3, "dog")])
        assert dead(index) == 0
        put(index, [], 2, delete=[1, 2])
        assert index.frequencies(["quokka", "dog"]) == [0, 1]
        assert dead(index) in (0, 2), "an engine may keep them in its files, and then says how many"
        with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
            writer.add([row(3, "dog")])
            writer.commit(3)
        assert (index.frequencies(["quokka", "dog"]), dead(index)) == ([0, 1], 0)

    def test_deletions_add_up(self, index: SearchIndex) -> None:
        """Else the first of two deletions in one change is half forgotten."""
        put(index, [row(1), row(2), row(3)])
        with index.writing(MODEL, DIMENSIONS) as writer:
            writer.delete(np.array([1]))
            writer.delete(np.array([], np.int64))
            writer.delete(np.array([3]))
            writer.commit(2)
        assert by_text(index, "common") == by_vector(index, unit(16)) == index.keys().tolist() == [2]

    def test_a_second_writer_waits(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else two runs at a time lose each other's work."""
        other = make_index()
        began, order = threading.Event(), []

        def second() -> None:
            began.set()
            put(other, [row(2)], 2)
            order.append("second")

        thread = threading.Thread(target=second)
        with index.writing(MODEL, DIMENSIONS) as writer:
            thread.start()
            assert began.wait(HANG)
            thread.join(0.3)
            order.append("first")
            writer.add([row(1)])
            writer.commit(1)
        thread.join(HANG)
        assert order == ["first", "second"]
        assert index.keys().tolist() == [1, 2]
        other.close()

    def test_it_is_there_when_opened_again(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else a library has to be indexed anew in every process."""
        rows = many_rows(30)
        put(index, rows, 7)
        index.close()
        again = make_index()
        assert again.keys().tolist() == [item.key for item in rows]
        assert (again.stats().rows, again.stats().change) == (30, 7)
        assert sorted(by_text(again, "common")) == sorted(by_vector(again, unit(16))) == again.keys().tolist()
        again.close()
