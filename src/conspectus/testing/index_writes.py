"""What every search engine must do with rows: added, deleted, committed, found by filters; see `IndexConformance`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from conspectus.index.protocol import IndexRow, SearchIndex, dead
from conspectus.records import FACETS, Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

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
    vectors = np.random.default_rng(seed).standard_normal(shape)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32)


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
    rows = []
    for key in range(1, count + 1):
        facets = [("venue", str(draw.choice(["nature", "cell", "astronomy astrophysics", "élan"])))]
        facets += [("author", name) for name in ("smith", "j smith", "li") if draw.random() < 0.3]
        facets += [("keyword", name) for name in ("dark matter", "venue") if draw.random() < 0.4]
        facets += [(HAS, name) for name in ("figure", "doi") if key % 7 < len(name) // 2]
        rows.append(
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
    return rows


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
        for facet in FACETS
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
        case Among(keys):
            return item.key in keys
        case Not(part):
            return not holds(item, part)
        case AllOf(parts):
            return all(holds(item, part) for part in parts)
        case AnyOf(parts):
            return any(holds(item, part) for part in parts)


def write_rows(index: SearchIndex, rows: Sequence[IndexRow], change: int = 1, *, delete: Sequence[int] = ()) -> None:
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
    return [hit.key for hit in index.search_text(query, k, filters, where)]


def by_vector(
    index: SearchIndex, vector: Any, k: int = 1000, filters: Filters = ALL, where: Condition | None = None
) -> list[int]:
    return [hit.key for hit in index.search_vector(vector, k, filters, where)]


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
    Among(()),
    Among((7, 3, 10_000)),
    AllOf((Not(Among(tuple(range(1, 50)))), AnyOf((SMITH, Stands("galaxy"))))),
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


class WritingConformance:
    """The tests."""

    def test_deleted_rows_are_gone_and_others_stay(self, index: SearchIndex) -> None:
        """Else removed papers are still found, or their removal takes others along."""
        rows = many_rows(60)
        write_rows(index, rows)
        deleted_keys = [1, 7, 30, 60, 999]
        write_rows(index, [], 2, delete=deleted_keys)
        left = [item for item in rows if item.key not in deleted_keys]
        assert index.keys().tolist() == [item.key for item in left]
        assert sorted(by_text(index, "common")) == [item.key for item in left]
        assert sorted(by_vector(index, unit(16))) == [item.key for item in left]
        assert index.stats().rows == 56
        for item in left[:10]:
            assert by_vector(index, item.vector, 1) == [item.key], "vectors and keys no longer belong together"

    def test_rows_added_after_deletions(self, index: SearchIndex) -> None:
        """Else an edited paper is found by its old words, or filtered by its neighbour's year."""
        rows = many_rows(40)
        write_rows(index, rows)
        fresh = [row(key, "common comet", year=1850, facets=(("venue", "new"),)) for key in (101, 102)]
        write_rows(index, fresh, 2, delete=[2, 3, 40])
        write_rows(index, [row(103, "common comet", year=1851)], 3, delete=[101])
        have = [item for item in rows if item.key not in (2, 3, 40)] + [fresh[1], row(103, year=1851)]
        assert index.keys().tolist() == sorted(item.key for item in have)
        assert by_text(index, "comet") == [102, 103]
        assert by_vector(index, unit(16), filters=Filters(venue=("new",))) == [102]
        for filters in ONE_EACH:
            expected_keys = sorted(item.key for item in have if passes(item, filters))
            assert sorted(by_vector(index, unit(16), filters=filters)) == expected_keys, filters
            assert sorted(by_text(index, "common", filters=filters)) == expected_keys, filters

    def test_a_row_is_replaced_under_its_key(self, index: SearchIndex) -> None:
        """Else a paper whose record was edited is found by its old venue, or twice."""
        rows = many_rows(20)
        write_rows(index, rows)
        write_rows(index, [row(7, "common comet", year=1850, vector=rows[0].vector)], 2, delete=[7])
        assert index.keys().tolist() == list(range(1, 21)) and by_text(index, "comet") == [7]
        assert by_text(index, "comet", filters=Filters(year=(1850, 1850))) == [7]
        assert set(by_vector(index, rows[0].vector, 2)) == {1, 7}

    def test_everything_deleted_leaves_a_working_index(self, index: SearchIndex) -> None:
        """Else an emptied library cannot be searched, or filled again."""
        write_rows(index, many_rows(10))
        write_rows(index, [], 2, delete=list(range(1, 11)))
        assert by_text(index, "common") == by_vector(index, unit(16)) == index.keys().tolist() == []
        assert by_vector(index, unit(16), filters=Filters(year=(2000, None))) == []
        write_rows(index, [row(11)], 3)
        assert by_text(index, "common") == by_vector(index, unit(16)) == [11]

    def test_nothing_is_seen_before_the_commit_and_all_after(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else a search during `add` sees half of it."""
        write_rows(index, [row(1)])
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
        write_rows(index, [row(1)])
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
        expected_keys = [1, 2] if commit else [1]
        assert (
            index.keys().tolist()
            == sorted(by_text(index, "common"))
            == sorted(by_vector(index, unit(16)))
            == expected_keys
        )
        write_rows(index, [row(3)], 3)
        assert index.keys().tolist() == [*expected_keys, 3]

    def test_fresh_begins_anew(self, index: SearchIndex) -> None:
        """Else `library reindex` with a model of another size fails, or mixes the vectors of two models."""
        write_rows(index, many_rows(20))
        with index.writing("other/2", 8, fresh=True) as writer:
            writer.add([row(5, vector=unit(8))])
            writer.commit(9)
        assert index.keys().tolist() == by_text(index, "common") == by_vector(index, unit(8)) == [5]
        assert (index.stats().model, index.stats().change) == ("other/2", 9)

    def test_an_empty_commit_does_not_fix_the_dimensions(self, index: SearchIndex) -> None:
        """Else a library that was searched while it was empty can never be filled."""
        with index.writing(MODEL, 1) as writer:
            writer.commit(0)
        assert by_vector(index, unit(16)) == []
        write_rows(index, [row(1)], 2)
        assert by_vector(index, unit(16)) == by_text(index, "common") == [1]

    def test_words_of_deleted_passages_are_not_counted(self, index: SearchIndex) -> None:
        """Else words that only removed papers had still weigh as known ones."""
        write_rows(index, [row(1, "quokka"), row(2, "quokka and dog"), row(3, "dog")])
        assert dead(index) == 0
        write_rows(index, [], 2, delete=[1, 2])
        assert index.frequencies(["quokka", "dog"]) == [0, 1]
        assert dead(index) in (0, 2), "an engine may keep them in its files, and then says how many"
        with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
            writer.add([row(3, "dog")])
            writer.commit(3)
        assert (index.frequencies(["quokka", "dog"]), dead(index)) == ([0, 1], 0)

    def test_deletions_add_up(self, index: SearchIndex) -> None:
        """Else the first of two deletions in one change is half forgotten."""
        write_rows(index, [row(1), row(2), row(3)])
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
            write_rows(other, [row(2)], 2)
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
        write_rows(index, rows, 7)
        index.close()
        reopened_index = make_index()
        assert reopened_index.keys().tolist() == [item.key for item in rows]
        assert (reopened_index.stats().rows, reopened_index.stats().change) == (30, 7)
        assert (
            sorted(by_text(reopened_index, "common"))
            == sorted(by_vector(reopened_index, unit(16)))
            == reopened_index.keys().tolist()
        )
        reopened_index.close()
